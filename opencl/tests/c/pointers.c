/* Shared virtual memory, and the unified shared memory of Intel's extension. */
#include "check.h"

enum { N = 1000 };

struct node {
    struct node *next;
    int value;
};

static cl_context context;
static cl_command_queue queue;

static int freed;
static void CL_CALLBACK free_all(cl_command_queue of, cl_uint count, void *pointers[], void *data) {
    IS(of == queue && data == &freed);
    for (cl_uint i = 0; i < count; i++)
        clSVMFree(context, pointers[i]);
    freed += count;
}

static void svm(cl_kernel sum, cl_kernel add) {
    /* A list: pointers in memory that the host wrote. */
    struct node *nodes = clSVMAlloc(context, CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER,
                                    N * sizeof *nodes, 0);
    int *result = clSVMAlloc(context, CL_MEM_READ_WRITE, sizeof *result, 4);
    IS(nodes && result);
    int want = 0;
    for (int i = 0; i < N; i++) {
        nodes[i].value = i * 3;
        nodes[i].next = i + 7 < N ? &nodes[i + 7] : NULL;
        if (i % 7 == 0)
            want += i * 3;
    }
    DONE(clSetKernelArgSVMPointer(sum, 0, nodes));
    DONE(clSetKernelArgSVMPointer(sum, 1, result));
    void *reached[] = {nodes};
    DONE(clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, 0, NULL));
    GIVES(CL_INVALID_VALUE,
          clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, NULL));
    DONE(clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached));
    size_t one = 1, global = N;
    DONE(clEnqueueNDRangeKernel(queue, sum, 1, NULL, &one, NULL, 0, NULL, NULL));
    DONE(clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, result, sizeof *result, 0, NULL, NULL));
    IS(*result == want);
    DONE(clEnqueueSVMUnmap(queue, result, 0, NULL, NULL));

    /* A pointer into an allocation; commands on memory. */
    int *numbers = clSVMAlloc(context, CL_MEM_READ_WRITE, (N + 16) * sizeof *numbers, 0);
    int five = 5;
    DONE(clEnqueueSVMMemFill(queue, numbers, &five, sizeof five, (N + 16) * sizeof five, 0, NULL, NULL));
    DONE(clSetKernelArgSVMPointer(add, 0, numbers + 16));
    DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL));
    static int got[N];
    DONE(clEnqueueSVMMemcpy(queue, CL_TRUE, got, numbers + 16, sizeof got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        IS(got[i] == 5 + i);
    IS(numbers[15] == 5);

    /* A buffer of the same memory. */
    IS(!clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 1 << 16, numbers, &error));
    GIVES(CL_INVALID_BUFFER_SIZE, error);
    cl_mem buffer = buffer_of(context, CL_MEM_USE_HOST_PTR, N * sizeof(int), numbers);
    cl_bool uses;
    DONE(clGetMemObjectInfo(buffer, CL_MEM_USES_SVM_POINTER, sizeof uses, &uses, NULL));
    IS(uses);
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 16 * sizeof(int), sizeof(int), got, 0, NULL, NULL));
    IS(got[0] == 5);
    DONE(clReleaseMemObject(buffer));

    IS(!clSVMAlloc(context, 0, 0, 0));
    IS(!clSVMAlloc(context, 0, 16, 3));
    GIVES(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(add, 0, got));
    GIVES(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(add, 9, numbers));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, NULL, 4, 0, NULL, NULL));
    GIVES(CL_MEM_COPY_OVERLAP, clEnqueueSVMMemcpy(queue, CL_TRUE, numbers, numbers + 1, 8, 0, NULL, NULL));
    cl_bool yes = CL_TRUE;
    GIVES(CL_INVALID_OPERATION, clSetKernelExecInfo(sum, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM,
                                                    sizeof yes, &yes));
    void *all[] = {nodes, result, numbers};
    freed = 0;
    DONE(clEnqueueSVMFree(queue, 3, all, free_all, &freed, 0, NULL, NULL));
    DONE(clFinish(queue));
    IS(freed == 3);
}

/* Numbers that were pointers lead into any memory. */
static void numbers(cl_kernel go) {
    int *memory[2], *out = clSVMAlloc(context, 0, 4 * sizeof(int), 0);
    for (int i = 0; i < 2; i++) {
        memory[i] = clSVMAlloc(context, 0, N * sizeof(int), 0);
        for (int k = 0; k < N; k++)
            memory[i][k] = 1000 * i + k;
    }
    for (int i = 0; i < 2; i++) {
        int *from = memory[i], *to = memory[1 - i];
        cl_ulong distance = (size_t)&to[10] - (size_t)from, both = (size_t)&to[20] ^ (size_t)from;
        void *reached[] = {to};
        DONE(clSetKernelArgSVMPointer(go, 0, from));
        DONE(clSetKernelArgSVMPointer(go, 1, out));
        DONE(clSetKernelArg(go, 2, sizeof distance, &distance));
        DONE(clSetKernelArg(go, 3, sizeof both, &both));
        DONE(clSetKernelExecInfo(go, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached));
        size_t one = 1;
        DONE(clEnqueueNDRangeKernel(queue, go, 1, NULL, &one, NULL, 0, NULL, NULL));
        DONE(clFinish(queue));
        int first = 1000 * (1 - i) + 10;
        if (out[0] != first || out[1] != first + 10 || to[11] != -7 || from[11] < 0)
            FAIL("%d, %d, %d, %d", out[0], out[1], to[11], from[11]);
        to[11] = 11;
    }
    for (int i = 0; i < 2; i++)
        clSVMFree(context, memory[i]);
    clSVMFree(context, out);
}

static void usm(cl_device_id device, cl_kernel add) {
    typedef void *(CL_API_CALL *host_fn)(cl_context, const cl_bitfield *, size_t, cl_uint, cl_int *);
    typedef void *(CL_API_CALL *device_fn)(cl_context, cl_device_id, const cl_bitfield *, size_t, cl_uint,
                                           cl_int *);
    typedef cl_int(CL_API_CALL *free_fn)(cl_context, void *);
    typedef cl_int(CL_API_CALL *info_fn)(cl_context, const void *, cl_uint, size_t, void *, size_t *);
    typedef cl_int(CL_API_CALL *arg_fn)(cl_kernel, cl_uint, const void *);
    typedef cl_int(CL_API_CALL *copy_fn)(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint,
                                         const cl_event *, cl_event *);
    host_fn alloc_host = clGetExtensionFunctionAddressForPlatform(platform, "clHostMemAllocINTEL");
    device_fn alloc_device = clGetExtensionFunctionAddressForPlatform(platform, "clDeviceMemAllocINTEL");
    device_fn alloc_shared = clGetExtensionFunctionAddressForPlatform(platform, "clSharedMemAllocINTEL");
    free_fn mem_free = clGetExtensionFunctionAddressForPlatform(platform, "clMemBlockingFreeINTEL");
    info_fn alloc_info = clGetExtensionFunctionAddressForPlatform(platform, "clGetMemAllocInfoINTEL");
    arg_fn set_arg = clGetExtensionFunctionAddressForPlatform(platform, "clSetKernelArgMemPointerINTEL");
    copy_fn copy = clGetExtensionFunctionAddressForPlatform(platform, "clEnqueueMemcpyINTEL");
    IS(alloc_host && alloc_device && alloc_shared && mem_free && alloc_info && set_arg && copy);

    int *each[3];
    each[0] = alloc_host(context, NULL, N * sizeof(int), 0, &error);
    DONE(error);
    each[1] = alloc_device(context, device, NULL, N * sizeof(int), 64, &error);
    DONE(error);
    each[2] = alloc_shared(context, device, NULL, N * sizeof(int), 0, &error);
    DONE(error);
    static int numbers[N], got[N];
    for (int i = 0; i < N; i++)
        numbers[i] = 1000 - i;
    const cl_uint types[] = {0x4197, 0x4198, 0x4199};
    for (int k = 0; k < 3; k++) {
        DONE(copy(queue, CL_TRUE, each[k], numbers, sizeof numbers, 0, NULL, NULL));
        DONE(set_arg(add, 0, each[k]));
        size_t global = N;
        DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL));
        DONE(copy(queue, CL_TRUE, got, each[k], sizeof got, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            IS(got[i] == 1000);
        cl_uint type;
        size_t size;
        DONE(alloc_info(context, each[k] + 1, 0x419A, sizeof type, &type, NULL));
        DONE(alloc_info(context, each[k], 0x419C, sizeof size, &size, NULL));
        IS(type == types[k] && size == sizeof numbers);
        GIVES(CL_INVALID_VALUE, copy(queue, CL_TRUE, got, each[k] + 1, sizeof got, 0, NULL, NULL));
        /* What commands and buffers take of the host may be such memory. */
        const size_t from[3] = {0}, region[3] = {sizeof got, 1, 1};
        cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof got, each[k], &error);
        DONE(error);
        DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (int i = 0; i < N; i++)
            IS(got[i] == 1000);
        DONE(clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, sizeof numbers, numbers, 0, NULL, NULL));
        DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, each[k], 0, NULL, NULL));
        DONE(clEnqueueFillBuffer(queue, buffer, got, 4, 0, sizeof got, 0, NULL, NULL));
        DONE(clEnqueueWriteBufferRect(queue, buffer, CL_TRUE, from, from, region, 0, 0, 0, 0, each[k], 0, NULL, NULL));
        DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        IS(memcmp(got, numbers, sizeof got) == 0);
        GIVES(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, each[k] + 1, 0, NULL, NULL));
        DONE(clReleaseMemObject(buffer));
        IS(!clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof got, each[k] + 1, &error));
        GIVES(CL_INVALID_HOST_PTR, error);
        DONE(mem_free(context, each[k]));
        GIVES(CL_INVALID_VALUE, mem_free(context, each[k]));
    }
    cl_uint type;
    DONE(alloc_info(context, numbers, 0x419A, sizeof type, &type, NULL));
    IS(type == 0x4196);
    cl_bitfield bad[] = {0x1234, 1, 0};
    IS(!alloc_host(context, bad, 64, 0, &error));
    GIVES(CL_INVALID_PROPERTY, error);
    IS(!alloc_host(context, NULL, 0, 0, &error));
    GIVES(CL_INVALID_BUFFER_SIZE, error);
}

int main(void) {
    context = begin();
    cl_program program = built(context,
                               "struct node { global struct node *next; int value; };\n"
                               "kernel void sum(global struct node *at, global int *to) {\n"
                               "    int all = 0;\n"
                               "    for (; at; at = at->next) all += at->value;\n"
                               "    *to = all;\n"
                               "}\n"
                               "kernel void add(global int *to) {\n"
                               "    to[get_global_id(0)] += get_global_id(0);\n"
                               "}\n"
                               "kernel void go(global int *from, global int *out, ulong distance, ulong both) {\n"
                               "    global int *to = (global int *)((ulong)from + distance);\n"
                               "    out[0] = to[get_global_id(0)];\n"
                               "    out[1] = *(global int *)((ulong)from ^ both);\n"
                               "    to[1] = -7;\n"
                               "}\n"
                               "ulong number(const void *of) { return (ulong)of; }\n"
                               "kernel void generic_go(global int *from, global int *out, ulong distance, ulong both) {\n"
                               "    global int *to = (global int *)(number(from) + distance);\n"
                               "    out[0] = to[get_global_id(0)];\n"
                               "    out[1] = *(global int *)(number(from) ^ both);\n"
                               "    to[1] = -7;\n"
                               "}\n",
                               "-cl-std=CL3.0");
    cl_kernel sum = kernel_of(program, "sum"), add = kernel_of(program, "add");
    cl_kernel go = kernel_of(program, "go"), generic = kernel_of(program, "generic_go");
    for (cl_uint d = 0; d < device_count; d++) {
        queue = queue_of(context, devices[d], 0);
        svm(sum, add);
        usm(devices[d], add);
        numbers(go);
        numbers(generic);
        DONE(clReleaseCommandQueue(queue));
    }
    DONE(clReleaseKernel(sum));
    DONE(clReleaseKernel(add));
    DONE(clReleaseKernel(go));
    DONE(clReleaseKernel(generic));
    DONE(clReleaseProgram(program));
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
