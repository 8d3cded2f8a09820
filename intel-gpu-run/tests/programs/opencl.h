/* What each program begins with: the first device, and a queue and a program on it. */

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

struct opencl {
    cl_platform_id platform;
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
};

/* All errors, one or'ed to the other. */
static inline cl_int begin(struct opencl *all, const char *source, const char *options) {
    cl_int error = clGetPlatformIDs(1, &all->platform, NULL);
    error |= clGetDeviceIDs(all->platform, CL_DEVICE_TYPE_ALL, 1, &all->device, NULL);
    all->context = clCreateContext(NULL, 1, &all->device, NULL, NULL, NULL);
    all->queue = clCreateCommandQueueWithProperties(all->context, all->device, NULL, NULL);
    all->program = clCreateProgramWithSource(all->context, 1, &source, NULL, NULL);
    return error | clBuildProgram(all->program, 1, &all->device, options, NULL, NULL);
}
