// Vectors: widths, swizzles, loads and stores, relational functions.

kernel void swizzles(global const uchar16 *in, global uchar16 *out, global short8 *shorts)
{
    size_t i = get_global_id(0);
    uchar16 v = in[i];
    uchar16 w = v.s0246813579bdface;
    w.lo.hi = v.s3210;
    w.sf = v.s5 + 1;
    out[i] = w;
    shorts[i] = convert_short8(v.even) - convert_short8(v.odd);
}

kernel void three(global const float *in, global float *out, global const char *bytes,
                  global long *longs)
{
    size_t i = get_global_id(0);
    float3 v = vload3(i, in);
    vstore3(v.zxy * 2.0f, i, out);
    char3 c = vload3(i, bytes);
    vstore3(convert_long3(c) << 33, i, longs);
}

kernel void loads(global const ushort *in, global ushort *out)
{
    size_t i = get_global_id(0);
    global ushort *to = out + i * 31;
    vstore2(vload2(i, in) + (ushort)1, 0, to);
    vstore3(vload3(i, in) + (ushort)2, 0, to + 2);
    vstore4(vload4(i, in + 1) + (ushort)3, 0, to + 5);
    vstore8(vload8(i, in + 3) + (ushort)4, 0, to + 9);
    vstore8(vload16(i, in + 5).odd, 0, to + 17);
    vstore4(vload16(i, in + 5).s048c, 0, to + 25);
    vstore2(vload2(i, in + 7).yx, 0, to + 29);
}

kernel void relations(global const int4 *a, global const int4 *b, global int4 *out,
                      global int *scalars)
{
    size_t i = get_global_id(0);
    int4 x = a[i], y = b[i];
    out[i * 4] = x < y;
    out[i * 4 + 1] = select(x, y, x > y);
    out[i * 4 + 2] = (x == y) | (x != y) & x;
    out[i * 4 + 3] = x < y ? x : -y;
    scalars[i] = any(x < y) + 2 * all(x < y) + 4 * any(x == 0);
}

kernel void shuffles(global const uint8 *in, global uint8 *out, global const uint8 *mask,
                     global uint4 *both)
{
    size_t i = get_global_id(0);
    out[i] = shuffle(in[i], mask[i]);
    both[i] = shuffle2(in[i].lo, in[i].hi, mask[i].lo);
}

kernel void longs(global const long4 *in, global long4 *out, global ulong2 *sums)
{
    size_t i = get_global_id(0);
    long4 v = in[i];
    out[i] = v.wzyx * 3 - (v >> 2);
    sums[i] = as_ulong2(v.lo + v.hi);
}

struct Record {
    char tag;
    short weights[3];
    int2 position;
    float values[5];
};

kernel void records(global const struct Record *in, global struct Record *out)
{
    size_t i = get_global_id(0);
    struct Record r = in[i];
    r.tag += 1;
    r.weights[2] = r.weights[0] - r.weights[1];
    r.position = r.position.yx;
    for (int k = 0; k < 5; k++)
        r.values[k] *= (float)(k + 1);
    out[i] = r;
}
