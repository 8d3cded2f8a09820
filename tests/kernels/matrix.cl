// not for: bdw skl icl tgl tgl-newer mtl-newer skl-spirv tgl-spirv pvc-spirv
// options for dg2: -DFUSED_EUS
// Products of small matrices, which a sub-group computes together
// (cl_intel_subgroup_matrix_multiply_accumulate).

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

// A row of the first matrix has 32 bytes, spread over the sub-group.
#ifdef NO_SIMD8
#define WIDTH 16
typedef short part;
typedef short2 part2;
typedef short4 part4;
typedef short8 part8;
typedef ushort upart;
typedef ushort2 upart2;
typedef ushort4 upart4;
#else
#define WIDTH 8
typedef int part;
typedef int2 part2;
typedef int4 part4;
typedef int8 part8;
typedef uint upart;
typedef uint2 upart2;
typedef uint4 upart4;
#endif

#define MULTIPLY(name, function, A, B, C)                                                          \
    C __attribute__((overloadable)) function(A a, B b, C sum);                                     \
    __attribute__((intel_reqd_sub_group_size(WIDTH))) kernel void name(                            \
        global const A *a, global const B *b, global const C *sum, global C *out)                  \
    {                                                                                              \
        uint i = get_global_id(0);                                                                 \
        out[i] = function(a[i], b[i], sum[i]);                                                     \
    }

MULTIPLY(i8_i8, intel_sub_group_i8_i8_matrix_mad_k32, part8, int8, int8)
MULTIPLY(u8_i8, intel_sub_group_u8_i8_matrix_mad_k32, upart4, int8, int4)
MULTIPLY(i8_u8, intel_sub_group_i8_u8_matrix_mad_k32, part2, uint8, int2)
MULTIPLY(u8_u8, intel_sub_group_u8_u8_matrix_mad_k32, upart, uint8, int)
MULTIPLY(i4_i4, intel_sub_group_i4_i4_matrix_mad_k64, part8, int8, int8)
MULTIPLY(i4_u4, intel_sub_group_i4_u4_matrix_mad_k64, part4, uint8, int4)
MULTIPLY(u4_i4, intel_sub_group_u4_i4_matrix_mad_k64, upart2, int8, int2)
MULTIPLY(u4_u4, intel_sub_group_u4_u4_matrix_mad_k64, upart, uint8, int)
MULTIPLY(bf16, intel_sub_group_bf16_bf16_matrix_mad_k16, part8, int8, float8)
MULTIPLY(bf16_row, intel_sub_group_bf16_bf16_matrix_mad_k16, part, int8, float)
MULTIPLY(f16, intel_sub_group_f16_f16_matrix_mad_k16, part8, int8, float8)
MULTIPLY(f16_rows, intel_sub_group_f16_f16_matrix_mad_k16, part4, int8, float4)

#ifdef NO_SIMD8
MULTIPLY(bf16_to_bf16, intel_sub_group_bf16_bf16_matrix_mad_k16, short8, int8, short8)
MULTIPLY(f16_to_f16, intel_sub_group_f16_f16_matrix_mad_k16, short8, int8, half8)
#ifndef NO_TF32
MULTIPLY(tf32, intel_sub_group_tf32_tf32_matrix_mad_k8, float4, float8, float8)
MULTIPLY(tf32_rows, intel_sub_group_tf32_tf32_matrix_mad_k8, float2, float8, float4)
#endif
#endif

// Two sub-groups bring one half of the first matrix each
// (cl_intel_subgroup_split_matrix_multiply_accumulate).
#ifdef FUSED_EUS
MULTIPLY(split_i8_i8, intel_sub_group_i8_i8_split_matrix_mad_k32, int4, int8, int8)
MULTIPLY(split_u8_i8, intel_sub_group_u8_i8_split_matrix_mad_k32, uint2, int8, int4)
MULTIPLY(split_i8_u8, intel_sub_group_i8_u8_split_matrix_mad_k32, int, uint8, int2)
MULTIPLY(split_bf16, intel_sub_group_bf16_bf16_split_matrix_mad_k16, int4, int8, float8)
MULTIPLY(split_f16, intel_sub_group_f16_f16_split_matrix_mad_k16, int2, int8, float4)

// One after the other: the halves of one are not those of the next.
__attribute__((intel_reqd_sub_group_size(WIDTH))) kernel void split_twice(
    global const int4 *a, global const int8 *b, global const int8 *sum, global int8 *out)
{
    uint i = get_global_id(0);
    int8 first = intel_sub_group_i8_i8_split_matrix_mad_k32(a[i], b[i], sum[i]);
    int4 next = first.lo ^ first.hi;
    out[i] = intel_sub_group_i8_i8_split_matrix_mad_k32(next, b[i], first);
}
#endif
