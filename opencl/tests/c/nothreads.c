/* There can be no more threads: programs are built all the same, and callbacks come. */
#define _GNU_SOURCE
#include "check.h"
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

static void *nothing(void *argument) {
    return argument;
}

static void CL_CALLBACK notify(cl_program program, void *data) {
    (void)program;
    *(volatile int *)data = 1;
}

int main(void) {
    cl_context context = begin();
    const char *text = "kernel void k(global int *p) { *p = 1; }";
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    DONE(error);
    /* The limit does not count for root. */
    struct rlimit none = {0, 0};
    IS(setrlimit(RLIMIT_NPROC, &none) == 0);
    IS(geteuid() != 0 || setresuid(65534, 65534, 65534) == 0);
    IS(prctl(PR_SET_DUMPABLE, 1) == 0);
    pthread_t thread;
    IS(pthread_create(&thread, NULL, nothing, NULL) != 0);
    static volatile int called;
    DONE(clBuildProgram(program, 0, NULL, "", notify, (void *)&called));
    cl_build_status status;
    DONE(clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_STATUS, sizeof status, &status,
                               NULL));
    IS(called && status == CL_BUILD_SUCCESS);
    /* A queue calls back, or is none. */
    clCreateCommandQueueWithProperties(context, devices[0], NULL, &error);
    GIVES(CL_OUT_OF_HOST_MEMORY, error);
    DONE(clReleaseProgram(program));
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
