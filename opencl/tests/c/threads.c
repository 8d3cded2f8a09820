/* Many threads on one context, many launches, many contexts: nothing is lost, memory stays flat. */
#include "check.h"
#include <pthread.h>

enum { THREADS = 64, ROUNDS = 5, N = 64, LAUNCHES = 20000, CONTEXTS = 1000 };

static cl_context context;
static cl_program program;

static long resident(void) {
    long size, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    IS(file && fscanf(file, "%ld %ld", &size, &pages) == 2);
    fclose(file);
    return pages * 4;
}

static void *work(void *argument) {
    int me = (int)(size_t)argument, got[N];
    cl_command_queue queue = queue_of(context, devices[me % device_count], 0);
    cl_kernel add = kernel_of(program, "add");
    cl_mem buffer = buffer_of(context, 0, sizeof got, NULL);
    size_t global = N;
    DONE(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    DONE(clSetKernelArg(add, 1, sizeof me, &me));
    for (int i = 0; i < ROUNDS; i++) {
        DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL));
        DONE(clRetainContext(context));
        DONE(clReleaseContext(context));
    }
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        if (got[i] != me * ROUNDS)
            FAIL("thread %d, %d: %d", me, i, got[i]);
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseKernel(add));
    DONE(clReleaseCommandQueue(queue));
    return NULL;
}

int main(void) {
    context = begin();
    program = built(context,
                    "kernel void add(global int *data, int amount) {\n"
                    "    data[get_global_id(0)] += amount;\n"
                    "}\n",
                    "");
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; i++)
        IS(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (size_t i = 0; i < THREADS; i++)
        IS(pthread_join(threads[i], NULL) == 0);
    cl_command_queue queue = queue_of(context, devices[0], 0);
    cl_kernel add = kernel_of(program, "add");
    cl_mem buffer = buffer_of(context, 0, 64 * N, NULL);
    int one = 1, got = 0;
    size_t global = 8;
    DONE(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    DONE(clSetKernelArg(add, 1, sizeof one, &one));
    long before = 0;
    for (int i = 0; i < LAUNCHES; i++) {
        DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL));
        if (i % 100 == 99)
            DONE(clFinish(queue));
        if (i == LAUNCHES / 3)
            before = resident();
    }
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    IS(got == LAUNCHES);
    long grown = resident() - before;
    if (grown > 16 * 1024)
        FAIL("%d launches: %ld KiB more", LAUNCHES, grown);
    for (int i = 0; i < CONTEXTS; i++) {
        cl_context other = clCreateContext(NULL, device_count, devices, NULL, NULL, &error);
        DONE(error);
        cl_command_queue queue = queue_of(other, devices[0], 0);
        cl_mem memory = buffer_of(other, 0, 4096, NULL);
        DONE(clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, sizeof one, &one, 0, NULL, NULL));
        DONE(clReleaseMemObject(memory));
        DONE(clReleaseCommandQueue(queue));
        DONE(clReleaseContext(other));
        if (i == CONTEXTS / 3)
            before = resident();
    }
    grown = resident() - before;
    if (grown > 16 * 1024)
        FAIL("%d contexts: %ld KiB more", CONTEXTS, grown);
    printf("ok\n");
    return 0;
}
