// Vectors by vloadn and vstoren, and copies of a work-group. The last argument says whether all is right.

kernel void load_local(global const int *in, global int *out, int at)
{
    local int own[64], next[64];
    int i = get_local_id(0);
    own[i] = in[i];
    own[i + 32] = next[i] = next[i + 32] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int4 v = vload4(at, own);
    out[i] = v.x + v.w + next[i];
}

kernel void load_of_three(global const int *in, global int *out, int at)
{
    local int own[48], next[48];
    int i = get_local_id(0);
    own[i] = next[i] = in[i];
    if (i < 16) own[i + 32] = next[i + 32] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    int3 v = vload3(at, own);
    out[i] = v.x + v.z + next[i];
}

kernel void store_local(global const int *in, global int *out, int at)
{
    local int own[64], next[64];
    int i = get_local_id(0);
    own[i] = own[i + 32] = next[i] = next[i + 32] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i == 0) vstore4((int4)(1, 2, 3, 4), at, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = own[i] + next[i];
}

// Vectors that overlap.
kernel void stores_race(global const int *in, global int *out, int step)
{
    local int own[128];
    int i = get_local_id(0);
    vstore4((int4)(i, i, i, i), 0, own + i * step);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = own[i * step];
}

kernel void load_private(global const int *in, global int *out, int at)
{
    int own[16];
    int i = get_local_id(0);
    for (int k = 0; k < 16; k++) own[k] = k + in[i];
    int4 v = vload4(at, own);
    out[i] = v.x + v.w;
}

kernel void store_private(global const int *in, global int *out, int at)
{
    int own[16];
    int i = get_local_id(0);
    for (int k = 0; k < 16; k++) own[k] = k + in[i];
    vstore4((int4)(i), at, own);
    out[i] = own[in[0]] + own[in[1]];
}

kernel void load_constant(global const int *in, global int *out, int at)
{
    constant int table[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int4 v = vload4(at, table);
    out[get_local_id(0)] = v.x + v.w;
}

kernel void load_global(global const int *in, global int *out, int at)
{
    int i = get_local_id(0);
    int4 v = vload4(i + at, in);
    out[i] = v.x + v.w;
}

kernel void load_half(global const half *in, global float *out, int at)
{
    int i = get_local_id(0);
    out[i] = vload_half(i * 16 + at, in);
}

kernel void copy_in(global const int *in, global int *out, int count)
{
    local int own[64], next[64];
    int i = get_local_id(0);
    own[i] = own[i + 32] = next[i] = next[i + 32] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(own, in, count, 0);
    wait_group_events(1, &e);
    out[i] = own[i ^ 1] + next[i];
}

kernel void copy_without_wait(global const int *in, global int *out, int wait)
{
    local int own[64];
    int i = get_local_id(0);
    event_t e = async_work_group_copy(own, in, 64, 0);
    if (wait) wait_group_events(1, &e);
    out[i] = own[i ^ 5];
    wait_group_events(1, &e);
}

kernel void copy_out(global const int *in, global int *out, int count)
{
    local int own[64];
    int i = get_local_id(0);
    own[i] = own[i + 32] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t e = async_work_group_copy(out, own, count, 0);
    wait_group_events(1, &e);
}

kernel void copy_strides(global const int *in, global int *out, int step)
{
    local int own[64];
    int i = get_local_id(0);
    event_t e = async_work_group_strided_copy(own, in, 64, step, 0);
    wait_group_events(1, &e);
    out[i] = own[i];
}
