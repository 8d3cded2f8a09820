#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// A list of nodes, by addresses.
layout(local_size_x = 1) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node;
layout(buffer_reference) buffer Node {
    uint64_t next;
    uint value;
};
layout(push_constant) uniform Push {
    uint64_t first;
};
layout(binding = 0) readonly buffer In {
    uint unused[];
};
layout(binding = 1) buffer Out {
    uint to[];
};

void main() {
    uint sum = 0;
    for (uint64_t at = first; at != 0;) {
        Node node = Node(at);
        sum = sum * 3 + node.value;
        node.value = sum;
        at = node.next;
    }
    to[0] = sum;
}
