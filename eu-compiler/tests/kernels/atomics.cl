// Atomics of 64 bits.

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void wide_atomics(global long *out, global ulong *cells, global const long *in) {
    int i = get_global_id(0);
    long x = in[i];
    volatile global long *signed_cells = (volatile global long *)cells;
    atom_add(&signed_cells[0], x);
    atom_sub(&signed_cells[1], x);
    atom_min(&signed_cells[2], x);
    atom_max(&signed_cells[3], x);
    atom_min(&cells[4], (ulong)x);
    atom_max(&cells[5], (ulong)x);
    atom_and(&cells[6], (ulong)x | 1);
    atom_or(&cells[7], (ulong)x & 0xff00ff00ff00ffUL);
    atom_xor(&cells[8], (ulong)x);
    atom_inc(&signed_cells[9]);
    atom_dec(&signed_cells[10]);
    long old = atom_xchg(&out[2 * i], x);
    long seen = atom_cmpxchg(&out[2 * i], x, old + 7);
    out[2 * i + 1] = seen;
    if (i % 5 == 2)
        atom_cmpxchg(&out[2 * i], x, 99L);
}

kernel void scopes(global int *out, global atomic_int *cells) {
    int i = get_global_id(0);
    local atomic_int here;
    if (get_local_id(0) == 0)
        atomic_init(&here, 5);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    atomic_fetch_add_explicit(&here, 1, memory_order_relaxed, memory_scope_work_group);
    atomic_fetch_add_explicit(&cells[0], 1, memory_order_seq_cst, memory_scope_all_svm_devices);
    atomic_fetch_or_explicit(&cells[1], 1 << (i & 31), memory_order_acq_rel, memory_scope_device);
    atomic_store_explicit(&cells[2 + i], i, memory_order_release, memory_scope_work_group);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    int expected = i;
    atomic_compare_exchange_strong_explicit(&cells[2 + i], &expected, i + 1000, memory_order_acquire,
                                            memory_order_relaxed, memory_scope_device);
    out[i] = atomic_load_explicit(&here, memory_order_acquire, memory_scope_work_group) + expected;
}

// One group tells another by a flag.
kernel void messages(global int *out, global int *data, global atomic_int *flag) {
    if (get_group_id(0) == 0) {
        data[0] = 42;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
            ;
        out[0] = data[0];
    }
}

// Groups take turns.
kernel void turns(global int *sum, global atomic_int *lock) {
    while (atomic_exchange_explicit(lock, 1, memory_order_acquire, memory_scope_device))
        ;
    *sum += get_group_id(0) + 1;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}

// All write the same to bytes of one word.
kernel void parts(global uchar *bytes) {
    bytes[get_global_id(0) & 1] = 7 + (get_global_id(0) & 1);
}
