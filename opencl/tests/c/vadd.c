/* One addition on every device of a context. */
#include "check.h"

enum { N = 1000 };

int main(void) {
    cl_context context = begin();
    cl_program program = built(context,
                               "kernel void vadd(global const float *a, global const float *b,\n"
                               "                 global float *c, int f) {\n"
                               "    size_t i = get_global_id(0);\n"
                               "    c[i] = a[i] + b[i] * f;\n"
                               "}\n",
                               "");
    cl_kernel kernel = kernel_of(program, "vadd");
    static float a[N], b[N], c[N];
    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    for (cl_uint d = 0; d < device_count; d++) {
        cl_command_queue queue = queue_of(context, devices[d], 0);
        cl_mem in_a = buffer_of(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a);
        cl_mem in_b = buffer_of(context, CL_MEM_READ_ONLY, sizeof b, NULL);
        cl_mem out = buffer_of(context, CL_MEM_USE_HOST_PTR, sizeof c, c);
        cl_event written, run;
        DONE(clEnqueueWriteBuffer(queue, in_b, CL_FALSE, 0, sizeof b, b, 0, NULL, &written));
        cl_int factor = 3;
        DONE(clSetKernelArg(kernel, 0, sizeof in_a, &in_a));
        DONE(clSetKernelArg(kernel, 1, sizeof in_b, &in_b));
        DONE(clSetKernelArg(kernel, 2, sizeof out, &out));
        DONE(clSetKernelArg(kernel, 3, sizeof factor, &factor));
        size_t global = N;
        DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 1, &written, &run));
        float got[N];
        DONE(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof got, got, 1, &run, NULL));
        for (int i = 0; i < N; i++)
            if (got[i] != a[i] + b[i] * 3)
                FAIL("device %u, %d: %f", d, i, got[i]);
        DONE(clReleaseMemObject(in_a));
        DONE(clReleaseMemObject(in_b));
        DONE(clReleaseMemObject(out));
        DONE(clReleaseEvent(written));
        DONE(clReleaseEvent(run));
        DONE(clReleaseCommandQueue(queue));
    }
    DONE(clReleaseKernel(kernel));
    DONE(clReleaseProgram(program));
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
