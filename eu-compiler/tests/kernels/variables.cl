// Without optimization, arguments are in variables: images and samplers, too.
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

uint4 texel(read_only image2d_t image, sampler_t by, int2 at)
{
    return read_imageui(image, by, at);
}

kernel void copied(read_only image2d_t from, global uint4 *out, write_only image2d_t to, sampler_t by)
{
    int2 at = (int2)(get_global_id(0) % 32, get_global_id(0) / 32);
    uint4 found = texel(from, by, at) + texel(from, nearest, at + 1);
    write_imageui(to, at, read_imageui(from, at).wzyx);
    out[get_global_id(0)] = found + (uint)get_image_width(to);
}
