/* Programs that are built a second time, for a pointer to any byte: attempts that fail, and binaries that others
   made. */
#include "check.h"

enum { N = 64, ROOM = 256 };

static const char *source = "kernel void bytes(global const uchar *in, global uchar *out, uchar add) {\n"
                            "    size_t i = get_global_id(0);\n"
                            "    out[i] = in[i] + add;\n"
                            "}\n";

static cl_context context;
static cl_command_queue queue;
/* Where the compiler is, and what it shall do. */
static const char *folder;

static const char *in_folder(const char *name) {
    static char places[2][512];
    static int next;
    char *place = places[next++ % 2];
    snprintf(place, sizeof places[0], "%s/%s", folder, name);
    return place;
}

/* Makes the compiler do this. */
static void compiler(const char *what) {
    FILE *file = fopen(in_folder("what"), "w");
    IS(file && fprintf(file, "%s\n", what) > 0);
    fclose(file);
}

/* How often it was called. */
static long calls(void) {
    FILE *file = fopen(in_folder("calls"), "r");
    IS(file && fseek(file, 0, SEEK_END) == 0);
    long size = ftell(file);
    fclose(file);
    return size;
}

/* The kernel adds, from one place to another. */
static void adds(cl_kernel bytes, unsigned char *ins, int in, unsigned char *outs, int out) {
    size_t global = N;
    unsigned char add = 7;
    for (int i = 0; i < ROOM; i++)
        ins[i] = i * 3 + 1;
    memset(outs, 0, ROOM);
    DONE(clSetKernelArgSVMPointer(bytes, 0, ins + in));
    DONE(clSetKernelArgSVMPointer(bytes, 1, outs + out));
    DONE(clSetKernelArg(bytes, 2, 1, &add));
    DONE(clEnqueueNDRangeKernel(queue, bytes, 1, NULL, &global, NULL, 0, NULL, NULL));
    DONE(clFinish(queue));
    for (int i = 0; i < N; i++)
        IS(outs[out + i] == (unsigned char)(ins[in + i] + add));
}

/* What may be otherwise at the next attempt is tried again; what the compiler refuses is not. A crash is tried once
   more. */
static void attempts(unsigned char *ins, unsigned char *outs) {
    const char *ways[] = {"crash", "gone", "refuse"};
    for (int way = 0; way < 3; way++) {
        compiler("work");
        cl_program program = built(context, source, "-cl-std=CL3.0");
        cl_kernel bytes = kernel_of(program, "bytes"), other = kernel_of(program, "bytes");
        if (way == 1)
            IS(rename(in_folder("bin/ocloc"), in_folder("hidden")) == 0);
        compiler(ways[way]);
        int code = way == 2 ? CL_INVALID_ARG_VALUE : CL_OUT_OF_RESOURCES;
        long before = calls();
        for (int i = 0; i < (way == 0 ? 1 : 3); i++)
            GIVES(code, clSetKernelArgSVMPointer(bytes, 0, ins + 1));
        IS(calls() - before == (way == 1 ? 0 : 1));
        adds(bytes, ins, 4, outs, 8);
        if (way == 1)
            IS(rename(in_folder("hidden"), in_folder("bin/ocloc")) == 0);
        compiler("work");
        before = calls();
        if (way == 2) {
            GIVES(code, clSetKernelArgSVMPointer(bytes, 0, ins + 1));
            IS(calls() == before);
        } else {
            adds(bytes, ins, 1, outs, 2);
            adds(other, ins, 3, outs, 1);
            IS(calls() == before + 1);
        }
        DONE(clReleaseKernel(bytes));
        DONE(clReleaseKernel(other));
        DONE(clReleaseProgram(program));
    }
}

/* Of what the compiler crashes at twice, the program does not ask again. */
static void crashes(unsigned char *ins, unsigned char *outs) {
    const char *ways[] = {"crash", "silent", "nothing"};
    for (int way = 0; way < 3; way++) {
        compiler("work");
        cl_program program = built(context, source, "-cl-std=CL3.0");
        cl_kernel bytes = kernel_of(program, "bytes");
        compiler(ways[way]);
        long before = calls();
        GIVES(CL_OUT_OF_RESOURCES, clSetKernelArgSVMPointer(bytes, 0, ins + 1));
        GIVES(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(bytes, 0, ins + 1));
        IS(calls() == before + 2);
        compiler("work");
        GIVES(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(bytes, 0, ins + 1));
        IS(calls() == before + 2);
        adds(bytes, ins, 4, outs, 8);
        DONE(clReleaseKernel(bytes));
        DONE(clReleaseProgram(program));
    }
}

/* The program of a binary that lies in the folder. */
static cl_program of_file(const char *name) {
    static unsigned char bytes[1 << 20];
    FILE *file = fopen(in_folder(name), "r");
    IS(file != NULL);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    const unsigned char *binary = bytes;
    cl_program program = clCreateProgramWithBinary(context, 1, devices, &size, &binary, NULL, &error);
    DONE(error);
    DONE(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    return program;
}

/* A binary that the compiler made without options, which it does not say then: it is compiled again, once. */
static void without_options(unsigned char *ins, unsigned char *outs) {
    cl_program program = of_file("plain");
    cl_kernel kernel = kernel_of(program, "bytes");
    long before = calls();
    adds(kernel, ins, 4, outs, 0);
    IS(calls() == before);
    adds(kernel, ins, 1, outs, 2);
    adds(kernel, ins, 3, outs, 1);
    IS(calls() == before + 1);
    DONE(clReleaseKernel(kernel));
    DONE(clReleaseProgram(program));
}

/* The built-in compiler's code has no other form, which is known without a compiler. */
static void of_own_compiler(unsigned char *outs) {
    cl_program program = of_file("own");
    cl_kernel kernel = kernel_of(program, "fives");
    size_t global = N / 4;
    long before = calls();
    GIVES(CL_INVALID_ARG_VALUE, clSetKernelArgSVMPointer(kernel, 0, outs + 1));
    IS(calls() == before);
    DONE(clSetKernelArgSVMPointer(kernel, 0, outs + 4));
    DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
    DONE(clFinish(queue));
    for (int i = 0; i < N / 4; i++)
        IS(((int *)outs)[1 + i] == 5);
    DONE(clReleaseKernel(kernel));
    DONE(clReleaseProgram(program));
}

/* A binary of SPIR-V, whose specialization constants have the values that the module gives them. */
static void of_constants(unsigned char *memory) {
    static const unsigned words[] = {
#include "spec_bytes.inc"
    };
    size_t size = sizeof words, global = N;
    const unsigned char *binary = (const unsigned char *)words;
    cl_program program = clCreateProgramWithBinary(context, 1, devices, &size, &binary, NULL, &error);
    DONE(error);
    DONE(clBuildProgram(program, 0, NULL, "", NULL, NULL));
    cl_kernel kernel = kernel_of(program, "k");
    for (int place = 0; place < 4; place++) {
        for (int i = 0; i < ROOM; i++)
            memory[i] = i;
        DONE(clSetKernelArgSVMPointer(kernel, 0, memory + place));
        DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        DONE(clFinish(queue));
        for (int i = 0; i < ROOM; i++) {
            int is_in = i >= place && i < place + N;
            IS(memory[i] == (unsigned char)(is_in ? 3 * i : i));
        }
    }
    DONE(clReleaseKernel(kernel));
    DONE(clReleaseProgram(program));
}

int main(void) {
    context = begin();
    queue = queue_of(context, devices[0], 0);
    folder = getenv("COMPILER_FOLDER");
    IS(folder != NULL);
    unsigned char *ins = clSVMAlloc(context, 0, ROOM, 0), *outs = clSVMAlloc(context, 0, ROOM, 0);
    IS(ins && outs);
    attempts(ins, outs);
    crashes(ins, outs);
    without_options(ins, outs);
    of_own_compiler(outs);
    of_constants(outs);
    clSVMFree(context, ins);
    clSVMFree(context, outs);
    DONE(clReleaseCommandQueue(queue));
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
