/* Groups that are one sub-group: Intel's compiler needs no barrier, and has none. */
__attribute__((reqd_work_group_size(8, 1, 1)))
kernel void small(global const int *in, global int *out)
{
    local int tile[8];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l ^ 1];
}

/* The first work-item's zero comes after other work-items' sums, for all that OpenCL says. */
kernel void begun_late(global const int *in, global int *out)
{
    local int sum;
    if (get_local_id(0) == 0)
        sum = 0;
    atomic_add(&sum, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum;
}

/* All work-items read one vector by one message. */
kernel void vectors_overwritten(global const int *in, global int *out)
{
    local int4 tile[8];
    uint l = get_local_id(0), g = get_global_id(0);
    int4 sum = 0;
    for (int round = 0; round < 2; round++) {
        tile[l] = in[(g + round) % 256];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < 8; i++)
            sum += tile[i] * (i + (int)l);
    }
    out[g] = sum.x + sum.w;
}
