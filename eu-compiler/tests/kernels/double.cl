#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define D1(NAME) kernel void NAME##_1(global double *out, global const double *x) { \
    size_t i = get_global_id(0); out[i] = NAME(x[i]); }
#define D2(NAME) kernel void NAME##_2(global double *out, global const double *x, global const double *y) { \
    size_t i = get_global_id(0); out[i] = NAME(x[i], y[i]); }
#define DI(NAME) kernel void NAME##_i(global double *out, global const double *x, global const int *n) { \
    size_t i = get_global_id(0); out[i] = NAME(x[i], n[i]); }

D1(sqrt) D1(rsqrt) D1(floor) D1(ceil) D1(trunc) D1(rint) D1(round) D1(fabs)
D1(exp) D1(exp2) D1(exp10) D1(expm1) D1(sinh) D1(cosh) D1(tanh) D1(log) D1(log2) D1(log10) D1(log1p)
D1(asinh) D1(acosh) D1(atanh) D1(cbrt) D1(sin) D1(cos) D1(tan) D1(asin) D1(acos) D1(atan) D1(logb)
D1(tgamma) D1(erf) D1(sinpi)
D2(atan2) D2(pow) D2(hypot) D2(fmod) D2(remainder) D2(fmax) D2(fmin) D2(copysign) D2(nextafter)
DI(pown) DI(rootn) DI(ldexp)

kernel void divide_2(global double *out, global const double *x, global const double *y) {
    size_t i = get_global_id(0);
    out[i] = x[i] / y[i];
}

kernel void fma_3(global double *out, global const double *x, global const double *y) {
    size_t i = get_global_id(0);
    out[i] = fma(x[i], y[i], -(x[i] * y[i]));
}

kernel void frexp_p(global double *out, global const double *x, global int *n) {
    size_t i = get_global_id(0);
    int power;
    out[i] = frexp(x[i], &power);
    n[i] = power;
}

kernel void narrow(global uint *out, global const double *x) {
    size_t i = get_global_id(0);
    out[8 * i] = as_uint(convert_float_rte(x[i]));
    out[8 * i + 1] = as_uint(convert_float_rtz(x[i]));
    out[8 * i + 2] = as_uint(convert_float_rtp(x[i]));
    out[8 * i + 3] = as_uint(convert_float_rtn(x[i]));
    out[8 * i + 4] = convert_int_sat(x[i]);
    out[8 * i + 5] = convert_uint_sat_rte(x[i]);
    long whole = convert_long_sat(x[i]);
    out[8 * i + 6] = (uint)whole;
    out[8 * i + 7] = (uint)(whole >> 32);
}

kernel void from_integers(global double *out, global const long *x) {
    size_t i = get_global_id(0);
    out[4 * i] = convert_double_rte(x[i]);
    out[4 * i + 1] = convert_double_rtz(x[i]);
    out[4 * i + 2] = convert_double_rtp(as_ulong(x[i]));
    out[4 * i + 3] = convert_double((int)x[i]);
}
