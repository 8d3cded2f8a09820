// Vectors of three in buffers and in local memory, beside what has four components or members that need a value.

typedef struct {
    int a, b, c, d;
} four;

typedef struct {
    int x;
    float3 v;
    int y;
} with_three;

kernel void fourth_member(global const int *in, global four *out)
{
    uint g = get_global_id(0);
    four all;
    all.a = in[g];
    all.b = 1;
    all.c = 2;
    if (in[g] > 1000)
        all.d = 3;
    if (g < 64)
        out[g] = all;
}

kernel void fourth_of_private(global const int *in, global int4 *out)
{
    uint g = get_global_id(0);
    int4 all[2];
    all[0].xyz = (int3)(in[g]);
    all[1] = (int4)(in[g]);
    if (g < 64)
        out[g] = all[g & 1];
}

kernel void fourth_of_local(global const int *in, global int4 *out)
{
    local int4 tile[128];
    uint g = get_global_id(0), l = get_local_id(0);
    tile[l].xyz = (int3)(in[g]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < 64)
        out[g] = tile[l ^ 1];
}

kernel void fourth_of_bytes(global const int *in, global char4 *out)
{
    local char4 tile[128];
    uint g = get_global_id(0), l = get_local_id(0);
    tile[l].xyz = (char3)(in[g]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = tile[l ^ 1];
}

kernel void third_of_three(global const int *in, global int3 *out)
{
    local int3 tile[128];
    uint g = get_global_id(0), l = get_local_id(0);
    tile[l].x = in[g];
    tile[l].y = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < 64)
        out[g] = tile[l ^ 1];
}

kernel void member_behind_three(global const int *in, global with_three *out)
{
    uint g = get_global_id(0);
    with_three one;
    one.x = g;
    one.v = (float3)(in[g]);
    if (in[g] > 1000)
        one.y = 1;
    if (g < 16)
        out[g] = one;
}

kernel void right_threes(global const int *in, global float3 *out)
{
    local float3 tile[128];
    uint g = get_global_id(0), l = get_local_id(0);
    tile[l] = (float3)(in[g]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < 64)
        out[g] = tile[l ^ 1];
}

kernel void right_small_threes(global const int *in, global short3 *out)
{
    uint g = get_global_id(0);
    short3 v = (short3)(in[g], 1, 2);
    if (g & 1)
        v.y = 7;
    if (g < 64)
        out[g] = v;
    else if (g < 128)
        ((global char3 *)out)[g + 64] = convert_char3(v);
}

kernel void right_of_private(global const int *in, global float *out)
{
    uint g = get_global_id(0);
    float3 own[4];
    for (int i = 0; i < 4; i++)
        own[i] = (float3)(in[g] + i);
    if (g < 64)
        ((global float3 *)out)[g] = own[g & 3];
}

kernel void right_structure(global const int *in, global with_three *out)
{
    uint g = get_global_id(0);
    with_three one;
    one.x = g;
    one.v = (float3)(in[g]);
    one.y = 1;
    if (g < 16)
        out[g] = one;
}

kernel void right_local_structure(global const int *in, global with_three *out)
{
    local with_three tile[128];
    uint g = get_global_id(0), l = get_local_id(0);
    tile[l].x = g;
    tile[l].v = (float3)(in[g]);
    tile[l].y = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < 16)
        out[g] = tile[l ^ 1];
}
