//! Compilers: OpenCL C and SPIR-V become zebins.
//!
//! A [`Compiler`] takes a [`Job`] and returns a [`Compiled`]: the product and the compiler's messages.
//!
//! | compiler | what it is | Debian |
//! |---|---|---|
//! | [`Intel`] | the next two, in turn | intel-opencl-icd |
//! | [`Library`] | Intel's offline compiler, `libocloc.so`, in this process | intel-opencl-icd |
//! | [`Ocloc`] | the same as a program of its own | intel-opencl-icd |
//! | [`Clang`] | `clang` and `llvm-spirv` make SPIR-V, another compiler makes a zebin of it | clang-14, llvm-spirv-14 |
//! | [`Own`] | the `eu-compiler` of this project for SPIR-V, another compiler for text | |
//!
//! [`Watched`] stands before one of them: kernels that are checked report accesses that leave their arrays.
//!
//! [`installed`] is the one to use: the one that the environment names, else Intel's, and ours for what that
//! does not know or where it is not, with a [`Cache`] on disk before it.

mod cache;
mod choice;
mod clang;
mod compiler;
mod features;
mod ocloc;
mod options;
mod own;
mod place;
mod process;
mod stamp;
mod watched;

pub use cache::Cache;
pub use choice::{Front, Intel, installed};
pub use clang::Clang;
pub use compiler::{
    Again, COMPILER_VARIABLE, CompileError, Compiled, Compiler, Header, Job, Product, Source, has,
};
pub use features::{extensions, features};
pub use ocloc::{Library, Ocloc, version};
pub use options::{check_options, language, words};
pub use own::Own;
pub use watched::{Watched, with_bounds};
