// Whole algorithms, as programs have them: local memory, barriers, loops that diverge, tables.

// Sorts each work-group's part.
kernel void bitonic_sort(global uint *values, local uint *shared)
{
    uint id = get_local_id(0), size = get_local_size(0);
    shared[id] = values[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = 2; width <= size; width <<= 1)
        for (uint step = width >> 1; step > 0; step >>= 1) {
            uint other = id ^ step;
            if (other > id) {
                uint a = shared[id], b = shared[other];
                if ((a > b) == ((id & width) == 0)) {
                    shared[id] = b;
                    shared[other] = a;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
    values[get_global_id(0)] = shared[id];
}

#define SCAN 256
// Exclusive sums of SCAN values a work-group of half as many items (Blelloch).
kernel void prefix_sums(global int *values, global int *totals)
{
    local int t[SCAN];
    int id = get_local_id(0), base = get_group_id(0) * SCAN, offset = 1;
    t[2 * id] = values[base + 2 * id];
    t[2 * id + 1] = values[base + 2 * id + 1];
    for (int d = SCAN / 2; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < d)
            t[offset * (2 * id + 2) - 1] += t[offset * (2 * id + 1) - 1];
        offset *= 2;
    }
    if (id == 0) {
        totals[get_group_id(0)] = t[SCAN - 1];
        t[SCAN - 1] = 0;
    }
    for (int d = 1; d < SCAN; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < d) {
            int a = offset * (2 * id + 1) - 1, b = offset * (2 * id + 2) - 1, x = t[a];
            t[a] = t[b];
            t[b] += x;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    values[base + 2 * id] = t[2 * id];
    values[base + 2 * id + 1] = t[2 * id + 1];
}

kernel void histogram(global const uchar *data, global uint *bins, uint count)
{
    local uint mine[256];
    for (uint bin = get_local_id(0); bin < 256; bin += get_local_size(0))
        mine[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_global_id(0); i < count; i += get_global_size(0))
        atomic_inc(&mine[data[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint bin = get_local_id(0); bin < 256; bin += get_local_size(0))
        atomic_add(&bins[bin], mine[bin]);
}

#define TILE 8
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matrix_product(global const float *a, global const float *b, global float *c, int n)
{
    local float as[TILE][TILE], bs[TILE][TILE];
    int x = get_global_id(0), y = get_global_id(1), lx = get_local_id(0), ly = get_local_id(1);
    float sum = 0;
    for (int t = 0; t < n; t += TILE) {
        as[ly][lx] = a[y * n + t + lx];
        bs[ly][lx] = b[(t + ly) * n + x];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum = fma(as[ly][k], bs[k][lx], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[y * n + x] = sum;
}

// A transform of 2^bits points a work-group, one item a point.
kernel void fourier(global float2 *points, int bits)
{
    local float2 s[256];
    int n = 1 << bits, id = get_local_id(0);
    uint to = 0;
    for (int bit = 0; bit < bits; bit++)
        to |= ((id >> bit) & 1) << (bits - 1 - bit);
    s[to] = points[get_group_id(0) * n + id];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int stage = 1; stage <= bits; stage++) {
        int m = 1 << stage, h = m >> 1, low = id / m * m + id % h;
        float angle = -2 * M_PI_F * (id % h) / m;
        float2 w = (float2)(cos(angle), sin(angle)), a = s[low], b = s[low + h];
        float2 t = (float2)(w.x * b.x - w.y * b.y, w.x * b.y + w.y * b.x);
        barrier(CLK_LOCAL_MEM_FENCE);
        s[id] = (id / h) & 1 ? a - t : a + t;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    points[get_group_id(0) * n + id] = s[id];
}

constant uint ROUNDS[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

#define RIGHT(x, n) rotate((uint)(x), (uint)(32 - (n)))
// SHA-256 of one padded block an item (FIPS 180-4).
kernel void sha256(global const uint *blocks, global uint *digests)
{
    uint item = get_global_id(0);
    uint w[64];
    for (int t = 0; t < 16; t++)
        w[t] = as_uint(as_uchar4(blocks[item * 16 + t]).wzyx);
    for (int t = 16; t < 64; t++) {
        uint s0 = RIGHT(w[t - 15], 7) ^ RIGHT(w[t - 15], 18) ^ (w[t - 15] >> 3);
        uint s1 = RIGHT(w[t - 2], 17) ^ RIGHT(w[t - 2], 19) ^ (w[t - 2] >> 10);
        w[t] = s1 + w[t - 7] + s0 + w[t - 16];
    }
    uint8 start = (uint8)(0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                          0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19);
    uint8 v = start;
    for (int t = 0; t < 64; t++) {
        uint s1 = RIGHT(v.s4, 6) ^ RIGHT(v.s4, 11) ^ RIGHT(v.s4, 25);
        uint s0 = RIGHT(v.s0, 2) ^ RIGHT(v.s0, 13) ^ RIGHT(v.s0, 22);
        uint t1 = v.s7 + s1 + bitselect(v.s6, v.s5, v.s4) + ROUNDS[t] + w[t];
        uint t2 = s0 + ((v.s0 & v.s1) ^ (v.s0 & v.s2) ^ (v.s1 & v.s2));
        v = (uint8)(t1 + t2, v.s012, v.s3 + t1, v.s456);
    }
    vstore8(v + start, item, digests);
}

// Steps until the sequence reaches 1; each item takes its own time.
kernel void collatz(global const uint *starts, global uint *steps)
{
    uint item = get_global_id(0), count = 0;
    ulong n = starts[item];
    while (n != 1) {
        if (n & 1)
            n = 3 * n + 1;
        else
            n /= 2;
        if (++count == 500)
            break;
    }
    steps[item] = count;
}

// Edges that no work-group fills.
kernel void transpose(global const float *from, global float *to, int width, int height)
{
    local float tile[8][9];
    int x = get_global_id(0), y = get_global_id(1);
    if (x < width && y < height)
        tile[get_local_id(1)][get_local_id(0)] = from[y * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    x = get_group_id(1) * 8 + get_local_id(0);
    y = get_group_id(0) * 8 + get_local_id(1);
    if (x < height && y < width)
        to[y * height + x] = tile[get_local_id(0)][get_local_id(1)];
}

kernel void find_roots(global const uint *parents, global uint *roots)
{
    uint at = get_global_id(0), depth = 0;
    while (parents[at] != at) {
        at = parents[at];
        depth++;
    }
    roots[get_global_id(0)] = at * 1000 + depth;
}
