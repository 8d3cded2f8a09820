// What channels of one sub-group do to each other, and how they access what lies in buffers.

kernel void beside(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    out[get_global_id(0)] = tile[l ^ 1];
}

kernel void beside_later(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l ^ 1];
    tile[l] = 5;
}

kernel void in_order(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0);
    tile[l] = in[get_global_id(0)];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    int other = tile[get_sub_group_id() * get_max_sub_group_size() + (get_sub_group_local_id() ^ 1)];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    tile[l] = other;
    out[get_global_id(0)] = tile[l];
}

kernel void crooked(global const int *in, global int *out)
{
    uint g = get_global_id(0) / 8;
    out[get_global_id(0)] = ((global const int4 *)(in + 1))[g].y;
}

kernel void straight(global const int *in, global int *out)
{
    uint g = get_global_id(0) / 8;
    out[get_global_id(0)] = ((global const int4 *)(in + 4))[g].y + vload4(g, in + 1).x;
}

kernel void one_reads(global const int *in, global int *out)
{
    local long tile[16];
    uint l = get_local_id(0);
    if (l == 0)
        for (int i = 0; i < 16; i++)
            tile[i] = ((global const long *)in)[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l % 16];
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void some_read(global const uint *in, global uint *out)
{
    uint block = 1;
    if (get_local_id(0) % 16 < 4)
        block = intel_sub_group_block_read(in) + 1;
    out[get_global_id(0)] = block;
}

kernel void bytes(global const int *in, global uchar *out)
{
    out[get_global_id(0)] = in[get_global_id(0)];
}

kernel void counted(global const int *in, global int *out)
{
    local int data[128];
    local atomic_int count;
    uint l = get_local_id(0);
    if (l == 0) atomic_init(&count, 0);
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    data[l] = in[get_global_id(0)];
    if (atomic_fetch_add_explicit(&count, 1, memory_order_acq_rel, memory_scope_work_group) == 127) {
        int sum = 0;
        for (int i = 0; i < 128; i++) sum += data[i];
        out[get_group_id(0)] = sum;
    }
}

kernel void broadcasts(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = sub_group_broadcast(in[g], get_local_id(0) & 3);
}

kernel void broadcasts_alike(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = sub_group_broadcast(in[g], in[0] & 3);
}

kernel void broadcasts_from_two(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    uint one = in[0] & 1;
    out[g] = g & 1 ? sub_group_non_uniform_broadcast(in[g], one + 2)
                   : sub_group_non_uniform_broadcast(in[g], one + 3);
}

kernel void group_broadcasts(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = work_group_broadcast(in[g], get_local_id(0) & 3);
}

kernel void group_broadcasts_from_place(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = work_group_broadcast(in[g], get_local_id(0) & 3, 0);
}

kernel void blocks(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = intel_sub_group_block_read((global const uint *)in + g);
}

kernel void blocks_written(global const int *in, global int *out)
{
    uint g = get_global_id(0), first = g - get_sub_group_local_id();
    intel_sub_group_block_write((global uint *)out + first, in[g]);
}

kernel void copies(global const int *in, global int *out)
{
    local int tile[128];
    event_t event = async_work_group_copy(tile, in + get_local_id(0) / 4, 64, 0);
    wait_group_events(1, &event);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[get_local_id(0) & 63];
}

// Messages of 32 channels are two: what the upper half does is not the lower one's.
__attribute__((intel_reqd_sub_group_size(32)))
kernel void upper_half_shuffles(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    int v = in[g], shuffled = 0;
    if (get_sub_group_local_id() >= 16)
        shuffled = intel_sub_group_shuffle_xor(v, 8);
    out[g] = shuffled;
}

__attribute__((intel_reqd_sub_group_size(32)))
kernel void broadcasts_by_halves(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = sub_group_broadcast(in[g], get_sub_group_local_id() >= 16);
}

__attribute__((intel_reqd_sub_group_size(32)))
kernel void copies_by_halves(global const int *in, global int *out)
{
    local int tile[128];
    event_t event = async_work_group_copy(tile, in + (get_local_id(0) >= 112 ? 4 : 0), 64, 0);
    wait_group_events(1, &event);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[get_local_id(0) & 63];
}

__attribute__((intel_reqd_sub_group_size(32)))
kernel void upper_half_shifts(global const int *in, global int *out)
{
    uint g = get_global_id(0), lane = get_sub_group_local_id();
    int v = in[g], shifted = 0;
    if (lane >= 16)
        shifted = intel_sub_group_shuffle_up(v, v, lane - 16);
    out[g] = shifted;
}

__attribute__((intel_reqd_sub_group_size(32)))
kernel void one_of_the_upper_half(global const int *in, global int *out)
{
    local int tile[128];
    uint g = get_global_id(0), l = get_local_id(0);
    if (l != 27)
        tile[l] = in[g];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = tile[l];
}

// Several channels have parts of a word.
kernel void bytes_beside(global const uchar *in, global int *out)
{
    local uchar tile[128];
    uint l = get_local_id(0);
    tile[l] = in[l];
    out[get_global_id(0)] = tile[l ^ 1];
}

kernel void shorts_read_beside(global const ushort *in, global int *out)
{
    local ushort tile[128];
    uint l = get_local_id(0);
    tile[l] = in[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[l ^ 1];
    tile[l] = 5;
}

kernel void bytes_in_order(global const uchar *in, global int *out)
{
    local uchar tile[128];
    uint l = get_local_id(0);
    tile[l] = in[l];
    uchar own = tile[l];
    barrier(CLK_LOCAL_MEM_FENCE);
    uchar other = tile[l ^ 1];
    barrier(CLK_LOCAL_MEM_FENCE);
    tile[l] = other + own;
    out[get_global_id(0)] = tile[l];
}

// All channels of a sub-group that are there read one place, which the first of them has written.
kernel void row_of_all(global const int *in, global int *out)
{
    local int tile[128];
    uint l = get_local_id(0), g = get_global_id(0), lane = get_sub_group_local_id();
    int sum = 0;
    tile[l] = in[g];
    for (uint i = 0; i <= lane; i++)
        sum += tile[l - lane + i];
    out[g] = sum;
}

kernel void one_for_all(global const int *in, global int *out)
{
    local int tile[16];
    uint g = get_global_id(0), row = get_sub_group_id();
    bool is_first = get_sub_group_local_id() == 0;
    if (is_first) tile[row] = in[g];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    int first = tile[row];
    if (is_first) tile[row] = first + 1;
    out[g] = first;
}

kernel void one_for_all_in_order(global const int *in, global int *out)
{
    local int tile[16];
    uint g = get_global_id(0), row = get_sub_group_id();
    bool is_first = get_sub_group_local_id() == 0;
    if (is_first) tile[row] = in[g];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    int first = tile[row];
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (is_first) tile[row] = first + 1;
    sub_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[g] = first + tile[row];
}

// Channels that a sub-group has not give an undefined value, which nobody may use.
kernel void tree_of_sums(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    int sum = in[g];
    for (uint distance = get_max_sub_group_size() / 2; distance > 0; distance /= 2)
        sum += sub_group_shuffle_down(sum, distance);
    if (get_sub_group_local_id() == 0)
        out[g] = sum;
}

kernel void neighbour_or_edge(global const int *in, global int *out)
{
    uint g = get_global_id(0), lane = get_sub_group_local_id();
    int before = sub_group_shuffle_up(in[g], 1), after = sub_group_shuffle_down(in[g], 1);
    out[g] = (lane == 0 ? 7 : before) + (lane + 1 == get_sub_group_size() ? 7 : after);
}

kernel void beyond_the_last(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = sub_group_shuffle_down(in[g], 9);
}

kernel void before_the_first(global const short *in, global short *out)
{
    uint g = get_global_id(0);
    short before = sub_group_shuffle_up(in[g], in[0] & 3);
    out[g] = before + 1;
}

// What a whole work-group does with one operand. These run in groups of several sub-groups.
kernel void right_item_by_item(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    int sum = 0;
    for (int i = 0; i < in[127]; i++)
        sum += work_group_broadcast(in[g], i) + work_group_broadcast(in[g], i, 0, 0);
    out[g] = sum;
}

kernel void from_elsewhere(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    out[g] = work_group_broadcast(in[g], get_local_id(0) / 64);
}

kernel void from_elsewhere_later(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    int sum = 0;
    for (int i = 0; i < 5; i++)
        sum += work_group_broadcast(in[g], i + (i == 3 && get_local_id(0) >= 64), 0);
    out[g] = sum;
}

kernel void copies_elsewhere(global const int *in, global int *out)
{
    local int tile[64];
    event_t event = async_work_group_copy(tile, in + get_local_id(0) / 64, 64, 0);
    wait_group_events(1, &event);
    barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = tile[get_local_id(0) & 63];
}

kernel void behind_the_last(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    int first = work_group_broadcast(in[g], 3);
    out[g] = first + work_group_broadcast(in[g], in[0] + 127);
}

kernel void in_no_row(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    int first = work_group_broadcast(in[g], 3, 0);
    out[g] = first + work_group_broadcast(in[g], 0, in[0]);
}

kernel void in_no_plane(global const int *in, global int *out)
{
    uint g = get_global_id(0);
    int first = work_group_broadcast(in[g], 3, 0, 0);
    out[g] = first + work_group_broadcast(in[g], 0, 0, in[0]);
}
