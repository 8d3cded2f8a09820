// Copies of a work-group. Each macro is a right choice that a build option can replace by a wrong one.

#ifndef WAIT
#define WAIT(count, events) wait_group_events(count, events)
#endif
#ifndef SECOND
#define SECOND second
#endif
#ifndef COUNT
#define COUNT 2
#endif
#ifndef EARLY
#define EARLY
#endif

kernel void waits(global const int *in, global int *out)
{
    local int own[64];
    int i = get_local_id(0);
    event_t event = async_work_group_copy(own, in, 64, 0);
    EARLY;
    WAIT(1, &event);
    out[i] = own[i] + own[i ^ 33];
}

kernel void two_events(global const int *in, global int *out)
{
    local int own[64], other[64];
    int i = get_local_id(0);
    event_t first = async_work_group_copy(own, in, 64, 0);
    event_t second = async_work_group_copy(other, in + 64, 64, 0);
    WAIT(1, &first);
    int sum = own[i ^ 1];
    WAIT(1, &SECOND);
    out[i] = sum + other[i ^ 1];
}

kernel void array_of_events(global const int *in, global int *out)
{
    local int own[64], other[64];
    int i = get_local_id(0);
    event_t events[2];
    events[0] = async_work_group_copy(own, in, 64, 0);
    events[1] = async_work_group_copy(other, in + 64, 64, 0);
    WAIT(COUNT, events);
    out[i] = own[i ^ 1] + other[i ^ 1];
}

kernel void one_event(global const int *in, global int *out)
{
    local int own[64], other[64];
    int i = get_local_id(0);
    event_t event = async_work_group_copy(own, in, 64, 0);
    event = async_work_group_copy(other, in + 64, 64, event);
    WAIT(1, &event);
    out[i] = own[i ^ 1] + other[i ^ 1];
}

kernel void two_buffers(global const int *in, global int *out)
{
    local int own[2][32];
    event_t events[2];
    int i = get_local_id(0), sum = 0;
    events[0] = async_work_group_copy(own[0], in, 32, 0);
    for (int round = 0; round < 4; round++) {
        int here = round & 1;
        if (round < 3)
            events[!here] = async_work_group_copy(own[!here], in + 32 * (round + 1), 32, 0);
        WAIT(1, events + here);
        sum += own[here][i % 32] * own[here][31 - i % 32];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[i] = sum;
}

event_t helper(local int *to, global const int *from)
{
    return async_work_group_copy(to, from, 64, 0);
}

kernel void from_helper(global const int *in, global int *out)
{
    local int own[64];
    int i = get_local_id(0);
    event_t event = helper(own, in);
    WAIT(1, &event);
    out[i] = own[i ^ 1];
}

kernel void copies_out(global const int *in, global int *out)
{
    local int own[64];
    int i = get_local_id(0);
    own[i] = in[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    event_t event = async_work_group_copy(out, own, 64, 0);
    int sum = own[i ^ 1];
    WAIT(1, &event);
    own[i] = sum;
    out[i] += own[i];
}
