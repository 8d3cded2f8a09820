// Variables of a program, which all its work-items share, and all its launches.

global int count;
global int numbers[256];

kernel void variable_race(global const int *in, global int *out)
{
    size_t g = get_global_id(0);
    count += in[g];
    out[g] = 0;
}

kernel void variable_neighbour(global const int *in, global int *out)
{
    size_t g = get_global_id(0);
    numbers[g] = in[g];
    out[g] = numbers[g ^ 1] + numbers[g ^ 128];
}

kernel void right_variable(global const int *in, global int *out)
{
    size_t g = get_global_id(0);
    numbers[g] = in[g];
    atomic_add((volatile global int *)&count, in[g]);
    out[g] = numbers[g];
}
