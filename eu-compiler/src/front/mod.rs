//! SPIR-V to the intermediate representation.
//!
//! [`reader`] takes the instructions of a module, [`module`] reads its declarations, among them the
//! [`types`]. A [`Translator`](translate::Translator) turns one kernel with all functions that it calls into one
//! [`Function`](crate::ir::Function) over [`value`]s: [`flow`] has blocks, phis and calls; [`arith`] arithmetic,
//! comparisons and conversions, [`carry`] that with two results; [`composite`] vectors and structures; [`memory`] pointers, loads,
//! stores, atomics, [`generic`] pointers; [`image`] images and samplers; [`builtin`] the built-in variables; [`group`] sub-groups and barriers, [`copy`] what groups copy;
//! [`extended`] the functions
//! of OpenCL.std, with those of [`float`] numbers, those that access [`vector`]s in memory, [`printf`]
//! and the [`library`]; [`imported`] those that are called by name. [`lines`] says where instructions come from.

mod arith;
mod atomic;
mod bits;
mod builtin;
mod carry;
mod composite;
mod copy;
mod extended;
mod float;
mod flow;
mod generic;
mod group;
mod image;
mod imported;
mod library;
mod lines;
mod math;
mod memory;
mod module;
mod opcode;
mod pipe;
mod printf;
mod reader;
mod translate;
mod types;
mod value;
mod vector;

use crate::abi::Abi;
use crate::error::Error;
use crate::ir::Function;
use crate::target::Target;

pub use lines::Lines;
pub use module::{Data, Entry, Module, Section};
pub use reader::{file, validate};

/// A kernel, translated.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Its code.
    pub function: Function,
    /// What it is given.
    pub abi: Abi,
    /// It is another one for sub-groups of another width.
    pub knows_width: bool,
}

/// The declarations of a module.
///
/// # Errors
/// What SPIR-V forbids.
pub fn module(file: &spirv_module::Module) -> Result<Module<'_>, Error> {
    module::read(reader::instructions(file), file.constants())
}

/// Translates a kernel.
///
/// # Errors
/// What SPIR-V forbids, or what the compiler cannot do.
pub fn kernel(module: &Module<'_>, entry: &Entry, target: &Target) -> Result<Kernel, Error> {
    translate::Translator::new(module, target).kernel(entry)
}
