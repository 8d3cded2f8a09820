//! The kernel driver clients against a node: the software GPU of several platforms and every real
//! render node that the table knows.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "the helpers belong to tests: what fails in them fails the test"
)]

mod contexts;
mod faults;
mod memory;
mod rig;
mod submission;
