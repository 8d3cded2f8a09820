// OpenCL C has no recursion: an error names the function and the line.

uint factorial(uint n) {
    return n < 2 ? 1 : n * factorial(n - 1);
}

kernel void recursion(global uint *out) {
    out[0] = factorial(out[1]);
}
