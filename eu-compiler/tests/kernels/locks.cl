// Locks. Those that lanes of one sub-group take are opened in the loop that waits for them: lanes
// that have left a loop wait for the others behind it.

kernel void in_turn(global uint *out, global atomic_int *lock)
{
    for (bool waits = true; waits;) {
        int expected = 0;
        if (atomic_compare_exchange_strong_explicit(lock, &expected, 1, memory_order_acquire,
                                                    memory_order_relaxed, memory_scope_device)) {
            out[0] += get_global_id(0);
            out[1]++;
            atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
            waits = false;
        }
    }
}

kernel void flags(global uint *out, global atomic_int *lock)
{
    local atomic_flag flag;
    local uint sum, count;
    if (get_local_id(0) == 0) {
        atomic_flag_clear(&flag);
        sum = count = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (bool waits = true; waits;) {
        if (!atomic_flag_test_and_set_explicit(&flag, memory_order_acquire,
                                               memory_scope_work_group)) {
            sum += get_global_id(0);
            count++;
            atomic_flag_clear_explicit(&flag, memory_order_release, memory_scope_work_group);
            waits = false;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        atomic_fetch_add((global atomic_uint *)out, sum);
        atomic_fetch_add((global atomic_uint *)out + 1, count);
    }
}

// One lane of a sub-group waits for one of another.
kernel void leaders(global uint *out, global atomic_int *lock)
{
    if (get_local_id(0) % 32 != 0)
        return;
    int expected = 0;
    while (!atomic_compare_exchange_weak_explicit(lock, &expected, 1, memory_order_acquire,
                                                  memory_order_relaxed, memory_scope_device))
        expected = 0;
    out[0] += get_global_id(0);
    out[1]++;
    atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
}

// Those that raise the number leave the loop at its end, all others in its middle.
kernel void raise(global uint *out, global atomic_int *lock)
{
    volatile global int *greatest = (volatile global int *)lock;
    int mine = get_global_id(0) * 7 % 13 + 1;
    int seen;
    do {
        seen = *greatest;
        if (seen >= mine)
            break;
    } while (atomic_cmpxchg(greatest, seen, mine) != seen);
    atomic_add(out, (uint)get_global_id(0));
    atomic_inc(out + 1);
}
