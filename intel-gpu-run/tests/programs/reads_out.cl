// Reads what it may only write.

kernel void reads_out(global const int *in, global int *out)
{
    int i = get_global_id(0);
    out[i] += in[i];
}
