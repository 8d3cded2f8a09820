// What `bench softgpu` runs here and under PoCL, beside `kernels.cl`.

#if defined(cl_khr_subgroups) || defined(cl_intel_subgroups)

// The sum of each group's items, by sub-groups of whatever size.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void sub_groups(global const int *in, global int *out)
{
    local int sums[256];
    int sum = sub_group_reduce_add(in[get_global_id(0)]);
    if (get_sub_group_local_id() == 0)
        sums[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        int all = 0;
        for (uint i = 0; i < get_num_sub_groups(); i++)
            all += sums[i];
        out[get_group_id(0)] = all;
    }
}

#endif

constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

// A copy of the pixels.
kernel void image_copy(read_only image2d_t from, write_only image2d_t to)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, at, read_imageui(from, nearest, at));
}
