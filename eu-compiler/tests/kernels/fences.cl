// Barriers and fences of every scope: what they show, and to whom.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

#define FENCE(name, flags, scope)                                               \
    kernel void name(global int *out, local int *shared) {                      \
        uint l = get_local_id(0), g = get_global_id(0);                         \
        shared[l] = l * 3;                                                      \
        out[g] = 1;                                                             \
        sub_group_barrier(flags, scope);                                        \
        out[get_global_size(0) + g] = shared[l ^ 1] + out[g ^ 1];               \
    }
FENCE(lanes_none, CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_sub_group)
FENCE(lanes_group, CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_work_group)
FENCE(lanes_device, CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_scope_device)
FENCE(lanes_all, CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE, memory_scope_all_svm_devices)

#define BARRIER(name, flags, scope)                                             \
    kernel void name(global int *out, local int *shared) {                      \
        uint l = get_local_id(0), g = get_global_id(0), n = get_local_size(0);  \
        shared[l] = l * 3;                                                      \
        out[g] = 1;                                                             \
        work_group_barrier(flags, scope);                                       \
        out[get_global_size(0) + g] = shared[n - 1 - l] + out[g - l + n - 1 - l]; \
    }
BARRIER(group_group, CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_work_group)
BARRIER(group_device, CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_device)
BARRIER(group_all, CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, memory_scope_all_svm_devices)

// Waits for what another work-group has written.
kernel void acquires(global int *out, global atomic_int *flag)
{
    while (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device) == 0)
        ;
    out[get_global_id(0) + 1] = out[0];
}
