// Blocks of local memory. The compiler has no functions for them: build.sh makes the instructions of
// the calls.

#define BLOCK(T, N, S)                                                                             \
    T##N block_read##S(const local T *p);                                                          \
    void block_write##S(local T *p, T##N value);                                                   \
    kernel void local_##T##N(global T *out, global const T *in, local T *between) {                \
        int lanes = get_max_sub_group_size(), first = get_sub_group_id() * lanes * N;              \
        int base = get_group_id(0) * get_local_size(0) * N + first;                                \
        local T *at = between + first;                                                             \
        for (int n = 0; n < N; n++)                                                                \
            at[n * lanes + get_sub_group_local_id()] = in[base + n * lanes + get_sub_group_local_id()]; \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        T##N value = block_read##S(at);                                                            \
        block_write##S(at, value + (T)3);                                                          \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        for (int n = 0; n < N; n++)                                                                \
            out[base + n * lanes + get_sub_group_local_id()] = at[n * lanes + get_sub_group_local_id()]; \
    }

#define uchar1 uchar
#define ushort1 ushort
#define uint1 uint
#define ulong1 ulong
BLOCK(uchar, 1, _uc)
BLOCK(uchar, 2, _uc2)
BLOCK(uchar, 4, _uc4)
BLOCK(uchar, 8, _uc8)
BLOCK(uchar, 16, _uc16)
BLOCK(ushort, 1, _us)
BLOCK(ushort, 2, _us2)
BLOCK(ushort, 4, _us4)
BLOCK(ushort, 8, _us8)
BLOCK(ushort, 16, _us16)
BLOCK(uint, 1, _ui)
BLOCK(uint, 2, _ui2)
BLOCK(uint, 4, _ui4)
BLOCK(uint, 8, _ui8)
BLOCK(ulong, 1, _ul)
BLOCK(ulong, 2, _ul2)
BLOCK(ulong, 4, _ul4)
BLOCK(ulong, 8, _ul8)
