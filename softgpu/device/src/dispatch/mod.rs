//! The thread dispatcher: a walker becomes groups, groups become EU threads.
//!
//! [`Walker`] is what the command streamer makes of a GPGPU_WALKER or COMPUTE_WALKER and the
//! states it refers to. [`run`] executes it on several host threads. Each host thread keeps
//! several groups resident and runs their EU threads in slices, so that neither sub-groups that
//! wait for each other nor groups that do starve, as long as thread slots for them are free;
//! groups start in order, as the hardware's walker emits them.

mod payload;
mod report;
mod resident;
mod run;
mod slots;
mod walker;

pub use report::{DispatchError, ThreadAt};
pub use run::{DispatchOptions, Statistics, run};
pub use walker::{LocalIds, Scratch, ThreadData, Walker};
