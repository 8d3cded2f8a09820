//! SPIR-V to the intermediate representation.
//!
//! [`reader`] takes the instructions of a module, [`module`] reads its declarations, with
//! operations on [`constant`]s. A
//! [`Translator`](translate::Translator) turns one kernel with all functions that it calls into one
//! [`Function`](crate::ir::Function): [`flow`] has blocks, phis and calls; [`arith`] arithmetic,
//! comparisons and conversions, [`carry`] that with two results; [`composite`] vectors and structures; [`memory`] pointers, loads,
//! stores, atomics, [`generic`] pointers; [`data`] the variables of the program; [`described`] the names of types in the
//! source; [`image`] images and samplers; [`builtin`] the built-in variables; [`group`] sub-groups and barriers, [`copy`] what groups copy;
//! [`extended`] the functions
//! of OpenCL.std, with those of [`float`] numbers, those that access [`vector`]s in memory, [`printf`]
//! and the [`library`]; [`imported`] those that are called by name.

mod arith;
mod atomic;
mod bits;
mod builtin;
mod carry;
mod composite;
mod constant;
mod copy;
mod data;
mod described;
mod extended;
mod float;
mod flow;
mod generic;
mod group;
mod image;
mod imported;
mod library;
mod math;
mod memory;
mod module;
mod pipe;
mod printf;
mod reader;
mod translate;
mod vector;

use spirv::StorageClass;

use crate::abi::Abi;
use crate::error::Error;
use crate::ir::{Function, Space, Type};
use crate::target::Target;

pub use data::{Data, Section};
pub use module::{Entry, Module};
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
    Module::new(reader::instructions(file))
}

/// Translates a kernel.
///
/// # Errors
/// What SPIR-V forbids, or what the compiler cannot do.
pub fn kernel(module: &Module<'_>, entry: &Entry, target: &Target) -> Result<Kernel, Error> {
    translate::Translator::new(module, target).kernel(entry)
}

/// The memory of a storage class.
fn space(class: StorageClass) -> Option<Space> {
    match class {
        StorageClass::CrossWorkgroup | StorageClass::UniformConstant => Some(Space::Global),
        StorageClass::Workgroup => Some(Space::Local),
        StorageClass::Function | StorageClass::Private => Some(Space::Private),
        _ => None,
    }
}

/// What a pointer of a storage class is. Generic pointers have 64 bits.
fn pointer_type(class: StorageClass) -> Type {
    match space(class) {
        Some(Space::Local | Space::Private) => Type::I32,
        _ => Type::I64,
    }
}
