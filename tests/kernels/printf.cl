// printf: conversions, strings, vectors, and the order within a work-item.

kernel void conversions(global const int *in, float f)
{
    if (get_global_id(0) != 0)
        return;
    printf("plain text\n");
    printf("%d %i %u %x %X %o %c\n", in[0], in[1], in[2], in[3], in[4], in[5], in[6]);
    printf("%5d|%-5d|%05d|%+d|% d|%#x|%#o\n", in[0], in[0], in[0], in[0], in[0], in[3], in[5]);
    printf("%hhd %hd %ld %lu\n", (char)in[1], (short)in[1], (long)in[1] << 32, (ulong)in[2] << 32);
    printf("%f %.2f %10.3f %e %g %a\n", f, f, f, f, f, f);
    printf("%s and %s%%\n", "one", "two");
    printf("%v4hld %v2hld %v4hlf %v3hhx\n", (int4)(1, 2, 3, in[1]), (int2)(5, 6),
           (float4)(0.5f, 1.5f, f, -1.0f), (char3)(1, 2, 15));
    printf("%s", "");
}

kernel void per_item(global const int *in)
{
    int i = get_global_id(0);
    if (in[i] > 3)
        printf("item %d has %d\n", i, in[i]);
}
