//! What crosses the C boundary: parameters and results of entry points.
//!
//! An entry point makes a [`Parameter`] of each value that C passes. That is the one unsafe step:
//! the caller promises there that pointers are what the specification says of them, and for as long
//! as it says. The types here rely on it, so that everything behind them is safe code.

use std::ffi::{CStr, c_char, c_void};
use std::os::fd::{FromRawFd, OwnedFd};

use opencl_sys::*;

use crate::core::{Handle, Memory};
use crate::error::{Error, Result, ensure};

/// A parameter of an entry point.
pub(crate) trait Parameter: Copy {
    /// Its type in C.
    type C: Copy;

    /// Takes what C passes.
    ///
    /// # Safety
    /// A pointer in it is null or what the specification of the entry point says.
    unsafe fn of(c: Self::C) -> Self;
}

/// A parameter whose value C gets back through a pointer.
pub(crate) trait Value: Parameter {
    /// What C gets.
    fn into_c(self) -> Self::C;
}

macro_rules! plain {
    ($($type:ty)*) => {$(
        impl Parameter for $type {
            type C = $type;
            unsafe fn of(c: $type) -> $type {
                c
            }
        }
        impl Value for $type {
            fn into_c(self) -> $type {
                self
            }
        }
    )*};
}

plain!(u8 u32 i32 u64 usize isize cl_image_format cl_buffer_region _cl_image_desc cl_name_version);

impl Parameter for Handle {
    type C = *mut c_void;
    unsafe fn of(c: *mut c_void) -> Self {
        Self::of(c.addr())
    }
}

impl Value for Handle {
    fn into_c(self) -> *mut c_void {
        self.pointer()
    }
}

/// A callback, or none.
impl<F: Copy> Parameter for Option<F> {
    type C = Option<F>;
    unsafe fn of(c: Option<F>) -> Self {
        c
    }
}

/// Values that the entry point reads; may be null.
#[derive(Clone, Copy, Debug)]
pub(crate) struct In<T: Parameter>(*const T::C);

impl<T: Parameter> Parameter for In<T> {
    type C = *const T::C;
    unsafe fn of(c: *const T::C) -> Self {
        Self(c)
    }
}

/// Values that the entry point reads, though the headers do not call them constant.
#[derive(Clone, Copy)]
pub(crate) struct Unconst<T: Parameter>(pub In<T>);

impl<T: Parameter> Parameter for Unconst<T> {
    type C = *mut T::C;
    unsafe fn of(c: *mut T::C) -> Self {
        Self(In(c))
    }
}

impl<T: Parameter> In<T> {
    pub(crate) const NULL: Self = Self(std::ptr::null());

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    pub(crate) fn address(self) -> usize {
        self.0.addr()
    }

    /// The first value; `None` if the pointer is null.
    pub(crate) fn get(self) -> Option<T> {
        (!self.is_null()).then(|| self.at(0))
    }

    /// So many values; none if the pointer is null.
    pub(crate) fn list(self, count: usize) -> Vec<T> {
        match self.is_null() {
            true => Vec::new(),
            false => (0..count).map(|index| self.at(index)).collect(),
        }
    }

    /// One of the values.
    pub(crate) fn at(self, index: usize) -> T {
        // SAFETY: the caller of the entry point promised as many values as it says.
        unsafe { T::of(self.0.add(index).read_unaligned()) }
    }
}

impl<T: Parameter + PartialEq + Default> In<T> {
    /// The pairs of a property list, which ends with a zero; none if the pointer is null.
    pub(crate) fn pairs(self) -> Vec<(T, T)> {
        let mut pairs = Vec::new();
        if self.is_null() {
            return pairs;
        }
        let mut index = 0;
        while self.at(index) != T::default() {
            pairs.push((self.at(index), self.at(index + 1)));
            index += 2;
        }
        pairs
    }
}

/// A value, or several, that the entry point writes; may be null.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Out<T: Parameter>(*mut T::C);

impl<T: Parameter> Parameter for Out<T> {
    type C = *mut T::C;
    unsafe fn of(c: *mut T::C) -> Self {
        Self(c)
    }
}

impl<T: Value> Out<T> {
    pub(crate) const NULL: Self = Self(std::ptr::null_mut());

    pub(crate) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// Writes a value, unless the pointer is null.
    pub(crate) fn set(self, value: T) {
        self.set_all([value]);
    }

    /// Writes values one after the other, unless the pointer is null. There are no more of them
    /// than the caller said that it has room for.
    pub(crate) fn set_all(self, values: impl IntoIterator<Item = T>) {
        if self.is_null() {
            return;
        }
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: the caller of the entry point promised room for so many values.
            unsafe { self.0.add(index).write_unaligned(value.into_c()) };
        }
    }
}

/// A text that ends with a zero; may be null.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text(*const c_char);

impl Parameter for Text {
    type C = *const c_char;
    unsafe fn of(c: *const c_char) -> Self {
        Self(c)
    }
}

impl Text {
    /// The text; `None` if the pointer is null. Bytes that are no UTF-8 are replaced.
    pub(crate) fn get(self) -> Option<String> {
        let bytes = self.with_length(0)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The `length` bytes of the text, or up to the zero if `length` is 0; `None` if the pointer is
    /// null.
    pub(crate) fn with_length(self, length: usize) -> Option<Vec<u8>> {
        if self.0.is_null() {
            return None;
        }
        if length > 0 {
            return Some(Memory::at(self.0.cast_mut().cast()).read(length));
        }
        // SAFETY: the caller of the entry point promised a text that ends with a zero.
        let text = unsafe { CStr::from_ptr(self.0) };
        Some(text.to_bytes().to_vec())
    }
}

impl Parameter for Memory {
    type C = *mut c_void;
    unsafe fn of(c: *mut c_void) -> Self {
        Self::at(c.cast())
    }
}

impl Value for Memory {
    fn into_c(self) -> *mut c_void {
        self.pointer().cast()
    }
}

/// A file descriptor of the program's, of which this process has its own from now on.
///
/// # Errors
/// `CL_INVALID_VALUE`: it is not open.
pub(crate) fn duplicate(number: u64) -> Result<OwnedFd> {
    let number = i32::try_from(number.cast_signed()).unwrap_or(-1);
    // SAFETY: the call checks the number.
    let own = unsafe { libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 0) };
    let why = format!("{number} is no open file descriptor");
    ensure(own >= 0, CL_INVALID_VALUE, why)?;
    // SAFETY: the descriptor is new, and nobody else's.
    Ok(unsafe { OwnedFd::from_raw_fd(own) })
}

/// Memory of the program's that is only read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bytes(pub Memory);

impl Parameter for Bytes {
    type C = *const c_void;
    unsafe fn of(c: *const c_void) -> Self {
        Self(Memory::at(c.cast_mut().cast()))
    }
}

impl Memory {
    /// The values there.
    pub(crate) fn values<T: Parameter>(self) -> In<T> {
        In(self.pointer().cast_const().cast())
    }
}

/// An argument of a kernel (`cl_mutable_dispatch_arg_khr`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct KernelArg {
    pub index: u32,
    pub size: usize,
    pub value: Bytes,
}

/// What `clSetKernelExecInfo` takes (`cl_mutable_dispatch_exec_info_khr`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ExecInfo {
    pub name: u32,
    pub size: usize,
    pub value: Bytes,
}

/// A number, a size and a pointer, as both of these are in C.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct NumberSizeValue {
    number: cl_uint,
    size: usize,
    value: *const c_void,
}

impl Parameter for KernelArg {
    type C = NumberSizeValue;
    unsafe fn of(c: NumberSizeValue) -> Self {
        Self {
            index: c.number,
            size: c.size,
            value: Bytes(Memory::at(c.value.cast_mut().cast())),
        }
    }
}

impl Parameter for ExecInfo {
    type C = NumberSizeValue;
    unsafe fn of(c: NumberSizeValue) -> Self {
        Self {
            name: c.number,
            size: c.size,
            value: Bytes(Memory::at(c.value.cast_mut().cast())),
        }
    }
}

/// How a kernel in a command buffer is changed (`cl_mutable_dispatch_config_khr`).
#[derive(Clone, Copy, Debug)]
pub(crate) struct DispatchConfig {
    pub command: Handle,
    pub arg_count: u32,
    pub svm_arg_count: u32,
    pub info_count: u32,
    pub dimensions: u32,
    pub args: In<KernelArg>,
    pub svm_args: In<KernelArg>,
    pub infos: In<ExecInfo>,
    pub offset: In<usize>,
    pub global: In<usize>,
    pub local: In<usize>,
}

/// The same in C.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct DispatchConfigC {
    command: *mut c_void,
    counts: [cl_uint; 4],
    lists: [*const NumberSizeValue; 3],
    sizes: [*const usize; 3],
}

impl Parameter for DispatchConfig {
    type C = DispatchConfigC;
    unsafe fn of(c: DispatchConfigC) -> Self {
        let [arg_count, svm_arg_count, info_count, dimensions] = c.counts;
        let [args, svm_args, infos] = c.lists;
        let [offset, global, local] = c.sizes.map(In);
        Self {
            command: Handle::of(c.command.addr()),
            arg_count,
            svm_arg_count,
            info_count,
            dimensions,
            args: In(args),
            svm_args: In(svm_args),
            infos: In(infos),
            offset,
            global,
            local,
        }
    }
}

/// The wait list and the event of an enqueueing call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Waits {
    pub count: cl_uint,
    pub list: In<Handle>,
    pub event: Out<Handle>,
}

/// The code of an entry point's result. Failures are logged.
pub(crate) fn code(entry: &str, result: Result<()>) -> cl_int {
    match result {
        Ok(()) => CL_SUCCESS,
        Err(error) => failed(entry, &error),
    }
}

/// The result of an entry point that makes something, and through a pointer its code.
pub(crate) fn made<T>(entry: &str, errcode: Out<i32>, none: T, result: Result<T>) -> T {
    match result {
        Ok(value) => {
            errcode.set(CL_SUCCESS);
            value
        }
        Err(error) => {
            errcode.set(failed(entry, &error));
            none
        }
    }
}

fn failed(entry: &str, error: &Error) -> cl_int {
    tracing::info!("{entry}: {error}");
    error.code
}
