// Integer arithmetic and the integer built-in functions (OpenCL C 6.13.3), every type.
//
// Each kernel writes a fixed number of results a work-item; the order is that of the source.

#define BASICS(TYPE, UTYPE, BITS)                                                                  \
    kernel void basics_##TYPE(global const TYPE *a, global const TYPE *b, global TYPE *out)        \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        TYPE x = a[i], y = b[i];                                                                   \
        TYPE s = y & (TYPE)(BITS - 1);                                                             \
        size_t at = i * 14;                                                                        \
        out[at++] = x + y;                                                                         \
        out[at++] = x - y;                                                                         \
        out[at++] = x * y;                                                                         \
        out[at++] = y != 0 ? x / y : (TYPE)0;                                                      \
        out[at++] = y != 0 ? x % y : (TYPE)0;                                                      \
        out[at++] = x << s;                                                                        \
        out[at++] = x >> s;                                                                        \
        out[at++] = x & y;                                                                         \
        out[at++] = x | y;                                                                         \
        out[at++] = x ^ y;                                                                         \
        out[at++] = ~x;                                                                            \
        out[at++] = -x;                                                                            \
        out[at++] = (TYPE)((x < y) + 2 * (x <= y) + 4 * (x == y) + 8 * (x != y));                  \
        out[at++] = x && !y ? x : y;                                                               \
    }

#define BUILT_INS(TYPE, UTYPE)                                                                     \
    kernel void built_ins_##TYPE(global const TYPE *a, global const TYPE *b, global const TYPE *c, \
                                 global TYPE *out)                                                 \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        TYPE x = a[i], y = b[i], z = c[i];                                                         \
        size_t at = i * 19;                                                                        \
        out[at++] = (TYPE)abs(x);                                                                  \
        out[at++] = (TYPE)abs_diff(x, y);                                                          \
        out[at++] = add_sat(x, y);                                                                 \
        out[at++] = sub_sat(x, y);                                                                 \
        out[at++] = hadd(x, y);                                                                    \
        out[at++] = rhadd(x, y);                                                                   \
        out[at++] = clamp(x, min(y, z), max(y, z));                                                \
        out[at++] = clz(x);                                                                        \
        out[at++] = ctz(x);                                                                        \
        out[at++] = mad_hi(x, y, z);                                                               \
        out[at++] = mad_sat(x, y, z);                                                              \
        out[at++] = max(x, y);                                                                     \
        out[at++] = min(x, y);                                                                     \
        out[at++] = mul_hi(x, y);                                                                  \
        out[at++] = rotate(x, y);                                                                  \
        out[at++] = popcount(x);                                                                   \
        out[at++] = bitselect(x, y, z);                                                            \
        out[at++] = select(x, y, (UTYPE)z);                                                        \
        out[at++] = x * y + z;                                                                     \
    }

#define BOTH(TYPE, UTYPE, BITS)                                                                    \
    BASICS(TYPE, UTYPE, BITS)                                                                      \
    BUILT_INS(TYPE, UTYPE)

BOTH(char, uchar, 8)
BOTH(uchar, uchar, 8)
BOTH(short, ushort, 16)
BOTH(ushort, ushort, 16)
BOTH(int, uint, 32)
BOTH(uint, uint, 32)
BOTH(long, ulong, 64)
BOTH(ulong, ulong, 64)

// What exists for some types only.
kernel void narrow(global const int *a, global const int *b, global long *out)
{
    size_t i = get_global_id(0);
    int x = a[i], y = b[i];
    size_t at = i * 9;
    int x24 = x << 8 >> 8, y24 = y << 8 >> 8;
    out[at++] = mul24(x24, y24);
    out[at++] = mad24(x24, y24, x);
    out[at++] = mul24((uint)x & 0xffffff, (uint)y & 0xffffff);
    out[at++] = upsample((char)x, (uchar)y);
    out[at++] = upsample((short)x, (ushort)y);
    out[at++] = upsample(x, (uint)y);
    out[at++] = upsample((uchar)x, (uchar)y);
    out[at++] = (long)x * y;
    out[at++] = (ulong)(uint)x * (uint)y;
}

// Sums of products of bytes, which the compiler may turn into dot product instructions.
kernel void dot_bytes(global const char4 *a, global const char4 *b, global const uchar4 *c,
                      global int *out)
{
    size_t i = get_global_id(0);
    char4 x = a[i], y = b[i];
    uchar4 z = c[i];
    out[2 * i] = x.x * y.x + x.y * y.y + x.z * y.z + x.w * y.w;
    out[2 * i + 1] = x.x * z.x + x.y * z.y + x.z * z.z + x.w * z.w;
}

// Division by constants becomes multiplications.
kernel void constant_division(global const int *a, global int *out)
{
    size_t i = get_global_id(0);
    int x = a[i];
    uint u = (uint)x;
    size_t at = i * 8;
    out[at++] = x / 3;
    out[at++] = x % 7;
    out[at++] = x / 10;
    out[at++] = x / -1000;
    out[at++] = (int)(u / 3);
    out[at++] = (int)(u % 10);
    out[at++] = x / 16;
    out[at++] = x % 16;
}
