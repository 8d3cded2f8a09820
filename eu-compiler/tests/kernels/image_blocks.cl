// Blocks of images, written with the lane's number and one added.

#define BLOCK(T, S, N)                                                                             \
    kernel void block_##T##N(read_only image2d_t in, write_only image2d_t out, int x, int y) {     \
        int2 place = (int2)(x + get_sub_group_id() * get_max_sub_group_size() * sizeof(T), y);     \
        T##N value = intel_sub_group_block_read##S(in, place);                                     \
        intel_sub_group_block_write##S(out, place, value + (T)(get_sub_group_local_id() + 1));     \
    }
#define uchar1 uchar
#define ushort1 ushort
#define uint1 uint
BLOCK(uchar, _uc, 1)
BLOCK(uchar, _uc2, 2)
BLOCK(uchar, _uc4, 4)
BLOCK(uchar, _uc8, 8)
BLOCK(uchar, _uc16, 16)
BLOCK(ushort, _us, 1)
BLOCK(ushort, _us2, 2)
BLOCK(ushort, _us4, 4)
BLOCK(ushort, _us8, 8)
BLOCK(uint, _ui, 1)
BLOCK(uint, _ui2, 2)
BLOCK(uint, _ui4, 4)
BLOCK(uint, _ui8, 8)
