// Local variables that all become values: the payload has no private memory.

kernel void places(global int *out, global const int *a, global const int *b, global const int *c,
                   int add) {
    int place = get_local_id(0);
    out[get_global_id(0)] = place + add;
}
