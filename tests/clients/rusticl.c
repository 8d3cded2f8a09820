/* A client of any OpenCL runtime: writes a buffer, runs a kernel on it and reads it back. With an
 * argument, the result of the read must be that error, and the runtime must end nevertheless. */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNT 1000
#define LOCAL 40

static int check(const char *what, cl_int error)
{
    if (error != CL_SUCCESS) {
        printf("%s: %d\n", what, error);
        exit(1);
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *source = "kernel void f(global const uint *a, global uint *b, uint k)\n"
                         "{ size_t i = get_global_id(0); b[i] = a[i] * k + (uint)get_local_id(0); }";
    cl_int wanted = argc > 1 ? atoi(argv[1]) : CL_SUCCESS, error;
    cl_platform_id platform;
    cl_device_id device;
    check("clGetPlatformIDs", clGetPlatformIDs(1, &platform, NULL));
    check("clGetDeviceIDs", clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check("clCreateContext", error);
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check("clCreateCommandQueue", error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    check("clCreateProgramWithSource", error);
    check("clBuildProgram", clBuildProgram(program, 1, &device, "", NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "f", &error);
    check("clCreateKernel", error);

    cl_uint in[COUNT], out[COUNT] = { 0 }, factor = 3;
    for (cl_uint i = 0; i < COUNT; i++)
        in[i] = i * 7;
    cl_mem a = clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof in, NULL, &error);
    check("clCreateBuffer", error);
    cl_mem b = clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof out, NULL, &error);
    check("clCreateBuffer", error);
    check("clEnqueueWriteBuffer",
          clEnqueueWriteBuffer(queue, a, CL_TRUE, 0, sizeof in, in, 0, NULL, NULL));
    clSetKernelArg(kernel, 0, sizeof a, &a);
    clSetKernelArg(kernel, 1, sizeof b, &b);
    clSetKernelArg(kernel, 2, sizeof factor, &factor);
    size_t global = COUNT, local = LOCAL;
    check("clEnqueueNDRangeKernel",
          clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
    check("clFinish", clFinish(queue));
    error = clEnqueueReadBuffer(queue, b, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL);
    if (error != wanted) {
        printf("clEnqueueReadBuffer: %d and not %d\n", error, wanted);
        return 1;
    }
    if (error == CL_SUCCESS)
        for (cl_uint i = 0; i < COUNT; i++)
            if (out[i] != in[i] * factor + i % LOCAL) {
                printf("%u is %u\n", i, out[i]);
                return 1;
            }
    printf("done\n");
    return 0;
}
