/* Launches that come while the device works: what they cost is seen in the log of calls. */
#include "check.h"

enum { LAUNCHES = 512 };

int main(void) {
    cl_context context = begin();
    cl_command_queue queue = queue_of(context, devices[0], 0);
    cl_program program = built(context,
        "kernel void busy(global int *p, int n) { int x = *p; for (int i = 0; i < n; i++) x = x * 3 + i; *p = x; }\n"
        "kernel void count(global int *p) { p[1]++; }\n", "");
    int zero[2] = {0}, seen[2];
    cl_mem buffer = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof zero, zero);
    cl_kernel busy = kernel_of(program, "busy"), count = kernel_of(program, "count");
    cl_int rounds = 20 * 1000 * 1000;
    DONE(clSetKernelArg(busy, 0, sizeof buffer, &buffer));
    DONE(clSetKernelArg(busy, 1, sizeof rounds, &rounds));
    DONE(clSetKernelArg(count, 0, sizeof buffer, &buffer));
    size_t one = 1;
    /* How many go together depends on how long the last one took. */
    for (int i = 0; i < LAUNCHES; i++) {
        DONE(clEnqueueNDRangeKernel(queue, count, 1, NULL, &one, NULL, 0, NULL, NULL));
        DONE(clFinish(queue));
    }
    DONE(clEnqueueNDRangeKernel(queue, busy, 1, NULL, &one, NULL, 0, NULL, NULL));
    for (int i = 0; i < LAUNCHES; i++)
        DONE(clEnqueueNDRangeKernel(queue, count, 1, NULL, &one, NULL, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    IS(seen[1] == 2 * LAUNCHES);
    printf("ok\n");
    return 0;
}
