// The math functions of OpenCL.std in half precision that the next larger precision does not give.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL FP_CONTRACT OFF

#define NOT_A_NUMBER as_half((ushort)0x7e00)

half2 fract_f16(half x) {
    half whole = floor(x);
    half rest = isinf(x) ? 0.0h : fmin(x - whole, as_half((ushort)0x3bff));
    rest = isnan(x) ? x : rest;
    return (half2)(x == 0.0h || isinf(x) ? copysign(0.0h, x) : rest, whole);
}

half nextafter_f16(half x, half y) {
    int a = as_short(x), b = as_short(y);
    // Numbers in order.
    int from = a < 0 ? -0x8000 - a : a;
    int to = b < 0 ? -0x8000 - b : b;
    int next = from < to ? from + 1 : from > to ? from - 1 : from;
    // Below the smallest negative number is negative zero.
    half result = as_half((short)(next < 0 || (next == 0 && from < 0) ? -0x8000 - next : next));
    result = x == y ? y : result;
    return isnan(x) || isnan(y) ? NOT_A_NUMBER : result;
}

half nan_f16(ushort code) { return as_half((ushort)(0x7e00 | (code & 0x1ff))); }
