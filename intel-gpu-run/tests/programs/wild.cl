// Each item writes where no buffer is.

kernel void wild(global const int *in, global int *out)
{
    size_t i = get_global_id(0);
    global int *nowhere = (global int *)(0x123400000000ul + 4 * i);
    *nowhere = in[i];
    out[i] = 1;
}
