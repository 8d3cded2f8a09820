//! Events.

use std::time::Duration;

use crate::deadline::Deadline;
use crate::error::Error;

/// The end of a command. Clones name the same one.
#[derive(Clone, Debug)]
pub struct Event {}

/// How far a command is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventStatus {
    /// It waits in this process for other commands.
    Queued,
    /// The kernel driver has it.
    Submitted,
    /// It ended.
    Complete,
    /// It failed; [`Event::wait`] says how.
    Failed,
}

/// When a command passed its stages, since an arbitrary moment that all commands of a device
/// share. queued ≤ submitted ≤ started ≤ ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timestamps {
    /// It was enqueued.
    pub queued: Duration,
    /// The kernel driver got it.
    pub submitted: Duration,
    /// The device began with it.
    pub started: Duration,
    /// The device ended it.
    pub ended: Duration,
}

impl Event {
    /// Waits until the command has ended.
    ///
    /// # Errors
    /// [`DeviceError::Timeout`](crate::DeviceError::Timeout) once the deadline passes; what the
    /// command failed with.
    pub fn wait(&self, deadline: impl Into<Deadline>) -> Result<(), Error> {
        let _ = deadline.into();
        Err(crate::device::unfinished("a wait"))
    }

    /// How far the command is.
    pub fn status(&self) -> EventStatus {
        EventStatus::Queued
    }

    /// When it passed its stages; `None` until it has ended.
    pub fn timestamps(&self) -> Option<Timestamps> {
        None
    }

    /// What the command printed, in order. Empty until it has ended.
    pub fn printed(&self) -> String {
        String::new()
    }
}
