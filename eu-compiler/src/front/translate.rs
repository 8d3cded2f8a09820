//! The translator's state, and the way from an instruction to the file that knows it.

use std::cell::Cell;
use std::sync::Arc;

use hashbrown::HashMap;
use spirv::{MemorySemantics, Op as Spv, Scope};

use super::Kernel;
use super::module::{CALLS, Entry, Module};
use super::reader::Instruction;
use super::types::{MAX_SCALARS, Shape, pointer_type, space_of};
use super::value::Val;
use crate::abi::{Abi, FieldKind};
use crate::error::Error;
use crate::ir::{Block, Cursor, Function, Op, Type, Value};
use crate::target::{Caps, Target};

/// More instructions than a kernel may have with everything inlined.
const MAX_INSTRUCTIONS: usize = 2_000_000;

/// Constants of constants.
const MAX_NESTED: u32 = 64;

/// Phis whose operands are known when the whole function is.
pub(super) struct OpenPhi<'a> {
    pub insts: Vec<crate::ir::Inst>,
    pub block: u32,
    pub operands: &'a [u32],
    pub instruction: Instruction<'a>,
}

/// A function being translated: the kernel's own, or one that is inlined.
pub(super) struct Frame<'a> {
    /// The function.
    pub id: u32,
    /// The module that it is in.
    pub module: &'a Module<'a>,
    /// Values of this call.
    pub values: HashMap<u32, Val>,
    /// The block of each label.
    pub blocks: HashMap<u32, Block>,
    /// The label whose block is being filled.
    pub label: u32,
    /// The blocks that go from one label to another.
    pub edges: HashMap<(u32, u32), Vec<Block>>,
    /// Phis to be completed.
    pub phis: Vec<OpenPhi<'a>>,
    /// Where a return goes; none ends the kernel.
    pub exit: Option<Block>,
    /// The variables that end with the call.
    pub variables: Vec<Value>,
    /// What each return gives, and from which block.
    pub returns: Vec<(Block, Val)>,
}

/// Translates one kernel.
pub struct Translator<'a> {
    pub(super) module: &'a Module<'a>,
    simd: u32,
    /// The code knows the width.
    knows_width: Cell<bool>,
    /// What the family has.
    pub(super) caps: &'static Caps,
    pub(super) function: Function,
    pub(super) abi: Abi,
    /// Where instructions go; `None` after a block's end.
    pub(super) block: Block,
    /// The instruction being translated.
    pub(super) at: u32,
    pub(super) frames: Vec<Frame<'a>>,
    /// Values of ids outside of functions.
    pub(super) globals: HashMap<u32, Val>,
    /// The size of static local memory, known at the end.
    pub(super) slm_end: Option<Value>,
    /// Where functions of the work-group exchange values in local memory.
    pub(super) group_slots: Option<u32>,
    /// The types of ids.
    pub(super) types: HashMap<u32, u32>,
    /// The instruction that is translated by a function of the library.
    pub(super) library_at: Option<u32>,
    /// How deep a constant is being computed.
    nested: u32,
}

impl<'a> Translator<'a> {
    /// A translator of one kernel.
    pub fn new(module: &'a Module<'a>, target: &Target) -> Self {
        Self {
            module,
            simd: target.simd,
            knows_width: Cell::new(false),
            caps: target.caps,
            function: Function::new(Arc::clone(&module.data.constants)),
            abi: Abi::default(),
            block: Function::ENTRY,
            at: 0,
            frames: Vec::new(),
            globals: HashMap::new(),
            slm_end: None,
            group_slots: None,
            types: HashMap::new(),
            library_at: None,
            nested: 0,
        }
    }

    /// Translates it.
    pub fn kernel(mut self, entry: &Entry) -> Result<Kernel, Error> {
        // An entry point that only calls the function of the source has no names of arguments.
        let entry_block = self.function.add_block();
        self.block = entry_block;
        self.function.flushed.clone_from(&entry.flushed);
        self.abi.field(FieldKind::GlobalOffset, 12, 4);
        self.abi.field(FieldKind::EnqueuedLocalSize, 12, 4);
        let args = self.arguments(entry)?;
        let start = self.function.add_block();
        self.function.blocks[entry_block.index()].end = crate::ir::Terminator::Jump(start);
        self.block = start;
        self.call(entry.function, args, None)
            .map_err(|e| self.module.with_line(e))?;
        if let Some(value) = self.slm_end {
            // That of arguments begins there.
            let aligns = self.abi.fields.iter().map(|field| match field.kind {
                FieldKind::Local { align, .. } => align,
                _ => 1,
            });
            let align = aligns.max().unwrap_or(1);
            self.abi.slm = self.abi.slm.next_multiple_of(align);
            let size = u64::from(self.abi.slm);
            self.function.values[value.index()].1 = crate::ir::Def::Const(size);
        }
        Ok(Kernel {
            function: self.function,
            abi: self.abi,
            knows_width: self.knows_width.get(),
        })
    }

    /// The lanes of a sub-group.
    pub(super) fn simd(&self) -> u32 {
        self.knows_width.set(true);
        self.simd
    }

    /// Appends at the present place.
    pub(super) fn here(&mut self) -> Cursor<'_> {
        Cursor {
            function: &mut self.function,
            block: self.block,
            at: self.at,
        }
    }

    pub(super) fn one(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        self.here().one(op, args, ty)
    }

    pub(super) fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.function.constant(ty, bits)
    }

    /// The present call.
    pub(super) fn frame(&mut self) -> &mut Frame<'a> {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// What an id stands for.
    pub(super) fn get(&mut self, id: u32, i: &Instruction<'_>) -> Result<Val, Error> {
        if let Some(val) = self.frame().values.get(&id) {
            return Ok(val.clone());
        }
        if let Some(val) = self.globals.get(&id) {
            return Ok(val.clone());
        }
        if let Some(constant) = self.module.constants.get(&id) {
            let scalars = self.module.scalars(id).ok_or_else(|| {
                i.unsupported(format!("a value of more than {MAX_SCALARS} scalars"))
            })?;
            let space = match self.module.types.shape(constant.ty, i)? {
                Shape::Pointer(class, _) => space_of(*class),
                _ => None,
            };
            let values = scalars.iter().map(|(ty, bits)| match bits {
                Some(bits) => self.function.constant(*ty, *bits),
                None => self.function.undef(*ty),
            });
            let mut val = Val {
                scalars: values.collect(),
                space,
                ..Val::default()
            };
            for address in self.module.addresses.get(&id).into_iter().flatten() {
                let place = self.module.data.places.get(&address.variable);
                let place = place.ok_or_else(|| match self.module.undefined(address.variable) {
                    Some(name) => i.not_defined(&name),
                    None => i.invalid("the address of no variable"),
                })?;
                val.scalars[address.scalar] = self.address_of(*place, address.offset);
            }
            self.globals.insert(id, val.clone());
            return Ok(val);
        }
        if let Some(sampler) = self.module.samplers.get(&id) {
            let val = self.literal_sampler(sampler)?;
            self.globals.insert(id, val.clone());
            return Ok(val);
        }
        let variables = &self.module.variables;
        if let Some((_, variable)) = variables.iter().find(|(other, _)| *other == id) {
            let val = self.variable(id, *variable, i)?;
            self.globals.insert(id, val.clone());
            return Ok(val);
        }
        if let Some((op, words)) = self.module.computed.get(&id) {
            let val = self.computed(id, *op, words, i)?;
            self.globals.insert(id, val.clone());
            return Ok(val);
        }
        Err(i.invalid(format!("%{id} has no value here")))
    }

    /// A constant that code computes, in the entry block, where every use sees it.
    fn computed(
        &mut self,
        id: u32,
        op: Spv,
        words: &'a [u32],
        i: &Instruction<'_>,
    ) -> Result<Val, Error> {
        if self.nested >= MAX_NESTED {
            return Err(i.unsupported(format!("constants nested more than {MAX_NESTED} deep")));
        }
        let instruction = Instruction {
            op,
            number: op as u32,
            words,
            at: i.at,
        };
        let block = std::mem::replace(&mut self.block, Function::ENTRY);
        self.nested += 1;
        let done = self.instruction(&instruction);
        self.nested -= 1;
        let stays = self.block == Function::ENTRY;
        self.block = block;
        done?;
        let val = self.frame().values.remove(&id).filter(|_| stays);
        val.ok_or_else(|| i.unsupported(format!("the operation {op:?} on constants")))
    }

    /// A value of one scalar.
    pub(super) fn scalar(&mut self, id: u32, i: &Instruction<'_>) -> Result<Value, Error> {
        match self.get(id, i)?.scalars.as_slice() {
            [value] => Ok(*value),
            _ => Err(i.invalid(format!("%{id} is no scalar"))),
        }
    }

    /// The number of a constant operand.
    pub(super) fn number(&mut self, id: u32, i: &Instruction<'_>) -> Result<u64, Error> {
        let value = self.scalar(id, i)?;
        let bits = self.function.bits(value);
        bits.ok_or_else(|| i.unsupported(format!("%{id} must be a constant")))
    }

    /// The scope of what others see; the widest one if only a running kernel knows it.
    pub(super) fn memory_scope(&mut self, id: u32, i: &Instruction<'_>) -> Result<u64, Error> {
        self.number_or(id, Scope::CrossDevice as u64, i)
    }

    /// The semantics of a memory operation; the strictest ones if only a running kernel knows them.
    pub(super) fn semantics(&mut self, id: u32, i: &Instruction<'_>) -> Result<u64, Error> {
        let strictest = MemorySemantics::SEQUENTIALLY_CONSISTENT
            | MemorySemantics::WORKGROUP_MEMORY
            | MemorySemantics::CROSS_WORKGROUP_MEMORY
            | MemorySemantics::IMAGE_MEMORY;
        self.number_or(id, strictest.bits().into(), i)
    }

    fn number_or(&mut self, id: u32, other: u64, i: &Instruction<'_>) -> Result<u64, Error> {
        let value = self.scalar(id, i)?;
        Ok(self.function.bits(value).unwrap_or(other))
    }

    /// Gives an id its value.
    pub(super) fn set(&mut self, id: u32, val: Val) {
        self.frame().values.insert(id, val);
    }

    /// The scalars' types of the result of an instruction.
    pub(super) fn result_types(&self, i: &Instruction<'_>) -> Result<Vec<Type>, Error> {
        let flat = self.module.types.flatten(i.word(0)?, i)?;
        Ok(flat.into_iter().map(|part| part.ty).collect())
    }

    /// The scalar type of a scalar's or vector's components.
    pub(super) fn component(&self, ty: u32, i: &Instruction<'_>) -> Result<Type, Error> {
        match self.module.types.shape(ty, i)? {
            Shape::Scalar(ty) | Shape::Vector(ty, _) => Ok(*ty),
            Shape::Pointer(class, _) => Ok(pointer_type(*class)),
            _ => Err(i.invalid("it works on scalars and vectors")),
        }
    }

    /// Translates an instruction of a body.
    pub(super) fn instruction(&mut self, i: &Instruction<'a>) -> Result<(), Error> {
        self.at = self.library_at.unwrap_or(i.at);
        if let (Ok(ty), Ok(id)) = (i.word(0), i.word(1))
            && self.module.types.get(ty).is_some()
        {
            self.types.insert(id, ty);
        }
        // Calls of empty functions make blocks only.
        if self.function.insts.len().max(self.function.blocks.len()) > MAX_INSTRUCTIONS {
            return Err(i.unsupported(format!(
                "a kernel of more than {MAX_INSTRUCTIONS} instructions"
            )));
        }
        if self.flow(i)?
            || self.memory(i)?
            || self.arith(i)?
            || self.carry(i)?
            || self.bits(i)?
            || self.composite(i)?
            || self.group(i)?
            || self.group_copy(i)?
            || self.image(i)?
            || self.pipe(i)?
            || self.printf(i)?
        {
            return Ok(());
        }
        match i.op {
            Spv::ExtInst => self.extended(i),
            Spv::Line | Spv::NoLine => Ok(()),
            Spv::Undef => {
                let types = self.result_types(i)?;
                let values: Vec<_> = types.iter().map(|ty| self.function.undef(*ty)).collect();
                let space = self.pointer_space(i)?;
                self.set(
                    i.word(1)?,
                    Val {
                        space,
                        ..Val::many(values)
                    },
                );
                Ok(())
            }
            Spv::Nop if i.number == 0 => Ok(()),
            Spv::ConstantFunctionPointerINTEL => {
                Err(self.module.address_of_function(i.word(2)?, i))
            }
            Spv::FunctionPointerCallINTEL => Err(i.unsupported(format!(
                "a call of what a pointer to a function points to; {CALLS}"
            ))),
            _ => Err(i.unsupported("this instruction")),
        }
    }
}
