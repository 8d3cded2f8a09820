//! Broadcasts of the parts of a dword, of which vectors of bytes and words are made, as parts of one
//! broadcast of it.

use hashbrown::HashMap;

use super::simplify::part;
use crate::ir::{Bin, Convert, Cursor, Function, Op, Replaced, Type, Value};
use crate::target::Target;

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    if !function.listed().any(|data| data.op == Op::Broadcast) {
        return Ok(());
    }
    let mut replaced = Replaced::default();
    for block in function.order.clone() {
        // The broadcasts of dwords that the block has, by the dword and the lane.
        let mut whole: HashMap<(Value, Value), Value> = HashMap::new();
        for inst in function.take(block) {
            let data = &function.insts[inst.index()];
            let found = match (&data.op, data.results.as_slice()) {
                (Op::Broadcast, &[result]) => part(function, data.args[0])
                    .filter(|(dword, _)| function.ty(*dword) == Type::I32)
                    .filter(|_| function.ty(result).bits() < 32)
                    .map(|(dword, by)| (result, dword, by)),
                _ => None,
            };
            let Some((result, dword, by)) = found else {
                function.blocks[block.index()].insts.push(inst);
                continue;
            };
            let (lane, at, ty) = (data.args[1], data.at, function.ty(result));
            let mut cursor = Cursor {
                function: &mut *function,
                block,
                at,
            };
            let all = *whole
                .entry((dword, lane))
                .or_insert_with(|| cursor.one(Op::Broadcast, &[dword, lane], Type::I32));
            let by = cursor.constant(Type::I32, by);
            let moved = cursor.bin(Bin::LShr, all, by);
            let bits = cursor.convert(Convert::Trunc, moved, ty.integer());
            replaced.insert(result, cursor.convert(Convert::Bitcast, bits, ty));
        }
    }
    replaced.apply(function);
    Ok(())
}
