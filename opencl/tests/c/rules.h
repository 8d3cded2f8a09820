/* What the tests of wrong arguments share: the objects of two contexts. Each call has one thing wrong,
   or two whose errors are the same. */
#include "check.h"

static cl_context context, other;
static cl_device_id device;
static cl_command_queue queue, other_queue;
static cl_mem buffer, other_buffer, image, pipe_object;
static cl_event event, other_event;
static char bytes[1 << 16];

#define MADE(code, call)                                                                           \
    do {                                                                                           \
        error = 1;                                                                                 \
        (void)(call);                                                                              \
        GIVES(code, error);                                                                        \
    } while (0)

/* What all commands check of their wait lists. CALL has `count`, `list` in it. */
#define WAITS(...)                                                                                 \
    do {                                                                                           \
        cl_uint count = 1;                                                                         \
        const cl_event *list = NULL;                                                               \
        GIVES(CL_INVALID_EVENT_WAIT_LIST, __VA_ARGS__);                                            \
        count = 0, list = &event;                                                                  \
        GIVES(CL_INVALID_EVENT_WAIT_LIST, __VA_ARGS__);                                            \
        cl_event none = NULL, wrong = (cl_event)buffer;                                            \
        count = 1, list = &none;                                                                   \
        GIVES(CL_INVALID_EVENT_WAIT_LIST, __VA_ARGS__);                                            \
        list = &wrong;                                                                             \
        GIVES(CL_INVALID_EVENT_WAIT_LIST, __VA_ARGS__);                                            \
        list = &other_event;                                                                       \
        GIVES(CL_INVALID_CONTEXT, __VA_ARGS__);                                                    \
    } while (0)

static cl_mem of(cl_mem_flags flags) { return buffer_of(context, flags, 256, NULL); }

static const cl_image_format rgba = {CL_RGBA, CL_UNSIGNED_INT8};

static cl_mem image_of(cl_mem_flags flags, cl_mem_object_type type, cl_mem from) {
    cl_image_desc desc = {.image_type = type, .image_width = 16, .image_height = 4,
                          .image_depth = 2, .mem_object = from};
    return clCreateImage(context, flags, &rgba, &desc, NULL, &error);
}

/* Makes the objects. */
static void set_up(void) {
    context = begin();
    device = devices[0];
    other = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    DONE(error);
    queue = queue_of(context, device, 0), other_queue = queue_of(other, device, 0);
    buffer = of(0), other_buffer = buffer_of(other, 0, 256, NULL);
    image = image_of(0, CL_MEM_OBJECT_IMAGE2D, NULL);
    DONE(error);
    event = clCreateUserEvent(context, &error);
    other_event = clCreateUserEvent(other, &error);
    cl_bool has_pipes = CL_FALSE;
    for (cl_uint d = 0; d < device_count && !has_pipes; d++)
        DONE(clGetDeviceInfo(devices[d], CL_DEVICE_PIPE_SUPPORT, sizeof has_pipes, &has_pipes, NULL));
    if (has_pipes)
        pipe_object = clCreatePipe(context, 0, 4, 4, NULL, &error);
}
