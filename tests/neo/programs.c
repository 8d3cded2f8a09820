/* Programs: binaries, SPIR-V, linking, several contexts, user events, what kernels lean on. */
#include "client.h"

static const char *const SOURCE =
	"#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n"
	"constant uint TABLE[4] = {3, 1, 4, 1};\n"
	"global uint counter = 40;\n"
	"__kernel void tick(__global uint *out) { out[0] = atomic_inc(&counter) + TABLE[out[0] & 3]; }\n"
	"__kernel void scale(__global uint *a, uint b) { a[get_global_id(0)] *= b; }\n"
	"struct pair { char c; ulong l; float4 v; };\n"
	"__kernel void record(struct pair p, uchar b, short s, double4_or_float4 d, __global float *out) {\n"
	"    out[0] = p.c; out[1] = p.l; out[2] = p.v.z; out[3] = b; out[4] = s; out[5] = d.w;\n"
	"}\n"
	"__kernel void groups(__global const int *in, __global int *out, __local int *scratch) {\n"
	"    size_t l = get_local_id(0), i = get_global_id(0);\n"
	"    scratch[l] = in[i];\n"
	"    barrier(CLK_LOCAL_MEM_FENCE);\n"
	"    int neighbour = scratch[(l + 1) % get_local_size(0)];\n"
	"    out[i] = work_group_scan_inclusive_add(in[i]) * 1000 + work_group_reduce_max(neighbour)\n"
	"        + sub_group_reduce_add(1) * 0;\n"
	"}\n"
	"__kernel void spill(__global const float *in, __global float *out, int n) {\n"
	"    float v[200];\n"
	"    for (int i = 0; i < 200; i++) v[i] = in[(get_global_id(0) + i) % n];\n"
	"    for (int i = 0; i < 400; i++) v[i * 7 % 200] += v[(i * 13 + n) % 200];\n"
	"    float sum = 0;\n"
	"    for (int i = 0; i < 200; i++) sum += v[i];\n"
	"    out[get_global_id(0)] = sum;\n"
	"}\n"
	"__kernel void longs(__global const long *a, __global const long *b, __global long *out) {\n"
	"    size_t i = get_global_id(0);\n"
	"    out[i * 4] = a[i] / b[i];\n"
	"    out[i * 4 + 1] = a[i] % b[i];\n"
	"    out[i * 4 + 2] = mul_hi(a[i], b[i]);\n"
	"    out[i * 4 + 3] = (a[i] << (b[i] & 63)) ^ popcount(a[i]);\n"
	"}\n"
	"__kernel void halves(__global const half *in, __global half *out) {\n"
	"    size_t i = get_global_id(0);\n"
	"    out[i] = in[i] * (half)1.5h + (half)0.25h;\n"
	"}\n"
	"#ifdef cl_khr_fp64\n"
	"__kernel void doubles(__global const double *in, __global double *out) {\n"
	"    size_t i = get_global_id(0);\n"
	"    double x = in[i];\n"
	"    out[i * 4] = x / 3 + sqrt(x);\n"
	"    out[i * 4 + 1] = fma(x, x, -x);\n"
	"    out[i * 4 + 2] = floor(x) + (double)(long)(x * 1e10);\n"
	"    out[i * 4 + 3] = x > 50 ? (float)x : convert_int_rte(x);\n"
	"}\n"
	"#endif\n"
	"__kernel void print(__global const int *in) {\n"
	"    if (get_global_id(0) == 3)\n"
	"        printf(\"%d %s %v4d %5.2f|%-6x|%llu %c\\n\", in[3], \"word\", (int4)(1, 2, 3, in[3]),\n"
	"               2.5f, 255, (ulong)in[3] << 33, 'z');\n"
	"}\n";

static void launch(cl_command_queue queue, cl_kernel k, size_t global, const size_t *local)
{
	CHECK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, local, 0, NULL, NULL));
}

/* Multiplies 1, 2, 3 ... by 7 with a kernel `scale` of a program. */
static void try_scale(cl_context context, cl_command_queue queue, cl_program program)
{
	enum { COUNT = 100 };
	cl_uint words[COUNT], want[COUNT], b = 7;
	cl_int status;
	for (cl_uint i = 0; i < COUNT; i++) {
		words[i] = i;
		want[i] = i * 7;
	}
	cl_mem buffer = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, sizeof words, words, &status);
	CHECK(status);
	cl_kernel k = clCreateKernel(program, "scale", &status);
	CHECK(status);
	CHECK(clSetKernelArg(k, 0, sizeof buffer, &buffer));
	CHECK(clSetKernelArg(k, 1, sizeof b, &b));
	launch(queue, k, COUNT, NULL);
	CHECK(clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof words, words, 0, NULL, NULL));
	expect_words("scale", words, want, COUNT);
	clReleaseKernel(k);
	clReleaseMemObject(buffer);
}

static void binaries(struct client *c)
{
	size_t size;
	cl_int status, loaded;
	CHECK(clGetProgramInfo(c->program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
	unsigned char *bytes = malloc(size);
	CHECK(clGetProgramInfo(c->program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
	cl_program program = clCreateProgramWithBinary(c->context, 1, &c->device, &size,
						       (const unsigned char **)&bytes, &loaded, &status);
	CHECK(status);
	CHECK(loaded);
	CHECK(clBuildProgram(program, 1, &c->device, NULL, NULL, NULL));
	try_scale(c->context, c->queue, program);
	clReleaseProgram(program);
	free(bytes);
}

/* The file that CLIENT_SPIRV names, if it does. */
static void spirv(struct client *c)
{
	const char *path = getenv("CLIENT_SPIRV");
	static unsigned char bytes[1 << 20];
	cl_int status;
	FILE *file = path ? fopen(path, "rb") : NULL;
	if (!file) {
		printf("CLIENT_SPIRV names no file\n");
		exit(1);
	}
	size_t size = fread(bytes, 1, sizeof bytes, file);
	fclose(file);
	cl_program program = clCreateProgramWithIL(c->context, bytes, size, &status);
	CHECK(status);
	CHECK(clBuildProgram(program, 1, &c->device, NULL, NULL, NULL));
	try_scale(c->context, c->queue, program);
	clReleaseProgram(program);
}

static void linking(struct client *c)
{
	const char *library = "uint twice(uint x) { return x * 2; }\n";
	const char *user = "uint twice(uint x);\n"
			   "__kernel void scale(__global uint *a, uint b) {\n"
			   "    size_t i = get_global_id(0);\n"
			   "    a[i] = twice(a[i]) * (b / 2) + a[i];\n"
			   "}\n";
	cl_program parts[2], program;
	const char *sources[2] = {library, user};
	cl_int status;
	for (int i = 0; i < 2; i++) {
		parts[i] = clCreateProgramWithSource(c->context, 1, &sources[i], NULL, &status);
		CHECK(status);
		CHECK(clCompileProgram(parts[i], 1, &c->device, NULL, 0, NULL, NULL, NULL, NULL));
	}
	program = clLinkProgram(c->context, 1, &c->device, NULL, 2, parts, NULL, NULL, &status);
	CHECK(status);
	try_scale(c->context, c->queue, program);
	for (int i = 0; i < 2; i++)
		clReleaseProgram(parts[i]);
	clReleaseProgram(program);
}

static void contexts(struct client *c)
{
	enum { COUNT = 3 };
	const char *source = SOURCE;
	for (int i = 0; i < COUNT; i++) {
		cl_int status;
		cl_context context = clCreateContext(NULL, 1, &c->device, NULL, NULL, &status);
		CHECK(status);
		cl_command_queue queue = clCreateCommandQueueWithProperties(context, c->device, NULL,
									    &status);
		CHECK(status);
		cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
		CHECK(status);
		CHECK(clBuildProgram(program, 1, &c->device, "-cl-std=CL2.0 -Ddouble4_or_float4=float4",
				     NULL, NULL));
		try_scale(context, queue, program);
		try_scale(c->context, c->queue, c->program);
		clReleaseProgram(program);
		clReleaseCommandQueue(queue);
		clReleaseContext(context);
	}
}

static void called(cl_event event, cl_int status, void *data)
{
	(void)event;
	if (status == CL_COMPLETE)
		*(volatile int *)data = 1;
}

static void user_events(struct client *c)
{
	cl_uint word = 5, b = 3, want = 15, out = 0;
	cl_int status;
	volatile int seen = 0;
	size_t one = 1;
	cl_mem buffer = client_buffer(c, 4, &word);
	cl_event gate = clCreateUserEvent(c->context, &status), ran, read;
	CHECK(status);
	cl_kernel k = client_kernel(c, "scale");
	CHECK(clSetKernelArg(k, 0, sizeof buffer, &buffer));
	CHECK(clSetKernelArg(k, 1, sizeof b, &b));
	CHECK(clEnqueueNDRangeKernel(c->queue, k, 1, NULL, &one, NULL, 1, &gate, &ran));
	CHECK(clSetEventCallback(ran, CL_COMPLETE, called, (void *)&seen));
	CHECK(clEnqueueReadBuffer(c->queue, buffer, CL_FALSE, 0, 4, &out, 1, &ran, &read));
	CHECK(clFlush(c->queue));
	CHECK(clGetEventInfo(ran, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, NULL));
	if (status == CL_COMPLETE || out != 0) {
		printf("FAIL ran before its event\n");
		exit(1);
	}
	CHECK(clSetUserEventStatus(gate, CL_COMPLETE));
	CHECK(clWaitForEvents(1, &read));
	expect_words("after the user event", &out, &want, 1);
	CHECK(clFinish(c->queue));
	for (long spin = 0; !seen; spin++) {
		if (spin > 2000000000L) {
			printf("FAIL the callback was not called\n");
			exit(1);
		}
	}
	clReleaseEvent(gate);
	clReleaseEvent(ran);
	clReleaseEvent(read);
	clReleaseKernel(k);
	clReleaseMemObject(buffer);
}

static void program_variables(struct client *c)
{
	cl_uint word = 2, want = 44, out;
	for (int i = 0; i < 3; i++) {
		cl_mem buffer = client_buffer(c, 4, &word);
		cl_kernel k = client_kernel(c, "tick");
		CHECK(clSetKernelArg(k, 0, sizeof buffer, &buffer));
		launch(c->queue, k, 1, NULL);
		client_read(c, buffer, 4, &out);
		expect_words("program-scope variable", &out, &want, 1);
		want++;
		clReleaseKernel(k);
		clReleaseMemObject(buffer);
	}
}

static void arguments(struct client *c)
{
	struct {
		cl_char c;
		cl_ulong l;
		cl_float4 v;
	} p = {-5, 1234567, {{1, 2, 3.5f, 4}}};
	cl_uchar b = 200;
	cl_short s = -300;
	cl_float4 d = {{0, 0, 0, 9.25f}};
	float got[6], want[6] = {-5, 1234567, 3.5f, 200, -300, 9.25f};
	cl_mem out = client_buffer(c, sizeof got, NULL);
	cl_kernel k = client_kernel(c, "record");
	CHECK(clSetKernelArg(k, 0, sizeof p, &p));
	CHECK(clSetKernelArg(k, 1, sizeof b, &b));
	CHECK(clSetKernelArg(k, 2, sizeof s, &s));
	CHECK(clSetKernelArg(k, 3, sizeof d, &d));
	CHECK(clSetKernelArg(k, 4, sizeof out, &out));
	launch(c->queue, k, 1, NULL);
	client_read(c, out, sizeof got, got);
	expect_words("arguments", (cl_uint *)got, (cl_uint *)want, 6);
	clReleaseKernel(k);
	clReleaseMemObject(out);
}

static void work_groups(struct client *c)
{
	enum { COUNT = 512, LOCAL = 64 };
	static int in[COUNT], out[COUNT], want[COUNT];
	size_t local = LOCAL;
	for (int i = 0; i < COUNT; i++)
		in[i] = i * 37 % 101;
	for (int g = 0; g < COUNT; g += LOCAL) {
		int sum = 0, most = 0;
		for (int i = g; i < g + LOCAL; i++)
			most = in[i] > most ? in[i] : most;
		for (int i = g; i < g + LOCAL; i++) {
			sum += in[i];
			want[i] = sum * 1000 + most;
		}
	}
	cl_mem a = client_buffer(c, sizeof in, in), b = client_buffer(c, sizeof in, NULL);
	cl_kernel k = client_kernel(c, "groups");
	CHECK(clSetKernelArg(k, 0, sizeof a, &a));
	CHECK(clSetKernelArg(k, 1, sizeof b, &b));
	CHECK(clSetKernelArg(k, 2, LOCAL * 4, NULL));
	launch(c->queue, k, COUNT, &local);
	client_read(c, b, sizeof out, out);
	expect_words("work-group functions", (cl_uint *)out, (cl_uint *)want, COUNT);
	clReleaseKernel(k);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
}

static void private_memory(struct client *c)
{
	enum { COUNT = 96 };
	static float in[COUNT], out[COUNT], want[COUNT];
	cl_int n = COUNT;
	for (int i = 0; i < COUNT; i++)
		in[i] = (float)(i % 5);
	for (int id = 0; id < COUNT; id++) {
		float v[200], sum = 0;
		for (int i = 0; i < 200; i++)
			v[i] = in[(id + i) % n];
		for (int i = 0; i < 400; i++)
			v[i * 7 % 200] += v[(i * 13 + n) % 200];
		for (int i = 0; i < 200; i++)
			sum += v[i];
		want[id] = sum;
	}
	cl_mem a = client_buffer(c, sizeof in, in), b = client_buffer(c, sizeof in, NULL);
	cl_kernel k = client_kernel(c, "spill");
	CHECK(clSetKernelArg(k, 0, sizeof a, &a));
	CHECK(clSetKernelArg(k, 1, sizeof b, &b));
	CHECK(clSetKernelArg(k, 2, sizeof n, &n));
	launch(c->queue, k, COUNT, NULL);
	client_read(c, b, sizeof out, out);
	for (int i = 0; i < COUNT; i++)
		if (out[i] != want[i]) {
			printf("FAIL private memory: item %d has %g, expected %g\n", i, out[i], want[i]);
			exit(1);
		}
	clReleaseKernel(k);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
}

static void longs(struct client *c)
{
	enum { COUNT = 64 };
	static cl_long a[COUNT], b[COUNT], out[COUNT * 4], want[COUNT * 4];
	for (int i = 0; i < COUNT; i++) {
		a[i] = (cl_long)((cl_ulong)(i + 1) * 0x9e3779b97f4a7c15u);
		b[i] = ((cl_long)((cl_ulong)(i + 3) * 0xc2b2ae3d27d4eb4fu) >> (i % 40)) | 1;
		want[i * 4] = a[i] / b[i];
		want[i * 4 + 1] = a[i] % b[i];
		want[i * 4 + 2] = (cl_long)((__int128)a[i] * b[i] >> 64);
		want[i * 4 + 3] = (cl_long)((cl_ulong)a[i] << (b[i] & 63)) ^
				  __builtin_popcountll((cl_ulong)a[i]);
	}
	cl_mem x = client_buffer(c, sizeof a, a), y = client_buffer(c, sizeof b, b);
	cl_mem r = client_buffer(c, sizeof out, NULL);
	cl_kernel k = client_kernel(c, "longs");
	CHECK(clSetKernelArg(k, 0, sizeof x, &x));
	CHECK(clSetKernelArg(k, 1, sizeof y, &y));
	CHECK(clSetKernelArg(k, 2, sizeof r, &r));
	launch(c->queue, k, COUNT, NULL);
	client_read(c, r, sizeof out, out);
	expect_words("longs", (cl_uint *)out, (cl_uint *)want, COUNT * 8);
	clReleaseKernel(k);
	clReleaseMemObject(x);
	clReleaseMemObject(y);
	clReleaseMemObject(r);
}

static int has_extension(struct client *c, const char *name)
{
	static char extensions[16384];
	CHECK(clGetDeviceInfo(c->device, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL));
	return strstr(extensions, name) != NULL;
}

/* Passes without a word where the device has no double precision. */
static void doubles(struct client *c)
{
	enum { COUNT = 200 };
	static double in[COUNT], out[COUNT * 4];
	if (!has_extension(c, "cl_khr_fp64"))
		return;
	for (int i = 0; i < COUNT; i++)
		in[i] = i * 0.7300000000000001 + 1e-9;
	cl_mem a = client_buffer(c, sizeof in, in), b = client_buffer(c, sizeof out, NULL);
	cl_kernel k = client_kernel(c, "doubles");
	CHECK(clSetKernelArg(k, 0, sizeof a, &a));
	CHECK(clSetKernelArg(k, 1, sizeof b, &b));
	launch(c->queue, k, COUNT, NULL);
	client_read(c, b, sizeof out, out);
	for (int i = 0; i < COUNT; i++) {
		double x = in[i];
		double want[4] = {
			x / 3 + __builtin_sqrt(x),
			__builtin_fma(x, x, -x),
			__builtin_floor(x) + (double)(cl_long)(x * 1e10),
			x > 50 ? (float)x : __builtin_rint(x),
		};
		for (int j = 0; j < 4; j++) {
			double error = __builtin_fabs(out[i * 4 + j] - want[j]);
			if (!(error <= __builtin_fabs(want[j]) * (j ? 0 : 1e-15))) {
				printf("FAIL doubles: %d of %.17g is %.17g, expected %.17g\n", j, x,
				       out[i * 4 + j], want[j]);
				exit(1);
			}
		}
	}
	clReleaseKernel(k);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
}

static void halves(struct client *c)
{
	/* 1, 2, -3, 0.5 and what becomes of them. */
	cl_ushort in[4] = {0x3c00, 0x4000, 0xc200, 0x3800}, out[4];
	cl_ushort want[4] = {0x3f00, 0x4280, 0xc440, 0x3c00};
	cl_mem a = client_buffer(c, sizeof in, in), b = client_buffer(c, sizeof out, NULL);
	cl_kernel k = client_kernel(c, "halves");
	CHECK(clSetKernelArg(k, 0, sizeof a, &a));
	CHECK(clSetKernelArg(k, 1, sizeof b, &b));
	launch(c->queue, k, 4, NULL);
	client_read(c, b, sizeof out, out);
	expect_words("halves", (cl_uint *)out, (cl_uint *)want, 2);
	clReleaseKernel(k);
	clReleaseMemObject(a);
	clReleaseMemObject(b);
}

static void prints(struct client *c)
{
	cl_int in[8] = {0, 1, 2, 42, 4, 5, 6, 7};
	cl_mem a = client_buffer(c, sizeof in, in);
	cl_kernel k = client_kernel(c, "print");
	CHECK(clSetKernelArg(k, 0, sizeof a, &a));
	launch(c->queue, k, 8, NULL);
	CHECK(clFinish(c->queue));
	clReleaseKernel(k);
	clReleaseMemObject(a);
}

static void device_times(struct client *c)
{
	cl_ulong device, host, later;
	CHECK(clGetDeviceAndHostTimer(c->device, &device, &host));
	CHECK(clGetHostTimer(c->device, &later));
	if (!device || later < host) {
		printf("FAIL timers\n");
		exit(1);
	}
}

int main(int argc, char **argv)
{
	static const struct test TESTS[] = {
		{"binaries", binaries}, {"spirv", spirv},
		{"linking", linking}, {"contexts", contexts},
		{"user-events", user_events}, {"program-variables", program_variables},
		{"arguments", arguments}, {"work-groups", work_groups},
		{"private-memory", private_memory}, {"longs", longs},
		{"doubles", doubles}, {"halves", halves},
		{"prints", prints}, {"device-times", device_times},
	};
	return client_main(argc, argv, SOURCE, "-cl-std=CL2.0 -Ddouble4_or_float4=float4", TESTS,
			   sizeof TESTS / sizeof *TESTS);
}
