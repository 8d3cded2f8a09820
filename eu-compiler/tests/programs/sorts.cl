// Sorts, scans, searches: local memory, barriers, divergent loops, atomics of local memory.

kernel void bitonic(global const uint *in, global uint *out)
{
    local uint a[64];
    uint l = get_local_id(0), g = get_global_id(0);
    a[l] = in[g];
    for (uint k = 2; k <= 64; k <<= 1)
        for (uint j = k >> 1; j > 0; j >>= 1) {
            barrier(CLK_LOCAL_MEM_FENCE);
            uint other = l ^ j;
            if (other > l) {
                bool up = (l & k) == 0;
                if ((a[l] > a[other]) == up) {
                    uint t = a[l];
                    a[l] = a[other];
                    a[other] = t;
                }
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = a[l];
}

kernel void insertion(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    int a[16];
    for (int i = 0; i < 16; i++)
        a[i] = in[g * 16 + i];
    for (int i = 1; i < 16; i++) {
        int v = a[i], j = i - 1;
        while (j >= 0 && a[j] > v) {
            a[j + 1] = a[j];
            j--;
        }
        a[j + 1] = v;
    }
    for (int i = 0; i < 16; i++)
        out[g * 16 + i] = a[i];
}

void swap_private(uint *a, uint *b)
{
    uint t = *a;
    *a = *b;
    *b = t;
}

kernel void heap(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint a[15];
    for (int i = 0; i < 15; i++)
        a[i] = in[g * 8 + i] & 0xffff;
    for (int end = 14, start = 6; end > 0;) {
        if (start >= 0)
            start--;
        else
            swap_private(&a[end--], &a[0]);
        int root = start < 0 ? 0 : start;
        while (2 * root + 1 <= end) {
            int child = 2 * root + 1;
            if (child + 1 <= end && a[child] < a[child + 1])
                child++;
            if (a[root] >= a[child])
                break;
            swap_private(&a[root], &a[child]);
            root = child;
        }
        if (start < 0 && end == 0)
            break;
    }
    for (int i = 0; i < 15; i++)
        out[g * 16 + i] = a[i];
}

kernel void radix_digit(global const uint *in, global uint *out)
{
    local uint counts[16], begins[16], keys[64];
    uint l = get_local_id(0), g = get_global_id(0);
    keys[l] = in[g];
    for (uint shift = 0; shift < 8; shift += 4) {
        if (l < 16)
            counts[l] = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        uint digit = keys[l] >> shift & 15;
        atomic_inc(&counts[digit]);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l == 0) {
            uint sum = 0;
            for (int i = 0; i < 16; i++) {
                begins[i] = sum;
                sum += counts[i];
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        uint rank = begins[digit], key = keys[l];
        for (uint i = 0; i < l; i++)
            rank += (keys[i] >> shift & 15) == digit;
        barrier(CLK_LOCAL_MEM_FENCE);
        keys[rank] = key;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = keys[l];
}

kernel void prefix_sum(global const uint *in, global uint *out)
{
    local uint a[2][64];
    uint l = get_local_id(0), g = get_global_id(0);
    int from = 0;
    a[0][l] = in[g] & 0xffff;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint d = 1; d < 64; d *= 2) {
        a[1 - from][l] = l >= d ? a[from][l] + a[from][l - d] : a[from][l];
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[g] = a[from][l];
}

kernel void blelloch(global const uint *in, global uint *out)
{
    local int a[128];
    uint l = get_local_id(0), base = get_group_id(0) * 128;
    a[2 * l] = in[base + 2 * l];
    a[2 * l + 1] = in[base + 2 * l + 1];
    int offset = 1;
    for (int d = 64; d > 0; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d)
            a[offset * (2 * l + 2) - 1] += a[offset * (2 * l + 1) - 1];
        offset *= 2;
    }
    if (l == 0)
        a[127] = 0;
    for (int d = 1; d < 128; d *= 2) {
        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d) {
            int ai = offset * (2 * l + 1) - 1, bi = offset * (2 * l + 2) - 1;
            int t = a[ai];
            a[ai] = a[bi];
            a[bi] += t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[base + 2 * l] = a[2 * l];
    out[base + 2 * l + 1] = a[2 * l + 1];
}

kernel void histogram(global const uint *in, global uint *out)
{
    local uint bins[64];
    uint l = get_local_id(0), g = get_global_id(0);
    bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 16; i++) {
        uchar4 c = as_uchar4(in[g * 16 + i]);
        atomic_add(&bins[c.x >> 2], 1);
        atomic_add(&bins[c.w >> 2], (uint)c.y);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = bins[l];
}

kernel void compact(global const uint *in, global uint *out)
{
    local uint count;
    local uint kept[64];
    uint l = get_local_id(0), g = get_global_id(0);
    if (l == 0)
        count = 0;
    kept[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint v = in[g];
    uint before = 0;
    bool keep = popcount(v) > 15;
    for (uint i = 0; i < l; i++)
        before += popcount(in[g - l + i]) > 15;
    if (keep) {
        kept[before] = v;
        atomic_inc(&count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = l < count ? kept[l] : 0xdead0000 + count;
}

kernel void binary_search(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint wanted = in[g] >> 20;
    int low = 0, high = 4096;
    while (low < high) {
        int middle = low + (high - low) / 2;
        uint at = middle * 3 / 2 + (middle & 1);
        if (at == wanted) { low = middle; break; }
        if (at < wanted)
            low = middle + 1;
        else
            high = middle;
    }
    out[g] = low;
}

kernel void merge_path(global const uint *in, global uint *out)
{
    uint g = get_global_id(0);
    uint a[8], b[8];
    for (uint i = 0, x = 0, y = 0; i < 8; i++) {
        x += in[g + i] & 15;
        y += in[g + i + 8] & 15;
        a[i] = x;
        b[i] = y;
    }
    int i = 0, j = 0, k = 0;
    while (i < 8 && j < 8)
        out[g * 16 + k++] = a[i] <= b[j] ? a[i++] : b[j++];
    while (i < 8)
        out[g * 16 + k++] = a[i++];
    while (j < 8)
        out[g * 16 + k++] = b[j++];
}

kernel void tree_reduce(global const uint *in, global uint *out)
{
    local int2 best[64];
    uint l = get_local_id(0), g = get_global_id(0);
    best[l] = (int2)(in[g], l);
    for (uint d = 32; d; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < d && best[l + d].x > best[l].x)
            best[l] = best[l + d];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = best[0].x + best[0].y + best[l].y;
}

kernel void odd_even(global const uint *in, global uint *out)
{
    local short a[64];
    uint l = get_local_id(0), g = get_global_id(0);
    a[l] = (short)in[g];
    for (int phase = 0; phase < 64; phase++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if ((l + phase) % 2 == 0 && l + 1 < 64 && a[l] > a[l + 1]) {
            short t = a[l];
            a[l] = a[l + 1];
            a[l + 1] = t;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = (int)a[l];
}
