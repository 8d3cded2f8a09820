/* Sources of any bytes, headers, what is inherited when programs are linked, and groups of one size. */
#include "check.h"

static cl_context context;

static cl_program source_of(cl_uint count, const char **texts, const size_t *lengths) {
    cl_program program = clCreateProgramWithSource(context, count, texts, lengths, &error);
    DONE(error);
    return program;
}

static cl_program one_of(const char *text) { return source_of(1, &text, NULL); }

/* Runs the kernel k over a buffer of 256 bytes, which is returned. */
static const unsigned char *ran(cl_program program, size_t items, const size_t *local) {
    static unsigned char bytes[1 << 16];
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    DONE(error);
    cl_command_queue queue = queue_of(context, devices[0], 0);
    cl_mem buffer = clCreateBuffer(context, 0, sizeof bytes, NULL, &error);
    DONE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, local, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL));
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseKernel(kernel));
    DONE(clReleaseCommandQueue(queue));
    return bytes;
}

/* "The concatenation strips any nulls in the original source strings." */
static void nulls(void) {
    const char first[] = "kernel void a(global int *o) { *o = 1; }\n",
               second[] = "kernel void k(global char *o) { *o = 2; }\n";
    const char *texts[] = {first, second};
    const size_t lengths[] = {sizeof first, sizeof second};
    cl_program program = source_of(2, texts, lengths);
    size_t size;
    DONE(clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size));
    IS(size == sizeof first + sizeof second - 1);
    DONE(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    IS(ran(program, 1, NULL)[0] == 2);
    DONE(clReleaseProgram(program));
}

/* Texts need not be UTF-8, and a character may lie in two of them. */
static void encodings(void) {
    const char *texts[] = {"kernel void k(global char *o) { constant char *s = \"\xe9|\xc3",
                           "\xa9\"; /* \xff */ for (int i = 0; i < 4; i++) o[i] = s[i]; }"};
    cl_program program = source_of(2, texts, NULL);
    char back[256];
    DONE(clGetProgramInfo(program, CL_PROGRAM_SOURCE, sizeof back, back, NULL));
    IS(memcmp(back, texts[0], strlen(texts[0])) == 0);
    IS(strcmp(back + strlen(texts[0]), texts[1]) == 0);
    DONE(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    IS(memcmp(ran(program, 1, NULL), "\xe9|\xc3\xa9", 4) == 0);
    DONE(clReleaseProgram(program));
}

/* A header ends where its text does. */
static void headers(void) {
    cl_program program = one_of("#include \"a.h\"\n#include \"b.h\"\n"
                                "kernel void k(global char *o) { *o = f() + A + g(); }");
    cl_program texts[] = {one_of("#define A 1\nint f(void) { return 2; }"),
                          one_of("int g(void) { return 4; }\n")};
    const char *names[] = {"a.h", "b.h"};
    DONE(clCompileProgram(program, 0, NULL, NULL, 2, texts, names, NULL, NULL));
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &program, NULL, NULL, &error);
    DONE(error);
    IS(ran(linked, 1, NULL)[0] == 7);
    DONE(clReleaseProgram(linked));
    DONE(clReleaseProgram(texts[0]));
    DONE(clReleaseProgram(texts[1]));
    DONE(clReleaseProgram(program));
}

/* Quotients are as exact as they were compiled to be. */
static void roundings(void) {
    cl_device_fp_config can;
    DONE(clGetDeviceInfo(devices[0], CL_DEVICE_SINGLE_FP_CONFIG, sizeof can, &can, NULL));
    if (!(can & CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT))
        return;
    cl_program program = one_of("kernel void k(global float *o) {"
                                "  uint i = get_global_id(0); o[i] = (i * 7919u + 1) / (float)(i * 31u + 3); }");
    const char *options = "-cl-fp32-correctly-rounded-divide-sqrt";
    DONE(clCompileProgram(program, 0, NULL, options, 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 0, NULL, NULL, 1, &program, NULL, NULL, &error);
    DONE(error);
    const float *quotients = (const float *)ran(linked, 4096, NULL);
    for (unsigned i = 0; i < 4096; i++)
        IS(quotients[i] == (float)(i * 7919u + 1) / (float)(i * 31u + 3));
    char said[64];
    DONE(clGetProgramBuildInfo(linked, devices[0], CL_PROGRAM_BUILD_OPTIONS, sizeof said, said, NULL));
    IS(said[0] == 0);
    DONE(clReleaseProgram(linked));
    DONE(clReleaseProgram(program));
}

static const char sizes[] = "kernel void k(global uint *o) { o[get_global_id(0)] = get_local_size(0); }";

/* "If the work-group size must be uniform, the OpenCL runtime must choose a uniform work-group size." */
static void groups(void) {
    const char *options[] = {NULL, "-cl-std=CL3.0 -cl-uniform-work-group-size"};
    const size_t ranges[] = {514, 1009, 1018, 4099, 1024, 7};
    for (int o = 0; o < 2; o++) {
        cl_program program = one_of(sizes);
        DONE(clBuildProgram(program, 0, NULL, options[o], NULL, NULL));
        for (int r = 0; r < 6; r++) {
            const cl_uint *found = (const cl_uint *)ran(program, ranges[r], NULL);
            IS(ranges[r] % found[0] == 0);
            for (size_t i = 0; i < ranges[r]; i++)
                IS(found[i] == found[0]);
        }
        DONE(clReleaseProgram(program));
    }
    /* Elsewhere, the last group may be smaller. */
    cl_program program = one_of(sizes);
    DONE(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL));
    const cl_uint *found = (const cl_uint *)ran(program, 1009, NULL);
    IS(found[0] > 1 && found[1008] == 1009 % found[0]);
    DONE(clReleaseProgram(program));
}

/* Neither may a required size be broken. */
static void required_groups(void) {
    cl_program program = one_of("kernel __attribute__((reqd_work_group_size(4, 1, 1)))"
                                "void k(global uint *o) { o[get_global_id(0)] = get_local_size(0); }");
    DONE(clBuildProgram(program, 0, NULL, NULL, NULL, NULL));
    cl_kernel kernel = clCreateKernel(program, "k", &error);
    DONE(error);
    cl_command_queue queue = queue_of(context, devices[0], 0);
    cl_mem buffer = buffer_of(context, 0, 256, NULL);
    DONE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
    size_t ten = 10, twelve = 12;
    GIVES(CL_INVALID_WORK_GROUP_SIZE,
          clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &ten, NULL, 0, NULL, NULL));
    DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &twelve, NULL, 0, NULL, NULL));
    DONE(clFinish(queue));
    DONE(clReleaseKernel(kernel));
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseCommandQueue(queue));
    DONE(clReleaseProgram(program));
}

/* "CL_INVALID_OPERATION if mapping would lead to overlapping regions being mapped for writing" */
static void maps(void) {
    cl_command_queue queue = queue_of(context, devices[0], 0);
    cl_mem buffer = buffer_of(context, 0, 256, NULL);
#define MAP(flags, at, size)                                                                       \
    clEnqueueMapBuffer(queue, buffer, CL_TRUE, flags, at, size, 0, NULL, NULL, &error)
    void *first = MAP(CL_MAP_WRITE, 0, 64);
    DONE(error);
    (void)MAP(CL_MAP_WRITE_INVALIDATE_REGION, 63, 8);
    GIVES(CL_INVALID_OPERATION, error);
    (void)MAP(CL_MAP_READ, 32, 64);
    DONE(error);
    (void)MAP(CL_MAP_WRITE, 64, 64);
    DONE(error);
    DONE(clEnqueueUnmapMemObject(queue, buffer, first, 0, NULL, NULL));
    (void)MAP(CL_MAP_WRITE, 0, 64);
    DONE(error);
    DONE(clFinish(queue));
    cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16};
    cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &error);
    DONE(error);
    size_t corner[] = {0, 0, 0}, middle[] = {4, 4, 0}, beside[] = {8, 0, 0}, size[] = {8, 8, 1}, pitch;
#define MAP_IMAGE(flags, at)                                                                       \
    (void)clEnqueueMapImage(queue, image, CL_TRUE, flags, at, size, &pitch, NULL, 0, NULL, NULL, &error)
    MAP_IMAGE(CL_MAP_WRITE, corner);
    DONE(error);
    MAP_IMAGE(CL_MAP_WRITE, middle);
    GIVES(CL_INVALID_OPERATION, error);
    MAP_IMAGE(CL_MAP_READ, middle);
    DONE(error);
    MAP_IMAGE(CL_MAP_WRITE, beside);
    DONE(error);
    DONE(clReleaseMemObject(image));
    DONE(clReleaseMemObject(buffer));
    DONE(clReleaseCommandQueue(queue));
}

int main(void) {
    context = begin();
    nulls();
    encodings();
    headers();
    roundings();
    groups();
    required_groups();
    maps();
    puts("ok");
    return 0;
}
