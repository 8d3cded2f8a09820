// The simplest data paths: buffers, and arguments by value of every size.

kernel void scale_add(global const float *a, global const float *b, global float *out,
                      float scale, int count, uint4 extra, char bias)
{
    int i = get_global_id(0);
    if (i < count)
        out[i] = a[i] * scale + b[i] + (float)extra.z + (float)bias;
}

// `restrict` lets the compiler address buffers by binding table alone.
kernel void increment(global const float *restrict in, global float *restrict out)
{
    uint i = get_global_id(0);
    out[i] = in[i] + 1.0f;
}

kernel void copy_bytes(global const uchar *in, global uchar *out)
{
    size_t i = get_global_id(0);
    out[i] = in[i];
}

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

struct Plane {
    float normal[3];
    int id;
    long weight;
    short tag;
};

// A structure by value is flattened into the payload.
kernel void by_value(global long *out, struct Plane plane, uchar b, ushort2 h, ulong8 wide,
                     long l, float3 v, half8 t)
{
    uint i = get_global_id(0);
    long sum = plane.id + plane.weight + plane.tag + b + h.x + h.y + l;
    sum += (long)(plane.normal[0] + plane.normal[1] + plane.normal[2]);
    sum += (long)(v.x + v.y + v.z);
    sum += (long)((float)t.s0 + (float)t.s7) + (long)wide.s7;
    out[i] = sum + i;
}
