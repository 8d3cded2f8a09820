kernel void vector_add(global const int *a, global const int *b, global int *sum) {
    size_t i = get_global_id(0);
    sum[i] = a[i] + b[i];
}

kernel void ids(global uint *out) {
    size_t i = get_global_linear_id();
    out[8 * i] = get_global_id(0);
    out[8 * i + 1] = get_global_id(1);
    out[8 * i + 2] = get_local_id(0);
    out[8 * i + 3] = get_local_id(1);
    out[8 * i + 4] = get_group_id(0);
    out[8 * i + 5] = get_group_id(1);
    out[8 * i + 6] = get_local_size(0) | get_global_size(1) << 8 | get_num_groups(0) << 16;
    out[8 * i + 7] = get_work_dim() | get_global_offset(0) << 8;
}

kernel void saxpy(global float *y, global const float *x, float a) {
    size_t i = get_global_id(0);
    y[i] = a * x[i] + y[i];
}

kernel void collatz(global uint *steps, global const uint *from) {
    size_t i = get_global_id(0);
    uint n = from[i], count = 0;
    while (n > 1) {
        if (n & 1) n = 3 * n + 1; else n >>= 1;
        ++count;
        if (count > 500) { count = 9999; break; }
    }
    steps[i] = count;
}

kernel void nested(global int *out, global const int *in, int limit) {
    size_t i = get_global_id(0);
    int sum = 0;
    for (int j = 0; j < in[i]; ++j) {
        if (j == limit) continue;
        for (int k = j; k < limit; ++k) {
            if ((k ^ in[i]) % 3 == 0) break;
            sum += k * j;
            switch (in[k]) {
            case 0: sum ^= 5; break;
            case 1: sum -= 7;
            case 2: sum += 1; break;
            default: if (sum > 1000) goto done;
            }
        }
    }
done:
    out[i] = sum;
}

kernel void longs(global long *out, global const long *a, global const long *b) {
    size_t i = get_global_id(0);
    long x = a[i], y = b[i];
    out[8 * i] = x + y;
    out[8 * i + 1] = x - y;
    out[8 * i + 2] = x * y;
    out[8 * i + 3] = x << (y & 63);
    out[8 * i + 4] = x >> (y & 63);
    out[8 * i + 5] = (ulong)x >> (y & 63);
    out[8 * i + 6] = (x < y) | ((ulong)x < (ulong)y) << 1 | (x == y) << 2 | (x <= y) << 3;
    out[8 * i + 7] = max(x, y) ^ (long)min((ulong)x, (ulong)y);
}

kernel void ints(global int *out, global const int *a, global const int *b) {
    size_t i = get_global_id(0);
    int x = a[i], y = b[i];
    int d = y ? y : 1;
    if (x == INT_MIN && d == -1) d = 1;
    out[16 * i] = x / d;
    out[16 * i + 1] = x % d;
    out[16 * i + 2] = (uint)x / (uint)d;
    out[16 * i + 3] = (uint)x % (uint)d;
    out[16 * i + 4] = mul_hi(x, y);
    out[16 * i + 5] = mul_hi((uint)x, (uint)y);
    out[16 * i + 6] = x * y;
    out[16 * i + 7] = clz(x) | popcount(y) << 8;
    out[16 * i + 8] = add_sat(x, y);
    out[16 * i + 9] = sub_sat((uint)x, (uint)y);
    out[16 * i + 10] = rotate(x, y);
    out[16 * i + 11] = abs(x) ^ abs_diff(x, y);
    out[16 * i + 12] = hadd(x, y);
    out[16 * i + 13] = (x < y ? x : y) + (x >= 0);
    out[16 * i + 14] = x * 77777 + (y & 0xff00ff);
    out[16 * i + 15] = x >> (y & 31);
}

kernel void bytes(global char *out, global const char *a, global const uchar *b, global short *s) {
    size_t i = get_global_id(0);
    char x = a[i];
    uchar y = b[i];
    out[4 * i] = x / (char)(y | 1);
    out[4 * i + 1] = x >> (y & 7);
    out[4 * i + 2] = add_sat(x, (char)y);
    out[4 * i + 3] = x < (char)y ? x * y : y - x;
    s[i] = (short)(x * y) + (ushort)y / 3 + (s[i] >> 2);
}

kernel void floats(global float *out, global const float *a, global const float *b) {
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    out[8 * i] = x / y;
    out[8 * i + 1] = fma(x, y, 1.5f);
    out[8 * i + 2] = fmax(x, y) - fmin(x, 3.0f);
    out[8 * i + 3] = floor(x) + ceil(y) * trunc(x) - rint(y);
    out[8 * i + 4] = fabs(x) < fabs(y) ? x : -y;
    out[8 * i + 5] = (float)(int)x + (float)convert_uint_sat(y);
    out[8 * i + 6] = (float)convert_char_sat(x) + (float)convert_short_rte(y);
    out[8 * i + 7] = isnan(x) ? 1.0f : isinf(y) ? 2.0f : (x != y) ? 3.0f : 4.0f;
}

kernel void vectors(global float4 *out, global const float4 *a, global const int4 *b) {
    size_t i = get_global_id(0);
    float4 x = a[i];
    int4 y = b[i];
    out[i] = (x.wzyx + convert_float4(y)) * (float4)(1.0f, 2.0f, 3.0f, 4.0f) + x[y.x & 3];
}

kernel void reverse(global int *out, global const int *in, local int *scratch) {
    local int own[64];
    size_t l = get_local_id(0), n = get_local_size(0);
    scratch[l] = in[get_global_id(0)];
    own[l] = scratch[l] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = scratch[n - 1 - l] + own[l ^ 1];
}

kernel void atomics(global int *out, global const int *in) {
    size_t i = get_global_id(0);
    atomic_add(&out[0], in[i]);
    atomic_max(&out[1], in[i]);
    atomic_or(&out[2], in[i]);
    if (in[i] & 1) atomic_inc(&out[3]);
    int old = atomic_cmpxchg(&out[4 + i], (int)i, -1);
    out[4 + i] += old;
}

struct pair { int a; char b; short c; float d; };

kernel void structs(global struct pair *out, struct pair p, global const int *in) {
    size_t i = get_global_id(0);
    struct pair q = p;
    q.a += in[i];
    q.b -= (char)in[i];
    q.c *= 2;
    q.d = (float)q.a;
    out[i] = q;
}
