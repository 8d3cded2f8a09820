/* Handles: wrong ones are errors, released ones too, and objects live as long as they are used. */
#include "check.h"

static int destroyed;

static void CL_CALLBACK on_destroy(cl_mem memory, void *data) {
    (void)memory;
    destroyed = destroyed * 10 + *(int *)data;
}

static void CL_CALLBACK on_context_destroy(cl_context context, void *data) {
    (void)context;
    *(int *)data = 1;
}

static cl_uint references(cl_context context) {
    cl_uint count = 0;
    DONE(clGetContextInfo(context, CL_CONTEXT_REFERENCE_COUNT, sizeof count, &count, NULL));
    return count;
}

int main(void) {
    cl_context context = begin();
    cl_command_queue queue = queue_of(context, devices[0], 0);
    cl_mem buffer = buffer_of(context, CL_MEM_READ_WRITE, 64, NULL);
    char byte = 0;

    /* Of another type. */
    GIVES(CL_INVALID_CONTEXT, clRetainContext((cl_context)queue));
    GIVES(CL_INVALID_COMMAND_QUEUE, clFinish((cl_command_queue)buffer));
    GIVES(CL_INVALID_MEM_OBJECT, clReleaseMemObject((cl_mem)context));
    GIVES(CL_INVALID_KERNEL, clReleaseKernel((cl_kernel)buffer));
    GIVES(CL_INVALID_PROGRAM, clReleaseProgram((cl_program)buffer));
    GIVES(CL_INVALID_EVENT, clReleaseEvent((cl_event)queue));
    GIVES(CL_INVALID_DEVICE, clGetDeviceInfo((cl_device_id)queue, CL_DEVICE_TYPE, 1, &byte, NULL));
    GIVES(CL_INVALID_MEM_OBJECT, clEnqueueReadBuffer(queue, (cl_mem)queue, CL_TRUE, 0, 1, &byte, 0,
                                                     NULL, NULL));

    /* Counted. */
    IS(references(context) == 1);
    DONE(clRetainContext(context));
    IS(references(context) == 2);
    DONE(clReleaseContext(context));

    /* The queue keeps the context, and its handle. */
    int context_gone = 0;
    DONE(clSetContextDestructorCallback(context, on_context_destroy, &context_gone));
    DONE(clReleaseContext(context));
    cl_context of_queue = NULL;
    DONE(clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof of_queue, &of_queue, NULL));
    IS(of_queue == context);
    IS(references(context) == 0);

    /* Destructors run in reverse order. */
    int one = 1, two = 2;
    DONE(clSetMemObjectDestructorCallback(buffer, on_destroy, &one));
    DONE(clSetMemObjectDestructorCallback(buffer, on_destroy, &two));
    GIVES(CL_INVALID_VALUE, clSetMemObjectDestructorCallback(buffer, NULL, NULL));

    /* A command keeps what it uses. */
    cl_event gate = clCreateUserEvent(context, &error);
    DONE(error);
    cl_event written;
    DONE(clEnqueueWriteBuffer(queue, buffer, CL_FALSE, 0, 1, &byte, 1, &gate, &written));
    DONE(clReleaseMemObject(buffer));
    IS(destroyed == 0);
    DONE(clSetUserEventStatus(gate, CL_COMPLETE));
    DONE(clWaitForEvents(1, &written));
    DONE(clFinish(queue));
    DONE(clReleaseEvent(written));
    DONE(clReleaseEvent(gate));
    for (long i = 0; destroyed != 21 && i < 2000000000; i++)
        __asm__ volatile("" ::: "memory");
    IS(destroyed == 21);
    GIVES(CL_INVALID_MEM_OBJECT, clReleaseMemObject(buffer));
    GIVES(CL_INVALID_EVENT, clReleaseEvent(gate));

    IS(!context_gone);
    DONE(clReleaseCommandQueue(queue));
    GIVES(CL_INVALID_COMMAND_QUEUE, clReleaseCommandQueue(queue));
    for (long i = 0; !*(volatile int *)&context_gone && i < 2000000000; i++)
        ;
    IS(context_gone);
    GIVES(CL_INVALID_CONTEXT, clRetainContext(context));
    printf("ok\n");
    return 0;
}
