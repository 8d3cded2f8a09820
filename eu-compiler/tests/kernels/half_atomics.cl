// Atomics of halves. Clang 14 has none: build.sh makes halves of floats in the module.
kernel void halves(global const float *in, global float *cells, global float *old) {
    uint g = get_global_id(0);
    atomic_fetch_add_explicit((volatile global atomic_float *)&cells[g & 3], in[g], memory_order_relaxed,
                              memory_scope_device);
    atomic_fetch_min_explicit((volatile global atomic_float *)&cells[4], in[g], memory_order_relaxed,
                              memory_scope_device);
    local float most[2];
    if (get_local_id(0) < 2) most[get_local_id(0)] = in[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_max_explicit((volatile local atomic_float *)&most[g & 1], in[g], memory_order_relaxed,
                              memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    old[2 * g] = most[g & 1];
    old[2 * g + 1] = atomic_exchange_explicit((volatile global atomic_float *)&cells[8 + g], in[g],
                                              memory_order_relaxed, memory_scope_device);
}
