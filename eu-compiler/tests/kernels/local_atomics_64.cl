// Atomics of 64 bits on local memory, which some platforms only have by taking turns.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable

kernel void on_local(global ulong *out, local ulong *sum) {
    if (get_local_id(0) == 0)
        *sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(sum, 1UL << 32 | get_local_id(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0)] = *sum;
}

kernel void all_of_them(global const ulong *in, global ulong *out, global ulong *old, local ulong *more) {
    local ulong cells[10];
    uint l = get_local_id(0), g = get_global_id(0);
    if (l < 10) cells[l] = l == 2 || l == 4 ? ~0UL : l == 3 ? ~0UL >> 1 : 0;
    if (l == 0) *more = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong x = in[g];
    atom_add(&cells[0], x);
    atom_max(&cells[1], x);
    atom_min(&cells[2], x);
    atom_min((local long *)&cells[3], (long)x);
    atom_and(&cells[4], x);
    if (l % 3 == 1) {
        atom_or(&cells[5], x);
        atom_xor(&cells[6], x);
        atom_sub(more, x);
    }
    // One after the other, by comparing.
    ulong seen = 0, wanted;
    do {
        wanted = seen;
        seen = atom_cmpxchg(&cells[7], wanted, wanted + (x >> 7));
    } while (seen != wanted);
    old[2 * g] = atom_inc(&cells[8]);
    old[2 * g + 1] = atom_xchg(&cells[9], x);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 10) out[get_group_id(0) * 11 + l] = cells[l];
    if (l == 0) out[get_group_id(0) * 11 + 10] = *more;
}
