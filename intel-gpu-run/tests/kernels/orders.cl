// Work-groups that pass data to each other. Each macro is a right choice that a build option can replace by a
// wrong one.

#ifndef BEFORE
#define BEFORE work_group_barrier(CLK_GLOBAL_MEM_FENCE)
#endif
#ifndef AFTER
#define AFTER work_group_barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#endif
#ifndef RELEASE
#define RELEASE memory_order_release
#endif
#ifndef ACQUIRE
#define ACQUIRE memory_order_acquire
#endif
#ifndef BOTH
#define BOTH memory_order_acq_rel
#endif
#ifndef RELEASES_TO
#define RELEASES_TO memory_scope_device
#endif
#ifndef ACQUIRES_FROM
#define ACQUIRES_FROM memory_scope_device
#endif
#ifndef HANDED
#define HANDED atomic_store_explicit(flag + 1, 1, memory_order_release, memory_scope_device)
#endif
#ifndef STEP
#define STEP atomic_fetch_add_explicit(flag, 1, memory_order_relaxed, memory_scope_device)
#endif
#ifndef RELEASED
#define RELEASED CLK_GLOBAL_MEM_FENCE
#endif

kernel void flag(global int *data, volatile global atomic_int *flag, global int *out)
{
    uint group = get_group_id(0), l = get_local_id(0), size = get_local_size(0);
    if (group == 0) {
        data[l] = l * 3;
        BEFORE;
        if (l == 0) atomic_store_explicit(flag, 1, RELEASE, RELEASES_TO);
    } else {
        if (l == 0) while (atomic_load_explicit(flag, ACQUIRE, ACQUIRES_FROM) == 0);
        AFTER;
        out[(group - 1) * size + l] = data[size - 1 - l];
    }
}

kernel void fences(global int *data, volatile global atomic_int *flag, global int *out)
{
    uint group = get_group_id(0), l = get_local_id(0), size = get_local_size(0);
    if (group == 0) {
        data[l] = l * 3;
        BEFORE;
        if (l == 0) {
            atomic_work_item_fence(RELEASED, RELEASE, RELEASES_TO);
            atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
        }
    } else {
        if (l == 0) {
            while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) == 0);
            atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, ACQUIRE, ACQUIRES_FROM);
        }
        AFTER;
        out[(group - 1) * size + l] = data[size - 1 - l];
    }
}

// Each work-item has a flag of its own.
kernel void flags(global int *data, volatile global atomic_int *flags, global int *out)
{
    uint group = get_group_id(0), l = get_local_id(0), size = get_local_size(0);
    if (group == 0) {
        data[l] = l * 3;
        atomic_store_explicit(&flags[l], 1, RELEASE, RELEASES_TO);
    } else if (group == 1) {
        while (atomic_load_explicit(&flags[l], ACQUIRE, ACQUIRES_FROM) == 0);
#ifdef NEIGHBOUR
        out[l] = data[l ^ 1];
#else
        out[l] = data[l];
#endif
    }
}

kernel void last(global int *data, volatile global atomic_int *count, global int *out)
{
    local int is_last;
    uint group = get_group_id(0), l = get_local_id(0);
    if (l == 0) {
        data[group] = group + 1;
        is_last = atomic_fetch_add_explicit(count, 1, BOTH, RELEASES_TO) == get_num_groups(0) - 1;
    }
    AFTER;
    if (is_last && l < get_num_groups(0)) out[l] = data[l];
}

kernel void lock(global int *sum, volatile global atomic_int *lock, global int *out)
{
    if (get_local_id(0) != 0) return;
    int open = 0;
    while (!atomic_compare_exchange_strong_explicit(lock, &open, 1, ACQUIRE, memory_order_relaxed, ACQUIRES_FROM))
        open = 0;
    *sum += 1;
    atomic_store_explicit(lock, 0, RELEASE, RELEASES_TO);
}

// A lock is asked for until it is free.
#ifndef TAKE
#define TAKE while (atomic_cmpxchg(lock, 0, 1) != 0)
#endif

kernel void waits(global int *sum, volatile global int *lock, global int *out)
{
    if (get_local_id(0) != 0) return;
    TAKE;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);
    *sum += 1;
    atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);
    atomic_xchg(lock, 0);
}

kernel void waits_locally(global int *data, volatile global int *unused, global int *out)
{
    volatile local int word[1], sum[1];
    volatile local int *lock = word;
    uint l = get_local_id(0);
    if (l == 0) *lock = *sum = 0;
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    if (l % 32 == 0) {
        TAKE;
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_acquire, memory_scope_work_group);
        *sum += 1;
        atomic_work_item_fence(CLK_LOCAL_MEM_FENCE, memory_order_release, memory_scope_work_group);
        atomic_xchg(lock, 0);
    }
    work_group_barrier(CLK_LOCAL_MEM_FENCE);
    out[get_global_id(0)] = *sum;
}

kernel void counts(global const int *in, volatile global atomic_int *counts, global int *out)
{
    atomic_fetch_add_explicit(&counts[in[get_global_id(0)] & 7], 1, memory_order_relaxed, RELEASES_TO);
}

// Within one sub-group, and for one kind of memory.
kernel void kinds(global int *data, volatile global atomic_int *flag, global int *out)
{
    local int tile[64];
    uint l = get_local_id(0), g = get_global_id(0);
    tile[l] = l;
    data[g] = l;
    AFTER;
    out[g] = tile[l ^ 1] + data[g ^ 1];
}

// One group hands on what it has heard of another one.
kernel void chain(global int *data, volatile global atomic_int *flag, global int *out)
{
    uint group = get_group_id(0), l = get_local_id(0), size = get_local_size(0);
    if (group == 0) {
        data[l] = l * 3;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 0) atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else if (group == 1) {
        if (l == 5) {
            while (atomic_load_explicit(flag, ACQUIRE, ACQUIRES_FROM) == 0);
            HANDED;
        }
    } else {
        if (l == 9) while (atomic_load_explicit(flag + 1, memory_order_acquire, memory_scope_device) == 0);
        AFTER;
        out[l] = data[size - 1 - l];
    }
}

// What another group changes in between belongs to the release, and what it stores does not.
kernel void sequence(global int *data, volatile global atomic_int *flag, global int *out)
{
    uint group = get_group_id(0), l = get_local_id(0), size = get_local_size(0);
    if (group == 0) {
        data[l] = l * 3;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 0) {
            atomic_store_explicit(flag, 7, memory_order_release, memory_scope_device);
            atomic_store_explicit(flag, 1, memory_order_relaxed, memory_scope_device);
        }
    } else if (group == 1) {
        if (l == 0) {
            while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) != 1);
            STEP;
        }
    } else {
        // It acquires when all is done: who acquires while it waits may see the release itself.
        if (l == 0) {
            while (atomic_load_explicit(flag, memory_order_relaxed, memory_scope_device) != 2);
            if (atomic_load_explicit(flag, ACQUIRE, ACQUIRES_FROM) != 2) out[0] = 1;
        }
        AFTER;
        out[l] = data[size - 1 - l];
    }
}

// What finds another value than it compares with releases nothing.
#ifndef LATE
#define LATE
#define EARLY *data = 5
#endif
#ifndef EARLY
#define EARLY
#endif
#ifndef FOUND
#define FOUND memory_order_acquire
#endif

kernel void compares(global int *data, volatile global atomic_int *flag, global int *out)
{
    if (get_local_id(0) != 0 || get_group_id(0) > 1) return;
    int other = 99;
    if (get_group_id(0) == 0) {
        EARLY;
        atomic_store_explicit(flag, 1, RELEASE, RELEASES_TO);
        LATE;
        atomic_compare_exchange_strong_explicit(flag, &other, 100, memory_order_acq_rel, memory_order_relaxed,
                                                memory_scope_device);
    } else {
        while (other != 1) {
            other = 99;
            atomic_compare_exchange_strong_explicit(flag, &other, 100, memory_order_acq_rel, FOUND,
                                                    memory_scope_device);
        }
        *out = *data;
    }
}

// An operation for the group on a word that others have, too, beside reads for all.
kernel void pushes(global int *next, volatile global atomic_int *head, global int *out)
{
    int g = get_global_id(0);
    int first = atomic_load_explicit(head, memory_order_relaxed, memory_scope_device);
    do
        next[g] = first;
    while (!atomic_compare_exchange_strong_explicit(head, &first, g + 1, memory_order_release, memory_order_relaxed,
                                                    RELEASES_TO));
    out[g] = atomic_load_explicit(head, memory_order_acquire, memory_scope_device);
}

// What comes next is wrong only if groups come in another order, or one beside the other.

#ifndef TRIES
#define TRIES 0x7fffffff
#endif
#ifndef WAITS_FOR
#define WAITS_FOR mine
#endif

kernel void tries(global int *sum, volatile global atomic_int *lock, global int *out)
{
    if (get_local_id(0) == 0) {
        int seen, tries = 0;
        do seen = 0;
        while (!atomic_compare_exchange_strong_explicit(lock, &seen, 1, memory_order_acquire, memory_order_relaxed,
                                                        memory_scope_device) && ++tries < TRIES);
        out[get_group_id(0)] = ++*sum;
        atomic_store_explicit(lock, 0, memory_order_release, memory_scope_device);
    }
}

kernel void tickets(global int *sum, volatile global atomic_int *now, global int *out)
{
    if (get_local_id(0) == 0) {
        int mine = atomic_fetch_add_explicit(now + 1, 1, memory_order_relaxed, memory_scope_device);
        while (atomic_load_explicit(now, memory_order_acquire, memory_scope_device) < WAITS_FOR);
        out[get_group_id(0)] = ++*sum;
        atomic_fetch_add_explicit(now, 1, memory_order_release, memory_scope_device);
    }
}

void looks(global int *data, volatile global atomic_int *flag, global int *out, uint writer)
{
    uint group = get_group_id(0), l = get_local_id(0), size = get_local_size(0);
    if (group == writer) {
        data[l] = l * 3;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        if (l == 0) atomic_store_explicit(flag, 1, memory_order_release, memory_scope_device);
    } else {
        if (l == 0)
            for (int tries = 0; tries < TRIES; tries++)
                if (atomic_load_explicit(flag, memory_order_acquire, memory_scope_device)) break;
        work_group_barrier(CLK_GLOBAL_MEM_FENCE);
        out[group * size + l] = data[size - 1 - l];
    }
}

kernel void looks_at_first(global int *data, volatile global atomic_int *flag, global int *out)
{
    looks(data, flag, out, 0);
}

kernel void looks_at_last(global int *data, volatile global atomic_int *flag, global int *out)
{
    looks(data, flag, out, get_num_groups(0) - 1);
}
