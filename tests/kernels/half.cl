// Half precision: arithmetic, conversions, loads and stores.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

kernel void arithmetic(global const half *a, global const half *b, global const half *c,
                       global half *out)
{
    size_t i = get_global_id(0);
    half x = a[i], y = b[i], z = c[i];
    size_t at = i * 12;
    out[at++] = x + y;
    out[at++] = x - y;
    out[at++] = x * y;
    out[at++] = fma(x, y, z);
    out[at++] = fmin(x, y);
    out[at++] = fmax(x, y);
    out[at++] = fabs(x);
    out[at++] = floor(x);
    out[at++] = ceil(x);
    out[at++] = trunc(x);
    out[at++] = rint(x);
    out[at++] = -x;
}

kernel void math(global const half *a, global half *out)
{
    size_t i = get_global_id(0);
    half x = a[i];
    size_t at = i * 8;
    out[at++] = sqrt(x);
    out[at++] = rsqrt(x);
    out[at++] = exp2(x);
    out[at++] = log2(x);
    out[at++] = sin(x);
    out[at++] = cos(x);
    out[at++] = (half)1.0h / x;
    out[at++] = exp(x);
}

kernel void widen(global const half *in, global float *out, global float *loaded)
{
    size_t i = get_global_id(0);
    out[i] = (float)in[i];
    loaded[i] = vload_half(i, in);
}

kernel void narrow(global const float *in, global half *out)
{
    size_t i = get_global_id(0);
    float x = in[i];
    vstore_half_rte(x, i * 5, out);
    vstore_half_rtz(x, i * 5 + 1, out);
    vstore_half_rtp(x, i * 5 + 2, out);
    vstore_half_rtn(x, i * 5 + 3, out);
    out[i * 5 + 4] = (half)x;
}

kernel void vectors(global const half8 *in, global half8 *out, global float4 *wide)
{
    size_t i = get_global_id(0);
    half8 v = in[i];
    out[i] = v.s76543210 * (half8)2.0h + v;
    wide[i] = convert_float4(v.odd) + vload_half4(2 * i, (global const half *)in);
}
