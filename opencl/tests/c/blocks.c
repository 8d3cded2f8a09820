/* Block reads and writes: the alignment that they ask of buffers of the program's memory, of parts
   of buffers, of pointers and of images, and that kernels without them do not. */
#include "check.h"

enum { N = 64 };

static const char *source =
    "#define SIZED __attribute__((intel_reqd_sub_group_size(16)))\n"
    "kernel SIZED void block_read(global uint *out, global uint *in) {\n"
    "    out[get_global_id(0)] = intel_sub_group_block_read(in + get_group_id(0) * 16);\n"
    "}\n"
    "kernel SIZED void block_write(global uint *out, global uint *in) {\n"
    "    intel_sub_group_block_write(out + get_group_id(0) * 16, in[get_global_id(0)]);\n"
    "}\n"
    "kernel SIZED void direct_write(global uint *out, global uint *in) {\n"
    "    intel_sub_group_block_write(out, in[get_global_id(0)]);\n"
    "}\n"
    "kernel SIZED void looks(global uint *out, global uint *in) {\n"
    "    uint x = in[get_global_id(0)];\n"
    "    if (((ulong)out & 15) == 0) intel_sub_group_block_write(out + get_group_id(0) * 16, x);\n"
    "    else out[get_global_id(0)] = x;\n"
    "}\n"
    "kernel SIZED void plain(global uint *out, global uint *in) {\n"
    "    out[get_global_id(0)] = in[get_global_id(0)];\n"
    "}\n"
    "kernel SIZED void image_read(global uint *out, read_only image2d_t in) {\n"
    "    out[get_global_id(0)] = intel_sub_group_block_read(in, (int2)(0, get_group_id(0)));\n"
    "}\n"
    "kernel SIZED void image_write(write_only image2d_t out, global uint *in) {\n"
    "    intel_sub_group_block_write(out, (int2)(0, get_group_id(0)), in[get_global_id(0)]);\n"
    "}\n"
    "kernel SIZED void image_plain(global uint *out, read_only image2d_t in) {\n"
    "    int2 at = (int2)(get_local_id(0), get_group_id(0));\n"
    "    out[get_global_id(0)] = as_uint(convert_uchar4(read_imageui(in, at)));\n"
    "}\n"
    "kernel SIZED void image_both(global uint *out, read_only image2d_t in) {\n"
    "    out[get_global_id(0)] = intel_sub_group_block_read(in, (int2)(0, 0)) + read_imageui(in, (int2)(9, 0)).x;\n"
    "}\n";

static cl_context context;
static cl_command_queue queue;
static char *pages;

/* A buffer of so many bytes at a place in the pages. */
static cl_mem at(size_t place) {
    return buffer_of(context, CL_MEM_USE_HOST_PTR, N * 4, pages + place);
}

/* Copies by a kernel from one place to the other, or is refused. */
static void copy(cl_program program, const char *name, size_t out_place, size_t in_place,
                 cl_int refused_out, cl_int refused_in) {
    cl_kernel kernel = kernel_of(program, name);
    for (size_t i = 0; i < 3 * 4096; i++)
        pages[i] = i * 7;
    static char wanted[N * 4];
    memcpy(wanted, pages + in_place, sizeof wanted);
    cl_mem out = at(out_place), in = at(in_place);
    GIVES(refused_out, clSetKernelArg(kernel, 0, sizeof out, &out));
    GIVES(refused_in, clSetKernelArg(kernel, 1, sizeof in, &in));
    if (refused_out == CL_SUCCESS && refused_in == CL_SUCCESS) {
        size_t global = N, local = 16;
        DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
        static char got[N * 4];
        DONE(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        if (memcmp(got, wanted, sizeof got) != 0)
            FAIL("%s from +%zu to +%zu", name, in_place, out_place);
    }
    DONE(clReleaseMemObject(out));
    DONE(clReleaseMemObject(in));
    DONE(clReleaseKernel(kernel));
}

/* A part of a buffer of the program's memory: its parent's host pointer counts, too. */
static cl_int set_part(cl_kernel kernel, cl_uint index, size_t place) {
    cl_mem parent = buffer_of(context, CL_MEM_USE_HOST_PTR, 4096, pages + place);
    cl_buffer_region region = {128, N * 4};
    cl_mem part = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    DONE(error);
    cl_int set = clSetKernelArg(kernel, index, sizeof part, &part);
    DONE(clReleaseMemObject(part));
    DONE(clReleaseMemObject(parent));
    return set;
}

/* Whether kernels reach some device's buffers through surfaces, and only so. */
static int has_surfaces(void) {
    const char *compiler = getenv("INTEL_GPU_COMPILER");
    int is_own = compiler && strcmp(compiler, "own") == 0;
    for (cl_uint d = 0; d < device_count; d++) {
        char name[256];
        DONE(clGetDeviceInfo(devices[d], CL_DEVICE_NAME, sizeof name, name, NULL));
        if (is_own && (strstr(name, "soft:tgl") || strstr(name, "soft:dg2")))
            return 1;
    }
    return 0;
}

/* A kernel that reads and one that writes blocks, and one that does neither, each take a place or
   do not. `set` sets argument `index` to it. */
static void takes(cl_program program, size_t place, cl_int (*set)(cl_kernel, cl_uint, size_t)) {
    /* Buffers begin at any byte; pointers, where kernels only have surfaces of them, at those of integers. */
    size_t plain = set == set_part || !has_surfaces() ? 1 : 4;
    const struct {
        const char *name;
        cl_uint index;
        size_t alignment;
    } all[] = {{"block_read", 1, 4}, {"block_write", 0, 16}, {"direct_write", 0, 16},
                 {"plain", 0, plain}, {"plain", 1, plain}};
    for (int i = 0; i < 5; i++) {
        cl_kernel kernel = kernel_of(program, all[i].name);
        cl_int wanted = place % all[i].alignment ? CL_INVALID_ARG_VALUE : CL_SUCCESS;
        cl_int got = set(kernel, all[i].index, place);
        if (got != wanted)
            FAIL("%s at +%zu: %d, not %d", all[i].name, place, got, wanted);
        DONE(clReleaseKernel(kernel));
    }
}

static char *svm, *usm[3];

static cl_int set_svm(cl_kernel kernel, cl_uint index, size_t place) {
    return clSetKernelArgSVMPointer(kernel, index, svm + place);
}

static cl_int set_usm(cl_kernel kernel, cl_uint index, size_t place) {
    static cl_int (*set)(cl_kernel, cl_uint, const void *);
    if (set == NULL)
        set = (cl_int(*)(cl_kernel, cl_uint, const void *))
            clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgMemPointerINTEL");
    cl_int result = set(kernel, index, usm[0] + place);
    for (int i = 1; i < 3; i++)
        GIVES(result, set(kernel, index, usm[i] + place));
    return result;
}

static void allocate_usm(void) {
    typedef void *allocate(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *);
    typedef void *allocate_on(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *);
    static const char *names[] = {"clHostMemAllocINTEL", "clDeviceMemAllocINTEL",
                                  "clSharedMemAllocINTEL"};
    for (int i = 0; i < 3; i++) {
        void *function = clGetExtensionFunctionAddressForPlatform(platform, names[i]);
        usm[i] = i == 0 ? ((allocate *)function)(context, NULL, 4096, 0, &error)
                        : ((allocate_on *)function)(context, devices[0], NULL, 4096, 0, &error);
        DONE(error);
    }
}

static cl_bool has_images(void) {
    cl_bool has;
    DONE(clGetDeviceInfo(devices[0], CL_DEVICE_IMAGE_SUPPORT, sizeof has, &has, NULL));
    return has;
}

/* Images of a part of a buffer at a place of the program's memory. */
static void image(cl_program program, size_t place, size_t width, size_t pitch,
                  cl_channel_type type, int is_good) {
    if (!has_images())
        return;
    cl_mem parent = buffer_of(context, CL_MEM_USE_HOST_PTR, 4096, pages + place);
    cl_buffer_region region = {256, 2048};
    cl_mem part = clCreateSubBuffer(parent, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    DONE(error);
    cl_image_format format = {CL_RGBA, type};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width,
                          .image_height = 4, .image_row_pitch = pitch, .mem_object = part};
    cl_mem made = clCreateImage(context, 0, &format, &desc, NULL, &error);
    DONE(error);
    static const char *names[] = {"image_read", "image_write", "image_plain"};
    for (int i = 0; i < 3; i++) {
        cl_kernel kernel = kernel_of(program, names[i]);
        cl_int wanted = i == 2 || is_good ? CL_SUCCESS : CL_INVALID_ARG_VALUE;
        cl_int got = clSetKernelArg(kernel, i != 1, sizeof made, &made);
        if (got != wanted)
            FAIL("%s at +%zu, pitch %zu: %d, not %d", names[i], place, pitch, got, wanted);
        static cl_uint data[N], seen[N];
        cl_mem other = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
        DONE(clSetKernelArg(kernel, i == 1, sizeof other, &other));
        if (got == CL_SUCCESS && type == CL_UNSIGNED_INT8) {
            size_t origin[3] = {0}, whole[3] = {16, 4, 1}, global = N, local = 16;
            for (cl_uint j = 0; j < N; j++)
                data[j] = (j + i + 1) * 0x01030507;
            cl_mem source = i == 1 ? other : made, target = i == 1 ? made : other;
            if (i == 1)
                DONE(clEnqueueWriteBuffer(queue, source, CL_TRUE, 0, sizeof data, data, 0, NULL,
                                          NULL));
            else
                DONE(clEnqueueWriteImage(queue, source, CL_TRUE, origin, whole, 0, 0, data, 0, NULL,
                                         NULL));
            DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
            if (i == 1)
                DONE(clEnqueueReadImage(queue, target, CL_TRUE, origin, whole, 0, 0, seen, 0, NULL,
                                        NULL));
            else
                DONE(clEnqueueReadBuffer(queue, target, CL_TRUE, 0, sizeof seen, seen, 0, NULL,
                                         NULL));
            if (memcmp(seen, data, sizeof seen) != 0)
                FAIL("%s at +%zu, pitch %zu: %x %x", names[i], place, pitch, seen[0], seen[1]);
        }
        DONE(clReleaseMemObject(other));
        DONE(clReleaseKernel(kernel));
    }
    DONE(clReleaseMemObject(made));
    DONE(clReleaseMemObject(part));
    DONE(clReleaseMemObject(parent));
}

/* Where block messages count a surface's width in dwords, smaller texels are not for other messages, too. */
static void both_ways(cl_program program) {
    const cl_channel_type types[] = {CL_UNSIGNED_INT8, CL_UNSIGNED_INT16, CL_UNSIGNED_INT32};
    for (int i = 0; i < 3 && has_images(); i++) {
        cl_image_format format = {CL_R, types[i]};
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 4};
        cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &error);
        DONE(error);
        cl_kernel both = kernel_of(program, "image_both"), blocks = kernel_of(program, "image_read");
        GIVES(i < 2 ? CL_INVALID_ARG_VALUE : CL_SUCCESS, clSetKernelArg(both, 1, sizeof image, &image));
        DONE(clSetKernelArg(blocks, 1, sizeof image, &image));
        DONE(clReleaseKernel(both));
        DONE(clReleaseKernel(blocks));
        DONE(clReleaseMemObject(image));
    }
}

/* Values that all work-items share are stored in one message, as blocks are, and may lie at any
   multiple of their elements' size. */
static void shared(void) {
    cl_program program = built(context,
                               "kernel void shared(global long *out, constant long *in) {\n"
                               "    for (int i = 0; i < 32; i++) out[i] = in[i];\n"
                               "}\n",
                               "-cl-std=CL3.0");
    copy(program, "shared", 8, 8192, CL_SUCCESS, CL_SUCCESS);
    copy(program, "shared", 24, 8192 + 8, CL_SUCCESS, CL_SUCCESS);
    DONE(clReleaseProgram(program));
}

int main(void) {
    context = begin();
    queue = queue_of(context, devices[0], 0);
    cl_program program = built(context, source, "-cl-std=CL3.0");
    pages = aligned_alloc(4096, 3 * 4096);
    const cl_int bad = CL_INVALID_ARG_VALUE;
    static const size_t good[] = {0, 4, 16, 32, 4092};
    for (size_t i = 0; i < 5; i++) {
        copy(program, "block_read", 8192, good[i], CL_SUCCESS, CL_SUCCESS);
        copy(program, "plain", 8192 + good[i] % 512, 0, CL_SUCCESS, CL_SUCCESS);
        cl_int refused = good[i] % 16 ? bad : CL_SUCCESS;
        copy(program, "block_write", good[i], 8192, refused, CL_SUCCESS);
        /* It writes blocks where they can be. */
        copy(program, "looks", good[i], 8192, CL_SUCCESS, CL_SUCCESS);
    }
    copy(program, "block_read", 8192, 2, CL_SUCCESS, bad);
    copy(program, "block_read", 8192, 1, CL_SUCCESS, bad);
    copy(program, "block_write", 8, 8192, bad, CL_SUCCESS);
    copy(program, "block_write", 16, 8192 + 4, CL_SUCCESS, CL_SUCCESS);
    shared();
    static const size_t places[] = {0, 1, 2, 4, 8, 12, 16, 32, 36};
    svm = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
    IS(svm != NULL);
    allocate_usm();
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        takes(program, places[i], set_part);
        takes(program, places[i], set_svm);
        takes(program, places[i], set_usm);
    }
    image(program, 0, 16, 64, CL_UNSIGNED_INT8, 1);
    image(program, 32, 16, 128, CL_UNSIGNED_INT8, 1);
    image(program, 64, 17, 192, CL_UNSIGNED_INT8, 1);
    image(program, 0, 17, 80, CL_UNSIGNED_INT8, 0);
    image(program, 0, 16, 96, CL_UNSIGNED_INT8, 0);
    image(program, 16, 16, 64, CL_UNSIGNED_INT8, 0);
    image(program, 4, 16, 64, CL_UNSIGNED_INT8, 0);
    image(program, 0, 16, 128, CL_UNSIGNED_INT16, 0);
    both_ways(program);
    printf("ok\n");
    return 0;
}
