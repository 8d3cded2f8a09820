//! Kernels and their arguments.

use std::ffi::{c_char, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use umd::{AddressingMode, Arg, FilterMode, GpuAddress, Sampler};

use crate::buffer::Buffer;
use crate::image::Image;
use crate::pointers::{bytes, handle, text};
use crate::program::Program;
use crate::status::{Failure, Status, call, make};
use crate::texts::Texts;

/// An entry point of a program, with arguments.
#[derive(Debug)]
pub struct Kernel {
    inner: Mutex<umd::Kernel>,
    pub(crate) texts: Texts,
}

impl Kernel {
    fn of(kernel: umd::Kernel) -> Self {
        Self {
            texts: Texts::of(kernel.info()),
            inner: Mutex::new(kernel),
        }
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, umd::Kernel> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a sampler does with coordinates outside the image.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// CLK_ADDRESS_NONE.
    None = 0,
    /// CLK_ADDRESS_CLAMP_TO_EDGE.
    ClampToEdge = 1,
    /// CLK_ADDRESS_CLAMP.
    ClampToBorder = 2,
    /// CLK_ADDRESS_REPEAT.
    Repeat = 3,
    /// CLK_ADDRESS_MIRRORED_REPEAT.
    MirroredRepeat = 4,
}

fn set(kernel: Option<&Kernel>, index: u32, arg: Arg<'_>) -> Result<(), Failure> {
    let mut kernel = handle(kernel, "kernel")?.lock();
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    Ok(kernel.set_arg(index, arg)?)
}

/// Makes a kernel of a program, without arguments.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_kernel_create(
    program: Option<&Program>,
    name: *const c_char,
    kernel: Option<&mut *mut Kernel>,
) -> Status {
    make(kernel, || {
        // SAFETY: as the caller promises.
        let name = unsafe { text(name, "name") }?;
        let kernel = handle(program, "program")?.inner.kernel(name)?;
        Ok(Kernel::of(kernel))
    })
}

/// Makes a kernel with the arguments that another one has now. Later changes of one do not matter
/// to the other.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_clone(
    kernel: Option<&Kernel>,
    clone: Option<&mut *mut Kernel>,
) -> Status {
    make(clone, || {
        let kernel = handle(kernel, "kernel")?.lock().clone();
        Ok(Kernel::of(kernel))
    })
}

/// Frees a kernel. Commands that were enqueued with it go on.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_release(kernel: Option<Box<Kernel>>) {
    drop(kernel);
}

/// How many arguments it has; 0 for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_arg_count(kernel: Option<&Kernel>) -> u32 {
    kernel.map_or(0, |kernel| kernel.lock().info().args.len() as u32)
}

/// The work-items of a sub-group; 0 for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_sub_group_size(kernel: Option<&Kernel>) -> u32 {
    kernel.map_or(0, |kernel| kernel.lock().info().simd)
}

/// The most work-items of a group; 0 for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_max_local_size(kernel: Option<&Kernel>) -> u32 {
    kernel.map_or(0, |kernel| kernel.lock().max_local_size())
}

/// Sets a buffer argument; null is the null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_set_buffer(
    kernel: Option<&Kernel>,
    index: u32,
    buffer: Option<&Buffer>,
) -> Status {
    call(|| {
        let arg = buffer.map_or(Arg::Null, |buffer| Arg::Buffer(&buffer.0));
        set(kernel, index, arg)
    })
}

/// Sets a buffer argument to an address: one of `ig_buffer_address`, or a pointer into a shared
/// buffer. 0 is the null pointer.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_set_address(
    kernel: Option<&Kernel>,
    index: u32,
    address: u64,
) -> Status {
    call(|| {
        if address == 0 {
            return set(kernel, index, Arg::Null);
        }
        let device = handle(kernel, "kernel")?.lock().device();
        let buffer = device.buffer_at(GpuAddress::new(address));
        let buffer =
            buffer.ok_or_else(|| Failure::usage(format!("there is no buffer at {address:#x}")))?;
        set(kernel, index, Arg::Buffer(&buffer))
    })
}

/// Sets a value argument; as many bytes as the kernel takes, little endian.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_kernel_set_value(
    kernel: Option<&Kernel>,
    index: u32,
    value: *const c_void,
    size: usize,
) -> Status {
    call(|| {
        // SAFETY: as the caller promises.
        let value = unsafe { bytes(value.cast(), size) }?;
        set(kernel, index, Arg::Value(value))
    })
}

/// Sets an argument in local memory to `size` bytes of it.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_set_local(kernel: Option<&Kernel>, index: u32, size: u32) -> Status {
    call(|| set(kernel, index, Arg::Local(size)))
}

/// Sets an image argument.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_set_image(
    kernel: Option<&Kernel>,
    index: u32,
    image: Option<&Image>,
) -> Status {
    call(|| set(kernel, index, Arg::Image(&handle(image, "image")?.0)))
}

/// Sets a sampler argument. `addressing` is one of `ig_addressing`; `linear` filters linearly,
/// else the nearest texel counts; `normalized` coordinates run from 0 to 1.
#[unsafe(no_mangle)]
pub extern "C" fn ig_kernel_set_sampler(
    kernel: Option<&Kernel>,
    index: u32,
    addressing: u32,
    linear: u32,
    normalized: u32,
) -> Status {
    call(|| {
        let addressing = match addressing {
            0 => AddressingMode::None,
            1 => AddressingMode::ClampToEdge,
            2 => AddressingMode::ClampToBorder,
            3 => AddressingMode::Repeat,
            4 => AddressingMode::MirroredRepeat,
            other => {
                return Err(Failure::usage(format!("{other} is no addressing mode")));
            }
        };
        let filter = match linear {
            0 => FilterMode::Nearest,
            _ => FilterMode::Linear,
        };
        let sampler = Sampler {
            addressing,
            filter,
            normalized: normalized != 0,
        };
        set(kernel, index, Arg::Sampler(sampler))
    })
}
