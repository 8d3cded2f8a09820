//! The C ABI of the user-mode driver: `libintel_gpu.so` and `include/intel_gpu.h`.
//!
//! The functions are the ones of [`umd`] with opaque handles in the place of objects and
//! [`Status`] in the place of errors. `tests/vadd.c` shows the whole way from a device's name to a
//! result. Its first step, here in Rust:
//!
//! ```
//! use std::ffi::CStr;
//! use std::ptr::{null, null_mut};
//!
//! use intel_gpu::{Status, ig_device_open, ig_device_platform, ig_device_release};
//!
//! let mut device = null_mut();
//! // SAFETY: the name ends with a zero, and no options have no bytes.
//! let status = unsafe { ig_device_open(c"soft:dg2".as_ptr(), null(), 0, Some(&mut device)) };
//! assert_eq!(status, Status::Ok);
//! // SAFETY: the call above made the device, which nothing else has.
//! let device = unsafe { Box::from_raw(device) };
//! // SAFETY: the name ends with a zero, and the device is still there.
//! let platform = unsafe { CStr::from_ptr(ig_device_platform(Some(&device))) };
//! assert_eq!(platform, c"dg2");
//! ig_device_release(Some(device));
//! ```
//!
//! # Pointers
//! What the functions that take pointers expect of their callers: a pointer with a size points to
//! that many readable bytes (writable, where the function writes), a text ends with a zero, a
//! wait list points to that many handles of events. With a size of zero the pointer may be null.
//! Handles were given by a function of this library and were not released.
//!
//! # Threads
//! Every function may be called from any thread, also with one handle from several threads at
//! once; a release must be the last use of its handle.

mod buffer;
mod device;
mod event;
mod image;
mod info;
mod kernel;
mod map;
mod pointers;
mod program;
mod queue;
mod status;
mod texts;
mod transfer;

pub use buffer::*;
pub use device::*;
pub use event::*;
pub use image::*;
pub use info::*;
pub use kernel::*;
pub use map::*;
pub use program::*;
pub use queue::*;
pub use status::*;
pub use transfer::*;
