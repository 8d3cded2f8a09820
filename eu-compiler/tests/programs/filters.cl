// Image filters: samplers of every kind, reads at integers and floats, writes.

constant sampler_t nearest_clamp = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;
constant sampler_t border = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
constant sampler_t wrap = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT | CLK_FILTER_NEAREST;

kernel void sobel(read_only image2d_t image, global uint *out)
{
    int x = get_global_id(0) % 32, y = get_global_id(0) / 32;
    int gx = 0, gy = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++) {
            int v = read_imageui(image, nearest_clamp, (int2)(x + dx, y + dy)).x & 255;
            gx += v * dx * (2 - abs(dy));
            gy += v * dy * (2 - abs(dx));
        }
    out[get_global_id(0)] = abs(gx) + abs(gy);
}

kernel void median(read_only image2d_t image, global uint *out)
{
    int x = get_global_id(0) % 32, y = get_global_id(0) / 32;
    uint v[9];
    for (int i = 0; i < 9; i++)
        v[i] = read_imageui(image, border, (int2)(x + i % 3 - 1, y + i / 3 - 1)).y;
    for (int i = 0; i < 5; i++)
        for (int j = i + 1; j < 9; j++) {
            uint a = min(v[i], v[j]), b = max(v[i], v[j]);
            v[i] = a;
            v[j] = b;
        }
    out[get_global_id(0)] = v[4];
}

kernel void wrapped(read_only image2d_t image, global uint *out)
{
    int x = get_global_id(0) % 32, y = get_global_id(0) / 32;
    float2 at = (float2)((x * 5 + 0.5f) / get_image_width(image), (y * 3 + 0.5f) / get_image_height(image));
    uint4 v = read_imageui(image, wrap, at);
    out[get_global_id(0)] = v.x ^ v.y << 8 ^ v.z << 16 ^ v.w << 24;
}

kernel void gather_rows(read_only image2d_t image, global uint *out)
{
    int x = get_global_id(0) % 32, y = get_global_id(0) / 32;
    uint4 sum = 0;
    int2 size = get_image_dim(image);
    while (x < size.x && sum.x < 500) {
        sum += read_imageui(image, (int2)(x, y));
        x += (sum.y & 1) + 1;
    }
    out[get_global_id(0)] = sum.x * 3 + sum.y * 5 + sum.z * 7 + sum.w;
}
