//! Large copies of memory, as far as they are left, become loops. They are one operation until it is
//! known which of them are tables.

use super::generic::Inserted;
use crate::ir::{
    Bin, Block, CHUNK, Cond, Copy, Cursor, Ends, Function, Inst, Op, Terminator, Type, unit,
};
use crate::target::Target;

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    let mut inserted = Inserted::default();
    for mut block in function.order.clone() {
        for inst in function.take(block) {
            let Op::Copy(copy) = function.insts[inst.index()].op else {
                function.blocks[block.index()].insts.push(inst);
                continue;
            };
            let blocks = inserted.behind(function, block, 2);
            let before = std::mem::replace(&mut block, blocks[1]);
            in_chunks(function, inst, copy, [before, blocks[0], block]);
        }
    }
    inserted.order(function);
    Ok(())
}

/// A loop over whole chunks, which are at least one, and what is left behind it.
fn in_chunks(function: &mut Function, inst: Inst, copy: Copy, [before, body, after]: [Block; 3]) {
    let data = &function.insts[inst.index()];
    let ends = Ends::of(&copy, data.args[0], data.args[1]);
    let whole = copy.size / CHUNK * CHUNK;
    let mut at = Cursor {
        at: data.at,
        function,
        block: before,
    };
    let unit = unit(copy.align);
    let [zero, step, end] = [0, CHUNK, whole].map(|bits| at.constant(Type::I32, bits.into()));
    at.function.blocks[before.index()].end = Terminator::Jump(body);
    at.block = body;
    let phi = at.push(Op::Phi(vec![before, body]), &[], &[Type::I32]);
    let offset = at.function.result(phi);
    ends.elements(&mut at, offset, unit, CHUNK / unit.bytes());
    let next = at.bin(Bin::Add, offset, step);
    at.function.insts[phi.index()].args = [zero, next].into_iter().collect();
    let more = at.one(Op::Icmp(Cond::Ult), &[next, end], Type::I1);
    at.function.blocks[body.index()].end = Terminator::Branch(more, body, after);
    at.block = after;
    ends.range(&mut at, whole..copy.size);
}
