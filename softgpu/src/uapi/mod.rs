//! The ioctls that the node answers.
//!
//! Arguments are handled as the kernel's `drm_ioctl` does: a structure shorter than the driver's
//! is extended with zeros, a longer one is cut, and results are copied out even with an error. Only
//! [`user`](softgpu_memory::user) follows pointers inside.

mod drm;
mod family;
mod hwconfig;
mod i915;
mod sync;
mod xe;

use std::sync::Arc;
use std::time::{Duration, Instant};

use batchbuffer::Engine;
use devinfo::Driver;
use kmd_iface::uapi::{Argument, Direction, Ioctl, Request};
use nix::errno::Errno;
use nix::time::{ClockId, clock_gettime};
use softgpu_device::{Job, SubmitError, Timeline};
use softgpu_memory::PAGE_BYTES;

use crate::client::{File, Memory};
use crate::device::Device;
use crate::refusal::{Answer, Refusal};

/// Answers one ioctl of `file`.
///
/// # Errors
/// The `errno` that the kernel's answer would carry.
pub fn answer(file: &File, request: Request, argument: &mut [u8]) -> Result<i32, Errno> {
    if request.ty() != b'd' {
        return Err(Errno::ENOTTY);
    }
    if argument.len() < request.size() {
        return Err(Errno::EFAULT);
    }
    let mut call = Call { request, argument };
    if (Request::COMMAND_BASE..Request::COMMAND_END).contains(&request.number()) {
        return match file.device().options.driver {
            Driver::I915 => i915::answer(file, &mut call),
            Driver::Xe => xe::answer(file, &mut call),
        };
    }
    match sync::answer(file, &mut call) {
        None => drm::answer(file, &mut call),
        Some(outcome) => outcome,
    }
}

/// One ioctl with its argument as bytes.
pub(crate) struct Call<'a> {
    request: Request,
    argument: &'a mut [u8],
}

impl Call<'_> {
    /// The number within the DRM ioctls.
    pub fn number(&self) -> u8 {
        self.request.number()
    }

    /// Calls `handler` with the argument as the structure of `ioctl`.
    pub fn with<T: Argument>(
        &mut self,
        ioctl: Ioctl<T>,
        handler: impl FnOnce(&mut T) -> Answer,
    ) -> Result<i32, Errno> {
        let size = self.request.size().min(size_of::<T>());
        let (from, into) = match self.request.direction() {
            Direction::None => (false, false),
            Direction::Write => (true, false),
            Direction::Read => (false, true),
            Direction::ReadWrite => (true, true),
        };
        let bytes = self.argument.get_mut(..size).ok_or(Errno::EFAULT)?;
        let mut value = T::new_zeroed();
        if from && let Some(start) = value.as_mut_bytes().get_mut(..size) {
            start.copy_from_slice(bytes);
        }
        let outcome = handler(&mut value);
        if into && let Some(start) = value.as_bytes().get(..size) {
            bytes.copy_from_slice(start);
        }
        match outcome {
            Ok(()) => Ok(0),
            Err(refusal) => {
                refusal.log(ioctl.name());
                Err(refusal.errno)
            }
        }
    }
}

/// Passes a call to the handler of its number; anything else is `EINVAL`.
macro_rules! route {
    ($call:expr, { $( $ioctl:path => $handler:expr, )* }) => {{
        let call: &mut $crate::uapi::Call<'_> = $call;
        match call.number() {
            $( number if number == $ioctl.number() => call.with($ioctl, $handler), )*
            number => {
                let why = "the kernel driver does not know it, or its model does not answer it";
                let refusal = $crate::refusal::Refusal::new(nix::errno::Errno::EINVAL, why);
                refusal.log(&format!("ioctl {number:#04x}"));
                Err(refusal.errno)
            }
        }
    }};
}
use route;

/// Submits a job; a full ring behaves as in the kernel.
///
/// # Errors
/// `EAGAIN` for a full ring of a long-running queue (Linux `xe_exec_ioctl`), `ENOMEM` if no thread
/// can be started. Then the job has ended.
fn submit(timeline: &Timeline, job: Job) -> Answer {
    let done = Arc::clone(&job.done);
    timeline.submit(job).map_err(|error| {
        done.signal();
        let errno = match error {
            SubmitError::Full => Errno::EAGAIN,
            SubmitError::Thread(_) => Errno::ENOMEM,
        };
        Refusal::new(errno, error.to_string())
    })
}

/// The page size of an object's memory.
fn page_of(device: &Device, memory: Memory) -> u64 {
    match memory {
        Memory::Device => family::traits(device.platform.family).device_page,
        Memory::System | Memory::User => PAGE_BYTES,
    }
}

/// The engines of a device.
fn engines(device: &Device) -> Vec<Engine> {
    family::traits(device.platform.family).engines.to_vec()
}

/// The instant of an absolute `CLOCK_MONOTONIC` time in nanoseconds; past and negative times are
/// now, and times out of reach are `None`.
fn deadline_at(nanoseconds: i64) -> Option<Instant> {
    let now = Instant::now();
    let monotonic = clock_gettime(ClockId::CLOCK_MONOTONIC)
        .map(|t| Duration::from(t).as_nanos())
        .unwrap_or_default();
    let target = u128::try_from(nanoseconds).unwrap_or(0);
    let left = u64::try_from(target.saturating_sub(monotonic)).unwrap_or(u64::MAX);
    now.checked_add(Duration::from_nanos(left))
}
