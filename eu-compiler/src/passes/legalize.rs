//! Operations that no instruction computes, as others: arithmetic of 8 and 16 bits in 32, the high
//! half of products, division.
//!
//! Afterwards bytes and words are only added, multiplied, shifted left, combined bit by bit,
//! selected, converted and moved: their upper bits in a register mean nothing.

use crate::ir::{Bin, Cond, Convert, Cursor, Function, Op, Replaced, Type, Un, Value, Values};
use crate::target::Target;

pub(super) fn run(function: &mut Function, target: &Target) -> Result<(), String> {
    let mut replaced = Replaced::default();
    for block in function.order.clone() {
        let insts = function.take(block);
        for inst in insts {
            let data = &function.insts[inst.index()];
            let double = |value: &Value| function.ty(*value) == Type::F64;
            let computes = !matches!(data.op, Op::Load(_) | Op::Store(_) | Op::Phi(_));
            if !target.platform.fp64 && computes && data.results.iter().any(double) {
                return Err(format!("{} has no double precision", target.platform.title));
            }
            let result = match data.results[..] {
                [result] if !matches!(data.op, Op::Phi(_)) => result,
                _ => {
                    function.blocks[block.index()].insts.push(inst);
                    continue;
                }
            };
            let (op, at) = (data.op.clone(), data.at);
            let args: Values = data.args.iter().map(|arg| replaced.find(*arg)).collect();
            let cursor = Cursor {
                function,
                block,
                at,
            };
            let mut at = Lower::new(cursor, target.caps.int_div, target.caps.half_mad);
            match at.lower(&op, &args, result)? {
                Some(value) => replaced.insert(result, value),
                None => function.blocks[block.index()].insts.push(inst),
            }
        }
    }
    replaced.apply(function);
    Ok(())
}

/// Writes sequences.
pub(super) struct Lower<'a> {
    pub(super) at: Cursor<'a>,
    int_div: bool,
    half_mad: bool,
}

impl<'a> Lower<'a> {
    pub(super) fn new(at: Cursor<'a>, int_div: bool, half_mad: bool) -> Self {
        Self {
            at,
            int_div,
            half_mad,
        }
    }

    /// The result by other operations; none if it stays.
    fn lower(&mut self, op: &Op, args: &[Value], result: Value) -> Result<Option<Value>, String> {
        let ty = self.at.function.ty(result);
        let from = args.first().map_or(ty, |arg| self.at.function.ty(*arg));
        let narrow = |ty: Type| matches!(ty, Type::I8 | Type::I16);
        Ok(Some(match op {
            Op::Bin(bin) if narrow(ty) => {
                let signed = match bin {
                    Bin::UDiv | Bin::URem | Bin::UMin | Bin::UMax | Bin::UMulHigh | Bin::LShr => {
                        false
                    }
                    Bin::SDiv | Bin::SRem | Bin::SMin | Bin::SMax | Bin::SMulHigh | Bin::AShr => {
                        true
                    }
                    _ => return Ok(None),
                };
                let [a, b] = self.widen([args[0], args[1]], signed);
                let wide = match bin {
                    Bin::UMulHigh | Bin::SMulHigh => {
                        let product = self.at.bin(Bin::Mul, a, b);
                        let by = self.at.constant(Type::I32, u64::from(ty.bits()));
                        self.at.bin(Bin::LShr, product, by)
                    }
                    bin => match self.divide(*bin, a, b)? {
                        Some(value) => value,
                        None => self.at.bin(*bin, a, b),
                    },
                };
                self.at.convert(Convert::Trunc, wide, ty)
            }
            Op::Bin(Bin::UMulHigh) if ty == Type::I64 => self.multiply_high_wide(args[0], args[1]),
            Op::Bin(Bin::SMulHigh) if ty == Type::I64 => {
                self.multiply_high_signed(args[0], args[1])
            }
            Op::Bin(bin @ (Bin::UDiv | Bin::SDiv | Bin::URem | Bin::SRem)) => {
                return self.divide(*bin, args[0], args[1]);
            }
            Op::Bin(Bin::UMin | Bin::UMax | Bin::SMin | Bin::SMax) if ty == Type::I64 => {
                let Op::Bin(bin) = op else { return Ok(None) };
                let (cond, [first, second]) = match bin {
                    Bin::UMin => (Cond::Ult, [args[0], args[1]]),
                    Bin::UMax => (Cond::Ult, [args[1], args[0]]),
                    Bin::SMin => (Cond::Slt, [args[0], args[1]]),
                    _ => (Cond::Slt, [args[1], args[0]]),
                };
                let less = self.at.one(Op::Icmp(cond), &[first, second], Type::I1);
                self.at.one(Op::Select, &[less, args[0], args[1]], ty)
            }
            Op::Saturated { add, signed } => self.saturated(*add, *signed, args[0], args[1], ty),
            Op::Icmp(cond) if narrow(from) => {
                let signed = matches!(cond, Cond::Slt | Cond::Sle);
                let wide = self.widen([args[0], args[1]], signed);
                self.at.one(Op::Icmp(*cond), &wide, Type::I1)
            }
            Op::Un(Un::CountOnes) if narrow(ty) => {
                let wide = self.at.convert(Convert::ZExt, args[0], Type::I32);
                let count = self.at.one(Op::Un(Un::CountOnes), &[wide], Type::I32);
                self.at.convert(Convert::Trunc, count, ty)
            }
            Op::Un(Un::CountOnes) if ty == Type::I64 => {
                let low = self.at.convert(Convert::Trunc, args[0], Type::I32);
                let high = self.at.one(Op::High, &[args[0]], Type::I32);
                let low = self.at.one(Op::Un(Un::CountOnes), &[low], Type::I32);
                let high = self.at.one(Op::Un(Un::CountOnes), &[high], Type::I32);
                let count = self.at.bin(Bin::Add, low, high);
                self.at.convert(Convert::ZExt, count, ty)
            }
            Op::Convert(how @ (Convert::SToF | Convert::UToF)) if narrow(from) => {
                let extend = match how {
                    Convert::SToF => Convert::SExt,
                    _ => Convert::ZExt,
                };
                let wide = self.at.convert(extend, args[0], Type::I32);
                self.at.one(Op::Convert(*how), &[wide], ty)
            }
            Op::Convert(Convert::UToF) if from == Type::I64 => self.wide_to_float(args[0], ty),
            Op::Convert(Convert::SToF) if from == Type::I64 => {
                let top = self.at.constant(Type::I64, 63);
                let sign = self.at.bin(Bin::AShr, args[0], top);
                let flipped = self.at.bin(Bin::Xor, args[0], sign);
                let magnitude = self.at.bin(Bin::Sub, flipped, sign);
                let float = self.wide_to_float(magnitude, ty);
                let negative = self.at.one(Op::Un(Un::FNeg), &[float], ty);
                let zero = self.at.constant(Type::I64, 0);
                let is = self.at.one(Op::Icmp(Cond::Slt), &[args[0], zero], Type::I1);
                self.at.one(Op::Select, &[is, negative, float], ty)
            }
            Op::Convert(Convert::FToU) if ty == Type::I64 => self.float_to_wide(args[0], from),
            Op::Convert(Convert::FToS) if ty == Type::I64 => {
                let magnitude = self.at.one(Op::Un(Un::FAbs), &[args[0]], from);
                let whole = self.float_to_wide(magnitude, from);
                let zero = self.at.constant(ty, 0);
                let most = self.at.constant(ty, ty.mask() >> 1);
                let least = self.at.constant(ty, !(ty.mask() >> 1));
                let over = self.at.one(Op::Icmp(Cond::Slt), &[whole, zero], Type::I1);
                let negated = self.at.bin(Bin::Sub, zero, whole);
                let above = self.at.one(Op::Select, &[over, most, whole], ty);
                let below = self.at.one(Op::Select, &[over, least, negated], ty);
                let none = self.at.constant(from, 0);
                let is = self.at.one(Op::Fcmp(Cond::Slt), &[args[0], none], Type::I1);
                self.at.one(Op::Select, &[is, below, above], ty)
            }
            Op::Fma if ty == Type::F16 && !self.half_mad => {
                let [a, b, c] = [args[0], args[1], args[2]]
                    .map(|value| self.at.convert(Convert::FToF, value, Type::F32));
                let sum = self.exact_enough(a, b, c);
                self.at.convert(Convert::FToF, sum, ty)
            }
            // Between half and double precision there is single precision, where what is lost stays
            // visible in the last bit, so that rounding twice is rounding once.
            Op::Convert(Convert::FToF) if from == Type::F64 && ty == Type::F16 => {
                let middle = self.at.convert(Convert::FToF, args[0], Type::F32);
                let back = self.at.convert(Convert::FToF, middle, from);
                let bits = self.at.convert(Convert::Bitcast, middle, Type::I32);
                let at = &mut self.at;
                let [magnitude, exact] =
                    [args[0], back].map(|value| at.one(Op::Un(Un::FAbs), &[value], from));
                let lost = at.one(Op::Fcmp(Cond::Une), &[magnitude, exact], Type::I1);
                let over = at.one(Op::Fcmp(Cond::Slt), &[magnitude, exact], Type::I1);
                let over = at.convert(Convert::ZExt, over, Type::I32);
                let lost = at.convert(Convert::ZExt, lost, Type::I32);
                let bits = at.bin(Bin::Sub, bits, over);
                let bits = at.bin(Bin::Or, bits, lost);
                let middle = at.convert(Convert::Bitcast, bits, Type::F32);
                self.at.convert(Convert::FToF, middle, ty)
            }
            Op::Convert(Convert::FToF) if from == Type::F16 && ty == Type::F64 => {
                let middle = self.at.convert(Convert::FToF, args[0], Type::F32);
                self.at.convert(Convert::FToF, middle, ty)
            }
            _ => return Ok(None),
        }))
    }

    /// `a * b + c` of halves in single precision. The product is exact; what the sum loses stays
    /// visible in its last bit, so that rounding it to a half is the only rounding.
    fn exact_enough(&mut self, a: Value, b: Value, c: Value) -> Value {
        let ty = Type::F32;
        let at = &mut self.at;
        let product = at.bin(Bin::FMul, a, b);
        let sum = at.bin(Bin::FAdd, product, c);
        let added = at.bin(Bin::FSub, sum, product);
        let own = at.bin(Bin::FSub, sum, added);
        let [first, second] = [(product, own), (c, added)].map(|(x, y)| at.bin(Bin::FSub, x, y));
        let error = at.bin(Bin::FAdd, first, second);
        let zero = at.constant(ty, 0);
        let magnitude = at.one(Op::Un(Un::FAbs), &[error], ty);
        let lost = at.one(Op::Fcmp(Cond::Slt), &[zero, magnitude], Type::I1);
        let lost = at.convert(Convert::ZExt, lost, Type::I32);
        let bits = at.convert(Convert::Bitcast, sum, Type::I32);
        let signs = at.convert(Convert::Bitcast, error, Type::I32);
        let signs = at.bin(Bin::Xor, bits, signs);
        let sign = at.constant(Type::I32, 31);
        let differ = at.bin(Bin::LShr, signs, sign);
        let over = at.bin(Bin::And, differ, lost);
        let bits = at.bin(Bin::Sub, bits, over);
        let bits = at.bin(Bin::Or, bits, lost);
        at.convert(Convert::Bitcast, bits, ty)
    }

    /// An unsigned integer of 64 bits as float, rounded once.
    fn wide_to_float(&mut self, value: Value, ty: Type) -> Value {
        if ty == Type::F16 {
            // Beyond the range of halves both are infinite.
            let single = self.wide_to_float(value, Type::F32);
            return self.at.convert(Convert::FToF, single, Type::F16);
        }
        let low = self.at.convert(Convert::Trunc, value, Type::I32);
        let high = self.at.one(Op::High, &[value], Type::I32);
        if ty == Type::F64 {
            let low = self.at.one(Op::Convert(Convert::UToF), &[low], ty);
            let high = self.at.one(Op::Convert(Convert::UToF), &[high], ty);
            let scale = self.at.constant(ty, 4_294_967_296f64.to_bits());
            return self.at.one(Op::Fma, &[high, scale, low], ty);
        }
        // The 32 highest bits, the last of which also stands for all that follow.
        let zero = self.at.constant(Type::I32, 0);
        let zeros = self.at.one(Op::Un(Un::LeadingZeros), &[high], Type::I32);
        let limit = self.at.constant(Type::I32, 31);
        let by = self.at.bin(Bin::UMin, zeros, limit);
        let wide_by = self.at.convert(Convert::ZExt, by, Type::I64);
        let moved = self.at.bin(Bin::Shl, value, wide_by);
        let rest = self.at.convert(Convert::Trunc, moved, Type::I32);
        let top = self.at.one(Op::High, &[moved], Type::I32);
        let any = self.at.one(Op::Icmp(Cond::Ne), &[rest, zero], Type::I1);
        let sticky = self.at.convert(Convert::ZExt, any, Type::I32);
        let top = self.at.bin(Bin::Or, top, sticky);
        let float = self.at.one(Op::Convert(Convert::UToF), &[top], ty);
        // 2**(32 - by): the exponent is 127 + 32 - by.
        let exponent = self.at.constant(Type::I32, 159);
        let exponent = self.at.bin(Bin::Sub, exponent, by);
        let place = self.at.constant(Type::I32, 23);
        let bits = self.at.bin(Bin::Shl, exponent, place);
        let scale = self.at.convert(Convert::Bitcast, bits, ty);
        let large = self.at.bin(Bin::FMul, float, scale);
        let small = self.at.one(Op::Convert(Convert::UToF), &[low], ty);
        let is_small = self.at.one(Op::Icmp(Cond::Eq), &[high, zero], Type::I1);
        self.at.one(Op::Select, &[is_small, small, large], ty)
    }

    /// A float as unsigned integer of 64 bits, towards zero, saturated.
    fn float_to_wide(&mut self, value: Value, from: Type) -> Value {
        if from == Type::F16 {
            let single = self.at.convert(Convert::FToF, value, Type::F32);
            return self.float_to_wide(single, Type::F32);
        }
        let number = |at: &mut Cursor<'_>, number: f64| match from {
            Type::F64 => at.constant(from, number.to_bits()),
            _ => at.constant(from, u64::from((number as f32).to_bits())),
        };
        let down = number(&mut self.at, 1.0 / 4_294_967_296.0);
        let up = number(&mut self.at, -4_294_967_296.0);
        let scaled = self.at.bin(Bin::FMul, value, down);
        let high = self
            .at
            .one(Op::Convert(Convert::FToU), &[scaled], Type::I32);
        let whole = self.at.one(Op::Convert(Convert::UToF), &[high], from);
        let rest = self.at.one(Op::Fma, &[whole, up, value], from);
        let mut low = self.at.one(Op::Convert(Convert::FToU), &[rest], Type::I32);
        if from == Type::F32 {
            // The largest dword is no such float: of 2**64 nothing is left.
            let limit = number(&mut self.at, 4_294_967_296.0);
            let over = self.at.one(Op::Fcmp(Cond::Sle), &[limit, scaled], Type::I1);
            let most = self.at.constant(Type::I32, Type::I32.mask());
            low = self.at.one(Op::Select, &[over, most, low], Type::I32);
        }
        self.at.one(Op::Pair, &[low, high], Type::I64)
    }

    fn widen(&mut self, args: [Value; 2], signed: bool) -> [Value; 2] {
        let how = if signed { Convert::SExt } else { Convert::ZExt };
        args.map(|arg| self.at.convert(how, arg, Type::I32))
    }

    /// The high half of the product of signed qwords: the unsigned one, less each operand where the
    /// other is negative.
    pub(super) fn multiply_high_signed(&mut self, a: Value, b: Value) -> Value {
        let high = self.multiply_high_wide(a, b);
        let at = &mut self.at;
        let by = at.constant(Type::I64, 63);
        let sign_a = at.bin(Bin::AShr, a, by);
        let sign_b = at.bin(Bin::AShr, b, by);
        let less_b = at.bin(Bin::And, sign_a, b);
        let less_a = at.bin(Bin::And, sign_b, a);
        let high = at.bin(Bin::Sub, high, less_b);
        at.bin(Bin::Sub, high, less_a)
    }

    /// The high half of the product of unsigned qwords, by dwords.
    pub(super) fn multiply_high_wide(&mut self, a: Value, b: Value) -> Value {
        let by = self.at.constant(Type::I64, 32);
        let at = &mut self.at;
        let mut halves = |value| {
            let low = at.convert(Convert::Trunc, value, Type::I32);
            let high = at.one(Op::High, &[value], Type::I32);
            [low, high].map(|half| at.convert(Convert::ZExt, half, Type::I64))
        };
        let ([a, a_high], [b, b_high]) = (halves(a), halves(b));
        let low = at.bin(Bin::Mul, a, b);
        let first = at.bin(Bin::Mul, a_high, b);
        let carry = at.bin(Bin::LShr, low, by);
        let first = at.bin(Bin::Add, first, carry);
        let second = at.bin(Bin::Mul, a, b_high);
        let first_low = at.convert(Convert::Trunc, first, Type::I32);
        let first_low = at.convert(Convert::ZExt, first_low, Type::I64);
        let second = at.bin(Bin::Add, second, first_low);
        let high = at.bin(Bin::Mul, a_high, b_high);
        let first_high = at.bin(Bin::LShr, first, by);
        let second_high = at.bin(Bin::LShr, second, by);
        let high = at.bin(Bin::Add, high, first_high);
        at.bin(Bin::Add, high, second_high)
    }

    /// Division where `math` does not divide.
    fn divide(&mut self, op: Bin, a: Value, b: Value) -> Result<Option<Value>, String> {
        let ty = self.at.function.ty(a);
        if !matches!(op, Bin::UDiv | Bin::SDiv | Bin::URem | Bin::SRem) {
            return Ok(None);
        }
        if let Some(divisor) = self.at.function.bits(b) {
            return Ok(Some(self.divide_by(op, a, divisor)));
        }
        if ty == Type::I64 {
            return Err("the division of integers of 64 bits is not supported".to_owned());
        }
        if self.int_div {
            return Ok(None);
        }
        Ok(Some(match op {
            Bin::UDiv | Bin::URem => {
                let (quotient, rest) = self.divide_unsigned(a, b);
                if op == Bin::UDiv { quotient } else { rest }
            }
            _ => {
                let by = self.at.constant(Type::I32, 31);
                let at = &mut self.at;
                let [sign_a, sign_b] = [a, b].map(|x| at.bin(Bin::AShr, x, by));
                let magnitude = |at: &mut Cursor<'_>, x: Value, sign: Value| {
                    let flipped = at.bin(Bin::Xor, x, sign);
                    at.bin(Bin::Sub, flipped, sign)
                };
                let a = magnitude(at, a, sign_a);
                let b = magnitude(at, b, sign_b);
                let (quotient, rest) = self.divide_unsigned(a, b);
                let at = &mut self.at;
                let (value, sign) = match op {
                    Bin::SDiv => (quotient, at.bin(Bin::Xor, sign_a, sign_b)),
                    _ => (rest, sign_a),
                };
                magnitude(at, value, sign)
            }
        }))
    }

    /// Quotient and remainder: an estimate by the reciprocal, too small by at most two.
    fn divide_unsigned(&mut self, a: Value, b: Value) -> (Value, Value) {
        let at = &mut self.at;
        let float = at.one(Op::Convert(Convert::UToF), &[b], Type::F32);
        let inverse = at.one(Op::Un(Un::Rcp), &[float], Type::F32);
        // The largest number below 2**32 that keeps the product below it.
        let scale = at.constant(Type::F32, u64::from(4_294_966_784f32.to_bits()));
        let scaled = at.bin(Bin::FMul, inverse, scale);
        let estimate = at.one(Op::Convert(Convert::FToU), &[scaled], Type::I32);
        // One step of Newton's method in integers.
        let zero = at.constant(Type::I32, 0);
        let negative = at.bin(Bin::Sub, zero, b);
        let error = at.bin(Bin::Mul, negative, estimate);
        let correction = at.bin(Bin::UMulHigh, estimate, error);
        let estimate = at.bin(Bin::Add, estimate, correction);
        let mut quotient = at.bin(Bin::UMulHigh, a, estimate);
        let product = at.bin(Bin::Mul, quotient, b);
        let mut rest = at.bin(Bin::Sub, a, product);
        let one = at.constant(Type::I32, 1);
        for _ in 0..2 {
            let enough = at.one(Op::Icmp(Cond::Ule), &[b, rest], Type::I1);
            let more = at.bin(Bin::Add, quotient, one);
            let less = at.bin(Bin::Sub, rest, b);
            quotient = at.one(Op::Select, &[enough, more, quotient], Type::I32);
            rest = at.one(Op::Select, &[enough, less, rest], Type::I32);
        }
        (quotient, rest)
    }

    /// A sum or difference that stays in range.
    fn saturated(&mut self, add: bool, signed: bool, a: Value, b: Value, ty: Type) -> Value {
        let bin = if add { Bin::Add } else { Bin::Sub };
        if matches!(ty, Type::I8 | Type::I16) {
            let [a, b] = self.widen([a, b], signed);
            let value = self.at.bin(bin, a, b);
            let (least, most) = match signed {
                true => (!(ty.mask() >> 1), ty.mask() >> 1),
                false => (0, ty.mask()),
            };
            let least = self.at.constant(Type::I32, least);
            let most = self.at.constant(Type::I32, most);
            let value = self.at.bin(Bin::SMax, value, least);
            let value = self.at.bin(Bin::SMin, value, most);
            return self.at.convert(Convert::Trunc, value, ty);
        }
        let value = self.at.bin(bin, a, b);
        if !signed {
            let (wraps, limit) = match add {
                true => ([value, a], ty.mask()),
                false => ([a, b], 0),
            };
            let limit = self.at.constant(ty, limit);
            let wraps = self.at.one(Op::Icmp(Cond::Ult), &wraps, Type::I1);
            return self.at.one(Op::Select, &[wraps, limit, value], ty);
        }
        // It overflows if the signs say so; then the limit is that of the first operand's sign.
        let zero = self.at.constant(ty, 0);
        let top = self.at.constant(ty, u64::from(ty.bits() - 1));
        let most = self.at.constant(ty, ty.mask() >> 1);
        let at = &mut self.at;
        let changed = at.bin(Bin::Xor, a, value);
        let differ = match add {
            true => at.bin(Bin::Xor, b, value),
            false => at.bin(Bin::Xor, a, b),
        };
        let both = at.bin(Bin::And, changed, differ);
        let wraps = at.one(Op::Icmp(Cond::Slt), &[both, zero], Type::I1);
        let sign = at.bin(Bin::AShr, a, top);
        let limit = at.bin(Bin::Xor, sign, most);
        at.one(Op::Select, &[wraps, limit, value], ty)
    }
}
