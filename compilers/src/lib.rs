//! The compilers of others: OpenCL C and SPIR-V become zebins.
//!
//! A [`Compiler`] takes a [`Job`] and gives a [`Compiled`] zebin with what it said of the source.
//! [`Ocloc`] is Intel's offline compiler as a program.

mod compiler;
mod ocloc;
mod process;

pub use compiler::{CompileError, Compiled, Compiler, Header, Job, Source};
pub use ocloc::{Ocloc, installed, version};
