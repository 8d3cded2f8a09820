//! Compiled kernels on the software GPU of every platform, against references in Rust.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod accesses;
mod basic;
mod common;
mod compiles;
mod copies;
mod counters;
mod double;
mod fences;
mod float_atomics;
mod frames;
mod groups;
mod hostile;
mod images;
mod integers;
mod irreducible;
mod known_generic;
mod listing;
mod locks;
mod math;
mod math_sizes;
mod matrix;
mod memory;
mod other_atomics;
mod pipes;
mod pressure;
mod program;
mod programs;
mod queries;
mod scalars;
mod stored_pointers;
mod surfaces;
mod truths;
mod types;
mod unusual;
mod versions;
