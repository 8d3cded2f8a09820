// What functions answer at the edges of what they are asked.
#pragma OPENCL EXTENSION cl_khr_subgroup_ballot : enable

#define ASK(d)                                                                                     \
    get_global_id(d), get_global_size(d), get_local_id(d), get_local_size(d),                      \
        get_enqueued_local_size(d), get_num_groups(d), get_group_id(d), get_global_offset(d)

kernel void dimensions(global uint8 *out, uint first) {
    size_t i = get_global_id(0);
    uint d = first + (i & 3);
    if (get_global_id(1) | get_global_id(2))
        return;
    out[4 * i] = (uint8)(ASK(1));
    out[4 * i + 1] = (uint8)(ASK(3));
    out[4 * i + 2] = (uint8)(ASK(first));
    out[4 * i + 3] = (uint8)(ASK(d));
}

kernel void fences(global uint *out, local uint *between, global uint *in) {
    uint own[4];
    size_t i = get_global_id(0);
    for (uint k = 0; k < 4; k++)
        own[k] = in[k];
    uint *any = i % 3 == 0 ? in : i % 3 == 1 ? (uint *)between : (uint *)own;
    out[2 * i] = get_fence(any) | get_fence(in) << 8 | get_fence(between) << 16;
    out[2 * i + 1] = i % 3 == 1 ? 0 : any[i & 3];
}

kernel __attribute__((intel_reqd_sub_group_size(16))) void ballots(global uint *out, uint x) {
    size_t i = get_global_id(0);
    uint4 v = (uint4)(x, 0, 0, 0);
    out[5 * i] = sub_group_ballot_find_msb(v);
    out[5 * i + 1] = sub_group_ballot_find_lsb(v);
    out[5 * i + 2] = sub_group_ballot_bit_count(v);
    out[5 * i + 3] = sub_group_ballot_inclusive_scan(v);
    out[5 * i + 4] = sub_group_ballot_exclusive_scan(v);
}
