//! What is computed from lanes.

use dynasmrt::{DynasmApi, dynasm};
use eu_lanes::Condition;

use crate::plan::{Factors, Kind, Order};
use crate::registers::{Content, Ymm};
use crate::translate::Translator;
use crate::vector::{Job, MAGNITUDE};

/// The predicate of `vcmpps` and its like: what compares with a NaN is false but for "not equal", and
/// raises no exception.
pub(crate) const fn float_predicate(condition: Condition) -> u8 {
    match condition {
        Condition::Eq => 0,
        Condition::Ne => 4,
        Condition::Gt => 0x1e,
        Condition::Ge => 0x1d,
        Condition::Lt => 0x11,
        Condition::Le => 0x12,
        Condition::Un => 3,
    }
}

/// Others, which are no conditions of an EU: neither is a NaN, and what is true of NaNs, too.
pub(crate) const ORDERED: u8 = 7;
pub(crate) const NOT_LESS: u8 = 0x15;
pub(crate) const NOT_GREATER_OR_EQUAL: u8 = 0x19;

/// Neither is a NaN, and the first is less.
pub(crate) const LESS: u8 = 0x11;

impl Translator {
    /// The operation on lanes, into a pinned register.
    pub(crate) fn compute(&mut self, job: &Job<'_>, chunk: usize, a: Ymm, b: Ymm, c: Ymm) -> Ymm {
        let request = &job.step.request;
        let (kind, float) = (job.plan.kind, job.plan.float);
        let long = job.plan.lane == 8;
        // The result may not change what a register is known to hold.
        if kind == Kind::Move && job.plan.limits.is_none() && !self.pool.holds(a) {
            return a;
        }
        let out = self.pool.take();
        macro_rules! each {
            ($float:ident, $dword:ident, $qword:ident) => {
                match (float, long) {
                    (true, true) => dynasm!(self.ops; vaddpd Ry(out), Ry(a), Ry(b)),
                    (true, false) => dynasm!(self.ops; $float Ry(out), Ry(a), Ry(b)),
                    (_, false) => dynasm!(self.ops; $dword Ry(out), Ry(a), Ry(b)),
                    (_, true) => dynasm!(self.ops; $qword Ry(out), Ry(a), Ry(b)),
                }
            };
        }
        match kind {
            _ if let Some(bits) = job.number_of_bits() => {
                self.shift_by(out, kind, long, (a, bits));
            }
            Kind::Move => dynasm!(self.ops; vmovdqa Ry(out), Ry(a)),
            Kind::Not => {
                dynasm!(self.ops
                    ; vpcmpeqd Ry(out), Ry(out), Ry(out)
                    ; vpxor Ry(out), Ry(a), Ry(out)
                );
            }
            Kind::And => dynasm!(self.ops; vpand Ry(out), Ry(a), Ry(b)),
            Kind::Or => dynasm!(self.ops; vpor Ry(out), Ry(a), Ry(b)),
            Kind::Xor => dynasm!(self.ops; vpxor Ry(out), Ry(a), Ry(b)),
            Kind::Bfn(table) => self.boolean(out, table, [a, b, c]),
            Kind::Add => each!(vaddps, vpaddd, vpaddq),
            Kind::Add3 => {
                each!(vaddps, vpaddd, vpaddq);
                if long {
                    dynasm!(self.ops; vpaddq Ry(out), Ry(out), Ry(c));
                } else {
                    dynasm!(self.ops; vpaddd Ry(out), Ry(out), Ry(c));
                }
            }
            Kind::Multiply if float && long => dynasm!(self.ops; vmulpd Ry(out), Ry(a), Ry(b)),
            Kind::Multiply if float => dynasm!(self.ops; vmulps Ry(out), Ry(a), Ry(b)),
            Kind::Multiply if long => self.multiply_long(out, [a, b], job.factors(0)),
            Kind::Multiply => dynasm!(self.ops; vpmulld Ry(out), Ry(a), Ry(b)),
            Kind::MultiplyAdd if float && long => {
                dynasm!(self.ops ; vmovdqa Ry(out), Ry(a));
                self.multiply_add_doubles(out, b, c);
            }
            Kind::MultiplyAddHalves => self.multiply_add_halves(out, [a, b, c]),
            Kind::MultiplyAdd if float => {
                dynasm!(self.ops
                    ; vmovdqa Ry(out), Ry(a)
                    ; vfmadd231ps Ry(out), Ry(b), Ry(c)
                );
            }
            Kind::MultiplyAdd if long => {
                self.multiply_long(out, [b, c], job.factors(1));
                dynasm!(self.ops; vpaddq Ry(out), Ry(out), Ry(a));
            }
            Kind::MultiplyHigh | Kind::MultiplyLow if job.whole => {
                self.multiply_long(out, [a, b], job.factors(0));
            }
            Kind::MultiplyHigh | Kind::MultiplyLow => {
                // The preceding `mul` multiplied by the low half of source 1.
                if job.is_half() {
                    self.accumulated(out, job, chunk);
                    return out;
                }
                let factors = job.factors(0);
                let high = self.pool.take();
                self.shift_right(high, b, 16);
                if factors == Factors::Qwords {
                    let sign = self.constant(1 << 47, 8);
                    dynasm!(self.ops
                        ; vpxor Ry(high), Ry(high), Ry(sign)
                        ; vpsubq Ry(high), Ry(high), Ry(sign)
                    );
                    self.pool.release(sign);
                }
                self.multiply_long(out, [a, high], factors);
                dynasm!(self.ops ; vpsllq Ry(out), Ry(out), 16);
                self.accumulated(high, job, chunk);
                dynasm!(self.ops ; vpaddq Ry(out), Ry(out), Ry(high));
                self.pool.release(high);
            }
            Kind::ProductHigh(signed) => self.product_high(out, [a, b], signed),
            Kind::AddCarry | Kind::SubtractBorrow => {
                let low = self.constant(u64::from(u32::MAX), 8);
                let first = self.pool.take();
                dynasm!(self.ops
                    ; vpand Ry(first), Ry(a), Ry(low)
                    ; vpand Ry(out), Ry(b), Ry(low)
                );
                if kind == Kind::AddCarry {
                    dynasm!(self.ops ; vpaddq Ry(out), Ry(first), Ry(out));
                } else {
                    dynasm!(self.ops ; vpsubq Ry(out), Ry(first), Ry(out));
                }
                self.pool.release(low);
                self.pool.release(first);
            }
            Kind::MultiplyAdd => {
                dynasm!(self.ops
                    ; vpmulld Ry(out), Ry(b), Ry(c)
                    ; vpaddd Ry(out), Ry(out), Ry(a)
                );
            }
            Kind::ShiftLeft | Kind::ShiftRight | Kind::ShiftRightSigned => {
                let bits = self.constant(if long { 63 } else { 31 }, job.plan.lane);
                dynasm!(self.ops; vpand Ry(out), Ry(b), Ry(bits));
                match (kind, long) {
                    (Kind::ShiftLeft, false) => dynasm!(self.ops; vpsllvd Ry(out), Ry(a), Ry(out)),
                    (Kind::ShiftLeft, true) => dynasm!(self.ops; vpsllvq Ry(out), Ry(a), Ry(out)),
                    (Kind::ShiftRight, false) => dynasm!(self.ops; vpsrlvd Ry(out), Ry(a), Ry(out)),
                    (Kind::ShiftRight, true) => dynasm!(self.ops; vpsrlvq Ry(out), Ry(a), Ry(out)),
                    (_, true) => {
                        let sign = self.pool.take();
                        let t = self.pool.take();
                        dynasm!(self.ops
                            ; vpxor Ry(sign), Ry(sign), Ry(sign)
                            ; vpcmpgtq Ry(sign), Ry(sign), Ry(a)
                            ; vpxor Ry(t), Ry(a), Ry(sign)
                            ; vpsrlvq Ry(out), Ry(t), Ry(out)
                            ; vpxor Ry(out), Ry(out), Ry(sign)
                        );
                        self.pool.release(sign);
                        self.pool.release(t);
                    }
                    _ => dynasm!(self.ops; vpsravd Ry(out), Ry(a), Ry(out)),
                }
                self.pool.release(bits);
            }
            Kind::RotateLeft | Kind::RotateRight => {
                let bits = self.constant(31, 4);
                let other = self.constant(32, 4);
                let rest = self.pool.take();
                dynasm!(self.ops
                    ; vpand Ry(out), Ry(b), Ry(bits)
                    ; vpsubd Ry(rest), Ry(other), Ry(out)
                );
                if kind == Kind::RotateLeft {
                    dynasm!(self.ops
                        ; vpsllvd Ry(out), Ry(a), Ry(out)
                        ; vpsrlvd Ry(rest), Ry(a), Ry(rest)
                    );
                } else {
                    dynasm!(self.ops
                        ; vpsrlvd Ry(out), Ry(a), Ry(out)
                        ; vpsllvd Ry(rest), Ry(a), Ry(rest)
                    );
                }
                dynasm!(self.ops; vpor Ry(out), Ry(out), Ry(rest));
                for used in [bits, other, rest] {
                    self.pool.release(used);
                }
            }
            Kind::Min(Order::Signed) => dynasm!(self.ops; vpminsd Ry(out), Ry(a), Ry(b)),
            Kind::Min(Order::Unsigned) => dynasm!(self.ops; vpminud Ry(out), Ry(a), Ry(b)),
            Kind::Max(Order::Signed) => dynasm!(self.ops; vpmaxsd Ry(out), Ry(a), Ry(b)),
            Kind::Max(Order::Unsigned) => dynasm!(self.ops; vpmaxud Ry(out), Ry(a), Ry(b)),
            // The first operand unless it is a NaN or the comparison fails: with a NaN, it does not.
            Kind::Min(Order::Float) | Kind::Max(Order::Float) => {
                let number = self.pool.take();
                let fails_not = if matches!(kind, Kind::Min(_)) {
                    NOT_GREATER_OR_EQUAL
                } else {
                    NOT_LESS
                };
                let prefix = u8::from(long);
                self.packed(prefix, 0xc2, number, [a, a], ORDERED);
                self.packed(prefix, 0xc2, out, [a, b], fails_not);
                dynasm!(self.ops
                    ; vpand Ry(number), Ry(number), Ry(out)
                    ; vblendvps Ry(out), Ry(b), Ry(a), Ry(number)
                );
                self.pool.release(number);
            }
            Kind::Select => {
                let chosen = self.chosen(job, chunk);
                dynasm!(self.ops; vblendvps Ry(out), Ry(b), Ry(a), Ry(chosen));
                self.pool.release(chosen);
            }
            Kind::Compare(order) => {
                self.relate(out, request.condition, order, long, [a, b]);
            }
            Kind::SelectCompare(order) => {
                let zero = self.constant(0, 4);
                self.relate(out, request.condition, order, long, [c, zero]);
                dynasm!(self.ops; vblendvps Ry(out), Ry(b), Ry(a), Ry(out));
                self.pool.release(zero);
            }
            Kind::Round(mode) if long => dynasm!(self.ops; vroundpd Ry(out), Ry(a), mode as i8),
            Kind::Round(mode) => dynasm!(self.ops; vroundps Ry(out), Ry(a), mode as i8),
            Kind::Bits(bits) => self.bits(bits, out, a),
            Kind::Fraction => self.fraction(out, a),
            Kind::Inverse if long => {
                let one = self.constant(1f64.to_bits(), 8);
                dynasm!(self.ops; vdivpd Ry(out), Ry(one), Ry(a));
                self.pool.release(one);
            }
            Kind::Inverse => {
                let one = self.constant(0x3f80_0000, 4);
                dynasm!(self.ops; vdivps Ry(out), Ry(one), Ry(a));
                self.pool.release(one);
            }
            Kind::Divide if long => dynasm!(self.ops; vdivpd Ry(out), Ry(a), Ry(b)),
            Kind::Divide => dynasm!(self.ops; vdivps Ry(out), Ry(a), Ry(b)),
            Kind::SquareRoot if long => dynasm!(self.ops; vsqrtpd Ry(out), Ry(a)),
            Kind::SquareRoot => dynasm!(self.ops; vsqrtps Ry(out), Ry(a)),
            Kind::Convert(conversion) => self.convert(conversion, out, a),
            Kind::Quotient(signed) => self.divide_integers(out, [a, b], signed, false),
            Kind::Remainder(signed) => self.divide_integers(out, [a, b], signed, true),
            Kind::DotBytes(first, second) => self.dot_bytes(out, [a, b, c], [first, second]),
        }
        out
    }

    /// Quotients of dwords, or remainders. Doubles have them exactly: truncated, the quotient of two dwords
    /// is right however it was rounded, since it is further from the next integer than that.
    fn divide_integers(&mut self, out: Ymm, [a, b]: [Ymm; 2], signed: bool, remainder: bool) {
        // A dword becomes a double as the low bits of 2^52, and the other way.
        let bias = self.constant(0x433 << 52, 8);
        let [x, y, t, u] = [(); 4].map(|()| self.pool.take());
        if signed {
            dynasm!(self.ops ; vpabsd Ry(x), Ry(a) ; vpabsd Ry(y), Ry(b));
        } else {
            dynasm!(self.ops ; vmovdqa Ry(x), Ry(a) ; vmovdqa Ry(y), Ry(b));
        }
        for upper in [false, true] {
            for (double, from) in [(t, x), (u, y)] {
                if upper {
                    dynasm!(self.ops ; vextracti128 Rx(double), Ry(from), 1);
                    dynasm!(self.ops ; vpmovzxdq Ry(double), Rx(double));
                } else {
                    dynasm!(self.ops ; vpmovzxdq Ry(double), Rx(from));
                }
                dynasm!(self.ops
                    ; vpor Ry(double), Ry(double), Ry(bias)
                    ; vsubpd Ry(double), Ry(double), Ry(bias)
                );
            }
            dynasm!(self.ops
                ; vdivpd Ry(t), Ry(t), Ry(u)
                ; vroundpd Ry(t), Ry(t), 11
                ; vaddpd Ry(t), Ry(t), Ry(bias)
            );
            self.narrow(t, 8, 4);
            if upper {
                dynasm!(self.ops ; vinserti128 Ry(out), Ry(out), Rx(t), 1);
            } else {
                dynasm!(self.ops ; vmovdqa Ry(out), Ry(t));
            }
        }
        self.pool.release(bias);
        let zero = self.constant(0, 4);
        dynasm!(self.ops ; vpcmpeqd Ry(t), Ry(b), Ry(zero));
        if remainder {
            dynasm!(self.ops
                ; vpmulld Ry(out), Ry(out), Ry(y)
                ; vpsubd Ry(out), Ry(x), Ry(out)
            );
            if signed {
                dynasm!(self.ops
                    ; vpsrad Ry(u), Ry(a), 31
                    ; vpxor Ry(out), Ry(out), Ry(u)
                    ; vpsubd Ry(out), Ry(out), Ry(u)
                );
            }
        } else if signed {
            let most = self.constant(MAGNITUDE, 4);
            dynasm!(self.ops
                ; vpxor Ry(u), Ry(a), Ry(b)
                ; vpsrad Ry(u), Ry(u), 31
                ; vpxor Ry(out), Ry(out), Ry(u)
                ; vpsubd Ry(out), Ry(out), Ry(u)
                ; vpxor Ry(u), Ry(u), Ry(most)
                ; vblendvps Ry(out), Ry(out), Ry(u), Ry(t)
            );
            self.pool.release(most);
        } else {
            dynasm!(self.ops ; vpor Ry(out), Ry(out), Ry(t));
        }
        for used in [x, y, t, u, zero] {
            self.pool.release(used);
        }
    }

    /// `a` and the products of the bytes of `b` and `c`, which are signed or not: those of even bytes and
    /// those of odd ones, as words.
    fn dot_bytes(&mut self, out: Ymm, [a, b, c]: [Ymm; 3], [first, second]: [bool; 2]) {
        let (x, y) = (self.pool.take(), self.pool.take());
        dynasm!(self.ops ; vmovdqa Ry(out), Ry(a));
        for odd in [false, true] {
            for (word, from, signed) in [(x, b, first), (y, c, second)] {
                match (odd, signed) {
                    (true, true) => dynasm!(self.ops ; vpsraw Ry(word), Ry(from), 8),
                    (true, false) => dynasm!(self.ops ; vpsrlw Ry(word), Ry(from), 8),
                    (false, true) => dynasm!(self.ops
                        ; vpsllw Ry(word), Ry(from), 8
                        ; vpsraw Ry(word), Ry(word), 8
                    ),
                    (false, false) => dynasm!(self.ops
                        ; vpsllw Ry(word), Ry(from), 8
                        ; vpsrlw Ry(word), Ry(word), 8
                    ),
                }
            }
            dynasm!(self.ops
                ; vpmaddwd Ry(x), Ry(x), Ry(y)
                ; vpaddd Ry(out), Ry(out), Ry(x)
            );
        }
        self.pool.release(x);
        self.pool.release(y);
    }

    /// The sum of `a` and the product of `b` and `c`, all of them halves: as a double, which becomes a
    /// single that is odd unless it is exact, so that rounding it to a half is the only rounding.
    fn multiply_add_halves(&mut self, out: Ymm, [a, b, c]: [Ymm; 3]) {
        let (high, t, u) = (self.pool.take(), self.pool.take(), self.pool.take());
        let low = self.constant((1 << 29) - 1, 8);
        let odd = self.constant(1 << 29, 8);
        let zero = self.constant(0, 4);
        for (upper, to) in [(false, out), (true, high)] {
            for (from, double) in [(b, t), (c, u)] {
                self.half_to_doubles(double, from, upper);
            }
            dynasm!(self.ops; vmulpd Ry(t), Ry(t), Ry(u));
            self.half_to_doubles(u, a, upper);
            dynasm!(self.ops
                ; vaddpd Ry(t), Ry(t), Ry(u)
                ; vpand Ry(u), Ry(t), Ry(low)
                ; vpcmpeqq Ry(u), Ry(u), Ry(zero)
                ; vpandn Ry(u), Ry(u), Ry(odd)
                ; vpandn Ry(t), Ry(low), Ry(t)
                ; vpor Ry(t), Ry(t), Ry(u)
                ; vcvtpd2ps Rx(to), Ry(t)
            );
        }
        dynasm!(self.ops; vinserti128 Ry(out), Ry(out), Rx(high), 1);
        for used in [high, t, u, low, odd, zero] {
            self.pool.release(used);
        }
    }

    /// `vfmadd231pd`, for which the assembler has the code of `vfmadd231ps`.
    fn multiply_add_doubles(&mut self, out: Ymm, b: Ymm, c: Ymm) {
        let high = u8::from(out < 8) << 7 | u8::from(c < 8) << 5;
        let direct = 0xc0 | (out & 7) << 3 | c & 7;
        for byte in [0xc4, 0x42 | high, 0x85 | (!b & 15) << 3, 0xb8, direct] {
            self.ops.push(byte);
        }
    }

    /// Four of eight singles as doubles.
    fn half_to_doubles(&mut self, out: Ymm, from: Ymm, upper: bool) {
        if upper {
            dynasm!(self.ops
                ; vextracti128 Rx(out), Ry(from), 1
                ; vcvtps2pd Ry(out), Rx(out)
            );
        } else {
            dynasm!(self.ops; vcvtps2pd Ry(out), Rx(from));
        }
    }

    /// Qwords by so many bits.
    pub(crate) fn shift_right(&mut self, out: Ymm, a: Ymm, bits: u8) {
        self.shift_qwords(2, out, a, bits);
    }

    /// The same to the left.
    pub(crate) fn shift_left(&mut self, out: Ymm, a: Ymm, bits: u8) {
        self.shift_qwords(6, out, a, bits);
    }

    /// `vpsrlq`, with digit 2, or `vpsllq`, with digit 6, by a number: the assembler has only the 128-bit form of the
    /// first.
    fn shift_qwords(&mut self, digit: u8, out: Ymm, a: Ymm, bits: u8) {
        let high = u8::from(a < 8) << 5;
        for byte in [
            0xc4,
            0xc1 | high,
            0x05 | (!out & 15) << 3,
            0x73,
            0xc0 | digit << 3 | a & 7,
            bits,
        ] {
            self.ops.push(byte);
        }
    }

    /// Shifts and rotations by a number.
    fn shift_by(&mut self, out: Ymm, kind: Kind, long: bool, (a, bits): (Ymm, u8)) {
        let number = bits as i8;
        match (kind, long) {
            (Kind::ShiftLeft, true) => self.shift_qwords(6, out, a, bits),
            (Kind::ShiftRight, true) => self.shift_qwords(2, out, a, bits),
            (Kind::ShiftLeft, false) => dynasm!(self.ops ; vpslld Ry(out), Ry(a), number),
            (Kind::ShiftRight, false) => dynasm!(self.ops ; vpsrld Ry(out), Ry(a), number),
            (Kind::ShiftRightSigned, false) => dynasm!(self.ops ; vpsrad Ry(out), Ry(a), number),
            (Kind::ShiftRightSigned, true) => {
                let sign = self.pool.take();
                dynasm!(self.ops
                    ; vpxor Ry(sign), Ry(sign), Ry(sign)
                    ; vpcmpgtq Ry(sign), Ry(sign), Ry(a)
                    ; vpxor Ry(out), Ry(a), Ry(sign)
                );
                self.shift_qwords(2, out, out, bits);
                dynasm!(self.ops ; vpxor Ry(out), Ry(out), Ry(sign));
                self.pool.release(sign);
            }
            _ => {
                let left = if kind == Kind::RotateLeft {
                    bits
                } else {
                    32 - bits
                };
                let rest = self.pool.take();
                dynasm!(self.ops
                    ; vpslld Ry(rest), Ry(a), (left & 31) as i8
                    ; vpsrld Ry(out), Ry(a), (32 - (left & 31)) as i8
                    ; vpor Ry(out), Ry(out), Ry(rest)
                );
                self.pool.release(rest);
            }
        }
    }

    /// The low halves of products of qwords.
    fn multiply_long(&mut self, out: Ymm, [a, b]: [Ymm; 2], factors: Factors) {
        match factors {
            Factors::Unsigned => return dynasm!(self.ops ; vpmuludq Ry(out), Ry(a), Ry(b)),
            Factors::Signed => return dynasm!(self.ops ; vpmuldq Ry(out), Ry(a), Ry(b)),
            Factors::Qwords => {}
        }
        let (cross, t) = (self.pool.take(), self.pool.take());
        self.shift_right(cross, a, 32);
        self.shift_right(t, b, 32);
        dynasm!(self.ops
            ; vpmuludq Ry(cross), Ry(cross), Ry(b)
            ; vpmuludq Ry(t), Ry(t), Ry(a)
            ; vpaddq Ry(cross), Ry(cross), Ry(t)
            ; vpsllq Ry(cross), Ry(cross), 32
            ; vpmuludq Ry(out), Ry(a), Ry(b)
            ; vpaddq Ry(out), Ry(out), Ry(cross)
        );
        self.pool.release(cross);
        self.pool.release(t);
    }

    /// The accumulator's integers: the whole values where their low halves still are the registers,
    /// otherwise the registers, extended by the destination's sign.
    fn accumulated(&mut self, out: Ymm, job: &Job<'_>, chunk: usize) {
        let accumulator = job.step.request.accumulator.unwrap_or_default();
        let low = (accumulator.low + 16 * chunk as u32) as i32;
        let wide = (accumulator.wide + 32 * chunk as u32) as i32;
        if self
            .whole
            .is_some_and(|whole| whole.has(&accumulator, job.lanes))
        {
            let known = self.pool.find(Content::Bytes(wide as u32, 32));
            match known {
                Some(known) => dynasm!(self.ops ; vmovdqa Ry(out), Ry(known)),
                None if job.lanes == 1 => dynasm!(self.ops ; vmovq Rx(out), [r12 + wide]),
                None => dynasm!(self.ops ; vmovdqu Ry(out), [r12 + wide]),
            }
            if let Some(known) = known {
                self.pool.release(known);
            }
            return;
        }
        let bits = self.constant(u64::from(u32::MAX), 8);
        let (registers, same) = (self.pool.take(), self.pool.take());
        // A load that is wider than the store before it waits.
        let one = job.lanes == 1;
        if one {
            dynasm!(self.ops
                ; vmovq Rx(out), [r12 + wide]
                ; vmovd Rx(registers), [r12 + low]
            );
        } else {
            dynasm!(self.ops
                ; vmovdqu Ry(out), [r12 + wide]
                ; vpmovzxdq Ry(registers), [r12 + low]
            );
        }
        dynasm!(self.ops
            ; vpand Ry(same), Ry(out), Ry(bits)
            ; vpcmpeqq Ry(same), Ry(same), Ry(registers)
        );
        match (job.step.request.output.element.is_signed(), one) {
            (false, _) => {}
            (true, false) => dynasm!(self.ops ; vpmovsxdq Ry(registers), [r12 + low]),
            (true, true) => dynasm!(self.ops
                ; movsxd rax, DWORD [r12 + low]
                ; vmovq Rx(registers), rax
            ),
        }
        dynasm!(self.ops ; vblendvps Ry(out), Ry(registers), Ry(out), Ry(same));
        for used in [bits, registers, same] {
            self.pool.release(used);
        }
    }

    /// The disjunction of the table's rows.
    pub(crate) fn boolean(&mut self, out: Ymm, table: u8, sources: [Ymm; 3]) {
        let term = self.pool.take();
        let ones = self.constant(u64::from(u32::MAX), 4);
        dynasm!(self.ops; vpxor Ry(out), Ry(out), Ry(out));
        for entry in (0..8u8).filter(|entry| table >> entry & 1 != 0) {
            dynasm!(self.ops; vmovdqa Ry(term), Ry(ones));
            for (bit, source) in sources.iter().enumerate() {
                if entry >> bit & 1 != 0 {
                    dynasm!(self.ops; vpand Ry(term), Ry(term), Ry(*source));
                } else {
                    dynasm!(self.ops; vpandn Ry(term), Ry(*source), Ry(term));
                }
            }
            dynasm!(self.ops; vpor Ry(out), Ry(out), Ry(term));
        }
        self.pool.release(term);
        self.pool.release(ones);
    }

    /// All ones where `a` relates to `b`.
    pub(crate) fn relate(
        &mut self,
        out: Ymm,
        condition: Option<Condition>,
        order: Order,
        long: bool,
        [a, b]: [Ymm; 2],
    ) {
        let condition = condition.unwrap_or(Condition::Un);
        if order == Order::Float {
            let predicate = float_predicate(condition);
            if long {
                self.packed(1, 0xc2, out, [a, b], predicate);
            } else {
                self.compare_floats(out, [a, b], predicate);
            }
            return;
        }
        if condition == Condition::Un {
            dynasm!(self.ops; vpxor Ry(out), Ry(out), Ry(out));
            return;
        }
        let equals = matches!(condition, Condition::Eq | Condition::Ne);
        let swaps = matches!(condition, Condition::Lt | Condition::Ge);
        let inverts = matches!(condition, Condition::Ne | Condition::Ge | Condition::Le);
        let (mut x, mut y) = if swaps { (b, a) } else { (a, b) };
        let mut temporary = None;
        if order == Order::Unsigned && !equals {
            let lane = if long { 8 } else { 4 };
            let sign = self.constant(1 << (8 * lane - 1), lane);
            let flipped = self.pool.take();
            dynasm!(self.ops
                ; vpxor Ry(out), Ry(x), Ry(sign)
                ; vpxor Ry(flipped), Ry(y), Ry(sign)
            );
            self.pool.release(sign);
            (x, y) = (out, flipped);
            temporary = Some(flipped);
        }
        match (equals, long) {
            (true, false) => dynasm!(self.ops; vpcmpeqd Ry(out), Ry(x), Ry(y)),
            (true, true) => dynasm!(self.ops; vpcmpeqq Ry(out), Ry(x), Ry(y)),
            (false, false) => dynasm!(self.ops; vpcmpgtd Ry(out), Ry(x), Ry(y)),
            (false, true) => dynasm!(self.ops; vpcmpgtq Ry(out), Ry(x), Ry(y)),
        }
        if inverts {
            let ones = self.constant(u64::from(u32::MAX), 4);
            dynasm!(self.ops; vpxor Ry(out), Ry(out), Ry(ones));
            self.pool.release(ones);
        }
        if let Some(register) = temporary {
            self.pool.release(register);
        }
    }

    /// `vcmpps`, for which the assembler exchanges the first operand and the last.
    pub(crate) fn compare_floats(&mut self, out: Ymm, sources: [Ymm; 2], predicate: u8) {
        self.packed(0, 0xc2, out, sources, predicate);
    }

    /// `vshufps`, of which the same is true.
    pub(crate) fn shuffle(&mut self, out: Ymm, sources: [Ymm; 2], order: u8) {
        self.packed(0, 0xc6, out, sources, order);
    }

    /// Such an instruction; doubles have prefix 1.
    pub(crate) fn packed(
        &mut self,
        prefix: u8,
        opcode: u8,
        out: Ymm,
        [a, b]: [Ymm; 2],
        immediate: u8,
    ) {
        let high = u8::from(out < 8) << 7 | u8::from(b < 8) << 5;
        let direct = 0xc0 | (out & 7) << 3 | b & 7;
        for byte in [
            0xc4,
            0x41 | high,
            0x04 | prefix | (!a & 15) << 3,
            opcode,
            direct,
            immediate,
        ] {
            self.ops.push(byte);
        }
    }
}
