/* Kernels that print, each after the one before: somebody waits for the last one only. */
#include "check.h"

static cl_context context;

/* In queues by turns, each kernel after the event of the one before it if the order of a queue does not say so. */
static void print(cl_kernel say, cl_command_queue *queues, int count, int by_events) {
    size_t one = 1;
    cl_event last = NULL;
    for (cl_int n = 0; n < 64; n++) {
        cl_event end;
        DONE(clSetKernelArg(say, 0, sizeof n, &n));
        DONE(clEnqueueNDRangeKernel(queues[n % count], say, 1, NULL, &one, NULL, by_events && last,
                                    by_events && last ? &last : NULL, &end));
        if (last)
            DONE(clReleaseEvent(last));
        last = end;
        if (n % 4 != 3)
            continue;
        DONE(clWaitForEvents(1, &end));
        /* What all of them have printed is here. */
        printf("-\n");
    }
    DONE(clReleaseEvent(last));
    for (int i = 0; i < count; i++)
        DONE(clFinish(queues[i]));
}

int main(void) {
    context = begin();
    cl_program program = built(context, "kernel void say(int n) { printf(\"%d\\n\", n); }", "");
    cl_kernel say = kernel_of(program, "say");
    cl_command_queue ordered = queue_of(context, devices[0], 0);
    cl_command_queue loose = queue_of(context, devices[0], CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
    cl_command_queue both[] = {ordered, queue_of(context, devices[0], 0)};
    print(say, &ordered, 1, 0);
    print(say, &loose, 1, 1);
    print(say, both, 2, 1);
    printf("ok\n");
    return 0;
}
