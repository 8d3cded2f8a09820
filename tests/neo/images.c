/* Images: uploaded and read back by the runtime's copy kernels, block-read, loaded and sampled. */
#include "client.h"

static const char *const SOURCE =
	"const sampler_t NEAREST = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
	"const sampler_t LINEAR = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;\n"
	"__attribute__((intel_reqd_sub_group_size(16)))\n"
	"__kernel void block_add(__read_only image2d_t in, __write_only image2d_t out, uint a) {\n"
	"    int2 at = (int2)(get_group_id(0) * 16 * 4, get_global_id(1) * 2);\n"
	"    uint2 v = intel_sub_group_block_read2(in, at);\n"
	"    intel_sub_group_block_write2(out, at, v + a);\n"
	"}\n"
	"__kernel void fetch(__read_only image2d_t in, __global uint *out, int width) {\n"
	"    int2 at = (int2)(get_global_id(0), get_global_id(1)) - 1;\n"
	"    uint4 v = read_imageui(in, NEAREST, at);\n"
	"    out[get_global_id(1) * width + get_global_id(0)] = v.x | v.y << 8 | v.z << 16 | v.w << 24;\n"
	"}\n"
	"__kernel void filter(__read_only image2d_t in, __global float *out, float2 step) {\n"
	"    float2 at = (float2)(get_global_id(0), get_global_id(1)) * step;\n"
	"    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);\n"
	"    out[i] = read_imagef(in, LINEAR, at).x;\n"
	"}\n";

static cl_mem image_2d(struct client *c, cl_channel_order order, cl_channel_type type,
		       size_t width, size_t height, const void *data)
{
	cl_image_format format = {order, type};
	cl_image_desc desc = {0};
	cl_int status;
	desc.image_type = CL_MEM_OBJECT_IMAGE2D;
	desc.image_width = width;
	desc.image_height = height;
	cl_mem image = clCreateImage(c->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
	CHECK(status);
	if (data) {
		size_t origin[3] = {0, 0, 0}, region[3] = {width, height, 1};
		CHECK(clEnqueueWriteImage(c->queue, image, CL_TRUE, origin, region, 0, 0, data, 0,
					  NULL, NULL));
	}
	return image;
}

static void read_image(struct client *c, cl_mem image, size_t width, size_t height, void *out)
{
	size_t origin[3] = {0, 0, 0}, region[3] = {width, height, 1};
	CHECK(clEnqueueReadImage(c->queue, image, CL_TRUE, origin, region, 0, 0, out, 0, NULL, NULL));
}

static void upload_and_read_back(struct client *c)
{
	enum { W = 77, H = 33 };
	static cl_uint in[W * H], out[W * H];
	for (cl_uint i = 0; i < W * H; i++)
		in[i] = i * 2654435761u;
	cl_mem image = image_2d(c, CL_R, CL_UNSIGNED_INT32, W, H, in);
	read_image(c, image, W, H, out);
	expect_words("image read back", out, in, W * H);
	clReleaseMemObject(image);
}

static void block_read(struct client *c)
{
	enum { W = 64, H = 32 };
	static cl_uint in[W * H], out[W * H], want[W * H];
	cl_uint a = 12345;
	size_t global[2] = {W, H / 2}, local[2] = {16, 1};
	for (cl_uint i = 0; i < W * H; i++) {
		in[i] = i * 2246822519u;
		want[i] = in[i] + a;
	}
	cl_mem source = image_2d(c, CL_R, CL_UNSIGNED_INT32, W, H, in);
	cl_mem target = image_2d(c, CL_R, CL_UNSIGNED_INT32, W, H, NULL);
	cl_kernel k = client_kernel(c, "block_add");
	CHECK(clSetKernelArg(k, 0, sizeof source, &source));
	CHECK(clSetKernelArg(k, 1, sizeof target, &target));
	CHECK(clSetKernelArg(k, 2, sizeof a, &a));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, 2, NULL, global, local, 0, NULL, NULL));
	read_image(c, target, W, H, out);
	expect_words("image block read", out, want, W * H);
	clReleaseKernel(k);
	clReleaseMemObject(source);
	clReleaseMemObject(target);
}

static void fetch_with_border(struct client *c)
{
	enum { W = 20, H = 12 };
	static cl_uint in[W * H], out[(W + 2) * (H + 2)], want[(W + 2) * (H + 2)];
	size_t global[2] = {W + 2, H + 2};
	cl_int width = W + 2;
	for (cl_uint i = 0; i < W * H; i++)
		in[i] = i * 3266489917u;
	for (int y = -1; y <= H; y++)
		for (int x = -1; x <= W; x++)
			want[(y + 1) * width + x + 1] =
				x >= 0 && x < W && y >= 0 && y < H ? in[y * W + x] : 0;
	cl_mem image = image_2d(c, CL_RGBA, CL_UNSIGNED_INT8, W, H, in);
	cl_mem bo = client_buffer(c, sizeof out, NULL);
	cl_kernel k = client_kernel(c, "fetch");
	CHECK(clSetKernelArg(k, 0, sizeof image, &image));
	CHECK(clSetKernelArg(k, 1, sizeof bo, &bo));
	CHECK(clSetKernelArg(k, 2, sizeof width, &width));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
	client_read(c, bo, sizeof out, out);
	expect_words("image fetch", out, want, sizeof out / 4);
	clReleaseKernel(k);
	clReleaseMemObject(image);
	clReleaseMemObject(bo);
}

static float texel(const float *in, int w, int h, int x, int y)
{
	x = x < 0 ? 0 : x >= w ? w - 1 : x;
	y = y < 0 ? 0 : y >= h ? h - 1 : y;
	return in[y * w + x];
}

static void linear_filter(struct client *c)
{
	enum { W = 16, H = 8, N = 48, M = 20 };
	static float in[W * H], out[N * M];
	cl_float2 step = {{1.125f / N, 1.125f / M}};
	size_t global[2] = {N, M};
	for (int i = 0; i < W * H; i++)
		in[i] = (float)(i * 37 % 101);
	cl_mem image = image_2d(c, CL_R, CL_FLOAT, W, H, in);
	cl_mem bo = client_buffer(c, sizeof out, NULL);
	cl_kernel k = client_kernel(c, "filter");
	CHECK(clSetKernelArg(k, 0, sizeof image, &image));
	CHECK(clSetKernelArg(k, 1, sizeof bo, &bo));
	CHECK(clSetKernelArg(k, 2, sizeof step, &step));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, 2, NULL, global, NULL, 0, NULL, NULL));
	client_read(c, bo, sizeof out, out);
	for (int y = 0; y < M; y++) {
		for (int x = 0; x < N; x++) {
			/* OpenCL C 2.0, section 8.2: linear filtering at u*w - 0.5. */
			float u = x * step.x * W - 0.5f, v = y * step.y * H - 0.5f;
			int i = (int)(u + 1) - 1, j = (int)(v + 1) - 1;
			float a = u - i, b = v - j;
			float want = (1 - a) * (1 - b) * texel(in, W, H, i, j) +
				     a * (1 - b) * texel(in, W, H, i + 1, j) +
				     (1 - a) * b * texel(in, W, H, i, j + 1) +
				     a * b * texel(in, W, H, i + 1, j + 1);
			float got = out[y * N + x], error = got - want;
			/* Filter weights have 8 fractional bits in hardware. */
			if (!(error < 1.0f && error > -1.0f)) {
				printf("FAIL linear filter: (%d,%d) is %g, expected %g\n", x, y,
				       got, want);
				exit(1);
			}
		}
	}
	clReleaseKernel(k);
	clReleaseMemObject(image);
	clReleaseMemObject(bo);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{"upload", upload_and_read_back},
		{"block-read", block_read},
		{"fetch", fetch_with_border},
		{"linear", linear_filter},
	};
	return client_main(argc, argv, SOURCE, "-cl-std=CL2.0", tests, sizeof tests / sizeof *tests);
}
