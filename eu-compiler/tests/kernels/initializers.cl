// A block without captures: a variable that begins with a cast of null.
kernel void blocks(global uint *out) {
    uint id = get_global_id(0);
    uint (^line)(uint) = ^(uint x) {
      return x * 2 + 3;
    };
    out[id] = line(id);
}
