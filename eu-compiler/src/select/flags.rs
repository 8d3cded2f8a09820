//! Truth values in f0: comparisons, tests of bits, and both or either of two, which the second one only
//! decides where the first one has not (a predicated comparison leaves the other channels' bits).

use isa_encoder::{CondMod, Opcode, Type as M};

use super::{Part, Selector};
use crate::code::{Inst, Operand, Predicate, What};
use crate::ir::{Bin, Block, Cond, Convert, Function, Op, Terminator, Type, Value};

/// How often a truth value of two others is made at most.
const MOST_USES: u32 = 2;

/// Truth values whose users are all selections, ballots and branches of their own block, or such truth
/// values. Operations that only these test for zero are parts of the test.
pub(super) fn fused(function: &Function, parts: &mut [Option<Part>]) -> Vec<bool> {
    let mut home: Vec<Option<Block>> = vec![None; function.values.len()];
    let mut bits: Vec<Option<Block>> = home.clone();
    let mut uses = vec![0u32; function.values.len()];
    for &block in &function.order {
        for inst in &function.blocks[block.index()].insts {
            let data = &function.insts[inst.index()];
            let Some(&result) = data.results.first() else {
                continue;
            };
            if matches!(data.op, Op::Bin(Bin::And | Bin::Or | Bin::Xor))
                && function.ty(result) == Type::I32
            {
                bits[result.index()] = Some(block);
            }
            let is_made = match data.op {
                Op::Icmp(_) | Op::Fcmp(_) | Op::Convert(Convert::Trunc) => true,
                Op::Bin(Bin::And | Bin::Or) => {
                    data.args.iter().all(|arg| function.source(*arg).is_some())
                }
                _ => false,
            };
            if is_made && function.ty(result) == Type::I1 {
                home[result.index()] = Some(block);
            }
        }
    }
    for &block in &function.order {
        let data = &function.blocks[block.index()];
        for inst in &data.insts {
            let inst = &function.insts[inst.index()];
            let is_truth = |value: &Value| home[value.index()] == Some(block);
            let joins = matches!(inst.op, Op::Bin(_)) && inst.results.iter().all(is_truth);
            for (index, arg) in inst.args.iter().enumerate() {
                uses[arg.index()] += 1;
                let chooses = inst.op == Op::Select && index == 0 || inst.op == Op::Ballot || joins;
                if home[arg.index()] != Some(block) || !chooses {
                    home[arg.index()] = None;
                }
            }
        }
        if let Terminator::Branch(value, ..) = data.end {
            uses[value.index()] += 1;
            if home[value.index()] != Some(block) {
                home[value.index()] = None;
            }
        }
    }
    // What is made behind another one, with the predicate of that.
    let mut second = vec![false; function.values.len()];
    for &block in &function.order {
        // Those of two others before these.
        for inst in function.blocks[block.index()].insts.iter().rev() {
            let data = &function.insts[inst.index()];
            let (Op::Bin(op), [a, b], [result]) = (&data.op, &data.args[..], &data.results[..])
            else {
                continue;
            };
            if function.ty(*result) != Type::I1 {
                continue;
            }
            if uses[result.index()] > MOST_USES {
                home[result.index()] = None;
            }
            let is_made = home[result.index()].is_some();
            let fits = |value: Value| match function.source(value).map(|(_, data)| &data.op) {
                Some(Op::Bin(other)) => other == op,
                _ => true,
            };
            for (value, is_second) in [(*a, second[result.index()]), (*b, true)] {
                if !is_made || is_second && !fits(value) {
                    home[value.index()] = None;
                }
                second[value.index()] |= is_second;
            }
        }
    }
    for &block in &function.order {
        for inst in &function.blocks[block.index()].insts {
            let data = &function.insts[inst.index()];
            let (Op::Icmp(Cond::Eq | Cond::Ne), [a, b], [result]) =
                (&data.op, &data.args[..], &data.results[..])
            else {
                continue;
            };
            if bits[a.index()] == Some(block)
                && function.bits(*b) == Some(0)
                && home[result.index()].is_some()
                && uses[a.index()] == 1
            {
                parts[a.index()] = Some(Part::Test);
            }
        }
    }
    home.into_iter().map(|home| home.is_some()).collect()
}

impl Selector<'_> {
    /// Puts a truth value into f0: a bit for each lane, or the first for the whole thread.
    pub(super) fn flag_of(&mut self, value: Value, lanes: bool) -> Result<(), String> {
        if self.flag != Some((value, lanes)) {
            self.make_flag(value, lanes, Predicate::None)?;
            self.flag = Some((value, lanes));
        }
        Ok(())
    }

    /// Makes a truth value in f0, as far as the predicate selects.
    pub(super) fn make_flag(
        &mut self,
        value: Value,
        lanes: bool,
        predicate: Predicate,
    ) -> Result<(), String> {
        if self.is_fused(value)
            && let Some((_, data)) = self.function.source(value)
        {
            return match (&data.op, &data.args[..]) {
                (Op::Bin(op), &[a, b]) => {
                    self.make_flag(a, lanes, predicate)?;
                    let undecided = match op {
                        Bin::And => Predicate::When,
                        _ => Predicate::Unless,
                    };
                    self.make_flag(b, lanes, undecided)
                }
                (Op::Convert(_), &[of]) => {
                    let source = self.source(of, M::Ud)?;
                    let srcs = self.two(source, Operand::Imm(1, M::Uw));
                    self.test((Opcode::And, CondMod::Ne), M::Ud, srcs, lanes, predicate);
                    Ok(())
                }
                _ => self.compare(value, None, lanes, predicate),
            };
        }
        let source = self.source(value, M::D)?;
        let srcs = self.two(source, Operand::Imm(0, M::W));
        self.test((Opcode::Cmp, CondMod::Ne), M::D, srcs, lanes, predicate);
        Ok(())
    }

    /// Tests whether a bitwise operation gives zero.
    pub(super) fn bits_test(
        &mut self,
        value: Value,
        cond: CondMod,
        lanes: bool,
        predicate: Predicate,
    ) -> Result<(), String> {
        let (opcode, a, b) = match self.function.source(value).map(|(_, data)| data) {
            Some(data) => match (&data.op, &data.args[..]) {
                (Op::Bin(Bin::And), &[a, b]) => (Opcode::And, a, b),
                (Op::Bin(Bin::Or), &[a, b]) => (Opcode::Or, a, b),
                (Op::Bin(Bin::Xor), &[a, b]) => (Opcode::Xor, a, b),
                _ => return Err(format!("v{} is no bitwise operation", value.0)),
            },
            None => return Err(format!("v{} is no operation", value.0)),
        };
        let (a, b) = if self.is_const(a) { (b, a) } else { (a, b) };
        let (a, b) = (self.source(a, M::Ud)?, self.source(b, M::Ud)?);
        let srcs = self.two(a, b);
        self.test((opcode, cond), M::Ud, srcs, lanes, predicate);
        Ok(())
    }

    /// An operation that only writes the flag, as far as the predicate selects.
    pub(super) fn test(
        &mut self,
        (opcode, cond): (Opcode, CondMod),
        ty: M,
        srcs: [Operand; 2],
        lanes: bool,
        predicate: Predicate,
    ) {
        let set = |inst: &mut Inst| {
            inst.cond = Some(cond);
            inst.predicate = predicate;
        };
        let null = Some(Operand::Null(ty));
        match lanes {
            true => self.lanes(What::Alu(opcode), null, &srcs, false, set),
            false => self.push_one(What::Alu(opcode), null, &srcs, set),
        }
    }
}

#[cfg(test)]
mod tests {
    use isa_encoder::Opcode;

    use super::super::tests::{code_of, store, with};
    use super::*;
    use crate::ir::{Cursor, Input};

    /// Instructions that decide a choice by a truth value of the lane and of an input: the opcode, whether only
    /// the flag is written, and the predicate.
    fn decided(
        opcode: Opcode,
        body: impl Fn(&mut Cursor<'_>, [Value; 2]) -> Value,
    ) -> Vec<(bool, Predicate)> {
        let insts = code_of("tgl", |at| {
            let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
            let other = at.one(Op::Input(Input::Payload(0)), &[], Type::I32);
            let truth = body(at, [lane, other]);
            let chosen = at.one(Op::Select, &[truth, lane, other], Type::I32);
            store(at, chosen);
        });
        let found = with(opcode, &insts).filter(|inst| inst.cond.is_some());
        let shown = |inst: &Inst| (matches!(inst.dst, Some(Operand::Null(_))), inst.predicate);
        found.map(shown).collect()
    }

    fn less(at: &mut Cursor<'_>, [a, b]: [Value; 2]) -> Value {
        at.one(Op::Icmp(Cond::Slt), &[a, b], Type::I1)
    }

    #[test]
    fn what_is_only_chosen_by_is_in_the_flag() {
        let flag = decided(Opcode::Cmp, less);
        assert_eq!(flag, [(true, Predicate::None)]);
        // Stored, it is in a register, too.
        let both = decided(Opcode::Cmp, |at, given| {
            let truth = less(at, given);
            let number = at.convert(Convert::SExt, truth, Type::I32);
            store(at, number);
            truth
        });
        assert_eq!(both, [(false, Predicate::None)]);
    }

    #[test]
    fn the_second_of_two_decides_where_the_first_did_not() {
        for (op, undecided) in [(Bin::And, Predicate::When), (Bin::Or, Predicate::Unless)] {
            let made = decided(Opcode::Cmp, |at, [a, b]| {
                let [first, second] = [[a, b], [b, a]].map(|given| less(at, given));
                at.bin(op, first, second)
            });
            assert_eq!(made, [(true, Predicate::None), (true, undecided)], "{op}");
        }
        // Behind the first, only operations of the same kind follow each other.
        let mixed = decided(Opcode::Cmp, |at, [a, b]| {
            let [first, second] = [[a, b], [b, a]].map(|given| less(at, given));
            let third = at.one(Op::Icmp(Cond::Ne), &[a, b], Type::I1);
            let either = at.bin(Bin::Or, second, third);
            at.bin(Bin::And, first, either)
        });
        assert!(mixed.iter().any(|(is_flag, _)| !is_flag), "{mixed:?}");
    }

    #[test]
    fn a_bitwise_operation_tests_its_bits() {
        let tested = |number: u64, again: bool| {
            decided(Opcode::And, move |at, [a, b]| {
                let bits = at.bin(Bin::And, a, b);
                if again {
                    store(at, bits);
                }
                let number = at.constant(Type::I32, number);
                at.one(Op::Icmp(Cond::Ne), &[bits, number], Type::I1)
            })
        };
        assert_eq!(tested(0, false), [(true, Predicate::None)]);
        // Not against another number, nor where the bits are wanted.
        assert_eq!(tested(4, false), []);
        assert_eq!(tested(0, true), []);
    }
}
