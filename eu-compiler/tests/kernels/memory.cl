struct item { int key; float weight; };

kernel void private_array(global int *out, global const int *in) {
    size_t i = get_global_id(0);
    int histogram[16];
    for (int k = 0; k < 16; ++k) histogram[k] = k;
    for (int k = 0; k < 8; ++k) histogram[in[8 * i + k] & 15] += k + 1;
    struct item items[4];
    for (int k = 0; k < 4; ++k) { items[k].key = histogram[k] ^ in[i]; items[k].weight = k; }
    int sum = 0;
    for (int k = 0; k < 16; ++k) sum = sum * 3 + histogram[k];
    out[i] = sum + items[in[i] & 3].key + (int)items[(in[i] >> 2) & 3].weight;
}

kernel void wide(global long *out, global const long *a, global const long *b, global float *f) {
    size_t i = get_global_id(0);
    long x = a[i], y = b[i] | 1;
    out[4 * i] = x / (y == -1 ? 3 : y);
    out[4 * i + 1] = x % (y == -1 ? 3 : y);
    out[4 * i + 2] = (ulong)x / (ulong)y;
    out[4 * i + 3] = convert_long_sat(f[3 * i]);
    f[3 * i + 1] = (float)x;
    f[3 * i + 2] = (float)(ulong)x;
}

constant int table[12] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
constant float4 scales[2] = {(float4)(1, 2, 3, 4), (float4)(0.5f, 0.25f, 8, 16)};

kernel void lookup(global float *out, global const int *in) {
    size_t i = get_global_id(0);
    float4 s = scales[in[i] & 1];
    out[i] = table[(uint)in[i] % 12] * s.y + s.w;
}

kernel void components(global int *out, global const int4 *in, float k) {
    size_t i = get_global_id(0);
    int4 x = in[i];
    uint4 mask = (uint4)(x.x, x.y, 6, 1);
    int4 y = shuffle2(x, x * 2, mask);
    out[6 * i] = y.x; out[6 * i + 1] = y.y; out[6 * i + 2] = y.z; out[6 * i + 3] = y.w;
    out[6 * i + 4] = mad_sat(x.x, x.y, x.z);
    out[6 * i + 5] = (int)fma(k, k, 0.5f) + x.w;
}

kernel void saturated(global int *out, global const int *in) {
    size_t i = get_global_id(0);
    int x = in[i];
    uint y = (uint)x;
    out[8 * i] = convert_char_sat(x);
    out[8 * i + 1] = convert_uchar_sat(x);
    out[8 * i + 2] = convert_char_sat(y);
    out[8 * i + 3] = convert_ushort_sat(y);
    out[8 * i + 4] = convert_short_sat(x);
    out[8 * i + 5] = convert_int_sat(y);
    out[8 * i + 6] = convert_uint_sat(x);
    out[8 * i + 7] = convert_int_sat((long)x * x);
}
