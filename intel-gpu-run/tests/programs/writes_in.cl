// Writes what it may only read.

kernel void writes_in(global int *in, global int *out)
{
    int i = get_global_id(0);
    in[i] = i;
    out[i] = 1;
}
