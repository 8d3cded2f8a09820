//! Operations over the lanes of a sub-group.

use isa_encoder::{ArfKind, CondMod, Opcode, Type as M};

use super::arith::{operation_types, skip};
use super::{Loc, Selector, at, raw_type};
use crate::code::{Inst, Operand, Place, What};
use crate::ir::{Bin, Type, Value};

impl Selector<'_> {
    fn flag_register(&self) -> Operand {
        Operand::Arf(ArfKind::Flag, 0, 0, M::Ud, 0)
    }

    /// Puts a bit for each active lane with a true value into f0, zeroes elsewhere.
    fn ballot_flag(&mut self, value: Option<Value>) -> Result<(), String> {
        let source = match value {
            Some(value) => {
                let source = self.source(value, M::D)?;
                self.in_register(source)
            }
            None => self.header(0),
        };
        self.flag = None;
        let flag = self.flag_register();
        self.one(Opcode::Mov, flag, &[Operand::Imm(0, M::Uw)]);
        match value {
            Some(_) => {
                self.test(
                    Opcode::Cmp,
                    CondMod::Ne,
                    M::D,
                    [source, Operand::Imm(0, M::W)],
                    true,
                );
            }
            // Anything equals itself.
            None => self.test(Opcode::Cmp, CondMod::Eq, M::Ud, [source, source], true),
        }
        Ok(())
    }

    pub(super) fn ballot(&mut self, value: Value, result: Value) -> Result<(), String> {
        let everywhere = self.function.bits(value).is_some_and(|bits| bits != 0);
        self.ballot_flag((!everywhere).then_some(value))?;
        let to = self.result(result);
        let flag = self.flag_register();
        self.one(Opcode::Mov, at(to, M::Ud), &[flag]);
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
        self.pick_lane(loc, ty, at(lane, M::Ud), to);
        Ok(at(to, M::Ud))
    }

    /// One lane's element to one place.
    fn pick_lane(&mut self, from: Loc, ty: Type, lane: Operand, to: Loc) {
        let offset = self.scalar(Type::I32);
        let shift = Operand::Imm(i64::from(from.pitch.trailing_zeros()), M::Uw);
        self.one(Opcode::Shl, at(offset, M::Ud), &[lane, shift]);
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
        let lane = self.first_lane(lane)?;
        let within = self.scalar(Type::I32);
        let mask = Operand::Imm(i64::from(self.target.simd - 1), M::Uw);
        self.one(Opcode::And, at(within, M::Ud), &[lane, mask]);
        let to = self.result(result);
        self.pick_lane(from, ty, at(within, M::Ud), to);
        Ok(())
    }

    pub(super) fn shuffle(
        &mut self,
        value: Value,
        lane: Value,
        result: Value,
    ) -> Result<(), String> {
        let ty = self.function.ty(result);
        let to = self.result(result);
        let Some(from) = self.loc(value).filter(|loc| loc.pitch != 0) else {
            let source = self.whole(value)?;
            self.copy(to, source, ty);
            return Ok(());
        };
        let index = self.source(lane, M::Ud)?;
        let index = self.in_register(index);
        let offset = self.storage(Type::I32, true);
        let mask = Operand::Imm(i64::from(self.target.simd - 1), M::Uw);
        self.alu(Opcode::And, at(offset, M::Ud), &[index, mask]);
        let shift = Operand::Imm(i64::from(from.pitch.trailing_zeros()), M::Uw);
        self.alu(Opcode::Shl, at(offset, M::Ud), &[at(offset, M::Ud), shift]);
        let halves: &[u32] = if ty.bits() == 64 { &[0, 4] } else { &[0] };
        let grf = self.target.grf();
        // a0 has 16 words. A 64-bit destination has eight or sixteen lanes in two registers.
        let step = self.target.simd.min(16).min(2 * grf / to.pitch);
        for byte in halves {
            let place = Place {
                var: from.place.var,
                byte: from.place.byte + byte,
            };
            let mut first = 0;
            while first < self.target.simd {
                let address = Operand::Arf(ArfKind::Address, 0, 0, M::Uw, 1);
                let low = skip(at(offset, M::Uw), first * offset.pitch);
                let base = Operand::AddressOf(place);
                let (exec, from) = (step as u8, first as u8);
                self.raw(
                    What::Alu(Opcode::Add),
                    exec,
                    from,
                    true,
                    Some(address),
                    &[low, base],
                    |_| {},
                );
                let indirect = Operand::Indirect {
                    word: 0,
                    ty: M::Ud,
                    each: true,
                };
                let dst = skip(at(to, M::Ud), first * to.pitch + byte);
                self.raw(
                    What::Alu(Opcode::Mov),
                    exec,
                    from,
                    false,
                    Some(dst),
                    &[indirect],
                    |_| {},
                );
                first += step;
            }
        }
        Ok(())
    }

    /// The operand in active lanes, what changes nothing in the others; behind as many lanes of
    /// that again, if asked for.
    fn filled(
        &mut self,
        op: Bin,
        value: Value,
        padded: bool,
        exclusive: bool,
    ) -> Result<Loc, String> {
        let ty = self.function.ty(value);
        let identity = op.identity(ty);
        let mut identity = identity.ok_or_else(|| format!("no reduction by {op}"))?;
        if exclusive && op == Bin::FAdd {
            // The first lane has this: a positive zero.
            identity = 0;
        }
        let pitch = ty.bytes().max(4);
        let lanes = self.target.simd * if padded { 2 } else { 1 };
        let var = self.code.var(
            (pitch * lanes).next_multiple_of(self.target.grf()),
            self.target.grf(),
        );
        let whole = Loc {
            place: Place { var, byte: 0 },
            pitch,
        };
        let signed = matches!(op, Bin::SMin | Bin::SMax);
        let fill = extended(identity, ty, signed);
        for (byte, bits) in fill {
            let dst = skip(at(whole, M::Ud), byte);
            let bits = Operand::Imm(bits, M::Ud);
            let count = self.target.simd;
            self.some_lanes(
                What::Alu(Opcode::Mov),
                Some(dst),
                &[bits],
                true,
                count,
                |_| {},
            );
            if padded {
                let dst = skip(dst, count * pitch);
                self.some_lanes(
                    What::Alu(Opcode::Mov),
                    Some(dst),
                    &[bits],
                    true,
                    count,
                    |_| {},
                );
            }
        }
        let start = if padded { self.target.simd * pitch } else { 0 };
        let to = Loc {
            place: Place { var, byte: start },
            pitch,
        };
        if ty.bits() < 32 && !ty.is_float() {
            // The upper bits count here.
            let source = self.source(value, super::machine(ty, signed))?;
            let dst = at(to, super::machine(Type::I32, signed));
            self.lanes(What::Alu(Opcode::Mov), Some(dst), &[source], false, |_| {});
        } else {
            let source = self.source(value, raw_type(ty))?;
            let dst = at(to, raw_type(ty));
            self.lanes(What::Alu(Opcode::Mov), Some(dst), &[source], false, |_| {});
        }
        Ok(to)
    }

    /// One operation on `count` lanes, whatever the mask.
    fn all_lanes(
        &mut self,
        op: Bin,
        ty: Type,
        to: Loc,
        a: Loc,
        b: Loc,
        count: u32,
    ) -> Result<(), String> {
        if ty == Type::I64 {
            return self.wide_lanes(op, to, a, b, count);
        }
        let ty = if ty.bits() < 32 && !ty.is_float() {
            Type::I32
        } else {
            ty
        };
        let (source, simple) = operation_types(op, ty);
        let srcs = [at(a, source), at(b, source)];
        let dst = Some(at(to, source));
        match (op, simple) {
            (_, Some(opcode)) => {
                self.some_lanes(What::Alu(opcode), dst, &srcs, true, count, |_| {})
            }
            (Bin::UMin | Bin::SMin | Bin::FMin, _) => {
                let set = |inst: &mut Inst| inst.cond = Some(CondMod::Lt);
                self.some_lanes(What::Alu(Opcode::Sel), dst, &srcs, true, count, set);
            }
            (Bin::UMax | Bin::SMax | Bin::FMax, _) => {
                let set = |inst: &mut Inst| inst.cond = Some(CondMod::Ge);
                self.some_lanes(What::Alu(Opcode::Sel), dst, &srcs, true, count, set);
            }
            _ => return Err(format!("a reduction by {op} of {ty} is not supported")),
        }
        Ok(())
    }

    /// The same on integers of 64 bits, by halves.
    fn wide_lanes(&mut self, op: Bin, to: Loc, a: Loc, b: Loc, count: u32) -> Result<(), String> {
        let half = |loc: Loc, byte: u32, ty: M| skip(at(loc, ty), byte);
        let both = |s: &mut Self, opcode: Opcode| {
            for byte in [0, 4] {
                let srcs = [half(a, byte, M::Ud), half(b, byte, M::Ud)];
                let dst = Some(half(to, byte, M::Ud));
                s.some_lanes(What::Alu(opcode), dst, &srcs, true, count, |_| {});
            }
        };
        self.flag = None;
        match op {
            Bin::And => both(self, Opcode::And),
            Bin::Or => both(self, Opcode::Or),
            Bin::Xor => both(self, Opcode::Xor),
            Bin::Add => {
                let sum = self.code.var(count * 8, self.target.grf());
                let sum = Loc {
                    place: Place { var: sum, byte: 0 },
                    pitch: 8,
                };
                for byte in [0, 4] {
                    let srcs = [half(a, byte, M::Ud), half(b, byte, M::Ud)];
                    let dst = Some(half(sum, byte, M::Ud));
                    self.some_lanes(What::Alu(Opcode::Add), dst, &srcs, true, count, |_| {});
                }
                let less = |inst: &mut Inst| inst.cond = Some(CondMod::Lt);
                let srcs = [half(sum, 0, M::Ud), half(a, 0, M::Ud)];
                let null = Some(Operand::Null(M::Ud));
                self.some_lanes(What::Alu(Opcode::Cmp), null, &srcs, true, count, less);
                let high = half(sum, 4, M::Ud);
                let one = [high, Operand::Imm(1, M::Uw)];
                self.some_lanes(
                    What::Alu(Opcode::Add),
                    Some(high),
                    &one,
                    true,
                    count,
                    Self::when,
                );
                for byte in [0, 4] {
                    let (dst, src) = (half(to, byte, M::Ud), half(sum, byte, M::Ud));
                    self.some_lanes(
                        What::Alu(Opcode::Mov),
                        Some(dst),
                        &[src],
                        true,
                        count,
                        |_| {},
                    );
                }
            }
            Bin::UMin | Bin::UMax | Bin::SMin | Bin::SMax => {
                // f0: a < b. First the low halves where the high ones are equal.
                let high = if matches!(op, Bin::SMin | Bin::SMax) {
                    M::D
                } else {
                    M::Ud
                };
                let less = |inst: &mut Inst| inst.cond = Some(CondMod::Lt);
                let truth = self.code.var(count * 8, self.target.grf());
                let truth = Loc {
                    place: Place {
                        var: truth,
                        byte: 0,
                    },
                    pitch: 8,
                };
                let (low, above) = (half(truth, 0, M::D), half(truth, 4, M::D));
                let equal = |inst: &mut Inst| inst.cond = Some(CondMod::Eq);
                let lows = [half(a, 0, M::Ud), half(b, 0, M::Ud)];
                let highs = [half(a, 4, high), half(b, 4, high)];
                self.some_lanes(What::Alu(Opcode::Cmp), Some(low), &lows, true, count, less);
                self.some_lanes(
                    What::Alu(Opcode::Cmp),
                    Some(above),
                    &highs,
                    true,
                    count,
                    equal,
                );
                self.some_lanes(
                    What::Alu(Opcode::And),
                    Some(low),
                    &[low, above],
                    true,
                    count,
                    |_| {},
                );
                self.some_lanes(
                    What::Alu(Opcode::Cmp),
                    Some(above),
                    &highs,
                    true,
                    count,
                    less,
                );
                let not_zero = |inst: &mut Inst| inst.cond = Some(CondMod::Ne);
                self.some_lanes(
                    What::Alu(Opcode::Or),
                    Some(low),
                    &[low, above],
                    true,
                    count,
                    not_zero,
                );
                let (first, second) = match op {
                    Bin::UMin | Bin::SMin => (a, b),
                    _ => (b, a),
                };
                for byte in [0, 4] {
                    let srcs = [half(first, byte, M::Ud), half(second, byte, M::Ud)];
                    let dst = Some(half(to, byte, M::Ud));
                    self.some_lanes(What::Alu(Opcode::Sel), dst, &srcs, true, count, Self::when);
                }
            }
            _ => return Err(format!("a reduction by {op} of i64 is not supported")),
        }
        Ok(())
    }

    pub(super) fn reduce(&mut self, op: Bin, value: Value, result: Value) -> Result<(), String> {
        let ty = self.function.ty(value);
        let all = self.filled(op, value, false, false)?;
        let mut count = self.target.simd / 2;
        while count > 0 {
            let upper = Loc {
                place: Place {
                    var: all.place.var,
                    byte: all.place.byte + count * all.pitch,
                },
                pitch: all.pitch,
            };
            let upper = self.beside(upper, ty, count);
            self.all_lanes(op, ty, all, all, upper, count)?;
            count /= 2;
        }
        let to = self.result(result);
        let first = Loc {
            place: all.place,
            pitch: 0,
        };
        self.copy(to, at(first, raw_type(ty)), ty);
        Ok(())
    }

    /// A copy that begins a register: operands of floats must lie at the same place in theirs.
    fn beside(&mut self, from: Loc, ty: Type, count: u32) -> Loc {
        let grf = self.target.grf();
        if from.place.byte.is_multiple_of(grf) {
            return from;
        }
        let size = (count * from.pitch).next_multiple_of(grf);
        let var = self.code.var(size, grf);
        let to = Loc {
            place: Place { var, byte: 0 },
            pitch: from.pitch,
        };
        let dwords = |place| Loc { place, pitch: 4 };
        let count = count * from.pitch / 4;
        let _ = ty;
        self.shifted(
            at(dwords(to.place), M::Ud),
            at(dwords(from.place), M::Ud),
            count,
        );
        to
    }

    /// Copies dwords whatever the mask, from any place to the begin of a register.
    fn shifted(&mut self, dst: Operand, src: Operand, count: u32) {
        let most = self.target.grf() / 4;
        let mut done = 0;
        while done < count {
            let step = 1 << (count - done).min(most).min(16).ilog2();
            let (dst, src) = (skip(dst, 4 * done), skip(src, 4 * done));
            self.raw(
                What::Alu(Opcode::Mov),
                step as u8,
                0,
                true,
                Some(dst),
                &[src],
                |_| {},
            );
            done += step;
        }
    }

    pub(super) fn scan(
        &mut self,
        op: Bin,
        inclusive: bool,
        value: Value,
        result: Value,
    ) -> Result<(), String> {
        let ty = self.function.ty(value);
        let simd = self.target.simd;
        let mut all = self.filled(op, value, true, !inclusive)?;
        let behind = |loc: Loc, lanes: u32| Loc {
            place: Place {
                var: loc.place.var,
                byte: loc.place.byte - lanes * loc.pitch,
            },
            pitch: loc.pitch,
        };
        let copied = |s: &mut Self, from: Loc| -> Loc {
            let size = (simd * from.pitch).next_multiple_of(s.target.grf());
            let var = s.code.var(size, s.target.grf());
            let to = Loc {
                place: Place { var, byte: 0 },
                pitch: from.pitch,
            };
            let dwords = |place| Loc { place, pitch: 4 };
            let count = simd * from.pitch / 4;
            s.shifted(
                at(dwords(to.place), M::Ud),
                at(dwords(from.place), M::Ud),
                count,
            );
            to
        };
        if !inclusive {
            // Each lane has what the one before it had.
            let before = copied(self, behind(all, 1));
            let dwords = |place| Loc { place, pitch: 4 };
            let count = simd * all.pitch / 4;
            self.shifted(
                at(dwords(all.place), M::Ud),
                at(dwords(before.place), M::Ud),
                count,
            );
        }
        let mut distance = 1;
        while distance < simd {
            let before = copied(self, behind(all, distance));
            self.all_lanes(op, ty, all, before, all, simd)?;
            distance *= 2;
        }
        let to = self.result(result);
        all.pitch = to.pitch;
        self.copy(to, at(all, raw_type(ty)), ty);
        Ok(())
    }
}

/// The dwords of a constant, extended.
fn extended(bits: u64, ty: Type, signed: bool) -> Vec<(u32, i64)> {
    let wide = if signed { ty.signed(bits) as u64 } else { bits };
    let low = (wide & 0xffff_ffff) as i64;
    match ty.bits() {
        64 => vec![(0, low), (4, (bits >> 32) as i64)],
        _ => vec![(0, low)],
    }
}
