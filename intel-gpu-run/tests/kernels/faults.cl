// Faults that Oclgrind reports. Each has work-groups of more than one sub-group.

kernel void missing_barrier(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    out[get_global_id(0)] = tile[127 - l];
}

kernel void late_barrier(global const int *in, global int *out)
{
    local int sums[128];
    uint l = get_local_id(0);
    sums[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint s = 64; s > 0; s >>= 1) {
        if (l < s)
            sums[l] += sums[l + s];
        if (s <= 8)
            barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (l == 0)
        out[get_group_id(0)] = sums[0];
}

kernel void same_place(global const int *in, global int *out)
{
    out[0] = in[get_global_id(0)] + get_global_id(0);
}

kernel void between_groups(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = in[g];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[g] += out[(g + 128) % get_global_size(0)];
}

kernel void neighbours(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = in[g];
    if (g > 0)
        out[g - 1] = in[g] * 2;
}

kernel void beyond(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g + 1] = in[g];
}

kernel void before(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = in[(int)g - 4];
}

kernel void beyond_local(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l + in[0] * 300] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l];
}

kernel void unwritten(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    if (l != 5)
        tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[127 - l];
}

kernel void right(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[127 - l];
}

kernel void unwritten_private(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    int a[80];
    for (int i = 0; i < 70; i++)
        a[(i * 3) % 79] = in[i];
    out[g] = a[in[g] % 80] + 1;
}

kernel void unwritten_local(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    if (l != 77)
        tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[127 - l];
}

kernel void plain_and_atomic(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    if (g == 37)
        out[0] = 7;
    else
        atomic_add(out, in[g]);
}

kernel void shift_in_place(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = out[(g + 1) % 256] + in[g];
}

kernel void one_barrier_in_a_loop(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0), g = get_global_id(0);
    int sum = 0;
    for (uint i = 0; i < 4; i++) {
        tile[l] = in[(g + i) % 256];
        barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[(l + 64) % 128];
    }
    out[g] = sum;
}

kernel void no_barrier_in_the_end(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    for (uint s = 64; s > 0; s >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            tile[l] += tile[l + s];
    }
    if (l == 127)
        out[get_group_id(0)] = tile[0];
}

kernel void same_byte(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    ((global uchar *)out)[g % 64] = (uchar)in[g];
}

kernel void histogram(global const int *in, global int *out)
{
    out[in[get_global_id(0)] % 8] += 1;
}

kernel void wrong_fence(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    int other = out[g ^ 64];
    barrier(CLK_GLOBAL_MEM_FENCE);
    out[g] = other;
}

kernel void off_by_one(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l + 1] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[127 - l + 1];
}

kernel void barrier_in_one_group(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    if (get_group_id(0) == 0)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[127 - l];
}

kernel void barrier_for_half(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    if (l < 64)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l];
}

kernel void barrier_for_odd(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    if (in[l] & 1)
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l];
}

kernel void two_barriers(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    if (l < 64) {
        tile[l] = in[l];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = tile[127 - l] * 3;
    }
    else {
        tile[l] = in[l] * 2;
        barrier(CLK_LOCAL_MEM_FENCE);
        out[get_global_id(0)] = tile[127 - l];
    }
}

kernel void stale_local(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    if (get_group_id(0) == 0)
        tile[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l ^ 1];
}

kernel void smaller_group(global const int *in, global int *out)
{
    local int tile[64];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l];
}

kernel void lockstep(global const int *in, global int *out)
{
    local volatile int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 64) {
        tile[l] += tile[l + 64];
        tile[l] += tile[l + 32];
        tile[l] += tile[l + 16];
    }
    if (l == 0)
        out[get_group_id(0)] = tile[0];
}

kernel void atomic_on_unwritten(global const int *in, global int *out)
{
    local int least;
    atomic_min(&least, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = least;
}

kernel void flag(global const int *in, global int *out)
{
    local int flag;
    if (get_local_id(0) == 0)
        flag = in[0];
    out[get_global_id(0)] = flag;
}

kernel void fence_alone(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    mem_fence(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[127 - l];
}

kernel void parts_of_words(global const int *in, global uint *out)
{
    uint g = get_global_id(0), up = 8 * (g & 1);
    out[g / 2] = (out[g / 2] & ~(255u << up)) | ((uint)in[g] & 255) << up;
    if (g < 2)
        out[(g + 127) % 128] |= 1u << 31;
}

kernel void copy_not_waited_for(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    event_t e = async_work_group_copy(tile, in + get_group_id(0) * 128, 128, 0);
    out[get_global_id(0)] = tile[127 - l];
    wait_group_events(1, &e);
}

kernel void tile_again(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0), g = get_global_id(0);
    tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    int first = tile[127 - l];
    tile[l] = first * in[(g + 1) % 256];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = tile[(l + 1) % 128];
}

kernel void double_buffer(global const int *in, global int *out)
{
    local int tile[2][128];
    uint l = get_local_id(0), g = get_global_id(0);
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        tile[i & 1][l] = in[(g + i) % 256];
        if (i != 2)
            barrier(CLK_LOCAL_MEM_FENCE);
        sum += tile[i & 1][127 - l];
    }
    out[g] = sum;
}

kernel void last_group(global const int *in, global int *out)
{
    uint l = get_local_id(0), g = get_global_id(0);
    local uint last;
    out[16 + g % 128 + 0 * l] = 0;
    if (get_group_id(0) == 0)
        out[64 + l] = in[g];
    barrier(CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        out[get_group_id(0)] = in[g];
    if (l == 0)
        last = atomic_inc((volatile global uint *)out + 8);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (last == 1 && l == 0)
        out[2] = out[0] + out[1];
}

kernel void plain_flag(global const int *in, volatile global int *out)
{
    if (get_global_id(0) == 0) { out[0] = 7; out[1] = 1; }
    if (get_global_id(0) == 128 && out[1])
        out[2] = out[0];
}

kernel void read_beyond(global const int *in, global int *out)
{
    out[get_global_id(0)] = in[get_global_id(0) + 1];
}

kernel void vectors_beyond(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    if (g < 128)
        vstore4(vload4(0, in + g * 2), 0, out + 2 * g);
}

kernel void scan(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    for (uint d = 1; d < 128; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = l >= d ? tile[l - d] : 0;
        tile[l] += v;
    }
    out[get_global_id(0)] = tile[l];
}

kernel void transposed(global const int *in, global int *out)
{
    uint l = get_local_id(0), g = get_group_id(0);
    out[(l % 16) * 16 + l / 16] = in[g * 128 + l];
}

kernel void unwritten_element(global const int *in, global int *out)
{
    int x[2];
    if (in[get_global_id(0)] < 100)
        x[get_global_id(0) & 1] = 5;
    out[get_global_id(0)] = x[in[get_global_id(0)] & 1];
}

kernel void unwritten_member(global const int *in, global int *out)
{
    local struct { int a; int b[3]; } s[128];
    uint l = get_local_id(0);
    s[l].a = in[l]; s[l].b[0] = 1; s[l].b[2] = 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = s[127 - l].b[in[l] % 3];
}

kernel void more_turns(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = 0;
    for (uint i = 0; i < 1 + l / 64; i++) {
        tile[l] += in[l];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[get_global_id(0)] = tile[l];
}

kernel void early_return(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    if (get_global_id(0) >= 200)
        return;
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l ^ 3];
}

kernel void count_too_early(global const int *in, global int *out)
{
    local int count;
    uint l = get_local_id(0);
    if (l == 0)
        count = 0;
    atomic_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = count;
}

kernel void bins_too_early(global const int *in, global int *out)
{
    local uint bins[128];
    uint l = get_local_id(0);
    bins[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&bins[in[get_global_id(0)] & 127]);
    out[get_global_id(0)] = bins[l];
}

kernel void greatest_too_early(global const int *in, global int *out)
{
    local int best;
    uint l = get_local_id(0);
    if (l == 0)
        best = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_max(&best, in[get_global_id(0)]);
    if (l == 0)
        out[get_group_id(0)] = best;
}

kernel void half_words(global const short *in, global short *out)
{
    uint g = get_global_id(0);
    out[g] = in[g];
    if (g)
        out[g - 1] += in[g];
}

kernel void before_local(global const int *in, global int *out)
{
    local int a[128];
    uint l = get_local_id(0);
    a[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = a[(int)l - in[0]];
}

kernel void wide_words(global const int *in, global long *out)
{
    uint g = get_global_id(0);
    out[g / 2] = in[g];
}

kernel void same_flag(global const int *in, global int *out)
{
    local int flag;
    flag = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (in[get_global_id(0)] > 5)
        flag = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = flag;
}

kernel void tickets(global const int *in, global int *out)
{
    uint t = atomic_inc((volatile global uint *)out);
    if (t < 200)
        out[1 + t] = in[get_global_id(0)];
}

kernel void right_scan(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    for (uint d = 1; d < 128; d *= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int v = l >= d ? tile[l - d] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        tile[l] += v;
    }
    out[get_global_id(0)] = tile[l];
}
