// Atomic operations on floats, and orders.

#define RELAXED memory_order_relaxed, memory_scope_device

kernel void floats(global const float *in, global volatile atomic_float *cells, global float *old)
{
    local volatile atomic_float shared[4];
    uint l = get_local_id(0), g = get_global_id(0);
    if (l < 4)
        atomic_store_explicit(&shared[l], l == 2 ? 1000.0f : l == 3 ? -1000.0f : 0.0f, RELAXED);
    barrier(CLK_LOCAL_MEM_FENCE);
    float x = in[g];
    atomic_fetch_add_explicit(&cells[0], x, RELAXED);
    atomic_fetch_min_explicit(&cells[1], x, RELAXED);
    atomic_fetch_max_explicit(&cells[2], x, RELAXED);
    if (g & 1)
        atomic_fetch_add_explicit(&cells[3 + (g & 7)], x, memory_order_acq_rel, memory_scope_all_svm_devices);
    atomic_fetch_add_explicit(&shared[0], x, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_min_explicit(&shared[2], x, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_max_explicit(&shared[3], x, memory_order_relaxed, memory_scope_work_group);
    old[4 * g] = atomic_exchange_explicit(&cells[16 + g], x, memory_order_release, memory_scope_device);
    int expected = as_int(x);
    bool same = atomic_compare_exchange_strong_explicit((global volatile atomic_int *)&cells[16 + g],
        &expected, as_int(x + 1.0f), memory_order_seq_cst, memory_order_acquire, memory_scope_device);
    float seen = atomic_load_explicit(&cells[16 + g], memory_order_acquire, memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    old[4 * g + 1] = same ? seen : -1.0f;
    old[4 * g + 2] = atomic_load_explicit(&shared[0], RELAXED);
    old[4 * g + 3] = atomic_load_explicit(&shared[2 + (l & 1)], RELAXED);
}

// The translator leaves differences as functions without a body.
kernel void differences(global const float *in, global volatile atomic_float *cells)
{
    local atomic_float shared;
    size_t g = get_global_id(0);
    if (get_local_id(0) == 0)
        atomic_init(&shared, 7.0f);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_sub_explicit(&cells[0], in[g], memory_order_relaxed, memory_scope_device);
    atomic_fetch_sub_explicit(&cells[1 + g % 3], in[g], memory_order_seq_cst, memory_scope_all_svm_devices);
    atomic_fetch_sub_explicit(&shared, in[g], memory_order_acq_rel, memory_scope_work_group);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        atomic_store_explicit(&cells[4 + get_group_id(0)], atomic_load_explicit(&shared, RELAXED), RELAXED);
}
