//! Whole-stack tests: outside oracles, golden data, hardware in the loop.
//!
//! An oracle is a program that we did not write: Intel's assembler, compiler and OpenCL runtime.
//! [`require`] says whether one is installed; with `ORACLES=required` in the environment a missing
//! one fails the test instead of skipping it.

#![allow(
    clippy::panic,
    clippy::expect_used,
    reason = "this crate is only called by tests, which fail by panicking"
)]

pub mod compare;
pub mod corpus;
pub mod hostile;
pub mod launch;
mod oracle;
mod random;
pub mod tool;

pub use launch::{Launch, Results};
pub use oracle::{Oracle, require};
pub use random::Random;
