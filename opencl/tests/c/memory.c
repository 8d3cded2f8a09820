/* Buffers: parts, copies, rectangles, fills, maps, and what is refused. */
#include "check.h"

enum { SIZE = 4096 };

static cl_context context;
static cl_command_queue queue;

static void fill_with_numbers(cl_mem buffer) {
    static unsigned char bytes[SIZE];
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (unsigned char)(i * 7 + i / 256);
    DONE(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, SIZE, bytes, 0, NULL, NULL));
}

static unsigned char number(int i) {
    return (unsigned char)(i * 7 + i / 256);
}

static void parts(void) {
    cl_mem whole = buffer_of(context, CL_MEM_READ_WRITE, SIZE, NULL);
    cl_buffer_region region = {128, 256};
    cl_mem part = clCreateSubBuffer(whole, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    DONE(error);
    fill_with_numbers(whole);
    unsigned char got[256];
    DONE(clEnqueueReadBuffer(queue, part, CL_TRUE, 0, 256, got, 0, NULL, NULL));
    for (int i = 0; i < 256; i++)
        IS(got[i] == number(128 + i));
    cl_mem associated;
    size_t offset;
    DONE(clGetMemObjectInfo(part, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof associated, &associated, NULL));
    DONE(clGetMemObjectInfo(part, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
    IS(associated == whole && offset == 128);

    cl_buffer_region odd = {100, 64}, empty = {128, 0}, beyond = {SIZE - 128, 256};
    struct { cl_mem of; cl_mem_flags flags; cl_buffer_region *region; cl_int code; } bad[] = {
        {whole, 0, &odd, CL_MISALIGNED_SUB_BUFFER_OFFSET},
        {whole, 0, &empty, CL_INVALID_BUFFER_SIZE},
        {whole, 0, &beyond, CL_INVALID_VALUE},
        {whole, 0, NULL, CL_INVALID_VALUE},
        {whole, CL_MEM_USE_HOST_PTR, &region, CL_INVALID_VALUE},
        {part, 0, &region, CL_INVALID_MEM_OBJECT},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        IS(!clCreateSubBuffer(bad[i].of, bad[i].flags, CL_BUFFER_CREATE_TYPE_REGION, bad[i].region,
                              &error));
        GIVES(bad[i].code, error);
    }
    cl_mem read_only = buffer_of(context, CL_MEM_READ_ONLY, SIZE, NULL);
    IS(!clCreateSubBuffer(read_only, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region,
                          &error));
    GIVES(CL_INVALID_VALUE, error);
    cl_mem narrow = clCreateSubBuffer(read_only, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    DONE(error);
    cl_mem_flags flags;
    DONE(clGetMemObjectInfo(narrow, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    IS(flags == CL_MEM_READ_ONLY);
    /* The part keeps the whole. */
    DONE(clReleaseMemObject(read_only));
    DONE(clEnqueueReadBuffer(queue, narrow, CL_TRUE, 0, 256, got, 0, NULL, NULL));
    DONE(clReleaseMemObject(narrow));
    DONE(clReleaseMemObject(part));
    DONE(clReleaseMemObject(whole));
}

static void copies(void) {
    cl_mem a = buffer_of(context, CL_MEM_READ_WRITE, SIZE, NULL);
    cl_mem b = buffer_of(context, CL_MEM_READ_WRITE, SIZE, NULL);
    fill_with_numbers(a);
    cl_uint zero = 0;
    DONE(clEnqueueFillBuffer(queue, b, &zero, 4, 0, SIZE, 0, NULL, NULL));
    DONE(clEnqueueCopyBuffer(queue, a, b, 5, 1001, 999, 0, NULL, NULL));
    static unsigned char got[SIZE];
    DONE(clEnqueueReadBuffer(queue, b, CL_TRUE, 0, SIZE, got, 0, NULL, NULL));
    for (int i = 0; i < SIZE; i++)
        if (got[i] != (i >= 1001 && i < 2000 ? number(i - 1001 + 5) : 0))
            FAIL("byte %d is %d", i, got[i]);
    GIVES(CL_MEM_COPY_OVERLAP, clEnqueueCopyBuffer(queue, a, a, 0, 100, 101, 0, NULL, NULL));
    DONE(clEnqueueCopyBuffer(queue, a, a, 0, 100, 100, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueCopyBuffer(queue, a, b, 1, 0, SIZE, 0, NULL, NULL));

    /* 3 slices of 4 rows of 10 bytes: at pitch 64 and 1024 in the buffer, packed in the host. */
    fill_with_numbers(a);
    size_t at[] = {3, 2, 1}, origin[] = {0, 0, 0}, region[] = {10, 4, 3};
    unsigned char box[120];
    DONE(clEnqueueReadBufferRect(queue, a, CL_TRUE, at, origin, region, 64, 1024, 0, 0, box, 0, NULL,
                                 NULL));
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 4; y++)
            for (int x = 0; x < 10; x++)
                IS(box[z * 40 + y * 10 + x] == number((z + 1) * 1024 + (y + 2) * 64 + x + 3));
    DONE(clEnqueueFillBuffer(queue, b, &zero, 1, 0, SIZE, 0, NULL, NULL));
    DONE(clEnqueueWriteBufferRect(queue, b, CL_TRUE, at, origin, region, 64, 1024, 10, 40, box, 0,
                                  NULL, NULL));
    DONE(clEnqueueCopyBufferRect(queue, b, a, at, origin, region, 64, 1024, 16, 256, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, SIZE, got, 0, NULL, NULL));
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 4; y++)
            IS(!memcmp(got + z * 256 + y * 16, box + z * 40 + y * 10, 10));
    GIVES(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, a, CL_TRUE, at, origin, region, 9, 0, 0, 0,
                                                    box, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, a, CL_TRUE, at, origin, region, 64, 1030,
                                                    0, 0, box, 0, NULL, NULL));
    size_t far[] = {0, 0, 3};
    GIVES(CL_INVALID_VALUE, clEnqueueReadBufferRect(queue, a, CL_TRUE, far, origin, region, 64, 1024,
                                                    0, 0, box, 0, NULL, NULL));
    size_t near[] = {4, 2, 1};
    GIVES(CL_MEM_COPY_OVERLAP, clEnqueueCopyBufferRect(queue, a, a, at, near, region, 64, 1024, 64,
                                                       1024, 0, NULL, NULL));

    for (size_t size = 1; size <= 128; size *= 2) {
        unsigned char pattern[128];
        for (size_t i = 0; i < size; i++)
            pattern[i] = (unsigned char)(i + size);
        DONE(clEnqueueFillBuffer(queue, a, pattern, size, 128, 512, 0, NULL, NULL));
        DONE(clEnqueueReadBuffer(queue, a, CL_TRUE, 128, 512, got, 0, NULL, NULL));
        for (size_t i = 0; i < 512; i++)
            IS(got[i] == pattern[i % size]);
    }
    GIVES(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, a, &zero, 3, 0, 3, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, a, &zero, 4, 2, 4, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, a, NULL, 4, 0, 4, 0, NULL, NULL));
    DONE(clReleaseMemObject(a));
    DONE(clReleaseMemObject(b));
}

static void maps(void) {
    static cl_uint host[SIZE / 4] __attribute__((aligned(4096)));
    cl_mem kinds[] = {
        buffer_of(context, CL_MEM_READ_WRITE, SIZE, NULL),
        buffer_of(context, CL_MEM_ALLOC_HOST_PTR, SIZE, NULL),
        buffer_of(context, CL_MEM_USE_HOST_PTR, SIZE, host),
    };
    for (int k = 0; k < 3; k++) {
        cl_uint one = 1;
        DONE(clEnqueueFillBuffer(queue, kinds[k], &one, 4, 0, SIZE, 0, NULL, NULL));
        cl_uint *map = clEnqueueMapBuffer(queue, kinds[k], CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 64,
                                          256, 0, NULL, NULL, &error);
        DONE(error);
        IS(k != 2 || map == host + 16);
        for (int i = 0; i < 64; i++) {
            IS(map[i] == 1);
            map[i] = i;
        }
        cl_uint count;
        DONE(clGetMemObjectInfo(kinds[k], CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
        IS(count == 1);
        DONE(clEnqueueUnmapMemObject(queue, kinds[k], map, 0, NULL, NULL));
        GIVES(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, kinds[k], map, 0, NULL, NULL));
        cl_uint got[64];
        DONE(clEnqueueReadBuffer(queue, kinds[k], CL_TRUE, 64, 256, got, 0, NULL, NULL));
        for (cl_uint i = 0; i < 64; i++)
            IS(got[i] == i);
        IS(!clEnqueueMapBuffer(queue, kinds[k], CL_TRUE, CL_MAP_READ, SIZE, 4, 0, NULL, NULL, &error));
        GIVES(CL_INVALID_VALUE, error);
        DONE(clReleaseMemObject(kinds[k]));
    }
    cl_mem hidden = buffer_of(context, CL_MEM_HOST_NO_ACCESS, SIZE, NULL);
    IS(!clEnqueueMapBuffer(queue, hidden, CL_TRUE, CL_MAP_READ, 0, 4, 0, NULL, NULL, &error));
    GIVES(CL_INVALID_OPERATION, error);
    GIVES(CL_INVALID_OPERATION, clEnqueueReadBuffer(queue, hidden, CL_TRUE, 0, 4, host, 0, NULL, NULL));
    DONE(clEnqueueMigrateMemObjects(queue, 1, &hidden, 0, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 0, NULL, 0, 0, NULL, NULL));
    DONE(clReleaseMemObject(hidden));
}

/* Reads and writes whose memory is the buffer's own. */
static void own_memory(void) {
    static unsigned char host[SIZE] __attribute__((aligned(4096)));
    cl_mem buffer = buffer_of(context, CL_MEM_USE_HOST_PTR, SIZE, host);
    fill_with_numbers(buffer);
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, SIZE, host, 0, NULL, NULL));
    DONE(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, SIZE, host, 0, NULL, NULL));
    for (int i = 0; i < SIZE; i++)
        IS(host[i] == number(i));
    /* Moved by one byte, up and down. */
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, SIZE - 1, host + 1, 0, NULL, NULL));
    for (int i = 1; i < SIZE; i++)
        IS(host[i] == number(i - 1));
    DONE(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, SIZE - 1, host + 1, 0, NULL, NULL));
    for (int i = 0; i < SIZE - 1; i++)
        IS(host[i] == number(i));
    size_t from[] = {0, 0, 0}, to[] = {16, 0, 0}, region[] = {32, 8, 1};
    DONE(clEnqueueReadBufferRect(queue, buffer, CL_TRUE, from, to, region, 64, 0, 64, 0, host, 0,
                                 NULL, NULL));
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 32; x++)
            IS(host[64 * y + x + 16] == number(64 * y + x));
    DONE(clReleaseMemObject(buffer));
}

/* Memory of the program's that begins and ends at any byte: kernels see it, and maps bring it back. */
static void any_byte(void) {
    static cl_program program;
    static unsigned char host[256];
    if (!program)
        program = built(context, "kernel void add(global uchar *p) { p[get_global_id(0)] += 3; }", "");
    cl_kernel add = kernel_of(program, "add");
    for (int start = 64; start < 69; start++)
        for (size_t size = 1; size < 10; size += 4) {
            memset(host, 1, sizeof host);
            cl_mem buffer = buffer_of(context, CL_MEM_USE_HOST_PTR, size, host + start);
            DONE(clSetKernelArg(add, 0, sizeof buffer, &buffer));
            DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &size, NULL, 0, NULL, NULL));
            unsigned char *map = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0,
                                                    size, 0, NULL, NULL, &error);
            DONE(error);
            IS(map == host + start);
            for (size_t i = 0; i < size; i++)
                IS(map[i] == 4);
            IS(map[-1] == 1 && map[size] == 1);
            map[size - 1] = 9;
            DONE(clEnqueueUnmapMemObject(queue, buffer, map, 0, NULL, NULL));
            unsigned char got[10];
            DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, size, got, 0, NULL, NULL));
            IS(got[size - 1] == 9 && (size == 1 || got[0] == 4));
            DONE(clReleaseMemObject(buffer));
        }
    DONE(clReleaseKernel(add));
}

/* A map that failed lies where one lies that did not: that one is unmapped. */
static void failed_maps(void) {
    static unsigned char host[129];
    memset(host, 0, sizeof host);
    /* At an odd byte: the object has memory of its own. */
    cl_mem buffer = buffer_of(context, CL_MEM_USE_HOST_PTR, 64, host + 1);
    unsigned char *map =
        clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &error);
    DONE(error);
    cl_event user = clCreateUserEvent(context, &error), failed;
    DONE(error);
    clEnqueueMapBuffer(queue, buffer, CL_FALSE, CL_MAP_READ, 0, 64, 1, &user, &failed, &error);
    DONE(error);
    DONE(clSetUserEventStatus(user, -1));
    GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &failed));
    memset(map, 7, 64);
    DONE(clEnqueueUnmapMemObject(queue, buffer, map, 0, NULL, NULL));
    unsigned char got[64];
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    IS(got[0] == 7 && got[63] == 7);
    cl_uint count;
    DONE(clGetMemObjectInfo(buffer, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    IS(count == 0);
    DONE(clReleaseEvent(user));
    DONE(clReleaseEvent(failed));
    DONE(clReleaseMemObject(buffer));
}

/* Memory that the program may not write to: kernels read a copy of it, and never get to write. */
static void constants(void) {
    static const int table[SIZE / sizeof(int)] __attribute__((aligned(4096))) = {1, 2, 3};
    void *memory = (void *)table;
    cl_mem_flags reads = CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR;
    cl_mem from = buffer_of(context, reads, sizeof table, memory);
    cl_mem to = buffer_of(context, CL_MEM_READ_WRITE, sizeof table, NULL);
    DONE(clEnqueueCopyBuffer(queue, from, to, 0, 0, sizeof table, 0, NULL, NULL));
    int got[3];
    DONE(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    IS(got[0] == 1 && got[1] == 2 && got[2] == 3);
    void *map = clEnqueueMapBuffer(queue, from, CL_TRUE, CL_MAP_READ, 4, 8, 0, NULL, NULL, &error);
    DONE(error);
    IS(map == (char *)memory + 4);
    DONE(clEnqueueUnmapMemObject(queue, from, map, 0, NULL, NULL));
    IS(!clEnqueueMapBuffer(queue, from, CL_TRUE, CL_MAP_WRITE, 4, 8, 0, NULL, NULL, &error));
    GIVES(CL_INVALID_OPERATION, error);
    cl_mem writes = clCreateBuffer(context, CL_MEM_USE_HOST_PTR, sizeof table, memory, &error);
    IS(!writes);
    GIVES(CL_INVALID_HOST_PTR, error);

    cl_image_format format = {CL_R, CL_SIGNED_INT32};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16,
                          .image_height = 16};
    cl_mem image = clCreateImage(context, reads, &format, &desc, memory, &error);
    DONE(error);
    size_t origin[3] = {0}, size[3] = {3, 1, 1}, pitch;
    DONE(clEnqueueReadImage(queue, image, CL_TRUE, origin, size, 0, 0, got, 0, NULL, NULL));
    IS(got[0] == 1 && got[1] == 2 && got[2] == 3);
    map = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, size, &pitch, NULL, 0, NULL,
                            NULL, &error);
    DONE(error);
    IS(map == memory);
    DONE(clEnqueueUnmapMemObject(queue, image, map, 0, NULL, NULL));

    /* What commands write to the objects cannot get there: maps show it all the same. */
    const int seven = 7, eights[4] = {8, 8, 8, 8};
    enum { ORIGIN = 128 };
    cl_buffer_region region = {ORIGIN, sizeof table - ORIGIN};
    cl_mem part = clCreateSubBuffer(from, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    DONE(error);
    DONE(clEnqueueWriteBuffer(queue, part, CL_FALSE, 4, 4, &seven, 0, NULL, NULL));
    const int *seen =
        clEnqueueMapBuffer(queue, from, CL_TRUE, CL_MAP_READ, ORIGIN, 12, 0, NULL, NULL, &error);
    DONE(error);
    IS(seen[0] == table[ORIGIN / 4] && seen[1] == 7 && seen[2] == table[ORIGIN / 4 + 2]);
    DONE(clEnqueueUnmapMemObject(queue, from, (void *)seen, 0, NULL, NULL));
    DONE(clEnqueueFillImage(queue, image, eights, origin, size, 0, NULL, NULL));
    seen = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, origin, (size_t[3]){4, 1, 1}, &pitch,
                             NULL, 0, NULL, NULL, &error);
    DONE(error);
    IS(seen[0] == 8 && seen[2] == 8 && seen[3] == table[3]);
    DONE(clEnqueueUnmapMemObject(queue, image, (void *)seen, 0, NULL, NULL));
    IS(!clEnqueueMapBuffer(queue, from, CL_TRUE, CL_MAP_WRITE, 4, 8, 0, NULL, NULL, &error));
    GIVES(CL_INVALID_OPERATION, error);
    DONE(clFinish(queue));
    DONE(clReleaseMemObject(part));
    DONE(clReleaseMemObject(image));
    DONE(clReleaseMemObject(from));
    DONE(clReleaseMemObject(to));
}

int main(void) {
    context = begin();
    for (cl_uint d = 0; d < device_count; d++) {
        queue = queue_of(context, devices[d], 0);
        parts();
        copies();
        maps();
        own_memory();
        any_byte();
        failed_maps();
        constants();
        DONE(clReleaseCommandQueue(queue));
    }
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
