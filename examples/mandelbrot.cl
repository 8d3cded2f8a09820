// The Mandelbrot set in smooth colours, one work-item a pixel.
//
// out         width * height pixels, bytes r g b a
// width       pixels in a row
// height      rows
// max_iterations  points that stay bounded for so many steps are black
// centre      the point of the complex plane in the middle of the picture
// view        the height of the picture in the complex plane

// Iterations without the logarithm's integer part: a continuous measure of how fast the point
// leaves.
static float escape_time(float2 c, int max_iterations)
{
    float2 z = 0.0f;
    float2 square = 0.0f;
    int i = 0;
    // 2^8 instead of 2 as the bail-out radius keeps the colour bands smooth.
    while (i < max_iterations && square.x + square.y < 65536.0f) {
        z = (float2)(square.x - square.y + c.x, 2.0f * z.x * z.y + c.y);
        square = z * z;
        i++;
    }
    if (i >= max_iterations)
        return -1.0f;
    return (float)i + 1.0f - native_log2(0.5f * native_log2(square.x + square.y));
}

// A palette that goes round: three cosines, out of step.
static float3 palette(float t)
{
    const float3 phase = (float3)(0.0f, 0.11f, 0.24f);
    return 0.5f - 0.5f * native_cos(6.2831853f * (t + phase));
}

kernel void mandelbrot(global uchar4 *out, int width, int height, int max_iterations,
                       float2 centre, float view)
{
    int x = get_global_id(0);
    int y = get_global_id(1);
    if (x >= width || y >= height)
        return;

    float step = view / (float)height;
    float2 c = centre + step * (float2)((float)(2 * x - width + 1), (float)(height - 1 - 2 * y)) * 0.5f;
    float t = escape_time(c, max_iterations);
    float3 colour = t < 0.0f ? (float3)(0.0f) : palette(0.02f * t + 0.05f);
    out[y * width + x] = (uchar4)(convert_uchar3_sat(colour * 255.0f + 0.5f), 255);
}
