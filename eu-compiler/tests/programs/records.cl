// Structures in structures, packed and not, by value and by pointer; unions; vectors of three;
// halves in memory.

typedef struct {
    char a;
    short b;
    int c;
    long d;
    uchar e[5];
} Mixed;

typedef struct __attribute__((packed))
{
    char a;
    int b;
    short c;
    long d;
} Packed;

typedef struct {
    Mixed m[3];
    Packed p;
    union {
        uint u;
        float f;
        uchar b[4];
        ushort h[2];
    } x;
    int2 v;
} Deep;

typedef struct node {
    int value;
    int left, right;
} Node;

Mixed make(uint s)
{
    Mixed m;
    m.a = s;
    m.b = s >> 3;
    m.c = s * 7;
    m.d = (long)s * 1234567891011L;
    for (int i = 0; i < 5; i++) m.e[i] = s >> i;
    return m;
}

ulong hashm(Mixed m)
{
    ulong h = m.a;
    h = h * 31 + m.b;
    h = h * 31 + m.c;
    h = h * 31 + m.d;
    for (int i = 0; i < 5; i++) h = h * 31 + m.e[i];
    return h;
}

void swap_m(Mixed *a, Mixed *b)
{
    Mixed t = *a;
    *a = *b;
    *b = t;
}

kernel void struct_mixed(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    Mixed m[4];
    for (int i = 0; i < 4; i++) m[i] = make(in[g + i]);
    swap_m(&m[in[g] & 3], &m[(in[g] >> 2) & 3]);
    m[(in[g] >> 4) & 3].e[in[g+1] % 5] = 77;
    ulong h = 0;
    for (int i = 0; i < 4; i++) h = h * 17 + hashm(m[i]);
    out[2 * g] = h;
    out[2 * g + 1] = h >> 32;
}

kernel void struct_packed(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    global Packed *o = (global Packed *)out + g;
    Packed p;
    p.a = in[g];
    p.b = in[g+1];
    p.c = in[g+2];
    p.d = (long)in[g+3] << 20 ^ in[g+4];
    if (in[g] & 1) p.b ^= p.c;
    *o = p;
    if (g & 1) o->d += o->b;
}

void touch(Deep *d, int i, uint v)
{
    d->m[i % 3].e[v % 5] ^= v;
    d->m[i % 3].d += v;
    d->p.d -= v;
    d->x.b[i & 3] = v;
    d->v.y += d->x.h[1];
}

kernel void struct_deep(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    Deep d;
    for (int i = 0; i < 3; i++) d.m[i] = make(in[g + i]);
    d.p.a = 1;
    d.p.b = in[g];
    d.p.c = 3;
    d.p.d = 4;
    d.x.u = in[g+5];
    d.v = (int2)(g, in[g+7]);
    uint n = in[g] & 7;
    for (uint i = 0; i < n; i++) touch(&d, i, in[g + i]);
    Deep e = d;
    touch(&e, 1, in[g+9]);
    ulong h = 0;
    for (int i = 0; i < 3; i++) h = h * 17 + hashm(d.m[i]) + hashm(e.m[i]);
    h += d.p.d * 3 + e.p.d + d.x.u + e.x.u * 5ul + d.v.y + (d.x.h[0] << 3);
    out[2 * g] = h;
    out[2 * g + 1] = h >> 32;
}

kernel void tree_insert(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    Node t[24];
    int n = 0, root = -1;
    for (int i = 0; i < 20; i++) {
        int v = in[g * 4 + i] & 0xff;
        int *at = &root;
        while (*at >= 0 && t[*at].value != v) at = v < t[*at].value ? &t[*at].left : &t[*at].right;
        if (*at < 0) {
            t[n].value = v;
            t[n].left = t[n].right = -1;
            *at = n++;
        }
    }
    int stack[24], sp = 0, cur = root;
    uint h = n;
    while (cur >= 0 || sp) {
        while (cur >= 0) {
            stack[sp++] = cur;
            cur = t[cur].left;
        }
        cur = stack[--sp];
        h = h * 33 + t[cur].value;
        cur = t[cur].right;
    }
    out[g] = h;
}

kernel void vec3s(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uchar3 c = vload3(g, (const global uchar *)in);
    ushort3 s = vload3(g, (const global ushort *)in);
    int3 i = vload3(g, (const global int *)in);
    ulong3 l = vload3(g, (const global ulong *)in);
    int3 m = i.zxy - convert_int3(c) * convert_int3(s).yzx;
    l += convert_ulong3(m);
    l.s12 ^= l.s20;
    int3 q = m > i;
    int3 z = select(m, i, q);
    vstore3(z, g, (global int *)out);
    vstore3(convert_uchar3(l & 255), g, (global uchar *)(out + 1024));
    vstore3(convert_short3_sat(m), g, (global short *)(out + 2048));
    vstore3(l, g, (global ulong *)(out + 4096));
}

kernel void half_stores(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    float4 f = convert_float4(as_int4((uint4)(in[g], in[g+1], in[g+2],
        in[g+3]))) * (float4)(1e-6f, 1e-3f, 1e-9f, 3e-7f);
    global half *o = (global half *)out;
    vstore_half4(f, g, o);
    vstore_half3_rtz(f.xyz, g, o + 2048);
    vstore_half_rtp(f.x, g, o + 4096);
    vstore_half2_rtn(f.zw, g, o + 4608);
    vstorea_half3(f.wzy, g, o + 6144);
    float4 r = vload_half4(g, (global const half *)in);
    float3 r3 = vload_half3(g, (global const half *)in);
    float3 ra = vloada_half3(g, (global const half *)in);
    out[4096 + g] = isnan(r.x) ? 1 : as_uint(r.x);
    out[4352 + g] = isnan(r3.z) ? 1 : as_uint(r3.z);
    out[4608 + g] = isnan(ra.y) ? 1 : as_uint(ra.y);
}
