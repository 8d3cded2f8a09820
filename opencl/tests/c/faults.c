/* Kernels that fault and that never end: their event's error, the report in the context's callback, and after it. */
#include "commands.h"

enum { N = 64 };

static char report[1 << 12];

static void CL_CALLBACK on_error(const char *text, const void *bytes, size_t size, void *data) {
    (void)bytes;
    (void)size;
    *(int *)data += 1;
    snprintf(report, sizeof report, "%s", text);
}

static void add_works(cl_context context, cl_command_queue queue, cl_program program) {
    int data[N] = {0}, two = 2;
    cl_kernel add = kernel_of(program, "add");
    cl_mem buffer = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
    size_t global = N;
    DONE(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    DONE(clSetKernelArg(add, 1, sizeof two, &two));
    DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
    IS(data[0] == 2 && data[N - 1] == 2);
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseKernel(add));
}

/* A command buffer that faults in its middle: a kernel, SVM memory that the host sets (which parts
   its batch), the kernel that faults, and what must not run. */
static void fails_midway(cl_context context, cl_program program, const int *reports) {
    cl_command_queue queue = queue_of(context, devices[0], CL_QUEUE_PROFILING_ENABLE);
    cl_kernel add = kernel_of(program, "add"), wild = kernel_of(program, "wild");
    int data[N] = {0}, one = 1, seven = 7, before = *reports;
    cl_mem buffer = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
    int *svm = clSVMAlloc(context, CL_MEM_READ_WRITE, 8, 0);
    svm[0] = svm[1] = 0;
    size_t global = N;
    cl_ulong place = 0x123456789000ul;
    DONE(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    DONE(clSetKernelArg(add, 1, sizeof one, &one));
    DONE(clSetKernelArg(wild, 0, sizeof place, &place));
    for (int parts = 0; parts < 2; parts++) {
        commands all = clCreateCommandBufferKHR_(1, &queue, NULL, &error);
        DONE(error);
#define KERNEL(name)                                                                               \
    DONE(clCommandNDRangeKernelKHR_(all, NULL, NULL, name, 1, NULL, &global, NULL, 0, NULL, NULL,  \
                                    NULL))
        KERNEL(add);
        if (parts)
            DONE(clCommandSVMMemFillKHR_(all, NULL, NULL, svm, &seven, 4, 4, 0, NULL, NULL, NULL));
        KERNEL(wild);
        if (parts)
            DONE(clCommandSVMMemFillKHR_(all, NULL, NULL, svm + 1, &seven, 4, 4, 0, NULL, NULL,
                                         NULL));
        KERNEL(add);
        DONE(clFinalizeCommandBufferKHR_(all));
        cl_event end, after;
        DONE(clEnqueueCommandBufferKHR_(0, NULL, all, 0, NULL, &end));
        cl_int waited = clEnqueueMarkerWithWaitList(queue, 1, &end, &after);
        GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &end));
        cl_int status = 0;
        DONE(clGetEventInfo(end, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
        IS(status == CL_OUT_OF_RESOURCES);
        if (waited == CL_SUCCESS) {
            /* What waits for it fails with it. */
            GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &after));
            DONE(clReleaseEvent(after));
        }
        cl_ulong time = 0;
        GIVES(CL_PROFILING_INFO_NOT_AVAILABLE,
              clGetEventProfilingInfo(end, CL_PROFILING_COMMAND_END, sizeof time, &time, NULL));
        IS(*reports > before);
        if (!strstr(report, "wild") && !strstr(report, "wait list"))
            FAIL("the report: %s", report);
        /* It is executable as before; the queue is lost. */
        IS(state_of(all) == 1);
        GIVES(CL_OUT_OF_RESOURCES, clEnqueueCommandBufferKHR_(0, NULL, all, 0, NULL, NULL));
        DONE(clReleaseEvent(end));
        DONE(clReleaseCommandQueue(queue));
        queue = queue_of(context, devices[0], CL_QUEUE_PROFILING_ENABLE);
        DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
        IS(data[0] == 1 + parts && data[N - 1] == 1 + parts);
        IS(svm[0] == 7 * parts && svm[1] == 0);
        DONE(clReleaseCommandBufferKHR_(all));
    }
    clSVMFree(context, svm);
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseKernel(add));
    DONE(clReleaseKernel(wild));
    DONE(clReleaseCommandQueue(queue));
}

int main(void) {
    int reports = 0;
    DONE(clReleaseContext(begin()));
    find();
    cl_context context = clCreateContext(NULL, 1, devices, on_error, &reports, &error);
    DONE(error);
    cl_program program = built(context,
                               "kernel void add(global int *data, int amount) {\n"
                               "    data[get_global_id(0)] += amount;\n"
                               "}\n"
                               "kernel void wild(ulong place) {\n"
                               "    *(global int *)place = 1;\n"
                               "}\n"
                               "kernel void spins(volatile global int *p) { while (*p == 0); }\n"
                               "kernel void says(int x, float y) {\n"
                               "    if (get_global_id(0) == 0) printf(\"x is %d, %s %.2f\\n\", x,\n"
                               "                                      \"y\", y);\n"
                               "}\n",
                               "");
    cl_command_queue queue = queue_of(context, devices[0], 0);
    add_works(context, queue, program);
    /* What a kernel prints has its place in what the program prints. */
    cl_kernel says = kernel_of(program, "says");
    int x = -7;
    float y = 2.5f;
    size_t global = N;
    DONE(clSetKernelArg(says, 0, sizeof x, &x));
    DONE(clSetKernelArg(says, 1, sizeof y, &y));
    printf("before\n");
    DONE(clEnqueueNDRangeKernel(queue, says, 1, NULL, &global, NULL, 0, NULL, NULL));
    DONE(clFinish(queue));
    printf("after\n");
    /* The fault. */
    cl_kernel wild = kernel_of(program, "wild");
    cl_ulong place = 0x123456789000ul;
    cl_event event;
    DONE(clSetKernelArg(wild, 0, sizeof place, &place));
    DONE(clEnqueueNDRangeKernel(queue, wild, 1, NULL, &global, NULL, 0, NULL, &event));
    GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
    cl_int status = 0;
    DONE(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    IS(status == CL_OUT_OF_RESOURCES);
    IS(reports == 1);
    if (!strstr(report, "wild") || !strstr(report, "0x123456789000"))
        FAIL("the report: %s", report);
    /* The queue is lost; a new one, and a new context, are not. */
    GIVES(CL_OUT_OF_RESOURCES,
          clEnqueueNDRangeKernel(queue, says, 1, NULL, &global, NULL, 0, NULL, NULL));
    DONE(clReleaseEvent(event));
    DONE(clReleaseCommandQueue(queue));
    queue = queue_of(context, devices[0], 0);
    add_works(context, queue, program);
    DONE(clReleaseCommandQueue(queue));
    /* A kernel that never ends, and a new context after it. */
    queue = queue_of(context, devices[0], 0);
    cl_kernel spins = kernel_of(program, "spins");
    int zero = 0;
    cl_mem buffer = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof zero, &zero);
    DONE(clSetKernelArg(spins, 0, sizeof buffer, &buffer));
    DONE(clEnqueueNDRangeKernel(queue, spins, 1, NULL, &global, NULL, 0, NULL, &event));
    GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &event));
    DONE(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    IS(status == CL_OUT_OF_RESOURCES && reports == 2);
    if (!strstr(report, "spins"))
        FAIL("the report: %s", report);
    /* A read that nobody waits for has no result either. */
    cl_event unread;
    DONE(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof zero, &zero, 0, NULL, &unread));
    GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &unread));
    DONE(clGetEventInfo(unread, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    IS(status == CL_OUT_OF_RESOURCES);
    DONE(clReleaseEvent(unread));
    /* Calls that wait for what the kernel had to do say so, also without its event; once. */
    GIVES(CL_OUT_OF_RESOURCES,
          clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL));
    DONE(clFinish(queue));
    DONE(clReleaseEvent(event));
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseKernel(spins));
    DONE(clReleaseCommandQueue(queue));
    fails_midway(context, program, &reports);
    cl_context other = clCreateContext(NULL, 1, devices, NULL, NULL, &error);
    DONE(error);
    cl_program again = built(other,
                             "kernel void add(global int *data, int amount) {\n"
                             "    data[get_global_id(0)] += amount;\n"
                             "}\n",
                             "");
    queue = queue_of(other, devices[0], 0);
    add_works(other, queue, again);
    DONE(clReleaseCommandQueue(queue));
    DONE(clReleaseProgram(again));
    DONE(clReleaseContext(other));
    DONE(clReleaseKernel(wild));
    DONE(clReleaseKernel(says));
    DONE(clReleaseProgram(program));
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
