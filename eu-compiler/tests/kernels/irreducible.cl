// Loops that are entered at several places.

kernel void two_entries(global uint *out, global const uint *in) {
    size_t i = get_global_id(0);
    uint n = in[i], sum = 1, count = 0;
    if (n & 1) goto middle;
top:
    sum = sum * 3 + n;
    if (sum & 64) out[2 * i + 1] = sum;
middle:
    sum ^= n << 2;
    n = n * 5 + 1;
    if (sum & 32) out[2 * i + 1] += n;
    if (++count < (in[i] >> 1 & 15)) goto top;
    out[2 * i] = sum;
}

// A state machine: three entries, which all lead to each other.
kernel void machine(global uint *out, global const uint *in) {
    size_t i = get_global_id(0);
    uint n = in[i], sum = 0, steps = 0;
    switch (n % 3) {
    case 0: goto first;
    case 1: goto second;
    default: goto third;
    }
first:
    sum += n;
    if (++steps > 20) goto end;
    n = n * 7 + 3;
    out[2 * i + 1] += 1;
    if (n & 4) goto third;
second:
    sum ^= n << 1;
    if (++steps > 20) goto end;
    n = n * 3 + 1;
    out[2 * i + 1] += 16;
    if (n & 8) goto first;
third:
    sum += 3 * n;
    if (++steps > 20) goto end;
    n = n * 5 + 7;
    out[2 * i + 1] += 256;
    if (n & 16) goto second;
    goto first;
end:
    out[2 * i] = sum;
}
