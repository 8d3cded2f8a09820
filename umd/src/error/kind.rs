//! What went wrong, in words that a runtime can turn into its own codes.

/// What an [`Error`](super::Error) means to whoever asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorClass {
    /// The kernel file was rejected.
    Input,
    /// The call was wrong: an argument, a size, a range.
    Usage,
    /// The device is missing, lost, hung, or did not end in time.
    Device,
    /// Anything else: no memory, a kernel driver that refuses.
    Failed,
}

/// What went wrong, finely enough that a runtime can give each its own code. Each says which code
/// OpenCL has for it, where there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A kernel file that cannot be read: `CL_INVALID_BINARY`.
    InvalidBinary,
    /// A kernel file of another platform: `CL_INVALID_BINARY`.
    OtherPlatform,
    /// The assembler rejects a text: `CL_BUILD_PROGRAM_FAILURE`.
    BuildFailure,
    /// A kernel that this driver or the platform cannot run: `CL_INVALID_KERNEL`.
    UnsupportedKernel,
    /// No such kernel: `CL_INVALID_KERNEL_NAME`.
    InvalidKernelName,
    /// No such argument: `CL_INVALID_ARG_INDEX`.
    InvalidArgIndex,
    /// An argument of another size: `CL_INVALID_ARG_SIZE`.
    InvalidArgSize,
    /// An argument of another kind: `CL_INVALID_ARG_VALUE`.
    InvalidArgValue,
    /// An argument was never set: `CL_INVALID_KERNEL_ARGS`.
    InvalidKernelArgs,
    /// A buffer without the alignment that a kernel needs: `CL_MISALIGNED_SUB_BUFFER_OFFSET`.
    MisalignedSubBuffer,
    /// A buffer that begins between the places where the surfaces can by which a kernel reaches it:
    /// `CL_MISALIGNED_SUB_BUFFER_OFFSET`.
    MisalignedSurface,
    /// Not one to three dimensions, or other than before: `CL_INVALID_WORK_DIMENSION`.
    InvalidWorkDimension,
    /// A global size that is too large: `CL_INVALID_GLOBAL_WORK_SIZE`.
    InvalidGlobalSize,
    /// A global offset that is too large: `CL_INVALID_GLOBAL_OFFSET`.
    InvalidGlobalOffset,
    /// A local size that the kernel does not take: `CL_INVALID_WORK_GROUP_SIZE`.
    InvalidWorkGroupSize,
    /// A local size beyond a dimension's limit: `CL_INVALID_WORK_ITEM_SIZE`.
    InvalidWorkItemSize,
    /// More of what a launch takes than the device has, as shared local memory:
    /// `CL_OUT_OF_RESOURCES`.
    OutOfResources,
    /// Memory of the process that it may not write to: `CL_INVALID_HOST_PTR`.
    ReadOnlyMemory,
    /// A size of a buffer that there cannot be: `CL_INVALID_BUFFER_SIZE`.
    InvalidBufferSize,
    /// A format that images do not have: `CL_IMAGE_FORMAT_NOT_SUPPORTED`.
    InvalidImageFormat,
    /// An image that is too large: `CL_INVALID_IMAGE_SIZE`.
    InvalidImageSize,
    /// An image that does not go with what it is made of: `CL_INVALID_IMAGE_DESCRIPTOR`.
    InvalidImageDescriptor,
    /// A copy onto itself: `CL_MEM_COPY_OVERLAP`.
    CopyOverlap,
    /// A range beyond the end, or another value that a call does not take: `CL_INVALID_VALUE`.
    InvalidValue,
    /// Objects of two devices in one call: `CL_INVALID_CONTEXT`.
    OtherDevice,
    /// The device does not have what is asked for: `CL_INVALID_OPERATION`.
    Unsupported,
    /// No memory of the device: `CL_MEM_OBJECT_ALLOCATION_FAILURE`.
    OutOfDeviceMemory,
    /// No memory, threads or files of this process: `CL_OUT_OF_HOST_MEMORY`.
    OutOfHostMemory,
    /// A text that names no device: `CL_INVALID_VALUE`.
    InvalidDeviceName,
    /// There is no such device, or it cannot be opened: `CL_DEVICE_NOT_AVAILABLE`.
    DeviceNotAvailable,
    /// The device or the queue is lost.
    DeviceLost,
    /// A command did not end.
    Hang,
    /// A command accessed what is not bound.
    PageFault,
    /// A command did what the device does not do.
    Fault,
    /// The deadline passed first.
    Timeout,
    /// A command that this one waits for failed:
    /// `CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST`.
    DependencyFailed,
    /// A user event was failed: likewise.
    UserEventFailed,
    /// The kernel driver refuses for another reason: `CL_OUT_OF_RESOURCES`.
    KernelDriver,
    /// This driver is at fault.
    Internal,
}
