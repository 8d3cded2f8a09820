//! Vector routines for the common operations.
//!
//! A routine handles one operation on 1, 8, 16 or 32 channels of 32-bit lanes: it loads the
//! sources into arrays of lanes, computes every channel, and stores those that are enabled. The
//! compiler makes vector code of it, once for the baseline target and once with AVX2, FMA and
//! F16C, chosen when the program runs. What a routine does not cover (see [`select`]) takes the
//! general path, with which the routines must agree bit for bit.

mod lanes;
mod level;
mod ops;
mod routine;
mod select;

pub(super) use select::select;

#[cfg(test)]
mod tests;
