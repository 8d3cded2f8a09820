// Cases that fall through, jumps out of loops and into them, searches with stacks and queues.

uint clsf(int x)
{
    switch (x) {
    case -5:
        return 1;
    case 0:
    case 1:
        return 2;
    case 2:
        x++;
    case 3:
        return x * 10;
    case 100:
        return x;
    case 0x7fffffff:
        return 9;
    default:
        return 5;
    }
}

kernel void switches(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint h = 0;
    for (int i = 0; i < 16; i++) {
        uint v = in[g + i];
        h = h * 7 + clsf((int)(v % 120) - 6);
        switch ((uchar)v) {
        case 255:
        case 7:
            h ^= 1;
            break;
        case 128:
            h += 2;
        default:
            h += v;
            break;
        case 3:
            if (v & 256) break;
            h *= 3;
            continue;
        }
        switch ((short)(v % 5) - 2) {
        case -2:
            h += 3;
            break;
        case -1:
            h ^= 0x80;
            break;
        case 2:
            h -= 7;
        }
    }
    out[g] = h;
}

kernel void gotos(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint v = in[g], h = 0;
    int i, j, k;
    for (i = 0; i < 5; i++) {
        for (j = 0; j < 5; j++) {
            for (k = 0; k < 5; k++) {
                v = v * 1664525 + 1013904223;
                if ((v >> 28) == 3) goto next_i;
                if ((v >> 28) == 5) goto next_j;
                if ((v >> 24) == 0x77) goto done;
                if ((v >> 27) == 9) continue;
                h += v >> 20;
            }
            h ^= j;
            next_j:
            ;
        }
        h *= 3;
        next_i:
        h += i;
    }
    done:
    out[g] = h + i * 100 + j * 10 + k;
}

kernel void duff(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint n = (in[g] & 15) + 1, i = 0, h = 0;
    uint r = (n + 3) / 4;
    switch (n % 4) {
    case 0:
        do {
            h = h * 5 + in[g + i++];
        case 3:
            h = h * 5 + in[g + i++];
        case 2:
            h = h * 3 + in[g + i++];
        case 1:
            h = h * 7 + in[g + i++];
        } while (--r > 0);
    }
    out[g] = h + i;
}

__attribute__((noinline)) int eval(const char *p, int len, const int *vars)
{
    int stack[16];
    int sp = 0;
    for (int i = 0; i < len; i++) {
        char c = p[i];
        if (c >= 'a' && c <= 'd') stack[sp++] = vars[c - 'a'];
        else if (c >= '0' && c <= '9') stack[sp++] = c - '0';
        else if (sp >= 2) {
            int b = stack[--sp], a = stack[--sp];
            switch (c) {
            case '+':
                a += b;
                break;
            case '-':
                a -= b;
                break;
            case '*':
                a *= b;
                break;
            case '/':
                a = b ? a / b : -1;
                break;
            case '%':
                a = b ? a % b : -2;
                break;
            }
            stack[sp++] = a;
        }
        if (sp >= 15) break;
    }
    return sp ? stack[sp - 1] : -3;
}

constant char RPN[] = "ab+cd*-a7%b/+9c-d*4+ab%c-d/+";
kernel void rpn(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    int vars[4];
    for (int i = 0; i < 4; i++) vars[i] = (int)in[g + i] >> (g & 15);
    char p[28];
    for (int i = 0; i < 28; i++) p[i] = RPN[(i * 3 + (g & 3)) % 28];
    out[2*g] = eval(p, 28, vars);
    char r[28];
    for (int i = 0; i < 28; i++) r[i] = RPN[i];
    out[2*g+1] = eval(r, 10 + (in[g] & 15), vars);
}

kernel void bfs(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint adj[16];
    for (int i = 0; i < 16; i++) adj[i] = in[g * 2 + i] & in[g * 2 + i + 16] & 0xffff;
    uchar dist[16];
    for (int i = 0; i < 16; i++) dist[i] = 255;
    ushort queue[16];
    int head = 0, tail = 0;
    dist[g & 15] = 0;
    queue[tail++] = g & 15;
    while (head != tail) {
        uint u = queue[head++];
        uint a = adj[u];
        while (a) {
            uint v = 31 - clz(a & -a);
            a &= a - 1;
            if (dist[v] == 255) {
                dist[v] = dist[u] + 1;
                queue[tail++] = v;
            }
        }
    }
    uint h = 0;
    for (int i = 0; i < 16; i++) h = h * 5 + dist[i];
    out[g] = h;
}

kernel void floyd(global const uint *in, global uint *out)
{
    local ushort d[8][8][64];
    uint l = get_local_id(0), g = get_global_id(0);
    for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) d[i][j][l] = i == j ? 0 : (in[g
        + i * 8 + j] & 1 ? (in[g + i * 8 + j] >> 8 & 1023) : 10000);
    for (int k = 0; k < 8; k++) for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) {
        ushort v = d[i][k][l] + d[k][j][l];
        if (v < d[i][j][l]) d[i][j][l] = v;
    }
    uint h = 0;
    for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) h = h * 3 + d[i][j][l];
    out[g] = h;
}

kernel void knapsack(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    int best[33];
    for (int i = 0; i <= 32; i++) best[i] = 0;
    for (int i = 0; i < 10; i++) {
        int w = (in[g + i] & 7) + 1, v = in[g + i] >> 8 & 255;
        for (int c = 32; c >= w; c--) best[c] = max(best[c], best[c - w] + v);
    }
    out[g] = best[32] * 1000 + best[7];
}

kernel void lcs(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    global const uchar *a = (global const uchar *)(in + g), *b = (global const uchar *)(in + 300
        + g);
    uchar row[2][17];
    for (int j = 0; j <= 16; j++) row[0][j] = 0;
    for (int i = 1; i <= 16; i++) {
        row[i & 1][0] = 0;
        for (int j = 1; j <= 16; j++) row[i & 1][j] = (a[i - 1] & 3) == (b[j - 1] & 3)
            ? row[!(i & 1)][j - 1] + 1 : max(row[!(i & 1)][j], row[i & 1][j - 1]);
    }
    out[g] = row[0][16] * 256 + row[0][9];
}

kernel void sudoku_like(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    int col[6];
    int n = 0, r = 0;
    uint count = 0, steps = 0;
    for (int i = 0; i < 6; i++) col[i] = -1;
    uint banned = in[g];
    while (r >= 0 && steps < 3000) {
        steps++;
        col[r]++;
        if (col[r] >= 6) {
            col[r] = -1;
            r--;
            continue;
        }
        bool ok = !(banned >> ((r * 6 + col[r]) & 31) & 1);
        for (int i = 0; i < r
            && ok; i++) if (col[i] == col[r] || abs(col[i] - col[r]) == (uint)(r - i)) ok = false;
        if (!ok) continue;
        if (r == 5) {
            count++;
            continue;
        }
        r++;
    }
    out[g] = count * 65536 + steps;
}
