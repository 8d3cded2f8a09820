// Double precision.
// not for: icl tgl tgl-newer tgl-spirv dg2-0 dg2-8
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// 16 values a work-item, all of them correctly rounded.
kernel void exact(global const double *a, global const double *b, global const double *c,
                  global double *out)
{
    size_t i = get_global_id(0);
    double x = a[i], y = b[i], z = c[i];
    out += i * 16;
    out[0] = x + y;
    out[1] = x - y;
    out[2] = x * y;
    out[3] = x / y;
    out[4] = fma(x, y, z);
    out[5] = sqrt(fabs(x));
    out[6] = fmin(x, y);
    out[7] = fmax(x, y);
    out[8] = floor(x);
    out[9] = ceil(x);
    out[10] = trunc(x);
    out[11] = rint(x);
    out[12] = copysign(x, y);
    out[13] = (float)x;
    out[14] = x < y ? -x : x == y ? 0.0 : z;
    out[15] = 1.0 / x;
}

// From and to every integer type.
kernel void from_integers(global const int *a, global const long *b, global double *out)
{
    size_t i = get_global_id(0);
    out += i * 6;
    out[0] = a[i];
    out[1] = (uint)a[i];
    out[2] = b[i];
    out[3] = (ulong)b[i];
    out[4] = (short)a[i];
    out[5] = (uchar)a[i];
}

kernel void to_integers(global const double *in, global long *out)
{
    size_t i = get_global_id(0);
    double x = in[i];
    out += i * 6;
    out[0] = (int)x;
    out[1] = (long)(x * 4294967296.0);
    out[2] = (uint)fabs(x);
    out[3] = (long)(ulong)fabs(x * 4294967296.0);
    out[4] = convert_int_rte(x);
    out[5] = convert_short_sat(x);
}

kernel void functions(global const double *in, global double *out)
{
    size_t i = get_global_id(0);
    double x = in[i];
    out += i * 8;
    out[0] = exp(x);
    out[1] = log(x);
    out[2] = sin(x);
    out[3] = cos(x);
    out[4] = pow(x, 1.5);
    out[5] = cbrt(x);
    out[6] = atan(x);
    out[7] = rsqrt(x);
}

// Through local memory, vectors and sub-groups.
kernel void exchange(global const double4 *in, local double *scratch, global double4 *out)
{
    size_t i = get_global_id(0), l = get_local_id(0), n = get_local_size(0);
    double4 v = in[i];
    scratch[l] = v.x + v.w;
    barrier(CLK_LOCAL_MEM_FENCE);
    double other = scratch[n - 1 - l];
    out[i] = (double4)(other, v.zy, sub_group_broadcast(v.x, 0));
}
