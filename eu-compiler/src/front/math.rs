//! Arithmetic that takes several operations.

use super::reader::Instruction;
use super::translate::Translator;
use crate::error::Error;
use crate::ir::{Bin, Cond, Convert, Op, Terminator, Type, Un, Value};

impl Translator<'_> {
    /// `a / b`, rounded to the nearest.
    pub(super) fn divide(
        &mut self,
        a: Value,
        b: Value,
        i: &Instruction<'_>,
    ) -> Result<Value, Error> {
        let ty = self.function.ty(a);
        let bits = self.function.bits(b);
        if let Some(inverse) = bits.and_then(|bits| ty.reciprocal_of_power(bits)) {
            let inverse = self.constant(ty, inverse);
            return Ok(self.here().bin(Bin::FMul, a, inverse));
        }
        let results = self.library("divide", ty, &[a, b], i)?;
        let first = results.and_then(|all| all.first().copied());
        first.ok_or_else(|| i.unsupported(format!("the division of {ty}")))
    }

    fn fma(&mut self, a: Value, b: Value, c: Value) -> Value {
        let ty = self.function.ty(a);
        self.one(Op::Fma, &[a, b, c], ty)
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
        // Divisors that are known are lowered later.
        if self.function.ty(a) != Type::I64 || self.function.bits(b).is_some() {
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

    /// Quotient and remainder of unsigned integers of 64 bits: those of 32 bits where both have no
    /// more.
    fn divide_wide(&mut self, a: Value, b: Value) -> (Value, Value) {
        let [short, long, join] = [(); 3].map(|()| self.function.add_block());
        let zero = self.constant(Type::I32, 0);
        let high_a = self.one(Op::High, &[a], Type::I32);
        let high_b = self.one(Op::High, &[b], Type::I32);
        let high = self.here().bin(Bin::Or, high_a, high_b);
        let is_short = self.one(Op::Icmp(Cond::Eq), &[high, zero], Type::I1);
        self.end(Terminator::Branch(is_short, short, long));
        self.block = short;
        let mut at = self.here();
        let [low_a, low_b] = [a, b].map(|value| at.convert(Convert::Trunc, value, Type::I32));
        let quotient = at.bin(Bin::UDiv, low_a, low_b);
        let product = at.bin(Bin::Mul, quotient, low_b);
        let rest = at.bin(Bin::Sub, low_a, product);
        let near = [quotient, rest].map(|value| at.convert(Convert::ZExt, value, Type::I64));
        self.end(Terminator::Jump(join));
        self.block = long;
        let (quotient, rest) = self.divide_by_estimate(a, b);
        let end = self.block;
        self.end(Terminator::Jump(join));
        self.block = join;
        let from = vec![short, end];
        let quotient = [near[0], quotient];
        let quotient = self.one(Op::Phi(from.clone()), &quotient, Type::I64);
        let rest = self.one(Op::Phi(from), &[near[1], rest], Type::I64);
        (quotient, rest)
    }

    /// The same: an estimate by the reciprocal, too small by at most two (Rodeheffer, "Software
    /// Integer Division", 2008).
    fn divide_by_estimate(&mut self, a: Value, b: Value) -> (Value, Value) {
        let (wide, float) = (Type::I64, Type::F32);
        let number = |value: f32| u64::from(value.to_bits());
        let word = 4_294_967_296f32;
        let up = self.constant(float, number(word));
        let down = self.constant(float, number(1.0 / word));
        let less = self.constant(float, number(-word));
        // 2**64, less eight units in the last place. The conversions of the halves, their sum, the
        // reciprocal and its product are wrong by five at most, so that the estimate is too small.
        let scale = self.constant(float, number(f32::from_bits((word * word).to_bits() - 8)));
        let zero = self.constant(wide, 0);
        let one = self.constant(wide, 1);
        let mut at = self.here();
        let low = at.convert(Convert::Trunc, b, Type::I32);
        let high = at.one(Op::High, &[b], Type::I32);
        let [low, high] = [low, high].map(|half| at.convert(Convert::UToF, half, float));
        let whole = at.one(Op::Fma, &[high, up, low], float);
        let inverse = at.one(Op::Un(Un::Rcp), &[whole], float);
        let scaled = at.bin(Bin::FMul, inverse, scale);
        let high = at.bin(Bin::FMul, scaled, down);
        let high = at.one(Op::Un(Un::Truncate), &[high], float);
        let low = at.one(Op::Fma, &[high, less, scaled], float);
        let halves = [low, high].map(|half| at.convert(Convert::FToU, half, Type::I32));
        let mut estimate = at.one(Op::Pair, &halves, wide);
        // Each step of Newton's method doubles the bits that are right.
        let negative = at.bin(Bin::Sub, zero, b);
        for _ in 0..2 {
            let error = at.bin(Bin::Mul, negative, estimate);
            let more = at.bin(Bin::UMulHigh, estimate, error);
            estimate = at.bin(Bin::Add, estimate, more);
        }
        let mut quotient = at.bin(Bin::UMulHigh, a, estimate);
        let product = at.bin(Bin::Mul, quotient, b);
        let mut rest = at.bin(Bin::Sub, a, product);
        for _ in 0..2 {
            let enough = at.one(Op::Icmp(Cond::Ule), &[b, rest], Type::I1);
            let more = at.bin(Bin::Add, quotient, one);
            let less = at.bin(Bin::Sub, rest, b);
            quotient = at.one(Op::Select, &[enough, more, quotient], wide);
            rest = at.one(Op::Select, &[enough, less, rest], wide);
        }
        (quotient, rest)
    }
}
