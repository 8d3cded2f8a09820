// options: -cl-fp32-correctly-rounded-divide-sqrt
// The math built-in functions that have an error bound (OpenCL C 7.4).

#define UNARY(NAME)                                                                                \
    kernel void NAME##_(global const float *a, global float *out)                                  \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = NAME(a[i]);                                                                       \
    }

#define BINARY(NAME)                                                                               \
    kernel void NAME##_(global const float *a, global const float *b, global float *out)           \
    {                                                                                              \
        size_t i = get_global_id(0);                                                               \
        out[i] = NAME(a[i], b[i]);                                                                 \
    }

UNARY(acos)
UNARY(acosh)
UNARY(acospi)
UNARY(asin)
UNARY(asinh)
UNARY(asinpi)
UNARY(atan)
UNARY(atanh)
UNARY(atanpi)
UNARY(cbrt)
UNARY(cos)
UNARY(cosh)
UNARY(cospi)
UNARY(erf)
UNARY(erfc)
UNARY(exp)
UNARY(exp2)
UNARY(exp10)
UNARY(expm1)
UNARY(log)
UNARY(log2)
UNARY(log10)
UNARY(log1p)
UNARY(logb)
UNARY(rsqrt)
UNARY(sin)
UNARY(sinh)
UNARY(sinpi)
UNARY(sqrt)
UNARY(tan)
UNARY(tanh)
UNARY(tanpi)
UNARY(tgamma)
BINARY(atan2)
BINARY(atan2pi)
BINARY(hypot)
BINARY(pow)
BINARY(powr)
BINARY(remainder)

kernel void divide(global const float *a, global const float *b, global float *out)
{
    size_t i = get_global_id(0);
    out[i] = a[i] / b[i];
}

kernel void pown_(global const float *a, global const int *b, global float *out)
{
    size_t i = get_global_id(0);
    out[i] = pown(a[i], b[i]);
}

kernel void rootn_(global const float *a, global const int *b, global float *out)
{
    size_t i = get_global_id(0);
    out[i] = rootn(a[i], b[i]);
}

kernel void sincos_(global const float *a, global float *sines, global float *cosines)
{
    size_t i = get_global_id(0);
    float c;
    sines[i] = sincos(a[i], &c);
    cosines[i] = c;
}

// The native functions: the precision is the device's own.
kernel void natives(global const float *a, global float *out)
{
    size_t i = get_global_id(0);
    float x = a[i];
    size_t at = i * 12;
    out[at++] = native_sin(x);
    out[at++] = native_cos(x);
    out[at++] = native_tan(x);
    out[at++] = native_exp(x);
    out[at++] = native_exp2(x);
    out[at++] = native_exp10(x);
    out[at++] = native_log(x);
    out[at++] = native_log2(x);
    out[at++] = native_log10(x);
    out[at++] = native_sqrt(x);
    out[at++] = native_rsqrt(x);
    out[at++] = native_recip(x);
}

// Geometric and common functions.
kernel void geometry(global const float4 *a, global const float4 *b, global float *out)
{
    size_t i = get_global_id(0);
    float4 x = a[i], y = b[i];
    size_t at = i * 12;
    out[at++] = dot(x, y);
    out[at++] = length(x);
    out[at++] = distance(x, y);
    float4 c = cross(x, y);
    out[at++] = c.x;
    out[at++] = c.y;
    out[at++] = c.z;
    float4 n = normalize(x);
    out[at++] = n.x;
    out[at++] = n.w;
    out[at++] = mix(x.x, y.x, 0.25f);
    out[at++] = smoothstep(-2.0f, 2.0f, x.y);
    out[at++] = degrees(x.z);
    out[at++] = radians(x.z);
}
