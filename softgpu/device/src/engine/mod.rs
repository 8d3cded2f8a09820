//! Submission: fences, and the timelines on which batches run.
//!
//! A [`Timeline`] is one context on one engine. Its batches run in order on a thread of its own,
//! so that a batch that hangs, or waits for a semaphore that another context signals, holds up
//! nobody else: the timelines of an engine share it as a time-slicing scheduler would make them,
//! those of highest priority first ([`Arbiter`]). Timeslices have no length, and a dispatch that
//! runs is not preempted, so preemption timeouts do not exist: what ends a batch is the hang check.

mod arbiter;
mod fence;
mod timeline;

pub use arbiter::{Arbiter, Claim};
pub use fence::{Fence, announce, wait_until};
pub use timeline::{Job, Owner, SubmitError, Timeline, Write};
