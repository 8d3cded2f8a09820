/* Says which compiler there is, and what it makes of a kernel. */
#include "check.h"

int main(void) {
    cl_context context = begin();
    char name[256], log[1 << 14];
    cl_bool available;
    DONE(clGetDeviceInfo(devices[0], CL_DEVICE_NAME, sizeof name, name, NULL));
    DONE(clGetDeviceInfo(devices[0], CL_DEVICE_COMPILER_AVAILABLE, sizeof available, &available,
                         NULL));
    printf("%s: %u\n", name, available);
    /* What a function does with its copy of a structure is not seen outside. */
    const char *text = "struct s { int n[4]; char c; };\n"
                       "__attribute__((noinline)) int f(struct s s) { s.n[0] += 100; return s.n[0] + s.c; }\n"
                       "kernel void k(global int *p) {\n"
                       "    int i = get_global_id(0);\n"
                       "    struct s s = {{p[i], 1, 2, i}, 3};\n"
                       "    int got = f(s);\n"
                       "    p[i] = got - 100 + (s.n[0] - p[i]);\n"
                       "}\n";
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    DONE(error);
    cl_int result = clBuildProgram(program, 1, devices, "", NULL, NULL);
    DONE(clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    printf("%d: %s\n", result, log);
    if (result == CL_SUCCESS) {
        int data[16] = {39};
        cl_kernel kernel = kernel_of(program, "k");
        cl_command_queue queue = queue_of(context, devices[0], 0);
        cl_mem buffer = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof data, data);
        DONE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
        size_t global = 16;
        DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 0, NULL, NULL));
        printf("%d %d\n", data[0], data[15]);
    }
    printf("ok\n");
    return 0;
}
