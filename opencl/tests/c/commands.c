/* Command buffers: what is recorded runs each time, in its order; and the errors. */
#include "commands.h"
#include <pthread.h>
#include <stdatomic.h>

enum { N = 64 };

static cl_ulong time_of(cl_event event, cl_profiling_info name) {
    cl_ulong time = 0;
    DONE(clGetEventProfilingInfo(event, name, sizeof time, &time, NULL));
    return time;
}

/* in += 3 in each run; then out = in + in; the SVM memory says that it was there. */
static void runs(cl_context context, cl_device_id device, cl_program program,
                 cl_command_queue_properties flags) {
    cl_command_queue queue = queue_of(context, device, flags | CL_QUEUE_PROFILING_ENABLE);
    cl_command_queue other = queue_of(context, device, 0);
    int data[N], got[N], seven = 7;
    for (int i = 0; i < N; i++)
        data[i] = i;
    cl_mem in = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
    cl_mem half = buffer_of(context, 0, sizeof data, NULL);
    cl_mem out = buffer_of(context, 0, sizeof data, NULL);
    int *svm = clSVMAlloc(context, CL_MEM_READ_WRITE, 2 * sizeof data, 0);
    IS(svm != NULL);
    memset(svm, 0, 2 * sizeof data);
    cl_kernel add = kernel_of(program, "add");
    cl_kernel sum = kernel_of(program, "sum");
    size_t global = N;
    int three = 3;
    commands buffer = clCreateCommandBufferKHR_(1, &queue, NULL, &error);
    DONE(error);
    IS(state_of(buffer) == 0);
    point points[6];
    DONE(clSetKernelArg(add, 0, sizeof in, &in));
    DONE(clSetKernelArg(add, 1, sizeof three, &three));
    DONE(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &global, NULL, 0, NULL,
                                    &points[0], NULL));
    /* Arguments are those of the time of recording. */
    int wrong = 1000;
    DONE(clSetKernelArg(add, 1, sizeof wrong, &wrong));
    DONE(clCommandFillBufferKHR_(buffer, NULL, NULL, half, &seven, sizeof seven, 0, sizeof data, 0,
                                 NULL, &points[1], NULL));
    DONE(clCommandCopyBufferKHR_(buffer, NULL, NULL, in, half, 0, 0, sizeof data / 2, 2, points,
                                 &points[2], NULL));
    DONE(clCommandBarrierWithWaitListKHR_(buffer, NULL, NULL, 0, NULL, &points[3], NULL));
    DONE(clSetKernelArg(sum, 0, sizeof out, &out));
    DONE(clSetKernelArg(sum, 1, sizeof in, &in));
    DONE(clSetKernelArg(sum, 2, sizeof half, &half));
    DONE(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, sum, 1, NULL, &global, NULL, 0, NULL, NULL,
                                    NULL));
    DONE(clCommandSVMMemFillKHR_(buffer, NULL, NULL, svm, &seven, sizeof seven, sizeof data, 0,
                                 NULL, &points[4], NULL));
    DONE(clCommandSVMMemcpyKHR_(buffer, NULL, NULL, svm + N, svm, sizeof data, 1, &points[4],
                                &points[5], NULL));
    GIVES(CL_INVALID_OPERATION, clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, NULL));
    DONE(clFinalizeCommandBufferKHR_(buffer));
    GIVES(CL_INVALID_OPERATION, clFinalizeCommandBufferKHR_(buffer));
    IS(state_of(buffer) == 1);
    cl_event gate = clCreateUserEvent(context, &error), end;
    DONE(error);
    for (int run = 1; run <= 4; run++) {
        /* The last two go to the device before anybody waits. */
        cl_command_queue *queues = run == 2 ? &other : NULL;
        DONE(clEnqueueCommandBufferKHR_(queues != NULL, queues, buffer, run == 1,
                                        run == 1 ? &gate : NULL, &end));
        if (run == 1)
            DONE(clSetUserEventStatus(gate, CL_COMPLETE));
        if (run != 3)
            DONE(clWaitForEvents(1, &end));
        cl_command_type type = 0;
        DONE(clGetEventInfo(end, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
        IS(type == 0x12a8);
        if (run == 1) {
            cl_ulong queued = time_of(end, CL_PROFILING_COMMAND_QUEUED);
            cl_ulong submitted = time_of(end, CL_PROFILING_COMMAND_SUBMIT);
            cl_ulong start = time_of(end, CL_PROFILING_COMMAND_START);
            IS(queued <= submitted && submitted <= start);
            IS(start < time_of(end, CL_PROFILING_COMMAND_END));
        }
        DONE(clReleaseEvent(end));
        if (run == 3)
            continue;
        DONE(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (int i = 0; i < N; i++) {
            int now = i + 3 * run;
            if (got[i] != now + (i < N / 2 ? now : 7))
                FAIL("run %d: %d is %d", run, i, got[i]);
        }
        IS(svm[0] == 7 && svm[2 * N - 1] == 7);
        memset(svm, 0, 2 * sizeof data);
    }
    clSVMFree(context, svm);
    DONE(clReleaseEvent(gate));
    DONE(clRetainCommandBufferKHR_(buffer));
    DONE(clReleaseCommandBufferKHR_(buffer));
    DONE(clReleaseCommandBufferKHR_(buffer));
    DONE(clReleaseKernel(add));
    DONE(clReleaseKernel(sum));
    cl_mem all[] = {in, half, out};
    for (int i = 0; i < 3; i++)
        DONE(clReleaseMemObject(all[i]));
    DONE(clReleaseCommandQueue(queue));
    DONE(clReleaseCommandQueue(other));
}

static cl_command_queue shared;
static int *svm;
static atomic_int done;

/* Commands of another thread in the same queue. */
static void *disturb(void *unused) {
    int nine = 9;
    while (!atomic_load(&done)) {
        for (int i = 0; i < 20; i++)
            DONE(clEnqueueSVMMemFill(shared, svm, &nine, sizeof nine, N * sizeof nine, 0, NULL,
                                     NULL));
        DONE(clFinish(shared));
    }
    return unused;
}

/* A command buffer with commands of the host is one command of its queue: no other thread's comes
   between its parts. */
static void alone(cl_context context, cl_device_id device, cl_program program) {
    shared = queue_of(context, device, 0);
    svm = clSVMAlloc(context, CL_MEM_READ_WRITE, 2 * N * sizeof *svm, 0);
    IS(svm != NULL);
    int one = 1, seven = 7, got[N];
    size_t global = N;
    cl_mem count = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof got, memset(got, 0, sizeof got));
    cl_kernel add = kernel_of(program, "add");
    DONE(clSetKernelArg(add, 0, sizeof count, &count));
    DONE(clSetKernelArg(add, 1, sizeof one, &one));
    commands buffer = clCreateCommandBufferKHR_(1, &shared, NULL, &error);
    DONE(error);
    DONE(clCommandSVMMemFillKHR_(buffer, NULL, NULL, svm, &seven, sizeof seven, N * sizeof seven, 0,
                                 NULL, NULL, NULL));
    DONE(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &global, NULL, 0, NULL, NULL,
                                    NULL));
    DONE(clCommandSVMMemcpyKHR_(buffer, NULL, NULL, svm + N, svm, N * sizeof seven, 0, NULL, NULL,
                                NULL));
    DONE(clFinalizeCommandBufferKHR_(buffer));
    pthread_t other;
    atomic_store(&done, 0);
    IS(pthread_create(&other, NULL, disturb, NULL) == 0);
    enum { RUNS = 100 };
    for (int run = 0; run < RUNS; run++) {
        cl_event end;
        DONE(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, &end));
        DONE(clWaitForEvents(1, &end));
        DONE(clReleaseEvent(end));
        for (int i = 0; i < N; i++)
            if (svm[N + i] != 7)
                FAIL("run %d: %d is %d", run, i, svm[N + i]);
    }
    atomic_store(&done, 1);
    IS(pthread_join(other, NULL) == 0);
    DONE(clEnqueueReadBuffer(shared, count, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    IS(got[0] == RUNS && got[N - 1] == RUNS);
    DONE(clReleaseCommandBufferKHR_(buffer));
    DONE(clReleaseKernel(add));
    DONE(clReleaseMemObject(count));
    DONE(clReleaseCommandQueue(shared));
    clSVMFree(context, svm);
}

/* A wait list with a failed event: no command runs. */
static void fails(cl_context context, cl_program program) {
    cl_command_queue queue = queue_of(context, devices[0], 0);
    cl_kernel add = kernel_of(program, "add");
    int data[N] = {0}, one = 1;
    cl_mem buffer = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
    size_t global = N;
    commands twice = clCreateCommandBufferKHR_(1, &queue, NULL, &error);
    DONE(error);
    DONE(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    DONE(clSetKernelArg(add, 1, sizeof one, &one));
    for (int i = 0; i < 2; i++)
        DONE(clCommandNDRangeKernelKHR_(twice, NULL, NULL, add, 1, NULL, &global, NULL, 0, NULL,
                                        NULL, NULL));
    DONE(clFinalizeCommandBufferKHR_(twice));
    cl_event gate = clCreateUserEvent(context, &error), end;
    DONE(error);
    DONE(clEnqueueCommandBufferKHR_(0, NULL, twice, 1, &gate, &end));
    DONE(clSetUserEventStatus(gate, -7));
    GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &end));
    /* The next runs do not fail with it: of another queue, and of the same. */
    cl_command_queue other = queue_of(context, devices[0], 0);
    DONE(clEnqueueCommandBufferKHR_(1, &other, twice, 0, NULL, NULL));
    DONE(clFinish(other));
    DONE(clReleaseCommandQueue(other));
    DONE(clReleaseEvent(end));
    DONE(clEnqueueCommandBufferKHR_(0, NULL, twice, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    IS(data[0] == 4 && data[N - 1] == 4);
    DONE(clReleaseEvent(gate));
    DONE(clReleaseCommandBufferKHR_(twice));
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseKernel(add));
    DONE(clReleaseCommandQueue(queue));
}

#define OLDER(type, name, parameters)                                                              \
    type(*name) parameters =                                                                       \
        (type(*) parameters)clGetExtensionFunctionAddressForPlatform(platform, #name)

/* Calls with the parameters of versions before 0.9.5, which had no properties, are told. */
static void older(cl_context context, commands buffer) {
    OLDER(cl_int, clCommandBarrierWithWaitListKHR, (commands, cl_command_queue, PLACE));
    OLDER(cl_int, clCommandCopyBufferKHR,
          (commands, cl_command_queue, cl_mem, cl_mem, size_t, size_t, size_t, PLACE));
    OLDER(cl_int, clCommandFillBufferKHR,
          (commands, cl_command_queue, cl_mem, const void *, size_t, size_t, size_t, PLACE));
    cl_mem one = buffer_of(context, 0, 64, NULL), other = buffer_of(context, 0, 64, NULL);
    point before = 1, got = 77;
    const cl_uint pattern = 1;
    GIVES(CL_INVALID_VALUE,
          clCommandBarrierWithWaitListKHR(buffer, NULL, 1, &before, &got, NULL));
    GIVES(CL_INVALID_VALUE,
          clCommandCopyBufferKHR(buffer, NULL, one, other, 0, 0, 64, 0, NULL, &got, NULL));
    GIVES(CL_INVALID_VALUE,
          clCommandFillBufferKHR(buffer, NULL, one, &pattern, 4, 0, 64, 0, NULL, NULL, NULL));
    IS(got == 77);
    DONE(clReleaseMemObject(one));
    DONE(clReleaseMemObject(other));
}

static void errors(cl_context context, cl_program program) {
    cl_command_queue queue = queue_of(context, devices[0], 0);
    cl_command_queue both[] = {queue, queue};
    clCreateCommandBufferKHR_(2, both, NULL, &error);
    GIVES(CL_INVALID_VALUE, error);
    clCreateCommandBufferKHR_(1, NULL, NULL, &error);
    GIVES(CL_INVALID_VALUE, error);
    cl_command_queue none = NULL;
    clCreateCommandBufferKHR_(1, &none, NULL, &error);
    GIVES(CL_INVALID_COMMAND_QUEUE, error);
    static const cl_ulong unknown[] = {0x4711, 0, 0}, twice[] = {0x1293, 0, 0x1293, 0, 0},
                          unsupported[] = {0x1293, 4, 0}, flags[] = {0x1293, 0, 0};
    clCreateCommandBufferKHR_(1, &queue, unknown, &error);
    GIVES(CL_INVALID_VALUE, error);
    clCreateCommandBufferKHR_(1, &queue, twice, &error);
    GIVES(CL_INVALID_VALUE, error);
    clCreateCommandBufferKHR_(1, &queue, unsupported, &error);
    GIVES(CL_INVALID_PROPERTY, error);
    commands buffer = clCreateCommandBufferKHR_(1, &queue, flags, &error);
    DONE(error);
    cl_ulong list[4];
    size_t size = 0;
    DONE(clGetCommandBufferInfoKHR_(buffer, 0x1298, sizeof list, list, &size));
    IS(size == sizeof flags && memcmp(list, flags, size) == 0);
    cl_context own = NULL;
    DONE(clGetCommandBufferInfoKHR_(buffer, 0x1299, sizeof own, &own, NULL));
    IS(own == context);
    GIVES(CL_INVALID_VALUE, clGetCommandBufferInfoKHR_(buffer, 0x1298, 8, list, NULL));
    cl_kernel add = kernel_of(program, "add");
    size_t global = N;
    point bad = 1, got = 77;
    void *handle = NULL;
    static const cl_ulong property[] = {1, 1, 0};
    GIVES(INVALID_BUFFER,
          clCommandBarrierWithWaitListKHR_((commands)queue, NULL, NULL, 0, NULL, NULL, NULL));
    GIVES(CL_INVALID_COMMAND_QUEUE,
          clCommandBarrierWithWaitListKHR_(buffer, queue, NULL, 0, NULL, NULL, NULL));
    GIVES(CL_INVALID_VALUE,
          clCommandBarrierWithWaitListKHR_(buffer, NULL, property, 0, NULL, NULL, NULL));
    GIVES(CL_INVALID_VALUE,
          clCommandBarrierWithWaitListKHR_(buffer, NULL, NULL, 0, NULL, NULL, &handle));
    GIVES(INVALID_POINTS,
          clCommandBarrierWithWaitListKHR_(buffer, NULL, NULL, 1, NULL, NULL, NULL));
    GIVES(INVALID_POINTS,
          clCommandBarrierWithWaitListKHR_(buffer, NULL, NULL, 0, &bad, NULL, NULL));
    GIVES(INVALID_POINTS,
          clCommandBarrierWithWaitListKHR_(buffer, NULL, NULL, 1, &bad, NULL, NULL));
    older(context, buffer);
    /* The kernel has no arguments yet. */
    GIVES(CL_INVALID_KERNEL_ARGS,
          clCommandNDRangeKernelKHR_(buffer, NULL, NULL, add, 1, NULL, &global, NULL, 0, NULL, &got,
                                     NULL));
    IS(got == 77);
    DONE(clFinalizeCommandBufferKHR_(buffer));
    GIVES(CL_INVALID_OPERATION,
          clCommandBarrierWithWaitListKHR_(buffer, NULL, NULL, 0, NULL, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueCommandBufferKHR_(1, NULL, buffer, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueCommandBufferKHR_(0, &queue, buffer, 0, NULL, NULL));
    GIVES(CL_INVALID_COMMAND_QUEUE, clEnqueueCommandBufferKHR_(1, &none, buffer, 0, NULL, NULL));
    GIVES(CL_INVALID_EVENT_WAIT_LIST, clEnqueueCommandBufferKHR_(0, NULL, buffer, 1, NULL, NULL));
    if (device_count > 1) {
        cl_command_queue second = queue_of(context, devices[1], 0);
        GIVES(CL_INVALID_DEVICE, clEnqueueCommandBufferKHR_(1, &second, buffer, 0, NULL, NULL));
        DONE(clReleaseCommandQueue(second));
    }
    /* An empty one ends at once. */
    cl_event end;
    DONE(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, &end));
    DONE(clWaitForEvents(1, &end));
    DONE(clReleaseEvent(end));
    DONE(clReleaseCommandBufferKHR_(buffer));
    GIVES(INVALID_BUFFER, clFinalizeCommandBufferKHR_(buffer));
    DONE(clReleaseKernel(add));
    DONE(clReleaseCommandQueue(queue));
}

int main(void) {
    cl_context context = begin();
    find();
    cl_program program = built(context,
                               "kernel void add(global int *data, int amount) {\n"
                               "    data[get_global_id(0)] += amount;\n"
                               "}\n"
                               "kernel void sum(global int *out, global int *a, global int *b) {\n"
                               "    size_t i = get_global_id(0);\n"
                               "    out[i] = a[i] + b[i];\n"
                               "}\n",
                               "");
    for (cl_uint d = 0; d < device_count; d++) {
        runs(context, devices[d], program, 0);
        runs(context, devices[d], program, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        alone(context, devices[d], program);
    }
    fails(context, program);
    errors(context, program);
    DONE(clReleaseProgram(program));
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
