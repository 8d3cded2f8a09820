/* Each work-group reserves as many packets of a pipe as it has work-items, and each of these writes one ("right"), or
   the one behind its own ("beyond"), or some of them are not there when it reserves ("divergent"). */

#include "opencl.h"

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
    struct opencl cl;
    cl_int error = begin(&cl, source, "-cl-std=CL2.0 -g");
    cl_kernel put = clCreateKernel(cl.program, "put", NULL);
    cl_mem out = clCreatePipe(cl.context, 0, sizeof(int), 256, NULL, NULL);
    if (error || !put || !out)
        return 2;
    cl_uint by = !strcmp(arguments[1], "beyond"), there = strcmp(arguments[1], "divergent") ? 32 : 20;
    error |= clSetKernelArg(put, 0, sizeof out, &out);
    error |= clSetKernelArg(put, 1, sizeof by, &by);
    error |= clSetKernelArg(put, 2, sizeof there, &there);
    size_t size = 64, group = 32;
    error |= clEnqueueNDRangeKernel(cl.queue, put, 1, NULL, &size, &group, 0, NULL, NULL);
    error |= clFinish(cl.queue);
    printf("%d\n", error);
    return error != 0;
}
