// Copies by work-groups, and halves in memory.

kernel void copies(global uint *out, global const uint *in, local uint *there) {
    size_t group = get_group_id(0), size = get_local_size(0);
    event_t event = async_work_group_copy(there, in + group * 100, 100, 0);
    wait_group_events(1, &event);
    uint sum = 0;
    for (size_t i = get_local_id(0); i < 100; i += size) there[i] = there[i] * 3 + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    event = async_work_group_copy(out + group * 100, there, 100, 0);
    wait_group_events(1, &event);
}

kernel void strided(global float4 *out, global const float4 *in, local float4 *there) {
    size_t group = get_group_id(0);
    event_t event = async_work_group_strided_copy(there, in + group * 60, 20, 3, 0);
    prefetch(in, 4);
    event = async_work_group_strided_copy(out + group * 40, there, 20, 2, event);
    wait_group_events(1, &event);
}

kernel void threes(global uint3 *out, global const uint3 *in, local uint3 *there) {
    event_t event = async_work_group_copy(there, in, 20, 0);
    wait_group_events(1, &event);
    event = async_work_group_copy(out, there, 20, 0);
    wait_group_events(1, &event);
}

kernel void read_halves(global float *out, global const half *in) {
    size_t i = get_global_id(0);
    vstore3(vload_half3(i, in), i, out);
    float4 four = vloada_half3(i, in).xyzz;
    four.w = vload_half(i, in);
    vstore4(four, i, out + 3 * get_global_size(0));
}

kernel void write_halves(global half *out, global const float *in) {
    size_t i = get_global_id(0), n = get_global_size(0);
    vstore_half_rte(in[i], i, out);
    vstore_half_rtz(in[i], i, out + n);
    vstore_half_rtp(in[i], i, out + 2 * n);
    vstore_half_rtn(in[i], i, out + 3 * n);
    vstorea_half4((float4)(in[i], -in[i], 0.5f, 65536.0f), i, out + 4 * n);
}
