// Accesses of every size and alignment.

#pragma OPENCL EXTENSION cl_khr_fp16 : enable

typedef struct __attribute__((packed)) {
    char a;
    short b;
    int c;
    long d;
    float e;
    char2 f;
} Packed;

kernel void packed_fields(global char *out, global const char *in) {
    int i = get_global_id(0);
    global const Packed *from = (global const Packed *)(in + 1) + i;
    global Packed *to = (global Packed *)(out + 3) + i;
    to->a = from->a + 1;
    to->b = from->b + 2;
    to->c = from->c + 3;
    to->d = from->d + 4;
    to->e = from->e * 2.0f;
    to->f = from->f;
}

kernel void narrow_vectors(global char4 *a, global short4 *b, global uchar16 *c, global ushort2 *d,
                           global char *e, global short *f) {
    int i = get_global_id(0);
    a[i] = a[i].wzyx + (char4)1;
    b[i] = b[i] * (short4)3;
    c[i] = c[i].s0123456789abcdef + (uchar16)(i);
    d[i] = d[i].yx;
    vstore4(vload4(i, e + 1) + (char4)5, i, e + 1);
    vstore3(vload3(i, f + 1) + (short3)7, i, f + 1);
}

kernel void local_vectors(global char *out, global const char *in, local char4 *words, local short *more) {
    int i = get_local_id(0), n = get_local_size(0), g = get_global_id(0);
    words[i] = vload4(g, in);
    vstore2((short2)(i, -i), i, more + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    char4 other = words[n - 1 - i];
    short2 pair = vload2(n - 1 - i, more + 1);
    vstore4(other + (char4)(pair.x, pair.y, 0, 1), g, out);
}
