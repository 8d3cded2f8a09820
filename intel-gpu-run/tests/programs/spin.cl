// Items with a number wait for a zero that never comes.

kernel void spin(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    global volatile const int *flag = in + i;
    while (*flag)
        ;
    out[i] = 1;
}
