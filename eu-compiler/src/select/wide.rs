//! Sums and shifts of qwords. A number of 32 bits is made wider by the instruction that takes it.

use isa_encoder::{Opcode, Type as M};

use super::{Loc, Part, Selector, at, machine};
use crate::code::Operand;
use crate::ir::{Bin, Convert, Function, Op, Type, Value};
use crate::target::Target;

/// The operation that makes a qword of a smaller number, and the number.
fn widened(function: &Function, value: Value) -> Option<(Convert, Value)> {
    let (_, data) = function.source(value)?;
    match data.op {
        Op::Convert(how @ (Convert::ZExt | Convert::SExt)) if function.ty(value) == Type::I64 => {
            Some((how, data.args[0]))
        }
        _ => None,
    }
}

/// Qwords that exist as dwords only, because all their users make them wider.
pub(super) fn parts(function: &Function, target: &Target, parts: &mut [Option<Part>]) {
    if !target.caps.qwords {
        return;
    }
    let mut takes = vec![true; function.values.len()];
    for data in function.listed() {
        let taken = match (&data.op, &data.args[..]) {
            // One source is a qword, so that the sum is one.
            (Op::Bin(Bin::Add), &[a, b]) => match widened(function, a) {
                Some(_) if widened(function, b).is_none() => Some(a),
                _ => Some(b),
            },
            (Op::Bin(Bin::Shl), &[a, _]) if !target.caps.float_regions => Some(a),
            _ => None,
        };
        let mut found = false;
        for arg in &data.args {
            // The same twice is not taken twice.
            takes[arg.index()] &= Some(*arg) == taken && !std::mem::replace(&mut found, true);
        }
    }
    for data in function.listed() {
        if let &[result] = &data.results[..]
            && takes[result.index()]
            && widened(function, result).is_some()
        {
            parts[result.index()] = Some(Part::Qword);
        }
    }
}

impl Selector<'_> {
    /// A qword of a smaller number; of one that its users make wider, the dword that they take.
    pub(super) fn widen(
        &mut self,
        how: Convert,
        value: Value,
        result: Value,
    ) -> Result<(), String> {
        let from = self.function.ty(value);
        let (signed, lanes) = (how == Convert::SExt, self.differs(result));
        let dword = machine(Type::I32, signed);
        let is_part = self.is_part(result, Part::Qword);
        // What lanes take out of a loop is not where all of them have the same.
        let given = self
            .loc(value)
            .filter(|loc| loc.pitch != 2 && !(is_part && lanes && loc.pitch == 0));
        let is_whole = from == Type::I32 || from == Type::I1 && signed;
        let near = match given {
            Some(loc) if is_whole && self.lies_beside_qwords(loc) => loc,
            _ => {
                let to = match self.target.caps.float_regions {
                    true => self.storage(Type::I32, lanes),
                    false => self.storage(Type::I64, lanes),
                };
                let source = self.source(value, machine(from, signed))?;
                if from == Type::I1 && !signed {
                    let source = self.in_register(source);
                    let one = Operand::Imm(1, M::Uw);
                    self.alu(Opcode::And, at(to, M::Ud), &[source, one]);
                } else {
                    self.alu(Opcode::Mov, at(to, dword), &[source]);
                }
                to
            }
        };
        if is_part {
            self.set(result, near);
            return Ok(());
        }
        let to = self.result(result);
        let qword = machine(Type::I64, signed);
        self.alu(Opcode::Mov, at(to, qword), &[at(near, dword)]);
        Ok(())
    }

    /// Whether dwords lie where an instruction of qwords takes them.
    fn lies_beside_qwords(&self, loc: Loc) -> bool {
        let is_aligned = loc.pitch == 8 && loc.place.byte.is_multiple_of(self.target.grf());
        self.target.caps.float_regions || loc.pitch == 0 || is_aligned
    }

    /// A source of an operation on qwords.
    fn wide_source(&mut self, value: Value) -> Result<Operand, String> {
        if let Some(bits) = self.function.bits(value) {
            let number = bits as i64;
            return Ok(match (i16::try_from(number), i32::try_from(number)) {
                (Ok(_), _) => Operand::Imm(number, M::W),
                (_, Ok(_)) => Operand::Imm(number, M::D),
                _ => self.in_register(Operand::Imm(number, M::Q)),
            });
        }
        if self.is_part(value, Part::Qword)
            && let Some((how, _)) = widened(self.function, value)
        {
            let loc = self.loc(value);
            let loc = loc.ok_or_else(|| format!("v{} has no place", value.0))?;
            return Ok(at(loc, machine(Type::I32, how == Convert::SExt)));
        }
        self.source(value, M::Q)
    }

    /// A sum of qwords, or a shift by a constant.
    pub(super) fn wide(
        &mut self,
        op: Bin,
        [a, b]: [Value; 2],
        result: Value,
    ) -> Result<(), String> {
        let opcode = match op {
            Bin::Add => Opcode::Add,
            Bin::Shl => Opcode::Shl,
            _ => return Err(format!("no instructions for {op} of qwords")),
        };
        let (a, b) = match self.is_const(a) {
            true if op == Bin::Add => (b, a),
            _ => (a, b),
        };
        let first = self.wide_source(a)?;
        let first = match first {
            Operand::Imm(number, _) => self.in_register(Operand::Imm(number, M::Q)),
            other => other,
        };
        let second = match op {
            Bin::Shl => self.source(b, M::Ud)?,
            _ => self.wide_source(b)?,
        };
        let to = self.result(result);
        self.alu(opcode, at(to, M::Q), &[first, second]);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use isa_encoder::{Opcode, Type as M};

    use super::super::tests::{code_of, ty, with};
    use crate::code::Inst;
    use crate::ir::{Access, Bin, Convert, Cursor, Input, Op, Space, Type, Value};

    /// Of what stores something at a sum: how many dwords are made qwords, and the types of the sources of the
    /// last instruction with an opcode.
    fn made(
        platform: &str,
        opcode: Opcode,
        body: impl Fn(&mut Cursor<'_>, [Value; 2]) -> Value,
    ) -> (usize, [Option<M>; 2]) {
        let insts = code_of(platform, |at| {
            let base = at.one(Op::Input(Input::Payload(0)), &[], Type::I64);
            let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
            let place = body(at, [base, lane]);
            at.push(
                Op::Store(Access::new(Space::Global, 4)),
                &[place, lane],
                &[],
            );
        });
        let is_wider = |inst: &&Inst| {
            let [to, from] = [inst.dst, inst.srcs[0]].map(|operand| ty(operand).map(M::bits));
            to == Some(64) && from == Some(32)
        };
        let last = with(opcode, &insts).last().unwrap();
        let moves = with(Opcode::Mov, &insts).filter(is_wider).count();
        (moves, [last.srcs[0], last.srcs[1]].map(ty))
    }

    #[test]
    fn sums_make_dwords_wider() {
        for platform in ["skl", "pvc", "bmg"] {
            for (how, dword) in [(Convert::SExt, M::D), (Convert::ZExt, M::Ud)] {
                let sum = made(platform, Opcode::Add, |at, [base, lane]| {
                    let wide = at.convert(how, lane, Type::I64);
                    at.bin(Bin::Add, base, wide)
                });
                assert_eq!(sum, (0, [Some(M::Q), Some(dword)]), "{platform}");
            }
        }
    }

    #[test]
    fn one_side_of_a_sum_is_a_qword() {
        for platform in ["skl", "pvc"] {
            let both = made(platform, Opcode::Add, |at, [_, lane]| {
                let one = at.convert(Convert::ZExt, lane, Type::I64);
                let other = at.convert(Convert::SExt, lane, Type::I64);
                at.bin(Bin::Add, one, other)
            });
            assert_eq!(both, (1, [Some(M::Q), Some(M::D)]), "{platform}");
            let twice = made(platform, Opcode::Add, |at, [_, lane]| {
                let wide = at.convert(Convert::ZExt, lane, Type::I64);
                at.bin(Bin::Add, wide, wide)
            });
            assert_eq!(twice, (1, [Some(M::Q); 2]), "{platform}");
        }
    }

    #[test]
    fn what_else_takes_a_qword_has_it_made() {
        for platform in ["skl", "pvc"] {
            let stored = made(platform, Opcode::Add, |at, [base, lane]| {
                let wide = at.convert(Convert::ZExt, lane, Type::I64);
                let place = at.bin(Bin::Add, base, wide);
                at.push(
                    Op::Store(Access::new(Space::Global, 8)),
                    &[place, wide],
                    &[],
                );
                place
            });
            assert_eq!(stored, (1, [Some(M::Q); 2]), "{platform}");
        }
    }

    /// Where dwords beside qwords lie as these do, shifts take them, too.
    #[test]
    fn shifts_make_dwords_wider() {
        for (platform, want) in [("skl", (1, M::Q)), ("pvc", (0, M::Ud))] {
            let (moves, [first, _]) = made(platform, Opcode::Shl, |at, [base, lane]| {
                let wide = at.convert(Convert::ZExt, lane, Type::I64);
                let two = at.constant(Type::I64, 2);
                let offset = at.bin(Bin::Shl, wide, two);
                at.bin(Bin::Add, base, offset)
            });
            assert_eq!((moves, first), (want.0, Some(want.1)), "{platform}");
        }
    }
}
