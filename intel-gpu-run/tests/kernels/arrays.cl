// Accesses that leave one array and get into another, all but those of the last kernel.

kernel void local_into_next(global const int *in, global int *out)
{
    local int a[128];
    local int b[128];
    uint l = get_local_id(0);
    a[l] = in[l]; b[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) a[in[127]] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[l] + b[l];
}

kernel void local_read_next(global const int *in, global int *out)
{
    local int a[128];
    local int b[128];
    uint l = get_local_id(0);
    a[l] = in[l]; b[l] = in[l] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[l + 1] + b[l];
}

kernel void local_before(global const int *in, global int *out)
{
    local int a[128];
    local int b[128];
    uint l = get_local_id(0);
    a[l] = in[l]; b[l] = in[l] * 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = b[(int)l - 1] + a[l] + a[(int)l - 1 + (l == 0)];
}

kernel void private_next(global const int *in, global int *out)
{
    int a[64], b[64];
    for (int i = 0; i < 64; i++) { a[i] = in[i]; b[i] = in[i] + 1; }
    a[in[63]] = 5;
    out[get_global_id(0)] = a[in[0]] + b[in[2]] + b[get_local_id(0) & 63];
}

kernel void private_small(global const int *in, global int *out)
{
    int a[4], b[4];
    for (int i = 0; i < 4; i++) { a[i] = in[i]; b[i] = in[i] + 1; }
    out[get_global_id(0)] = a[in[get_local_id(0) & 3]] + b[in[2]];
}

void sum_of(local int *p, int n, global int *out)
{
    int s = 0;
    for (int i = 0; i <= n; i++) s += p[i];
    *out = s;
}

kernel void helper_local(global const int *in, global int *out)
{
    local int a[128];
    local int b[128];
    uint l = get_local_id(0);
    a[l] = in[l]; b[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 3) sum_of(a, 128, out + get_group_id(0));
    if (l == 4) sum_of(b, 100, out + 8 + get_group_id(0));
}

int last(int *p, int n) { return p[n]; }

kernel void helper_private(global const int *in, global int *out)
{
    int a[40], b[40];
    for (int i = 0; i < 40; i++) { a[i] = in[i]; b[i] = in[i + 1]; }
    out[get_global_id(0)] = last(a, in[39]) + last(b, 3);
}

kernel void pointer_walk(global const int *in, global int *out)
{
    local int a[128];
    local int b[16];
    uint l = get_local_id(0);
    a[l] = in[l];
    if (l < 16) b[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        local int *p = a;
        int s = 0;
        for (int i = 0; i < 130; i++) s += *p++;
        out[get_group_id(0)] = s;
    }
}

constant int weights[16] = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16};
constant int others[16] = {1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,17};

kernel void constant_beyond(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = weights[in[g & 15]] + others[in[g & 7]];
}

kernel void two_d(global const int *in, global int *out)
{
    local int t[8][16];
    local int u[8][16];
    uint l = get_local_id(0);
    t[l / 16][l % 16] = in[l];
    u[l / 16][l % 16] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = t[l / 16 + 1][l % 16] + u[l / 16][l % 16];
}

kernel void private_walk(global const int *in, global int *out)
{
    int a[48], b[48];
    for (int i = 0; i < 48; i++) { a[i] = in[i]; b[i] = in[i + 1]; }
    int *p = a, s = 0;
    for (int i = 0; i < in[48]; i++) s += *p++;
    out[get_global_id(0)] = s + b[in[3]];
}

kernel void select_arrays(global const int *in, global int *out)
{
    local int a[128];
    local int b[32];
    uint l = get_local_id(0);
    a[l] = in[l];
    if (l < 32) b[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    local int *p = in[l] & 1 ? a : b;
    out[get_global_id(0)] = p[l];
}

kernel void copy_beyond(global const int *in, global int *out)
{
    local int a[64];
    local int b[64];
    uint l = get_local_id(0);
    if (l < 64) b[l] = 3;
    event_t e = async_work_group_copy(a, in, 80, 0);
    wait_group_events(1, &e);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[l & 63] + b[l & 63];
}

kernel void copy_computed(global const int *in, global int *out)
{
    local int a[100];
    local int b[64];
    uint l = get_local_id(0);
    if (l < 64) b[l] = 3;
    event_t e = async_work_group_copy(a, in, 100 + in[0], 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = a[l & 63] + b[l & 63];
}

// A pointer that is also stored.
kernel void kept(global const int *in, global int *out)
{
    local int a[64];
    local int b[64];
    local int *volatile keep[1];
    uint l = get_local_id(0);
    a[l & 63] = 0; b[l & 63] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        local int *p = &a[in[66]];
        keep[0] = p;
        *p = 7;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[l & 63] + b[l & 63];
}

kernel void atomic_local_beyond(global const int *in, global int *out)
{
    local int h[32];
    local int g[32];
    uint l = get_local_id(0);
    if (l < 32) { h[l] = 0; g[l] = 0; }
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&h[in[l] % 33]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = h[l & 31] + g[l & 31];
}

kernel void right_arrays(global const int *in, global int *out)
{
    local int t[8][16];
    local struct { char c; int i[3]; } u[128];
    int p[20], q[20];
    uint l = get_local_id(0);
    t[l / 16][l % 16] = in[l];
    u[l].c = 1; u[l].i[0] = 1; u[l].i[1] = 2; u[l].i[2] = 3;
    for (int i = 0; i < 20; i++) { p[i] = in[i]; q[i] = in[i]; }
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t none = async_work_group_copy(&t[0][0], in, in[0] - 1, 0);
    wait_group_events(1, &none);
    int *w = p + 20, s = 0;
    for (int i = 0; i < 20; i++) s += *--w;
    local int *v = &t[0][0];
    local int *e = v + 128;
    for (; v != e; v++) s += *v;
    out[get_global_id(0)] = s + u[l ^ 1].i[in[l] % 3] + q[in[l] % 20] + t[7 - l / 16][15 - l % 16];
}

struct Numbers { int first[4]; int rest[4]; };

kernel void by_value_beyond(global const int *in, global int *out, struct Numbers n)
{
    size_t g = get_global_id(0);
    out[g] = n.rest[in[g] % 5];
}

kernel void right_by_value(global const int *in, global int *out, struct Numbers n)
{
    size_t g = get_global_id(0);
    out[g] = n.rest[in[g] % 4] + n.first[in[g] % 8];
}
