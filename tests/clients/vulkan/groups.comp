#version 450
// Shared memory, barriers and atomics; a group's sum, and how many work-groups an indirect dispatch has.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In {
    uint from[];
};
layout(binding = 1) buffer Out {
    uint total;
    uint greatest;
    uint groups[3];
    uint sums[];
};
shared uint part[64];

void main() {
    uint at = gl_LocalInvocationID.x;
    uint value = from[gl_GlobalInvocationID.x];
    part[at] = value;
    barrier();
    for (uint step = 32; step > 0; step /= 2) {
        if (at < step)
            part[at] += part[at + step];
        barrier();
    }
    atomicMax(greatest, value);
    if (at == 0) {
        sums[gl_WorkGroupID.x] = part[0];
        atomicAdd(total, part[0]);
        if (gl_WorkGroupID.x == 0) {
            groups[0] = 3;
            groups[1] = 2;
            groups[2] = 1;
        }
    }
}
