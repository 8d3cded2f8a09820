// Each item reads the number after its own; the last one reads what lies behind the array.
kernel void beyond(global const int *in, global int *out)
{
    local int tile[128], other[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    other[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l + 1] + other[l];
}
