/* What all commands have in common: the errors of their queue and of their wait list, their order, and
   what their events say. */
#include "rules.h"

enum { USM_FILL = 0x4204, USM_COPY, USM_MIGRATE, USM_ADVISE, ACQUIRE = 0x2047, RELEASE, BUFFER = 256 };

typedef cl_int usm_fill_fn(cl_command_queue, void *, const void *, size_t, size_t, cl_uint, const cl_event *,
                           cl_event *);
typedef cl_int usm_copy_fn(cl_command_queue, cl_bool, void *, const void *, size_t, cl_uint, const cl_event *,
                           cl_event *);
typedef cl_int usm_migrate_fn(cl_command_queue, const void *, size_t, cl_mem_migration_flags, cl_uint,
                              const cl_event *, cl_event *);
typedef cl_int usm_advise_fn(cl_command_queue, const void *, size_t, cl_uint, cl_uint, const cl_event *,
                             cl_event *);
typedef cl_int share_fn(cl_command_queue, cl_uint, const cl_mem *, cl_uint, const cl_event *, cl_event *);
typedef void *usm_alloc_fn(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef cl_int usm_free_fn(cl_context, void *);

static usm_fill_fn *fill_usm;
static usm_copy_fn *copy_usm;
static usm_migrate_fn *migrate_usm;
static usm_advise_fn *advise_usm;
static share_fn *acquire_memory, *release_memory;

static cl_mem second, second_image;
static cl_kernel kernel;
static char *svm, *shared;
static const size_t zero[3] = {0}, box[3] = {4, 4, 1}, one = 1;
static const char pattern[16] = {1, 2, 3};

#define PARAMETERS cl_command_queue q, cl_bool blocking, cl_uint n, const cl_event *list, cl_event *event
#define COMMAND(name, ...)                                                                         \
    static cl_int name(PARAMETERS) {                                                               \
        (void)blocking;                                                                            \
        return __VA_ARGS__;                                                                        \
    }
/* Mapping gives a pointer; the map ends at once. */
#define MAPPING(name, memory, ...)                                                                 \
    static cl_int name(PARAMETERS) {                                                               \
        cl_int code = 1;                                                                           \
        void *at = __VA_ARGS__;                                                                    \
        IS((code == CL_SUCCESS) == (at != NULL));                                                  \
        if (at != NULL)                                                                            \
            DONE(clEnqueueUnmapMemObject(q, memory, at, 0, NULL, NULL));                           \
        return code;                                                                               \
    }

COMMAND(read_buffer, clEnqueueReadBuffer(q, buffer, blocking, 0, 16, bytes, n, list, event))
COMMAND(write_buffer, clEnqueueWriteBuffer(q, buffer, blocking, 0, 16, bytes, n, list, event))
COMMAND(read_rect, clEnqueueReadBufferRect(q, buffer, blocking, zero, zero, box, 0, 0, 0, 0, bytes, n, list, event))
COMMAND(write_rect, clEnqueueWriteBufferRect(q, buffer, blocking, zero, zero, box, 0, 0, 0, 0, bytes, n, list, event))
COMMAND(copy_buffer, clEnqueueCopyBuffer(q, buffer, second, 0, 0, 16, n, list, event))
COMMAND(copy_rect, clEnqueueCopyBufferRect(q, buffer, second, zero, zero, box, 0, 0, 0, 0, n, list, event))
COMMAND(fill_buffer, clEnqueueFillBuffer(q, buffer, pattern, 4, 0, 16, n, list, event))
COMMAND(migrate, clEnqueueMigrateMemObjects(q, 1, &buffer, CL_MIGRATE_MEM_OBJECT_HOST, n, list, event))
COMMAND(read_image, clEnqueueReadImage(q, image, blocking, zero, box, 0, 0, bytes, n, list, event))
COMMAND(write_image, clEnqueueWriteImage(q, image, blocking, zero, box, 0, 0, bytes, n, list, event))
COMMAND(copy_image, clEnqueueCopyImage(q, image, second_image, zero, zero, box, n, list, event))
COMMAND(fill_image, clEnqueueFillImage(q, image, pattern, zero, box, n, list, event))
COMMAND(image_to_buffer, clEnqueueCopyImageToBuffer(q, image, buffer, zero, box, 0, n, list, event))
COMMAND(buffer_to_image, clEnqueueCopyBufferToImage(q, buffer, image, 0, zero, box, n, list, event))
COMMAND(launch, clEnqueueNDRangeKernel(q, kernel, 1, NULL, &one, NULL, n, list, event))
COMMAND(task, clEnqueueTask(q, kernel, n, list, event))
COMMAND(marker, clEnqueueMarkerWithWaitList(q, n, list, event))
COMMAND(barrier, clEnqueueBarrierWithWaitList(q, n, list, event))
COMMAND(svm_copy, clEnqueueSVMMemcpy(q, blocking, svm, svm + 64, 16, n, list, event))
COMMAND(svm_fill, clEnqueueSVMMemFill(q, svm, pattern, 4, 16, n, list, event))
COMMAND(svm_map, clEnqueueSVMMap(q, blocking, CL_MAP_READ, svm, 16, n, list, event))
COMMAND(svm_unmap, clEnqueueSVMUnmap(q, svm, n, list, event))
COMMAND(svm_migrate, clEnqueueSVMMigrateMem(q, 1, (const void *[]){svm}, NULL, 0, n, list, event))
COMMAND(svm_free, clEnqueueSVMFree(q, 0, NULL, NULL, NULL, n, list, event))
COMMAND(usm_copy, copy_usm(q, blocking, shared, shared + 64, 16, n, list, event))
COMMAND(usm_fill, fill_usm(q, shared, pattern, 4, 16, n, list, event))
COMMAND(usm_migrate, migrate_usm(q, shared, 16, CL_MIGRATE_MEM_OBJECT_HOST, n, list, event))
COMMAND(usm_advise, advise_usm(q, shared, 16, 0, n, list, event))
COMMAND(acquire, acquire_memory(q, 0, NULL, n, list, event))
COMMAND(give_back, release_memory(q, 0, NULL, n, list, event))
MAPPING(map_buffer, buffer, clEnqueueMapBuffer(q, buffer, blocking, CL_MAP_READ, 0, 16, n, list, event, &code))
static size_t pitch;
MAPPING(map_image, image,
        clEnqueueMapImage(q, image, blocking, CL_MAP_READ, zero, box, &pitch, NULL, n, list, event, &code))
static cl_int unmap(PARAMETERS) {
    (void)blocking;
    static void *at;
    if (at == NULL) {
        at = clEnqueueMapBuffer(queue, buffer, CL_TRUE, CL_MAP_READ, 0, 16, 0, NULL, NULL, &error);
        DONE(error);
    }
    cl_int code = clEnqueueUnmapMemObject(q, buffer, at, n, list, event);
    if (code == CL_SUCCESS)
        at = NULL;
    return code;
}

/* What a command is of: of a context, or of nothing but its queue. */
enum of { QUEUE, OBJECT };

static const struct {
    const char *name;
    cl_int (*run)(PARAMETERS);
    cl_command_type type;
    cl_bool blocks;
    enum of of;
} commands[] = {
    {"clEnqueueReadBuffer", read_buffer, CL_COMMAND_READ_BUFFER, CL_TRUE, OBJECT},
    {"clEnqueueWriteBuffer", write_buffer, CL_COMMAND_WRITE_BUFFER, CL_TRUE, OBJECT},
    {"clEnqueueReadBufferRect", read_rect, CL_COMMAND_READ_BUFFER_RECT, CL_TRUE, OBJECT},
    {"clEnqueueWriteBufferRect", write_rect, CL_COMMAND_WRITE_BUFFER_RECT, CL_TRUE, OBJECT},
    {"clEnqueueCopyBuffer", copy_buffer, CL_COMMAND_COPY_BUFFER, CL_FALSE, OBJECT},
    {"clEnqueueCopyBufferRect", copy_rect, CL_COMMAND_COPY_BUFFER_RECT, CL_FALSE, OBJECT},
    {"clEnqueueFillBuffer", fill_buffer, CL_COMMAND_FILL_BUFFER, CL_FALSE, OBJECT},
    {"clEnqueueMapBuffer", map_buffer, CL_COMMAND_MAP_BUFFER, CL_TRUE, OBJECT},
    {"clEnqueueUnmapMemObject", unmap, CL_COMMAND_UNMAP_MEM_OBJECT, CL_FALSE, OBJECT},
    {"clEnqueueMigrateMemObjects", migrate, CL_COMMAND_MIGRATE_MEM_OBJECTS, CL_FALSE, OBJECT},
    {"clEnqueueReadImage", read_image, CL_COMMAND_READ_IMAGE, CL_TRUE, OBJECT},
    {"clEnqueueWriteImage", write_image, CL_COMMAND_WRITE_IMAGE, CL_TRUE, OBJECT},
    {"clEnqueueCopyImage", copy_image, CL_COMMAND_COPY_IMAGE, CL_FALSE, OBJECT},
    {"clEnqueueFillImage", fill_image, CL_COMMAND_FILL_IMAGE, CL_FALSE, OBJECT},
    {"clEnqueueCopyImageToBuffer", image_to_buffer, CL_COMMAND_COPY_IMAGE_TO_BUFFER, CL_FALSE, OBJECT},
    {"clEnqueueCopyBufferToImage", buffer_to_image, CL_COMMAND_COPY_BUFFER_TO_IMAGE, CL_FALSE, OBJECT},
    {"clEnqueueMapImage", map_image, CL_COMMAND_MAP_IMAGE, CL_TRUE, OBJECT},
    {"clEnqueueNDRangeKernel", launch, CL_COMMAND_NDRANGE_KERNEL, CL_FALSE, OBJECT},
    {"clEnqueueTask", task, CL_COMMAND_TASK, CL_FALSE, OBJECT},
    {"clEnqueueMarkerWithWaitList", marker, CL_COMMAND_MARKER, CL_FALSE, QUEUE},
    {"clEnqueueBarrierWithWaitList", barrier, CL_COMMAND_BARRIER, CL_FALSE, QUEUE},
    {"clEnqueueSVMMemcpy", svm_copy, CL_COMMAND_SVM_MEMCPY, CL_TRUE, QUEUE},
    {"clEnqueueSVMMemFill", svm_fill, CL_COMMAND_SVM_MEMFILL, CL_FALSE, QUEUE},
    {"clEnqueueSVMMap", svm_map, CL_COMMAND_SVM_MAP, CL_TRUE, QUEUE},
    {"clEnqueueSVMUnmap", svm_unmap, CL_COMMAND_SVM_UNMAP, CL_FALSE, QUEUE},
    {"clEnqueueSVMMigrateMem", svm_migrate, CL_COMMAND_SVM_MIGRATE_MEM, CL_FALSE, QUEUE},
    {"clEnqueueSVMFree", svm_free, CL_COMMAND_SVM_FREE, CL_FALSE, QUEUE},
    {"clEnqueueMemcpyINTEL", usm_copy, USM_COPY, CL_TRUE, QUEUE},
    {"clEnqueueMemFillINTEL", usm_fill, USM_FILL, CL_FALSE, QUEUE},
    {"clEnqueueMigrateMemINTEL", usm_migrate, USM_MIGRATE, CL_FALSE, QUEUE},
    {"clEnqueueMemAdviseINTEL", usm_advise, USM_ADVISE, CL_FALSE, QUEUE},
    {"clEnqueueAcquireExternalMemObjectsKHR", acquire, ACQUIRE, CL_FALSE, QUEUE},
    {"clEnqueueReleaseExternalMemObjectsKHR", give_back, RELEASE, CL_FALSE, QUEUE},
};

#define COUNT (sizeof commands / sizeof *commands)

/* Of command `i`: what CALL gives. */
#define OF(i, code, call)                                                                          \
    do {                                                                                           \
        cl_int got_of_ = (call);                                                                   \
        if (got_of_ != (code))                                                                     \
            FAIL("%s: %s: %d, not %d", commands[i].name, #call, got_of_, (cl_int)(code));          \
    } while (0)

static void wrong_arguments(size_t i) {
    cl_int (*run)(PARAMETERS) = commands[i].run;
    OF(i, CL_INVALID_COMMAND_QUEUE, run(NULL, CL_TRUE, 0, NULL, NULL));
    OF(i, CL_INVALID_COMMAND_QUEUE, run((cl_command_queue)image, CL_TRUE, 0, NULL, NULL));
    if (commands[i].of == OBJECT)
        OF(i, CL_INVALID_CONTEXT, run(other_queue, CL_TRUE, 0, NULL, NULL));
    cl_event none = NULL, wrong = (cl_event)buffer, both[2] = {event, none};
    OF(i, CL_INVALID_EVENT_WAIT_LIST, run(queue, CL_TRUE, 1, NULL, NULL));
    OF(i, CL_INVALID_EVENT_WAIT_LIST, run(queue, CL_TRUE, 0, &event, NULL));
    OF(i, CL_INVALID_EVENT_WAIT_LIST, run(queue, CL_TRUE, 1, &none, NULL));
    OF(i, CL_INVALID_EVENT_WAIT_LIST, run(queue, CL_TRUE, 1, &wrong, NULL));
    OF(i, CL_INVALID_EVENT_WAIT_LIST, run(queue, CL_TRUE, 2, both, NULL));
    OF(i, CL_INVALID_CONTEXT, run(queue, CL_TRUE, 1, &other_event, NULL));
}

static cl_int status_of(cl_event of) {
    cl_int status;
    DONE(clGetEventInfo(of, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
    return status;
}

/* A command behind one that failed fails, and a blocking one says so at once. */
static void after_failure(size_t i) {
    cl_int (*run)(PARAMETERS) = commands[i].run;
    cl_event failed = clCreateUserEvent(context, &error), end;
    DONE(error);
    DONE(clSetUserEventStatus(failed, -1000));
    if (commands[i].blocks)
        OF(i, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, run(queue, CL_TRUE, 1, &failed, NULL));
    OF(i, CL_SUCCESS, run(queue, CL_FALSE, 1, &failed, &end));
    OF(i, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, clWaitForEvents(1, &end));
    OF(i, 1, status_of(end) < 0);
    DONE(clReleaseEvent(failed));
    DONE(clReleaseEvent(end));
}

/* A command waits for its list, and its event tells what it is, and when it was. */
static void in_order(size_t i, cl_command_queue timed) {
    cl_event gate = clCreateUserEvent(context, &error), end;
    DONE(error);
    OF(i, CL_SUCCESS, commands[i].run(timed, CL_FALSE, 1, &gate, &end));
    DONE(clFlush(timed));
    OF(i, 1, status_of(end) > CL_RUNNING);
    cl_ulong times[5];
    OF(i, CL_PROFILING_INFO_NOT_AVAILABLE,
       clGetEventProfilingInfo(end, CL_PROFILING_COMMAND_START, 8, times, NULL));
    DONE(clSetUserEventStatus(gate, CL_COMPLETE));
    OF(i, CL_SUCCESS, clWaitForEvents(1, &end));
    OF(i, CL_COMPLETE, status_of(end));
    cl_command_type type;
    cl_command_queue of;
    cl_context in;
    DONE(clGetEventInfo(end, CL_EVENT_COMMAND_TYPE, sizeof type, &type, NULL));
    DONE(clGetEventInfo(end, CL_EVENT_COMMAND_QUEUE, sizeof of, &of, NULL));
    DONE(clGetEventInfo(end, CL_EVENT_CONTEXT, sizeof in, &in, NULL));
    OF(i, (cl_int)commands[i].type, (cl_int)type);
    OF(i, 1, of == timed && in == context);
    for (cl_uint t = 0; t < 5; t++) {
        OF(i, CL_SUCCESS, clGetEventProfilingInfo(end, CL_PROFILING_COMMAND_QUEUED + t, 8, &times[t], NULL));
        OF(i, 1, times[t] > 0 && (t == 0 || times[t] >= times[t - 1]));
    }
    DONE(clFinish(timed));
    DONE(clReleaseEvent(gate));
    DONE(clReleaseEvent(end));
}

int main(void) {
    set_up();
#define FIND(name) (void *)clGetExtensionFunctionAddressForPlatform(platform, name)
    fill_usm = FIND("clEnqueueMemFillINTEL"), copy_usm = FIND("clEnqueueMemcpyINTEL");
    migrate_usm = FIND("clEnqueueMigrateMemINTEL"), advise_usm = FIND("clEnqueueMemAdviseINTEL");
    acquire_memory = FIND("clEnqueueAcquireExternalMemObjectsKHR");
    release_memory = FIND("clEnqueueReleaseExternalMemObjectsKHR");
    usm_alloc_fn *allocate = FIND("clSharedMemAllocINTEL");
    usm_free_fn *release = FIND("clMemFreeINTEL");
    shared = allocate(context, device, NULL, BUFFER, 0, &error);
    DONE(error);
    svm = clSVMAlloc(context, CL_MEM_READ_WRITE, BUFFER, 0);
    IS(svm != NULL);
    second = of(0), second_image = image_of(0, CL_MEM_OBJECT_IMAGE2D, NULL);
    DONE(error);
    cl_program program = built(context, "kernel void one(global int *out) { *out = 1; }", "");
    kernel = kernel_of(program, "one");
    DONE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    cl_command_queue timed = queue_of(context, device, CL_QUEUE_PROFILING_ENABLE);
    for (size_t i = 0; i < COUNT; i++) {
        wrong_arguments(i);
        after_failure(i);
        in_order(i, timed);
    }
    DONE(clFinish(queue));
    DONE(release(context, shared));
    clSVMFree(context, svm);
    printf("ok\n");
    return 0;
}
