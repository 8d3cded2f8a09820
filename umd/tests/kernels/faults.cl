kernel void wild(global int *out, ulong address) { *(global int *)address = 1; out[0] = 1; }
kernel void endless(global volatile int *out) { while (out[0] == 0); out[1] = 1; }
