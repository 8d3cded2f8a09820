/* A kernel is of one build: none begins while there are kernels, or while one is being made. */
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

int main(void) {
    cl_context context = begin();
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
