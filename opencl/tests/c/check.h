/* What the test programs share. Each of them prints "ok" and returns 0, or says what is wrong. */
#ifndef CHECK_H
#define CHECK_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAIL(...)                                                                                  \
    do {                                                                                           \
        printf("%s:%d: ", __FILE__, __LINE__);                                                     \
        printf(__VA_ARGS__);                                                                       \
        printf("\n");                                                                              \
        exit(1);                                                                                   \
    } while (0)

/* The call gives this code. */
#define GIVES(code, call)                                                                          \
    do {                                                                                           \
        cl_int wanted_ = (code), got_ = (call);                                                    \
        if (got_ != wanted_)                                                                       \
            FAIL("%s: %d, not %d", #call, got_, wanted_);                                          \
    } while (0)

#define DONE(call) GIVES(CL_SUCCESS, call)

#define IS(condition)                                                                              \
    do {                                                                                           \
        if (!(condition))                                                                          \
            FAIL("not true: %s", #condition);                                                      \
    } while (0)

static cl_int error;
static cl_platform_id platform;
static cl_device_id devices[8];
static cl_uint device_count;

/* The runtime's platform and devices, and a context of all of them. */
static inline cl_context begin(void) {
    DONE(clGetPlatformIDs(1, &platform, NULL));
    DONE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 8, devices, &device_count));
    cl_context context = clCreateContext(NULL, device_count, devices, NULL, NULL, &error);
    DONE(error);
    return context;
}

static inline cl_command_queue queue_of(cl_context context, cl_device_id device,
                                        cl_command_queue_properties flags) {
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, flags, 0};
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, list, &error);
    DONE(error);
    return queue;
}

static inline cl_program built(cl_context context, const char *source, const char *options) {
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    DONE(error);
    cl_int result = clBuildProgram(program, 0, NULL, options, NULL, NULL);
    if (result != CL_SUCCESS) {
        static char log[1 << 16];
        clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        FAIL("clBuildProgram: %d\n%s", result, log);
    }
    return program;
}

static inline cl_kernel kernel_of(cl_program program, const char *name) {
    cl_kernel kernel = clCreateKernel(program, name, &error);
    DONE(error);
    return kernel;
}

static inline cl_mem buffer_of(cl_context context, cl_mem_flags flags, size_t size, void *host) {
    cl_mem buffer = clCreateBuffer(context, flags, size, host, &error);
    DONE(error);
    return buffer;
}

#endif
