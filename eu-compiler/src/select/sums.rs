//! Sums of three numbers, which are one instruction where hardware has it.

use isa_encoder::{Opcode, Type as M, has_opcode};

use super::{Part, Selector, at};
use crate::code::Operand;
use crate::ir::{Bin, Block, Function, Op, Terminator, Type, Value};
use crate::target::Target;

/// Sums that are made where they are used: by one other sum, in the same block, that takes no other
/// such sum.
pub(super) fn parts(function: &Function, target: &Target, parts: &mut [Option<Part>]) {
    if !has_opcode(target.platform.family, Opcode::Add3) {
        return;
    }
    let mut uses = vec![0u32; function.values.len()];
    for inst in function.listed() {
        for arg in &inst.args {
            uses[arg.index()] += 1;
        }
    }
    for block in &function.order {
        if let Terminator::Branch(value, ..) = function.blocks[block.index()].end {
            uses[value.index()] += 1;
        }
    }
    let is_sum =
        |op: &Op, result: Value| *op == Op::Bin(Bin::Add) && function.ty(result) == Type::I32;
    let mut home: Vec<Option<Block>> = vec![None; function.values.len()];
    for &block in &function.order {
        let data = &function.blocks[block.index()];
        for inst in &data.insts {
            let inst = &function.insts[inst.index()];
            let ([a, b], [result]) = (&inst.args[..], &inst.results[..]) else {
                continue;
            };
            let (a, b, result) = (*a, *b, *result);
            if !is_sum(&inst.op, result) {
                continue;
            }
            // Immediates have 16 bits there; sums with one stay two.
            let takes = |sum: Value, other: Value| {
                let (_, sum_data) = function.source(sum)?;
                let terms = sum_data.args.iter().chain([&other]);
                let consts = terms.filter(|part| function.source(**part).is_none());
                let fits = home[sum.index()] == Some(block) && uses[sum.index()] == 1;
                (fits && consts.count() == 0).then_some(sum)
            };
            match takes(a, b).or_else(|| takes(b, a)) {
                Some(sum) => parts[sum.index()] = Some(Part::Sum),
                // A sum that takes another one is not taken.
                None => home[result.index()] = Some(block),
            }
        }
    }
}

impl Selector<'_> {
    /// The sum of a value and of a sum that is made here, if one of the two is such.
    pub(super) fn sum(&mut self, [a, b]: [Value; 2], result: Value) -> Result<bool, String> {
        let (sum, other) = match [a, b].map(|value| self.is_part(value, Part::Sum)) {
            [true, _] => (a, b),
            [_, true] => (b, a),
            _ => return Ok(false),
        };
        let (_, data) = self.function.source(sum).ok_or("a sum of nothing")?;
        let values = [data.args[0], data.args[1], other];
        let to = self.result(result);
        // Three-source instructions write at multiples of 8 bytes.
        let align = &mut self.code.vars[to.place.var.index()].align;
        *align = (*align).max(8);
        let mut operands = [Operand::Null(M::D); 3];
        for (operand, value) in operands.iter_mut().zip(values) {
            *operand = self.source(value, M::D)?;
        }
        // The last source has no region of its own (the rule "ternary-source-2"): words and halves of qwords
        // come first.
        let is_dwords = |operand: &Operand| match operand {
            Operand::Var { ty, stride, .. } => ty.bytes() == 4 && *stride <= 1,
            Operand::Repeated { .. } => false,
            _ => true,
        };
        operands.sort_by_key(is_dwords);
        if !is_dwords(&operands[2]) {
            let dwords = self.storage(Type::I32, self.differs(result));
            self.alu(Opcode::Mov, at(dwords, M::D), &operands[2..]);
            operands[2] = at(dwords, M::D);
        }
        self.alu(Opcode::Add3, at(to, M::D), &operands);
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use isa_encoder::Opcode;

    use super::super::tests::{code_of, with};
    use crate::ir::{Access, Bin, Cursor, Input, Op, Space, Type, Value};

    /// How many sums of three and of two numbers there are of what is stored.
    fn sums(platform: &str, body: impl Fn(&mut Cursor<'_>, [Value; 3]) -> Value) -> [usize; 2] {
        let insts = code_of(platform, |at| {
            let inputs = [0, 4].map(|of| at.one(Op::Input(Input::Payload(of)), &[], Type::I32));
            let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
            let sum = body(at, [inputs[0], inputs[1], lane]);
            at.push(Op::Store(Access::new(Space::Local, 4)), &[lane, sum], &[]);
        });
        [Opcode::Add3, Opcode::Add].map(|opcode| with(opcode, &insts).count())
    }

    fn sum(at: &mut Cursor<'_>, values: &[Value]) -> Value {
        let (first, others) = values.split_first().unwrap();
        others
            .iter()
            .fold(*first, |sum, value| at.bin(Bin::Add, sum, *value))
    }

    #[test]
    fn three_numbers_are_added_at_once() {
        for (platform, want) in [("tgl", [0, 2]), ("dg2", [1, 0])] {
            assert_eq!(
                sums(platform, |at, given| sum(at, &given)),
                want,
                "{platform}"
            );
        }
        // Five are two sums of three, four a sum of three and one of two.
        let five = sums("dg2", |at, [a, b, c]| sum(at, &[a, b, c, a, b]));
        assert_eq!(five, [2, 0]);
        let four = sums("dg2", |at, [a, b, c]| sum(at, &[a, b, c, a]));
        assert_eq!(four, [1, 1]);
    }

    #[test]
    fn other_sums_are_of_two() {
        let base = sums("dg2", |at, [_, b, c]| sum(at, &[b, c]));
        let twice = sums("dg2", |at, [a, b, c]| {
            let both = sum(at, &[a, b]);
            let more = sum(at, &[both, c]);
            at.bin(Bin::Xor, both, more)
        });
        assert_eq!(twice, [0, base[1] + 1]);
        let number = sums("dg2", |at, [a, b, _]| {
            let number = at.constant(Type::I32, 5);
            sum(at, &[a, b, number])
        });
        assert_eq!(number, [0, base[1] + 1]);
    }
}
