// Every work-item writes one place.

kernel void race(global const int *in, global int *out)
{
    int i = get_global_id(0);
    int x = in[i];
    out[0] = x + i;
}
