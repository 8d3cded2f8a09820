// The math functions of OpenCL.std in single precision that no instruction computes.
//
// Each function is named after its instruction. Those that also write through a pointer give both
// results as a vector. Half precision is computed by them too, and rounded. The bounds of the errors
// are those of the OpenCL C specification, section "Relative error as ULPs".
//
// Polynomials are fits by least squares of the relative error at Chebyshev nodes, whose coefficients
// are rounded one by one, and the rest is fitted again. `x_hi + x_lo` is a number of twice the
// precision.

#pragma OPENCL FP_CONTRACT OFF

#define LN2_HI 0x1.62e430p-1f
#define LN2_LO -0x1.05c610p-29f
#define LOG2E 0x1.715476p+0f
#define LOG2E_LO 0x1.4ae0c0p-26f
#define LOG2_10 0x1.a934f0p+1f
#define LOG2_10_LO 0x1.2f346ep-24f
#define PI_HI 0x1.921fb6p+1f
#define PI_LO -0x1.777a5cp-24f
#define HALF_PI_HI 0x1.921fb6p+0f
#define HALF_PI_LO -0x1.777a5cp-25f
#define ONE_OVER_PI 0x1.45f306p-2f
#define SIGN 0x80000000
#define ONE_BITS 0x3f800000
#define NOT_A_NUMBER as_float(0x7fc00000)

// ---- The parts of a number ----

static float with_sign(float magnitude, uint sign) { return as_float(as_uint(magnitude) | (sign & SIGN)); }

// 2**n for n from -126 to 127.
static float power_of_2(int n) { return as_float((n + 127) << 23); }

// x * 2**n, rounded once, if x is zero or from 0.25 to 4, or not finite.
static float scale(float x, int n) {
    n = clamp(n, -400, 400);
    int first = clamp(n, -124, 124);
    return x * power_of_2(first) * power_of_2(clamp(n - first, -126, 126));
}

// The exponent of a number that is not zero, denormal ones included.
static int exponent(float x) {
    uint bits = as_uint(x) & ~SIGN;
    int shift = bits < 0x800000 ? (int)clz(bits) - 8 : 0;
    return (int)((bits << shift) >> 23) - 127 - (bits < 0x800000 ? shift : 0);
}

// The same number with exponent 0.
static float mantissa(float x) {
    uint bits = as_uint(x) & ~SIGN;
    int shift = bits < 0x800000 ? (int)clz(bits) - 8 : 0;
    return as_float(((bits << shift) & 0x7fffff) | ONE_BITS | (as_uint(x) & SIGN));
}

static bool usual(float x) { return (as_uint(x) & ~SIGN) - 1 < 0x7f7fffff; }

float ldexp_f32(float x, int n) {
    if (!usual(x)) return x;
    int from = exponent(x);
    // Far enough for everything, and no overflow.
    n = clamp(n, -1000, 1000) + from;
    float m = mantissa(x);
    // A single multiplication rounds.
    if (n < -126) return m * 0x1p-126f * power_of_2(max(n + 126, -30));
    return n > 127 ? m * 0x1p127f * 2.0f : m * power_of_2(n);
}

float2 frexp_f32(float x) {
    if (!usual(x)) return (float2)(x, as_float(0));
    return (float2)(mantissa(x) * 0.5f, as_float(exponent(x) + 1));
}

float logb_f32(float x) {
    if (usual(x)) return (float)exponent(x);
    return x == 0.0f ? -INFINITY : x * x;
}

int ilogb_f32(float x) {
    if (usual(x)) return exponent(x);
    return x == 0.0f ? (int)0x80000000 : 0x7fffffff;
}

float2 modf_f32(float x) {
    float whole = trunc(x);
    float rest = isinf(x) ? 0.0f : x - whole;
    return (float2)(with_sign(fabs(rest), as_uint(x)), whole);
}

float2 fract_f32(float x) {
    float whole = floor(x);
    float rest = isinf(x) ? 0.0f : fmin(x - whole, 0x1.fffffep-1f);
    rest = isnan(x) ? x : rest;
    return (float2)(x == 0.0f || isinf(x) ? with_sign(0.0f, as_uint(x)) : rest, whole);
}

float nextafter_f32(float x, float y) {
    int a = as_int(x), b = as_int(y);
    // Numbers in order.
    int from = a < 0 ? (int)0x80000000 - a : a;
    int to = b < 0 ? (int)0x80000000 - b : b;
    int next = from < to ? from + 1 : from > to ? from - 1 : from;
    // Below the smallest negative number is negative zero.
    float result = as_float(next < 0 || (next == 0 && from < 0) ? (int)0x80000000 - next : next);
    result = x == y ? y : result;
    return isnan(x) || isnan(y) ? NOT_A_NUMBER : result;
}

float fdim_f32(float x, float y) {
    float positive = x > y ? x - y : 0.0f;
    return isnan(x) || isnan(y) ? NOT_A_NUMBER : positive;
}

float maxmag_f32(float x, float y) {
    float a = fabs(x), b = fabs(y);
    return a > b ? x : b > a ? y : fmax(x, y);
}

float minmag_f32(float x, float y) {
    float a = fabs(x), b = fabs(y);
    return a < b ? x : b < a ? y : fmin(x, y);
}

float nan_f32(uint code) { return as_float(0x7fc00000 | (code & 0x3fffff)); }

// ---- The quotient ----

// x / y where one of them is zero, infinite or not a number.
static float divide_edge(float x, float y) {
    float a = usual(x) ? 1.0f : fabs(x), b = usual(y) ? 1.0f : fabs(y);
    return as_float(as_uint(a * native_recip(b)) ^ ((as_uint(x) ^ as_uint(y)) & SIGN));
}

// q * 2**n where that is denormal or overflows; `rest` says on which side of q the exact number is.
static float divide_scale(float q, int n, float rest) {
    if (n > 0) return scale(q, n);
    // Two more bits: what is lost counts as a quarter.
    uint m = (((as_uint(q) & 0x7fffff) | 0x800000) << 2) + (rest > 0.0f) - (rest < 0.0f);
    // m * 2**(n + e - 25) in units of 2**-149.
    int lost = min(25 - 149 - n - ((int)(as_uint(q) >> 23) - 127), 30);
    uint whole = m >> lost, part = m & ((1u << lost) - 1), half_of = 1u << (lost - 1);
    return as_float(whole + (part > half_of || (part == half_of && (whole & 1))));
}

// Whether products and quotients of such numbers are neither denormal nor overflow: from 2**-60 to
// 2**60.
static bool middling(float x) {
    float a = fabs(x);
    return (a >= 0x1p-60f) & (a < 0x1p60f);
}

// x / y, rounded to the nearest: Newton's method for the inverse, and the remainder of the quotient.
float divide_f32(float x, float y) {
    // The only inverse that Newton's method may round wrongly is that of 2**n * (2 - 2**-23).
    if (middling(x) & middling(y) & ((as_uint(y) + 1 & 0x7fffff) != 0)) {
        float inverse = native_recip(y);
        inverse = fma(fma(-y, inverse, 1.0f), inverse, inverse);
        float q = x * inverse;
        return fma(fma(-y, q, x), inverse, q);
    }
    if (!(usual(x) && usual(y))) return divide_edge(x, y);
    bool small_x = fabs(x) < 0x1p-126f, small_y = fabs(y) < 0x1p-126f;
    uint a_bits = as_uint(small_x ? x * 0x1p24f : x), b_bits = as_uint(small_y ? y * 0x1p24f : y);
    int n = (int)(a_bits >> 23 & 255) - (int)(b_bits >> 23 & 255);
    n += (small_y ? 24 : 0) - (small_x ? 24 : 0);
    float a = as_float((a_bits & 0x7fffff) | ONE_BITS), b = as_float((b_bits & 0x7fffff) | ONE_BITS);
    float inverse = native_recip(b);
    inverse = fma(fma(-b, inverse, 1.0f), inverse, inverse);
    // The only inverse that Newton's method may round wrongly.
    inverse = (b_bits & 0x7fffff) == 0x7fffff ? 0x1.000002p-1f : inverse;
    float q = a * inverse;
    q = fma(fma(-b, q, a), inverse, q);
    float value = q * power_of_2(n);
    if (n < -125 || n > 126) value = divide_scale(q, n, fma(-b, q, a));
    return with_sign(value, a_bits ^ b_bits);
}

// Divisors near the ends of the range have inverses that are beyond it.
float half_divide_f32(float x, float y) {
    float a = fabs(y);
    float scale = a < 0x1p-100f ? 0x1p24f : a > 0x1p100f ? 0x1p-24f : 1.0f;
    return x * scale * native_recip(y * scale);
}

float smoothstep_f32(float from, float to, float x) {
    float t = clamp(divide_f32(x - from, to - from), 0.0f, 1.0f);
    return t * t * fma(-2.0f, t, 3.0f);
}

// ---- Exponentials ----

// 2**t * 2**k for a `t` near zero to one; for an infinite or undefined k it does not matter.
static float two_powers(float t, float k) { return native_exp2(clamp(t, -1.0f, 2.0f)) * native_exp2(k); }

// The most that a float has of an exponent: 2**128 is infinite, and what the rest makes of it may be less.
static float below(float k, float most) { return k > most ? most : k; }

// e**(hi + lo) * 2**n.
static float exp_parts(float hi, float lo, int n) {
    float k = below(floor(hi * LOG2E), 127.0f - n);
    float t = fma(hi, LOG2E, -k);
    t = fma(hi, LOG2E_LO, fma(lo, LOG2E, t));
    return two_powers(t, k + n);
}

// Beyond these every result is zero or infinite.
static float clamp_exponent(float x, float limit) { return isnan(x) ? x : fmin(fmax(x, -limit), limit); }

float exp_f32(float x) {
    float k = floor(x * LOG2E);
    return two_powers(fma(x, LOG2E_LO, fma(x, LOG2E, -k)), k);
}

float exp10_f32(float x) {
    float k = floor(x * LOG2_10);
    return two_powers(fma(x, LOG2_10_LO, fma(x, LOG2_10, -k)), k);
}

float expm1_f32(float x) {
    float limited = clamp_exponent(x, 120.0f);
    float k = rint(limited * LOG2E);
    float r = fma(k, -LN2_HI, limited);
    r = fma(k, -LN2_LO, r);
    float p = 0x1.a28956p-13f;
    p = fma(p, r, 0x1.6d4954p-10f);
    p = fma(p, r, 0x1.110fe4p-7f);
    p = fma(p, r, 0x1.5554ecp-5f);
    p = fma(p, r, 0x1.555556p-3f);
    p = fma(p, r, 0.5f);
    p = fma(p * r, r, r);
    int n = (int)k;
    float s = power_of_2(clamp(n, -126, 100));
    float value = fma(p, s, s - 1.0f);
    value = n > 100 ? scale(p + 1.0f, n) : value;
    return x == 0.0f ? x : value;
}

float sinh_f32(float x) {
    float a = fabs(x);
    float e = expm1_f32(fmin(a, 20.0f));
    float small = 0.5f * (e + native_divide(e, e + 1.0f));
    float value = a > 18.0f ? exp_parts(fmin(a, 200.0f), 0.0f, -1) : small;
    value = a < 0x1p-12f ? a : value;
    return isnan(x) ? x : with_sign(value, as_uint(x));
}

float cosh_f32(float x) {
    float a = clamp_exponent(fabs(x), 200.0f);
    float half_of = exp_parts(a, 0.0f, -1);
    return a > 18.0f ? half_of : half_of + native_divide(0.25f, half_of);
}

float tanh_f32(float x) {
    float a = fabs(x);
    float e = expm1_f32(2.0f * fmin(a, 20.0f));
    float value = native_divide(e, e + 2.0f);
    value = a < 0x1p-12f ? a : value;
    return isnan(x) ? x : with_sign(value, as_uint(x));
}

// ---- Logarithms ----

// log(1 + f) - f for 1 + f from sqrt(0.5) to sqrt(2).
static float log_rest(float f) {
    float p = 0x1.11c874p-4f;
    p = fma(p, f, -0x1.dd6510p-4f);
    p = fma(p, f, 0x1.e7a54ep-4f);
    p = fma(p, f, -0x1.fc4da0p-4f);
    p = fma(p, f, 0x1.232cfap-3f);
    p = fma(p, f, -0x1.555ae4p-3f);
    p = fma(p, f, 0x1.99a546p-3f);
    p = fma(p, f, -0x1.00000ap-2f);
    p = fma(p, f, 0x1.555546p-2f);
    return f * f * fma(p, f, -0.5f);
}

// f and e with x = (1 + f) * 2**e, for numbers above zero.
static float2 log_parts(float x) {
    int e = exponent(x);
    float m = mantissa(x);
    bool big = m > 0x1.6a09e6p+0f;
    m = big ? m * 0.5f : m;
    return (float2)(m - 1.0f, (float)(big ? e + 1 : e));
}

static float log_special(float x) { return x == 0.0f ? -INFINITY : x < 0.0f ? NOT_A_NUMBER : x; }

static float log_positive(float x) {
    float2 parts = log_parts(x);
    float f = parts.x, e = parts.y;
    float rest = fma(e, LN2_LO, log_rest(f));
    return fma(e, LN2_HI, f + rest);
}

float log_f32(float x) { return x > 0.0f && usual(x) ? log_positive(x) : log_special(x); }

float log2_f32(float x) {
    float2 parts = log_parts(x);
    float f = parts.x;
    float rest = log_rest(f);
    float low = fma(f, 0x1.4ae0c0p-26f, rest * LOG2E);
    float value = fma(f, LOG2E, low) + parts.y;
    return x > 0.0f && usual(x) ? value : log_special(x);
}

float log10_f32(float x) {
    float2 parts = log_parts(x);
    float f = parts.x, e = parts.y;
    float low = fma(f, -0x1.5b235ep-27f, log_rest(f) * 0x1.bcb7b2p-2f);
    low = fma(e, -0x1.ec10c0p-27f, low);
    float value = fma(e, 0x1.344136p-2f, fma(f, 0x1.bcb7b2p-2f, low));
    return x > 0.0f && usual(x) ? value : log_special(x);
}

// log(1 + x + lo).
static float log1p_parts(float x, float lo) {
    float u = 1.0f + x;
    // What is lost in the sum.
    float c = fabs(x) > 1.0f ? 1.0f - (u - x) : x - (u - 1.0f);
    c += lo;
    float2 parts = log_parts(u);
    float e = parts.y;
    bool whole = e == 0.0f;
    // 1 + x has no exponent: f is x itself.
    float f = whole ? x : parts.x;
    float correction = whole ? lo * (1.0f - x) : native_divide(c, u);
    float rest = fma(e, LN2_LO, log_rest(f) + correction);
    return fma(e, LN2_HI, f + rest);
}

float log1p_f32(float x) {
    float value = log1p_parts(x, 0.0f);
    value = x > -1.0f && usual(x) ? value : x == -1.0f ? -INFINITY : x < -1.0f ? NOT_A_NUMBER : x;
    return value;
}

float asinh_f32(float x) {
    float a = fabs(x);
    // a + (sqrt(1 + a*a) - 1), whose second part is a*a / (1 + sqrt(1 + a*a)).
    float b = fmin(a, 0x1p30f);
    float square = b * b;
    float part = native_divide(square, 1.0f + sqrt(1.0f + square));
    float t = b + part;
    float low = b > part ? part - (t - b) : b - (t - part);
    float value = log1p_parts(t, low);
    float big = log_positive(fmax(a, 1.0f)) + LN2_HI;
    value = a > 0x1p28f ? big : value;
    value = a < 0x1p-12f ? a : value;
    return isnan(x) || isinf(x) ? x : with_sign(value, as_uint(x));
}

float acosh_f32(float x) {
    float t = x - 1.0f;
    float limited = fmin(t, 0x1p30f);
    float root = sqrt(fma(limited, limited, 2.0f * limited));
    float sum = limited + root;
    float low = limited > root ? root - (sum - limited) : limited - (sum - root);
    float value = log1p_parts(sum, low);
    value = x > 0x1p28f ? log_positive(x) + LN2_HI : value;
    value = isinf(x) ? x : value;
    return x >= 1.0f ? value : NOT_A_NUMBER;
}

float atanh_f32(float x) {
    float a = fabs(x);
    float d = 1.0f - a;
    float q = native_divide(2.0f * a, d);
    float value = 0.5f * log1p_parts(q, native_divide(fma(-q, d, 2.0f * a), d));
    value = a < 0x1p-12f ? a : value;
    value = a == 1.0f ? INFINITY : value;
    return a <= 1.0f ? with_sign(value, as_uint(x)) : NOT_A_NUMBER;
}

// ---- Powers and roots ----

// log2 of a number above zero as hi + lo.
static float2 log2_parts(float x) {
    float2 parts = log_parts(x);
    float f = parts.x, e = parts.y;
    // s = f / (2 + f), twice as precise; log2(1 + f) = 2 / ln(2) * (s + s**3/3 + ...).
    float d = 2.0f + f;
    float d_lo = f - (d - 2.0f);
    float s = native_divide(f, d);
    float s_lo = native_divide(fma(-s, d_lo, fma(-s, d, f)), d);
    float z = s * s;
    float p = 0x1.ec15d0p-4f;
    p = fma(p, z, 0x1.23f1bap-3f);
    p = fma(p, z, 0x1.999bd4p-3f);
    p = fma(p, z, 0x1.555554p-2f);
    float rest = fma(s * z, p, s_lo);
    // The product with 2 / ln(2).
    float sum = s + rest;
    float sum_lo = rest - (sum - s);
    float hi = sum * 0x1.715476p+1f;
    float lo = fma(sum, 0x1.715476p+1f, -hi);
    lo = fma(sum, 0x1.4ae0c0p-25f, fma(sum_lo, 0x1.715476p+1f, lo));
    // |e| is zero or above |hi|.
    float value = e + hi;
    float value_lo = (e == 0.0f ? 0.0f : hi - (value - e)) + lo;
    float total = value + value_lo;
    return (float2)(total, value_lo - (total - value));
}

// 2**(hi + lo).
static float exp2_parts(float hi, float lo) {
    float k = below(floor(hi), 127.0f);
    return two_powers((hi - k) + lo, k);
}

// |x|**(y + y_lo) for usual x.
static float power(float x, float y, float y_lo) {
    float2 l = log2_parts(fabs(x));
    float limited = clamp_exponent(y, 0x1p100f);
    float hi = limited * l.x;
    float lo = fma(limited, l.x, -hi);
    lo = fma(limited, l.y, fma(y_lo, l.x, lo));
    lo = fabs(hi) > 300.0f ? 0.0f : lo;
    return exp2_parts(hi, lo);
}

// Whether it is an odd integer.
static bool is_odd(float y) {
    float half_of = 0.5f * y;
    return trunc(y) == y && trunc(half_of) != half_of && fabs(y) < 0x1p25f;
}

// x**y, where x is zero or infinite.
static float power_of_edge(float x, bool negative, bool odd) {
    bool grows = (x == 0.0f) == negative;
    return with_sign(grows ? INFINITY : 0.0f, odd ? as_uint(x) : 0);
}

float pow_f32(float x, float y) {
    bool odd = is_odd(y);
    float value = power(x, y, 0.0f);
    value = x < 0.0f && odd ? -value : value;
    value = x < 0.0f && trunc(y) != y ? NOT_A_NUMBER : value;
    value = x == 0.0f || isinf(x) ? power_of_edge(x, y < 0.0f, odd) : value;
    if (isinf(y)) {
        float a = fabs(x);
        value = a == 1.0f ? 1.0f : (a > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f;
    }
    value = isnan(x) || isnan(y) ? NOT_A_NUMBER : value;
    return x == 1.0f || y == 0.0f ? 1.0f : value;
}

float pown_f32(float x, int n) {
    float y = (float)n;
    bool odd = n & 1;
    // The rest is exact: the float is near the integer.
    float low = (float)(n - convert_int_sat(y));
    float value = power(x, y, low);
    value = x < 0.0f && odd ? -value : value;
    value = x == 0.0f || isinf(x) ? power_of_edge(x, n < 0, odd) : value;
    value = isnan(x) ? x : value;
    return n == 0 ? 1.0f : value;
}

float powr_f32(float x, float y) {
    float value = power(x, y, 0.0f);
    value = x == 0.0f || isinf(x) ? power_of_edge(fabs(x), y < 0.0f, false) : value;
    value = isinf(y) ? ((x > 1.0f) == (y > 0.0f) ? INFINITY : 0.0f) : value;
    bool undefined = x < 0.0f || isnan(x) || isnan(y);
    undefined |= x == 1.0f && isinf(y);
    undefined |= (x == 0.0f || isinf(x)) && y == 0.0f;
    value = undefined ? NOT_A_NUMBER : value;
    return !undefined && y == 0.0f ? 1.0f : value;
}

float rootn_f32(float x, int n) {
    // 1 / n, twice as precise.
    float d = (float)n;
    float d_lo = (float)(n - convert_int_sat(d));
    float y = native_recip(d);
    float y_lo = native_divide(fma(-y, d_lo, fma(-y, d, 1.0f)), d);
    bool odd = n & 1;
    float value = power(x, y, y_lo);
    value = x < 0.0f ? (odd ? -value : NOT_A_NUMBER) : value;
    value = x == 0.0f || isinf(x) ? power_of_edge(x, n < 0, odd) : value;
    value = isinf(x) && x < 0.0f && !odd ? NOT_A_NUMBER : value;
    return isnan(x) || n == 0 ? NOT_A_NUMBER : value;
}

float cbrt_f32(float x) {
    if (!usual(x)) return x;
    int e = exponent(x);
    // The exponent as 3 * q + r.
    int q = (e + 300) / 3 - 100;
    int r = e - 3 * q;
    float m = fabs(mantissa(x)) * power_of_2(r);
    float y = native_exp2(native_log2(m) * 0x1.555556p-2f);
    for (int i = 0; i < 2; i++) {
        float square = y * y;
        float error = fma(square, y, -m) + y * fma(y, y, -square);
        y -= native_divide(error, 3.0f * square);
    }
    return with_sign(scale(y, q), as_uint(x));
}

float hypot_f32(float x, float y) {
    float a = fmax(fabs(x), fabs(y)), b = fmin(fabs(x), fabs(y));
    float up = a > 0x1p60f ? 0x1p-64f : a < 0x1p-60f ? 0x1p86f : 1.0f;
    float back = a > 0x1p60f ? 0x1p64f : a < 0x1p-60f ? 0x1p-86f : 1.0f;
    float p = a * up, q = b * up;
    float value = sqrt(fma(p, p, q * q)) * back;
    value = isnan(x) || isnan(y) ? NOT_A_NUMBER : value;
    return isinf(x) || isinf(y) ? INFINITY : value;
}

// ---- Angles ----

// sin(r + lo) for |r| up to pi/4.
static float sin_part(float r, float lo) {
    float z = r * r;
    float p = 0x1.77b00ep-19f;
    p = fma(p, z, -0x1.a04802p-13f);
    p = fma(p, z, 0x1.111164p-7f);
    p = fma(p, z, -0x1.555556p-3f);
    return fma(r * z, p, lo) + r;
}

static float cos_part(float r, float lo) {
    float z = r * r;
    float p = -0x1.331736p-22f;
    p = fma(p, z, 0x1.a06598p-16f);
    p = fma(p, z, -0x1.6c1752p-10f);
    p = fma(p, z, 0x1.555556p-5f);
    p = fma(p * z, z, -r * lo);
    return fma(-0.5f, z, 1.0f) + (p + fma(-0.5f, z, 1.0f - fma(-0.5f, z, 1.0f)));
}

// Bits of 2/pi, after 32 zeroes.
static uint two_over_pi(uint word) {
    uint bits = 0;
    bits = word == 1 ? 0xa2f9836e : bits;
    bits = word == 2 ? 0x4e441529 : bits;
    bits = word == 3 ? 0xfc2757d1 : bits;
    bits = word == 4 ? 0xf534ddc0 : bits;
    bits = word == 5 ? 0xdb629599 : bits;
    bits = word == 6 ? 0x3c439041 : bits;
    bits = word == 7 ? 0xfe5163ab : bits;
    return bits;
}

typedef struct {
    float hi, lo;
    int quadrant;
} angle;

// x less a multiple of pi/2, by the product with 2/pi in integers.
static angle reduce_large(float x) {
    uint bits = as_uint(x);
    // x = m * 2**(e - 23); the first e - 25 bits of 2/pi only give multiples of 4. There is a word
    // of zeroes before them.
    uint skip = (bits >> 23 & 255) - 127 - 25 + 32;
    ulong m = (bits & 0x7fffff) | 0x800000;
    uint word = skip >> 5, by = skip & 31;
    uint w0 = two_over_pi(word), w1 = two_over_pi(word + 1), w2 = two_over_pi(word + 2);
    uint w3 = two_over_pi(word + 3);
    ulong a = (ulong)w0 << 32 | w1;
    ulong b = (ulong)w2 << 32 | w3;
    // 96 bits from `skip` on.
    ulong top = by == 0 ? a : a << by | b >> (64 - by);
    uint low = (uint)((by == 0 ? b : b << by) >> 32);
    // The upper 64 of the lower 96 bits of the product: the number of quarter turns modulo 4 in two
    // bits, and the rest as a fraction.
    ulong p0 = m * low;
    ulong p1 = m * (uint)top + (p0 >> 32);
    ulong p2 = (top >> 32) * m + (p1 >> 32);
    ulong product = p2 << 32 | (uint)p1;
    int quadrant = (int)(product >> 62);
    long rest = (long)(product << 2);
    quadrant += rest < 0;
    // rest is a fraction of 2**64 between -0.5 and 0.5.
    ulong magnitude = rest < 0 ? -(ulong)rest : (ulong)rest;
    int zeros = magnitude == 0 ? 63 : (int)clz(magnitude);
    ulong normal = magnitude << zeros;
    float hi = (float)(uint)(normal >> 40);
    float lo = (float)(uint)(normal >> 16 & 0xffffff) * 0x1p-24f;
    float unit = power_of_2(-24 - zeros);
    hi *= unit;
    lo *= unit;
    // Times pi/2.
    float r = hi * HALF_PI_HI;
    float r_lo = fma(hi, HALF_PI_HI, -r);
    r_lo = fma(hi, HALF_PI_LO, fma(lo, HALF_PI_HI, r_lo));
    uint sign = (rest < 0 ? SIGN : 0) ^ (bits & SIGN);
    angle out;
    out.hi = as_float(as_uint(r) ^ sign);
    out.lo = as_float(as_uint(r_lo) ^ sign);
    out.quadrant = (int)bits < 0 ? -quadrant : quadrant;
    return out;
}

static angle reduce(float x) {
    if (fabs(x) >= 0x1p16f) return reduce_large(x);
    float k = rint(x * 0x1.45f306p-1f);
    // The first product is exact in the sum, what follows is kept in two parts.
    float r = fma(k, -0x1.921fb6p+0f, x);
    float c = k * -0x1.777a5cp-25f;
    float c_lo = fma(k, -0x1.777a5cp-25f, -c);
    float hi = r - c;
    float lo = (r - hi) - c;
    lo = lo - c_lo;
    lo = fma(k, 0x1.ee59dap-50f, lo);
    angle out;
    out.hi = hi + lo;
    out.lo = lo - (out.hi - hi);
    out.quadrant = (int)k;
    return out;
}

static float sin_of_quadrant(angle a) {
    float value = a.quadrant & 1 ? cos_part(a.hi, a.lo) : sin_part(a.hi, a.lo);
    return a.quadrant & 2 ? -value : value;
}

float sin_f32(float x) {
    float value = sin_of_quadrant(reduce(x));
    return isinf(x) || isnan(x) ? NOT_A_NUMBER : x == 0.0f ? x : value;
}

float cos_f32(float x) {
    angle a = reduce(x);
    a.quadrant++;
    float value = sin_of_quadrant(a);
    return isinf(x) || isnan(x) ? NOT_A_NUMBER : value;
}

float2 sincos_f32(float x) {
    angle a = reduce(x);
    float sine = sin_part(a.hi, a.lo), cosine = cos_part(a.hi, a.lo);
    bool odd = a.quadrant & 1;
    float s = odd ? cosine : sine, c = odd ? sine : cosine;
    s = a.quadrant & 2 ? -s : s;
    c = (a.quadrant + 1) & 2 ? -c : c;
    bool edge = isinf(x) || isnan(x);
    s = x == 0.0f ? x : s;
    return (float2)(edge ? NOT_A_NUMBER : s, edge ? NOT_A_NUMBER : c);
}

float tan_f32(float x) {
    angle a = reduce(x);
    float sine = sin_part(a.hi, a.lo), cosine = cos_part(a.hi, a.lo);
    bool odd = a.quadrant & 1;
    float value = native_divide(odd ? -cosine : sine, odd ? sine : cosine);
    return isinf(x) || isnan(x) ? NOT_A_NUMBER : x == 0.0f ? x : value;
}

static float sinpi_part(float r) {
    float z = r * r;
    float p = 0x1.465b36p-4f;
    p = fma(p, z, -0x1.32b458p-1f);
    p = fma(p, z, 0x1.466b82p+1f);
    p = fma(p, z, -0x1.4abbcep+2f);
    return fma(r, PI_HI, r * fma(p, z, PI_LO));
}

static float cospi_part(float r) {
    float z = r * r;
    float p = 0x1.f38e4ep-5f;
    p = fma(p, z, 0x1.c5302ep-3f);
    p = fma(p, z, -0x1.559f36p+0f);
    p = fma(p, z, 0x1.03c1a2p+2f);
    p = fma(p, z, -0x1.3bd3ccp+2f);
    return fma(p, z, 1.0f);
}

// x as a multiple of 1/2 and a rest up to 1/4.
static float2 half_turns(float x) {
    float a = fabs(x);
    // All larger numbers are even integers.
    a = a < 0x1p24f ? a : 0.0f;
    float k = rint(2.0f * a);
    return (float2)(fma(k, -0.5f, a), as_float((int)k));
}

float sinpi_f32(float x) {
    float2 parts = half_turns(x);
    int k = as_int(parts.y);
    float value = k & 1 ? cospi_part(parts.x) : sinpi_part(parts.x);
    value = k & 2 ? -value : value;
    // Integers give zero with the sign of x.
    value = value == 0.0f ? 0.0f : value;
    value = as_float(as_uint(value) ^ (as_uint(x) & SIGN));
    return isinf(x) || isnan(x) ? NOT_A_NUMBER : value;
}

float cospi_f32(float x) {
    float2 parts = half_turns(x);
    int k = as_int(parts.y);
    float value = k & 1 ? sinpi_part(parts.x) : cospi_part(parts.x);
    value = (k + 1) & 2 ? -value : value;
    value = value == 0.0f ? 0.0f : value;
    return isinf(x) || isnan(x) ? NOT_A_NUMBER : value;
}

float tanpi_f32(float x) {
    float2 parts = half_turns(x);
    int k = as_int(parts.y);
    float sine = sinpi_part(parts.x), cosine = cospi_part(parts.x);
    bool odd = k & 1;
    float value = native_divide(odd ? -cosine : sine, odd ? sine : cosine);
    // The zero of an even integer is positive, that of an odd one negative; so are the poles.
    value = parts.x == 0.0f ? with_sign(odd ? INFINITY : 0.0f, k & 2 ? SIGN : 0) : value;
    value = as_float(as_uint(value) ^ (as_uint(x) & SIGN));
    return isinf(x) || isnan(x) ? NOT_A_NUMBER : value;
}

// ---- Inverse angles ----

// asin(x) - x for |x| up to 1/2, by the square of x.
static float asin_rest(float x, float z) {
    float p = 0x1.33a3b0p-5f;
    p = fma(p, z, 0x1.d819b6p-7f);
    p = fma(p, z, 0x1.04a6c6p-5f);
    p = fma(p, z, 0x1.6cab96p-5f);
    p = fma(p, z, 0x1.33389ap-4f);
    p = fma(p, z, 0x1.55554cp-3f);
    return x * z * p;
}

// asin(sqrt((1 - a) / 2)) for a from 1/2 to 1.
static float2 asin_of_complement(float a) {
    float z = fma(a, -0.5f, 0.5f);
    float root = sqrt(z);
    float low = root == 0.0f ? 0.0f : native_divide(fma(-root, root, z), 2.0f * root);
    return (float2)(root, asin_rest(root, z) + low);
}

float asin_f32(float x) {
    float a = fabs(x);
    float2 far = asin_of_complement(a);
    float value = HALF_PI_HI - 2.0f * far.x;
    float lost = (HALF_PI_HI - value) - 2.0f * far.x;
    value += fma(-2.0f, far.y, lost + HALF_PI_LO);
    value = a <= 0.5f ? a + asin_rest(a, a * a) : value;
    return a <= 1.0f ? with_sign(value, as_uint(x)) : NOT_A_NUMBER;
}

// acos(x) as hi + lo.
static float2 acos_parts(float x) {
    float a = fabs(x);
    if (a <= 0.5f) {
        float rest = asin_rest(x, x * x);
        float value = HALF_PI_HI - x;
        float lost = (HALF_PI_HI - value) - x;
        return (float2)(value, (lost + HALF_PI_LO) - rest);
    }
    float2 far = asin_of_complement(a);
    if (x > 0.0f) return 2.0f * far;
    float value = PI_HI - 2.0f * far.x;
    float lost = (PI_HI - value) - 2.0f * far.x;
    return (float2)(value, fma(-2.0f, far.y, lost + PI_LO));
}

float acos_f32(float x) {
    float2 parts = acos_parts(x);
    return fabs(x) <= 1.0f ? parts.x + parts.y : NOT_A_NUMBER;
}

// atan of q + q_lo for q from 0 to 1, as hi + lo.
static float2 atan_parts(float q, float q_lo) {
    float z = q * q;
    float p = -0x1.d01aa8p-10f;
    p = fma(p, z, 0x1.6229f6p-7f);
    p = fma(p, z, -0x1.fb7a72p-6f);
    p = fma(p, z, 0x1.d90e88p-5f);
    p = fma(p, z, -0x1.57adeep-4f);
    p = fma(p, z, 0x1.c069b0p-4f);
    p = fma(p, z, -0x1.241cd0p-3f);
    p = fma(p, z, 0x1.99917ep-3f);
    p = fma(p, z, -0x1.55553cp-2f);
    return (float2)(q, fma(q * z, p, native_divide(q_lo, 1.0f + z)));
}

// The angle of (x, y) as hi + lo, for x and y that are not NaN.
static float2 angle_of(float y, float x) {
    float a = fabs(x), b = fabs(y);
    float big = fmax(a, b), small = fmin(a, b);
    bool same = a == b;
    // Away from the ends of the range of exponents.
    float factor = big > 0x1p100f ? 0x1p-30f : big < 0x1p-90f ? 0x1p34f : 1.0f;
    float scaled = isinf(big) ? 1.0f : big * factor;
    scaled = big == 0.0f ? 1.0f : scaled;
    float top = isinf(big) ? 0.0f : small * factor;
    float q = native_divide(top, scaled);
    float q_lo = q < 0x1p-60f ? 0.0f : native_divide(fma(-q, scaled, top), scaled);
    q = same && big != 0.0f ? 1.0f : q;
    q_lo = same ? 0.0f : q_lo;
    float2 t = atan_parts(q, q_lo);
    float2 turned;
    if (b > a) {
        turned.x = HALF_PI_HI - t.x;
        turned.y = ((HALF_PI_HI - turned.x) - t.x) + HALF_PI_LO - t.y;
        t = turned;
    }
    if ((int)as_uint(x) < 0) {
        turned.x = PI_HI - t.x;
        turned.y = ((PI_HI - turned.x) - t.x) + PI_LO - t.y;
        t = turned;
    }
    return t;
}

float atan_f32(float x) {
    float2 parts = angle_of(fabs(x), 1.0f);
    return isnan(x) ? x : with_sign(parts.x + parts.y, as_uint(x));
}

float atan2_f32(float y, float x) {
    float2 parts = angle_of(y, x);
    return isnan(x) || isnan(y) ? NOT_A_NUMBER : with_sign(parts.x + parts.y, as_uint(y));
}

// (hi + lo) / pi.
static float over_pi(float2 parts) {
    float product = parts.x * ONE_OVER_PI;
    float low = fma(parts.x, ONE_OVER_PI, -product);
    low = fma(parts.x, 0x1.b93910p-27f, fma(parts.y, ONE_OVER_PI, low));
    return product + low;
}

float asinpi_f32(float x) {
    float a = fabs(x);
    float2 far = asin_of_complement(a);
    float2 parts;
    parts.x = HALF_PI_HI - 2.0f * far.x;
    parts.y = fma(-2.0f, far.y, ((HALF_PI_HI - parts.x) - 2.0f * far.x) + HALF_PI_LO);
    parts = a <= 0.5f ? (float2)(a, asin_rest(a, a * a)) : parts;
    // Small numbers are scaled, so that nothing is lost below.
    float factor = a < 0x1p-60f ? 0x1p64f : 1.0f;
    float value = over_pi(parts * factor) * (a < 0x1p-60f ? 0x1p-64f : 1.0f);
    return a <= 1.0f ? with_sign(value, as_uint(x)) : NOT_A_NUMBER;
}

float acospi_f32(float x) { return fabs(x) <= 1.0f ? over_pi(acos_parts(x)) : NOT_A_NUMBER; }

float atanpi_f32(float x) {
    float a = fabs(x);
    float factor = a < 0x1p-60f ? 0x1p64f : 1.0f;
    float value = over_pi(angle_of(a, 1.0f) * factor) * (a < 0x1p-60f ? 0x1p-64f : 1.0f);
    return isnan(x) ? x : with_sign(value, as_uint(x));
}

float atan2pi_f32(float y, float x) {
    float2 parts = angle_of(y, x);
    bool tiny = parts.x < 0x1p-60f;
    float value = over_pi(parts * (tiny ? 0x1p64f : 1.0f)) * (tiny ? 0x1p-64f : 1.0f);
    return isnan(x) || isnan(y) ? NOT_A_NUMBER : with_sign(value, as_uint(y));
}

// ---- Remainders ----

typedef struct {
    float rest;
    uint quotient;
    bool at_least_half, above_half;
} division;

// |x| less the largest multiple of |y| that is not above it, for usual numbers.
static division divide_whole(float x, float y) {
    division out;
    float about = fabs(x) * native_recip(fabs(y));
    if (middling(y) && about < 0x1p20f) {
        // Truncated, it is wrong by one at most; what is left is exact where it is not.
        float q = trunc(about);
        float left = fma(-q, fabs(y), fabs(x));
        q += left < 0.0f ? -1.0f : left >= fabs(y) ? 1.0f : 0.0f;
        left = fma(-q, fabs(y), fabs(x));
        out.rest = left;
        out.quotient = (uint)q;
        out.at_least_half = 2.0f * left >= fabs(y);
        out.above_half = 2.0f * left > fabs(y);
        return out;
    }
    int from = exponent(x), to = exponent(y);
    uint a = (as_uint(mantissa(x)) & 0x7fffff) | 0x800000;
    uint b = (as_uint(mantissa(y)) & 0x7fffff) | 0x800000;
    uint quotient = 0;
    uint rest = a;
    int left = from - to;
    if (left >= 0) {
        quotient = a >= b;
        rest = a >= b ? a - b : a;
        // Eight bits of the quotient each time.
        while (left > 0) {
            int bits = min(left, 8);
            uint digit = (rest << bits) / b;
            rest = (rest << bits) - digit * b;
            quotient = quotient << bits | digit;
            left -= bits;
        }
    }
    // Twice the rest against the divisor, which is at exponent `to`.
    uint twice = left < -1 ? 0 : left == -1 ? rest : rest << 1;
    out.at_least_half = left >= -1 && twice >= b;
    out.above_half = left >= -1 && twice > b;
    out.quotient = quotient;
    out.rest = left < 0 ? fabs(x) : ldexp_f32((float)rest, to - 23);
    return out;
}

// Numbers for which there is nothing to do: the result.
static bool remainder_edge(float x, float y) { return !(usual(x) && usual(y)); }

static float remainder_of_edge(float x, float y) {
    bool undefined = isnan(x) || isnan(y) || isinf(x) || y == 0.0f;
    return undefined ? NOT_A_NUMBER : x;
}

float fmod_f32(float x, float y) {
    if (remainder_edge(x, y)) return remainder_of_edge(x, y);
    return with_sign(divide_whole(x, y).rest, as_uint(x));
}

float2 remquo_f32(float x, float y) {
    if (remainder_edge(x, y)) return (float2)(remainder_of_edge(x, y), as_float(0));
    division d = divide_whole(x, y);
    // To the nearest, halves to even.
    bool up = d.above_half || (d.at_least_half && (d.quotient & 1));
    float rest = up ? d.rest - fabs(y) : d.rest;
    int quotient = (int)(d.quotient + up & 0x7f);
    quotient = (int)(as_uint(x) ^ as_uint(y)) < 0 ? -quotient : quotient;
    rest = rest == 0.0f ? 0.0f : rest;
    return (float2)(as_float(as_uint(rest) ^ (as_uint(x) & SIGN)), as_float(quotient));
}

float remainder_f32(float x, float y) { return remquo_f32(x, y).x; }

// ---- Error and gamma functions ----

// erf(x) / x near zero, of the square of x.
static float erf_near(float z) {
    float near = -0x1.377ff4p-14f;
    near = fma(near, z, 0x1.7419ccp-12f);
    near = fma(near, z, -0x1.3d9e50p-10f);
    near = fma(near, z, 0x1.685790p-8f);
    near = fma(near, z, -0x1.ba056cp-6f);
    near = fma(near, z, 0x1.ce47fcp-4f);
    near = fma(near, z, -0x1.8127dap-2f);
    near = fma(near, z, 0x1.20dd76p+0f);
    return near;
}

float erfc_f32(float x) {
    float a = fabs(x);
    float near = erf_near(a * a);
    if (a < 0.9f) return isnan(x) ? x : fma(-x, near, 1.0f);
    // exp(-a*a) * t * q(t), with the square in two parts.
    float b = fmin(a, 11.0f);
    float t = 2.0f / (2.0f + b);
    float q = 0x1.eb5806p-5f;
    q = fma(q, t, -0x1.459a84p-2f);
    q = fma(q, t, 0x1.57d0fap-1f);
    q = fma(q, t, -0x1.56ece4p-1f);
    q = fma(q, t, 0x1.2d1348p-2f);
    q = fma(q, t, -0x1.1b4c14p-3f);
    q = fma(q, t, 0x1.e673eep-4f);
    q = fma(q, t, 0x1.5c61c8p-3f);
    q = fma(q, t, 0x1.faf87cp-3f);
    q = fma(q, t, 0x1.20d0f6p-2f);
    q = fma(q, t, 0x1.20ddd4p-2f);
    float square = b * b;
    float low = fma(b, b, -square);
    float e = exp_parts(-square, -low, 64);
    float value = e * (t * q) * 0x1p-64f;
    return isnan(x) ? x : x < 0.0f ? 2.0f - value : value;
}

float erf_f32(float x) {
    float a = fabs(x);
    float near = erf_near(a * a);
    if (a < 0.9f) return x * near;
    return isnan(x) ? x : with_sign(1.0f - erfc_f32(a), as_uint(x));
}

// gamma(1.5 + u) for |u| up to 1/2.
static float gamma_part(float u) {
    float p = 0x1.bc63ccp-7f;
    p = fma(p, u, -0x1.8443dep-6f);
    p = fma(p, u, 0x1.ae9d7ep-6f);
    p = fma(p, u, -0x1.29439ep-5f);
    p = fma(p, u, 0x1.dde03ep-5f);
    p = fma(p, u, -0x1.3e51cap-4f);
    p = fma(p, u, 0x1.285070p-3f);
    p = fma(p, u, -0x1.b771c0p-4f);
    p = fma(p, u, 0x1.a8c456p-2f);
    p = fma(p, u, 0x1.08ea50p-5f);
    return fma(p, u, 0x1.c5bf8ap-1f);
}

float tgamma_f32(float x) {
    if (x == 0.0f) return with_sign(INFINITY, as_uint(x));
    if (isnan(x) || (x < 0.0f && floor(x) == x)) return NOT_A_NUMBER;
    if (fabs(x) < 0x1p-30f) return 1.0f / x;
    if (x > 35.05f) return INFINITY;
    // The sign alternates between the poles; far below all results are zero.
    bool odd = (int)fmax(floor(x), -0x1p30f) & 1;
    if (x < -44.0f) return with_sign(0.0f, odd ? SIGN : 0);
    // The product of the steps to the interval from 1 to 2, with a low part.
    float steps = floor(x) - 1.0f;
    float u = x - floor(x) - 0.5f;
    // It begins small, so that it does not overflow before the result does.
    float hi = 0x1p-60f, lo = 0.0f;
    int count = (int)fabs(steps);
    for (int i = 0; i < count; i++) {
        float by = x > 1.0f ? -(float)(i + 1) : (float)i;
        float factor = x + by;
        // What is lost in the sum.
        float back = factor - x;
        float factor_lo = (x - (factor - back)) + (by - back);
        float product = hi * factor;
        float error = fma(hi, factor, -product);
        lo = fma(lo, factor, fma(hi, factor_lo, error));
        hi = product;
    }
    float part = gamma_part(u);
    if (x > 1.0f) return 0x1p60f * fma(hi, part, lo * part);
    float quotient = part / hi;
    return 0x1p-60f * (quotient - quotient * (lo / hi));
}

// The logarithm of |gamma(x)|, and the sign of gamma(x).
float2 lgamma_r_f32(float x) {
    float a = fabs(x);
    float sign = 1.0f;
    float value;
    if (a < 0x1p-30f) {
        value = -log_f32(a);
        sign = with_sign(1.0f, as_uint(x));
    } else if (x > -3.0f && x < 12.0f) {
        // Near the zeroes at 1 and 2 the value itself is small.
        if (x > 0.75f && x < 1.25f) {
            float t = x - 1.0f;
            float p = 0x1.02af78p-3f;
            p = fma(p, t, -0x1.1d2c26p-3f);
            p = fma(p, t, 0x1.f8e6c4p-4f);
            p = fma(p, t, -0x1.21ad06p-3f);
            p = fma(p, t, 0x1.5b646ep-3f);
            p = fma(p, t, -0x1.a8ee74p-3f);
            p = fma(p, t, 0x1.151304p-2f);
            p = fma(p, t, -0x1.9a4ceep-2f);
            p = fma(p, t, 0x1.a51a66p-1f);
            p = fma(p, t, -0x1.2788d0p-1f);
            value = t * p + 0.0f;
        } else if (x > 1.75f && x < 2.25f) {
            float t = x - 2.0f;
            float p = -0x1.b642c2p-7f;
            p = fma(p, t, -0x1.9bb73cp-7f);
            p = fma(p, t, 0x1.330f90p-9f);
            p = fma(p, t, 0x1.1cc976p-11f);
            p = fma(p, t, 0x1.703548p-9f);
            p = fma(p, t, -0x1.e95ad8p-8f);
            p = fma(p, t, 0x1.51377ap-6f);
            p = fma(p, t, -0x1.13de86p-4f);
            p = fma(p, t, 0x1.4a34ccp-2f);
            p = fma(p, t, 0x1.b0ee60p-2f);
            value = t * p + 0.0f;
        } else {
            float g = tgamma_f32(x);
            sign = g < 0.0f ? -1.0f : 1.0f;
            value = isnan(g) && !isnan(x) ? INFINITY : log_f32(fabs(g));
            sign = isnan(g) ? 1.0f : sign;
        }
    } else {
        // Stirling's series.
        float inverse = 1.0f / a;
        float z = inverse * inverse;
        float series = fma(fma(z, 0x1.a01a02p-11f, -0x1.6c16c2p-9f), z, 0x1.555556p-4f) * inverse;
        float l = log_f32(a);
        value = fma(a - 0.5f, l - 1.0f, 0x1.acfe3ap-2f) + series;
        value = a > 0x1p80f ? a * (l - 1.0f) : value;
        if (x < 0.0f) {
            // gamma(-a) = -pi / (a * sin(pi * a) * gamma(a)).
            float s = sinpi_f32(a);
            sign = s > 0.0f ? -1.0f : 1.0f;
            value = s == 0.0f ? INFINITY : log_f32(PI_HI / (a * fabs(s))) - value;
            sign = s == 0.0f ? 1.0f : sign;
        }
    }
    value = isinf(x) ? INFINITY : isnan(x) ? x : value;
    return (float2)(value, as_float(sign < 0.0f ? -1 : 1));
}

float lgamma_f32(float x) { return lgamma_r_f32(x).x; }
