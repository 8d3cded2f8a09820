/* The program's modes of floats, which its threads begin with, are not those of kernels. */
#include "check.h"
#include <fenv.h>
#include <math.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

int feenableexcept(int excepts);

enum { ITEMS = 4096 };

static const char *source =
    "kernel void k(global const float *in, global uint *out) {\n"
    "    size_t i = get_global_id(0);\n"
    "    float x = in[0], y = in[1], tiny = in[2];\n"
    "    out[4 * i] = as_uint(x + y);\n"
    "    out[4 * i + 1] = as_uint(tiny * 0.5f);\n"
    "    out[4 * i + 2] = as_uint(tiny + tiny);\n"
    "    out[4 * i + 3] = as_uint(in[3] * in[3]);\n"
    "}";

int main(void) {
    /* Before the first call: each thread of the runtime comes after this. */
    DONE(fesetround(FE_UPWARD));
    IS(feenableexcept(FE_OVERFLOW | FE_INVALID | FE_DIVBYZERO) != -1);
#ifdef __SSE__
    /* Denormals are zero, as with -ffast-math. */
    _mm_setcsr(_mm_getcsr() | 0x8040);
#endif
    cl_context context = begin();
    cl_command_queue queue = queue_of(context, devices[0], 0);
    cl_kernel kernel = kernel_of(built(context, source, ""), "k");
    /* 1, less than half a unit of it, the denormal 2^-127, what overflows. */
    cl_uint in[] = {0x3f800000, 0x30800000, 0x00400000, 0x7f000000};
    static cl_uint out[4 * ITEMS];
    cl_mem from = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof in, in);
    cl_mem to = buffer_of(context, 0, sizeof out, NULL);
    DONE(clSetKernelArg(kernel, 0, sizeof from, &from));
    DONE(clSetKernelArg(kernel, 1, sizeof to, &to));
    size_t items = ITEMS;
    DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL));
    DONE(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    const cl_uint wanted[] = {0x3f800000, 0x00200000, 0x00800000, 0x7f800000};
    for (int i = 0; i < 4 * ITEMS; i++)
        if (out[i] != wanted[i % 4])
            FAIL("%d: %08x, not %08x", i, out[i], wanted[i % 4]);
    /* They are the program's still. */
    IS(fegetround() == FE_UPWARD);
    printf("ok\n");
    return 0;
}
