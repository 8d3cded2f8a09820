// Kernels that break a rule which hardware leaves undefined, where their arguments say so.

// `skew` bytes between the sub-group's block and an aligned one, on the side that reads or writes.
kernel __attribute__((intel_reqd_sub_group_size(16)))
void blocks(global const uchar *in, global uchar *out, int read_skew, int write_skew)
{
    size_t at = get_group_id(0) * get_local_size(0) * 4 + get_sub_group_id() * 64;
    uint value = intel_sub_group_block_read((global const uint *)(in + at + read_skew));
    intel_sub_group_block_write((global uint *)(out + at + write_skew), value);
}

// Work-items below `limit` reach the block read and the barrier.
kernel __attribute__((intel_reqd_sub_group_size(16)))
void divergent(global const uint *in, global uint *out, int limit)
{
    local uint shared[16];
    uint value = 0;
    if ((int)get_local_id(0) < limit) {
        value = intel_sub_group_block_read(in);
        shared[get_local_id(0)] = value;
        barrier(CLK_LOCAL_MEM_FENCE);
        value += shared[0];
    }
    out[get_global_id(0)] = value;
}

kernel __attribute__((intel_reqd_sub_group_size(16)))
void image_block(write_only image2d_t out, int x)
{
    intel_sub_group_block_write(out, (int2)(x, 0), (uint)get_local_id(0));
}

// Element `ahead` of each work-item's.
kernel void bounds(global const int *in, global int *out, int ahead)
{
    size_t i = get_global_id(0);
    out[i] = in[i + ahead];
}
