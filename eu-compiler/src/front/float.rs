//! The functions of OpenCL.std of floating-point numbers that are a few operations.

use spirv::OpenclStd100Op;

use super::reader::Instruction;
use super::translate::Translator;
use super::value::Val;
use crate::error::Error;
use crate::ir::{Bin, Cond, Convert, Op, Terminator, Type, Un, Value};

impl Translator<'_> {
    /// A function of one component that is a few operations.
    pub(super) fn float_function(
        &mut self,
        name: &str,
        a: Value,
        b: Option<Value>,
        c: Option<Value>,
        ty: Type,
    ) -> Option<Value> {
        // What the hardware computes at single precision does for halves too.
        let narrow = ty != Type::F64;
        let un = match name {
            "fabs" => Some(Un::FAbs),
            "floor" => Some(Un::Floor),
            "ceil" => Some(Un::Ceil),
            "trunc" => Some(Un::Truncate),
            "rint" => Some(Un::RoundEven),
            "sqrt" | "native_sqrt" | "half_sqrt" if narrow => Some(Un::Sqrt),
            "rsqrt" | "native_rsqrt" | "half_rsqrt" if narrow => Some(Un::Rsqrt),
            "native_recip" | "half_recip" if narrow => Some(Un::Rcp),
            "exp2" | "native_exp2" | "half_exp2" if narrow => Some(Un::Exp2),
            "native_log2" | "half_log2" if narrow => Some(Un::Log2),
            "native_sin" if narrow => Some(Un::Sin),
            "native_cos" if narrow => Some(Un::Cos),
            _ => None,
        };
        if let Some(op) = un {
            return Some(self.un(op, a));
        }
        let number = |t: &mut Self, value: f64| t.float_constant(ty, value);
        Some(match name {
            "fmax" | "fmax_common" => self.here().bin(Bin::FMax, a, b?),
            "fmin" | "fmin_common" => self.here().bin(Bin::FMin, a, b?),
            "fclamp" => {
                let above = self.here().bin(Bin::FMax, a, b?);
                self.here().bin(Bin::FMin, above, c?)
            }
            "fma" | "mad" => self.one(Op::Fma, &[a, b?, c?], ty),
            "native_divide" if narrow => {
                let inverse = self.un(Un::Rcp, b?);
                self.here().bin(Bin::FMul, a, inverse)
            }
            "native_exp" | "half_exp" if narrow => {
                let log = number(self, std::f64::consts::LOG2_E);
                let scaled = self.here().bin(Bin::FMul, a, log);
                self.un(Un::Exp2, scaled)
            }
            "native_exp10" | "half_exp10" if narrow => {
                let log = number(self, std::f64::consts::LOG2_10);
                let scaled = self.here().bin(Bin::FMul, a, log);
                self.un(Un::Exp2, scaled)
            }
            "native_log" | "half_log" if narrow => {
                let log = self.un(Un::Log2, a);
                let scale = number(self, std::f64::consts::LN_2);
                self.here().bin(Bin::FMul, log, scale)
            }
            "native_log10" | "half_log10" if narrow => {
                let log = self.un(Un::Log2, a);
                let scale = number(self, std::f64::consts::LOG10_2);
                self.here().bin(Bin::FMul, log, scale)
            }
            "native_powr" | "half_powr" if narrow => {
                let log = self.un(Un::Log2, a);
                let scaled = self.here().bin(Bin::FMul, log, b?);
                self.un(Un::Exp2, scaled)
            }
            "native_tan" if narrow => {
                let (sin, cos) = (self.un(Un::Sin, a), self.un(Un::Cos, a));
                let inverse = self.un(Un::Rcp, cos);
                self.here().bin(Bin::FMul, sin, inverse)
            }
            "degrees" => {
                let scale = number(self, 180.0 / std::f64::consts::PI);
                self.here().bin(Bin::FMul, a, scale)
            }
            "radians" => {
                let scale = number(self, std::f64::consts::PI / 180.0);
                self.here().bin(Bin::FMul, a, scale)
            }
            "mix" => {
                let difference = self.here().bin(Bin::FSub, b?, a);
                self.one(Op::Fma, &[difference, c?, a], ty)
            }
            "step" => {
                let below = self.one(Op::Fcmp(Cond::Slt), &[b?, a], Type::I1);
                let (zero, one) = (number(self, 0.0), number(self, 1.0));
                self.one(Op::Select, &[below, zero, one], ty)
            }
            "sign" => {
                let (zero, one, minus) = (number(self, 0.0), number(self, 1.0), number(self, -1.0));
                let above = self.one(Op::Fcmp(Cond::Slt), &[zero, a], Type::I1);
                let below = self.one(Op::Fcmp(Cond::Slt), &[a, zero], Type::I1);
                let nan = self.one(Op::Fcmp(Cond::Une), &[a, a], Type::I1);
                // Zeroes keep their sign.
                let value = self.one(Op::Select, &[above, one, a], ty);
                let value = self.one(Op::Select, &[below, minus, value], ty);
                self.one(Op::Select, &[nan, zero, value], ty)
            }
            "copysign" => {
                let int = ty.integer();
                let sign = self.constant(int, int.mask() ^ int.mask() >> 1);
                let rest = self.constant(int, int.mask() >> 1);
                let mut at = self.here();
                let a = at.convert(Convert::Bitcast, a, int);
                let b = at.convert(Convert::Bitcast, b?, int);
                let a = at.bin(Bin::And, a, rest);
                let b = at.bin(Bin::And, b, sign);
                let both = at.bin(Bin::Or, a, b);
                at.convert(Convert::Bitcast, both, ty)
            }
            "round" => {
                // Halves go away from zero: add the largest number below one half.
                let whole = self.un(Un::Truncate, a);
                let rest = self.here().bin(Bin::FSub, a, whole);
                let magnitude = self.un(Un::FAbs, rest);
                let half = number(self, 0.5);
                let up = self.one(Op::Fcmp(Cond::Sle), &[half, magnitude], Type::I1);
                let one = number(self, 1.0);
                let step = self.component_function("copysign", &[one, a], ty)?;
                let next = self.here().bin(Bin::FAdd, whole, step);
                let value = self.one(Op::Select, &[up, next, whole], ty);
                self.component_function("copysign", &[value, a], ty)?
            }
            "bitselect" | "select" => {
                let int = ty.integer();
                let mut at = self.here();
                let a = at.convert(Convert::Bitcast, a, int);
                let b = at.convert(Convert::Bitcast, b?, int);
                let c = at.convert(Convert::Bitcast, c?, int);
                let value = self.component_function(name, &[a, b, c], int)?;
                self.here().convert(Convert::Bitcast, value, ty)
            }
            _ => return None,
        })
    }

    /// A constant of a float type.
    pub(super) fn float_constant(&mut self, ty: Type, value: f64) -> Value {
        let bits = match ty {
            Type::F16 => u64::from(half::f16::from_f64(value).to_bits()),
            Type::F32 => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        };
        self.constant(ty, bits)
    }

    /// Functions of whole vectors.
    pub(super) fn geometric(
        &mut self,
        function: OpenclStd100Op,
        i: &Instruction<'_>,
    ) -> Result<(), Error> {
        let mut a = self.get(i.word(4)?, i)?.scalars;
        let first = a.first().copied().ok_or_else(|| i.invalid("no vector"))?;
        let ty = self.function.ty(first);
        let mut b = match i.word(5) {
            Ok(id) => self.get(id, i)?.scalars,
            Err(_) => a.clone(),
        };
        if b.len() != a.len() {
            return Err(i.invalid("operands of different sizes"));
        }
        // Squares of halves are in the range of floats.
        let widens = ty == Type::F16 && function != OpenclStd100Op::cross;
        if widens {
            for value in a.iter_mut().chain(&mut b) {
                *value = self.here().convert(Convert::FToF, *value, Type::F32);
            }
        }
        let mut values = match function {
            OpenclStd100Op::cross => {
                if a.len() < 3 {
                    return Err(i.invalid("fewer than three components"));
                }
                let mut values: Vec<Value> = Vec::new();
                for (j, k) in [(1, 2), (2, 0), (0, 1)] {
                    let product = self.here().bin(Bin::FMul, a[k], b[j]);
                    let negative = self.un(Un::FNeg, product);
                    values.push(self.one(Op::Fma, &[a[j], b[k], negative], ty));
                }
                let zero = self.constant(ty, 0);
                values.resize(a.len(), zero);
                values
            }
            OpenclStd100Op::fast_normalize | OpenclStd100Op::normalize => {
                let fast = function == OpenclStd100Op::fast_normalize;
                self.normalized(&a, fast, widens, i)?
            }
            _ => {
                if matches!(
                    function,
                    OpenclStd100Op::distance | OpenclStd100Op::fast_distance
                ) {
                    for (a, b) in a.iter_mut().zip(&b) {
                        *a = self.here().bin(Bin::FSub, *a, *b);
                    }
                }
                let fast = matches!(
                    function,
                    OpenclStd100Op::fast_length | OpenclStd100Op::fast_distance
                );
                let (a, back) = if fast || widens {
                    (a.to_vec(), None)
                } else {
                    let most = self.largest(&a);
                    let (a, [_, back]) = self.near_one(&a, most);
                    (a, Some(back))
                };
                let sum = self.dot(&a, &a);
                let length = self.square_root(sum, i)?;
                vec![match back {
                    Some(back) => self.here().bin(Bin::FMul, length, back),
                    None => length,
                }]
            }
        };
        if widens {
            for value in &mut values {
                *value = self.here().convert(Convert::FToF, *value, ty);
            }
        }
        self.set(i.word(1)?, Val::many(values));
        Ok(())
    }

    /// A square root of any type.
    fn square_root(&mut self, value: Value, i: &Instruction<'_>) -> Result<Value, Error> {
        if self.function.ty(value) != Type::F64 {
            return Ok(self.un(Un::Sqrt, value));
        }
        let all = self.library("sqrt", Type::F64, &[value], i)?;
        let first = all.and_then(|all| all.first().copied());
        first.ok_or_else(|| i.unsupported("the square root of f64"))
    }

    /// The largest magnitude of a vector's components.
    fn largest(&mut self, vector: &[Value]) -> Value {
        let mut most = self.un(Un::FAbs, vector[0]);
        for value in &vector[1..] {
            let magnitude = self.un(Un::FAbs, *value);
            most = self.here().bin(Bin::FMax, most, magnitude);
        }
        most
    }

    /// The vector times a power of 2, so that no square is too large or too small; with that power, and
    /// the one that makes good for it.
    fn near_one(&mut self, vector: &[Value], most: Value) -> (Vec<Value>, [Value; 2]) {
        let ty = self.function.ty(vector[0]);
        let (limit, up, down) = match ty {
            Type::F64 => (400, 600, -600),
            _ => (50, 80, -80),
        };
        let [big, small, up, down, one] =
            [limit, -limit, up, down, 0].map(|power| self.float_constant(ty, 2f64.powi(power)));
        let is_big = self.one(Op::Fcmp(Cond::Slt), &[big, most], Type::I1);
        let is_small = self.one(Op::Fcmp(Cond::Slt), &[most, small], Type::I1);
        let mut choose = |small: Value, big: Value| {
            let other = self.one(Op::Select, &[is_small, small, one], ty);
            self.one(Op::Select, &[is_big, big, other], ty)
        };
        // Down is the inverse of up.
        let (scale, back) = (choose(up, down), choose(down, up));
        let scaled = vector
            .iter()
            .map(|value| self.here().bin(Bin::FMul, *value, scale));
        (scaled.collect(), [scale, back])
    }

    /// A vector of length 1 in the same direction. Infinite components stand for 1, the others for 0
    /// then; a vector of zeroes stays. Where the squares fit, nothing is scaled.
    fn normalized(
        &mut self,
        vector: &[Value],
        fast: bool,
        fits: bool,
        i: &Instruction<'_>,
    ) -> Result<Vec<Value>, Error> {
        let ty = self.function.ty(vector[0]);
        let (zero, one) = (self.constant(ty, 0), self.float_constant(ty, 1.0));
        let mut vector = vector.to_vec();
        let mut scale = None;
        if !fast {
            let infinity = self.float_constant(ty, f64::INFINITY);
            let most = self.largest(&vector);
            let any = self.one(Op::Fcmp(Cond::Eq), &[most, infinity], Type::I1);
            let (before, [special, next]) =
                (self.block, [(); 2].map(|()| self.function.add_block()));
            self.end(Terminator::Branch(any, special, next));
            self.block = special;
            let mut units = Vec::new();
            for value in &vector {
                let magnitude = self.un(Un::FAbs, *value);
                let is = self.one(Op::Fcmp(Cond::Eq), &[magnitude, infinity], Type::I1);
                let unit = self.one(Op::Select, &[is, one, zero], ty);
                let nan = self.one(Op::Fcmp(Cond::Une), &[*value, *value], Type::I1);
                let unit = self.one(Op::Select, &[nan, *value, unit], ty);
                let unit = self.float_function("copysign", unit, Some(*value), None, ty);
                units.push(unit.unwrap_or(zero));
            }
            self.end(Terminator::Jump(next));
            self.block = next;
            for (value, unit) in vector.iter_mut().zip(units) {
                *value = self.one(Op::Phi(vec![before, special]), &[*value, unit], ty);
            }
            let most = self.one(Op::Phi(vec![before, special]), &[most, one], ty);
            if !fits {
                scale = Some(self.near_one(&vector, most));
            }
        }
        // Components that are much smaller than others would lose bits if they were scaled down: that
        // comes last. To scale up comes first.
        let (sum, last) = match scale {
            Some((scaled, [scale, _])) => {
                let sum = self.dot(&scaled, &scaled);
                let first = self.here().bin(Bin::FMax, scale, one);
                for value in &mut vector {
                    *value = self.here().bin(Bin::FMul, *value, first);
                }
                (sum, Some(self.here().bin(Bin::FMin, scale, one)))
            }
            None => (self.dot(&vector, &vector), None),
        };
        let finish = |t: &mut Self, value: Value| match last {
            Some(last) => t.here().bin(Bin::FMul, value, last),
            None => value,
        };
        if ty == Type::F32 {
            let inverse = self.un(Un::Rsqrt, sum);
            let none = self.one(Op::Fcmp(Cond::Eq), &[sum, zero], Type::I1);
            let inverse = self.one(Op::Select, &[none, one, inverse], ty);
            let mut out = Vec::new();
            for value in vector {
                let part = self.here().bin(Bin::FMul, value, inverse);
                out.push(finish(self, part));
            }
            return Ok(out);
        }
        let length = self.square_root(sum, i)?;
        let some = self.one(Op::Fcmp(Cond::Slt), &[zero, length], Type::I1);
        let nan = self.one(Op::Fcmp(Cond::Une), &[length, length], Type::I1);
        let divides = self.here().bin(Bin::Or, some, nan);
        let mut out = Vec::new();
        for value in vector {
            let part = self.divide(value, length, i)?;
            let part = finish(self, part);
            out.push(self.one(Op::Select, &[divides, part, value], ty));
        }
        Ok(out)
    }
}
