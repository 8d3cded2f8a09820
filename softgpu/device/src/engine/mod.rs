//! Submission: fences, and the timelines on which batches run.
//!
//! A [`Timeline`] is one context on one engine. Its batches run in order on its own thread, so that
//! a batch that hangs, or waits for a semaphore that another context signals, holds up no other:
//! the timelines of an engine share it as under a time-slicing scheduler, those of highest priority
//! first ([`Arbiter`]). Timeslices have no length, and a running dispatch is not preempted, so
//! there are no preemption timeouts: the hang check ends a batch.

mod apart;
mod arbiter;
mod fence;
mod patience;
mod timeline;

pub use arbiter::{Arbiter, Claim};
pub use fence::{Fence, announce, wait_for, wait_until};
pub(crate) use patience::Patience;
pub use timeline::{Job, Owner, SubmitError, Timeline, Write};
