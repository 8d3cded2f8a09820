// What OpenCL says about where a work-item is.

kernel __attribute__((reqd_work_group_size(16, 2, 2))) void required(global uint *out)
{
    uint g = get_global_linear_id();
    out[g] = get_local_id(0) + get_local_id(1) * 100 + get_local_id(2) * 10000 +
             get_group_id(0) * 1000000 + get_group_id(1) * 10000000 + get_group_id(2) * 100000000;
}

// 22 values a work-item.
kernel void everything(global uint *out)
{
    size_t at = get_global_linear_id() * 22;
    for (uint d = 0; d < 3; d++) {
        out[at++] = get_global_id(d);
        out[at++] = get_local_id(d);
        out[at++] = get_group_id(d);
        out[at++] = get_global_size(d);
        out[at++] = get_local_size(d);
        out[at++] = get_enqueued_local_size(d);
    }
    out[at++] = get_num_groups(0) + get_num_groups(1) * 1000 + get_num_groups(2) * 1000000;
    out[at++] = get_global_offset(0) + get_global_offset(1) * 1000 + get_global_offset(2) * 1000000;
    out[at++] = get_work_dim();
    out[at++] = get_local_linear_id();
}

kernel __attribute__((work_group_size_hint(32, 1, 1), vec_type_hint(float4)))
void hinted(global int *out)
{
    out[get_global_id(0)] = 1;
}

// 8 values a work-item, in the order of the global linear id.
kernel void sub_groups(global uint *out)
{
    size_t at = get_global_linear_id() * 8;
    out[at++] = get_sub_group_size();
    out[at++] = get_max_sub_group_size();
    out[at++] = get_num_sub_groups();
    out[at++] = get_enqueued_num_sub_groups();
    out[at++] = get_sub_group_id();
    out[at++] = get_sub_group_local_id();
    out[at++] = get_local_linear_id();
    out[at++] = 0xabcd;
}

#ifndef NO_SIMD8
kernel __attribute__((intel_reqd_sub_group_size(8))) void sub_groups_8(global uint *out)
{
    size_t at = get_global_linear_id() * 8;
    out[at++] = get_sub_group_size();
    out[at++] = get_max_sub_group_size();
    out[at++] = get_num_sub_groups();
    out[at++] = get_enqueued_num_sub_groups();
    out[at++] = get_sub_group_id();
    out[at++] = get_sub_group_local_id();
    out[at++] = get_local_linear_id();
    out[at++] = 0xabcd;
}
#endif
