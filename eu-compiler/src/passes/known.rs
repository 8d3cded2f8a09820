//! What is known of the numbers that values are.

use crate::ir::{Bin, Convert, Def, Function, Input, Inst, InstData, Op, Symbol, Type, Value};

/// What the variables of a program begin at a multiple of, at least.
const SECTION: u32 = 16;
/// How often a function is gone through.
const ROUNDS: u32 = 4;

/// What is known of values. Of what stands later than its use, as only the operands of phis may, no
/// sign is known.
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
                .map(|value| match function.def(value) {
                    Def::Const(bits) => bits.trailing_zeros(),
                    // Until what it is computed from is known.
                    Def::Inst(_) => u64::BITS,
                    Def::Undef => 0,
                })
                .collect(),
        };
        // What is not known in time is taken for unknown.
        for round in 1..=ROUNDS {
            let mut changed = false;
            for block in &function.order {
                for inst in &function.blocks[block.index()].insts {
                    changed |= known.inst(function, *inst, round);
                }
            }
            if !changed {
                break;
            }
        }
        known
    }

    /// Finds what an instruction gives, with what is assumed of later ones; says whether there has to
    /// be another round: what a phi gives was computed from what has been less since.
    fn inst(&mut self, function: &Function, inst: Inst, round: u32) -> bool {
        let data = &function.insts[inst.index()];
        let mut changed = false;
        for result in &data.results {
            let is_one = data.results.len() == 1;
            let zeroes = match &data.op {
                Op::Phi(_) if round == ROUNDS => 0,
                _ if is_one => self.finds_zeroes(function, data),
                _ => 0,
            };
            let positive = is_one && self.finds_positive(function, data, *result);
            let index = result.index();
            self.positive[index] = positive;
            let old = std::mem::replace(&mut self.zeroes[index], zeroes);
            // In the first round nothing is known of what comes over back edges.
            changed |= matches!(data.op, Op::Phi(_)) && (round == 1 || old != zeroes);
        }
        changed
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
            Op::Bin(Bin::UDiv) | Op::Number => of(0),
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
            Op::Phi(_) => {
                let args = args.iter().map(|arg| self.zeroes[arg.index()]);
                args.min().unwrap_or(0)
            }
            Op::Convert(Convert::ZExt | Convert::SExt) | Op::Number => of(0),
            Op::Alloca { align, .. } => align.trailing_zeros(),
            Op::Pair if of(0) < u32::BITS => of(0),
            Op::Input(Input::Payload(offset)) => {
                let mut aligned = function.aligned.iter();
                let found = aligned.find(|(of, _)| of == offset);
                found.map_or(0, |(_, align)| align.trailing_zeros())
            }
            Op::Input(Input::Address { of, high: false }) => match of {
                Symbol::Constants | Symbol::Globals => SECTION.trailing_zeros(),
                Symbol::Text(_) => 0,
            },
            _ => 0,
        }
    }
}

/// The largest number that a value may be, as far as it is known.
pub(super) fn most(function: &Function, value: Value) -> u64 {
    most_within(function, value, DEPTH)
}

fn most_within(function: &Function, value: Value, depth: u32) -> u64 {
    let all = function.ty(value).mask();
    if let Some(bits) = function.bits(value) {
        return bits;
    }
    let Some((_, data)) = function.source(value).filter(|_| depth > 0) else {
        return all;
    };
    let of = |index: usize| most_within(function, data.args[index], depth - 1);
    let by = |index: usize| function.bits(data.args[index]);
    match data.op {
        Op::Bin(Bin::And) => of(0).min(of(1)),
        Op::Bin(Bin::UMin) => of(0).min(of(1)),
        Op::Bin(Bin::URem) => by(1).map_or(all, |by| by.saturating_sub(1)),
        Op::Bin(Bin::UDiv) => of(0) / by(1).unwrap_or(1).max(1),
        Op::Bin(Bin::LShr) => by(1).map_or(all, |by| of(0).checked_shr(by as u32).unwrap_or(0)),
        Op::Bin(Bin::AShr) if of(0) <= all / 2 => by(1).map_or(all, |by| of(0) >> by.min(63)),
        Op::Bin(Bin::Add) => of(0).saturating_add(of(1)).min(all),
        Op::Bin(Bin::Shl | Bin::Mul) => {
            let times = match data.op {
                Op::Bin(Bin::Shl) => by(1).map(|by| 1u64.checked_shl(by as u32).unwrap_or(0)),
                _ => by(1),
            };
            times.map_or(all, |times| of(0).saturating_mul(times).min(all))
        }
        Op::Select => of(1).max(of(2)),
        Op::Convert(Convert::ZExt) if !function.ty(data.args[0]).is_float() => of(0),
        Op::Convert(Convert::Trunc) if of(0) <= all => of(0),
        _ => all,
    }
    .min(all)
}

/// How deep values are looked into.
const DEPTH: u32 = 6;

#[cfg(test)]
mod tests {
    use super::Known;
    use crate::ir::{Bin, Cond, Cursor, Function, Input, Op, Terminator, Type};

    /// The low zeroes of `i` and of `i + step` in `for (i = from; i < input; i += step)`.
    fn zeroes(from: u64, step: u64) -> [u32; 2] {
        let mut function = Function::default();
        let [entry, round, end] = [(); 3].map(|()| function.add_block());
        let mut at = Cursor::new(&mut function, entry);
        let limit = at.one(Op::Input(Input::Payload(0)), &[], Type::I32);
        let [from, step] = [from, step].map(|bits| at.constant(Type::I32, bits));
        at.function.blocks[entry.index()].end = Terminator::Jump(round);
        at.block = round;
        let phi = Op::Phi(vec![entry, round]);
        let counter = at.push(phi, &[from, from], &[Type::I32]);
        let i = at.function.result(counter);
        let next = at.bin(Bin::Add, i, step);
        at.function.insts[counter.index()].args[1] = next;
        let again = at.one(Op::Icmp(Cond::Ult), &[next, limit], Type::I1);
        at.function.blocks[round.index()].end = Terminator::Branch(again, round, end);
        at.function.blocks[end.index()].end = Terminator::Return;
        crate::ir::verify(&function).unwrap();
        let known = Known::of(&function);
        [i, next].map(|value| known.zeroes[value.index()])
    }

    #[test]
    fn pointers_have_the_zeroes_of_what_they_point_to() {
        let mut function = Function::default();
        let entry = function.add_block();
        let mut at = Cursor::new(&mut function, entry);
        let pointers = [0, 8].map(|of| at.one(Op::Input(Input::Payload(of)), &[], Type::I64));
        function.aligned = vec![(8, 4)];
        function.blocks[entry.index()].end = Terminator::Return;
        let known = Known::of(&function);
        assert_eq!(pointers.map(|of| known.zeroes[of.index()]), [0, 2]);
    }

    /// What comes over the edge back counts, though it is found after the phi.
    #[test]
    fn counters_have_the_zeroes_of_their_steps() {
        for (from, step, expected) in [(0, 1, 0), (0, 8, 3), (16, 12, 2), (4, 16, 2), (3, 8, 0)] {
            assert_eq!(zeroes(from, step), [expected; 2], "{from}, {step}");
        }
    }
}
