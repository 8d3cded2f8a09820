/* Kernels that print, in a queue in order: somebody waits for the last one only. */
#include "check.h"

int main(void) {
    cl_context context = begin();
    cl_command_queue queue = queue_of(context, devices[0], 0);
    cl_program program = built(context, "kernel void say(int n) { printf(\"%d\\n\", n); }", "");
    cl_kernel say = kernel_of(program, "say");
    size_t one = 1;
    for (cl_int n = 0; n < 64; n++) {
        cl_event end;
        DONE(clSetKernelArg(say, 0, sizeof n, &n));
        DONE(clEnqueueNDRangeKernel(queue, say, 1, NULL, &one, NULL, 0, NULL, &end));
        if (n % 4 == 3)
            DONE(clWaitForEvents(1, &end));
        DONE(clReleaseEvent(end));
    }
    DONE(clFinish(queue));
    printf("ok\n");
    return 0;
}
