// Variables of the program, and what kernels print.

global int counter = 100;
global int written[4] = {1, 2, 3, 4};
global int zeros[8];
constant int numbers[6] = {10, 11, 12, 13, 14, 15};
typedef struct {
    constant int *first;
    int bias;
    constant int *second;
} Tables;
constant Tables tables[2] = {{numbers, 1000, numbers + 3}, {numbers + 2, 2000, &numbers[1]}};
global int *global pointer = &written[2];

kernel void counts(global int *out) {
    int i = get_global_id(0);
    int old = atomic_add(&counter, 2);
    atomic_max(&zeros[i & 7], old & ~1);
    if (i < 4)
        written[i] += 10 * i;
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[i] = i == 0 ? counter : i < 5 ? written[i - 1] : i < 13 ? (zeros[i - 5] >= 100) : *pointer;
}

kernel void looks_up(global int *out, int which) {
    int i = get_global_id(0);
    constant Tables *table = &tables[(which + i) & 1];
    out[i] = table->first[i & 1] + table->bias + table->second[i & 3 ? 1 : 0];
}

kernel void prints(global int *in, float scale) {
    int i = get_global_id(0);
    if (in[i] > 0) {
        printf("%s %d: %d, %5.2f|%v4hhd|%v2d|%ld %c%%\n", i & 1 ? "odd" : "even", i, in[i],
               in[i] * scale, (char4)(i, -i, 3, (char)in[i]), (int2)(i, -1), (long)in[i] << 33, 'A' + i);
    } else if (in[i] < 0) {
        printf("none\n");
    }
}

// The text comes from several blocks.
kernel void prints_one_of(global int *in, global int *out) {
    int i = get_global_id(0);
    constant char *name = "first";
    for (int round = 0; round < in[i]; round++) {
        out[i] += round;
        switch (round & 3) {
        case 0: name = "second"; out[i]++; break;
        case 1: out[i] *= 3; break;
        case 2: name = in[i] & 8 ? "third" : "fourth"; out[i]--; break;
        }
    }
    printf("%d %s\n", i, name);
}
