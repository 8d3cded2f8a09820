//! What a kernel's text proves before it runs.
//!
//! [`audit`] walks the paths of a kernel and reports what no launch can make right: a path that
//! does not end the thread, a barrier that is waited for and never signalled, bindings that nothing
//! declares, registers that are read and that nothing has written, messages whose lengths do not
//! fit, fences that nothing waits for, and every rule of [`crate::validate`]. What it does not know
//! (an address in a register, a message in a register) it takes to be right.
//!
//! The scoreboard has a checker of its own, [`crate::swsb::check`]. What the same walk proves of addresses,
//! without judging it, is in [`pointers`].

mod addresses;
mod auditor;
mod bindings;
mod blocks;
mod finding;
mod lengths;
mod order;
mod paths;
mod walk;
mod written;

pub use addresses::{BlockAddress, Pointers, Start, Value, pointers};
pub use auditor::audit;
pub use blocks::Block;
pub use finding::{Declared, Finding};
