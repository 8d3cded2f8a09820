//! Rules that hardware leaves undefined, recorded when a kernel breaks them.
//!
//! A checked device runs one host thread, so that what it finds is the same in every run. While a
//! kernel runs, each byte of its registers and of memory has a state: nothing has written it,
//! something has, or it belongs to a pointer to one of the program's buffers. States go where values
//! go. What nothing has written may be moved, computed with and stored in memory of the kernel's
//! own; it is reported where it decides a branch or an address, or ends up in a buffer.
//!
//! Each word of buffers and of shared local memory remembers who wrote it last and two of those who
//! read it since (`cell`, of which `line` has many and `mark` is one), with their clocks (`order`). An access is reported if an earlier one
//! by another thread, at least one of them a write, did not happen before it: by a barrier with a
//! fence, or by atomics with a fence. What the channels of a thread do one after the other is in
//! order, as they run in lockstep, unless the kernel's source is known: then code tells of its barriers, fences
//! and atomic operations (`sync`), which alone order channels, too. Plain reads of shared local memory beside atomic operations are judged later
//! (`doubts`).

mod access;
mod alike;
mod arrays;
mod bytes;
mod carry;
mod cell;
mod checks;
mod copies;
mod doubts;
mod findings;
mod forbidden;
mod gaps;
mod group;
mod heard;
mod line;
mod mark;
mod memory;
mod now;
mod order;
mod pointers;
mod report;
mod rule;
mod same;
mod sync;
mod together;
mod words;

pub(crate) use access::{Access, Beside, What, Where};
pub(crate) use arrays::is_report;
pub(crate) use bytes::{MIXED, UNWRITTEN, WRITTEN};
pub use checks::Checks;
pub(crate) use checks::Here;
pub use findings::{Findings, Purpose};
pub use forbidden::Forbidden;
pub use group::Group;
pub(crate) use order::{Reach, Side};
pub use rule::{Rule, Violation};
