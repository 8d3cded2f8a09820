/* A kernel copies memory that the program has by a pointer: shared virtual memory, or a device's ("device"). Before,
   the host writes it ("host"), clears it ("zeros"), a command does ("filled", "copied"), another kernel does
   ("kernel"), or nothing. Or the host does when the kernel waits for it ("late"). As "kernel" does "read-only", to memory
   that is made so. */

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <string.h>

static const char *source =
    "kernel void fresh(global const int *in, global int *out) {\n"
    "  out[get_global_id(0)] = in[get_global_id(0)];\n"
    "}\n"
    "kernel void writes(global int *in) { in[get_global_id(0)] = 1; }\n";

typedef void *(*device_alloc)(cl_context, cl_device_id, const cl_bitfield *, size_t, cl_uint, cl_int *);
typedef cl_int (*set_pointer)(cl_kernel, cl_uint, const void *);
typedef cl_int (*fill)(cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const cl_event *, cl_event *);

static void *of(cl_platform_id platform, const char *name) {
    return clGetExtensionFunctionAddressForPlatform(platform, name);
}

int main(int count, char **arguments) {
    if (count != 2)
        return 2;
    const char *how = arguments[1];
    cl_platform_id platform;
    cl_device_id device;
    cl_int error = clGetPlatformIDs(1, &platform, NULL);
    error |= clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    error |= clBuildProgram(program, 1, &device, NULL, NULL, NULL);
    cl_kernel kernel = clCreateKernel(program, "fresh", &error);
    cl_kernel writes = clCreateKernel(program, "writes", &error);
    int is_device = !strncmp(how, "device", 6);
    int numbers[64] = {0}, zero = 0;
    size_t size = 64, bytes = sizeof numbers;
    set_pointer set = (set_pointer)of(platform, "clSetKernelArgMemPointerINTEL");
    int *in = is_device ? ((device_alloc)of(platform, "clDeviceMemAllocINTEL"))(context, device, NULL, 4096, 0, &error)
                        : clSVMAlloc(context, strcmp(how, "read-only") ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY, 4096, 0);
    int *out = clSVMAlloc(context, CL_MEM_READ_WRITE, 4096, 0);
    if (error || !in || !out)
        return 2;
    if (!strcmp(how, "host"))
        for (int i = 0; i < 64; i++)
            in[i] = i;
    if (!strcmp(how, "zeros"))
        memset(in, 0, bytes);
    if (!strcmp(how, "filled"))
        error |= clEnqueueSVMMemFill(queue, in, &zero, sizeof zero, bytes, 0, NULL, NULL);
    if (!strcmp(how, "copied"))
        error |= clEnqueueSVMMemcpy(queue, CL_FALSE, in, numbers, bytes, 0, NULL, NULL);
    if (!strcmp(how, "device, filled"))
        error |= ((fill)of(platform, "clEnqueueMemFillINTEL"))(queue, in, &zero, sizeof zero, bytes, 0, NULL, NULL);
    if (!strcmp(how, "kernel") || !strcmp(how, "read-only")) {
        error |= clSetKernelArgSVMPointer(writes, 0, in);
        error |= clEnqueueNDRangeKernel(queue, writes, 1, NULL, &size, &size, 0, NULL, NULL);
    }
    error |= is_device ? set(kernel, 0, in) : clSetKernelArgSVMPointer(kernel, 0, in);
    error |= clSetKernelArgSVMPointer(kernel, 1, out);
    cl_event go = clCreateUserEvent(context, &error);
    error |= clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 1, &go, NULL);
    error |= clFlush(queue);
    if (!strcmp(how, "late"))
        memset(in, 0, bytes);
    error |= clSetUserEventStatus(go, CL_COMPLETE);
    error |= clFinish(queue);
    printf("%d\n", error);
    return error != 0;
}
