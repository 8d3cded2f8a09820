//! A function: blocks of instructions over values, each of which is assigned once.

use std::sync::Arc;

use hashbrown::HashMap;
use smallvec::{SmallVec, smallvec};

use super::constants::Constants;
use super::ids::{Block, Inst, Value};
use super::op::{Bin, Convert, Input, Op};
use super::types::Type;

/// Operands or results.
pub type Values = SmallVec<[Value; 3]>;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Def {
    /// These bits.
    Const(u64),
    /// Nobody cares.
    Undef,
    /// An instruction's result.
    Inst(Inst),
}

/// An instruction's contents.
#[derive(Debug)]
pub struct InstData {
    /// What it does.
    pub op: Op,
    /// To what.
    pub args: Values,
    /// What it gives.
    pub results: Values,
    /// The word of the SPIR-V module that it comes from, for messages.
    pub at: u32,
}

impl Clone for InstData {
    /// As derived, but lists are copied whole: `SmallVec` clones value by value, and functions are cloned often.
    fn clone(&self) -> Self {
        Self {
            op: self.op.clone(),
            args: Values::from_slice(&self.args),
            results: Values::from_slice(&self.results),
            at: self.at,
        }
    }
}

/// How a block ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// Goes on.
    Jump(Block),
    /// Goes to the first block where the value is true.
    Branch(Value, Block, Block),
    /// Ends the kernel.
    Return,
    /// Is never reached.
    Unreachable,
}

impl Terminator {
    /// The blocks that follow.
    pub fn successors(&self) -> SmallVec<[Block; 2]> {
        match *self {
            Terminator::Jump(to) => smallvec![to],
            Terminator::Branch(_, yes, no) => smallvec![yes, no],
            Terminator::Return | Terminator::Unreachable => smallvec![],
        }
    }

    /// Replaces a successor.
    pub fn replace(&mut self, from: Block, to: Block) {
        let change = |block: &mut Block| {
            if *block == from {
                *block = to;
            }
        };
        match self {
            Terminator::Jump(next) => change(next),
            Terminator::Branch(_, yes, no) => {
                change(yes);
                change(no);
            }
            Terminator::Return | Terminator::Unreachable => {}
        }
    }
}

/// A block's contents.
#[derive(Clone, Debug)]
pub struct BlockData {
    /// Phis first.
    pub insts: Vec<Inst>,
    /// The end.
    pub end: Terminator,
}

/// A pointer argument, whose memory is also a surface.
#[derive(Clone, Copy, Debug)]
pub struct Buffer {
    /// The argument.
    pub arg: u32,
    /// The offset of the pointer in the payload.
    pub pointer: u32,
    /// The offset in the payload of how far the surface begins before the pointer.
    pub offset: u32,
    /// The surface's entry in the binding table.
    pub surface: u8,
    /// It is accessed by that.
    pub used: bool,
    /// The surface begins before the pointer.
    pub begins_before: bool,
}

/// A function.
#[derive(Clone, Debug, Default)]
pub struct Function {
    /// Types and definitions.
    pub values: Vec<(Type, Def)>,
    /// Instructions; those that no block lists are gone.
    pub insts: Vec<InstData>,
    /// Blocks; the first is the entry.
    pub blocks: Vec<BlockData>,
    /// The order of the blocks in code. Blocks that are not in it are gone.
    pub order: Vec<Block>,
    constants: HashMap<(Type, u64), Value>,
    /// Offsets in the payload of dwords whose upper halves are zero.
    pub words: Vec<u32>,
    /// Offsets in the payload of addresses, and what each of these is a multiple of.
    pub aligned: Vec<(u32, u32)>,
    /// Pointer arguments that have surfaces.
    pub buffers: Vec<Buffer>,
    /// The offset of the address of private memory in the payload.
    pub private_base: Option<u32>,
    /// Bytes of private memory for each lane.
    pub private_size: u32,
    /// What the constants of the program hold.
    pub program: Arc<Constants>,
    /// Types of floats whose denormal numbers operations take and give as zeroes.
    pub flushed: Vec<Type>,
    /// Where the work-group's memory has a lock, for what is atomic only by taking turns.
    pub lock: Option<u32>,
}

impl Function {
    /// The entry.
    pub const ENTRY: Block = Block(0);

    /// Nothing yet, in a program with these constants.
    pub fn new(program: Arc<Constants>) -> Self {
        Self {
            program,
            ..Self::default()
        }
    }

    /// A new block at the end of the order, which ends nowhere yet.
    pub fn add_block(&mut self) -> Block {
        let block = Block(self.blocks.len() as u32);
        self.blocks.push(BlockData {
            insts: Vec::new(),
            end: Terminator::Unreachable,
        });
        self.order.push(block);
        block
    }

    /// A new value.
    pub fn add_value(&mut self, ty: Type, def: Def) -> Value {
        self.values.push((ty, def));
        Value(self.values.len() as u32 - 1)
    }

    /// A constant.
    pub fn constant(&mut self, ty: Type, bits: u64) -> Value {
        let bits = bits & ty.mask();
        if let Some(value) = self.constants.get(&(ty, bits)) {
            return *value;
        }
        let value = self.add_value(ty, Def::Const(bits));
        self.constants.insert((ty, bits), value);
        value
    }

    /// A value that nobody cares about.
    pub fn undef(&mut self, ty: Type) -> Value {
        self.add_value(ty, Def::Undef)
    }

    /// A value's type.
    pub fn ty(&self, value: Value) -> Type {
        self.values.get(value.index()).map_or(Type::I32, |v| v.0)
    }

    /// A value's definition.
    pub fn def(&self, value: Value) -> Def {
        self.values.get(value.index()).map_or(Def::Undef, |v| v.1)
    }

    /// A value's bits, if it is a constant.
    pub fn bits(&self, value: Value) -> Option<u64> {
        match self.def(value) {
            Def::Const(bits) => Some(bits),
            _ => None,
        }
    }

    /// The instruction that gives a value.
    pub fn source(&self, value: Value) -> Option<(Inst, &InstData)> {
        match self.def(value) {
            Def::Inst(inst) => Some((inst, &self.insts[inst.index()])),
            _ => None,
        }
    }

    /// Makes an instruction that is in no block.
    pub fn make(&mut self, op: Op, args: &[Value], results: &[Type], at: u32) -> Inst {
        let inst = Inst(self.insts.len() as u32);
        let results = results
            .iter()
            .map(|ty| self.add_value(*ty, Def::Inst(inst)))
            .collect();
        self.insts.push(InstData {
            op,
            args: Values::from_slice(args),
            results,
            at,
        });
        inst
    }

    /// The first result of an instruction.
    pub fn result(&self, inst: Inst) -> Value {
        let results = &self.insts[inst.index()].results;
        results.first().copied().unwrap_or(Value(u32::MAX))
    }

    /// The instructions in the order of the code.
    pub fn listed(&self) -> impl Iterator<Item = &InstData> {
        let insts = self
            .order
            .iter()
            .flat_map(|b| &self.blocks[b.index()].insts);
        insts.map(|inst| &self.insts[inst.index()])
    }

    /// How many dimensions of local ids there are up to the last one that is asked for.
    pub fn local_ids(&self) -> u32 {
        let ids = self.listed().filter_map(|inst| match inst.op {
            Op::Input(Input::LocalId(dimension)) => Some(u32::from(dimension) + 1),
            _ => None,
        });
        ids.max().unwrap_or(0)
    }

    /// Takes the instructions of a block, to be put back: there is room for as many.
    pub fn take(&mut self, block: Block) -> Vec<Inst> {
        let insts = &mut self.blocks[block.index()].insts;
        let room = Vec::with_capacity(insts.len());
        std::mem::replace(insts, room)
    }

    /// The predecessors of each block, in the order of the blocks.
    pub fn predecessors(&self) -> Vec<SmallVec<[Block; 2]>> {
        let mut out = Vec::with_capacity(self.blocks.len());
        out.resize_with(self.blocks.len(), SmallVec::new);
        for &block in &self.order {
            for next in self.blocks[block.index()].end.successors() {
                let list: &mut SmallVec<[Block; 2]> = &mut out[next.index()];
                // A block that leads there twice does so at once.
                if list.last() != Some(&block) {
                    list.push(block);
                }
            }
        }
        out
    }
}

/// Appends instructions to a block.
#[derive(Debug)]
pub struct Cursor<'a> {
    /// The function.
    pub function: &'a mut Function,
    /// The block.
    pub block: Block,
    /// The place in the SPIR-V module.
    pub at: u32,
}

impl<'a> Cursor<'a> {
    /// At the end of a block; what it appends has no place in a SPIR-V module.
    pub const fn new(function: &'a mut Function, block: Block) -> Self {
        Self {
            function,
            block,
            at: 0,
        }
    }
}

impl Cursor<'_> {
    /// Appends an instruction.
    pub fn push(&mut self, op: Op, args: &[Value], results: &[Type]) -> Inst {
        let inst = self.function.make(op, args, results, self.at);
        self.function.blocks[self.block.index()].insts.push(inst);
        inst
    }

    /// Appends an instruction with one result.
    pub fn one(&mut self, op: Op, args: &[Value], ty: Type) -> Value {
        let inst = self.push(op, args, &[ty]);
        self.function.result(inst)
    }

    /// Two operands of one type.
    pub fn bin(&mut self, op: Bin, a: Value, b: Value) -> Value {
        let ty = self.function.ty(a);
        self.one(Op::Bin(op), &[a, b], ty)
    }

    /// A change of type; none if it is already so.
    pub fn convert(&mut self, how: Convert, value: Value, ty: Type) -> Value {
        if self.function.ty(value) == ty {
            return value;
        }
        self.one(Op::Convert(how), &[value], ty)
    }

    /// A constant.
    pub fn constant(&mut self, ty: Type, bits: u64) -> Value {
        self.function.constant(ty, bits)
    }
}
