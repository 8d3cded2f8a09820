/* Kernels that fault and that never end: their event's error, the report in the context's callback, and after it. */
#include "check.h"

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

int main(void) {
    int reports = 0;
    DONE(clReleaseContext(begin()));
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
    DONE(clReleaseEvent(event));
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseKernel(spins));
    DONE(clReleaseCommandQueue(queue));
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
