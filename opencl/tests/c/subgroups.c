/* Sub-groups: clGetKernelSubGroupInfo and its errors, and what dispatches do. */
#include "check.h"

static const char *source =
    "#define SIZED(n) __attribute__((intel_reqd_sub_group_size(n)))\n"
    "#define BODY(name) { uint i = get_local_linear_id() + get_group_id(0) * 4;"
    "    if (get_local_linear_id() == 0) {"
    "        out[i] = get_max_sub_group_size(); out[i + 1] = get_num_sub_groups();"
    "        out[i + 2] = get_sub_group_size(); } }\n"
    "kernel void plain(global uint *out) BODY(plain)\n"
    "kernel SIZED(8) void k8(global uint *out) BODY(k8)\n"
    "kernel SIZED(16) void k16(global uint *out) BODY(k16)\n"
    "kernel SIZED(32) void k32(global uint *out) BODY(k32)\n"
    "kernel SIZED(16) __attribute__((reqd_work_group_size(32, 2, 1)))\n"
    "void fixed(global uint *out) BODY(fixed)\n"
    "kernel SIZED(16) void spin(global uint *out, local volatile uint *flags) {\n"
    "    uint id = get_sub_group_id();\n"
    "    if (get_local_linear_id() == 0) flags[0] = flags[1] = 0;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (get_sub_group_local_id() == 0) {\n"
    "        for (uint turn = 1; turn < 5; turn++) {\n"
    "            if (id == 0) { atomic_inc(&flags[0]); while (atomic_or(&flags[1], 0) < turn); }\n"
    "            if (id == 1) { while (atomic_or(&flags[0], 0) < turn); atomic_inc(&flags[1]); }\n"
    "        }\n"
    "    }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[get_global_id(0)] = flags[0] * 10 + flags[1];\n"
    "}\n"
    "kernel SIZED(16) void shuffle(global uint *out, global uint *in) {\n"
    "    uint data = intel_sub_group_block_read(in + get_sub_group_id() * 16);\n"
    "    uint other = intel_sub_group_shuffle_xor(data, 5u);\n"
    "    intel_sub_group_block_write(out + get_sub_group_id() * 16, other);\n"
    "}\n";

static cl_uint count;
static cl_device_id device;
static cl_device_id only;

static cl_int ask(cl_kernel kernel, cl_uint name, size_t input_size, const void *input,
                  size_t size, void *value, size_t *ret) {
    return clGetKernelSubGroupInfo(kernel, device, name, input_size, input, size, value, ret);
}

static size_t number(cl_kernel kernel, cl_uint name, size_t input_size, const void *input) {
    size_t value = 9999, bytes = 0;
    DONE(ask(kernel, name, input_size, input, sizeof value, &value, &bytes));
    IS(bytes == sizeof value);
    return value;
}

static int has_size(size_t size) {
    size_t sizes[8], bytes;
    DONE(clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes));
    for (size_t i = 0; i < bytes / sizeof *sizes; i++)
        if (sizes[i] == size)
            return 1;
    return 0;
}

/* What the queries say is what kernels see. */
static void dispatches(cl_context context, cl_command_queue queue, cl_kernel kernel) {
    static const size_t locals[][3] = {{1, 1, 1}, {8, 1, 1}, {7, 3, 1}, {16, 2, 2}, {33, 1, 1},
                                       {64, 2, 1}, {5, 5, 5}};
    size_t most, fixed[3];
    DONE(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, 8, &most, NULL));
    DONE(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 24, fixed,
                                  NULL));
    cl_mem out = buffer_of(context, 0, 64, NULL);
    DONE(clSetKernelArg(kernel, 0, sizeof out, &out));
    for (size_t i = 0; i < sizeof locals / sizeof *locals; i++) {
        const size_t *local = fixed[0] ? fixed : locals[i];
        if (local[0] * local[1] * local[2] > most)
            continue;
        cl_uint got[4];
        DONE(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, local, local, 0, NULL, NULL));
        DONE(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        size_t size = number(kernel, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 24, local);
        size_t groups = number(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 24, local);
        if (got[0] != size || got[1] != groups)
            FAIL("%zu: %u, %u; %zu, %zu", i, got[0], got[1], size, groups);
        IS(groups <= number(kernel, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL));
    }
    /* A local size for each count, and back. */
    size_t limit = number(kernel, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, NULL);
    for (size_t want = 0; want <= limit + 1; want++) {
        size_t local[3] = {9, 9, 9}, bytes = 0;
        DONE(ask(kernel, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof want, &want, 24, local,
                 &bytes));
        IS(bytes == 24);
        if (local[0] == 0) {
            IS(local[1] == 0 && local[2] == 0);
            IS(want == 0 || want > limit || fixed[0]);
            continue;
        }
        IS(want > 0 && want <= limit);
        IS(number(kernel, CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE, 24, local) == want);
        size_t one = 9;
        DONE(ask(kernel, CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT, sizeof want, &want, 8, &one,
                 &bytes));
        IS(bytes == 8 && (one == 0 || one == local[0]));
    }
    DONE(clReleaseMemObject(out));
}

static void errors(cl_kernel kernel) {
    static const cl_uint with_local[] = {CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                         CL_KERNEL_SUB_GROUP_COUNT_FOR_NDRANGE};
    size_t local[4] = {16, 1, 1, 1}, value[3], bytes;
    for (int i = 0; i < 2; i++) {
        GIVES(CL_INVALID_VALUE, ask(kernel, with_local[i], 24, NULL, 8, value, NULL));
        GIVES(CL_INVALID_VALUE, ask(kernel, with_local[i], 0, local, 8, value, NULL));
        GIVES(CL_INVALID_VALUE, ask(kernel, with_local[i], 4, local, 8, value, NULL));
        GIVES(CL_INVALID_VALUE, ask(kernel, with_local[i], 20, local, 8, value, NULL));
        GIVES(CL_INVALID_VALUE, ask(kernel, with_local[i], 32, local, 8, value, NULL));
        GIVES(CL_INVALID_VALUE, ask(kernel, with_local[i], 8, local, 7, value, NULL));
        DONE(ask(kernel, with_local[i], 8, local, 0, NULL, &bytes));
        IS(bytes == 8);
        DONE(ask(kernel, with_local[i], 16, local, 8, value, NULL));
        DONE(ask(kernel, with_local[i], 16, local, 0, NULL, NULL));
    }
    cl_uint name = CL_KERNEL_LOCAL_SIZE_FOR_SUB_GROUP_COUNT;
    GIVES(CL_INVALID_VALUE, ask(kernel, name, 8, NULL, 24, value, NULL));
    GIVES(CL_INVALID_VALUE, ask(kernel, name, 16, local, 24, value, NULL));
    GIVES(CL_INVALID_VALUE, ask(kernel, name, 8, local, 4, value, NULL));
    GIVES(CL_INVALID_VALUE, ask(kernel, 0xdead, 8, local, 8, value, NULL));
    /* Inputs that are ignored. */
    DONE(ask(kernel, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 3, local, 8, value, NULL));
    DONE(ask(kernel, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 0, NULL, 8, value, NULL));
    GIVES(CL_INVALID_VALUE,
          ask(kernel, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 0, NULL, 4, value, NULL));
    DONE(ask(kernel, CL_KERNEL_COMPILE_NUM_SUB_GROUPS, 0, NULL, 8, value, NULL));
    IS(value[0] == 0);
    GIVES(CL_INVALID_KERNEL, ask((cl_kernel)device, name, 8, local, 8, value, NULL));
    GIVES(CL_INVALID_DEVICE, clGetKernelSubGroupInfo(kernel, (cl_device_id)kernel, with_local[0], 8,
                                                     local, 8, value, NULL));
    cl_int without = clGetKernelSubGroupInfo(kernel, NULL, with_local[0], 8, local, 8, value, NULL);
    GIVES(count == 1 ? CL_SUCCESS : CL_INVALID_DEVICE, without);
    clGetKernelSubGroupInfoKHR_fn khr =
        (clGetKernelSubGroupInfoKHR_fn)clGetExtensionFunctionAddressForPlatform(
            platform, "clGetKernelSubGroupInfoKHR");
    IS(khr != NULL);
    DONE(khr(kernel, device, with_local[0], 8, local, 8, value, NULL));
}

static cl_ulong spilled(cl_kernel kernel) {
    cl_ulong bytes = 99;
    DONE(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_SPILL_MEM_SIZE_INTEL, 8, &bytes, NULL));
    return bytes;
}

int main(void) {
    cl_context all = begin();
    count = device_count;
    for (cl_uint d = 0; d < device_count; d++) {
        device = only = devices[d];
        cl_context context = clCreateContext(NULL, 1, &only, NULL, NULL, &error);
        DONE(error);
        cl_command_queue queue = queue_of(context, device, 0);
        cl_program program = built(context, source, "-cl-std=CL3.0");
        static const char *names[] = {"plain", "k8", "k16", "k32", "fixed"};
        static const size_t compiled[] = {0, 8, 16, 32, 16};
        for (int i = 0; i < 5; i++) {
            if (compiled[i] && !has_size(compiled[i]))
                continue;
            cl_kernel kernel = kernel_of(program, names[i]);
            IS(number(kernel, CL_KERNEL_COMPILE_SUB_GROUP_SIZE_INTEL, 0, NULL) == compiled[i]);
            IS(spilled(kernel) == 0);
            dispatches(context, queue, kernel);
            DONE(clReleaseKernel(kernel));
        }
        cl_bool independent = CL_FALSE;
        DONE(clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
                             sizeof independent, &independent, NULL));
        if (independent) {
            cl_kernel spin = kernel_of(program, "spin");
            cl_mem out = buffer_of(context, 0, 4 * 32, NULL);
            DONE(clSetKernelArg(spin, 0, sizeof out, &out));
            DONE(clSetKernelArg(spin, 1, 8, NULL));
            size_t size = 32;
            DONE(clEnqueueNDRangeKernel(queue, spin, 1, NULL, &size, &size, 0, NULL, NULL));
            cl_uint got[32];
            DONE(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
            IS(got[0] == 44 && got[31] == 44);
            DONE(clReleaseMemObject(out));
            DONE(clReleaseKernel(spin));
        }
        cl_kernel shuffle = kernel_of(program, "shuffle");
        cl_uint data[32], got[32];
        for (cl_uint i = 0; i < 32; i++)
            data[i] = i * i;
        cl_mem in = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
        cl_mem out = buffer_of(context, 0, sizeof got, NULL);
        DONE(clSetKernelArg(shuffle, 0, sizeof out, &out));
        DONE(clSetKernelArg(shuffle, 1, sizeof in, &in));
        size_t size = 32;
        DONE(clEnqueueNDRangeKernel(queue, shuffle, 1, NULL, &size, &size, 0, NULL, NULL));
        DONE(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (cl_uint i = 0; i < 32; i++)
            IS(got[i] == data[i ^ 5]);
        DONE(clReleaseKernel(shuffle));
        DONE(clReleaseProgram(program));
        DONE(clReleaseCommandQueue(queue));
        DONE(clReleaseContext(context));
    }
    /* Errors, with as many devices as there are. */
    device = devices[0];
    cl_program program = built(all, source, "-cl-std=CL3.0");
    errors(kernel_of(program, "k16"));
    printf("ok\n");
    return 0;
}
