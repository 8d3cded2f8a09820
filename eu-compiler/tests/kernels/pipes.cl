// Pipes: packets one by one, and by reservations of a work-item, a sub-group and a work-group.
#pragma OPENCL EXTENSION cl_khr_subgroups : enable

typedef struct {
    uint from;
    uchar part[10];
    ushort tail;
} packet;

packet made(uint i)
{
    packet made;
    made.from = i;
    for (int k = 0; k < 10; k++)
        made.part[k] = (uchar)(i * 3 + k);
    made.tail = (ushort)(i ^ 0x5a5a);
    return made;
}

// The number of a packet, if it is one.
uint number(packet found)
{
    packet right = made(found.from);
    bool same = found.tail == right.tail;
    for (int k = 0; k < 10; k++)
        same = same && found.part[k] == right.part[k];
    return same ? found.from : 0xdead;
}

kernel void put(write_only pipe packet to, global int *done, uint first)
{
    uint i = get_global_id(0);
    packet value = made(first + i);
    done[i] = write_pipe(to, &value);
}

kernel void take(read_only pipe packet from, global uint *out)
{
    uint i = get_global_id(0);
    packet value;
    out[i] = read_pipe(from, &value) == 0 ? number(value) : ~0u;
}

// Some work-items only, from memory that is known when it runs.
kernel void put_some(write_only pipe packet to, global int *done, uint first, global packet *all)
{
    local packet near[64];
    uint i = get_global_id(0), l = get_local_id(0);
    packet own = made(first + i);
    all[i] = own;
    near[l] = own;
    done[i] = 1;
    if (i % 3 == 0)
        return;
    packet *from = i % 4 == 1 ? (packet *)&all[i] : i % 4 == 2 ? (packet *)&near[l] : (packet *)&own;
    done[i] = write_pipe(to, from);
}

kernel void put_reserved(write_only pipe packet to, global int *done, uint first)
{
    uint i = get_global_id(0);
    done[i] = -1;
    reserve_id_t id = reserve_write_pipe(to, 3);
    if (is_valid_reserve_id(id)) {
        for (uint k = 0; k < 3; k++) {
            packet value = made(first + 3 * i + k);
            done[i] = write_pipe(to, id, 2 - k, &value);
        }
        commit_write_pipe(to, id);
    }
}

kernel void take_sub_group(read_only pipe packet from, global uint *out)
{
    uint i = get_global_id(0), lane = get_sub_group_local_id();
    out[i] = ~0u;
    reserve_id_t id = sub_group_reserve_read_pipe(from, get_sub_group_size());
    if (is_valid_reserve_id(id)) {
        packet value;
        read_pipe(from, id, get_sub_group_size() - 1 - lane, &value);
        out[i] = number(value);
        sub_group_commit_read_pipe(from, id);
    }
}

kernel void put_sub_group(write_only pipe packet to, global int *done, uint first)
{
    uint i = get_global_id(0);
    done[i] = -1;
    reserve_id_t id = sub_group_reserve_write_pipe(to, get_sub_group_size());
    if (is_valid_reserve_id(id)) {
        packet value = made(first + i);
        done[i] = write_pipe(to, id, get_sub_group_local_id(), &value);
        sub_group_commit_write_pipe(to, id);
    }
}

kernel void put_group(write_only pipe packet to, global int *done, uint first)
{
    uint i = get_global_id(0);
    done[i] = -1;
    reserve_id_t id = work_group_reserve_write_pipe(to, get_local_size(0));
    if (is_valid_reserve_id(id)) {
        packet value = made(first + i);
        done[i] = write_pipe(to, id, get_local_id(0), &value);
        work_group_commit_write_pipe(to, id);
    }
}

kernel void take_group(read_only pipe packet from, global uint *out)
{
    uint i = get_global_id(0);
    out[i] = ~0u;
    reserve_id_t id = work_group_reserve_read_pipe(from, get_local_size(0));
    if (is_valid_reserve_id(id)) {
        packet value;
        read_pipe(from, id, get_local_id(0), &value);
        out[i] = number(value);
        work_group_commit_read_pipe(from, id);
    }
}

kernel void counts(read_only pipe packet from, global uint *out)
{
    out[2 * get_global_id(0)] = get_pipe_num_packets(from);
    out[2 * get_global_id(0) + 1] = get_pipe_max_packets(from);
}
