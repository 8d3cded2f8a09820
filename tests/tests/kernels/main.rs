//! The project's corpus of kernels, compiled by Intel's compiler, against references that are
//! computed here in Rust and share no code with the software GPU.
//!
//! The sources are in `tests/kernels/*.cl`, the zebins in one folder per target beside them
//! ([`stack_tests::corpus`]). Integers are compared exactly, floating-point results within the
//! limits of the OpenCL C specification (section 7.4).

#![cfg(test)]

mod addressing;
mod algorithms;
mod atomics;
mod block_image;
mod blocks;
mod calls;
mod constants;
mod control;
mod convert;
mod double;
mod fixtures;
mod float;
mod half;
mod ids;
mod images;
mod implicit;
mod integer;
mod math;
mod matrix;
mod own;
mod printf;
mod private;
mod slm;
mod socket;
mod sub_group;
mod targets;
mod vectors;
mod work_group;

use stack_tests::{everywhere, everywhere_with, has_images, sub_groups_of};
