#version 450
// A buffer to a texture, by stores.
layout(local_size_x = 8, local_size_y = 8) in;
layout(push_constant) uniform Push {
    uint width;
    uint height;
};
layout(binding = 0) readonly buffer In {
    uint from[];
};
layout(binding = 2, rgba8) writeonly uniform image2D image;
layout(binding = 3, r32ui) uniform uimage3D volume;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (at.x < width && at.y < height) {
        uint value = from[at.y * width + at.x];
        imageStore(image, at, unpackUnorm4x8(value));
        imageStore(volume, ivec3(at, 1), uvec4(value));
        imageAtomicAdd(volume, ivec3(at, 1), 7);
    }
}
