// Atomics of 64 bits, which some platforms do not have on local memory.
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable

kernel void on_local(global ulong *out, local ulong *sum) {
    if (get_local_id(0) == 0)
        *sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(sum, 1UL << 32 | get_local_id(0));
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_group_id(0)] = *sum;
}
