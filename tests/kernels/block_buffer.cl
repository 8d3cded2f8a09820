// Sub-group block reads and writes of buffers: every type and vector width.

#define BLOCK(TYPE, NAME, SUFFIX, WIDTH, LANES)                                                    \
    kernel __attribute__((intel_reqd_sub_group_size(LANES)))                                       \
    void NAME(global const TYPE *in, global TYPE *out, uint in_offset)                             \
    {                                                                                              \
        size_t at = get_group_id(0) * get_local_size(0) * WIDTH +                                  \
                    get_sub_group_id() * get_max_sub_group_size() * WIDTH;                         \
        intel_sub_group_block_write##SUFFIX(                                                       \
            out + at, intel_sub_group_block_read##SUFFIX(in + at + in_offset));                    \
    }

BLOCK(uchar, uc1, _uc, 1, 16)
BLOCK(uchar, uc2, _uc2, 2, 16)
BLOCK(uchar, uc4, _uc4, 4, 16)
BLOCK(uchar, uc8, _uc8, 8, 16)
BLOCK(uchar, uc16, _uc16, 16, 16)
BLOCK(ushort, us1, _us, 1, 16)
BLOCK(ushort, us2, _us2, 2, 16)
BLOCK(ushort, us4, _us4, 4, 16)
BLOCK(ushort, us8, _us8, 8, 16)
BLOCK(uint, ui1, , 1, 16)
BLOCK(uint, ui2, 2, 2, 16)
BLOCK(uint, ui4, 4, 4, 16)
BLOCK(uint, ui8, 8, 8, 16)
BLOCK(ulong, ul1, _ul, 1, 16)
BLOCK(ulong, ul2, _ul2, 2, 16)
BLOCK(ulong, ul4, _ul4, 4, 16)
BLOCK(ulong, ul8, _ul8, 8, 16)
#ifndef NO_SIMD8
BLOCK(uchar, uc2_8, _uc2, 2, 8)
BLOCK(uchar, uc16_8, _uc16, 16, 8)
BLOCK(ushort, us1_8, _us, 1, 8)
BLOCK(ushort, us8_8, _us8, 8, 8)
BLOCK(uint, ui1_8, , 1, 8)
BLOCK(uint, ui8_8, 8, 8, 8)
BLOCK(ulong, ul1_8, _ul, 1, 8)
BLOCK(ulong, ul8_8, _ul8, 8, 8)
#endif

// Vector component c of lane l is element c * size + l of the block: reversing the components
// shows it.
kernel __attribute__((intel_reqd_sub_group_size(16)))
void component_order(global const uint *in, global uint *out)
{
    size_t at = get_group_id(0) * 16 * 4;
    uint4 v = intel_sub_group_block_read4(in + at);
    intel_sub_group_block_write4(out + at, v.wzyx + get_sub_group_local_id());
}
