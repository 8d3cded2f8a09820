//! Atomic operations that no message does: on floats as loops of compare and exchange, others as an
//! error. A load sets no bits, and a store is an exchange.

use std::collections::HashMap;

use super::generic::Inserted;
use crate::ir::{
    Atomic, Bin, Cond, Convert, Cursor, Function, Inst, Op, Space, Terminator, Type, Value,
};
use crate::target::Target;

pub(super) fn run(function: &mut Function, target: &Target) -> Result<(), String> {
    let mut replaced = HashMap::new();
    let mut inserted = Inserted::default();
    for mut block in function.order.clone() {
        for inst in std::mem::take(&mut function.blocks[block.index()].insts) {
            has_width(function, inst, target)?;
            access(function, inst, target);
            match lacking(function, inst, target) {
                Some((space, how)) => {
                    let blocks = inserted.behind(function, block, 2);
                    let before = std::mem::replace(&mut block, blocks[1]);
                    let made = exchange(function, inst, (space, how), [before, blocks[0], block]);
                    replaced.insert(function.result(inst), made);
                }
                None => function.blocks[block.index()].insts.push(inst),
            }
        }
    }
    inserted.order(function);
    super::simplify::replace(function, &replaced);
    Ok(())
}

/// Whether a memory has atomic operations of 64 bits.
fn has_qwords(space: Space, target: &Target) -> bool {
    space == Space::Global || target.caps.local_atomics_64
}

/// Atomic operations of 64 bits on local memory, and on generic pointers, which come here as one on
/// local and one on global memory. Loads and stores can do without an atomic message.
fn has_width(function: &Function, inst: Inst, target: &Target) -> Result<(), String> {
    let data = &function.insts[inst.index()];
    let Op::Atomic(Space::Local, op) = data.op else {
        return Ok(());
    };
    let wide = data.args.get(1).map(|value| function.ty(*value).bits()) == Some(64);
    if !wide || has_qwords(Space::Local, target) || op == Atomic::Store {
        return Ok(());
    }
    Err(format!(
        "the atomic operation `{op}` of 64 bits on local memory, or through a generic pointer that \
         may point there, at word {}: {} has none; use 32 bits, or a global pointer",
        data.at, target.platform.name
    ))
}

/// Makes a load or a store an operation that is atomic with others, as Intel's compiler does. What has
/// no such message remains a plain access: bytes, words, and on some platforms qwords in local memory.
fn access(function: &mut Function, inst: Inst, target: &Target) {
    let data = &function.insts[inst.index()];
    let (space, value, op) = match data.op {
        Op::Atomic(space, Atomic::Load) => (space, data.results.first(), Atomic::Or),
        Op::Atomic(space, Atomic::Store) => (space, data.args.get(1), Atomic::Exchange),
        _ => return,
    };
    let Some(&value) = value else { return };
    let ty = function.ty(value);
    let has = match ty.bytes() {
        4 => true,
        8 => has_qwords(space, target),
        _ => false,
    };
    if !has {
        return;
    }
    if op == Atomic::Or {
        let zero = function.constant(ty, 0);
        function.insts[inst.index()].args.push(zero);
    }
    function.insts[inst.index()].op = Op::Atomic(space, op);
}

/// The memory and the operation of an instruction that no message does.
fn lacking(function: &Function, inst: Inst, target: &Target) -> Option<(Space, Bin)> {
    let data = &function.insts[inst.index()];
    let Op::Atomic(space, op) = data.op else {
        return None;
    };
    let how = match op {
        Atomic::FAdd => Bin::FAdd,
        Atomic::FMin => Bin::FMin,
        Atomic::FMax => Bin::FMax,
        _ => return None,
    };
    let single = function.ty(data.args[1]) == Type::F32;
    let has = match how {
        Bin::FAdd => target.caps.float_adds && space == Space::Global,
        _ => target.caps.float_atomics,
    };
    (!single || !has).then_some((space, how))
}

/// A loop that tries until nobody wrote between its reading and its writing. It gives the old value.
fn exchange(
    function: &mut Function,
    inst: Inst,
    (space, how): (Space, Bin),
    [before, body, after]: [crate::ir::Block; 3],
) -> Value {
    let data = function.insts[inst.index()].clone();
    let (address, operand) = (data.args[0], data.args[1]);
    let ty = function.ty(operand);
    let bits = ty.integer();
    let mut at = Cursor {
        function,
        block: before,
        at: data.at,
    };
    let first = at.one(Op::Atomic(space, Atomic::Load), &[address], bits);
    at.function.blocks[before.index()].end = Terminator::Jump(body);
    at.block = body;
    let phi = at.push(Op::Phi(vec![before, body]), &[], &[bits]);
    let old = at.function.result(phi);
    let number = at.convert(Convert::Bitcast, old, ty);
    let sum = at.bin(how, number, operand);
    let new = at.convert(Convert::Bitcast, sum, bits);
    let swap = Op::Atomic(space, Atomic::CompareExchange);
    let seen = at.one(swap, &[address, old, new], bits);
    at.function.insts[phi.index()].args = [first, seen].into_iter().collect();
    let same = at.one(Op::Icmp(Cond::Eq), &[seen, old], Type::I1);
    at.function.blocks[body.index()].end = Terminator::Branch(same, after, body);
    at.block = after;
    at.convert(Convert::Bitcast, seen, ty)
}
