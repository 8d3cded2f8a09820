// Images: reads, writes, samplers, queries; 1-D, 2-D, 3-D, arrays and buffers.
// not for: pvc pvc-newer

kernel void copy_ui(read_only image2d_t in, write_only image2d_t out)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(out, p, read_imageui(in, p));
}

kernel void copy_i(read_only image2d_t in, write_only image2d_t out)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagei(out, p, read_imagei(in, p).yxwz);
}

kernel void copy_f(read_only image2d_t in, write_only image2d_t out)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imagef(out, p, read_imagef(in, p));
}

kernel void read_f(read_only image2d_t in, global float4 *out)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    out[p.y * get_global_size(0) + p.x] = read_imagef(in, p);
}

kernel void read_i(read_only image2d_t in, global int4 *out)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    out[p.y * get_global_size(0) + p.x] = read_imagei(in, p);
}

kernel void read_ui(read_only image2d_t in, global uint4 *out)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    out[p.y * get_global_size(0) + p.x] = read_imageui(in, p);
}

// Coordinates come from a buffer, so that any place can be sampled.
kernel void sample(read_only image2d_t in, sampler_t sampler, global const float2 *at,
                   global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(in, sampler, at[i]);
}

kernel void sample_int(read_only image2d_t in, sampler_t sampler, global const int2 *at,
                       global uint4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imageui(in, sampler, at[i]);
}

constant sampler_t inside = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP | CLK_FILTER_LINEAR;

kernel void inline_sampler(read_only image2d_t in, global const float2 *at, global float4 *out)
{
    int i = get_global_id(0);
    out[i] = read_imagef(in, inside, at[i]);
}

kernel void volume(read_only image3d_t in, sampler_t sampler, global const float4 *at,
                   global float4 *out, global uint4 *texels)
{
    int i = get_global_id(0);
    out[i] = read_imagef(in, sampler, at[i]);
    int4 d = (int4)(get_image_width(in), get_image_height(in), get_image_depth(in), 1);
    int4 p = (int4)(i % d.x, i / d.x % d.y, i / d.x / d.y % d.z, 0);
    texels[i] = as_uint4(read_imagef(in, p));
}

kernel void layers(read_only image2d_array_t in, write_only image2d_array_t out, int add)
{
    int4 p = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
    write_imageui(out, p, read_imageui(in, p) + (uint)add);
}

kernel void line(read_only image1d_t in, write_only image1d_t out)
{
    int x = get_global_id(0);
    write_imageui(out, x, read_imageui(in, (int)get_global_size(0) - 1 - x));
}

kernel void lines(read_only image1d_array_t in, write_only image1d_array_t out)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(out, p, read_imageui(in, p) * 3u);
}

kernel void texel_buffer(read_only image1d_buffer_t in, write_only image1d_buffer_t out)
{
    int x = get_global_id(0);
    write_imagef(out, x, read_imagef(in, x) * 0.5f);
}

kernel void in_place(read_write image2d_t image)
{
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    uint4 v = read_imageui(image, p);
    write_imageui(image, p, v * 2u + (uint4)(p.x, p.y, 1, 2));
}

kernel void queries(read_only image2d_t a, read_only image3d_t b, read_only image2d_array_t c,
                    read_only image1d_t d, global int *out)
{
    out[0] = get_image_width(a);
    out[1] = get_image_height(a);
    out[2] = get_image_channel_order(a);
    out[3] = get_image_channel_data_type(a);
    out[4] = get_image_dim(a).x * 1000 + get_image_dim(a).y;
    out[5] = get_image_width(b);
    out[6] = get_image_height(b);
    out[7] = get_image_depth(b);
    out[8] = get_image_width(c);
    out[9] = (int)get_image_array_size(c);
    out[10] = get_image_width(d);
    out[11] = get_image_channel_order(b);
}

// A box filter, as a picture is usually processed.
kernel void blur(read_only image2d_t in, write_only image2d_t out, int radius)
{
    const sampler_t edge =
        CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
    int2 p = (int2)(get_global_id(0), get_global_id(1));
    float4 sum = 0.0f;
    for (int y = -radius; y <= radius; y++)
        for (int x = -radius; x <= radius; x++)
            sum += read_imagef(in, edge, p + (int2)(x, y));
    write_imagef(out, p, sum / (float)((2 * radius + 1) * (2 * radius + 1)));
}
