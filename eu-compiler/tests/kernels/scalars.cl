// Scalars where vectors have other rules, halves whose sums are rounded once.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void chosen(global int *out, global const int *in) {
    size_t i = get_global_id(0);
    out[2 * i] = select(10, 20, in[i]);
    int2 both = select((int2)(10), (int2)(20), (int2)(in[i]));
    out[2 * i + 1] = both.x;
}

kernel void sums(global half *out, global const half *in) {
    size_t i = get_global_id(0);
    half a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    out[i] = fma(a, b, c);
}

// Floats at the ends of qwords, and back, upwards.
kernel void ends(global ulong *out, global const float *in) {
    size_t i = get_global_id(0);
    ulong whole = convert_ulong_sat(in[i]);
    out[3 * i] = whole;
    out[3 * i + 1] = as_ulong(convert_long_sat(in[i]));
    out[3 * i + 2] = as_uint(convert_float_rtp(whole));
}

// The squares of halves may be too small or too large for halves.
kernel void lengths(global half *out, global const half *in)
{
    size_t i = get_global_id(0);
    half4 a = vload4(2 * i, in), b = vload4(2 * i + 1, in);
    out[8 * i] = length(a);
    out[8 * i + 1] = distance(a, b);
    out[8 * i + 2] = length(a.x);
    out[8 * i + 3] = length(b.xy);
    vstore4(normalize(a), 2 * i + 1, out);
}

// Floats of qwords and of their low halves, which lie as far apart as the qwords do.
kernel void nearby(global float *out, global const ulong *in)
{
    size_t i = get_global_id(0);
    ulong own = in[i];
    ulong block = intel_sub_group_block_read_ul(in + i - get_sub_group_local_id());
    out[3 * i] = (float)(uint)own;
    out[3 * i + 1] = convert_float_rtn(own);
    out[3 * i + 2] = convert_float_rtn(block);
}

// One channel reads and writes three qwords for all.
kernel void triples(global ulong *out, global const ulong *in, global ulong *copy)
{
    size_t i = get_global_id(0);
    ulong3 all = vload3(0, in);
    vstore3(all + i, i, out);
    vstore3(all, 0, copy);
}

// Saturation and rounding in a loop, which Intel's translator writes down for another id.
kernel void carried(global ulong *out, global const ulong *in)
{
    size_t i = get_global_id(0);
    ulong of = in[i];
    int low = 0;
    float down = 0;
    ulong all = 0;
    uint rounds = (uint)(of & 3) + 2;
    for (uint n = 0; n < rounds; n++) {
        all = all * 31 + (ulong)as_uint(low) + (ulong)as_uint(down);
        low = convert_int_sat(as_long(of));
        down = convert_float_rtn(of);
        of = of * 0x9e3779b97f4a7c15ul >> (n * 9);
    }
    out[i] = all;
}

// Sums of three numbers, of which one, two and all are halves of qwords.
kernel void halves_of_qwords(global uint *out, global const ulong *in, global const uint *w)
{
    size_t i = get_global_id(0);
    ulong4 p = vload4(i, in);
    out[3 * i] = w[i] + w[i + 1] + (uint)p.x;
    out[3 * i + 1] = w[i] + (uint)p.y + (uint)(p.x >> 32);
    out[3 * i + 2] = (uint)p.w + (uint)(p.y >> 32) + (uint)(p.z >> 32);
}

// Elements so far apart that a private array has no second one of them.
kernel void far_apart(global uint *out, global const uint *in)
{
    uint array[8];
    for (int i = 0; i < 8; i++)
        array[i] = in[i];
    uint zero = in[8 + get_global_id(0)];
    out[2 * get_global_id(0)] = array[zero * 0x1000000];
    out[2 * get_global_id(0) + 1] = array[(zero << 25) + 5];
}
