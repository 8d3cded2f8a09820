//! Devices (specification, section 4.2).

use opencl_sys::*;

use super::abi::{In, Out};
use super::image::PITCH_ALIGNMENT;
use super::info::{self, Answer};
use super::{
    attributes, command_buffer, extensions, external_memory, mutable_dispatch, pipe, platform, usm,
};
use crate::core::device::host_time;
use crate::core::platform::is_checked;
use crate::core::{Device, Handle, Object, Platform};
use crate::error::{Error, Result, ensure};

/// `CL_DEVICE_SUB_GROUP_SIZES_INTEL` (`cl_intel_required_subgroup_size`).
const SUB_GROUP_SIZES_INTEL: cl_device_info = 0x4108;

/// `CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE`: what devices with such variables have at least.
const MAX_GLOBAL_VARIABLES: usize = 64 << 10;

/// `CL_DRIVER_UUID_KHR`: this driver, of this version.
const DRIVER_UUID: [u8; 16] = *b"intel-gpu-opencl";

/// The intermediate language, and the versions that all compilers take, the highest first.
const IL: &str = "SPIR-V";
const IL_VERSIONS: [(u32, u32); 4] = [(1, 3), (1, 2), (1, 1), (1, 0)];

/// The devices of a type.
pub(crate) fn of_type(kind: cl_device_type) -> Result<&'static [std::sync::Arc<Device>]> {
    // "CL_INVALID_DEVICE_TYPE if device_type is not a valid value"
    const KNOWN: cl_device_type = CL_DEVICE_TYPE_DEFAULT
        | CL_DEVICE_TYPE_CPU
        | CL_DEVICE_TYPE_GPU
        | CL_DEVICE_TYPE_ACCELERATOR
        | CL_DEVICE_TYPE_CUSTOM;
    ensure(
        kind == CL_DEVICE_TYPE_ALL || kind != 0 && kind & !KNOWN == 0,
        CL_INVALID_DEVICE_TYPE,
        format!("there is no device type {kind:#x}"),
    )?;
    let all = Platform::get().devices();
    let found = match kind {
        _ if kind & CL_DEVICE_TYPE_GPU != 0 => all,
        _ if kind & CL_DEVICE_TYPE_DEFAULT != 0 => all.get(..1).unwrap_or_default(),
        _ => &[],
    };
    // "CL_DEVICE_NOT_FOUND if no OpenCL devices that matched device_type were found"
    ensure(
        !found.is_empty(),
        CL_DEVICE_NOT_FOUND,
        "there is no such device",
    )?;
    Ok(found)
}

pub(crate) fn ids(
    platform: Handle,
    kind: u64,
    room: u32,
    devices: Out<Handle>,
    count: Out<u32>,
) -> Result<()> {
    platform::check(platform)?;
    // "CL_INVALID_VALUE if num_entries is equal to zero and devices is not NULL or if both
    // num_devices and devices are NULL"
    ensure(
        devices.is_null() || room > 0,
        CL_INVALID_VALUE,
        "there is room for no device",
    )?;
    ensure(
        !devices.is_null() || !count.is_null(),
        CL_INVALID_VALUE,
        "neither devices nor their number are asked for",
    )?;
    let found = of_type(kind)?;
    let handles = found.iter().map(|device| device.base().handle());
    devices.set_all(handles.take(room as usize));
    count.set(found.len() as u32);
    Ok(())
}

pub(crate) fn info(device: Handle, name: u32) -> Result<Answer> {
    let device = &*device.get::<Device>()?;
    let limits = &device.limits;
    let platform = device.target().platform;
    let images = limits.images;
    let image = |of: fn(&umd::ImageLimits) -> u32| images.as_ref().map_or(0, of);
    let fp64 = u32::from(limits.fp64);
    let of_pipes = |number: u32| if device.has_pipes() { number } else { 0 };
    let atomics = CL_DEVICE_ATOMIC_ORDER_RELAXED
        | CL_DEVICE_ATOMIC_ORDER_ACQ_REL
        | CL_DEVICE_ATOMIC_ORDER_SEQ_CST
        | CL_DEVICE_ATOMIC_SCOPE_WORK_GROUP
        | CL_DEVICE_ATOMIC_SCOPE_DEVICE
        | CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES;
    let floats = CL_FP_DENORM
        | CL_FP_INF_NAN
        | CL_FP_ROUND_TO_NEAREST
        | CL_FP_ROUND_TO_ZERO
        | CL_FP_ROUND_TO_INF
        | CL_FP_FMA;
    let widest = platform.simd_widths.iter().max().copied().unwrap_or(1);
    let compiler = compilers::installed().ok();
    let ils = match compiler {
        Some(_) => IL_VERSIONS.as_slice(),
        None => &[],
    };
    Ok(match name {
        CL_DEVICE_TYPE => info::value(CL_DEVICE_TYPE_GPU),
        CL_DEVICE_VENDOR_ID => info::value(0x8086u32),
        CL_DEVICE_MAX_COMPUTE_UNITS => info::value(limits.compute_units),
        CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS => info::value(3u32),
        CL_DEVICE_MAX_WORK_ITEM_SIZES => info::list(&[limits.max_work_group_size as usize; 3]),
        CL_DEVICE_MAX_WORK_GROUP_SIZE => info::value(limits.max_work_group_size as usize),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR | CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR => {
            info::value(16u32)
        }
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF => info::value(8u32),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT | CL_DEVICE_NATIVE_VECTOR_WIDTH_INT => {
            info::value(4u32)
        }
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG
        | CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT
        | CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT => info::value(1u32),
        CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE | CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE => {
            info::value(fp64)
        }
        // No kernel driver tells it in the same way; 0 is what is known.
        CL_DEVICE_MAX_CLOCK_FREQUENCY => info::value(0u32),
        CL_DEVICE_ADDRESS_BITS => info::value(limits.address_bits),
        CL_DEVICE_MAX_MEM_ALLOC_SIZE => info::value(device.max_allocation()),
        CL_DEVICE_IMAGE_SUPPORT => info::boolean(images.is_some()),
        CL_DEVICE_MAX_READ_IMAGE_ARGS
        | CL_DEVICE_MAX_WRITE_IMAGE_ARGS
        | CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS => info::value(image(|_| 128)),
        CL_DEVICE_IMAGE2D_MAX_WIDTH | CL_DEVICE_IMAGE2D_MAX_HEIGHT => {
            info::value(image(|limits| limits.across) as usize)
        }
        CL_DEVICE_IMAGE3D_MAX_WIDTH | CL_DEVICE_IMAGE3D_MAX_HEIGHT => {
            info::value(image(|limits| limits.volume_across) as usize)
        }
        CL_DEVICE_IMAGE3D_MAX_DEPTH => info::value(image(|limits| limits.depth) as usize),
        CL_DEVICE_IMAGE_MAX_BUFFER_SIZE => info::value(image(|limits| limits.buffer) as usize),
        CL_DEVICE_IMAGE_MAX_ARRAY_SIZE => info::value(image(|limits| limits.layers) as usize),
        CL_DEVICE_MAX_SAMPLERS => info::value(images.map_or(0, |_| limits.max_samplers)),
        CL_DEVICE_IMAGE_PITCH_ALIGNMENT | CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT => {
            info::value(image(|_| PITCH_ALIGNMENT))
        }
        CL_DEVICE_MAX_PARAMETER_SIZE => info::value(2048usize),
        CL_DEVICE_MEM_BASE_ADDR_ALIGN => info::value(Device::BASE_ALIGNMENT_BITS),
        CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE => info::value(Device::BASE_ALIGNMENT_BITS / 8),
        CL_DEVICE_SINGLE_FP_CONFIG => info::value(floats | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT),
        CL_DEVICE_HALF_FP_CONFIG => info::value(floats),
        CL_DEVICE_DOUBLE_FP_CONFIG => info::value(floats * u64::from(fp64)),
        CL_DEVICE_GLOBAL_MEM_CACHE_TYPE => info::value(CL_READ_WRITE_CACHE),
        CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE => info::value(64u32),
        CL_DEVICE_GLOBAL_MEM_CACHE_SIZE => info::value(0u64),
        CL_DEVICE_GLOBAL_MEM_SIZE => info::value(limits.global_memory),
        CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE => info::value(device.max_allocation()),
        CL_DEVICE_MAX_CONSTANT_ARGS => info::value(8u32),
        CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE | CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE => {
            info::value(MAX_GLOBAL_VARIABLES)
        }
        CL_DEVICE_LOCAL_MEM_TYPE => info::value(CL_LOCAL),
        CL_DEVICE_LOCAL_MEM_SIZE => info::value(limits.local_memory),
        CL_DEVICE_ERROR_CORRECTION_SUPPORT => info::boolean(false),
        CL_DEVICE_HOST_UNIFIED_MEMORY => info::boolean(limits.unified_memory),
        CL_DEVICE_PROFILING_TIMER_RESOLUTION => {
            info::value(1_000_000_000u64.div_ceil(limits.timer_frequency.max(1)) as usize)
        }
        CL_DEVICE_ENDIAN_LITTLE | CL_DEVICE_AVAILABLE => info::boolean(true),
        CL_DEVICE_COMPILER_AVAILABLE => {
            info::boolean(compiler.is_some_and(|compiler| compiler.takes_text()))
        }
        CL_DEVICE_LINKER_AVAILABLE => info::boolean(compiler.is_some()),
        CL_DEVICE_EXECUTION_CAPABILITIES => info::value(CL_EXEC_KERNEL),
        CL_DEVICE_QUEUE_ON_HOST_PROPERTIES => {
            info::value(CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE)
        }
        CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES => info::value(0u64),
        CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE
        | CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE
        | CL_DEVICE_MAX_ON_DEVICE_QUEUES
        | CL_DEVICE_MAX_ON_DEVICE_EVENTS => info::value(0u32),
        CL_DEVICE_BUILT_IN_KERNELS => info::text(""),
        CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION => Answer::new(),
        CL_DEVICE_PLATFORM => info::handle(Platform::get().base().handle()),
        CL_DEVICE_NAME => info::text(&device.name),
        CL_DEVICE_VENDOR => info::text("Intel"),
        // Programs keep binaries by this: those with checks run nowhere else.
        CL_DRIVER_VERSION if is_checked() => {
            info::text(concat!(env!("CARGO_PKG_VERSION"), " with checks"))
        }
        CL_DRIVER_VERSION => info::text(env!("CARGO_PKG_VERSION")),
        CL_DEVICE_PROFILE => info::text("FULL_PROFILE"),
        CL_DEVICE_VERSION => info::text("OpenCL 3.0 intel-gpu"),
        CL_DEVICE_NUMERIC_VERSION => info::value(info::version(3, 0, 0)),
        CL_DEVICE_OPENCL_C_VERSION => info::text("OpenCL C 1.2 intel-gpu"),
        CL_DEVICE_OPENCL_C_ALL_VERSIONS => {
            let versions = [(1, 0), (1, 1), (1, 2), (3, 0)];
            let each =
                |(major, minor)| info::name_version("OpenCL C", info::version(major, minor, 0));
            versions.into_iter().flat_map(each).collect()
        }
        CL_DEVICE_OPENCL_C_FEATURES => extensions::name_versions(&extensions::features(device)),
        CL_DEVICE_EXTENSIONS => info::text(&extensions::names(&extensions::of_device(device))),
        CL_DEVICE_EXTENSIONS_WITH_VERSION => {
            extensions::name_versions(&extensions::of_device(device))
        }
        CL_DEVICE_IL_VERSION => {
            let names = ils
                .iter()
                .map(|(major, minor)| format!("{IL}_{major}.{minor}"));
            info::text(&names.collect::<Vec<_>>().join(" "))
        }
        CL_DEVICE_ILS_WITH_VERSION => {
            let each = |(major, minor)| info::name_version(IL, info::version(major, minor, 0));
            ils.iter().copied().flat_map(each).collect()
        }
        // Nothing was submitted: the version of no conformance test.
        CL_DEVICE_LATEST_CONFORMANCE_VERSION_PASSED => info::text("v0000-01-01-00"),
        CL_DEVICE_PRINTF_BUFFER_SIZE => info::value(limits.printf_buffer as usize),
        CL_DEVICE_PREFERRED_INTEROP_USER_SYNC => info::boolean(true),
        CL_DEVICE_PARENT_DEVICE => info::handle(Handle::NULL),
        CL_DEVICE_PARTITION_MAX_SUB_DEVICES => info::value(0u32),
        CL_DEVICE_PARTITION_PROPERTIES | CL_DEVICE_PARTITION_TYPE => info::value(0usize),
        CL_DEVICE_PARTITION_AFFINITY_DOMAIN => info::value(0u64),
        // "If the device is a root-level device, a reference count of one is returned."
        CL_DEVICE_REFERENCE_COUNT => info::value(1u32),
        CL_DEVICE_SVM_CAPABILITIES => {
            info::value(CL_DEVICE_SVM_COARSE_GRAIN_BUFFER | CL_DEVICE_SVM_FINE_GRAIN_BUFFER)
        }
        CL_DEVICE_PREFERRED_PLATFORM_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_GLOBAL_ATOMIC_ALIGNMENT
        | CL_DEVICE_PREFERRED_LOCAL_ATOMIC_ALIGNMENT => info::value(0u32),
        CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES => info::value(atomics),
        CL_DEVICE_ATOMIC_FENCE_CAPABILITIES => {
            info::value(atomics | CL_DEVICE_ATOMIC_SCOPE_WORK_ITEM)
        }
        CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT
        | CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT
        | CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT => info::boolean(true),
        CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES => info::value(0u64),
        CL_DEVICE_PIPE_SUPPORT => info::boolean(device.has_pipes()),
        CL_DEVICE_MAX_PIPE_ARGS => info::value(of_pipes(pipe::MAX_ARGS)),
        CL_DEVICE_PIPE_MAX_ACTIVE_RESERVATIONS => info::value(of_pipes(pipe::MAX_RESERVATIONS)),
        CL_DEVICE_PIPE_MAX_PACKET_SIZE => info::value(of_pipes(pipe::MAX_PACKET_SIZE)),
        CL_DEVICE_MAX_NUM_SUB_GROUPS => info::value(limits.max_sub_groups),
        CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS => {
            info::boolean(limits.independent_forward_progress)
        }
        CL_DEVICE_UUID_KHR => info::list(&device.uuid()),
        CL_DRIVER_UUID_KHR => info::list(&DRIVER_UUID),
        CL_DEVICE_LUID_VALID_KHR => info::boolean(false),
        CL_DEVICE_LUID_KHR => info::list(&[0u8; CL_LUID_SIZE_KHR]),
        CL_DEVICE_NODE_MASK_KHR => info::value(0u32),
        CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE => info::value(usize::from(widest)),
        SUB_GROUP_SIZES_INTEL => {
            let sizes = limits.sub_group_sizes.iter().map(|&size| usize::from(size));
            info::list(&sizes.collect::<Vec<_>>())
        }
        _ => match usm::device_info(name)
            .or_else(|| attributes::device_info(device, name))
            .or_else(|| command_buffer::device_info(name))
            .or_else(|| mutable_dispatch::device_info(name))
            .or_else(|| external_memory::device_info(name))
        {
            Some(answer) => answer,
            None => return Err(info::unknown("a device", name)),
        },
    })
}

pub(crate) fn create_sub_devices(
    device: Handle,
    _properties: In<isize>,
    _room: u32,
    _devices: Out<Handle>,
    _count: Out<u32>,
) -> Result<()> {
    device.get::<Device>()?;
    // "CL_INVALID_VALUE if values specified in properties are not valid or if values specified in
    // properties are valid but not supported by the device"
    let why = "the device cannot be partitioned";
    Err(Error::new(CL_INVALID_VALUE, why))
}

pub(crate) fn retain(device: Handle) -> Result<()> {
    // "increments the device reference count if device is a valid sub-device"
    device.get::<Device>().map(|_| ())
}

pub(crate) fn release(device: Handle) -> Result<()> {
    // "decrements the device reference count if device is a valid sub-device"
    device.get::<Device>().map(|_| ())
}

pub(crate) fn timers(device: Handle, device_time: Out<u64>, host: Out<u64>) -> Result<()> {
    let device = device.get::<Device>()?;
    // "CL_INVALID_VALUE if host_timestamp or device_timestamp is NULL"
    ensure(
        !device_time.is_null() && !host.is_null(),
        CL_INVALID_VALUE,
        "a pointer to a time is null",
    )?;
    device_time.set(device.now().as_nanos() as u64);
    host.set(host_time().as_nanos() as u64);
    Ok(())
}

pub(crate) fn host_timer(device: Handle, host: Out<u64>) -> Result<()> {
    device.get::<Device>()?;
    // "CL_INVALID_VALUE if host_timestamp is NULL"
    ensure(
        !host.is_null(),
        CL_INVALID_VALUE,
        "the pointer to the time is null",
    )?;
    host.set(host_time().as_nanos() as u64);
    Ok(())
}
