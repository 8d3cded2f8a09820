// Work-group collective functions (OpenCL C 6.13.15).

kernel void collectives(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    int x = in[i];
    size_t at = i * 10;
    out[at++] = work_group_reduce_add(x);
    out[at++] = work_group_reduce_min(x);
    out[at++] = work_group_reduce_max(x);
    out[at++] = work_group_scan_inclusive_add(x);
    out[at++] = work_group_scan_exclusive_add(x);
    out[at++] = work_group_scan_inclusive_max(x);
    out[at++] = work_group_scan_exclusive_min(x);
    out[at++] = work_group_broadcast(x, 5);
    out[at++] = work_group_any(x == in[0]);
    out[at++] = work_group_all(x > -1000);
}

kernel void floats(global const float *in, global float *out)
{
    size_t i = get_global_id(0);
    float x = in[i];
    out[i * 3] = work_group_reduce_add(x);
    out[i * 3 + 1] = work_group_scan_inclusive_add(x);
    out[i * 3 + 2] = work_group_reduce_max(x);
}

kernel void async_copy(global const float *in, global float *out, local float *tile)
{
    size_t group = get_group_id(0), size = get_local_size(0);
    event_t e = async_work_group_copy(tile, in + group * size * 2, size * 2, 0);
    wait_group_events(1, &e);
    tile[get_local_id(0)] *= 2.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_copy(out + group * size * 2, tile, size * 2, 0);
    wait_group_events(1, &e);
}
