// Fields of bits, and dot products of bytes. Each function takes a number and leaves its results side by side.

#define FIELDS(T, U, BITS)                                                                              \
    kernel void fields_##U(global const U *in, global U *out)                                          \
    {                                                                                                  \
        size_t i = get_global_id(0);                                                                   \
        U a = in[2 * i], b = in[2 * i + 1];                                                            \
        uint offset = (uint)a % (BITS + 1), count = (uint)b % (BITS + 1 - offset);                     \
        out[4 * i] = bitfield_insert(a, b, offset, count);                                             \
        out[4 * i + 1] = (U)bitfield_extract_signed(a, offset, count);                                 \
        out[4 * i + 2] = (U)bitfield_extract_unsigned(b, offset, count);                               \
        out[4 * i + 3] = bit_reverse(a);                                                               \
    }
FIELDS(char, uchar, 8)
FIELDS(short, ushort, 16)
FIELDS(int, uint, 32)
FIELDS(long, ulong, 64)

kernel void fixed_fields(global const uint *in, global uint *out)
{
    size_t i = get_global_id(0);
    uint2 a = vload2(i, in);
    vstore2(bitfield_insert(a, a.yx, 5, 11), 2 * i, out);
    out[4 * i + 2] = (uint)bitfield_extract_signed(a.x, 31, 1) + bitfield_extract_unsigned(a.y, 0, 32);
    out[4 * i + 3] = bitfield_extract_unsigned(a.x, 32, 0) + bitfield_insert(a.x, a.y, 32, 0);
}

// build.sh makes instructions of calls of these.
uint udot(uchar4 a, uchar4 b);
uint sdot(char4 a, char4 b);
uint sudot(char4 a, uchar4 b);
uint udot_packed(uint a, uint b);
uint sdot_packed(uint a, uint b);
uint sudot_packed(uint a, uint b);
uint udot_sat(uchar4 a, uchar4 b, uint c);
uint sdot_sat_packed(uint a, uint b, uint c);
uint sudot_sat(char4 a, uchar4 b, uint c);
long sdot_wide(int4 a, int4 b);

kernel void dots(global const uint *in, global uint *out)
{
    size_t i = get_global_id(0);
    uint a = in[3 * i], b = in[3 * i + 1], c = in[3 * i + 2];
    char4 sa = as_char4(a), sb = as_char4(b);
    uchar4 ua = as_uchar4(a), ub = as_uchar4(b);
    global uint *to = out + 24 * i;
    to[0] = udot(ua, ub);
    to[1] = sdot(sa, sb);
    to[2] = sudot(sa, ub);
    to[3] = udot_packed(a, b);
    to[4] = sdot_packed(a, b);
    to[5] = sudot_packed(a, b);
    to[6] = udot_sat(ua, ub, c);
    to[7] = sdot_sat_packed(a, b, c);
    to[8] = sudot_sat(sa, ub, c);
    to[9] = dot_acc_sat(ua, ub, c);
    to[10] = (uint)dot_acc_sat(sa, sb, (int)c);
    to[11] = (uint)dot_acc_sat(ua, sb, (int)c);
    to[12] = (uint)dot_acc_sat(sa, ub, (int)c);
    to[13] = dot_4x8packed_uu_uint(a, b);
    to[14] = (uint)dot_4x8packed_ss_int(a, b);
    to[15] = (uint)dot_4x8packed_us_int(a, b);
    to[16] = (uint)dot_4x8packed_su_int(a, b);
    to[17] = dot_acc_sat_4x8packed_uu_uint(a, b, c);
    to[18] = (uint)dot_acc_sat_4x8packed_ss_int(a, b, (int)c);
    to[19] = (uint)dot_acc_sat_4x8packed_us_int(a, b, (int)c);
    to[20] = (uint)dot_acc_sat_4x8packed_su_int(a, b, (int)c);
    long wide = sdot_wide((int4)((int)a, (int)b, (int)c, 1), (int4)((int)b, (int)c, (int)a, -5));
    to[21] = (uint)wide;
    to[22] = (uint)(wide >> 32);
}
