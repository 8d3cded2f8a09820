// Texels and blocks of images: what lies beyond an image where the text leaves open what comes of it.

__attribute__((intel_reqd_sub_group_size(16)))
kernel void read_bytes(read_only image2d_t image, global uint *out, int x, int y)
{
    out[get_global_id(0)] = intel_sub_group_block_read_uc(image, (int2)(x, y));
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void read_words(read_only image2d_t image, global uint *out, int x, int y)
{
    ushort2 rows = intel_sub_group_block_read_us2(image, (int2)(x, y));
    out[get_global_id(0)] = rows.x + rows.y;
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void read_dwords(read_only image2d_t image, global uint *out, int x, int y)
{
    out[get_global_id(0)] = intel_sub_group_block_read(image, (int2)(x, y));
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void write_bytes(write_only image2d_t image, global uint *out, int x, int y)
{
    intel_sub_group_block_write_uc(image, (int2)(x, y), (uchar)get_global_id(0));
    out[get_global_id(0)] = 0;
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void write_words(write_only image2d_t image, global uint *out, int x, int y)
{
    intel_sub_group_block_write_us2(image, (int2)(x, y), (ushort2)(get_global_id(0)));
    out[get_global_id(0)] = 0;
}

__attribute__((intel_reqd_sub_group_size(16)))
kernel void write_dwords(write_only image2d_t image, global uint *out, int x, int y)
{
    intel_sub_group_block_write(image, (int2)(x, y), (uint)get_global_id(0));
    out[get_global_id(0)] = 0;
}

constant sampler_t none = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;
constant sampler_t edge = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t normalized_none = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

uint read_by(read_only image2d_t image, sampler_t sampler, int2 place)
{
    return read_imageui(image, sampler, place).x;
}

uint read_twice(read_only image2d_t image, sampler_t sampler, int2 place)
{
    return read_by(image, sampler, place) + read_by(image, sampler, place / 2);
}

kernel void by_helper(read_only image2d_t image, global uint *out, int x, int y)
{
    out[get_global_id(0)] = read_twice(image, none, (int2)(x, y));
}

uint read_by_any(read_only image2d_t image, sampler_t sampler, int2 place)
{
    return read_imageui(image, sampler, place).x;
}

// The helper has samplers of both kinds, of which nothing is known.
kernel void right_by_helper(read_only image2d_t image, global uint *out, int x, int y)
{
    out[get_global_id(0)] = read_by_any(image, edge, (int2)(x, y)) + read_by_any(image, none, (int2)(0, 0));
}

kernel void normalized(read_only image2d_t image, global uint *out, int x, int y)
{
    float2 place = (convert_float2((int2)(x, y)) + 0.5f) / convert_float2(get_image_dim(image));
    out[get_global_id(0)] = read_imageui(image, normalized_none, place).x;
}

uint read_at(read_only image2d_t image, int x, int y)
{
    return read_imageui(image, none, (int2)(x, y)).x;
}

kernel void around(read_only image2d_t image, global uint *out, int x, int y)
{
    uint sum = 0;
    for (int i = -1; i <= 1; i++)
        for (int j = -1; j <= 1; j++)
            sum += read_at(image, x + i, y + j);
    out[get_global_id(0)] = sum;
}

// A fence orders what a work-item does itself, and not what its neighbour does.
kernel void beside(read_write image2d_t image, global uint *out, int distance, int unused)
{
    int x = get_global_id(0);
    uint before = read_imageui(image, (int2)(x, 0)).x;
    write_imageui(image, (int2)(x, 0), (uint4)(before + 1));
    atomic_work_item_fence(CLK_IMAGE_MEM_FENCE, memory_order_acq_rel, memory_scope_work_item);
    out[x] = read_imageui(image, (int2)(x ^ distance, 0)).x;
}
