//! What entry points fail with: OpenCL's code, and why.

use std::borrow::Cow;
use std::fmt;

use opencl_sys::*;
use umd::ErrorKind;

/// A failed call. The program gets the code; the reason goes to the log and to the callback of the
/// context.
#[derive(Clone, Debug)]
pub(crate) struct Error {
    pub code: cl_int,
    pub why: Cow<'static, str>,
}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(code: cl_int, why: impl Into<Cow<'static, str>>) -> Self {
        let why = why.into();
        Self { code, why }
    }

    /// The same under another code, where the specification has its own for a call.
    pub(crate) fn with_code(self, code: cl_int) -> Self {
        Self { code, ..self }
    }
}

/// The error of a call that fails with `code`, unless `holds`.
pub(crate) fn ensure(holds: bool, code: cl_int, why: impl Into<Cow<'static, str>>) -> Result<()> {
    match holds {
        true => Ok(()),
        false => Err(Error::new(code, why)),
    }
}

impl From<umd::Error> for Error {
    fn from(error: umd::Error) -> Self {
        Self::new(code_of(error.kind()), error.to_string())
    }
}

fn code_of(kind: ErrorKind) -> cl_int {
    use ErrorKind as K;
    match kind {
        K::InvalidBinary | K::OtherPlatform => CL_INVALID_BINARY,
        K::BuildFailure => CL_BUILD_PROGRAM_FAILURE,
        K::UnsupportedKernel => CL_INVALID_KERNEL,
        K::InvalidKernelName => CL_INVALID_KERNEL_NAME,
        K::InvalidArgIndex => CL_INVALID_ARG_INDEX,
        K::InvalidArgSize => CL_INVALID_ARG_SIZE,
        K::InvalidArgValue => CL_INVALID_ARG_VALUE,
        K::InvalidKernelArgs => CL_INVALID_KERNEL_ARGS,
        K::MisalignedSubBuffer | K::MisalignedSurface => CL_MISALIGNED_SUB_BUFFER_OFFSET,
        K::InvalidWorkDimension => CL_INVALID_WORK_DIMENSION,
        K::InvalidGlobalSize => CL_INVALID_GLOBAL_WORK_SIZE,
        K::InvalidGlobalOffset => CL_INVALID_GLOBAL_OFFSET,
        K::InvalidWorkGroupSize => CL_INVALID_WORK_GROUP_SIZE,
        K::InvalidWorkItemSize => CL_INVALID_WORK_ITEM_SIZE,
        K::ReadOnlyMemory => CL_INVALID_HOST_PTR,
        K::InvalidBufferSize => CL_INVALID_BUFFER_SIZE,
        K::InvalidImageFormat => CL_IMAGE_FORMAT_NOT_SUPPORTED,
        K::InvalidImageSize => CL_INVALID_IMAGE_SIZE,
        K::CopyOverlap => CL_MEM_COPY_OVERLAP,
        K::InvalidImageDescriptor | K::InvalidValue => CL_INVALID_VALUE,
        K::OtherDevice => CL_INVALID_CONTEXT,
        K::Unsupported => CL_INVALID_OPERATION,
        K::OutOfDeviceMemory => CL_MEM_OBJECT_ALLOCATION_FAILURE,
        K::OutOfHostMemory => CL_OUT_OF_HOST_MEMORY,
        K::InvalidDeviceName | K::DeviceNotAvailable => CL_DEVICE_NOT_AVAILABLE,
        K::DependencyFailed | K::UserEventFailed => CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST,
        _ => CL_OUT_OF_RESOURCES,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match name(self.code) {
            Some(name) => f.write_str(name)?,
            None => write!(f, "error {}", self.code)?,
        }
        write!(f, ": {}", self.why)
    }
}

macro_rules! names {
    ($($code:ident)*) => {
        /// What the headers call a code.
        fn name(code: cl_int) -> Option<&'static str> {
            match code {
                $($code => Some(stringify!($code)),)*
                _ => None,
            }
        }
    };
}

names! {
    CL_DEVICE_NOT_FOUND CL_DEVICE_NOT_AVAILABLE CL_COMPILER_NOT_AVAILABLE
    CL_MEM_OBJECT_ALLOCATION_FAILURE CL_OUT_OF_RESOURCES CL_OUT_OF_HOST_MEMORY
    CL_PROFILING_INFO_NOT_AVAILABLE CL_MEM_COPY_OVERLAP CL_IMAGE_FORMAT_MISMATCH
    CL_IMAGE_FORMAT_NOT_SUPPORTED CL_BUILD_PROGRAM_FAILURE CL_MAP_FAILURE
    CL_MISALIGNED_SUB_BUFFER_OFFSET CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST
    CL_COMPILE_PROGRAM_FAILURE CL_LINKER_NOT_AVAILABLE CL_LINK_PROGRAM_FAILURE
    CL_DEVICE_PARTITION_FAILED CL_KERNEL_ARG_INFO_NOT_AVAILABLE CL_INVALID_VALUE
    CL_INVALID_DEVICE_TYPE CL_INVALID_PLATFORM CL_INVALID_DEVICE CL_INVALID_CONTEXT
    CL_INVALID_QUEUE_PROPERTIES CL_INVALID_COMMAND_QUEUE CL_INVALID_HOST_PTR
    CL_INVALID_MEM_OBJECT CL_INVALID_IMAGE_FORMAT_DESCRIPTOR CL_INVALID_IMAGE_SIZE
    CL_INVALID_SAMPLER CL_INVALID_BINARY CL_INVALID_BUILD_OPTIONS CL_INVALID_PROGRAM
    CL_INVALID_PROGRAM_EXECUTABLE CL_INVALID_KERNEL_NAME CL_INVALID_KERNEL_DEFINITION
    CL_INVALID_KERNEL CL_INVALID_ARG_INDEX CL_INVALID_ARG_VALUE CL_INVALID_ARG_SIZE
    CL_INVALID_KERNEL_ARGS CL_INVALID_WORK_DIMENSION CL_INVALID_WORK_GROUP_SIZE
    CL_INVALID_WORK_ITEM_SIZE CL_INVALID_GLOBAL_OFFSET CL_INVALID_EVENT_WAIT_LIST
    CL_INVALID_EVENT CL_INVALID_OPERATION CL_INVALID_GL_OBJECT CL_INVALID_BUFFER_SIZE
    CL_INVALID_MIP_LEVEL CL_INVALID_GLOBAL_WORK_SIZE CL_INVALID_PROPERTY
    CL_INVALID_IMAGE_DESCRIPTOR CL_INVALID_COMPILER_OPTIONS CL_INVALID_LINKER_OPTIONS
    CL_INVALID_DEVICE_PARTITION_COUNT CL_INVALID_PIPE_SIZE CL_INVALID_DEVICE_QUEUE
    CL_INVALID_SPEC_ID CL_MAX_SIZE_RESTRICTION_EXCEEDED
}
