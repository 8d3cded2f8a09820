/* What the program has released or has not got: arguments, and maps whose command failed. */
#include "check.h"

#include <unistd.h>

static cl_context context;
static cl_command_queue queue;
static int destroyed;

/* The bytes of memory that the process has. */
static long resident(void) {
    long all, pages;
    FILE *file = fopen("/proc/self/statm", "r");
    IS(file && fscanf(file, "%ld %ld", &all, &pages) == 2);
    fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

static void CL_CALLBACK on_destroyed(cl_mem object, void *data) {
    (void)object;
    *(int *)data = 1;
}

/* "Implementations shall not allow cl_kernel objects to hold reference counts to cl_kernel arguments":
   commands do. */
static void arguments(void) {
    cl_program program = built(context, "kernel void add(global int *to) { to[get_global_id(0)] += 5; }", "");
    cl_kernel add = kernel_of(program, "add");
    size_t global = 64;
    static int host[4096] __attribute__((aligned(4096)));
    cl_mem buffer = buffer_of(context, CL_MEM_USE_HOST_PTR, sizeof host, host);
    DONE(clSetMemObjectDestructorCallback(buffer, on_destroyed, &destroyed));
    DONE(clSetKernelArg(add, 0, sizeof buffer, &buffer));
    cl_event gate = clCreateUserEvent(context, &error);
    DONE(error);
    DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 1, &gate, NULL));
    DONE(clReleaseMemObject(buffer));
    IS(!destroyed);
    DONE(clSetUserEventStatus(gate, CL_COMPLETE));
    DONE(clFinish(queue));
    IS(host[0] == 5 && host[63] == 5 && host[64] == 0);
    IS(destroyed);
    GIVES(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL));
    cl_mem other = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof host, host);
    DONE(clSetKernelArg(add, 0, sizeof other, &other));
    DONE(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL));
    int got;
    DONE(clEnqueueReadBuffer(queue, other, CL_TRUE, 0, 4, &got, 0, NULL, NULL));
    IS(got == 10);
    DONE(clReleaseMemObject(other));
    DONE(clReleaseEvent(gate));
    DONE(clReleaseKernel(add));
    DONE(clReleaseProgram(program));
}

/* A map behind an event that fails. */
static void *fails(cl_mem object, int is_image, cl_map_flags flags) {
    cl_event gate = clCreateUserEvent(context, &error), end;
    DONE(error);
    size_t origin[3] = {0}, size[3] = {64, 64, 1}, pitch;
    void *map = is_image ? clEnqueueMapImage(queue, object, CL_FALSE, flags, origin, size, &pitch, NULL, 1, &gate,
                                             &end, &error)
                         : clEnqueueMapBuffer(queue, object, CL_FALSE, flags, 0, 64, 1, &gate, &end, &error);
    DONE(error);
    DONE(clSetUserEventStatus(gate, -5));
    GIVES(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &end));
    cl_uint maps;
    DONE(clGetMemObjectInfo(object, CL_MEM_MAP_COUNT, sizeof maps, &maps, NULL));
    IS(maps == 0);
    DONE(clReleaseEvent(end));
    DONE(clReleaseEvent(gate));
    return map;
}

/* "a negative integer value causes all enqueued commands that wait on this user event to be terminated": the
   object is as it was. */
static void maps(void) {
    cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 64, .image_height = 64};
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &error);
    DONE(error);
    cl_uint color[4] = {7};
    size_t origin[3] = {0}, size[3] = {64, 64, 1};
    DONE(clEnqueueFillImage(queue, image, color, origin, size, 0, NULL, NULL));
    void *map = fails(image, 1, CL_MAP_READ | CL_MAP_WRITE);
    /* It bars no other one. */
    size_t pitch;
    unsigned char *other = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin, size, &pitch,
                                             NULL, 0, NULL, NULL, &error);
    DONE(error);
    IS(other[100] == 7);
    DONE(clEnqueueUnmapMemObject(queue, image, other, 0, NULL, NULL));
    DONE(clEnqueueUnmapMemObject(queue, image, map, 0, NULL, NULL));
    static unsigned char got[4096], odd[4097];
    DONE(clEnqueueReadImage(queue, image, CL_TRUE, origin, size, 0, 0, got, 0, NULL, NULL));
    for (int i = 0; i < 4096; i++)
        IS(got[i] == 7);
    DONE(clReleaseMemObject(image));

    memset(odd, 1, sizeof odd);
    unsigned char *start = odd + ((size_t)odd % 2 ? 0 : 1);
    cl_mem buffer = buffer_of(context, CL_MEM_USE_HOST_PTR, 4096, start);
    cl_uint sevens = 0x07070707;
    DONE(clEnqueueFillBuffer(queue, buffer, &sevens, 4, 0, 4096, 0, NULL, NULL));
    map = fails(buffer, 0, CL_MAP_READ | CL_MAP_WRITE);
    DONE(clEnqueueUnmapMemObject(queue, buffer, map, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, 64, got, 0, NULL, NULL));
    IS(got[0] == 7 && got[63] == 7);
    DONE(clReleaseMemObject(buffer));
}

/* The kernels and barriers that wait keep memory as their number does, not as its square. */
static void barriers(void) {
    enum { COUNT = 2000, MOST = 64 << 20 };
    cl_program program = built(context, "kernel void nothing(void) {}", "");
    cl_kernel nothing = kernel_of(program, "nothing");
    cl_command_queue_properties kinds[] = {0, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE};
    for (int kind = 0; kind < 2; kind++) {
        cl_command_queue own = queue_of(context, devices[0], kinds[kind]);
        cl_event gate = clCreateUserEvent(context, &error);
        DONE(error);
        DONE(clEnqueueBarrierWithWaitList(own, 1, &gate, NULL));
        long before = resident();
        size_t one = 1;
        for (int i = 0; i < COUNT; i++) {
            DONE(clEnqueueNDRangeKernel(own, nothing, 1, NULL, &one, NULL, 0, NULL, NULL));
            DONE(clEnqueueBarrierWithWaitList(own, 0, NULL, NULL));
        }
        long more = resident() - before;
        if (more > MOST)
            FAIL("%ld bytes more", more);
        DONE(clSetUserEventStatus(gate, CL_COMPLETE));
        DONE(clFinish(own));
        DONE(clReleaseEvent(gate));
        DONE(clReleaseCommandQueue(own));
    }
    DONE(clReleaseKernel(nothing));
    DONE(clReleaseProgram(program));
}

int main(void) {
    context = begin();
    queue = queue_of(context, devices[0], 0);
    arguments();
    maps();
    barriers();
    printf("ok\n");
    return 0;
}
