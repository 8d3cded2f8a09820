// Explicit conversions between all types (OpenCL C 6.2.3).

#define TO(FROM, TYPE, SUFFIX) out_##TYPE[i] = convert_##TYPE##SUFFIX(in[i]);

#define FROM_INT(FROM)                                                                             \
    kernel void from_##FROM(global const FROM *in, global char *out_char, global uchar *out_uchar, \
                            global short *out_short, global ushort *out_ushort,                    \
                            global int *out_int, global uint *out_uint, global long *out_long,     \
                            global ulong *out_ulong, global float *out_float)                      \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        TO(FROM, char, _sat)                                                                       \
        TO(FROM, uchar, _sat)                                                                      \
        TO(FROM, short, _sat)                                                                      \
        TO(FROM, ushort, _sat)                                                                     \
        TO(FROM, int, _sat)                                                                        \
        TO(FROM, uint, _sat)                                                                       \
        TO(FROM, long, _sat)                                                                       \
        TO(FROM, ulong, _sat)                                                                      \
        TO(FROM, float, _rte)                                                                      \
    }

FROM_INT(char)
FROM_INT(uchar)
FROM_INT(short)
FROM_INT(ushort)
FROM_INT(int)
FROM_INT(uint)
FROM_INT(long)
FROM_INT(ulong)

#define FROM_FLOAT(MODE)                                                                           \
    kernel void from_float##MODE(global const float *in, global char *out_char,                    \
                                 global uchar *out_uchar, global short *out_short,                 \
                                 global ushort *out_ushort, global int *out_int,                   \
                                 global uint *out_uint, global long *out_long,                     \
                                 global ulong *out_ulong)                                          \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        TO(float, char, _sat##MODE)                                                                \
        TO(float, uchar, _sat##MODE)                                                               \
        TO(float, short, _sat##MODE)                                                               \
        TO(float, ushort, _sat##MODE)                                                              \
        TO(float, int, _sat##MODE)                                                                 \
        TO(float, uint, _sat##MODE)                                                                \
        TO(float, long, _sat##MODE)                                                                \
        TO(float, ulong, _sat##MODE)                                                               \
    }

FROM_FLOAT(_rte)
FROM_FLOAT(_rtz)
FROM_FLOAT(_rtp)
FROM_FLOAT(_rtn)

kernel void wrap(global const long *in, global char *c, global ushort *us, global int *i32)
{
    size_t i = get_global_id(0);
    c[i] = (char)in[i];
    us[i] = (ushort)in[i];
    i32[i] = (int)in[i];
}

kernel void reinterpret(global const float4 *in, global uint4 *words, global ushort8 *shorts,
                        global uchar16 *bytes)
{
    size_t i = get_global_id(0);
    words[i] = as_uint4(in[i]);
    shorts[i] = as_ushort8(in[i].wzyx);
    bytes[i] = as_uchar16(in[i]).sfedcba9876543210;
}

kernel void to_float_modes(global const int *in, global float *out)
{
    size_t i = get_global_id(0);
    out[i * 4] = convert_float_rte(in[i]);
    out[i * 4 + 1] = convert_float_rtz(in[i]);
    out[i * 4 + 2] = convert_float_rtp(in[i]);
    out[i * 4 + 3] = convert_float_rtn(in[i]);
}
