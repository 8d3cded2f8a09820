// Elements and members of a work-item's own arrays and structures that nothing has written.

#define ARGS global const int *in, global int *out
#define G get_global_id(0)
#define L get_local_id(0)

kernel void small_array(ARGS)
{
    int a[8];
    for (int i = 0; i < 7; i++) a[i] = in[i];
    out[G] = a[in[L] & 7];
}

kernel void members(ARGS)
{
    struct { int a; float b; int c[3]; } s[4];
    for (int i = 0; i < 4; i++) { s[i].a = in[i]; s[i].c[0] = 1; s[i].c[1] = 9; s[i].c[2] = 3; }
    out[G] = as_int(s[in[L] & 3].b);
}

// In each round it begins anew.
kernel void array_of_a_round(ARGS)
{
    int s = 0;
    for (int j = 0; j < 3; j++) {
        int a[6];
        for (int i = j; i < 6; i++) a[i] = in[i + j];
        s += a[in[G] % 6];
    }
    out[G] = s;
}

kernel void component(ARGS)
{
    float4 v[3];
    v[0] = 1; v[1] = 2; v[2].xyz = (float3)(in[2]);
    out[G] = v[in[G] % 3].w;
}

kernel void long_elements(ARGS)
{
    long a[4];
    for (int i = 0; i < 3; i++) a[i] = in[i];
    out[G] = a[in[G] & 3];
}

void fill(int *p, int n, global const int *in) { for (int i = 0; i < n; i++) p[i] = in[i]; }

kernel void filled_by_another(ARGS)
{
    int a[10];
    fill(a, in[8], in);
    out[G] = a[in[G] % 10];
}

kernel void right_values(ARGS)
{
    int a[10], b[4], s = 0;
    fill(a, in[9], in);
    if (in[G] & 1) { b[0] = 1; b[1] = 2; b[2] = 3; b[3] = 4; }
    else for (int i = 0; i < 4; i++) b[i] = in[i];
    for (int j = 0; j < 3; j++) {
        int c[6];
        for (int i = 0; i < 6; i++) c[i] = in[i + j];
        s += c[in[G] % 6];
    }
    int d[7] = {1, 2, 3};
    d[in[G] % 7] = 5;
    int3 e[5];
    for (int i = 0; i < 5; i++) e[i] = (int3)(i, in[G], 3);
    union { int i; uchar b[4]; float f; } u;
    u.i = in[G];
    u.b[0] = 4;
    int some[16];
    for (int i = 0; i < 8; i++) some[i] = in[i];
    for (int i = 0; i < (in[L] & 7); i++) s += some[i];
    out[G] = s + a[in[G] % 10] + b[in[G] & 3] + d[in[L] % 7] + e[in[G] % 5].y + as_int(u.f);
}

// Nothing writes the bytes between members.
struct gaps { char c; int i; short s; };

kernel void right_gaps(ARGS)
{
    local struct gaps there[128];
    struct gaps v[3], w;
    for (int i = 0; i < 3; i++) { v[i].c = in[G]; v[i].i = i; v[i].s = 7; }
    w = v[in[G] % 3];
    there[L].c = w.c; there[L].i = w.i; there[L].s = w.s;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (G < 64)
        ((global struct gaps *)out)[G] = there[L ^ 1];
}

kernel void member_beside_gaps(ARGS)
{
    struct gaps v[3];
    for (int i = 0; i < 3; i++) { v[i].c = in[G]; v[i].i = i; }
    v[0].s = 7; v[1].s = 8;
    if (G < 64)
        ((global struct gaps *)out)[G] = v[in[G] % 3];
}

union both { struct { char c; int i; } s; int v[2]; };

kernel void right_union(ARGS)
{
    if (G < 64) {
        union both one = ((global const union both *)in)[G];
        ((global union both *)out)[G] = one;
        out[128 + G] = one.v[0] ^ one.v[1];
    }
}

kernel void right_bytes(ARGS)
{
    struct { char c; int i; } s;
    int v[2];
    if (G < 64) {
        __builtin_memcpy(&s, in + 2 * G, 8);
        __builtin_memcpy(v, &s, 8);
        out[2 * G] = v[0];
        out[2 * G + 1] = v[1];
    }
}

int fills(int x)
{
    int a[40], sum = 0;
    for (int i = 0; i < 40; i++)
        a[i] = x + i;
    for (int i = 0; i < 40; i++)
        sum = sum * 3 + a[(uint)(sum + i) % 40];
    return sum;
}

int fills_most(int x)
{
    int a[40], sum = 0;
    for (int i = 0; i < 39; i++)
        a[i] = x * i;
    for (int i = 0; i < 40; i++)
        sum = sum * 5 + a[(uint)(x * 40 + i) % 40];
    return sum;
}

// Calls that follow each other may have their variables in one place.
kernel void filled_by_a_call_before(ARGS)
{
    uint g = get_global_id(0);
    int before = fills(in[g]);
    out[g] = before + fills_most(in[g]);
}
