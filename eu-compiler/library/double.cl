// The math functions of OpenCL.std in double precision that no instruction computes. `float.cl` says
// how they are made; an integer as second result is in the low bits of the vector's.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF

#define LN2_HI 0x1.62e42fefa39efp-1
#define LN2_LO 0x1.abc9e3b39803fp-56
#define LOG2E 0x1.71547652b82fep+0
#define PI_HI 0x1.921fb54442d18p+1
#define PI_LO 0x1.1a62633145c07p-53
#define HALF_PI_HI 0x1.921fb54442d18p+0
#define HALF_PI_LO 0x1.1a62633145c07p-54
#define ONE_OVER_PI 0x1.45f306dc9c883p-2
#define SIGN 0x8000000000000000ul
#define ONE_BITS 0x3ff0000000000000ul
#define FRACTION 0xffffffffffffful
#define NOT_A_NUMBER as_double(0x7ff8000000000000ul)

// ---- The parts of a number ----

static double with_sign(double magnitude, ulong sign) {
    return as_double(as_ulong(magnitude) | (sign & SIGN));
}

// 2**n for n from -1022 to 1023.
static double power_of_2(int n) { return as_double((ulong)(n + 1023) << 52); }

// x * 2**n, rounded once, if x is zero or from 0.25 to 4, or not finite.
static double scale(double x, int n) {
    n = clamp(n, -3000, 3000);
    int first = clamp(n, -1020, 1020);
    return x * power_of_2(first) * power_of_2(clamp(n - first, -1022, 1022));
}

// The exponent of a number that is not zero, denormal ones included.
static int exponent(double x) {
    ulong bits = as_ulong(x) & ~SIGN;
    int shift = bits < 1ul << 52 ? (int)clz(bits) - 11 : 0;
    return (int)((bits << shift) >> 52) - 1023 - (bits < 1ul << 52 ? shift : 0);
}

// The same number with exponent 0.
static double mantissa(double x) {
    ulong bits = as_ulong(x) & ~SIGN;
    int shift = bits < 1ul << 52 ? (int)clz(bits) - 11 : 0;
    return as_double(((bits << shift) & FRACTION) | ONE_BITS | (as_ulong(x) & SIGN));
}

static bool usual(double x) { return (as_ulong(x) & ~SIGN) - 1 < 0x7feffffffffffffful; }

double ldexp_f64(double x, int n) {
    if (!usual(x)) return x;
    int from = exponent(x);
    // Far enough for everything, and no overflow.
    n = clamp(n, -5000, 5000) + from;
    double m = mantissa(x);
    // A single multiplication rounds.
    if (n < -1022) return m * 0x1p-1022 * power_of_2(max(n + 1022, -60));
    return n > 1023 ? m * 0x1p1023 * 2.0 : m * power_of_2(n);
}

double2 frexp_f64(double x) {
    if (!usual(x)) return (double2)(x, as_double(0ul));
    return (double2)(mantissa(x) * 0.5, as_double((long)(exponent(x) + 1)));
}

double logb_f64(double x) {
    if (usual(x)) return (double)exponent(x);
    return x == 0.0 ? -INFINITY : x * x;
}

int ilogb_f64(double x) {
    if (usual(x)) return exponent(x);
    return x == 0.0 ? (int)0x80000000 : 0x7fffffff;
}

double2 modf_f64(double x) {
    double whole = trunc(x);
    double rest = isinf(x) ? 0.0 : x - whole;
    return (double2)(with_sign(fabs(rest), as_ulong(x)), whole);
}

double2 fract_f64(double x) {
    double whole = floor(x);
    double rest = isinf(x) ? 0.0 : fmin(x - whole, 0x1.fffffffffffffp-1);
    rest = isnan(x) ? x : rest;
    return (double2)(x == 0.0 || isinf(x) ? with_sign(0.0, as_ulong(x)) : rest, whole);
}

double nextafter_f64(double x, double y) {
    long a = as_long(x), b = as_long(y);
    // Numbers in order.
    long from = a < 0 ? (long)SIGN - a : a;
    long to = b < 0 ? (long)SIGN - b : b;
    long next = from < to ? from + 1 : from > to ? from - 1 : from;
    // Below the smallest negative number is negative zero.
    double result = as_double(next < 0 || (next == 0 && from < 0) ? (long)SIGN - next : next);
    result = x == y ? y : result;
    return isnan(x) || isnan(y) ? NOT_A_NUMBER : result;
}

double fdim_f64(double x, double y) {
    double positive = x > y ? x - y : 0.0;
    return isnan(x) || isnan(y) ? NOT_A_NUMBER : positive;
}

double maxmag_f64(double x, double y) {
    double a = fabs(x), b = fabs(y);
    return a > b ? x : b > a ? y : fmax(x, y);
}

double minmag_f64(double x, double y) {
    double a = fabs(x), b = fabs(y);
    return a < b ? x : b < a ? y : fmin(x, y);
}

double nan_f64(ulong code) { return as_double(0x7ff8000000000000ul | (code & 0x7fffffffffffful)); }

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
    // The only inverse that Newton's method may round wrongly.
    inverse = (b_bits & FRACTION) == FRACTION ? 0x1.0000000000001p-1 : inverse;
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

// ---- Exponentials ----

// e**(r + lo) - 1 for |r| up to 0.35.
static double exp_rest(double r, double lo) {
    double p = 0x1.1f8d4d394c852p-29;
    p = fma(p, r, 0x1.af717e34249b3p-26);
    p = fma(p, r, 0x1.27e4cb5435e9p-22);
    p = fma(p, r, 0x1.71ddecf49f9a2p-19);
    p = fma(p, r, 0x1.a01a01adbcf39p-16);
    p = fma(p, r, 0x1.a01a01b4be162p-13);
    p = fma(p, r, 0x1.6c16c16c14f95p-10);
    p = fma(p, r, 0x1.111111110e939p-7);
    p = fma(p, r, 0x1.5555555555558p-5);
    p = fma(p, r, 0x1.555555555555cp-3);
    p = fma(p, r, 0x1.0p-1);
    return r + fma(p * r, r, lo);
}

// e**(hi + lo) * 2**n, with |hi| below 10000.
static double exp_parts(double hi, double lo, int n) {
    double k = rint(hi * LOG2E);
    double r = fma(k, -LN2_HI, hi);
    r = fma(k, -LN2_LO, r) + lo;
    return scale(exp_rest(r, 0.0) + 1.0, (int)k + n);
}

// Beyond these every result is zero or infinite.
static double clamp_exponent(double x, double limit) { return isnan(x) ? x : fmin(fmax(x, -limit), limit); }

// 2**(hi + lo).
static double exp2_parts(double hi, double lo) {
    double limited = clamp_exponent(hi, 3000.0);
    double k = rint(limited);
    double f = limited - k;
    lo = limited == hi ? lo : 0.0;
    double r = f * LN2_HI;
    double r_lo = fma(f, LN2_HI, -r);
    r_lo = fma(lo, LN2_HI, fma(f, LN2_LO, r_lo));
    double sum = r + r_lo;
    return scale(exp_rest(sum, r_lo - (sum - r)) + 1.0, (int)k);
}

double exp_f64(double x) { return exp_parts(clamp_exponent(x, 2000.0), 0.0, 0); }

double exp2_f64(double x) { return exp2_parts(x, 0.0); }

double exp10_f64(double x) {
    x = clamp_exponent(x, 1000.0);
    double k = rint(x * 0x1.a934f0979a371p+1);
    double f = fma(k, -0x1.34413509f79ffp-2, x);
    f = fma(k, 0x1.9dc1da994fd21p-59, f);
    double r = f * 0x1.26bb1bbb55516p+1;
    double r_lo = fma(f, 0x1.26bb1bbb55516p+1, -r);
    r_lo = fma(f, -0x1.f48ad494ea3e9p-53, r_lo);
    return scale(exp_rest(r, r_lo) + 1.0, (int)k);
}

double expm1_f64(double x) {
    double limited = clamp_exponent(x, 1000.0);
    double k = rint(limited * LOG2E);
    double r = fma(k, -LN2_HI, limited);
    r = fma(k, -LN2_LO, r);
    double p = exp_rest(r, 0.0);
    int n = (int)k;
    double s = power_of_2(clamp(n, -1022, 1000));
    double value = fma(p, s, s - 1.0);
    value = n > 1000 ? scale(p + 1.0, n) : value;
    return x == 0.0 ? x : value;
}

double sinh_f64(double x) {
    double a = fabs(x);
    double e = expm1_f64(fmin(a, 40.0));
    double small = 0.5 * (e + e / (e + 1.0));
    double value = a > 36.0 ? exp_parts(fmin(a, 2000.0), 0.0, -1) : small;
    value = a < 0x1p-30 ? a : value;
    return isnan(x) ? x : with_sign(value, as_ulong(x));
}

double cosh_f64(double x) {
    double a = clamp_exponent(fabs(x), 2000.0);
    double half_of = exp_parts(a, 0.0, -1);
    return a > 36.0 ? half_of : half_of + 0.25 / half_of;
}

double tanh_f64(double x) {
    double a = fabs(x);
    double e = expm1_f64(2.0 * fmin(a, 40.0));
    double value = e / (e + 2.0);
    value = a < 0x1p-30 ? a : value;
    return isnan(x) ? x : with_sign(value, as_ulong(x));
}

// ---- Logarithms ----

// A quotient in the middle of the range, wrong by less than two units.
static double ratio(double a, double b) {
    double y = (double)native_recip((float)b);
    double e = fma(-b, y, 1.0);
    y = fma(fma(e, e, e), y, y);
    double q = a * y;
    return fma(fma(-b, q, a), y, q);
}

// log(1 + f) - f for 1 + f from sqrt(0.5) to sqrt(2): by the series of the inverse hyperbolic tangent.
static double log_rest(double f) {
    double s = ratio(f, 2.0 + f);
    double z = s * s;
    double p = 0x1.715c3bf70d81ap-5;
    p = fma(p, z, 0x1.ef1957010c4acp-5);
    p = fma(p, z, 0x1.10a2d889dd871p-4);
    p = fma(p, z, 0x1.3b175d3ed1f93p-4);
    p = fma(p, z, 0x1.745d0541f0879p-4);
    p = fma(p, z, 0x1.c71c71fb13c9p-4);
    p = fma(p, z, 0x1.2492492467dbp-3);
    p = fma(p, z, 0x1.9999999999bc9p-3);
    p = fma(p, z, 0x1.5555555555555p-2);
    double square = 0.5 * f * f;
    return s * fma(2.0 * z, p, square) - square;
}

// f and e with x = (1 + f) * 2**e, for numbers above zero.
static double2 log_parts(double x) {
    int e = exponent(x);
    double m = mantissa(x);
    bool big = m > 0x1.6a09e667f3bcdp+0;
    m = big ? m * 0.5 : m;
    return (double2)(m - 1.0, (double)(big ? e + 1 : e));
}

static double log_special(double x) { return x == 0.0 ? -INFINITY : x < 0.0 ? NOT_A_NUMBER : x; }

static double log_positive(double x) {
    double2 parts = log_parts(x);
    double f = parts.x, e = parts.y;
    double rest = fma(e, LN2_LO, log_rest(f));
    return fma(e, LN2_HI, f + rest);
}

double log_f64(double x) { return x > 0.0 && usual(x) ? log_positive(x) : log_special(x); }

double log2_f64(double x) {
    double2 parts = log_parts(x);
    double f = parts.x;
    double rest = log_rest(f);
    double low = fma(f, 0x1.777d0ffda0d24p-56, rest * LOG2E);
    double value = fma(f, LOG2E, low) + parts.y;
    return x > 0.0 && usual(x) ? value : log_special(x);
}

double log10_f64(double x) {
    double2 parts = log_parts(x);
    double f = parts.x, e = parts.y;
    double low = fma(f, 0x1.95355baaafad3p-57, log_rest(f) * 0x1.bcb7b1526e50ep-2);
    low = fma(e, -0x1.9dc1da994fd21p-59, low);
    double value = fma(e, 0x1.34413509f79ffp-2, fma(f, 0x1.bcb7b1526e50ep-2, low));
    return x > 0.0 && usual(x) ? value : log_special(x);
}

// log(1 + x + lo).
static double log1p_parts(double x, double lo) {
    double u = 1.0 + x;
    // What is lost in the sum.
    double c = fabs(x) > 1.0 ? 1.0 - (u - x) : x - (u - 1.0);
    c += lo;
    double2 parts = log_parts(u);
    double e = parts.y;
    bool whole = e == 0.0;
    // 1 + x has no exponent: f is x itself.
    double f = whole ? x : parts.x;
    double correction = whole ? lo * (1.0 - x) : c / u;
    double rest = fma(e, LN2_LO, log_rest(f) + correction);
    return fma(e, LN2_HI, f + rest);
}

double log1p_f64(double x) {
    double value = log1p_parts(x, 0.0);
    value = x > -1.0 && usual(x) ? value : x == -1.0 ? -INFINITY : x < -1.0 ? NOT_A_NUMBER : x;
    return value;
}

double asinh_f64(double x) {
    double a = fabs(x);
    // a + (sqrt(1 + a*a) - 1), whose second part is a*a / (1 + sqrt(1 + a*a)).
    double b = fmin(a, 0x1p60);
    double square = b * b;
    double part = square / (1.0 + sqrt(1.0 + square));
    double t = b + part;
    double low = b > part ? part - (t - b) : b - (t - part);
    double value = log1p_parts(t, low);
    double big = log_positive(fmax(a, 1.0)) + LN2_HI;
    value = a > 0x1p56 ? big : value;
    value = a < 0x1p-30 ? a : value;
    return isnan(x) || isinf(x) ? x : with_sign(value, as_ulong(x));
}

double acosh_f64(double x) {
    double t = x - 1.0;
    double limited = fmin(t, 0x1p60);
    double root = sqrt(fma(limited, limited, 2.0 * limited));
    double sum = limited + root;
    double low = limited > root ? root - (sum - limited) : limited - (sum - root);
    double value = log1p_parts(sum, low);
    value = x > 0x1p56 ? log_positive(x) + LN2_HI : value;
    value = isinf(x) ? x : value;
    return x >= 1.0 ? value : NOT_A_NUMBER;
}

double atanh_f64(double x) {
    double a = fabs(x);
    double d = 1.0 - a;
    double q = 2.0 * a / d;
    double value = 0.5 * log1p_parts(q, fma(-q, d, 2.0 * a) / d);
    value = a < 0x1p-30 ? a : value;
    value = a == 1.0 ? INFINITY : value;
    return a <= 1.0 ? with_sign(value, as_ulong(x)) : NOT_A_NUMBER;
}

// ---- Powers and roots ----

// log2 of a number above zero as hi + lo.
static double2 log2_parts(double x) {
    double2 parts = log_parts(x);
    double f = parts.x, e = parts.y;
    // s = f / (2 + f), twice as precise; log2(1 + f) = 2 / ln(2) * (s + s**3/3 + ...).
    double d = 2.0 + f;
    double d_lo = f - (d - 2.0);
    double s = ratio(f, d);
    double s_lo = ratio(fma(-s, d_lo, fma(-s, d, f)), d);
    double z = s * s;
    double p = 0x1.715c3bf70d81ap-5;
    p = fma(p, z, 0x1.ef1957010c4acp-5);
    p = fma(p, z, 0x1.10a2d889dd871p-4);
    p = fma(p, z, 0x1.3b175d3ed1f93p-4);
    p = fma(p, z, 0x1.745d0541f0879p-4);
    p = fma(p, z, 0x1.c71c71fb13c9p-4);
    p = fma(p, z, 0x1.2492492467dbp-3);
    p = fma(p, z, 0x1.9999999999bc9p-3);
    // The cube's product with 1/3 is kept in two parts.
    double cube = s * z;
    double cube_lo = fma(s, z, -cube) + s * fma(s, s, -z) + 3.0 * z * s_lo;
    double third = cube * 0x1.5555555555555p-2;
    double third_lo = fma(cube, 0x1.5555555555555p-2, -third);
    third_lo += fma(cube, fma(p, z, 0x1.5555555555555p-56), cube_lo * 0x1.5555555555555p-2);
    double sum = s + third;
    double sum_lo = (third - (sum - s)) + (third_lo + s_lo);
    // The product with 2 / ln(2).
    double hi = sum * 0x1.71547652b82fep+1;
    double lo = fma(sum, 0x1.71547652b82fep+1, -hi);
    lo = fma(sum, 0x1.777d0ffda0d24p-55, fma(sum_lo, 0x1.71547652b82fep+1, lo));
    // |e| is zero or above |hi|.
    double value = e + hi;
    double value_lo = (e == 0.0 ? 0.0 : hi - (value - e)) + lo;
    double total = value + value_lo;
    return (double2)(total, value_lo - (total - value));
}

// |x|**(y + y_lo) for usual x.
static double power(double x, double y, double y_lo) {
    double2 l = log2_parts(fabs(x));
    double limited = clamp_exponent(y, 0x1p900);
    double hi = limited * l.x;
    double lo = fma(limited, l.x, -hi);
    lo = fma(limited, l.y, fma(y_lo, l.x, lo));
    lo = fabs(hi) > 3000.0 ? 0.0 : lo;
    return exp2_parts(hi, lo);
}

// Whether it is an odd integer.
static bool is_odd(double y) {
    double half_of = 0.5 * y;
    return trunc(y) == y && trunc(half_of) != half_of && fabs(y) < 0x1p54;
}

// x**y, where x is zero or infinite.
static double power_of_edge(double x, bool negative, bool odd) {
    bool grows = (x == 0.0) == negative;
    return with_sign(grows ? INFINITY : 0.0, odd ? as_ulong(x) : 0);
}

double pow_f64(double x, double y) {
    bool odd = is_odd(y);
    double value = power(x, y, 0.0);
    value = x < 0.0 && odd ? -value : value;
    value = x < 0.0 && trunc(y) != y ? NOT_A_NUMBER : value;
    value = x == 0.0 || isinf(x) ? power_of_edge(x, y < 0.0, odd) : value;
    if (isinf(y)) {
        double a = fabs(x);
        value = a == 1.0 ? 1.0 : (a > 1.0) == (y > 0.0) ? INFINITY : 0.0;
    }
    value = isnan(x) || isnan(y) ? NOT_A_NUMBER : value;
    return x == 1.0 || y == 0.0 ? 1.0 : value;
}

double pown_f64(double x, int n) {
    double y = (double)n;
    bool odd = n & 1;
    double value = power(x, y, 0.0);
    value = x < 0.0 && odd ? -value : value;
    value = x == 0.0 || isinf(x) ? power_of_edge(x, n < 0, odd) : value;
    value = isnan(x) ? x : value;
    return n == 0 ? 1.0 : value;
}

double powr_f64(double x, double y) {
    double value = power(x, y, 0.0);
    value = x == 0.0 || isinf(x) ? power_of_edge(fabs(x), y < 0.0, false) : value;
    value = isinf(y) ? ((x > 1.0) == (y > 0.0) ? INFINITY : 0.0) : value;
    bool undefined = x < 0.0 || isnan(x) || isnan(y);
    undefined |= x == 1.0 && isinf(y);
    undefined |= (x == 0.0 || isinf(x)) && y == 0.0;
    value = undefined ? NOT_A_NUMBER : value;
    return !undefined && y == 0.0 ? 1.0 : value;
}

double rootn_f64(double x, int n) {
    // 1 / n, twice as precise.
    double d = (double)n;
    double y = 1.0 / d;
    double y_lo = fma(-y, d, 1.0) / d;
    bool odd = n & 1;
    double value = power(x, y, y_lo);
    value = x < 0.0 ? (odd ? -value : NOT_A_NUMBER) : value;
    value = x == 0.0 || isinf(x) ? power_of_edge(x, n < 0, odd) : value;
    value = isinf(x) && x < 0.0 && !odd ? NOT_A_NUMBER : value;
    return isnan(x) || n == 0 ? NOT_A_NUMBER : value;
}

double cbrt_f64(double x) {
    if (!usual(x)) return x;
    int e = exponent(x);
    // The exponent as 3 * q + r.
    int q = (e + 3000) / 3 - 1000;
    int r = e - 3 * q;
    double m = fabs(mantissa(x)) * power_of_2(r);
    double y = (double)native_exp2(native_log2((float)m) * 0x1.555556p-2f);
    for (int i = 0; i < 3; i++) {
        double square = y * y;
        double error = fma(square, y, -m) + y * fma(y, y, -square);
        y -= ratio(error, 3.0 * square);
    }
    return with_sign(scale(y, q), as_ulong(x));
}

double hypot_f64(double x, double y) {
    double a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y));
    double up = a > 0x1p500 ? 0x1p-520 : a < 0x1p-500 ? 0x1p580 : 1.0;
    double back = a > 0x1p500 ? 0x1p520 : a < 0x1p-500 ? 0x1p-580 : 1.0;
    double p = a * up, q = b * up;
    double value = sqrt(fma(p, p, q * q)) * back;
    value = isnan(x) || isnan(y) ? NOT_A_NUMBER : value;
    return isinf(x) || isinf(y) ? INFINITY : value;
}

// ---- Angles ----

// sin(r + lo) for |r| up to pi/4.
static double sin_part(double r, double lo) {
    double z = r * r;
    double p = -0x1.a5b814c51a1f5p-41;
    p = fma(p, z, 0x1.61154ba7a6431p-33);
    p = fma(p, z, -0x1.ae643e25f387dp-26);
    p = fma(p, z, 0x1.71de3a40a8198p-19);
    p = fma(p, z, -0x1.a01a01a00729dp-13);
    p = fma(p, z, 0x1.111111111108cp-7);
    p = fma(p, z, -0x1.5555555555555p-3);
    return fma(r * z, p, lo) + r;
}

static double cos_part(double r, double lo) {
    double z = r * r;
    double p = 0x1.a2694e8c9bcd8p-45;
    p = fma(p, z, -0x1.937e85e7109f5p-37);
    p = fma(p, z, 0x1.1eed780976429p-29);
    p = fma(p, z, -0x1.27e4fb6104b7ep-22);
    p = fma(p, z, 0x1.a01a01a0020c5p-16);
    p = fma(p, z, -0x1.6c16c16c16b49p-10);
    p = fma(p, z, 0x1.5555555555555p-5);
    p = fma(p * z, z, -r * lo);
    double near = fma(-0.5, z, 1.0);
    return near + (p + fma(-0.5, z, 1.0 - near));
}

// Bits of 2/pi, after 64 zeroes.
static ulong two_over_pi(uint word) {
    ulong bits = 0;
    bits = word == 1 ? 0xa2f9836e4e441529ul : bits;
    bits = word == 2 ? 0xfc2757d1f534ddc0ul : bits;
    bits = word == 3 ? 0xdb6295993c439041ul : bits;
    bits = word == 4 ? 0xfe5163abdebbc561ul : bits;
    bits = word == 5 ? 0xb7246e3a424dd2e0ul : bits;
    bits = word == 6 ? 0x6492eea09d1921cul : bits;
    bits = word == 7 ? 0xfe1deb1cb129a73eul : bits;
    bits = word == 8 ? 0xe88235f52ebb4484ul : bits;
    bits = word == 9 ? 0xe99c7026b45f7e41ul : bits;
    bits = word == 10 ? 0x3991d639835339f4ul : bits;
    bits = word == 11 ? 0x9c845f8bbdf9283bul : bits;
    bits = word == 12 ? 0x1ff897ffde05980ful : bits;
    bits = word == 13 ? 0xef2f118b5a0a6d1ful : bits;
    bits = word == 14 ? 0x6d367ecf27cb09b7ul : bits;
    bits = word == 15 ? 0x4f463f669e5fea2dul : bits;
    bits = word == 16 ? 0x7527bac7ebe5f17bul : bits;
    bits = word == 17 ? 0x3d0739f78a5292eaul : bits;
    bits = word == 18 ? 0x6bfb5fb11f8d5d08ul : bits;
    return bits;
}

typedef struct {
    double hi, lo;
    int quadrant;
} angle;

// x less a multiple of pi/2, by the product with 2/pi in integers.
static angle reduce_large(double x) {
    ulong bits = as_ulong(x);
    // x = m * 2**(e - 52); the first e - 54 bits of 2/pi only give multiples of 4. There is a word
    // of zeroes before them.
    uint skip = (uint)(bits >> 52 & 2047) - 1023 - 54 + 64;
    ulong m = (bits & FRACTION) | (1ul << 52);
    uint word = skip >> 6, by = skip & 63;
    ulong w0 = two_over_pi(word), w1 = two_over_pi(word + 1), w2 = two_over_pi(word + 2);
    ulong w3 = two_over_pi(word + 3);
    // 192 bits from `skip` on.
    ulong a = by == 0 ? w0 : w0 << by | w1 >> (64 - by);
    ulong b = by == 0 ? w1 : w1 << by | w2 >> (64 - by);
    ulong c = by == 0 ? w2 : w2 << by | w3 >> (64 - by);
    // The upper 128 of the lower 192 bits of the product: the number of quarter turns modulo 4 in
    // two bits, and the rest as a fraction.
    ulong p1 = m * b, carried = mul_hi(m, c);
    ulong low = p1 + carried;
    ulong high = m * a + mul_hi(m, b) + (low < carried);
    int quadrant = (int)(high >> 62);
    high = high << 2 | low >> 62;
    low <<= 2;
    bool negative = (long)high < 0;
    quadrant += negative;
    // The rest is a fraction of 2**128 between -0.5 and 0.5.
    high = negative ? ~high : high;
    low = negative ? ~low : low;
    int zeros = high == 0 ? 63 : (int)clz(high);
    ulong normal = zeros == 0 ? high : high << zeros | low >> (64 - zeros);
    ulong next = low << zeros;
    double hi = (double)(normal >> 11) * 0x1p-53;
    double lo = (double)((normal & 0x7ff) << 42 | next >> 22) * 0x1p-106;
    double unit = power_of_2(-zeros);
    hi *= unit;
    lo *= unit;
    // Times pi/2.
    double r = hi * HALF_PI_HI;
    double r_lo = fma(hi, HALF_PI_HI, -r);
    r_lo = fma(hi, HALF_PI_LO, fma(lo, HALF_PI_HI, r_lo));
    ulong sign = (negative ? SIGN : 0) ^ (bits & SIGN);
    angle out;
    out.hi = as_double(as_ulong(r) ^ sign);
    out.lo = as_double(as_ulong(r_lo) ^ sign);
    out.quadrant = (long)bits < 0 ? -quadrant : quadrant;
    return out;
}

static angle reduce(double x) {
    if (fabs(x) >= 0x1p20) return reduce_large(x);
    double k = rint(x * 0x1.45f306dc9c883p-1);
    // The first product is exact in the sum, what follows is kept in two parts.
    double r = fma(k, -HALF_PI_HI, x);
    double c = k * HALF_PI_LO;
    double c_lo = fma(k, HALF_PI_LO, -c);
    double hi = r - c;
    double lo = (r - hi) - c;
    lo = lo - c_lo;
    lo = fma(k, 0x1.f1976b7ed8fbcp-110, lo);
    angle out;
    out.hi = hi + lo;
    out.lo = lo - (out.hi - hi);
    out.quadrant = (int)k;
    return out;
}

static double sin_of_quadrant(angle a) {
    double value = a.quadrant & 1 ? cos_part(a.hi, a.lo) : sin_part(a.hi, a.lo);
    return a.quadrant & 2 ? -value : value;
}

double sin_f64(double x) {
    double value = sin_of_quadrant(reduce(x));
    return isinf(x) || isnan(x) ? NOT_A_NUMBER : x == 0.0 ? x : value;
}

double cos_f64(double x) {
    angle a = reduce(x);
    a.quadrant++;
    double value = sin_of_quadrant(a);
    return isinf(x) || isnan(x) ? NOT_A_NUMBER : value;
}

double2 sincos_f64(double x) {
    angle a = reduce(x);
    double sine = sin_part(a.hi, a.lo), cosine = cos_part(a.hi, a.lo);
    bool odd = a.quadrant & 1;
    double s = odd ? cosine : sine, c = odd ? sine : cosine;
    s = a.quadrant & 2 ? -s : s;
    c = (a.quadrant + 1) & 2 ? -c : c;
    bool edge = isinf(x) || isnan(x);
    s = x == 0.0 ? x : s;
    return (double2)(edge ? NOT_A_NUMBER : s, edge ? NOT_A_NUMBER : c);
}

double tan_f64(double x) {
    angle a = reduce(x);
    double sine = sin_part(a.hi, a.lo), cosine = cos_part(a.hi, a.lo);
    bool odd = a.quadrant & 1;
    double value = (odd ? -cosine : sine) / (odd ? sine : cosine);
    return isinf(x) || isnan(x) ? NOT_A_NUMBER : x == 0.0 ? x : value;
}

static double sinpi_part(double r) {
    double z = r * r;
    double p = -0x1.705c0fd24b1fbp-16;
    p = fma(p, z, 0x1.e8fd687a17c8dp-12);
    p = fma(p, z, -0x1.e307605fe4fb3p-8);
    p = fma(p, z, 0x1.5078349505744p-4);
    p = fma(p, z, -0x1.32d2cce636305p-1);
    p = fma(p, z, 0x1.466bc6775ab5dp+1);
    p = fma(p, z, -0x1.4abbce625be53p+2);
    return fma(r, PI_HI, r * fma(p, z, PI_LO));
}

static double cospi_part(double r) {
    double z = r * r;
    double p = -0x1.4a3e30bd65018p-17;
    p = fma(p, z, -0x1.a77b4842ba3c2p-14);
    p = fma(p, z, 0x1.f9b95816ade4cp-10);
    p = fma(p, z, -0x1.a6d1db3a0022ep-6);
    p = fma(p, z, 0x1.e1f50671ae4f1p-3);
    p = fma(p, z, -0x1.55d3c7e3bf19bp+0);
    p = fma(p, z, 0x1.03c1f081b5a53p+2);
    p = fma(p, z, -0x1.3bd3cc9be45dep+2);
    return fma(p, z, 1.0);
}

// x as a multiple of 1/2 and a rest up to 1/4.
static double2 half_turns(double x) {
    double a = fabs(x);
    // All larger numbers are even integers.
    a = a < 0x1p53 ? a : 0.0;
    double k = rint(2.0 * a);
    return (double2)(fma(k, -0.5, a), as_double((long)k));
}

double sinpi_f64(double x) {
    double2 parts = half_turns(x);
    long k = as_long(parts.y);
    double value = k & 1 ? cospi_part(parts.x) : sinpi_part(parts.x);
    value = k & 2 ? -value : value;
    // Integers give zero with the sign of x.
    value = value == 0.0 ? 0.0 : value;
    value = as_double(as_ulong(value) ^ (as_ulong(x) & SIGN));
    return isinf(x) || isnan(x) ? NOT_A_NUMBER : value;
}

double cospi_f64(double x) {
    double2 parts = half_turns(x);
    long k = as_long(parts.y);
    double value = k & 1 ? sinpi_part(parts.x) : cospi_part(parts.x);
    value = (k + 1) & 2 ? -value : value;
    value = value == 0.0 ? 0.0 : value;
    return isinf(x) || isnan(x) ? NOT_A_NUMBER : value;
}

double tanpi_f64(double x) {
    double2 parts = half_turns(x);
    long k = as_long(parts.y);
    double sine = sinpi_part(parts.x), cosine = cospi_part(parts.x);
    bool odd = k & 1;
    double value = (odd ? -cosine : sine) / (odd ? sine : cosine);
    // The zero of an even integer is positive, that of an odd one negative; so are the poles.
    value = parts.x == 0.0 ? with_sign(odd ? INFINITY : 0.0, k & 2 ? SIGN : 0) : value;
    value = as_double(as_ulong(value) ^ (as_ulong(x) & SIGN));
    return isinf(x) || isnan(x) ? NOT_A_NUMBER : value;
}

// ---- Inverse angles ----

// asin(x) - x for |x| up to 1/2, by the square of x.
static double asin_rest(double x, double z) {
    double p = 0x1.0af379e651188p-5;
    p = fma(p, z, -0x1.56eedd53cbf7dp-6);
    p = fma(p, z, 0x1.62daa950786bap-6);
    p = fma(p, z, 0x1.e878ce55107adp-9);
    p = fma(p, z, 0x1.6111c74a88316p-7);
    p = fma(p, z, 0x1.758d268ee4417p-7);
    p = fma(p, z, 0x1.ca1ea227054eep-7);
    p = fma(p, z, 0x1.1c49f9e9a13dep-6);
    p = fma(p, z, 0x1.6e8bde5eef66dp-6);
    p = fma(p, z, 0x1.f1c71a992177dp-6);
    p = fma(p, z, 0x1.6db6db7209136p-5);
    p = fma(p, z, 0x1.333333332e1b5p-4);
    p = fma(p, z, 0x1.5555555555577p-3);
    return x * z * p;
}

// asin(sqrt((1 - a) / 2)) for a from 1/2 to 1.
static double2 asin_of_complement(double a) {
    double z = fma(a, -0.5, 0.5);
    double root = sqrt(z);
    double low = root == 0.0 ? 0.0 : fma(-root, root, z) / (2.0 * root);
    return (double2)(root, asin_rest(root, z) + low);
}

double asin_f64(double x) {
    double a = fabs(x);
    double2 far = asin_of_complement(a);
    double value = HALF_PI_HI - 2.0 * far.x;
    double lost = (HALF_PI_HI - value) - 2.0 * far.x;
    value += fma(-2.0, far.y, lost + HALF_PI_LO);
    value = a <= 0.5 ? a + asin_rest(a, a * a) : value;
    return a <= 1.0 ? with_sign(value, as_ulong(x)) : NOT_A_NUMBER;
}

// acos(x) as hi + lo.
static double2 acos_parts(double x) {
    double a = fabs(x);
    if (a <= 0.5) {
        double rest = asin_rest(x, x * x);
        double value = HALF_PI_HI - x;
        double lost = (HALF_PI_HI - value) - x;
        return (double2)(value, (lost + HALF_PI_LO) - rest);
    }
    double2 far = asin_of_complement(a);
    if (x > 0.0) return 2.0 * far;
    double value = PI_HI - 2.0 * far.x;
    double lost = (PI_HI - value) - 2.0 * far.x;
    return (double2)(value, fma(-2.0, far.y, lost + PI_LO));
}

double acos_f64(double x) {
    double2 parts = acos_parts(x);
    return fabs(x) <= 1.0 ? parts.x + parts.y : NOT_A_NUMBER;
}

// atan of q + q_lo for q from 0 to 1, as hi + lo.
static double2 atan_parts(double q, double q_lo) {
    double z = q * q;
    double p = 0x1.7cb5d4011bfd2p-18;
    p = fma(p, z, -0x1.297930a64420fp-14);
    p = fma(p, z, 0x1.bac5c01149c8bp-12);
    p = fma(p, z, -0x1.a366c653ba0b4p-10);
    p = fma(p, z, 0x1.1d98101dfc03p-8);
    p = fma(p, z, -0x1.2c57c429eddacp-7);
    p = fma(p, z, 0x1.00d1c2bf1f52bp-6);
    p = fma(p, z, -0x1.7516e54ac717cp-6);
    p = fma(p, z, 0x1.dfb494f1dd6bfp-6);
    p = fma(p, z, -0x1.1be18c06b4b03p-5);
    p = fma(p, z, 0x1.404b4c9ce7ad3p-5);
    p = fma(p, z, -0x1.61e457eff2fep-5);
    p = fma(p, z, 0x1.8586bc1b0e9bep-5);
    p = fma(p, z, -0x1.af0b8acd5ef46p-5);
    p = fma(p, z, 0x1.e1dd692c0a008p-5);
    p = fma(p, z, -0x1.1110cd7ab3cc9p-4);
    p = fma(p, z, 0x1.3b13ab553270bp-4);
    p = fma(p, z, -0x1.745d16e897cf9p-4);
    p = fma(p, z, 0x1.c71c71c349714p-4);
    p = fma(p, z, -0x1.249249248630bp-3);
    p = fma(p, z, 0x1.999999999972dp-3);
    p = fma(p, z, -0x1.5555555555554p-2);
    return (double2)(q, fma(q * z, p, q_lo / (1.0 + z)));
}

// The angle of (x, y) as hi + lo, for x and y that are not NaN.
static double2 angle_of(double y, double x) {
    double a = fabs(x), b = fabs(y);
    double big = fmax(a, b), small = fmin(a, b);
    bool same = a == b;
    // Away from the ends of the range of exponents.
    double factor = big > 0x1p900 ? 0x1p-200 : big < 0x1p-800 ? 0x1p200 : 1.0;
    double scaled = isinf(big) ? 1.0 : big * factor;
    scaled = big == 0.0 ? 1.0 : scaled;
    double top = isinf(big) ? 0.0 : small * factor;
    double q = top / scaled;
    double q_lo = q < 0x1p-500 ? 0.0 : fma(-q, scaled, top) / scaled;
    q = same && big != 0.0 ? 1.0 : q;
    q_lo = same ? 0.0 : q_lo;
    double2 t = atan_parts(q, q_lo);
    double2 turned;
    if (b > a) {
        turned.x = HALF_PI_HI - t.x;
        turned.y = ((HALF_PI_HI - turned.x) - t.x) + HALF_PI_LO - t.y;
        t = turned;
    }
    if ((long)as_ulong(x) < 0) {
        turned.x = PI_HI - t.x;
        turned.y = ((PI_HI - turned.x) - t.x) + PI_LO - t.y;
        t = turned;
    }
    return t;
}

double atan_f64(double x) {
    double2 parts = angle_of(fabs(x), 1.0);
    return isnan(x) ? x : with_sign(parts.x + parts.y, as_ulong(x));
}

double atan2_f64(double y, double x) {
    double2 parts = angle_of(y, x);
    return isnan(x) || isnan(y) ? NOT_A_NUMBER : with_sign(parts.x + parts.y, as_ulong(y));
}

// (hi + lo) / pi.
static double over_pi(double2 parts) {
    double product = parts.x * ONE_OVER_PI;
    double low = fma(parts.x, ONE_OVER_PI, -product);
    low = fma(parts.x, -0x1.6b01ec5417056p-56, fma(parts.y, ONE_OVER_PI, low));
    return product + low;
}

double asinpi_f64(double x) {
    double a = fabs(x);
    double2 far = asin_of_complement(a);
    double2 parts;
    parts.x = HALF_PI_HI - 2.0 * far.x;
    parts.y = fma(-2.0, far.y, ((HALF_PI_HI - parts.x) - 2.0 * far.x) + HALF_PI_LO);
    parts = a <= 0.5 ? (double2)(a, asin_rest(a, a * a)) : parts;
    // Small numbers are scaled, so that nothing is lost below.
    double factor = a < 0x1p-500 ? 0x1p560 : 1.0;
    double value = over_pi(parts * factor) * (a < 0x1p-500 ? 0x1p-560 : 1.0);
    return a <= 1.0 ? with_sign(value, as_ulong(x)) : NOT_A_NUMBER;
}

double acospi_f64(double x) { return fabs(x) <= 1.0 ? over_pi(acos_parts(x)) : NOT_A_NUMBER; }

double atanpi_f64(double x) {
    double a = fabs(x);
    double factor = a < 0x1p-500 ? 0x1p560 : 1.0;
    double value = over_pi(angle_of(a, 1.0) * factor) * (a < 0x1p-500 ? 0x1p-560 : 1.0);
    return isnan(x) ? x : with_sign(value, as_ulong(x));
}

double atan2pi_f64(double y, double x) {
    double2 parts = angle_of(y, x);
    bool tiny = parts.x < 0x1p-500;
    double value = over_pi(parts * (tiny ? 0x1p560 : 1.0)) * (tiny ? 0x1p-560 : 1.0);
    return isnan(x) || isnan(y) ? NOT_A_NUMBER : with_sign(value, as_ulong(y));
}

// ---- Remainders ----

typedef struct {
    double rest;
    uint quotient;
    bool at_least_half, above_half;
} division;

// |x| less the largest multiple of |y| that is not above it, for usual numbers.
static division divide_whole(double x, double y) {
    int from = exponent(x), to = exponent(y);
    ulong a = (as_ulong(mantissa(x)) & FRACTION) | 1ul << 52;
    ulong b = (as_ulong(mantissa(y)) & FRACTION) | 1ul << 52;
    uint quotient = 0;
    ulong rest = a;
    int left = from - to;
    if (left >= 0) {
        quotient = a >= b;
        rest = a >= b ? a - b : a;
        // A bit of the quotient each time.
        for (; left > 0; left--) {
            rest <<= 1;
            bool fits = rest >= b;
            rest = fits ? rest - b : rest;
            quotient = quotient << 1 | fits;
        }
    }
    division out;
    // Twice the rest against the divisor, which is at exponent `to`.
    ulong twice = left < -1 ? 0 : left == -1 ? rest : rest << 1;
    out.at_least_half = left >= -1 && twice >= b;
    out.above_half = left >= -1 && twice > b;
    out.quotient = quotient;
    out.rest = left < 0 ? fabs(x) : ldexp_f64((double)rest, to - 52);
    return out;
}

// Numbers for which there is nothing to do: the result.
static bool remainder_edge(double x, double y) { return !(usual(x) && usual(y)); }

static double remainder_of_edge(double x, double y) {
    bool undefined = isnan(x) || isnan(y) || isinf(x) || y == 0.0;
    return undefined ? NOT_A_NUMBER : x;
}

double fmod_f64(double x, double y) {
    if (remainder_edge(x, y)) return remainder_of_edge(x, y);
    return with_sign(divide_whole(x, y).rest, as_ulong(x));
}

double2 remquo_f64(double x, double y) {
    if (remainder_edge(x, y)) return (double2)(remainder_of_edge(x, y), as_double(0ul));
    division d = divide_whole(x, y);
    // To the nearest, halves to even.
    bool up = d.above_half || (d.at_least_half && (d.quotient & 1));
    double rest = up ? d.rest - fabs(y) : d.rest;
    int quotient = (int)(d.quotient + up & 0x7f);
    quotient = (long)(as_ulong(x) ^ as_ulong(y)) < 0 ? -quotient : quotient;
    rest = rest == 0.0 ? 0.0 : rest;
    return (double2)(as_double(as_ulong(rest) ^ (as_ulong(x) & SIGN)), as_double((long)quotient));
}

double remainder_f64(double x, double y) { return remquo_f64(x, y).x; }

// ---- Error and gamma functions ----

// erf(x) / x near zero, of the square of x.
static double erf_near(double z) {
    double near = -0x1.3920a4a427c4cp-33;
    near = fma(near, z, 0x1.1a9da393c3052p-30);
    near = fma(near, z, -0x1.c12e887ba401dp-29);
    near = fma(near, z, 0x1.67d48d307b865p-28);
    near = fma(near, z, 0x1.c7955ccce921p-28);
    near = fma(near, z, -0x1.5016ead8c63acp-23);
    near = fma(near, z, 0x1.b8b635e2afd0cp-20);
    near = fma(near, z, -0x1.f4c18d2b97d29p-17);
    near = fma(near, z, 0x1.f9a27ee9d9255p-14);
    near = fma(near, z, -0x1.c02daf73413c3p-11);
    near = fma(near, z, 0x1.565bccf957f66p-8);
    near = fma(near, z, -0x1.b82ce3120e273p-6);
    near = fma(near, z, 0x1.ce2f21a0412aap-4);
    near = fma(near, z, -0x1.812746b0379cp-2);
    near = fma(near, z, 0x1.20dd750429b6dp+0);
    return near;
}

double erfc_f64(double x) {
    double a = fabs(x);
    double near = erf_near(a * a);
    if (a < 0.9) return isnan(x) ? x : fma(-x, near, 1.0);
    // exp(-a*a) * t * q(t), with the square in two parts.
    double b = fmin(a, 28.0);
    double t = 2.0 / (2.0 + b);
    double q = -0x1.f8916fb37e114p-3;
    q = fma(q, t, 0x1.2c4a461778f92p+1);
    q = fma(q, t, -0x1.4c1dc830f6a64p+3);
    q = fma(q, t, 0x1.c393c0c849a0ep+4);
    q = fma(q, t, -0x1.a4923220f0154p+5);
    q = fma(q, t, 0x1.1ae8489691693p+6);
    q = fma(q, t, -0x1.1ab993fb8af72p+6);
    q = fma(q, t, 0x1.ab03b5171b724p+5);
    q = fma(q, t, -0x1.f0c7744e52f7ep+4);
    q = fma(q, t, 0x1.cccc384bd62abp+3);
    q = fma(q, t, -0x1.60a6445554595p+2);
    q = fma(q, t, 0x1.a5d87c51f25fep+0);
    q = fma(q, t, -0x1.6f286bafa4d9ap-2);
    q = fma(q, t, 0x1.117429af352fap-3);
    q = fma(q, t, -0x1.2149fbfd2431dp-6);
    q = fma(q, t, -0x1.a6a4a1b959ccfp-5);
    q = fma(q, t, -0x1.d2820ce1cc7d7p-5);
    q = fma(q, t, -0x1.1fc900ef12fcfp-8);
    q = fma(q, t, 0x1.5705e069c5501p-4);
    q = fma(q, t, 0x1.6914d8e90f5c1p-3);
    q = fma(q, t, 0x1.f9838c900c2d7p-3);
    q = fma(q, t, 0x1.20dd7504b733cp-2);
    q = fma(q, t, 0x1.20dd750428676p-2);
    double square = b * b;
    double low = fma(b, b, -square);
    double e = exp_parts(-square, -low, 200);
    double value = e * (t * q) * 0x1p-200;
    return isnan(x) ? x : x < 0.0 ? 2.0 - value : value;
}

double erf_f64(double x) {
    double a = fabs(x);
    double near = erf_near(a * a);
    if (a < 0.9) return x * near;
    return isnan(x) ? x : with_sign(1.0 - erfc_f64(a), as_ulong(x));
}

// gamma(1.5 + u) for |u| up to 1/2.
static double gamma_part(double u) {
    double p = 0x1.34a938a9fc34p-13;
    p = fma(p, u, -0x1.10e3ad148e119p-12);
    p = fma(p, u, 0x1.78213d16049c8p-13);
    p = fma(p, u, -0x1.bc7c986cb139bp-13);
    p = fma(p, u, 0x1.d73fc3e390385p-12);
    p = fma(p, u, -0x1.743e5276b62b3p-11);
    p = fma(p, u, 0x1.0aebf9f117bf9p-10);
    p = fma(p, u, -0x1.8cf64ab10912ep-10);
    p = fma(p, u, 0x1.2b07c69aacf2ap-9);
    p = fma(p, u, -0x1.c0c8bbf336603p-9);
    p = fma(p, u, 0x1.5052388036e68p-8);
    p = fma(p, u, -0x1.f7fa7895a9405p-8);
    p = fma(p, u, 0x1.7991ac4de2a2fp-7);
    p = fma(p, u, -0x1.1a2c30e0212cp-6);
    p = fma(p, u, 0x1.a752c8534f49ap-6);
    p = fma(p, u, -0x1.374fd5a8e5c01p-5);
    p = fma(p, u, 0x1.e022b73aeeb4ep-5);
    p = fma(p, u, -0x1.3d88cfe565733p-4);
    p = fma(p, u, 0x1.283bd374f6d7cp-3);
    p = fma(p, u, -0x1.b77ac1ca2dcefp-4);
    p = fma(p, u, 0x1.a8c4dba620c69p-2);
    p = fma(p, u, 0x1.08ea88ee5619cp-5);
    p = fma(p, u, 0x1.c5bf891b4ef6bp-1);
    return p;
}

double tgamma_f64(double x) {
    if (x == 0.0) return with_sign(INFINITY, as_ulong(x));
    if (isnan(x) || (x < 0.0 && floor(x) == x)) return NOT_A_NUMBER;
    if (fabs(x) < 0x1p-60) return 1.0 / x;
    if (x > 171.63) return INFINITY;
    // The sign alternates between the poles; far below all results are zero.
    bool odd = (long)fmax(floor(x), -0x1p60) & 1;
    if (x < -185.0) return with_sign(0.0, odd ? SIGN : 0);
    // The product of the steps to the interval from 1 to 2, with a low part.
    double steps = floor(x) - 1.0;
    double u = x - floor(x) - 0.5;
    // It begins small, so that it does not overflow before the result does.
    double hi = 0x1p-160, lo = 0.0;
    int count = (int)fabs(steps);
    for (int i = 0; i < count; i++) {
        double by = x > 1.0 ? -(double)(i + 1) : (double)i;
        double factor = x + by;
        // What is lost in the sum.
        double back = factor - x;
        double factor_lo = (x - (factor - back)) + (by - back);
        double product = hi * factor;
        double error = fma(hi, factor, -product);
        lo = fma(lo, factor, fma(hi, factor_lo, error));
        hi = product;
    }
    double part = gamma_part(u);
    if (x > 1.0) return 0x1p160 * fma(hi, part, lo * part);
    double quotient = part / hi;
    return 0x1p-160 * (quotient - quotient * (lo / hi));
}


double rsqrt_f64(double x) { return divide_f64(1.0, sqrt_f64(x)); }

// The logarithm of |gamma(x)|, and the sign of gamma(x).
double2 lgamma_r_f64(double x) {
    double a = fabs(x);
    double sign = 1.0;
    double value;
    if (a < 0x1p-60) {
        value = -log_f64(a);
        sign = with_sign(1.0, as_ulong(x));
    } else if (x > -12.0 && x < 12.0) {
        // Near the zeroes at 1 and 2 the value itself is small.
        if (x > 0.75 && x < 1.25) {
            double t = x - 1.0;
            double p = -0x1.4d5701831998ep-2;
            p = fma(p, t, 0x1.23e66e2088a22p-4);
            p = fma(p, t, 0x1.24a648cff10ecp-5);
            p = fma(p, t, 0x1.a8a1362e2e93dp-5);
            p = fma(p, t, -0x1.235b66463ed1p-4);
            p = fma(p, t, 0x1.0176574e2b3fdp-4);
            p = fma(p, t, -0x1.0d1ebc23d8808p-4);
            p = fma(p, t, 0x1.2480fa2513b49p-4);
            p = fma(p, t, -0x1.3b4e6cbcdbf07p-4);
            p = fma(p, t, 0x1.556ba7f9dacb3p-4);
            p = fma(p, t, -0x1.748ab5b27fcbep-4);
            p = fma(p, t, 0x1.9a01de8125c51p-4);
            p = fma(p, t, -0x1.c80677ba3ec7dp-4);
            p = fma(p, t, 0x1.010b36b90d3ep-3);
            p = fma(p, t, -0x1.2703a1d226f93p-3);
            p = fma(p, t, 0x1.5b40cb0ff74d6p-3);
            p = fma(p, t, -0x1.a8b9c17ab789ep-3);
            p = fma(p, t, 0x1.151322ac7d8ffp-2);
            p = fma(p, t, -0x1.9a4d55beab26fp-2);
            p = fma(p, t, 0x1.a51a6625307d3p-1);
            p = fma(p, t, -0x1.2788cfc6fb619p-1);
            value = t * p + 0.0;
        } else if (x > 1.75 && x < 2.25) {
            double t = x - 2.0;
            double p = -0x1.05433d47303f1p-2;
            p = fma(p, t, 0x1.012bd24c83deap-8);
            p = fma(p, t, 0x1.5829ea18bfd9dp-4);
            p = fma(p, t, -0x1.3fc43089f265bp-10);
            p = fma(p, t, -0x1.84bd35756d58ep-7);
            p = fma(p, t, 0x1.539ff5c089f7cp-13);
            p = fma(p, t, 0x1.ea8f9a60fdc8bp-11);
            p = fma(p, t, -0x1.ee327dfbcaa52p-18);
            p = fma(p, t, -0x1.cc904810f3557p-15);
            p = fma(p, t, 0x1.60b53fc567216p-16);
            p = fma(p, t, -0x1.6d2fdba8ba8c8p-15);
            p = fma(p, t, 0x1.a118b1b5d3503p-14);
            p = fma(p, t, -0x1.d40ba92776bcep-13);
            p = fma(p, t, 0x1.0b36b7607c55p-11);
            p = fma(p, t, -0x1.38ac56dc508ffp-10);
            p = fma(p, t, 0x1.7add6ea90e8b1p-9);
            p = fma(p, t, -0x1.e404fc23b8ab8p-8);
            p = fma(p, t, 0x1.51322ac7d8f5fp-6);
            p = fma(p, t, -0x1.13e001a557469p-4);
            p = fma(p, t, 0x1.4a34cc4a60fa6p-2);
            p = fma(p, t, 0x1.b0ee6072093cep-2);
            value = t * p + 0.0;
        } else {
            double g = tgamma_f64(x);
            sign = g < 0.0 ? -1.0 : 1.0;
            value = isnan(g) && !isnan(x) ? INFINITY : log_f64(fabs(g));
            sign = isnan(g) ? 1.0 : sign;
        }
    } else {
        // Stirling's series.
        double inverse = 1.0 / a;
        double z = inverse * inverse;
        double series = 0x1.a41a41a41a41ap-8;
        series = fma(series, z, -0x1.f6ab0d9993c7dp-10);
        series = fma(series, z, 0x1.b951e2b18ff23p-11);
        series = fma(series, z, -0x1.3813813813814p-11);
        series = fma(series, z, 0x1.a01a01a01a01ap-11);
        series = fma(series, z, -0x1.6c16c16c16c17p-9);
        series = fma(series, z, 0x1.5555555555555p-4) * inverse;
        double l = log_f64(a);
        value = fma(a - 0.5, l - 1.0, 0x1.acfe390c97d69p-2) + series;
        value = a > 0x1p200 ? a * (l - 1.0) : value;
        if (x < 0.0) {
            // gamma(-a) = -pi / (a * sin(pi * a) * gamma(a)).
            double s = sinpi_f64(a);
            sign = s > 0.0 ? -1.0 : 1.0;
            value = s == 0.0 ? INFINITY : log_f64(PI_HI / (a * fabs(s))) - value;
            sign = s == 0.0 ? 1.0 : sign;
        }
    }
    value = isinf(x) ? INFINITY : isnan(x) ? x : value;
    return (double2)(value, as_double(sign < 0.0 ? -1l : 1l));
}

double lgamma_f64(double x) { return lgamma_r_f64(x).x; }
