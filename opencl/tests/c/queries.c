/* Queries: sizes, room, unknown names, and what devices say of themselves. */
#include "check.h"

/* An answer of SIZE bytes (-1: any), or none if it is smaller than the room by one. */
#define ASK(size, call, object, name)                                                              \
    do {                                                                                           \
        size_t need_ = 99999;                                                                      \
        DONE(call(object, name, 0, NULL, &need_));                                                 \
        if ((long)(size) >= 0 && need_ != (size_t)(size))                                          \
            FAIL("%s: %zu bytes", #name, need_);                                                   \
        static char room_[1 << 18];                                                                \
        IS(need_ <= sizeof room_);                                                                 \
        memset(room_, 0x5a, sizeof room_);                                                         \
        DONE(call(object, name, need_, room_, NULL));                                              \
        IS(room_[need_] == 0x5a);                                                                  \
        DONE(call(object, name, need_ + 1, room_, &need_));                                        \
        if (need_ > 0)                                                                             \
            GIVES(CL_INVALID_VALUE, call(object, name, need_ - 1, room_, NULL));                   \
    } while (0)

#define UNKNOWN(call, object) GIVES(CL_INVALID_VALUE, call(object, 0xdead, 0, NULL, NULL))

static cl_program program;
static cl_kernel kernel;

static cl_int build_info(cl_device_id device, cl_uint name, size_t size, void *value, size_t *ret) {
    return clGetProgramBuildInfo(program, device, name, size, value, ret);
}

static cl_int group_info(cl_device_id device, cl_uint name, size_t size, void *value, size_t *ret) {
    return clGetKernelWorkGroupInfo(kernel, device, name, size, value, ret);
}

static cl_int arg_info(cl_uint index, cl_uint name, size_t size, void *value, size_t *ret) {
    return clGetKernelArgInfo(kernel, index, name, size, value, ret);
}

static const char *text_of(cl_device_id device, cl_device_info name) {
    static char text[1 << 16];
    DONE(clGetDeviceInfo(device, name, sizeof text, text, NULL));
    return text;
}

static size_t size_of(cl_device_id device, cl_device_info name) {
    size_t value = 0;
    DONE(clGetDeviceInfo(device, name, sizeof value, &value, NULL));
    return value;
}

static cl_uint uint_of(cl_device_id device, cl_device_info name) {
    cl_uint value = 0;
    DONE(clGetDeviceInfo(device, name, sizeof value, &value, NULL));
    return value;
}

static cl_ulong ulong_of(cl_device_id device, cl_device_info name) {
    cl_ulong value = 0;
    DONE(clGetDeviceInfo(device, name, sizeof value, &value, NULL));
    return value;
}

static void device_queries(cl_device_id device) {
    static const cl_device_info bits4[] = {
        CL_DEVICE_VENDOR_ID, CL_DEVICE_MAX_COMPUTE_UNITS, CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE,
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, CL_DEVICE_NATIVE_VECTOR_WIDTH_INT,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT,
        CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF,
        CL_DEVICE_MAX_CLOCK_FREQUENCY, CL_DEVICE_ADDRESS_BITS, CL_DEVICE_IMAGE_SUPPORT,
        CL_DEVICE_MAX_READ_IMAGE_ARGS, CL_DEVICE_MAX_WRITE_IMAGE_ARGS,
        CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS, CL_DEVICE_MAX_SAMPLERS,
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT, CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT,
        CL_DEVICE_MAX_PIPE_ARGS, CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS,
        CL_DEVICE_PIPE_MAX_PACKET_SIZE, CL_DEVICE_MEM_BASE_ADDR_ALIGN,
        CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, CL_DEVICE_GLOBAL_MEM_CACHE_TYPE,
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, CL_DEVICE_MAX_CONSTANT_ARGS, CL_DEVICE_LOCAL_MEM_TYPE,
        CL_DEVICE_ERROR_CORRECTION_SUPPORT, CL_DEVICE_HOST_UNIFIED_MEMORY, CL_DEVICE_ENDIAN_LITTLE,
        CL_DEVICE_AVAILABLE, CL_DEVICE_COMPILER_AVAILABLE, CL_DEVICE_LINKER_AVAILABLE,
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE, CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE,
        CL_DEVICE_MAX_ON_DEVICE_QUEUES, CL_DEVICE_MAX_ON_DEVICE_EVENTS,
        CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, CL_DEVICE_PARTITION_MAX_SUB_DEVICES,
        CL_DEVICE_REFERENCE_COUNT, CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT,
        CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT, CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT,
        CL_DEVICE_MAX_NUM_SUB_GROUPS, CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
        CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT,
        CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT,
        CL_DEVICE_PIPE_SUPPORT, CL_DEVICE_NUMERIC_VERSION,
    };
    static const cl_device_info bits8[] = {
        CL_DEVICE_TYPE, CL_DEVICE_MAX_WORK_GROUP_SIZE, CL_DEVICE_MAX_MEM_ALLOC_SIZE,
        CL_DEVICE_IMAGE2D_MAX_WIDTH, CL_DEVICE_IMAGE2D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_WIDTH,
        CL_DEVICE_IMAGE3D_MAX_HEIGHT, CL_DEVICE_IMAGE3D_MAX_DEPTH, CL_DEVICE_IMAGE_MAX_BUFFER_SIZE,
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, CL_DEVICE_MAX_PARAMETER_SIZE, CL_DEVICE_SINGLE_FP_CONFIG,
        CL_DEVICE_DOUBLE_FP_CONFIG, CL_DEVICE_HALF_FP_CONFIG, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE,
        CL_DEVICE_GLOBAL_MEM_SIZE, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE,
        CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE, CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE,
        CL_DEVICE_LOCAL_MEM_SIZE, CL_DEVICE_PROFILING_TIMER_RESOLUTION,
        CL_DEVICE_EXECUTION_CAPABILITIES, CL_DEVICE_QUEUE_ON_HOST_PROPERTIES,
        CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES, CL_DEVICE_PLATFORM, CL_DEVICE_PRINTF_BUFFER_SIZE,
        CL_DEVICE_PARENT_DEVICE, CL_DEVICE_PARTITION_AFFINITY_DOMAIN, CL_DEVICE_SVM_CAPABILITIES,
        CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES, CL_DEVICE_ATOMIC_FENCE_CAPABILITIES,
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES, CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
    };
    static const cl_device_info attributes[] = {
        CL_DEVICE_IP_VERSION_INTEL, CL_DEVICE_ID_INTEL, CL_DEVICE_NUM_SLICES_INTEL,
        CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL, CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL,
        CL_DEVICE_NUM_THREADS_PER_EU_INTEL,
    };
    static const cl_device_info any[] = {
        CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DRIVER_VERSION, CL_DEVICE_PROFILE, CL_DEVICE_VERSION,
        CL_DEVICE_OPENCL_C_VERSION, CL_DEVICE_EXTENSIONS, CL_DEVICE_BUILT_IN_KERNELS,
        CL_DEVICE_IL_VERSION, CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED,
        CL_DEVICE_OPENCL_C_ALL_VERSIONS, CL_DEVICE_OPENCL_C_FEATURES,
        CL_DEVICE_EXTENSIONS_WITH_VERSION, CL_DEVICE_ILS_WITH_VERSION,
        CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION, CL_DEVICE_PARTITION_PROPERTIES,
        CL_DEVICE_PARTITION_TYPE, CL_DEVICE_SUB_GROUP_SIZES_INTEL,
    };
    for (size_t i = 0; i < sizeof bits4 / sizeof *bits4; i++)
        ASK(4, clGetDeviceInfo, device, bits4[i]);
    for (size_t i = 0; i < sizeof bits8 / sizeof *bits8; i++)
        ASK(8, clGetDeviceInfo, device, bits8[i]);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
        ASK(4, clGetDeviceInfo, device, attributes[i]);
    ASK(8, clGetDeviceInfo, device, CL_DEVICE_FEATURE_CAPABILITIES_INTEL);
    IS(uint_of(device, CL_DEVICE_NUM_SLICES_INTEL) *
           uint_of(device, CL_DEVICE_NUM_SUB_SLICES_PER_SLICE_INTEL) *
           uint_of(device, CL_DEVICE_NUM_EUS_PER_SUB_SLICE_INTEL) ==
       uint_of(device, CL_DEVICE_MAX_COMPUTE_UNITS));
    for (size_t i = 0; i < sizeof any / sizeof *any; i++)
        ASK(-1, clGetDeviceInfo, device, any[i]);
    ASK(24, clGetDeviceInfo, device, CL_DEVICE_MAX_WORK_ITEM_SIZES);
    UNKNOWN(clGetDeviceInfo, device);
    /* What the specification asks of a full profile. */
    IS(strncmp(text_of(device, CL_DEVICE_VERSION), "OpenCL 3.0 ", 11) == 0);
    IS(strncmp(text_of(device, CL_DEVICE_OPENCL_C_VERSION), "OpenCL C 1.2 ", 13) == 0);
    IS(strcmp(text_of(device, CL_DEVICE_PROFILE), "FULL_PROFILE") == 0);
    IS(size_of(device, CL_DEVICE_MAX_PARAMETER_SIZE) >= 1024);
    IS(ulong_of(device, CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE) >= 64 * 1024);
    IS(uint_of(device, CL_DEVICE_MAX_CONSTANT_ARGS) >= 8);
    IS(ulong_of(device, CL_DEVICE_LOCAL_MEM_SIZE) >= 32 * 1024);
    IS(size_of(device, CL_DEVICE_PRINTF_BUFFER_SIZE) >= 1024 * 1024);
    cl_ulong global = ulong_of(device, CL_DEVICE_GLOBAL_MEM_SIZE);
    cl_ulong most = ulong_of(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    IS(most <= global && (most >= global / 4 || most >= 1ul << 30));
    IS(uint_of(device, CL_DEVICE_MEM_BASE_ADDR_ALIGN) >= 1024);
    size_t group = size_of(device, CL_DEVICE_MAX_WORK_GROUP_SIZE), items[3];
    DONE(clGetDeviceInfo(device, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof items, items, NULL));
    IS(group >= 1 && items[0] >= group && items[1] >= 1 && items[2] >= 1);
    /* The sizes that sub-groups can have, with the most of them in a group. */
    size_t sizes[8], bytes;
    DONE(clGetDeviceInfo(device, CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes));
    IS(bytes >= sizeof(size_t));
    IS(uint_of(device, CL_DEVICE_MAX_NUM_SUB_GROUPS) == group / sizes[0]);
    cl_ulong device_time = 0, host_time = 0, later = 0;
    DONE(clGetDeviceAndHostTimer(device, &device_time, &host_time));
    DONE(clGetHostTimer(device, &later));
    IS(later >= host_time && device_time > 0);
    GIVES(CL_INVALID_VALUE, clGetHostTimer(device, NULL));
    GIVES(CL_INVALID_VALUE, clGetDeviceAndHostTimer(device, NULL, &later));
    DONE(clRetainDevice(device));
    DONE(clReleaseDevice(device));
    DONE(clReleaseDevice(device));
    IS(uint_of(device, CL_DEVICE_REFERENCE_COUNT) == 1);
}

int main(void) {
    cl_context context = begin();
    cl_uint count = 0;
    GIVES(CL_INVALID_VALUE, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, devices, NULL));
    GIVES(CL_INVALID_VALUE, clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL));
    GIVES(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 0, 0, NULL, &count));
    GIVES(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 0, NULL, &count));
    DONE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_DEFAULT, 0, NULL, &count));
    IS(count == 1);
    static const cl_platform_info texts[] = {
        CL_PLATFORM_PROFILE, CL_PLATFORM_VERSION, CL_PLATFORM_NAME, CL_PLATFORM_VENDOR,
        CL_PLATFORM_EXTENSIONS, CL_PLATFORM_EXTENSIONS_WITH_VERSION, CL_PLATFORM_ICD_SUFFIX_KHR,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ASK(-1, clGetPlatformInfo, platform, texts[i]);
    ASK(4, clGetPlatformInfo, platform, CL_PLATFORM_NUMERIC_VERSION);
    ASK(8, clGetPlatformInfo, platform, CL_PLATFORM_HOST_TIMER_RESOLUTION);
    UNKNOWN(clGetPlatformInfo, platform);
    for (cl_uint d = 0; d < device_count; d++)
        device_queries(devices[d]);

    /* Contexts. */
    ASK(4, clGetContextInfo, context, CL_CONTEXT_REFERENCE_COUNT);
    ASK(4, clGetContextInfo, context, CL_CONTEXT_NUM_DEVICES);
    ASK(8 * device_count, clGetContextInfo, context, CL_CONTEXT_DEVICES);
    ASK(0, clGetContextInfo, context, CL_CONTEXT_PROPERTIES);
    UNKNOWN(clGetContextInfo, context);
    cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    cl_context other = clCreateContextFromType(list, CL_DEVICE_TYPE_GPU, NULL, NULL, &error);
    DONE(error);
    ASK(sizeof list, clGetContextInfo, other, CL_CONTEXT_PROPERTIES);
    DONE(clReleaseContext(other));
    cl_context_properties bad[] = {CL_CONTEXT_PLATFORM, 0, 0};
    clCreateContext(bad, 1, devices, NULL, NULL, &error);
    GIVES(CL_INVALID_PLATFORM, error);
    bad[0] = 0xdead;
    clCreateContext(bad, 1, devices, NULL, NULL, &error);
    GIVES(CL_INVALID_PROPERTY, error);
    bad[0] = CL_CONTEXT_INTEROP_USER_SYNC, bad[1] = -1;
    clCreateContext(bad, 1, devices, NULL, NULL, &error);
    GIVES(CL_INVALID_PROPERTY, error);
    clCreateContext(NULL, 0, devices, NULL, NULL, &error);
    GIVES(CL_INVALID_VALUE, error);
    clCreateContext(NULL, 1, devices, NULL, &count, &error);
    GIVES(CL_INVALID_VALUE, error);

    /* Queues. */
    cl_command_queue queue = queue_of(context, devices[0], CL_QUEUE_PROFILING_ENABLE);
    ASK(8, clGetCommandQueueInfo, queue, CL_QUEUE_CONTEXT);
    ASK(8, clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE);
    ASK(4, clGetCommandQueueInfo, queue, CL_QUEUE_REFERENCE_COUNT);
    ASK(8, clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES);
    ASK(24, clGetCommandQueueInfo, queue, CL_QUEUE_PROPERTIES_ARRAY);
    ASK(8, clGetCommandQueueInfo, queue, CL_QUEUE_DEVICE_DEFAULT);
    GIVES(CL_INVALID_COMMAND_QUEUE, clGetCommandQueueInfo(queue, CL_QUEUE_SIZE, 0, NULL, NULL));
    UNKNOWN(clGetCommandQueueInfo, queue);
    cl_queue_properties on_device[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
    clCreateCommandQueueWithProperties(context, devices[0], on_device, &error);
    GIVES(CL_INVALID_QUEUE_PROPERTIES, error);
    on_device[1] = 1 << 20;
    clCreateCommandQueueWithProperties(context, devices[0], on_device, &error);
    GIVES(CL_INVALID_VALUE, error);

    /* Programs and kernels. */
    program = clCreateProgramWithSource(
        context, 1,
        (const char *[]){"kernel __attribute__((reqd_work_group_size(8, 2, 1), vec_type_hint(float4)))\n"
                         "void k(global const float *restrict a, constant int *b, local uint4 *c,\n"
                         "       ulong d) { c[0].x = b[0]; ((global float *)a)[0] = d + c[0].x; }\n"
                         "kernel void l(global int *a) { a[0] = 1; }\n"},
        NULL, &error);
    DONE(error);
    GIVES(CL_INVALID_PROGRAM_EXECUTABLE,
          clGetProgramInfo(program, CL_PROGRAM_NUM_KERNELS, 0, NULL, NULL));
    clCreateKernel(program, "k", &error);
    GIVES(CL_INVALID_PROGRAM_EXECUTABLE, error);
    ASK(4, build_info, devices[0], CL_PROGRAM_BUILD_STATUS);
    DONE(clBuildProgram(program, 0, NULL, "-DX=1", NULL, NULL));
    ASK(4, clGetProgramInfo, program, CL_PROGRAM_REFERENCE_COUNT);
    ASK(8, clGetProgramInfo, program, CL_PROGRAM_CONTEXT);
    ASK(4, clGetProgramInfo, program, CL_PROGRAM_NUM_DEVICES);
    ASK(8 * device_count, clGetProgramInfo, program, CL_PROGRAM_DEVICES);
    ASK(-1, clGetProgramInfo, program, CL_PROGRAM_SOURCE);
    ASK(8, clGetProgramInfo, program, CL_PROGRAM_NUM_KERNELS);
    ASK(4, clGetProgramInfo, program, CL_PROGRAM_KERNEL_NAMES);
    UNKNOWN(clGetProgramInfo, program);
    for (cl_uint d = 0; d < device_count; d++) {
        ASK(6, build_info, devices[d], CL_PROGRAM_BUILD_OPTIONS);
        ASK(-1, build_info, devices[d], CL_PROGRAM_BUILD_LOG);
        ASK(4, build_info, devices[d], CL_PROGRAM_BINARY_TYPE);
        UNKNOWN(build_info, devices[d]);
    }
    clCreateKernel(program, "none", &error);
    GIVES(CL_INVALID_KERNEL_NAME, error);
    clCreateKernel(program, NULL, &error);
    GIVES(CL_INVALID_VALUE, error);
    kernel = kernel_of(program, "k");
    GIVES(CL_INVALID_OPERATION, clBuildProgram(program, 0, NULL, "", NULL, NULL));
    ASK(2, clGetKernelInfo, kernel, CL_KERNEL_FUNCTION_NAME);
    ASK(4, clGetKernelInfo, kernel, CL_KERNEL_NUM_ARGS);
    ASK(4, clGetKernelInfo, kernel, CL_KERNEL_REFERENCE_COUNT);
    ASK(8, clGetKernelInfo, kernel, CL_KERNEL_CONTEXT);
    ASK(8, clGetKernelInfo, kernel, CL_KERNEL_PROGRAM);
    char attributes[100] = "";
    DONE(clGetKernelInfo(kernel, CL_KERNEL_ATTRIBUTES, 100, attributes, NULL));
    IS(strcmp(attributes, "reqd_work_group_size(8,2,1) vec_type_hint(float4)") == 0);
    UNKNOWN(clGetKernelInfo, kernel);
    for (cl_uint d = 0; d < device_count; d++) {
        ASK(8, group_info, devices[d], CL_KERNEL_WORK_GROUP_SIZE);
        ASK(24, group_info, devices[d], CL_KERNEL_COMPILE_WORK_GROUP_SIZE);
        ASK(8, group_info, devices[d], CL_KERNEL_LOCAL_MEM_SIZE);
        ASK(8, group_info, devices[d], CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE);
        ASK(8, group_info, devices[d], CL_KERNEL_PRIVATE_MEM_SIZE);
        ASK(8, group_info, devices[d], CL_KERNEL_SPILL_MEM_SIZE_INTEL);
        UNKNOWN(group_info, devices[d]);
        size_t required[3] = {0};
        DONE(group_info(devices[d], CL_KERNEL_COMPILE_WORK_GROUP_SIZE, 24, required, NULL));
        IS(required[0] == 8 && required[1] == 2 && required[2] == 1);
    }
    static const cl_uint spaces[] = {CL_KERNEL_ARG_ADDRESS_GLOBAL, CL_KERNEL_ARG_ADDRESS_CONSTANT,
                                     CL_KERNEL_ARG_ADDRESS_LOCAL, CL_KERNEL_ARG_ADDRESS_PRIVATE};
    static const char *types[] = {"float*", "int*", "uint4*", "ulong"}, *names[] = {"a", "b", "c", "d"};
    for (cl_uint i = 0; i < 4; i++) {
        ASK(4, arg_info, i, CL_KERNEL_ARG_ADDRESS_QUALIFIER);
        ASK(4, arg_info, i, CL_KERNEL_ARG_ACCESS_QUALIFIER);
        ASK(8, arg_info, i, CL_KERNEL_ARG_TYPE_QUALIFIER);
        UNKNOWN(arg_info, i);
        cl_uint space = 0;
        char text[100];
        DONE(arg_info(i, CL_KERNEL_ARG_ADDRESS_QUALIFIER, 4, &space, NULL));
        IS(space == spaces[i]);
        DONE(arg_info(i, CL_KERNEL_ARG_TYPE_NAME, 100, text, NULL));
        IS(strcmp(text, types[i]) == 0);
        DONE(arg_info(i, CL_KERNEL_ARG_NAME, 100, text, NULL));
        IS(strcmp(text, names[i]) == 0);
    }
    cl_kernel_arg_type_qualifier qualifiers = 0;
    DONE(arg_info(0, CL_KERNEL_ARG_TYPE_QUALIFIER, 8, &qualifiers, NULL));
    IS(qualifiers == (CL_KERNEL_ARG_TYPE_CONST | CL_KERNEL_ARG_TYPE_RESTRICT));
    GIVES(CL_INVALID_ARG_INDEX, arg_info(4, CL_KERNEL_ARG_NAME, 0, NULL, NULL));
    cl_kernel both[2];
    DONE(clCreateKernelsInProgram(program, 0, NULL, &count));
    IS(count == 2);
    GIVES(CL_INVALID_VALUE, clCreateKernelsInProgram(program, 1, both, NULL));
    DONE(clCreateKernelsInProgram(program, 2, both, NULL));

    /* Arguments. */
    cl_mem buffer = buffer_of(context, 0, 64, NULL);
    cl_ulong number = 1;
    GIVES(CL_INVALID_ARG_INDEX, clSetKernelArg(kernel, 4, 8, &number));
    GIVES(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 3, 4, &number));
    GIVES(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 0, 4, &buffer));
    GIVES(CL_INVALID_ARG_SIZE, clSetKernelArg(kernel, 2, 0, NULL));
    GIVES(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 2, 8, &number));
    GIVES(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 3, 8, NULL));
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, 8, &queue));
    DONE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    DONE(clSetKernelArg(kernel, 1, sizeof buffer, NULL));
    DONE(clSetKernelArg(kernel, 2, 64, NULL));

    /* Launches. */
    size_t global[3] = {16, 4, 1}, local[3] = {8, 2, 1}, wrong[3] = {4, 4, 1};
    size_t large[3] = {1 << 20, 1, 1}, start[3] = {0xfffffff8u, 0, 0};
    GIVES(CL_INVALID_KERNEL_ARGS,
          clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL));
    DONE(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
    DONE(clSetKernelArg(kernel, 3, 8, &number));
    cl_event event;
    DONE(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, &event));
    GIVES(CL_INVALID_WORK_DIMENSION,
          clEnqueueNDRangeKernel(queue, kernel, 4, NULL, global, local, 0, NULL, NULL));
    GIVES(CL_INVALID_WORK_DIMENSION,
          clEnqueueNDRangeKernel(queue, kernel, 0, NULL, global, local, 0, NULL, NULL));
    GIVES(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, wrong, 0, NULL, NULL));
    GIVES(CL_INVALID_WORK_ITEM_SIZE,
          clEnqueueNDRangeKernel(queue, kernel, 1, NULL, large, large, 0, NULL, NULL));
    GIVES(CL_INVALID_GLOBAL_OFFSET,
          clEnqueueNDRangeKernel(queue, kernel, 2, start, global, local, 0, NULL, NULL));
    /* The last id has 32 bits. */
    DONE(clEnqueueNDRangeKernel(queue, kernel, 2, start, local, local, 0, NULL, NULL));
    DONE(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, NULL, NULL, 0, NULL, NULL));
    global[1] = 0;
    DONE(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    /* The size that a launch without one has. */
    clGetKernelSuggestedLocalWorkSizeKHR_fn suggest =
        (clGetKernelSuggestedLocalWorkSizeKHR_fn)clGetExtensionFunctionAddressForPlatform(
            platform, "clGetKernelSuggestedLocalWorkSizeKHR");
    size_t suggested[3] = {0}, hundred[2] = {100, 6};
    GIVES(CL_INVALID_KERNEL_ARGS, suggest(queue, both[1], 2, NULL, hundred, suggested));
    DONE(clSetKernelArg(both[1], 0, sizeof buffer, &buffer));
    DONE(suggest(queue, both[1], 2, NULL, hundred, suggested));
    IS(suggested[0] > 0 && 100 % suggested[0] == 0 && suggested[1] > 0 && 6 % suggested[1] == 0);
    DONE(suggest(queue, kernel, 2, NULL, (size_t[]){16, 4}, suggested));
    IS(suggested[0] == 8 && suggested[1] == 2);
    GIVES(CL_INVALID_VALUE, suggest(queue, both[1], 2, NULL, hundred, NULL));
    GIVES(CL_INVALID_GLOBAL_WORK_SIZE, suggest(queue, both[1], 2, NULL, global, suggested));
    GIVES(CL_INVALID_GLOBAL_WORK_SIZE, suggest(queue, both[1], 2, NULL, NULL, suggested));
    GIVES(CL_INVALID_WORK_DIMENSION, suggest(queue, both[1], 4, NULL, hundred, suggested));
    GIVES(CL_INVALID_KERNEL, suggest(queue, (cl_kernel)queue, 2, NULL, hundred, suggested));
    IS(clGetExtensionFunctionAddressForPlatform(platform, "clNone") == NULL);

    /* Uneven ranges need OpenCL C 2.0 or later. */
    size_t seven = 7, two = 2, zero = 0;
    GIVES(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(queue, both[1], 1, NULL, &seven, &two, 0, NULL, NULL));
    GIVES(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(queue, both[1], 1, NULL, &seven, &zero, 0, NULL, NULL));
    GIVES(CL_INVALID_OPERATION, clEnqueueNativeKernel(queue, (void (*)(void *))on_device, NULL, 0, 0,
                                                      NULL, NULL, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE,
          clEnqueueNativeKernel(queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL));
    DONE(clFinish(queue));

    /* Events. */
    ASK(8, clGetEventInfo, event, CL_EVENT_COMMAND_QUEUE);
    ASK(8, clGetEventInfo, event, CL_EVENT_CONTEXT);
    ASK(4, clGetEventInfo, event, CL_EVENT_COMMAND_TYPE);
    ASK(4, clGetEventInfo, event, CL_EVENT_COMMAND_EXECUTION_STATUS);
    ASK(4, clGetEventInfo, event, CL_EVENT_REFERENCE_COUNT);
    UNKNOWN(clGetEventInfo, event);
    ASK(8, clGetEventProfilingInfo, event, CL_PROFILING_COMMAND_COMPLETE);
    UNKNOWN(clGetEventProfilingInfo, event);

    /* Buffers. */
    static const cl_mem_info mem8[] = {CL_MEM_FLAGS,  CL_MEM_SIZE,   CL_MEM_HOST_PTR,
                                       CL_MEM_CONTEXT, CL_MEM_OFFSET, CL_MEM_ASSOCIATED_MEMOBJECT};
    for (size_t i = 0; i < sizeof mem8 / sizeof *mem8; i++)
        ASK(8, clGetMemObjectInfo, buffer, mem8[i]);
    ASK(4, clGetMemObjectInfo, buffer, CL_MEM_TYPE);
    ASK(4, clGetMemObjectInfo, buffer, CL_MEM_MAP_COUNT);
    ASK(4, clGetMemObjectInfo, buffer, CL_MEM_REFERENCE_COUNT);
    ASK(4, clGetMemObjectInfo, buffer, CL_MEM_USES_SVM_POINTER);
    ASK(0, clGetMemObjectInfo, buffer, CL_MEM_PROPERTIES);
    UNKNOWN(clGetMemObjectInfo, buffer);
    clCreateBuffer(context, 0, 0, NULL, &error);
    GIVES(CL_INVALID_BUFFER_SIZE, error);
    clCreateBuffer(context, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, 4, NULL, &error);
    GIVES(CL_INVALID_VALUE, error);
    clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 4, NULL, &error);
    GIVES(CL_INVALID_HOST_PTR, error);
    clCreateBuffer(context, 0, 4, &number, &error);
    GIVES(CL_INVALID_HOST_PTR, error);
    GIVES(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 60, 8, &number, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 8, NULL, 0, NULL, NULL));
    cl_mem hidden = buffer_of(context, CL_MEM_HOST_NO_ACCESS, 64, NULL);
    GIVES(CL_INVALID_OPERATION,
          clEnqueueReadBuffer(queue, hidden, CL_TRUE, 0, 8, &number, 0, NULL, NULL));
    GIVES(CL_INVALID_OPERATION,
          clEnqueueWriteBuffer(queue, hidden, CL_TRUE, 0, 8, &number, 0, NULL, NULL));

    /* A failed build says why, in the compiler's words. */
    const char *wrong_source = "kernel void k(global int *a) { a[0] = undeclared; }";
    cl_program failing = clCreateProgramWithSource(context, 1, &wrong_source, NULL, &error);
    DONE(error);
    GIVES(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(failing, 0, NULL, "", NULL, NULL));
    char log[4096] = "";
    DONE(clGetProgramBuildInfo(failing, devices[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    IS(strstr(log, "undeclared") != NULL);
    cl_build_status status = 99;
    DONE(clGetProgramBuildInfo(failing, devices[0], CL_PROGRAM_BUILD_STATUS, 4, &status, NULL));
    IS(status == CL_BUILD_ERROR);
    printf("ok\n");
    return 0;
}
