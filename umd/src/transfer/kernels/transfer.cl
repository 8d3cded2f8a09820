// Copies and fills of buffers and images: what a queue runs for its transfer commands.
// build.sh compiles this for every family.

// Sixteen bytes of a row, on a grid that begins `skip` bytes before the row.
#define CHUNK 16

// A texel in a row has 1, 2, 4, 8 or 16 bytes and lies anywhere.
static uint4 load_texel(global const uchar *from, uint bytes)
{
    if (((ulong)from & 3) == 0 && bytes >= 4) {
        global const uint *words = (global const uint *)from;
        uint4 texel = (uint4)(words[0], 0, 0, 0);
        if (bytes >= 8)
            texel.y = words[1];
        if (bytes == 16)
            texel.zw = (uint2)(words[2], words[3]);
        return texel;
    }
    uint word[4] = {0, 0, 0, 0};
    for (uint i = 0; i < bytes; i++)
        word[i / 4] |= (uint)from[i] << (i % 4 * 8);
    return (uint4)(word[0], word[1], word[2], word[3]);
}

static void store_texel(global uchar *to, uint4 texel, uint bytes)
{
    if (((ulong)to & 3) == 0 && bytes >= 4) {
        global uint *words = (global uint *)to;
        words[0] = texel.x;
        if (bytes >= 8)
            words[1] = texel.y;
        if (bytes == 16) {
            words[2] = texel.z;
            words[3] = texel.w;
        }
        return;
    }
    uint word[4] = {texel.x, texel.y, texel.z, texel.w};
    for (uint i = 0; i < bytes; i++)
        to[i] = (uchar)(word[i / 4] >> (i % 4 * 8));
}

// Rows of `width` bytes; an item copies a chunk of one.
kernel void copy_rows(global uchar *to, global const uchar *from, ulong to_row, ulong to_slice,
                      ulong from_row, ulong from_slice, ulong width, uint skip)
{
    ulong begin = get_global_id(0) * CHUNK;
    ulong end = min(begin + CHUNK - skip, width);
    begin = begin < skip ? 0 : begin - skip;
    to += get_global_id(2) * to_slice + get_global_id(1) * to_row + begin;
    from += get_global_id(2) * from_slice + get_global_id(1) * from_row + begin;
    uint count = (uint)(end - begin);
    if (count == CHUNK && (((ulong)to | (ulong)from) & 3) == 0)
        *(global uint4 *)to = *(global const uint4 *)from;
    else
        for (uint i = 0; i < count; i++)
            to[i] = from[i];
}

// A pattern of eight chunks, again and again in each row, on the same grid.
kernel void fill(global uchar *to, ulong to_row, ulong to_slice, ulong width, uint skip,
                 uint16 low, uint16 high)
{
    ulong begin = get_global_id(0) * CHUNK;
    uint number = (uint)get_global_id(0) & 7;
    uint8 eight = number & 4 ? (number & 2 ? high.hi : high.lo) : (number & 2 ? low.hi : low.lo);
    uint4 chunk = number & 1 ? eight.hi : eight.lo;
    ulong end = min(begin + CHUNK - skip, width);
    uint first = begin < skip ? skip : 0;
    begin = begin < skip ? 0 : begin - skip;
    to += get_global_id(2) * to_slice + get_global_id(1) * to_row + begin;
    uint count = (uint)(end - begin);
    if (count == CHUNK && ((ulong)to & 3) == 0) {
        *(global uint4 *)to = chunk;
    } else {
        uint word[4] = {chunk.x, chunk.y, chunk.z, chunk.w};
        for (uint i = 0; i < count; i++)
            to[i] = (uchar)(word[(first + i) / 4] >> ((first + i) % 4 * 8));
    }
}

#ifndef NO_IMAGES
// Images come as arrays of two-dimensional images of unsigned integers, so that no texel is
// converted; the origin's fourth number is not used.

static int4 texel_at(int4 origin)
{
    return origin + (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);
}

kernel void image_to_rows(read_only image2d_array_t from, int4 origin, global uchar *to,
                          ulong to_row, ulong to_slice, uint bytes)
{
    to += get_global_id(2) * to_slice + get_global_id(1) * to_row + get_global_id(0) * bytes;
    store_texel(to, read_imageui(from, texel_at(origin)), bytes);
}

kernel void rows_to_image(write_only image2d_array_t to, int4 origin, global const uchar *from,
                          ulong from_row, ulong from_slice, uint bytes)
{
    from += get_global_id(2) * from_slice + get_global_id(1) * from_row + get_global_id(0) * bytes;
    write_imageui(to, texel_at(origin), load_texel(from, bytes));
}

kernel void copy_image(read_only image2d_array_t from, int4 from_origin,
                       write_only image2d_array_t to, int4 to_origin)
{
    write_imageui(to, texel_at(to_origin), read_imageui(from, texel_at(from_origin)));
}

kernel void fill_image(write_only image2d_array_t to, int4 origin, uint4 texel)
{
    write_imageui(to, texel_at(origin), texel);
}
#endif
