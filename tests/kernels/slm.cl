// Shared local memory: static and dynamic, all element sizes, barriers.

kernel void reduce(global const int *in, global int *out, local int *dynamic, local float *weights)
{
    local int fixed[256];
    uint l = get_local_id(0);
    fixed[l] = in[get_global_id(0)];
    dynamic[l] = fixed[l] * 3;
    weights[l] = (float)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = get_local_size(0) / 2; s > 0; s >>= 1) {
        if (l < s) {
            fixed[l] += fixed[l + s];
            dynamic[l] += dynamic[l + s];
        }
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = fixed[0] + dynamic[0] + (int)weights[1];
}

kernel __attribute__((reqd_work_group_size(8, 8, 1)))
void mirror_sizes(global uchar *out, global const uchar *in)
{
    local uchar bytes[64];
    local ushort shorts[64];
    local ulong longs[64];
    uint l = get_local_linear_id();
    bytes[l] = in[l];
    longs[l] = in[l + 64];
    shorts[l] = in[l + 128];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[l] = bytes[63 - l] + (uchar)longs[63 - l] + (uchar)shorts[63 - l];
}

// A 16 x 16 transpose through a padded tile.
kernel __attribute__((reqd_work_group_size(16, 16, 1)))
void transpose(global const float *in, global float *out, int width, int height)
{
    local float tile[16][17];
    int x = get_group_id(0) * 16 + get_local_id(0);
    int y = get_group_id(1) * 16 + get_local_id(1);
    tile[get_local_id(1)][get_local_id(0)] = in[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    int tx = get_group_id(1) * 16 + get_local_id(0);
    int ty = get_group_id(0) * 16 + get_local_id(1);
    out[ty * height + tx] = tile[get_local_id(0)][get_local_id(1)];
}

kernel void vectors(global float4 *data, local float4 *tile)
{
    uint l = get_local_id(0);
    tile[l] = data[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    data[get_global_id(0)] = tile[get_local_size(0) - 1 - l].wzyx;
}
