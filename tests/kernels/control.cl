// Control flow that diverges between the lanes of a sub-group.

kernel void collatz(global uint *out, global const uint *in, uint limit)
{
    uint i = get_global_id(0);
    uint x = in[i];
    uint steps = 0;
    while (x > 1 && steps < limit) {
        x = (x & 1) ? 3 * x + 1 : x / 2;
        steps++;
    }
    out[i] = steps;
}

kernel void nested(global int *out, global const int *in, int n)
{
    uint i = get_global_id(0);
    int x = in[i];
    while (x > 0) {
        if (x & 1) {
            if (x % 7 == 3)
                break;
            x -= in[x & 15] & 0xff;
            if (x == 5)
                continue;
        } else {
            switch (x & 6) {
            case 0:
                x >>= 1;
                break;
            case 2:
                x -= 3;
                break;
            case 4:
                x = x / n;
                break;
            default:
                x -= 1;
            }
        }
        for (int j = 0; j < n; j++) {
            if ((in[j] & 0xff) == x)
                break;
            x ^= j;
        }
        x -= 2;
    }
    out[i] = x;
}

kernel void early_return(global int *out, int threshold)
{
    int i = get_global_id(0);
    if (i % 3 == 0)
        return;
    out[i] = 1;
    if (i > threshold)
        return;
    out[i] = 2;
    for (int k = 0; k < i; k++) {
        if (k * k > i)
            return;
        out[i] += k;
    }
}

int classify(int x)
{
    switch (x % 11) {
    case 0: return 100;
    case 1: return x * 3;
    case 2: return x - 7;
    case 3:
    case 4: return x / 2;
    case 5: x += 9;
    // falls through
    case 6: return x ^ 0x55;
    case 9: return -x;
    default: return x % 5;
    }
}

kernel void switches(global int *out, global const int *in)
{
    int i = get_global_id(0);
    int x = in[i];
    int sum = 0;
    do {
        sum += classify(x);
        x /= 3;
    } while (x != 0);
    out[i] = sum;
}

// Uniform and divergent loops in one another, with a barrier in the uniform one.
kernel void barrier_loop(global int *out, local int *scratch, int rounds)
{
    int l = get_local_id(0);
    int size = get_local_size(0);
    scratch[l] = l;
    for (int r = 0; r < rounds; r++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int neighbour = scratch[(l + r + 1) % size];
        barrier(CLK_LOCAL_MEM_FENCE);
        int add = 0;
        for (int k = 0; k < (l & 7); k++)
            add += neighbour + k;
        scratch[l] += add & 0xff;
    }
    out[get_global_id(0)] = scratch[l];
}
