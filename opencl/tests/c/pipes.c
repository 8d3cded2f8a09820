/* Pipes: what is written is read, in kernels one after the other; full and empty ones; reservations of
   work-groups and sub-groups; and the errors. */
#include "commands.h"

enum { ROOM = 6, N = 8 };

static const char *source =
    "kernel void put(write_only pipe int p, global int *done, int first) {\n"
    "    int i = get_global_id(0), value = first + i;\n"
    "    done[i] = write_pipe(p, &value);\n"
    "}\n"
    "kernel void take(read_only pipe int p, global int *out) {\n"
    "    int i = get_global_id(0), value = -1;\n"
    "    out[i] = read_pipe(p, &value) == 0 ? value : -1;\n"
    "}\n"
    "kernel void put_group(write_only pipe int p, global int *done, int first) {\n"
    "    reserve_id_t id = work_group_reserve_write_pipe(p, get_local_size(0));\n"
    "    int i = get_global_id(0), value = first + i;\n"
    "    done[i] = -1;\n"
    "    if (is_valid_reserve_id(id)) {\n"
    "        done[i] = write_pipe(p, id, get_local_id(0), &value);\n"
    "        work_group_commit_write_pipe(p, id);\n"
    "    }\n"
    "}\n"
    "kernel void take_sub_group(read_only pipe int p, global int *out) {\n"
    "    reserve_id_t id = sub_group_reserve_read_pipe(p, get_sub_group_size());\n"
    "    int i = get_global_id(0), value = -1;\n"
    "    if (is_valid_reserve_id(id)) {\n"
    "        read_pipe(p, id, get_sub_group_local_id(), &value);\n"
    "        sub_group_commit_read_pipe(p, id);\n"
    "    }\n"
    "    out[i] = value;\n"
    "}\n"
    "kernel void counts(read_only pipe int p, global int *out) {\n"
    "    out[0] = get_pipe_num_packets(p);\n"
    "    out[1] = get_pipe_max_packets(p);\n"
    "}\n"
    "kernel void plain(global int *p) { p[0] = 1; }\n";

static cl_mem results;

static void run(cl_command_queue queue, cl_kernel kernel, size_t global, cl_mem pipe, int first) {
    DONE(clSetKernelArg(kernel, 0, sizeof pipe, &pipe));
    DONE(clSetKernelArg(kernel, 1, sizeof results, &results));
    clSetKernelArg(kernel, 2, sizeof first, &first);
    DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &global, 0, NULL, NULL));
}

/* How many of the results are values from `first` on, each once; the others are -1. */
static int values(cl_command_queue queue, int count, int first) {
    int got[64], seen[64] = {0}, found = 0;
    DONE(clEnqueueReadBuffer(queue, results, CL_TRUE, 0, 4 * count, got, 0, NULL, NULL));
    for (int i = 0; i < count; i++) {
        if (got[i] == -1)
            continue;
        int place = got[i] - first;
        if (place < 0 || place >= 64 || seen[place]++)
            FAIL("%d is %d", i, got[i]);
        found++;
    }
    return found;
}

/* How many of the calls succeeded. */
static int done(cl_command_queue queue, int count) {
    int got[64], good = 0;
    DONE(clEnqueueReadBuffer(queue, results, CL_TRUE, 0, 4 * count, got, 0, NULL, NULL));
    for (int i = 0; i < count; i++)
        good += got[i] == 0;
    return good;
}

static cl_mem pipe_of(cl_context context, cl_uint packets) {
    cl_mem pipe = clCreatePipe(context, 0, sizeof(int), packets, NULL, &error);
    DONE(error);
    return pipe;
}

static void works(cl_context context, cl_device_id device, cl_program program) {
    cl_command_queue queue = queue_of(context, device, 0), other = queue_of(context, device, 0);
    cl_mem pipe = pipe_of(context, ROOM);
    cl_kernel put = kernel_of(program, "put"), take = kernel_of(program, "take");
    cl_kernel counts = kernel_of(program, "counts");
    for (int round = 0; round < 3; round++) {
        /* Full: the others find no room. Then empty: the others find nothing. */
        run(queue, put, N, pipe, 100 * round);
        IS(done(queue, N) == ROOM);
        run(queue, counts, 1, pipe, 0);
        int numbers[2];
        DONE(clEnqueueReadBuffer(queue, results, CL_TRUE, 0, 8, numbers, 0, NULL, NULL));
        IS(numbers[0] == ROOM && numbers[1] == ROOM);
        run(queue, take, N, pipe, 0);
        IS(values(queue, N, 100 * round) == ROOM);
        run(queue, take, N, pipe, 0);
        IS(values(queue, N, 0) == 0);
    }
    /* On two queues, without waiting: the pipe has an order of its own. */
    run(queue, put, 4, pipe, 7);
    run(other, take, 4, pipe, 0);
    IS(values(other, 4, 7) == 4);
    DONE(clReleaseMemObject(pipe));
    /* Reservations. */
    pipe = pipe_of(context, 64);
    cl_kernel put_group = kernel_of(program, "put_group");
    cl_kernel take_sub_group = kernel_of(program, "take_sub_group");
    run(queue, put_group, 64, pipe, 5);
    IS(done(queue, 64) == 64);
    run(queue, put_group, 1, pipe, 0);
    IS(done(queue, 1) == 0);
    run(queue, take_sub_group, 64, pipe, 0);
    IS(values(queue, 64, 5) == 64);
    run(queue, take_sub_group, 64, pipe, 0);
    IS(values(queue, 64, 5) == 0);
    /* In a command buffer. */
    commands buffer = clCreateCommandBufferKHR_(1, &queue, NULL, &error);
    DONE(error);
    size_t size = N;
    int first = 30;
    DONE(clSetKernelArg(put, 0, sizeof pipe, &pipe));
    DONE(clSetKernelArg(put, 1, sizeof results, &results));
    DONE(clSetKernelArg(put, 2, sizeof first, &first));
    DONE(clSetKernelArg(take, 0, sizeof pipe, &pipe));
    DONE(clSetKernelArg(take, 1, sizeof results, &results));
    cl_kernel both[] = {take, put, take};
    for (int i = 0; i < 3; i++)
        DONE(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, both[i], 1, NULL, &size, NULL, 0, NULL,
                                        NULL, NULL));
    DONE(clFinalizeCommandBufferKHR_(buffer));
    for (int i = 0; i < 3; i++) {
        DONE(clEnqueueCommandBufferKHR_(1, i == 1 ? &other : &queue, buffer, 0, NULL, NULL));
        IS(values(i == 1 ? other : queue, N, first) == N);
    }
    DONE(clReleaseCommandBufferKHR_(buffer));
    DONE(clReleaseMemObject(pipe));
    cl_kernel all[] = {put, take, counts, put_group, take_sub_group};
    for (int i = 0; i < 5; i++)
        DONE(clReleaseKernel(all[i]));
    DONE(clReleaseCommandQueue(queue));
    DONE(clReleaseCommandQueue(other));
}

static cl_bool has_pipes(cl_device_id device) {
    cl_bool has = CL_FALSE;
    DONE(clGetDeviceInfo(device, CL_DEVICE_PIPE_SUPPORT, sizeof has, &has, NULL));
    return has;
}

static void errors(cl_context context, cl_device_id device, cl_program program) {
    cl_uint args = 0, packet = 0, reservations = 0;
    DONE(clGetDeviceInfo(device, CL_DEVICE_MAX_PIPE_ARGS, sizeof args, &args, NULL));
    DONE(clGetDeviceInfo(device, CL_DEVICE_PIPE_MAX_PACKET_SIZE, sizeof packet, &packet, NULL));
    DONE(clGetDeviceInfo(device, CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS, sizeof reservations,
                         &reservations, NULL));
    IS(args >= 16 && packet >= 1024 && reservations >= 1);
    struct {
        cl_int code;
        cl_mem_flags flags;
        cl_uint size, packets;
    } bad[] = {
        {CL_INVALID_VALUE, CL_MEM_READ_ONLY, 4, 4},
        {CL_INVALID_VALUE, CL_MEM_HOST_READ_ONLY, 4, 4},
        {CL_INVALID_PIPE_SIZE, 0, 0, 4},
        {CL_INVALID_PIPE_SIZE, 0, 4, 0},
        {CL_INVALID_PIPE_SIZE, 0, packet + 1, 4},
        {CL_INVALID_PIPE_SIZE, 0, packet, 0xffffffff},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        clCreatePipe(context, bad[i].flags, bad[i].size, bad[i].packets, NULL, &error);
        if (error != bad[i].code)
            FAIL("pipe %zu: %d, not %d", i, error, bad[i].code);
    }
    cl_pipe_properties none[] = {0};
    clCreatePipe(context, 0, 4, 4, none, &error);
    GIVES(CL_INVALID_VALUE, error);
    clCreatePipe(NULL, 0, 4, 4, NULL, &error);
    GIVES(CL_INVALID_CONTEXT, error);
    cl_mem pipe = pipe_of(context, ROOM);
    cl_uint number = 0;
    DONE(clGetPipeInfo(pipe, CL_PIPE_PACKET_SIZE, sizeof number, &number, NULL));
    IS(number == sizeof(int));
    DONE(clGetPipeInfo(pipe, CL_PIPE_MAX_PACKETS, sizeof number, &number, NULL));
    IS(number == ROOM);
    GIVES(CL_INVALID_MEM_OBJECT, clGetPipeInfo(results, CL_PIPE_MAX_PACKETS, 4, &number, NULL));
    GIVES(CL_INVALID_VALUE, clGetPipeInfo(pipe, 0x4711, 4, &number, NULL));
    cl_mem_object_type type = 0;
    DONE(clGetMemObjectInfo(pipe, CL_MEM_TYPE, sizeof type, &type, NULL));
    IS(type == CL_MEM_OBJECT_PIPE);
    cl_mem_flags flags = 0;
    DONE(clGetMemObjectInfo(pipe, CL_MEM_FLAGS, sizeof flags, &flags, NULL));
    IS(flags == (CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS));
    /* A pipe is no buffer, and a buffer no pipe. */
    cl_command_queue queue = queue_of(context, device, 0);
    GIVES(CL_INVALID_MEM_OBJECT,
          clEnqueueReadBuffer(queue, pipe, CL_TRUE, 0, 4, &number, 0, NULL, NULL));
    GIVES(CL_INVALID_MEM_OBJECT,
          clEnqueueCopyBuffer(queue, results, pipe, 0, 0, 4, 0, NULL, NULL));
    cl_buffer_region region = {0, 4};
    clCreateSubBuffer(pipe, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    GIVES(CL_INVALID_MEM_OBJECT, error);
    cl_kernel take = kernel_of(program, "take"), plain = kernel_of(program, "plain");
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(take, 0, sizeof results, &results));
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(take, 0, sizeof results, NULL));
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(plain, 0, sizeof pipe, &pipe));
    GIVES(CL_INVALID_ARG_SIZE, clSetKernelArg(take, 0, 4, &pipe));
    cl_kernel_arg_type_qualifier qualifier = 0;
    DONE(clGetKernelArgInfo(take, 0, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifier, &qualifier,
                            NULL));
    IS(qualifier == CL_KERNEL_ARG_TYPE_PIPE);
    DONE(clReleaseKernel(take));
    DONE(clReleaseKernel(plain));
    DONE(clReleaseMemObject(pipe));
    DONE(clReleaseCommandQueue(queue));
}

int main(void) {
    DONE(clReleaseContext(begin()));
    find();
    for (cl_uint d = 0; d < device_count; d++) {
        cl_context context = clCreateContext(NULL, 1, &devices[d], NULL, NULL, &error);
        DONE(error);
        results = buffer_of(context, 0, 256, NULL);
        printf("%s\n", has_pipes(devices[d]) ? "pipes" : "none");
        if (!has_pipes(devices[d])) {
            clCreatePipe(context, 0, 4, 4, NULL, &error);
            GIVES(CL_INVALID_OPERATION, error);
            DONE(clReleaseMemObject(results));
            DONE(clReleaseContext(context));
            continue;
        }
        const char *versions[] = {"-cl-std=CL2.0", "-cl-std=CL3.0"};
        for (int version = 0; version < 2; version++) {
            cl_program program = built(context, source, versions[version]);
            works(context, devices[d], program);
            errors(context, devices[d], program);
            DONE(clReleaseProgram(program));
        }
        DONE(clReleaseMemObject(results));
        DONE(clReleaseContext(context));
    }
    printf("ok\n");
    return 0;
}
