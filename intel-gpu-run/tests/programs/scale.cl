// Reads all of its first buffer.

kernel void scale(global const int *in, global int *out)
{
    int i = get_global_id(0);
    int x = in[i];
    out[i] = x * 3;
}
