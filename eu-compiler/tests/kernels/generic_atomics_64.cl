// Atomics of 64 bits on pointers whose memory is known when the kernel runs.
kernel void on_generic(global ulong *out, local ulong *sum) {
    if (get_local_id(0) == 0)
        *sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong *any = get_local_id(0) & 1 ? (ulong *)sum : (ulong *)(out + 1);
    atomic_fetch_add_explicit((atomic_ulong *)any, 1UL << 32 | get_local_id(0), memory_order_relaxed,
                              memory_scope_device);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[0] = *sum;
}
