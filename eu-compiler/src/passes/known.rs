//! What is known of the numbers that values are.

use crate::ir::{Bin, Convert, Function, Input, InstData, Op, Type, Value};

/// What is known of values. One pass over the instructions finds it: what stands later than its use,
/// as only the operands of phis may, counts as unknown there.
pub(super) struct Known {
    /// Whether a value is not negative, as far as it is the offset of an access that exists.
    pub(super) positive: Vec<bool>,
    /// Low bits that are zeroes, as far as they are known: up to 64.
    pub(super) zeroes: Vec<u32>,
}

impl Known {
    pub(super) fn of(function: &Function) -> Self {
        let values = || (0..function.values.len()).map(|index| Value(index as u32));
        let mut known = Self {
            positive: values()
                .map(|value| {
                    let signed = |bits| function.ty(value).signed(bits);
                    function.bits(value).is_some_and(|bits| signed(bits) >= 0)
                })
                .collect(),
            zeroes: values()
                .map(|value| function.bits(value).map_or(0, u64::trailing_zeros))
                .collect(),
        };
        for block in &function.order {
            for inst in &function.blocks[block.index()].insts {
                let data = &function.insts[inst.index()];
                if let [result] = data.results[..] {
                    known.positive[result.index()] = known.finds_positive(function, data, result);
                    known.zeroes[result.index()] = known.finds_zeroes(function, data);
                }
            }
        }
        known
    }

    fn finds_positive(&self, function: &Function, data: &InstData, result: Value) -> bool {
        let args = &data.args;
        let of = |index: usize| self.positive[args[index].index()];
        let wide = function.ty(result) == Type::I64;
        match &data.op {
            Op::Convert(Convert::ZExt) => true,
            Op::Convert(Convert::SExt) => function.ty(args[0]) != Type::I1 && of(0),
            Op::Input(Input::LocalId(_) | Input::Lane) => true,
            // A sum or product of 64 bits that is too large is no offset.
            Op::Bin(Bin::Add | Bin::Mul) => wide && of(0) && of(1),
            Op::Bin(Bin::Shl) => wide && of(0),
            Op::Bin(Bin::And | Bin::SMax | Bin::URem) => of(0) || of(1),
            Op::Bin(Bin::LShr) => function.bits(args[1]).is_some_and(|by| by > 0) || of(0),
            Op::Bin(Bin::Or | Bin::Xor | Bin::SMin | Bin::AShr | Bin::SDiv | Bin::SRem) => {
                of(0) && of(1)
            }
            Op::Bin(Bin::UDiv) => of(0),
            Op::Select => of(1) && of(2),
            _ => false,
        }
    }

    fn finds_zeroes(&self, function: &Function, data: &InstData) -> u32 {
        let args = &data.args;
        let of = |index: usize| self.zeroes[args[index].index()];
        match &data.op {
            Op::Bin(Bin::Shl) => function.bits(args[1]).map_or(0, |by| by.min(63) as u32),
            Op::Bin(Bin::Mul) => (of(0) + of(1)).min(u64::BITS),
            Op::Bin(Bin::And) => of(0).max(of(1)),
            Op::Bin(Bin::Add | Bin::Or | Bin::Xor) => of(0).min(of(1)),
            Op::Select => of(1).min(of(2)),
            Op::Convert(Convert::ZExt | Convert::SExt) => of(0),
            _ => 0,
        }
    }
}
