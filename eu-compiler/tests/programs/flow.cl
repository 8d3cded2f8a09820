// Flow: switches, nested loops that lanes leave at different times, early returns, state machines.

kernel void collatz(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint n = (in[g] & 1023) + 1, steps = 0;
    while (n != 1 && steps < 200) {
        n = n & 1 ? 3 * n + 1 : n / 2;
        steps++;
    }
    out[g] = steps;
}

kernel void gcds(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint a = in[g] & 0xffff, b = in[g + 1] & 0xfff;
    while (b) {
        uint t = a % b;
        a = b;
        b = t;
    }
    int x = (int)in[g], y = (int)in[g + 2] >> 20;
    out[2 * g] = a;
    out[2 * g + 1] = y ? x / y + x % y : 0;
}

kernel void nested_breaks(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint v = in[g], sum = 0;
    for (uint i = 0; i < (v & 7) + 2; i++) {
        if (i == (v >> 3 & 7))
            continue;
        for (uint j = 0;; j++) {
            if (j > i + (v >> 6 & 3))
                break;
            if ((j ^ v) % 5 == 0)
                continue;
            if (sum > 5000)
                goto done;
            for (uint k = j; k < 6; k++) {
                if (k * j > (v >> 8 & 31))
                    break;
                sum += k + in[(g + k) & 4095] % 7;
            }
            sum += j * 3;
        }
        sum ^= i << 8;
    }
done:
    out[g] = sum;
}

kernel void machine(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    int stack[8], top = 0, acc = 1;
    for (uint pc = 0; pc < 24; pc++) {
        uint op = in[g * 3 + pc / 8] >> (pc % 8 * 4) & 15;
        switch (op) {
        case 0: acc = 0; break;
        case 1: case 2: acc += op; break;
        case 3: acc = -acc; break;
        case 4: if (top < 8) stack[top++] = acc; break;
        case 5: if (top > 0) acc = stack[--top]; break;
        case 6: acc *= 3;
        case 7: acc ^= 0x55; break;
        case 8: acc = acc > 100 ? acc / 7 : acc * 2; break;
        case 9: pc += acc & 1; break;
        case 11: if (acc < 0) goto end; break;
        case 15: acc = abs(acc) % 1000; break;
        default: acc -= 17;
        }
    }
end:
    out[g] = acc * 16 + top;
}

int classify(uint v)
{
    if (v % 3 == 0) {
        if (v % 5 == 0)
            return 15;
        return 3;
    }
    for (uint d = 5; d * d <= v; d += 2)
        if (v % d == 0)
            return d;
    return 0;
}

kernel void early_returns(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    if (g % 7 == 6) {
        out[g] = 0xffffffff;
        return;
    }
    int c = classify(in[g] >> 20 | 1);
    if (c == 0)
        return;
    out[g] = c;
}

kernel void kmp(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    char pattern[6];
    int fail[6];
    for (int i = 0; i < 6; i++)
        pattern[i] = 'a' + (in[g] >> (2 * i) & 1);
    fail[0] = -1;
    for (int i = 1, j = -1; i < 6; i++) {
        while (j >= 0 && pattern[j + 1] != pattern[i])
            j = fail[j];
        if (pattern[j + 1] == pattern[i])
            j++;
        fail[i] = j;
    }
    int found = 0, j = -1;
    for (int i = 0; i < 128; i++) {
        char c = 'a' + (in[4000 + i / 32] >> (i & 31) & 1);
        while (j >= 0 && pattern[j + 1] != c)
            j = fail[j];
        if (pattern[j + 1] == c)
            j++;
        if (j == 5) {
            found = found * 3 + i;
            j = fail[j];
        }
    }
    out[g] = found;
}

kernel void levenshtein(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uchar row[17];
    uint a = in[g], b = in[g + 1];
    for (int j = 0; j <= 16; j++)
        row[j] = j;
    for (int i = 1; i <= 16; i++) {
        uchar diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= 16; j++) {
            uchar up = row[j];
            uchar cost = ((a >> (2 * i - 2) ^ b >> (2 * j - 2)) & 3) != 0;
            row[j] = min(min((uchar)(up + 1), (uchar)(row[j - 1] + 1)), (uchar)(diagonal + cost));
            diagonal = up;
        }
    }
    out[g] = row[16];
}

kernel void queens(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint blocked = in[g] & 0x3f;
    uint free_at[7], cols = 0, left = 0, right = 0, count = 0;
    uint saved[7][3];
    int row = 0;
    free_at[0] = ~(blocked & 1) & 0x3f;
    while (row >= 0) {
        if (!free_at[row]) {
            row--;
            if (row >= 0) {
                cols = saved[row][0];
                left = saved[row][1];
                right = saved[row][2];
            }
            continue;
        }
        uint bit = free_at[row] & -free_at[row];
        free_at[row] ^= bit;
        if (row == 5) {
            count++;
            continue;
        }
        saved[row][0] = cols;
        saved[row][1] = left;
        saved[row][2] = right;
        cols |= bit;
        left = (left | bit) << 1;
        right = (right | bit) >> 1;
        row++;
        free_at[row] = ~(cols | left | right) & 0x3f;
    }
    out[g] = count;
}

kernel void sieve(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint bits[4] = {0, 0, 0, 0};
    uint start = 2 + (in[g] & 3);
    for (uint p = start; p < 12; p++) {
        if (bits[p >> 5] >> (p & 31) & 1)
            continue;
        for (uint m = p * p; m < 128; m += p)
            bits[m >> 5] |= 1u << (m & 31);
    }
    vstore4((uint4)(bits[0], bits[1], bits[2], bits[3]), g, out);
}

kernel void do_while(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint v = in[g], n = 0;
    do {
        v = v * 1664525 + 1013904223;
        if ((v >> 28) == 3)
            break;
        n += v >> 30;
    } while (++n < 40 && v % 11);
    bool odd = n & 1;
    bool both = odd && v > 0x40000000 || !odd && (v & 4);
    out[g] = n << 2 | both << 1 | odd;
}

kernel void life(global const uint *in, global uint *out)
{
    local uchar cells[2][10][10];
    uint l = get_local_id(0), g = get_global_id(0);
    uint x = l % 8 + 1, y = l / 8 + 1;
    for (uint i = l; i < 200; i += 64)
        ((local uchar *)cells)[i] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    cells[0][y][x] = in[g] & 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int t = 0; t < 6; t++) {
        int from = t & 1, n = 0;
        for (int dy = -1; dy <= 1; dy++)
            for (int dx = -1; dx <= 1; dx++)
                if (dx || dy)
                    n += cells[from][y + dy][x + dx];
        cells[1 - from][y][x] = n == 3 || (n == 2 && cells[from][y][x]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = cells[0][y][x] | cells[1][y][x] << 1;
}

// Which vector a work-item has, another one decides.
kernel void chosen(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    global const uint2 *a = (global const uint2 *)in, *b = (global const uint2 *)(in + 34);
    uint2 v = a[g].s0 < b[g].s0 ? a[g] : b[g];
    out[2 * g] = v.s0;
    out[2 * g + 1] = v.s1;
}

kernel void dijkstra(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint dist[8], done = 0;
    for (int i = 0; i < 8; i++)
        dist[i] = i == (g & 7) ? 0 : 1000000;
    for (int round = 0; round < 8; round++) {
        int best = -1;
        for (int i = 0; i < 8; i++)
            if (!(done >> i & 1) && (best < 0 || dist[i] < dist[best]))
                best = i;
        done |= 1 << best;
        for (int i = 0; i < 8; i++) {
            uint w = in[g + best * 8 + i] & 255;
            if (w & 1 && dist[best] + w < dist[i])
                dist[i] = dist[best] + w;
        }
    }
    for (int i = 0; i < 8; i++)
        out[g * 8 + i] = dist[i];
}
