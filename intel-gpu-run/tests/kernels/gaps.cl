// Structures with bytes between their members, and with unions, copied whole.

typedef struct {
    uint a;
    uchar c;
} padded;

typedef struct {
    char tag;
    union {
        float f;
        int i;
        char c[4];
    } u;
} tagged;

// What is between the members of the input is copied, too.
kernel void right_copy(global const padded *in, global padded *out)
{
    uint g = get_global_id(0);
    padded one = in[g & 127];
    if (g < 128)
        out[g] = one;
}

kernel void right_members(global const int *in, global padded *out)
{
    uint g = get_global_id(0);
    padded one;
    one.a = in[g];
    one.c = 3;
    if (g < 128)
        out[g] = one;
}

kernel void right_local(global const int *in, global padded *out)
{
    local padded tile[128];
    uint g = get_global_id(0), l = get_local_id(0);
    tile[l].a = in[g];
    tile[l].c = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < 128)
        out[g] = tile[l ^ 1];
}

kernel void right_union(global const int *in, global tagged *out)
{
    local tagged tile[128];
    uint g = get_global_id(0), l = get_local_id(0);
    tagged one;
    one.tag = l & 1;
    if (one.tag)
        one.u.f = in[g];
    else
        one.u.c[0] = in[g];
    tile[l] = one;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < 128)
        out[g] = tile[l ^ 1];
}

kernel void member_behind_gap(global const int *in, global padded *out)
{
    local padded tile[128];
    uint g = get_global_id(0), l = get_local_id(0);
    tile[l].a = in[g];
    if (in[g] > 1000)
        tile[l].c = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < 128)
        out[g] = tile[l ^ 1];
}

kernel void tag_of_union(global const int *in, global tagged *out)
{
    local tagged tile[128];
    uint g = get_global_id(0), l = get_local_id(0);
    tile[l].u.i = in[g];
    if (in[g] > 1000)
        tile[l].tag = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (g < 128)
        out[g] = tile[l ^ 1];
}
