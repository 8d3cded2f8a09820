/* A kernel copies memory that the program has by a pointer: shared virtual memory, or a device's ("device"). Before,
   the host writes it ("host"), clears it ("zeros"), a command does ("filled", "copied"), another kernel does
   ("kernel"), or nothing. Or the host does when the kernel waits for it ("late"). As "kernel" does "read-only", to memory
   that is made so. */

#include "opencl.h"

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
    struct opencl cl;
    cl_int error = begin(&cl, source, NULL);
    cl_kernel kernel = clCreateKernel(cl.program, "fresh", NULL);
    cl_kernel writes = clCreateKernel(cl.program, "writes", NULL);
    int is_device = !strncmp(how, "device", 6);
    int numbers[64] = {0}, zero = 0;
    size_t size = 64, bytes = sizeof numbers;
    set_pointer set = (set_pointer)of(cl.platform, "clSetKernelArgMemPointerINTEL");
    int *in = is_device ? ((device_alloc)of(cl.platform, "clDeviceMemAllocINTEL"))(cl.context, cl.device, NULL, 4096, 0, NULL)
                        : clSVMAlloc(cl.context, strcmp(how, "read-only") ? CL_MEM_READ_WRITE : CL_MEM_READ_ONLY, 4096, 0);
    int *out = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 4096, 0);
    if (error || !kernel || !writes || !in || !out)
        return 2;
    if (!strcmp(how, "host"))
        for (int i = 0; i < 64; i++)
            in[i] = i;
    if (!strcmp(how, "zeros"))
        memset(in, 0, bytes);
    if (!strcmp(how, "filled"))
        error |= clEnqueueSVMMemFill(cl.queue, in, &zero, sizeof zero, bytes, 0, NULL, NULL);
    if (!strcmp(how, "copied"))
        error |= clEnqueueSVMMemcpy(cl.queue, CL_FALSE, in, numbers, bytes, 0, NULL, NULL);
    if (!strcmp(how, "device, filled"))
        error |= ((fill)of(cl.platform, "clEnqueueMemFillINTEL"))(cl.queue, in, &zero, sizeof zero, bytes, 0, NULL, NULL);
    if (!strcmp(how, "kernel") || !strcmp(how, "read-only")) {
        error |= clSetKernelArgSVMPointer(writes, 0, in);
        error |= clEnqueueNDRangeKernel(cl.queue, writes, 1, NULL, &size, &size, 0, NULL, NULL);
    }
    error |= is_device ? set(kernel, 0, in) : clSetKernelArgSVMPointer(kernel, 0, in);
    error |= clSetKernelArgSVMPointer(kernel, 1, out);
    cl_event go = clCreateUserEvent(cl.context, NULL);
    error |= clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &size, &size, 1, &go, NULL);
    error |= clFlush(cl.queue);
    if (!strcmp(how, "late"))
        memset(in, 0, bytes);
    error |= clSetUserEventStatus(go, CL_COMPLETE);
    error |= clFinish(cl.queue);
    printf("%d\n", error);
    return error != 0;
}
