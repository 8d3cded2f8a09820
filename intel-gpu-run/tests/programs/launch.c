/* Builds FILE with OPTIONS and runs KERNEL on GLOBAL items in groups of LOCAL. Its arguments are two
   buffers of 1024 bytes: one with numbers in it ("full") or without content ("empty"), one of zeros.
   The kernel may only read the first and only write the second one. "full, left" leaves all objects to the
   end of the process; with "ignored" errors after the launch do not matter. "in mapped R" and "out mapped W"
   map the first for reading, and the second for writing, for the time of the launch, "unmapped" only before. */

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIZE 1024

static void check(cl_int error, const char *what) {
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: %d\n", what, error);
        exit(1);
    }
}

int main(int count, char **arguments) {
    if (count != 7)
        return 2;
    static char source[1 << 16];
    FILE *file = fopen(arguments[1], "r");
    if (!file)
        return 2;
    size_t length = fread(source, 1, sizeof source, file);
    const char *text = source;
    cl_int error;
    cl_platform_id platform;
    cl_device_id device;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "clCreateCommandQueue");
    cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &error);
    check(error, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, arguments[3], NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, arguments[2], &error);
    check(error, "clCreateKernel");
    static cl_int numbers[SIZE / 4];
    for (int i = 0; i < SIZE / 4; i++)
        numbers[i] = i + 1;
    int full = arguments[6][0] == 'f';
    cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY | (full ? CL_MEM_COPY_HOST_PTR : 0), SIZE,
                               full ? numbers : NULL, &error);
    check(error, "clCreateBuffer");
    cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, SIZE, NULL, &error);
    check(error, "clCreateBuffer");
    cl_int zero = 0;
    check(clEnqueueFillBuffer(queue, out, &zero, sizeof zero, 0, SIZE, 0, NULL, NULL),
          "clEnqueueFillBuffer");
    check(clSetKernelArg(kernel, 0, sizeof in, &in), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof out, &out), "clSetKernelArg");
    const char *word = strstr(arguments[6], "mapped");
    cl_mem mapped = strstr(arguments[6], "in ") ? in : out;
    void *map = NULL;
    if (word) {
        cl_map_flags how = strchr(word, 'R') ? CL_MAP_READ : CL_MAP_WRITE;
        map = clEnqueueMapBuffer(queue, mapped, CL_TRUE, how, 0, SIZE, 0, NULL, NULL, &error);
        check(error, "clEnqueueMapBuffer");
    }
    if (strstr(arguments[6], "unmapped")) {
        check(clEnqueueUnmapMemObject(queue, mapped, map, 0, NULL, NULL), "clEnqueueUnmapMemObject");
        map = NULL;
    }
    size_t global = strtoul(arguments[4], NULL, 10), local = strtoul(arguments[5], NULL, 10);
    check(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    error = clFinish(queue);
    if (strstr(arguments[6], "ignored"))
        return 0;
    check(error, "clFinish");
    if (map)
        check(clEnqueueUnmapMemObject(queue, mapped, map, 0, NULL, NULL), "clEnqueueUnmapMemObject");
    check(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, SIZE, numbers, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    if (strstr(arguments[6], "left"))
        return 0;
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
