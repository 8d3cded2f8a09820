//! Events.

use std::ffi::{c_char, c_void};
use std::time::Duration;

use crate::pointers::{handle, put_text, text};
use crate::status::{Failure, Status, call};

/// The end of a command.
#[derive(Debug)]
pub struct Event(pub(crate) umd::Event);

/// An event that the caller sets. Releasing it unset fails what waits for it.
#[derive(Debug)]
pub struct UserEvent(pub(crate) umd::UserEvent);

/// How far a command is.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventStatus {
    /// It waits in this process for other commands.
    Queued = 0,
    /// The kernel driver has it.
    Submitted = 1,
    /// It ended.
    Complete = 2,
    /// It failed; `ig_event_wait` says how.
    Failed = 3,
}

/// When a command passed its stages, in nanoseconds since its device was opened.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Timestamps {
    /// It was enqueued.
    pub queued: u64,
    /// The kernel driver got it.
    pub submitted: u64,
    /// The device began with it.
    pub started: u64,
    /// The device ended it.
    pub ended: u64,
}

/// Waits until a command has ended, at most `timeout` nanoseconds. Can be called again.
#[unsafe(no_mangle)]
pub extern "C" fn ig_event_wait(event: Option<&Event>, timeout: u64) -> Status {
    call(|| {
        Ok(handle(event, "event")?
            .0
            .wait(Duration::from_nanos(timeout))?)
    })
}

/// How far a command is.
#[unsafe(no_mangle)]
pub extern "C" fn ig_event_get_status(
    event: Option<&Event>,
    status: Option<&mut EventStatus>,
) -> Status {
    call(|| {
        let now = match handle(event, "event")?.0.status() {
            umd::EventStatus::Queued => EventStatus::Queued,
            umd::EventStatus::Submitted => EventStatus::Submitted,
            umd::EventStatus::Complete => EventStatus::Complete,
            umd::EventStatus::Failed => EventStatus::Failed,
        };
        *status.ok_or_else(|| Failure::usage("the pointer for the status is null"))? = now;
        Ok(())
    })
}

/// When a command that has ended passed its stages.
#[unsafe(no_mangle)]
pub extern "C" fn ig_event_timestamps(
    event: Option<&Event>,
    timestamps: Option<&mut Timestamps>,
) -> Status {
    call(|| {
        let times = handle(event, "event")?.0.timestamps();
        let times = times.ok_or_else(|| Failure::usage("the command has not ended well"))?;
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        *timestamps.ok_or_else(|| Failure::usage("the pointer for the times is null"))? =
            Timestamps {
                queued: nanos(times.queued),
                submitted: nanos(times.submitted),
                started: nanos(times.started),
                ended: nanos(times.ended),
            };
        Ok(())
    })
}

/// Copies what a command that has ended printed, as many bytes as there is room for and a zero;
/// `length`, if not null, becomes the length of the whole text without the zero.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_event_printed(
    event: Option<&Event>,
    buffer: *mut c_char,
    size: usize,
    length: Option<&mut usize>,
) -> Status {
    call(|| {
        let printed = handle(event, "event")?.0.printed();
        if let Some(length) = length {
            *length = printed.len();
        }
        // SAFETY: as the caller promises.
        unsafe { put_text(buffer, size, &printed) }
    })
}

/// What is called when a command has ended: with `IG_STATUS_OK`, or with what `ig_event_wait` then
/// gives, and with the caller's own pointer.
pub type EventCallback = Option<unsafe extern "C" fn(status: Status, data: *mut c_void)>;

/// The caller's own pointer, on its way to the thread that notices an end.
struct CallerData(*mut c_void);

// SAFETY: this library does not follow it; the caller promises that its callback may be called on
// any thread.
unsafe impl Send for CallerData {}

/// Calls `callback` once, when a command has succeeded or failed; at once if it already has. It is
/// called on a thread of this library, or within a call of it: this one if the command had ended. It
/// may enqueue commands and set user events; it should not wait.
///
/// # Safety
/// `callback` may be called on any thread with `data`, also after the event is released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_event_on_complete(
    event: Option<&Event>,
    callback: EventCallback,
    data: *mut c_void,
) -> Status {
    call(|| {
        let callback = callback.ok_or_else(|| Failure::usage("the callback is null"))?;
        let data = CallerData(data);
        handle(event, "event")?.0.on_complete(move |outcome| {
            let data = data;
            let status = match outcome {
                Ok(()) => Status::Ok,
                Err(error) => Failure::from(error).status(),
            };
            // SAFETY: as the caller promises.
            unsafe { callback(status, data.0) };
        })?;
        Ok(())
    })
}

/// Forgets an event. The command goes on.
#[unsafe(no_mangle)]
pub extern "C" fn ig_event_release(event: Option<Box<Event>>) {
    drop(event);
}

/// Sets a user event: what waits for it goes on.
#[unsafe(no_mangle)]
pub extern "C" fn ig_user_event_complete(user_event: Option<&UserEvent>) -> Status {
    call(|| {
        handle(user_event, "user event")?.0.complete();
        Ok(())
    })
}

/// Fails a user event, and what waits for it.
///
/// # Safety
/// See "Pointers" at the top of the header.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ig_user_event_fail(
    user_event: Option<&UserEvent>,
    why: *const c_char,
) -> Status {
    call(|| {
        // SAFETY: as the caller promises.
        let why = unsafe { text(why, "reason") }?;
        handle(user_event, "user event")?.0.fail(why);
        Ok(())
    })
}

/// Releases a user event; if it was not set, what waits for it fails.
#[unsafe(no_mangle)]
pub extern "C" fn ig_user_event_release(user_event: Option<Box<UserEvent>>) {
    drop(user_event);
}
