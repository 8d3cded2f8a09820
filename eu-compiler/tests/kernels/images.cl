// Images and samplers.

// Texels of every kind of image at integer coordinates, each doubled into another image.
kernel void kinds(read_only image1d_t a, read_only image1d_array_t b, read_only image1d_buffer_t c,
                  read_only image2d_t d, read_only image2d_array_t e, read_only image3d_t f,
                  write_only image1d_t ta, write_only image1d_array_t tb,
                  write_only image1d_buffer_t tc, write_only image2d_t td,
                  write_only image2d_array_t te, write_only image3d_t tf) {
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int2 xy = (int2)(x, y);
    int4 xyz = (int4)(x, y, z, 0);
    if (x % 3 != 1) {
        if (y == 0 && z == 0) {
            write_imageui(ta, x, read_imageui(a, x) * 2u);
            write_imageui(tc, x, read_imageui(c, x) * 2u);
        }
        if (z == 0) {
            write_imageui(tb, xy, read_imageui(b, xy) * 2u);
            write_imageui(td, xy, read_imageui(d, xy) * 2u);
        }
        write_imageui(te, xyz, read_imageui(e, xyz) * 2u);
        write_imageui(tf, xyz, read_imageui(f, xyz) * 2u);
    }
}

kernel void queries(read_only image1d_array_t b, read_only image1d_buffer_t c,
                    write_only image2d_t d, read_only image2d_array_t e, read_only image3d_t f,
                    global uint *out) {
    if (get_global_id(0) == 0) {
        out[0] = get_image_width(b);
        out[1] = get_image_array_size(b);
        out[2] = get_image_width(c);
        out[3] = get_image_width(d);
        out[4] = get_image_height(d);
        out[5] = get_image_channel_order(d);
        out[6] = get_image_channel_data_type(d);
        out[7] = get_image_width(e);
        out[8] = get_image_height(e);
        out[9] = get_image_array_size(e);
        out[10] = get_image_width(f);
        out[11] = get_image_height(f);
        out[12] = get_image_depth(f);
        out[13] = get_image_dim(d).y;
    }
}

constant sampler_t EDGE = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t BORDER = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;

kernel void samples(read_only image2d_t in, read_only image3d_t volume, read_only image2d_array_t layers,
                    sampler_t given, global float4 *out, float2 step, float2 from) {
    int x = get_global_id(0), y = get_global_id(1);
    global float4 *to = out + 6 * (y * get_global_size(0) + x);
    float2 at = (float2)(x, y) * step + from;
    to[0] = read_imagef(in, given, at);
    to[1] = read_imagef(in, BORDER, (int2)(x - 1, y - 2));
    to[2] = read_imagef(in, EDGE, ((float2)(x, y) + 0.5f) / convert_float2(get_image_dim(in)));
    to[3] = read_imagef(in, (int2)(x & 7, y & 7));
    to[4] = read_imagef(volume, BORDER, (int4)(x, y, 1, 0));
    to[5] = read_imagef(layers, BORDER, (float4)(x + 0.5f, y - 0.25f, 1.2f, 0));
}

// Each lane reads what the one beside it wrote.
kernel void both_ways(read_write image2d_t image) {
    int x = get_global_id(0), y = get_group_id(1);
    float4 old = read_imagef(image, (int2)(x, y));
    write_imagef(image, (int2)(x, y), old * 2.0f);
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    float4 other = read_imagef(image, (int2)(get_group_id(0) * get_local_size(0) + (get_local_id(0) ^ 1), y));
    work_group_barrier(CLK_IMAGE_MEM_FENCE);
    write_imagef(image, (int2)(x, y), other + old);
}
