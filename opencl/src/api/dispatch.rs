//! The entry points: which function of which file answers each, and the tables that programs find
//! them by.
//!
//! A line names an entry point, the function behind it, and the function's parameters. The kind
//! before it says what the entry point has besides:
//! - `status`: nothing; it returns a code.
//! - `make`: a trailing `errcode_ret`; it returns a handle.
//! - `link`: the same; it returns a handle with the error of what was done with it.
//! - `info`: the trailing four parameters of queries. The function gets the name of the value asked
//!   for as its last parameter and returns the answer's bytes.
//! - `enqueue`: the trailing wait list and event, which the function gets as one [`Waits`].
//! - `command`: the same, and the queue before. The function gets that and the parameters, and makes
//!   the command.
//! - `blocking`: the same; behind the queue stands whether the call blocks.
//! - `record`: the same for a command buffer, with what all recording calls take besides.
//! - `dispatch`: the function gets that as its first parameter, and records the command itself.
//! - `map`: as `enqueue`, and `errcode_ret`; it returns a pointer.
//! - `memory`: a trailing `errcode_ret`; it returns a pointer.
//! - `pointer`: nothing; it returns a pointer, null if it fails.
//! - `nothing`: nothing; it returns nothing.
//!
//! [`Waits`]: super::abi::Waits

#![allow(
    non_snake_case,
    reason = "entry points have the names of the specification"
)]

use std::ffi::{c_char, c_void};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::*;

use super::abi::{self, Bytes, In, Out, Parameter, Text, Unconst, Value as _, Waits};
use super::command_buffer::Recording;
use super::{
    buffer, build, command_buffer, context, device, event, execute, external_memory, image,
    image_transfer, info, kernel, map, mutable_dispatch, pipe, platform, program, queue, sampler,
    subgroups, svm, transfer, usm,
};
use crate::core::callback::*;
use crate::core::{Handle, Memory, set_entry_points};

/// Makes a function's parameters of what C passes.
macro_rules! take {
    ($($argument:ident: $type:ty),*) => {
        $(
            // SAFETY: who calls an entry point promises what the specification says of its pointers.
            let $argument = unsafe { <$type as Parameter>::of($argument) };
        )*
    };
}

macro_rules! status {
    ($name:ident, $function:path, ($($argument:ident: $type:ty),*)) => {
        unsafe extern "C" fn $name($($argument: <$type as Parameter>::C),*) -> cl_int {
            take!($($argument: $type),*);
            abi::code(stringify!($name), $function($($argument),*))
        }
    };
}

macro_rules! make {
    ($name:ident, $function:path, ($($argument:ident: $type:ty),*)) => {
        unsafe extern "C" fn $name(
            $($argument: <$type as Parameter>::C,)*
            errcode_ret: *mut cl_int,
        ) -> *mut c_void {
            take!($($argument: $type,)* errcode_ret: Out<i32>);
            let made = $function($($argument),*);
            abi::made(stringify!($name), errcode_ret, Handle::NULL, made).pointer()
        }
    };
}

macro_rules! info {
    ($name:ident, $function:path, ($($argument:ident: $type:ty),*)) => {
        unsafe extern "C" fn $name(
            $($argument: <$type as Parameter>::C,)*
            param_name: cl_uint,
            size: usize,
            value: *mut c_void,
            size_ret: *mut usize,
        ) -> cl_int {
            take!($($argument: $type,)* value: Memory, size_ret: Out<usize>);
            let answer = $function($($argument,)* param_name);
            let given = answer.and_then(|answer| info::give(&answer, size, value, size_ret));
            abi::code(stringify!($name), given)
        }
    };
}

macro_rules! enqueue {
    ($name:ident, $function:path, ($($argument:ident: $type:ty),*)) => {
        unsafe extern "C" fn $name(
            $($argument: <$type as Parameter>::C,)*
            count: cl_uint,
            list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int {
            take!($($argument: $type,)* list: In<Handle>, event: Out<Handle>);
            let waits = Waits { count, list, event };
            abi::code(stringify!($name), $function($($argument,)* waits))
        }
    };
}

macro_rules! command {
    ($name:ident, $function:path, ($($argument:ident: $type:ty),*)) => {
        unsafe extern "C" fn $name(
            queue: cl_command_queue,
            $($argument: <$type as Parameter>::C,)*
            count: cl_uint,
            list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int {
            take!(queue: Handle, $($argument: $type,)* list: In<Handle>, event: Out<Handle>);
            let waits = Waits { count, list, event };
            let enqueued = execute::enqueue(queue, CL_FALSE, waits, |queue| {
                $function(queue, $($argument),*)
            });
            abi::code(stringify!($name), enqueued)
        }
    };
}

macro_rules! blocking {
    ($name:ident, $function:path, ($($argument:ident: $type:ty),*)) => {
        unsafe extern "C" fn $name(
            queue: cl_command_queue,
            blocking: cl_bool,
            $($argument: <$type as Parameter>::C,)*
            count: cl_uint,
            list: *const cl_event,
            event: *mut cl_event,
        ) -> cl_int {
            take!(queue: Handle, $($argument: $type,)* list: In<Handle>, event: Out<Handle>);
            let waits = Waits { count, list, event };
            let enqueued = execute::enqueue(queue, blocking, waits, |queue| {
                $function(queue, $($argument),*)
            });
            abi::code(stringify!($name), enqueued)
        }
    };
}

macro_rules! record {
    ($name:ident, $function:path, ($($argument:ident: $type:ty),*)) => {
        dispatch!($name, command_buffer::record, ($($argument: $type),*), $function);
    };
}

macro_rules! dispatch {
    ($name:ident, $function:path, ($($argument:ident: $type:ty),*) $(, $make:path)?) => {
        unsafe extern "C" fn $name(
            buffer: *mut c_void,
            queue: cl_command_queue,
            properties: *const u64,
            $($argument: <$type as Parameter>::C,)*
            count: cl_uint,
            list: *const u32,
            point: *mut u32,
            mutable: *mut *mut c_void,
        ) -> cl_int {
            take!(buffer: Handle, queue: Handle, properties: In<u64>, $($argument: $type,)*
                  list: In<u32>, point: Out<u32>, mutable: Out<Handle>);
            let to = Recording { buffer, queue, properties, count, list, point, mutable };
            abi::code(stringify!($name), recorded!(to, $function, ($($argument),*) $(, $make)?))
        }
    };
}

macro_rules! recorded {
    ($to:ident, $function:path, ($($argument:ident),*)) => {
        $function($to, $($argument),*)
    };
    ($to:ident, $function:path, ($($argument:ident),*), $make:path) => {
        $function($to, |queue| $make(queue, $($argument),*))
    };
}

macro_rules! map {
    ($name:ident, $function:path, ($($argument:ident: $type:ty),*)) => {
        unsafe extern "C" fn $name(
            $($argument: <$type as Parameter>::C,)*
            count: cl_uint,
            list: *const cl_event,
            event: *mut cl_event,
            errcode_ret: *mut cl_int,
        ) -> *mut c_void {
            take!($($argument: $type,)* list: In<Handle>, event: Out<Handle>, errcode_ret: Out<i32>);
            let made = $function($($argument,)* Waits { count, list, event });
            abi::made(stringify!($name), errcode_ret, Memory::NULL, made).into_c()
        }
    };
}

macro_rules! memory {
    ($name:ident, $function:path, ($($argument:ident: $type:ty),*)) => {
        unsafe extern "C" fn $name(
            $($argument: <$type as Parameter>::C,)*
            errcode_ret: *mut cl_int,
        ) -> *mut c_void {
            take!($($argument: $type,)* errcode_ret: Out<i32>);
            let made = $function($($argument),*);
            abi::made(stringify!($name), errcode_ret, Memory::NULL, made).into_c()
        }
    };
}

macro_rules! pointer {
    ($name:ident, $function:path, ($($argument:ident: $type:ty),*)) => {
        unsafe extern "C" fn $name($($argument: <$type as Parameter>::C),*) -> *mut c_void {
            take!($($argument: $type),*);
            abi::made(stringify!($name), Out::NULL, Memory::NULL, $function($($argument),*)).into_c()
        }
    };
}

macro_rules! nothing {
    ($name:ident, $function:path, ($($argument:ident: $type:ty),*)) => {
        unsafe extern "C" fn $name($($argument: <$type as Parameter>::C),*) {
            take!($($argument: $type),*);
            abi::code(stringify!($name), $function($($argument),*));
        }
    };
}

macro_rules! link {
    ($name:ident, $function:path, ($($argument:ident: $type:ty),*)) => {
        unsafe extern "C" fn $name(
            $($argument: <$type as Parameter>::C,)*
            errcode_ret: *mut cl_int,
        ) -> *mut c_void {
            take!($($argument: $type,)* errcode_ret: Out<i32>);
            let (made, result) = match $function($($argument),*) {
                Ok((made, result)) => (made, result),
                Err(error) => (Handle::NULL, Err(error)),
            };
            errcode_ret.set(abi::code(stringify!($name), result));
            made.pointer()
        }
    };
}

/// Defines entry points and the table of the ICD loader.
macro_rules! entries {
    ($($kind:ident $name:ident = $module:ident::$function:ident($($argument:ident: $type:ty),* $(,)?);)*) => {
        $($kind!($name, $module::$function, ($($argument: $type),*));)*

        /// The table that every object of the runtime begins with (`cl_khr_icd`).
        static DISPATCH: cl_icd_dispatch = cl_icd_dispatch {
            $($name: Some($name),)*
            clGetExtensionFunctionAddress: Some(function_address),
            clGetExtensionFunctionAddressForPlatform: Some(function_address_for_platform),
            ..NONE
        };
    };
}

/// A table without entries: what the runtime has no function for, such as Direct3D.
// SAFETY: all members are functions that may be none, which is zero, or a number.
const NONE: cl_icd_dispatch = unsafe { std::mem::zeroed() };

entries! {
    // platform.rs
    status clGetPlatformIDs = platform::ids(room: u32, platforms: Out<Handle>, count: Out<u32>);
    info clGetPlatformInfo = platform::info(platform: Handle);
    status clUnloadPlatformCompiler = platform::unload_compiler(platform: Handle);

    // device.rs
    status clGetDeviceIDs = device::ids(
        platform: Handle, kind: u64, room: u32, devices: Out<Handle>, count: Out<u32>);
    info clGetDeviceInfo = device::info(device: Handle);
    status clCreateSubDevices = device::create_sub_devices(
        device: Handle, properties: In<isize>, room: u32, devices: Out<Handle>, count: Out<u32>);
    status clRetainDevice = device::retain(device: Handle);
    status clReleaseDevice = device::release(device: Handle);
    status clGetDeviceAndHostTimer = device::timers(
        device: Handle, device_time: Out<u64>, host_time: Out<u64>);
    status clGetHostTimer = device::host_timer(device: Handle, host_time: Out<u64>);

    // context.rs
    make clCreateContext = context::create(
        properties: In<isize>, count: u32, devices: In<Handle>, notify: ContextNotify, data: Memory);
    make clCreateContextFromType = context::create_from_type(
        properties: In<isize>, kind: u64, notify: ContextNotify, data: Memory);
    status clRetainContext = context::retain(context: Handle);
    status clReleaseContext = context::release(context: Handle);
    info clGetContextInfo = context::info(context: Handle);
    status clSetContextDestructorCallback = context::set_destructor(
        context: Handle, notify: ObjectNotify, data: Memory);

    // queue.rs
    make clCreateCommandQueueWithProperties = queue::create(
        context: Handle, device: Handle, properties: In<u64>);
    make clCreateCommandQueue = queue::create_plain(
        context: Handle, device: Handle, properties: u64);
    status clRetainCommandQueue = queue::retain(queue: Handle);
    status clReleaseCommandQueue = queue::release(queue: Handle);
    info clGetCommandQueueInfo = queue::info(queue: Handle);
    status clSetCommandQueueProperty = queue::set_property(
        queue: Handle, properties: u64, enable: u32, old: Out<u64>);
    status clSetDefaultDeviceCommandQueue = queue::set_default(
        context: Handle, device: Handle, queue: Handle);
    status clFlush = queue::flush(queue: Handle);
    status clFinish = queue::finish(queue: Handle);

    // buffer.rs
    make clCreateBuffer = buffer::create(
        context: Handle, flags: u64, size: usize, host: Memory);
    make clCreateBufferWithProperties = buffer::create_with_properties(
        context: Handle, properties: In<u64>, flags: u64, size: usize, host: Memory);
    status clRetainMemObject = buffer::retain(memory: Handle);
    status clReleaseMemObject = buffer::release(memory: Handle);
    info clGetMemObjectInfo = buffer::info(memory: Handle);
    status clSetMemObjectDestructorCallback = buffer::set_destructor(
        memory: Handle, notify: ObjectNotify, data: Memory);
    make clCreateSubBuffer = buffer::create_sub_buffer(
        buffer: Handle, flags: u64, kind: u32, region: Bytes);

    // transfer.rs
    enqueue clEnqueueReadBuffer = transfer::read(
        queue: Handle, buffer: Handle, blocking: u32, offset: usize, size: usize, to: Memory);
    enqueue clEnqueueWriteBuffer = transfer::write(
        queue: Handle, buffer: Handle, blocking: u32, offset: usize, size: usize, from: Bytes);

    enqueue clEnqueueReadBufferRect = transfer::read_rect(
        queue: Handle, buffer: Handle, blocking: u32, buffer_origin: In<usize>,
        host_origin: In<usize>, region: In<usize>, buffer_row: usize, buffer_slice: usize,
        host_row: usize, host_slice: usize, to: Memory);
    enqueue clEnqueueWriteBufferRect = transfer::write_rect(
        queue: Handle, buffer: Handle, blocking: u32, buffer_origin: In<usize>,
        host_origin: In<usize>, region: In<usize>, buffer_row: usize, buffer_slice: usize,
        host_row: usize, host_slice: usize, from: Bytes);
    command clEnqueueCopyBuffer = transfer::copy(
        source: Handle, destination: Handle, from: usize, to: usize, size: usize);
    command clEnqueueCopyBufferRect = transfer::copy_rect(
        source: Handle, destination: Handle, source_origin: In<usize>,
        destination_origin: In<usize>, region: In<usize>, source_row: usize, source_slice: usize,
        destination_row: usize, destination_slice: usize);
    command clEnqueueFillBuffer = transfer::fill(
        buffer: Handle, pattern: Bytes, pattern_size: usize, offset: usize,
        size: usize);
    command clEnqueueMigrateMemObjects = transfer::migrate(
        objects_count: u32, objects: In<Handle>, flags: u64);

    // image.rs
    status clGetSupportedImageFormats = image::formats(
        context: Handle, flags: u64, kind: u32, room: u32, formats: Out<cl_image_format>,
        count: Out<u32>);
    make clCreateImage = image::create(
        context: Handle, flags: u64, format: In<cl_image_format>, desc: In<_cl_image_desc>,
        host: Memory);
    make clCreateImageWithProperties = image::create_with_properties(
        context: Handle, properties: In<u64>, flags: u64, format: In<cl_image_format>,
        desc: In<_cl_image_desc>, host: Memory);
    make clCreateImage2D = image::create_2d(
        context: Handle, flags: u64, format: In<cl_image_format>, width: usize, height: usize,
        row_pitch: usize, host: Memory);
    make clCreateImage3D = image::create_3d(
        context: Handle, flags: u64, format: In<cl_image_format>, width: usize, height: usize,
        depth: usize, row_pitch: usize, slice_pitch: usize, host: Memory);
    info clGetImageInfo = image::info(image: Handle);

    // image_transfer.rs
    enqueue clEnqueueReadImage = image_transfer::read(
        queue: Handle, image: Handle, blocking: u32, origin: In<usize>, region: In<usize>,
        row_pitch: usize, slice_pitch: usize, to: Memory);
    enqueue clEnqueueWriteImage = image_transfer::write(
        queue: Handle, image: Handle, blocking: u32, origin: In<usize>, region: In<usize>,
        row_pitch: usize, slice_pitch: usize, from: Bytes);
    command clEnqueueCopyImage = image_transfer::copy(
        source: Handle, destination: Handle, from: In<usize>, to: In<usize>,
        region: In<usize>);
    command clEnqueueCopyImageToBuffer = image_transfer::copy_to_buffer(
        source: Handle, destination: Handle, origin: In<usize>, region: In<usize>,
        offset: usize);
    command clEnqueueCopyBufferToImage = image_transfer::copy_from_buffer(
        source: Handle, destination: Handle, offset: usize, origin: In<usize>,
        region: In<usize>);
    command clEnqueueFillImage = image_transfer::fill(
        image: Handle, color: Bytes, origin: In<usize>, region: In<usize>);

    // map.rs
    map clEnqueueMapBuffer = map::buffer(
        queue: Handle, buffer: Handle, blocking: u32, flags: u64, offset: usize, size: usize);
    map clEnqueueMapImage = map::image(
        queue: Handle, image: Handle, blocking: u32, flags: u64, origin: In<usize>,
        region: In<usize>, row_pitch: Out<usize>, slice_pitch: Out<usize>);
    enqueue clEnqueueUnmapMemObject = map::unmap(queue: Handle, memory: Handle, pointer: Memory);

    // pipe.rs
    make clCreatePipe = pipe::create(
        context: Handle, flags: u64, packet_size: u32, packets: u32, properties: In<isize>);
    info clGetPipeInfo = pipe::info(pipe: Handle);

    // sampler.rs
    make clCreateSampler = sampler::create_plain(
        context: Handle, normalized: u32, addressing: u32, filter: u32);
    make clCreateSamplerWithProperties = sampler::create(context: Handle, properties: In<u64>);
    status clRetainSampler = sampler::retain(sampler: Handle);
    status clReleaseSampler = sampler::release(sampler: Handle);
    info clGetSamplerInfo = sampler::info(sampler: Handle);

    // svm.rs
    pointer clSVMAlloc = svm::allocate(context: Handle, flags: u64, size: usize, alignment: u32);
    nothing clSVMFree = svm::free(context: Handle, pointer: Memory);
    command clEnqueueSVMFree = svm::enqueue_free(
        pointer_count: u32, pointers: Unconst<Memory>, callback: SvmFree,
        data: Memory);
    blocking clEnqueueSVMMemcpy = svm::copy(
        to: Memory, from: Bytes, size: usize);
    command clEnqueueSVMMemFill = svm::fill(
        to: Memory, pattern: Bytes, pattern_size: usize, size: usize);
    blocking clEnqueueSVMMap = svm::map(
        flags: u64, pointer: Memory, size: usize);
    command clEnqueueSVMUnmap = svm::unmap(pointer: Memory);
    command clEnqueueSVMMigrateMem = svm::migrate(
        pointer_count: u32, pointers: Unconst<Bytes>, sizes: In<usize>, flags: u64);
    status clSetKernelArgSVMPointer = svm::set_arg(kernel: Handle, index: u32, pointer: Bytes);
    status clSetKernelExecInfo = svm::set_exec_info(
        kernel: Handle, name: u32, size: usize, value: Bytes);

    // program.rs
    make clCreateProgramWithSource = program::with_source(
        context: Handle, count: u32, texts: Unconst<Text>, lengths: In<usize>);
    make clCreateProgramWithIL = program::with_il(context: Handle, il: Bytes, length: usize);
    make clCreateProgramWithBinary = program::with_binary(
        context: Handle, count: u32, devices: In<Handle>, lengths: In<usize>,
        binaries: Unconst<In<u8>>, status: Out<i32>);
    make clCreateProgramWithBuiltInKernels = program::with_built_in_kernels(
        context: Handle, count: u32, devices: In<Handle>, names: Text);
    status clRetainProgram = program::retain(program: Handle);
    status clReleaseProgram = program::release(program: Handle);
    status clSetProgramReleaseCallback = program::set_release(
        program: Handle, notify: ObjectNotify, data: Memory);
    status clSetProgramSpecializationConstant = program::set_constant(
        program: Handle, id: u32, size: usize, value: Bytes);
    status clGetProgramInfo = program::info(
        program: Handle, name: u32, size: usize, value: Memory, size_ret: Out<usize>);
    info clGetProgramBuildInfo = program::build_info(program: Handle, device: Handle);
    status clUnloadCompiler = program::unload_compiler();

    // build.rs
    status clBuildProgram = build::build(
        program: Handle, count: u32, devices: In<Handle>, options: Text,
        notify: ObjectNotify, data: Memory);
    status clCompileProgram = build::compile(
        program: Handle, count: u32, devices: In<Handle>, options: Text, header_count: u32,
        headers: In<Handle>, names: Unconst<Text>, notify: ObjectNotify, data: Memory);
    link clLinkProgram = build::link(
        context: Handle, count: u32, devices: In<Handle>, options: Text, program_count: u32,
        programs: In<Handle>, notify: ObjectNotify, data: Memory);

    // kernel.rs
    make clCreateKernel = kernel::create(program: Handle, name: Text);
    status clCreateKernelsInProgram = kernel::create_all(
        program: Handle, room: u32, kernels: Out<Handle>, count: Out<u32>);
    make clCloneKernel = kernel::duplicate(kernel: Handle);
    status clRetainKernel = kernel::retain(kernel: Handle);
    status clReleaseKernel = kernel::release(kernel: Handle);
    status clSetKernelArg = kernel::set_arg(kernel: Handle, index: u32, size: usize, value: Bytes);
    info clGetKernelInfo = kernel::info(kernel: Handle);
    info clGetKernelArgInfo = kernel::arg_info(kernel: Handle, index: u32);
    info clGetKernelWorkGroupInfo = kernel::work_group_info(kernel: Handle, device: Handle);

    // subgroups.rs
    status clGetKernelSubGroupInfo = subgroups::info(
        kernel: Handle, device: Handle, name: u32, input_size: usize, input: Bytes,
        size: usize, value: Memory, size_ret: Out<usize>);
    status clGetKernelSubGroupInfoKHR = subgroups::info(
        kernel: Handle, device: Handle, name: u32, input_size: usize, input: Bytes,
        size: usize, value: Memory, size_ret: Out<usize>);

    // execute.rs
    command clEnqueueNDRangeKernel = execute::kernel(
        kernel: Handle, dimensions: u32, offset: In<usize>, global: In<usize>,
        local: In<usize>);
    command clEnqueueTask = execute::task(kernel: Handle);
    enqueue clEnqueueNativeKernel = execute::native(
        queue: Handle, function: NativeKernel, arguments: Memory, size: usize, count: u32,
        objects: In<Handle>, places: Unconst<Bytes>);
    enqueue clEnqueueMarkerWithWaitList = execute::marker(queue: Handle);
    enqueue clEnqueueBarrierWithWaitList = execute::barrier(queue: Handle);
    status clEnqueueMarker = execute::plain_marker(queue: Handle, event: Out<Handle>);
    status clEnqueueBarrier = execute::plain_barrier(queue: Handle);
    status clEnqueueWaitForEvents = execute::wait_for_events(
        queue: Handle, count: u32, list: In<Handle>);

    // event.rs
    status clWaitForEvents = event::wait(count: u32, list: In<Handle>);
    info clGetEventInfo = event::info(event: Handle);
    info clGetEventProfilingInfo = event::profiling(event: Handle);
    make clCreateUserEvent = event::create_user(context: Handle);
    status clSetUserEventStatus = event::set_status(event: Handle, status: i32);
    status clSetEventCallback = event::set_callback(
        event: Handle, kind: i32, notify: EventNotify, data: Memory);
    status clRetainEvent = event::retain(event: Handle);
    status clReleaseEvent = event::release(event: Handle);
}

/// Defines entry points that only [`clGetExtensionFunctionAddress`] finds.
macro_rules! extensions {
    ($($kind:ident $name:ident = $module:ident::$function:ident($($argument:ident: $type:ty),* $(,)?);)*) => {
        $($kind!($name, $module::$function, ($($argument: $type),*));)*

        /// A function of an extension by its name; null if there is none.
        fn extension(name: &str) -> *const () {
            match name {
                $(stringify!($name) => $name as *const (),)*
                // What the loader asks for.
                "clIcdGetPlatformIDsKHR" => clIcdGetPlatformIDsKHR as *const (),
                "clGetPlatformInfo" => clGetPlatformInfo as *const (),
                // It is in the table, too.
                "clGetKernelSubGroupInfoKHR" => clGetKernelSubGroupInfoKHR as *const (),
                _ => std::ptr::null(),
            }
        }
    };
}

extensions! {
    // usm.rs
    memory clHostMemAllocINTEL = usm::host(
        context: Handle, properties: In<u64>, size: usize, alignment: u32);
    memory clDeviceMemAllocINTEL = usm::device_memory(
        context: Handle, device: Handle, properties: In<u64>, size: usize, alignment: u32);
    memory clSharedMemAllocINTEL = usm::shared(
        context: Handle, device: Handle, properties: In<u64>, size: usize, alignment: u32);
    status clMemFreeINTEL = usm::free(context: Handle, pointer: Memory);
    status clMemBlockingFreeINTEL = usm::blocking_free(context: Handle, pointer: Memory);
    info clGetMemAllocInfoINTEL = usm::alloc_info(context: Handle, pointer: Bytes);
    status clSetKernelArgMemPointerINTEL = svm::set_any_arg(kernel: Handle, index: u32, pointer: Bytes);
    command clEnqueueMemFillINTEL = usm::fill(
        to: Memory, pattern: Bytes, pattern_size: usize, size: usize);
    blocking clEnqueueMemcpyINTEL = usm::copy(
        to: Memory, from: Bytes, size: usize);
    command clEnqueueMigrateMemINTEL = usm::migrate(
        pointer: Bytes, size: usize, flags: u64);
    command clEnqueueMemAdviseINTEL = usm::advise(
        pointer: Bytes, size: usize, advice: u32);

    // external_memory.rs
    command clEnqueueAcquireExternalMemObjectsKHR = external_memory::acquire(
        object_count: u32, objects: In<Handle>);
    command clEnqueueReleaseExternalMemObjectsKHR = external_memory::release(
        object_count: u32, objects: In<Handle>);

    // command_buffer.rs
    make clCreateCommandBufferKHR = command_buffer::create(
        count: u32, queues: In<Handle>, properties: In<u64>);
    status clRetainCommandBufferKHR = command_buffer::retain(buffer: Handle);
    status clReleaseCommandBufferKHR = command_buffer::release(buffer: Handle);
    status clFinalizeCommandBufferKHR = command_buffer::finalize(buffer: Handle);
    enqueue clEnqueueCommandBufferKHR = command_buffer::enqueue(
        queue_count: u32, queues: In<Handle>, buffer: Handle);
    info clGetCommandBufferInfoKHR = command_buffer::info(buffer: Handle);
    record clCommandBarrierWithWaitListKHR = command_buffer::barrier();
    record clCommandCopyBufferKHR = transfer::copy(
        source: Handle, destination: Handle, from: usize, to: usize, size: usize);
    record clCommandCopyBufferRectKHR = transfer::copy_rect(
        source: Handle, destination: Handle, source_origin: In<usize>,
        destination_origin: In<usize>, region: In<usize>, source_row: usize, source_slice: usize,
        destination_row: usize, destination_slice: usize);
    record clCommandFillBufferKHR = transfer::fill(
        memory: Handle, pattern: Bytes, pattern_size: usize, offset: usize, size: usize);
    record clCommandCopyImageKHR = image_transfer::copy(
        source: Handle, destination: Handle, from: In<usize>, to: In<usize>, region: In<usize>);
    record clCommandCopyImageToBufferKHR = image_transfer::copy_to_buffer(
        source: Handle, destination: Handle, origin: In<usize>, region: In<usize>, offset: usize);
    record clCommandCopyBufferToImageKHR = image_transfer::copy_from_buffer(
        source: Handle, destination: Handle, offset: usize, origin: In<usize>, region: In<usize>);
    record clCommandFillImageKHR = image_transfer::fill(
        image: Handle, color: Bytes, origin: In<usize>, region: In<usize>);
    record clCommandSVMMemcpyKHR = svm::copy(to: Memory, from: Bytes, size: usize);
    record clCommandSVMMemFillKHR = svm::fill(
        to: Memory, pattern: Bytes, pattern_size: usize, size: usize);

    // mutable_dispatch.rs
    dispatch clCommandNDRangeKernelKHR = mutable_dispatch::record(
        kernel: Handle, dimensions: u32, offset: In<usize>, global: In<usize>, local: In<usize>);
    status clUpdateMutableCommandsKHR = mutable_dispatch::update(
        buffer: Handle, count: u32, kinds: In<u32>, configs: Unconst<Bytes>);
    info clGetMutableCommandInfoKHR = mutable_dispatch::info(command: Handle);

    // program.rs: cl_khr_il_program
    make clCreateProgramWithILKHR = program::with_il(context: Handle, il: Bytes, length: usize);

    // queue.rs: cl_khr_create_command_queue
    make clCreateCommandQueueWithPropertiesKHR = queue::create(
        context: Handle, device: Handle, properties: In<u64>);

    // execute.rs: cl_khr_suggested_local_work_size
    status clGetKernelSuggestedLocalWorkSizeKHR = execute::suggest(
        queue: Handle, kernel: Handle, dimensions: u32, offset: In<usize>, global: In<usize>,
        local: Out<usize>);
}

/// The platform, for the ICD loader.
///
/// # Safety
/// As the extension `cl_khr_icd` says.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clIcdGetPlatformIDsKHR(
    room: cl_uint,
    platforms: *mut cl_platform_id,
    count: *mut cl_uint,
) -> cl_int {
    set_entry_points(&DISPATCH);
    // SAFETY: the same function by another name.
    unsafe { clGetPlatformIDs(room, platforms, count) }
}

/// Functions of extensions, by name; null if there is none of the name.
///
/// # Safety
/// The name is null or a text that ends with a zero.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn clGetExtensionFunctionAddress(name: *const c_char) -> *mut c_void {
    // SAFETY: the same function by another name.
    unsafe { function_address(name) }
}

/// What the table has. The exported function's name is the loader's, too: a reference to it from
/// here would be to the loader's.
unsafe extern "C" fn function_address(name: *const c_char) -> *mut c_void {
    set_entry_points(&DISPATCH);
    take!(name: Text);
    extension(&name.get().unwrap_or_default()).cast_mut().cast()
}

unsafe extern "C" fn function_address_for_platform(
    platform: cl_platform_id,
    name: *const c_char,
) -> *mut c_void {
    match platform::check(Handle::of(platform.addr())) {
        // SAFETY: the same function with one parameter less.
        Ok(()) => unsafe { function_address(name) },
        Err(_) => std::ptr::null_mut(),
    }
}
