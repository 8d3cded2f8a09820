//! The thread dispatcher: a walker becomes groups, groups become EU threads.
//!
//! The command streamer makes a [`Walker`] from a GPGPU_WALKER or COMPUTE_WALKER and the states it
//! refers to. [`run`] executes it on several host threads. Each host thread keeps several groups
//! resident and runs their EU threads in slices, so that neither sub-groups nor groups that wait
//! for each other starve, as long as there are free thread slots for them. Groups start in order,
//! as the hardware's walker emits them, but where rules are checked ([`schedule`]).

mod crew;
mod payload;
mod quiet;
mod report;
mod resident;
mod run;
mod schedule;
mod slots;
mod walker;

pub use report::{DispatchError, ThreadAt};
pub use run::{DispatchOptions, Kit, Statistics, run};
pub use walker::{LocalIds, Scratch, ThreadData, Walker};
