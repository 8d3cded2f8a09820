#version 450
// Push constants, specialization constants, buffers, a group's size that is chosen later.
layout(local_size_x_id = 0) in;
layout(constant_id = 1) const uint FACTOR = 1;
layout(constant_id = 2) const bool NEGATE = false;
layout(push_constant) uniform Push {
    uint add;
    uint count;
};
layout(binding = 0) readonly buffer In {
    uint from[];
};
layout(binding = 1) buffer Out {
    uint to[];
};

void main() {
    uint at = gl_GlobalInvocationID.x;
    if (at < count) {
        uint value = from[at] * FACTOR + add;
        to[at] = NEGATE ? -value : value;
    }
}
