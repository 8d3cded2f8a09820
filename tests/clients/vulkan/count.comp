#version 450
// How many work-groups there are, in each dimension.
layout(local_size_x = 8, local_size_y = 4) in;
layout(binding = 0) readonly buffer In {
    uint unused[];
};
layout(binding = 1) buffer Out {
    uint seen[];
};

void main() {
    atomicAdd(seen[gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x], 1);
    if (gl_GlobalInvocationID == uvec3(0))
        seen[63] = gl_NumWorkGroups.x * 100 + gl_NumWorkGroups.y * 10 + gl_NumWorkGroups.z;
}
