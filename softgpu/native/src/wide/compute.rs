//! What is computed from lanes.

use dynasmrt::{DynasmApi, dynasm};
use eu_lanes::Condition;

use super::store::CHOOSE;
use super::{BYTES, FIRST, SECOND};
use crate::compute::{LESS, NOT_GREATER_OR_EQUAL, NOT_LESS, ORDERED, float_predicate};
use crate::conversions::WHOLE;
use crate::evex::{
    Evex, K, LEFT, Lanes, Operand, RIGHT, RIGHT_SIGNED, ROTATE_LEFT, ROTATE_RIGHT, VADDPD, VADDPS,
    VCMPPD, VCMPPS, VCVTDQ2PS, VCVTPD2PS, VCVTPS2PD, VCVTQQ2PD, VCVTTPD2UDQ, VCVTTPS2DQ,
    VCVTTPS2UDQ, VCVTUDQ2PD, VCVTUDQ2PS, VDIVPD, VDIVPS, VEXTRACTI32X8, VFMADD231PS, VINSERTI32X8,
    VMAXPD, VMAXPS, VMINPD, VMOVDQU32_LOAD, VMULPD, VMULPS, VPABSD, VPADDD, VPADDQ, VPANDD,
    VPBLENDMD, VPCMPD, VPCMPUD, VPMAXSD, VPMAXUD, VPMINSD, VPMINUD, VPMOVQD, VPMOVZXDQ, VPMULDQ,
    VPMULLD, VPMULUDQ, VPORD, VPROLVD, VPRORVD, VPSHIFTD, VPSHIFTQ, VPSLLVD, VPSRAVD, VPSRLVD,
    VPSUBD, VPSUBQ, VPTERNLOGD, VPTESTNMD, VPXORD, VRNDSCALEPD, VRNDSCALEPS, VSQRTPD, VSQRTPS,
    VSUBPS, general,
};
use crate::plan::{Conversion, Factors, Kind, Order};
use crate::registers::{Pool, Zmm};
use crate::translate::Translator;
use crate::vector::{Job, MAGNITUDE};

/// A predicate of float comparisons.
const GREATER_OR_EQUAL: u8 = float_predicate(Condition::Ge);

/// The one instruction that computes this from two sources.
const fn of_two(kind: Kind, float: bool, lane: usize) -> Option<Evex> {
    let long = lane == 8;
    let instruction = match (kind, float, long) {
        (Kind::Add, true, false) => VADDPS,
        (Kind::Add, true, true) => VADDPD,
        (Kind::Add, false, false) => VPADDD,
        (Kind::Add, false, true) => VPADDQ,
        (Kind::Multiply, true, false) => VMULPS,
        (Kind::Multiply, true, true) => VMULPD,
        (Kind::Multiply, false, false) => VPMULLD,
        (Kind::Divide, _, false) => VDIVPS,
        (Kind::Divide, _, true) => VDIVPD,
        (Kind::And, ..) => VPANDD,
        (Kind::Or, ..) => VPORD,
        (Kind::Xor, ..) => VPXORD,
        (Kind::Min(Order::Signed), ..) => VPMINSD.of(lane),
        (Kind::Min(Order::Unsigned), ..) => VPMINUD.of(lane),
        (Kind::Max(Order::Signed), ..) => VPMAXSD.of(lane),
        (Kind::Max(Order::Unsigned), ..) => VPMAXUD.of(lane),
        // These count by the low bits.
        (Kind::RotateLeft, ..) => VPROLVD,
        (Kind::RotateRight, ..) => VPRORVD,
        _ => return None,
    };
    Some(instruction)
}

/// The one instruction that computes this from one source.
const fn of_one(kind: Kind, lane: usize) -> Option<Evex> {
    let instruction = match kind {
        Kind::SquareRoot if lane == 8 => VSQRTPD,
        Kind::SquareRoot => VSQRTPS,
        Kind::Convert(Conversion::SignedToFloat) => VCVTDQ2PS,
        Kind::Convert(Conversion::UnsignedToFloat) => VCVTUDQ2PS,
        Kind::Move => VMOVDQU32_LOAD,
        _ => return None,
    };
    Some(instruction)
}

/// The instruction that shifts each lane by its own count, below the lane's bits.
const fn shift(kind: Kind, lane: usize) -> Option<Evex> {
    let instruction = match kind {
        Kind::ShiftLeft => VPSLLVD,
        Kind::ShiftRight => VPSRLVD,
        Kind::ShiftRightSigned => VPSRAVD,
        _ => return None,
    };
    Some(instruction.of(lane))
}

impl Translator {
    /// Whether there is a form here.
    pub(super) fn computes_wide(job: &Job<'_>) -> bool {
        match job.plan.kind {
            Kind::MultiplyAddHalves | Kind::DotBytes(..) => false,
            Kind::MultiplyHigh | Kind::MultiplyLow => job.whole,
            _ => true,
        }
    }

    /// The operation on lanes, into a pinned register: that of a source, if it is a move whose result `blends` with
    /// what is there. Floats are multiplied and divided for the lanes that are `served`.
    pub(super) fn wide_compute(
        &mut self,
        job: &Job<'_>,
        chunk: usize,
        sources: [Zmm; 3],
        (blends, served): (bool, Lanes),
    ) -> Zmm {
        let [a, b, c] = sources;
        let (kind, lane, width) = (job.plan.kind, job.plan.lane, job.width());
        let float = job.plan.float;
        let condition = job.step.request.condition;
        // Where not all channels are written, a blend copies what is moved, and nothing needs a value of its own twice.
        let own = a >= Pool::COUNT && !self.wide.holds(a);
        let keeps = kind == Kind::Move && !float && job.plan.limits.is_none();
        if keeps && (blends || own) {
            return a;
        }
        // The result may not change what a register is known to hold.
        let out = self.wide_take();
        let to = (out, Lanes::All);
        let register = Operand::Register;
        if let Some(bits) = job.number_of_bits() {
            self.shift_lanes((kind, lane), width, (out, a), bits);
            return out;
        }
        if let Some(instruction) = of_two(kind, float, lane) {
            self.evex(instruction, width, (out, served), a, register(b));
            return out;
        }
        if let Some(instruction) = of_one(kind, lane) {
            self.evex(instruction, width, (out, served), 0, register(a));
            return out;
        }
        if let Some(instruction) = shift(kind, lane) {
            let bits = self.wide_constant(8 * lane as u64 - 1, lane);
            self.evex(VPANDD, width, to, b, register(bits));
            self.evex(instruction, width, to, a, register(out));
            self.wide.release(bits);
            return out;
        }
        let copy = |own: &mut Self, lanes, from| {
            own.evex(
                VMOVDQU32_LOAD.of(lane),
                width,
                (out, lanes),
                0,
                register(from),
            );
        };
        match kind {
            Kind::Not => self.evex_with(VPTERNLOGD, width, to, a, register(a), 0x55),
            // The table's index is that of the instruction, with the first source last.
            Kind::Bfn(table) => {
                copy(self, Lanes::All, c);
                self.evex_with(VPTERNLOGD, width, to, b, register(a), table);
            }
            Kind::Add3 => {
                let add = if lane == 8 { VPADDQ } else { VPADDD };
                self.evex(add, width, to, a, register(b));
                self.evex(add, width, to, out, register(c));
            }
            Kind::MultiplyAdd if float => {
                copy(self, Lanes::All, a);
                let to = (out, served);
                self.evex(VFMADD231PS.of(lane), width, to, b, register(c));
            }
            Kind::MultiplyAdd if lane == 8 => {
                self.multiply_qwords((out, width), [b, c], job.factors(1));
                self.evex(VPADDQ, width, to, out, register(a));
            }
            Kind::MultiplyAdd => {
                self.evex(VPMULLD, width, to, b, register(c));
                self.evex(VPADDD, width, to, out, register(a));
            }
            Kind::Multiply | Kind::MultiplyHigh | Kind::MultiplyLow => {
                self.multiply_qwords((out, width), [a, b], job.factors(0));
            }
            Kind::ProductHigh(signed) => {
                let kind = if signed {
                    Factors::Signed
                } else {
                    Factors::Unsigned
                };
                let (x, y) = (self.wide_take(), self.wide_take());
                let shift = (RIGHT, Lanes::All);
                self.evex_with(VPSHIFTQ, width, shift, x, register(a), 32);
                self.evex_with(VPSHIFTQ, width, shift, y, register(b), 32);
                self.multiply_qwords((x, width), [x, y], kind);
                self.multiply_qwords((y, width), [a, b], kind);
                self.evex_with(VPSHIFTQ, width, shift, y, register(y), 32);
                let high = self.wide_constant(u64::MAX << 32, 8);
                copy(self, Lanes::All, high);
                self.evex_with(VPTERNLOGD, width, to, x, register(y), CHOOSE);
                for used in [x, y, high] {
                    self.wide.release(used);
                }
            }
            Kind::AddCarry | Kind::SubtractBorrow => {
                let compute = if kind == Kind::AddCarry {
                    VPADDQ
                } else {
                    VPSUBQ
                };
                if job.factors(0) == Factors::Unsigned {
                    self.evex(compute, width, to, a, register(b));
                } else {
                    let low = self.wide_constant(u64::from(u32::MAX), 8);
                    let first = self.wide_take();
                    self.evex(VPANDD, width, (first, Lanes::All), a, register(low));
                    self.evex(VPANDD, width, to, b, register(low));
                    self.evex(compute, width, to, first, register(out));
                    self.wide.release(low);
                    self.wide.release(first);
                }
            }
            // The first operand unless it is a NaN or the comparison fails: with a NaN, it does not.
            Kind::Min(_) | Kind::Max(_) => {
                let fails_not = if matches!(kind, Kind::Min(_)) {
                    NOT_GREATER_OR_EQUAL
                } else {
                    NOT_LESS
                };
                let compare = if lane == 8 { VCMPPD } else { VCMPPS };
                let numbers = (FIRST.0, Lanes::All);
                self.evex_with(compare, width, numbers, a, register(a), ORDERED);
                let chosen = (FIRST.0, Lanes::Merge(FIRST));
                self.evex_with(compare, width, chosen, a, register(b), fails_not);
                let to = (out, Lanes::Merge(FIRST));
                self.evex(VPBLENDMD.of(lane), width, to, b, register(a));
            }
            Kind::Select => match job.step.masking.predicate {
                None => copy(self, Lanes::All, a),
                Some(predicate) => {
                    let (first, lanes) = (chunk * job.chunk, job.lanes.min(job.chunk));
                    let kept = self.chosen_lanes(job, first, lanes);
                    let chosen = kept.unwrap_or(FIRST);
                    if kept.is_none() {
                        let offset = job.step.masking.channel_offset.into();
                        self.predicate_to_ecx(predicate, offset, job.lanes);
                        if chunk > 0 {
                            dynasm!(self.ops ; shr ecx, first as i8);
                        }
                        self.mask_from(FIRST, general::RCX);
                    }
                    let to = (out, Lanes::Merge(chosen));
                    self.evex(VPBLENDMD.of(lane), width, to, b, register(a));
                }
            },
            Kind::SelectCompare(order) => {
                let zero = self.wide_constant(0, 4);
                self.wide_relate(FIRST, condition, (order, width), (lane, [c, zero]));
                let to = (out, Lanes::Merge(FIRST));
                self.evex(VPBLENDMD.of(lane), width, to, b, register(a));
                self.wide.release(zero);
            }
            Kind::Round(mode) if lane == 8 => {
                self.evex_with(VRNDSCALEPD, width, to, 0, register(a), mode);
            }
            Kind::Round(mode) => self.evex_with(VRNDSCALEPS, width, to, 0, register(a), mode),
            Kind::Bits(bits) => self.wide_bits(bits, width, out, a),
            Kind::Fraction => {
                let (floor, error) = (self.wide_take(), self.wide_take());
                let (zero, ones) = (
                    self.wide_constant(0, 4),
                    self.wide_constant(u32::MAX.into(), 4),
                );
                let all = Lanes::All;
                self.evex_with(VRNDSCALEPS, width, (floor, all), 0, register(a), 9);
                self.evex(VSUBPS, width, to, a, register(floor));
                self.evex(VADDPS, width, (error, all), out, register(floor));
                self.evex(VSUBPS, width, (error, all), a, register(error));
                self.evex_with(VCMPPS, width, (FIRST.0, all), error, register(zero), LESS);
                self.evex(
                    VPADDD,
                    width,
                    (out, Lanes::Merge(FIRST)),
                    out,
                    register(ones),
                );
                for used in [floor, error, zero, ones] {
                    self.wide.release(used);
                }
            }
            Kind::Convert(Conversion::SingleToDouble) => {
                self.evex(VPMOVQD, width, (a, Lanes::All), 0, register(out));
                self.evex(VCVTPS2PD, width, to, 0, register(out));
            }
            Kind::Convert(Conversion::DoubleToSingle) => {
                self.evex(VCVTPD2PS, width, to, 0, register(a));
                self.evex(VPMOVZXDQ, width, to, 0, register(out));
            }
            Kind::Convert(Conversion::IntegerToDouble) => {
                self.evex(VCVTQQ2PD, width, to, 0, register(a))
            }
            Kind::Convert(Conversion::DoubleToInteger(limits)) => {
                let [low, high] = limits.doubles().map(|limit| self.wide_constant(limit, 8));
                let whole = self.wide_constant(WHOLE.to_bits(), 8);
                let numbers = (FIRST.0, Lanes::All);
                self.evex_with(VCMPPD, width, numbers, a, register(a), ORDERED);
                self.evex(VMAXPD, width, to, a, register(low));
                self.evex(VMINPD, width, to, out, register(high));
                self.evex_with(VRNDSCALEPD, width, to, 0, register(out), 11);
                self.evex(
                    VADDPD,
                    width,
                    (out, Lanes::Zero(FIRST)),
                    out,
                    register(whole),
                );
                for used in [low, high, whole] {
                    self.wide.release(used);
                }
            }
            Kind::Inverse => {
                let (one, divide) = match lane {
                    8 => (1f64.to_bits(), VDIVPD),
                    _ => (1f32.to_bits().into(), VDIVPS),
                };
                let one = self.wide_constant(one, lane);
                self.evex(divide, width, (out, served), one, register(a));
                self.wide.release(one);
            }
            Kind::Convert(Conversion::FloatToSigned) => {
                // What is too large converts to the sign bit, and should be the largest.
                let limit = self.wide_constant(0x4f00_0000, 4);
                let ones = self.wide_constant(u32::MAX.into(), 4);
                let holds = GREATER_OR_EQUAL;
                self.evex_with(
                    VCMPPS,
                    width,
                    (FIRST.0, Lanes::All),
                    a,
                    register(limit),
                    holds,
                );
                self.evex_with(
                    VCMPPS,
                    width,
                    (SECOND.0, Lanes::All),
                    a,
                    register(a),
                    ORDERED,
                );
                self.evex(
                    VCVTTPS2DQ,
                    width,
                    (out, Lanes::Zero(SECOND)),
                    0,
                    register(a),
                );
                self.evex(
                    VPXORD,
                    width,
                    (out, Lanes::Merge(FIRST)),
                    out,
                    register(ones),
                );
                self.wide.release(limit);
                self.wide.release(ones);
            }
            Kind::Convert(Conversion::FloatToUnsigned) => {
                // Below zero, and NaN: zero. What is too large converts to all ones.
                let zero = self.wide_constant(0, 4);
                self.evex(VMAXPS, width, to, a, register(zero));
                self.evex(VCVTTPS2UDQ, width, to, 0, register(out));
                self.wide.release(zero);
            }
            Kind::Quotient(signed) => self.divide_dwords(out, [a, b], width, signed, false),
            Kind::Remainder(signed) => self.divide_dwords(out, [a, b], width, signed, true),
            // `computes_wide` has no others.
            _ => copy(self, Lanes::All, a),
        }
        out
    }

    /// The low halves of products of qwords.
    fn multiply_qwords(&mut self, (out, width): (Zmm, usize), [a, b]: [Zmm; 2], factors: Factors) {
        let multiply = match factors {
            Factors::Unsigned => VPMULUDQ,
            Factors::Signed => VPMULDQ,
            Factors::Qwords => VPMULLD.of(8),
        };
        self.evex(multiply, width, (out, Lanes::All), a, Operand::Register(b));
    }

    /// Shifts or rotates all lanes by a number of bits.
    fn shift_lanes(
        &mut self,
        (kind, lane): (Kind, usize),
        width: usize,
        (out, from): (Zmm, Zmm),
        bits: u8,
    ) {
        let logical = if lane == 8 { VPSHIFTQ } else { VPSHIFTD };
        let (instruction, way) = match kind {
            Kind::ShiftLeft => (logical, LEFT),
            Kind::ShiftRight => (logical, RIGHT),
            Kind::RotateLeft => (VPSHIFTD.of(lane), ROTATE_LEFT),
            Kind::RotateRight => (VPSHIFTD.of(lane), ROTATE_RIGHT),
            _ => (VPSHIFTD.of(lane), RIGHT_SIGNED),
        };
        // The destination is the operand that others have as their first source.
        let to = (way, Lanes::All);
        self.evex_with(instruction, width, to, out, Operand::Register(from), bits);
    }

    /// Quotients of dwords, or remainders; compare `divide_integers`.
    fn divide_dwords(
        &mut self,
        out: Zmm,
        [a, b]: [Zmm; 2],
        width: usize,
        signed: bool,
        remainder: bool,
    ) {
        let register = Operand::Register;
        let to = (out, Lanes::All);
        let [x, y, t, u] = [(); 4].map(|()| self.wide_take());
        let plain = if signed { VPABSD } else { VMOVDQU32_LOAD };
        self.evex(plain, width, (x, Lanes::All), 0, register(a));
        self.evex(plain, width, (y, Lanes::All), 0, register(b));
        for upper in 0..(2 * width).div_ceil(BYTES) {
            let bytes = (2 * width).min(BYTES);
            for (double, from) in [(t, x), (u, y)] {
                let mut from = from;
                if upper == 1 {
                    let upper = (from, Lanes::All);
                    self.evex_with(VEXTRACTI32X8, BYTES, upper, 0, register(double), 1);
                    from = double;
                }
                self.evex(VCVTUDQ2PD, bytes, (double, Lanes::All), 0, register(from));
            }
            self.evex(VDIVPD, bytes, (t, Lanes::All), t, register(u));
            // By zero: all ones.
            self.evex(VCVTTPD2UDQ, bytes, (t, Lanes::All), 0, register(t));
            if upper == 1 {
                self.evex_with(VINSERTI32X8, BYTES, to, out, register(t), 1);
            } else {
                self.evex(VMOVDQU32_LOAD, BYTES, to, 0, register(t));
            }
        }
        let subtract = |own: &mut Self, sign| {
            own.evex(VPXORD, width, to, out, register(sign));
            own.evex(VPSUBD, width, to, out, register(sign));
        };
        if remainder {
            self.evex(VPMULLD, width, to, out, register(y));
            self.evex(VPSUBD, width, to, x, register(out));
        }
        if signed {
            let sign = if remainder { a } else { u };
            if !remainder {
                self.evex(VPXORD, width, (u, Lanes::All), a, register(b));
            }
            let shift = (RIGHT_SIGNED, Lanes::All);
            self.evex_with(VPSHIFTD, width, shift, u, register(sign), 31);
            subtract(self, u);
            if !remainder {
                let zero = (FIRST.0, Lanes::All);
                let most = self.wide_constant(MAGNITUDE, 4);
                self.evex(VPTESTNMD, width, zero, b, register(b));
                self.evex(VPXORD, width, (out, Lanes::Merge(FIRST)), u, register(most));
                self.wide.release(most);
            }
        }
        for used in [x, y, t, u] {
            self.wide.release(used);
        }
    }

    /// The lanes of which `a` relates to `b`.
    pub(super) fn wide_relate(
        &mut self,
        holds: K,
        condition: Option<Condition>,
        (order, width): (Order, usize),
        (lane, [a, b]): (usize, [Zmm; 2]),
    ) {
        let condition = condition.unwrap_or(Condition::Un);
        let to = (holds.0, Lanes::All);
        if order == Order::Float {
            let compare = if lane == 8 { VCMPPD } else { VCMPPS };
            let predicate = float_predicate(condition);
            return self.evex_with(compare, width, to, a, Operand::Register(b), predicate);
        }
        let predicate = match condition {
            Condition::Eq => 0,
            Condition::Lt => 1,
            Condition::Le => 2,
            // Never.
            Condition::Un => 3,
            Condition::Ne => 4,
            Condition::Ge => 5,
            Condition::Gt => 6,
        };
        let compare = match order {
            Order::Unsigned => VPCMPUD,
            _ => VPCMPD,
        };
        self.evex_with(
            compare.of(lane),
            width,
            to,
            a,
            Operand::Register(b),
            predicate,
        );
    }
}
