// The math functions of OpenCL.std in double precision that no instruction computes.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define SIGN 0x8000000000000000ul
#define ONE_BITS 0x3ff0000000000000ul
#define FRACTION 0xffffffffffffful

static double with_sign(double magnitude, ulong sign) {
    return as_double(as_ulong(magnitude) | (sign & SIGN));
}

// 2**n for n from -1022 to 1023.
static double power_of_2(int n) { return as_double((ulong)(n + 1023) << 52); }

static bool usual(double x) { return (as_ulong(x) & ~SIGN) - 1 < 0x7feffffffffffffful; }

// x * 2**n, rounded once, if x is zero or from 0.25 to 4, or not finite.
static double scale(double x, int n) {
    n = clamp(n, -3000, 3000);
    int first = clamp(n, -1020, 1020);
    return x * power_of_2(first) * power_of_2(clamp(n - first, -1022, 1022));
}

// ---- The quotient and the root ----

// x / y where one of them is zero, infinite or not a number.
static double divide_edge(double x, double y) {
    double a = usual(x) ? 1.0 : fabs(x), b = usual(y) ? 1.0 : fabs(y);
    double value = a * (double)native_recip((float)b);
    return as_double(as_ulong(value) ^ ((as_ulong(x) ^ as_ulong(y)) & SIGN));
}

// q * 2**n where that is denormal or overflows; `rest` says on which side of q the exact number is.
static double divide_scale(double q, int n, double rest) {
    if (n > 0) return scale(q, n);
    // Two more bits: what is lost counts as a quarter.
    ulong m = ((as_ulong(q) & FRACTION) | (1ul << 52)) << 2;
    m = m + (ulong)(rest > 0.0) - (ulong)(rest < 0.0);
    // m * 2**(n + e - 54) in units of 2**-1074.
    int lost = min(54 - 1074 - n - ((int)(as_ulong(q) >> 52) - 1023), 60);
    ulong whole = m >> lost, part = m & ((1ul << lost) - 1), half_of = 1ul << (lost - 1);
    return as_double(whole + (ulong)(part > half_of || (part == half_of && (whole & 1))));
}

// x / y, rounded to the nearest: Newton's method for the inverse, and the remainder of the quotient.
double divide_f64(double x, double y) {
    if (!(usual(x) && usual(y))) return divide_edge(x, y);
    bool small_x = fabs(x) < 0x1p-1022, small_y = fabs(y) < 0x1p-1022;
    ulong a_bits = as_ulong(small_x ? x * 0x1p53 : x), b_bits = as_ulong(small_y ? y * 0x1p53 : y);
    int n = (int)(a_bits >> 52 & 2047) - (int)(b_bits >> 52 & 2047);
    n += (small_y ? 53 : 0) - (small_x ? 53 : 0);
    double a = as_double((a_bits & FRACTION) | ONE_BITS);
    double b = as_double((b_bits & FRACTION) | ONE_BITS);
    double inverse = (double)native_recip((float)b);
    double error = fma(-b, inverse, 1.0);
    inverse = fma(fma(error, error, error), inverse, inverse);
    inverse = fma(fma(-b, inverse, 1.0), inverse, inverse);
    double q = a * inverse;
    q = fma(fma(-b, q, a), inverse, q);
    double value = q * power_of_2(clamp(n, -1022, 1023));
    if (n < -1021 || n > 1022) value = divide_scale(q, n, fma(-b, q, a));
    return with_sign(value, a_bits ^ b_bits);
}

double smoothstep_f64(double from, double to, double x) {
    double t = clamp(divide_f64(x - from, to - from), 0.0, 1.0);
    return t * t * fma(-2.0, t, 3.0);
}

double sqrt_f64(double x) {
    // Into a range where floats do not overflow.
    ulong bits = as_ulong(x);
    int e = (int)(bits >> 52);
    bool edge = x == 0.0 || e >= 0x7ff;
    double factor = e < 100 ? 0x1p200 : e > 1800 ? 0x1p-600 : 1.0;
    double back = e < 100 ? 0x1p-100 : e > 1800 ? 0x1p300 : 1.0;
    double m = x * factor;
    // The exponent, made even.
    int half_of = ((int)(as_ulong(m) >> 52) - 1023) >> 1;
    m *= as_double((ulong)(1023 - 2 * half_of) << 52);
    double y = (double)native_rsqrt((float)m);
    // Goldschmidt's iteration: g nears the root, h half of its inverse.
    double g = m * y;
    double h = 0.5 * y;
    double r = fma(-g, h, 0.5);
    g = fma(g, r, g);
    h = fma(h, r, h);
    r = fma(-g, h, 0.5);
    g = fma(g, r, g);
    h = fma(h, r, h);
    // The root's own remainder rounds it.
    g = fma(fma(-g, g, m), h, g);
    g = fma(fma(-g, g, m), h, g);
    double value = g * as_double((ulong)(1023 + half_of) << 52) * back;
    value = edge ? x : value;
    return x < 0.0 || isnan(x) ? as_double(0x7ff8000000000000ul) : value;
}
