#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable

kernel __attribute__((intel_reqd_sub_group_size(16)))
void sub_groups(global int *out, global const int *in) {
    size_t i = get_global_id(0);
    int x = in[i];
    out[16 * i] = get_sub_group_size() | get_max_sub_group_size() << 8;
    out[16 * i + 1] = get_sub_group_local_id() | get_sub_group_id() << 8 | get_num_sub_groups() << 16;
    out[16 * i + 2] = sub_group_reduce_add(x);
    out[16 * i + 3] = sub_group_reduce_min(x) ^ sub_group_reduce_max((uint)x);
    out[16 * i + 4] = sub_group_scan_inclusive_add(x);
    out[16 * i + 5] = sub_group_scan_exclusive_add(x);
    out[16 * i + 6] = sub_group_scan_inclusive_max(x);
    out[16 * i + 7] = sub_group_broadcast(x, 3);
    out[16 * i + 8] = sub_group_any(x > 100) | sub_group_all(x > -100) << 1;
    out[16 * i + 9] = intel_sub_group_shuffle(x, (get_sub_group_local_id() * 7 + 3) & 15);
    out[16 * i + 10] = intel_sub_group_shuffle_xor(x, 5);
    out[16 * i + 11] = intel_sub_group_shuffle_down(x, x * 2, 3);
    out[16 * i + 12] = intel_sub_group_shuffle_up(x, x * 2, 3);
    int y = 0;
    if (x & 1) y = sub_group_reduce_add(x);
    out[16 * i + 13] = y;
    out[16 * i + 14] = (int)sub_group_reduce_max((float)x);
    out[16 * i + 15] = (int)(sub_group_scan_inclusive_add((long)x << 20) >> 20);
}

kernel __attribute__((intel_reqd_sub_group_size(16)))
void blocks(global uint *out, global uint *in, global ushort *in2, global ushort *out2) {
    size_t base = get_group_id(0) * 128;
    uint4 x = intel_sub_group_block_read4(in + base);
    intel_sub_group_block_write4(out + base, x * 3);
    ushort2 y = intel_sub_group_block_read_us2(in2 + base);
    intel_sub_group_block_write_us2(out2 + base, y + (ushort2)1);
}

// What all lanes of a round have the same, and each takes out of its last one.
kernel __attribute__((intel_reqd_sub_group_size(16)))
void last_rounds(global uint *out, global const uint *in) {
    size_t i = get_global_id(0), at;
    uint count = in[i], round = 0, mask, others;
    float negative;
    do {
        mask = sub_group_ballot(1).x;
        others = ~mask;
        negative = -(float)(mask & 0xff);
        at = (size_t)(mask * 7 & 15);
    } while (round++ < count);
    out[4 * i] = mask;
    out[4 * i + 1] = others & (count | 0xff0);
    out[4 * i + 2] = as_uint(negative * (float)count);
    out[4 * i + 3] = in[at];
}
