// More values at once than a thread has registers, in loops that lanes leave at different times.

#define TEN(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7) M(n##8) M(n##9)
#define ALL(M) TEN(M, 1) TEN(M, 2) TEN(M, 3) TEN(M, 4) TEN(M, 5) TEN(M, 6) TEN(M, 7) TEN(M, 8) \
    TEN(M, 9) TEN(M, 10) TEN(M, 11) TEN(M, 12) TEN(M, 13) TEN(M, 14) TEN(M, 15) TEN(M, 16)

kernel void loops(global uint *out, global const uint *in) {
    size_t i = get_global_id(0);
    uint count = in[i], last = count;
#define MAKE(n) uint v##n = in[i + n];
    ALL(MAKE)
    for (uint j = 0; j < (count & 7); ++j) {
#define STEP(n) v##n = (v##n ^ last) + j; last = last * 5 + v##n;
        ALL(STEP)
        if (last % 5 == 0) break;
        if (last & 1) {
#define ODD(n) v##n += n;
            ALL(ODD)
        }
    }
#define SUM(n) last = (last << 1 | last >> 31) ^ v##n;
    ALL(SUM)
    out[i] = last;
}

kernel void vectors(global float4 *out, global const float4 *in, float a, int n) {
    size_t i = get_global_id(0);
#define MAKE4(n) float4 w##n = in[i + n];
    TEN(MAKE4, 1) TEN(MAKE4, 2) TEN(MAKE4, 3)
    for (int j = 0; j < n; ++j) {
#define STEP4(n) w##n = w##n * a + w##n.wxyz;
        TEN(STEP4, 1) TEN(STEP4, 2) TEN(STEP4, 3)
    }
    float4 sum = 0;
#define SUM4(n) sum += w##n;
    TEN(SUM4, 1) TEN(SUM4, 2) TEN(SUM4, 3)
    out[i] = sum;
}
