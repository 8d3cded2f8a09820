// Faults that Oclgrind reports. Each has work-groups of more than one sub-group.

kernel void missing_barrier(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    out[get_global_id(0)] = tile[127 - l];
}

kernel void late_barrier(global const int *in, global int *out)
{
    local int sums[128];
    uint l = get_local_id(0);
    sums[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 64; s > 0; s >>= 1) {
        if (l < s)
            sums[l] += sums[l + s];
        if (s <= 8)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = sums[0];
}

kernel void same_place(global const int *in, global int *out)
{
    out[0] = in[get_global_id(0)] + get_global_id(0);
}

kernel void between_groups(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = in[g];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[g] += out[(g + 128) % get_global_size(0)];
}

kernel void neighbours(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = in[g];
    if (g > 0)
        out[g - 1] = in[g] * 2;
}

kernel void beyond(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g + 1] = in[g];
}

kernel void before(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = in[(int)g - 4];
}

kernel void beyond_local(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l + in[0] * 300] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l];
}

kernel void unwritten(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    if (l != 5)
        tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[127 - l];
}

kernel void right(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[127 - l];
}

kernel void unwritten_private(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    int a[80];
    for (int i = 0; i < 70; i++)
        a[(i * 3) % 79] = in[i];
    out[g] = a[in[g] % 80] + 1;
}

kernel void unwritten_local(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    if (l != 77)
        tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[127 - l];
}

kernel void plain_and_atomic(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    if (g == 37)
        out[0] = 7;
    else
        atomic_add(out, in[g]);
}

kernel void shift_in_place(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = out[(g + 1) % 256] + in[g];
}

kernel void one_barrier_in_a_loop(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0), g = get_global_id(0);
    int sum = 0;
    for (uint i = 0; i < 4; i++) {
        tile[l] = in[(g + i) % 256];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[(l + 64) % 128];
    }
    out[g] = sum;
}

kernel void no_barrier_in_the_end(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    for (uint s = 64; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            tile[l] += tile[l + s];
    }
    if (l == 127)
        out[get_group_id(0)] = tile[0];
}

kernel void same_byte(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    ((global uchar *)out)[g % 64] = (uchar)in[g];
}

kernel void histogram(global const int *in, global int *out)
{
    out[in[get_global_id(0)] % 8] += 1;
}

kernel void wrong_fence(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = out[g ^ 64];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[g] = other;
}
