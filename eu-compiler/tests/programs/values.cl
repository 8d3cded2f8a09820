// Integer built-ins, conversions, vectors, narrow and wide arithmetic.

kernel void narrow(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    char4 a = as_char4(in[g]), b = as_char4(in[g + 1]);
    short2 c = as_short2(in[g]), d = as_short2(in[g + 1]);
    char4 q = a / (char4)((b.x | 1), (b.y | 1), (b.z | 1), (b.w | 1));
    short2 r = c % (short2)(d.x | 1, d.y | 1);
    ushort us = (ushort)(c.x * d.y) >> 3;
    uchar uc = (uchar)(a.x + b.y) << 2;
    char sr = a.w >> 3;
    out[8 * g] = as_uint(q);
    out[8 * g + 1] = as_uint(r);
    out[8 * g + 2] = us;
    out[8 * g + 3] = uc;
    out[8 * g + 4] = sr;
    out[8 * g + 5] = as_uint(max(a, b)) ^ as_uint(add_sat(a, b));
    out[8 * g + 6] = as_uint(sub_sat(c, d)) + as_uint(abs_diff(c, d));
    out[8 * g + 7] = as_uint(rhadd(a, b)) ^ as_uint(hadd(c, d));
}

kernel void wide(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    long a = (long)((ulong)in[g] << 32 | in[g + 1]), b = (long)((ulong)in[g + 2] << 24 ^ in[g + 3]);
    ulong ua = a, ub = b | 1;
    global ulong *to = (global ulong *)out + 8 * g;
    to[0] = a / (b | 1);
    to[1] = ua / ub ^ ua % ub;
    to[2] = a % (int)(in[g] | 1);
    to[3] = mul_hi(a, b) + mul_hi(ua, ub);
    to[4] = (a >> (b & 63)) ^ (ua >> (b & 63)) ^ (a << (b & 63));
    to[5] = clz(a) + popcount(ua) * 100 + rotate(ua, ub & 63);
    to[6] = add_sat(a, b) ^ sub_sat(ua, ub) ^ max(a, b) ^ min(ua, ub) ^ abs_diff(a, b);
    to[7] = a < b ? (ulong)(a == b) : ua > ub ? mad_hi(ua, ub, ua) : hadd(a, b);
}

kernel void sizes(global const uint *in, global uint *out)
{
    size_t g = get_global_id(0), w = (in[g] & 31) + 1;
    ulong big = (ulong)in[g + 1] << (in[g] & 32 ? 20 : 0);
    long far = (long)(int)in[g + 2] * ((in[g] & 64) ? 1000003 : 1);
    out[4 * g] = g / w * 3 + g % w;
    out[4 * g + 1] = (uint)(big / w) ^ (uint)(big % w);
    out[4 * g + 2] = (uint)(far / (long)w) ^ (uint)(far % -(long)w);
    out[4 * g + 3] = (uint)((global const ulong *)in + w - (global const ulong *)in);
}

kernel void bits(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint a = in[g], b = in[g + 1], c = in[g + 2];
    out[8 * g] = rotate(a, b) ^ rotate((ushort)a, (ushort)b) ^ rotate((uchar)a, (uchar)b);
    out[8 * g + 1] = popcount(a) + clz(b) * 64 + clz((ushort)c) * 4096 + clz((uchar)c) * 65536;
    out[8 * g + 2] = mad24((int)a >> 8, (int)b >> 8, (int)c) + mul24(a & 0xffffff, b & 0xffffff);
    out[8 * g + 3] = bitselect(a, b, c) ^ select(a, b, c & 0x80000000) ^ (a ? b : c);
    out[8 * g + 4] = mad_hi(a, b, c) + mul_hi((int)a, (int)b) + mad_sat((int)a, (int)b, (int)c);
    out[8 * g + 5] = upsample((ushort)a, (ushort)b) ^ upsample((uchar)a, (uchar)b);
    out[8 * g + 6] = abs((int)a) + abs_diff((int)a, (int)b) + (uint)clamp((int)a, -1000, 1000);
    out[8 * g + 7] = ctz(a) + ctz((uchar)(b | 128)) * 64 + (a >> (b & 31)) + ((int)a >> (c & 31));
}

kernel void saturating(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    int a = in[g];
    float f = (float)a * 0.0001f, h = (float)(a >> 20) * 0.25f;
    out[16 * g] = convert_uchar_sat(a) | convert_char_sat(a >> 16) << 8;
    out[16 * g + 1] = convert_ushort_sat(a) ^ convert_short_sat(a);
    out[16 * g + 2] = convert_uchar_sat_rte(h) | convert_uchar_sat_rtz(h) << 8 |
                      convert_uchar_sat_rtp(h) << 16 | convert_uchar_sat_rtn(h) << 24;
    out[16 * g + 3] = convert_int_rte(h) + 3 * convert_int_rtp(h) + 5 * convert_int_rtn(h) + 7 * (int)h;
    out[16 * g + 4] = convert_short_sat_rtn(f);
    out[16 * g + 5] = convert_uint_sat(f * 100000.0f);
    out[16 * g + 6] = convert_int_sat(f * 1e6f);
    out[16 * g + 7] = as_uint(convert_float_rtz(a)) ^ as_uint(convert_float_rtp(a)) * 3 ^ as_uint(convert_float_rtn(a)) * 5;
    out[16 * g + 8] = convert_uint_sat((long)a * 3);
    out[16 * g + 9] = convert_int_sat((long)a * 3) ^ convert_short_sat((ulong)(uint)a);
    ulong l = convert_ulong_sat(f * 1e12f);
    out[16 * g + 10] = (uint)(l >> 32);
    long s = convert_long_sat_rte(h);
    out[16 * g + 11] = (uint)s + (uint)(s >> 32);
    out[16 * g + 12] = as_uint((float)((ulong)in[g] << 32 | in[g + 1]));
    out[16 * g + 13] = as_uint((float)((long)a << 20));
    out[16 * g + 14] = as_uint(convert_uchar4_sat((int4)(a, a >> 8, a >> 16, a >> 24)));
    out[16 * g + 15] = as_uint(convert_ushort2_sat((float2)(h, f)));
}

kernel void shuffles(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint8 v = vload8(g, in);
    uint8 m = vload8(g + 1, in);
    uint8 s = shuffle(v, m);
    uint4 t = shuffle2(v.lo, v.hi, m.lo);
    ushort8 n = convert_ushort8(v);
    uchar16 c = as_uchar16(v.lo).s0f1e2d3c4b5a6978;
    vstore8(s, 2 * g, out);
    vstore4(t + v.odd, 4 * g + 2, out);
    vstore4(as_uint4(c) ^ convert_uint4(n.even), 4 * g + 3, out);
}

kernel void vectors(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    int3 a = as_int3(vload3(g, in)), b = as_int3(vload3(g + 7, in));
    int3 less = a < b;
    int3 pick = select(a, b, less) + (a == b) - (less ? a : b);
    int16 w = as_int16(vload16(g & 127, in));
    w = w * 3 + (w >> 4).sfedcba9876543210;
    w.s37b = a;
    w.lo.odd += pick.xyzx;
    bool some = any(w < 0), every = all(w.hi != 0);
    vstore3(as_uint3(pick), 5 * g, out);
    out[15 * g + 3] = some + every * 2;
    vstore8(as_uint8(w.lo ^ w.hi), 0, out + 15 * g + 4);
}

kernel void packed_bytes(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    global const uchar *p = (global const uchar *)in + g;
    uchar3 a = vload3(g, p);
    uchar8 b = vload8(1, p + 3);
    ushort4 w = vload4(g, (global const ushort *)(in + 1) + 1);
    global uchar *q = (global uchar *)out + 48 * g;
    vstore3(a.zyx, 0, q);
    vstore8(b + (uchar8)1, 0, q + 3);
    vstore16((uchar16)(b, b.s76543210), 0, q + 11);
    vstore2(convert_uchar2_sat(w.xy), 0, q + 27);
    vstore4(w, 0, (global ushort *)(q + 30));
    q[47] = a.x * b.s0;
}

kernel void compare_all(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    int a = in[g], b = in[g + 1];
    float x = as_float(in[g]), y = as_float(in[g + 1]);
    uint r = 0;
    r |= (a < b) << 0 | (a <= b) << 1 | (a > b) << 2 | (a >= b) << 3 | (a == b) << 4 | (a != b) << 5;
    r |= ((uint)a < (uint)b) << 6 | ((uint)a <= (uint)b) << 7;
    r |= (x < y) << 8 | (x <= y) << 9 | (x > y) << 10 | (x >= y) << 11 | (x == y) << 12 | (x != y) << 13;
    r |= isnan(x) << 14 | isinf(y) << 15 | isfinite(x) << 16 | signbit(y) << 17;
    r |= isunordered(x, y) << 18 | isordered(x, y) << 19 | islessgreater(x, y) << 20 | isnormal(x) << 21;
    r |= !(x < y) << 22 | !(x >= y) << 23 | ((char)a < (char)b) << 24 | ((ushort)a > (ushort)b) << 25;
    out[g] = r;
}

kernel void const_division(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint u = in[g];
    int s = (int)in[g];
    uint sum = u / 3 + u / 5 * 7 + u / 7 * 11 + u / 10 * 13 + u / 641 + u / 1000000007u + u / 0x80000001u;
    sum += u % 3 + u % 5 * 3 + u % 7 * 5 + u % 10 + u % 255 + u % 1000 + u % 0xfffffffeu + u % 12;
    int t = s / 3 + s / -5 + s / 7 + s / 10 + s / 1000 + s / -2147483647 + s / 8 + s / -16;
    t += s % 3 + s % -5 + s % 7 * 3 + s % 10 + s % 8 + s % 1000000007 + s % -64 + s / 2 + s % 2;
    out[2 * g] = sum;
    out[2 * g + 1] = t;
    ushort h = (ushort)u;
    short k = (short)s;
    out[512 + 2 * g] = h / 7 + h % 10 + k / 7 + k % -10 + (uchar)u / 3 + (char)s % 7;
    out[512 + 2 * g + 1] = (uint)((ulong)u * 5 / 3) + (uint)((long)s * 7 % 1000);
}
