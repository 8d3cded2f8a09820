#version 450
// A texture to a buffer: by fetches, by a linear sampler in the middle of four texels, by loads.
layout(local_size_x = 8, local_size_y = 8) in;
layout(push_constant) uniform Push {
    uint width;
    uint height;
};
layout(binding = 1) buffer Out {
    uint to[];
};
layout(binding = 3, r32ui) uniform uimage3D volume;
layout(binding = 4) uniform sampler2D image;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (at.x < width && at.y < height) {
        uint place = 3 * (at.y * width + at.x);
        to[place] = packUnorm4x8(texelFetch(image, at, 0));
        vec2 corner = vec2(at + 1) / vec2(width, height);
        to[place + 1] = packUnorm4x8(textureLod(image, corner, 0.0));
        to[place + 2] = imageLoad(volume, ivec3(at, 1)).x;
    }
}
