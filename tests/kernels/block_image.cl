// Sub-group block reads and writes of images.
// not for: pvc pvc-newer

#define SIMD16 __attribute__((intel_reqd_sub_group_size(16)))
#define SIMD8 __attribute__((intel_reqd_sub_group_size(8)))

// Copies a column of blocks: ROWS rows of as many elements as the sub-group has lanes.
#define COPY(WIDTH, NAME, SUFFIX, ROWS, BYTES)                                                     \
    kernel WIDTH void NAME(read_only image2d_t in, write_only image2d_t out)                       \
    {                                                                                              \
        int2 p = (int2)(get_group_id(0) * get_max_sub_group_size() * BYTES,                        \
                        get_group_id(1) * ROWS);                                                   \
        intel_sub_group_block_write##SUFFIX(out, p, intel_sub_group_block_read##SUFFIX(in, p));    \
    }

COPY(SIMD16, ui1, , 1, 4)
COPY(SIMD16, ui2, 2, 2, 4)
COPY(SIMD16, ui4, 4, 4, 4)
COPY(SIMD16, ui8, 8, 8, 4)
#ifndef NO_SIMD8
COPY(SIMD8, ui1_8, , 1, 4)
COPY(SIMD8, ui8_8, 8, 8, 4)
COPY(SIMD8, ul8, _ul8, 8, 8)
#endif
COPY(SIMD16, us1, _us, 1, 2)
COPY(SIMD16, us2, _us2, 2, 2)
COPY(SIMD16, us4, _us4, 4, 2)
COPY(SIMD16, us8, _us8, 8, 2)
COPY(SIMD16, uc1, _uc, 1, 1)
COPY(SIMD16, uc2, _uc2, 2, 1)
COPY(SIMD16, uc4, _uc4, 4, 1)
COPY(SIMD16, uc8, _uc8, 8, 1)
COPY(SIMD16, uc16, _uc16, 16, 1)
COPY(SIMD16, ul1, _ul, 1, 8)
COPY(SIMD16, ul2, _ul2, 2, 8)
COPY(SIMD16, ul4, _ul4, 4, 8)

// Reads begin at any byte that is a multiple of four, and may leave the image on every side.
kernel SIMD16 void read_at(read_only image2d_t in, int2 at, global uint4 *out)
{
    out[get_global_id(0)] = intel_sub_group_block_read4(in, at);
}

// Each lane's element of each row, one added.
kernel SIMD16 void add_lane(read_only image2d_t in, write_only image2d_t out)
{
    int2 p = (int2)(get_group_id(0) * 64, get_group_id(1) * 2);
    uint2 v = intel_sub_group_block_read2(in, p);
    intel_sub_group_block_write2(out, p, v + get_sub_group_local_id());
}
