/* Images of every shape: written, read, copied, filled, mapped, read and written by kernels. */
#include "client.h"

static const char *const SOURCE =
	"const sampler_t S = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;\n"
	"__kernel void line(__read_only image1d_t in, __write_only image1d_t out) {\n"
	"    int x = get_global_id(0);\n"
	"    write_imageui(out, x, read_imageui(in, S, x) + 1);\n"
	"}\n"
	"__kernel void texels(__read_only image1d_buffer_t in, __global uint4 *out) {\n"
	"    int x = get_global_id(0);\n"
	"    out[x] = read_imageui(in, x) + (uint4)(get_image_width(in));\n"
	"}\n"
	"__kernel void lines(__read_only image1d_array_t in, __write_only image1d_array_t out) {\n"
	"    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"    write_imageui(out, at, read_imageui(in, S, at) + (uint4)(get_image_array_size(in)));\n"
	"}\n"
	"__kernel void layers(__read_only image2d_array_t in, __write_only image2d_array_t out) {\n"
	"    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
	"    write_imageui(out, at, read_imageui(in, S, at) + (uint4)(get_image_array_size(in)));\n"
	"}\n"
	"__kernel void volume(__read_only image3d_t in, __global uint4 *out) {\n"
	"    int4 at = (int4)(get_global_id(0), get_global_id(1), get_global_id(2), 0);\n"
	"    int4 size = get_image_dim(in);\n"
	"    out[(at.z * size.y + at.y) * size.x + at.x] = read_imageui(in, S, at) + (uint4)(size.z);\n"
	"}\n"
	"__kernel void in_place(read_write image2d_t image) {\n"
	"    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"    write_imageui(image, at, read_imageui(image, at) ^ 0xff);\n"
	"}\n"
	"__kernel void norm(__read_only image2d_t in, __write_only image2d_t out) {\n"
	"    int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
	"    write_imagef(out, at, read_imagef(in, S, at).yxwz);\n"
	"}\n";

struct shape {
	cl_mem image;
	size_t region[3];
	size_t texels;
};

static struct shape shape(struct client *c, cl_mem_object_type type, cl_channel_order order,
			  cl_channel_type channel, size_t x, size_t y, size_t z, const void *data)
{
	cl_image_format format = {order, channel};
	cl_image_desc desc = {0};
	struct shape s = {NULL, {x, y, z}, x * y * z};
	size_t origin[3] = {0, 0, 0};
	cl_int status;
	desc.image_type = type;
	desc.image_width = x;
	desc.image_height = y;
	desc.image_depth = type == CL_MEM_OBJECT_IMAGE3D ? z : 1;
	desc.image_array_size = type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? y : z;
	s.image = clCreateImage(c->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
	CHECK(status);
	if (data)
		CHECK(clEnqueueWriteImage(c->queue, s.image, CL_TRUE, origin, s.region, 0, 0, data, 0,
					  NULL, NULL));
	return s;
}

static void read_shape(struct client *c, const struct shape *s, void *out)
{
	size_t origin[3] = {0, 0, 0};
	CHECK(clEnqueueReadImage(c->queue, s->image, CL_TRUE, origin, s->region, 0, 0, out, 0, NULL,
				 NULL));
}

static void launch(struct client *c, const char *name, const struct shape *s, cl_mem target,
		   cl_uint dimensions)
{
	cl_kernel k = client_kernel(c, name);
	CHECK(clSetKernelArg(k, 0, sizeof s->image, &s->image));
	if (target)
		CHECK(clSetKernelArg(k, 1, sizeof target, &target));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, dimensions, NULL, s->region, NULL, 0, NULL, NULL));
	clReleaseKernel(k);
}

enum { MOST = 1 << 14 };
static cl_uint in[MOST], out[MOST], want[MOST];

static void number(size_t count)
{
	for (size_t i = 0; i < count; i++)
		in[i] = (cl_uint)i * 2654435761u;
}

static void check_add(struct client *c, const char *what, cl_mem_object_type type, size_t x, size_t y,
		      size_t z, const char *kernel, cl_uint dimensions, cl_uint plus)
{
	number(x * y * z);
	struct shape a = shape(c, type, CL_R, CL_UNSIGNED_INT32, x, y, z, in);
	struct shape b = shape(c, type, CL_R, CL_UNSIGNED_INT32, x, y, z, NULL);
	read_shape(c, &a, out);
	expect_words(what, out, in, a.texels);
	launch(c, kernel, &a, b.image, dimensions);
	read_shape(c, &b, out);
	for (size_t i = 0; i < a.texels; i++)
		want[i] = in[i] + plus;
	expect_words(what, out, want, a.texels);
	clReleaseMemObject(a.image);
	clReleaseMemObject(b.image);
}

static void one_dimension(struct client *c)
{
	check_add(c, "1D", CL_MEM_OBJECT_IMAGE1D, 333, 1, 1, "line", 1, 1);
}

static void arrays(struct client *c)
{
	check_add(c, "1D array", CL_MEM_OBJECT_IMAGE1D_ARRAY, 61, 7, 1, "lines", 2, 7);
	check_add(c, "2D array", CL_MEM_OBJECT_IMAGE2D_ARRAY, 37, 19, 5, "layers", 3, 5);
}

static void volumes(struct client *c)
{
	enum { X = 21, Y = 13, Z = 9 };
	number(X * Y * Z * 4);
	struct shape a = shape(c, CL_MEM_OBJECT_IMAGE3D, CL_RGBA, CL_UNSIGNED_INT32, X, Y, Z, in);
	cl_mem buffer = client_buffer(c, X * Y * Z * 16, NULL);
	read_shape(c, &a, out);
	expect_words("3D", out, in, X * Y * Z * 4);
	launch(c, "volume", &a, buffer, 3);
	client_read(c, buffer, X * Y * Z * 16, out);
	for (size_t i = 0; i < X * Y * Z * 4; i++)
		want[i] = in[i] + Z;
	expect_words("3D read by a kernel", out, want, X * Y * Z * 4);
	clReleaseMemObject(buffer);
	clReleaseMemObject(a.image);
}

static void of_a_buffer(struct client *c)
{
	enum { X = 200 };
	cl_image_format format = {CL_RGBA, CL_UNSIGNED_INT8};
	cl_image_desc desc = {0};
	cl_int status;
	number(X);
	cl_mem buffer = client_buffer(c, X * 4, in), result = client_buffer(c, X * 16, NULL);
	desc.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER;
	desc.image_width = X;
	desc.buffer = buffer;
	struct shape s = {NULL, {X, 1, 1}, X};
	s.image = clCreateImage(c->context, CL_MEM_READ_ONLY, &format, &desc, NULL, &status);
	CHECK(status);
	launch(c, "texels", &s, result, 1);
	client_read(c, result, X * 16, out);
	for (size_t i = 0; i < X * 4; i++)
		want[i] = (in[i / 4] >> i % 4 * 8 & 0xff) + X;
	expect_words("image of a buffer", out, want, X * 4);
	clReleaseMemObject(s.image);
	clReleaseMemObject(buffer);
	clReleaseMemObject(result);
}

/* A box from image to image, to a buffer and back into an image. */
static void copies(struct client *c)
{
	enum { X = 40, Y = 25, Z = 4, BX = 17, BY = 11, BZ = 2 };
	size_t from[3] = {5, 3, 1}, to[3] = {9, 8, 2}, zero[3] = {0, 0, 0}, box[3] = {BX, BY, BZ};
	const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};
	number(X * Y * Z);
	for (size_t t = 0; t < 2; t++) {
		static cl_uint blank[X * Y * Z];
		struct shape a = shape(c, types[t], CL_RGBA, CL_UNSIGNED_INT8, X, Y, Z, in);
		struct shape b = shape(c, types[t], CL_RGBA, CL_UNSIGNED_INT8, X, Y, Z, blank);
		struct shape d = shape(c, types[t], CL_RGBA, CL_UNSIGNED_INT8, X, Y, Z, blank);
		cl_mem buffer = client_buffer(c, BX * BY * BZ * 4 + 256, NULL);
		CHECK(clEnqueueCopyImage(c->queue, a.image, b.image, from, to, box, 0, NULL, NULL));
		CHECK(clEnqueueCopyImageToBuffer(c->queue, b.image, buffer, to, box, 128, 0, NULL, NULL));
		CHECK(clEnqueueCopyBufferToImage(c->queue, buffer, d.image, 128, zero, box, 0, NULL,
						 NULL));
		for (int target = 0; target < 2; target++) {
			const size_t *at = target ? zero : to;
			memset(want, 0, X * Y * Z * 4);
			for (size_t z = 0; z < BZ; z++)
				for (size_t y = 0; y < BY; y++)
					for (size_t x = 0; x < BX; x++)
						want[((z + at[2]) * Y + y + at[1]) * X + x + at[0]] =
							in[((z + 1) * Y + y + 3) * X + x + 5];
			read_shape(c, target ? &d : &b, out);
			expect_words("copied box", out, want, X * Y * Z);
		}
		clReleaseMemObject(buffer);
		clReleaseMemObject(a.image);
		clReleaseMemObject(b.image);
		clReleaseMemObject(d.image);
	}
}

static void fills(struct client *c)
{
	enum { X = 30, Y = 18 };
	const cl_uint color[4] = {1, 2, 3, 4};
	const float half[4] = {0.5f, 1.0f, 0.0f, 0.2f};
	size_t origin[3] = {4, 5, 0}, box[3] = {13, 7, 1};
	number(X * Y);
	for (int floats = 0; floats < 2; floats++) {
		struct shape s = shape(c, CL_MEM_OBJECT_IMAGE2D, CL_RGBA,
				       floats ? CL_UNORM_INT8 : CL_UNSIGNED_INT8, X, Y, 1, in);
		CHECK(clEnqueueFillImage(c->queue, s.image, floats ? (const void *)half : color, origin,
					 box, 0, NULL, NULL));
		memcpy(want, in, sizeof in);
		for (size_t y = 0; y < box[1]; y++)
			for (size_t x = 0; x < box[0]; x++)
				want[(y + origin[1]) * X + x + origin[0]] =
					floats ? 0x3300ff80 : 0x04030201;
		read_shape(c, &s, out);
		/* 0.5 * 255 may round to either side. */
		for (size_t i = 0; floats && i < X * Y; i++)
			if (out[i] == 0x3300ff7f)
				out[i] = 0x3300ff80;
		expect_words("filled image", out, want, X * Y);
		clReleaseMemObject(s.image);
	}
}

static void maps(struct client *c)
{
	enum { X = 50, Y = 20 };
	size_t origin[3] = {3, 4, 0}, box[3] = {20, 9, 1}, pitch = 0;
	cl_int status;
	number(X * Y);
	struct shape s = shape(c, CL_MEM_OBJECT_IMAGE2D, CL_R, CL_UNSIGNED_INT32, X, Y, 1, in);
	char *rows = clEnqueueMapImage(c->queue, s.image, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, origin,
				       box, &pitch, NULL, 0, NULL, NULL, &status);
	CHECK(status);
	memcpy(want, in, sizeof in);
	for (size_t y = 0; y < box[1]; y++) {
		cl_uint *row = (cl_uint *)(rows + y * pitch);
		expect_words("mapped row", row, in + (y + 4) * X + 3, box[0]);
		for (size_t x = 0; x < box[0]; x++)
			want[(y + 4) * X + x + 3] = row[x] = (cl_uint)(y << 16 | x);
	}
	CHECK(clEnqueueUnmapMemObject(c->queue, s.image, rows, 0, NULL, NULL));
	read_shape(c, &s, out);
	expect_words("after unmap", out, want, X * Y);
	launch(c, "in_place", &s, NULL, 2);
	for (size_t i = 0; i < X * Y; i++)
		want[i] ^= 0xff;
	read_shape(c, &s, out);
	expect_words("changed in place", out, want, X * Y);
	clReleaseMemObject(s.image);
}

static void formats(struct client *c)
{
	enum { X = 16, Y = 8 };
	static const struct {
		cl_channel_order order;
		cl_channel_type type;
		size_t words;
	} FORMATS[] = {
		{CL_RGBA, CL_UNORM_INT8, 1}, {CL_RGBA, CL_UNORM_INT16, 2}, {CL_RGBA, CL_FLOAT, 4},
		{CL_BGRA, CL_UNORM_INT8, 1},
	};
	for (size_t f = 0; f < sizeof FORMATS / sizeof *FORMATS; f++) {
		size_t words = X * Y * FORMATS[f].words;
		number(words);
		for (size_t i = 0; FORMATS[f].type == CL_FLOAT && i < words; i++) {
			float value = (float)i / 7;
			memcpy(&in[i], &value, 4);
		}
		struct shape a = shape(c, CL_MEM_OBJECT_IMAGE2D, FORMATS[f].order, FORMATS[f].type, X, Y,
				       1, in);
		struct shape b = shape(c, CL_MEM_OBJECT_IMAGE2D, FORMATS[f].order, FORMATS[f].type, X, Y,
				       1, NULL);
		launch(c, "norm", &a, b.image, 2);
		launch(c, "norm", &b, a.image, 2);
		read_shape(c, &a, out);
		expect_words("format twice swizzled", out, in, words);
		clReleaseMemObject(a.image);
		clReleaseMemObject(b.image);
	}
}

int main(int argc, char **argv)
{
	static const struct test TESTS[] = {
		{"one-dimension", one_dimension}, {"arrays", arrays}, {"volumes", volumes},
		{"of-a-buffer", of_a_buffer}, {"copies", copies}, {"fills", fills},
		{"maps", maps}, {"formats", formats},
	};
	return client_main(argc, argv, SOURCE, "-cl-std=CL2.0", TESTS, sizeof TESTS / sizeof *TESTS);
}
