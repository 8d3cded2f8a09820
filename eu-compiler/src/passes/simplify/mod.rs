//! Folds constants, applies identities, joins equal instructions, and drops what nobody needs.

mod seen;

use seen::Seen;

use super::known::most;
use crate::ir::cfg::{Dominators, reverse_postorder};
use crate::ir::{
    Bin, Cond, Convert, Def, Function, Inst, InstData, Op, Replaced, Space, Terminator, Type,
    Value, Values,
};
use crate::target::Target;

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    let mut dominators = Dominators::new(function);
    // What a round replaces may let the next fold more; most functions need two.
    for _ in 0..4 {
        let Changed { insts, flow } = round(function, &dominators);
        if flow {
            super::structure::prune(function);
            dominators = Dominators::new(function);
        }
        if !insts {
            break;
        }
    }
    sweep(function);
    Ok(())
}

/// What a round has changed.
struct Changed {
    /// Instructions, or what they take.
    insts: bool,
    /// Ways between blocks are gone, or blocks that none leads to are there.
    flow: bool,
}

fn round(function: &mut Function, dominators: &Dominators) -> Changed {
    let order = reverse_postorder(function);
    let mut replaced = Replaced::default();
    let mut seen = Seen::with_room(function.listed().count());
    let (mut changed, mut is_cut) = (false, false);
    for &block in &order {
        let mut insts = std::mem::take(&mut function.blocks[block.index()].insts);
        insts.retain(|&inst| {
            let data = &mut function.insts[inst.index()];
            for arg in &mut data.args {
                *arg = replaced.find(*arg);
            }
            let &[result] = data.results.as_slice() else {
                return true;
            };
            let mut equal = fold(function, inst, result, &mut changed);
            if equal.is_none() {
                changed |= seen.distribute(function, inst, block, dominators);
                equal = seen.equal(function, inst, block, dominators);
            }
            if let Some(value) = equal {
                replaced.insert(result, value);
                changed = true;
            }
            equal.is_none()
        });
        function.blocks[block.index()].insts = insts;
        let end = function.blocks[block.index()].end;
        if let Terminator::Branch(value, yes, no) = end {
            let value = replaced.find(value);
            let end = match function.bits(value) {
                Some(bits) => {
                    (changed, is_cut) = (true, true);
                    Terminator::Jump(if bits != 0 { yes } else { no })
                }
                None => match opposite(function, value) {
                    Some(value) => Terminator::Branch(value, no, yes),
                    None => Terminator::Branch(value, yes, no),
                },
            };
            function.blocks[block.index()].end = end;
        }
    }
    replaced.apply(function);
    let flow = is_cut || order.len() != function.order.len();
    if !flow {
        function.order = order;
    }
    Changed {
        insts: changed,
        flow,
    }
}

/// Drops instructions without effect whose results nobody uses.
pub(super) fn sweep(function: &mut Function) {
    let mut needed = vec![false; function.insts.len()];
    let mut work: Vec<Inst> = Vec::new();
    let need = |value: Value, function: &Function, needed: &mut [bool], work: &mut Vec<Inst>| {
        if let Def::Inst(inst) = function.def(value)
            && !std::mem::replace(&mut needed[inst.index()], true)
        {
            work.push(inst);
        }
    };
    for &block in &function.order {
        let data = &function.blocks[block.index()];
        for inst in &data.insts {
            if function.insts[inst.index()].op.has_effect() {
                needed[inst.index()] = true;
                work.push(*inst);
            }
        }
        if let Terminator::Branch(value, ..) = data.end {
            need(value, function, &mut needed, &mut work);
        }
    }
    while let Some(inst) = work.pop() {
        for arg in &function.insts[inst.index()].args {
            need(*arg, function, &mut needed, &mut work);
        }
    }
    for &block in &function.order {
        let insts = &mut function.blocks[block.index()].insts;
        let insts_of = &function.insts;
        insts.retain(|inst| {
            let data = &insts_of[inst.index()];
            // It is of use only to a variable that is.
            let lifetime = matches!(data.op, Op::Lifetime { .. }) && {
                let values = &function.values;
                let of = |arg: &Value| match values[arg.index()].1 {
                    Def::Inst(variable) => needed[variable.index()],
                    _ => false,
                };
                data.args.iter().all(of)
            };
            needed[inst.index()] || lifetime
        });
    }
}

/// What a value is the low bits of, moved down by so many bits.
pub(super) fn part(function: &Function, value: Value) -> Option<(Value, u64)> {
    let (_, data) = function.source(value)?;
    match data.op {
        Op::Convert(Convert::Bitcast) => part(function, data.args[0]),
        Op::Convert(Convert::Trunc) => {
            let from = data.args[0];
            let moved = function.source(from).and_then(|(_, data)| match data.op {
                Op::Bin(Bin::LShr) => Some((data.args[0], function.bits(data.args[1])?)),
                _ => None,
            });
            Some(moved.unwrap_or((from, 0)))
        }
        _ => None,
    }
}

/// The value that an instruction gives without being executed. May change it to a simpler one.
fn fold(function: &mut Function, inst: Inst, result: Value, changed: &mut bool) -> Option<Value> {
    let data = &function.insts[inst.index()];
    if let Op::Phi(_) = data.op {
        // All the same, apart from itself.
        let mut others = data.args.iter().copied().filter(|arg| *arg != result);
        let first = others.next()?;
        return others.all(|arg| arg == first).then_some(first);
    }
    if !may_fold(&data.op) {
        return None;
    }
    let (mut op, mut args) = (data.op.clone(), Values::from_slice(&data.args));
    let value = fold_operation(function, &mut op, &mut args, function.ty(result));
    if value.is_none() {
        let data = &mut function.insts[inst.index()];
        if data.op != op || data.args != args {
            *changed = true;
            (data.op, data.args) = (op, args);
        }
    }
    value
}

/// Whether [`fold_operation`] knows an operation.
const fn may_fold(op: &Op) -> bool {
    matches!(
        op,
        Op::Bin(_)
            | Op::Icmp(_)
            | Op::Select
            | Op::Convert(_)
            | Op::Fma
            | Op::FromGeneric(_)
            | Op::High
            | Op::Number
            | Op::Pack
            | Op::Pair
    )
}

fn fold_operation(
    function: &mut Function,
    op: &mut Op,
    args: &mut Values,
    ty: Type,
) -> Option<Value> {
    match op {
        Op::Number => function.bits(args[0]).map(|_| args[0]),
        Op::Bin(Bin::Xor) if ty == Type::I1 => {
            let value = fold_bin(function, &mut Bin::Xor, args, ty);
            let compared = match value {
                None if function.bits(args[1]) == Some(1) => function.source(args[0]),
                _ => None,
            };
            if let Some((_, data)) = compared
                && let Op::Icmp(cond) = data.op
            {
                let (cond, swaps) = cond.opposite();
                *op = Op::Icmp(cond);
                *args = Values::from_slice(&data.args);
                if swaps {
                    args.swap(0, 1);
                }
            }
            value
        }
        Op::Bin(bin) => fold_bin(function, bin, args, ty),
        Op::Fma => {
            // The product with one is exact.
            let factor = args[..2].iter().position(|arg| is_one(function, *arg));
            if let Some(factor) = factor {
                *op = Op::Bin(Bin::FAdd);
                args.remove(factor);
            }
            None
        }
        Op::Icmp(cond) => {
            let sources = [args[0], args[1]].map(|arg| function.source(arg));
            if let [Some((_, a)), Some((_, b))] = sources
                && a.op == b.op
                && matches!(a.op, Op::ToGeneric(_))
            {
                // Places in one memory compare as their offsets.
                *args = [a.args[0], b.args[0]].into_iter().collect();
            }
            let from = function.ty(args[0]);
            if args[0] == args[1] {
                let truth = matches!(cond, Cond::Eq | Cond::Ule | Cond::Sle);
                return Some(function.constant(Type::I1, truth.into()));
            }
            match (function.bits(args[0]), function.bits(args[1])) {
                (Some(a), Some(b)) => {
                    let truth = cond.evaluate(a, b, from);
                    Some(function.constant(Type::I1, truth.into()))
                }
                (Some(a), None) => {
                    let (condition, arms) = choice(function, args[1])?;
                    let truths = arms.map(|b| cond.evaluate(a, b, from));
                    truth_of_choice(function, condition, truths, op, args)
                }
                (None, Some(b)) => {
                    let (condition, arms) = choice(function, args[0])?;
                    let truths = arms.map(|a| cond.evaluate(a, b, from));
                    truth_of_choice(function, condition, truths, op, args)
                }
                (None, None) => None,
            }
        }
        Op::Select => {
            if args[1] == args[2] {
                return Some(args[1]);
            }
            if let Some(bits) = function.bits(args[0]) {
                return Some(if bits != 0 { args[1] } else { args[2] });
            }
            // A choice between truth values is arithmetic.
            if ty == Type::I1 {
                match (function.bits(args[1]), function.bits(args[2])) {
                    (Some(1), Some(0)) => return Some(args[0]),
                    (Some(1), None) => {
                        *op = Op::Bin(Bin::Or);
                        args.remove(1);
                    }
                    (None, Some(0)) => {
                        *op = Op::Bin(Bin::And);
                        args.pop();
                    }
                    _ => {}
                }
            } else if !ty.is_float()
                && function.bits(args[1]) == Some(ty.mask())
                && function.bits(args[2]) == Some(0)
            {
                // A truth value in a register is ones or zeroes.
                *op = Op::Convert(Convert::SExt);
                args.truncate(1);
            } else if matches!(ty, Type::I8 | Type::I16 | Type::I32)
                && function.bits(args[1]) == Some(1)
                && function.bits(args[2]) == Some(0)
            {
                *op = Op::Convert(Convert::ZExt);
                args.truncate(1);
            } else if let Some(opposite) = opposite(function, args[0]) {
                args[0] = opposite;
                args.swap(1, 2);
            }
            None
        }
        Op::Convert(how) => fold_convert(function, how, args, ty),
        Op::FromGeneric(space) => match behind_number(function, args[0]) {
            Some(to) if to.op == Op::ToGeneric(*space) => Some(to.args[0]),
            None if function.bits(args[0]) == Some(0) => {
                Some(function.constant(Type::I32, Space::NULL.into()))
            }
            _ => None,
        },
        Op::High => {
            if let Some(bits) = function.bits(args[0]) {
                return Some(function.constant(Type::I32, bits >> 32));
            }
            match function.source(args[0])? {
                (_, data) if data.op == Op::Pair => Some(data.args[1]),
                (_, data) if data.op == Op::Convert(Convert::ZExt) => {
                    Some(function.constant(Type::I32, 0))
                }
                _ => None,
            }
        }
        Op::Pack => {
            let (whole, 0) = part(function, args[0])? else {
                return None;
            };
            let width = u64::from(function.ty(args[0]).bits());
            let parts = args.iter().zip((0..).step_by(width as usize));
            let mut parts = parts.map(|(arg, at)| part(function, *arg) == Some((whole, at)));
            (function.ty(whole) == ty && parts.all(|follows| follows)).then_some(whole)
        }
        Op::Pair => {
            let (low, high) = (function.bits(args[0])?, function.bits(args[1])?);
            Some(function.constant(Type::I64, low | high << 32))
        }
        _ => None,
    }
}

/// What gives a pointer, also where it was a number in between.
fn behind_number(function: &Function, pointer: Value) -> Option<&InstData> {
    let (_, data) = function.source(pointer)?;
    match data.op {
        Op::Number => function.source(data.args[0]).map(|(_, data)| data),
        _ => Some(data),
    }
}

/// What a truth value is the opposite of.
fn opposite(function: &Function, value: Value) -> Option<Value> {
    let (_, data) = function.source(value)?;
    let is = data.op == Op::Bin(Bin::Xor) && function.bits(data.args[1]) == Some(1);
    (is && function.ty(value) == Type::I1).then(|| data.args[0])
}

/// Ones where an integer may have some, as far as the largest number that it may be says.
fn possible(function: &Function, value: Value) -> u64 {
    let most = most(function, value);
    u64::MAX.checked_shr(most.leading_zeros()).unwrap_or(0)
}

/// The condition by which a value is one of two numbers, and these.
fn choice(function: &Function, value: Value) -> Option<(Value, [u64; 2])> {
    let (_, data) = function.source(value)?;
    let ty = function.ty(value);
    let arms = match (&data.op, data.args.as_slice()) {
        (Op::Select, &[_, yes, no]) => [function.bits(yes)?, function.bits(no)?],
        (Op::Convert(Convert::SExt), &[of]) if function.ty(of) == Type::I1 => [ty.mask(), 0],
        (Op::Convert(Convert::ZExt), &[of]) if function.ty(of) == Type::I1 => [1, 0],
        _ => return None,
    };
    Some((data.args[0], arms))
}

/// The truth value that is the first of these if the condition holds, and else the second.
fn truth_of_choice(
    function: &mut Function,
    condition: Value,
    truths: [bool; 2],
    op: &mut Op,
    args: &mut Values,
) -> Option<Value> {
    match truths {
        [true, false] => Some(condition),
        [false, true] => {
            *op = Op::Bin(Bin::Xor);
            *args = [condition, function.constant(Type::I1, 1)]
                .into_iter()
                .collect();
            None
        }
        [same, _] => Some(function.constant(Type::I1, same.into())),
    }
}

/// Whether a value is the number 1 of a type of floats.
fn is_one(function: &Function, value: Value) -> bool {
    let ty = function.ty(value);
    ty.is_float() && function.bits(value) == Bin::FMul.identity(ty)
}

fn fold_bin(function: &mut Function, op: &mut Bin, args: &mut Values, ty: Type) -> Option<Value> {
    let (a, b) = (function.bits(args[0]), function.bits(args[1]));
    if ty.is_float() {
        // Where denormals are flushed, a product is more than its factor.
        let is_same = *op == Bin::FMul && !function.flushed.contains(&ty);
        let factor = args.iter().position(|arg| is_one(function, *arg));
        return factor.filter(|_| is_same).map(|one| args[1 - one]);
    }
    if let (Some(a), Some(b)) = (a, b) {
        let bits = op.evaluate(a, b, ty)?;
        return Some(function.constant(ty, bits));
    }
    // Constants come second.
    if a.is_some() && op.is_commutative() {
        args.swap(0, 1);
    }
    let b = function.bits(args[1]);
    if *op == Bin::Sub {
        if args[0] == args[1] {
            return Some(function.constant(ty, 0));
        }
        if let Some(bits) = b {
            *op = Bin::Add;
            args[1] = function.constant(ty, bits.wrapping_neg());
        }
    }
    if args[0] == args[1] {
        match op {
            Bin::And | Bin::Or | Bin::UMin | Bin::UMax | Bin::SMin | Bin::SMax => {
                return Some(args[0]);
            }
            Bin::Xor => return Some(function.constant(ty, 0)),
            _ => {}
        }
    }
    let bits = function.bits(args[1])?;
    match op {
        Bin::Add | Bin::Or | Bin::Xor | Bin::Shl | Bin::LShr | Bin::AShr if bits == 0 => {
            return Some(args[0]);
        }
        Bin::And if possible(function, args[0]) & !bits == 0 => return Some(args[0]),
        Bin::And | Bin::Mul if bits == 0 => return Some(args[1]),
        Bin::Or if bits == ty.mask() => return Some(args[1]),
        Bin::Mul | Bin::UDiv | Bin::SDiv if bits == 1 => return Some(args[0]),
        // The sign of copies of a sign.
        Bin::LShr if bits + 1 == u64::from(ty.bits()) => {
            let (_, inner) = function.source(args[0])?;
            if inner.op == Op::Bin(Bin::AShr) {
                args[0] = inner.args[0];
            }
        }
        Bin::Mul if bits.is_power_of_two() && ty != Type::I1 => {
            *op = Bin::Shl;
            args[1] = function.constant(ty, u64::from(bits.trailing_zeros()));
        }
        Bin::UDiv if bits.is_power_of_two() => {
            *op = Bin::LShr;
            args[1] = function.constant(ty, u64::from(bits.trailing_zeros()));
        }
        Bin::URem if bits.is_power_of_two() => {
            *op = Bin::And;
            args[1] = function.constant(ty, bits - 1);
        }
        // Two shifts are one.
        Bin::Shl | Bin::LShr => {
            let (_, inner) = function.source(args[0])?;
            if inner.op == Op::Bin(*op)
                && let Some(other) = function.bits(inner.args[1])
                && other.checked_add(bits)? < u64::from(ty.bits())
            {
                args[0] = inner.args[0];
                args[1] = function.constant(ty, other + bits);
            }
        }
        // (x + c) + d, and the like of bitwise operations.
        Bin::Add | Bin::And | Bin::Or | Bin::Xor => {
            let (_, inner) = function.source(args[0])?;
            if inner.op == Op::Bin(*op)
                && let Some(other) = function.bits(inner.args[1])
            {
                let first = inner.args[0];
                let both = op.evaluate(other, bits, ty)?;
                args[0] = first;
                args[1] = function.constant(ty, both);
            }
        }
        _ => {}
    }
    None
}

fn fold_convert(
    function: &mut Function,
    how: &mut Convert,
    args: &mut Values,
    ty: Type,
) -> Option<Value> {
    let from = function.ty(args[0]);
    if from == ty && !matches!(*how, Convert::FToS | Convert::FToU) {
        return Some(args[0]);
    }
    if let Some(bits) = function.bits(args[0]) {
        let bits = match *how {
            Convert::Trunc | Convert::Bitcast | Convert::ZExt => bits,
            Convert::SExt => from.signed(bits) as u64,
            Convert::SToF => ty.exactly(from.signed(bits) as f64)?,
            Convert::UToF => ty.exactly(bits as f64)?,
            _ => return None,
        };
        return Some(function.constant(ty, bits));
    }
    let (_, inner) = function.source(args[0])?;
    let first = *inner.args.first()?;
    let first_ty = function.ty(first);
    match (*how, &inner.op) {
        (Convert::Trunc, Op::Pair) if ty == Type::I32 => Some(first),
        // What was made larger comes back.
        (Convert::Trunc, Op::Convert(Convert::ZExt | Convert::SExt)) if first_ty == ty => {
            Some(first)
        }
        (Convert::Trunc, Op::Convert(Convert::ZExt | Convert::SExt | Convert::Trunc))
            if first_ty.bits() > ty.bits() =>
        {
            args[0] = first;
            None
        }
        (Convert::Trunc, Op::Convert(outer @ (Convert::ZExt | Convert::SExt)))
            if first_ty.bits() < ty.bits() =>
        {
            (*how, args[0]) = (*outer, first);
            None
        }
        (Convert::ZExt, Op::Convert(Convert::Trunc))
            if first_ty == ty && possible(function, first) & !from.mask() == 0 =>
        {
            Some(first)
        }
        (Convert::Bitcast, Op::Convert(Convert::Bitcast)) if first_ty == ty => Some(first),
        (Convert::ZExt, Op::Convert(Convert::ZExt))
        | (Convert::SExt, Op::Convert(Convert::SExt)) => {
            args[0] = first;
            None
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
