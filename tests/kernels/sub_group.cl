// Sub-group functions: cl_khr_subgroups, cl_intel_subgroups and its short and char relatives.

#define SIMD16 __attribute__((intel_reqd_sub_group_size(16)))
#define SIMD8 __attribute__((intel_reqd_sub_group_size(8)))
#define SIMD32 __attribute__((intel_reqd_sub_group_size(32)))

#define SHUFFLES(WIDTH, NAME, TYPE)                                                                \
    kernel WIDTH void NAME(global const TYPE *in, global const uint *lanes, global TYPE *out)      \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        uint size = get_max_sub_group_size();                                                      \
        TYPE x = in[i];                                                                            \
        TYPE y = in[i + get_global_size(0)];                                                       \
        uint lane = lanes[i] % size;                                                               \
        uint delta = lanes[0] % size;                                                              \
        size_t at = i * 8;                                                                         \
        out[at++] = intel_sub_group_shuffle(x, lane);                                              \
        out[at++] = intel_sub_group_shuffle_xor(x, 5);                                             \
        out[at++] = intel_sub_group_shuffle_up(x, y, 3);                                           \
        out[at++] = intel_sub_group_shuffle_down(x, y, 3);                                         \
        out[at++] = intel_sub_group_shuffle_up(x, y, delta);                                       \
        out[at++] = intel_sub_group_shuffle_down(x, y, delta);                                     \
        out[at++] = sub_group_broadcast(x, 6);                                                     \
        out[at++] = intel_sub_group_shuffle(x, delta);                                             \
    }

SHUFFLES(SIMD16, shuffle_int, int)
SHUFFLES(SIMD16, shuffle_float, float)
SHUFFLES(SIMD16, shuffle_long, long)
SHUFFLES(SIMD16, shuffle_short, short)
#ifndef NO_SIMD8
SHUFFLES(SIMD8, shuffle_int_8, int)
SHUFFLES(SIMD8, shuffle_long_8, long)
#endif
SHUFFLES(SIMD32, shuffle_int_32, int)

kernel SIMD16 void shuffle_char(global const char *in, global const uint *lanes, global char *out)
{
    size_t i = get_global_id(0);
    char x = in[i];
    char y = in[i + get_global_size(0)];
    size_t at = i * 4;
    out[at++] = intel_sub_group_shuffle(x, lanes[i] % 16);
    out[at++] = intel_sub_group_shuffle_xor(x, 9);
    out[at++] = intel_sub_group_shuffle_up(x, y, 2);
    out[at++] = intel_sub_group_shuffle_down(x, y, 2);
}

kernel SIMD16 void shuffle_vectors(global const int4 *in, global int4 *out)
{
    size_t i = get_global_id(0);
    int4 v = in[i];
    out[i] = intel_sub_group_shuffle_xor(v, 3) + intel_sub_group_shuffle(v, 2);
}

#define COLLECTIVES(WIDTH, NAME, TYPE)                                                             \
    kernel WIDTH void NAME(global const TYPE *in, global TYPE *out)                                \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        TYPE x = in[i];                                                                            \
        size_t at = i * 9;                                                                         \
        out[at++] = sub_group_reduce_add(x);                                                       \
        out[at++] = sub_group_reduce_min(x);                                                       \
        out[at++] = sub_group_reduce_max(x);                                                       \
        out[at++] = sub_group_scan_inclusive_add(x);                                               \
        out[at++] = sub_group_scan_inclusive_min(x);                                               \
        out[at++] = sub_group_scan_inclusive_max(x);                                               \
        out[at++] = sub_group_scan_exclusive_add(x);                                               \
        out[at++] = sub_group_scan_exclusive_min(x);                                               \
        out[at++] = sub_group_scan_exclusive_max(x);                                               \
    }

COLLECTIVES(SIMD16, collect_int, int)
COLLECTIVES(SIMD16, collect_uint, uint)
COLLECTIVES(SIMD16, collect_long, long)
COLLECTIVES(SIMD16, collect_ulong, ulong)
COLLECTIVES(SIMD16, collect_float, float)
#ifndef NO_SIMD8
COLLECTIVES(SIMD8, collect_int_8, int)
COLLECTIVES(SIMD8, collect_float_8, float)
#endif
COLLECTIVES(SIMD32, collect_int_32, int)
COLLECTIVES(SIMD32, collect_float_32, float)

#define NARROW(NAME, TYPE, INFIX)                                                                  \
    kernel SIMD16 void NAME(global const TYPE *in, global TYPE *out)                               \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        TYPE x = in[i];                                                                            \
        size_t at = i * 9;                                                                         \
        out[at++] = intel_sub_group_reduce_add(x);                                                 \
        out[at++] = intel_sub_group_reduce_min(x);                                                 \
        out[at++] = intel_sub_group_reduce_max(x);                                                 \
        out[at++] = intel_sub_group_scan_inclusive_add(x);                                         \
        out[at++] = intel_sub_group_scan_inclusive_min(x);                                         \
        out[at++] = intel_sub_group_scan_inclusive_max(x);                                         \
        out[at++] = intel_sub_group_scan_exclusive_add(x);                                         \
        out[at++] = intel_sub_group_scan_exclusive_min(x);                                         \
        out[at++] = intel_sub_group_scan_exclusive_max(x);                                         \
    }

NARROW(collect_short, short, )
NARROW(collect_ushort, ushort, )
NARROW(collect_char, char, )
NARROW(collect_uchar, uchar, )

kernel SIMD16 void votes(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int x = in[i];
    out[i * 5] = sub_group_any(x > 90) != 0;
    out[i * 5 + 1] = sub_group_all(x > 5) != 0;
    out[i * 5 + 2] = sub_group_any(x == -1) != 0;
    out[i * 5 + 3] = sub_group_all(x >= 0) != 0;
    out[i * 5 + 4] = sub_group_broadcast(x, 15);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
}

// Whatever sub-group size the compiler likes, and a last sub-group that is not full.
kernel void partial(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int x = in[i];
    out[i * 4] = sub_group_reduce_add(x);
    out[i * 4 + 1] = sub_group_scan_inclusive_max(x);
    out[i * 4 + 2] = sub_group_any(x > 90) != 0;
    out[i * 4 + 3] = sub_group_all(x > 5) != 0;
}

// Values go round through local memory from one sub-group to the next.
kernel SIMD16 void between(global const int *in, global int *out, local int *totals)
{
    size_t i = get_global_id(0);
    int sum = sub_group_scan_inclusive_add(in[i]);
    if (get_sub_group_local_id() == get_sub_group_size() - 1)
        totals[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 0; s < get_sub_group_id(); s++)
        sum += totals[s];
    out[i] = sum;
}
