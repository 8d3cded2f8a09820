/* Two work-groups each store, fence, and load what the other stores: one of them sees it. A host whose
   processor lets loads pass stores shows both of them nothing in one of some ten rounds, if the fences of kernels do
   not order it. */
#include "check.h"

#define ROUNDS 4000
#define LINE 16

static const char *source =
    "kernel void rounds(volatile global int *x, volatile global int *y, volatile global int *hot,\n"
    "                   volatile global int *meet, global int *seen, int count) {\n"
    "    int group = get_group_id(0), sink = 0;\n"
    "    volatile global int *own = group ? y : x, *other = group ? x : y;\n"
    "    for (int i = 0; i < count; i++) {\n"
    "        sink += other[i * 16];\n"
    "        atomic_inc(&meet[i]);\n"
    "        while (atomic_add(&meet[i], 0) < 2)\n"
    "            ;\n"
    "        for (int k = 0; k < 24; k++)\n"
    "            hot[k * 16] = i + group;\n"
    "        own[i * 16] = 1;\n"
    "        FENCE;\n"
    "        seen[group * count + i] = other[i * 16];\n"
    "    }\n"
    "    if (sink == 123456789)\n"
    "        seen[0] = sink;\n"
    "}\n";

static void rounds(cl_context context, const char *options) {
    static int zeros[ROUNDS * LINE], seen[2 * ROUNDS];
    const size_t sizes[] = {sizeof zeros, sizeof zeros, 24 * 64, ROUNDS * sizeof(int), sizeof seen};
    cl_program program = built(context, source, options);
    cl_kernel kernel = kernel_of(program, "rounds");
    cl_command_queue queue = queue_of(context, devices[0], 0);
    cl_mem buffers[5];
    for (cl_uint i = 0; i < 5; i++) {
        buffers[i] = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizes[i], zeros);
        DONE(clSetKernelArg(kernel, i, sizeof buffers[i], &buffers[i]));
    }
    int count = ROUNDS, neither = 0;
    DONE(clSetKernelArg(kernel, 5, sizeof count, &count));
    size_t groups = 2, one = 1;
    DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &groups, &one, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, buffers[4], CL_TRUE, 0, sizeof seen, seen, 0, NULL, NULL));
    for (int i = 0; i < ROUNDS; i++)
        neither += !seen[i] && !seen[ROUNDS + i];
    if (neither != 0)
        FAIL("%s: in %d of %d rounds neither saw the other", options, neither, ROUNDS);
    for (int i = 0; i < 5; i++)
        DONE(clReleaseMemObject(buffers[i]));
    DONE(clReleaseKernel(kernel));
    DONE(clReleaseProgram(program));
    DONE(clReleaseCommandQueue(queue));
}

int main(void) {
    cl_context context = begin();
    rounds(context, "-DFENCE=mem_fence(CLK_GLOBAL_MEM_FENCE)");
    rounds(context, "-cl-std=CL3.0 -DFENCE=atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE,memory_order_seq_cst,"
                    "memory_scope_device)");
    puts("ok");
    return 0;
}
