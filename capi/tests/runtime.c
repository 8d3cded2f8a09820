/* What an OpenCL runtime asks of the C ABI: queries, memory of its user, maps, pointers. */
#include <intel_gpu.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)
#define N 1000

static void fail(int line, const char *what)
{
    fprintf(stderr, "line %d: %s: %s\n", line, what, ig_last_error());
    exit(1);
}

#define OK(call) ((call) == IG_STATUS_OK ? (void)0 : fail(__LINE__, #call))
#define CHECK(condition) ((condition) ? (void)0 : fail(__LINE__, #condition))
#define FAILS(status, text, call) \
    CHECK((call) == (status) && strstr(ig_last_error(), (text)) != NULL)

static void *load(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    *size = (size_t)ftell(file);
    void *bytes = malloc(*size);
    rewind(file);
    CHECK(bytes != NULL && fread(bytes, 1, *size, file) == *size);
    fclose(file);
    return bytes;
}

static void devices(ig_device *device)
{
    ig_device_info info;
    uint32_t first[2] = {7, 7};

    OK(ig_device_get_info(device, &info, sizeof info));
    CHECK(info.vendor_id == 0x8086 && info.device_id != 0 && info.address_bits == 64);
    CHECK(info.compute_units == 96 && info.threads_per_compute_unit == 7);
    CHECK(info.max_work_group_size == 512 && info.max_sub_groups == 64);
    CHECK(info.sub_group_size_count == 3 && info.sub_group_sizes[2] == 32);
    CHECK(info.local_memory == 65536 && info.global_memory > 0 && info.unified_memory == 1);
    CHECK(info.images == 1 && info.image_across == 16384 && info.max_samplers == 16);
    CHECK(info.fp64 == 0 && info.timer_frequency == 19200000);
    /* A caller of an earlier version has room for less. */
    OK(ig_device_get_info(device, (ig_device_info *)(void *)first, sizeof first[0]));
    CHECK(first[0] == 0x8086 && first[1] == 7);
    FAILS(IG_STATUS_USAGE, "is null", ig_device_get_info(device, NULL, sizeof info));
    CHECK(strcmp(ig_device_title(device), "Tiger Lake") == 0);
    CHECK(strcmp(ig_status_text(IG_STATUS_OK), "ok") == 0);
    CHECK(strcmp(ig_status_text(99), "not a status") == 0);
}

static void kernels(ig_kernel *kernel)
{
    ig_kernel_info info;
    ig_arg_info arg;
    uint32_t local[3];

    OK(ig_kernel_get_info(kernel, &info, sizeof info));
    CHECK(info.arg_count == 7 && info.sub_group_size == 32 && info.max_local_size == 512);
    CHECK(info.max_sub_groups == 16 && info.required_local_size[0] == 0);
    CHECK(info.register_count == 128 && info.code_size > 0 && info.local_memory == 0);
    CHECK(strcmp(ig_kernel_name(kernel), "vadd") == 0);
    CHECK(strcmp(ig_kernel_attributes(kernel), "") == 0);
    OK(ig_kernel_get_arg_info(kernel, 0, &arg, sizeof arg));
    CHECK(arg.kind == IG_ARG_KIND_BUFFER && arg.space == IG_ARG_SPACE_GLOBAL);
    CHECK(strcmp(arg.name, "a") == 0 && strcmp(arg.type_name, "float*") == 0);
    CHECK(strstr(arg.type_qualifiers, "const") != NULL);
    OK(ig_kernel_get_arg_info(kernel, 5, &arg, sizeof arg));
    CHECK(strcmp(arg.type_name, "uint4") == 0);
    CHECK(arg.kind == IG_ARG_KIND_VALUE && arg.size == 16 && arg.space == IG_ARG_SPACE_PRIVATE);
    FAILS(IG_STATUS_USAGE, "no argument 7", ig_kernel_get_arg_info(kernel, 7, &arg, sizeof arg));
    CHECK(ig_kernel_sub_groups(kernel, 100, 2, 1) == 7 && ig_kernel_sub_groups(NULL, 1, 1, 1) == 0);
    OK(ig_kernel_local_size_for_sub_groups(kernel, 3, &local));
    CHECK(local[0] == 96 && local[1] == 1 && local[2] == 1);
    OK(ig_kernel_local_size_for_sub_groups(kernel, 17, &local));
    CHECK(local[0] == 0);
}

static ig_event *add(ig_queue *queue, ig_kernel *kernel)
{
    const float s = 2;
    const int n = N;
    const float four[4] = {0, 0, 0, 0};
    const char ch = 3;
    ig_range range = {1, {1024, 1, 1}, {0, 0, 0}, {0, 0, 0}};
    ig_event *event;

    OK(ig_kernel_set_value(kernel, 3, &s, sizeof s));
    OK(ig_kernel_set_value(kernel, 4, &n, sizeof n));
    OK(ig_kernel_set_value(kernel, 5, four, sizeof four));
    OK(ig_kernel_set_value(kernel, 6, &ch, sizeof ch));
    OK(ig_enqueue_kernel(queue, kernel, &range, 0, NULL, &event));
    return event;
}

/* Fields that the library does not have are refused unless they are zero. */
static void options_of_a_newer_header(const char *name)
{
    struct {
        ig_device_options known;
        uint64_t newer;
    } options = {{0}, 0};
    ig_device *device;

    OK(ig_device_open(name, &options.known, sizeof options, &device));
    ig_device_release(device);
    options.newer = 1;
    FAILS(IG_STATUS_USAGE, "not zero",
          ig_device_open(name, &options.known, sizeof options, &device));
    options.known.reserved = 1;
    FAILS(IG_STATUS_USAGE, "`reserved` is not 0",
          ig_device_open(name, &options.known, sizeof options.known, &device));
}

/* The kernel works on the program's own arrays; results are mapped. */
static void own_memory(ig_device *device, ig_queue *queue, ig_kernel *kernel)
{
    static float x[N + 3], y[N], sum[N + 1];
    ig_buffer *a, *b, *c;
    ig_map *map, *gone = NULL;
    ig_event *added, *mapped, *unmapped;

    for (int i = 0; i < N; i++) {
        x[i + 3] = (float)i;
        y[i] = 0.5f * (float)i;
    }
    sum[0] = -1;
    OK(ig_buffer_create_from_host(device, x + 3, N * sizeof *x, &a));
    OK(ig_buffer_create_from_host(device, y, sizeof y, &b));
    OK(ig_buffer_create_from_host(device, sum + 1, N * sizeof *sum, &c));
    CHECK(ig_buffer_pointer(a) == x + 3 && ig_buffer_size(a) == N * sizeof *x);
    OK(ig_kernel_set_buffer(kernel, 0, a));
    OK(ig_kernel_set_buffer(kernel, 1, b));
    OK(ig_kernel_set_buffer(kernel, 2, c));
    added = add(queue, kernel);
    OK(ig_enqueue_map_buffer(queue, c, 4, (N - 1) * sizeof *sum, 0, NULL, &map, &mapped));
    OK(ig_event_wait(mapped, 60 * SECOND));
    CHECK(ig_map_pointer(map) == sum + 2 && ig_map_row_pitch(map) == (N - 1) * sizeof *sum);
    for (int i = 0; i < N; i++)
        CHECK(sum[i + 1] == x[i + 3] * 2 + y[i] + 3);
    CHECK(sum[0] == -1);
    OK(ig_enqueue_unmap(queue, map, 0, NULL, &unmapped));
    OK(ig_event_wait(unmapped, 60 * SECOND));
    FAILS(IG_STATUS_USAGE, "its 4000 bytes", ig_enqueue_map_buffer(queue, c, 1, 4000, 0, NULL, &gone, NULL));
    FAILS(IG_STATUS_USAGE, "map is null", ig_enqueue_map_buffer(queue, c, 0, 4, 0, NULL, NULL, NULL));
    FAILS(IG_STATUS_USAGE, "the map is null", ig_enqueue_unmap(queue, NULL, 0, NULL, NULL));
    FAILS(IG_STATUS_USAGE, "memory is null", ig_buffer_create_from_host(device, NULL, 4, &a));
    FAILS(IG_STATUS_USAGE, "0 bytes", ig_buffer_create_from_host(device, x, 0, &a));
    CHECK(gone == NULL);
    ig_event_release(unmapped);
    ig_event_release(mapped);
    ig_event_release(added);
    ig_buffer_release(c);
    ig_buffer_release(b);
    ig_buffer_release(a);
}

/* Pointers that mean the same to program and kernel. */
static void shared_memory(ig_device *device, ig_queue *queue, ig_kernel *kernel)
{
    ig_buffer *all, *found;
    ig_kernel *clone;
    ig_event *added;

    OK(ig_buffer_create_shared(device, 3 * N * sizeof(float), &all));
    float *x = ig_buffer_pointer(all), *y = x + N, *sum = y + N;
    CHECK(ig_buffer_address(all) == (uint64_t)(uintptr_t)x);
    for (int i = 0; i < N; i++) {
        x[i] = (float)(N - i);
        y[i] = (float)i;
    }
    OK(ig_kernel_set_address(kernel, 0, (uintptr_t)x));
    OK(ig_kernel_set_address(kernel, 1, (uintptr_t)y));
    OK(ig_kernel_set_address(kernel, 2, (uintptr_t)sum));
    FAILS(IG_STATUS_USAGE, "no buffer at 0x10", ig_kernel_set_address(kernel, 2, 0x10));
    OK(ig_kernel_clone(kernel, &clone));
    OK(ig_kernel_set_address(kernel, 2, 0));
    OK(ig_buffer_at(device, (uintptr_t)sum, &found));
    CHECK(ig_buffer_size(found) == N * sizeof *sum);
    CHECK(ig_buffer_origin(found) == 2 * N * sizeof *sum);
    /* The clone has the arguments of before, and the memory lives as long as it needs it. */
    ig_buffer_release(all);
    added = add(queue, clone);
    ig_kernel_release(clone);
    OK(ig_event_wait(added, 60 * SECOND));
    for (int i = 0; i < N; i++)
        CHECK(sum[i] == x[i] * 2 + y[i] + 3);
    ig_event_release(added);
    ig_buffer_release(found);
}

static void images(ig_device *device, ig_queue *queue)
{
    /* CL_RGBA, CL_UNSIGNED_INT8 of cl.h. */
    const ig_image_info info = {IG_IMAGE_KIND_D2, 0x10b5, 0x10da, 20, 10, 1, 1, 0};
    const ig_region region = {{4, 2, 0}, {3, 2, 1}};
    ig_image *image;
    ig_map *map, *none = NULL;
    ig_event *mapped;
    unsigned char texels[24];

    OK(ig_image_create(device, &info, &image));
    OK(ig_enqueue_map_image(queue, image, &region, IG_MAP_ACCESS_OVERWRITE, 0, NULL, &map, &mapped));
    OK(ig_event_wait(mapped, 60 * SECOND));
    CHECK(ig_map_row_pitch(map) == 12 && ig_map_slice_pitch(map) == 24);
    memset(ig_map_pointer(map), 0x5a, 24);
    OK(ig_enqueue_unmap(queue, map, 0, NULL, NULL));
    OK(ig_queue_finish(queue, 60 * SECOND));
    OK(ig_image_read(image, &region, texels, sizeof texels));
    for (int i = 0; i < 24; i++)
        CHECK(texels[i] == 0x5a);
    FAILS(IG_STATUS_USAGE, "9 is no access",
          ig_enqueue_map_image(queue, image, &region, 9, 0, NULL, &none, NULL));
    CHECK(none == NULL);
    ig_map_release(NULL);
    ig_event_release(mapped);
    ig_image_release(image);
}

int main(int argc, char **argv)
{
    ig_device *device;
    ig_queue *queue;
    ig_program *program;
    ig_kernel *kernel;
    size_t size;

    CHECK(argc == 3);
    void *zebin = load(argv[2], &size);
    options_of_a_newer_header(argv[1]);
    OK(ig_device_open(argv[1], NULL, 0, &device));
    OK(ig_queue_create(device, 0, &queue));
    OK(ig_program_load(device, zebin, size, &program));
    free(zebin);
    OK(ig_kernel_create(program, "vadd", &kernel));
    ig_program_release(program);
    devices(device);
    kernels(kernel);
    own_memory(device, queue, kernel);
    shared_memory(device, queue, kernel);
    images(device, queue);
    OK(ig_queue_finish(queue, 60 * SECOND));
    ig_kernel_release(kernel);
    ig_queue_release(queue);
    printf("runtime on %s: ok\n", ig_device_platform(device));
    ig_device_release(device);
    return 0;
}
