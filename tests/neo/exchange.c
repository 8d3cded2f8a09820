/* Binaries of one runtime in another: `save FOLDER` writes them, `load FOLDER` runs them, with a third
   word also what was linked. */
#include "client.h"

static const char *const MAIN = "uint helper(uint x);\n"
				"__kernel void k(__global uint *p) { *p = helper(*p); }\n";
static const char *const HELPER = "uint helper(uint x) { return 3 * x + 1; }\n";

static cl_device_id device;
static cl_context context;
static const char *folder;

static FILE *file(const char *name, const char *mode)
{
	char path[4096];
	snprintf(path, sizeof path, "%s/%s", folder, name);
	FILE *opened = fopen(path, mode);
	if (!opened) {
		printf("cannot open %s\n", path);
		exit(1);
	}
	return opened;
}

static void save(const char *name, cl_program program)
{
	size_t size;
	CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
	unsigned char *bytes = malloc(size);
	CHECK(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof bytes, &bytes, NULL));
	FILE *to = file(name, "wb");
	fwrite(bytes, 1, size, to);
	fclose(to);
}

static cl_program load(const char *name)
{
	static unsigned char bytes[1 << 20];
	const unsigned char *start = bytes;
	FILE *from = file(name, "rb");
	size_t size = fread(bytes, 1, sizeof bytes, from);
	cl_int status, error;
	fclose(from);
	cl_program program =
		clCreateProgramWithBinary(context, 1, &device, &size, &start, &status, &error);
	printf("%s: %zu bytes\n", name, size);
	CHECK(error);
	CHECK(status);
	return program;
}

static cl_program source(const char *text)
{
	cl_int error;
	cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
	CHECK(error);
	return program;
}

static cl_program compiled(const char *text)
{
	cl_program program = source(text);
	CHECK(clCompileProgram(program, 1, &device, "", 0, NULL, NULL, NULL, NULL));
	return program;
}

static cl_program built(cl_program program)
{
	CHECK(clBuildProgram(program, 1, &device, "", NULL, NULL));
	return program;
}

static cl_program linked(const char *options, cl_uint count, const cl_program *programs)
{
	cl_int error;
	cl_program program = clLinkProgram(context, 1, &device, options, count, programs, NULL, NULL,
					   &error);
	CHECK(error);
	return program;
}

static void run(const char *name, cl_program program)
{
	struct client c = {device, context, NULL, program};
	cl_int error;
	cl_uint value = 5, wanted = 16;
	size_t one = 1;
	c.queue = clCreateCommandQueueWithProperties(context, device, NULL, &error);
	CHECK(error);
	cl_kernel kernel = client_kernel(&c, "k");
	cl_mem buffer = client_buffer(&c, sizeof value, &value);
	CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer));
	CHECK(clEnqueueNDRangeKernel(c.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL));
	client_read(&c, buffer, sizeof value, &value);
	expect_words(name, &value, &wanted, 1);
	printf("PASS %s\n", name);
}

int main(int argc, char **argv)
{
	cl_platform_id platform;
	cl_int error;
	if (argc < 3)
		return 2;
	folder = argv[2];
	CHECK(clGetPlatformIDs(1, &platform, NULL));
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_GPU, 1, &device, NULL));
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
	CHECK(error);
	if (!strcmp(argv[1], "save")) {
		cl_program parts[] = {compiled(MAIN), compiled(HELPER)};
		save("main", parts[0]);
		save("helper", parts[1]);
		save("library", linked("-create-library", 1, &parts[1]));
		save("linked", linked("", 2, parts));
		save("built", built(source("__kernel void k(__global uint *p) { *p = 3 * *p + 1; }")));
		return 0;
	}
	cl_program objects[] = {load("main"), load("helper")};
	run("objects", linked("", 2, objects));
	objects[1] = load("library");
	run("library", linked("", 2, objects));
	run("built", built(load("built")));
	if (argc > 3)
		run("linked", built(load("linked")));
	return 0;
}
