// A client of Level Zero: modules, immediate and ordinary command lists, events, USM, images,
// timestamps. It prints a line for each step and compares every result itself.
//
// usage: level_zero spirv|native MODULE
//
// The module has `add(global const int *a, global const int *b, global int *out)`; as SPIR-V it
// also has `shift(read_only image2d_t in, write_only image2d_t out)`, which adds one to each texel.

#include <level_zero/ze_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                              \
    do {                                                                                         \
        ze_result_t result_ = (call);                                                            \
        if (result_ != ZE_RESULT_SUCCESS) {                                                      \
            printf("FAIL %s: %#x\n", #call, (unsigned)result_);                                  \
            exit(1);                                                                             \
        }                                                                                        \
    } while (0)

enum { COUNT = 1000, WIDTH = 37, HEIGHT = 21 };

static void expect(const char *what, int holds) {
    printf("%s %s\n", holds ? "ok" : "FAIL", what);
    fflush(stdout);
    if (!holds)
        exit(1);
}

static ze_context_handle_t context;
static ze_device_handle_t device;

static ze_command_queue_desc_t in_order = {
    .stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
    .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
};

static int *shared(size_t bytes) {
    ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory = NULL;
    CHECK(zeMemAllocShared(context, &on_device, &on_host, bytes, 64, device, &memory));
    return memory;
}

static int *host(size_t bytes) {
    ze_host_mem_alloc_desc_t on_host = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *memory = NULL;
    CHECK(zeMemAllocHost(context, &on_host, bytes, 64, &memory));
    return memory;
}

static int *local(size_t bytes) {
    ze_device_mem_alloc_desc_t on_device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    void *memory = NULL;
    CHECK(zeMemAllocDevice(context, &on_device, bytes, 64, device, &memory));
    return memory;
}

static ze_module_handle_t module(const char *kind, const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        printf("FAIL cannot open %s\n", path);
        exit(1);
    }
    static uint8_t bytes[1 << 20];
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    ze_module_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
        .format = strcmp(kind, "native") ? ZE_MODULE_FORMAT_IL_SPIRV : ZE_MODULE_FORMAT_NATIVE,
        .inputSize = length,
        .pInputModule = bytes,
    };
    ze_module_handle_t module;
    CHECK(zeModuleCreate(context, device, &desc, &module, NULL));
    return module;
}

static ze_kernel_handle_t kernel_of(ze_module_handle_t module, const char *name) {
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = name};
    ze_kernel_handle_t kernel;
    CHECK(zeKernelCreate(module, &desc, &kernel));
    return kernel;
}

static void images(ze_kernel_handle_t kernel) {
    ze_image_desc_t desc = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
        .type = ZE_IMAGE_TYPE_2D,
        .format = {.layout = ZE_IMAGE_FORMAT_LAYOUT_32,
                   .type = ZE_IMAGE_FORMAT_TYPE_UINT,
                   .x = ZE_IMAGE_FORMAT_SWIZZLE_R,
                   .y = ZE_IMAGE_FORMAT_SWIZZLE_0,
                   .z = ZE_IMAGE_FORMAT_SWIZZLE_0,
                   .w = ZE_IMAGE_FORMAT_SWIZZLE_1},
        .width = WIDTH,
        .height = HEIGHT,
        .depth = 1,
    };
    ze_image_handle_t from, to;
    CHECK(zeImageCreate(context, device, &desc, &from));
    desc.flags = ZE_IMAGE_FLAG_KERNEL_WRITE;
    CHECK(zeImageCreate(context, device, &desc, &to));
    uint32_t texels[WIDTH * HEIGHT], result[WIDTH * HEIGHT];
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        texels[i] = 3 * i;
    ze_command_list_handle_t list;
    CHECK(zeCommandListCreateImmediate(context, device, &in_order, &list));
    CHECK(zeCommandListAppendImageCopyFromMemory(list, from, texels, NULL, NULL, 0, NULL));
    CHECK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    CHECK(zeKernelSetGroupSize(kernel, WIDTH, 1, 1));
    CHECK(zeKernelSetArgumentValue(kernel, 0, sizeof from, &from));
    CHECK(zeKernelSetArgumentValue(kernel, 1, sizeof to, &to));
    ze_group_count_t groups = {1, HEIGHT, 1};
    CHECK(zeCommandListAppendLaunchKernel(list, kernel, &groups, NULL, 0, NULL));
    CHECK(zeCommandListAppendBarrier(list, NULL, 0, NULL));
    CHECK(zeCommandListAppendImageCopyToMemory(list, result, to, NULL, NULL, 0, NULL));
    CHECK(zeCommandListHostSynchronize(list, UINT64_MAX));
    int right = 1;
    for (int i = 0; i < WIDTH * HEIGHT; i++)
        right &= result[i] == texels[i] + 1;
    expect("images", right);
    CHECK(zeCommandListDestroy(list));
    CHECK(zeImageDestroy(from));
    CHECK(zeImageDestroy(to));
}

int main(int count, char **arguments) {
    if (count != 3)
        return 2;
    CHECK(zeInit(ZE_INIT_FLAG_GPU_ONLY));
    uint32_t one = 1;
    ze_driver_handle_t driver;
    CHECK(zeDriverGet(&one, &driver));
    one = 1;
    CHECK(zeDeviceGet(driver, &one, &device));
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES_1_2};
    CHECK(zeDeviceGetProperties(device, &properties));
    printf("device %s\n", properties.name);
    ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK(zeContextCreate(driver, &desc, &context));

    ze_module_handle_t code = module(arguments[1], arguments[2]);
    ze_kernel_handle_t add = kernel_of(code, "add");
    size_t bytes = COUNT * sizeof(int);
    int *a = host(bytes), *b = shared(bytes), *sum = shared(bytes), *on_device = local(bytes);
    for (int i = 0; i < COUNT; i++) {
        a[i] = i * i;
        b[i] = 7 - i;
        sum[i] = -1;
    }
    ze_event_pool_desc_t pool_desc = {
        .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
        .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
        .count = 3,
    };
    ze_event_pool_handle_t pool;
    CHECK(zeEventPoolCreate(context, &pool_desc, 1, &device, &pool));
    ze_event_handle_t events[3];
    for (uint32_t i = 0; i < 3; i++) {
        ze_event_desc_t event = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_DESC,
            .index = i,
            .signal = ZE_EVENT_SCOPE_FLAG_HOST,
            .wait = ZE_EVENT_SCOPE_FLAG_HOST,
        };
        CHECK(zeEventCreate(pool, &event, &events[i]));
    }

    // An ordinary list: a copy, then a kernel that waits for it.
    ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    ze_command_list_handle_t list;
    CHECK(zeCommandListCreate(context, device, &list_desc, &list));
    CHECK(zeCommandListAppendMemoryCopy(list, on_device, b, bytes, events[0], 0, NULL));
    CHECK(zeKernelSetGroupSize(add, 8, 1, 1));
    CHECK(zeKernelSetArgumentValue(add, 0, sizeof a, &a));
    CHECK(zeKernelSetArgumentValue(add, 1, sizeof on_device, &on_device));
    CHECK(zeKernelSetArgumentValue(add, 2, sizeof sum, &sum));
    ze_group_count_t groups = {COUNT / 8, 1, 1};
    CHECK(zeCommandListAppendLaunchKernel(list, add, &groups, events[1], 1, &events[0]));
    uint64_t *stamp = (uint64_t *)host(64);
    *stamp = 0;
    CHECK(zeCommandListAppendWriteGlobalTimestamp(list, stamp, NULL, 1, &events[1]));
    CHECK(zeCommandListClose(list));
    ze_command_queue_handle_t queue;
    CHECK(zeCommandQueueCreate(context, device, &in_order, &queue));
    CHECK(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    CHECK(zeCommandQueueSynchronize(queue, UINT64_MAX));
    int right = 1;
    for (int i = 0; i < COUNT; i++)
        right &= sum[i] == i * i + 7 - i;
    expect("command list", right);
    ze_kernel_timestamp_result_t time;
    CHECK(zeEventQueryKernelTimestamp(events[1], &time));
    expect("kernel timestamp", time.global.kernelStart != time.global.kernelEnd);
    expect("global timestamp", *stamp != 0);

    // An immediate list: fill, kernel, and the host waits for an event of it.
    ze_command_list_handle_t immediate;
    CHECK(zeCommandListCreateImmediate(context, device, &in_order, &immediate));
    int pattern = 5;
    CHECK(zeCommandListAppendMemoryFill(immediate, on_device, &pattern, sizeof pattern, bytes, NULL,
                                        0, NULL));
    CHECK(zeCommandListAppendBarrier(immediate, NULL, 0, NULL));
    CHECK(zeCommandListAppendLaunchKernel(immediate, add, &groups, events[2], 0, NULL));
    CHECK(zeEventHostSynchronize(events[2], UINT64_MAX));
    right = 1;
    for (int i = 0; i < COUNT; i++)
        right &= sum[i] == i * i + 5;
    expect("immediate command list", right);
    CHECK(zeEventQueryStatus(events[2]));

    if (strcmp(arguments[1], "spirv") == 0)
        images(kernel_of(code, "shift"));

    CHECK(zeCommandListDestroy(immediate));
    CHECK(zeCommandListDestroy(list));
    CHECK(zeCommandQueueDestroy(queue));
    for (int i = 0; i < 3; i++)
        CHECK(zeEventDestroy(events[i]));
    CHECK(zeEventPoolDestroy(pool));
    int *all[] = {a, b, sum, on_device, (int *)stamp};
    for (int i = 0; i < 5; i++)
        CHECK(zeMemFree(context, all[i]));
    (void)code;
    CHECK(zeContextDestroy(context));
    printf("done\n");
    return 0;
}
