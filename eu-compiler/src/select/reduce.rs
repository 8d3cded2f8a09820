//! Reductions, scans and clusters: on copies of the operand, whatever the execution mask. Lanes that
//! do not run have what changes nothing. Integers of 64 bits are two planes of dwords.

use isa_encoder::{ArfKind, CondMod, Opcode, Type as M};

use super::arith::{operation_types, skip};
use super::{Loc, Selector, advance, at, raw_type};
use crate::code::{Inst, Operand, Place, What};
use crate::ir::{Bin, Type, Value};

/// Lanes of the copies: those that an instruction's channels take.
#[derive(Clone, Copy, Debug)]
struct Lanes {
    /// The copies; the second of the high halves.
    planes: [Loc; 2],
    /// The first channel's lane.
    first: u32,
    /// Lanes from channel to channel; 0 for one in all.
    step: u32,
}

impl Lanes {
    const fn all(planes: [Loc; 2]) -> Self {
        Self {
            planes,
            first: 0,
            step: 1,
        }
    }

    const fn from(self, first: u32, step: u32) -> Self {
        Self {
            first: self.first + first,
            step,
            ..self
        }
    }

    const fn one(self, lane: u32) -> Self {
        self.from(lane, 0)
    }

    const fn channel(self, channel: u32) -> Self {
        self.from(channel * self.step, self.step)
    }

    const fn byte(self) -> u32 {
        self.planes[0].place.byte + self.first * self.planes[0].pitch
    }

    const fn pitch(self) -> u32 {
        self.step * self.planes[0].pitch
    }

    /// Elements of a plane.
    fn plane(self, number: usize, ty: M) -> Operand {
        let Loc { place, pitch } = self.planes[number];
        let loc = Loc {
            place,
            pitch: self.step * pitch,
        };
        skip(at(loc, ty), self.first * pitch)
    }
}

impl Selector<'_> {
    fn everywhere(&mut self, opcode: Opcode, exec: u32, dst: Operand, srcs: &[Operand]) {
        self.with_all(opcode, exec, dst, srcs, |_| {});
    }

    fn with_all(
        &mut self,
        opcode: Opcode,
        exec: u32,
        dst: Operand,
        srcs: &[Operand],
        more: impl Fn(&mut Inst),
    ) {
        self.raw(
            What::Alu(opcode),
            exec as u8,
            0,
            true,
            Some(dst),
            srcs,
            more,
        );
    }

    /// Planes for so many lanes.
    fn lane_copies(&mut self, ty: Type, lanes: u32) -> [Loc; 2] {
        let pitch = if ty == Type::F64 { 8 } else { 4 };
        let grf = self.target.grf();
        let mut plane = || Loc {
            place: Place {
                var: self.code.var((pitch * lanes).next_multiple_of(grf), grf),
                byte: 0,
            },
            pitch,
        };
        let first = plane();
        [first, if ty == Type::I64 { plane() } else { first }]
    }

    /// Copies of the operand: `values` has its halves, if it is of 64 bits. `before` lanes lie before
    /// the first, of which the last has what changes nothing.
    fn filled(
        &mut self,
        op: Bin,
        values: &[Value],
        before: u32,
    ) -> Result<(Type, [Loc; 2]), String> {
        let of = self.function.ty(values[0]);
        let ty = match (values.len(), of) {
            (2, _) => Type::I64,
            // A product's low bits come from low bits.
            (_, Type::I8 | Type::I16) if op == Bin::Mul => Type::I16,
            (_, Type::I8 | Type::I16) => Type::I32,
            (_, ty) => ty,
        };
        let signed = matches!(op, Bin::SMin | Bin::SMax);
        let narrow = if ty == Type::I64 { ty } else { of };
        let identity = op.identity(narrow);
        let identity = match identity.ok_or_else(|| format!("no reduction by {op}"))? {
            // The first lane of a scan has this: a positive zero.
            _ if op == Bin::FAdd && before > 0 => 0,
            bits if signed => narrow.signed(bits) as u64,
            bits => bits,
        };
        let simd = self.target.simd;
        let planes = self.lane_copies(ty, simd + before);
        let dword = |bits: u64| Operand::Imm((bits & 0xffff_ffff) as i64, M::Ud);
        for (number, value) in values.iter().enumerate() {
            let plane = planes[number];
            let lanes = |loc: Loc, byte: u32| skip(at(loc, M::Ud), byte);
            let halves: &[u32] = if ty == Type::F64 { &[0, 4] } else { &[0] };
            for byte in halves {
                let bits = dword(identity >> (8 * byte + 32 * number as u32));
                let first = match before {
                    0 | 1 => 0,
                    _ => {
                        let last = lanes(plane, (before - 1) * plane.pitch + byte);
                        self.one(Opcode::Mov, last, &[bits]);
                        before * plane.pitch
                    }
                };
                let dst = Some(lanes(plane, first + byte));
                self.some_lanes(What::Alu(Opcode::Mov), dst, &[bits], true, simd, |_| {});
            }
            let (from, to) = match of {
                // The upper bits count here.
                Type::I8 | Type::I16 => (
                    super::machine(of, signed),
                    super::machine(Type::I32, signed),
                ),
                _ => (raw_type(of), raw_type(of)),
            };
            if of == Type::F64 && before > 0 && !self.target.caps.float_regions {
                // The float pipe moves no lanes.
                for byte in [0, 4] {
                    let source = match self.function.bits(*value) {
                        Some(bits) => dword(bits >> (8 * byte)),
                        None => skip(self.source(*value, M::Ud)?, byte),
                    };
                    let dst = Some(lanes(plane, before * plane.pitch + byte));
                    self.lanes(What::Alu(Opcode::Mov), dst, &[source], false, |_| {});
                }
                continue;
            }
            let source = self.source(*value, from)?;
            let dst = skip(at(plane, to), before * plane.pitch);
            self.lanes(What::Alu(Opcode::Mov), Some(dst), &[source], false, |_| {});
        }
        Ok((ty, planes))
    }

    /// `dst = a op b` in so many channels. `dst` may be `a`.
    fn combine_lanes(
        &mut self,
        op: Bin,
        ty: Type,
        [dst, a, b]: [Lanes; 3],
        channels: u32,
    ) -> Result<(), String> {
        let grf = self.target.grf();
        let fits = |lanes: &Lanes, exec: u32| {
            let last = (exec - 1) * lanes.pitch() + lanes.planes[0].pitch;
            lanes.byte() % grf + last <= 2 * grf
        };
        let mut exec = channels;
        while exec > 1 && ![dst, a, b].iter().all(|lanes| fits(lanes, exec)) {
            exec /= 2;
        }
        for first in (0..channels).step_by(exec as usize) {
            let [dst, a, b] = [dst, a, b].map(|lanes| lanes.channel(first));
            match (ty, op) {
                (Type::I64, _) => self.combine_wide(op, [dst, a, b], exec)?,
                (Type::I16, Bin::Mul) => {
                    let words = [a, b].map(|lanes| lanes.plane(0, M::Ud));
                    let words = words.map(|operand| super::arith::retype(operand, M::Uw));
                    self.everywhere(Opcode::Mul, exec, dst.plane(0, M::Ud), &words);
                }
                (Type::I32, Bin::Mul) => {
                    let [a, b] = [a, b].map(|lanes| self.beside(lanes, dst, M::Ud, exec));
                    self.product(dst.plane(0, M::Ud), [a, b], exec);
                }
                _ => self.combine_simple(op, ty, [dst, a, b], exec)?,
            }
        }
        Ok(())
    }

    fn combine_simple(
        &mut self,
        op: Bin,
        ty: Type,
        [dst, a, b]: [Lanes; 3],
        exec: u32,
    ) -> Result<(), String> {
        let (source, simple) = operation_types(op, ty);
        let srcs = match ty.is_float() {
            true => [a, b].map(|lanes| self.beside(lanes, dst, source, exec)),
            false => [a, b].map(|lanes| lanes.plane(0, source)),
        };
        let dst = dst.plane(0, source);
        let (opcode, cond) = match (simple, op) {
            (Some(opcode), _) => (opcode, None),
            (_, Bin::UMin | Bin::SMin | Bin::FMin) => (Opcode::Sel, Some(CondMod::Lt)),
            (_, Bin::UMax | Bin::SMax | Bin::FMax) => (Opcode::Sel, Some(CondMod::Ge)),
            _ => return Err(format!("a reduction by {op} of {ty} is not supported")),
        };
        self.with_all(opcode, exec, dst, &srcs, |inst| inst.cond = cond);
        Ok(())
    }

    /// Lanes where the float pipe takes them: where the destination's are, or one for all.
    fn beside(&mut self, lanes: Lanes, dst: Lanes, ty: M, exec: u32) -> Operand {
        let grf = self.target.grf();
        let same = lanes.pitch() == dst.pitch() && lanes.byte() % grf == dst.byte() % grf;
        if self.target.caps.float_regions || exec == 1 || lanes.step == 0 || same {
            return lanes.plane(0, ty);
        }
        let var = self.code.var(2 * grf, grf);
        let byte = dst.byte() % grf;
        let there = Loc {
            place: Place { var, byte },
            pitch: dst.pitch(),
        };
        let halves: &[u32] = if lanes.planes[0].pitch == 8 {
            &[0, 4]
        } else {
            &[0]
        };
        for half in halves {
            let from = skip(lanes.plane(0, M::Ud), *half);
            self.everywhere(Opcode::Mov, exec, skip(at(there, M::Ud), *half), &[from]);
        }
        at(there, ty)
    }

    /// The low half of the product of dwords.
    fn product(&mut self, dst: Operand, [a, b]: [Operand; 2], exec: u32) {
        if self.target.caps.dword_mul {
            return self.everywhere(Opcode::Mul, exec, dst, &[a, b]);
        }
        let step = exec.min(self.target.grf() / 4);
        for first in (0..exec).step_by(step as usize) {
            let [dst, a, b] = [dst, a, b].map(|operand| advance(operand, first));
            let words = super::arith::retype(b, M::Uw);
            self.half_product(false, dst, [a, words, b], (0, step as u8, true));
        }
    }

    /// New lanes at the same place of their registers as these.
    fn like(&mut self, dst: Operand) -> Operand {
        let grf = self.target.grf();
        let var = self.code.var(2 * grf, grf);
        match dst {
            Operand::Var {
                place, ty, stride, ..
            } => Operand::Var {
                place: Place {
                    var,
                    byte: place.byte % grf,
                },
                ty,
                stride,
                neg: false,
                abs: false,
            },
            other => other,
        }
    }

    /// The same on integers of 64 bits, by halves.
    fn combine_wide(&mut self, op: Bin, [dst, a, b]: [Lanes; 3], exec: u32) -> Result<(), String> {
        let half = |lanes: Lanes, number: usize| lanes.plane(number, M::Ud);
        let [low, high] = [0, 1].map(|number| half(dst, number));
        match op {
            Bin::And | Bin::Or | Bin::Xor => {
                let opcode = match op {
                    Bin::And => Opcode::And,
                    Bin::Or => Opcode::Or,
                    _ => Opcode::Xor,
                };
                for number in [0, 1] {
                    let srcs = [half(a, number), half(b, number)];
                    self.everywhere(opcode, exec, half(dst, number), &srcs);
                }
            }
            Bin::Add => {
                self.everywhere(Opcode::Add, exec, low, &[half(a, 0), half(b, 0)]);
                // The sum is less than what was added: minus one.
                let carry = super::arith::retype(self.like(low), M::D);
                let less = |inst: &mut Inst| inst.cond = Some(CondMod::Lt);
                self.with_all(Opcode::Cmp, exec, carry, &[low, half(b, 0)], less);
                self.everywhere(Opcode::Add, exec, high, &[half(a, 1), half(b, 1)]);
                let high = super::arith::retype(high, M::D);
                self.everywhere(Opcode::Add, exec, high, &[high, carry.negated()]);
            }
            Bin::Mul => self.product_wide([dst, a, b], exec),
            Bin::UMin | Bin::UMax | Bin::SMin | Bin::SMax => {
                let (first, second) = match op {
                    Bin::UMin | Bin::SMin => (a, b),
                    _ => (b, a),
                };
                let signed = matches!(op, Bin::SMin | Bin::SMax);
                let ty = if signed { M::D } else { M::Ud };
                let highs = [a.plane(1, ty), b.plane(1, ty)];
                let lows = [half(a, 0), half(b, 0)];
                // f0: a is less. The low halves count where the high ones are equal.
                let null = Operand::Null(M::Ud);
                let less = |inst: &mut Inst| inst.cond = Some(CondMod::Lt);
                self.with_all(Opcode::Cmp, exec, null, &lows, less);
                self.with_all(Opcode::Cmp, exec, null, &highs, |inst| {
                    inst.cond = Some(CondMod::Eq);
                    Self::when(inst);
                });
                self.with_all(Opcode::Cmp, exec, Operand::Null(ty), &highs, |inst| {
                    inst.cond = Some(CondMod::Lt);
                    inst.predicate = crate::code::Predicate::Unless;
                });
                for number in [0, 1] {
                    let srcs = [half(first, number), half(second, number)];
                    let dst = half(dst, number);
                    self.with_all(Opcode::Sel, exec, dst, &srcs, Self::when);
                }
            }
            _ => return Err(format!("a reduction by {op} of i64 is not supported")),
        }
        Ok(())
    }

    /// The product of 64 bits: that of the low halves, and the low parts of what crosses.
    fn product_wide(&mut self, [dst, a, b]: [Lanes; 3], exec: u32) {
        let grf = self.target.grf();
        let step = exec.min(grf / 4);
        for first in (0..exec).step_by(step as usize) {
            let [dst, a, b] = [dst, a, b].map(|lanes| lanes.channel(first));
            let [a0, a1, b0, b1] = [(a, 0), (a, 1), (b, 0), (b, 1)]
                .map(|(lanes, number)| self.at_begin(lanes, number, step));
            let direct = self.begins(dst);
            let [low, high] = match direct {
                true => [0, 1].map(|number| dst.plane(number, M::Ud)),
                false => [(); 2].map(|()| self.register_lanes()),
            };
            // What crosses comes first: the halves may be where operands are.
            let [cross, other] = [(a0, b1), (a1, b0)].map(|operands| {
                let to = self.register_lanes();
                self.product(to, operands.into(), step);
                to
            });
            self.everywhere(Opcode::Add, step, cross, &[cross, other]);
            let words = super::arith::retype(b0, M::Uw);
            let channels = (0, step as u8, true);
            self.half_product(true, high, [a0, words, b0], channels);
            match self.target.caps.mach_asks {
                // It has left the low half there.
                true => {
                    let left = Operand::Arf(ArfKind::Accumulator, 0, 0, M::Ud, 1);
                    self.everywhere(Opcode::Mov, step, low, &[left]);
                }
                false => self.half_product(false, low, [a0, words, b0], channels),
            }
            self.everywhere(Opcode::Add, step, high, &[high, cross]);
            if !direct {
                self.everywhere(Opcode::Mov, step, dst.plane(0, M::Ud), &[low]);
                self.everywhere(Opcode::Mov, step, dst.plane(1, M::Ud), &[high]);
            }
        }
    }

    /// Whether lanes lie side by side from a register's begin on.
    const fn begins(&self, lanes: Lanes) -> bool {
        lanes.pitch() == 4 && lanes.byte().is_multiple_of(self.target.grf())
    }

    /// Lanes side by side from a register's begin on, or one for all.
    fn at_begin(&mut self, lanes: Lanes, number: usize, exec: u32) -> Operand {
        let from = lanes.plane(number, M::Ud);
        if self.begins(lanes) || lanes.step == 0 {
            return from;
        }
        let to = self.register_lanes();
        self.everywhere(Opcode::Mov, exec, to, &[from]);
        to
    }

    /// New dwords that begin a register.
    fn register_lanes(&mut self) -> Operand {
        let grf = self.target.grf();
        let place = Place {
            var: self.code.var(grf, grf),
            byte: 0,
        };
        at(Loc { place, pitch: 4 }, M::Ud)
    }

    /// Combines all lanes: the upper half with the lower one, again and again.
    pub(super) fn reduce(
        &mut self,
        op: Bin,
        values: &[Value],
        results: &[Value],
    ) -> Result<(), String> {
        self.flag = None;
        let (ty, planes) = self.filled(op, values, 0)?;
        let all = Lanes::all(planes);
        let mut count = self.target.simd / 2;
        while count > 0 {
            self.combine_lanes(op, ty, [all, all, all.from(count, 1)], count)?;
            count /= 2;
        }
        for (result, plane) in results.iter().zip(planes) {
            let first = Loc {
                place: plane.place,
                pitch: 0,
            };
            // Nobody writes there again.
            self.set_once(*result, first);
        }
        Ok(())
    }

    /// Combines the lanes of each cluster: neighbours, which then lie side by side.
    pub(super) fn cluster(
        &mut self,
        op: Bin,
        size: u32,
        values: &[Value],
        results: &[Value],
    ) -> Result<(), String> {
        self.flag = None;
        let (ty, mut planes) = self.filled(op, values, 0)?;
        let mut count = self.target.simd;
        let clusters = count / size.min(count);
        while count > clusters {
            count /= 2;
            let from = Lanes::all(planes);
            planes = self.lane_copies(ty, count);
            let operands = [Lanes::all(planes), from.from(0, 2), from.from(1, 2)];
            self.combine_lanes(op, ty, operands, count)?;
        }
        let size = self.target.simd / clusters;
        for (result, plane) in results.iter().zip(planes) {
            let to = self.result(*result);
            let halves: &[u32] = if to.pitch == 8 { &[0, 4] } else { &[0] };
            for half in halves {
                self.repeat(skip(at(to, M::Ud), *half), plane, *half, size);
            }
        }
        Ok(())
    }

    /// Gives each element to so many lanes.
    fn repeat(&mut self, to: Operand, from: Loc, byte: u32, times: u32) {
        let simd = self.target.simd;
        let Operand::Var { stride, .. } = to else {
            return;
        };
        let exec = simd.min(2 * self.target.grf() / (4 * u32::from(stride)));
        for lane in (0..simd).step_by(exec as usize) {
            let place = Place {
                var: from.place.var,
                byte: from.place.byte + lane / times * from.pitch + byte,
            };
            let source = match times {
                1 => at(Loc { place, ..from }, M::Ud),
                _ if times >= exec => at(Loc { place, pitch: 0 }, M::Ud),
                _ => Operand::Repeated {
                    place,
                    ty: M::Ud,
                    step: (from.pitch / 4) as u8,
                    times: times as u8,
                },
            };
            let dst = skip(to, lane * 4 * u32::from(stride));
            let (exec, lane) = (exec as u8, lane as u8);
            self.raw(
                What::Alu(Opcode::Mov),
                exec,
                lane,
                false,
                Some(dst),
                &[source],
                |_| {},
            );
        }
    }

    /// Combines each lane with those before it: the second half of each two, four and so on with the
    /// last of the first half. Further results are of all lanes: they are in the last one.
    pub(super) fn scan(
        &mut self,
        op: Bin,
        inclusive: bool,
        values: &[Value],
        results: &[Value],
    ) -> Result<(), String> {
        self.flag = None;
        let (own, total) = results.split_at(values.len());
        let mut before = u32::from(!inclusive);
        if !inclusive && !total.is_empty() {
            // The last lane is combined, too: lanes begin a register, and the first result lies before.
            before = self.target.grf() / self.function.ty(values[0]).bytes().max(4);
        }
        let (ty, planes) = self.filled(op, values, before)?;
        let simd = self.target.simd;
        let all = match total {
            [] => Lanes::all(planes),
            _ => Lanes::all(planes).from(before, 1),
        };
        let odd = all.from(1, 2);
        self.combine_lanes(op, ty, [odd, odd, all.from(0, 2)], simd / 2)?;
        // A destination's elements are at most four apart, and copies beside it are not worth it.
        let far = match (ty, op) {
            (Type::F16 | Type::F64, _) | (Type::I32, Bin::Mul) => false,
            // They are copied anyway.
            (Type::I64, Bin::Mul) => true,
            _ => self.target.caps.float_regions || !ty.is_float(),
        };
        let mut distance = 2;
        if far {
            for lane in [2, 3] {
                let dst = all.from(lane, 4);
                self.combine_lanes(op, ty, [dst, dst, all.from(1, 4)], simd / 4)?;
            }
            distance = 4;
        }
        while distance < simd {
            for first in (0..simd).step_by(2 * distance as usize) {
                let dst = all.from(first + distance, 1);
                let last = all.one(first + distance - 1);
                self.combine_lanes(op, ty, [dst, dst, last], distance)?;
            }
            distance *= 2;
        }
        let skipped = before.saturating_sub(1);
        for (result, plane) in own.iter().zip(planes) {
            let to = self.result(*result);
            let ty = self.function.ty(*result);
            let first = |ty: M| skip(at(plane, ty), skipped * plane.pitch);
            if ty == Type::F64 && skipped > 0 && !self.target.caps.float_regions {
                for byte in [0, 4] {
                    let half = skip(first(M::Ud), byte);
                    self.alu(Opcode::Mov, skip(at(to, M::Ud), byte), &[half]);
                }
                continue;
            }
            self.copy(to, first(raw_type(ty)), ty);
        }
        for (result, Loc { mut place, pitch }) in total.iter().zip(planes) {
            place.byte += (before + simd - 1) * pitch;
            // Nobody writes there again.
            self.set_once(*result, Loc { place, pitch: 0 });
        }
        Ok(())
    }
}
