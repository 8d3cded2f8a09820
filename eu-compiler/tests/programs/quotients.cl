// Integers of 64 bits, their division, narrow integers, conversions, halves with signs of others.
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

ulong mulmod(ulong a, ulong b, ulong m)
{
    ulong r = 0;
    a %= m;
    while (b) {
        if (b & 1) {
            r += a;
            if (r >= m || r < a) r -= m;
        }
        a = (a << 1) >= m || (a >> 63) ? (a << 1) - m : a << 1;
        b >>= 1;
    }
    return r;
}

ulong powmod(ulong a, ulong e, ulong m)
{
    ulong r = 1;
    while (e) {
        if (e & 1) r = mulmod(r, a, m);
        a = mulmod(a, a, m);
        e >>= 1;
    }
    return r;
}

kernel void miller(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    ulong n = ((ulong)(in[g] & 0xffff) << 16 | (in[g+1] & 0xffff)) | 1;
    if (n < 5) {
        out[g] = 0;
        return;
    }
    ulong d = n - 1;
    int s = 0;
    while (!(d & 1)) {
        d >>= 1;
        s++;
    }
    uint prime = 1;
    for (uint a = 2; a <= 3 && prime; a++) {
        ulong x = powmod(a, d, n);
        if (x == 1 || x == n - 1) continue;
        int i;
        for (i = 1; i < s; i++) {
            x = mulmod(x, x, n);
            if (x == n - 1) break;
        }
        if (i >= s) prime = 0;
    }
    out[g] = prime + (uint)(d << 1);
}

kernel void div64(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    global ulong *o = (global ulong *)out + 12 * g;
    ulong a = (ulong)in[g] << 32 | in[g+1], b = ((ulong)in[g+2] << 32 | in[g+3]) >> (in[g+4] & 63);
    b = b ? b : 1;
    long sa = a, sb = (long)((ulong)in[g+2] << 32 | in[g+3]) >> (in[g+5] & 63);
    sb = sb == 0 || sb == -1 ? 3 : sb;
    o[0] = a / b;
    o[1] = a % b;
    o[2] = sa / sb;
    o[3] = sa % sb;
    o[4] = (a >> 32) / b;
    o[5] = (uint)a / (uint)(b | 1);
    o[6] = sa / (int)(in[g+5] | 1);
    o[7] = (int)in[g] / (int)(in[g+6] | 2);
    o[8] = (int)in[g] % (int)(in[g+6] >> 20 | 2);
    o[9] = in[g] % (in[g+7] >> 12 | 1);
    o[10] = a / 1000000007ul + a % 0xfffffffffffffffful + sa / -7 + sa % 1000;
    o[11] = (a | 0x8000000000000000ul) / (b | 0x8000000000000000ul) + ~0ul % b;
}

kernel void divedge(global const uint *in, global uint *out)
{
    const ulong e[] = {0, 1, 2, 3, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff, 0x100000000,
        0x100000001, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000001,
        0xfffffffffffffffe, 0xffffffffffffffff, 10};
    uint g = get_global_id(0);
    ulong a = e[g & 15], b = e[g >> 4 & 15];
    if (!b) b = 7;
    long sa = a, sb = b;
    if (sb == -1 && a == 0x8000000000000000) sb = 5;
    global ulong *o = (global ulong *)out + 8 * g;
    o[0] = a / b;
    o[1] = a % b;
    o[2] = sa / sb;
    o[3] = sa % sb;
    uint ua = a, ub = b;
    if (!ub) ub = 9;
    int ia = ua, ib = ub;
    if (ib == -1 && ua == 0x80000000) ib = 6;
    o[4] = ua / ub;
    o[5] = ua % ub;
    o[6] = ia / ib;
    o[7] = ia % ib;
}

kernel void small_div(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    char4 a = as_char4(in[g]), b = as_char4(in[g+1] | 0x02020202 & ~0x80808080);
    uchar4 ua = as_uchar4(in[g]), ub = as_uchar4(in[g+1] | 0x01010101);
    short2 s = as_short2(in[g]), t = as_short2((in[g+1] | 0x00020002) & 0x7fff7fff);
    ushort2 us = as_ushort2(in[g]), ut = as_ushort2(in[g+1] | 0x00010001);
    b = b == (char4)(-1) ? (char4)(3) : b;
    out[8*g] = as_uint(a / b);
    out[8*g+1] = as_uint(a % b);
    out[8*g+2] = as_uint(ua / ub);
    out[8*g+3] = as_uint(ua % ub);
    out[8*g+4] = as_uint(s / t);
    out[8*g+5] = as_uint(s % t);
    out[8*g+6] = as_uint(us / ut);
    out[8*g+7] = as_uint(us % ut);
}

kernel void conv(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint u = in[g];
    long l = (long)((ulong)u << 32 | in[g+1]);
    ulong ul = l;
    float f = as_float((in[g+2] & 0x8fffffff) | 0x40000000);
    if (isnan(f)) f = 1;
    uint h = 0;
#define M(x) h = h * 31 + (uint)(x)
    M(convert_char_sat(l));
    M(convert_uchar_sat(l));
    M(convert_short_sat(ul));
    M(convert_ushort_sat(l));
    M(convert_int_sat(l));
    M(convert_uint_sat(l));
    M(convert_uint_sat(ul));
    M(convert_int_sat(u));
    M(convert_int_sat_rtp(f));
    M(convert_uint_sat_rtn(f));
    M(convert_long_sat_rtz(f));
    M(convert_long_sat_rte(f) >> 32);
    M(convert_ulong_sat(f));
    M(convert_char_sat_rte(f));
    M(convert_uchar_sat_rtp(f));
    M(convert_short_sat_rtn(f));
    out[8*g] = h;
    out[8*g+1] = as_uint(convert_float(l));
    out[8*g+2] = as_uint(convert_float_rtz(ul));
    out[8*g+3] = as_uint(convert_float_rtp(l));
    out[8*g+4] = as_uint(convert_float_rtn(l));
    out[8*g+5] = as_uint(convert_float_rtz(u));
    out[8*g+6] = as_uint(convert_float_rtn((int)u));
    out[8*g+7] = as_uint(convert_float_rtp(u)) + (uint)convert_long(f);
}

kernel void ashifts(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    long l = (long)((ulong)in[g] << 32 | in[g+1]);
    uint s = in[g+2] & 63;
    char c = in[g];
    short t = in[g+1];
    uchar uc = in[g];
    ushort us = in[g+1];
    ulong h = l << s;
    h = h * 31 + (l >> s);
    h = h * 31 + ((ulong)l >> s);
    h = h * 31 + (ulong)(c << (s & 7));
    h = h * 31 + (char)(c >> (s & 7));
    h = h * 31 + (t >> (s & 15));
    h = h * 31 + (ushort)(us << (s & 15));
    h = h * 31 + (uchar)(uc << (s & 7));
    h = h * 31 + rotate(l, (long)s);
    h = h * 31 + rotate(uc, (uchar)s);
    h = h * 31 + (l << 0) + (l >> 32) + (l << 32) + ((ulong)l >> 33) + (l >> 63);
    long2 v = (long2)(l, ~l) >> (long2)(s, 63 - s);
    h ^= v.x + v.y;
    char4 cv = as_char4(in[g]) << as_char4(in[g+1] & 0x07070707);
    h += as_uint(cv);
    short4 sv = as_short4(l) >> as_short4((ulong)in[g+1] * 3 & 0x000f000f000f000ful);
    h += as_ulong(sv);
    out[2*g] = h;
    out[2*g+1] = h >> 32;
}

kernel void int128(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    ulong a = (ulong)in[g] << 32 | in[g+1], b = (ulong)in[g+2] << 32 | in[g+3];
    ulong lo = a * b, hi = mul_hi(a, b);
    ulong c = (ulong)in[g+4] << 32 | in[g+5];
    ulong s = lo + c;
    hi += s < c;
    long sh = mul_hi((long)a, (long)b);
    ulong m = mad_hi(a, b, c);
    ulong q = mad_sat(a, b & 0xff, c);
    global ulong *o = (global ulong *)out + 8 * g;
    o[0] = s;
    o[1] = hi;
    o[2] = sh;
    o[3] = m;
    o[4] = q;
    o[6] = add_sat((long)a, (long)b) ^ sub_sat((long)a, (long)b);
    o[7] = hadd(a, b) ^ rhadd((long)a, (long)b) ^ abs_diff((long)a, (long)b) ^ abs((long)a);
}

void quarter(uint *x, int a, int b, int c, int d)
{
    x[a] += x[b];
    x[d] = rotate(x[d] ^ x[a], 16u);
    x[c] += x[d];
    x[b] = rotate(x[b] ^ x[c], 12u);
    x[a] += x[b];
    x[d] = rotate(x[d] ^ x[a], 8u);
    x[c] += x[d];
    x[b] = rotate(x[b] ^ x[c], 7u);
}

kernel void chacha(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    if (g >= 512) return;
    uint x[16];
    for (int i = 0; i < 16; i++) x[i] = in[g+i];
    for (int i = 0; i < 10; i++) {
        quarter(x, 0, 4, 8, 12);
        quarter(x, 1, 5, 9, 13);
        quarter(x, 2, 6, 10, 14);
        quarter(x, 3, 7, 11, 15);
        quarter(x, 0, 5, 10, 15);
        quarter(x, 1, 6, 11, 12);
        quarter(x, 2, 7, 8, 13);
        quarter(x, 3, 4, 9, 14);
    }
    for (int i = 0; i < 16; i++) out[16*g+i] = x[i] + in[g+i];
}

kernel void keccak(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    ulong s[25];
    for (int i = 0; i < 25; i++) s[i] = (ulong)in[g+i] << 32 | in[g+i+1];
    for (int r = 0; r < 4; r++) {
        ulong c[5];
        for (int x = 0; x < 5; x++) c[x] = s[x]^s[x+5]^s[x+10]^s[x+15]^s[x+20];
        for (int x = 0; x < 5; x++) {
            ulong d = c[(x+4)%5] ^ rotate(c[(x+1)%5], 1ul);
            for (int y = 0; y < 25; y += 5) s[x+y] ^= d;
        }
        ulong t = s[1];
        int j = 1;
        int k = 1;
        for (int i = 0; i < 24; i++) {
            int X = j % 5, Y = j / 5;
            int n = Y + 5 * ((2 * X + 3 * Y) % 5);
            ulong u = s[n];
            k = (i + 1) * (i + 2) / 2;
            s[n] = rotate(t, (ulong)(k & 63));
            t = u;
            j = n;
        }
        for (int y = 0; y < 25; y += 5) {
            for (int x = 0; x < 5; x++) c[x] = s[y+x];
            for (int x = 0; x < 5; x++) s[y+x] = c[x] ^ (~c[(x+1)%5] & c[(x+2)%5]);
        }
        s[0] ^= 0x8000000080008081ul >> r;
    }
    out[2*g] = s[0] ^ s[7] ^ s[24];
    out[2*g+1] = (s[1] ^ s[12] ^ s[18]) >> 32;
}

half with_sign(half x, half y)
{
    return isnan(y) ? fabs(x) : copysign(x, y);
}

kernel void half_signs(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    half x = as_half2(in[g]).x;
    if (isnan(x)) x = 1;
    half s = with_sign(x, convert_half_rte(convert_short_sat(in[g + 1])));
    out[g] = 7;
    if (s <= as_half((ushort)1)) out[g] = as_ushort(s);
}
