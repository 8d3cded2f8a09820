//! Arrays in registers: cells behind each other, each with a dword of every lane.

use isa_encoder::{ArfKind, CondMod, Opcode, Type as M};

use super::arith::skip;
use super::{Loc, Selector, at};
use crate::code::{Inst, Operand, Place, Predicate, What};
use crate::ir::{Type, Value};

/// Bytes of a cell of a lane.
const CELL: u32 = 4;

impl Selector<'_> {
    /// An array begins.
    pub(super) fn array(&mut self, cells: u32, result: Value) {
        let grf = self.target.grf();
        let size = (cells * self.cell()).next_multiple_of(grf);
        let var = self.code.var(size, grf);
        self.code.vars[var.index()].stays = true;
        self.code.insts.push(Inst::new(What::Define(var), 1));
        let place = Place { var, byte: 0 };
        self.set(result, Loc { place, pitch: CELL });
    }

    /// Bytes from cell to cell.
    const fn cell(&self) -> u32 {
        CELL * self.target.simd
    }

    fn place_of(&self, cell: u32, array: Value) -> Result<Loc, String> {
        let loc = self.loc(array);
        let Loc { place, pitch } = loc.ok_or_else(|| format!("v{} has no place", array.0))?;
        let byte = place.byte + cell * self.cell();
        let place = Place { byte, ..place };
        Ok(Loc { place, pitch })
    }

    pub(super) fn element(&mut self, cell: u32, array: Value, result: Value) -> Result<(), String> {
        let from = self.place_of(cell, array)?;
        let to = self.result(result);
        self.copy(to, at(from, M::Ud), Type::I32);
        Ok(())
    }

    /// Each lane's cell, by addresses of the lanes.
    pub(super) fn element_at(
        &mut self,
        cell: u32,
        [array, offset]: [Value; 2],
        result: Value,
    ) -> Result<(), String> {
        let from = self.place_of(cell, array)?;
        let offset = self.source(offset, M::Ud)?;
        let offset = self.in_register(offset);
        let to = self.result(result);
        self.by_address(from.place, offset, at(to, M::Ud));
        Ok(())
    }

    pub(super) fn set_element(
        &mut self,
        cell: u32,
        array: Value,
        value: Value,
    ) -> Result<(), String> {
        let to = self.place_of(cell, array)?;
        let value = self.source(value, M::Ud)?;
        self.lanes(
            What::Alu(Opcode::Mov),
            Some(at(to, M::Ud)),
            &[value],
            false,
            |_| {},
        );
        Ok(())
    }

    /// The cell that the index says, by comparing it with each.
    pub(super) fn set_element_at(
        &mut self,
        cells: impl Iterator<Item = u32>,
        [array, index, value]: [Value; 3],
    ) -> Result<(), String> {
        let index = self.source(index, M::D)?;
        let index = self.in_register(index);
        let value = self.source(value, M::Ud)?;
        for (number, cell) in cells.enumerate() {
            let to = self.place_of(cell, array)?;
            let number = Operand::Imm(number as i64, M::W);
            self.test(
                (Opcode::Cmp, CondMod::Eq),
                M::D,
                [index, number],
                true,
                Predicate::None,
            );
            let dst = Some(at(to, M::Ud));
            self.lanes(What::Alu(Opcode::Mov), dst, &[value], false, Self::when);
        }
        Ok(())
    }

    /// Dwords of registers: each lane's is as far from a place as its offset says.
    pub(super) fn by_address(&mut self, from: Place, offset: Operand, to: Operand) {
        let grf = self.target.grf();
        let Operand::Var { ty, stride, .. } = to else {
            return;
        };
        let pitch = u32::from(stride) * ty.bytes();
        // a0 has 16 words. A 64-bit destination has eight or sixteen lanes in two registers.
        let step = self.target.simd.min(16).min(2 * grf / pitch.max(4));
        for first in (0..self.target.simd).step_by(step as usize) {
            let address = Operand::Arf(ArfKind::Address, 0, 0, M::Uw, 1);
            let low = super::advance(super::arith::retype(offset, M::Uw), first);
            let base = Operand::AddressOf(from);
            let (exec, lane) = (step as u8, first as u8);
            let add = What::Alu(Opcode::Add);
            self.raw(add, exec, lane, true, Some(address), &[low, base], |_| {});
            let indirect = Operand::Indirect {
                word: 0,
                ty: M::Ud,
                each: true,
            };
            let dst = skip(to, first * pitch);
            let mov = What::Alu(Opcode::Mov);
            self.raw(mov, exec, lane, false, Some(dst), &[indirect], |_| {});
        }
    }
}
