/* Events: user events, order, callbacks, failures, profiling. */
#include "check.h"
#include <unistd.h>

enum { N = 256 };

static volatile cl_int seen[3] = {99, 99, 99};

static void CL_CALLBACK on_status(cl_event event, cl_int status, void *data) {
    (void)event;
    *(volatile cl_int *)data = status;
}

static void CL_CALLBACK on_look(cl_event event, cl_int status, void *data) {
    (void)status;
    cl_command_type type;
    usleep(20000);
    *(volatile cl_int *)data =
        clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL);
}

static cl_int status_of(cl_event event) {
    cl_int status = 99;
    DONE(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

static cl_ulong time_of(cl_event event, cl_profiling_info name) {
    cl_ulong time = 0;
    DONE(clGetEventProfilingInfo(event, name, sizeof time, &time, NULL));
    return time;
}

/* Waits up to ten seconds for a callback. */
static cl_int called(volatile cl_int *place) {
    for (int i = 0; *place == 99 && i < 10000; i++)
        usleep(1000);
    return *place;
}

static void in_order(cl_context context, cl_kernel add, cl_device_id device,
                     cl_command_queue_properties flags) {
    cl_command_queue queue = queue_of(context, device, flags | CL_QUEUE_PROFILING_ENABLE);
    int data[N] = {0}, got[N];
    cl_mem buffer = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
    size_t global = N;
    cl_event gate = clCreateUserEvent(context, &error);
    DONE(error);
    IS(status_of(gate) == CL_SUBMITTED);
    cl_event chain[5];
    int amounts[] = {1, 10};
    /* Kernel, write by the host, kernel, read: each after the one before. */
    DONE(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    DONE(clSetKernelArg(add, 1, sizeof(int), &amounts[0]));
    DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 1, &gate, &chain[0]));
    int seven = 7;
    DONE(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, sizeof seven, &seven, 1, &chain[0],
                              &chain[1]));
    DONE(clSetKernelArg(add, 1, sizeof(int), &amounts[1]));
    DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 1, &chain[1], &chain[2]));
    DONE(clEnqueueMarkerWithWaitList(queue, 0, NULL, &chain[3]));
    DONE(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, sizeof got, got, 1, &chain[3], &chain[4]));
    DONE(clSetEventCallback(chain[2], CL_SUBMITTED, on_status, (void *)&seen[0]));
    IS(status_of(chain[2]) == CL_QUEUED && seen[0] == 99);
    DONE(clSetEventCallback(chain[2], CL_RUNNING, on_status, (void *)&seen[1]));
    DONE(clSetEventCallback(chain[4], CL_COMPLETE, on_status, (void *)&seen[2]));
    GIVES(CL_INVALID_VALUE, clSetEventCallback(gate, CL_QUEUED, on_status, NULL));
    IS(status_of(chain[4]) > CL_COMPLETE);
    GIVES(CL_PROFILING_INFO_NOT_AVAILABLE,
          clGetEventProfilingInfo(chain[4], CL_PROFILING_COMMAND_END, 8, got, NULL));
    GIVES(CL_INVALID_VALUE, clSetUserEventStatus(gate, CL_RUNNING));
    DONE(clSetUserEventStatus(gate, CL_COMPLETE));
    GIVES(CL_INVALID_OPERATION, clSetUserEventStatus(gate, CL_COMPLETE));
    DONE(clWaitForEvents(1, &chain[4]));
    IS(got[0] == 17 && got[1] == 11 && got[N - 1] == 11);
    IS(called(&seen[0]) == CL_SUBMITTED && called(&seen[1]) == CL_RUNNING);
    IS(called(&seen[2]) == CL_COMPLETE);
    cl_ulong before = 0;
    for (int i = 0; i < 5; i++) {
        cl_ulong queued = time_of(chain[i], CL_PROFILING_COMMAND_QUEUED);
        cl_ulong submitted = time_of(chain[i], CL_PROFILING_COMMAND_SUBMIT);
        cl_ulong start = time_of(chain[i], CL_PROFILING_COMMAND_START);
        cl_ulong end = time_of(chain[i], CL_PROFILING_COMMAND_END);
        if (!(0 < queued && queued <= submitted && submitted <= start && start <= end))
            FAIL("%d: %lu %lu %lu %lu", i, queued, submitted, start, end);
        IS(end >= before);
        before = end;
        DONE(clReleaseEvent(chain[i]));
    }
    DONE(clReleaseEvent(gate));
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseCommandQueue(queue));
    seen[0] = seen[1] = seen[2] = 99;
}

/* What waits for a failed event fails, on the device and on the host. */
static void failures(cl_context context, cl_kernel add, cl_device_id device) {
    cl_command_queue queue = queue_of(context, device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    int data[N] = {0};
    cl_mem buffer = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
    cl_event gate = clCreateUserEvent(context, &error);
    DONE(error);
    size_t global = N;
    int one = 1;
    DONE(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    DONE(clSetKernelArg(add, 1, sizeof one, &one));
    cl_event run, read, other;
    DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 1, &gate, &run));
    DONE(clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 4, data, 1, &run, &read));
    /* Out of order: another command does not wait. */
    DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, &other));
    DONE(clWaitForEvents(1, &other));
    DONE(clSetUserEventStatus(gate, -5));
    IS(status_of(gate) == -5);
    GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &run));
    IS(status_of(run) < 0);
    GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &read));
    IS(status_of(read) < 0);
    GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
          clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, data, 1, &gate, NULL));
    DONE(clSetEventCallback(read, CL_COMPLETE, on_status, (void *)&seen[0]));
    IS(called(&seen[0]) == status_of(read));
    /* The queue still works; a barrier holds what comes later. */
    cl_event late = clCreateUserEvent(context, &error);
    DONE(error);
    DONE(clEnqueueBarrierWithWaitList(queue, 1, &late, NULL));
    DONE(clReleaseEvent(other));
    DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, &other));
    usleep(20000);
    IS(status_of(other) > CL_COMPLETE);
    DONE(clSetUserEventStatus(late, CL_COMPLETE));
    DONE(clFinish(queue));
    IS(status_of(other) == CL_COMPLETE);
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 4, data, 0, NULL, NULL));
    IS(data[0] == 2);
    /* Wait lists. */
    cl_event none = NULL;
    GIVES(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(queue, 1, NULL, NULL));
    GIVES(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(queue, 0, &late, NULL));
    GIVES(CL_INVALID_EVENT_WAIT_LIST, clEnqueueMarkerWithWaitList(queue, 1, &none, NULL));
    GIVES(CL_INVALID_VALUE, clWaitForEvents(0, &late));
    GIVES(CL_INVALID_EVENT, clWaitForEvents(1, &none));
    cl_context second = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    DONE(error);
    cl_event foreign = clCreateUserEvent(second, &error);
    DONE(error);
    GIVES(CL_INVALID_CONTEXT, clEnqueueMarkerWithWaitList(queue, 1, &foreign, NULL));
    cl_event both[] = {late, foreign};
    GIVES(CL_INVALID_CONTEXT, clWaitForEvents(2, both));
    DONE(clReleaseEvent(foreign));
    DONE(clReleaseContext(second));
    cl_event all[] = {gate, run, read, other, late};
    for (int i = 0; i < 5; i++)
        DONE(clReleaseEvent(all[i]));
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseCommandQueue(queue));
    seen[0] = 99;
}

/* An event lives until its last callback was called. */
static void released(cl_context context) {
    cl_event event = clCreateUserEvent(context, &error);
    DONE(error);
    DONE(clSetEventCallback(event, CL_COMPLETE, on_look, (void *)&seen[0]));
    DONE(clSetEventCallback(event, CL_COMPLETE, on_look, (void *)&seen[1]));
    DONE(clSetUserEventStatus(event, CL_COMPLETE));
    DONE(clReleaseEvent(event));
    DONE(called(&seen[0]));
    DONE(called(&seen[1]));
    seen[0] = seen[1] = 99;
}

/* A kernel of one device waits for one of another. */
static void across(cl_context context, cl_kernel add) {
    int data[N] = {0}, got[N];
    cl_mem buffer = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
    size_t global = N;
    cl_event last = NULL;
    DONE(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    for (int i = 0; i < 6; i++) {
        cl_command_queue queue = queue_of(context, devices[i % device_count], 0);
        cl_event next;
        DONE(clSetKernelArg(add, 1, sizeof i, &i));
        DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, last ? 1 : 0,
                                    last ? &last : NULL, &next));
        if (last)
            DONE(clReleaseEvent(last));
        last = next;
        DONE(clReleaseCommandQueue(queue));
    }
    cl_command_queue queue = queue_of(context, devices[0], 0);
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 1, &last, NULL));
    IS(got[0] == 15 && got[N - 1] == 15);
    DONE(clReleaseEvent(last));
    DONE(clReleaseCommandQueue(queue));
    DONE(clReleaseMemObject(buffer));
}

int main(void) {
    cl_context context = begin();
    cl_program program = built(context,
                               "kernel void add(global int *data, int amount) {\n"
                               "    data[get_global_id(0)] += amount;\n"
                               "}\n",
                               "");
    cl_kernel add = kernel_of(program, "add");
    for (cl_uint d = 0; d < device_count; d++) {
        in_order(context, add, devices[d], 0);
        in_order(context, add, devices[d], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
        failures(context, add, devices[d]);
    }
    released(context);
    across(context, add);
    DONE(clReleaseKernel(add));
    DONE(clReleaseProgram(program));
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
