//! Programs.

use std::ffi::{CString, c_char, c_void};

use crate::device::Device;
use crate::pointers::{bytes, handle};
use crate::status::{Failure, Status, make};

/// A compiled file in a device's memory.
#[derive(Debug)]
pub struct Program {
    pub(crate) inner: umd::Program,
    names: Vec<CString>,
}

/// Loads a zebin, or the one for the device from an archive that ocloc made.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_program_load(
    device: Option<&Device>,
    data: *const c_void,
    size: usize,
    program: Option<&mut *mut Program>,
) -> Status {
    make(program, || {
        // SAFETY: as the caller promises.
        let data = unsafe { bytes(data.cast(), size) }?;
        let device = &handle(device, "device")?.inner;
        Ok(Program::of(umd::Program::load(device, data)?))
    })
}

/// Assembles and loads a text of `size` bytes, for the device's platform unless the text names one.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_program_assemble(
    device: Option<&Device>,
    assembly: *const c_char,
    size: usize,
    program: Option<&mut *mut Program>,
) -> Status {
    make(program, || {
        // SAFETY: as the caller promises.
        let assembly = unsafe { bytes(assembly.cast(), size) }?;
        let assembly = std::str::from_utf8(assembly);
        let assembly = assembly.map_err(|_| Failure::usage("the text is not UTF-8"))?;
        let device = &handle(device, "device")?.inner;
        let binary = umd::Binary::assemble(assembly, Some(&device.target()))?;
        Ok(Program::of(umd::Program::new(device, binary)?))
    })
}

impl Program {
    fn of(inner: umd::Program) -> Self {
        let names = inner.kernels().iter();
        let names = names.map(|kernel| CString::new(kernel.name.as_str()).unwrap_or_default());
        Self {
            names: names.collect(),
            inner,
        }
    }
}

/// Frees a program as soon as no kernel of it is left.
#[unsafe(no_mangle)]
pub extern "C" fn ig_program_release(program: Option<Box<Program>>) {
    drop(program);
}

/// How many kernels it has; 0 for null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_program_kernel_count(program: Option<&Program>) -> usize {
    program.map_or(0, |program| program.names.len())
}

/// The name of a kernel, in the order of the file. Valid as long as the program; null if there is
/// no such kernel.
#[unsafe(no_mangle)]
pub extern "C" fn ig_program_kernel_name(program: Option<&Program>, index: usize) -> *const c_char {
    let name = program.and_then(|program| program.names.get(index));
    name.map_or(std::ptr::null(), |name| name.as_ptr())
}
