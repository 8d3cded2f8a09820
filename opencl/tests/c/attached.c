/* A kernel is of one build: none begins while there are kernels, or while one is being made; and none is made of a
   program that is being built, for any device. */
#include "check.h"
#include <pthread.h>
#include <stdatomic.h>

enum { BUILDS = 400 };

static atomic_int builds;

static void *build(void *program) {
    while (builds < BUILDS) {
        cl_int result = clBuildProgram(program, 0, NULL, "", NULL, NULL);
        if (result == CL_SUCCESS)
            builds++;
        else
            IS(result == CL_INVALID_OPERATION);
    }
    return NULL;
}

static void CL_CALLBACK built_again(cl_program program, void *ended) {
    (void)program;
    atomic_store((atomic_int *)ended, 1);
}

/* The last device's program is built anew, while those of the others are whole. */
static void one_device(cl_context context) {
    cl_program program = built(context, "kernel void k(global int *p) { *p = N; }", "-DN=1");
    cl_device_id last = devices[device_count - 1];
    int refused = 0;
    for (int n = 2; n < 6; n++) {
        atomic_int ended = 0;
        char options[8];
        snprintf(options, sizeof options, "-DN=%d", n);
        DONE(clBuildProgram(program, 1, &last, options, built_again, &ended));
        cl_kernel kernel;
        for (;;) {
            kernel = clCreateKernel(program, "k", &error);
            if (error == CL_SUCCESS)
                break;
            GIVES(CL_INVALID_PROGRAM_EXECUTABLE, error);
            refused++;
        }
        cl_build_status status;
        DONE(clGetProgramBuildInfo(program, last, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
        GIVES(CL_BUILD_SUCCESS, status);
        for (cl_uint i = 0; i < device_count; i++) {
            cl_command_queue queue = queue_of(context, devices[i], 0);
            cl_mem memory = buffer_of(context, 0, 4, NULL);
            size_t one = 1;
            int got = 0;
            DONE(clSetKernelArg(kernel, 0, sizeof memory, &memory));
            DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
            DONE(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
            IS(got == (devices[i] == last ? n : 1));
            DONE(clReleaseMemObject(memory));
            DONE(clReleaseCommandQueue(queue));
        }
        DONE(clReleaseKernel(kernel));
        while (!atomic_load(&ended))
            ;
    }
    IS(refused > 0);
    DONE(clReleaseProgram(program));
}

int main(void) {
    cl_context context = begin();
    one_device(context);
    cl_program first = built(context, "kernel void k(global int *p) { *p = 1; }", "");
    size_t sizes[8];
    unsigned char *binaries[8];
    DONE(clGetProgramInfo(first, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    for (cl_uint i = 0; i < device_count; i++)
        binaries[i] = malloc(sizes[i]);
    DONE(clGetProgramInfo(first, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL));
    /* Nothing is compiled of these: they are built at once. */
    cl_program program = clCreateProgramWithBinary(context, device_count, devices, sizes,
                                                   (const unsigned char **)binaries, NULL, &error);
    DONE(error);
    pthread_t thread;
    IS(pthread_create(&thread, NULL, build, program) == 0);
    int kernels = 0;
    while (builds < BUILDS) {
        cl_kernel kernel = clCreateKernel(program, "k", &error);
        if (error == CL_INVALID_PROGRAM_EXECUTABLE)
            continue;
        DONE(error);
        kernels++;
        for (cl_uint i = 0; i < device_count; i++) {
            cl_build_status status;
            DONE(clGetProgramBuildInfo(program, devices[i], CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
            if (status != CL_BUILD_SUCCESS)
                FAIL("kernel %d is of a program of status %d", kernels, status);
        }
        DONE(clReleaseKernel(kernel));
    }
    IS(pthread_join(thread, NULL) == 0);
    IS(kernels > 0);
    for (cl_uint i = 0; i < device_count; i++)
        free(binaries[i]);
    DONE(clReleaseProgram(program));
    DONE(clReleaseProgram(first));
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
