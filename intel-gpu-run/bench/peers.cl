// What `bench softgpu` runs here and under PoCL, beside `kernels.cl`.

#if defined(cl_khr_subgroups) || defined(cl_intel_subgroups)

// The sum of each group's items, by sub-groups of whatever size.
kernel __attribute__((reqd_work_group_size(256, 1, 1)))
void sub_groups(global const int *in, global int *out)
{
    local int sums[256];
    int sum = sub_group_reduce_add(in[get_global_id(0)]);
    if (get_sub_group_local_id() == 0)
        sums[get_sub_group_id()] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0) {
        int all = 0;
        for (uint i = 0; i < get_num_sub_groups(); i++)
            all += sums[i];
        out[get_group_id(0)] = all;
    }
}

#endif

constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

// A copy of the pixels.
kernel void image_copy(read_only image2d_t from, write_only image2d_t to)
{
    int2 at = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(to, at, read_imageui(from, nearest, at));
}

// The rounds until the Collatz sequence of each item comes to 1. Each item's loop has its own number of
// rounds, and each round its own branch.
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void collatz(global uint *out)
{
    ulong value = get_global_id(0) + 1;
    uint rounds = 0;
    while (value != 1) {
        value = value % 2 ? 3 * value + 1 : value / 2;
        rounds++;
    }
    out[get_global_id(0)] = rounds;
}

// How often a word stands in each item's part of a text of three letters.
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void search(global const uint *text, global uint *out)
{
    const uint word[5] = {0, 1, 2, 0, 1};
    uint first = get_global_id(0) * 16, count = 0;
    for (uint place = first; place < first + 16; place++) {
        uint length = 0;
        while (length < 5 && (text[place + length] * 2654435761u >> 16) % 3 == word[length])
            length++;
        count += length == 5;
    }
    out[get_global_id(0)] = count;
}

// Sorts 32 numbers of each item by insertion, in private memory; their sum weighed by their places.
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void sort(global uint *out)
{
    uint numbers[32], state = get_global_id(0) * 2654435761u + 1;
    for (int i = 0; i < 32; i++) {
        state = state * 1664525u + 1013904223u;
        numbers[i] = state >> 8;
    }
    for (int i = 1; i < 32; i++) {
        uint number = numbers[i];
        int j = i - 1;
        for (; j >= 0 && numbers[j] > number; j--)
            numbers[j + 1] = numbers[j];
        numbers[j + 1] = number;
    }
    uint sum = 0;
    for (int i = 0; i < 32; i++)
        sum = sum * 31 + numbers[i];
    out[get_global_id(0)] = sum;
}
