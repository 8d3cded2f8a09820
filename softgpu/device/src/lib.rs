//! The device of the software GPU, below any kernel driver.
//!
//! A front end makes a [`Device`] and a [`Timeline`] for each context on an engine, and submits
//! [`Job`]s: commands and the page table under which they run. The [`Fence`] of a job tells it that
//! the job has ended, and the [`Owner`] that it gave the timeline tells it how the job failed. The
//! kernel drivers' model is one such front end.
//!
//! Inside, `engine` orders jobs, `cs` executes command streams, and `dispatch` turns walkers into
//! groups of EU threads.

mod cs;
mod device;
mod dispatch;
mod engine;

pub use cs::{Commands, Failure, Ring};
pub use device::{Device, Settings};
pub use dispatch::{DispatchError, Statistics, ThreadAt};
pub use engine::{Fence, Job, Owner, SubmitError, Timeline, Write, announce, wait_until};
