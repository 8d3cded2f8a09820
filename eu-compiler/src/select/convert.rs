//! Changes of type.

use isa_encoder::{Opcode, Type as M};

use super::arith::skip;
use super::{Loc, Selector, at, machine, raw_type};
use crate::code::{Operand, Place};
use crate::ir::{Convert, Type, Value};

impl Selector<'_> {
    pub(super) fn convert(
        &mut self,
        how: Convert,
        value: Value,
        result: Value,
    ) -> Result<(), String> {
        let from = self.function.ty(value);
        let ty = self.function.ty(result);
        match how {
            Convert::Bitcast => return self.alias(value, 0, result),
            Convert::Trunc if ty == Type::I1 => {
                let to = self.result(result);
                let bit = self.storage(Type::I32, to.pitch != 0);
                let source = self.source(value, M::Ud)?;
                let source = self.in_register(source);
                self.alu(
                    Opcode::And,
                    at(bit, M::Ud),
                    &[source, Operand::Imm(1, M::Uw)],
                );
                self.alu(Opcode::Mov, at(to, M::D), &[at(bit, M::D).negated()]);
                return Ok(());
            }
            // The low part of a dword, or of a pair of them.
            Convert::Trunc => return self.alias(value, 0, result),
            Convert::ZExt | Convert::SExt if ty == Type::I64 => {
                return self.widen(how, value, result);
            }
            Convert::ZExt if from == Type::I1 => {
                let to = self.result(result);
                let source = self.source(value, M::Ud)?;
                let source = self.in_register(source);
                self.alu(
                    Opcode::And,
                    at(to, M::Ud),
                    &[source, Operand::Imm(1, M::Uw)],
                );
                return Ok(());
            }
            Convert::SExt if from == Type::I1 => return self.alias(value, 0, result),
            Convert::ZExt | Convert::SExt => {
                let signed = how == Convert::SExt;
                let to = self.result(result);
                let source = self.source(value, machine(from, signed))?;
                let dst = at(to, machine(Type::I32, signed));
                self.alu(Opcode::Mov, dst, &[source]);
                return Ok(());
            }
            _ => {}
        }
        let to = self.result(result);
        let signed = matches!(how, Convert::FToS | Convert::SToF);
        let source_type = machine(from, signed);
        let source = match self.loc(value) {
            // Low halves of 64 bits: what becomes a float lies at the bits of its channels.
            Some(loc) if matches!(ty, Type::F16 | Type::F32) && loc.pitch > from.bytes().max(4) => {
                at(self.packed(value)?, source_type)
            }
            _ => self.source(value, source_type)?,
        };
        let result_type = machine(ty, signed);
        let lanes = to.pitch != 0;
        // With a double the elements of both sides must be equally far from each other.
        match (from == Type::F64, ty == Type::F64) {
            (true, false) => {
                let wide = self.storage(Type::F64, lanes);
                self.alu(Opcode::Mov, at(wide, result_type), &[source]);
                self.alu(Opcode::Mov, at(to, M::Ud), &[at(wide, M::Ud)]);
            }
            (false, true) => {
                let wide = self.storage(Type::F64, lanes);
                let raw = self.source(value, M::Ud)?;
                self.alu(Opcode::Mov, at(wide, M::Ud), &[raw]);
                self.alu(Opcode::Mov, at(to, result_type), &[at(wide, source_type)]);
            }
            _ => self.alu(Opcode::Mov, at(to, result_type), &[source]),
        }
        Ok(())
    }

    /// The result is where the operand is, some bytes further.
    fn alias(&mut self, value: Value, byte: u32, result: Value) -> Result<(), String> {
        let ty = self.function.ty(result);
        // Floats whose elements are farther apart than usual do not go with others.
        let usual = ty.bytes().max(4);
        let lanes = self.differs(result);
        match self.loc(value) {
            Some(loc)
                if lanes == (loc.pitch != 0) && !(ty.is_float() && lanes && loc.pitch != usual) =>
            {
                let place = Place {
                    var: loc.place.var,
                    byte: loc.place.byte + byte,
                };
                self.set(
                    result,
                    Loc {
                        place,
                        pitch: loc.pitch,
                    },
                );
            }
            _ => {
                let to = self.result(result);
                let raw = raw_type(ty);
                let source = match self.function.bits(value) {
                    Some(bits) if byte != 0 => Operand::Imm((bits >> 32) as i64, M::Ud),
                    _ => skip(self.source(value, raw)?, byte),
                };
                self.alu(Opcode::Mov, at(to, raw), &[source]);
            }
        }
        Ok(())
    }

    /// A half of 64 bits.
    pub(super) fn half(&mut self, value: Value, byte: u32, result: Value) -> Result<(), String> {
        self.alias(value, byte, result)
    }

    /// Two halves of 64 bits.
    pub(super) fn pair(&mut self, low: Value, high: Value, result: Value) -> Result<(), String> {
        if let [Some(first), Some(second)] = [low, high].map(|half| self.loc(half))
            && [first.pitch, second.pitch] == [8; 2]
            && (first.place.var, first.place.byte + 4) == (second.place.var, second.place.byte)
        {
            // A message has brought them side by side.
            self.set(result, first);
            return Ok(());
        }
        let to = self.result(result);
        for (byte, part) in [(0, low), (4, high)] {
            let source = self.source(part, M::Ud)?;
            self.alu(Opcode::Mov, skip(at(to, M::Ud), byte), &[source]);
        }
        Ok(())
    }

    /// Bytes or words behind each other.
    pub(super) fn pack(&mut self, values: &[Value], result: Value) -> Result<(), String> {
        let to = self.result(result);
        for (index, value) in values.iter().enumerate() {
            let part = self.function.ty(*value);
            let ty = machine(part, false);
            let source = self.source(*value, ty)?;
            let dst = skip(at(to, ty), index as u32 * part.bytes());
            self.alu(Opcode::Mov, dst, &[source]);
        }
        Ok(())
    }
}
