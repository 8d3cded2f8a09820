//! Pointers that may point into any memory.
//!
//! The three highest bits say which: 1 private memory, 2 local memory, anything else global memory
//! (IGC `ADDRESS_SPACE_TAG`). Private memory is part of global memory, so that an access only has
//! to ask whether it is local.

use hashbrown::HashMap;

use crate::ir::{
    Bin, Block, Cond, Convert, Cursor, Function, Inst, Op, Replaced, Space, Terminator, Type, Value,
};
use crate::target::Target;

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    let mut replaced = Replaced::default();
    let mut inserted = Inserted::default();
    for mut block in function.order.clone() {
        for inst in function.take(block) {
            let data = function.insts[inst.index()].clone();
            let mut at = Cursor {
                at: data.at,
                function,
                block,
            };
            match data.op {
                Op::ToGeneric(Space::Local) => {
                    let wide = at.convert(Convert::ZExt, data.args[0], Type::I64);
                    let value = tagged(&mut at, Space::Local, data.args[0], wide);
                    replaced.insert(data.results[0], value);
                }
                Op::FromGeneric(Space::Local) => {
                    let offset = at.convert(Convert::Trunc, data.args[0], Type::I32);
                    let value = offset_or_none(&mut at, data.args[0], offset);
                    replaced.insert(data.results[0], value);
                }
                Op::PointsInto(space) => {
                    let value = points_into(&mut at, data.args[0], space);
                    replaced.insert(data.results[0], value);
                }
                // What comes after it goes on where both ways meet.
                op if is_generic(&op) => {
                    let blocks = inserted.behind(function, block, 3);
                    either(function, block, inst, &blocks, &mut replaced);
                    block = blocks[2];
                }
                _ => function.blocks[block.index()].insts.push(inst),
            }
        }
    }
    inserted.order(function);
    replaced.apply(function);
    Ok(())
}

/// Blocks that a pass inserts, by the block that they follow.
#[derive(Default)]
pub(super) struct Inserted(HashMap<Block, Vec<Block>>);

impl Inserted {
    /// New blocks behind one. The last of them ends as that did.
    pub(super) fn behind(
        &mut self,
        function: &mut Function,
        block: Block,
        count: usize,
    ) -> Vec<Block> {
        let known = function.order.len();
        let made: Vec<Block> = (0..count).map(|_| function.add_block()).collect();
        function.order.truncate(known);
        let last = made.last().copied().unwrap_or(block);
        let end = function.blocks[block.index()].end;
        for successor in end.successors() {
            for phi in function.blocks[successor.index()].insts.clone() {
                if let Op::Phi(from) = &mut function.insts[phi.index()].op {
                    for from in from.iter_mut().filter(|from| **from == block) {
                        *from = last;
                    }
                }
            }
        }
        function.blocks[last.index()].end = end;
        self.0.insert(block, made.clone());
        made
    }

    /// Puts them into the order of the function.
    pub(super) fn order(mut self, function: &mut Function) {
        if self.0.is_empty() {
            return;
        }
        let mut out = Vec::with_capacity(function.order.len());
        let mut work: Vec<Block> = function.order.iter().rev().copied().collect();
        while let Some(block) = work.pop() {
            out.push(block);
            let behind = self.0.remove(&block).unwrap_or_default();
            work.extend(behind.into_iter().rev());
        }
        function.order = out;
    }
}

/// An address with its tag; nothing for no memory.
pub(super) fn tagged(at: &mut Cursor<'_>, space: Space, narrow: Value, wide: Value) -> Value {
    let tag = at.constant(Type::I64, space.tag() << Space::TAG);
    let tagged = at.bin(Bin::Or, wide, tag);
    let none = at.constant(Type::I32, Space::NULL.into());
    let is_none = at.one(Op::Icmp(Cond::Eq), &[narrow, none], Type::I1);
    let zero = at.constant(Type::I64, 0);
    at.one(Op::Select, &[is_none, zero, tagged], Type::I64)
}

/// Whether a generic address has the tag of a memory.
fn points_into(at: &mut Cursor<'_>, address: Value, space: Space) -> Value {
    let high = at.one(Op::High, &[address], Type::I32);
    let by = at.constant(Type::I32, u64::from(Space::TAG - 32));
    let tag = at.bin(Bin::LShr, high, by);
    let wanted = at.constant(Type::I32, space.tag());
    at.one(Op::Icmp(Cond::Eq), &[tag, wanted], Type::I1)
}

/// The offset of a generic address; no memory for a null pointer.
pub(super) fn offset_or_none(at: &mut Cursor<'_>, address: Value, offset: Value) -> Value {
    let zero = at.constant(Type::I64, 0);
    let is_null = at.one(Op::Icmp(Cond::Eq), &[address, zero], Type::I1);
    let none = at.constant(Type::I32, Space::NULL.into());
    at.one(Op::Select, &[is_null, none, offset], Type::I32)
}

/// An address in global memory without its tag.
pub(super) fn untagged(at: &mut Cursor<'_>, address: Value) -> Value {
    let low = at.convert(Convert::Trunc, address, Type::I32);
    let high = at.one(Op::High, &[address], Type::I32);
    // The bit below is the sign: no private address has it.
    let by = at.constant(Type::I32, u64::from(64 - Space::TAG));
    let moved = at.bin(Bin::Shl, high, by);
    let high = at.bin(Bin::AShr, moved, by);
    at.one(Op::Pair, &[low, high], Type::I64)
}

fn is_generic(op: &Op) -> bool {
    match op {
        Op::Load(access) | Op::Store(access) => access.space == Space::Generic,
        Op::Atomic(space, _) => *space == Space::Generic,
        _ => false,
    }
}

fn in_space(op: &Op, space: Space) -> Op {
    let mut op = op.clone();
    match &mut op {
        Op::Load(access) | Op::Store(access) => access.space = space,
        Op::Atomic(other, _) => *other = space,
        _ => {}
    }
    op
}

/// Ends a block with an access to local or global memory: in blocks for each, and one behind.
fn either(
    function: &mut Function,
    block: Block,
    inst: Inst,
    blocks: &[Block],
    replaced: &mut Replaced,
) {
    let data = function.insts[inst.index()].clone();
    let &[local, global, next] = blocks else {
        return;
    };
    let address = data.args[0];
    let mut at = Cursor {
        function,
        block,
        at: data.at,
    };
    let is_local = points_into(&mut at, address, Space::Local);
    at.function.blocks[block.index()].end = Terminator::Branch(is_local, local, global);
    let types: Vec<Type> = data.results.iter().map(|v| at.function.ty(*v)).collect();
    let mut results = Vec::new();
    for (block, space) in [(local, Space::Local), (global, Space::Global)] {
        at.block = block;
        let mut args = data.args.clone();
        args[0] = match space {
            Space::Local => at.convert(Convert::Trunc, address, Type::I32),
            _ => untagged(&mut at, address),
        };
        let made = at.push(in_space(&data.op, space), &args, &types);
        results.push(at.function.insts[made.index()].results.clone());
        at.function.blocks[block.index()].end = Terminator::Jump(next);
    }
    at.block = next;
    for (index, ty) in types.into_iter().enumerate() {
        let args = [results[0][index], results[1][index]];
        let phi = at.one(Op::Phi(vec![local, global]), &args, ty);
        replaced.insert(data.results[index], phi);
    }
}
