// Atomic operations on global and local memory.

#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

// Every operation on words that all work-items share: the order does not matter.
kernel void shared_words(global int *words, global uint *unsigned_words)
{
    int i = get_global_id(0);
    atomic_add(words + 0, i);
    atomic_sub(words + 1, i);
    atomic_inc(words + 2);
    atomic_dec(words + 3);
    atomic_min(words + 4, i * 7 % 1000 - 300);
    atomic_max(words + 5, i * 7 % 1000 - 300);
    atomic_and(words + 6, ~(1 << (i & 15)));
    atomic_or(words + 7, 1 << (i & 31));
    atomic_xor(words + 8, i);
    atomic_min(unsigned_words + 0, (uint)i + 5u);
    atomic_max(unsigned_words + 1, (uint)i | 0x80000000u);
}

// What an operation returns: tickets are all different.
kernel void tickets(global uint *counter, global uint *seen)
{
    uint ticket = atomic_inc(counter);
    seen[ticket] += 1;
}

// A word a work-item: the results are exact.
kernel void own_words(global int *words, global int *before)
{
    int i = get_global_id(0);
    global int *word = words + i;
    global int *out = before + i * 6;
    out[0] = atomic_xchg(word, i * 3);
    out[1] = atomic_cmpxchg(word, i * 3, i + 1);
    out[2] = atomic_cmpxchg(word, -1, 99);
    out[3] = atomic_add(word, 10);
    out[4] = atomic_min(word, 50);
    out[5] = atomic_xor(word, 0xff);
}

kernel void local_words(global int *out, local int *words)
{
    int l = get_local_id(0);
    if (l < 4)
        words[l] = l == 2 ? 0x7fffffff : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(words, l);
    atomic_or(words + 1, 1 << (l & 31));
    atomic_min(words + 2, 1000 - l);
    atomic_max(words + 3, l * 3);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 4)
        out[get_group_id(0) * 4 + l] = words[l];
}

kernel void longs(global long *words, global ulong *unsigned_words, global long *before)
{
    long i = get_global_id(0);
    long big = i << 33;
    atom_add(words + 0, big);
    atom_sub(words + 1, big);
    atom_inc(words + 2);
    atom_min(words + 3, -big);
    atom_max(words + 4, big);
    atom_or(words + 5, 1L << (i & 63));
    atom_xor(words + 6, big + i);
    atom_max(unsigned_words, (ulong)big | 0x8000000000000000UL);
    global long *own = words + 8 + i;
    before[i * 3] = atom_xchg(own, big);
    before[i * 3 + 1] = atom_cmpxchg(own, big, -i);
    before[i * 3 + 2] = atom_cmpxchg(own, 1L << 62, 5L);
}

// A float sum by compare and exchange; the addends are whole numbers, so it is exact.
kernel void float_sum(global float *sum, global const float *in)
{
    volatile global uint *word = (volatile global uint *)sum;
    float add = in[get_global_id(0)];
    uint old = *word;
    for (;;) {
        uint seen = atomic_cmpxchg(word, old, as_uint(as_float(old) + add));
        if (seen == old)
            break;
        old = seen;
    }
}

kernel void c11(global atomic_int *words, global atomic_uint *flags)
{
    int i = get_global_id(0);
    atomic_fetch_add_explicit(words, i, memory_order_relaxed, memory_scope_device);
    atomic_fetch_max_explicit(words + 1, i, memory_order_acq_rel, memory_scope_device);
    atomic_fetch_sub(words + 2, i);
    int expected = 0;
    if (atomic_compare_exchange_strong(words + 3, &expected, i + 1))
        atomic_fetch_add(words + 4, 1);
    atomic_fetch_or_explicit(flags + (i >> 5), 1u << (i & 31), memory_order_seq_cst,
                             memory_scope_device);
}
