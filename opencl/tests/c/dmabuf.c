/* dma-bufs: of our buffers for others, and of others for our buffers and images. */
#define _GNU_SOURCE
#include "check.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 2048, SIZE = N * sizeof(cl_uint) };
enum { ALLOCATION_HANDLE = 0x10050 };

static clEnqueueAcquireExternalMemObjectsKHR_fn acquire;
static clEnqueueReleaseExternalMemObjectsKHR_fn release;

static cl_mem imported(cl_context context, cl_device_id device, cl_ulong fd, cl_mem_flags flags,
                       size_t size) {
    cl_mem_properties list[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, fd, CL_DEVICE_HANDLE_LIST_KHR,
                                (cl_mem_properties)device, CL_DEVICE_HANDLE_LIST_END_KHR, 0};
    return clCreateBufferWithProperties(context, list, flags, size, NULL, &error);
}

/* Adds to all numbers of a buffer, on a device. */
static void add(cl_context context, cl_device_id device, cl_mem buffer, cl_uint amount, int external) {
    cl_program program = built(context,
                               "kernel void add(global uint *p, uint amount) {\n"
                               "    p[get_global_id(0)] += amount;\n"
                               "}\n",
                               "");
    cl_kernel kernel = kernel_of(program, "add");
    cl_command_queue queue = queue_of(context, device, 0);
    size_t global = N;
    DONE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    DONE(clSetKernelArg(kernel, 1, sizeof amount, &amount));
    if (external)
        DONE(acquire(queue, 1, &buffer, 0, NULL, NULL));
    DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    if (external)
        DONE(release(queue, 1, &buffer, 0, NULL, NULL));
    DONE(clFinish(queue));
    DONE(clReleaseCommandQueue(queue));
    DONE(clReleaseKernel(kernel));
    DONE(clReleaseProgram(program));
}

static void all_are(const cl_uint *numbers, cl_uint wanted) {
    for (cl_uint i = 0; i < N; i++)
        if (numbers[i] != i + wanted)
            FAIL("number %u is %u, not %u", i, numbers[i], i + wanted);
}

/* A buffer of one device, to this process, another one, and all devices. */
static void out(cl_context context, cl_device_id device) {
    cl_uint numbers[N];
    for (cl_uint i = 0; i < N; i++)
        numbers[i] = i;
    cl_mem buffer = buffer_of(context, CL_MEM_COPY_HOST_PTR, SIZE, numbers);
    cl_command_queue queue = queue_of(context, device, 0);
    cl_uint *before = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, SIZE, 0,
                                         NULL, NULL, &error);
    DONE(error);
    cl_ulong fd = 0, again = 0;
    DONE(clGetMemObjectInfo(buffer, ALLOCATION_HANDLE, sizeof fd, &fd, NULL));
    DONE(clGetMemObjectInfo(buffer, ALLOCATION_HANDLE, sizeof again, &again, NULL));
    IS(fd == again && lseek((int)fd, 0, SEEK_END) >= SIZE);
    cl_uint *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
    IS(map != MAP_FAILED);
    all_are(map, 0);
    add(context, device, buffer, 3, 0);
    all_are(map, 3);
    /* What was mapped before shows the same memory. */
    all_are(before, 3);
    DONE(clEnqueueUnmapMemObject(queue, buffer, before, 0, NULL, NULL));
    /* Another process adds 1. */
    pid_t child = fork();
    if (child == 0) {
        for (cl_uint i = 0; i < N; i++)
            map[i]++;
        _exit(0);
    }
    IS(waitpid(child, NULL, 0) == child);
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, SIZE, numbers, 0, NULL, NULL));
    all_are(numbers, 4);
    /* All devices, this one included. */
    cl_uint sum = 4;
    for (cl_uint d = 0; d < device_count; d++) {
        cl_context other = clCreateContext(NULL, 1, &devices[d], NULL, NULL, &error);
        DONE(error);
        cl_mem theirs = imported(other, devices[d], fd, CL_MEM_READ_WRITE, SIZE);
        DONE(error);
        add(other, devices[d], theirs, 10 + d, 1);
        sum += 10 + d;
        DONE(clReleaseMemObject(theirs));
        DONE(clReleaseContext(other));
        all_are(map, sum);
    }
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, SIZE, numbers, 0, NULL, NULL));
    all_are(numbers, sum);
    /* The file outlives the buffer. */
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseCommandQueue(queue));
    all_are(map, sum);
    munmap(map, SIZE);
}

/* A file of others: what udmabuf makes dma-bufs of. */
static void in(cl_context context, cl_device_id device) {
    int fd = memfd_create("others", MFD_ALLOW_SEALING);
    IS(fd >= 0 && ftruncate(fd, SIZE) == 0);
    /* One that can be shrunk is none. */
    IS(!imported(context, device, fd, 0, SIZE));
    GIVES(CL_INVALID_VALUE, error);
    IS(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    cl_uint *map = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (cl_uint i = 0; i < N; i++)
        map[i] = i;
    cl_mem buffer = imported(context, device, fd, CL_MEM_READ_WRITE, SIZE);
    DONE(error);
    add(context, device, buffer, 7, 1);
    all_are(map, 7);
    cl_mem_properties list[8];
    size_t size;
    DONE(clGetMemObjectInfo(buffer, CL_MEM_PROPERTIES, sizeof list, list, &size));
    IS(size == 6 * sizeof *list && list[0] == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR);
    IS(list[1] == (cl_mem_properties)fd && list[5] == 0);
    DONE(clReleaseMemObject(buffer));

    cl_bool has_images;
    DONE(clGetDeviceInfo(device, CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    if (has_images) {
        cl_mem_properties of[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, fd, 0};
        cl_image_format format = {CL_R, CL_UNSIGNED_INT32};
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64,
                              .image_height = N / 64, .image_row_pitch = 256};
        cl_mem image = clCreateImageWithProperties(context, of, 0, &format, &desc, NULL, &error);
        DONE(error);
        cl_command_queue queue = queue_of(context, device, 0);
        cl_uint texels[4] = {100, 101, 102, 103};
        size_t at[] = {60, 2, 0}, region[] = {4, 1, 1};
        DONE(clEnqueueWriteImage(queue, image, CL_TRUE, at, region, 0, 0, texels, 0, NULL, NULL));
        IS(!memcmp(map + 2 * 64 + 60, texels, sizeof texels));
        DONE(clReleaseCommandQueue(queue));
        DONE(clReleaseMemObject(image));
        desc.image_type = CL_MEM_OBJECT_IMAGE3D;
        desc.image_depth = 2;
        IS(!clCreateImageWithProperties(context, of, 0, &format, &desc, NULL, &error));
        GIVES(CL_INVALID_OPERATION, error);
    }

    IS(!imported(context, device, fd, 0, SIZE + 1));
    GIVES(CL_INVALID_BUFFER_SIZE, error);
    IS(!imported(context, device, fd, CL_MEM_ALLOC_HOST_PTR, SIZE));
    GIVES(CL_INVALID_HOST_PTR, error);
    IS(!imported(context, device, (cl_ulong)-1, 0, SIZE));
    GIVES(CL_INVALID_VALUE, error);
    IS(!imported(context, device, 0, 0, SIZE));
    GIVES(CL_INVALID_VALUE, error);
    IS(!imported(context, (cl_device_id)context, fd, 0, SIZE));
    GIVES(CL_INVALID_DEVICE, error);
    cl_mem_properties twice[] = {CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, fd,
                                 CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR, fd, 0};
    IS(!clCreateBufferWithProperties(context, twice, 0, SIZE, NULL, &error));
    GIVES(CL_INVALID_VALUE, error);
    cl_mem_properties unknown[] = {CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, fd, 0};
    IS(!clCreateBufferWithProperties(context, unknown, 0, SIZE, NULL, &error));
    GIVES(CL_INVALID_PROPERTY, error);
    cl_mem plain = buffer_of(context, 0, SIZE, NULL);
    cl_command_queue queue = queue_of(context, device, 0);
    GIVES(CL_INVALID_MEM_OBJECT, acquire(queue, 1, &plain, 0, NULL, NULL));
    GIVES(CL_INVALID_VALUE, release(queue, 1, NULL, 0, NULL, NULL));
    DONE(acquire(queue, 0, NULL, 0, NULL, NULL));
    DONE(clReleaseCommandQueue(queue));
    DONE(clReleaseMemObject(plain));
    munmap(map, SIZE);
    close(fd);
}

int main(void) {
    DONE(clReleaseContext(begin()));
    acquire = clGetExtensionFunctionAddressForPlatform(platform,
                                                       "clEnqueueAcquireExternalMemObjectsKHR");
    release = clGetExtensionFunctionAddressForPlatform(platform,
                                                       "clEnqueueReleaseExternalMemObjectsKHR");
    IS(acquire && release);
    cl_uint types[4] = {0};
    size_t size;
    DONE(clGetPlatformInfo(platform, CL_PLATFORM_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR, sizeof types,
                           types, &size));
    IS(size == sizeof *types && *types == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR);
    for (cl_uint d = 0; d < device_count; d++) {
        DONE(clGetDeviceInfo(devices[d], CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR,
                             sizeof types, types, &size));
        IS(size == sizeof *types && *types == CL_EXTERNAL_MEMORY_HANDLE_DMA_BUF_KHR);
        cl_context context = clCreateContext(NULL, 1, &devices[d], NULL, NULL, &error);
        DONE(error);
        out(context, devices[d]);
        in(context, devices[d]);
        DONE(clReleaseContext(context));
    }
    printf("ok\n");
    return 0;
}
