/* Compilers run as children of a program that ignores the ends of children, or waits for them itself. */
#include "check.h"
#include <signal.h>
#include <sys/wait.h>

static cl_context context;

static void reap(int number) {
    (void)number;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

static void builds(const char *which) {
    for (int i = 0; i < 3; i++) {
        char source[100];
        sprintf(source, "kernel void k(global int *p) { *p = %d; } /* %s */", i, which);
        DONE(clReleaseProgram(built(context, source, "")));
    }
    const char *wrong = "kernel void k() { wrong; }";
    cl_program program = clCreateProgramWithSource(context, 1, &wrong, NULL, &error);
    DONE(error);
    GIVES(CL_BUILD_PROGRAM_FAILURE, clBuildProgram(program, 0, NULL, "", NULL, NULL));
    char log[1000];
    DONE(clGetProgramBuildInfo(program, devices[0], CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    if (!strstr(log, "1:19: error: ") || strstr(log, "crashed"))
        FAIL("%s: %s", which, log);
    DONE(clReleaseProgram(program));
}

int main(void) {
    context = begin();
    IS(signal(SIGCHLD, SIG_IGN) != SIG_ERR);
    builds("ignored");
    struct sigaction action = {.sa_handler = reap, .sa_flags = SA_RESTART};
    DONE(sigaction(SIGCHLD, &action, NULL));
    builds("reaped");
    DONE(clReleaseContext(context));
    printf("ok\n");
    return 0;
}
