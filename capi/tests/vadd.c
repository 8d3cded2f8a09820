/* Adds two vectors on the software GPU through the C ABI, and makes every kind of mistake. */
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
/* The call fails with this status, and the message has this in it. */
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

static void mistakes(ig_device *device, ig_queue *queue, ig_kernel *kernel, ig_buffer *buffer)
{
    ig_device *none = NULL;
    ig_buffer *part = NULL;
    ig_program *program = NULL;
    ig_kernel *other = NULL;
    ig_event *event = NULL;
    const ig_event *list[1] = {NULL};
    ig_range range = {4, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}};

    FAILS(IG_STATUS_USAGE, "the name is null", ig_device_open(NULL, NULL, 0, &none));
    FAILS(IG_STATUS_USAGE, "nonsense", ig_device_open("nonsense", NULL, 0, &none));
    FAILS(IG_STATUS_DEVICE, "/nowhere", ig_device_open("/nowhere", NULL, 0, &none));
    FAILS(IG_STATUS_USAGE, "result is null", ig_device_open("soft:tgl", NULL, 0, NULL));
    CHECK(none == NULL);
    FAILS(IG_STATUS_USAGE, "size is zero", ig_buffer_create(device, 0, &part));
    FAILS(IG_STATUS_USAGE, "the device is null", ig_buffer_create(NULL, 4, &part));
    FAILS(IG_STATUS_USAGE, "multiple of 4", ig_buffer_create_sub(buffer, 2, 4, &part));
    FAILS(IG_STATUS_USAGE, "its 4000 bytes", ig_buffer_read(buffer, 3999, &range, 2));
    FAILS(IG_STATUS_USAGE, "the data is null", ig_buffer_write(buffer, 0, NULL, 1));
    OK(ig_buffer_write(buffer, 0, NULL, 0));
    FAILS(IG_STATUS_INPUT, "", ig_program_load(device, "no zebin", 8, &program));
    FAILS(IG_STATUS_USAGE, "the program is null", ig_kernel_create(NULL, "vadd", &other));
    FAILS(IG_STATUS_USAGE, "no argument 9", ig_kernel_set_buffer(kernel, 9, buffer));
    FAILS(IG_STATUS_USAGE, "it takes 4 bytes", ig_kernel_set_value(kernel, 4, "12345678", 8));
    FAILS(IG_STATUS_USAGE, "no addressing mode", ig_kernel_set_sampler(kernel, 0, 7, 0, 0));
    FAILS(IG_STATUS_USAGE, "4 dimensions",
          ig_enqueue_kernel(queue, kernel, &range, 0, NULL, &event));
    range.dimensions = 1;
    FAILS(IG_STATUS_USAGE, "event of the wait list is null",
          ig_enqueue_kernel(queue, kernel, &range, 1, list, &event));
    FAILS(IG_STATUS_USAGE, "the wait list is null",
          ig_enqueue_kernel(queue, kernel, &range, 1, NULL, &event));
    FAILS(IG_STATUS_USAGE, "the event is null", ig_event_wait(NULL, 0));
    CHECK(part == NULL && program == NULL && other == NULL && event == NULL);
    CHECK(ig_buffer_size(NULL) == 0 && ig_program_kernel_name(NULL, 0) == NULL);
    ig_buffer_release(NULL);
}

static void user_events(ig_device *device, ig_queue *queue, ig_buffer *buffer)
{
    ig_user_event *gate;
    ig_event *gated, *fill;
    ig_event_status status;
    unsigned char byte;

    OK(ig_user_event_create(device, &gate));
    OK(ig_user_event_event(gate, &gated));
    const ig_event *list[1] = {gated};
    OK(ig_enqueue_fill_buffer(queue, buffer, 0, 4000, "\x5a", 1, 1, list, &fill));
    FAILS(IG_STATUS_TIMEOUT, "did not end", ig_event_wait(fill, 1000));
    OK(ig_event_get_status(fill, &status));
    CHECK(status == IG_EVENT_STATUS_QUEUED);
    OK(ig_user_event_complete(gate));
    OK(ig_event_wait(fill, 60 * SECOND));
    OK(ig_buffer_read(buffer, 3999, &byte, 1));
    CHECK(byte == 0x5a);
    ig_event_release(fill);
    ig_event_release(gated);
    ig_user_event_release(gate);
}

int main(int argc, char **argv)
{
    ig_device *device;
    ig_queue *queue;
    ig_program *program;
    ig_kernel *kernel;
    ig_buffer *a, *b, *c, *copy;
    ig_event *added, *copied;
    ig_timestamps times;
    static float x[N], y[N], sum[N];
    const float s = 2;
    const int n = N;
    const float four[4] = {0, 0, 0, 0};
    const char ch = 3;
    size_t size;

    CHECK(argc == 2);
    void *zebin = load(argv[1], &size);
    OK(ig_device_open("soft:tgl", NULL, 0, &device));
    OK(ig_queue_create(device, 0, &queue));
    OK(ig_program_load(device, zebin, size, &program));
    free(zebin);
    CHECK(ig_program_kernel_count(program) >= 1);
    CHECK(strcmp(ig_program_kernel_name(program, 0), "vadd") == 0);
    OK(ig_kernel_create(program, "vadd", &kernel));
    ig_program_release(program);
    CHECK(ig_kernel_arg_count(kernel) == 7 && ig_kernel_sub_group_size(kernel) == 32);

    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 0.5f * (float)i;
    }
    OK(ig_buffer_create(device, sizeof x, &a));
    OK(ig_buffer_create(device, sizeof y, &b));
    OK(ig_buffer_create(device, sizeof sum, &c));
    OK(ig_buffer_create(device, sizeof sum, &copy));
    OK(ig_buffer_write(a, 0, x, sizeof x));
    memcpy(ig_buffer_pointer(b), y, sizeof y);

    OK(ig_kernel_set_buffer(kernel, 0, a));
    OK(ig_kernel_set_buffer(kernel, 1, b));
    OK(ig_kernel_set_buffer(kernel, 2, c));
    OK(ig_kernel_set_value(kernel, 3, &s, sizeof s));
    OK(ig_kernel_set_value(kernel, 4, &n, sizeof n));
    OK(ig_kernel_set_value(kernel, 5, four, sizeof four));
    OK(ig_kernel_set_value(kernel, 6, &ch, sizeof ch));
    ig_range range = {1, {1024, 1, 1}, {0, 0, 0}, {0, 0, 0}};
    OK(ig_enqueue_kernel(queue, kernel, &range, 0, NULL, &added));
    const ig_event *list[1] = {added};
    OK(ig_enqueue_copy_buffer(queue, c, 0, copy, 0, sizeof sum, 1, list, &copied));
    OK(ig_event_wait(copied, 60 * SECOND));
    OK(ig_buffer_read(copy, 0, sum, sizeof sum));
    for (int i = 0; i < N; i++)
        CHECK(sum[i] == x[i] * s + y[i] + (float)ch);
    OK(ig_event_timestamps(added, &times));
    CHECK(times.queued <= times.submitted && times.submitted <= times.started);
    CHECK(times.started <= times.ended);

    mistakes(device, queue, kernel, a);
    user_events(device, queue, copy);
    OK(ig_queue_finish(queue, 60 * SECOND));
    printf("vadd on %s: ok\n", ig_device_platform(device));

    ig_event_release(copied);
    ig_event_release(added);
    ig_buffer_release(copy);
    ig_buffer_release(c);
    ig_buffer_release(b);
    ig_buffer_release(a);
    ig_kernel_release(kernel);
    ig_queue_release(queue);
    ig_device_release(device);
    return 0;
}
