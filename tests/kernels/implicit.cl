// Functions called by the stack that ask for ids and sizes, and print.
// not for: bdw skl icl tgl dg2-0 dg2-8 pvc skl-spirv tgl-spirv pvc-spirv

int mix_ids(int n)
{
    if (n == 0)
        return get_global_id(0) + 3 * get_local_id(1) + 5 * get_group_id(0) +
               7 * get_global_size(1) + 11 * get_local_size(0) + 13 * get_num_groups(1) +
               17 * get_work_dim() + 19 * get_global_offset(0) + 23 * get_enqueued_local_size(0);
    return mix_ids(n - 1) + n * (int)get_local_id(0);
}

kernel void ids(global int *out, int n)
{
    out[get_global_linear_id()] = mix_ids(n);
}

int say(int n)
{
    if (n == 0) {
        printf("item %d of group %d\n", (int)get_local_id(0), (int)get_group_id(0));
        return 1;
    }
    return say(n - 1) + n;
}

kernel void talk(global int *out, int n)
{
    out[get_global_id(0)] = say(n);
}
