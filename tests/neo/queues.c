/* Atomics, printf, two queues, an out-of-order queue, profiling timestamps, maps and copies. */
#include "client.h"

static const char *const SOURCE =
	"__kernel void histogram(__global const uchar *in, __global int *bins, __global int *extremes) {\n"
	"    uchar v = in[get_global_id(0)];\n"
	"    atomic_inc(bins + v);\n"
	"    atomic_min(extremes, (int)v - 100);\n"
	"    atomic_max(extremes + 1, (int)v - 100);\n"
	"    atomic_xor(extremes + 2, (int)v << get_global_id(0) % 24);\n"
	"}\n"
	"__kernel void say(int n) {\n"
	"    if (get_global_id(0) == 5) printf(\"item %d of %d: %s %.2f %v4d\\n\", (int)get_global_id(0), n,\n"
	"                                      \"text\", 1.5f, (int4)(1, -2, 3, -4));\n"
	"}\n"
	"__kernel void add(__global uint *data, uint a) { data[get_global_id(0)] += a; }\n"
	"__kernel void scale(__global uint *data, uint a) { data[get_global_id(0)] *= a; }\n";

static void atomics(struct client *c)
{
	enum { N = 5000 };
	static cl_uchar in[N];
	static cl_uint bins[256], want[256];
	cl_int extremes[3] = {0, 0, 0}, expected[3] = {0, 0, 0};
	size_t global = N;
	for (cl_uint i = 0; i < N; i++) {
		in[i] = (cl_uchar)(i * 2654435761u >> 24);
		want[in[i]]++;
		int v = (int)in[i] - 100;
		expected[0] = v < expected[0] ? v : expected[0];
		expected[1] = v > expected[1] ? v : expected[1];
		expected[2] ^= (int)in[i] << i % 24;
	}
	cl_mem bi = client_buffer(c, sizeof in, in), bb = client_buffer(c, sizeof bins, bins);
	cl_mem be = client_buffer(c, sizeof extremes, extremes);
	cl_kernel k = client_kernel(c, "histogram");
	CHECK(clSetKernelArg(k, 0, sizeof bi, &bi));
	CHECK(clSetKernelArg(k, 1, sizeof bb, &bb));
	CHECK(clSetKernelArg(k, 2, sizeof be, &be));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
	client_read(c, bb, sizeof bins, bins);
	client_read(c, be, sizeof extremes, extremes);
	expect_words("histogram", bins, want, 256);
	expect_words("extremes", (cl_uint *)extremes, (cl_uint *)expected, 3);
	clReleaseKernel(k);
	clReleaseMemObject(bi);
	clReleaseMemObject(bb);
	clReleaseMemObject(be);
}

/* The text is compared by whoever runs this program. */
static void print(struct client *c)
{
	size_t global = 16;
	cl_int n = 16;
	cl_kernel k = client_kernel(c, "say");
	CHECK(clSetKernelArg(k, 0, sizeof n, &n));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &global, NULL, 0, NULL, NULL));
	CHECK(clFinish(c->queue));
	clReleaseKernel(k);
}

static void two_queues(struct client *c)
{
	enum { N = 4096 };
	static cl_uint data[N], want[N];
	cl_int status;
	size_t global = N;
	cl_uint three = 3, five = 5;
	cl_command_queue other =
		clCreateCommandQueueWithProperties(c->context, c->device, NULL, &status);
	CHECK(status);
	for (cl_uint i = 0; i < N; i++) {
		data[i] = i;
		want[i] = (i + 3) * 5 + 3;
	}
	cl_mem buffer = client_buffer(c, sizeof data, data);
	cl_kernel add = client_kernel(c, "add"), scale = client_kernel(c, "scale");
	cl_event first, second;
	CHECK(clSetKernelArg(add, 0, sizeof buffer, &buffer));
	CHECK(clSetKernelArg(add, 1, sizeof three, &three));
	CHECK(clSetKernelArg(scale, 0, sizeof buffer, &buffer));
	CHECK(clSetKernelArg(scale, 1, sizeof five, &five));
	CHECK(clEnqueueNDRangeKernel(c->queue, add, 1, NULL, &global, NULL, 0, NULL, &first));
	CHECK(clFlush(c->queue));
	CHECK(clEnqueueNDRangeKernel(other, scale, 1, NULL, &global, NULL, 1, &first, &second));
	CHECK(clFlush(other));
	CHECK(clEnqueueNDRangeKernel(c->queue, add, 1, NULL, &global, NULL, 1, &second, NULL));
	client_read(c, buffer, sizeof data, data);
	expect_words("two queues", data, want, N);
	clReleaseEvent(first);
	clReleaseEvent(second);
	clReleaseKernel(add);
	clReleaseKernel(scale);
	clReleaseMemObject(buffer);
	clReleaseCommandQueue(other);
}

static void out_of_order(struct client *c)
{
	enum { N = 1024, STEPS = 12 };
	static cl_uint data[N], want[N];
	cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES,
					    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, 0};
	cl_int status;
	size_t global = N;
	cl_command_queue queue =
		clCreateCommandQueueWithProperties(c->context, c->device, properties, &status);
	CHECK(status);
	for (cl_uint i = 0; i < N; i++)
		data[i] = want[i] = i;
	cl_mem buffer = client_buffer(c, sizeof data, data);
	cl_event last = NULL;
	for (cl_uint step = 1; step <= STEPS; step++) {
		cl_kernel k = client_kernel(c, step % 3 ? "add" : "scale");
		cl_event done;
		CHECK(clSetKernelArg(k, 0, sizeof buffer, &buffer));
		CHECK(clSetKernelArg(k, 1, sizeof step, &step));
		CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, last ? 1 : 0,
					     last ? &last : NULL, &done));
		if (last)
			clReleaseEvent(last);
		last = done;
		clReleaseKernel(k);
		for (cl_uint i = 0; i < N; i++)
			want[i] = step % 3 ? want[i] + step : want[i] * step;
	}
	CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof data, data, 1, &last, NULL));
	expect_words("out-of-order queue", data, want, N);
	clReleaseEvent(last);
	clReleaseMemObject(buffer);
	clReleaseCommandQueue(queue);
}

static void profiling(struct client *c)
{
	enum { N = 1 << 16 };
	cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
	cl_profiling_info names[] = {CL_PROFILING_COMMAND_QUEUED, CL_PROFILING_COMMAND_SUBMIT,
				     CL_PROFILING_COMMAND_START, CL_PROFILING_COMMAND_END};
	cl_ulong times[4], previous_end = 0;
	cl_int status;
	cl_uint one = 1;
	size_t global = N;
	cl_command_queue queue =
		clCreateCommandQueueWithProperties(c->context, c->device, properties, &status);
	CHECK(status);
	cl_mem buffer = client_buffer(c, N * sizeof(cl_uint), NULL);
	cl_kernel k = client_kernel(c, "add");
	CHECK(clSetKernelArg(k, 0, sizeof buffer, &buffer));
	CHECK(clSetKernelArg(k, 1, sizeof one, &one));
	for (int round = 0; round < 3; round++) {
		cl_event done;
		CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, NULL, 0, NULL, &done));
		CHECK(clWaitForEvents(1, &done));
		for (int i = 0; i < 4; i++)
			CHECK(clGetEventProfilingInfo(done, names[i], sizeof times[i], &times[i],
						      NULL));
		if (!(times[0] <= times[1] && times[1] <= times[2] && times[2] < times[3] &&
		      previous_end <= times[3])) {
			printf("FAIL profiling: queued %llu submit %llu start %llu end %llu\n",
			       (unsigned long long)times[0], (unsigned long long)times[1],
			       (unsigned long long)times[2], (unsigned long long)times[3]);
			exit(1);
		}
		previous_end = times[3];
		clReleaseEvent(done);
	}
	clReleaseKernel(k);
	clReleaseMemObject(buffer);
	clReleaseCommandQueue(queue);
}

static void map_copy_fill(struct client *c)
{
	enum { N = 3000 };
	static cl_uint out[N], want[N];
	cl_int status;
	cl_uint pattern = 0xabcd1234;
	cl_mem a = client_buffer(c, sizeof out, NULL), b = client_buffer(c, sizeof out, NULL);
	CHECK(clEnqueueFillBuffer(c->queue, a, &pattern, sizeof pattern, 0, sizeof out, 0, NULL,
				  NULL));
	cl_uint *mapped = clEnqueueMapBuffer(c->queue, a, CL_TRUE, CL_MAP_WRITE | CL_MAP_READ, 0,
					     sizeof out, 0, NULL, NULL, &status);
	CHECK(status);
	for (cl_uint i = 0; i < N; i++) {
		want[i] = i % 2 ? pattern : i;
		if (i % 2 == 0)
			mapped[i] = i;
	}
	CHECK(clEnqueueUnmapMemObject(c->queue, a, mapped, 0, NULL, NULL));
	CHECK(clEnqueueCopyBuffer(c->queue, a, b, 0, 0, sizeof out, 0, NULL, NULL));
	client_read(c, b, sizeof out, out);
	expect_words("map, copy, fill", out, want, N);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
}

int main(int argc, char **argv)
{
	static const struct test tests[] = {
		{"atomics", atomics},		{"printf", print},
		{"two-queues", two_queues},	{"out-of-order", out_of_order},
		{"profiling", profiling},	{"map-copy-fill", map_copy_fill},
	};
	return client_main(argc, argv, SOURCE, "-cl-std=CL2.0", tests, sizeof tests / sizeof *tests);
}
