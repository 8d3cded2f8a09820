/* What the specification says of wrong arguments, chapter by chapter: devices, queues, memory. */
#include "rules.h"

static void platforms(void) {
    cl_uint count;
    GIVES(CL_INVALID_PLATFORM, clGetPlatformInfo((cl_platform_id)context, CL_PLATFORM_NAME, 0, NULL, NULL));
    GIVES(CL_INVALID_PLATFORM, clGetDeviceIDs((cl_platform_id)context, CL_DEVICE_TYPE_ALL, 0, NULL, &count));
    GIVES(CL_INVALID_DEVICE_TYPE, clGetDeviceIDs(platform, 1 << 20, 0, NULL, &count));
    GIVES(CL_DEVICE_NOT_FOUND, clGetDeviceIDs(platform, CL_DEVICE_TYPE_CUSTOM, 0, NULL, &count));
    GIVES(CL_INVALID_DEVICE, clRetainDevice((cl_device_id)context));
    GIVES(CL_INVALID_DEVICE, clReleaseDevice((cl_device_id)context));
    cl_device_partition_property by[] = {CL_DEVICE_PARTITION_EQUALLY, 1, 0}, none[] = {0};
    GIVES(CL_INVALID_VALUE, clCreateSubDevices(device, by, 0, NULL, &count));
    GIVES(CL_INVALID_VALUE, clCreateSubDevices(device, none, 0, NULL, &count));
    GIVES(CL_INVALID_VALUE, clCreateSubDevices(device, NULL, 0, NULL, &count));
    GIVES(CL_INVALID_DEVICE, clCreateSubDevices((cl_device_id)context, by, 0, NULL, &count));
    cl_ulong time;
    GIVES(CL_INVALID_DEVICE, clGetHostTimer((cl_device_id)context, &time));
    GIVES(CL_INVALID_VALUE, clGetDeviceAndHostTimer(device, &time, NULL));
    IS(clGetExtensionFunctionAddressForPlatform(platform, "clNoSuchFunction") == NULL);
    GIVES(CL_INVALID_PLATFORM, clUnloadPlatformCompiler((cl_platform_id)context));
}

static void contexts(void) {
    cl_device_id wrong = (cl_device_id)queue;
    MADE(CL_INVALID_VALUE, clCreateContext(NULL, 1, NULL, NULL, NULL, &error));
    MADE(CL_INVALID_DEVICE, clCreateContext(NULL, 1, &wrong, NULL, NULL, &error));
    cl_context_properties list[] = {CL_CONTEXT_PLATFORM, (cl_context_properties)platform,
                                    CL_CONTEXT_PLATFORM, (cl_context_properties)platform, 0};
    MADE(CL_INVALID_PROPERTY, clCreateContext(list, 1, &device, NULL, NULL, &error));
    list[1] = (cl_context_properties)context, list[2] = 0;
    MADE(CL_INVALID_PLATFORM, clCreateContext(list, 1, &device, NULL, NULL, &error));
    list[1] = (cl_context_properties)platform;
    MADE(CL_INVALID_DEVICE_TYPE, clCreateContextFromType(list, 0, NULL, NULL, &error));
    MADE(CL_INVALID_DEVICE_TYPE, clCreateContextFromType(list, 1 << 20, NULL, NULL, &error));
    MADE(CL_DEVICE_NOT_FOUND, clCreateContextFromType(list, CL_DEVICE_TYPE_CPU, NULL, NULL, &error));
    MADE(CL_INVALID_VALUE, clCreateContextFromType(list, CL_DEVICE_TYPE_GPU, NULL, bytes, &error));
    GIVES(CL_INVALID_CONTEXT, clGetContextInfo((cl_context)queue, CL_CONTEXT_DEVICES, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clSetContextDestructorCallback(context, NULL, NULL));
    GIVES(CL_INVALID_CONTEXT, clSetContextDestructorCallback((cl_context)queue, NULL, NULL));
}

static void queues(void) {
    cl_queue_properties list[] = {CL_QUEUE_PROPERTIES, 0, 0};
    MADE(CL_INVALID_CONTEXT, clCreateCommandQueueWithProperties((cl_context)queue, device, list, &error));
    MADE(CL_INVALID_DEVICE, clCreateCommandQueueWithProperties(context, NULL, list, &error));
    MADE(CL_INVALID_DEVICE, clCreateCommandQueueWithProperties(context, (cl_device_id)queue, list, &error));
    MADE(CL_INVALID_CONTEXT, clCreateCommandQueue((cl_context)queue, device, 0, &error));
    MADE(CL_INVALID_DEVICE, clCreateCommandQueue(context, (cl_device_id)queue, 0, &error));
    MADE(CL_INVALID_VALUE, clCreateCommandQueue(context, device, 1 << 20, &error));
    list[0] = 0xdead;
    MADE(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, list, &error));
    /* Queues of devices: those that none can have, and those that ours do not have. */
    list[0] = CL_QUEUE_SIZE, list[1] = 16;
    MADE(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, list, &error));
    const cl_command_queue_properties in_order = CL_QUEUE_ON_DEVICE;
    const cl_command_queue_properties on_device = in_order | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    const cl_command_queue_properties none_can[] = {in_order, CL_QUEUE_ON_DEVICE_DEFAULT};
    list[0] = CL_QUEUE_PROPERTIES;
    for (int i = 0; i < 2; i++) {
        list[1] = none_can[i];
        MADE(CL_INVALID_VALUE, clCreateCommandQueueWithProperties(context, device, list, &error));
    }
    cl_queue_properties sized[] = {CL_QUEUE_PROPERTIES, on_device, CL_QUEUE_SIZE, 16, 0};
    MADE(CL_INVALID_QUEUE_PROPERTIES, clCreateCommandQueueWithProperties(context, device, sized, &error));
    GIVES(CL_INVALID_OPERATION, clSetDefaultDeviceCommandQueue(context, device, queue));
    GIVES(CL_INVALID_CONTEXT, clSetDefaultDeviceCommandQueue((cl_context)queue, device, queue));
    GIVES(CL_INVALID_DEVICE, clSetDefaultDeviceCommandQueue(context, (cl_device_id)queue, queue));
    GIVES(CL_INVALID_COMMAND_QUEUE, clFlush((cl_command_queue)buffer));
    GIVES(CL_INVALID_COMMAND_QUEUE, clRetainCommandQueue((cl_command_queue)buffer));
}

static void buffers(void) {
    MADE(CL_INVALID_CONTEXT, clCreateBuffer((cl_context)queue, 0, 16, NULL, &error));
    MADE(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, 0, NULL, &error));
    MADE(CL_INVALID_BUFFER_SIZE, clCreateBuffer(context, 0, SIZE_MAX, NULL, &error));
    static const cl_mem_flags bad[] = {
        CL_MEM_READ_WRITE | CL_MEM_READ_ONLY, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY,
        CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS,
        CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR, CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR, 1 << 30,
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        MADE(CL_INVALID_VALUE,
             clCreateBuffer(context, bad[i], 16, bad[i] & CL_MEM_USE_HOST_PTR ? bytes : NULL, &error));
    MADE(CL_INVALID_HOST_PTR, clCreateBuffer(context, 0, 16, bytes, &error));
    MADE(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_ALLOC_HOST_PTR, 16, bytes, &error));
    MADE(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 16, NULL, &error));
    MADE(CL_INVALID_HOST_PTR, clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, 16, NULL, &error));
    cl_mem_properties property[] = {0xdead, 1, 0};
    MADE(CL_INVALID_PROPERTY, clCreateBufferWithProperties(context, property, 0, 16, NULL, &error));

    /* Parts of buffers. */
    cl_buffer_region region = {0, 64};
    cl_uint kind = CL_BUFFER_CREATE_TYPE_REGION;
    cl_mem part = clCreateSubBuffer(buffer, 0, kind, &region, &error);
    DONE(error);
    MADE(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(part, 0, kind, &region, &error));
    MADE(CL_INVALID_MEM_OBJECT, clCreateSubBuffer(image, 0, kind, &region, &error));
    MADE(CL_INVALID_MEM_OBJECT, clCreateSubBuffer((cl_mem)queue, 0, kind, &region, &error));
    MADE(CL_INVALID_VALUE, clCreateSubBuffer(buffer, 0, 0, &region, &error));
    MADE(CL_INVALID_VALUE, clCreateSubBuffer(buffer, 0, kind, NULL, &error));
    MADE(CL_INVALID_VALUE, clCreateSubBuffer(buffer, CL_MEM_ALLOC_HOST_PTR, kind, &region, &error));
    region = (cl_buffer_region){0, 0};
    MADE(CL_INVALID_BUFFER_SIZE, clCreateSubBuffer(buffer, 0, kind, &region, &error));
    region = (cl_buffer_region){128, 256};
    MADE(CL_INVALID_VALUE, clCreateSubBuffer(buffer, 0, kind, &region, &error));
    region = (cl_buffer_region){128, SIZE_MAX - 64};
    MADE(CL_INVALID_VALUE, clCreateSubBuffer(buffer, 0, kind, &region, &error));
    region = (cl_buffer_region){4, 16};
    MADE(CL_MISALIGNED_SUB_BUFFER_OFFSET, clCreateSubBuffer(buffer, 0, kind, &region, &error));
    region = (cl_buffer_region){0, 64};
    static const cl_mem_flags widens[][2] = {
        {CL_MEM_WRITE_ONLY, CL_MEM_READ_WRITE}, {CL_MEM_WRITE_ONLY, CL_MEM_READ_ONLY},
        {CL_MEM_READ_ONLY, CL_MEM_READ_WRITE}, {CL_MEM_READ_ONLY, CL_MEM_WRITE_ONLY},
        {CL_MEM_HOST_WRITE_ONLY, CL_MEM_HOST_READ_ONLY}, {CL_MEM_HOST_READ_ONLY, CL_MEM_HOST_WRITE_ONLY},
        {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_READ_ONLY}, {CL_MEM_HOST_NO_ACCESS, CL_MEM_HOST_WRITE_ONLY},
    };
    for (size_t i = 0; i < sizeof widens / sizeof *widens; i++) {
        cl_mem parent = of(widens[i][0]);
        MADE(CL_INVALID_VALUE, clCreateSubBuffer(parent, widens[i][1], kind, &region, &error));
        MADE(CL_SUCCESS, clCreateSubBuffer(parent, CL_MEM_HOST_NO_ACCESS, kind, &region, &error));
        DONE(clReleaseMemObject(parent));
    }
    DONE(clReleaseMemObject(part));
}

static void transfers(void) {
    cl_mem unread = of(CL_MEM_HOST_WRITE_ONLY), unwritten = of(CL_MEM_HOST_READ_ONLY);
    cl_mem hidden = of(CL_MEM_HOST_NO_ACCESS), second = of(0);
#define READ(queue, buffer, offset, size, to, ...)                                                 \
    clEnqueueReadBuffer(queue, buffer, CL_TRUE, offset, size, to, __VA_ARGS__, NULL)
#define WRITE(queue, buffer, offset, size, from)                                                   \
    clEnqueueWriteBuffer(queue, buffer, CL_TRUE, offset, size, from, 0, NULL, NULL)
    GIVES(CL_INVALID_COMMAND_QUEUE, READ((cl_command_queue)buffer, buffer, 0, 16, bytes, 0, NULL));
    GIVES(CL_INVALID_MEM_OBJECT, READ(queue, NULL, 0, 16, bytes, 0, NULL));
    GIVES(CL_INVALID_MEM_OBJECT, READ(queue, image, 0, 16, bytes, 0, NULL));
    GIVES(CL_INVALID_CONTEXT, READ(queue, other_buffer, 0, 16, bytes, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ(queue, buffer, 0, 257, bytes, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ(queue, buffer, 256, 1, bytes, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ(queue, buffer, 16, SIZE_MAX, bytes, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ(queue, buffer, 0, 16, NULL, 0, NULL));
    GIVES(CL_INVALID_OPERATION, READ(queue, unread, 0, 16, bytes, 0, NULL));
    GIVES(CL_INVALID_OPERATION, READ(queue, hidden, 0, 16, bytes, 0, NULL));
    GIVES(CL_INVALID_OPERATION, WRITE(queue, unwritten, 0, 16, bytes));
    GIVES(CL_INVALID_OPERATION, WRITE(queue, hidden, 0, 16, bytes));
    GIVES(CL_INVALID_VALUE, WRITE(queue, buffer, 0, 16, NULL));
    WAITS(READ(queue, buffer, 0, 16, bytes, count, list));
    /* Nothing is in range, and no error is listed for it. */
    DONE(READ(queue, buffer, 0, 0, bytes, 0, NULL));
    DONE(READ(queue, buffer, 256, 0, bytes, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ(queue, buffer, 257, 0, bytes, 0, NULL));
    DONE(WRITE(queue, buffer, 8, 0, bytes));

    /* Rectangles. */
    size_t zero[3] = {0}, box[3] = {4, 4, 4};
#define RECT(buffer, at, from, box, ...)                                                           \
    clEnqueueReadBufferRect(queue, buffer, CL_TRUE, at, from, box, __VA_ARGS__, 0, NULL, NULL)
    DONE(RECT(buffer, zero, zero, box, 0, 0, 0, 0, bytes));
    GIVES(CL_INVALID_VALUE, RECT(buffer, NULL, zero, box, 0, 0, 0, 0, bytes));
    GIVES(CL_INVALID_VALUE, RECT(buffer, zero, NULL, box, 0, 0, 0, 0, bytes));
    GIVES(CL_INVALID_VALUE, RECT(buffer, zero, zero, NULL, 0, 0, 0, 0, bytes));
    GIVES(CL_INVALID_VALUE, RECT(buffer, zero, zero, box, 0, 0, 0, 0, NULL));
    GIVES(CL_INVALID_MEM_OBJECT, RECT(image, zero, zero, box, 0, 0, 0, 0, bytes));
    GIVES(CL_INVALID_CONTEXT, RECT(other_buffer, zero, zero, box, 0, 0, 0, 0, bytes));
    GIVES(CL_INVALID_OPERATION, RECT(unread, zero, zero, box, 0, 0, 0, 0, bytes));
    static const size_t pitches[][4] = {{3}, {4, 15}, {4, 18}, {8, 31}, {0, 0, 3}, {0, 0, 4, 15},
                                        {0, 0, 4, 18}, {64, 256}};
    for (size_t i = 0; i < sizeof pitches / sizeof *pitches; i++)
        GIVES(CL_INVALID_VALUE, RECT(buffer, zero, zero, box, pitches[i][0], pitches[i][1], pitches[i][2],
                                     pitches[i][3], bytes));
    for (int i = 0; i < 3; i++) {
        size_t flat[3] = {4, 4, 4};
        flat[i] = 0;
        GIVES(CL_INVALID_VALUE, RECT(buffer, zero, zero, flat, 0, 0, 0, 0, bytes));
    }

    /* Copies. */
#define COPY(from, to, a, b, size) clEnqueueCopyBuffer(queue, from, to, a, b, size, 0, NULL, NULL)
    GIVES(CL_INVALID_MEM_OBJECT, COPY(image, second, 0, 0, 16));
    GIVES(CL_INVALID_MEM_OBJECT, COPY(buffer, NULL, 0, 0, 16));
    GIVES(CL_INVALID_CONTEXT, COPY(other_buffer, buffer, 0, 0, 16));
    GIVES(CL_INVALID_CONTEXT, COPY(buffer, other_buffer, 0, 0, 16));
    GIVES(CL_INVALID_VALUE, COPY(buffer, second, 250, 0, 16));
    GIVES(CL_INVALID_VALUE, COPY(buffer, second, 0, 250, 16));
    GIVES(CL_INVALID_VALUE, COPY(buffer, second, SIZE_MAX, 0, 16));
    GIVES(CL_MEM_COPY_OVERLAP, COPY(buffer, buffer, 0, 15, 16));
    DONE(COPY(buffer, buffer, 0, 16, 16));
    DONE(COPY(buffer, second, 0, 0, 0));
    WAITS(clEnqueueCopyBuffer(queue, buffer, second, 0, 0, 16, count, list, NULL));
    cl_buffer_region left = {0, 192}, right = {128, 128};
    cl_mem a = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &left, &error);
    cl_mem b = clCreateSubBuffer(buffer, 0, CL_BUFFER_CREATE_TYPE_REGION, &right, &error);
    GIVES(CL_MEM_COPY_OVERLAP, COPY(a, b, 112, 0, 32));
    DONE(COPY(a, b, 96, 0, 32));
#define COPY_RECT(from, to, row_a, slice_a, row_b, slice_b)                                        \
    clEnqueueCopyBufferRect(queue, from, to, zero, zero, box, row_a, slice_a, row_b, slice_b, 0, NULL, NULL)
    GIVES(CL_INVALID_VALUE, COPY_RECT(buffer, buffer, 4, 16, 8, 32));
    GIVES(CL_INVALID_VALUE, COPY_RECT(buffer, second, 3, 0, 0, 0));
    GIVES(CL_INVALID_VALUE, COPY_RECT(buffer, second, 0, 0, 4, 17));
    GIVES(CL_MEM_COPY_OVERLAP, COPY_RECT(buffer, buffer, 0, 0, 0, 0));
    DONE(clReleaseMemObject(a));
    DONE(clReleaseMemObject(b));

    /* Fills. */
#define FILL(buffer, pattern, size, at, all) clEnqueueFillBuffer(queue, buffer, pattern, size, at, all, 0, NULL, NULL)
    GIVES(CL_INVALID_VALUE, FILL(buffer, NULL, 4, 0, 16));
    GIVES(CL_INVALID_VALUE, FILL(buffer, bytes, 0, 0, 16));
    GIVES(CL_INVALID_VALUE, FILL(buffer, bytes, 3, 0, 12));
    GIVES(CL_INVALID_VALUE, FILL(buffer, bytes, 256, 0, 256));
    GIVES(CL_INVALID_VALUE, FILL(buffer, bytes, 4, 2, 16));
    GIVES(CL_INVALID_VALUE, FILL(buffer, bytes, 4, 0, 18));
    GIVES(CL_INVALID_VALUE, FILL(buffer, bytes, 4, 252, 8));
    GIVES(CL_INVALID_MEM_OBJECT, FILL(image, bytes, 4, 0, 16));
    GIVES(CL_INVALID_CONTEXT, FILL(other_buffer, bytes, 4, 0, 16));
    DONE(FILL(buffer, bytes, 4, 4, 0));

    /* Maps. */
#define MAP(buffer, flags, at, size) clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, at, size, 0, NULL, NULL, &error)
    MADE(CL_INVALID_VALUE, MAP(buffer, CL_MAP_READ, 0, 0));
    MADE(CL_INVALID_VALUE, MAP(buffer, CL_MAP_READ, 0, 257));
    MADE(CL_INVALID_VALUE, MAP(buffer, 1 << 10, 0, 16));
    MADE(CL_INVALID_VALUE, MAP(buffer, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_READ, 0, 16));
    MADE(CL_INVALID_VALUE, MAP(buffer, CL_MAP_WRITE_INVALIDATE_REGION | CL_MAP_WRITE, 0, 16));
    MADE(CL_INVALID_MEM_OBJECT, MAP(image, CL_MAP_READ, 0, 16));
    MADE(CL_INVALID_CONTEXT, MAP(other_buffer, CL_MAP_READ, 0, 16));
    MADE(CL_INVALID_OPERATION, MAP(unread, CL_MAP_READ, 0, 16));
    MADE(CL_INVALID_OPERATION, MAP(hidden, CL_MAP_WRITE, 0, 16));
    MADE(CL_INVALID_OPERATION, MAP(unwritten, CL_MAP_WRITE_INVALIDATE_REGION, 0, 16));
#define UNMAP(memory) clEnqueueUnmapMemObject(queue, memory, bytes, 0, NULL, NULL)
    GIVES(CL_INVALID_VALUE, UNMAP(buffer));
    GIVES(CL_INVALID_VALUE, clEnqueueUnmapMemObject(queue, buffer, NULL, 0, NULL, NULL));
    GIVES(CL_INVALID_MEM_OBJECT, UNMAP((cl_mem)queue));
    GIVES(CL_INVALID_CONTEXT, UNMAP(other_buffer));
    if (pipe_object != NULL)
        GIVES(CL_INVALID_MEM_OBJECT, UNMAP(pipe_object));

    /* Migration, and what objects say. */
    cl_mem wrong = (cl_mem)queue;
    GIVES(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 0, &buffer, 0, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 1, NULL, 0, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueMigrateMemObjects(queue, 1, &buffer, 1 << 10, 0, NULL, NULL));
    GIVES(CL_INVALID_MEM_OBJECT, clEnqueueMigrateMemObjects(queue, 1, &wrong, 0, 0, NULL, NULL));
    GIVES(CL_INVALID_CONTEXT, clEnqueueMigrateMemObjects(queue, 1, &other_buffer, 0, 0, NULL, NULL));
    GIVES(CL_INVALID_MEM_OBJECT, clGetImageInfo(buffer, CL_IMAGE_WIDTH, 0, NULL, NULL));
    GIVES(CL_INVALID_MEM_OBJECT, clGetPipeInfo(buffer, CL_PIPE_PACKET_SIZE, 0, NULL, NULL));
    cl_mem all[] = {unread, unwritten, hidden, second};
    DONE(clFinish(queue));
    for (int i = 0; i < 4; i++)
        DONE(clReleaseMemObject(all[i]));
}

static void pipes(void) {
    if (pipe_object == NULL) {
        MADE(CL_INVALID_OPERATION, clCreatePipe(context, 0, 4, 4, NULL, &error));
        return;
    }
    cl_pipe_properties none[] = {0};
    cl_uint most;
    DONE(clGetDeviceInfo(device, CL_DEVICE_PIPE_MAX_PACKET_SIZE, sizeof most, &most, NULL));
    MADE(CL_INVALID_CONTEXT, clCreatePipe((cl_context)queue, 0, 4, 4, NULL, &error));
    MADE(CL_INVALID_VALUE, clCreatePipe(context, CL_MEM_READ_ONLY, 4, 4, NULL, &error));
    MADE(CL_INVALID_VALUE, clCreatePipe(context, CL_MEM_HOST_READ_ONLY, 4, 4, NULL, &error));
    MADE(CL_INVALID_VALUE, clCreatePipe(context, 0, 4, 4, none, &error));
    MADE(CL_INVALID_PIPE_SIZE, clCreatePipe(context, 0, 0, 4, NULL, &error));
    MADE(CL_INVALID_PIPE_SIZE, clCreatePipe(context, 0, 4, 0, NULL, &error));
    MADE(CL_INVALID_PIPE_SIZE, clCreatePipe(context, 0, most + 1, 4, NULL, &error));
    GIVES(CL_INVALID_MEM_OBJECT, clGetImageInfo(pipe_object, CL_IMAGE_WIDTH, 0, NULL, NULL));
}

static void images(void) {
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 4};
#define MAKE(flags, host) clCreateImage(context, flags, &rgba, &desc, host, &error)
    MADE(CL_INVALID_CONTEXT, clCreateImage((cl_context)queue, 0, &rgba, &desc, NULL, &error));
    MADE(CL_INVALID_VALUE, MAKE(CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, NULL));
    MADE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, NULL, &desc, NULL, &error));
    MADE(CL_INVALID_IMAGE_DESCRIPTOR, clCreateImage(context, 0, &rgba, NULL, NULL, &error));
    static const cl_image_format bad[] = {{0xdead, CL_FLOAT}, {CL_RGBA, 0xdead}};
    for (int i = 0; i < 2; i++)
        MADE(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, clCreateImage(context, 0, &bad[i], &desc, NULL, &error));
    MADE(CL_INVALID_HOST_PTR, MAKE(0, bytes));
    MADE(CL_INVALID_HOST_PTR, MAKE(CL_MEM_USE_HOST_PTR, NULL));
    desc.image_row_pitch = 64;
    MADE(CL_INVALID_IMAGE_DESCRIPTOR, MAKE(0, NULL));
    desc.image_row_pitch = 63;
    MADE(CL_INVALID_IMAGE_DESCRIPTOR, MAKE(CL_MEM_COPY_HOST_PTR, bytes));
    desc.image_row_pitch = 66;
    MADE(CL_INVALID_IMAGE_DESCRIPTOR, MAKE(CL_MEM_COPY_HOST_PTR, bytes));
    desc.image_row_pitch = 0, desc.num_samples = 2;
    MADE(CL_INVALID_IMAGE_DESCRIPTOR, MAKE(0, NULL));
    desc.num_samples = 0, desc.num_mip_levels = 2;
    MADE(CL_INVALID_IMAGE_DESCRIPTOR, MAKE(0, NULL));
    desc.num_mip_levels = 0, desc.image_type = CL_MEM_OBJECT_BUFFER;
    MADE(CL_INVALID_IMAGE_DESCRIPTOR, MAKE(0, NULL));
    desc.image_type = CL_MEM_OBJECT_IMAGE2D, desc.image_width = 0;
    MADE(CL_INVALID_IMAGE_SIZE, MAKE(0, NULL));
    desc.image_width = SIZE_MAX;
    MADE(CL_INVALID_IMAGE_SIZE, MAKE(0, NULL));
    desc.image_width = 16, desc.image_height = 0;
    MADE(CL_INVALID_IMAGE_SIZE, MAKE(0, NULL));
    MADE(CL_INVALID_IMAGE_SIZE, clCreateImage2D(context, 0, &rgba, 0, 4, 0, NULL, &error));
    MADE(CL_INVALID_IMAGE_SIZE, clCreateImage2D(context, CL_MEM_COPY_HOST_PTR, &rgba, 16, 4, 63, bytes, &error));
    MADE(CL_INVALID_IMAGE_SIZE, clCreateImage3D(context, 0, &rgba, 16, 4, 1, 0, 0, NULL, &error));
    cl_mem_properties property[] = {0xdead, 1, 0};
    desc.image_height = 4;
    MADE(CL_INVALID_PROPERTY, clCreateImageWithProperties(context, property, 0, &rgba, &desc, NULL, &error));

    /* Of other memory. */
    cl_mem line = image_of(0, CL_MEM_OBJECT_IMAGE1D_BUFFER, buffer);
    DONE(error);
    MADE(CL_INVALID_VALUE, image_of(CL_MEM_ALLOC_HOST_PTR, CL_MEM_OBJECT_IMAGE1D_BUFFER, buffer));
    cl_mem constant = of(CL_MEM_READ_ONLY);
    MADE(CL_INVALID_VALUE, image_of(CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE1D_BUFFER, constant));
    DONE(clReleaseMemObject(constant));
    MADE(CL_INVALID_IMAGE_DESCRIPTOR, image_of(0, CL_MEM_OBJECT_IMAGE3D, buffer));
    MADE(CL_INVALID_IMAGE_DESCRIPTOR, image_of(0, CL_MEM_OBJECT_IMAGE1D_BUFFER, NULL));
    MADE(CL_INVALID_IMAGE_DESCRIPTOR, image_of(0, CL_MEM_OBJECT_IMAGE1D_BUFFER, (cl_mem)queue));
    if (pipe_object != NULL) {
        MADE(CL_INVALID_IMAGE_DESCRIPTOR, image_of(0, CL_MEM_OBJECT_IMAGE1D_BUFFER, pipe_object));
        MADE(CL_INVALID_IMAGE_DESCRIPTOR, image_of(0, CL_MEM_OBJECT_IMAGE2D, pipe_object));
    }

    /* Formats. */
    cl_uint count;
    cl_image_format format;
    GIVES(CL_INVALID_CONTEXT, clGetSupportedImageFormats((cl_context)queue, 0, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    GIVES(CL_INVALID_VALUE, clGetSupportedImageFormats(context, 1 << 30, CL_MEM_OBJECT_IMAGE2D, 0, NULL, &count));
    GIVES(CL_INVALID_VALUE, clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_BUFFER, 0, NULL, &count));
    GIVES(CL_INVALID_VALUE, clGetSupportedImageFormats(context, 0, CL_MEM_OBJECT_IMAGE2D, 0, &format, &count));

    /* Transfers. */
    size_t zero[3] = {0}, box[3] = {16, 4, 1}, deep[3] = {16, 4, 2}, flat[3] = {16, 0, 1}, wide[3] = {17, 1, 1};
    size_t below[3] = {0, 0, 1};
#define READ_IMAGE(image, at, box, row, slice, to, ...)                                            \
    clEnqueueReadImage(queue, image, CL_TRUE, at, box, row, slice, to, __VA_ARGS__, NULL)
    GIVES(CL_INVALID_MEM_OBJECT, READ_IMAGE(buffer, zero, box, 0, 0, bytes, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ_IMAGE(image, NULL, box, 0, 0, bytes, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ_IMAGE(image, zero, NULL, 0, 0, bytes, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ_IMAGE(image, zero, box, 0, 0, NULL, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ_IMAGE(image, zero, box, 63, 0, bytes, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ_IMAGE(image, zero, box, 0, 256, bytes, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ_IMAGE(image, zero, deep, 0, 0, bytes, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ_IMAGE(image, zero, flat, 0, 0, bytes, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ_IMAGE(image, zero, wide, 0, 0, bytes, 0, NULL));
    GIVES(CL_INVALID_VALUE, READ_IMAGE(image, below, box, 0, 0, bytes, 0, NULL));
    WAITS(READ_IMAGE(image, zero, box, 0, 0, bytes, count, list));
    GIVES(CL_INVALID_VALUE, clEnqueueFillImage(queue, image, NULL, zero, box, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueFillImage(queue, image, bytes, NULL, box, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueFillImage(queue, image, bytes, zero, wide, 0, NULL, NULL));
    GIVES(CL_INVALID_MEM_OBJECT, clEnqueueFillImage(queue, buffer, bytes, zero, box, 0, NULL, NULL));
    cl_image_format floats = {CL_RGBA, CL_FLOAT};
    cl_mem second = clCreateImage(context, 0, &floats, &desc, NULL, &error);
    DONE(error);
#define COPY_IMAGE(from, to, a, b, box) clEnqueueCopyImage(queue, from, to, a, b, box, 0, NULL, NULL)
    GIVES(CL_IMAGE_FORMAT_MISMATCH, COPY_IMAGE(image, second, zero, zero, box));
    GIVES(CL_INVALID_MEM_OBJECT, COPY_IMAGE(image, buffer, zero, zero, box));
    GIVES(CL_INVALID_VALUE, COPY_IMAGE(image, image, zero, NULL, box));
    GIVES(CL_INVALID_VALUE, COPY_IMAGE(image, image, zero, zero, deep));
    GIVES(CL_MEM_COPY_OVERLAP, COPY_IMAGE(image, image, zero, zero, box));
    size_t row[3] = {16, 1, 1};
#define TO_BUFFER(from, to, box, at) clEnqueueCopyImageToBuffer(queue, from, to, zero, box, at, 0, NULL, NULL)
#define FROM_BUFFER(from, to, box, at) clEnqueueCopyBufferToImage(queue, from, to, at, zero, box, 0, NULL, NULL)
    GIVES(CL_INVALID_MEM_OBJECT, TO_BUFFER(buffer, buffer, row, 0));
    GIVES(CL_INVALID_MEM_OBJECT, TO_BUFFER(image, image, row, 0));
    GIVES(CL_INVALID_MEM_OBJECT, TO_BUFFER(line, buffer, row, 0));
    GIVES(CL_INVALID_VALUE, TO_BUFFER(image, buffer, box, 4));
    GIVES(CL_INVALID_VALUE, TO_BUFFER(image, buffer, NULL, 0));
    GIVES(CL_INVALID_CONTEXT, TO_BUFFER(image, other_buffer, row, 0));
    GIVES(CL_INVALID_MEM_OBJECT, FROM_BUFFER(image, image, row, 0));
    GIVES(CL_INVALID_MEM_OBJECT, FROM_BUFFER(buffer, buffer, row, 0));
    GIVES(CL_INVALID_MEM_OBJECT, FROM_BUFFER(buffer, line, row, 0));
    GIVES(CL_INVALID_VALUE, FROM_BUFFER(buffer, image, box, 4));
    GIVES(CL_INVALID_VALUE, FROM_BUFFER(buffer, image, wide, 0));
    size_t pitch;
#define MAP_IMAGE(image, flags, box, pitch)                                                        \
    clEnqueueMapImage(queue, image, CL_TRUE, flags, zero, box, pitch, NULL, 0, NULL, NULL, &error)
    MADE(CL_INVALID_VALUE, MAP_IMAGE(image, CL_MAP_READ, box, NULL));
    MADE(CL_INVALID_VALUE, MAP_IMAGE(image, CL_MAP_READ, NULL, &pitch));
    MADE(CL_INVALID_VALUE, MAP_IMAGE(image, CL_MAP_READ, wide, &pitch));
    MADE(CL_INVALID_VALUE, MAP_IMAGE(image, 1 << 10, box, &pitch));
    MADE(CL_INVALID_MEM_OBJECT, MAP_IMAGE(buffer, CL_MAP_READ, box, &pitch));
    desc.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, desc.image_array_size = 2;
    cl_mem layers = MAKE(0, NULL);
    DONE(error);
    MADE(CL_INVALID_VALUE, MAP_IMAGE(layers, CL_MAP_READ, box, &pitch));
    DONE(clFinish(queue));
    DONE(clReleaseMemObject(layers));
    DONE(clReleaseMemObject(second));
    DONE(clReleaseMemObject(line));

    /* Samplers. */
    MADE(CL_INVALID_CONTEXT, clCreateSampler((cl_context)queue, CL_TRUE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, &error));
    MADE(CL_INVALID_VALUE, clCreateSampler(context, CL_TRUE, 0xdead, CL_FILTER_NEAREST, &error));
    MADE(CL_INVALID_VALUE, clCreateSampler(context, CL_TRUE, CL_ADDRESS_CLAMP, 0xdead, &error));
    cl_sampler_properties twice[] = {CL_SAMPLER_FILTER_MODE, CL_FILTER_LINEAR, CL_SAMPLER_FILTER_MODE,
                                     CL_FILTER_LINEAR, 0};
    MADE(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, twice, &error));
    twice[0] = 0xdead, twice[2] = 0;
    MADE(CL_INVALID_VALUE, clCreateSamplerWithProperties(context, twice, &error));
    GIVES(CL_INVALID_SAMPLER, clRetainSampler((cl_sampler)queue));
    GIVES(CL_INVALID_SAMPLER, clGetSamplerInfo((cl_sampler)queue, CL_SAMPLER_FILTER_MODE, 0, NULL, NULL));
}

int main(void) {
    set_up();
    platforms();
    contexts();
    queues();
    buffers();
    transfers();
    pipes();
    images();
    printf("ok\n");
    return 0;
}
