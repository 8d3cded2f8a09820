//! Values of other lanes of a sub-group.

use isa_encoder::{ArfKind, CondMod, Opcode, Type as M};

use super::arith::skip;
use super::{Loc, Selector, at, raw_type};
use crate::code::{Operand, Place, Predicate, Var};
use crate::ir::{Bin, Input, Op, Type, Value};

impl Selector<'_> {
    fn flag_register(&self) -> Operand {
        Operand::Arf(ArfKind::Flag, 0, 0, M::Ud, 0)
    }

    /// Puts a bit for each active lane with a true value into f0, zeroes elsewhere.
    fn ballot_flag(&mut self, value: Option<Value>) -> Result<(), String> {
        let flag = self.flag_register();
        self.one(Opcode::Mov, flag, &[Operand::Imm(0, M::Uw)]);
        match value {
            Some(value) => self.make_flag(value, true, Predicate::None)?,
            // Anything equals itself.
            None => {
                let source = self.header(0);
                let equal = (Opcode::Cmp, CondMod::Eq);
                self.test(equal, M::Ud, [source, source], true, Predicate::None);
            }
        }
        self.flag = None;
        Ok(())
    }

    pub(super) fn ballot(&mut self, value: Value, result: Value) -> Result<(), String> {
        let everywhere = self.function.bits(value).is_some_and(|bits| bits != 0);
        self.ballot_flag((!everywhere).then_some(value))?;
        let to = self.scalar(Type::I32);
        let flag = self.flag_register();
        self.one(Opcode::Mov, at(to, M::Ud), &[flag]);
        self.set_once(result, to);
        Ok(())
    }

    /// A value of the first active lane, as dwords.
    pub(super) fn first_lane(&mut self, value: Value) -> Result<Operand, String> {
        let source = self.source(value, M::Ud)?;
        let Some(loc) = self.loc(value).filter(|loc| loc.pitch != 0) else {
            return Ok(source);
        };
        if self.is_whole() {
            // All lanes that run began with the thread, the first among them.
            let place = loc.place;
            return Ok(at(Loc { place, pitch: 0 }, M::Ud));
        }
        self.ballot_flag(None)?;
        let lane = self.scalar(Type::I32);
        let flag = self.flag_register();
        self.one(Opcode::Mov, at(lane, M::Ud), &[flag]);
        self.one(Opcode::Fbl, at(lane, M::Ud), &[at(lane, M::Ud)]);
        let ty = self.function.ty(value);
        let to = self.scalar(ty);
        let offset = self.lane_offset(at(lane, M::Ud), loc.pitch);
        self.pick_lane(loc, ty, offset, to);
        Ok(at(to, M::Ud))
    }

    /// The bytes from the first lane's element to that of a lane.
    fn lane_offset(&mut self, lane: Operand, pitch: u32) -> Loc {
        let offset = self.scalar(Type::I32);
        let shift = Operand::Imm(i64::from(pitch.trailing_zeros()), M::Uw);
        self.one(Opcode::Shl, at(offset, M::Ud), &[lane, shift]);
        offset
    }

    /// One lane's element, so many bytes behind the first, to one place.
    fn pick_lane(&mut self, from: Loc, ty: Type, offset: Loc, to: Loc) {
        let halves: &[u32] = if ty.bits() == 64 { &[0, 4] } else { &[0] };
        for byte in halves {
            let address = Operand::Arf(ArfKind::Address, 0, 0, M::Uw, 1);
            let low = at(offset, M::Uw);
            let place = Place {
                var: from.place.var,
                byte: from.place.byte + byte,
            };
            self.one(Opcode::Add, address, &[low, Operand::AddressOf(place)]);
            let indirect = Operand::Indirect {
                word: 0,
                ty: M::Ud,
                each: false,
            };
            self.one(Opcode::Mov, skip(at(to, M::Ud), *byte), &[indirect]);
        }
    }

    pub(super) fn broadcast(
        &mut self,
        value: Value,
        lane: Value,
        result: Value,
    ) -> Result<(), String> {
        let ty = self.function.ty(result);
        let Some(from) = self.loc(value).filter(|loc| loc.pitch != 0) else {
            let to = self.result(result);
            let source = self.whole(value)?;
            self.copy(to, source, ty);
            return Ok(());
        };
        if let Some(number) = self.function.bits(lane) {
            let number = number % u64::from(self.target.simd);
            let place = Place {
                var: from.place.var,
                byte: from.place.byte + number as u32 * from.pitch,
            };
            let to = self.result(result);
            let loc = Loc { place, pitch: 0 };
            self.copy(to, at(loc, raw_type(ty)), ty);
            return Ok(());
        }
        let offset = self.offset_within(lane, from.pitch)?;
        let to = self.scalar(ty);
        self.pick_lane(from, ty, offset, to);
        self.set_once(result, to);
        Ok(())
    }

    /// The bytes from the first lane's element to that of a lane of the sub-group, which all lanes name.
    fn offset_within(&mut self, lane: Value, pitch: u32) -> Result<Loc, String> {
        let key = (lane, pitch, 1);
        if let Some((_, var)) = self.offsets.iter().find(|(known, _)| *known == key) {
            let place = Place { var: *var, byte: 0 };
            return Ok(Loc { place, pitch: 0 });
        }
        let lane = self.first_lane(lane)?;
        let within = self.scalar(Type::I32);
        let mask = Operand::Imm(i64::from(self.target.simd - 1), M::Uw);
        self.one(Opcode::And, at(within, M::Ud), &[lane, mask]);
        let offset = self.lane_offset(at(within, M::Ud), pitch);
        self.offsets.push((key, offset.place.var));
        Ok(offset)
    }

    pub(super) fn shuffle(
        &mut self,
        value: Value,
        lane: Value,
        result: Value,
    ) -> Result<(), String> {
        let ty = self.function.ty(result);
        let Some(from) = self.loc(value).filter(|loc| loc.pitch != 0) else {
            let to = self.result(result);
            let source = self.whole(value)?;
            self.copy(to, source, ty);
            return Ok(());
        };
        self.gather(from, self.target.simd, lane, result)
    }

    /// A value of the lanes of two, which lie one behind the other.
    pub(super) fn shuffle_two(
        &mut self,
        values: [Value; 2],
        lane: Value,
        result: Value,
    ) -> Result<(), String> {
        let ty = self.function.ty(result);
        let pitch = ty.bytes().max(4);
        let simd = self.target.simd;
        let grf = self.target.grf();
        let var = self.code.var((2 * simd * pitch).next_multiple_of(grf), grf);
        for (byte, value) in [0, simd * pitch].into_iter().zip(values) {
            let to = Loc {
                place: Place { var, byte },
                pitch,
            };
            let source = self.whole(value)?;
            self.copy(to, source, ty);
        }
        let from = Loc {
            place: Place { var, byte: 0 },
            pitch,
        };
        self.gather(from, 2 * simd, lane, result)
    }

    /// The bytes from an element to those that lanes name, of so many.
    fn offsets(&mut self, pitch: u32, count: u32, lane: Value) -> Result<Var, String> {
        let key = (lane, pitch, count);
        if let Some((_, var)) = self.offsets.iter().find(|(known, _)| *known == key) {
            return Ok(*var);
        }
        let offset = self.storage(Type::I32, true);
        let to = at(offset, M::Ud);
        let index = self.source(lane, M::Ud)?;
        let mut index = self.in_register(index);
        if !self.is_below(lane, count) {
            let mask = Operand::Imm(i64::from(count - 1), M::Uw);
            self.alu(Opcode::And, to, &[index, mask]);
            index = to;
        }
        let shift = Operand::Imm(i64::from(pitch.trailing_zeros()), M::Uw);
        self.alu(Opcode::Shl, to, &[index, shift]);
        self.offsets.push((key, offset.place.var));
        Ok(offset.place.var)
    }

    /// Whether a lane's number is one of so many for sure.
    fn is_below(&self, value: Value, count: u32) -> bool {
        let below = |value: Value| {
            let bits = self.function.bits(value);
            bits.is_some_and(|bits| bits < u64::from(count))
        };
        if below(value) {
            return true;
        }
        let Some((_, data)) = self.function.source(value) else {
            return false;
        };
        match data.op {
            Op::Input(Input::Lane) => true,
            Op::Bin(Bin::And) => data.args.iter().any(|arg| below(*arg)),
            Op::Bin(Bin::Or | Bin::Xor) => data.args.iter().all(|arg| self.is_below(*arg, count)),
            Op::Bin(Bin::Add) => {
                count > self.target.simd
                    && data
                        .args
                        .iter()
                        .all(|arg| self.is_below(*arg, self.target.simd))
            }
            _ => false,
        }
    }

    /// Reads registers by address: from so many elements the one that each lane names.
    fn gather(&mut self, from: Loc, count: u32, lane: Value, result: Value) -> Result<(), String> {
        let ty = self.function.ty(result);
        let var = self.offsets(from.pitch, count, lane)?;
        let offset = Loc {
            place: Place { var, byte: 0 },
            pitch: 4,
        };
        let to = self.result(result);
        let halves: &[u32] = if ty.bits() == 64 { &[0, 4] } else { &[0] };
        for byte in halves {
            let place = Place {
                var: from.place.var,
                byte: from.place.byte + byte,
            };
            self.by_address(place, at(offset, M::Ud), skip(at(to, M::Ud), *byte));
        }
        Ok(())
    }
}
