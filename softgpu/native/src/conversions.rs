//! Conversions among integers, singles and doubles, and what is left of a single without its floor.

use dynasmrt::{DynasmApi, dynasm};

use crate::compute::{LESS, ORDERED};
use crate::plan::{Conversion, Limits};
use crate::registers::Ymm;
use crate::translate::Translator;
use crate::vector::SIGN;

/// The order of what is at even places.
const EVEN: i8 = 8;

/// A double beside which 51 bits are a whole number.
pub(crate) const WHOLE: f64 = 6_755_399_441_055_744.0;

impl Translator {
    pub(crate) fn convert(&mut self, conversion: Conversion, out: Ymm, a: Ymm) {
        match conversion {
            Conversion::SignedToFloat => dynasm!(self.ops; vcvtdq2ps Ry(out), Ry(a)),
            Conversion::UnsignedToFloat => self.unsigned_to_float(out, a),
            Conversion::FloatToSigned => {
                // What is too large, and NaN, converts to the sign bit.
                let limit = self.constant(0x4f00_0000, 4);
                let fix = self.pool.take();
                dynasm!(self.ops; vcvttps2dq Ry(out), Ry(a));
                self.compare_floats(fix, [a, limit], 0x1d);
                dynasm!(self.ops; vpxor Ry(out), Ry(out), Ry(fix));
                self.compare_floats(fix, [a, a], ORDERED);
                dynasm!(self.ops; vpand Ry(out), Ry(out), Ry(fix));
                self.pool.release(limit);
                self.pool.release(fix);
            }
            Conversion::FloatToUnsigned => self.float_to_unsigned(out, a),
            Conversion::SingleToDouble => dynasm!(self.ops
                ; vpshufd Ry(out), Ry(a), EVEN
                ; vpermq Ry(out), Ry(out), EVEN
                ; vcvtps2pd Ry(out), Rx(out)
            ),
            Conversion::DoubleToSingle => dynasm!(self.ops
                ; vcvtpd2ps Rx(out), Ry(a)
                ; vpmovzxdq Ry(out), Rx(out)
            ),
            Conversion::IntegerToDouble => {
                let whole = self.constant(WHOLE.to_bits(), 8);
                dynasm!(self.ops
                    ; vpaddq Ry(out), Ry(a), Ry(whole)
                    ; vsubpd Ry(out), Ry(out), Ry(whole)
                );
                self.pool.release(whole);
            }
            Conversion::DoubleToInteger(limits) => self.double_to_integer(out, a, limits),
        }
    }

    /// What is left of singles without their floors, truncated: what the difference is too large by, if it has been
    /// rounded up, is the error of a sum of which one term is not smaller (Dekker).
    pub(crate) fn fraction(&mut self, out: Ymm, a: Ymm) {
        let (floor, error, zero) = (self.pool.take(), self.pool.take(), self.constant(0, 4));
        dynasm!(self.ops
            ; vroundps Ry(floor), Ry(a), 9
            ; vsubps Ry(out), Ry(a), Ry(floor)
            ; vaddps Ry(error), Ry(out), Ry(floor)
            ; vsubps Ry(error), Ry(a), Ry(error)
        );
        self.compare_floats(error, [error, zero], LESS);
        dynasm!(self.ops ; vpaddd Ry(out), Ry(out), Ry(error));
        for used in [floor, error, zero] {
            self.pool.release(used);
        }
    }

    /// Doubles become integers, in the low bits of what they are as whole numbers beside a larger one.
    fn double_to_integer(&mut self, out: Ymm, a: Ymm, limits: Limits) {
        let [low, high] = limits.doubles().map(|limit| self.constant(limit, 8));
        let (whole, number) = (self.constant(WHOLE.to_bits(), 8), self.pool.take());
        self.packed(1, 0xc2, number, [a, a], ORDERED);
        dynasm!(self.ops
            ; vmaxpd Ry(out), Ry(a), Ry(low)
            ; vminpd Ry(out), Ry(out), Ry(high)
            ; vroundpd Ry(out), Ry(out), 11
            ; vaddpd Ry(out), Ry(out), Ry(whole)
            ; vpand Ry(out), Ry(out), Ry(number)
        );
        for used in [low, high, whole, number] {
            self.pool.release(used);
        }
    }

    /// Rounded once: the halves are exact, and their sum is rounded.
    pub(crate) fn unsigned_to_float(&mut self, out: Ymm, a: Ymm) {
        let low = self.constant(0xffff, 4);
        let scale = self.constant(0x4780_0000, 4);
        let high = self.pool.take();
        dynasm!(self.ops
            ; vpand Ry(out), Ry(a), Ry(low)
            ; vcvtdq2ps Ry(out), Ry(out)
            ; vpsrld Ry(high), Ry(a), 16
            ; vcvtdq2ps Ry(high), Ry(high)
            ; vfmadd231ps Ry(out), Ry(high), Ry(scale)
        );
        for used in [low, scale, high] {
            self.pool.release(used);
        }
    }

    pub(crate) fn float_to_unsigned(&mut self, out: Ymm, a: Ymm) {
        let zero = self.constant(0, 4);
        let half = self.constant(0x4f00_0000, 4);
        let all = self.constant(0x4f80_0000, 4);
        let (large, t) = (self.pool.take(), self.pool.take());
        // Below zero, and NaN: zero.
        dynasm!(self.ops; vmaxps Ry(t), Ry(a), Ry(zero));
        self.compare_floats(large, [t, half], 0x1d);
        let high = self.pool.take();
        dynasm!(self.ops
            ; vcvttps2dq Ry(out), Ry(t)
            ; vsubps Ry(high), Ry(t), Ry(half)
            ; vcvttps2dq Ry(high), Ry(high)
        );
        self.compare_floats(t, [t, all], 0x1d);
        let sign = self.constant(SIGN, 4);
        dynasm!(self.ops
            ; vpxor Ry(high), Ry(high), Ry(sign)
            ; vblendvps Ry(out), Ry(out), Ry(high), Ry(large)
            ; vpor Ry(out), Ry(out), Ry(t)
        );
        for used in [zero, half, all, large, t, high, sign] {
            self.pool.release(used);
        }
    }
}
