/* Functions of cl_intel_subgroups, cl_intel_subgroups_char, _short and _long. clang does not declare
   them unless its whole header is included, which takes 7 times as long, and that of clang 14 lacks
   those of bytes and of 64 bits. Functions of the core are among them: they are there with these
   extensions alone, and one that is declared hides all of its name that clang has built in. */
#define FUNCTION __attribute__((overloadable))

/* clang's base header defines them for every platform. */
#ifndef __IMAGE_SUPPORT__
#undef __opencl_c_images
#undef __opencl_c_3d_image_writes
#undef __opencl_c_read_write_images
#endif

#ifdef cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#endif
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

/* Broadcast, reductions and scans. */
#define SCANS(T, op)                                                                       \
    T FUNCTION sub_group_reduce_##op(T x);                                                 \
    T FUNCTION sub_group_scan_exclusive_##op(T x);                                         \
    T FUNCTION sub_group_scan_inclusive_##op(T x);
#define VALUES(T)                                                                          \
    T FUNCTION sub_group_broadcast(T x, uint sub_group_local_id);                          \
    SCANS(T, add)                                                                          \
    SCANS(T, min)                                                                          \
    SCANS(T, max)

uint FUNCTION get_sub_group_size(void);
uint FUNCTION get_max_sub_group_size(void);
uint FUNCTION get_num_sub_groups(void);
uint FUNCTION get_sub_group_id(void);
uint FUNCTION get_sub_group_local_id(void);
void FUNCTION sub_group_barrier(cl_mem_fence_flags flags);
int FUNCTION sub_group_all(int predicate);
int FUNCTION sub_group_any(int predicate);
#if __OPENCL_C_VERSION__ >= 200
uint FUNCTION get_enqueued_num_sub_groups(void);
void FUNCTION sub_group_barrier(cl_mem_fence_flags flags, memory_scope scope);
#endif

/* llvm-spirv knows the functions of narrow types by the names of the others. */
#define intel_sub_group_broadcast sub_group_broadcast
#define intel_sub_group_reduce_add sub_group_reduce_add
#define intel_sub_group_reduce_min sub_group_reduce_min
#define intel_sub_group_reduce_max sub_group_reduce_max
#define intel_sub_group_scan_exclusive_add sub_group_scan_exclusive_add
#define intel_sub_group_scan_exclusive_min sub_group_scan_exclusive_min
#define intel_sub_group_scan_exclusive_max sub_group_scan_exclusive_max
#define intel_sub_group_scan_inclusive_add sub_group_scan_inclusive_add
#define intel_sub_group_scan_inclusive_min sub_group_scan_inclusive_min
#define intel_sub_group_scan_inclusive_max sub_group_scan_inclusive_max
VALUES(char)
VALUES(uchar)
VALUES(short)
VALUES(ushort)
VALUES(int)
VALUES(uint)
VALUES(long)
VALUES(ulong)
VALUES(float)
#ifdef cl_khr_fp16
VALUES(half)
#endif
#ifdef cl_khr_fp64
VALUES(double)
#endif
#ifdef cl_khr_subgroup_extended_types
#define BROADCASTS(T)                                                                              \
    T##2 FUNCTION sub_group_broadcast(T##2 x, uint sub_group_local_id);                            \
    T##3 FUNCTION sub_group_broadcast(T##3 x, uint sub_group_local_id);                            \
    T##4 FUNCTION sub_group_broadcast(T##4 x, uint sub_group_local_id);                            \
    T##8 FUNCTION sub_group_broadcast(T##8 x, uint sub_group_local_id);                            \
    T##16 FUNCTION sub_group_broadcast(T##16 x, uint sub_group_local_id);
BROADCASTS(char)
BROADCASTS(uchar)
BROADCASTS(short)
BROADCASTS(ushort)
BROADCASTS(int)
BROADCASTS(uint)
BROADCASTS(long)
BROADCASTS(ulong)
BROADCASTS(float)
#ifdef cl_khr_fp16
BROADCASTS(half)
#endif
#ifdef cl_khr_fp64
BROADCASTS(double)
#endif
#endif

#define SHUFFLES(T)                                                                                \
    T FUNCTION intel_sub_group_shuffle(T data, uint sub_group_local_id);                           \
    T FUNCTION intel_sub_group_shuffle_down(T current, T next, uint delta);                        \
    T FUNCTION intel_sub_group_shuffle_up(T previous, T current, uint delta);                      \
    T FUNCTION intel_sub_group_shuffle_xor(T data, uint value);
#define VECTOR_SHUFFLES(T)                                                                         \
    SHUFFLES(T)                                                                                    \
    SHUFFLES(T##2)                                                                                 \
    SHUFFLES(T##3)                                                                                 \
    SHUFFLES(T##4)                                                                                 \
    SHUFFLES(T##8)                                                                                 \
    SHUFFLES(T##16)
VECTOR_SHUFFLES(char)
VECTOR_SHUFFLES(uchar)
VECTOR_SHUFFLES(short)
VECTOR_SHUFFLES(ushort)
VECTOR_SHUFFLES(int)
VECTOR_SHUFFLES(uint)
VECTOR_SHUFFLES(float)
SHUFFLES(long)
SHUFFLES(ulong)
#ifdef cl_khr_fp16
SHUFFLES(half)
#endif
#ifdef cl_khr_fp64
SHUFFLES(double)
#endif

#if __OPENCL_C_VERSION__ >= 200
#define READ_WRITE_IMAGE_BLOCKS(T, count, suffix)                                                  \
    T##count FUNCTION intel_sub_group_block_read##suffix##count(read_write image2d_t image, int2 at); \
    void FUNCTION intel_sub_group_block_write##suffix##count(read_write image2d_t image, int2 at,  \
                                                             T##count data);
#else
#define READ_WRITE_IMAGE_BLOCKS(T, count, suffix)
#endif
#ifdef __IMAGE_SUPPORT__
#define IMAGE_BLOCKS(T, count, suffix)                                                             \
    T##count FUNCTION intel_sub_group_block_read##suffix##count(read_only image2d_t image, int2 at); \
    void FUNCTION intel_sub_group_block_write##suffix##count(write_only image2d_t image, int2 at,  \
                                                             T##count data);                       \
    READ_WRITE_IMAGE_BLOCKS(T, count, suffix)
#else
#define IMAGE_BLOCKS(T, count, suffix)
#endif
#define BLOCKS(T, count, suffix)                                                                   \
    T##count FUNCTION intel_sub_group_block_read##suffix##count(const global T *p);                \
    void FUNCTION intel_sub_group_block_write##suffix##count(global T *p, T##count data);          \
    IMAGE_BLOCKS(T, count, suffix)
#define ALL_BLOCKS(T, suffix)                                                                      \
    BLOCKS(T, , suffix)                                                                            \
    BLOCKS(T, 2, suffix)                                                                           \
    BLOCKS(T, 4, suffix)                                                                           \
    BLOCKS(T, 8, suffix)
ALL_BLOCKS(uint, )
ALL_BLOCKS(uint, _ui)
ALL_BLOCKS(ulong, _ul)
ALL_BLOCKS(ushort, _us)
BLOCKS(ushort, 16, _us)
ALL_BLOCKS(uchar, _uc)
BLOCKS(uchar, 16, _uc)

#pragma OPENCL EXTENSION all : disable
#undef FUNCTION
#undef SCANS
#undef VALUES
#undef BROADCASTS
#undef SHUFFLES
#undef VECTOR_SHUFFLES
#undef READ_WRITE_IMAGE_BLOCKS
#undef IMAGE_BLOCKS
#undef BLOCKS
#undef ALL_BLOCKS
