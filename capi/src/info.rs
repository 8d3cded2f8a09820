//! What devices, kernels and their arguments are.
//!
//! Each structure comes with its size, so that a library of a later version, which knows more
//! fields, writes no more than the caller has room for. What the caller's has more stays as it is.

use std::ffi::c_char;

use umd::{AccessQualifier, AddressSpace, ArgKind};

use crate::device::Device;
use crate::kernel::Kernel;
use crate::pointers::{handle, put};
use crate::status::{Failure, Status, call};

/// What a device is and what it can do. Sizes are in bytes, yes is 1 and no is 0.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct DeviceInfo {
    /// PCI vendor id.
    pub vendor_id: u32,
    /// PCI device id.
    pub device_id: u32,
    /// PCI revision.
    pub revision: u32,
    /// EUs that are not fused off.
    pub compute_units: u32,
    /// Hardware threads of each.
    pub threads_per_compute_unit: u32,
    /// Slices.
    pub slices: u32,
    /// Subslices, of all slices.
    pub subslices: u32,
    /// The most work-items of a group.
    pub max_work_group_size: u32,
    /// The most sub-groups of a group.
    pub max_sub_groups: u32,
    /// The sizes of sub-groups; the first `sub_group_size_count` count.
    pub sub_group_sizes: [u32; 4],
    /// How many sizes there are.
    pub sub_group_size_count: u32,
    /// Whether sub-groups make progress independently of each other.
    pub independent_forward_progress: u32,
    /// Whether the device computes in double precision.
    pub fp64: u32,
    /// Whether buffers lie in the host's memory.
    pub unified_memory: u32,
    /// What the origin of a sub-buffer is a multiple of.
    pub sub_buffer_alignment: u32,
    /// Bits of an address.
    pub address_bits: u32,
    /// Whether there are images and samplers; what follows about them is 0 if not.
    pub images: u32,
    /// The most texels of a 2D image's row, its rows, and those of a 3D image's slice.
    pub image_across: u32,
    /// The most slices of a 3D image.
    pub image_depth: u32,
    /// The most layers of an array of images.
    pub image_layers: u32,
    /// The most texels of a 1D image made of a buffer.
    pub image_buffer: u32,
    /// The most samplers of a kernel.
    pub max_samplers: u32,
    /// Shared local memory of a group.
    pub local_memory: u64,
    /// Memory for buffers.
    pub global_memory: u64,
    /// The largest buffer.
    pub max_allocation: u64,
    /// What printf can write in one launch.
    pub printf_buffer: u64,
    /// Ticks of the profiling timer in a second.
    pub timer_frequency: u64,
}

/// What a kernel takes and needs. Sizes are in bytes.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct KernelInfo {
    /// How many arguments it has.
    pub arg_count: u32,
    /// The work-items of a full sub-group: also what work-group sizes are best a multiple of.
    pub sub_group_size: u32,
    /// The sub-group size that its source required; 0 if none.
    pub required_sub_group_size: u32,
    /// The most work-items of a group.
    pub max_local_size: u32,
    /// The most sub-groups of a group.
    pub max_sub_groups: u32,
    /// The local size that it requires; all 0 if none.
    pub required_local_size: [u32; 3],
    /// Shared local memory of a group, with the arguments that are set now.
    pub local_memory: u32,
    /// Private memory of a work-item.
    pub private_memory: u32,
    /// Scratch of a thread: spilled registers, stack.
    pub scratch_memory: u32,
    /// Registers of a thread.
    pub register_count: u32,
    /// Barriers that it uses.
    pub barriers: u32,
    /// Whether it prints.
    pub prints: u32,
    /// Bytes of code.
    pub code_size: u64,
}

/// What an argument takes.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentKind {
    /// Anything; the code does not use it.
    Unused = 0,
    /// A buffer or null.
    Buffer = 1,
    /// Bytes of a value.
    Value = 2,
    /// A size of local memory.
    Local = 3,
    /// An image.
    Image = 4,
    /// A sampler.
    Sampler = 5,
}

/// The memory that a pointer argument points to.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentSpace {
    /// The file does not say.
    Unknown = 0,
    /// `global`.
    Global = 1,
    /// `constant`.
    Constant = 2,
    /// `local`.
    Local = 3,
    /// `private`: a value.
    Private = 4,
}

/// What a kernel does with an argument.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentAccess {
    /// The file does not say.
    Unknown = 0,
    /// It reads.
    ReadOnly = 1,
    /// It writes.
    WriteOnly = 2,
    /// It does both.
    ReadWrite = 3,
}

/// One argument of a kernel.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ArgumentInfo {
    /// What it takes: one of `ig_arg_kind`.
    pub kind: u32,
    /// Bytes of a value; else 0.
    pub size: u32,
    /// One of `ig_arg_space`.
    pub space: u32,
    /// One of `ig_arg_access`.
    pub access: u32,
    /// The shape of an image: one of `ig_image_kind`; else 0.
    pub image_kind: u32,
    /// What a buffer's address has to be a multiple of, in bytes.
    pub alignment: u32,
    /// Its name; empty if the file has none. The texts are valid as long as the kernel.
    pub name: *const c_char,
    /// Its type in the source; empty if the file has none.
    pub type_name: *const c_char,
    /// Qualifiers of its type: `const`, `restrict`, `volatile`, `pipe`, with spaces between.
    pub type_qualifiers: *const c_char,
}

/// What a device is and what it can do: `info_size` is `sizeof *info`.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_device_get_info(
    device: Option<&Device>,
    info: *mut DeviceInfo,
    info_size: usize,
) -> Status {
    call(|| {
        let limits = handle(device, "device")?.inner.limits();
        let mut made = DeviceInfo {
            vendor_id: 0x8086,
            device_id: limits.pci_id.into(),
            revision: limits.revision.into(),
            compute_units: limits.compute_units,
            threads_per_compute_unit: limits.threads_per_compute_unit,
            slices: limits.slices,
            subslices: limits.subslices,
            max_work_group_size: limits.max_work_group_size,
            max_sub_groups: limits.max_sub_groups,
            sub_group_size_count: limits.sub_group_sizes.len() as u32,
            independent_forward_progress: limits.independent_forward_progress.into(),
            fp64: limits.fp64.into(),
            unified_memory: limits.unified_memory.into(),
            sub_buffer_alignment: limits.sub_buffer_alignment,
            address_bits: limits.address_bits,
            max_samplers: limits.images.map_or(0, |_| limits.max_samplers),
            local_memory: limits.local_memory,
            global_memory: limits.global_memory,
            max_allocation: limits.max_allocation,
            printf_buffer: limits.printf_buffer,
            timer_frequency: limits.timer_frequency,
            ..DeviceInfo::default()
        };
        for (to, from) in made.sub_group_sizes.iter_mut().zip(limits.sub_group_sizes) {
            *to = (*from).into();
        }
        if let Some(images) = limits.images {
            made.images = 1;
            made.image_across = images.across;
            made.image_depth = images.depth;
            made.image_layers = images.layers;
            made.image_buffer = images.buffer;
        }
        // SAFETY: as the caller promises.
        unsafe { put(info, info_size, &made) }
    })
}

/// What a kernel takes and needs: `info_size` is `sizeof *info`.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_kernel_get_info(
    kernel: Option<&Kernel>,
    info: *mut KernelInfo,
    info_size: usize,
) -> Status {
    call(|| {
        let kernel = handle(kernel, "kernel")?.lock();
        let has = kernel.info();
        let made = KernelInfo {
            arg_count: has.args.len() as u32,
            sub_group_size: kernel.sub_group_size(),
            required_sub_group_size: has.required_sub_group_size.unwrap_or(0),
            max_local_size: kernel.max_local_size(),
            max_sub_groups: kernel.max_sub_groups(),
            required_local_size: has.required_local_size.unwrap_or([0; 3]),
            local_memory: kernel.local_memory(),
            private_memory: has.private_size,
            scratch_memory: has.scratch_size,
            register_count: has.grf_count,
            barriers: has.barriers,
            prints: has.has_printf.into(),
            code_size: has.code_size,
        };
        // SAFETY: as the caller promises.
        unsafe { put(info, info_size, &made) }
    })
}

/// What an argument of a kernel takes: `info_size` is `sizeof *info`.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_kernel_get_arg_info(
    kernel: Option<&Kernel>,
    index: u32,
    info: *mut ArgumentInfo,
    info_size: usize,
) -> Status {
    call(|| {
        let kernel = handle(kernel, "kernel")?;
        let inner = kernel.lock();
        let number = usize::try_from(index).unwrap_or(usize::MAX);
        let args = &inner.info().args;
        let (arg, texts) = args
            .get(number)
            .zip(kernel.texts.args.get(number))
            .ok_or_else(|| {
                let count = args.len();
                Failure::usage(format!(
                    "there is no argument {index}; the kernel has {count}"
                ))
            })?;
        let (kind, size, image_kind) = match arg.kind {
            ArgKind::Unused => (ArgumentKind::Unused, 0, 0),
            ArgKind::Buffer => (ArgumentKind::Buffer, 0, 0),
            ArgKind::Value { size, .. } => (ArgumentKind::Value, size, 0),
            ArgKind::Local => (ArgumentKind::Local, 0, 0),
            ArgKind::Image(kind) => (ArgumentKind::Image, 0, crate::image::kind_number(kind)),
            ArgKind::Sampler => (ArgumentKind::Sampler, 0, 0),
        };
        let space = match arg.address_space {
            None => ArgumentSpace::Unknown,
            Some(AddressSpace::Global) => ArgumentSpace::Global,
            Some(AddressSpace::Constant) => ArgumentSpace::Constant,
            Some(AddressSpace::Local) => ArgumentSpace::Local,
            Some(AddressSpace::Private) => ArgumentSpace::Private,
        };
        let access = match arg.access {
            None => ArgumentAccess::Unknown,
            Some(AccessQualifier::ReadOnly) => ArgumentAccess::ReadOnly,
            Some(AccessQualifier::WriteOnly) => ArgumentAccess::WriteOnly,
            Some(AccessQualifier::ReadWrite) => ArgumentAccess::ReadWrite,
        };
        let [name, type_name, type_qualifiers] = texts;
        let made = ArgumentInfo {
            kind: kind as u32,
            size,
            space: space as u32,
            access: access as u32,
            image_kind,
            alignment: arg.alignment,
            name: name.as_ptr(),
            type_name: type_name.as_ptr(),
            type_qualifiers: type_qualifiers.as_ptr(),
        };
        // SAFETY: as the caller promises.
        unsafe { put(info, info_size, &made) }
    })
}

/// The name of a kernel, valid as long as the kernel; null for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_name(kernel: Option<&Kernel>) -> *const c_char {
    kernel.map_or(std::ptr::null(), |kernel| kernel.texts.name.as_ptr())
}

/// The attributes in a kernel's source, as CL_KERNEL_ATTRIBUTES has them. Valid as long as the
/// kernel; null for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_attributes(kernel: Option<&Kernel>) -> *const c_char {
    kernel.map_or(std::ptr::null(), |kernel| kernel.texts.attributes.as_ptr())
}

/// The sub-groups of a group of this size; 0 for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_sub_groups(kernel: Option<&Kernel>, x: u32, y: u32, z: u32) -> u64 {
    kernel.map_or(0, |kernel| kernel.lock().sub_groups([x, y, z]))
}

/// The size of groups that have `count` sub-groups; all 0 if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_local_size_for_sub_groups(
    kernel: Option<&Kernel>,
    count: u32,
    local: Option<&mut [u32; 3]>,
) -> Status {
    call(|| {
        let size = handle(kernel, "kernel")?
            .lock()
            .local_size_for_sub_groups(count);
        *local.ok_or_else(|| Failure::usage("the pointer for the size is null"))? =
            size.unwrap_or([0; 3]);
        Ok(())
    })
}
