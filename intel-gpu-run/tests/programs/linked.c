/* A kernel stores pointers to numbers in memory, and a later one, with other buffers, follows them: where they lead
   ("right"), or into the other buffer ("beyond"). */

#include "opencl.h"

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
    struct opencl cl;
    cl_int error = begin(&cl, source, "-cl-std=CL2.0");
    cl_kernel link = clCreateKernel(cl.program, "link", NULL), follow = clCreateKernel(cl.program, "follow", NULL);
    int *numbers = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, SIZE, 0);
    int *others = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, SIZE, 0);
    int *out = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, SIZE, 0);
    void *places = clSVMAlloc(cl.context, CL_MEM_READ_WRITE, 2 * SIZE, 0);
    if (error || !link || !follow || !numbers || !others || !out || !places)
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
    error |= clEnqueueNDRangeKernel(cl.queue, link, 1, NULL, &size, NULL, 0, NULL, NULL);
    // The next launch finds that there is something, and not that the host wrote it.
    error |= clFinish(cl.queue);
    error |= clEnqueueNDRangeKernel(cl.queue, follow, 1, NULL, &size, NULL, 0, NULL, NULL);
    error |= clFinish(cl.queue);
    printf("%d\n", error);
    return error != 0;
}
