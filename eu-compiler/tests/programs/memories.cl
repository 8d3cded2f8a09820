// Memories: structures, pointers to private, local, global and generic memory, tables, copies.

typedef struct {
    uchar kind;
    ushort weight;
    uint id;
    float3 at;
    char tag[5];
    ulong stamp;
} record;

typedef struct node {
    int value;
    short next;
    short depth;
} node;

kernel void structs(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    record r[3];
    for (int i = 0; i < 3; i++) {
        r[i].kind = in[g + i];
        r[i].weight = in[g + i] >> 8;
        r[i].id = g * 3 + i;
        r[i].at = (float3)(in[g] & 255, i, g);
        r[i].stamp = (ulong)in[g] * in[g + i];
        for (int k = 0; k < 5; k++)
            r[i].tag[k] = in[g + k] >> i;
    }
    record m = r[in[g] % 3];
    record *p = &r[(in[g] >> 8) % 3];
    p->weight += m.kind;
    p->at.y += m.at.x;
    out[8 * g] = m.weight + r[0].weight * 3 + r[2].weight * 5;
    out[8 * g + 1] = p->id;
    out[8 * g + 2] = (uint)(p->at.x + p->at.y + p->at.z);
    out[8 * g + 3] = p->tag[in[g] % 5] + m.tag[4];
    out[8 * g + 4] = (uint)(p->stamp >> 32) ^ (uint)m.stamp;
    out[8 * g + 5] = sizeof(record);
}

kernel void linked_list(global const uint *in, global uint *out)
{
    local node nodes[64];
    uint l = get_local_id(0), g = get_global_id(0);
    node n = {(int)in[g], (short)((l * 29 + 11) % 64), (short)l};
    nodes[l] = n;
    barrier(CLK_LOCAL_MEM_FENCE);
    int at = l, sum = 0;
    for (int i = 0; i < (in[g] & 15); i++) {
        sum = sum * 3 + nodes[at].value - nodes[at].depth;
        at = nodes[at].next;
    }
    out[g] = sum;
}

int sum_of(const int *p, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += p[i] * (i + 1);
    return sum;
}

void fill(int *p, int n, int from, int by)
{
    for (int i = 0; i < n; i++)
        p[i] = from + by * i;
}

kernel void generic_pointers(global const uint *in, global uint *out)
{
    local int shared[64 * 4];
    uint l = get_local_id(0), g = get_global_id(0);
    int own[4];
    fill(own, 4, in[g] & 255, 3);
    fill(shared + 4 * l, 4, in[g] >> 8 & 255, 5);
    fill((int *)(out + 8 * g), 4, in[g] >> 16 & 255, 7);
    const int *p = in[g] & 1 ? own : in[g] & 2 ? (const int *)(shared + 4 * l) : (const int *)(out + 8 * g);
    int r = sum_of(p, 4);
    bool is_local = to_local(p) != 0;
    bool is_global = to_global(p) != 0 && !(in[g] & 1);
    out[8 * g + 4] = r;
    out[8 * g + 5] = is_local * 2 + is_global;
}

kernel void async_copies(global const uint *in, global uint *out)
{
    local uint a[64], b[128];
    local ushort4 c[16];
    uint l = get_local_id(0), base = get_group_id(0) * 64;
    event_t e = async_work_group_copy(a, in + base, 64, 0);
    e = async_work_group_strided_copy(b, in, 64, 3, e);
    e = async_work_group_copy(c, (global const ushort4 *)(in + base), 16, e);
    wait_group_events(1, &e);
    b[64 + l] = a[63 - l] + c[l & 15].z;
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t f = async_work_group_copy(out + 2 * base, b, 128, 0);
    wait_group_events(1, &f);
}

kernel void transpose(global const uint *in, global uint *out)
{
    local float tile[8][9];
    uint l = get_local_id(0), base = get_group_id(0) * 64;
    uint x = l & 7, y = l >> 3;
    tile[y][x] = as_float(in[base + l] & 0x3fffffff);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + l] = as_uint(tile[x][y]);
}

constant short TABLE[4][5] = {{1, 2, 3, 4, 5}, {-6, -7, -8, -9, -10}, {100, 200, 300, 400, 500}, {7, 5, 3, 1, -1}};
constant float WEIGHTS[8] = {0.5f, 1.5f, -2.0f, 4.0f, 8.0f, 0.25f, 3.0f, -1.0f};
constant char *constant NAMES[3] = {"alpha", "beta", "gamma ray"};

kernel void tables(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint v = in[g];
    float f = 0;
    for (int i = 0; i < 8; i++)
        f += WEIGHTS[(v >> i) & 7] * TABLE[v >> 28 & 3][(v >> i) % 5];
    constant char *name = NAMES[v % 3];
    int n = 0;
    while (name[n])
        n = n + 1;
    out[2 * g] = as_uint(f);
    out[2 * g + 1] = n * 256 + name[v % 5];
}

global int counter_base = 17;
global uint scratch[256];

kernel void program_scope(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    scratch[g] = in[g] + counter_base;
    out[g] = scratch[g] * 2 + g;
}

kernel void halves(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    global const half *h = (global const half *)(in + g);
    float4 f = vload_half4(0, h);
    float a = vload_half(1, h);
    f = select(f, (float4)1.0f, isnan(f));
    a = isnan(a) ? 2.0f : a;
    global half *to = (global half *)(out + 8 * g);
    vstore_half4(f, 0, to);
    vstore_half_rtz(a * 1.00048828125f, 4, to);
    vstore_half_rtp(a * 0.99951171875f, 5, to);
    vstore_half(as_float(in[g] & 0x7f7fffff), 6, to);
    vstore_half3(f.xyz, 3, to);
    out[8 * g + 7] = as_uint(f.x);
}

kernel void columns(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uchar grid[6][7];
    for (int y = 0; y < 6; y++)
        for (int x = 0; x < 7; x++)
            grid[y][x] = in[(g + y * 7 + x) & 4095] >> (x + y);
    uint sum = 0;
    for (int x = 0; x < 7; x++) {
        uchar most = 0;
        for (int y = 0; y < 6; y++)
            if (grid[y][(x * 3 + g) % 7] > most)
                most = grid[y][(x * 3 + g) % 7];
        sum = sum * 31 + most;
    }
    out[g] = sum;
}

kernel void atomics(global const uint *in, global uint *out)
{
    local int cells[8];
    uint l = get_local_id(0), g = get_global_id(0);
    if (l < 8)
        cells[l] = l == 3 ? 0x7fffffff : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = in[g];
    atomic_add(&cells[0], v);
    atomic_max(&cells[1], v);
    atomic_xor(&cells[2], v);
    atomic_min(&cells[3], v);
    atomic_or(&cells[4], 1 << (l & 31));
    if (l & 1)
        atomic_sub(&cells[5], v >> 3);
    for (;;) {
        int old = cells[6];
        if (atomic_cmpxchg(&cells[6], old, old + (v & 15)) == old)
            break;
    }
    atomic_dec(&cells[7]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = cells[l & 7];
    atomic_add((volatile global int *)&out[1024 + (v & 63)], v);
    atomic_max((volatile global uint *)&out[1100 + (v & 7)], (uint)v);
}

#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_char : enable
__attribute__((intel_reqd_sub_group_size(16)))
kernel void constant_blocks(global const uint *in, global uint *out)
{
    uint first = get_global_id(0) - get_sub_group_local_id();
    intel_sub_group_block_write_uc((global uchar *)(out + 4 * first), 7);
    intel_sub_group_block_write_uc2((global uchar *)(out + 4 * first) + 16, (uchar2)(in[0], 200));
}

kernel void copies(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    record a, b;
    a.kind = in[g];
    a.weight = in[g] >> 16;
    a.id = ~in[g];
    a.at = 1.0f;
    for (int i = 0; i < 5; i++)
        a.tag[i] = i * g;
    a.stamp = in[g + 1];
    b = a;
    b.tag[in[g] % 5] = 77;
    const record *p = in[g] & 4 ? &a : &b;
    record c = *p;
    global record *q = (global record *)out + g;
    q->kind = c.kind;
    q->weight = c.weight;
    q->id = c.id;
    q->at = c.at;
    for (int i = 0; i < 5; i++)
        q->tag[i] = c.tag[i];
    q->stamp = c.stamp;
}

/// What is stored is where it is stored: one register is the address and the data.
kernel void own_places(global const uint *in, global uint *out)
{
    local uchar bytes[64];
    local uint words[64];
    uint l = get_local_id(0), place = 4 * l;
    bytes[l] = l;
    *(local uint *)((local uchar *)words + place) = place;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add((volatile local uint *)((local uchar *)words + place), place);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint other = in[get_global_id(0)] & 63;
    out[get_global_id(0)] = 1000 * words[other] + bytes[other];
}
