/* Pointers of shared and unified memory at any byte, to kernels whose code reaches them through surfaces, which
   begin at multiples of four. */
#include "commands.h"
#include <pthread.h>

enum { N = 64, ROOM = 256 };

static const char *source =
    "kernel void bytes(global const uchar *in, global uchar *out, uchar add) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = in[i] + add;\n"
    "}\n"
    "kernel void turned(uchar add, global uchar *out, global const uchar *in) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = in[i] + add;\n"
    "}\n"
    "kernel void shorts(global const ushort *in, global ushort *out, ushort add) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = in[i] + add;\n"
    "}\n"
    "kernel void shared(global const uchar *in, global uchar *out, local uchar *room) {\n"
    "    size_t i = get_global_id(0), l = get_local_id(0);\n"
    "    room[l] = in[i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[i] = room[get_local_size(0) - 1 - l];\n"
    "}\n"
    "kernel void says(global uchar *at) { if (get_global_id(0) == 0) printf(\"there is %d\\n\", at[0]); }\n";
static const char *variables =
    "global int calls = 5;\n"
    "global uchar table[4] = {1, 2, 3, 4};\n"
    "global uchar *global entry = &table[2];\n"
    "constant uchar fixed[4] = {10, 20, 30, 40};\n"
    "kernel void bump(global uchar *out) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = *entry + fixed[i & 3];\n"
    "    if (i == 0) { calls++; table[1] += 7; }\n"
    "}\n"
    "kernel void look(global int *out) { out[0] = calls; out[1] = table[1]; out[2] = *entry; }\n";
static const char *blocks =
    "__attribute__((intel_reqd_sub_group_size(16)))\n"
    "kernel void block(global uint *out, global const uchar *in) {\n"
    "    intel_sub_group_block_write(out + get_group_id(0) * 16, in[get_global_id(0)]);\n"
    "}\n";
static const char *images =
    "kernel void texels(read_only image2d_t image, sampler_t sampler, global uchar *out) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = read_imageui(image, sampler, (int2)((int)i - 8, 0)).x;\n"
    "}\n";
static const char *parts[] = {
    "global int calls = 3;\n"
    "uchar twice(uchar x) { return x * 2; }\n",
    "extern global int calls;\n"
    "uchar twice(uchar x);\n"
    "kernel void doubles(global const uchar *in, global uchar *out) {\n"
    "    size_t i = get_global_id(0);\n"
    "    out[i] = twice(in[i]);\n"
    "    if (i == 0) calls++;\n"
    "}\n"
    "kernel void calls_of(global int *out) { *out = calls; }\n",
};

typedef void *(*host_fn)(cl_context, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef void *(*device_fn)(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *);
typedef cl_int (*free_fn)(cl_context, void *);
typedef cl_int (*set_fn)(cl_kernel, cl_uint, const void *);
static host_fn alloc_host;
static device_fn alloc_device, alloc_shared;
static free_fn mem_free;
static set_fn set_usm;

static cl_context context;
static cl_device_id device;
static cl_command_queue queue;
/* Whether the code is the own compiler's, which reaches everything by addresses. */
static int is_own;

/* Memory of a kind: that of clSVMAlloc, of the host, of the device, shared. */
static unsigned char *make(int kind) {
    void *made = kind == 0   ? clSVMAlloc(context, 0, ROOM, 0)
                 : kind == 1 ? alloc_host(context, NULL, ROOM, 0, &error)
                 : kind == 2 ? alloc_device(context, device, NULL, ROOM, 0, &error)
                             : alloc_shared(context, device, NULL, ROOM, 0, &error);
    IS(made != NULL);
    return made;
}

static void drop(int kind, void *made) {
    if (kind == 0)
        clSVMFree(context, made);
    else
        DONE(mem_free(context, made));
}

static cl_int set(int kind, cl_kernel kernel, cl_uint index, const void *at) {
    return kind == 0 ? clSetKernelArgSVMPointer(kernel, index, at) : set_usm(kernel, index, at);
}

static void launch(cl_kernel kernel) {
    size_t global = N, local = 16;
    DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL));
}

static void put(void *to, const void *from, size_t size) {
    DONE(clEnqueueSVMMemcpy(queue, CL_TRUE, to, from, size, 0, NULL, NULL));
}

static void numbers(unsigned char *to) {
    for (int i = 0; i < ROOM; i++)
        to[i] = i * 5 + 1;
}

/* Runs a kernel whose arguments are set, and checks each byte of the memory that it writes: elements of `size`
   bytes at `out` are those at `in` and `add`. */
static void check(cl_kernel kernel, unsigned char *ins, size_t in, unsigned char *outs, size_t out, int size,
                  int add) {
    unsigned char from[ROOM], want[ROOM], got[ROOM];
    numbers(from);
    memset(want, 0xee, ROOM);
    put(ins, from, ROOM);
    put(outs, want, ROOM);
    for (int i = 0; i < N; i++) {
        unsigned short value = from[in + i * size];
        if (size == 2)
            memcpy(&value, &from[in + i * 2], 2);
        value += add;
        memcpy(&want[out + i * size], &value, size);
    }
    launch(kernel);
    put(got, outs, ROOM);
    for (int i = 0; i < ROOM; i++)
        if (got[i] != want[i])
            FAIL("+%zu to +%zu: byte %d is %d, not %d", in, out, i, got[i], want[i]);
}

struct limits {
    size_t group, multiple, sub_group, sub_groups;
    cl_ulong local;
};

static struct limits limits(cl_kernel kernel) {
    struct limits all;
    memset(&all, 0, sizeof all);
    size_t local = 16;
    DONE(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_WORK_GROUP_SIZE, 8, &all.group, NULL));
    DONE(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE, 8, &all.multiple,
                                  NULL));
    DONE(clGetKernelWorkGroupInfo(kernel, device, CL_KERNEL_LOCAL_MEM_SIZE, 8, &all.local, NULL));
    DONE(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, 8, &local, 8,
                                 &all.sub_group, NULL));
    DONE(clGetKernelSubGroupInfo(kernel, device, CL_KERNEL_MAX_NUM_SUB_GROUPS, 0, &local, 8, &all.sub_groups,
                                 NULL));
    return all;
}

/* All places, of memory of one kind. */
static void places(cl_program program, int kind) {
    unsigned char *ins = make(kind), *outs = make(kind), add = 9;
    unsigned short more = 1000;
    cl_kernel bytes = kernel_of(program, "bytes"), turned = kernel_of(program, "turned"),
              shorts = kernel_of(program, "shorts");
    struct limits before = limits(bytes);
    DONE(clSetKernelArg(bytes, 2, 1, &add));
    for (size_t in = 0; in < 4; in++)
        for (size_t out = 0; out < 4; out++) {
            DONE(set(kind, bytes, out & 1, out & 1 ? outs + out : ins + in));
            DONE(set(kind, bytes, !(out & 1), out & 1 ? ins + in : outs + out));
            check(bytes, ins, in, outs, out, 1, add);
            /* Only one is set anew. */
            add++;
            DONE(clSetKernelArg(bytes, 2, 1, &add));
            DONE(set(kind, bytes, 1, outs + 8));
            check(bytes, ins, in, outs, 8, 1, add);
        }
    struct limits after = limits(bytes);
    IS(memcmp(&before, &after, sizeof before) == 0);
    for (size_t in = 0; in < 4; in++) {
        DONE(set(kind, turned, 2, ins + in));
        DONE(set(kind, turned, 1, outs + 3 - in));
        DONE(clSetKernelArg(turned, 0, 1, &add));
        check(turned, ins, in, outs, 3 - in, 1, add);
    }
    DONE(clSetKernelArg(shorts, 2, 2, &more));
    for (size_t in = 0; in < 4; in += 2)
        for (size_t out = 0; out < 4; out += 2) {
            DONE(set(kind, shorts, 0, ins + in));
            DONE(set(kind, shorts, 1, outs + out));
            check(shorts, ins, in, outs, out, 2, more);
        }
    /* A pointer whose memory is gone is not kept by what was set before it. */
    DONE(set(kind, bytes, 0, ins));
    DONE(set(kind, bytes, 0, ins + 1));
    drop(kind, ins);
    drop(kind, outs);
    DONE(clReleaseKernel(bytes));
    DONE(clReleaseKernel(turned));
    DONE(clReleaseKernel(shorts));
}

/* Other arguments go with it: values, buffers, local memory, and those of clones. */
static void carried(cl_program program) {
    unsigned char *outs = make(0), from[ROOM], got[ROOM], add = 3;
    numbers(from);
    cl_mem in = buffer_of(context, CL_MEM_COPY_HOST_PTR, ROOM, from);
    cl_kernel bytes = kernel_of(program, "bytes"), shared = kernel_of(program, "shared");
    DONE(clSetKernelArg(bytes, 0, sizeof in, &in));
    DONE(clSetKernelArgSVMPointer(bytes, 1, outs + 1));
    /* What is missing is missing. */
    size_t global = N;
    GIVES(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, bytes, 1, NULL, &global, NULL, 0, NULL, NULL));
    DONE(clSetKernelArg(bytes, 2, 1, &add));
    cl_kernel clone = clCloneKernel(bytes, &error);
    DONE(error);
    DONE(clSetKernelArgSVMPointer(bytes, 1, outs + 100));
    launch(bytes);
    launch(clone);
    put(got, outs, ROOM);
    for (int i = 0; i < N; i++)
        IS(got[1 + i] == (unsigned char)(from[i] + 3) && got[100 + i] == got[1 + i]);
    DONE(clSetKernelArg(shared, 0, sizeof in, &in));
    DONE(clSetKernelArg(shared, 2, 16, NULL));
    struct limits before = limits(shared);
    DONE(clSetKernelArgSVMPointer(shared, 1, outs + 3));
    struct limits after = limits(shared);
    IS(memcmp(&before, &after, sizeof before) == 0);
    launch(shared);
    put(got, outs, ROOM);
    for (int i = 0; i < N; i++)
        IS(got[3 + i] == from[i / 16 * 16 + 15 - i % 16]);
    size_t suggested = 0;
    typedef cl_int (*suggest_fn)(cl_command_queue, cl_kernel, cl_uint, const size_t *, const size_t *, size_t *);
    suggest_fn suggest = (suggest_fn)clGetExtensionFunctionAddressForPlatform(platform,
                                                                             "clGetKernelSuggestedLocalWorkSizeKHR");
    DONE(suggest(queue, clone, 1, NULL, &global, &suggested));
    IS(suggested > 0 && N % suggested == 0);
    DONE(clReleaseMemObject(in));
    /* Of an argument that is gone nothing is carried, and it can be set anew. */
    cl_kernel fresh = kernel_of(program, "bytes");
    cl_mem gone = buffer_of(context, 0, ROOM, NULL);
    DONE(clSetKernelArg(fresh, 0, sizeof gone, &gone));
    DONE(clSetKernelArg(fresh, 2, 1, &add));
    DONE(clReleaseMemObject(gone));
    DONE(clSetKernelArgSVMPointer(fresh, 1, outs + 1));
    GIVES(CL_INVALID_KERNEL_ARGS, clEnqueueNDRangeKernel(queue, fresh, 1, NULL, &global, NULL, 0, NULL, NULL));
    DONE(clSetKernelArgSVMPointer(fresh, 0, outs + 130));
    launch(fresh);
    DONE(clFinish(queue));
    DONE(clReleaseKernel(fresh));
    DONE(clReleaseKernel(bytes));
    DONE(clReleaseKernel(shared));
    DONE(clReleaseKernel(clone));
    clSVMFree(context, outs);
}

/* Variables are those of the program, whichever of its kernels change them. */
static void with_variables(void) {
    cl_program program = built(context, variables, "-cl-std=CL3.0");
    cl_kernel bump = kernel_of(program, "bump"), look = kernel_of(program, "look");
    unsigned char *outs = make(0), got[ROOM];
    int *seen = clSVMAlloc(context, 0, 64, 0), values[3];
    DONE(clSetKernelArgSVMPointer(look, 0, seen));
    size_t one = 1;
    for (int place = 0; place < 4; place++) {
        DONE(clSetKernelArgSVMPointer(bump, 0, outs + place));
        launch(bump);
        put(got, outs, ROOM);
        for (int i = 0; i < N; i++)
            IS(got[place + i] == 3 + (i % 4 + 1) * 10);
        DONE(clEnqueueNDRangeKernel(queue, look, 1, NULL, &one, NULL, 0, NULL, NULL));
        put(values, seen, sizeof values);
        if (values[0] != 6 + place || values[1] != 2 + 7 * (place + 1) || values[2] != 3)
            FAIL("+%d: %d, %d, %d", place, values[0], values[1], values[2]);
    }
    clSVMFree(context, outs);
    clSVMFree(context, seen);
    DONE(clReleaseKernel(bump));
    DONE(clReleaseKernel(look));
    DONE(clReleaseProgram(program));
}

/* The same program, of its binary. */
static cl_program reloaded(cl_program program) {
    cl_uint count;
    DONE(clGetProgramInfo(program, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    size_t sizes[8];
    DONE(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, NULL));
    unsigned char *binaries[8];
    for (cl_uint i = 0; i < count; i++)
        binaries[i] = malloc(sizes[i]);
    DONE(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof binaries, binaries, NULL));
    cl_program loaded = clCreateProgramWithBinary(context, count, devices, sizes, (const unsigned char **)binaries,
                                                  NULL, &error);
    DONE(error);
    DONE(clBuildProgram(loaded, 0, NULL, "", NULL, NULL));
    for (cl_uint i = 0; i < count; i++)
        free(binaries[i]);
    return loaded;
}

/* A kernel of which the compiler, left alone, makes narrower sub-groups where it reaches everything by addresses. */
static void narrow(void) {
    enum { POINTERS = 12 };
    char text[8192] = "kernel void many(int n", *end = text + strlen(text);
    for (int k = 0; k < POINTERS; k++)
        end += sprintf(end, ", global uchar *p%d", k);
    end += sprintf(end, ") {\n    size_t i = get_global_id(0);\n");
    for (int k = 0; k < POINTERS; k++)
        end += sprintf(end, "    float s%d = p%d[i];\n", k, k);
    end += sprintf(end, "    for (int t = 0; t < n; t++) {\n");
    for (int k = 0; k < POINTERS; k++)
        end += sprintf(end, "        s%d = s%d + s%d + p%d[i + 64];\n", k, k, (k + 1) % POINTERS, k);
    end += sprintf(end, "    }\n");
    for (int k = 0; k < POINTERS; k++)
        end += sprintf(end, "    p%d[i] = (int)s%d;\n", k, k);
    sprintf(end, "}\n");
    cl_program program = built(context, text, "-cl-std=CL3.0");
    cl_kernel many = kernel_of(program, "many");
    struct limits before = limits(many);
    int rounds = 2;
    DONE(clSetKernelArg(many, 0, sizeof rounds, &rounds));
    unsigned char *each[POINTERS], from[ROOM], got[ROOM];
    for (int k = 0; k < POINTERS; k++) {
        each[k] = make(0);
        for (int i = 0; i < ROOM; i++)
            from[i] = (i + k) % 7;
        put(each[k], from, ROOM);
        DONE(clSetKernelArgSVMPointer(many, 1 + k, each[k] + k % 4));
    }
    launch(many);
    struct limits after = limits(many);
    IS(memcmp(&before, &after, sizeof before) == 0);
    float want[POINTERS];
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < POINTERS; k++)
            want[k] = (i + k % 4 + k) % 7;
        for (int t = 0; t < rounds; t++)
            for (int k = 0; k < POINTERS; k++)
                want[k] += want[(k + 1) % POINTERS] + (i + 64 + k % 4 + k) % 7;
        for (int k = 0; k < POINTERS; k++) {
            put(got, each[k], ROOM);
            if (got[i + k % 4] != (unsigned char)want[k])
                FAIL("%d of %d is %d, not %g", i, k, got[i + k % 4], want[k]);
        }
    }
    for (int k = 0; k < POINTERS; k++)
        clSVMFree(context, each[k]);
    DONE(clReleaseKernel(many));
    DONE(clReleaseProgram(program));
}

/* Programs that were linked have what was linked; their binaries have only code, and refuse the pointer. */
static void linked(void) {
    cl_program objects[2];
    for (int i = 0; i < 2; i++) {
        objects[i] = clCreateProgramWithSource(context, 1, &parts[i], NULL, &error);
        DONE(error);
        DONE(clCompileProgram(objects[i], 0, NULL, "-cl-std=CL3.0", 0, NULL, NULL, NULL, NULL));
    }
    cl_program program = clLinkProgram(context, 0, NULL, "", 2, objects, NULL, NULL, &error);
    DONE(error);
    for (int i = 0; i < 2; i++)
        DONE(clReleaseProgram(objects[i]));
    unsigned char *ins = make(0), *outs = make(0), from[ROOM], got[ROOM];
    numbers(from);
    put(ins, from, ROOM);
    cl_kernel doubles = kernel_of(program, "doubles"), calls = kernel_of(program, "calls_of");
    for (int place = 0; place < 3; place++) {
        DONE(clSetKernelArgSVMPointer(doubles, 0, ins + place));
        DONE(clSetKernelArgSVMPointer(doubles, 1, outs + 2));
        launch(doubles);
        put(got, outs, ROOM);
        for (int i = 0; i < N; i++)
            IS(got[2 + i] == (unsigned char)(from[place + i] * 2));
    }
    DONE(clSetKernelArgSVMPointer(calls, 0, outs));
    size_t one = 1;
    DONE(clEnqueueNDRangeKernel(queue, calls, 1, NULL, &one, NULL, 0, NULL, NULL));
    put(got, outs, 4);
    IS(got[0] == 6);
    cl_program loaded = reloaded(program);
    cl_kernel bare = kernel_of(loaded, "doubles");
    GIVES(is_own ? CL_SUCCESS : CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(bare, 0, ins + 1));
    DONE(clSetKernelArgSVMPointer(bare, 0, ins + 4));
    DONE(clSetKernelArgSVMPointer(bare, 1, outs));
    launch(bare);
    put(got, outs, ROOM);
    for (int i = 0; i < N; i++)
        IS(got[i] == (unsigned char)(from[4 + i] * 2));
    DONE(clReleaseKernel(bare));
    DONE(clReleaseProgram(loaded));
    DONE(clReleaseKernel(doubles));
    DONE(clReleaseKernel(calls));
    DONE(clReleaseProgram(program));
    clSVMFree(context, ins);
    clSVMFree(context, outs);
}

/* Blocks ask what they asked before. */
static void with_blocks(void) {
    cl_program program = built(context, blocks, "-cl-std=CL3.0");
    cl_kernel block = kernel_of(program, "block");
    unsigned char *ins = make(0), *outs = clSVMAlloc(context, 0, 2 * ROOM, 0), from[ROOM];
    unsigned got[N];
    numbers(from);
    put(ins, from, ROOM);
    for (int round = 0; round < 2; round++) {
        for (int place = 1; place < 16; place++)
            GIVES(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(block, 0, outs + place));
        DONE(clSetKernelArgSVMPointer(block, 0, outs + 16));
        DONE(clSetKernelArgSVMPointer(block, 1, ins + 1 + round));
        launch(block);
        put(got, outs + 16, sizeof got);
        for (int i = 0; i < N; i++)
            IS(got[i] == from[1 + round + i]);
    }
    clSVMFree(context, ins);
    clSVMFree(context, outs);
    DONE(clReleaseKernel(block));
    DONE(clReleaseProgram(program));
}

/* A sampler is what it was when it was set, in both codes, also if it was released. */
static void with_sampler(void) {
    cl_program program = built(context, images, "-cl-std=CL3.0");
    cl_kernel texels = kernel_of(program, "texels");
    unsigned char from[N], got[ROOM], *outs = make(0);
    for (int i = 0; i < N; i++)
        from[i] = i * 3 + 1;
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = N, .image_height = 1};
    cl_mem image = clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, from, &error);
    DONE(error);
    const cl_sampler_properties clamp[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_FALSE, CL_SAMPLER_ADDRESSING_MODE,
                                           CL_ADDRESS_CLAMP_TO_EDGE, CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, 0};
    cl_sampler sampler = clCreateSamplerWithProperties(context, clamp, &error);
    DONE(error);
    DONE(clSetKernelArg(texels, 0, sizeof image, &image));
    DONE(clSetKernelArg(texels, 1, sizeof sampler, &sampler));
    DONE(clReleaseSampler(sampler));
    for (int place = 4; place >= 0; place--) {
        DONE(clSetKernelArgSVMPointer(texels, 2, outs + place));
        launch(texels);
        put(got, outs, ROOM);
        for (int i = 0; i < N; i++)
            IS(got[place + i] == from[i < 8 ? 0 : i - 8]);
    }
    clSVMFree(context, outs);
    DONE(clReleaseMemObject(image));
    DONE(clReleaseKernel(texels));
    DONE(clReleaseProgram(program));
}

/* Commands that were recorded get such pointers, and lose them. */
static void recorded(cl_program program) {
    unsigned char *ins = make(0), *outs = make(0), from[ROOM], got[ROOM], add = 1;
    numbers(from);
    put(ins, from, ROOM);
    cl_kernel bytes = kernel_of(program, "bytes");
    DONE(clSetKernelArgSVMPointer(bytes, 0, ins + 4));
    DONE(clSetKernelArgSVMPointer(bytes, 1, outs + 4));
    DONE(clSetKernelArg(bytes, 2, 1, &add));
    cl_ulong properties[] = {0x1293, 2, 0};
    commands buffer = clCreateCommandBufferKHR_(1, &queue, properties, &error);
    DONE(error);
    void *command = NULL;
    size_t global = N;
    DONE(clCommandNDRangeKernelKHR_(buffer, NULL, NULL, bytes, 1, NULL, &global, NULL, 0, NULL, NULL, &command));
    DONE(clFinalizeCommandBufferKHR_(buffer));
    for (size_t place = 0; place < 6; place++) {
        struct argument at[] = {{0, 0, ins + place}, {1, 0, outs + 5 - place}};
        struct config config = {.command = command, .svm_args = 2, .svm_arg_list = at};
        const void *configs[] = {&config};
        cl_uint kind = 0;
        DONE(clUpdateMutableCommandsKHR_(buffer, 1, &kind, configs));
        DONE(clEnqueueCommandBufferKHR_(0, NULL, buffer, 0, NULL, NULL));
        put(got, outs, ROOM);
        for (int i = 0; i < N; i++)
            IS(got[5 - place + i] == (unsigned char)(from[place + i] + 1));
    }
    DONE(clReleaseCommandBufferKHR_(buffer));
    DONE(clReleaseKernel(bytes));
    clSVMFree(context, ins);
    clSVMFree(context, outs);
}

static void *thread(void *program) {
    unsigned char *ins = make(0), *outs = make(0), from[ROOM], got[ROOM], add = 1;
    cl_command_queue own = queue_of(context, device, 0);
    cl_kernel bytes = kernel_of(program, "bytes");
    numbers(from);
    memcpy(ins, from, ROOM);
    DONE(clSetKernelArgSVMPointer(bytes, 0, ins + 1));
    DONE(clSetKernelArgSVMPointer(bytes, 1, outs + 2));
    DONE(clSetKernelArg(bytes, 2, 1, &add));
    size_t global = N;
    DONE(clEnqueueNDRangeKernel(own, bytes, 1, NULL, &global, NULL, 0, NULL, NULL));
    DONE(clEnqueueSVMMemcpy(own, CL_TRUE, got, outs, ROOM, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        IS(got[2 + i] == (unsigned char)(from[1 + i] + 1));
    DONE(clReleaseKernel(bytes));
    DONE(clReleaseCommandQueue(own));
    clSVMFree(context, ins);
    clSVMFree(context, outs);
    return NULL;
}

/* Threads need the other code at one time. */
static void in_threads(void) {
    cl_program program = built(context, source, "-cl-std=CL3.0");
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        IS(pthread_create(&threads[i], NULL, thread, program) == 0);
    for (int i = 0; i < 3; i++)
        IS(pthread_join(threads[i], NULL) == 0);
    DONE(clReleaseProgram(program));
}

/* A buffer of the same memory. */
static void of_buffers(cl_program program) {
    unsigned char *ins = make(0), *outs = make(0), from[ROOM], got[ROOM], add = 4;
    numbers(from);
    put(ins, from, ROOM);
    cl_mem in = buffer_of(context, CL_MEM_USE_HOST_PTR, N, ins + 1);
    cl_mem out = buffer_of(context, CL_MEM_USE_HOST_PTR, N, outs + 3);
    cl_kernel bytes = kernel_of(program, "bytes");
    DONE(clSetKernelArg(bytes, 0, sizeof in, &in));
    DONE(clSetKernelArg(bytes, 1, sizeof out, &out));
    DONE(clSetKernelArg(bytes, 2, 1, &add));
    launch(bytes);
    DONE(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, N, got, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        IS(got[i] == (unsigned char)(from[1 + i] + 4));
    DONE(clReleaseKernel(bytes));
    DONE(clReleaseMemObject(in));
    DONE(clReleaseMemObject(out));
    clSVMFree(context, ins);
    clSVMFree(context, outs);
}

static void *find_one(const char *name) {
    void *found = clGetExtensionFunctionAddressForPlatform(platform, name);
    IS(found != NULL);
    return found;
}

int main(void) {
    const char *compiler = getenv("INTEL_GPU_COMPILER");
    is_own = compiler && strcmp(compiler, "own") == 0;
    context = begin();
    find();
    alloc_host = (host_fn)find_one("clHostMemAllocINTEL");
    alloc_device = (device_fn)find_one("clDeviceMemAllocINTEL");
    alloc_shared = (device_fn)find_one("clSharedMemAllocINTEL");
    mem_free = (free_fn)find_one("clMemBlockingFreeINTEL");
    set_usm = (set_fn)find_one("clSetKernelArgMemPointerINTEL");
    for (cl_uint d = 0; d < device_count; d++) {
        device = devices[d];
        queue = queue_of(context, device, 0);
        cl_program program = built(context, source, "-cl-std=CL3.0");
        for (int kind = 0; kind < 4; kind++)
            places(program, kind);
        carried(program);
        of_buffers(program);
        recorded(program);
        unsigned char *at = make(0);
        at[3] = 40 + d;
        cl_kernel says = kernel_of(program, "says");
        DONE(clSetKernelArgSVMPointer(says, 0, at + 3));
        launch(says);
        DONE(clFinish(queue));
        clSVMFree(context, at);
        DONE(clReleaseKernel(says));
        cl_program loaded = reloaded(program);
        carried(loaded);
        DONE(clReleaseProgram(loaded));
        DONE(clReleaseProgram(program));
        with_variables();
        linked();
        with_blocks();
        with_sampler();
        narrow();
        in_threads();
        DONE(clReleaseCommandQueue(queue));
    }
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
