// No vectors of three are in memory here: a fourth component that nothing has written is a fault.

typedef struct {
    int a, b, c, d;
} four;

kernel void fourth_of_vector(global const int *in, global int4 *out)
{
    uint g = get_global_id(0);
    int part[4];
    for (int i = 0; i < 3; i++)
        part[i] = in[g] + i;
    if (g < 64)
        out[g] = (int4)(part[0], part[1], part[2], part[3]);
}

kernel void fourth_of_structure(global const int *in, global four *out)
{
    uint g = get_global_id(0);
    int part[4];
    for (int i = 0; i < 3; i++)
        part[i] = in[g] + i;
    four all = {part[0], part[1], part[2], part[3]};
    if (g < 64)
        out[g] = all;
}

kernel void fourth_of_local(global const int *in, global four *out)
{
    local int tile[512];
    uint g = get_global_id(0), l = get_local_id(0);
    for (int i = 0; i < 3; i++)
        tile[4 * l + i] = in[g] + i;
    barrier(CLK_LOCAL_MEM_FENCE);
    four all = {tile[4 * l], tile[4 * l + 1], tile[4 * l + 2], tile[4 * l + 3]};
    if (g < 64)
        out[g] = all;
}

// Work-items have numbers in vectors of three, and so may values be.
kernel void right_fours(global const int *in, global int4 *out)
{
    uint g = get_global_id(0);
    int3 v = (int3)(in[g], in[g] + 1, in[g] + 2) * 3;
    if (g < 64)
        out[g] = (int4)(v, v.x);
}
