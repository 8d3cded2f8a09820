//! Arithmetic that takes several operations.

use super::translate::Translator;
use crate::ir::{Bin, Cond, Convert, Op, Terminator, Type, Un, Value};

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
        if self.function.ty(a) != Type::I64 {
            return self.here().bin(op, a, b);
        }
        if matches!(op, Bin::UDiv | Bin::URem) {
            let (quotient, rest) = self.divide_wide(a, b);
            return if op == Bin::UDiv { quotient } else { rest };
        }
        let top = self.constant(Type::I64, 63);
        let sign_a = self.here().bin(Bin::AShr, a, top);
        let sign_b = self.here().bin(Bin::AShr, b, top);
        let a = self.with_sign(a, sign_a);
        let b = self.with_sign(b, sign_b);
        let (quotient, rest) = self.divide_wide(a, b);
        if op == Bin::SRem {
            return self.with_sign(rest, sign_a);
        }
        let sign = self.here().bin(Bin::Xor, sign_a, sign_b);
        self.with_sign(quotient, sign)
    }

    /// The value, negated where the sign is all ones.
    fn with_sign(&mut self, value: Value, sign: Value) -> Value {
        let flipped = self.here().bin(Bin::Xor, value, sign);
        self.here().bin(Bin::Sub, flipped, sign)
    }

    /// Quotient and remainder of unsigned integers of 64 bits: a bit of the quotient each time
    /// around a loop.
    fn divide_wide(&mut self, a: Value, b: Value) -> (Value, Value) {
        let before = self.block;
        let (body, after) = (self.function.add_block(), self.function.add_block());
        self.end(Terminator::Jump(body));
        self.block = body;
        let wide = Type::I64;
        let zero = self.constant(wide, 0);
        let mut phi = |ty| self.here().push(Op::Phi(vec![before, body]), &[], &[ty]);
        let phis = [phi(Type::I32), phi(wide), phi(wide), phi(wide)];
        let [count, digits, quotient, rest] = phis.map(|inst| self.function.result(inst));
        let (one, top) = (self.constant(wide, 1), self.constant(wide, 63));
        let mut at = self.here();
        let digit = at.bin(Bin::LShr, digits, top);
        let next_digits = at.bin(Bin::Shl, digits, one);
        let carry = at.bin(Bin::LShr, rest, top);
        let moved = at.bin(Bin::Shl, rest, one);
        let moved = at.bin(Bin::Or, moved, digit);
        let fits = at.one(Op::Icmp(Cond::Ule), &[b, moved], Type::I1);
        let carried = at.one(Op::Icmp(Cond::Ne), &[carry, zero], Type::I1);
        let fits = at.bin(Bin::Or, fits, carried);
        let less = at.bin(Bin::Sub, moved, b);
        let next_rest = at.one(Op::Select, &[fits, less, moved], wide);
        let doubled = at.bin(Bin::Shl, quotient, one);
        let bit = at.convert(Convert::ZExt, fits, wide);
        let next_quotient = at.bin(Bin::Or, doubled, bit);
        let single = at.constant(Type::I32, 1);
        let next_count = at.bin(Bin::Sub, count, single);
        let none = at.constant(Type::I32, 0);
        let more = at.one(Op::Icmp(Cond::Ne), &[next_count, none], Type::I1);
        self.end(Terminator::Branch(more, body, after));
        let all = self.constant(Type::I32, 64);
        let firsts = [all, a, zero, zero];
        let nexts = [next_count, next_digits, next_quotient, next_rest];
        for ((inst, first), next) in phis.into_iter().zip(firsts).zip(nexts) {
            self.function.insts[inst.index()].args = [first, next].into_iter().collect();
        }
        self.block = after;
        (next_quotient, next_rest)
    }
}
