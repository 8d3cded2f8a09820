//! Whole-stack tests: outside oracles, golden data, hardware in the loop.
//!
//! An oracle is a program that we did not write: Intel's assembler, compiler and OpenCL runtime.
//! [`require`] says whether one is installed; with `ORACLES=required` in the environment a missing
//! one fails the test instead of skipping it.

#![allow(clippy::panic, clippy::expect_used, reason = "tests fail by panics")]

pub mod block;
pub mod clients;
pub mod compare;
pub mod corpus;
mod everywhere;
pub mod hostile;
pub mod launch;
pub mod measure;
pub mod mutation;
pub mod neo;
mod oracle;
pub mod source;
pub mod subject;
pub mod tbx;
pub mod tool;

pub use everywhere::{everywhere, everywhere_with, has_images, sub_groups_of};
pub use launch::{Launch, Observed, Results};
pub use oracle::{Oracle, require};
pub use oracles::Random;
