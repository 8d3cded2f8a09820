#version 450
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#extension GL_KHR_shader_subgroup_shuffle : require
#extension GL_KHR_shader_subgroup_vote : require
// Operations of sub-groups: eight results of each invocation.
layout(local_size_x = 64) in;
layout(binding = 0) readonly buffer In {
    uint from[];
};
layout(binding = 1) buffer Out {
    uint to[];
};

void main() {
    uint at = gl_GlobalInvocationID.x, value = from[at];
    uint place = 8 * at;
    to[place] = gl_SubgroupSize;
    to[place + 1] = gl_SubgroupInvocationID;
    to[place + 2] = subgroupAdd(value);
    to[place + 3] = subgroupInclusiveAdd(value);
    to[place + 4] = subgroupShuffleXor(value, 3);
    to[place + 5] = subgroupBallotBitCount(subgroupBallot((value & 1) != 0));
    to[place + 6] = subgroupMax(value);
    to[place + 7] = subgroupBroadcast(value, 5) + (subgroupAll(value < 1000) ? 1 : 0);
}
