// Tables of the program whose places are known once loops are unrolled.

typedef struct { uint factor; ushort more; uchar by; char less; } stage;
constant stage stages[5] = {
    {0x9e3779b1, 77, 3, -1}, {0x85ebca77, 1000, 13, 5}, {0xc2b2ae3d, 65535, 17, -128},
    {0x27d4eb2f, 3, 29, 127}, {0x165667b1, 0, 5, 0},
};
constant ulong words[8] = {
    1, 0x8082ul, 0x800000000000808aul, 0x8000000080008000ul,
    0x808bul, 0x80000001ul, 0x8000000080008081ul, 0x8000000000008009ul,
};
constant uchar order[2][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
    {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
};
constant uint first = 5, second = 9;
constant uint *constant pointers[2] = {&second, &first};

kernel void known_structs(global const uint *in, global uint *out)
{
    uint g = get_global_id(0), x = in[g];
    for (int i = 0; i < 5; i++) {
        x = x * stages[i].factor + stages[i].more;
        x = rotate(x, (uint)stages[i].by) - stages[i].less;
    }
    out[g] = x;
}

kernel void known_longs(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    ulong x = upsample(in[2 * g], in[2 * g + 1]);
    for (int i = 0; i < 8; i++) {
        x ^= words[i];
        x = rotate(x, words[7 - i] & 63) * 0x9e3779b97f4a7c15ul + words[i] / 3;
    }
    out[2 * g] = x;
    out[2 * g + 1] = x >> 32;
}

// Places in a private array come from the table.
kernel void known_places(global const uint *in, global uint *out)
{
    uint g = get_global_id(0), m[16], v = g;
    for (int i = 0; i < 16; i++)
        m[i] = in[16 * g + i];
    for (int i = 0; i < 16; i++) {
        v = rotate(v ^ m[order[1][i]], 7u) + i;
        m[order[0][15 - i]] += v;
    }
    for (int i = 0; i < 16; i++)
        out[16 * g + i] = m[i];
}

// Addresses are not known, what they lead to is read.
kernel void known_pointers(global const uint *in, global uint *out)
{
    uint g = get_global_id(0), x = in[g];
    for (int i = 0; i < 2; i++)
        x = x * *pointers[i] + i;
    out[g] = x;
}
