// Private memory: arrays indexed at run time, spills, big stacks.

kernel void small_array(global int *out, int n)
{
    int a[16];
    int i = get_global_id(0);
    for (int k = 0; k < 16; k++)
        a[k] = i * k + n;
    for (int k = 0; k < n; k++)
        a[(k * 7 + i) & 15] += a[(k * 11) & 15];
    int sum = 0;
    for (int k = 0; k < 16; k++)
        sum = sum * 3 + a[k];
    out[i] = sum;
}

kernel void large_array(global int *out, int n)
{
    int a[300];
    int i = get_global_id(0);
    for (int k = 0; k < 300; k++)
        a[k] = k * n + i;
    for (int k = 0; k < n; k++)
        a[(k * 7) % 300] += a[(k * 11 + i) % 300];
    out[i] = a[(n + i) % 300];
}

kernel void huge_array(global int *out, int n)
{
    int a[5000];
    int i = get_global_id(0);
    for (int k = 0; k < 5000; k++)
        a[k] = k ^ (n + i);
    int sum = 0;
    for (int k = 0; k < n; k++)
        sum += a[(k * 77 + i) % 5000];
    out[i] = sum;
}

kernel void bytes_and_longs(global long *out, global const uchar *in)
{
    uchar bytes[64];
    long longs[32];
    short shorts[48];
    int i = get_global_id(0);
    for (int k = 0; k < 64; k++)
        bytes[k] = in[(i + k) & 255];
    for (int k = 0; k < 48; k++)
        shorts[k] = (short)(bytes[(k + i) & 63] * 100 - 3000);
    for (int k = 0; k < 32; k++)
        longs[k] = (long)shorts[(k * 5 + i) % 48] << 20;
    long sum = 0;
    for (int k = 0; k < 32; k++)
        sum ^= longs[(k * i) & 31] + bytes[(k + i * 3) & 63];
    out[i] = sum;
}

// More live values than registers: the compiler spills.
kernel __attribute__((intel_reqd_sub_group_size(16)))
void spill(global const float16 *a, global float16 *out, int n)
{
    size_t i = get_global_id(0);
    size_t m = get_global_size(0);
    float16 v0 = a[i], v1 = a[i + m], v2 = a[i + 2 * m], v3 = a[i + 3 * m];
    float16 v4 = a[i + 4 * m], v5 = a[i + 5 * m], v6 = a[i + 6 * m], v7 = a[i + 7 * m];
    for (int k = 0; k < n; k++) {
        float16 t = a[i + k];
        v0 = v0 + t * v1.s1032547698badcfe;
        v1 = v1 - t + v2;
        v2 = v2 + t - v3.s89abcdef01234567;
        v3 = v3 - t + v4;
        v4 = v4 + t - v5;
        v5 = v5 - t + v6.sfedcba9876543210;
        v6 = v6 + t - v7;
        v7 = v7 - t + v0;
    }
    out[i] = v0;
    out[i + m] = v1;
    out[i + 2 * m] = v2;
    out[i + 3 * m] = v3;
    out[i + 4 * m] = v4;
    out[i + 5 * m] = v5;
    out[i + 6 * m] = v6;
    out[i + 7 * m] = v7;
}
