/* Memory objects: rectangles, fills, maps, sub-buffers, host pointers, shared virtual memory. */
#include "client.h"

static const char *const SOURCE =
	"__kernel void add(__global uint *a, uint b) { a[get_global_id(0)] += b; }\n"
	"__kernel void sum(__global const uint *a, __global const uint *b, __global uint *out) {\n"
	"    size_t i = get_global_id(0);\n"
	"    out[i] = a[i] + b[i] * 3;\n"
	"}\n"
	"struct node { __global struct node *next; uint value; };\n"
	"__kernel void walk(__global struct node *node, __global uint *out) {\n"
	"    uint sum = 0;\n"
	"    for (; node; node = node->next)\n"
	"        sum = sum * 31 + node->value;\n"
	"    out[0] = sum;\n"
	"}\n";

static void run_add(struct client *c, cl_mem buffer, size_t count, cl_uint b)
{
	cl_kernel k = client_kernel(c, "add");
	CHECK(clSetKernelArg(k, 0, sizeof buffer, &buffer));
	CHECK(clSetKernelArg(k, 1, sizeof b, &b));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &count, NULL, 0, NULL, NULL));
	clReleaseKernel(k);
}

/* A box of words moved host to device, device to device, device to host, each with its own
 * origin and pitches. */
static void rectangles(struct client *c)
{
	enum { X = 24, Y = 10, Z = 3, WORDS = X * Y * Z };
	static cl_uint in[WORDS], out[WORDS], want[WORDS];
	size_t box[3] = {4 * 7, 5, 2};
	size_t host_at[3] = {4 * 2, 1, 0}, a_at[3] = {4 * 5, 3, 1}, b_at[3] = {4 * 11, 4, 0};
	size_t back_at[3] = {4 * 1, 2, 1};
	const size_t row = X * 4, slice = X * Y * 4;
	cl_mem a, b;

	for (cl_uint i = 0; i < WORDS; i++) {
		in[i] = i * 2654435761u;
		out[i] = want[i] = 7;
	}
	a = client_buffer(c, sizeof in, out);
	b = client_buffer(c, sizeof in, out);
	CHECK(clEnqueueWriteBufferRect(c->queue, a, CL_FALSE, a_at, host_at, box, row, slice, row,
				       slice, in, 0, NULL, NULL));
	CHECK(clEnqueueCopyBufferRect(c->queue, a, b, a_at, b_at, box, row, slice, row, slice, 0,
				      NULL, NULL));
	CHECK(clEnqueueReadBufferRect(c->queue, b, CL_TRUE, b_at, back_at, box, row, slice, row,
				      slice, out, 0, NULL, NULL));
	for (size_t z = 0; z < 2; z++)
		for (size_t y = 0; y < 5; y++)
			for (size_t x = 0; x < 7; x++)
				want[((z + 1) * Y + y + 2) * X + x + 1] = in[(z * Y + y + 1) * X + x + 2];
	expect_words("rectangle", out, want, WORDS);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
}

static void fills(struct client *c)
{
	enum { BYTES = 1024 };
	static unsigned char out[BYTES], want[BYTES], pattern[128];
	for (size_t i = 0; i < sizeof pattern; i++)
		pattern[i] = (unsigned char)(i * 37 + 11);
	for (size_t size = 1; size <= 128; size *= 2) {
		memset(want, 0xee, BYTES);
		cl_mem buffer = client_buffer(c, BYTES, want);
		size_t from = size * 2, length = size * (size > 64 ? 4 : 5);
		CHECK(clEnqueueFillBuffer(c->queue, buffer, pattern, size, from, length, 0, NULL, NULL));
		for (size_t i = 0; i < length; i++)
			want[from + i] = pattern[i % size];
		client_read(c, buffer, BYTES, out);
		expect_words("fill", (cl_uint *)out, (cl_uint *)want, BYTES / 4);
		clReleaseMemObject(buffer);
	}
}

static void odd_copies(struct client *c)
{
	enum { BYTES = 8192 };
	static unsigned char in[BYTES], out[BYTES], want[BYTES];
	const size_t cases[][3] = {{1, 3, 5}, {0, 64, 4096}, {17, 4000, 4097}, {4, 8, 1023}};
	for (size_t i = 0; i < BYTES; i++)
		in[i] = (unsigned char)(i * 131 >> 3);
	for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
		const size_t *at = cases[n];
		memset(want, 0x55, BYTES);
		cl_mem a = client_buffer(c, BYTES, in), b = client_buffer(c, BYTES, want);
		CHECK(clEnqueueCopyBuffer(c->queue, a, b, at[0], at[1], at[2], 0, NULL, NULL));
		memcpy(want + at[1], in + at[0], at[2]);
		client_read(c, b, BYTES, out);
		expect_words("copy", (cl_uint *)out, (cl_uint *)want, BYTES / 4);
		CHECK(clEnqueueReadBuffer(c->queue, b, CL_TRUE, at[1], at[2], out, 0, NULL, NULL));
		if (memcmp(out, in + at[0], at[2]) != 0) {
			printf("FAIL read of part of a buffer\n");
			exit(1);
		}
		clReleaseMemObject(a);
		clReleaseMemObject(b);
	}
}

static void maps(struct client *c)
{
	enum { WORDS = 4096, FROM = 100, COUNT = 1000 };
	static cl_uint in[WORDS], want[WORDS], out[WORDS];
	cl_int status;
	for (cl_uint i = 0; i < WORDS; i++)
		want[i] = in[i] = i * 7;
	cl_mem buffer = client_buffer(c, sizeof in, in);
	cl_uint *words = clEnqueueMapBuffer(c->queue, buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE,
					    FROM * 4, COUNT * 4, 0, NULL, NULL, &status);
	CHECK(status);
	expect_words("mapped", words, in + FROM, COUNT);
	for (size_t i = 0; i < COUNT; i++)
		words[i] = want[FROM + i] = (cl_uint)i ^ 0xabcd;
	CHECK(clEnqueueUnmapMemObject(c->queue, buffer, words, 0, NULL, NULL));
	run_add(c, buffer, WORDS, 5);
	for (size_t i = 0; i < WORDS; i++)
		want[i] += 5;
	words = clEnqueueMapBuffer(c->queue, buffer, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
				   64 * 4, 0, NULL, NULL, &status);
	CHECK(status);
	for (size_t i = 0; i < 64; i++)
		words[i] = want[i] = (cl_uint)i;
	CHECK(clEnqueueUnmapMemObject(c->queue, buffer, words, 0, NULL, NULL));
	client_read(c, buffer, sizeof out, out);
	expect_words("after unmap", out, want, WORDS);
	clReleaseMemObject(buffer);
}

static void sub_buffers(struct client *c)
{
	enum { WORDS = 1024, FROM = 256, COUNT = 300 };
	static cl_uint in[WORDS], want[WORDS], out[WORDS];
	cl_buffer_region region = {FROM * 4, COUNT * 4};
	cl_int status;
	for (cl_uint i = 0; i < WORDS; i++)
		want[i] = in[i] = i * 11;
	cl_mem buffer = client_buffer(c, sizeof in, in);
	cl_mem part = clCreateSubBuffer(buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION,
					&region, &status);
	CHECK(status);
	run_add(c, part, COUNT, 1000);
	for (size_t i = 0; i < COUNT; i++)
		want[FROM + i] += 1000;
	client_read(c, buffer, sizeof out, out);
	expect_words("sub-buffer", out, want, WORDS);
	client_read(c, part, COUNT * 4, out);
	expect_words("read of a sub-buffer", out, want + FROM, COUNT);
	clReleaseMemObject(part);
	clReleaseMemObject(buffer);
}

/* Aligned memory is used in place, other memory through a copy; a map makes both current. */
static void host_pointers(struct client *c)
{
	enum { WORDS = 2048 };
	cl_uint *memory = aligned_alloc(4096, WORDS * 4 + 4096);
	for (size_t shift = 0; shift < 16; shift += 5) {
		cl_uint *words = memory + shift;
		cl_int status;
		for (cl_uint i = 0; i < WORDS; i++)
			words[i] = i * 13;
		cl_mem buffer = clCreateBuffer(c->context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR,
					       WORDS * 4, words, &status);
		CHECK(status);
		run_add(c, buffer, WORDS, 77);
		cl_uint *mapped = clEnqueueMapBuffer(c->queue, buffer, CL_TRUE, CL_MAP_READ, 0,
						     WORDS * 4, 0, NULL, NULL, &status);
		CHECK(status);
		if (mapped != words) {
			printf("FAIL map of a host pointer is elsewhere\n");
			exit(1);
		}
		for (cl_uint i = 0; i < WORDS; i++) {
			cl_uint want = i * 13 + 77;
			expect_words("host pointer", words + i, &want, 1);
		}
		CHECK(clEnqueueUnmapMemObject(c->queue, buffer, mapped, 0, NULL, NULL));
		CHECK(clFinish(c->queue));
		clReleaseMemObject(buffer);
	}
	free(memory);
}

struct node {
	struct node *next;
	cl_uint value;
};

static void shared_virtual_memory(struct client *c)
{
	enum { NODES = 50, WORDS = 512 };
	cl_uint want = 0, pattern = 0x1234567, b = 9;
	struct node *nodes = clSVMAlloc(c->context, CL_MEM_READ_WRITE, NODES * sizeof *nodes, 0);
	cl_uint *out = clSVMAlloc(c->context, CL_MEM_READ_WRITE, 4, 0);
	cl_uint *words = clSVMAlloc(c->context, CL_MEM_READ_WRITE, WORDS * 4, 0);
	cl_uint *copy = clSVMAlloc(c->context, CL_MEM_READ_WRITE, WORDS * 4, 0);
	size_t one = 1, count = WORDS;
	if (!nodes || !out || !words || !copy) {
		printf("FAIL no shared virtual memory\n");
		exit(1);
	}
	CHECK(clEnqueueSVMMap(c->queue, CL_TRUE, CL_MAP_WRITE, nodes, NODES * sizeof *nodes, 0, NULL,
			      NULL));
	/* Linked back and forth through the array. */
	for (size_t i = 0; i < NODES; i++) {
		size_t at = i * 7 % NODES, next = (i + 1) * 7 % NODES;
		nodes[at].value = (cl_uint)i * 3 + 1;
		nodes[at].next = i + 1 < NODES ? &nodes[next] : NULL;
		want = want * 31 + nodes[at].value;
	}
	CHECK(clEnqueueSVMUnmap(c->queue, nodes, 0, NULL, NULL));
	cl_kernel k = client_kernel(c, "walk");
	CHECK(clSetKernelArgSVMPointer(k, 0, nodes));
	CHECK(clSetKernelArgSVMPointer(k, 1, out));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
	CHECK(clEnqueueSVMMap(c->queue, CL_TRUE, CL_MAP_READ, out, 4, 0, NULL, NULL));
	expect_words("list in shared memory", out, &want, 1);
	CHECK(clEnqueueSVMUnmap(c->queue, out, 0, NULL, NULL));
	clReleaseKernel(k);

	CHECK(clEnqueueSVMMemFill(c->queue, words, &pattern, 4, WORDS * 4, 0, NULL, NULL));
	k = client_kernel(c, "add");
	CHECK(clSetKernelArgSVMPointer(k, 0, words));
	CHECK(clSetKernelArg(k, 1, sizeof b, &b));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &count, NULL, 0, NULL, NULL));
	CHECK(clEnqueueSVMMemcpy(c->queue, CL_TRUE, copy, words, WORDS * 4, 0, NULL, NULL));
	CHECK(clEnqueueSVMMap(c->queue, CL_TRUE, CL_MAP_READ, copy, WORDS * 4, 0, NULL, NULL));
	for (size_t i = 0; i < WORDS; i++) {
		want = pattern + b;
		expect_words("shared memory", copy + i, &want, 1);
	}
	CHECK(clEnqueueSVMUnmap(c->queue, copy, 0, NULL, NULL));
	CHECK(clFinish(c->queue));
	clReleaseKernel(k);
	clSVMFree(c->context, nodes);
	clSVMFree(c->context, out);
	clSVMFree(c->context, words);
	clSVMFree(c->context, copy);
}

static void large(struct client *c)
{
	enum { WORDS = 3 << 20 };
	cl_uint *in = malloc(WORDS * 4u), *out = malloc(WORDS * 4u);
	for (cl_uint i = 0; i < WORDS; i++)
		in[i] = i * 2654435761u;
	cl_mem buffer = client_buffer(c, WORDS * 4u, in);
	run_add(c, buffer, 1 << 16, 1);
	client_read(c, buffer, WORDS * 4u, out);
	for (cl_uint i = 0; i < 1 << 16; i++)
		in[i] += 1;
	expect_words("large buffer", out, in, WORDS);
	clReleaseMemObject(buffer);
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	static const struct test TESTS[] = {
		{"rectangles", rectangles}, {"fills", fills},
		{"odd-copies", odd_copies}, {"maps", maps},
		{"sub-buffers", sub_buffers}, {"host-pointers", host_pointers},
		{"shared-virtual-memory", shared_virtual_memory}, {"large", large},
	};
	return client_main(argc, argv, SOURCE, "-cl-std=CL2.0", TESTS, sizeof TESTS / sizeof *TESTS);
}
