// Kernels that put what nothing has written where a program, another kernel or a user reads it.

kernel void fourth_int(global const int *in, global int *out)
{
    local int t[128];
    if (in[0] > 1000) t[get_local_id(0)] = 1;
    if (get_global_id(0) < 64) out[4 * get_global_id(0) + 3] = t[get_local_id(0)];
}

kernel void fourth_long(global const int *in, global long *out)
{
    local long t[128];
    if (in[0] > 1000) t[get_local_id(0)] = 1;
    if (get_global_id(0) < 32) out[4 * get_global_id(0) + 3] = t[get_local_id(0)];
}

kernel void fourth_short(global const int *in, global short *out)
{
    local short t[128];
    if (in[0] > 1000) t[get_local_id(0)] = 1;
    if (get_global_id(0) < 64) out[4 * get_global_id(0) + 3] = t[get_local_id(0)];
}

kernel void fourth_char(global const int *in, global char *out)
{
    local char t[128];
    if (in[0] > 1000) t[get_local_id(0)] = 1;
    out[4 * get_global_id(0) + 3] = t[get_local_id(0)];
}

// A structure's last member.
struct of_four { int x, y, z, w; };

kernel void last_member(global const int *in, global struct of_four *out)
{
    local int t[128];
    if (in[0] > 1000) t[get_local_id(0)] = 1;
    if (get_global_id(0) < 64) out[get_global_id(0)].w = t[get_local_id(0)];
}

kernel void right_vectors(global const int *in, global int *out)
{
    int g = get_global_id(0), v = in[g];
    if (g < 16) ((global int3 *)out)[g] = (int3)(v, v + 1, v + 2);
    else if (g < 32) ((global float3 *)out)[g] = (float3)(v, v + 1, v + 2);
    else if (g < 48) ((global short3 *)out)[g + 64] = (short3)(v, v + 1, v + 2);
    else if (g < 64) ((global uchar3 *)out)[g + 192] = (uchar3)(v, v + 1, v + 2);
    else if (g < 72) ((global long3 *)out)[g - 64 + 16] = (long3)(v, v + 1, v + 2);
}

kernel void right_vector_of_all(global const int *in, global int *out)
{
    *(global int3 *)out = (int3)(in[0], in[1], in[2]);
    ((global long3 *)out)[1] = (long3)(in[0], in[1], in[2]);
    ((global short3 *)out)[16] = (short3)(in[0], in[1], in[2]);
    ((global char3 *)out)[64] = (char3)(in[0], in[1], in[2]);
}

kernel void texel(global const int *in, write_only image2d_t out)
{
    local int t[128];
    int g = get_global_id(0);
    if (in[0] > 1000) t[get_local_id(0)] = 1;
    write_imageui(out, (int2)(g % 16, g / 16), (uint4)(t[get_local_id(0)], 0, 0, 0));
}

// The image has one component.
kernel void right_texel(global const int *in, write_only image2d_t out)
{
    local int t[128];
    int g = get_global_id(0);
    if (in[0] > 1000) t[get_local_id(0)] = 1;
    write_imageui(out, (int2)(g % 16, g / 16), (uint4)(in[g], t[get_local_id(0)], 0, 0));
}

kernel void texel_block(global const int *in, write_only image2d_t out)
{
    local uint t[128];
    int g = get_global_id(0);
    if (in[0] > 1000) t[get_local_id(0)] = 1;
    if (g < 8) intel_sub_group_block_write(out, (int2)(0, 0), t[get_local_id(0)]);
}

kernel void right_texel_block(global const int *in, write_only image2d_t out)
{
    uint first = get_global_id(0) - get_sub_group_local_id();
    intel_sub_group_block_write(out, (int2)(first % 16 * 4, first / 16), in[get_global_id(0)]);
}

kernel void sampled(global int *out, read_only image2d_t from)
{
    local int t[128];
    if (out[get_global_id(0)] > 1000) t[get_local_id(0)] = 1;
    out[get_global_id(0)] = read_imageui(from, (int2)(t[get_local_id(0)], 0)).x;
}

kernel void printed(global const int *in, global int *out)
{
    local int t[128];
    if (in[0] > 1000) t[get_local_id(0)] = 1;
    if (get_global_id(0) == 3) printf("%d\n", t[get_local_id(0)]);
}

kernel void right_printed(global const int *in, global int *out)
{
    int g = get_global_id(0);
    char c = in[g];
    if (g < 5) printf("%d %hhd %s %v3hld %v4hd %f %c\n", in[g], c, "text", (int3)(in[g]), (short4)(c), (float)in[g], c);
}
