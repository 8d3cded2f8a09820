// Calls: functions that are not inlined, recursion, the generic address space.

__attribute__((noinline)) int sum_below(int n, global const int *p)
{
    int sum = n;
    for (int i = 0; i < n; i++)
        sum += p[i];
    return sum;
}

__attribute__((noinline)) float4 iterate(float4 v, int n)
{
    for (int i = 0; i < n; i++)
        v = v * 0.5f + v.wzyx;
    return v;
}

kernel void plain(global const int *in, global int *out, global float4 *vectors)
{
    uint i = get_global_id(0);
    out[i] = sum_below(in[i] & 7, in) + sum_below(i & 3, in + 4);
    vectors[i] = iterate(vectors[i], in[i] & 3);
}

#ifndef NO_RECURSION
int factorial(int n)
{
    return n < 2 ? 1 : n * factorial(n - 1);
}

int ackermann(int m, int n)
{
    if (m == 0)
        return n + 1;
    if (n == 0)
        return ackermann(m - 1, 1);
    return ackermann(m - 1, ackermann(m, n - 1));
}

kernel void recursion(global int *out)
{
    uint i = get_global_id(0);
    int n = out[i];
    out[i] = factorial(n) + ackermann(2, n & 3);
}
#endif

__attribute__((noinline)) int load(int *p)
{
    return *p;
}

__attribute__((noinline)) void store(int *p, int value)
{
    *p = value;
}

// A pointer that is global, local or private by lane.
kernel void any_space(global int *out, local int *scratch, int n)
{
    int i = get_global_id(0);
    int l = get_local_id(0);
    int own[4];
    for (int k = 0; k < 4; k++)
        own[k] = 1000 + i * 4 + k;
    scratch[l] = 2000 + l;
    barrier(CLK_LOCAL_MEM_FENCE);
    int *p = i % 3 == 0 ? (int *)(out + get_global_size(0) + i)
                        : (i % 3 == 1 ? (int *)(scratch + l) : (int *)(own + ((i + n) & 3)));
    int value = load(p);
    store(p, value + 1);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    out[i] = value * 16 + load(p) - value + (to_global(p) != 0) * 4 + (to_local(p) != 0) * 2 +
             scratch[l] - 2000 - l;
}
