//! What is loaded from the constants of the program at places that are known, is known.
//!
//! Not before [`tables`](super::tables), which finds copies by what they are loaded from.

use crate::ir::{Function, Inst, Op, Replaced, Space, Values};
use crate::target::Target;

pub(super) fn run(function: &mut Function, target: &Target) -> Result<(), String> {
    let mut replaced = Replaced::default();
    for block in function.order.clone() {
        let mut insts = function.take(block);
        insts.retain(|&inst| match contents(function, inst) {
            Some(values) => {
                let results = &function.insts[inst.index()].results;
                replaced.extend(results.iter().copied().zip(values));
                false
            }
            None => true,
        });
        function.blocks[block.index()].insts = insts;
    }
    if replaced.is_empty() {
        return Ok(());
    }
    replaced.apply(function);
    // Places in private variables may be known now, too.
    super::simplify::run(function, target)?;
    super::memory::run(function, target)?;
    super::simplify::run(function, target)
}

/// The values that a load gives, if they are known.
fn contents(function: &mut Function, inst: Inst) -> Option<Values> {
    let data = &function.insts[inst.index()];
    let Op::Load(access) = data.op else {
        return None;
    };
    if access.space != Space::Global || access.volatile {
        return None;
    }
    let (_, mut at) = function.among_constants(data.args[0])?;
    let mut found = Vec::new();
    for result in &data.results {
        let ty = function.ty(*result);
        found.push((ty, function.program.bits(at, ty)?));
        at = at.checked_add(ty.bytes().into())?;
    }
    let found = found.into_iter();
    Some(
        found
            .map(|(ty, bits)| function.constant(ty, bits))
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::run;
    use crate::ir::{
        Access, Bin, Constants, Cursor, Function, Input, Op, Space, Symbol, Terminator, Type,
        Value, verify,
    };
    use crate::target::Target;

    /// Whether a load of two dwords at this place stays, and the constants that are stored.
    fn loaded(access: Access, at: impl Fn(&mut Cursor<'_>) -> Value) -> (bool, Vec<Option<u64>>) {
        let mut function = Function::new(Arc::new(Constants {
            bytes: (0..40).collect(),
            addresses: [16].into(),
        }));
        let block = function.add_block();
        let mut cursor = Cursor::new(&mut function, block);
        let halves = [false, true].map(|high| {
            let of = Symbol::Constants;
            cursor.one(Op::Input(Input::Address { of, high }), &[], Type::I32)
        });
        let base = cursor.one(Op::Pair, &halves, Type::I64);
        let by = at(&mut cursor);
        let address = cursor.bin(Bin::Add, base, by);
        let four = cursor.constant(Type::I64, 4);
        let address = cursor.bin(Bin::Add, address, four);
        let load = cursor.push(Op::Load(access), &[address], &[Type::I32, Type::F32]);
        let values = cursor.function.insts[load.index()].results.clone();
        let out = cursor.one(Op::Input(Input::Payload(0)), &[], Type::I64);
        let store = Op::Store(Access::new(Space::Global, 4));
        cursor.push(store, &[out, values[0], values[1]], &[]);
        function.blocks[block.index()].end = Terminator::Return;
        verify(&function).unwrap();
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        let stays = function.listed().any(|data| matches!(data.op, Op::Load(_)));
        let store = function
            .listed()
            .find(|data| matches!(data.op, Op::Store(_)));
        let stored = store.unwrap().args[1..].iter();
        (stays, stored.map(|value| function.bits(*value)).collect())
    }

    #[test]
    fn what_is_at_a_known_place_is_known() {
        let access = Access::new(Space::Global, 4);
        let found = loaded(access, |at| at.constant(Type::I64, 24));
        assert_eq!(found, (false, vec![Some(0x1f1e_1d1c), Some(0x2322_2120)]));
    }

    #[test]
    fn the_rest_is_loaded() {
        let access = Access::new(Space::Global, 4);
        let lane = |at: &mut Cursor<'_>| {
            let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
            at.convert(crate::ir::Convert::ZExt, lane, Type::I64)
        };
        assert!(loaded(access, lane).0);
        // An address, and the end.
        for place in [8, 32] {
            assert!(loaded(access, |at| at.constant(Type::I64, place)).0);
        }
        let mut volatile = access;
        volatile.volatile = true;
        assert!(loaded(volatile, |at| at.constant(Type::I64, 24)).0);
    }
}
