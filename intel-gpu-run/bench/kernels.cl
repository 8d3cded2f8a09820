// What `bench softgpu` runs here and under Oclgrind.

#define TILE 16

// c = a * b, square matrices of `size` rows, by tiles in local memory.
kernel __attribute__((reqd_work_group_size(TILE, TILE, 1)))
void matmul(global const float *a, global const float *b, global float *c, int size)
{
    local float left[TILE][TILE], right[TILE][TILE];
    int x = get_local_id(0), y = get_local_id(1);
    int column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int tile = 0; tile < size; tile += TILE) {
        left[y][x] = a[row * size + tile + x];
        right[y][x] = b[(tile + y) * size + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < TILE; k++)
            sum += left[y][k] * right[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * size + column] = sum;
}

// How long the points of a grid stay bounded, from (-2, -1.5) on. Products are rounded, so that the
// counts are the same wherever the kernel runs.
kernel void mandelbrot(global int *out, int width, float step, int max_iterations)
{
#pragma OPENCL FP_CONTRACT OFF
    int column = get_global_id(0), row = get_global_id(1);
    float cx = (float)column * step - 2.0f;
    float cy = (float)row * step - 1.5f;
    float x = 0.0f, y = 0.0f;
    int i = 0;
    while (i < max_iterations && x * x + y * y <= 4.0f) {
        float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        i++;
    }
    out[row * width + column] = i;
}

// The sum of each group's items, by a tree in local memory.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void reduce(global const int *in, global int *out)
{
    local int sums[256];
    int item = get_local_id(0);
    sums[item] = in[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int reach = 128; reach > 0; reach /= 2) {
        if (item < reach)
            sums[item] += sums[item + reach];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        out[get_group_id(0)] = sums[0];
}

// c = a + b.
kernel void vadd(global const float *a, global const float *b, global float *c)
{
    size_t i = get_global_id(0);
    c[i] = a[i] + b[i];
}
