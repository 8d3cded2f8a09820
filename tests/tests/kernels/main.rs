//! The project's corpus of kernels, compiled by Intel's compiler, against references that are
//! computed here in Rust and share no code with the software GPU.
//!
//! The sources are in `tests/kernels/*.cl`, the zebins in a folder a platform beside them.
//! Integers are compared exactly, floating-point results within the limits of the OpenCL C
//! specification (section 7.4).

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers of these tests fail by panicking"
)]

mod addressing;
mod atomics;
mod block_image;
mod blocks;
mod calls;
mod constants;
mod control;
mod convert;
mod fixtures;
mod float;
mod half;
mod ids;
mod images;
mod integer;
mod math;
mod printf;
mod private;
mod slm;
mod sub_group;
mod vectors;
mod work_group;

use stack_tests::launch;

/// Runs a test on every platform that the corpus has zebins for.
fn everywhere(test: impl Fn(&str)) {
    let platforms = launch::platforms();
    assert!(!platforms.is_empty(), "the corpus has no zebins");
    for platform in platforms {
        test(&platform);
    }
}
