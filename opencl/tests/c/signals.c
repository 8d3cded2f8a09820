/* A compiler in the process leaves the process's handlers of signals as they were. */
#include "check.h"
#include <pthread.h>
#include <signal.h>

enum { SIGNALS = 65, THREADS = 4 };

static cl_context context;

static void handler(int number) { (void)number; }

static void *build(void *unused) {
    (void)unused;
    built(context, "kernel void k(global int *p) { p[get_global_id(0)] = 1; }", "");
    return NULL;
}

/* Builds with these actions upon the signals that compilers handle, which are still there after it. */
static void keeps(void (*action)(int)) {
    struct sigaction before[SIGNALS] = {0}, after;
    signal(SIGSEGV, action);
    signal(SIGILL, action);
    for (int i = 1; i < SIGNALS; i++)
        sigaction(i, NULL, &before[i]);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        IS(pthread_create(&threads[i], NULL, build, NULL) == 0);
    for (int i = 0; i < THREADS; i++)
        IS(pthread_join(threads[i], NULL) == 0);
    for (int i = 1; i < SIGNALS; i++) {
        memset(&after, 0, sizeof after);
        sigaction(i, NULL, &after);
        if (after.sa_handler != before[i].sa_handler || after.sa_flags != before[i].sa_flags)
            FAIL("signal %d: %p, not %p", i, (void *)after.sa_handler, (void *)before[i].sa_handler);
    }
}

int main(void) {
    context = begin();
    keeps(SIG_DFL);
    keeps(SIG_IGN);
    keeps(handler);
    printf("ok\n");
    return 0;
}
