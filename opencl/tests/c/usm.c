/* Unified shared memory (cl_intel_unified_shared_memory): what its functions do, and what they refuse. */
#define _GNU_SOURCE
#include "rules.h"
#include <sys/mman.h>

enum {
    FLAGS = 0x4195, TYPE = 0x419A, BASE, SIZE, DEVICE,
    COMBINED = 1, AT_DEVICE = 2, AT_HOST = 4,
    UNKNOWN = 0x4196, HOST, ON_DEVICE, SHARED,
    INDIRECT_HOST = 0x4200, INDIRECT_DEVICE, INDIRECT_SHARED, POINTERS,
    N = 512, ROOM = N * sizeof(int),
};

#define TAIL cl_uint, const cl_event *, cl_event *
#define FUNCTIONS(F)                                                                               \
    F(void *, clHostMemAllocINTEL, (cl_context, const cl_ulong *, size_t, cl_uint, cl_int *))      \
    F(void *, clDeviceMemAllocINTEL,                                                               \
      (cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *))                     \
    F(void *, clSharedMemAllocINTEL,                                                               \
      (cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *))                     \
    F(cl_int, clMemFreeINTEL, (cl_context, void *))                                                \
    F(cl_int, clMemBlockingFreeINTEL, (cl_context, void *))                                        \
    F(cl_int, clGetMemAllocInfoINTEL, (cl_context, const void *, cl_uint, size_t, void *, size_t *)) \
    F(cl_int, clSetKernelArgMemPointerINTEL, (cl_kernel, cl_uint, const void *))                   \
    F(cl_int, clEnqueueMemFillINTEL, (cl_command_queue, void *, const void *, size_t, size_t, TAIL)) \
    F(cl_int, clEnqueueMemcpyINTEL, (cl_command_queue, cl_bool, void *, const void *, size_t, TAIL)) \
    F(cl_int, clEnqueueMigrateMemINTEL,                                                            \
      (cl_command_queue, const void *, size_t, cl_mem_migration_flags, TAIL))                      \
    F(cl_int, clEnqueueMemAdviseINTEL, (cl_command_queue, const void *, size_t, cl_uint, TAIL))
#define DECLARE(type, name, parameters) static type(*name##_) parameters;
FUNCTIONS(DECLARE)
#define FIND(type, name, parameters)                                                               \
    name##_ = (type(*) parameters)clGetExtensionFunctionAddressForPlatform(platform, #name);       \
    IS(name##_ != NULL);

static cl_kernel add, chase, count;

/* Memory of each kind. */
static void *make(int kind, const cl_ulong *flags, size_t size, cl_uint alignment) {
    error = 1;
    void *made = kind == 0   ? clHostMemAllocINTEL_(context, flags, size, alignment, &error)
                 : kind == 1 ? clDeviceMemAllocINTEL_(context, device, flags, size, alignment, &error)
                 : kind == 2 ? clSharedMemAllocINTEL_(context, device, flags, size, alignment, &error)
                             : clSharedMemAllocINTEL_(context, NULL, flags, size, alignment, &error);
    IS((made != NULL) == (error == CL_SUCCESS));
    return made;
}

static void says(const void *at, cl_uint type, const void *base, size_t size, cl_device_id of, cl_ulong flags) {
    struct {
        cl_uint name;
        size_t size;
        const void *want;
    } each[] = {{TYPE, 4, &type}, {BASE, 8, &base}, {SIZE, 8, &size}, {DEVICE, 8, &of}, {FLAGS, 8, &flags}};
    for (int i = 0; i < 5; i++) {
        char got[9] = {0};
        size_t need = 0;
        DONE(clGetMemAllocInfoINTEL_(context, at, each[i].name, 0, NULL, &need));
        IS(need == each[i].size);
        DONE(clGetMemAllocInfoINTEL_(context, at, each[i].name, need, got, NULL));
        if (memcmp(got, each[i].want, need) != 0)
            FAIL("%#x of %p: %#llx", each[i].name, at, *(unsigned long long *)got);
        DONE(clGetMemAllocInfoINTEL_(context, at, each[i].name, need + 1, got, &need));
        GIVES(CL_INVALID_VALUE, clGetMemAllocInfoINTEL_(context, at, each[i].name, need - 1, got, NULL));
    }
    GIVES(CL_INVALID_VALUE, clGetMemAllocInfoINTEL_(context, at, 0x4194, 0, NULL, NULL));
    GIVES(CL_INVALID_CONTEXT, clGetMemAllocInfoINTEL_((cl_context)queue, at, TYPE, 0, NULL, NULL));
}

static void allocations(void) {
    const cl_uint types[] = {HOST, ON_DEVICE, SHARED, SHARED};
    for (int kind = 0; kind < 4; kind++) {
        cl_device_id of = kind == 1 || kind == 2 ? device : NULL;
        for (cl_uint alignment = 1; alignment <= 128; alignment *= 2) {
            char *made = make(kind, NULL, 100, alignment), *other_one = make(kind, NULL, 1, alignment);
            IS((size_t)made % alignment == 0 && (size_t)other_one % alignment == 0);
            says(made, types[kind], made, 100, of, 0);
            says(made + 99, types[kind], made, 100, of, 0);
            DONE(clMemFreeINTEL_(context, other_one));
            DONE(clMemFreeINTEL_(context, made));
            says(made, UNKNOWN, NULL, 0, NULL, 0);
        }
        char *standard = make(kind, NULL, 16, 0);
        IS((size_t)standard % 128 == 0);
        DONE(clMemFreeINTEL_(context, standard));
        const cl_uint bad_alignments[] = {3, 5, 96, 127, 129, 256, 1u << 31, ~0u};
        for (int i = 0; i < 8; i++)
            MADE(CL_INVALID_VALUE, make(kind, NULL, 16, bad_alignments[i]));
        MADE(CL_INVALID_BUFFER_SIZE, make(kind, NULL, 0, 0));
        cl_ulong most;
        DONE(clGetDeviceInfo(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof most, &most, NULL));
        MADE(CL_INVALID_BUFFER_SIZE, make(kind, NULL, most + 1, 0));
        MADE(CL_INVALID_BUFFER_SIZE, make(kind, NULL, SIZE_MAX, 0));
        for (cl_ulong flags = 0; flags < 16; flags++) {
            cl_ulong list[] = {FLAGS, flags, 0};
            cl_bool good = kind < 2 ? flags <= COMBINED : flags < (AT_DEVICE | AT_HOST);
            void *made = make(kind, list, 16, 0);
            GIVES(good ? CL_SUCCESS : CL_INVALID_PROPERTY, error);
            if (made != NULL) {
                says(made, types[kind], made, 16, of, flags);
                DONE(clMemBlockingFreeINTEL_(context, made));
            }
        }
        cl_ulong none[] = {0}, unknown[] = {0x4196, 1, 0}, twice[] = {FLAGS, 0, FLAGS, 0, 0};
        DONE(clMemFreeINTEL_(context, make(kind, none, 16, 0)));
        MADE(CL_INVALID_PROPERTY, make(kind, unknown, 16, 0));
        MADE(CL_INVALID_PROPERTY, make(kind, twice, 16, 0));
    }
    MADE(CL_INVALID_CONTEXT, clHostMemAllocINTEL_(NULL, NULL, 16, 0, &error));
    MADE(CL_INVALID_CONTEXT, clDeviceMemAllocINTEL_((cl_context)queue, device, NULL, 16, 0, &error));
    MADE(CL_INVALID_CONTEXT, clSharedMemAllocINTEL_((cl_context)queue, device, NULL, 16, 0, &error));
    MADE(CL_INVALID_DEVICE, clDeviceMemAllocINTEL_(context, NULL, NULL, 16, 0, &error));
    MADE(CL_INVALID_DEVICE, clDeviceMemAllocINTEL_(context, (cl_device_id)queue, NULL, 16, 0, &error));
    MADE(CL_INVALID_DEVICE, clSharedMemAllocINTEL_(context, (cl_device_id)queue, NULL, 16, 0, &error));
    IS(clHostMemAllocINTEL_(context, NULL, 0, 0, NULL) == NULL);
    void *without_code = clHostMemAllocINTEL_(context, NULL, 16, 0, NULL);
    IS(without_code != NULL);
    GIVES(CL_INVALID_CONTEXT, clMemFreeINTEL_((cl_context)queue, without_code));
    GIVES(CL_INVALID_CONTEXT, clMemBlockingFreeINTEL_((cl_context)queue, without_code));
    GIVES(CL_INVALID_VALUE, clMemFreeINTEL_(other, without_code));
    GIVES(CL_INVALID_VALUE, clMemFreeINTEL_(context, (char *)without_code + 8));
    GIVES(CL_INVALID_VALUE, clMemBlockingFreeINTEL_(context, bytes));
    DONE(clMemFreeINTEL_(context, without_code));
    GIVES(CL_INVALID_VALUE, clMemFreeINTEL_(context, without_code));
    DONE(clMemFreeINTEL_(context, NULL));
    DONE(clMemBlockingFreeINTEL_(context, NULL));
    says(NULL, UNKNOWN, NULL, 0, NULL, 0);
    says(bytes, UNKNOWN, NULL, 0, NULL, 0);
    void *svm = clSVMAlloc(context, 0, 64, 0);
    says(svm, UNKNOWN, NULL, 0, NULL, 0);
    GIVES(CL_INVALID_VALUE, clMemFreeINTEL_(context, svm));
    clSVMFree(context, svm);

    /* A device that the context does not have. */
    if (device_count > 1) {
        MADE(CL_INVALID_DEVICE, clDeviceMemAllocINTEL_(other, devices[1], NULL, 16, 0, &error));
        MADE(CL_INVALID_DEVICE, clSharedMemAllocINTEL_(other, devices[1], NULL, 16, 0, &error));
    }
}

/* What is where, through the host's own memory. */
static void expect(const void *at, size_t from, size_t to, int first, int step) {
    static int got[N];
    DONE(clEnqueueMemcpyINTEL_(queue, CL_TRUE, got, at, ROOM, 0, NULL, NULL));
    for (size_t i = from; i < to; i++, first += step)
        if (got[i] != first)
            FAIL("[%zu]: %d, not %d", i, got[i], first);
}

static void commands(int kind) {
    int *memory = make(kind, NULL, ROOM, 0), *second = make(kind, NULL, ROOM, 0);
    static int numbers[N];
    for (int i = 0; i < N; i++)
        numbers[i] = 3 * i;

    /* Fills of each size of pattern. */
    for (size_t size = 1; size <= 128; size *= 2) {
        char pattern[128];
        for (size_t i = 0; i < size; i++)
            pattern[i] = (char)(i * 7 + size);
        const int nothing = -1;
        DONE(clEnqueueMemFillINTEL_(queue, memory, &nothing, 4, ROOM, 0, NULL, NULL));
        cl_event end;
        DONE(clEnqueueMemFillINTEL_(queue, (char *)memory + 128, pattern, size, 1024, 0, NULL, &end));
        memset(pattern, 0, sizeof pattern);
        DONE(clWaitForEvents(1, &end));
        DONE(clReleaseEvent(end));
        DONE(clEnqueueMemcpyINTEL_(queue, CL_TRUE, bytes, memory, ROOM, 0, NULL, NULL));
        for (size_t i = 0; i < ROOM; i++) {
            char want = i >= 128 && i < 1152 ? (char)(i % size * 7 + size) : -1;
            if (bytes[i] != want)
                FAIL("pattern of %zu, [%zu]: %d, not %d", size, i, bytes[i], want);
        }
    }
#define FILL(to, pattern, size, all) clEnqueueMemFillINTEL_(queue, to, pattern, size, all, 0, NULL, NULL)
    GIVES(CL_INVALID_VALUE, FILL(NULL, numbers, 4, 16));
    GIVES(CL_INVALID_VALUE, FILL(memory, NULL, 4, 16));
    const size_t bad_sizes[] = {0, 3, 12, 129, 256, SIZE_MAX};
    for (int i = 0; i < 6; i++)
        GIVES(CL_INVALID_VALUE, FILL(memory, numbers, bad_sizes[i], 0));
    GIVES(CL_INVALID_VALUE, FILL((char *)memory + 2, numbers, 4, 16));
    GIVES(CL_INVALID_VALUE, FILL((char *)memory + 64, numbers, 128, 128));
    GIVES(CL_INVALID_VALUE, FILL(memory, numbers, 4, 15));
    GIVES(CL_INVALID_VALUE, FILL(memory, numbers, 4, ROOM + 4));
    GIVES(CL_INVALID_VALUE, FILL(memory + N - 1, numbers, 4, 8));
    DONE(FILL(memory, numbers, 4, 0));

    /* Copies, into the middle, and of nothing; those that overlap. */
#define COPY(to, from, size) clEnqueueMemcpyINTEL_(queue, CL_FALSE, to, from, size, 0, NULL, NULL)
    DONE(COPY(memory, numbers, ROOM));
    DONE(COPY(second, memory, ROOM));
    DONE(COPY(second + 8, memory + 1, 16));
    expect(second, 0, 8, 0, 3);
    expect(second, 8, 12, 3, 3);
    expect(second, 12, N, 36, 3);
    DONE(COPY(memory, memory + N / 2, ROOM / 2));
    expect(memory, 0, N / 2, 3 * (N / 2), 3);
    DONE(COPY(memory, second, 0));
    GIVES(CL_MEM_COPY_OVERLAP, COPY(memory, memory, 4));
    GIVES(CL_MEM_COPY_OVERLAP, COPY(memory + 1, memory, 8));
    GIVES(CL_MEM_COPY_OVERLAP, COPY(memory, memory + 1, 8));
    GIVES(CL_INVALID_VALUE, COPY(NULL, memory, 16));
    GIVES(CL_INVALID_VALUE, COPY(memory, NULL, 16));
    GIVES(CL_INVALID_VALUE, COPY(bytes, memory + 1, ROOM));
    GIVES(CL_INVALID_VALUE, COPY(memory + 1, bytes, ROOM));
    /* The host's own memory on both sides. */
    DONE(clEnqueueMemcpyINTEL_(queue, CL_TRUE, bytes, numbers, ROOM, 0, NULL, NULL));
    IS(memcmp(bytes, numbers, ROOM) == 0);

    /* A copy waits, and a blocking one waits for what is before it. */
    cl_event gate = clCreateUserEvent(context, &error), end;
    DONE(clEnqueueMemcpyINTEL_(queue, CL_FALSE, memory, numbers, ROOM, 1, &gate, &end));
    cl_int status;
    DONE(clGetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    IS(status > CL_RUNNING);
    for (int i = 0; i < N; i++)
        numbers[i] = i - 5;
    DONE(clSetUserEventStatus(gate, CL_COMPLETE));
    expect(memory, 0, N, -5, 1);
    DONE(clReleaseEvent(gate));
    DONE(clReleaseEvent(end));

    /* Hints. */
    const cl_mem_migration_flags to_host = CL_MIGRATE_MEM_OBJECT_HOST;
    const cl_mem_migration_flags undefined = CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    const cl_mem_migration_flags good[] = {0, to_host, undefined, to_host | undefined};
    for (int i = 0; i < 4; i++)
        DONE(clEnqueueMigrateMemINTEL_(queue, memory, ROOM, good[i], 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueMigrateMemINTEL_(queue, memory, ROOM, 4, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueMigrateMemINTEL_(queue, memory, ROOM, 1ull << 40, 0, NULL, NULL));
    DONE(clEnqueueMemAdviseINTEL_(queue, memory + 3, 16, 0x4208, 0, NULL, NULL));
    expect(memory, 0, N, -5, 1);
    DONE(clMemBlockingFreeINTEL_(context, second));
    DONE(clMemBlockingFreeINTEL_(context, memory));
}

/* A kernel gets any pointer as a number, and memory behind it. */
static void any_pointer(cl_kernel where, cl_kernel back, int kind) {
    unsigned char *memory = make(kind, NULL, ROOM, 0), *gone = make(kind, NULL, ROOM, 0), three = 3;
    unsigned long *out = make(0, NULL, 64, 0);
    DONE(clMemFreeINTEL_(context, gone));
    DONE(FILL(memory, &three, 1, ROOM));
    DONE(clFinish(queue));
    const void *all[] = {memory + ROOM, gone, gone + 1, &kind, (void *)0x1234567, (void *)~0ull, NULL, memory + 5};
    DONE(clSetKernelArgMemPointerINTEL_(where, 0, out));
    for (int i = 0; i < 8; i++) {
        memset(out, 0, 64);
        out[1] = i == 7;
        DONE(clSetKernelArgMemPointerINTEL_(where, 1, all[i]));
        size_t one = 1;
        DONE(clEnqueueNDRangeKernel(queue, where, 1, NULL, &one, NULL, 0, NULL, NULL));
        DONE(clFinish(queue));
        if (out[0] != (unsigned long)all[i] || out[2] != (i == 7 ? 3 : 0))
            FAIL("%p is %#lx, %lu", all[i], out[0], out[2]);
    }
    GIVES(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(where, 1, memory + ROOM));
    /* From the pointer behind the last element kernels go back. */
    int *numbers = (int *)memory, first = 100;
    DONE(FILL(memory, &first, 4, ROOM));
    DONE(clSetKernelArgMemPointerINTEL_(back, 0, out));
    DONE(clSetKernelArgMemPointerINTEL_(back, 1, numbers + N));
    DONE(clSetKernelArgMemPointerINTEL_(add, 0, numbers));
    size_t global = N, few = 10;
    DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL));
    DONE(clEnqueueNDRangeKernel(queue, back, 1, NULL, &few, NULL, 0, NULL, NULL));
    DONE(clFinish(queue));
    for (int i = 0; i < 10; i++)
        if (((int *)out)[i] != 100 + N - 1 - i)
            FAIL("%d before the end is %d", i + 1, ((int *)out)[i]);
    DONE(clMemFreeINTEL_(context, memory));
    DONE(clMemFreeINTEL_(context, out));
}

/* Kernels get the memory as arguments and through other memory. */
static void kernels(int kind) {
    size_t global = N - 8, one = 1;
    int *memory = make(kind, NULL, ROOM, 0), *plain = make(0, NULL, 64, 0);
    const int five = 5;
    DONE(FILL(memory, &five, 4, ROOM));
    DONE(clSetKernelArgMemPointerINTEL_(add, 0, memory + 8));
    DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL));
    expect(memory, 0, 8, 5, 0);
    expect(memory, 8, N, 5, 1);
    GIVES(CL_INVALID_KERNEL, clSetKernelArgMemPointerINTEL_((cl_kernel)queue, 0, memory));
    GIVES(CL_INVALID_ARG_INDEX, clSetKernelArgMemPointerINTEL_(add, 3, memory));
    GIVES(CL_INVALID_ARG_VALUE, clSetKernelArgMemPointerINTEL_(add, 1, memory));
    GIVES(CL_INVALID_ARG_VALUE, clSetKernelArgMemPointerINTEL_(add, 2, memory));
    DONE(clSetKernelArgMemPointerINTEL_(add, 0, NULL));

    /* A pointer that lies in memory of the host's: allowed by kind, by a list, and atomically. */
    int **to = (int **)plain;
    *to = memory;
    const cl_bool yes = CL_TRUE, no = CL_FALSE;
    const cl_uint allowed[] = {INDIRECT_HOST, INDIRECT_DEVICE, INDIRECT_SHARED};
    void *list[] = {memory};
    DONE(clSetKernelArgMemPointerINTEL_(chase, 0, plain));
    DONE(clSetKernelExecInfo(chase, allowed[kind > 2 ? 2 : kind], sizeof yes, &yes));
    DONE(clEnqueueNDRangeKernel(queue, chase, 1, NULL, &one, NULL, 0, NULL, NULL));
    expect(memory, 0, 1, 6, 0);
    DONE(clSetKernelExecInfo(chase, allowed[kind > 2 ? 2 : kind], sizeof no, &no));
    DONE(clSetKernelExecInfo(chase, POINTERS, sizeof list, list));
    DONE(clEnqueueNDRangeKernel(queue, chase, 1, NULL, &one, NULL, 0, NULL, NULL));
    expect(memory, 0, 1, 7, 0);
    DONE(clSetKernelExecInfo(chase, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof list, list));
    DONE(clSetKernelExecInfo(chase, POINTERS, 0, NULL));
    for (int i = 0; i < 3; i++) {
        GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(chase, allowed[i], 1, &yes));
        GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(chase, allowed[i], 8, list));
        GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(chase, allowed[i], sizeof yes, NULL));
    }
    GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(chase, POINTERS, sizeof list, NULL));
    GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(chase, POINTERS, 7, list));
    GIVES(CL_INVALID_KERNEL, clSetKernelExecInfo((cl_kernel)queue, POINTERS, sizeof list, list));

    /* A clone has what was set; atomics on all kinds of memory. */
    DONE(FILL(memory, &(int){0}, 4, ROOM));
    DONE(clSetKernelArgMemPointerINTEL_(count, 0, memory + 1));
    cl_kernel clone = clCloneKernel(count, &error);
    DONE(error);
    DONE(clEnqueueNDRangeKernel(queue, clone, 1, NULL, &global, NULL, 0, NULL, NULL));
    expect(memory, 1, 2, (int)global, 0);
    DONE(clReleaseKernel(clone));
    DONE(clMemBlockingFreeINTEL_(context, plain));

    /* What is enqueued is done before memory goes, whatever queue it is in. */
    cl_command_queue second = queue_of(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_event end;
    for (int i = 0; i < 8; i++)
        DONE(clEnqueueNDRangeKernel(second, count, 1, NULL, &global, NULL, 0, NULL, i < 7 ? NULL : &end));
    DONE(clMemBlockingFreeINTEL_(context, memory));
    cl_int status;
    DONE(clGetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    GIVES(CL_COMPLETE, status);
    DONE(clReleaseEvent(end));
    DONE(clReleaseCommandQueue(second));
}

/* The host sees host and shared memory as it is, also what kernels of all devices made of it. */
static void seen_by_host(void) {
    for (int kind = 0; kind < 4; kind += 2) {
        int *memory = make(kind, NULL, ROOM, 0);
        for (int i = 0; i < N; i++)
            memory[i] = 100;
        size_t global = N;
        DONE(clSetKernelArgMemPointerINTEL_(add, 0, memory));
        for (cl_uint d = 0; d < device_count; d++) {
            cl_command_queue of_it = queue_of(context, devices[d], 0);
            DONE(clEnqueueNDRangeKernel(of_it, add, 1, NULL, &global, NULL, 0, NULL, NULL));
            DONE(clFinish(of_it));
            DONE(clReleaseCommandQueue(of_it));
        }
        for (int i = 0; i < N; i++)
            IS(memory[i] == 100 + i * (int)device_count);
        DONE(clMemFreeINTEL_(context, memory));
    }
}

static long resident(void) {
    long size, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    IS(file && fscanf(file, "%ld %ld", &size, &pages) == 2);
    fclose(file);
    return pages * 4;
}

/* A number that is a pointer to the end of a buffer keeps nothing of it. */
static void keeps_no_buffer(cl_kernel where, cl_kernel back) {
    enum { LARGE = 64 << 20 };
    cl_mem buffer = buffer_of(context, 0, LARGE, NULL);
    char one = 1;
    DONE(clEnqueueFillBuffer(queue, buffer, &one, 1, 0, LARGE, 0, NULL, NULL));
    cl_ulong *out = make(0, NULL, 64, 0);
    memset(out, 0, 64);
    DONE(clSetKernelArgMemPointerINTEL_(where, 0, out));
    DONE(clSetKernelArg(where, 1, sizeof buffer, &buffer));
    size_t items = 1;
    DONE(clEnqueueNDRangeKernel(queue, where, 1, NULL, &items, NULL, 0, NULL, NULL));
    DONE(clFinish(queue));
    IS(out[0] != 0);
    DONE(clSetKernelArgMemPointerINTEL_(where, 1, NULL));
    DONE(clSetKernelArgMemPointerINTEL_(back, 1, (void *)(out[0] + LARGE)));
    DONE(clReleaseMemObject(buffer));
    long after = resident();
    DONE(clSetKernelArgMemPointerINTEL_(back, 1, NULL));
    if (after - resident() > LARGE / 2048)
        FAIL("%ld KiB were kept", after - resident());
    DONE(clMemFreeINTEL_(context, out));
}

/* The host has memory of its own where a device's was, and commands access it. */
static void is_known_no_more(char *place) {
    char here[16];
    memset(here, 7, sizeof here);
    void *own = mmap(place, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    IS(own == place);
    DONE(clEnqueueMemcpyINTEL_(queue, CL_TRUE, place, here, sizeof here, 0, NULL, NULL));
    IS(memcmp(place, here, sizeof here) == 0);
    memset(place, 8, sizeof here);
    DONE(clEnqueueMemcpyINTEL_(queue, CL_TRUE, here, place, sizeof here, 0, NULL, NULL));
    IS(memcmp(place, here, sizeof here) == 0);
    IS(munmap(own, 4096) == 0);
}

/* Memory of a device is not reached from another context. */
static void of_another_context(void) {
    cl_context other = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    DONE(error);
    char *theirs = clDeviceMemAllocINTEL_(other, device, NULL, ROOM, 0, &error), mine[16] = {0};
    DONE(error);
    cl_mem buffer = buffer_of(context, 0, ROOM, NULL);
    const void *ways[] = {theirs, theirs + ROOM - 1};
    for (int i = 0; i < 2; i++) {
        char *at = (char *)ways[i];
        GIVES(CL_INVALID_VALUE, clEnqueueMemcpyINTEL_(queue, CL_TRUE, mine, at, 1, 0, NULL, NULL));
        GIVES(CL_INVALID_VALUE, clEnqueueMemcpyINTEL_(queue, CL_TRUE, at, mine, 1, 0, NULL, NULL));
        GIVES(CL_INVALID_VALUE, clEnqueueSVMMemcpy(queue, CL_TRUE, mine, at, 1, 0, NULL, NULL));
        DONE(clEnqueueMemcpyINTEL_(queue, CL_TRUE, mine, at, 0, 0, NULL, NULL));
        DONE(clEnqueueSVMMemcpy(queue, CL_TRUE, at, mine, 0, 0, NULL, NULL));
        GIVES(CL_INVALID_VALUE, clEnqueueMemFillINTEL_(queue, at, mine, 1, 1, 0, NULL, NULL));
        GIVES(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, buffer, at, 1, 0, 8, 0, NULL, NULL));
        GIVES(CL_INVALID_ARG_VALUE, clSetKernelArg(add, 0, sizeof(cl_mem), at));
        GIVES(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 1, at, 0, NULL, NULL));
        GIVES(CL_INVALID_VALUE, clEnqueueWriteBuffer(queue, buffer, CL_TRUE, 0, 1, at, 0, NULL, NULL));
        MADE(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 1, at, &error));
        MADE(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 1, at, &error));
        MADE(CL_INVALID_HOST_PTR,
             clCreateBuffer(context, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, 1, at, &error));
    }
    DONE(clMemFreeINTEL_(other, theirs));
    is_known_no_more(theirs);
    /* What the context leaves is not known as a device's any more. */
    theirs = clDeviceMemAllocINTEL_(other, device, NULL, ROOM, 0, &error);
    DONE(error);
    DONE(clReleaseContext(other));
    is_known_no_more(theirs);
    DONE(clReleaseMemObject(buffer));
}

/* Patterns and colours may be in memory of a device, too. */
static void patterns(void) {
    const int nine = 9;
    int *from = clDeviceMemAllocINTEL_(context, device, NULL, ROOM, 0, &error);
    int *to = clSVMAlloc(context, 0, 64, 0), got[16];
    DONE(error);
    DONE(FILL(from, &nine, 4, ROOM));
    DONE(clFinish(queue));
    cl_mem buffer = buffer_of(context, 0, 64, NULL);
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 1};
    cl_mem image = clCreateImage(context, 0, &rgba, &desc, NULL, &error);
    DONE(error);
    size_t origin[3] = {0}, size[3] = {16, 1, 1};
    DONE(clEnqueueFillBuffer(queue, buffer, from, 4, 0, 64, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, got, 0, NULL, NULL));
    DONE(clEnqueueSVMMemFill(queue, to, from + 2, 8, 64, 0, NULL, NULL));
    DONE(clFinish(queue));
    for (int i = 0; i < 16; i++)
        IS(got[i] == 9 && to[i] == 9);
    DONE(clEnqueueFillImage(queue, image, from + 4, origin, size, 0, NULL, NULL));
    DONE(clEnqueueReadImage(queue, image, CL_TRUE, origin, size, 0, 0, got, 0, NULL, NULL));
    for (int i = 0; i < 16; i++)
        IS(got[i] == 0x09090909);
    GIVES(CL_INVALID_VALUE, clEnqueueFillBuffer(queue, buffer, from + ROOM / 4 - 1, 8, 0, 64, 0, NULL, NULL));
    /* Values of arguments, as well. */
    size_t some = 16;
    DONE(clSetKernelArg(add, 2, 4, from));
    DONE(clSetKernelArgMemPointerINTEL_(add, 0, to));
    DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &some, NULL, 0, NULL, NULL));
    DONE(clFinish(queue));
    for (int i = 0; i < 16; i++)
        IS(to[i] == 9 + i + 9);
    DONE(clSetKernelArg(add, 2, 4, &(int){0}));
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(add, 0, sizeof(cl_mem), from));
    GIVES(CL_INVALID_ARG_VALUE, clSetKernelArg(add, 0, sizeof(cl_mem), from + ROOM / 4 - 1));
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseMemObject(image));
    clSVMFree(context, to);
    DONE(clMemFreeINTEL_(context, from));
}

/* Images of a device's memory: what is copied may be there. */
static void images_of(void) {
    unsigned char *from = clDeviceMemAllocINTEL_(context, device, NULL, 16 * 4 * 4, 0, &error);
    DONE(error);
    const unsigned char nine = 9;
    DONE(clEnqueueMemFillINTEL_(queue, from, &nine, 1, 16 * 4 * 4, 0, NULL, NULL));
    DONE(clFinish(queue));
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 4};
    cl_mem copy = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &rgba, &desc, from, &error);
    DONE(error);
    size_t origin[3] = {0}, size[3] = {16, 4, 1};
    unsigned char got[16 * 4 * 4];
    DONE(clEnqueueReadImage(queue, copy, CL_TRUE, origin, size, 0, 0, got, 0, NULL, NULL));
    for (size_t i = 0; i < sizeof got; i++)
        IS(got[i] == 9);
    DONE(clReleaseMemObject(copy));
    desc.image_height = 5;
    MADE(CL_INVALID_HOST_PTR, clCreateImage(context, CL_MEM_COPY_HOST_PTR, &rgba, &desc, from, &error));
    desc.image_type = CL_MEM_OBJECT_IMAGE3D, desc.image_height = 2, desc.image_depth = 2;
    MADE(CL_INVALID_HOST_PTR, clCreateImage(context, CL_MEM_USE_HOST_PTR, &rgba, &desc, from, &error));
    DONE(clMemFreeINTEL_(context, from));
}

/* Memory of one device is copied to that of another. */
static void between_devices(void) {
    if (device_count < 2)
        return;
    int *first = clDeviceMemAllocINTEL_(context, devices[0], NULL, ROOM, 0, &error);
    int *second = clDeviceMemAllocINTEL_(context, devices[1], NULL, ROOM, 0, &error);
    DONE(error);
    cl_command_queue of_second = queue_of(context, devices[1], 0);
    const int seven = 7;
    DONE(clEnqueueMemFillINTEL_(queue, first, &seven, 4, ROOM, 0, NULL, NULL));
    DONE(clFinish(queue));
    DONE(clEnqueueMemcpyINTEL_(of_second, CL_TRUE, second, first, ROOM, 0, NULL, NULL));
    size_t global = N;
    DONE(clSetKernelArgMemPointerINTEL_(add, 0, second));
    DONE(clEnqueueNDRangeKernel(of_second, add, 1, NULL, &global, NULL, 0, NULL, NULL));
    DONE(clFinish(of_second));
    expect(second, 0, N, 7, 1);
    expect(first, 0, N, 7, 0);
    /* Each has a place of its own, where the host has nothing, either. */
    char *all[16];
    for (int i = 0; i < 16; i++) {
        char number = (char)(i + 1);
        all[i] = clDeviceMemAllocINTEL_(context, devices[i % 2], NULL, ROOM, 0, &error);
        DONE(error);
        DONE(clEnqueueMemFillINTEL_(i % 2 ? of_second : queue, all[i], &number, 1, ROOM, 0, NULL, NULL));
        IS(mmap(all[i], 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED);
    }
    DONE(clFinish(queue));
    DONE(clFinish(of_second));
    for (int i = 0; i < 16; i++) {
        char got[ROOM];
        DONE(clEnqueueMemcpyINTEL_(queue, CL_TRUE, got, all[i], ROOM, 0, NULL, NULL));
        IS(got[0] == i + 1 && got[ROOM - 1] == i + 1);
        DONE(clMemFreeINTEL_(context, all[i]));
    }
    /* An object of both devices is not made of the memory of one. */
    MADE(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, ROOM, first, &error));
    DONE(clMemBlockingFreeINTEL_(context, first));
    DONE(clMemBlockingFreeINTEL_(context, second));
    DONE(clReleaseCommandQueue(of_second));
}

int main(void) {
    set_up();
    FUNCTIONS(FIND)
    cl_program program = built(context,
                               "kernel void add(global int *to, local int *none, int number) {\n"
                               "    to[get_global_id(0)] += get_global_id(0) + number;\n"
                               "}\n"
                               "kernel void chase(global ulong *at) { global int *to = (global int *)*at; *to += 1; }\n"
                               "kernel void count(global int *to) { atomic_inc(to); }\n"
                               "kernel void where(global ulong *out, global uchar *at) {\n"
                               "    out[0] = (ulong)at;\n"
                               "    if (out[1]) out[2] = at[get_global_id(0)];\n"
                               "}\n"
                               "kernel void back(global int *out, global const int *end) {\n"
                               "    int i = get_global_id(0);\n"
                               "    out[i] = end[-1 - i];\n"
                               "}\n",
                               "");
    cl_kernel where = kernel_of(program, "where"), back = kernel_of(program, "back");
    add = kernel_of(program, "add"), chase = kernel_of(program, "chase"), count = kernel_of(program, "count");
    DONE(clSetKernelArg(add, 1, 4, NULL));
    DONE(clSetKernelArg(add, 2, 4, &(int){0}));
    allocations();
    for (int kind = 0; kind < 4; kind++) {
        commands(kind);
        kernels(kind);
        any_pointer(where, back, kind);
    }
    keeps_no_buffer(where, back);
    of_another_context();
    patterns();
    seen_by_host();
    images_of();
    between_devices();
    printf("ok\n");
    return 0;
}
