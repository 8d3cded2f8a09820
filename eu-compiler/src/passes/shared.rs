//! Atomic operations of all lanes at one address: one lane makes one for all, as in Intel's compiler.
//!
//! What the active lanes bring is combined first; one that asks for the old value gets what it would
//! have seen had the lanes come one after the other. No block runs without active lanes.

use super::divergence::Divergence;
use crate::ir::cfg::{Dominators, Loops};
use crate::ir::{
    Atomic, Bin, Cond, Cursor, Function, Input, Inst, Op, Replaced, Terminator, Type, Un, Value,
};
use crate::target::Target;

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    let used = used(function);
    let mut atomics = false;
    for data in &mut function.insts {
        if matches!(data.op, Op::Atomic(..)) {
            atomics = true;
            data.results.retain(|result| used[result.index()]);
        }
    }
    if !atomics {
        return Ok(());
    }
    let dominators = Dominators::new(function);
    let loops = Loops::new(function, &dominators)
        .map_err(|block| format!("a loop has several entries, one of them b{}", block.0))?;
    let divergence = Divergence::new(function, &loops);
    let mut replaced = Replaced::default();
    for block in function.order.clone() {
        let partial = divergence.is_partial(block);
        for inst in function.take(block) {
            let at = function.insts[inst.index()].at;
            let cursor = Cursor {
                function: &mut *function,
                block,
                at,
            };
            match shared(cursor, inst, &divergence, partial) {
                Some(value) => {
                    let old = function.insts[inst.index()].results.first().copied();
                    replaced.extend(old.zip(value));
                }
                None => function.blocks[block.index()].insts.push(inst),
            }
        }
    }
    replaced.apply(function);
    Ok(())
}

/// Which values somebody reads.
fn used(function: &Function) -> Vec<bool> {
    let mut used = vec![false; function.values.len()];
    for &block in &function.order {
        let data = &function.blocks[block.index()];
        for inst in &data.insts {
            for arg in &function.insts[inst.index()].args {
                used[arg.index()] = true;
            }
        }
        if let Terminator::Branch(value, ..) = &data.end {
            used[value.index()] = true;
        }
    }
    used
}

/// One operation for all lanes, with what stands for its result, if it has one; none if each lane
/// makes its own.
fn shared(
    mut at: Cursor<'_>,
    inst: Inst,
    divergence: &Divergence,
    partial: bool,
) -> Option<Option<Value>> {
    let data = at.function.insts[inst.index()].clone();
    let Op::Atomic(space, op) = data.op else {
        return None;
    };
    let (address, mine) = (data.args[0], *data.args.get(1)?);
    let combine = combining(op)?;
    if divergence.differs(address) || at.function.ty(mine) != Type::I32 {
        return None;
    }
    let asked = !data.results.is_empty();
    let once = Op::AtomicOnce(space, op);
    if divergence.differs(mine) {
        // Of sums and differences alike the operands are added.
        if asked {
            return None;
        }
        let all = at.one(Op::Reduce(combine), &[mine], Type::I32);
        at.push(once, &[address, all], &[]);
        return Some(None);
    }
    // Once is the same as several times.
    let nothing = at.function.bits(mine) == combine.identity(Type::I32);
    let again = !matches!(combine, Bin::Add | Bin::Xor);
    if nothing || again && !asked {
        let types = [Type::I32];
        let made = at.push(once, &[address, mine], &types[..usize::from(asked)]);
        return Some(asked.then(|| at.function.result(made)));
    }
    let lanes = match partial {
        true => {
            let here = at.constant(Type::I1, 1);
            at.one(Op::Ballot, &[here], Type::I32)
        }
        false => at.one(Op::Input(Input::DispatchMask), &[], Type::I32),
    };
    let all = match again {
        true => mine,
        false => times(&mut at, combine, mine, lanes),
    };
    if !asked {
        at.push(once, &[address, all], &[]);
        return Some(None);
    }
    let old = at.one(once, &[address, all], Type::I32);
    // The lanes before this one have come before it.
    let one = at.constant(Type::I32, 1);
    let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
    let bit = at.bin(Bin::Shl, one, lane);
    let below = at.bin(Bin::Sub, bit, one);
    let before = at.bin(Bin::And, lanes, below);
    let bin = if op == Atomic::Sub { Bin::Sub } else { combine };
    Some(Some(match again {
        false => {
            let theirs = times(&mut at, combine, mine, before);
            at.bin(bin, old, theirs)
        }
        true => {
            let zero = at.constant(Type::I32, 0);
            let first = at.one(Op::Icmp(Cond::Eq), &[before, zero], Type::I1);
            let later = at.bin(bin, old, mine);
            at.one(Op::Select, &[first, old, later], Type::I32)
        }
    }))
}

/// What combines the operands of two of these operations.
fn combining(op: Atomic) -> Option<Bin> {
    match op {
        Atomic::Sub => Some(Bin::Add),
        op => op.bin(),
    }
}

/// A value added, or by exclusive or, once for each bit of a mask.
fn times(at: &mut Cursor<'_>, combine: Bin, value: Value, lanes: Value) -> Value {
    let mut count = at.one(Op::Un(Un::CountOnes), &[lanes], Type::I32);
    if combine == Bin::Xor {
        let one = at.constant(Type::I32, 1);
        count = at.bin(Bin::And, count, one);
    }
    match at.function.bits(value) {
        Some(1) => count,
        _ => at.bin(Bin::Mul, count, value),
    }
}
