// Pointers into the middle of an allocation, and offsets of both signs.

kernel void middle(global char *out, global const char *in, int back) {
    size_t i = get_global_id(0);
    int at = (int)i;
    out[2 * i] = in[i] + 1;
    out[2 * i + 1] = in[at - back];
}

// Sums that begin with one argument's address and end in another's memory, and addresses that are aligned.
kernel void rebased(global uint *to, global const uint *from)
{
    uint g = get_global_id(0);
    ulong apart = (ulong)from - (ulong)to;
    ulong both = (ulong)from ^ (ulong)to;
    ulong chosen = g & 1 ? apart : both ^ (ulong)to;
    ulong start = g & 1 ? (ulong)(to + g) : (ulong)(from + g) - (ulong)from;
    global const uint *aligned = (global const uint *)(((ulong)(from + g) + 15) & ~15ul);
    to[g] = *(global const uint *)(start + chosen) + 256 * *aligned;
}
