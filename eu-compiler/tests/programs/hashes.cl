// Hashes and generators: tables, rotations, integers of 32 and 64 bits, bytes of private memory.

constant uint K256[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint ror(uint x, uint n) { return rotate(x, 32 - n); }

kernel void sha256(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint w[64];
    for (int i = 0; i < 16; i++)
        w[i] = in[(g * 16 + i) & 4095];
    for (int i = 16; i < 64; i++) {
        uint s0 = ror(w[i - 15], 7) ^ ror(w[i - 15], 18) ^ (w[i - 15] >> 3);
        uint s1 = ror(w[i - 2], 17) ^ ror(w[i - 2], 19) ^ (w[i - 2] >> 10);
        w[i] = w[i - 16] + s0 + w[i - 7] + s1;
    }
    uint s[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    uint a = s[0], b = s[1], c = s[2], d = s[3], e = s[4], f = s[5], h = s[7], gg = s[6];
    for (int i = 0; i < 64; i++) {
        uint t1 = h + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + ((e & f) ^ (~e & gg)) + K256[i] + w[i];
        uint t2 = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        h = gg; gg = f; f = e; e = d + t1; d = c; c = b; b = a; a = t1 + t2;
    }
    uint r[8] = {a, b, c, d, e, f, gg, h};
    for (int i = 0; i < 8; i++)
        out[g * 16 + i] = r[i] + s[i];
}

constant uchar S5[64] = {7, 12, 17, 22, 7, 12, 17, 22, 7, 12, 17, 22, 7, 12, 17, 22, 5, 9, 14, 20, 5, 9,
    14, 20, 5, 9, 14, 20, 5, 9, 14, 20, 4, 11, 16, 23, 4, 11, 16, 23, 4, 11, 16, 23, 4, 11, 16, 23, 6, 10,
    15, 21, 6, 10, 15, 21, 6, 10, 15, 21, 6, 10, 15, 21};

kernel void md5ish(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
    for (uint i = 0; i < 64; i++) {
        uint f, k;
        if (i < 16) { f = (b & c) | (~b & d); k = i; }
        else if (i < 32) { f = (d & b) | (~d & c); k = (5 * i + 1) % 16; }
        else if (i < 48) { f = b ^ c ^ d; k = (3 * i + 5) % 16; }
        else { f = c ^ (b | ~d); k = (7 * i) % 16; }
        f += a + K256[i] + in[(g * 16 + k) & 4095];
        a = d; d = c; c = b;
        b += rotate(f, (uint)S5[i]);
    }
    vstore4((uint4)(a, b, c, d), 4 * g, out);
}

kernel void crc32_bytes(global const uint *in, global uint *out)
{
    local uint table[256];
    uint l = get_local_id(0), g = get_global_id(0);
    for (uint n = l; n < 256; n += get_local_size(0)) {
        uint c = n;
        for (int k = 0; k < 8; k++)
            c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[n] = c;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    global const uchar *bytes = (global const uchar *)in + g * 37;
    uint crc = ~0u;
    uint count = 20 + (bytes[0] & 31);
    for (uint i = 0; i < count; i++)
        crc = table[(crc ^ bytes[i]) & 255] ^ (crc >> 8);
    out[g] = ~crc;
}

kernel void fnv_strings(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    global const char *s = (global const char *)(in + g);
    ulong h = 0xcbf29ce484222325ul;
    int n = 0;
    while (n < 64 && s[n] != 0) {
        h ^= (uchar)s[n++];
        h *= 0x100000001b3ul;
    }
    out[2 * g] = (uint)h;
    out[2 * g + 1] = (uint)(h >> 32) + n;
}

#define SIPROUND v0 += v1; v1 = rotate(v1, 13ul); v1 ^= v0; v0 = rotate(v0, 32ul); \
    v2 += v3; v3 = rotate(v3, 16ul); v3 ^= v2; v0 += v3; v3 = rotate(v3, 21ul); v3 ^= v0; \
    v2 += v1; v1 = rotate(v1, 17ul); v1 ^= v2; v2 = rotate(v2, 32ul)

kernel void siphash(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    ulong k0 = upsample(in[0], in[1]), k1 = upsample(in[2], in[3]);
    ulong v0 = 0x736f6d6570736575ul ^ k0, v1 = 0x646f72616e646f6dul ^ k1;
    ulong v2 = 0x6c7967656e657261ul ^ k0, v3 = 0x7465646279746573ul ^ k1;
    for (uint i = 0; i < (in[g] & 7); i++) {
        ulong m = vload2(g + i, in).x | (ulong)in[g + i] << 32;
        v3 ^= m;
        for (int r = 0; r < 2; r++) { SIPROUND; }
        v0 ^= m;
    }
    v2 ^= 0xff;
    for (int r = 0; r < 4; r++) { SIPROUND; }
    ((global ulong *)out)[g] = v0 ^ v1 ^ v2 ^ v3;
}

kernel void murmur(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint h = g;
    for (uint i = 0; i < 8; i++) {
        uint k = in[g * 8 + i] * 0xcc9e2d51;
        k = rotate(k, 15u) * 0x1b873593;
        h ^= k;
        h = rotate(h, 13u) * 5 + 0xe6546b64;
    }
    global const uchar *tail = (global const uchar *)(in + g);
    uint k = 0;
    switch (in[g] & 3) {
    case 3: k ^= tail[2] << 16;
    case 2: k ^= tail[1] << 8;
    case 1: k ^= tail[0]; k *= 0xcc9e2d51; h ^= rotate(k, 15u) * 0x1b873593;
    }
    h ^= h >> 16; h *= 0x85ebca6b; h ^= h >> 13; h *= 0xc2b2ae35; h ^= h >> 16;
    out[g] = h;
}

kernel void xorshift128(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint4 s = vload4(g, in) | 1;
    for (int i = 0; i < 20; i++) {
        uint t = s.x ^ (s.x << 11);
        s = (uint4)(s.yzw, s.w ^ (s.w >> 19) ^ t ^ (t >> 8));
    }
    vstore4(s, g, out);
}

kernel void pcg64(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    ulong state = ((ulong)in[g] << 32 | in[g + 1]) + 0x9e3779b97f4a7c15ul * g;
    ulong inc = (ulong)g << 1 | 1;
    uint x = 0;
    for (int i = 0; i < 10; i++) {
        ulong old = state;
        state = old * 6364136223846793005ul + inc;
        uint xs = (uint)(((old >> 18) ^ old) >> 27);
        uint rot = old >> 59;
        x ^= (xs >> rot) | (xs << (-rot & 31));
    }
    out[g] = x;
}

kernel void adler32(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    global const uchar16 *p = (global const uchar16 *)in;
    uint a = 1, b = 0;
    for (int i = 0; i < 3; i++) {
        uchar16 v = p[(g + i) & 1023];
        uchar bytes[16];
        vstore16(v, 0, bytes);
        for (int k = 0; k < 16; k++) {
            a = (a + bytes[k]) % 65521;
            b = (b + a) % 65521;
        }
    }
    out[g] = b << 16 | a;
}

kernel void xtea(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint v0 = in[2 * g], v1 = in[2 * g + 1], sum = 0;
    uint key[4] = {in[0], in[1], in[2], in[3]};
    for (int i = 0; i < 32; i++) {
        v0 += (((v1 << 4) ^ (v1 >> 5)) + v1) ^ (sum + key[sum & 3]);
        sum += 0x9e3779b9;
        v1 += (((v0 << 4) ^ (v0 >> 5)) + v0) ^ (sum + key[(sum >> 11) & 3]);
    }
    out[2 * g] = v0;
    out[2 * g + 1] = v1;
}

kernel void base64(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    global const uchar *from = (global const uchar *)in + 3 * g;
    uint v = from[0] << 16 | from[1] << 8 | from[2];
    global char *to = (global char *)(out + g);
    for (int i = 3; i >= 0; i--, v >>= 6)
        to[i] = digits[v & 63];
}
