//! Statuses, and what went wrong last.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a call ended.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Success.
    Ok = 0,
    /// No memory, or a kernel driver that refuses.
    Failed = 1,
    /// The call was wrong: a null pointer, an argument, a size, a range.
    Usage = 2,
    /// The kernel file was rejected.
    Input = 3,
    /// The device is missing, lost or hung.
    Device = 4,
    /// The timeout passed first. The command may still end.
    Timeout = 5,
    /// An error of the library itself.
    Internal = 6,
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    status: Status,
    text: String,
}

impl Failure {
    pub(crate) fn status(&self) -> Status {
        self.status
    }

    pub(crate) fn usage(text: impl Into<String>) -> Self {
        Self {
            status: Status::Usage,
            text: text.into(),
        }
    }
}

impl<E: Into<umd::Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        let status = match (&error, error.class()) {
            (umd::Error::Device(umd::DeviceError::Timeout { .. }), _) => Status::Timeout,
            (_, umd::ErrorClass::Input) => Status::Input,
            (_, umd::ErrorClass::Usage) => Status::Usage,
            (_, umd::ErrorClass::Device) => Status::Device,
            (_, umd::ErrorClass::Failed) => Status::Failed,
        };
        Self {
            status,
            text: error.to_string(),
        }
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Runs a call: no panic leaves it, and a failure is remembered.
pub(crate) fn call(body: impl FnOnce() -> Result<(), Failure>) -> Status {
    // What a panic leaves behind is only reached through locks and atomics of `umd`, which are
    // made for it.
    let failure = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => return Status::Ok,
        Ok(Err(failure)) => failure,
        Err(_) => Failure {
            status: Status::Internal,
            text: "the library failed; this is an error in it".to_owned(),
        },
    };
    // A text from outside may have zeros in it.
    let text = CString::new(failure.text.replace('\0', "")).unwrap_or_default();
    LAST.with(|last| *last.borrow_mut() = text);
    failure.status
}

/// Runs a call that gives an object: it is written to `out` on success.
pub(crate) fn make<T>(
    out: Option<&mut *mut T>,
    body: impl FnOnce() -> Result<T, Failure>,
) -> Status {
    call(|| {
        let out = out.ok_or_else(|| Failure::usage("the pointer for the result is null"))?;
        *out = Box::into_raw(Box::new(body()?));
        Ok(())
    })
}

/// What a status means, in English. Never null.
#[unsafe(no_mangle)]
pub extern "C" fn ig_status_text(status: u32) -> *const c_char {
    let text = match status {
        0 => c"ok",
        1 => c"no memory, or the kernel driver refuses",
        2 => c"the call was wrong",
        3 => c"the kernel file was rejected",
        4 => c"the device is missing, lost or hung",
        5 => c"the timeout passed first",
        6 => c"an error of the library itself",
        _ => c"not a status",
    };
    text.as_ptr()
}

/// What the last failed call of this thread failed with, in English; empty if none did. Valid
/// until the next call of this thread fails.
#[unsafe(no_mangle)]
pub extern "C" fn ig_last_error() -> *const c_char {
    LAST.with(|last| last.borrow().as_ptr())
}
