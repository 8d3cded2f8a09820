// Faults of sub-groups, and of what one work-group hands to another.

#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#pragma OPENCL EXTENSION cl_intel_subgroups_short : enable
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

kernel void shuffle_inactive(global const int *in, global int *out)
{
    int v = in[get_global_id(0)], r = 0;
    if (v & 1) {
        v = v * v + 3;
        r = intel_sub_group_shuffle(v, get_sub_group_local_id() ^ 1);
    }
    out[get_global_id(0)] = r;
}

kernel void shuffle_beyond(global const int *in, global int *out)
{
    int v = in[get_global_id(0)];
    out[get_global_id(0)] = intel_sub_group_shuffle(v, get_sub_group_local_id() * 3);
}

kernel void broadcast_inactive(global const int *in, global int *out)
{
    int v = in[get_global_id(0)], r = 0;
    if (get_sub_group_local_id() > 2) {
        v = v * v + 3;
        r = sub_group_broadcast(v, 0);
    }
    out[get_global_id(0)] = r + v;
}

kernel void shuffle_first_inactive(global const int *in, global int *out)
{
    int v = in[get_global_id(0)];
    out[get_global_id(0)] = get_sub_group_local_id() > 2 ? intel_sub_group_shuffle(v, 0) : v;
}

// Intel's compiler moves the broadcast to where it is used.
kernel void right_broadcast_used_later(global const int *in, global int *out)
{
    uint lane = get_sub_group_local_id(), g = get_global_id(0);
    float y = 0;
    if (lane == 0)
        y = in[g];
    y = sub_group_broadcast(y, 0);
    if (lane > 3)
        out[g] = y * 3 + 1;
    else if (lane > 1)
        out[g] = 7;
}

// Intel's compiler reads both neighbours by one message, with what lies between.
kernel void right_gap(global const int *in, global int *out)
{
    local int tile[130];
    uint l = get_local_id(0), g = get_global_id(0);
    tile[l] = in[g];
    if (l < 2)
        tile[128 + l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    if (l & 1)
        tile[l] = 7;
    else
        sum = tile[l] + tile[l + 2];
    out[g] = sum;
}

kernel void right_tree(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0), g = get_global_id(0);
    tile[l] = in[g];
    for (uint n = 64; n; n >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < n)
            tile[l] += tile[l + n];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = tile[0];
}

kernel void texels_block_in_part(global const int *in, write_only image2d_t out)
{
    if (get_sub_group_local_id() < 5)
        intel_sub_group_block_write2(out, (int2)(0, 4), (uint2)(in[0], in[1]));
}

kernel void race_of_sub_groups(global const int *in, global int *out)
{
    local int tile[129];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = l < 127 ? tile[l + 1] : 0;
}

kernel void relaxed_flag(global const int *in, global int *out)
{
    volatile global atomic_int *flag = (volatile global atomic_int *)out;
    if (get_global_id(0) == 0) {
        out[4] = 77;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    }
    if (get_global_id(0) == 128) {
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device));
        out[5] = out[4];
    }
}

kernel void group_flag(global const int *in, global int *out)
{
    volatile global atomic_int *flag = (volatile global atomic_int *)out;
    if (get_global_id(0) == 0) {
        out[4] = 77;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_work_group);
    }
    if (get_global_id(0) == 128) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_work_group));
        out[5] = out[4];
    }
}

kernel void acquire_only(global const int *in, global int *out)
{
    volatile global atomic_int *flag = (volatile global atomic_int *)out;
    if (get_global_id(0) == 0) {
        out[4] = 77;
        atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
    }
    if (get_global_id(0) == 128) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device));
        out[5] = out[4];
    }
}

kernel void release_only(global const int *in, global int *out)
{
    volatile global atomic_int *flag = (volatile global atomic_int *)out;
    if (get_global_id(0) == 0) {
        out[4] = 77;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    }
    if (get_global_id(0) == 128) {
        while (!atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device));
        out[5] = out[4];
    }
}

kernel void blocks_race(global const int *in, global int *out)
{
    intel_sub_group_block_write((global uint *)out, in[get_global_id(0)] + get_group_id(0));
}

kernel void right_flag(global const int *in, global int *out)
{
    volatile global atomic_int *flag = (volatile global atomic_int *)out;
    if (get_global_id(0) == 0) {
        out[4] = 77;
        atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    }
    if (get_global_id(0) == 128) {
        while (!atomic_load_explicit(flag, memory_order_acquire, memory_scope_device));
        out[5] = out[4];
    }
}

kernel void right_shuffles(global const int *in, global int *out)
{
    int v = in[get_global_id(0)];
    v += intel_sub_group_shuffle_xor(v, 1u);
    v += intel_sub_group_shuffle_down(v, 0, 2u);
    v += intel_sub_group_shuffle_up(0, v, 3u);
    out[get_global_id(0)] = v + sub_group_broadcast(v, 3) + sub_group_scan_inclusive_add(v);
}

kernel void right_sums(global const int *in, global int *out)
{
    out[get_global_id(0)] = work_group_reduce_add(in[get_global_id(0)]);
}

kernel void texels(global const int *in, write_only image2d_t out)
{
    uint l = get_local_id(0);
    write_imageui(out, (int2)(l % 16, get_group_id(0)), (uint4)(in[l], 0, 0, 0));
}

kernel void right_texels(global const int *in, write_only image2d_t out)
{
    uint g = get_global_id(0);
    write_imageui(out, (int2)(g % 16, g / 16), (uint4)(in[g], 0, 0, 0));
}

kernel void flag_too_early(global const int *in, global int *out)
{
    local int data;
    local atomic_int flag;
    uint l = get_local_id(0);
    if (l == 0) atomic_init(&flag, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        atomic_store_explicit(&flag, 1, memory_order_release, memory_scope_work_group);
        data = in[3];
    }
    if (l == 64) {
        while (!atomic_load_explicit(&flag, memory_order_acquire, memory_scope_work_group)) {}
        out[get_group_id(0)] = data;
    }
}

kernel void shuffle_one_beyond(global const int *in, global int *out)
{
    int v = in[get_global_id(0)];
    out[get_global_id(0)] = intel_sub_group_shuffle(v, get_sub_group_local_id() + 1);
}

kernel void shuffle_xor_beyond(global const int *in, global int *out)
{
    int v = in[get_global_id(0)];
    out[get_global_id(0)] = intel_sub_group_shuffle_xor(v, get_max_sub_group_size());
}

kernel void shuffle_down_beyond(global const int *in, global int *out)
{
    int v = in[get_global_id(0)];
    uint delta = get_max_sub_group_size() + 3;
    out[get_global_id(0)] = intel_sub_group_shuffle_down(v, v + 1, delta);
}

kernel void shuffle_up_beyond(global const int *in, global int *out)
{
    int v = in[get_global_id(0)];
    uint delta = get_max_sub_group_size() + 3;
    out[get_global_id(0)] = intel_sub_group_shuffle_up(v + 1, v, delta);
}

kernel void broadcast_beyond(global const int *in, global int *out)
{
    out[get_global_id(0)] = sub_group_broadcast(in[get_global_id(0)], 33);
}

kernel void reduce_in_part(global const int *in, global int *out)
{
    int v = in[get_global_id(0)];
    out[get_global_id(0)] = v & 1 ? sub_group_reduce_add(v) : 0;
}

kernel void scan_in_part(global const int *in, global int *out)
{
    int v = in[get_global_id(0)];
    out[get_global_id(0)] = v & 1 ? sub_group_scan_inclusive_max(v) : 0;
}

kernel void vote_in_part(global const int *in, global int *out)
{
    int v = in[get_global_id(0)], r = 0;
    if (v & 1)
        r = sub_group_any(v > 9);
    out[get_global_id(0)] = r;
}

kernel void barrier_in_part(global const int *in, global int *out)
{
    int v = in[get_global_id(0)];
    if (v & 1) {
        out[get_global_id(0)] = v;
        sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
    }
}

kernel void right_together(global const int *in, global int *out)
{
    uint l = get_sub_group_local_id(), all = get_max_sub_group_size();
    int v = in[get_global_id(0)];
    if (get_local_id(0) < 64) {
        v += sub_group_reduce_add(v) + sub_group_any(v > 9);
        v += intel_sub_group_shuffle(v, all - 1 - l) + sub_group_broadcast(v, all - 1);
        sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    }
    v += intel_sub_group_shuffle_down(v, v + 1, all) + intel_sub_group_shuffle_up(v + 1, v, l);
    v += intel_sub_group_shuffle_xor(v, all - 1);
    if (v & 1)
        v += intel_sub_group_shuffle(v, l);
    out[get_global_id(0)] = v;
}

// Messages to a binding table entry have no low bits of a block's place: this one would write elsewhere.
kernel void block_write_misaligned(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    if (g < 128)
        intel_sub_group_block_write((global uint *)out + 1 + g - get_sub_group_local_id(), in[g]);
}

kernel void block_read_misaligned(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    global const ushort *from = (global const ushort *)in + 1 + g - get_sub_group_local_id();
    out[g] = intel_sub_group_block_read_us(from);
}

kernel void block_in_part(global const int *in, global int *out)
{
    uint g = get_global_id(0), v = 0;
    if (get_sub_group_local_id() < 5)
        v = intel_sub_group_block_read((global const uint *)in);
    out[g] = v;
}

kernel void right_blocks(global const int *in, global int *out)
{
    uint first = get_global_id(0) - get_sub_group_local_id();
    uint v = intel_sub_group_block_read((global const uint *)in + first);
    if (get_local_id(0) < 64)
        v += intel_sub_group_block_read((global const uint *)in + 1);
    intel_sub_group_block_write((global uint *)out + first, v);
}

kernel void texels_beyond(global const int *in, write_only image2d_t out)
{
    uint g = get_global_id(0);
    write_imageui(out, (int2)(g / 16 + 1, g % 16), (uint4)(in[g], 0, 0, 0));
}

constant sampler_t open = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
constant sampler_t closed = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void texels_read_beyond(global int *in, read_only image2d_t from)
{
    uint g = get_global_id(0);
    in[g] = read_imageui(from, (int2)(g % 16, (int)(g / 16) - 1)).x;
}

kernel void texels_sampled_beyond(global int *in, read_only image2d_t from)
{
    uint g = get_global_id(0);
    in[g] = read_imageui(from, open, (int2)(g / 16 + 1, g % 16)).x;
}

kernel void texels_sampled_between(global int *in, read_only image2d_t from)
{
    uint g = get_global_id(0);
    in[g] = read_imageui(from, open, (float2)(g / 16, g % 16) + 0.75f * (in[g] & 2)).x;
}

kernel void right_texels_read(global int *in, read_only image2d_t from)
{
    uint g = get_global_id(0);
    in[g] = read_imageui(from, (int2)(g / 16, g % 16)).x;
    in[g] += read_imageui(from, open, (float2)(g / 16, g % 16) + 0.75f).x;
    in[g] += read_imageui(from, closed, (int2)(g / 16, g % 16 + 1)).x;
}

// Work-items exchange texels of an image. Compilers read these by the sampler, whose cache must drop what it holds.
void put(read_write image2d_t image, uint at, uint value)
{
    write_imageui(image, (int2)(at % 16, at / 16), (uint4)(value, 0, 0, 0));
}

uint get(read_write image2d_t image, uint at)
{
    return read_imageui(image, (int2)(at % 16, at / 16)).x;
}

kernel void right_texels_exchanged(global const int *in, read_write image2d_t image)
{
    uint g = get_global_id(0);
    put(image, g, in[g]);
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    uint v = get(image, g ^ 37);
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    put(image, g, v);
}

kernel void texels_exchanged_early(global const int *in, read_write image2d_t image)
{
    uint g = get_global_id(0);
    put(image, g, in[g]);
    uint v = get(image, g ^ 37);
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    put(image, g, v);
}

kernel void texels_overwritten(global const int *in, read_write image2d_t image)
{
    uint g = get_global_id(0);
    uint v = get(image, g ^ 37);
    put(image, g, v + in[g]);
}

kernel void texels_of_a_cache(global const int *in, read_write image2d_t image)
{
    uint g = get_global_id(0);
    put(image, g, in[g]);
    work_group_barrier(CLK_GLOBAL_MEM_FENCE);
    uint v = get(image, g ^ 37);
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    put(image, g, v);
}

kernel void texels_of_its_own(global const int *in, read_write image2d_t image)
{
    uint g = get_global_id(0);
    put(image, g, in[g]);
    uint v = get(image, g);
    put(image, g, v + 1);
}

kernel void right_texels_of_its_own(global const int *in, read_write image2d_t image)
{
    uint g = get_global_id(0);
    put(image, g, in[g]);
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    uint v = get(image, g);
    put(image, g, v + 1);
}

// Begins each round of its loop, and its first comparison, with a plain read.
kernel void right_peeks(global const int *in, global int *out)
{
    local uint sum;
    local int best;
    uint l = get_local_id(0);
    if (l == 0) {
        sum = as_uint(0.0f);
        best = 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = in[get_global_id(0)];
    uint old = sum, seen;
    while ((seen = atomic_cmpxchg(&sum, old, as_uint(as_float(old) + (float)v))) != old)
        old = seen;
    if (v > best)
        atomic_max(&best, v);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = l & 1 ? (int)as_float(sum) : best;
}

// Each work-item uses the element that compilers let it copy itself.
kernel void own_copy_too_early(global const int *in, global int *out)
{
    local int tile[128];
    event_t e = async_work_group_copy(tile, in + get_group_id(0) * 128, 128, 0);
    out[get_global_id(0)] = tile[get_local_id(0)];
    wait_group_events(1, &e);
}

kernel void own_copy_of_unfinished(global const int *in, global int *out)
{
    local int tile[128];
    tile[get_local_id(0)] = in[get_global_id(0)];
    event_t e = async_work_group_copy(out + get_group_id(0) * 128, tile, (size_t)(in[0] + 127), 0);
    wait_group_events(1, &e);
}

kernel void right_copies(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0), count = in[0] + 127;
    event_t e = async_work_group_strided_copy(tile, in + get_group_id(0) * 128, in[0], 3, 0);
    e = async_work_group_copy(tile, in + get_group_id(0) * 128, count, e);
    wait_group_events(1, &e);
    tile[l] += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    e = async_work_group_strided_copy(out + get_group_id(0) * 128, tile, (size_t)128, (size_t)in[0], 0);
    wait_group_events(1, &e);
}

kernel void copy_not_waited_for(global const int *in, global int *out)
{
    local int tile[128];
    tile[get_local_id(0)] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    async_work_group_copy(out + get_group_id(0) * 128, tile, 128, 0);
}

kernel void copy_in_part(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    event_t e = 0;
    if (l > 5)
        e = async_work_group_copy(tile, in + get_group_id(0) * 128, 128, 0);
    wait_group_events(1, &e);
    out[get_global_id(0)] = tile[l];
}

kernel void group_barrier_in_part(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    if (l & 1)
        barrier(CLK_LOCAL_MEM_FENCE);
    else
        barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l ^ 3];
}

// Every second channel reads its neighbour's element, and nothing is between that and the neighbour's own sum.
kernel void neighbour_in_place(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    int v = (l & 1) ? tile[l - 1] : 0;
    tile[l] += v + (int)l;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l];
}

kernel void store_beside_atomics(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    if (g % 128 == 4)
        out[g / 128] = in[g];
    else if (g % 128 < 8)
        atomic_or(&out[g / 128], 1 << (g & 7));
}

kernel void right_beside_atomics(global const int *in, global int *out)
{
    local int sum;
    uint l = get_local_id(0);
    if (l == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&sum, in[get_global_id(0)]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 5)
        sum += 3;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum;
}

// Compilers read what one channel alone needs by messages of the whole thread.
kernel void one_channel_too_early(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0), g = get_global_id(0);
    tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l < 8)
        tile[l] += tile[l + 8];
    if (l == 0) {
        int sum = 0;
        for (int i = 0; i < 8; i++)
            sum += tile[i];
        out[g] = sum;
    }
}

// Data ports lack atomic operations of 64 bits in shared local memory: some platforms' code locks a word instead.
kernel void right_long_atomics(global const int *in, global int *out)
{
    local long sum, most, count;
    uint l = get_local_id(0);
    if (l == 0)
        sum = most = count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&sum, (long)in[get_global_id(0)]);
    atom_max(&most, (long)in[get_global_id(0)]);
    atom_inc(&count);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum + most + count;
}

kernel void long_atomics_beside_reads(global const int *in, global int *out)
{
    local long sum;
    uint l = get_local_id(0);
    if (l == 0)
        sum = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atom_add(&sum, (long)in[get_global_id(0)]);
    sum += 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = sum;
}

kernel void read_beside_atomics(global const int *in, global int *out)
{
    local int counts[4];
    uint l = get_local_id(0);
    int value = 0;
    if (l < 4)
        counts[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        value = counts[0];
    else
        atomic_inc(&counts[l % 4]);
    out[get_global_id(0)] = value;
}

kernel void right_most(global const int *in, global int *out)
{
    local int most;
    uint l = get_local_id(0);
    int value = in[(get_global_id(0) * 7) % 256];
    if (l == 0)
        most = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (value > most)
        atomic_max(&most, value);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = most;
}

int *pick(int *from, int index)
{
    return from + index;
}

kernel void scope_has_ended(global const int *in, global int *out)
{
    int g = get_global_id(0), sum = 0, *found;
    {
        int some[4];
        for (int i = 0; i < 4; i++)
            some[i] = in[g] + i;
        found = pick(some, g & 3);
        sum += *found;
    }
    {
        int others[4];
        for (int i = 0; i < 4; i++)
            others[i] = in[g] * i;
        sum += *pick(others, g & 1);
    }
    out[g] = sum + *found;
}

kernel __attribute__((intel_reqd_sub_group_size(16))) void
copy_by_some_sub_groups(global const int *in, global int *out)
{
    local int own[128];
    uint l = get_local_id(0);
    own[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t event = 0;
    if (l < 112)
        event = async_work_group_copy(out + get_group_id(0) * 128, own, 128, 0);
    wait_group_events(1, &event);
}

kernel void right_copies_of_loop(global const int *in, global int *out)
{
    local int own[128];
    uint l = get_local_id(0);
    for (int i = 0; i < 3; i++) {
        event_t event = async_work_group_copy(own, in + i, 128, 0);
        wait_group_events(1, &event);
        out[get_global_id(0)] = own[l ^ 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void before_the_buffer(global const int *in, global int *out)
{
    int g = get_global_id(0);
    out[g] = in[g - 1];
}
