// Blocks of images of 64-bit elements.

#define BLOCK(T, S, N)                                                                             \
    kernel void block_##T##N(read_only image2d_t in, write_only image2d_t out, int x, int y) {     \
        int2 place = (int2)(x + get_sub_group_id() * get_max_sub_group_size() * sizeof(T), y);     \
        T##N value = intel_sub_group_block_read##S(in, place);                                     \
        intel_sub_group_block_write##S(out, place, value + (T)(get_sub_group_local_id() + 1));     \
    }
#define ulong1 ulong
BLOCK(ulong, _ul, 1)
BLOCK(ulong, _ul2, 2)
BLOCK(ulong, _ul4, 4)
BLOCK(ulong, _ul8, 8)
