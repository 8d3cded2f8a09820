/* What every OpenCL client of these tests needs: the device, a program, checked calls. */
#ifndef CLIENT_H
#define CLIENT_H

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(call)                                                                              \
	do {                                                                                     \
		cl_int status_ = (call);                                                         \
		if (status_ != CL_SUCCESS) {                                                     \
			printf("%s:%d: %s: error %d\n", __FILE__, __LINE__, #call, (int)status_); \
			exit(1);                                                                 \
		}                                                                                \
	} while (0)

struct client {
	cl_device_id device;
	cl_context context;
	cl_command_queue queue;
	cl_program program;
};

struct test {
	const char *name;
	void (*run)(struct client *);
};

static struct client client_open(const char *source, const char *options)
{
	struct client c = {0};
	cl_platform_id platforms[8], intel = NULL;
	cl_uint count = 0;
	cl_int status;
	char name[256];

	CHECK(clGetPlatformIDs(8, platforms, &count));
	for (cl_uint i = 0; i < count && i < 8; i++) {
		CHECK(clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL));
		if (strstr(name, "Intel(R) OpenCL"))
			intel = platforms[i];
	}
	if (!intel) {
		printf("no Intel OpenCL platform among %u\n", count);
		exit(1);
	}
	CHECK(clGetDeviceIDs(intel, CL_DEVICE_TYPE_GPU, 1, &c.device, NULL));
	CHECK(clGetDeviceInfo(c.device, CL_DEVICE_NAME, sizeof name, name, NULL));
	printf("device %s\n", name);
	c.context = clCreateContext(NULL, 1, &c.device, NULL, NULL, &status);
	CHECK(status);
	c.queue = clCreateCommandQueueWithProperties(c.context, c.device, NULL, &status);
	CHECK(status);
	c.program = clCreateProgramWithSource(c.context, 1, &source, NULL, &status);
	CHECK(status);
	if (clBuildProgram(c.program, 1, &c.device, options, NULL, NULL) != CL_SUCCESS) {
		static char log[16384];
		clGetProgramBuildInfo(c.program, c.device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
		printf("build failed: %s\n", log);
		exit(1);
	}
	return c;
}

static void client_close(struct client *c)
{
	clReleaseProgram(c->program);
	clReleaseCommandQueue(c->queue);
	clReleaseContext(c->context);
}

static cl_kernel client_kernel(struct client *c, const char *name)
{
	cl_int status;
	cl_kernel kernel = clCreateKernel(c->program, name, &status);
	CHECK(status);
	return kernel;
}

static cl_mem client_buffer(struct client *c, size_t bytes, const void *data)
{
	cl_int status;
	cl_mem_flags flags = CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0);
	cl_mem buffer = clCreateBuffer(c->context, flags, bytes, (void *)data, &status);
	CHECK(status);
	return buffer;
}

static void client_read(struct client *c, cl_mem buffer, size_t bytes, void *out)
{
	CHECK(clEnqueueReadBuffer(c->queue, buffer, CL_TRUE, 0, bytes, out, 0, NULL, NULL));
}

/* Stops at the first difference; got and want are arrays of 32-bit words. */
static void expect_words(const char *what, const cl_uint *got, const cl_uint *want, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (got[i] != want[i]) {
			printf("FAIL %s: word %zu is %#x, expected %#x\n", what, i, got[i], want[i]);
			exit(1);
		}
	}
}

/* Runs the named tests, all of them if none is named. */
__attribute__((unused)) static int client_main(int argc, char **argv, const char *source,
						 const char *options, const struct test *tests,
						 size_t count)
{
	setvbuf(stdout, NULL, _IONBF, 0);
	struct client c = client_open(source, options);
	size_t ran = 0;
	for (size_t i = 0; i < count; i++) {
		int wanted = argc < 2;
		for (int a = 1; a < argc; a++)
			wanted |= strcmp(argv[a], tests[i].name) == 0;
		if (!wanted)
			continue;
		tests[i].run(&c);
		printf("PASS %s\n", tests[i].name);
		ran++;
	}
	client_close(&c);
	if (!ran) {
		printf("no such test\n");
		return 1;
	}
	return 0;
}

#endif
