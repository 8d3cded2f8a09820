//! The device of the software GPU, below any kernel driver.
//!
//! A front end makes a [`Device`], a [`Timeline`] for each context on an engine, and submits
//! [`Job`]s: commands and the page table under which they run. It learns that a job has ended by
//! its [`Fence`], and how it failed by the [`Owner`] that it gave the timeline. The kernel drivers'
//! model is one such front end.
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
