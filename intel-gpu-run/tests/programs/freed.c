/* Launches a kernel that reads shared virtual memory, as an argument ("argument") or by a pointer in memory
   ("pointer"). It is freed before with "freed", else behind the launch. With "unnamed", nothing says that the kernel
   reaches it by pointers in memory. */

#include "opencl.h"

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
    struct opencl cl;
    cl_int error = begin(&cl, source, "-cl-std=CL2.0");
    cl_kernel kernel = clCreateKernel(cl.program, arguments[1], NULL);
    int *numbers = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 4096, 0);
    int **node = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 4096, 0);
    int *out = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 4096, 0);
    if (error || !kernel || !numbers || !node || !out)
        return 2;
    memset(numbers, 0, 4096);
    *node = numbers;
    int direct = !strcmp(arguments[1], "argument");
    error |= clSetKernelArgSVMPointer(kernel, 0, direct ? (void *)numbers : (void *)node);
    error |= clSetKernelArgSVMPointer(kernel, 1, out);
    const void *reached[] = {numbers};
    if (strcmp(arguments[2], "unnamed"))
        error |= clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, sizeof reached, reached);
    int early = !strcmp(arguments[2], "freed");
    if (early)
        clSVMFree(cl.context, numbers);
    size_t size = 64;
    error |= clEnqueueNDRangeKernel(cl.queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    error |= clFinish(cl.queue);
    if (!early)
        clSVMFree(cl.context, numbers);
    printf("%d\n", error);
    return error != 0;
}
