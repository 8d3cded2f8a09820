/* Images of every kind: made, written, copied, filled, mapped, sampled, and what is refused. */
#include "check.h"

static cl_context context;
static cl_command_queue queue;
static const cl_image_format rgba8 = {CL_RGBA, CL_UNSIGNED_INT8}, r32f = {CL_R, CL_FLOAT};

static cl_mem image_of(cl_image_desc desc, const cl_image_format *format, cl_mem_flags flags,
                       void *host) {
    cl_mem image = clCreateImage(context, flags, format, &desc, host, &error);
    DONE(error);
    return image;
}

/* Every kind: written with pitches, copied, read back, mapped. */
static void kinds(void) {
    cl_image_desc all[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE1D, .image_width = 37},
        {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 37, .image_array_size = 5},
        {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 37, .image_height = 9},
        {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 37, .image_height = 9,
         .image_array_size = 3},
        {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 37, .image_height = 9, .image_depth = 3},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        cl_image_desc desc = all[k];
        size_t rows = desc.image_height ? desc.image_height : 1, slices = 1;
        if (desc.image_depth)
            slices = desc.image_depth;
        if (desc.image_array_size)
            slices = desc.image_array_size;
        size_t region[] = {37, rows, slices}, zero[] = {0, 0, 0};
        if (desc.image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY)
            region[1] = slices, region[2] = 1;
        size_t row = 37 * 4 + 12, slice = row * rows;
        int sliced = slices > 1;
        unsigned char *host = malloc(slice * slices), *back = malloc(37 * 4 * rows * slices);
        for (size_t i = 0; i < slice * slices; i++)
            host[i] = (unsigned char)(i * 11 + i / 251);
        cl_mem a = image_of(desc, &rgba8, CL_MEM_READ_WRITE, NULL);
        desc.image_row_pitch = row;
        desc.image_slice_pitch = sliced ? slice : 0;
        cl_mem copied = image_of(desc, &rgba8, CL_MEM_COPY_HOST_PTR, host);
        DONE(clEnqueueWriteImage(queue, a, CL_TRUE, zero, region, row, sliced ? slice : 0, host, 0,
                                 NULL, NULL));
        cl_mem b = image_of(all[k], &rgba8, CL_MEM_READ_WRITE, NULL);
        DONE(clEnqueueCopyImage(queue, a, b, zero, zero, region, 0, NULL, NULL));
        cl_mem each[] = {a, b, copied};
        for (int i = 0; i < 3; i++) {
            memset(back, 0xee, 37 * 4 * rows * slices);
            DONE(clEnqueueReadImage(queue, each[i], CL_TRUE, zero, region, 0, 0, back, 0, NULL, NULL));
            for (size_t z = 0; z < slices; z++)
                for (size_t y = 0; y < rows; y++)
                    if (memcmp(back + (z * rows + y) * 37 * 4, host + z * slice + y * row, 37 * 4))
                        FAIL("kind %zu, image %d, slice %zu, row %zu", k, i, z, y);
        }
        /* Through a buffer, and back. */
        size_t bytes = 37 * 4 * rows * slices;
        cl_mem buffer = buffer_of(context, CL_MEM_READ_WRITE, bytes + 64, NULL);
        DONE(clEnqueueCopyImageToBuffer(queue, a, buffer, zero, region, 64, 0, NULL, NULL));
        cl_uint four[] = {1, 2, 3, 4};
        DONE(clEnqueueFillImage(queue, b, four, zero, region, 0, NULL, NULL));
        DONE(clEnqueueReadImage(queue, b, CL_TRUE, zero, region, 0, 0, back, 0, NULL, NULL));
        for (size_t i = 0; i < bytes; i++)
            IS(back[i] == i % 4 + 1);
        DONE(clEnqueueCopyBufferToImage(queue, buffer, b, 64, zero, region, 0, NULL, NULL));
        /* A map of a part: written, and seen by the next read. */
        size_t at[] = {3, 0, 0}, part[] = {5, region[1], region[2]}, row_pitch, slice_pitch = 0;
        unsigned char *map = clEnqueueMapImage(queue, b, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, part,
                                               &row_pitch, &slice_pitch, 0, NULL, NULL, &error);
        DONE(error);
        IS(!memcmp(map, host + 12, 20));
        IS(row_pitch >= 20);
        IS((slice_pitch != 0) == sliced);
        map[0] = 0xab;
        DONE(clEnqueueUnmapMemObject(queue, b, map, 0, NULL, NULL));
        DONE(clEnqueueReadImage(queue, b, CL_TRUE, at, part, 0, 0, back, 0, NULL, NULL));
        IS(back[0] == 0xab && back[1] == host[13]);
        for (int i = 0; i < 3; i++)
            DONE(clReleaseMemObject(each[i]));
        DONE(clReleaseMemObject(buffer));
        free(host);
        free(back);
    }
}

static void kernels(cl_program program) {
    enum { W = 20, H = 6 };
    cl_kernel sample = kernel_of(program, "sample"), store = kernel_of(program, "store");
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = W, .image_height = H};
    static float texels[W * H] __attribute__((aligned(64)));
    for (int i = 0; i < W * H; i++)
        texels[i] = i;
    desc.image_row_pitch = W * 4;
    cl_mem from = image_of(desc, &r32f, CL_MEM_USE_HOST_PTR | CL_MEM_READ_ONLY, texels);
    desc.image_row_pitch = 0;
    cl_mem to = image_of(desc, &r32f, CL_MEM_WRITE_ONLY, NULL);
    cl_sampler clamp = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_LINEAR,
                                       &error);
    DONE(error);
    GIVES(CL_INVALID_ARG_VALUE, clSetKernelArg(sample, 0, sizeof to, &to));
    GIVES(CL_INVALID_SAMPLER, clSetKernelArg(sample, 1, sizeof to, &to));
    DONE(clSetKernelArg(sample, 0, sizeof from, &from));
    DONE(clSetKernelArg(sample, 1, sizeof clamp, &clamp));
    cl_mem buffer = buffer_of(context, CL_MEM_READ_WRITE, sizeof texels, NULL);
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(sample, 0, sizeof buffer, &buffer));
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(sample, 2, sizeof from, &from));
    cl_image_desc deep = {
        .image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = W, .image_height = H, .image_depth = 2};
    cl_mem volume = image_of(deep, &r32f, CL_MEM_READ_ONLY, NULL);
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(sample, 0, sizeof volume, &volume));
    DONE(clReleaseMemObject(volume));
    cl_mem none = NULL;
    GIVES(CL_INVALID_MEM_OBJECT, clSetKernelArg(sample, 0, sizeof none, &none));
    DONE(clSetKernelArg(sample, 2, sizeof buffer, &buffer));
    size_t global[] = {W, H};
    DONE(clEnqueueNDRangeKernel(queue, sample, 2, NULL, global, NULL, 0, NULL, NULL));
    float got[W * H];
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < W * H; i++) {
        /* Half a texel to the right, clamped at the edge. */
        float want = i % W == W - 1 ? texels[i] : texels[i] + 0.5f;
        if (got[i] != want)
            FAIL("sample %d: %f, not %f", i, got[i], want);
    }
    DONE(clSetKernelArg(store, 0, sizeof to, &to));
    DONE(clEnqueueNDRangeKernel(queue, store, 2, NULL, global, NULL, 0, NULL, NULL));
    size_t zero[] = {0, 0, 0}, region[] = {W, H, 1};
    DONE(clEnqueueReadImage(queue, to, CL_TRUE, zero, region, 0, 0, got, 0, NULL, NULL));
    for (int i = 0; i < W * H; i++)
        IS(got[i] == i / W * 100 + i % W);
    GIVES(CL_INVALID_VALUE, clEnqueueReadImage(queue, to, CL_TRUE, zero, region, (size_t)-1 / 4, 0,
                                               got, 0, NULL, NULL));
    IS(!clCreateImage2D(context, CL_MEM_USE_HOST_PTR, &r32f, W, H, W * 4 - 4, texels, &error));
    GIVES(CL_INVALID_IMAGE_SIZE, error);
    DONE(clReleaseSampler(clamp));
    DONE(clReleaseKernel(sample));
    DONE(clReleaseKernel(store));
    DONE(clReleaseMemObject(from));
    DONE(clReleaseMemObject(to));
    DONE(clReleaseMemObject(buffer));
}

/* Layers and slices as kernels see them: written by one device, read by the next. */
static void layers(cl_program program) {
    enum { W = 20, H = 6, D = 5 };
    static const struct { const char *name; int is_volume; } all[] = {{"array", 0}, {"volume", 1}};
    for (int k = 0; k < 2; k++) {
        cl_image_desc desc = {.image_width = W, .image_height = H};
        desc.image_type = all[k].is_volume ? CL_MEM_OBJECT_IMAGE3D : CL_MEM_OBJECT_IMAGE2D_ARRAY;
        *(all[k].is_volume ? &desc.image_depth : &desc.image_array_size) = D;
        static float texels[W * H * D], got[W * H * D];
        for (int i = 0; i < W * H * D; i++)
            texels[i] = i;
        for (int is_host = 0; is_host < 2; is_host++) {
            cl_mem_flags flags = is_host ? CL_MEM_USE_HOST_PTR : CL_MEM_COPY_HOST_PTR;
            cl_mem image = image_of(desc, &r32f, flags, texels);
            cl_mem buffer = buffer_of(context, CL_MEM_READ_WRITE, sizeof texels, NULL);
            cl_kernel kernel = kernel_of(program, all[k].name);
            DONE(clSetKernelArg(kernel, 0, sizeof image, &image));
            DONE(clSetKernelArg(kernel, 1, sizeof buffer, &buffer));
            size_t global[] = {W, H, D};
            DONE(clEnqueueNDRangeKernel(queue, kernel, 3, NULL, global, NULL, 0, NULL, NULL));
            DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
            for (int i = 0; i < W * H * D; i++)
                if (got[i] != i)
                    FAIL("%s %d: texel %d is %f", all[k].name, is_host, i, got[i]);
            /* A map brings it back to the program's memory. */
            float color[] = {0.5f, 0, 0, 0};
            size_t at[] = {2, 1, 3}, one[] = {1, 1, 1}, pitch, slice;
            DONE(clEnqueueFillImage(queue, image, color, at, one, 0, NULL, NULL));
            float *map = clEnqueueMapImage(queue, image, CL_TRUE, CL_MAP_READ, at, one, &pitch, &slice,
                                           0, NULL, NULL, &error);
            DONE(error);
            IS(*map == 0.5f);
            IS(!is_host || map == &texels[(3 * H + 1) * W + 2]);
            DONE(clEnqueueUnmapMemObject(queue, image, map, 0, NULL, NULL));
            DONE(clFinish(queue));
            texels[(3 * H + 1) * W + 2] = (3 * H + 1) * W + 2;
            DONE(clReleaseKernel(kernel));
            DONE(clReleaseMemObject(image));
            DONE(clReleaseMemObject(buffer));
        }
    }
}

/* An image of an image: the same texels, as sRGB and not. */
static void of_images(void) {
    static const cl_image_format plain = {CL_RGBA, CL_UNORM_INT8}, srgb = {CL_sRGBA, CL_UNORM_INT8};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 4};
    cl_mem image = image_of(desc, &plain, 0, NULL);
    desc.mem_object = image;
    cl_mem other = image_of(desc, &srgb, CL_MEM_READ_ONLY, NULL);
    cl_mem of = NULL;
    DONE(clGetMemObjectInfo(other, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof of, &of, NULL));
    IS(of == image);
    unsigned char texels[16 * 4 * 4], got[16 * 4 * 4];
    for (size_t i = 0; i < sizeof texels; i++)
        texels[i] = i * 3;
    size_t zero[] = {0, 0, 0}, all[] = {16, 4, 1};
    DONE(clEnqueueWriteImage(queue, image, CL_TRUE, zero, all, 0, 0, texels, 0, NULL, NULL));
    DONE(clEnqueueReadImage(queue, other, CL_TRUE, zero, all, 0, 0, got, 0, NULL, NULL));
    IS(memcmp(texels, got, sizeof got) == 0);
    static const cl_image_format bad[] = {
        {CL_RGBA, CL_UNSIGNED_INT8}, {CL_sBGRA, CL_UNORM_INT8}, {CL_R, CL_UNSIGNED_INT32}};
    for (int i = 0; i < 3; i++) {
        IS(!clCreateImage(context, CL_MEM_READ_ONLY, &bad[i], &desc, NULL, &error));
        GIVES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, error);
    }
    desc.image_height = 3;
    IS(!clCreateImage(context, CL_MEM_READ_ONLY, &srgb, &desc, NULL, &error));
    GIVES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, error);
    DONE(clReleaseMemObject(image));
    /* The other one keeps the texels. */
    DONE(clEnqueueReadImage(queue, other, CL_TRUE, zero, all, 0, 0, got, 0, NULL, NULL));
    IS(memcmp(texels, got, sizeof got) == 0);
    DONE(clReleaseMemObject(other));
}

static void of_buffers(void) {
    cl_mem buffer = buffer_of(context, CL_MEM_READ_WRITE, 64 * 16, NULL);
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 16,
                          .image_row_pitch = 64, .buffer = buffer};
    cl_mem image = image_of(desc, &rgba8, 0, NULL);
    cl_uint color[] = {9, 8, 7, 6};
    size_t at[] = {2, 3, 0}, one[] = {1, 1, 1};
    DONE(clEnqueueFillImage(queue, image, color, at, one, 0, NULL, NULL));
    unsigned char texel[4];
    DONE(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 3 * 64 + 2 * 4, 4, texel, 0, NULL, NULL));
    IS(texel[0] == 9 && texel[3] == 6);
    cl_mem of;
    DONE(clGetImageInfo(image, CL_IMAGE_BUFFER, sizeof of, &of, NULL));
    IS(of == buffer);
    desc.image_height = 17;
    IS(!clCreateImage(context, 0, &rgba8, &desc, NULL, &error));
    GIVES(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, error);
    /* Rows begin at multiples of the alignment. */
    cl_uint alignment;
    DONE(clGetDeviceInfo(devices[0], CL_DEVICE_IMAGE_PITCH_ALIGNMENT, sizeof alignment, &alignment, NULL));
    desc.image_height = 2;
    for (size_t texels = 17; texels < 26; texels++) {
        desc.image_row_pitch = texels * 4;
        cl_mem rows = clCreateImage(context, 0, &rgba8, &desc, NULL, &error);
        GIVES(texels % alignment ? CL_INVALID_IMAGE_FORMAT_DESCRIPTOR : CL_SUCCESS, error);
        if (rows)
            DONE(clReleaseMemObject(rows));
    }
    cl_image_desc line = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 256,
                          .buffer = buffer};
    cl_mem row = image_of(line, &rgba8, 0, NULL);
    line.image_width = 257;
    IS(!clCreateImage(context, 0, &rgba8, &line, NULL, &error));
    GIVES(CL_INVALID_IMAGE_SIZE, error);
    DONE(clReleaseMemObject(row));
    DONE(clReleaseMemObject(image));
    DONE(clReleaseMemObject(buffer));
}

/* Channels of images of buffers stand where the order of channels says. */
static void channels(cl_program program) {
    const cl_uchar texels[] = {0, 255};
    cl_mem buffer = buffer_of(context, CL_MEM_COPY_HOST_PTR, sizeof texels, (void *)texels);
    cl_mem to = buffer_of(context, 0, 16, NULL);
    const struct { cl_channel_order order; float want[4]; } all[] = {
        {CL_R, {1, 0, 0, 1}}, {CL_A, {0, 0, 0, 1}}, {CL_INTENSITY, {1, 1, 1, 1}}, {CL_LUMINANCE, {1, 1, 1, 1}}};
    for (int i = 0; i < 4; i++) {
        cl_image_format format = {all[i].order, CL_UNORM_INT8};
        cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 2, .buffer = buffer};
        cl_mem image = image_of(desc, &format, CL_MEM_READ_ONLY, NULL);
        cl_kernel row = kernel_of(program, "row");
        size_t one = 1;
        float got[4];
        DONE(clSetKernelArg(row, 0, sizeof image, &image));
        DONE(clSetKernelArg(row, 1, sizeof to, &to));
        DONE(clEnqueueNDRangeKernel(queue, row, 1, NULL, &one, NULL, 0, NULL, NULL));
        DONE(clEnqueueReadBuffer(queue, to, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        if (memcmp(got, all[i].want, sizeof got) != 0)
            FAIL("order %x: %g %g %g %g", all[i].order, got[0], got[1], got[2], got[3]);
        DONE(clReleaseKernel(row));
        DONE(clReleaseMemObject(image));
    }
    DONE(clReleaseMemObject(to));
    DONE(clReleaseMemObject(buffer));
}

static void refused(void) {
    cl_image_desc good = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 8, .image_height = 8};
    cl_image_format odd = {CL_RGB, CL_UNORM_INT8}, unknown = {1, 2}, pairs = {CL_INTENSITY, CL_SIGNED_INT8},
                    packed = {CL_RGB, CL_UNORM_SHORT_565}, alpha_first = {CL_ARGB, CL_UNORM_INT8};
    struct { cl_image_desc desc; const cl_image_format *format; cl_mem_flags flags; cl_int code; }
    bad[] = {
        {good, &odd, 0, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {good, &unknown, 0, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {good, NULL, 0, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {good, &pairs, 0, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR},
        {good, &packed, 0, CL_IMAGE_FORMAT_NOT_SUPPORTED},
        {good, &alpha_first, 0, CL_IMAGE_FORMAT_NOT_SUPPORTED},
        {good, &rgba8, CL_MEM_COPY_HOST_PTR, CL_INVALID_HOST_PTR},
        {good, &rgba8, CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY, CL_INVALID_VALUE},
        {good, &rgba8, 0, CL_INVALID_IMAGE_SIZE},
        {good, &rgba8, 0, CL_INVALID_IMAGE_DESCRIPTOR},
        {good, &rgba8, 0, CL_INVALID_IMAGE_DESCRIPTOR},
        {good, &rgba8, 0, CL_INVALID_IMAGE_DESCRIPTOR},
    };
    bad[8].desc.image_width = 1 << 20;
    bad[9].desc.image_row_pitch = 32;
    bad[10].desc.num_mip_levels = 2;
    bad[11].desc.image_type = CL_MEM_OBJECT_BUFFER;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        IS(!clCreateImage(context, bad[i].flags, bad[i].format, &bad[i].desc, NULL, &error));
        if (error != bad[i].code)
            FAIL("case %zu: %d, not %d", i, error, bad[i].code);
    }
    cl_mem image = image_of(good, &rgba8, 0, NULL), other = image_of(good, &r32f, 0, NULL);
    size_t zero[] = {0, 0, 0}, all[] = {8, 8, 1}, more[] = {8, 8, 2}, one[] = {1, 1, 1};
    unsigned char bytes[8 * 8 * 4];
    GIVES(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, zero, more, 0, 0, bytes, 0, NULL,
                                               NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, one, all, 0, 0, bytes, 0, NULL,
                                               NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 31, 0, bytes, 0, NULL,
                                               NULL));
    GIVES(CL_INVALID_VALUE, clEnqueueReadImage(queue, image, CL_TRUE, zero, all, 0, 256, bytes, 0,
                                               NULL, NULL));
    GIVES(CL_IMAGE_FORMAT_MISMATCH, clEnqueueCopyImage(queue, image, other, zero, zero, one, 0, NULL,
                                                       NULL));
    GIVES(CL_MEM_COPY_OVERLAP, clEnqueueCopyImage(queue, image, image, zero, zero, one, 0, NULL, NULL));
    size_t height;
    DONE(clGetImageInfo(image, CL_IMAGE_HEIGHT, sizeof height, &height, NULL));
    IS(height == 8);
    GIVES(CL_INVALID_MEM_OBJECT, clGetImageInfo(NULL, CL_IMAGE_HEIGHT, sizeof height, &height, NULL));
    DONE(clReleaseMemObject(image));
    DONE(clReleaseMemObject(other));
    cl_image_format formats[256];
    cl_uint count;
    DONE(clGetSupportedImageFormats(context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 256, formats,
                                    &count));
    IS(count > 20 && count <= 256);
    for (cl_uint i = 0; i < count; i++) {
        cl_mem made = image_of(good, &formats[i], CL_MEM_READ_WRITE, NULL);
        DONE(clReleaseMemObject(made));
    }
}

int main(void) {
    context = begin();
    cl_bool has_images;
    DONE(clGetDeviceInfo(devices[0], CL_DEVICE_IMAGE_SUPPORT, sizeof has_images, &has_images, NULL));
    IS(has_images);
    cl_program program = built(
        context,
        "kernel void sample(read_only image2d_t from, sampler_t how, global float *to) {\n"
        "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
        "    float2 between = convert_float2(at) + (float2)(1.0f, 0.5f);\n"
        "    to[at.y * get_global_size(0) + at.x] = read_imagef(from, how, between).x;\n"
        "}\n"
        "kernel void store(write_only image2d_t to) {\n"
        "    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
        "    write_imagef(to, at, (float4)(at.y * 100 + at.x, 0, 0, 0));\n"
        "}\n"
        "#define BODY { int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\\\n"
        "    size_t row = get_global_size(0), slice = row * get_global_size(1);\\\n"
        "    to[at.z * slice + at.y * row + at.x] = read_imagef(from, at).x; }\n"
        "kernel void row(read_only image1d_buffer_t from, global float4 *to) { *to = read_imagef(from, 1); }\n"
        "kernel void array(read_only image2d_array_t from, global float *to) BODY\n"
        "kernel void volume(read_only image3d_t from, global float *to) BODY\n",
        "");
    for (cl_uint d = 0; d < device_count; d++) {
        queue = queue_of(context, devices[d], 0);
        kinds();
        kernels(program);
        layers(program);
        of_images();
        of_buffers();
        channels(program);
        refused();
        DONE(clReleaseCommandQueue(queue));
    }
    DONE(clReleaseProgram(program));
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
