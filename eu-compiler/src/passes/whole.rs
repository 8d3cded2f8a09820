//! Integers of 64 bits that stay whole: addresses, where hardware adds qwords.

use crate::ir::{Bin, Convert, Function, InstData, Op, Type, Value};

/// Where in its arguments an operation has an address of memory.
const fn address(op: &Op) -> Option<usize> {
    match op {
        Op::Load(_)
        | Op::Store(_)
        | Op::Atomic(..)
        | Op::AtomicOnce(..)
        | Op::BlockLoad(_)
        | Op::BlockStore(_) => Some(0),
        _ => None,
    }
}

/// Phis that have a sum among what comes together in them, also by way of others.
fn sums(function: &Function) -> Vec<bool> {
    let mut has = vec![false; function.values.len()];
    let mut grows = true;
    while std::mem::take(&mut grows) {
        for data in function.listed() {
            let &[result] = &data.results[..] else {
                continue;
            };
            let is_sum = match data.op {
                Op::Bin(Bin::Add) => true,
                Op::Phi(_) => data.args.iter().any(|arg| has[arg.index()]),
                _ => false,
            };
            if is_sum && !has[result.index()] {
                has[result.index()] = true;
                grows = true;
            }
        }
    }
    has
}

/// Of a value's definition, the operands that it takes whole, if it is made whole itself.
fn operands<'a>(function: &Function, data: &'a InstData, has_sum: bool) -> Option<&'a [Value]> {
    match (&data.op, &data.args[..]) {
        (Op::Bin(Bin::Add), args) => Some(args),
        (Op::Bin(Bin::Shl), args) if function.bits(args[1]).is_some() => Some(&args[..1]),
        (Op::Convert(Convert::ZExt | Convert::SExt), _) => Some(&[]),
        (Op::Phi(_), args) if has_sum => Some(args),
        _ => None,
    }
}

/// The values of 64 bits that addresses are computed by.
pub(super) fn find(function: &Function) -> Vec<bool> {
    let has_sum = sums(function);
    let mut whole = vec![false; function.values.len()];
    let addresses = function.listed().filter_map(|data| {
        let place = address(&data.op)?;
        data.args.get(place).copied()
    });
    let mut wanted: Vec<Value> = addresses.collect();
    while let Some(value) = wanted.pop() {
        if function.ty(value) != Type::I64 || whole[value.index()] {
            continue;
        }
        if let Some((_, data)) = function.source(value)
            && let Some(operands) = operands(function, data, has_sum[value.index()])
        {
            whole[value.index()] = true;
            wanted.extend(operands);
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, Cursor, Input, Space};

    #[test]
    fn what_addresses_are_computed_by_stays_whole() {
        let mut function = Function::default();
        let block = function.add_block();
        let mut at = Cursor::new(&mut function, block);
        let base = at.one(Op::Input(Input::Payload(0)), &[], Type::I64);
        let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
        let wide = at.convert(Convert::ZExt, lane, Type::I64);
        let two = at.constant(Type::I64, 2);
        let offset = at.bin(Bin::Shl, wide, two);
        let place = at.bin(Bin::Add, base, offset);
        // A number, which no address comes of.
        let number = at.bin(Bin::Add, wide, two);
        let access = Access::new(Space::Global, 8);
        at.push(Op::Store(access), &[place, number], &[]);
        let whole = find(&function);
        for value in [wide, offset, place] {
            assert!(whole[value.index()]);
        }
        for value in [base, lane, number] {
            assert!(!whole[value.index()]);
        }
    }
}
