// Atomic operations at one address for all work-items: one lane makes one for its sub-group.

kernel void counters(global int *words, global int *seen, int n)
{
    int i = get_global_id(0);
    atomic_add(words + 0, i);
    atomic_sub(words + 1, i);
    atomic_min(words + 2, i * 7 % 100 - 30);
    atomic_max(words + 3, i * 7 % 100 - 30);
    atomic_and(words + 4, ~(1 << (i & 15)));
    atomic_or(words + 5, 1 << (i & 31));
    atomic_xor(words + 6, i * i);
    atomic_min((global uint *)words + 7, (uint)i + 5u);
    atomic_max((global uint *)words + 8, (uint)i | 0x80000000u);
    atomic_inc(words + 9);
    atomic_sub(words + 10, n);
    atomic_xor(words + 11, n);
    atomic_or(words + 12, n);
    int size = get_global_size(0);
    seen[i] = atomic_inc(words + 13);
    seen[size + i] = atomic_sub(words + 14, n);
    seen[2 * size + i] = atomic_xor(words + 15, n);
    seen[3 * size + i] = atomic_max(words + 16, n);
    seen[4 * size + i] = atomic_or(words + 17, 0);
}

kernel void local_counter(global int *words, global int *seen, int n)
{
    local int count, sum;
    int l = get_local_id(0), i = get_global_id(0);
    if (l == 0)
        count = sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    seen[i] = atomic_add(&count, n);
    atomic_add(&sum, i);
    barrier(CLK_LOCAL_MEM_FENCE);
    words[get_group_id(0)] = count + sum;
}

// Only some work-items count.
kernel void some_count(global int *words, global int *seen, int n)
{
    int i = get_global_id(0);
    if (i % 3 == 0)
        seen[atomic_inc(words)] = i;
    if (i >= n)
        return;
    atomic_add(words + 1, i);
}
