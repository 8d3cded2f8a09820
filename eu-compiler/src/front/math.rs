//! Arithmetic that takes several operations.

use super::translate::Translator;
use crate::ir::{Bin, Cond, Convert, Op, Type, Un, Value};

impl Translator<'_> {
    /// `a / b`, rounded to nearest except for results that are denormal.
    ///
    /// The reciprocal is refined by Newton's method, and the quotient by its remainder. Both
    /// operands are scaled into a range where nothing overflows on the way.
    pub(super) fn divide(&mut self, a: Value, b: Value) -> Value {
        match self.function.ty(a) {
            Type::F16 => {
                let a = self.here().convert(Convert::FToF, a, Type::F32);
                let b = self.here().convert(Convert::FToF, b, Type::F32);
                let quotient = self.divide(a, b);
                self.here().convert(Convert::FToF, quotient, Type::F16)
            }
            Type::F64 => self.divide_scaled(a, b, Type::F64),
            _ => self.divide_scaled(a, b, Type::F32),
        }
    }

    fn less(&mut self, a: Value, b: Value) -> Value {
        self.one(Op::Fcmp(Cond::Slt), &[a, b], Type::I1)
    }

    fn pick(&mut self, which: Value, a: Value, b: Value) -> Value {
        let ty = self.function.ty(a);
        self.one(Op::Select, &[which, a, b], ty)
    }

    /// `value * scale` with a scale that brings it near 1, and the scale.
    fn scaled(&mut self, value: Value, ty: Type) -> (Value, Value) {
        let limit = if ty == Type::F64 { 256 } else { 64 };
        let (big, small) = (2f64.powi(limit), 2f64.powi(-limit));
        let magnitude = self.un(Un::FAbs, value);
        let [big, small, one] = [big, small, 1.0].map(|n| self.float_constant(ty, n));
        let above = self.less(big, magnitude);
        let below = self.less(magnitude, small);
        let scale = self.pick(below, big, one);
        let scale = self.pick(above, small, scale);
        (self.here().bin(Bin::FMul, value, scale), scale)
    }

    fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        let ty = self.function.ty(a);
        self.one(Op::Fma, &[a, b, c], ty)
    }

    fn divide_scaled(&mut self, a: Value, b: Value, ty: Type) -> Value {
        let (a, scale_a) = self.scaled(a, ty);
        let (b, scale_b) = self.scaled(b, ty);
        let estimate = match ty {
            Type::F64 => {
                let single = self.here().convert(Convert::FToF, b, Type::F32);
                let estimate = self.un(Un::Rcp, single);
                self.here().convert(Convert::FToF, estimate, Type::F64)
            }
            _ => self.un(Un::Rcp, b),
        };
        let plain = self.here().bin(Bin::FMul, a, estimate);
        let negative = self.un(Un::FNeg, b);
        let one = self.float_constant(ty, 1.0);
        let mut reciprocal = estimate;
        for _ in 0..if ty == Type::F64 { 3 } else { 1 } {
            let error = self.fma(negative, reciprocal, one);
            reciprocal = self.fma(error, reciprocal, reciprocal);
        }
        let quotient = self.here().bin(Bin::FMul, a, reciprocal);
        let rest = self.fma(negative, quotient, a);
        let refined = self.fma(rest, reciprocal, quotient);
        // Zeroes, infinities and NaN come from the estimate.
        let magnitude = self.un(Un::FAbs, plain);
        let (zero, infinity) = (
            self.float_constant(ty, 0.0),
            self.float_constant(ty, f64::INFINITY),
        );
        let nonzero = self.less(zero, magnitude);
        let finite = self.less(magnitude, infinity);
        let usual = self.here().bin(Bin::And, nonzero, finite);
        let quotient = self.pick(usual, refined, plain);
        // a * sa / (b * sb) * sb / sa; 1 / sa is exact.
        let scaled = self.here().bin(Bin::FMul, quotient, scale_b);
        let back = self.inverse_scale(scale_a, ty);
        self.here().bin(Bin::FMul, scaled, back)
    }

    /// 1 / a scale: the scales are 1 and two inverses of each other.
    fn inverse_scale(&mut self, scale: Value, ty: Type) -> Value {
        let limit = if ty == Type::F64 { 256 } else { 64 };
        let [big, small, one] =
            [2f64.powi(limit), 2f64.powi(-limit), 1.0].map(|n| self.float_constant(ty, n));
        let is_big = self.less(one, scale);
        let is_small = self.less(scale, one);
        let inverse = self.pick(is_big, small, one);
        self.pick(is_small, big, inverse)
    }

    /// Sum of products.
    pub(super) fn dot(&mut self, a: &[Value], b: &[Value]) -> Value {
        let mut sum: Option<Value> = None;
        for (a, b) in a.iter().zip(b) {
            sum = Some(match sum {
                None => self.here().bin(Bin::FMul, *a, *b),
                Some(sum) => self.fma(*a, *b, sum),
            });
        }
        match sum {
            Some(sum) => sum,
            None => self.constant(Type::F32, 0),
        }
    }

    /// A quotient or remainder of integers.
    pub(super) fn divide_integers(&mut self, op: Bin, a: Value, b: Value) -> Value {
        self.here().bin(op, a, b)
    }
}
