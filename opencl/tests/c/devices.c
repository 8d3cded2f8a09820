/* What Intel's runtimes say of each platform (22.43, and 26.27 from Meteor Lake on), this one says. */
#include "check.h"

static const struct {
    const char *name;
    cl_uint units;
    size_t group;
    cl_ulong local;
    size_t across, volume_across, volume_deep;
    int doubles;
    cl_bool independent, unified;
    size_t sizes[3];
} table[] = {
    {"soft:bdw", 24, 256, 65536, 16384, 2048, 2048, 1, 1, 1, {8, 16, 32}},
    {"soft:skl", 24, 256, 65536, 16384, 16384, 2048, 1, 1, 1, {8, 16, 32}},
    {"soft:kbl", 24, 256, 65536, 16384, 16384, 2048, 1, 1, 1, {8, 16, 32}},
    {"soft:cfl", 24, 256, 65536, 16384, 16384, 2048, 1, 1, 1, {8, 16, 32}},
    {"soft:apl", 18, 256, 65536, 16384, 16384, 2048, 1, 0, 1, {8, 16, 32}},
    {"soft:glk", 18, 256, 65536, 16384, 16384, 2048, 1, 0, 1, {8, 16, 32}},
    {"soft:icl", 64, 256, 65536, 16384, 16384, 2048, 0, 1, 1, {8, 16, 32}},
    {"soft:ehl", 32, 256, 65536, 16384, 16384, 2048, 0, 0, 1, {8, 16, 32}},
    {"soft:tgl", 96, 512, 65536, 16384, 2048, 2048, 0, 0, 1, {8, 16, 32}},
    {"soft:rkl", 32, 512, 65536, 16384, 2048, 2048, 0, 0, 1, {8, 16, 32}},
    {"soft:adls", 32, 512, 65536, 16384, 2048, 2048, 0, 0, 1, {8, 16, 32}},
    {"soft:adlp", 96, 512, 65536, 16384, 2048, 2048, 0, 0, 1, {8, 16, 32}},
    {"soft:adln", 32, 512, 65536, 16384, 2048, 2048, 0, 0, 1, {8, 16, 32}},
    {"soft:dg1", 96, 512, 65536, 16384, 2048, 2048, 0, 0, 0, {8, 16, 32}},
    {"soft:dg2", 512, 1024, 65536, 16384, 16384, 2048, 0, 0, 0, {8, 16, 32}},
    {"soft:mtl", 128, 1024, 65536, 16384, 16384, 2048, 1, 0, 1, {8, 16, 32}},
    {"soft:arl", 128, 1024, 65536, 16384, 16384, 2048, 1, 0, 1, {8, 16, 32}},
    {"soft:pvc", 512, 1024, 131072, 0, 0, 0, 1, 1, 0, {16, 32}},
    {"soft:lnl", 64, 1024, 131072, 16384, 16384, 2048, 1, 1, 1, {16, 32}},
    {"soft:bmg", 160, 1024, 131072, 16384, 16384, 2048, 1, 1, 0, {16, 32}},
    {"soft:ptl", 96, 1024, 131072, 16384, 16384, 2048, 1, 1, 1, {16, 32}},
};

enum { COUNT = sizeof table / sizeof *table };

static size_t ask(cl_device_id device, cl_device_info name) {
    size_t value = 0;
    DONE(clGetDeviceInfo(device, name, sizeof value, &value, NULL));
    return value;
}

/* Volumes as wide and as high as said can be made, and no wider or higher ones. */
static void volumes(cl_device_id device, size_t across) {
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    DONE(error);
    cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const size_t sizes[4][2] = {{across, 1}, {1, across}, {across + 1, 1}, {1, across + 1}};
    for (int i = 0; i < 4; i++) {
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = sizes[i][0],
                              .image_height = sizes[i][1], .image_depth = 1};
        cl_mem image = clCreateImage(context, 0, &format, &desc, NULL, &error);
        cl_int without = across == 0 ? CL_INVALID_OPERATION : CL_INVALID_IMAGE_SIZE;
        GIVES(i < 2 && across > 0 ? CL_SUCCESS : without, error);
        if (image != NULL)
            DONE(clReleaseMemObject(image));
    }
    DONE(clReleaseContext(context));
}

int main(void) {
    cl_device_id all[COUNT];
    cl_uint count;
    DONE(clGetPlatformIDs(1, &platform, NULL));
    DONE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, COUNT, all, &count));
    IS(count == COUNT);
    for (int i = 0; i < COUNT; i++) {
        char name[200], in_name[30];
        DONE(clGetDeviceInfo(all[i], CL_DEVICE_NAME, sizeof name, name, NULL));
        sprintf(in_name, "(%s", table[i].name);
        if (strstr(name, in_name) == NULL)
            FAIL("%s is not %s", name, table[i].name);
#define SAYS(what, value)                                                                          \
    do {                                                                                           \
        size_t says_ = ask(all[i], what);                                                          \
        if (says_ != (size_t)(value))                                                              \
            FAIL("%s, %s: %zu, not %zu", name, #what, says_, (size_t)(value));                     \
    } while (0)
        SAYS(CL_DEVICE_MAX_COMPUTE_UNITS, table[i].units);
        SAYS(CL_DEVICE_MAX_WORK_GROUP_SIZE, table[i].group);
        SAYS(CL_DEVICE_LOCAL_MEM_SIZE, table[i].local);
        SAYS(CL_DEVICE_IMAGE_SUPPORT, table[i].across > 0);
        SAYS(CL_DEVICE_IMAGE2D_MAX_WIDTH, table[i].across);
        SAYS(CL_DEVICE_IMAGE2D_MAX_HEIGHT, table[i].across);
        SAYS(CL_DEVICE_IMAGE3D_MAX_WIDTH, table[i].volume_across);
        SAYS(CL_DEVICE_IMAGE3D_MAX_HEIGHT, table[i].volume_across);
        SAYS(CL_DEVICE_IMAGE3D_MAX_DEPTH, table[i].volume_deep);
        SAYS(CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS, table[i].independent);
        SAYS(CL_DEVICE_HOST_UNIFIED_MEMORY, table[i].unified);
        IS((ask(all[i], CL_DEVICE_DOUBLE_FP_CONFIG) != 0) == table[i].doubles);
        size_t sizes[3] = {0}, bytes;
        DONE(clGetDeviceInfo(all[i], CL_DEVICE_SUB_GROUP_SIZES_INTEL, sizeof sizes, sizes, &bytes));
        IS(memcmp(sizes, table[i].sizes, sizeof sizes) == 0);
        IS(bytes == sizeof(size_t) * (table[i].sizes[2] ? 3 : 2));
        volumes(all[i], table[i].volume_across);
    }
    printf("ok\n");
    return 0;
}
