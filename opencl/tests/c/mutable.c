/* Kernels in command buffers are changed: arguments, offsets, sizes; all or nothing; and the errors. */
#include "commands.h"

enum { N = 64 };
enum { OFFSET = 1, GLOBAL = 2, LOCAL = 4, ARGUMENTS = 8, EXEC_INFO = 16 };

static cl_int change(commands buffer, cl_uint count, const struct config *configs) {
    const void *list[4];
    cl_uint kinds[4] = {0};
    for (cl_uint i = 0; i < count; i++)
        list[i] = &configs[i];
    return clUpdateMutableCommandsKHR_(buffer, count, kinds, list);
}

static commands mutable(cl_command_queue queue, cl_ulong flags) {
    cl_ulong properties[] = {0x1293, flags, 0};
    commands buffer = clCreateCommandBufferKHR_(1, &queue, properties, &error);
    DONE(error);
    return buffer;
}

static void expect(cl_command_queue queue, cl_mem buffer, int line, int (*wanted)(int)) {
    int got[N];
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        if (got[i] != wanted(i))
            FAIL("line %d: %d is %d, not %d", line, i, got[i], wanted(i));
}

#define EXPECT(buffer, name) expect(queue, buffer, __LINE__, name)

static int twice_three(int i) { (void)i; return 6; }
static int part(int i) { return i >= 16 && i < 48 ? 100 + i % 8 : 0; }
static int zero(int i) { (void)i; return 0; }
static int nine(int i) { (void)i; return 9; }
static int ten(int i) { (void)i; return 10; }

static void changes(cl_context context, cl_device_id device, cl_program program) {
    cl_command_queue queue = queue_of(context, device, 0), other = queue_of(context, device, 0);
    int none[N] = {0};
    cl_mem a = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof none, none);
    cl_mem b = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof none, none);
    cl_kernel add = kernel_of(program, "add"), where = kernel_of(program, "where");
    size_t global = N;
    int one = 1, three = 3;
    /* The arguments come later. */
    commands buffer = mutable(queue, 3);
    cl_ulong fields[] = {0x12b1, ARGUMENTS, 0};
    void *first = NULL, *second = NULL;
    point at;
    DONE(clCommandNDRangeKernelKHR_(buffer, NULL, fields, add, 1, NULL, &global, NULL, 0, NULL, &at,
                                    &first));
    DONE(clSetKernelArg(where, 0, sizeof b, &b));
    DONE(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, where, 1, NULL, &global, NULL, 1, &at, NULL,
                                    &second));
    IS(first != NULL && second != NULL && first != second);
    DONE(clFinalizeCommandBufferKHR_(buffer));
    IS(state_of(buffer) == 2);
    GIVES(CL_INVALID_OPERATION, clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, NULL));
    struct argument args[] = {{0, sizeof a, &a}, {1, sizeof one, &one}, {1, sizeof three, &three}};
    struct config amount = {.command = first, .args = 1, .arg_list = args};
    DONE(change(buffer, 1, &amount));
    IS(state_of(buffer) == 2);
    amount.arg_list = &args[1];
    size_t offset = 16, range = 32, local = 8;
    struct config both[] = {amount,
                            {.command = first, .args = 1, .arg_list = &args[2]},
                            {.command = second,
                             .dimensions = 1,
                             .offset = &offset,
                             .global = &range,
                             .local = &local}};
    DONE(change(buffer, 3, both));
    IS(state_of(buffer) == 1);
    /* The kernels that the program has are as they were. */
    GIVES(CL_INVALID_KERNEL_ARGS,
          clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL));
    /* Two runs on two queues, the second after the first: what is for simultaneous use has no other order. */
    cl_event ends[2];
    DONE(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, &ends[0]));
    DONE(clEnqueueCommandBufferKHR_(1, &other, buffer, 1, &ends[0], &ends[1]));
    /* Changes do not matter to runs that were enqueued. */
    struct argument to[] = {{0, sizeof b, &b}};
    struct config moved = {.command = first, .args = 1, .arg_list = to};
    DONE(change(buffer, 1, &moved));
    DONE(clWaitForEvents(2, ends));
    EXPECT(a, twice_three);
    EXPECT(b, part);
    size_t sizes[3] = {0};
    DONE(clGetMutableCommandInfoKHR_(second, 0x12a5, sizeof sizes, sizes, NULL));
    IS(sizes[0] == offset);
    DONE(clGetMutableCommandInfoKHR_(second, 0x12a6, sizeof sizes, sizes, NULL));
    IS(sizes[0] == range);
    DONE(clGetMutableCommandInfoKHR_(second, 0x12a7, sizeof sizes, sizes, NULL));
    IS(sizes[0] == local);
    /* All or nothing: the second of these has no such argument. */
    struct argument bad[] = {{0, sizeof a, &a}, {7, sizeof one, &one}};
    struct config half[] = {{.command = first, .args = 1, .arg_list = bad},
                            {.command = first, .args = 1, .arg_list = &bad[1]}};
    GIVES(CL_INVALID_ARG_INDEX, change(buffer, 2, half));
    DONE(clEnqueueFillBuffer(queue, b, none, 4, 0, sizeof none, 0, NULL, NULL));
    DONE(clEnqueueFillBuffer(queue, a, none, 4, 0, sizeof none, 0, NULL, NULL));
    DONE(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, NULL));
    EXPECT(a, zero);
    for (int i = 0; i < 2; i++)
        DONE(clReleaseEvent(ends[i]));
    /* The handles go with the command buffer. */
    DONE(clReleaseCommandBufferKHR_(buffer));
    DONE(clFinish(queue));
    GIVES(INVALID_COMMAND, clGetMutableCommandInfoKHR_(first, 0x12a4, 0, NULL, NULL));
    cl_mem all[] = {a, b};
    for (int i = 0; i < 2; i++)
        DONE(clReleaseMemObject(all[i]));
    DONE(clReleaseKernel(add));
    DONE(clReleaseKernel(where));
    DONE(clReleaseCommandQueue(queue));
    DONE(clReleaseCommandQueue(other));
}

/* A pointer to shared virtual memory, and memory that is reached by pointers. */
static void pointers(cl_context context, cl_device_id device, cl_program program) {
    cl_command_queue queue = queue_of(context, device, 0);
    int *memory = clSVMAlloc(context, CL_MEM_READ_WRITE, 2 * N * sizeof *memory, 0);
    IS(memory != NULL);
    memset(memory, 0, 2 * N * sizeof *memory);
    cl_kernel add = kernel_of(program, "add");
    int nines = 9;
    size_t global = N;
    DONE(clSetKernelArgSVMPointer(add, 0, memory));
    DONE(clSetKernelArg(add, 1, sizeof nines, &nines));
    commands buffer = mutable(queue, 2);
    void *command = NULL;
    DONE(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &global, NULL, 0, NULL, NULL,
                                    &command));
    DONE(clFinalizeCommandBufferKHR_(buffer));
    DONE(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, NULL));
    void *reached[] = {memory};
    struct argument to = {0, 0, memory + N},
                    info = {CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached};
    struct config config = {.command = command,
                            .svm_args = 1,
                            .svm_arg_list = &to,
                            .infos = 1,
                            .info_list = &info};
    DONE(change(buffer, 1, &config));
    DONE(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, NULL));
    DONE(clFinish(queue));
    for (int i = 0; i < 2 * N; i++)
        if (memory[i] != nine(i))
            FAIL("%d is %d", i, memory[i]);
    DONE(clReleaseCommandBufferKHR_(buffer));
    clSVMFree(context, memory);
    DONE(clReleaseKernel(add));
    DONE(clReleaseCommandQueue(queue));
}

/* A pointer to unified memory may be the end of an allocation; what lies in none is refused, as by
   clSetKernelArgSVMPointer. */
static void unified(cl_context context, cl_device_id device, cl_program program) {
    typedef void *(*device_fn)(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *);
    typedef cl_int (*free_fn)(cl_context, void *);
    device_fn alloc = (device_fn)clGetExtensionFunctionAddressForPlatform(platform, "clSharedMemAllocINTEL");
    free_fn release = (free_fn)clGetExtensionFunctionAddressForPlatform(platform, "clMemBlockingFreeINTEL");
    cl_command_queue queue = queue_of(context, device, 0);
    int *memory = alloc(context, device, NULL, N * sizeof *memory, 0, &error);
    cl_ulong *out = alloc(context, device, NULL, 2 * sizeof *out, 0, &error);
    DONE(error);
    for (int i = 0; i < N; i++)
        memory[i] = i + 1;
    cl_kernel ends = kernel_of(program, "ends");
    int looks = 0;
    size_t one = 1;
    DONE(clSetKernelArgSVMPointer(ends, 0, out));
    DONE(clSetKernelArgSVMPointer(ends, 1, memory));
    DONE(clSetKernelArg(ends, 2, sizeof looks, &looks));
    commands buffer = mutable(queue, 2);
    void *command = NULL;
    DONE(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, ends, 1, NULL, &one, NULL, 0, NULL, NULL, &command));
    DONE(clFinalizeCommandBufferKHR_(buffer));
    const void *all[] = {memory + N, memory + 4, NULL, memory + N};
    for (int i = 0; i < 4; i++) {
        looks = all[i] == memory + N || all[i] == memory + 4;
        struct argument to = {1, 0, all[i]}, value = {2, sizeof looks, &looks};
        struct config config = {
            .command = command, .svm_args = 1, .svm_arg_list = &to, .args = 1, .arg_list = &value};
        DONE(change(buffer, 1, &config));
        DONE(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, NULL));
        DONE(clFinish(queue));
        cl_ulong last = all[i] == memory + 4 ? 4 : looks ? N : 0;
        if (out[0] != (size_t)all[i] || out[1] != last)
            FAIL("%p is %#lx, before it %lu", all[i], (unsigned long)out[0], (unsigned long)out[1]);
    }
    char *svm = clSVMAlloc(context, 0, 64, 0), *freed = clSVMAlloc(context, 0, 64, 0);
    IS(svm && freed);
    clSVMFree(context, freed);
    const void *bad[] = {(void *)0x1234567, &one, svm + 64, freed, memory + N + 1};
    for (int i = 0; i < 5; i++) {
        struct argument to = {1, 0, bad[i]};
        struct config config = {.command = command, .svm_args = 1, .svm_arg_list = &to};
        GIVES(CL_INVALID_ARG_VALUE, change(buffer, 1, &config));
    }
    clSVMFree(context, svm);
    DONE(clReleaseCommandBufferKHR_(buffer));
    DONE(clReleaseKernel(ends));
    DONE(release(context, memory));
    DONE(release(context, out));
    DONE(clReleaseCommandQueue(queue));
}

static void errors(cl_context context, cl_device_id device, cl_program program) {
    cl_ulong can = 0;
    DONE(clGetDeviceInfo(device, 0x12b0, sizeof can, &can, NULL));
    IS(can == (OFFSET | GLOBAL | LOCAL | ARGUMENTS | EXEC_INFO));
    cl_command_queue queue = queue_of(context, device, 0);
    int none[N] = {0}, ten_ = 10;
    cl_mem memory = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof none, none);
    cl_kernel add = kernel_of(program, "add");
    size_t global = N, local = 8;
    commands buffer = mutable(queue, 2), fixed = mutable(queue, 0);
    cl_ulong unknown[] = {0x12b1, 64, 0}, twice[] = {0x12b1, 1, 0x12b1, 1, 0}, nothing[] = {0x12b1, 0, 0},
             kept[] = {0x12b8, 1, 0};
    void *command = NULL, *frozen = NULL;
#define RECORD(to, list, local, handle)                                                            \
    clCommandNDRangeKernelKHR_(to, NULL, list, add, 1, NULL, &global, local, 0, NULL, NULL, handle)
    GIVES(CL_INVALID_KERNEL_ARGS, RECORD(buffer, NULL, NULL, &command));
    /* Arguments can come later, sizes cannot, and nothing can where nothing is mutable. */
    cl_ulong late[] = {0x12b1, ARGUMENTS, 0};
    size_t large = 1 << 14;
    GIVES(CL_INVALID_WORK_ITEM_SIZE,
          clCommandNDRangeKernelKHR_(buffer, NULL, late, add, 1, NULL, &large, &large, 0, NULL, NULL,
                                     &command));
    GIVES(CL_INVALID_KERNEL_ARGS, RECORD(fixed, late, NULL, NULL));
    DONE(clSetKernelArg(add, 0, sizeof memory, &memory));
    DONE(clSetKernelArg(add, 1, sizeof ten_, &ten_));
    GIVES(CL_INVALID_OPERATION, RECORD(buffer, unknown, NULL, &command));
    GIVES(CL_INVALID_VALUE, RECORD(buffer, twice, NULL, &command));
    GIVES(CL_INVALID_VALUE, RECORD(buffer, kept, NULL, &command));
    IS(command == NULL);
    DONE(RECORD(buffer, kept, &local, &command));
    DONE(RECORD(buffer, nothing, NULL, &frozen));
    struct config same = {.command = command};
    GIVES(CL_INVALID_OPERATION, change(buffer, 1, &same));
    DONE(clFinalizeCommandBufferKHR_(buffer));
    DONE(clFinalizeCommandBufferKHR_(fixed));
    DONE(change(buffer, 1, &same));
    DONE(clUpdateMutableCommandsKHR_(buffer, 0, NULL, NULL));
    cl_uint kind = 0, other = 1;
    const void *list[] = {&same}, *null[] = {NULL};
    GIVES(INVALID_BUFFER, clUpdateMutableCommandsKHR_((commands)queue, 1, &kind, list));
    GIVES(CL_INVALID_VALUE, clUpdateMutableCommandsKHR_(buffer, 1, NULL, list));
    GIVES(CL_INVALID_VALUE, clUpdateMutableCommandsKHR_(buffer, 1, &kind, NULL));
    GIVES(CL_INVALID_VALUE, clUpdateMutableCommandsKHR_(buffer, 0, &kind, NULL));
    GIVES(CL_INVALID_VALUE, clUpdateMutableCommandsKHR_(buffer, 1, &other, list));
    GIVES(CL_INVALID_VALUE, clUpdateMutableCommandsKHR_(buffer, 1, &kind, null));
    GIVES(CL_INVALID_OPERATION, change(fixed, 1, &same));
    struct argument value = {1, sizeof ten_, &ten_};
    size_t huge = (size_t)1 << 40, odd = 60, seven = 7, whole = 4096;
    struct {
        cl_int code;
        struct config config;
    } bad[] = {
        {INVALID_COMMAND, {.command = NULL}},
        {INVALID_COMMAND, {.command = queue}},
        {CL_INVALID_OPERATION, {.command = command, .dimensions = 2}},
        {CL_INVALID_OPERATION, {.command = frozen, .global = &global}},
        {CL_INVALID_OPERATION, {.command = frozen, .offset = &global}},
        {CL_INVALID_OPERATION, {.command = frozen, .local = &local}},
        {CL_INVALID_OPERATION, {.command = frozen, .args = 1, .arg_list = &value}},
        {CL_INVALID_OPERATION, {.command = frozen, .infos = 1, .info_list = &value}},
        {CL_INVALID_VALUE, {.command = command, .args = 1}},
        {CL_INVALID_VALUE, {.command = command, .arg_list = &value}},
        {CL_INVALID_VALUE, {.command = command, .svm_arg_list = &value}},
        {CL_INVALID_VALUE, {.command = command, .info_list = &value}},
        {CL_INVALID_GLOBAL_WORK_SIZE, {.command = command, .global = &huge}},
        {CL_INVALID_OPERATION, {.command = command, .global = &odd}},
        {CL_INVALID_OPERATION, {.command = command, .local = &seven}},
        {CL_INVALID_WORK_ITEM_SIZE, {.command = command, .global = &whole, .local = &whole}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cl_int got = change(buffer, 1, &bad[i].config);
        if (got != bad[i].code)
            FAIL("configuration %zu: %d, not %d", i, got, bad[i].code);
    }
    /* What can be asked for. */
    cl_command_queue own = NULL;
    DONE(clGetMutableCommandInfoKHR_(command, 0x12a0, sizeof own, &own, NULL));
    commands parent = NULL;
    DONE(clGetMutableCommandInfoKHR_(command, 0x12a1, sizeof parent, &parent, NULL));
    cl_uint type = 0, dimensions = 0;
    DONE(clGetMutableCommandInfoKHR_(command, 0x12ad, sizeof type, &type, NULL));
    cl_ulong properties[4];
    size_t size = 0;
    DONE(clGetMutableCommandInfoKHR_(command, 0x12a2, sizeof properties, properties, &size));
    cl_kernel kernel = NULL;
    DONE(clGetMutableCommandInfoKHR_(command, 0x12a3, sizeof kernel, &kernel, NULL));
    DONE(clGetMutableCommandInfoKHR_(command, 0x12a4, sizeof dimensions, &dimensions, NULL));
    IS(own == queue && parent == buffer && type == CL_COMMAND_NDRANGE_KERNEL && kernel == add);
    IS(dimensions == 1 && size == sizeof kept && memcmp(properties, kept, size) == 0);
    GIVES(CL_INVALID_VALUE, clGetMutableCommandInfoKHR_(command, 0x12a4, 1, &dimensions, NULL));
    GIVES(CL_INVALID_VALUE, clGetMutableCommandInfoKHR_(command, 0x4711, 4, &dimensions, NULL));
    GIVES(INVALID_COMMAND, clGetMutableCommandInfoKHR_(queue, 0x12a4, 0, NULL, NULL));
    /* Nothing of it has changed the commands: two of them add ten. */
    int half = -5;
    struct argument fives[] = {{1, sizeof half, &half}};
    struct config lower = {.command = command, .args = 1, .arg_list = fives};
    DONE(change(buffer, 1, &lower));
    lower.arg_list = &value;
    half = 0;
    ten_ = 0;
    DONE(change(buffer, 1, &lower));
    DONE(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, NULL));
    EXPECT(memory, ten);
    DONE(clReleaseCommandBufferKHR_(buffer));
    DONE(clReleaseCommandBufferKHR_(fixed));
    DONE(clReleaseMemObject(memory));
    DONE(clReleaseKernel(add));
    DONE(clReleaseCommandQueue(queue));
}

/* A run does not wait for another one, which waits for the program. */
static void simultaneous(cl_context context, cl_device_id device, cl_program program) {
    cl_command_queue queue = queue_of(context, device, 0), other = queue_of(context, device, 0);
    int none[N] = {0}, five = 5;
    cl_mem memory = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof none, none);
    cl_kernel add = kernel_of(program, "add");
    size_t global = N;
    DONE(clSetKernelArg(add, 0, sizeof memory, &memory));
    DONE(clSetKernelArg(add, 1, sizeof five, &five));
    commands buffer = mutable(queue, 1);
    DONE(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &global, NULL, 0, NULL, NULL,
                                    NULL));
    DONE(clFinalizeCommandBufferKHR_(buffer));
    cl_event late = clCreateUserEvent(context, &error), second = NULL;
    DONE(error);
    DONE(clEnqueueCommandBufferKHR_(0, NULL, buffer, 1, &late, NULL));
    DONE(clEnqueueCommandBufferKHR_(1, &other, buffer, 0, NULL, &second));
    DONE(clWaitForEvents(1, &second));
    DONE(clSetUserEventStatus(late, CL_COMPLETE));
    DONE(clFinish(queue));
    EXPECT(memory, ten);
    DONE(clReleaseEvent(late));
    DONE(clReleaseEvent(second));
    DONE(clReleaseCommandBufferKHR_(buffer));
    DONE(clReleaseMemObject(memory));
    DONE(clReleaseKernel(add));
    DONE(clReleaseCommandQueue(other));
    DONE(clReleaseCommandQueue(queue));
}

static int folded(int i) {
    int sum = 0;
    for (int k = 0; k < 32; k++)
        sum += (k * 7 + 3) % 32 * i + k;
    return sum;
}

/* Two runs that are open at a time share no private memory, whichever run was enqueued last. */
static void apart(cl_context context, cl_device_id device, cl_program program) {
    cl_command_queue queues[3];
    for (int i = 0; i < 3; i++)
        queues[i] = queue_of(context, device, 0);
    cl_command_queue queue = queues[0];
    cl_kernel fold = kernel_of(program, "fold");
    enum { GROUPS = 64 };
    size_t global = N * GROUPS, local = N;
    cl_mem memory = buffer_of(context, CL_MEM_READ_WRITE, global * sizeof(int), NULL);
    int rounds = 1;
    DONE(clSetKernelArg(fold, 0, sizeof memory, &memory));
    DONE(clSetKernelArg(fold, 1, sizeof rounds, &rounds));
    commands buffer = mutable(queue, 1);
    DONE(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, fold, 1, NULL, &global, &local, 0, NULL, NULL,
                                    NULL));
    DONE(clFinalizeCommandBufferKHR_(buffer));
    /* The third run comes on a queue that has had no run, or on that of the second. */
    for (int third = 2; third > 0; third--) {
        cl_event late = clCreateUserEvent(context, &error), ends[3];
        DONE(error);
        DONE(clEnqueueCommandBufferKHR_(0, NULL, buffer, 1, &late, &ends[0]));
        DONE(clEnqueueCommandBufferKHR_(1, &queues[1], buffer, 0, NULL, &ends[1]));
        if (third == 2)
            DONE(clWaitForEvents(1, &ends[1]));
        DONE(clEnqueueCommandBufferKHR_(1, &queues[third], buffer, 0, NULL, &ends[2]));
        DONE(clSetUserEventStatus(late, CL_COMPLETE));
        DONE(clWaitForEvents(3, ends));
        static int got[N * GROUPS];
        DONE(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (int i = 0; i < N * GROUPS; i++)
            if (got[i] != folded(i))
                FAIL("%d is %d, not %d", i, got[i], folded(i));
        for (int i = 0; i < 3; i++)
            DONE(clReleaseEvent(ends[i]));
        DONE(clReleaseEvent(late));
    }
    DONE(clReleaseCommandBufferKHR_(buffer));
    DONE(clReleaseMemObject(memory));
    DONE(clReleaseKernel(fold));
    for (int i = 0; i < 3; i++)
        DONE(clReleaseCommandQueue(queues[i]));
}

int main(void) {
    cl_context context = begin();
    find();
    cl_program program = built(context,
                               "kernel void add(global int *data, int amount) {\n"
                               "    data[get_global_id(0)] += amount;\n"
                               "}\n"
                               "kernel void where(global int *data) {\n"
                               "    data[get_global_id(0)] = 100 + get_local_id(0);\n"
                               "}\n"
                               "kernel void fold(global int *data, int one) {\n"
                               "    int i = get_global_id(0), sum = 0, own[32];\n"
                               "    for (int k = 0; k < 32; k++)\n"
                               "        own[(k * one) % 32] = k * i;\n"
                               "    for (int k = 0; k < 32; k++)\n"
                               "        sum += own[(k * 7 * one + 3) % 32] + k;\n"
                               "    data[i] = sum;\n"
                               "}\n"
                               "kernel void ends(global ulong *out, global const int *end, int looks) {\n"
                               "    out[0] = (ulong)end;\n"
                               "    out[1] = looks ? end[-1] : 0;\n"
                               "}\n",
                               "");
    for (cl_uint d = 0; d < device_count; d++) {
        changes(context, devices[d], program);
        pointers(context, devices[d], program);
        unified(context, devices[d], program);
        errors(context, devices[d], program);
        simultaneous(context, devices[d], program);
        apart(context, devices[d], program);
    }
    DONE(clReleaseProgram(program));
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
