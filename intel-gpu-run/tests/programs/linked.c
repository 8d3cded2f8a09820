/* A kernel stores pointers to numbers in memory, and a later one, with other buffers, follows them: where they lead
   ("right"), or into the other buffer ("beyond"). */

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

static const char *source =
    "kernel void link(global ulong *places, global int *numbers) {\n"
    "  places[get_global_id(0)] = (ulong)(numbers + get_global_id(0));\n"
    "}\n"
    "kernel void follow(global const ulong *places, global int *others, global int *out, long by) {\n"
    "  uint g = get_global_id(0);\n"
    "  out[g] = others[g ^ 1] + ((global int *)places[g])[by];\n"
    "}\n";

int main(int count, char **arguments) {
    if (count != 2)
        return 2;
    enum { ITEMS = 64, SIZE = ITEMS * sizeof(int) };
    cl_platform_id platform;
    cl_device_id device;
    cl_int error = clGetPlatformIDs(1, &platform, NULL);
    error |= clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    error |= clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL);
    cl_kernel link = clCreateKernel(program, "link", &error), follow = clCreateKernel(program, "follow", &error);
    int *numbers = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    int *others = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    int *out = clSVMAlloc(context, CL_MEM_READ_WRITE, SIZE, 0);
    void *places = clSVMAlloc(context, CL_MEM_READ_WRITE, 2 * SIZE, 0);
    if (error || !numbers || !others || !out || !places)
        return 2;
    memset(numbers, 0, SIZE);
    memset(others, 0, SIZE);
    error |= clSetKernelArgSVMPointer(link, 0, places);
    error |= clSetKernelArgSVMPointer(link, 1, numbers);
    error |= clSetKernelArgSVMPointer(follow, 0, places);
    error |= clSetKernelArgSVMPointer(follow, 1, others);
    error |= clSetKernelArgSVMPointer(follow, 2, out);
    cl_long by = strcmp(arguments[1], "right") ? others - numbers : 0;
    error |= clSetKernelArg(follow, 3, sizeof by, &by);
    const void *reached[] = {numbers};
    error |= clSetKernelExecInfo(follow, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached);
    size_t size = ITEMS;
    error |= clEnqueueNDRangeKernel(queue, link, 1, NULL, &size, NULL, 0, NULL, NULL);
    error |= clEnqueueNDRangeKernel(queue, follow, 1, NULL, &size, NULL, 0, NULL, NULL);
    error |= clFinish(queue);
    printf("%d\n", error);
    return error != 0;
}
