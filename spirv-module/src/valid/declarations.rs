//! What a module declares before its functions: addresses, kernels, variables, structures.

use std::collections::HashSet;

use spirv::{AddressingModel, Capability, ExecutionModel, MemoryModel, Op, StorageClass};

use super::Check;
use crate::module::{Instruction, Module};
use crate::types::Type;

/// What was declared so far.
#[derive(Default)]
pub(super) struct Declarations {
    has_memory_model: bool,
    is_for_kernels: bool,
    is_for_shaders: bool,
    kernels: HashSet<String>,
    /// The function whose body this is.
    in_function: bool,
    functions: HashSet<u32>,
}

impl Check {
    pub(super) fn declared(&mut self, all: &mut Declarations, one: &Instruction<'_>) {
        match one.op() {
            Some(Op::Capability) => {
                all.is_for_kernels |= one.word(0) == Capability::Kernel as u32;
                all.is_for_shaders |= one.word(0) == Capability::Shader as u32;
            }
            Some(Op::MemoryModel) => {
                if std::mem::replace(&mut all.has_memory_model, true) {
                    self.broken(one, "a module has one");
                }
                self.memory_model(one);
            }
            Some(Op::EntryPoint) => {
                if one.word(0) != ExecutionModel::Kernel as u32 {
                    self.broken(one, "its execution model is not Kernel");
                }
                let name = one.text(2);
                if all.kernels.contains(&name) {
                    self.broken(one, format!("there are two kernels of the name {name}"));
                }
                all.kernels.insert(name);
            }
            Some(Op::Function) => {
                all.in_function = true;
                all.functions.insert(one.word(1));
            }
            Some(Op::FunctionEnd) => all.in_function = false,
            Some(Op::TypeStruct) => {
                for &member in one.operands.get(1..).unwrap_or_default() {
                    if matches!(
                        self.types.get(member),
                        None | Some(Type::Void | Type::Function)
                    ) {
                        let why = format!("%{member} is no type that a member can have");
                        self.report.add(one, Some(one.word(0)), why);
                    }
                }
            }
            Some(Op::Variable) => self.variable(all.in_function, one),
            _ => {}
        }
    }

    fn memory_model(&mut self, one: &Instruction<'_>) {
        let physical = [AddressingModel::Physical32, AddressingModel::Physical64];
        if !physical.iter().any(|model| one.word(0) == *model as u32) {
            let why = "OpenCL's addressing models are Physical32 and Physical64";
            self.broken(one, why);
        }
        if one.word(1) != MemoryModel::OpenCL as u32 {
            self.broken(one, "the memory model is not OpenCL");
        }
    }

    fn variable(&mut self, in_function: bool, one: &Instruction<'_>) {
        let class = one.word(2);
        if in_function != (class == StorageClass::Function as u32) {
            let why = "the storage class of a function's variables, and of no other, is Function";
            self.wrong(one, why);
        }
        match self.types.get(one.word(0)) {
            Some(Type::Pointer { storage, .. }) if storage == class => {}
            Some(Type::Pointer { .. }) => {
                self.wrong(one, "its type is a pointer of another storage class");
            }
            _ => self.wrong(one, "its type is no pointer"),
        }
        if let (Some(&initial), Some(Type::Pointer { pointee, .. })) =
            (one.operands.get(3), self.types.get(one.word(0)))
            && let Some(ty) = self.types.type_of(initial)
            // A variable may be initialized with another one's address.
            && !self.types.are_alike(ty, pointee)
        {
            let (is, wanted) = (self.describe(ty), self.describe(pointee));
            self.wrong(one, format!("it is initialized with {is}, and is {wanted}"));
        }
    }

    /// What a module cannot be without.
    pub(super) fn declared_at_all(&mut self, module: &Module, all: &Declarations) {
        let entries = |one: &Instruction<'_>| one.op() == Some(Op::EntryPoint);
        for one in module.instructions().filter(entries) {
            if !all.functions.contains(&one.word(1)) {
                self.broken(&one, format!("%{} is no function", one.word(1)));
            }
        }
        let first = module.instructions().next();
        let Some(first) = first else { return };
        if !all.has_memory_model {
            self.broken(&first, "the module has no OpMemoryModel");
        }
        // Translators declare both for what SPIR-V had for shaders first, as the reversal of bits.
        if all.is_for_shaders && !all.is_for_kernels {
            let why = "the module is for a graphics API: it declares Shader and not Kernel";
            self.broken(&first, why);
        }
    }
}
