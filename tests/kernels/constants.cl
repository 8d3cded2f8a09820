// Program-scope constants and variables, pointers between them, constant arguments.

constant int fibonacci[] = {1, 2, 3, 5, 8, 13, 21, 34};
constant float weights[64] = {1.5f, 2.5f};
constant int *constant shifted = fibonacci + 2;
constant short4 table[3] = {(short4)(1, 2, 3, 4), (short4)(-1, -2, -3, -4), (short4)(100)};

global int counter = 7;
global int *counter_pointer = &counter;
global float history[128];

kernel void read_constants(global int *out, constant int *c)
{
    uint i = get_global_id(0);
    out[i] = fibonacci[i & 7] + c[i] + (int)weights[i & 63] + *shifted + shifted[i & 3] +
             table[i % 3].z;
}

kernel void read_variables(global int *out)
{
    uint i = get_global_id(0);
    out[i] = counter + *counter_pointer + (int)history[i & 127];
}

kernel void write_variables(int value)
{
    uint i = get_global_id(0);
    if (i == 0)
        *counter_pointer = value;
    history[i & 127] = (float)(value + (int)i);
}
