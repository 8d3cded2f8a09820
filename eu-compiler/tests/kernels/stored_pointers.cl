// Pointers into local and private memory, in memory and as numbers; structures that are arguments.

struct node {
    uint value;
    private struct node *next;
};

// A list that ends where nothing was written.
kernel void zeroed_list(global uint *out, global const uint *in) {
    uint id = get_global_id(0);
    struct node nodes[4] = {{0}};
    for (uint i = 0; i < 4; i++)
        nodes[i].value = in[id + i];
    for (uint i = 0; i < (in[id] & 3); i++)
        nodes[i].next = &nodes[i + 1];
    uint sum = 0;
    for (private struct node *node = nodes; node; node = node->next)
        sum = sum * 3 + node->value;
    out[id] = sum;
}

struct entry {
    int value;
    local int *place;
};

// Which of these are null: in zeroed memory, of a number, and of a generic pointer.
kernel void nulls_of_zeroes(global uint *out, global const uint *in) {
    uint id = get_global_id(0);
    local int words[64];
    local ulong raw[64];
    int own = in[id];
    uint at = get_local_id(0);
    words[at] = in[id];
    raw[at] = 0;
    struct entry entries[3] = {{0}};
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[id] & 1)
        entries[in[id] % 3].place = &words[at];
    local int *local *table = (local int *local *)raw;
    if (in[id] & 2)
        table[at] = &words[at];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint nulls = 0;
    for (int i = 0; i < 3; i++)
        nulls = nulls * 2 + (entries[(i + id) % 3].place == 0);
    nulls = nulls * 2 + (table[at] == 0);
    ulong zero = in[id] >> 31 >> 1;
    nulls = nulls * 2 + ((local int *)zero == 0);
    nulls = nulls * 2 + ((private int *)zero == 0);
    int *volatile to_local = in[id] & 1 ? (int *)&words[at] : 0;
    int *volatile to_private = in[id] & 2 ? (int *)&own : 0;
    nulls = nulls * 2 + ((local int *)to_local == 0);
    nulls = nulls * 2 + ((private int *)to_private == 0);
    local int *volatile none = 0;
    nulls = nulls * 2 + (*(volatile ulong private *)&none == 0);
    out[id] = nulls;
}

// Pointers that are written as such and read as numbers, and the other way round.
kernel void pointers_as_numbers(global uint *out, global const uint *in) {
    uint id = get_global_id(0);
    local uint words[64];
    words[get_local_id(0)] = in[id];
    barrier(CLK_LOCAL_MEM_FENCE);
    uint own[4];
    for (int i = 0; i < 4; i++)
        own[i] = in[id + i];
    volatile union {
        private uint *pointer;
        ulong number;
    } both;
    both.number = 0;
    both.pointer = &own[in[id] & 3];
    ulong number = both.number;
    uint sum = *(private uint *)number;
    volatile ulong numbers[4];
    for (int i = 0; i < 4; i++)
        numbers[i] = (ulong)&own[(in[id + 1] + i) & 3];
    sum = sum * 3 + *((private uint *volatile private *)numbers)[in[id] & 3];
    for (int i = 0; i < 4; i++)
        numbers[i] = (ulong)&words[(in[id + 1] + i) & 15];
    sum = sum * 3 + *((local uint *volatile private *)numbers)[in[id] & 3];
    out[id] = sum;
}

// Members of a packed structure lie anywhere, also across registers.
struct __attribute__((packed)) packed {
    char a;
    int b;
    short c;
    long d;
    float e;
    half f;
    long g[6];
    char h;
    uint3 i;
};

struct __attribute__((packed)) dwords {
    int a;
    long b[5];
};

kernel void packed_arguments(global uint *out, struct packed p, char x, struct dwords q) {
    uint id = get_global_id(0);
    uint values[40];
    uint n = 0;
    values[n++] = p.a;
    values[n++] = p.b;
    values[n++] = p.c;
    values[n++] = p.d;
    values[n++] = p.d >> 32;
    values[n++] = as_uint(p.e);
    values[n++] = *(ushort private *)&p.f;
    for (int i = 0; i < 6; i++) {
        values[n++] = p.g[i];
        values[n++] = p.g[i] >> 32;
    }
    values[n++] = p.h;
    values[n++] = p.i.x;
    values[n++] = p.i.y;
    values[n++] = p.i.z;
    values[n++] = x;
    values[n++] = q.a;
    for (int i = 0; i < 5; i++) {
        values[n++] = q.b[i];
        values[n++] = q.b[i] >> 32;
    }
    out[id] = values[id];
}
