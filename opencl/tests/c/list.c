/* Prints each device's extensions, a line each. */
#include "check.h"

int main(void) {
    DONE(clGetPlatformIDs(1, &platform, NULL));
    static cl_device_id all[64];
    DONE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 64, all, &device_count));
    for (cl_uint d = 0; d < device_count; d++) {
        char text[4096];
        DONE(clGetDeviceInfo(all[d], CL_DEVICE_EXTENSIONS, sizeof text, text, NULL));
        printf("%s\n", text);
    }
    printf("ok\n");
    return 0;
}
