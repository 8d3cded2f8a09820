// Private arrays: of numbers, structures and rows, read and written at known places and by values.

kernel void looked_up(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint a[8];
    for (uint k = 0; k < 8; ++k)
        a[k] = in[g + k] * (k + 3);
    out[g] = a[in[g] & 7];
}

kernel void counted(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint counts[10] = {0};
    for (uint k = 0; k < in[g] % 40; ++k)
        counts[in[g + k] % 10] += k + 1;
    for (uint k = 0; k < 10; ++k)
        out[10 * g + k] = counts[k];
}

kernel void inserted(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    int a[12];
    uint count = 3 + in[g] % 10;
    for (uint k = 0; k < count; ++k) {
        int value = (int)in[8 * g + k] >> 7;
        int j = k;
        for (; j > 0 && a[j - 1] > value; --j)
            a[j] = a[j - 1];
        a[j] = value;
    }
    for (uint k = 0; k < count; ++k)
        out[12 * g + k] = a[k];
}

struct part { float x; int n; uchar tag; };

kernel void parts(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    struct part p[4];
    for (int k = 0; k < 4; ++k) {
        p[k].x = (float)(in[g + k] & 255);
        p[k].n = in[g + k] >> 8;
        p[k].tag = in[g + k] >> 3;
    }
    uint i = in[g + 9] & 3, j = in[g + 9] >> 2 & 3;
    p[i].n += 5;
    p[j].tag ^= (uchar)p[i].n;
    struct part moved = p[i];
    p[i] = p[j];
    p[j] = moved;
    for (int k = 0; k < 4; ++k)
        out[4 * g + k] = (uint)p[k].x ^ p[k].n ^ (uint)p[k].tag << 24;
}

kernel void rows(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint m[4][3];
    for (uint y = 0; y < 4; ++y)
        for (uint x = 0; x < 3; ++x)
            m[y][x] = in[g + 3 * y + x];
    uint y = in[g] & 3, x = in[g + 1] % 3;
    m[y][x] = m[x][2] + y;
    m[x + 1][1] ^= m[y][0];
    for (uint k = 0; k < 4; ++k)
        out[4 * g + k] = m[k][0] ^ m[k][1] * 3 ^ m[k][2] * 5;
}

uint taken(uint *stack, uint *depth)
{
    return *depth ? stack[--*depth] : 77;
}

void kept(uint *stack, uint *depth, uint value)
{
    if (*depth < 6)
        stack[(*depth)++] = value;
}

kernel void stacks(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint stack[6], depth = 0, sum = 0;
    for (uint k = 0; k < 24; ++k) {
        uint code = in[g + k];
        if (code & 4)
            kept(stack, &depth, code >> 3);
        else
            sum = sum * 31 + taken(stack, &depth);
        if (code & 0x1000)
            continue;
        kept(stack, &depth, sum);
    }
    out[g] = sum + depth;
}

kernel void letters(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uchar text[12] = "abcdefghijk";
    ushort words[5] = {1, 2, 3, 40000, 5};
    for (uint k = 0; k < 5; ++k) {
        uint code = in[8 * g + k];
        uchar c = text[code % 12];
        text[(code >> 8) % 12] = c + k;
        words[code % 5] -= c;
    }
    uint sum = 0;
    for (uint k = 0; k < 12; ++k)
        sum = sum * 33 + text[k];
    for (uint k = 0; k < 5; ++k)
        sum = sum * 7 + words[k];
    out[g] = sum;
}

kernel void longs(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    ulong a[6];
    for (uint k = 0; k < 6; ++k)
        a[k] = (ulong)in[g + k] * in[g + 2 * k];
    a[in[g] % 6] += a[in[g + 1] % 6];
    a[in[g + 2] % 6] ^= (ulong)in[g] << 32;
    ulong sum = 0;
    for (uint k = 0; k < 6; ++k)
        sum = sum * 5 + a[k];
    out[2 * g] = sum;
    out[2 * g + 1] = sum >> 32;
}

kernel void vectors(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint4 v[3];
    for (uint k = 0; k < 3; ++k)
        v[k] = (uint4)(in[g + k], in[g + k + 1], k, in[g] ^ k);
    uint i = in[g] % 3;
    v[i].y += 3;
    v[2 - i] = v[i].wzyx;
    uint4 sum = v[0] + v[1] * 3u + v[2] * 5u;
    ((global uint4 *)out)[g] = sum;
    uint c[4] = {sum.x, sum.y, sum.z, sum.w};
    out[4 * g] ^= c[in[g + 5] & 3];
}

kernel void partly(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint a[9];
    for (uint k = 0; k < 9; ++k)
        if (k % 3 != 1)
            a[k] = in[g + k];
    uint i = in[g] % 3;
    if (in[g + 1] & 1)
        a[3 * i + 1] = 5;
    else
        a[3 * i + 1] = i;
    uint sum = 0;
    for (uint k = 0; k < 3; ++k)
        sum = sum * 3 + a[3 * k];
    out[2 * g] = sum;
    out[2 * g + 1] = a[3 * i + 1] + a[3 * i + 2];
}

kernel void ways(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint a[5] = {1, 2, 3, 4, 5}, b[5] = {9, 8, 7, 6, 5};
    uint left = in[g] % 9, sum = 0;
    while (left--) {
        uint code = in[g + left];
        if (code & 1) {
            for (uint k = 0; k < code % 7; ++k) {
                a[(code + k) % 5] += b[k % 5];
                if (a[k % 5] & 64)
                    break;
            }
        } else {
            b[code % 5] = a[(code >> 4) % 5] + left;
            if (code & 0x80)
                continue;
        }
        sum = sum * 3 + a[left % 5] + b[code % 5];
    }
    out[g] = sum;
}

// The pointer is kept, and goes to another memory's kind.
uint read_any(uint *place)
{
    return *place + 1;
}

kernel void escapes(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint a[4] = {in[g], in[g + 1], in[g + 2], in[g + 3]}, b[4] = {5, 6, 7, 8};
    uint *chosen = in[g] & 8 ? a : b;
    chosen[in[g] & 3] = 3;
    global uint *there = out + 2 * g;
    uint *any = in[g] & 16 ? a + 1 : b + 2;
    there[0] = read_any(any) + chosen[in[g + 1] & 3];
    uint *end = a + 4;
    uint sum = 0;
    for (uint *p = a + (in[g] & 3); p < end; ++p)
        sum += *p;
    there[1] = sum;
}

kernel void backwards(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    int a[7];
    for (int k = 6; k >= 0; --k)
        a[6 - k] = in[g + k];
    int at = (int)(in[g] % 7) - 3;
    out[2 * g] = a[at + 3] + a[3 - at];
    a[3 + (at >> 1)] = -at;
    short half_way = (short)at;
    out[2 * g + 1] = a[half_way + 3] ^ a[0];
}

kernel void overlaid(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    union { uint words[4]; uchar bytes[16]; ushort halves[8]; } u;
    for (uint k = 0; k < 4; ++k)
        u.words[k] = in[g + k];
    u.bytes[in[g] & 15] = 0xa5;
    u.halves[in[g + 1] & 7] += u.bytes[in[g + 2] & 15];
    out[g] = u.words[0] ^ u.words[1] ^ u.words[2] ^ u.words[3] ^ u.words[in[g + 3] & 3];
}

kernel void together(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    local uint shared[64];
    uint a[4];
    for (uint k = 0; k < 4; ++k)
        a[k] = in[4 * g + k];
    uint l = get_local_id(0);
    shared[l] = a[in[g] & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    a[shared[l ^ 1] & 3] = shared[63 - l];
    barrier(CLK_LOCAL_MEM_FENCE);
    shared[l] = a[shared[l] & 3];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = shared[l ^ 5] + a[l & 3];
}

uint least(const uint *from, uint count)
{
    const uint *found = from;
    for (uint k = 1; k < count; ++k)
        if (from[k] < *found)
            found = from + k;
    return *found;
}

kernel void walked(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint a[8];
    uint *to = a;
    for (uint k = 0; k < 20 && to < a + 8; ++k)
        if (in[g + k] & 3 || k >= 12)
            *to++ = in[g + k] >> 2;
    uint *middle = in[g] & 1 ? a + 2 : a + 5;
    middle[in[g + 1] % 3] ^= 21;
    out[g] = least(a, 3) + least(middle, 3) + (uint)(to - a);
}

// A memory that begins at an address: distances in bytes wrap.
kernel void emulated(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uchar memory[64];
    for (uint k = 0; k < 16; ++k)
        *(uint *)(memory + 4 * k) = in[g + k] * (k + 3);
    uint address = 0x80000000 + (in[g] & 15) * 4, other = 0x40000000 + (in[g + 1] & 15);
    *(uint *)(memory + ((address & ~3u) - 0x80000000u)) ^= g;
    out[g] = *(uint *)(memory + other * 4) + *(uint *)(memory + (address - 0x80000000u));
}

// A pixel and its neighbours, by indexes of 32 bits.
kernel void neighbours(global const uint *in, global uint *out)
{
    int i = get_global_id(0) + 40;
    uint u = get_global_id(0);
    uint sum = in[i - 1] + in[i] * 2 + in[i + 1] * 3;
    sum ^= in[i - 33] - in[i - 32] + in[i + 31] * 5 - in[i + 32];
    global const uchar *bytes = (global const uchar *)in;
    sum += bytes[i - 1] + bytes[i] * 3 + bytes[i + 1] * 5 + bytes[i + 2] * 7;
    global const ushort *words = (global const ushort *)in;
    sum ^= words[u + 1] + words[u + 2] * 3;
    out[2 * u + 1] = sum;
    out[2 * u] = sum * in[u + 3] + in[u + 2];
}
