// Copies that are too large to be made without a loop, and what is aligned more than its type asks for.

struct large {
    uint numbers[1500];
    ushort last;
};

kernel void large_copies(global uint *out, global const uint *in) {
    uint id = get_global_id(0);
    uint zeroes[1025] = {0};
    zeroes[in[id] % 1025] = id + 1;
    struct large one, other;
    for (uint i = 0; i < 1500; i += 7)
        one.numbers[i] = in[id] + i;
    one.last = in[id];
    other = one;
    one.numbers[700] = 0;
    one.last = 0;
    uint sum = 0;
    for (uint i = 0; i < 1500; i += 35)
        sum = sum * 3 + other.numbers[i];
    out[3 * id] = sum + other.last;
    out[3 * id + 1] = zeroes[in[id] % 1025];
    out[3 * id + 2] = zeroes[(in[id] + 1) % 1025] + zeroes[1024 - in[id] % 1024];
}

constant uchar three[3] = {1, 2, 3};
constant uchar eight[8] __attribute__((aligned(64))) = {1, 2, 3, 4, 5, 6, 7, 8};
global uchar odd[3];
global uchar even[8] __attribute__((aligned(64)));

// Zero where every variable is aligned.
kernel void alignments(global uint *out) {
    uint id = get_global_id(0);
    local uchar few[3];
    local uchar many[64] __attribute__((aligned(64)));
    uchar own_few[3];
    uchar own[64] __attribute__((aligned(64)));
    ulong16 wide[2];
    constant uchar *volatile a = eight;
    global uchar *volatile b = even;
    local uchar *volatile c = many;
    private uchar *volatile d = own;
    private ulong16 *volatile e = wide;
    private uchar *volatile f = own_few;
    local uchar *volatile g = few;
    f[id % 3] = id;
    if (id < 3)
        g[id] = id;
    uint beyond = ((ulong)a | (ulong)b | (ulong)c | (ulong)d) & 63;
    beyond |= (ulong)e & 127;
    out[id] = 256 * beyond + three[id % 3] + odd[id % 3];
}

// The same of local memory that is an argument.
kernel void behind_bytes(global uint *out, local float4 *given) {
    uint id = get_global_id(0);
    local uchar few[3];
    local uchar *volatile a = few;
    local float4 *volatile b = given;
    if (id < 3)
        a[id] = id;
    out[id] = (ulong)b & 15;
}

// A table that is never written is read where it is; one that is written is copied.
#define ONE(n) (n) * 2654435761u,
#define FOUR(n) ONE(n) ONE(n + 1) ONE(n + 2) ONE(n + 3)
#define SIXTEEN(n) FOUR(n) FOUR(n + 4) FOUR(n + 8) FOUR(n + 12)
#define SOME(n) SIXTEEN(n) SIXTEEN(n + 16) SIXTEEN(n + 32) SIXTEEN(n + 48)
#define MANY(n) SOME(n) SOME(n + 64) SOME(n + 128) SOME(n + 192)
#define ALL MANY(0) MANY(256) MANY(512) MANY(768) MANY(1024) 7u

kernel void large_table(global uint *out) {
    uint id = get_global_id(0);
    const uint table[1281] = {ALL};
    uint sum = 0;
    for (uint i = 0; i < 5; i++)
        sum = sum * 3 + table[(id * 41 + i * 320) % 1281];
    out[id] = sum;
}

kernel void written_table(global uint *out) {
    uint id = get_global_id(0);
    uint table[1281] = {ALL};
    table[id * 41 % 1281] = id;
    uint sum = 0;
    for (uint i = 0; i < 5; i++)
        sum = sum * 3 + table[(id * 41 + i * 320) % 1281];
    out[id] = sum;
}
