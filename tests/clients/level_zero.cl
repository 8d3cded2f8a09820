kernel void add(global const int *a, global const int *b, global int *out) {
    size_t i = get_global_id(0);
    out[i] = a[i] + b[i];
}

kernel void shift(read_only image2d_t in, write_only image2d_t out) {
    int2 place = (int2)(get_global_id(0), get_global_id(1));
    write_imageui(out, place, read_imageui(in, place) + 1);
}
