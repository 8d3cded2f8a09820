/* Variables of program scope: their values at first, pointers among them, and from kernel to
   kernel; hints of queues; and the numbers that name devices. */
#include "check.h"

static const char *source =
    "global int counter = 5;\n"
    "global int table[4] = {1, 2, 3, 4};\n"
    "global int *global entry = &table[2];\n"
    "constant int fixed[3] = {7, 8, 9};\n"
    "kernel void count(global int *out) {\n"
    "    int id = get_global_id(0);\n"
    "    int old = atomic_fetch_add_explicit((volatile global atomic_int *)&counter, 1,\n"
    "                                        memory_order_relaxed, memory_scope_all_devices);\n"
    "    if (id == 0) { out[0] = *entry; *entry += 10; out[1] = fixed[1]; out[2] = table[2]; }\n"
    "    out[3] = old >= 5;\n"
    "}\n"
    "kernel void look(global int *out) { out[0] = counter; out[1] = table[2]; }\n";

static void run(cl_command_queue queue, cl_kernel kernel, size_t global, cl_mem out, int *got) {
    DONE(clSetKernelArg(kernel, 0, sizeof out, &out));
    DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 16, got, 0, NULL, NULL));
}

int main(void) {
    cl_context context = begin();
    unsigned char uuids[2][16];
    for (cl_uint d = 0; d < device_count; d++) {
        /* A program each: variables are those of a program on a device. */
        cl_program program = built(context, source, "-cl-std=CL3.0");
        cl_kernel count = kernel_of(program, "count"), look = kernel_of(program, "look");
        cl_queue_properties hints[] = {CL_QUEUE_PRIORITY_KHR, CL_QUEUE_PRIORITY_LOW_KHR,
                                       CL_QUEUE_THROTTLE_KHR, CL_QUEUE_THROTTLE_MED_KHR, 0};
        cl_command_queue queue =
            clCreateCommandQueueWithProperties(context, devices[d], hints, &error);
        DONE(error);
        cl_queue_properties list[8];
        size_t size = 0;
        DONE(clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES_ARRAY, sizeof list, list, &size));
        IS(size == sizeof hints && memcmp(list, hints, size) == 0);
        hints[1] = 3;
        IS(!clCreateCommandQueueWithProperties(context, devices[d], hints, &error));
        GIVES(CL_INVALID_VALUE, error);
        cl_mem out = buffer_of(context, 0, 16, NULL);
        int got[4];
        run(queue, count, 100, out, got);
        IS(got[0] == 3 && got[1] == 8 && got[2] == 13 && got[3] == 1);
        run(queue, look, 1, out, got);
        if (got[0] != 105 || got[1] != 13)
            FAIL("%d, %d", got[0], got[1]);
        size_t bytes = 0;
        DONE(clGetDeviceInfo(devices[d], CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, sizeof bytes, &bytes,
                             NULL));
        IS(bytes >= 65536);
        DONE(clGetDeviceInfo(devices[d], CL_DEVICE_UUID_KHR, 16, uuids[d % 2], &size));
        IS(size == 16 && (d == 0 || memcmp(uuids[0], uuids[d % 2], 16) != 0));
        DONE(clReleaseMemObject(out));
        DONE(clReleaseKernel(count));
        DONE(clReleaseKernel(look));
        DONE(clReleaseProgram(program));
        DONE(clReleaseCommandQueue(queue));
    }
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
