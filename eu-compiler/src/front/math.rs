//! Arithmetic that takes several operations.

use super::reader::Instruction;
use super::translate::Translator;
use crate::error::Error;
use crate::ir::{Bin, Cond, Convert, Op, Terminator, Type, Value};

impl Translator<'_> {
    /// `a / b`, rounded to the nearest.
    pub(super) fn divide(
        &mut self,
        a: Value,
        b: Value,
        i: &Instruction<'_>,
    ) -> Result<Value, Error> {
        let ty = self.function.ty(a);
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
        let (quotient, rest) = self.divide_by_bits(a, b);
        let end = self.block;
        self.end(Terminator::Jump(join));
        self.block = join;
        let from = vec![short, end];
        let quotient = [near[0], quotient];
        let quotient = self.one(Op::Phi(from.clone()), &quotient, Type::I64);
        let rest = self.one(Op::Phi(from), &[near[1], rest], Type::I64);
        (quotient, rest)
    }

    /// The same: a bit of the quotient each time around a loop.
    fn divide_by_bits(&mut self, a: Value, b: Value) -> (Value, Value) {
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
