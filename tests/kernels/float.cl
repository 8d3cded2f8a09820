// Single precision: what must be exact, and comparisons with NaN and infinity.

kernel void exact(global const float *a, global const float *b, global const float *c,
                  global float *out)
{
    size_t i = get_global_id(0);
    float x = a[i], y = b[i], z = c[i];
    size_t at = i * 21;
    out[at++] = x + y;
    out[at++] = x - y;
    out[at++] = x * y;
    out[at++] = fma(x, y, z);
    out[at++] = fmin(x, y);
    out[at++] = fmax(x, y);
    out[at++] = fabs(x);
    out[at++] = -x;
    out[at++] = copysign(x, y);
    out[at++] = floor(x);
    out[at++] = ceil(x);
    out[at++] = trunc(x);
    out[at++] = rint(x);
    out[at++] = round(x);
    out[at++] = fmod(x, y);
    out[at++] = sign(x);
    out[at++] = nextafter(x, y);
    out[at++] = ldexp(x, (int)(i % 40) - 20);
    out[at++] = clamp(x, fmin(y, z), fmax(y, z));
    out[at++] = step(x, y);
    out[at++] = fdim(x, y);
}

kernel void compare(global const float *a, global const float *b, global int *out)
{
    size_t i = get_global_id(0);
    float x = a[i], y = b[i];
    int bits = 0;
    bits |= (x == y) << 0;
    bits |= (x != y) << 1;
    bits |= (x < y) << 2;
    bits |= (x <= y) << 3;
    bits |= (x > y) << 4;
    bits |= (x >= y) << 5;
    bits |= (isnan(x) != 0) << 6;
    bits |= (isinf(x) != 0) << 7;
    bits |= (isfinite(x) != 0) << 8;
    bits |= (isnormal(x) != 0) << 9;
    bits |= (signbit(x) != 0) << 10;
    bits |= (isordered(x, y) != 0) << 11;
    bits |= (isunordered(x, y) != 0) << 12;
    bits |= (islessgreater(x, y) != 0) << 13;
    out[i] = bits;
}

kernel void parts(global const float *a, global float *out, global int *exponents)
{
    size_t i = get_global_id(0);
    float x = a[i];
    int e;
    float whole;
    out[i * 3] = frexp(x, &e);
    out[i * 3 + 1] = modf(x, &whole);
    out[i * 3 + 2] = whole;
    exponents[i * 2] = e;
    exponents[i * 2 + 1] = ilogb(x);
}

// Bits must survive copies, whatever they mean as a number.
kernel void move_bits(global const float *in, global float *out, int pick)
{
    size_t i = get_global_id(0);
    float x = in[i];
    float y = in[i ^ 1];
    out[i] = (i & 3) == pick ? y : x;
}
