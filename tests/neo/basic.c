/* Buffers, local memory with a barrier, sub-group block access, a three-dimensional range. */
#include "client.h"

static const char *const SOURCE =
	"__kernel void axpy(__global const uint *x, __global uint *y, uint a) {\n"
	"    size_t i = get_global_id(0);\n"
	"    y[i] = a * x[i] + y[i];\n"
	"}\n"
	"__kernel void reverse(__global const uint *in, __global uint *out, __local uint *tile) {\n"
	"    uint l = get_local_id(0), n = get_local_size(0);\n"
	"    tile[l] = in[get_global_id(0)];\n"
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"
	"    out[get_global_id(0)] = tile[n - 1 - l] + (uint)get_group_id(0);\n"
	"}\n"
	"__attribute__((intel_reqd_sub_group_size(16)))\n"
	"__kernel void blocks(__global const uint *in, __global uint *out, uint a) {\n"
	"    size_t at = get_group_id(0) * get_local_size(0) + get_sub_group_id() * 16;\n"
	"    uint v = intel_sub_group_block_read(in + at);\n"
	"    v += a * get_sub_group_size() + intel_sub_group_shuffle(v, 3);\n"
	"    intel_sub_group_block_write(out + at, v);\n"
	"}\n"
	"__kernel void range(__global uint *out) {\n"
	"    size_t x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
	"    size_t at = (z * get_global_size(1) + y) * get_global_size(0) + x;\n"
	"    out[at] = x | y << 8 | z << 16 | get_local_id(0) << 24 | get_local_id(2) << 28;\n"
	"}\n";

static void axpy(struct client *c)
{
	enum { N = 1000 };
	cl_uint x[N], y[N], want[N], a = 7;
	size_t global = N;
	for (cl_uint i = 0; i < N; i++) {
		x[i] = i * 2654435761u;
		y[i] = i ^ 0x5a5a5a5a;
		want[i] = a * x[i] + y[i];
	}
	cl_mem bx = client_buffer(c, sizeof x, x), by = client_buffer(c, sizeof y, y);
	cl_kernel k = client_kernel(c, "axpy");
	CHECK(clSetKernelArg(k, 0, sizeof bx, &bx));
	CHECK(clSetKernelArg(k, 1, sizeof by, &by));
	CHECK(clSetKernelArg(k, 2, sizeof a, &a));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
	client_read(c, by, sizeof y, y);
	expect_words("axpy", y, want, N);
	clReleaseKernel(k);
	clReleaseMemObject(bx);
	clReleaseMemObject(by);
}

static void local_memory(struct client *c)
{
	enum { N = 2048, L = 128 };
	cl_uint in[N], out[N], want[N];
	size_t global = N, local = L;
	for (cl_uint i = 0; i < N; i++)
		in[i] = i * 2246822519u;
	for (cl_uint i = 0; i < N; i++)
		want[i] = in[i / L * L + (L - 1 - i % L)] + i / L;
	cl_mem bi = client_buffer(c, sizeof in, in), bo = client_buffer(c, sizeof out, NULL);
	cl_kernel k = client_kernel(c, "reverse");
	CHECK(clSetKernelArg(k, 0, sizeof bi, &bi));
	CHECK(clSetKernelArg(k, 1, sizeof bo, &bo));
	CHECK(clSetKernelArg(k, 2, L * sizeof(cl_uint), NULL));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
	client_read(c, bo, sizeof out, out);
	expect_words("local memory", out, want, N);
	clReleaseKernel(k);
	clReleaseMemObject(bi);
	clReleaseMemObject(bo);
}

static void sub_group_blocks(struct client *c)
{
	enum { N = 1024, L = 64 };
	cl_uint in[N], out[N], want[N], a = 1000;
	size_t global = N, local = L;
	for (cl_uint i = 0; i < N; i++)
		in[i] = i * 3266489917u;
	for (cl_uint i = 0; i < N; i++)
		want[i] = in[i] + a * 16 + in[i / 16 * 16 + 3];
	cl_mem bi = client_buffer(c, sizeof in, in), bo = client_buffer(c, sizeof out, NULL);
	cl_kernel k = client_kernel(c, "blocks");
	CHECK(clSetKernelArg(k, 0, sizeof bi, &bi));
	CHECK(clSetKernelArg(k, 1, sizeof bo, &bo));
	CHECK(clSetKernelArg(k, 2, sizeof a, &a));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &global, &local, 0, NULL, NULL));
	client_read(c, bo, sizeof out, out);
	expect_words("sub-group blocks", out, want, N);
	clReleaseKernel(k);
	clReleaseMemObject(bi);
	clReleaseMemObject(bo);
}

static void range_3d(struct client *c)
{
	enum { X = 24, Y = 10, Z = 6 };
	static cl_uint out[X * Y * Z], want[X * Y * Z];
	size_t global[3] = {X, Y, Z}, local[3] = {8, 5, 2};
	for (cl_uint z = 0; z < Z; z++)
		for (cl_uint y = 0; y < Y; y++)
			for (cl_uint x = 0; x < X; x++)
				want[(z * Y + y) * X + x] =
					x | y << 8 | z << 16 | (x % 8) << 24 | (z % 2) << 28;
	cl_mem bo = client_buffer(c, sizeof out, NULL);
	cl_kernel k = client_kernel(c, "range");
	CHECK(clSetKernelArg(k, 0, sizeof bo, &bo));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, 3, NULL, global, local, 0, NULL, NULL));
	client_read(c, bo, sizeof out, out);
	expect_words("3-D range", out, want, X * Y * Z);
	clReleaseKernel(k);
	clReleaseMemObject(bo);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{"axpy", axpy},
		{"local-memory", local_memory},
		{"sub-group-blocks", sub_group_blocks},
		{"range-3d", range_3d},
	};
	return client_main(argc, argv, SOURCE, "-cl-std=CL2.0", tests, sizeof tests / sizeof *tests);
}
