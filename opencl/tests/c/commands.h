/* The functions of cl_khr_command_buffer 0.9.8 and cl_khr_command_buffer_mutable_dispatch 0.9.5, which
   older headers do not have. */
#ifndef COMMANDS_H
#define COMMANDS_H

#include "check.h"

enum { INVALID_BUFFER = -1138, INVALID_POINTS = -1139, INVALID_COMMAND = -1141 };

typedef struct commands *commands;
typedef cl_uint point;
#define PLACE cl_uint, const point *, point *, void **
#define FUNCTIONS(F)                                                                               \
    F(commands, clCreateCommandBufferKHR,                                                          \
      (cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *))                             \
    F(cl_int, clRetainCommandBufferKHR, (commands))                                                \
    F(cl_int, clReleaseCommandBufferKHR, (commands))                                               \
    F(cl_int, clFinalizeCommandBufferKHR, (commands))                                              \
    F(cl_int, clEnqueueCommandBufferKHR,                                                           \
      (cl_uint, cl_command_queue *, commands, cl_uint, const cl_event *, cl_event *))              \
    F(cl_int, clGetCommandBufferInfoKHR, (commands, cl_uint, size_t, void *, size_t *))            \
    F(cl_int, clCommandBarrierWithWaitListKHR,                                                     \
      (commands, cl_command_queue, const cl_ulong *, PLACE))                                       \
    F(cl_int, clCommandCopyBufferKHR,                                                              \
      (commands, cl_command_queue, const cl_ulong *, cl_mem, cl_mem, size_t, size_t, size_t,       \
       PLACE))                                                                                     \
    F(cl_int, clCommandFillBufferKHR,                                                              \
      (commands, cl_command_queue, const cl_ulong *, cl_mem, const void *, size_t, size_t, size_t, \
       PLACE))                                                                                     \
    F(cl_int, clCommandSVMMemFillKHR,                                                              \
      (commands, cl_command_queue, const cl_ulong *, void *, const void *, size_t, size_t, PLACE)) \
    F(cl_int, clCommandSVMMemcpyKHR,                                                               \
      (commands, cl_command_queue, const cl_ulong *, void *, const void *, size_t, PLACE))         \
    F(cl_int, clCommandNDRangeKernelKHR,                                                           \
      (commands, cl_command_queue, const cl_ulong *, cl_kernel, cl_uint, const size_t *,           \
       const size_t *, const size_t *, PLACE))                                                     \
    F(cl_int, clUpdateMutableCommandsKHR, (commands, cl_uint, const cl_uint *, const void **))     \
    F(cl_int, clGetMutableCommandInfoKHR, (void *, cl_uint, size_t, void *, size_t *))

#define DECLARE(type, name, parameters) static type(*name##_) parameters;
FUNCTIONS(DECLARE)

#define FIND(type, name, parameters)                                                               \
    name##_ = (type(*) parameters)clGetExtensionFunctionAddressForPlatform(platform, #name);       \
    IS(name##_ != NULL);

/* Finds the functions of the platform. */
static inline void find(void) {
    FUNCTIONS(FIND)
}

static inline cl_uint state_of(commands buffer) {
    cl_uint state = 9;
    DONE(clGetCommandBufferInfoKHR_(buffer, 0x1297, sizeof state, &state, NULL));
    return state;
}

/* What clUpdateMutableCommandsKHR changes of a command. */
struct argument {
    cl_uint index;
    size_t size;
    const void *value;
};

struct config {
    void *command;
    cl_uint args, svm_args, infos, dimensions;
    const struct argument *arg_list, *svm_arg_list, *info_list;
    const size_t *offset, *global, *local;
};

#endif
