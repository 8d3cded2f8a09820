//! Atomic operations that no message does: on floats as loops of compare and exchange, on 64 bits of
//! local memory by taking turns with a lock, as Intel's compiler does. A load sets no bits, and a store
//! is an exchange.

use super::generic::Inserted;
use crate::ir::{
    Access, Atomic, Bin, Block, Cond, Convert, Cursor, Function, Inst, Op, Replaced, Scope, Space,
    Terminator, Type, Value,
};
use crate::target::Target;

pub(super) fn run(function: &mut Function, target: &Target) -> Result<(), String> {
    let mut replaced = Replaced::default();
    let mut inserted = Inserted::default();
    let mut locks = false;
    for mut block in function.order.clone() {
        for inst in function.take(block) {
            if let Some(op) = too_wide(function, inst, target) {
                let blocks = inserted.behind(function, block, 4);
                let before = std::mem::replace(&mut block, blocks[3]);
                let made = in_turn(function, inst, op, before, &blocks);
                locks = true;
                let result = function.insts[inst.index()].results.first().copied();
                replaced.extend(result.map(|result| (result, made)));
                continue;
            }
            access(function, inst, target);
            match lacking(function, inst, target) {
                Some((space, op)) => {
                    let blocks = inserted.behind(function, block, 2);
                    let before = std::mem::replace(&mut block, blocks[1]);
                    let made = exchange(function, inst, (space, op), [before, blocks[0], block]);
                    let result = function.insts[inst.index()].results.first().copied();
                    replaced.extend(result.map(|result| (result, made)));
                }
                None => function.blocks[block.index()].insts.push(inst),
            }
        }
    }
    inserted.order(function);
    replaced.apply(function);
    if locks && let Some(lock) = function.lock {
        open(function, lock);
    }
    Ok(())
}

/// Lets the first come: before everything else, the lock is opened.
fn open(function: &mut Function, lock: u32) {
    let rest = std::mem::take(&mut function.blocks[Function::ENTRY.index()].insts);
    let mut at = Cursor::new(function, Function::ENTRY);
    let place = at.constant(Type::I32, lock.into());
    let zero = at.constant(Type::I32, 0);
    let access = Access::new(Space::Local, 4);
    at.push(Op::Store(access), &[place, zero], &[]);
    at.push(LOCAL_FENCE, &[], &[]);
    at.push(Op::Barrier, &[], &[]);
    at.function.blocks[Function::ENTRY.index()]
        .insts
        .extend(rest);
}

/// What shows local memory to the work-group.
const LOCAL_FENCE: Op = Op::Fence {
    scope: Scope::WorkGroup,
    local: true,
    global: false,
    image: false,
};

/// A loop that one lane of the work-group after the other leaves. Who has the lock reads and writes
/// in the same round, so that no lane waits for one beside it. Gives the old value.
fn in_turn(
    function: &mut Function,
    inst: Inst,
    op: Atomic,
    before: Block,
    blocks: &[Block],
) -> Value {
    let data = function.insts[inst.index()].clone();
    let &[head, body, latch, after] = blocks else {
        return Value(u32::MAX);
    };
    let lock = function.lock.unwrap_or_default();
    let (address, operand) = (data.args[0], data.args.get(1).copied());
    let value = operand.or(data.results.first().copied());
    let ty = value.map_or(Type::I64, |value| function.ty(value));
    function.blocks[before.index()].end = Terminator::Jump(head);
    let mut at = Cursor {
        function,
        block: head,
        at: data.at,
    };
    let place = at.constant(Type::I32, lock.into());
    let [free, taken] = [0, 1].map(|bits| at.constant(Type::I32, bits));
    let swap = Op::Atomic(Space::Local, Atomic::CompareExchange);
    let seen = at.one(swap, &[place, free, taken], Type::I32);
    let mine = at.one(Op::Icmp(Cond::Eq), &[seen, free], Type::I1);
    at.function.blocks[head.index()].end = Terminator::Branch(mine, body, latch);

    at.block = body;
    let access = Access {
        volatile: true,
        ..Access::new(Space::Local, 8)
    };
    let old = at.one(Op::Load(access), &[address], ty);
    if let Some(operand) = operand {
        let new = combined(&mut at, op, old, operand, data.args.get(2).copied());
        at.push(Op::Store(access), &[address, new], &[]);
    }
    at.push(LOCAL_FENCE, &[], &[]);
    let open = Op::Atomic(Space::Local, Atomic::Exchange);
    at.push(open, &[place, free], &[Type::I32]);
    at.function.blocks[body.index()].end = Terminator::Jump(latch);

    at.block = latch;
    let [no, yes] = [0, 1].map(|bits| at.constant(Type::I1, bits));
    let nothing = at.function.undef(ty);
    let from = || Op::Phi(vec![head, body]);
    let done = at.one(from(), &[no, yes], Type::I1);
    let old = at.one(from(), &[nothing, old], ty);
    at.function.blocks[latch.index()].end = Terminator::Branch(done, after, head);
    old
}

/// What an operation writes: the second operand of a compare and exchange is the comparand.
fn combined(
    at: &mut Cursor<'_>,
    op: Atomic,
    old: Value,
    operand: Value,
    new: Option<Value>,
) -> Value {
    let ty = at.function.ty(old);
    match op.bin() {
        Some(bin) => at.bin(bin, old, operand),
        None => match op {
            Atomic::Load => old,
            Atomic::CompareExchange => {
                let same = at.one(Op::Icmp(Cond::Eq), &[old, operand], Type::I1);
                at.one(Op::Select, &[same, new.unwrap_or(old), old], ty)
            }
            _ => operand,
        },
    }
}

/// Whether a memory has atomic operations of 64 bits.
fn has_qwords(space: Space, target: &Target) -> bool {
    space == Space::Global || target.caps.local_atomics_64
}

/// The operation of 64 bits on local memory of an instruction that no message does. Loads and stores
/// are among them: they must not come between the parts of another.
fn too_wide(function: &Function, inst: Inst, target: &Target) -> Option<Atomic> {
    let data = &function.insts[inst.index()];
    let Op::Atomic(Space::Local, op) = data.op else {
        return None;
    };
    let value = data.args.get(1).or(data.results.first())?;
    let wide = function.ty(*value).bits() == 64;
    (wide && !has_qwords(Space::Local, target)).then_some(op)
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

/// The memory and the operation of an instruction that no message does, except compare and exchange.
fn lacking(function: &Function, inst: Inst, target: &Target) -> Option<(Space, Atomic)> {
    let data = &function.insts[inst.index()];
    let Op::Atomic(space, op) = data.op else {
        return None;
    };
    let ty = function.ty(*data.args.get(1)?);
    let single = ty == Type::F32;
    let has = match op {
        Atomic::FAdd => single && target.caps.float_adds && space == Space::Global,
        Atomic::FMin | Atomic::FMax => single && target.caps.float_atomics,
        Atomic::Exchange => ty != Type::F16,
        _ => true,
    };
    (!has).then_some((space, op))
}

/// A loop that tries until nobody wrote between its reading and its writing. It gives the old value.
/// A half is a part of a dword.
fn exchange(
    function: &mut Function,
    inst: Inst,
    (space, op): (Space, Atomic),
    [before, body, after]: [Block; 3],
) -> Value {
    let data = function.insts[inst.index()].clone();
    let (mut address, operand) = (data.args[0], data.args[1]);
    let ty = function.ty(operand);
    let mut at = Cursor {
        function,
        block: before,
        at: data.at,
    };
    let mut shift = None;
    if ty == Type::F16 {
        let (by, dword) = dword_of(&mut at, address);
        (shift, address) = (Some(by), dword);
    }
    let bits = match shift {
        Some(_) => Type::I32,
        None => ty.integer(),
    };
    let first = at.one(Op::Atomic(space, Atomic::Load), &[address], bits);
    at.function.blocks[before.index()].end = Terminator::Jump(body);
    at.block = body;
    let phi = at.push(Op::Phi(vec![before, body]), &[], &[bits]);
    let old = at.function.result(phi);
    let number = part(&mut at, old, shift, ty);
    let new = combined(&mut at, op, number, operand, None);
    let new = at.convert(Convert::Bitcast, new, ty.integer());
    let new = match shift {
        Some(by) => {
            let mask = at.constant(Type::I32, ty.mask());
            let mask = at.bin(Bin::Shl, mask, by);
            let all = at.constant(Type::I32, Type::I32.mask());
            let others = at.bin(Bin::Xor, mask, all);
            let rest = at.bin(Bin::And, old, others);
            let wide = at.convert(Convert::ZExt, new, Type::I32);
            let moved = at.bin(Bin::Shl, wide, by);
            at.bin(Bin::Or, rest, moved)
        }
        None => new,
    };
    let swap = Op::Atomic(space, Atomic::CompareExchange);
    let seen = at.one(swap, &[address, old, new], bits);
    at.function.insts[phi.index()].args = [first, seen].into_iter().collect();
    let same = at.one(Op::Icmp(Cond::Eq), &[seen, old], Type::I1);
    at.function.blocks[body.index()].end = Terminator::Branch(same, after, body);
    at.block = after;
    part(&mut at, seen, shift, ty)
}

/// Where in its dword a half is, in bits, and the address of the dword.
fn dword_of(at: &mut Cursor<'_>, address: Value) -> (Value, Value) {
    let ty = at.function.ty(address);
    let low = at.convert(Convert::Trunc, address, Type::I32);
    let (two, three) = (at.constant(Type::I32, 2), at.constant(Type::I32, 3));
    let upper = at.bin(Bin::And, low, two);
    let by = at.bin(Bin::Shl, upper, three);
    let whole = at.constant(ty, !3);
    (by, at.bin(Bin::And, address, whole))
}

/// The number in the bits that are exchanged.
fn part(at: &mut Cursor<'_>, bits: Value, shift: Option<Value>, ty: Type) -> Value {
    let bits = match shift {
        Some(by) => {
            let moved = at.bin(Bin::LShr, bits, by);
            at.convert(Convert::Trunc, moved, ty.integer())
        }
        None => bits,
    };
    at.convert(Convert::Bitcast, bits, ty)
}
