/* What no launch can see, a checking software GPU finds when it runs, and the context's callback
   hears of it: a block read at an offset that the kernel computes. */
#include "check.h"

enum { N = 64 };

static char report[1 << 12];

static void CL_CALLBACK on_error(const char *text, const void *bytes, size_t size, void *data) {
    (void)bytes;
    (void)size;
    (void)data;
    snprintf(report, sizeof report, "%s", text);
}

/* Shared virtual memory is named by one list, unified memory by another: each replaces itself alone. */
static void lists(cl_context context, cl_command_queue queue) {
    typedef void *(*host_fn)(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *);
    typedef cl_int (*free_fn)(cl_context, void *);
    host_fn alloc = (host_fn)clGetExtensionFunctionAddressForPlatform(platform, "clHostMemAllocINTEL");
    free_fn release = (free_fn)clGetExtensionFunctionAddressForPlatform(platform, "clMemBlockingFreeINTEL");
    const cl_kernel_exec_info svm = CL_KERNEL_EXEC_INFO_SVM_PTRS, usm = 0x4203;
    cl_program program = built(context,
                               "struct places { global int *at[2]; };\n"
                               "kernel void sum(global struct places *places, global int *to) {\n"
                               "    *to = *places->at[0] + *places->at[1];\n"
                               "}\n",
                               "-cl-std=CL3.0");
    cl_kernel sum = kernel_of(program, "sum");
    for (int round = 0; round < 4; round++) {
        int **places = clSVMAlloc(context, 0, 2 * sizeof *places, 0), *to = clSVMAlloc(context, 0, 4, 0);
        int *shared = clSVMAlloc(context, 0, 4, 0), *unified = alloc(context, NULL, 4, 0, &error);
        IS(places && to && shared && unified);
        *shared = 3, *unified = 40;
        places[0] = shared, places[1] = unified;
        DONE(clSetKernelArgSVMPointer(sum, 0, places));
        DONE(clSetKernelArgSVMPointer(sum, 1, to));
        const void *names[] = {shared, unified};
        const cl_kernel_exec_info lists[] = {svm, usm};
        for (int i = 0; i < 2; i++)
            DONE(clSetKernelExecInfo(sum, lists[(round + i) % 2], sizeof(void *), &names[(round + i) % 2]));
        /* What a list had, it has no more. */
        if (round > 1)
            DONE(clSetKernelExecInfo(sum, lists[round % 2], 0, NULL));
        size_t one = 1;
        report[0] = 0;
        DONE(clEnqueueNDRangeKernel(queue, sum, 1, NULL, &one, NULL, 0, NULL, NULL));
        DONE(clFinish(queue));
        IS(*to == 43);
        if ((strstr(report, "clSetKernelExecInfo") != NULL) != (round == 2))
            FAIL("round %d: \"%s\"", round, report);
        clSVMFree(context, places);
        clSVMFree(context, to);
        clSVMFree(context, shared);
        DONE(release(context, unified));
    }
    DONE(clReleaseKernel(sum));
    DONE(clReleaseProgram(program));
}

/* A pointer to the end of shared virtual memory names it. */
static void behind(cl_context context, cl_command_queue queue) {
    typedef cl_int (*set_fn)(cl_kernel, cl_uint, const void *);
    set_fn set = (set_fn)clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgMemPointerINTEL");
    cl_program program = built(context,
                               "kernel void last(global int *out, global const int *end) { *out = end[-1]; }\n", "");
    cl_kernel last = kernel_of(program, "last");
    int *out = clSVMAlloc(context, 0, 4, 0), *memory = clSVMAlloc(context, 0, 4 * N, 0);
    IS(out && memory);
    memory[N - 1] = 17;
    DONE(clSetKernelArgSVMPointer(last, 0, out));
    DONE(set(last, 1, memory + N));
    size_t one = 1;
    report[0] = 0;
    DONE(clEnqueueNDRangeKernel(queue, last, 1, NULL, &one, NULL, 0, NULL, NULL));
    DONE(clFinish(queue));
    if (*out != 17 || report[0] != 0)
        FAIL("%d: \"%s\"", *out, report);
    clSVMFree(context, out);
    clSVMFree(context, memory);
    DONE(clReleaseKernel(last));
    DONE(clReleaseProgram(program));
}

int main(void) {
    static unsigned char zeros[8 * N];
    DONE(clReleaseContext(begin()));
    cl_context context = clCreateContext(NULL, 1, devices, on_error, NULL, &error);
    DONE(error);
    /* Programs keep binaries by it, and those with checks run nowhere else. */
    char version[64];
    DONE(clGetDeviceInfo(devices[0], CL_DRIVER_VERSION, sizeof version, version, NULL));
    if (strstr(version, "checks") == NULL)
        FAIL("\"%s\"", version);
    cl_program program = built(context,
                               "kernel __attribute__((intel_reqd_sub_group_size(16)))\n"
                               "void k(global uint *out, global uchar *in, int offset) {\n"
                               "    global uint *place = (global uint *)(in + offset);\n"
                               "    out[get_global_id(0)] = intel_sub_group_block_read(place);\n"
                               "}\n",
                               "-cl-std=CL3.0");
    cl_command_queue queue = queue_of(context, devices[0], 0);
    cl_kernel kernel = kernel_of(program, "k");
    cl_mem out = buffer_of(context, 0, 4 * N, NULL), in = buffer_of(context, CL_MEM_COPY_HOST_PTR, 8 * N, zeros);
    DONE(clSetKernelArg(kernel, 0, sizeof out, &out));
    DONE(clSetKernelArg(kernel, 1, sizeof in, &in));
    for (int offset = 0; offset <= 4; offset += 2) {
        size_t size = 16;
        report[0] = 0;
        DONE(clSetKernelArg(kernel, 2, sizeof offset, &offset));
        DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL));
        DONE(clFinish(queue));
        if ((strstr(report, "block") != NULL) != (offset % 4 != 0))
            FAIL("offset %d: \"%s\"", offset, report);
    }
    /* A part of a buffer ends where it does, on devices whose pointers have no surface, too. */
    program = built(context,
                    "kernel void add(global int *to, int n) {\n"
                    "    if (get_global_id(0) < n) to[get_global_id(0)] += 1;\n"
                    "}\n",
                    "");
    kernel = kernel_of(program, "add");
    cl_buffer_region region = {128, 256};
    cl_mem part = clCreateSubBuffer(in, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    DONE(error);
    DONE(clSetKernelArg(kernel, 0, sizeof part, &part));
    for (int n = 64; n <= 65; n++) {
        size_t size = 128;
        report[0] = 0;
        DONE(clSetKernelArg(kernel, 1, sizeof n, &n));
        DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, NULL, 0, NULL, NULL));
        DONE(clFinish(queue));
        if ((report[0] != 0) != (n == 65))
            FAIL("%d: \"%s\"", n, report);
    }
    lists(context, queue);
    behind(context, queue);
    printf("ok\n");
    return 0;
}
