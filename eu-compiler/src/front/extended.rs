//! The functions of OpenCL.std. Source: "OpenCL Extended Instruction Set Specification", section 2.

use super::reader::Instruction;
use super::translate::{Translator, Val};
use crate::error::Error;
use crate::ir::{Bin, Cond, Convert, Op, Type, Un, Value};

/// Names by numbers, for messages and to match on.
const NAMES: &[(u32, &str)] = &[
    (0, "acos"),
    (1, "acosh"),
    (2, "acospi"),
    (3, "asin"),
    (4, "asinh"),
    (5, "asinpi"),
    (6, "atan"),
    (7, "atan2"),
    (8, "atanh"),
    (9, "atanpi"),
    (10, "atan2pi"),
    (11, "cbrt"),
    (12, "ceil"),
    (13, "copysign"),
    (14, "cos"),
    (15, "cosh"),
    (16, "cospi"),
    (17, "erfc"),
    (18, "erf"),
    (19, "exp"),
    (20, "exp2"),
    (21, "exp10"),
    (22, "expm1"),
    (23, "fabs"),
    (24, "fdim"),
    (25, "floor"),
    (26, "fma"),
    (27, "fmax"),
    (28, "fmin"),
    (29, "fmod"),
    (30, "fract"),
    (31, "frexp"),
    (32, "hypot"),
    (33, "ilogb"),
    (34, "ldexp"),
    (35, "lgamma"),
    (36, "lgamma_r"),
    (37, "log"),
    (38, "log2"),
    (39, "log10"),
    (40, "log1p"),
    (41, "logb"),
    (42, "mad"),
    (43, "maxmag"),
    (44, "minmag"),
    (45, "modf"),
    (46, "nan"),
    (47, "nextafter"),
    (48, "pow"),
    (49, "pown"),
    (50, "powr"),
    (51, "remainder"),
    (52, "remquo"),
    (53, "rint"),
    (54, "rootn"),
    (55, "round"),
    (56, "rsqrt"),
    (57, "sin"),
    (58, "sincos"),
    (59, "sinh"),
    (60, "sinpi"),
    (61, "sqrt"),
    (62, "tan"),
    (63, "tanh"),
    (64, "tanpi"),
    (65, "tgamma"),
    (66, "trunc"),
    (67, "half_cos"),
    (68, "half_divide"),
    (69, "half_exp"),
    (70, "half_exp2"),
    (71, "half_exp10"),
    (72, "half_log"),
    (73, "half_log2"),
    (74, "half_log10"),
    (75, "half_powr"),
    (76, "half_recip"),
    (77, "half_rsqrt"),
    (78, "half_sin"),
    (79, "half_sqrt"),
    (80, "half_tan"),
    (81, "native_cos"),
    (82, "native_divide"),
    (83, "native_exp"),
    (84, "native_exp2"),
    (85, "native_exp10"),
    (86, "native_log"),
    (87, "native_log2"),
    (88, "native_log10"),
    (89, "native_powr"),
    (90, "native_recip"),
    (91, "native_rsqrt"),
    (92, "native_sin"),
    (93, "native_sqrt"),
    (94, "native_tan"),
    (95, "fclamp"),
    (96, "degrees"),
    (97, "fmax_common"),
    (98, "fmin_common"),
    (99, "mix"),
    (100, "radians"),
    (101, "step"),
    (102, "smoothstep"),
    (103, "sign"),
    (104, "cross"),
    (105, "distance"),
    (106, "length"),
    (107, "normalize"),
    (108, "fast_distance"),
    (109, "fast_length"),
    (110, "fast_normalize"),
    (141, "s_abs"),
    (142, "s_abs_diff"),
    (143, "s_add_sat"),
    (144, "u_add_sat"),
    (145, "s_hadd"),
    (146, "u_hadd"),
    (147, "s_rhadd"),
    (148, "u_rhadd"),
    (149, "s_clamp"),
    (150, "u_clamp"),
    (151, "clz"),
    (152, "ctz"),
    (153, "s_mad_hi"),
    (154, "u_mad_sat"),
    (155, "s_mad_sat"),
    (156, "s_max"),
    (157, "u_max"),
    (158, "s_min"),
    (159, "u_min"),
    (160, "s_mul_hi"),
    (161, "rotate"),
    (162, "s_sub_sat"),
    (163, "u_sub_sat"),
    (164, "u_upsample"),
    (165, "s_upsample"),
    (166, "popcount"),
    (167, "s_mad24"),
    (168, "u_mad24"),
    (169, "s_mul24"),
    (170, "u_mul24"),
    (171, "vloadn"),
    (172, "vstoren"),
    (173, "vload_half"),
    (174, "vload_halfn"),
    (175, "vstore_half"),
    (176, "vstore_half_r"),
    (177, "vstore_halfn"),
    (178, "vstore_halfn_r"),
    (179, "vloada_halfn"),
    (180, "vstorea_halfn"),
    (181, "vstorea_halfn_r"),
    (182, "shuffle"),
    (183, "shuffle2"),
    (184, "printf"),
    (185, "prefetch"),
    (186, "bitselect"),
    (187, "select"),
    (201, "u_abs"),
    (202, "u_abs_diff"),
    (203, "u_mul_hi"),
    (204, "u_mad_hi"),
];

impl Translator<'_> {
    /// A function of an extended set.
    pub(super) fn extended(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        if Some(i.word(2)?) != self.module.opencl {
            return Err(i.unsupported("instructions of another set than OpenCL.std"));
        }
        let number = i.word(3)?;
        let name = NAMES.iter().find(|(other, _)| *other == number);
        let name = name.map_or("", |(_, name)| *name);
        if name == "prefetch" {
            return Ok(());
        }
        if matches!(name, "vloadn" | "vstoren") {
            return self.vector_access(name, i);
        }
        if matches!(
            name,
            "dot" | "length" | "fast_length" | "distance" | "fast_distance"
        ) {
            return self.geometric(name, i);
        }
        if matches!(name, "shuffle" | "shuffle2") {
            return self.shuffle_components(i);
        }
        let args = i.rest(4).iter().map(|id| Ok(self.get(*id, i)?.scalars));
        let args = args.collect::<Result<Vec<_>, Error>>()?;
        let count = args.iter().map(|list| list.len()).max().unwrap_or(0);
        let ty = self.component(i.word(0)?, i)?;
        let mut values = Vec::new();
        for index in 0..count {
            let mut operands = Vec::new();
            for list in &args {
                let value = list.get(index).or(list.first()).copied();
                operands.push(value.ok_or_else(|| i.invalid("an operand is missing"))?);
            }
            let value = self.component_function(name, &operands, ty);
            values.push(value.ok_or_else(|| {
                i.unsupported(match name {
                    "" => format!("function {number} of OpenCL.std"),
                    name => format!("the function {name} of {ty}"),
                })
            })?);
        }
        self.set(i.word(1)?, Val::many(values));
        Ok(())
    }

    /// A function of one component; `None` if there is none of this name and type.
    fn component_function(&mut self, name: &str, args: &[Value], ty: Type) -> Option<Value> {
        let a = *args.first()?;
        let b = args.get(1).copied();
        let c = args.get(2).copied();
        if ty.is_float() {
            return self.float_function(name, a, b, c, ty);
        }
        let mut bin = |op: Bin| b.map(|b| self.here().bin(op, a, b));
        Some(match name {
            "s_max" => bin(Bin::SMax)?,
            "u_max" => bin(Bin::UMax)?,
            "s_min" => bin(Bin::SMin)?,
            "u_min" => bin(Bin::UMin)?,
            "s_mul_hi" => bin(Bin::SMulHigh)?,
            "u_mul_hi" => bin(Bin::UMulHigh)?,
            "s_mul24" | "u_mul24" => bin(Bin::Mul)?,
            "s_mad24" | "u_mad24" => {
                let product = bin(Bin::Mul)?;
                self.here().bin(Bin::Add, product, c?)
            }
            "s_mad_hi" => {
                let product = bin(Bin::SMulHigh)?;
                self.here().bin(Bin::Add, product, c?)
            }
            "u_mad_hi" => {
                let product = bin(Bin::UMulHigh)?;
                self.here().bin(Bin::Add, product, c?)
            }
            "s_clamp" => {
                let above = bin(Bin::SMax)?;
                self.here().bin(Bin::SMin, above, c?)
            }
            "u_clamp" => {
                let above = bin(Bin::UMax)?;
                self.here().bin(Bin::UMin, above, c?)
            }
            "s_abs" => {
                let zero = self.constant(ty, 0);
                let negated = self.here().bin(Bin::Sub, zero, a);
                self.here().bin(Bin::SMax, a, negated)
            }
            "u_abs" => a,
            "s_abs_diff" | "u_abs_diff" => {
                let (least, most) = match name {
                    "s_abs_diff" => (Bin::SMin, Bin::SMax),
                    _ => (Bin::UMin, Bin::UMax),
                };
                let (least, most) = (bin(least)?, self.here().bin(most, a, b?));
                self.here().bin(Bin::Sub, most, least)
            }
            "s_add_sat" | "u_add_sat" | "s_sub_sat" | "u_sub_sat" => {
                let op = Op::Saturated {
                    add: name.contains("add"),
                    signed: name.starts_with('s'),
                };
                self.one(op, &[a, b?], ty)
            }
            "s_hadd" | "u_hadd" | "s_rhadd" | "u_rhadd" => {
                // Half of the differing bits, and the bits that both have (or that either has).
                let round = name.contains("rhadd");
                let both = bin(if round { Bin::Or } else { Bin::And })?;
                let differ = self.here().bin(Bin::Xor, a, b?);
                let one = self.constant(ty, 1);
                let shift = if name.starts_with('s') {
                    Bin::AShr
                } else {
                    Bin::LShr
                };
                let half = self.here().bin(shift, differ, one);
                self.here()
                    .bin(if round { Bin::Sub } else { Bin::Add }, both, half)
            }
            "rotate" => {
                let left = self.shift(Bin::Shl, a, b?);
                let zero = self.constant(ty, 0);
                let back = self.here().bin(Bin::Sub, zero, b?);
                let right = self.shift(Bin::LShr, a, back);
                self.here().bin(Bin::Or, left, right)
            }
            "s_mad_sat" | "u_mad_sat" if ty != Type::I64 => {
                let (extend, signed) = match name {
                    "s_mad_sat" => (Convert::SExt, true),
                    _ => (Convert::ZExt, false),
                };
                let (b, c) = (b?, c?);
                let mut at = self.here();
                let [a, b, c] = [a, b, c].map(|value| at.convert(extend, value, Type::I64));
                let product = at.bin(Bin::Mul, a, b);
                let sum = at.bin(Bin::Add, product, c);
                let value = if signed {
                    let most = at.constant(Type::I64, ty.mask() >> 1);
                    let least = at.constant(Type::I64, !(ty.mask() >> 1));
                    let value = at.bin(Bin::SMin, sum, most);
                    at.bin(Bin::SMax, value, least)
                } else {
                    let most = at.constant(Type::I64, ty.mask());
                    at.bin(Bin::UMin, sum, most)
                };
                at.convert(Convert::Trunc, value, ty)
            }
            "popcount" => self.un(Un::CountOnes, a),
            "clz" => self.leading_zeros(a, ty),
            "ctz" => {
                let lowest = self.lowest_bit(a, ty);
                let bits = self.constant(ty, u64::from(ty.bits()));
                self.here().bin(Bin::UMin, lowest, bits)
            }
            "bitselect" => {
                let other = self.here().bin(Bin::And, b?, c?);
                let not = self.not(c?);
                let own = self.here().bin(Bin::And, a, not);
                self.here().bin(Bin::Or, own, other)
            }
            "select" => self.select_by_sign(a, b?, c?),
            _ => return None,
        })
    }

    /// The most significant bit of the third chooses, in vectors; scalars are selected otherwise.
    fn select_by_sign(&mut self, a: Value, b: Value, c: Value) -> Value {
        let from = self.function.ty(c);
        let zero = self.constant(from, 0);
        let is = self.one(Op::Icmp(Cond::Slt), &[c, zero], Type::I1);
        let ty = self.function.ty(a);
        self.one(Op::Select, &[is, b, a], ty)
    }

    fn leading_zeros(&mut self, value: Value, ty: Type) -> Value {
        if ty == Type::I64 {
            let by = self.constant(ty, 32);
            let high = self.here().bin(Bin::LShr, value, by);
            let high = self.here().convert(Convert::Trunc, high, Type::I32);
            let low = self.here().convert(Convert::Trunc, value, Type::I32);
            let (high_zeros, low_zeros) = (
                self.un(Un::LeadingZeros, high),
                self.un(Un::LeadingZeros, low),
            );
            let word = self.constant(Type::I32, 32);
            let more = self.here().bin(Bin::Add, low_zeros, word);
            let some = self.is_set(high);
            let zeros = self.one(Op::Select, &[some, high_zeros, more], Type::I32);
            return self.wide(zeros);
        }
        let wide = self.here().convert(Convert::ZExt, value, Type::I32);
        let zeros = self.un(Un::LeadingZeros, wide);
        let extra = self.constant(Type::I32, u64::from(32 - ty.bits()));
        let zeros = self.here().bin(Bin::Sub, zeros, extra);
        self.resize(zeros, ty, false)
    }

    /// The lowest one; all ones for zero.
    fn lowest_bit(&mut self, value: Value, ty: Type) -> Value {
        if ty == Type::I64 {
            let by = self.constant(ty, 32);
            let high = self.here().bin(Bin::LShr, value, by);
            let high = self.here().convert(Convert::Trunc, high, Type::I32);
            let low = self.here().convert(Convert::Trunc, value, Type::I32);
            let (high_bit, low_bit) = (self.un(Un::LowestBit, high), self.un(Un::LowestBit, low));
            let word = self.constant(Type::I32, 32);
            let none = self.constant(Type::I32, u64::from(u32::MAX));
            let above = self.here().bin(Bin::Add, high_bit, word);
            let any_high = self.is_set(high);
            let above = self.one(Op::Select, &[any_high, above, none], Type::I32);
            let any_low = self.is_set(low);
            let bit = self.one(Op::Select, &[any_low, low_bit, above], Type::I32);
            return self.here().convert(Convert::SExt, bit, ty);
        }
        let wide = self.here().convert(Convert::ZExt, value, Type::I32);
        let bit = self.un(Un::LowestBit, wide);
        self.resize(bit, ty, false)
    }

    fn float_function(
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
            "native_exp2" | "half_exp2" if narrow => Some(Un::Exp2),
            "native_log2" | "half_log2" if narrow => Some(Un::Log2),
            "native_sin" if narrow => Some(Un::Sin),
            "native_cos" if narrow => Some(Un::Cos),
            "exp2" if narrow => Some(Un::Exp2),
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
            "native_divide" | "half_divide" if narrow => {
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

    fn geometric(&mut self, name: &str, i: &Instruction<'_>) -> Result<(), Error> {
        let mut a = self.get(i.word(4)?, i)?.scalars;
        if name.ends_with("distance") {
            let b = self.get(i.word(5)?, i)?.scalars;
            for (a, b) in a.iter_mut().zip(&b) {
                *a = self.here().bin(Bin::FSub, *a, *b);
            }
        }
        if a.first().is_some_and(|a| self.function.ty(*a) == Type::F64) {
            return Err(i.unsupported(format!("the function {name} of f64")));
        }
        let sum = self.dot(&a, &a);
        let value = self.un(Un::Sqrt, sum);
        self.set(i.word(1)?, Val::one(value));
        Ok(())
    }

    /// Components of one or two vectors, by the low bits of a mask's.
    fn shuffle_components(&mut self, i: &Instruction<'_>) -> Result<(), Error> {
        let Some((mask, vectors)) = i.rest(4).split_last() else {
            return Err(i.invalid("an operand is missing"));
        };
        let mut all = Vec::new();
        for id in vectors {
            all.extend(self.get(*id, i)?.scalars);
        }
        let first = all.first().copied().ok_or_else(|| i.invalid("no vector"))?;
        let bits = all.len().next_power_of_two() as u64 - 1;
        let mut values = Vec::new();
        for index in self.get(*mask, i)?.scalars {
            let ty = self.function.ty(index);
            let low = self.constant(ty, bits);
            let index = self.here().bin(Bin::And, index, low);
            let mut value = first;
            for (number, other) in all.iter().enumerate().skip(1) {
                let number = self.constant(ty, number as u64);
                let is = self.one(Op::Icmp(Cond::Eq), &[index, number], Type::I1);
                let ty = self.function.ty(value);
                value = self.one(Op::Select, &[is, *other, value], ty);
            }
            values.push(value);
        }
        self.set(i.word(1)?, Val::many(values));
        Ok(())
    }

    /// `vloadn(offset, pointer)` and `vstoren(value, offset, pointer)`: elements that are aligned
    /// to themselves.
    fn vector_access(&mut self, name: &str, i: &Instruction<'_>) -> Result<(), Error> {
        let first = if name == "vloadn" { 4 } else { 5 };
        let index = self.scalar(i.word(first)?, i)?;
        let pointer = self.get(i.word(first + 1)?, i)?;
        let (base, space) = self.address(&pointer, i)?;
        let value_type = match name {
            "vloadn" => i.word(0)?,
            _ => *self
                .types
                .get(&i.word(4)?)
                .ok_or_else(|| i.unsupported("a constant to store"))?,
        };
        let element = self.component(value_type, i)?;
        let count = self.module.flatten(value_type, i)?.len() as u64;
        let width = self.function.ty(base);
        let index = self.resize(index, width, false);
        let size = self.constant(width, count * u64::from(element.bytes()));
        let offset = self.here().bin(Bin::Mul, index, size);
        let place = self.here().bin(Bin::Add, base, offset);
        let pointer = Val::pointer(place, Some(space));
        if name == "vloadn" {
            let val = self.load(&pointer, value_type, element.bytes(), i)?;
            self.set(i.word(1)?, val);
        } else {
            let value = self.get(i.word(4)?, i)?;
            self.store(&pointer, &value, value_type, element.bytes(), i)?;
        }
        Ok(())
    }
}
