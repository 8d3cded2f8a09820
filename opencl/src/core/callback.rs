//! Functions of the program's that the runtime calls.
//!
//! The specification makes the program responsible for them: they may be called from any thread,
//! and what they are given is theirs to interpret.

use std::ffi::{CString, c_char, c_void};

use opencl_sys::*;

use super::handle::Handle;
use super::host_memory::Memory;

/// Hears of errors in a context.
pub(crate) type ContextNotify =
    Option<unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void)>;

/// Hears of one object: that it goes, or that a program was built.
pub(crate) type ObjectNotify = Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>;

/// Hears of an event's status.
pub(crate) type EventNotify = Option<unsafe extern "C" fn(cl_event, cl_int, *mut c_void)>;

/// Frees shared virtual memory.
pub(crate) type SvmFree =
    Option<unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void)>;

/// A function that runs as a command.
pub(crate) type NativeKernel = Option<unsafe extern "C" fn(*mut c_void)>;

/// The callback of a context.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContextCallback {
    pub function: unsafe extern "C" fn(*const c_char, *const c_void, usize, *mut c_void),
    pub data: Memory,
}

impl ContextCallback {
    pub(crate) fn call(&self, text: &str) {
        let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
        // SAFETY: the program passed the function to be called so.
        unsafe {
            (self.function)(
                text.as_ptr(),
                std::ptr::null(),
                0,
                self.data.pointer().cast(),
            )
        }
    }
}

/// The callback of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ObjectCallback {
    pub function: unsafe extern "C" fn(*mut c_void, *mut c_void),
    pub data: Memory,
}

impl ObjectCallback {
    pub(crate) fn call(&self, object: Handle) {
        // SAFETY: the program passed the function to be called so.
        unsafe { (self.function)(object.pointer(), self.data.pointer().cast()) }
    }
}

/// What frees shared virtual memory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SvmFreeCallback {
    pub function: unsafe extern "C" fn(cl_command_queue, cl_uint, *mut *mut c_void, *mut c_void),
    pub data: Memory,
}

impl SvmFreeCallback {
    pub(crate) fn call(&self, queue: Handle, pointers: &[Memory]) {
        let mut list: Vec<*mut c_void> = pointers.iter().map(|one| one.pointer().cast()).collect();
        let count = list.len() as cl_uint;
        let data = self.data.pointer().cast();
        // SAFETY: the program passed the function to be called so; the list lives until it returns.
        unsafe { (self.function)(queue.pointer(), count, list.as_mut_ptr(), data) }
    }
}

/// The callback of an event.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventCallback {
    pub function: unsafe extern "C" fn(cl_event, cl_int, *mut c_void),
    pub data: Memory,
}

impl EventCallback {
    pub(crate) fn call(&self, event: Handle, status: cl_int) {
        // SAFETY: the program passed the function to be called so.
        unsafe { (self.function)(event.pointer(), status, self.data.pointer().cast()) }
    }
}
