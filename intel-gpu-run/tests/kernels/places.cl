// Kernels that leave a local argument, or the part of a buffer that they get.

kernel void local_behind(global const int *in, global int *out, local int *a, local int *b)
{
    int i = get_local_id(0);
    a[i + in[0]] = i;
    b[i] = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = b[127 - i];
}

kernel void local_before(global const int *in, global int *out, local int *a, local int *b)
{
    int i = get_local_id(0);
    a[i] = b[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[i] + b[i - in[0]];
}

kernel void static_behind(global const int *in, global int *out, local int *a, local int *b)
{
    local int own[128];
    int i = get_local_id(0);
    local int *from = in[1] == 2 ? own : b;
    a[i] = b[i] = own[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[i] + from[i + in[0]];
}

kernel void right_locals(global const int *in, global int *out, local int *a, local int *b)
{
    local int own[128];
    int i = get_local_id(0);
    a[i] = b[i] = own[i] = i;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[i] = a[127 - i] + b[127 - i] + own[i ^ in[0]];
}

kernel void before_part(global const int *in, global int *whole, global int *part)
{
    int i = get_global_id(0);
    part[i - (in[i] == 1)] = i;
}

kernel void right_part(global const int *in, global int *whole, global int *part)
{
    int i = get_global_id(0);
    part[i] += i;
}

kernel void far(global const int *in, global int *out, uint elements)
{
    out[get_global_id(0)] = in[get_global_id(0) + (size_t)elements];
}
