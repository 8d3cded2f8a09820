/* What the specification says of wrong arguments, chapter by chapter: shared memory, programs, kernels,
   events. */
#include "rules.h"

static void svm(void) {
    IS(clSVMAlloc(context, 0, 0, 0) == NULL);
    IS(clSVMAlloc(context, 0, 64, 3) == NULL);
    IS(clSVMAlloc(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 64, 0) == NULL);
    IS(clSVMAlloc(context, CL_MEM_SVM_ATOMICS, 64, 0) == NULL);
    IS(clSVMAlloc((cl_context)queue, 0, 64, 0) == NULL);
    clSVMFree(context, NULL);
    char *memory = clSVMAlloc(context, 0, 256, 0);
    IS(memory != NULL);
#define SVM_COPY(to, from, size, ...) clEnqueueSVMMemcpy(queue, CL_TRUE, to, from, size, __VA_ARGS__, NULL)
    GIVES(CL_INVALID_VALUE, SVM_COPY(NULL, memory, 16, 0, NULL));
    GIVES(CL_INVALID_VALUE, SVM_COPY(memory, NULL, 16, 0, NULL));
    GIVES(CL_INVALID_VALUE, SVM_COPY(memory, NULL, 0, 0, NULL));
    GIVES(CL_MEM_COPY_OVERLAP, SVM_COPY(memory, memory + 15, 16, 0, NULL));
    DONE(SVM_COPY(memory, memory + 16, 0, 0, NULL));
    WAITS(SVM_COPY(memory, memory + 16, 16, count, list));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, NULL, bytes, 4, 16, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, memory, NULL, 4, 16, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, memory + 2, bytes, 4, 16, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, memory, bytes, 3, 12, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, memory, bytes, 4, 18, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMemFill(queue, memory, bytes, 256, 256, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, NULL, 16, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, CL_MAP_READ, memory, 0, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMap(queue, CL_TRUE, 1 << 10, memory, 16, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMUnmap(queue, NULL, 0, NULL, NULL));
    void *pointers[] = {memory};
    const void *constant[] = {memory};
    size_t sizes[] = {257};
    GIVES(CL_INVALID_VALUE, clEnqueueSVMFree(queue, 1, NULL, NULL, NULL, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMFree(queue, 0, pointers, NULL, NULL, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 0, constant, NULL, 0, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 1, NULL, NULL, 0, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 1, constant, sizes, 0, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueSVMMigrateMem(queue, 1, constant, NULL, 1 << 10, 0, NULL, NULL));
    DONE(clEnqueueSVMMigrateMem(queue, 1, constant, NULL, 0, 0, NULL, NULL));
    DONE(clFinish(queue));
    clSVMFree(context, memory);
}

/* Intel's unified shared memory. */
static void usm(void) {
    typedef void *host_fn(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *);
    typedef void *device_fn(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *);
    typedef cl_int copy_fn(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint,
                           const cl_event *, cl_event *);
    typedef cl_int migrate_fn(cl_command_queue, const void *, size_t, cl_mem_migration_flags, cl_uint,
                              const cl_event *, cl_event *);
    typedef cl_int free_fn(cl_context, void *);
#define FUNCTION(type, name) type *name = (type *)clGetExtensionFunctionAddressForPlatform(platform, #name)
    FUNCTION(host_fn, clHostMemAllocINTEL);
    FUNCTION(device_fn, clDeviceMemAllocINTEL);
    FUNCTION(device_fn, clSharedMemAllocINTEL);
    FUNCTION(copy_fn, clEnqueueMemcpyINTEL);
    FUNCTION(migrate_fn, clEnqueueMigrateMemINTEL);
    FUNCTION(free_fn, clMemFreeINTEL);
    enum { FLAGS = 0x4195, COMBINED = 1, AT_DEVICE = 2, AT_HOST = 4 };
    cl_ulong flags[] = {FLAGS, COMBINED, 0, 0, 0};
    char *memory = clSharedMemAllocINTEL(context, device, flags, 256, 0, &error);
    DONE(error);
    MADE(CL_INVALID_CONTEXT, clHostMemAllocINTEL((cl_context)queue, flags, 256, 0, &error));
    MADE(CL_INVALID_DEVICE, clDeviceMemAllocINTEL(context, NULL, flags, 256, 0, &error));
    MADE(CL_INVALID_DEVICE, clSharedMemAllocINTEL(context, (cl_device_id)queue, flags, 256, 0, &error));
    MADE(CL_INVALID_BUFFER_SIZE, clHostMemAllocINTEL(context, NULL, 0, 0, &error));
    MADE(CL_INVALID_BUFFER_SIZE, clHostMemAllocINTEL(context, NULL, SIZE_MAX, 0, &error));
    MADE(CL_INVALID_VALUE, clHostMemAllocINTEL(context, NULL, 256, 3, &error));
    flags[1] = AT_DEVICE;
    MADE(CL_INVALID_PROPERTY, clHostMemAllocINTEL(context, flags, 256, 0, &error));
    flags[1] = AT_HOST;
    MADE(CL_INVALID_PROPERTY, clDeviceMemAllocINTEL(context, device, flags, 256, 0, &error));
    flags[1] = AT_DEVICE | AT_HOST;
    MADE(CL_INVALID_PROPERTY, clSharedMemAllocINTEL(context, device, flags, 256, 0, &error));
    flags[1] = 1 << 10;
    MADE(CL_INVALID_PROPERTY, clSharedMemAllocINTEL(context, device, flags, 256, 0, &error));
    flags[1] = COMBINED, flags[2] = FLAGS, flags[3] = COMBINED;
    MADE(CL_INVALID_PROPERTY, clHostMemAllocINTEL(context, flags, 256, 0, &error));
#define USM_COPY(to, from, size) clEnqueueMemcpyINTEL(queue, CL_TRUE, to, from, size, 0, NULL, NULL)
    GIVES(CL_INVALID_VALUE, USM_COPY(NULL, memory, 16));
    GIVES(CL_INVALID_VALUE, USM_COPY(memory, NULL, 0));
    GIVES(CL_MEM_COPY_OVERLAP, USM_COPY(memory, memory + 15, 16));
    GIVES(CL_INVALID_VALUE, clEnqueueMigrateMemINTEL(queue, memory, 256, 1 << 10, 0, NULL, NULL));
    DONE(clEnqueueMigrateMemINTEL(queue, memory, 256, 0, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clMemFreeINTEL(context, memory + 1));
    DONE(clMemFreeINTEL(context, NULL));
    DONE(clFinish(queue));
    DONE(clMemFreeINTEL(context, memory));
    void *svm_memory = clSVMAlloc(context, 0, 64, 0);
    GIVES(CL_INVALID_VALUE, clMemFreeINTEL(context, svm_memory));
    clSVMFree(context, svm_memory);
}

static const char *source =
    "kernel void k(global int *a, local int *b, int c, read_only image2d_t d, sampler_t e,\n"
    "              constant int *f) {\n"
    "    b[0] = c + f[0];\n"
    "    a[0] = b[0] + read_imageui(d, e, (int2)(0, 0)).x;\n"
    "}\n"
    "typedef image2d_t own_depth_name;\n"
    "kernel void own_type(read_only own_depth_name d, global uint *a) { a[0] = read_imageui(d, (int2)(0, 0)).x; }\n"
    "kernel __attribute__((reqd_work_group_size(4, 1, 1))) void sized(global int *a) { a[0] = 1; }\n";

static void programs(void) {
    const char *nothing[] = {NULL};
    MADE(CL_INVALID_CONTEXT, clCreateProgramWithSource((cl_context)queue, 1, &source, NULL, &error));
    MADE(CL_INVALID_VALUE, clCreateProgramWithSource(context, 0, &source, NULL, &error));
    MADE(CL_INVALID_VALUE, clCreateProgramWithSource(context, 1, NULL, NULL, &error));
    MADE(CL_INVALID_VALUE, clCreateProgramWithSource(context, 1, nothing, NULL, &error));
    MADE(CL_INVALID_VALUE, clCreateProgramWithIL(context, NULL, 16, &error));
    MADE(CL_INVALID_VALUE, clCreateProgramWithIL(context, bytes, 0, &error));
    MADE(CL_INVALID_VALUE, clCreateProgramWithIL(context, "no module at all", 16, &error));
    size_t length = 16;
    const unsigned char *junk = (const unsigned char *)"no binary at all";
    cl_device_id wrong = (cl_device_id)queue;
    cl_int status = 1;
#define BINARY(count, devices, lengths, binaries)                                                  \
    clCreateProgramWithBinary(context, count, devices, lengths, binaries, &status, &error)
    MADE(CL_INVALID_VALUE, BINARY(0, &device, &length, &junk));
    MADE(CL_INVALID_VALUE, BINARY(1, NULL, &length, &junk));
    MADE(CL_INVALID_VALUE, BINARY(1, &device, NULL, &junk));
    MADE(CL_INVALID_VALUE, BINARY(1, &device, &length, NULL));
    MADE(CL_INVALID_DEVICE, BINARY(1, &wrong, &length, &junk));
    MADE(CL_INVALID_BINARY, BINARY(1, &device, &length, &junk));
    IS(status == CL_INVALID_BINARY);
    length = 0;
    MADE(CL_INVALID_VALUE, BINARY(1, &device, &length, &junk));
    MADE(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 1, &device, NULL, &error));
    MADE(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 1, &device, "none", &error));
    MADE(CL_INVALID_VALUE, clCreateProgramWithBuiltInKernels(context, 0, &device, "none", &error));

    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    cl_program apart = clCreateProgramWithSource(other, 1, &source, NULL, &error);
    DONE(error);
    GIVES(CL_INVALID_PROGRAM_EXECUTABLE, clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, 0, NULL, NULL));
    GIVES(CL_INVALID_PROGRAM_EXECUTABLE,
          clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, 0, NULL, NULL));
    GIVES(CL_INVALID_PROGRAM_EXECUTABLE,
          clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT, 0, NULL, NULL));
    GIVES(CL_INVALID_PROGRAM_EXECUTABLE, clCreateKernelsInProgram(program, 0, NULL, NULL));
    GIVES(CL_INVALID_PROGRAM, clBuildProgram((cl_program)queue, 0, NULL, NULL, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clBuildProgram(program, 1, NULL, NULL, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clBuildProgram(program, 0, &device, NULL, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clBuildProgram(program, 0, NULL, NULL, NULL, bytes));
    GIVES(CL_INVALID_DEVICE, clBuildProgram(program, 1, &wrong, NULL, NULL, NULL));
    GIVES(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, "-no-such-option", NULL, NULL));
#define COMPILE(count, headers, names) clCompileProgram(program, 0, NULL, NULL, count, headers, names, NULL, NULL)
    const char *name = "h";
    GIVES(CL_INVALID_VALUE, COMPILE(1, NULL, &name));
    GIVES(CL_INVALID_VALUE, COMPILE(1, &program, NULL));
    GIVES(CL_INVALID_VALUE, COMPILE(0, &program, &name));
    GIVES(CL_INVALID_CONTEXT, COMPILE(1, &apart, &name));
    GIVES(CL_INVALID_COMPILER_OPTIONS,
          clCompileProgram(program, 0, NULL, "-no-such-option", 0, NULL, NULL, NULL, NULL));
    cl_program bad = (cl_program)queue;
#define LINK(options, count, programs, data)                                                       \
    clLinkProgram(context, 0, NULL, options, count, programs, NULL, data, &error)
    MADE(CL_INVALID_VALUE, LINK(NULL, 0, NULL, NULL));
    MADE(CL_INVALID_VALUE, LINK(NULL, 0, &program, NULL));
    MADE(CL_INVALID_VALUE, LINK(NULL, 1, NULL, NULL));
    MADE(CL_INVALID_VALUE, LINK(NULL, 1, &program, bytes));
    MADE(CL_INVALID_PROGRAM, LINK(NULL, 1, &bad, NULL));
    DONE(clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    DONE(clCompileProgram(apart, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));
    MADE(CL_INVALID_CONTEXT, LINK(NULL, 1, &apart, NULL));
    MADE(CL_INVALID_LINKER_OPTIONS, LINK("-no-such-option", 1, &program, NULL));
    GIVES(CL_INVALID_DEVICE, clGetProgramBuildInfo(program, wrong, CL_PROGRAM_BUILD_STATUS, 0, NULL, NULL));
    cl_uint constant = 1;
    GIVES(CL_INVALID_PROGRAM, clSetProgramSpecializationConstant(program, 1, 4, &constant));
    DONE(clReleaseProgram(program));
    DONE(clReleaseProgram(apart));
}

static void kernels(void) {
    cl_program program = built(context, source, "-cl-kernel-arg-info");
    cl_kernel made[3], kernel = kernel_of(program, "k"), sized = kernel_of(program, "sized");
    cl_uint count;
    /* A type's own name does not say that it is of images, nor of depths. */
    cl_kernel own_type = kernel_of(program, "own_type");
    DONE(clSetKernelArg(own_type, 0, sizeof image, &image));
    DONE(clReleaseKernel(own_type));
    GIVES(CL_INVALID_VALUE, clCreateKernelsInProgram(program, 1, made, NULL));
    GIVES(CL_INVALID_PROGRAM, clCreateKernelsInProgram((cl_program)queue, 0, NULL, &count));
    MADE(CL_INVALID_PROGRAM, clCreateKernel((cl_program)queue, "k", &error));
    MADE(CL_INVALID_KERNEL, clCloneKernel((cl_kernel)queue, &error));
    GIVES(CL_INVALID_OPERATION, clCompileProgram(program, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL));

    /* Arguments. */
    cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
    cl_sampler foreign = clCreateSampler(other, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error);
    cl_mem hidden = image_of(CL_MEM_WRITE_ONLY, CL_MEM_OBJECT_IMAGE2D, NULL);
    DONE(error);
    int number = 1;
    void *junk = queue, *nothing = NULL;
#define SET(index, size, value) clSetKernelArg(kernel, index, size, value)
    GIVES(CL_INVALID_KERNEL, clSetKernelArg((cl_kernel)queue, 0, sizeof buffer, &buffer));
    GIVES(CL_INVALID_ARG_INDEX, SET(6, sizeof buffer, &buffer));
    GIVES(CL_INVALID_ARG_SIZE, SET(0, 4, &buffer));
    GIVES(CL_INVALID_MEM_OBJECT, SET(0, sizeof junk, &junk));
    GIVES(CL_INVALID_MEM_OBJECT, SET(0, sizeof image, &image));
    GIVES(CL_INVALID_CONTEXT, SET(0, sizeof other_buffer, &other_buffer));
    GIVES(CL_INVALID_ARG_SIZE, SET(1, 0, NULL));
    GIVES(CL_INVALID_ARG_VALUE, SET(1, 16, &number));
    GIVES(CL_INVALID_ARG_SIZE, SET(2, 8, &number));
    GIVES(CL_INVALID_ARG_VALUE, SET(2, 4, NULL));
    GIVES(CL_INVALID_ARG_SIZE, SET(3, 4, &image));
    GIVES(CL_INVALID_MEM_OBJECT, SET(3, sizeof buffer, &buffer));
    GIVES(CL_INVALID_MEM_OBJECT, SET(3, sizeof nothing, &nothing));
    GIVES(CL_INVALID_MEM_OBJECT, SET(3, sizeof nothing, NULL));
    GIVES(CL_INVALID_ARG_VALUE, SET(3, sizeof hidden, &hidden));
    const cl_image_format depths = {CL_DEPTH, CL_FLOAT};
    const cl_image_desc flat = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 4};
    cl_mem depth_image = clCreateImage(context, 0, &depths, &flat, NULL, &error);
    DONE(error);
    GIVES(CL_INVALID_MEM_OBJECT, SET(3, sizeof depth_image, &depth_image));
    DONE(clReleaseMemObject(depth_image));
    cl_mem row = image_of(0, CL_MEM_OBJECT_IMAGE1D, NULL);
    DONE(error);
    GIVES(CL_INVALID_MEM_OBJECT, SET(3, sizeof row, &row));
    DONE(clReleaseMemObject(row));
    GIVES(CL_INVALID_SAMPLER, SET(4, sizeof junk, &junk));
    GIVES(CL_INVALID_SAMPLER, SET(4, sizeof nothing, NULL));
    GIVES(CL_INVALID_ARG_SIZE, SET(4, 4, &sampler));
    GIVES(CL_INVALID_CONTEXT, SET(4, sizeof foreign, &foreign));
    GIVES(CL_INVALID_MEM_OBJECT, SET(5, sizeof image, &image));
    GIVES(CL_INVALID_ARG_INDEX, clSetKernelArgSVMPointer(kernel, 6, NULL));
    GIVES(CL_INVALID_KERNEL, clSetKernelArgSVMPointer((cl_kernel)queue, 0, NULL));
    cl_bool yes = CL_TRUE;
    GIVES(CL_INVALID_OPERATION,
          clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM, sizeof yes, &yes));
    GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(kernel, 0xdead, sizeof yes, &yes));
    GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 8, NULL));
    GIVES(CL_INVALID_VALUE, clSetKernelExecInfo(kernel, CL_KERNEL_EXEC_INFO_SVM_PTRS, 7, &junk));

    /* Launches. */
    size_t one = 1, four = 4, eight = 8, zero = 0, far = SIZE_MAX, huge = 1 << 20;
    size_t three[3] = {1, 1, 1};
#define LAUNCH(kernel, dimensions, offset, global, local)                                          \
    clEnqueueNDRangeKernel(queue, kernel, dimensions, offset, global, local, 0, NULL, NULL)
    GIVES(CL_INVALID_KERNEL_ARGS, LAUNCH(kernel, 1, NULL, &one, NULL));
    GIVES(CL_INVALID_KERNEL_ARGS, clEnqueueTask(queue, kernel, 0, NULL, NULL));
    GIVES(CL_INVALID_KERNEL, LAUNCH((cl_kernel)queue, 1, NULL, &one, NULL));
    DONE(clSetKernelArg(sized, 0, sizeof buffer, &buffer));
    GIVES(CL_INVALID_WORK_DIMENSION, LAUNCH(sized, 0, NULL, &four, NULL));
    GIVES(CL_INVALID_WORK_DIMENSION, LAUNCH(sized, 4, NULL, three, NULL));
    GIVES(CL_INVALID_WORK_GROUP_SIZE, LAUNCH(sized, 1, NULL, &eight, &eight));
    GIVES(CL_INVALID_WORK_GROUP_SIZE, LAUNCH(sized, 1, NULL, &four, &one));
    GIVES(CL_INVALID_WORK_GROUP_SIZE, LAUNCH(sized, 1, NULL, &four, &zero));
    GIVES(CL_INVALID_WORK_GROUP_SIZE, clEnqueueTask(queue, sized, 0, NULL, NULL));
    GIVES(CL_INVALID_GLOBAL_OFFSET, LAUNCH(sized, 1, &far, &four, NULL));
    DONE(LAUNCH(sized, 1, NULL, NULL, NULL));
    DONE(LAUNCH(sized, 1, NULL, &zero, NULL));
    WAITS(clEnqueueNDRangeKernel(queue, sized, 1, NULL, &four, &four, count, list, NULL));
    GIVES(CL_INVALID_CONTEXT,
          clEnqueueNDRangeKernel(other_queue, sized, 1, NULL, &four, NULL, 0, NULL, NULL));
    DONE(SET(0, sizeof buffer, &buffer));
    DONE(SET(1, 16, NULL));
    DONE(SET(2, sizeof number, &number));
    DONE(SET(3, sizeof image, &image));
    DONE(SET(4, sizeof sampler, &sampler));
    DONE(SET(5, sizeof nothing, NULL));
    GIVES(CL_INVALID_WORK_ITEM_SIZE, LAUNCH(kernel, 1, NULL, &huge, &huge));
    GIVES(CL_INVALID_VALUE, clEnqueueNativeKernel(queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    const void *place = &number;
#define NATIVE(arguments, size, objects, list, places)                                             \
    clEnqueueNativeKernel(queue, (void (*)(void *))free, arguments, size, objects, list, places, 0, \
                          NULL, NULL)
    GIVES(CL_INVALID_VALUE, NATIVE(NULL, 4, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, NATIVE(&number, 0, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, NATIVE(NULL, 0, 1, &buffer, &place));
    GIVES(CL_INVALID_VALUE, NATIVE(&number, sizeof number, 1, NULL, &place));
    GIVES(CL_INVALID_VALUE, NATIVE(&number, sizeof number, 1, &buffer, NULL));
    GIVES(CL_INVALID_VALUE, NATIVE(&number, sizeof number, 0, &buffer, NULL));
    GIVES(CL_INVALID_OPERATION, NATIVE(&number, sizeof number, 1, &buffer, &place));
#define SUGGEST(dimensions, global, local)                                                         \
    clGetKernelSuggestedLocalWorkSizeKHR(queue, sized, dimensions, NULL, global, local)
    clGetKernelSuggestedLocalWorkSizeKHR_fn clGetKernelSuggestedLocalWorkSizeKHR =
        (clGetKernelSuggestedLocalWorkSizeKHR_fn)clGetExtensionFunctionAddressForPlatform(
            platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    if (clGetKernelSuggestedLocalWorkSizeKHR != NULL) {
        GIVES(CL_INVALID_WORK_DIMENSION, SUGGEST(0, &four, three));
        GIVES(CL_INVALID_GLOBAL_WORK_SIZE, SUGGEST(1, NULL, three));
        GIVES(CL_INVALID_GLOBAL_WORK_SIZE, SUGGEST(1, &zero, three));
        GIVES(CL_INVALID_VALUE, SUGGEST(1, &four, NULL));
        DONE(SUGGEST(1, &four, three));
        IS(three[0] == 4);
    }

    /* Queries. */
    GIVES(CL_INVALID_ARG_INDEX, clGetKernelArgInfo(kernel, 6, CL_KERNEL_ARG_NAME, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clGetKernelArgInfo(kernel, 0, 0xdead, 0, NULL, NULL));
    GIVES(CL_INVALID_DEVICE,
          clGetKernelWorkGroupInfo(kernel, (cl_device_id)queue, CL_KERNEL_WORK_GROUP_SIZE, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_GLOBAL_WORK_SIZE, 0, NULL, NULL));
    GIVES(CL_INVALID_KERNEL, clGetKernelInfo((cl_kernel)queue, CL_KERNEL_NUM_ARGS, 0, NULL, NULL));

    /* Attributes are those of source: a program of a binary has none. */
    unsigned char *binaries[8] = {NULL};
    size_t lengths[8], length;
    DONE(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof lengths, lengths, NULL));
    for (cl_uint d = 0; d < device_count; d++)
        binaries[d] = malloc(lengths[d]);
    DONE(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL));
    cl_program again = clCreateProgramWithBinary(context, device_count, devices, lengths,
                                                 (const unsigned char **)binaries, NULL, &error);
    DONE(error);
    DONE(clBuildProgram(again, 0, NULL, NULL, NULL, NULL));
    cl_kernel same = kernel_of(again, "sized");
    DONE(clGetKernelInfo(same, CL_KERNEL_ATTRIBUTES, sizeof bytes, bytes, &length));
    IS(length == 1);
    DONE(clGetKernelInfo(sized, CL_KERNEL_ATTRIBUTES, sizeof bytes, bytes, &length));
    IS(strstr(bytes, "reqd_work_group_size(4") != NULL);
    DONE(clReleaseKernel(same));
    DONE(clReleaseProgram(again));
    for (cl_uint d = 0; d < device_count; d++)
        free(binaries[d]);
    DONE(clFinish(queue));
    DONE(clReleaseKernel(kernel));
    DONE(clReleaseKernel(sized));
    DONE(clReleaseProgram(program));
    DONE(clReleaseMemObject(hidden));
    DONE(clReleaseSampler(sampler));
    DONE(clReleaseSampler(foreign));
}

static void CL_CALLBACK called(cl_event which, cl_int status, void *data) {
    (void)which, (void)status, (void)data;
}

static void events(void) {
    cl_event both[] = {event, other_event}, wrong = (cl_event)queue, ended;
    MADE(CL_INVALID_CONTEXT, clCreateUserEvent((cl_context)queue, &error));
    GIVES(CL_INVALID_VALUE, clWaitForEvents(0, both));
    GIVES(CL_INVALID_VALUE, clWaitForEvents(1, NULL));
    GIVES(CL_INVALID_EVENT, clWaitForEvents(1, &wrong));
    GIVES(CL_INVALID_CONTEXT, clWaitForEvents(2, both));
    GIVES(CL_INVALID_VALUE, clSetEventCallback(event, CL_COMPLETE, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clSetEventCallback(event, CL_QUEUED, called, NULL));
    GIVES(CL_INVALID_EVENT, clSetEventCallback(wrong, CL_COMPLETE, called, NULL));
    GIVES(CL_INVALID_VALUE, clSetUserEventStatus(event, CL_RUNNING));
    GIVES(CL_INVALID_EVENT, clSetUserEventStatus(wrong, CL_COMPLETE));
    DONE(clSetUserEventStatus(event, CL_COMPLETE));
    GIVES(CL_INVALID_OPERATION, clSetUserEventStatus(event, CL_COMPLETE));
    DONE(clEnqueueMarkerWithWaitList(queue, 0, NULL, &ended));
    DONE(clWaitForEvents(1, &ended));
    GIVES(CL_INVALID_EVENT, clSetUserEventStatus(ended, CL_COMPLETE));
    GIVES(CL_PROFILING_INFO_NOT_AVAILABLE,
          clGetEventProfilingInfo(ended, CL_PROFILING_COMMAND_START, 0, NULL, NULL));
    GIVES(CL_PROFILING_INFO_NOT_AVAILABLE,
          clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, 0, NULL, NULL));
    GIVES(CL_INVALID_EVENT, clGetEventInfo(wrong, CL_EVENT_COMMAND_TYPE, 0, NULL, NULL));
    DONE(clReleaseEvent(ended));
    WAITS(clEnqueueMarkerWithWaitList(queue, count, list, NULL));
    WAITS(clEnqueueBarrierWithWaitList(queue, count, list, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueMarker(queue, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueWaitForEvents(queue, 0, NULL));
    GIVES(CL_INVALID_EVENT, clEnqueueWaitForEvents(queue, 1, &wrong));
    GIVES(CL_INVALID_CONTEXT, clEnqueueWaitForEvents(queue, 1, &other_event));
    GIVES(CL_INVALID_COMMAND_QUEUE, clEnqueueBarrier((cl_command_queue)buffer));

    /* A blocking command tells that what it waits for failed. */
    cl_event failed = clCreateUserEvent(context, &error);
    DONE(clSetUserEventStatus(failed, -5));
    GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &failed));
    GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
          clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 16, bytes, 1, &failed, NULL));
    MADE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
         clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 16, 1, &failed, NULL, &error));
    DONE(clReleaseEvent(failed));
}

/* Devices may be built for one after the other, and with other options. */
static void devices_apart(void) {
    if (device_count < 2)
        return;
    static const char source[] = "#ifdef SECOND\n"
                                 "kernel void same(global int *out, int n) { *out = n; }\n"
                                 "kernel void differs(global int *out, int n) { *out = n; }\n"
                                 "kernel void second(global int *out) { *out = 2; }\n"
                                 "#else\n"
                                 "kernel void same(global int *out, int n) { *out = 1; }\n"
                                 "kernel void differs(global int *out) { *out = 1; }\n"
                                 "#endif\n";
    const char *text = source;
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    DONE(clBuildProgram(program, 1, &devices[0], "", NULL, NULL));
    DONE(clBuildProgram(program, 1, &devices[1], "-DSECOND", NULL, NULL));
    MADE(CL_INVALID_KERNEL_DEFINITION, clCreateKernel(program, "differs", &error));
    MADE(CL_INVALID_KERNEL_NAME, clCreateKernel(program, "third", &error));

    /* What differs is left out; what one device has is there. */
    char names[100];
    size_t kernel_count = 0;
    cl_uint count = 0;
    cl_kernel kernels[3] = {NULL};
    DONE(clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, 8, &kernel_count, NULL));
    DONE(clGetProgramInfo(program, CL_PROGRAM_KERNEL_NAMES, sizeof names, names, NULL));
    IS(kernel_count == 2 && strcmp(names, "same;second") == 0);
    DONE(clCreateKernelsInProgram(program, 3, kernels, &count));
    IS(count == 2);
    cl_command_queue second_queue = queue_of(context, devices[1], 0);
    const size_t one = 1;
    int number = 7, result = 0;
    DONE(clSetKernelArg(kernels[1], 0, sizeof buffer, &buffer));
    GIVES(CL_INVALID_PROGRAM_EXECUTABLE,
          clEnqueueNDRangeKernel(queue, kernels[1], 1, NULL, &one, NULL, 0, NULL, NULL));
    DONE(clEnqueueNDRangeKernel(second_queue, kernels[1], 1, NULL, &one, NULL, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(second_queue, buffer, CL_TRUE, 0, 4, &result, 0, NULL, NULL));
    IS(result == 2);

    /* An argument that the code of the first device does not use is the second's. */
    DONE(clSetKernelArg(kernels[0], 0, sizeof buffer, &buffer));
    GIVES(CL_INVALID_ARG_SIZE, clSetKernelArg(kernels[0], 1, 2, &number));
    DONE(clSetKernelArg(kernels[0], 1, sizeof number, &number));
    cl_command_queue queues[2] = {queue, second_queue};
    for (int i = 0; i < 2; i++) {
        DONE(clEnqueueNDRangeKernel(queues[i], kernels[0], 1, NULL, &one, NULL, 0, NULL, NULL));
        DONE(clEnqueueReadBuffer(queues[i], buffer, CL_TRUE, 0, 4, &result, 0, NULL, NULL));
        IS(result == (i == 0 ? 1 : number));
    }
    DONE(clReleaseKernel(kernels[0]));
    DONE(clReleaseKernel(kernels[1]));
    DONE(clReleaseCommandQueue(second_queue));
    DONE(clReleaseProgram(program));
}

int main(void) {
    set_up();
    svm();
    usm();
    programs();
    devices_apart();
    kernels();
    events();
    printf("ok\n");
    return 0;
}
