/* Programs from source, SPIR-V and binaries; compiled and linked apart. */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>

static cl_context context;

/* The bytes of a device's binary. */
static unsigned char *binary_of(cl_program program, cl_uint device, size_t *size) {
    size_t sizes[8], count;
    DONE(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof sizes, sizes, &count));
    IS(count == device_count * sizeof(size_t));
    unsigned char *all[8] = {0};
    all[device] = malloc(sizes[device] + 1);
    DONE(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof all, all, &count));
    IS(count == device_count * sizeof(char *));
    *size = sizes[device];
    return all[device];
}

static cl_program_binary_type type_of(cl_program program, cl_uint device) {
    cl_program_binary_type type;
    DONE(clGetProgramBuildInfo(program, devices[device], CL_PROGRAM_BINARY_TYPE, sizeof type, &type,
                               NULL));
    return type;
}

static cl_build_status status_of(cl_program program, cl_uint device) {
    cl_build_status status;
    DONE(clGetProgramBuildInfo(program, devices[device], CL_PROGRAM_BUILD_STATUS, sizeof status,
                               &status, NULL));
    return status;
}

static const char *log_of(cl_program program) {
    static char log[1 << 16];
    DONE(clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    return log;
}

static cl_program source(const char *text) {
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    DONE(error);
    return program;
}

static cl_program compiled(const char *text, const char *options) {
    cl_program program = source(text);
    DONE(clCompileProgram(program, 0, NULL, options, 0, NULL, NULL, NULL, NULL));
    return program;
}

static cl_program linked(const char *options, cl_uint count, const cl_program *programs) {
    cl_program program =
        clLinkProgram(context, 0, NULL, options, count, programs, NULL, NULL, &error);
    if (error != CL_SUCCESS)
        FAIL("clLinkProgram: %d\n%s", error, program ? log_of(program) : "");
    return program;
}

/* What kernel k makes of 5, on a device. */
static int run(cl_program program, cl_uint device) {
    cl_kernel kernel = kernel_of(program, "k");
    cl_command_queue queue = queue_of(context, devices[device], 0);
    int value = 5;
    cl_mem buffer = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof value, &value);
    DONE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t one = 1;
    DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof value, &value, 0, NULL, NULL));
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseCommandQueue(queue));
    DONE(clReleaseKernel(kernel));
    return value;
}

static void all_give(cl_program program, int wanted) {
    for (cl_uint device = 0; device < device_count; device++) {
        int got = run(program, device);
        if (got != wanted)
            FAIL("device %u: %d, not %d", device, got, wanted);
    }
}

/* A program of the binaries of another. */
static cl_program again(cl_program program) {
    size_t sizes[8];
    const unsigned char *all[8];
    cl_int status[8];
    for (cl_uint device = 0; device < device_count; device++)
        all[device] = binary_of(program, device, &sizes[device]);
    cl_program other = clCreateProgramWithBinary(context, device_count, devices, sizes, all, status,
                                                 &error);
    DONE(error);
    for (cl_uint device = 0; device < device_count; device++) {
        DONE(status[device]);
        IS(type_of(other, device) == type_of(program, device));
        free((void *)all[device]);
    }
    return other;
}

static const char *MAIN = "int helper(int x);\n"
                          "kernel void k(global int *p) { *p = helper(*p); }\n";
static const char *HELPER = "int helper(int x) { return 3 * x + 1; }\n";

static void binaries(void) {
    cl_program program = built(context, "kernel void k(global int *p) { *p += 7; }", "");
    IS(type_of(program, 0) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    cl_program other = again(program);
    /* It must be built, which takes no options. */
    clCreateKernel(other, "k", &error);
    IS(error == CL_INVALID_PROGRAM_EXECUTABLE);
    IS(status_of(other, 0) == CL_BUILD_NONE);
    DONE(clBuildProgram(other, 0, NULL, "", NULL, NULL));
    all_give(other, 12);
    char text[4];
    size_t size;
    DONE(clGetProgramInfo(other, CL_PROGRAM_SOURCE, sizeof text, text, &size));
    IS(size == 1 && !text[0]);
    DONE(clGetProgramInfo(other, CL_PROGRAM_IL, 0, NULL, &size));
    IS(size == 0);
    GIVES(CL_INVALID_OPERATION, clCompileProgram(other, 0, NULL, "", 0, NULL, NULL, NULL, NULL));

    const unsigned char *bad = (const unsigned char *)"no binary";
    size_t length = 9, zero = 0;
    cl_int status = 1;
    clCreateProgramWithBinary(context, 1, devices, &length, &bad, &status, &error);
    IS(error == CL_INVALID_BINARY && status == CL_INVALID_BINARY);
    clCreateProgramWithBinary(context, 1, devices, &zero, &bad, &status, &error);
    IS(error == CL_INVALID_VALUE && status == CL_INVALID_VALUE);
    clCreateProgramWithBinary(context, 0, devices, &length, &bad, NULL, &error);
    IS(error == CL_INVALID_VALUE);
    DONE(clReleaseProgram(other));
    DONE(clReleaseProgram(program));
}

/* SPIR-V in the binary of an object is held against the rules: without the extension's name, the
   shuffle may not be there. */
static void objects(void) {
    cl_program program = compiled("kernel void k(global int *p) {\n"
                                  "    *p = intel_sub_group_shuffle(*p, 0u);\n"
                                  "}\n",
                                  "");
    size_t size;
    unsigned char *bytes = binary_of(program, 0, &size);
    const unsigned char *binary = bytes;
    cl_int status = 1;
    cl_program same = clCreateProgramWithBinary(context, 1, devices, &size, &binary, &status, &error);
    DONE(error);
    DONE(clReleaseProgram(same));
    static const char extension[] = "SPV_INTEL_subgroups";
    char *name = memmem(bytes, size, extension, strlen(extension));
    IS(name != NULL);
    name[strlen(extension) - 1] = 'x';
    clCreateProgramWithBinary(context, 1, devices, &size, &binary, &status, &error);
    IS(error == CL_INVALID_BINARY && status == CL_INVALID_BINARY);
    free(bytes);
    DONE(clReleaseProgram(program));
}

static void linking(void) {
    cl_program parts[] = {compiled(MAIN, ""), compiled(HELPER, "")};
    for (int part = 0; part < 2; part++) {
        IS(type_of(parts[part], 0) == CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT);
        size_t size;
        GIVES(CL_INVALID_PROGRAM_EXECUTABLE,
              clGetProgramInfo(parts[part], CL_PROGRAM_NUM_KERNELS, sizeof size, &size, NULL));
    }
    cl_program program = linked("", 2, parts);
    IS(type_of(program, 0) == CL_PROGRAM_BINARY_TYPE_EXECUTABLE);
    all_give(program, 16);
    GIVES(CL_INVALID_OPERATION, clBuildProgram(program, 0, NULL, "", NULL, NULL));
    DONE(clReleaseProgram(program));

    /* Of objects that were loaded. */
    cl_program loaded[] = {again(parts[0]), again(parts[1])};
    program = linked("", 2, loaded);
    all_give(program, 16);
    DONE(clReleaseProgram(program));

    /* Of a library, which is loaded as well. */
    cl_program library = linked("\"-create-library\"", 1, &parts[1]);
    IS(type_of(library, 0) == CL_PROGRAM_BINARY_TYPE_LIBRARY);
    cl_program with_library[] = {parts[0], library};
    program = linked("-cl-fast-relaxed-math", 2, with_library);
    all_give(program, 16);
    DONE(clReleaseProgram(program));
    with_library[1] = again(library);
    program = linked("", 2, with_library);
    all_give(program, 16);
    DONE(clReleaseProgram(program));
    DONE(clReleaseProgram(with_library[1]));
    DONE(clReleaseProgram(library));

    /* Modules may have other types for what their pointers lead to. */
    cl_program pointers[] = {
        compiled("global char *more(global char *p);\n"
                 "kernel void k(global int *p) { *p = *(global int *)more((global char *)p); }",
                 ""),
        compiled("global int *more(global int *p) { *p += 11; return p; }", ""),
    };
    program = linked("", 2, pointers);
    all_give(program, 16);
    DONE(clReleaseProgram(program));
    DONE(clReleaseProgram(pointers[0]));
    DONE(clReleaseProgram(pointers[1]));

    /* Modules may have the lines of their sources. */
    cl_program lined[] = {
        compiled("int more(int x);\nkernel void k(global int *p) {\n    *p = more(*p);\n}", "-g"),
        compiled("int more(int x) {\n    int y = x;\n    return y + 11;\n}", "-g"),
    };
    program = linked("", 2, lined);
    all_give(program, 16);
    DONE(clReleaseProgram(program));
    DONE(clReleaseProgram(lined[0]));
    DONE(clReleaseProgram(lined[1]));

    /* What is not there is a failure, and the program says so. */
    program = clLinkProgram(context, 0, NULL, "", 1, parts, NULL, NULL, &error);
    IS(error == CL_LINK_PROGRAM_FAILURE && program);
    IS(status_of(program, 0) == CL_BUILD_ERROR);
    IS(strstr(log_of(program), "helper"));
    DONE(clReleaseProgram(program));

    /* What two of them define is a failure, too. */
    cl_program twice[] = {parts[0], parts[1], compiled(HELPER, "")};
    program = clLinkProgram(context, 0, NULL, "", 3, twice, NULL, NULL, &error);
    IS(error == CL_LINK_PROGRAM_FAILURE && program);
    IS(status_of(program, 0) == CL_BUILD_ERROR);
    /* Intel's linker does not say the name. */
    int by_us = getenv("INTEL_GPU_COMPILER") != NULL;
    IS(!by_us || strstr(log_of(program), "helper is defined more than once"));
    DONE(clReleaseProgram(program));
    cl_program kernels[] = {parts[0], parts[1], compiled(MAIN, "")};
    program = clLinkProgram(context, 0, NULL, "", 3, kernels, NULL, NULL, &error);
    IS(error == CL_LINK_PROGRAM_FAILURE);
    IS(!by_us || strstr(log_of(program), "k is defined more than once"));
    DONE(clReleaseProgram(program));
    DONE(clReleaseProgram(twice[2]));
    DONE(clReleaseProgram(kernels[2]));

    /* Some of the programs were not compiled. */
    cl_program mixed[] = {parts[0], source(HELPER)};
    clLinkProgram(context, 0, NULL, "", 2, mixed, NULL, NULL, &error);
    IS(error == CL_INVALID_OPERATION);
    clLinkProgram(context, 0, NULL, "-foo", 2, parts, NULL, NULL, &error);
    IS(error == CL_INVALID_LINKER_OPTIONS);
    clLinkProgram(context, 0, NULL, "-enable-link-options", 2, parts, NULL, NULL, &error);
    IS(error == CL_INVALID_LINKER_OPTIONS);
    clLinkProgram(context, 0, NULL, "", 0, parts, NULL, NULL, &error);
    IS(error == CL_INVALID_VALUE);
    cl_program wrong = (cl_program)context;
    clLinkProgram(context, 0, NULL, "", 1, &wrong, NULL, NULL, &error);
    IS(error == CL_INVALID_PROGRAM);
    DONE(clReleaseProgram(mixed[1]));
    for (int part = 0; part < 2; part++) {
        DONE(clReleaseProgram(loaded[part]));
        DONE(clReleaseProgram(parts[part]));
    }
}

/* A device that is named twice is one device. */
static void twice(void) {
    cl_device_id list[] = {devices[0], devices[0]};
    cl_program program = compiled("kernel void k(global int *p) { *p = 9; }", "");
    cl_program other = clLinkProgram(context, 2, list, "", 1, &program, NULL, NULL, &error);
    DONE(error);
    IS(run(other, 0) == 9);
    DONE(clBuildProgram(program, 2, list, "", NULL, NULL));
    IS(run(program, 0) == 9);
    size_t size[2];
    const unsigned char *binary[] = {binary_of(program, 0, size), NULL};
    size[1] = size[0];
    binary[1] = binary[0];
    cl_program third = clCreateProgramWithBinary(context, 2, list, size, binary, NULL, &error);
    DONE(error);
    cl_uint count;
    DONE(clGetProgramInfo(third, CL_PROGRAM_NUM_DEVICES, sizeof count, &count, NULL));
    IS(count == 1);
    free((void *)binary[0]);
    DONE(clReleaseProgram(third));
    DONE(clReleaseProgram(other));
    DONE(clReleaseProgram(program));
}

static void headers(void) {
    cl_program program = source("#include \"inc/a.h\"\n#include <b.h>\n"
                                "kernel void k(global int *p) { *p = A * *p + B; }\n");
    cl_program files[] = {source("#include \"b.h\"\n#define A 10\n"),
                          source("#ifndef B\n#define B 4\n#endif\n")};
    const char *names[] = {"inc/a.h", "b.h"};
    GIVES(CL_COMPILE_PROGRAM_FAILURE,
          clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    IS(strstr(log_of(program), "inc/a.h"));
    DONE(clCompileProgram(program, 0, NULL, "", 2, files, names, NULL, NULL));
    cl_program whole = linked(NULL, 1, &program);
    all_give(whole, 54);
    GIVES(CL_INVALID_VALUE, clCompileProgram(program, 0, NULL, "", 2, files, NULL, NULL, NULL));
    GIVES(CL_INVALID_VALUE, clCompileProgram(program, 0, NULL, "", 0, NULL, names, NULL, NULL));
    GIVES(CL_INVALID_COMPILER_OPTIONS,
          clCompileProgram(program, 0, NULL, "-foo", 2, files, names, NULL, NULL));
    DONE(clReleaseProgram(whole));
    DONE(clReleaseProgram(files[0]));
    DONE(clReleaseProgram(files[1]));
    DONE(clReleaseProgram(program));
}

static pthread_t caller;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t called = PTHREAD_COND_INITIALIZER;
static cl_program heard;

static void CL_CALLBACK notify(cl_program program, void *data) {
    IS(data == &heard && !pthread_equal(pthread_self(), caller));
    pthread_mutex_lock(&mutex);
    heard = program;
    pthread_cond_signal(&called);
    pthread_mutex_unlock(&mutex);
}

static void hear(cl_program program) {
    pthread_mutex_lock(&mutex);
    while (!heard)
        pthread_cond_wait(&called, &mutex);
    IS(heard == program);
    heard = NULL;
    pthread_mutex_unlock(&mutex);
}

static void callbacks(void) {
    caller = pthread_self();
    cl_program parts[] = {source(MAIN), source(HELPER)};
    for (int part = 0; part < 2; part++) {
        DONE(clCompileProgram(parts[part], 0, NULL, "", 0, NULL, NULL, notify, &heard));
        hear(parts[part]);
        IS(status_of(parts[part], 0) == CL_BUILD_SUCCESS);
    }
    cl_program program = clLinkProgram(context, 0, NULL, "", 2, parts, notify, &heard, &error);
    DONE(error);
    hear(program);
    all_give(program, 16);
    DONE(clReleaseProgram(program));
    program = source("kernel void k(global int *p) { bad }");
    DONE(clBuildProgram(program, 0, NULL, "", notify, &heard));
    hear(program);
    IS(status_of(program, 0) == CL_BUILD_ERROR && strstr(log_of(program), "bad"));
    GIVES(CL_INVALID_VALUE, clBuildProgram(program, 0, NULL, "", NULL, &heard));
    GIVES(CL_INVALID_BUILD_OPTIONS, clBuildProgram(program, 0, NULL, "-foo", notify, &heard));
    GIVES(CL_INVALID_BUILD_OPTIONS,
          clBuildProgram(program, 0, NULL, "-cl-std=CL9.9", NULL, NULL));
    GIVES(CL_INVALID_BUILD_OPTIONS,
          clBuildProgram(program, 0, NULL, "-cl-intel-foo", NULL, NULL));
    DONE(clReleaseProgram(program));
    DONE(clReleaseProgram(parts[0]));
    DONE(clReleaseProgram(parts[1]));
}

/* kernel void k(global int *p) { *p = *p * C + D; } with C = 2 and D = true ? 1 : 0 */
static const cl_uint MODULE[] = {
#include "spec_constants.inc"
};

/* kernel void k(global int *p) { *p = *p * R + S; } with R and S made of C = 3 by operations on constants */
static const cl_uint OPERATIONS[] = {
#include "spec_operations.inc"
};

static void operations(void) {
    cl_program program = clCreateProgramWithIL(context, OPERATIONS, sizeof OPERATIONS, &error);
    DONE(error);
    DONE(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    all_give(program, 46);
    cl_uint hundred = 100;
    DONE(clSetProgramSpecializationConstant(program, 7, sizeof hundred, &hundred));
    DONE(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program other = linked("", 1, &program);
    all_give(other, 50000);
    DONE(clReleaseProgram(other));
    DONE(clReleaseProgram(program));
}

static void il(void) {
    cl_program program = clCreateProgramWithIL(context, MODULE, sizeof MODULE, &error);
    DONE(error);
    size_t size;
    cl_uint got[sizeof MODULE / 4];
    DONE(clGetProgramInfo(program, CL_PROGRAM_IL, sizeof got, got, &size));
    IS(size == sizeof MODULE && !memcmp(got, MODULE, size));
    DONE(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    all_give(program, 11);
    cl_int factor = 100;
    cl_uchar no = 0;
    DONE(clSetProgramSpecializationConstant(program, 7, sizeof factor, &factor));
    DONE(clSetProgramSpecializationConstant(program, 8, sizeof no, &no));
    DONE(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    all_give(program, 500);
    GIVES(CL_INVALID_SPEC_ID,
          clSetProgramSpecializationConstant(program, 9, sizeof factor, &factor));
    GIVES(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 7, 2, &factor));
    GIVES(CL_INVALID_VALUE, clSetProgramSpecializationConstant(program, 7, 4, NULL));
    /* SPIR-V is linked with values of its own. */
    DONE(clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    cl_program other = linked("", 1, &program);
    all_give(other, 500);
    GIVES(CL_INVALID_PROGRAM,
          clSetProgramSpecializationConstant(other, 7, sizeof factor, &factor));
    DONE(clReleaseProgram(other));
    DONE(clReleaseProgram(program));
    /* What breaks a rule of sub-groups is named before a compiler sees it: "OpCapability Kernel" gone
       for SubgroupShuffleINTEL, whose extension is not declared. */
    memcpy(got, MODULE, sizeof got);
    IS(got[7] == 0x00020011 && got[8] == 6);
    got[8] = 5568;
    program = clCreateProgramWithIL(context, got, sizeof got, &error);
    DONE(error);
    GIVES(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, "", NULL, NULL));
    IS(!strcmp(log_of(program), "word 7: OpCapability: the capability SubgroupShuffleINTEL needs "
                                "OpExtension \"SPV_INTEL_subgroups\""));
    GIVES(CL_COMPILE_PROGRAM_FAILURE,
          clCompileProgram(program, 0, NULL, "", 0, NULL, NULL, NULL, NULL));
    DONE(clReleaseProgram(program));
    const unsigned char *bytes = (const unsigned char *)got;
    size = sizeof got;
    clCreateProgramWithBinary(context, 1, devices, &size, &bytes, NULL, &error);
    IS(error == CL_INVALID_BINARY);
    char versions[256];
    DONE(clGetDeviceInfo(devices[0], CL_DEVICE_IL_VERSION, sizeof versions, versions, NULL));
    IS(strstr(versions, "SPIR-V_1.0"));
    cl_name_version list[16];
    DONE(clGetDeviceInfo(devices[0], CL_DEVICE_ILS_WITH_VERSION, sizeof list, list, &size));
    IS(size >= sizeof *list && !strcmp(list[0].name, "SPIR-V"));

    clCreateProgramWithIL(context, MODULE, sizeof MODULE - 12, &error);
    IS(error == CL_INVALID_VALUE);
    clCreateProgramWithIL(context, "no SPIR-V", 9, &error);
    IS(error == CL_INVALID_VALUE);
    clCreateProgramWithIL(context, NULL, 0, &error);
    IS(error == CL_INVALID_VALUE);
}

static void CL_CALLBACK released(cl_program program, void *data) {
    (void)program, (void)data;
}

/* Programs without kernels: of nothing, of functions, of variables; and their binaries. */
static void no_kernels(void) {
    static const char *texts[] = {"", "\n", "/* nothing */", "int f(int x) { return x + 1; }\n",
                                  "constant int table[] = {1, 2, 3};\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cl_program program = built(context, texts[i], ""), other = again(program);
        DONE(clBuildProgram(other, 0, NULL, "", NULL, NULL));
        cl_program both[] = {program, other};
        for (int j = 0; j < 2; j++) {
            size_t count = 7;
            cl_uint made = 7;
            DONE(clGetProgramInfo(both[j], CL_PROGRAM_NUM_KERNELS, sizeof count, &count, NULL));
            DONE(clCreateKernelsInProgram(both[j], 0, NULL, &made));
            IS(count == 0 && made == 0);
            clCreateKernel(both[j], "k", &error);
            GIVES(CL_INVALID_KERNEL_NAME, error);
            DONE(clReleaseProgram(both[j]));
        }
    }
}

static void others(void) {
    clCreateProgramWithBuiltInKernels(context, device_count, devices, "nothing", &error);
    IS(error == CL_INVALID_VALUE);
    cl_program program = source(HELPER);
    GIVES(CL_INVALID_OPERATION, clSetProgramReleaseCallback(program, released, NULL));
    GIVES(CL_INVALID_VALUE, clSetProgramReleaseCallback(program, NULL, NULL));
    cl_bool present = 7;
    DONE(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    DONE(clGetProgramInfo(program, CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT, sizeof present, &present,
                          NULL));
    IS(!present);
    DONE(clUnloadPlatformCompiler(platform));
    DONE(clReleaseProgram(program));
    program = built(context,
                    "global int counter = 3;\n"
                    "kernel void k(global int *p) { counter += *p; *p = counter; }\n",
                    "-cl-std=CL3.0");
    size_t size;
    DONE(clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_GLOBAL_VARIABLE_TOTAL_SIZE,
                               sizeof size, &size, NULL));
    IS(size >= sizeof(cl_int));
    all_give(program, 8);
    DONE(clReleaseProgram(program));
}

/* Arguments are what the source says. */
static void arguments(void) {
    cl_program program = built(context,
        "typedef struct _s { int a, b; } s_t; typedef float real; typedef image2d_t picture;\n"
        "kernel void k(global const volatile float *a, local int *b, s_t c, constant unsigned char *d,\n"
        "    global const struct _s *restrict e, unsigned int f, read_only picture g, sampler_t h,\n"
        "    const unsigned long i, real j, write_only image2d_array_t k,\n"
        "    global const volatile uchar4 *restrict l, global volatile int *m, short n) {}\n",
        "-cl-std=CL1.2 -cl-kernel-arg-info");
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    DONE(error);
    const cl_ulong is_const = CL_KERNEL_ARG_TYPE_CONST, is_restrict = CL_KERNEL_ARG_TYPE_RESTRICT,
                   is_volatile = CL_KERNEL_ARG_TYPE_VOLATILE;
    const struct { const char *type; cl_ulong qualifiers; } wanted[] = {
        {"float*", is_const | is_volatile}, {"int*", 0}, {"s_t", 0}, {"uchar*", is_const},
        {"struct _s*", is_const | is_restrict}, {"uint", 0}, {"picture", 0}, {"sampler_t", 0},
        {"ulong", 0}, {"real", 0}, {"image2d_array_t", 0},
        {"uchar4*", is_const | is_restrict | is_volatile}, {"int*", is_volatile}, {"short", 0},
    };
    for (cl_uint index = 0; index < sizeof wanted / sizeof *wanted; index++) {
        char type[64];
        DONE(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL));
        if (strcmp(type, wanted[index].type) != 0)
            FAIL("argument %u is a %s, not a %s", index, type, wanted[index].type);
        cl_kernel_arg_type_qualifier qualifiers;
        DONE(clGetKernelArgInfo(kernel, index, CL_KERNEL_ARG_TYPE_QUALIFIER, sizeof qualifiers,
                                &qualifiers, NULL));
        if (qualifiers != wanted[index].qualifiers)
            FAIL("argument %u has the qualifiers %#llx, not %#llx", index,
                 (unsigned long long)qualifiers, (unsigned long long)wanted[index].qualifiers);
    }
    DONE(clReleaseKernel(kernel));
    DONE(clReleaseProgram(program));
}

int main(void) {
    context = begin();
    binaries();
    objects();
    linking();
    twice();
    headers();
    callbacks();
    il();
    operations();
    no_kernels();
    others();
    arguments();
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
