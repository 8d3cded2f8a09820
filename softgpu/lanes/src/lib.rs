//! Vector routines for EU instructions.
//!
//! A routine handles one operation on 1, 8, 16 or 32 channels: it loads the sources from register
//! bytes into arrays of 32- or 64-bit lanes, computes every channel, and stores those that are
//! enabled. The compiler turns it into vector code, once for the baseline target and once with AVX2
//! and FMA. The choice is made at run time.
//!
//! [`Vector::new`] finds the routine for a [`Request`], if there is one. Otherwise the interpreter
//! computes channel by channel. That path is the reference: routines agree with it bit for bit.
//! They round to nearest; only the treatment of denormals is a mode of each call.
//!
//! This is a separate crate because its few hundred compiled routines take long to build and depend
//! on nothing else.

mod accumulate;
pub mod bits;
mod compare;
mod convert;
mod host;
mod lanes;
mod level;
mod operand;
mod ops;
mod request;
mod routine;
mod select;
mod vector;
mod word;

pub use host::{HostIsa, default_modes};
pub use operand::{Element, Modifiers, Place, Region};
pub use request::{Accumulator, Condition, Input, Operation, Output, Request};
pub use vector::{Enabled, Modes, Vector};
