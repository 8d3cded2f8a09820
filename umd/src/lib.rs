//! The user-mode driver: devices, buffers, programs, kernels, queues and events on Intel GPUs.
