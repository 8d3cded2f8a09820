#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_char : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_long : enable

#define SUB_GROUPS(NAME, T, P) \
kernel void group_##NAME(global T *out, global const T *in) { \
    size_t i = get_global_id(0); \
    T x = in[i]; \
    out[10 * i] = P##sub_group_reduce_add(x); \
    out[10 * i + 1] = P##sub_group_reduce_min(x); \
    out[10 * i + 2] = P##sub_group_reduce_max(x); \
    out[10 * i + 3] = P##sub_group_scan_inclusive_add(x); \
    out[10 * i + 4] = P##sub_group_scan_exclusive_add(x); \
    out[10 * i + 5] = P##sub_group_scan_inclusive_min(x); \
    out[10 * i + 6] = P##sub_group_scan_exclusive_max(x); \
    out[10 * i + 7] = P##sub_group_broadcast(x, 2); \
    out[10 * i + 8] = intel_sub_group_shuffle(x, get_sub_group_local_id() ^ 3); \
    out[10 * i + 9] = intel_sub_group_shuffle_xor(x, 1); \
}

SUB_GROUPS(i32, int, )
SUB_GROUPS(u32, uint, )
SUB_GROUPS(i64, long, )
SUB_GROUPS(u64, ulong, )
SUB_GROUPS(f32, float, )
SUB_GROUPS(f16, half, )
SUB_GROUPS(i16, short, intel_)
SUB_GROUPS(u16, ushort, intel_)
SUB_GROUPS(i8, char, intel_)
SUB_GROUPS(u8, uchar, intel_)

#define BLOCK(NAME, T, S, N) \
kernel void block_##NAME(global T *out, global T *in) { \
    size_t base = get_group_id(0) * get_max_sub_group_size() * N; \
    intel_sub_group_block_write##S(out + base, intel_sub_group_block_read##S(in + base)); \
}

BLOCK(u8_1, uchar, _uc, 1)
BLOCK(u8_2, uchar, _uc2, 2)
BLOCK(u8_4, uchar, _uc4, 4)
BLOCK(u8_8, uchar, _uc8, 8)
BLOCK(u8_16, uchar, _uc16, 16)
BLOCK(u16_1, ushort, _us, 1)
BLOCK(u16_2, ushort, _us2, 2)
BLOCK(u16_4, ushort, _us4, 4)
BLOCK(u16_8, ushort, _us8, 8)
BLOCK(u32_1, uint, , 1)
BLOCK(u32_2, uint, 2, 2)
BLOCK(u32_4, uint, 4, 4)
BLOCK(u32_8, uint, 8, 8)
BLOCK(u64_1, ulong, _ul, 1)
BLOCK(u64_2, ulong, _ul2, 2)
BLOCK(u64_4, ulong, _ul4, 4)
BLOCK(u64_8, ulong, _ul8, 8)
