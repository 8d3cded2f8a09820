// What the built-in compiler shows the checks: functions of sub-groups where all channels are, and where
// only some are; and bits of halves whose registers are filled by half.

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void all_of_them(global const int *in, global int *out)
{
    int i = get_global_id(0);
    int x = sub_group_reduce_add(in[i]);
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = x + sub_group_any(x > 5) + sub_group_broadcast(x, 0);
}

kernel void reduces(global const int *in, global int *out)
{
    int i = get_global_id(0);
    int x = in[i];
    if (get_sub_group_local_id() < 4)
        x = sub_group_reduce_add(x);
    out[i] = x;
}

kernel void votes(global const int *in, global int *out)
{
    int i = get_global_id(0);
    int x = in[i];
    if (get_sub_group_local_id() < 4)
        x = sub_group_all(x > 5);
    out[i] = x;
}

kernel void meets(global const int *in, global int *out)
{
    int i = get_global_id(0);
    int x = in[i];
    if (get_sub_group_local_id() < 4) {
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
        x++;
    }
    out[i] = x;
}

kernel void rounds(global const half *in, global half *out)
{
    int i = get_global_id(0);
    out[i] = round(in[i]);
}
