// Pointers whose memory is known when the kernel runs.
int sum(int *p, int count) {
    int s = 0;
    for (int i = 0; i < count; i++)
        s = 3 * s + p[i];
    return s;
}

kernel void generic_pointers(global int *out, global int *in, local int *between) {
    int i = get_local_id(0), g = get_global_id(0);
    int own[4];
    for (int k = 0; k < 4; k++)
        own[(k + i) & 3] = in[g] + k;
    between[i] = in[g] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *from = i % 3 == 0 ? (int *)(in + (g & ~7)) : i % 3 == 1 ? (int *)(between + (i & ~7)) : (int *)own;
    int result = sum(from, 4);
    int kind = to_global(from) ? 1 : to_local(from) ? 2 : to_private(from) ? 3 : 4;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i % 3 != 0)
        from[i & 3] = result;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[4 * g] = result;
    out[4 * g + 1] = kind;
    out[4 * g + 2] = own[i & 3];
    out[4 * g + 3] = atomic_fetch_add((volatile atomic_int *)(i % 2 ? (int *)&out[4 * g + 1] : (int *)&between[i]), 5);
}
