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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, Space, Terminator, expression, verify};

    /// What an atomic operation becomes, with its operand, and what stands for its result, if it is asked for.
    fn made(
        op: Atomic,
        asked: bool,
        body: impl Fn(&mut Cursor<'_>) -> [Value; 2],
    ) -> (String, String) {
        let mut function = Function::default();
        let block = function.add_block();
        let mut at = Cursor::new(&mut function, block);
        let args = body(&mut at);
        let ty = at.function.ty(args[1]);
        let old = at.one(Op::Atomic(Space::Local, op), &args, ty);
        if asked {
            at.push(
                Op::Store(Access::new(Space::Local, 4)),
                &[args[0], old],
                &[],
            );
        }
        function.blocks[block.index()].end = Terminator::Return;
        verify(&function).unwrap();
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        let is_atomic = |op: &Op| matches!(op, Op::Atomic(..) | Op::AtomicOnce(..));
        let data = function.listed().find(|data| is_atomic(&data.op)).unwrap();
        let name = if matches!(data.op, Op::Atomic(..)) {
            "each"
        } else {
            "once"
        };
        let atomic = format!("{name} {}", expression(&function, data.args[1]));
        let stored = function.listed().last().filter(|_| asked);
        let stored = stored.map(|data| expression(&function, data.args[1]));
        (atomic, stored.unwrap_or_default())
    }

    fn input(at: &mut Cursor<'_>, of: Input) -> Value {
        at.one(Op::Input(of), &[], Type::I32)
    }

    /// A place, and a number that all lanes have.
    fn same(number: u64) -> impl Fn(&mut Cursor<'_>) -> [Value; 2] {
        move |at| [input(at, Input::Payload(0)), at.constant(Type::I32, number)]
    }

    #[test]
    fn one_lane_adds_for_all() {
        let all = "(ctpop dispatch_mask)";
        assert_eq!(made(Atomic::Add, false, same(1)).0, format!("once {all}"));
        assert_eq!(
            made(Atomic::Sub, false, same(3)).0,
            format!("once (mul {all} 3)")
        );
        assert_eq!(
            made(Atomic::Xor, false, same(3)).0,
            format!("once (mul (and {all} 1) 3)")
        );
        assert_eq!(made(Atomic::UMax, false, same(3)).0, "once 3");
        let own = |at: &mut Cursor<'_>| [input(at, Input::Payload(0)), input(at, Input::Lane)];
        assert_eq!(made(Atomic::Sub, false, own).0, "once (reduce.add lane)");
        assert_eq!(made(Atomic::And, false, own).0, "once (reduce.and lane)");
    }

    #[test]
    fn each_lane_sees_what_those_before_it_did() {
        let before = "(and dispatch_mask (sub (shl 1 lane) 1))";
        let once = "(atomic_once.sub.local payload.0 (mul (ctpop dispatch_mask) 3))";
        let (_, old) = made(Atomic::Sub, true, same(3));
        assert_eq!(old, format!("(sub {once} (mul (ctpop {before}) 3))"));
        let once = "(atomic_once.umax.local payload.0 3)";
        let (_, old) = made(Atomic::UMax, true, same(3));
        assert_eq!(
            old,
            format!("(select (icmp.eq {before} 0) {once} (umax {once} 3))")
        );
        // What changes nothing reads.
        let (_, old) = made(Atomic::Add, true, same(0));
        assert_eq!(old, "(atomic_once.add.local payload.0 0)");
    }

    #[test]
    fn other_operations_are_those_of_each_lane() {
        let cases: [(Atomic, bool, [Input; 2]); 3] = [
            // At different places, what each wants to know of different numbers, and an exchange.
            (Atomic::Add, false, [Input::Lane, Input::Payload(0)]),
            (Atomic::Add, true, [Input::Payload(0), Input::Lane]),
            (
                Atomic::Exchange,
                false,
                [Input::Payload(0), Input::Payload(4)],
            ),
        ];
        for (op, asked, inputs) in cases {
            let (atomic, _) = made(op, asked, |at| inputs.map(|of| input(at, of)));
            assert!(atomic.starts_with("each"), "{op}: {atomic}");
        }
        let (wide, _) = made(Atomic::Add, false, |at| {
            [input(at, Input::Payload(0)), at.constant(Type::I64, 1)]
        });
        assert_eq!(wide, "each 1");
    }
}
