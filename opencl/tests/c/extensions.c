/* What the device lists of sub-group extensions works: each one's functions, with what C computes. */
#include "check.h"

enum { LANES = 16, N = 32 };

typedef unsigned (*expected)(unsigned i, unsigned lane, unsigned base);

#define EXPECT(name, value)                                                                        \
    static unsigned name(unsigned i, unsigned lane, unsigned base) {                               \
        (void)i, (void)lane, (void)base;                                                           \
        return value;                                                                              \
    }

/* The sum of the sub-group's ids from lane `from` on. */
static unsigned sum(unsigned base, unsigned from, unsigned to) {
    unsigned all = 0;
    for (unsigned lane = from; lane < to; lane++)
        all += base + lane;
    return all;
}

EXPECT(khr, sum(base, 0, LANES) + lane + 1000 + base + 3)
EXPECT(intel, (lane + 5 < LANES ? i + 5 : i + 5 - LANES + 100) + (base + 2) * 1000)
EXPECT(chars, (i * 3 & 0xff) + ((base + 2) & 0xff) * 256)
EXPECT(shorts, i * 300 + (base + 2) * 100000)
EXPECT(longs, i * 7 + 1 + base + 9)
EXPECT(types, base + 1 + (base + LANES - 1) * 256)
EXPECT(vote, (lane == 0) + (lane < 7 ? 2 : 4))
EXPECT(ballot, 0xaaaa + 8 * 65536)
EXPECT(arithmetic, lane >= 4 ? sum(base, 4, LANES) : base + lane)
EXPECT(shuffled, (i ^ 3) + (i ^ 8) * 1000)
EXPECT(relative, (lane >= 2 ? i - 2 : 0) + (lane < LANES - 3 ? i + 3 : 0) * 1000)
EXPECT(clustered, sum(base, lane & ~3u, (lane & ~3u) + 4))

static const struct {
    const char *name, *body;
    expected value;
} table[] = {
    {"cl_khr_subgroups",
     "r = sub_group_reduce_add(i) + sub_group_scan_exclusive_add(1u)\n"
     "  + (sub_group_all(i < 100) ? 1000 : 0) + sub_group_broadcast(i, 3u);",
     khr},
    {"cl_intel_subgroups",
     "r = intel_sub_group_shuffle_down(i, i + 100, 5u) + intel_sub_group_shuffle(i, 2u) * 1000;",
     intel},
    {"cl_intel_subgroups_char",
     "r = intel_sub_group_block_read_uc(in8 + get_sub_group_id() * 16)\n"
     "  + (uint)intel_sub_group_shuffle((uchar)i, 2u) * 256;",
     chars},
    {"cl_intel_subgroups_short",
     "r = intel_sub_group_block_read_us(in16 + get_sub_group_id() * 16)\n"
     "  + (uint)intel_sub_group_shuffle((ushort)i, 2u) * 100000;",
     shorts},
    {"cl_intel_subgroups_long",
     "r = (uint)(intel_sub_group_block_read_ul(in64 + get_sub_group_id() * 16) >> 32)\n"
     "  + (uint)intel_sub_group_shuffle((ulong)i, 9u);",
     longs},
    {"cl_khr_subgroup_extended_types",
     "r = sub_group_broadcast((uchar)i, 1u) + (uint)sub_group_reduce_max((short)i) * 256;", types},
    {"cl_khr_subgroup_non_uniform_vote",
     "r = sub_group_elect() ? 1 : 0;\n"
     "if (lane < 7) r += sub_group_non_uniform_all(lane < 7) ? 2 : 8;\n"
     "else r += sub_group_non_uniform_any(lane < 7) ? 8 : 4;",
     vote},
    {"cl_khr_subgroup_ballot",
     "uint4 b = sub_group_ballot(lane & 1);\n"
     "r = b.x + sub_group_ballot_bit_count(b) * 65536;",
     ballot},
    {"cl_khr_subgroup_non_uniform_arithmetic",
     "r = i; if (lane >= 4) r = sub_group_non_uniform_reduce_add(i);", arithmetic},
    {"cl_khr_subgroup_shuffle",
     "r = sub_group_shuffle(i, lane ^ 3) + sub_group_shuffle_xor(i, 8u) * 1000;", shuffled},
    {"cl_khr_subgroup_shuffle_relative",
     "uint up = sub_group_shuffle_up(i, 2u), down = sub_group_shuffle_down(i, 3u);\n"
     "r = (lane >= 2 ? up : 0) + (lane < 13 ? down : 0) * 1000;",
     relative},
    {"cl_khr_subgroup_clustered_reduce", "r = sub_group_clustered_reduce_add(i, 4u);", clustered},
};

static int lists(cl_device_id device, const char *name) {
    static char all[1 << 14];
    DONE(clGetDeviceInfo(device, CL_DEVICE_EXTENSIONS, sizeof all - 1, all, NULL));
    strcat(all, " ");
    char word[100];
    snprintf(word, sizeof word, "%s ", name);
    return strstr(all, word) != NULL;
}

int main(void) {
    DONE(clReleaseContext(begin()));
    for (cl_uint d = 0; d < device_count; d++) {
        cl_context context = clCreateContext(NULL, 1, &devices[d], NULL, NULL, &error);
        DONE(error);
        cl_command_queue queue = queue_of(context, devices[d], 0);
        static char source[1 << 14];
        source[0] = 0;
        for (size_t t = 0; t < sizeof table / sizeof *table; t++)
            sprintf(source + strlen(source),
                    "kernel __attribute__((intel_reqd_sub_group_size(16)))\n"
                    "void k%zu(global uint *out, global uchar *in8, global ushort *in16,\n"
                    "          global ulong *in64) {\n"
                    "    uint i = get_global_id(0), lane = get_sub_group_local_id(), r;\n%s\n"
                    "    out[i] = r;\n}\n",
                    t, table[t].body);
        cl_program program = built(context, source, "-cl-std=CL3.0");
        unsigned char in8[N];
        unsigned short in16[N];
        unsigned long in64[N];
        for (unsigned i = 0; i < N; i++) {
            in8[i] = i * 3;
            in16[i] = i * 300;
            in64[i] = (unsigned long)(i * 7 + 1) << 32 | 0xffffffff;
        }
        cl_mem buffers[] = {
            buffer_of(context, 0, 4 * N, NULL),
            buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof in8, in8),
            buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof in16, in16),
            buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof in64, in64),
        };
        for (size_t t = 0; t < sizeof table / sizeof *table; t++) {
            cl_bool independent = CL_FALSE;
            DONE(clGetDeviceInfo(devices[d], CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS,
                                 sizeof independent, &independent, NULL));
            /* cl_khr_subgroups promises independent forward progress. */
            if (t == 0 ? lists(devices[d], table[t].name) != (int)independent
                       : !lists(devices[d], table[t].name))
                FAIL("device %u and %s", d, table[t].name);
            char name[10];
            sprintf(name, "k%zu", t);
            cl_kernel kernel = kernel_of(program, name);
            for (cl_uint a = 0; a < 4; a++)
                DONE(clSetKernelArg(kernel, a, sizeof buffers[a], &buffers[a]));
            size_t size = N;
            DONE(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL));
            cl_uint got[N];
            DONE(clEnqueueReadBuffer(queue, buffers[0], CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
            for (unsigned i = 0; i < N; i++) {
                unsigned wanted = table[t].value(i, i % LANES, i - i % LANES);
                if (got[i] != wanted)
                    FAIL("%s, %u: %u, not %u", table[t].name, i, got[i], wanted);
            }
            DONE(clReleaseKernel(kernel));
        }
        for (int b = 0; b < 4; b++)
            DONE(clReleaseMemObject(buffers[b]));
        DONE(clReleaseProgram(program));
        DONE(clReleaseCommandQueue(queue));
        DONE(clReleaseContext(context));
    }
    printf("ok\n");
    return 0;
}
