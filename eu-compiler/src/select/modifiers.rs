//! What operations take as a modifier of their source: complements of bits, signs and magnitudes of floats.

use isa_encoder::Type as M;

use super::{Part, Selector};
use crate::code::Operand;
use crate::ir::{Bin, Function, Op, Type, Un, Value};
use crate::passes::divergence::Divergence;

/// What a value is the complement of.
fn complemented(function: &Function, value: Value) -> Option<Value> {
    let (_, data) = function.source(value)?;
    let is = data.op == Op::Bin(Bin::Xor)
        && function.ty(value) == Type::I32
        && function.bits(data.args[1]) == Some(Type::I32.mask());
    is.then(|| data.args[0])
}

/// The float of which a value is the negative or the magnitude.
fn signed(function: &Function, value: Value) -> Option<(Un, Value)> {
    let (_, data) = function.source(value)?;
    match data.op {
        Op::Un(op @ (Un::FNeg | Un::FAbs)) => Some((op, data.args[0])),
        _ => None,
    }
}

/// Whether the sources of an operation are floats, which may have modifiers.
pub(super) const fn is_of_floats(op: Bin) -> bool {
    matches!(
        op,
        Bin::FAdd | Bin::FSub | Bin::FMul | Bin::FMin | Bin::FMax
    )
}

/// Complements whose users are all bitwise operations that are not part of others, and signs whose users all
/// compute with floats.
pub(super) fn parts(function: &Function, divergence: &Divergence, parts: &mut [Option<Part>]) {
    let mut complements = vec![true; function.values.len()];
    let mut signs = complements.clone();
    for data in function.listed() {
        let is_bitwise = matches!(data.op, Op::Bin(Bin::And | Bin::Or | Bin::Xor))
            && function.ty(data.results[0]) == Type::I32
            && parts[data.results[0].index()].is_none();
        let computes = match data.op {
            Op::Bin(op) => is_of_floats(op),
            Op::Un(_) | Op::Fma | Op::Fcmp(_) => true,
            _ => false,
        };
        for arg in &data.args {
            complements[arg.index()] &= is_bitwise;
            signs[arg.index()] &= computes;
        }
    }
    for data in function.listed() {
        let &[result] = &data.results[..] else {
            continue;
        };
        let complemented = complemented(function, result).filter(|_| complements[result.index()]);
        let signed = signed(function, result).filter(|_| signs[result.index()]);
        // What lanes take out of a loop at different times is not what all of them have in there.
        let taken = complemented.or(signed.map(|(_, of)| of)).filter(|of| {
            function.source(*of).is_some() && divergence.differs(*of) == divergence.differs(result)
        });
        if taken.is_some() {
            parts[result.index()] = Some(Part::Modifier);
        }
    }
}

impl Selector<'_> {
    /// A source of a bitwise operation on dwords.
    pub(super) fn bitwise_source(&mut self, value: Value) -> Result<Operand, String> {
        match complemented(self.function, value) {
            Some(of) if self.is_part(value, Part::Modifier) => {
                let source = self.bitwise_source(of)?;
                Ok(source.negated())
            }
            _ => self.source(value, M::Ud),
        }
    }

    /// A source of an operation on floats.
    pub(super) fn float_source(&mut self, value: Value, ty: M) -> Result<Operand, String> {
        match signed(self.function, value) {
            Some((op, of)) if self.is_part(value, Part::Modifier) => {
                let source = self.float_source(of, ty)?;
                Ok(match op {
                    Un::FAbs => source.magnitude(),
                    _ => source.negated(),
                })
            }
            _ => self.source(value, ty),
        }
    }
}

#[cfg(test)]
mod tests {
    use isa_encoder::{Opcode, Type as M};

    use super::super::tests::{code, code_of, store, ty, with};
    use crate::code::{Inst, Operand};
    use crate::ir::{Bin, Cond, Convert, Cursor, Function, Input, Op, Terminator, Type, Un, Value};

    fn complement(at: &mut Cursor<'_>, value: Value) -> Value {
        let ones = at.constant(Type::I32, Type::I32.mask());
        at.bin(Bin::Xor, value, ones)
    }

    /// Of the sources of an instruction, which are negated, and which are magnitudes.
    fn signs(inst: &Inst) -> Vec<(bool, bool)> {
        let sources = inst.srcs.iter().flatten();
        let of = |source: &Operand| match source {
            Operand::Var { neg, abs, .. } => (*neg, *abs),
            _ => (false, false),
        };
        sources.map(of).collect()
    }

    #[test]
    fn bitwise_operations_take_complements() {
        for op in [Bin::And, Bin::Or, Bin::Add] {
            let insts = code_of("tgl", |at| {
                let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
                let other = at.one(Op::Input(Input::Payload(0)), &[], Type::I32);
                let not = complement(at, lane);
                let made = at.bin(op, not, other);
                store(at, made);
            });
            let made = match op {
                Bin::And => Opcode::And,
                Bin::Or => Opcode::Or,
                _ => Opcode::Add,
            };
            let is_bitwise = op != Bin::Add;
            assert_eq!(with(Opcode::Xor, &insts).count(), usize::from(!is_bitwise));
            let made = with(made, &insts).last().unwrap();
            assert_eq!(signs(made), [(is_bitwise, false), (false, false)], "{op}");
        }
    }

    #[test]
    fn what_else_takes_a_complement_has_it_made() {
        // Stored, or by an operation that is part of a test, which takes its sources as they are.
        for is_tested in [false, true] {
            let insts = code_of("tgl", |at| {
                let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
                let zero = at.constant(Type::I32, 0);
                let not = complement(at, lane);
                let both = at.bin(Bin::And, not, lane);
                if is_tested {
                    let is = at.one(Op::Icmp(Cond::Eq), &[both, zero], Type::I1);
                    let chosen = at.one(Op::Select, &[is, lane, zero], Type::I32);
                    store(at, chosen);
                } else {
                    store(at, both);
                    store(at, not);
                }
            });
            assert_eq!(with(Opcode::Xor, &insts).count(), 1, "{is_tested}");
            let both = with(Opcode::And, &insts).last().unwrap();
            assert_eq!(signs(both), [(false, false); 2], "{is_tested}");
        }
    }

    #[test]
    fn complements_of_local_ids_are_those_of_dwords() {
        let insts = code_of("tgl", |at| {
            let id = at.one(Op::Input(Input::LocalId(0)), &[], Type::I32);
            let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
            let not = complement(at, id);
            let made = at.bin(Bin::And, not, lane);
            store(at, made);
        });
        let made = with(Opcode::And, &insts).last().unwrap();
        assert_eq!(signs(made)[0], (true, false));
        assert_eq!(ty(made.srcs[0]), Some(M::Ud));
    }

    #[test]
    fn operations_on_floats_take_signs() {
        // What is made of a number, whether that is also stored, and what the product takes.
        let cases: [(&[Un], bool, (bool, bool)); 5] = [
            (&[Un::FNeg], false, (true, false)),
            (&[Un::FAbs], false, (false, true)),
            (&[Un::FAbs, Un::FNeg], false, (true, true)),
            (&[Un::FNeg, Un::FAbs], false, (false, true)),
            (&[Un::FNeg], true, (false, false)),
        ];
        for (ops, is_stored, want) in cases {
            let insts = code_of("tgl", |at| {
                let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
                let number = at.one(Op::Convert(Convert::SToF), &[lane], Type::F32);
                let mut signed = number;
                for op in ops {
                    signed = at.one(Op::Un(*op), &[signed], Type::F32);
                }
                let product = at.bin(Bin::FMul, signed, number);
                store(at, product);
                if is_stored {
                    store(at, signed);
                }
            });
            let product = with(Opcode::Mul, &insts).last().unwrap();
            assert_eq!(signs(product), [want, (false, false)], "{ops:?}");
            let moves = with(Opcode::Mov, &insts).filter(|inst| signs(inst)[0] != (false, false));
            assert_eq!(moves.count(), usize::from(is_stored), "{ops:?}");
        }
    }

    /// Which lanes stay in a loop is the same for all in a round, and another number for each that left.
    #[test]
    fn what_lanes_take_out_of_a_loop_is_made_in_it() {
        for is_inside in [true, false] {
            let mut function = Function::default();
            let [entry, head, back, end] = [(); 4].map(|()| function.add_block());
            let mut at = Cursor::new(&mut function, entry);
            let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
            let [zero, one] = [0, 1].map(|number| at.constant(Type::I32, number));
            at.block = head;
            let phi = at.push(Op::Phi(vec![entry, back]), &[zero, zero], &[Type::I32]);
            let count = at.function.result(phi);
            let next = at.bin(Bin::Add, count, one);
            at.function.insts[phi.index()].args[1] = next;
            let more = at.one(Op::Icmp(Cond::Ult), &[next, lane], Type::I1);
            let those = at.one(Op::Ballot, &[more], Type::I32);
            let not = complement(&mut at, those);
            at.block = if is_inside { head } else { end };
            let made = at.bin(Bin::And, not, lane);
            store(&mut at, made);
            let ends = [
                Terminator::Jump(head),
                Terminator::Branch(more, back, end),
                Terminator::Jump(head),
                Terminator::Return,
            ];
            for (data, end) in function.blocks.iter_mut().zip(ends) {
                data.end = end;
            }
            let insts = code("tgl", &function);
            assert_eq!(with(Opcode::Xor, &insts).count(), usize::from(!is_inside));
            let made = with(Opcode::And, &insts).last().unwrap();
            assert_eq!(signs(made), [(is_inside, false), (false, false)]);
        }
    }
}
