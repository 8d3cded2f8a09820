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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, Input, Space, Terminator, expression, verify};

    #[test]
    fn parts_of_a_dword_come_by_one_broadcast() {
        let mut function = Function::default();
        let block = function.add_block();
        let mut at = Cursor::new(&mut function, block);
        let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
        let which = at.one(Op::Input(Input::Payload(0)), &[], Type::I32);
        let by = at.constant(Type::I32, 8);
        let above = at.bin(Bin::LShr, lane, by);
        let mut send = |of: Value, ty: Type, from: Value| {
            let part = at.convert(Convert::Trunc, of, ty);
            let sent = at.one(Op::Broadcast, &[part, from], ty);
            at.push(Op::Store(Access::new(Space::Local, 1)), &[lane, sent], &[]);
        };
        send(lane, Type::I8, which);
        send(above, Type::I8, which);
        send(lane, Type::I16, which);
        // By another lane.
        send(lane, Type::I8, by);
        // A dword, of which nothing else is sent.
        let whole = at.one(Op::Broadcast, &[above, which], Type::I32);
        at.push(Op::Store(Access::new(Space::Local, 4)), &[lane, whole], &[]);
        function.blocks[block.index()].end = Terminator::Return;
        verify(&function).unwrap();
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        let sent = function.listed().filter(|data| data.op == Op::Broadcast);
        assert_eq!(sent.count(), 3);
        let stored = function
            .listed()
            .filter(|data| matches!(data.op, Op::Store(_)));
        let stored: Vec<String> = stored
            .map(|data| expression(&function, data.args[1]))
            .collect();
        let all = "(broadcast lane payload.0)";
        assert_eq!(
            stored,
            [
                format!("(trunc (lshr {all} 0))"),
                format!("(trunc (lshr {all} 8))"),
                format!("(trunc (lshr {all} 0))"),
                "(trunc (lshr (broadcast lane 8) 0))".to_owned(),
                "(broadcast (lshr lane 8) payload.0)".to_owned(),
            ]
        );
    }
}
