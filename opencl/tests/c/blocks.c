/* Block reads and writes: the alignment that they ask of buffers of the program's memory, and that
   kernels without them do not. */
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
    "kernel SIZED void plain(global uint *out, global uint *in) {\n"
    "    out[get_global_id(0)] = in[get_global_id(0)];\n"
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
    }
    copy(program, "block_read", 8192, 2, CL_SUCCESS, bad);
    copy(program, "block_read", 8192, 1, CL_SUCCESS, bad);
    copy(program, "block_write", 8, 8192, bad, CL_SUCCESS);
    copy(program, "block_write", 16, 8192 + 4, CL_SUCCESS, CL_SUCCESS);
    printf("ok\n");
    return 0;
}
