/* Each work-group reserves as many packets of a pipe as it has work-items, and each of these writes one ("right"), or
   the one behind its own ("beyond"), or some of them are not there when it reserves ("divergent"). */

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

static const char *source =
    "kernel void put(write_only pipe int out, uint by, uint there) {\n"
    "  uint l = get_local_id(0);\n"
    "  if (l >= there) return;\n"
    "  reserve_id_t reserved = work_group_reserve_write_pipe(out, get_local_size(0));\n"
    "  if (!is_valid_reserve_id(reserved)) return;\n"
    "  int packet = get_global_id(0);\n"
    "  write_pipe(out, reserved, l + by, &packet);\n"
    "  work_group_commit_write_pipe(out, reserved);\n"
    "}\n";

int main(int count, char **arguments) {
    if (count != 2)
        return 2;
    cl_platform_id platform;
    cl_device_id device;
    cl_int error = clGetPlatformIDs(1, &platform, NULL);
    error |= clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    error |= clBuildProgram(program, 1, &device, "-cl-std=CL2.0 -g", NULL, NULL);
    cl_kernel put = clCreateKernel(program, "put", &error);
    cl_mem out = clCreatePipe(context, 0, sizeof(int), 256, NULL, &error);
    if (error)
        return 2;
    cl_uint by = !strcmp(arguments[1], "beyond"), there = strcmp(arguments[1], "divergent") ? 32 : 20;
    error |= clSetKernelArg(put, 0, sizeof out, &out);
    error |= clSetKernelArg(put, 1, sizeof by, &by);
    error |= clSetKernelArg(put, 2, sizeof there, &there);
    size_t size = 64, group = 32;
    error |= clEnqueueNDRangeKernel(queue, put, 1, NULL, &size, &group, 0, NULL, NULL);
    error |= clFinish(queue);
    printf("%d\n", error);
    return error != 0;
}
