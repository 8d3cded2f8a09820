#pragma OPENCL EXTENSION cl_khr_fp16 : enable

#define F1(NAME) kernel void NAME##_1(global float *out, global const float *x) { \
    size_t i = get_global_id(0); out[i] = NAME(x[i]); }
#define F2(NAME) kernel void NAME##_2(global float *out, global const float *x, global const float *y) { \
    size_t i = get_global_id(0); out[i] = NAME(x[i], y[i]); }
#define FI(NAME) kernel void NAME##_i(global float *out, global const float *x, global const int *n) { \
    size_t i = get_global_id(0); out[i] = NAME(x[i], n[i]); }
#define FP(NAME, T) kernel void NAME##_p(global float *out, global const float *x, global T *second) { \
    size_t i = get_global_id(0); T s; out[i] = NAME(x[i], &s); second[i] = s; }

F1(exp) F1(exp2) F1(exp10) F1(expm1) F1(sinh) F1(cosh) F1(tanh) F1(log) F1(log2) F1(log10) F1(log1p)
F1(asinh) F1(acosh) F1(atanh) F1(cbrt) F1(sin) F1(cos) F1(tan) F1(sinpi) F1(cospi) F1(tanpi) F1(asin)
F1(acos) F1(atan) F1(asinpi) F1(acospi) F1(atanpi) F1(erf) F1(erfc) F1(tgamma) F1(lgamma) F1(logb)
F1(sqrt) F1(rsqrt)
F2(atan2) F2(atan2pi) F2(pow) F2(powr) F2(hypot) F2(fmod) F2(remainder) F2(nextafter) F2(fdim)
F2(maxmag) F2(minmag) F2(fmax) F2(fmin) F2(copysign) F2(half_divide)
FI(pown) FI(rootn) FI(ldexp)
FP(sincos, float) FP(fract, float) FP(modf, float) FP(frexp, int) FP(lgamma_r, int)

kernel void divide_2(global float *out, global const float *x, global const float *y) {
    size_t i = get_global_id(0);
    out[i] = x[i] / y[i];
}

kernel void ilogb_1(global int *out, global const float *x) {
    size_t i = get_global_id(0);
    out[i] = ilogb(x[i]);
}

kernel void remquo_2(global float *out, global const float *x, global const float *y, global int *q) {
    size_t i = get_global_id(0);
    int quotient;
    out[i] = remquo(x[i], y[i], &quotient);
    q[i] = quotient;
}

// Vectors, with a second result in private memory.
kernel void vectors(global float4 *out, global const float4 *x) {
    size_t i = get_global_id(0);
    float4 cosine;
    float4 sine = sincos(x[i], &cosine);
    out[i] = sine * sine + cosine * cosine;
}

kernel void geometry(global float4 *out, global const float4 *x, global const float4 *y) {
    size_t i = get_global_id(0);
    float4 v = normalize(x[i]);
    out[3 * i] = (float4)(length(x[i]), distance(x[i], y[i]), dot(v, v), length(x[i].xy));
    out[3 * i + 1] = cross(x[i], y[i]);
    out[3 * i + 2] = smoothstep(-100.0f, 100.0f, x[i]);
}

#define H1(NAME) kernel void NAME##_h(global half *out, global const half *x) { \
    size_t i = get_global_id(0); out[i] = NAME(x[i]); }
H1(exp) H1(log) H1(sin) H1(cos) H1(tanh) H1(sqrt) H1(cbrt)

kernel void nextafter_h(global half *out, global const half *x, global const half *y) {
    size_t i = get_global_id(0);
    out[i] = nextafter(x[i], y[i]);
}

kernel void unit(global float4 *out, global const float4 *x) {
    size_t i = get_global_id(0);
    out[i] = normalize(x[i]);
}
