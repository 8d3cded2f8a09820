/* Launches a kernel that reads shared virtual memory, as an argument ("argument") or by a pointer in memory
   ("pointer"). It is freed before with "freed", else behind the launch. */

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

static const char *source =
    "struct node { global int *numbers; };\n"
    "kernel void argument(global int *in, global int *out) {\n"
    "  out[get_global_id(0)] = in[get_global_id(0)];\n"
    "}\n"
    "kernel void pointer(global struct node *in, global int *out) {\n"
    "  out[get_global_id(0)] = in->numbers[get_global_id(0)];\n"
    "}\n";

int main(int count, char **arguments) {
    if (count != 3)
        return 2;
    cl_platform_id platform;
    cl_device_id device;
    cl_int error = clGetPlatformIDs(1, &platform, NULL);
    error |= clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    error |= clBuildProgram(program, 1, &device, "-cl-std=CL2.0", NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, arguments[1], &error);
    int *numbers = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
    int **node = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
    int *out = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
    if (error || !numbers || !node || !out)
        return 2;
    memset(numbers, 0, 4096);
    *node = numbers;
    int direct = !strcmp(arguments[1], "argument");
    error |= clSetKernelArgSVMPointer(kernel, 0, direct ? (void *)numbers : (void *)node);
    error |= clSetKernelArgSVMPointer(kernel, 1, out);
    const void *reached[] = {numbers};
    error |= clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached);
    int early = !strcmp(arguments[2], "freed");
    if (early)
        clSVMFree(context, numbers);
    size_t size = 64;
    error |= clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    error |= clFinish(queue);
    if (!early)
        clSVMFree(context, numbers);
    printf("%d\n", error);
    return error != 0;
}
