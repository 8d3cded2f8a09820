// Pointers into the middle of an allocation, and offsets of both signs.

kernel void middle(global char *out, global const char *in, int back) {
    size_t i = get_global_id(0);
    int at = (int)i;
    out[2 * i] = in[i] + 1;
    out[2 * i + 1] = in[at - back];
}
