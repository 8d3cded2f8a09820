//! The expressions of generated kernels.

use super::Generator;
use super::interesting;
use crate::arithmetic;
use crate::ast::{
    COLLECTIVES, Comparison, Expr, FloatOp, GLOBAL_SIZE, IntegerOp, Item, Kind, Rounding,
    SubGroupOp,
};
use crate::types::{Scalar, Type};

/// A constant.
pub fn uint(value: u64) -> Expr {
    Expr {
        ty: Scalar::U32.into(),
        kind: Kind::Constant(vec![value]),
    }
}

impl Generator {
    pub fn item(&mut self, item: Item) -> Expr {
        Expr {
            ty: Scalar::U32.into(),
            kind: Kind::Item(item),
        }
    }

    pub fn index(&mut self) -> Expr {
        let ty = self.integer();
        self.expr(ty, 1)
    }

    /// A scalar that counts as false if it is zero.
    pub fn condition(&mut self) -> Expr {
        let ty = Type::from(self.scalar());
        self.comparison(ty, Scalar::I32.into(), 2)
    }

    fn comparison(&mut self, of: Type, ty: Type, depth: u64) -> Expr {
        let op = self.choose(&[
            Comparison::Eq,
            Comparison::Ne,
            Comparison::Lt,
            Comparison::Ge,
        ]);
        let operands = [self.expr(of, depth - 1), self.expr(of, depth - 1)];
        Expr {
            ty,
            kind: Kind::Compare(op, Box::new(operands)),
        }
    }

    pub fn expr(&mut self, ty: impl Into<Type>, depth: u64) -> Expr {
        let ty = ty.into();
        if depth == 0 {
            return self.leaf(ty);
        }
        let kind = match self.random.below(100) {
            0..=11 => self.choice(ty, depth),
            12..=25 => self.conversion(ty, depth),
            26..=33 => self.shape(ty, depth),
            34..=38 => self.element(ty),
            39..=48 if self.together => self.collective(ty, depth),
            _ if ty.scalar.is_float() => Some(self.float(ty, depth)),
            _ => Some(self.operation(ty, depth)),
        };
        match kind {
            Some(kind) => Expr { ty, kind },
            None => self.expr(ty, depth - 1),
        }
    }

    fn leaf(&mut self, ty: Type) -> Expr {
        let constant = self.chance(15);
        let same: Vec<usize> = (0..self.kernel.variables.len())
            .filter(|v| self.kernel.variables[*v].ty.components == ty.components)
            .collect();
        let kind = if constant || same.is_empty() {
            let bits = (0..ty.components).map(|_| self.constant(ty.scalar));
            Kind::Constant(bits.collect())
        } else {
            let variable = self.choose(&same);
            let mut value = Expr {
                ty: self.kernel.variables[variable].ty,
                kind: Kind::Variable(variable),
            };
            if !ty.is_vector() && self.chance(15) {
                value = self.own_number();
            }
            if value.ty == ty {
                return value;
            }
            self.converted(value, ty)
        };
        Expr { ty, kind }
    }

    /// A constant. The newer compiler turns an infinity into zero when it saturates one.
    fn constant(&mut self, scalar: Scalar) -> u64 {
        let bits = interesting(&mut self.random, scalar);
        if scalar.is_float() && !arithmetic::real(scalar, bits).is_finite() {
            return 0;
        }
        bits
    }

    /// What a work-item knows about itself.
    fn own_number(&mut self) -> Expr {
        if let Some((counter, _)) = self.loops.last().copied()
            && self.chance(50)
        {
            return Expr {
                ty: Scalar::U32.into(),
                kind: Kind::Counter(counter),
            };
        }
        let item = self.choose(&[
            Item::GlobalId,
            Item::LocalId,
            Item::GroupId,
            Item::SubGroupId,
            Item::Lane,
        ]);
        // In a branch, the compilers write the lanes' numbers for all lanes, and overwrite what
        // those in the other branch computed.
        if item == Item::Lane && !self.together {
            return self.item(Item::LocalId);
        }
        self.item(item)
    }

    /// A conversion to a type of as many components.
    fn converted(&mut self, value: Expr, ty: Type) -> Kind {
        let (from, to) = (value.ty.scalar, ty.scalar);
        let rounding = self.choose(&[
            Rounding::NearestEven,
            Rounding::Zero,
            Rounding::Up,
            Rounding::Down,
        ]);
        let saturate = !to.is_float() && (from.is_float() || self.chance(50));
        // Through a float, integers that do not fit a half may be rounded twice.
        if to == Scalar::F16 && !from.is_float() && from.bits() > 16 {
            let short = value.ty.with(Scalar::I16);
            let value = Expr {
                ty: short,
                kind: Kind::Convert(Box::new(value), true, rounding),
            };
            return Kind::Convert(Box::new(value), false, rounding);
        }
        // Release 22.43 converts an infinite half to the highest number of 32 bits instead of 64,
        // and to one of 17 bits instead of 32.
        if from == Scalar::F16 && !to.is_float() && to.bits() >= 32 {
            let value = Expr {
                ty: value.ty.with(Scalar::F32),
                kind: Kind::Convert(Box::new(value), false, rounding),
            };
            return Kind::Convert(Box::new(value), saturate, rounding);
        }
        Kind::Convert(Box::new(value), saturate, rounding)
    }

    fn choice(&mut self, ty: Type, depth: u64) -> Option<Kind> {
        let condition = if ty.is_vector() {
            // A comparison of equally wide components gives the condition.
            let of = if self.taste.floats && self.chance(20) {
                match ty.scalar.bits() {
                    16 => Scalar::F16,
                    32 => Scalar::F32,
                    _ => ty.scalar,
                }
            } else {
                ty.scalar
            };
            self.comparison(ty.with(of), ty.with(ty.scalar.signed()), depth)
        } else {
            self.condition()
        };
        // The other branch of a scalar may be skipped.
        let together = self.together;
        self.together = together && ty.is_vector();
        let branches = [self.expr(ty, depth - 1), self.expr(ty, depth - 1)];
        self.together = together;
        let [x, y] = branches;
        Some(Kind::Choose(Box::new([condition, x, y])))
    }

    fn conversion(&mut self, ty: Type, depth: u64) -> Option<Kind> {
        let bits = ty.scalar.bits();
        if !ty.scalar.is_float() && self.chance(30) {
            let other = match bits {
                16 if self.taste.floats && !ty.is_vector() => Scalar::F16,
                32 if self.taste.floats && !ty.is_vector() => Scalar::F32,
                _ if ty.scalar.is_signed() => ty.scalar.unsigned(),
                _ => ty.scalar.signed(),
            };
            let value = self.expr(ty.with(other), depth - 1);
            return Some(Kind::Bits(Box::new(value)));
        }
        let from = self.scalar();
        if from == ty.scalar || self.is_large(ty.with(from)) {
            return None;
        }
        let value = self.expr(ty.with(from), depth - 1);
        Some(self.converted(value, ty))
    }

    /// Components of vectors.
    fn shape(&mut self, ty: Type, depth: u64) -> Option<Kind> {
        if !self.taste.vectors {
            return None;
        }
        if ty.is_vector() && self.chance(30) {
            let values = (0..ty.components).map(|_| self.expr(ty.scalar, depth.min(2) - 1));
            return Some(Kind::Gather(values.collect()));
        }
        let from = Type {
            components: self.choose(&[2, 3, 4, 8]),
            ..ty
        };
        if self.is_large(from) || ty.components > 8 {
            return None;
        }
        let value = self.expr(from, depth - 1);
        let components = (0..ty.components)
            .map(|_| self.random.below(from.components as u64) as usize)
            .collect();
        Some(Kind::Swizzle(Box::new(value), components))
    }

    fn element(&mut self, ty: Type) -> Option<Kind> {
        let arrays = 0..self.kernel.arrays.len();
        let fit: Vec<usize> = arrays.filter(|a| self.kernel.arrays[*a] == ty).collect();
        if fit.is_empty() {
            return None;
        }
        Some(Kind::Element(self.choose(&fit), Box::new(self.index())))
    }

    fn collective(&mut self, ty: Type, depth: u64) -> Option<Kind> {
        let unsigned = ty.scalar == ty.scalar.unsigned();
        if unsigned && self.blocks() && self.chance(40) {
            let counts: &[usize] = if ty.scalar == Scalar::U8 {
                &[1, 2, 4, 8, 16]
            } else {
                &[1, 2, 4, 8]
            };
            let at = 8 * self.random.below(16) as usize;
            return counts.contains(&ty.components).then(|| {
                let end = at + GLOBAL_SIZE * ty.bytes();
                while self.kernel.input.len() < end {
                    let bits = self.random.bits().to_le_bytes();
                    self.kernel.input.extend_from_slice(&bits);
                }
                Kind::BlockRead(at)
            });
        }
        if ty.is_vector() {
            return None;
        }
        let lane = self.random.below(self.kernel.sub_group as u64) as u32;
        let delta = 1 + self.random.below(self.kernel.sub_group as u64 - 1) as u32;
        let narrow = ty.scalar.bits() < 32;
        let (op, operands) = match self.random.below(8) {
            0 => (SubGroupOp::Shuffle, 1),
            1 => (SubGroupOp::ShuffleXor(lane), 1),
            2 => (SubGroupOp::ShuffleUp(delta), 2),
            3 => (SubGroupOp::ShuffleDown(delta), 2),
            4 if !narrow && self.taste.broadcasts => (SubGroupOp::Broadcast(lane), 1),
            5 if ty.scalar == Scalar::I32 => (self.choose(&[SubGroupOp::Any, SubGroupOp::All]), 1),
            // The result of a floating-point sum depends on its order.
            _ if !ty.scalar.is_float() && !narrow => {
                let kind = self.choose(&COLLECTIVES);
                let mut reduction = self.choose(&[IntegerOp::Add, IntegerOp::Min, IntegerOp::Max]);
                // Where sums of 64 bits are built from 32, both compilers take the wrong lane as
                // the last one if only the low half is needed.
                if ty.scalar.bits() == 64 && reduction == IntegerOp::Add {
                    reduction = IntegerOp::Max;
                }
                (SubGroupOp::Collective(kind, reduction), 1)
            }
            _ => (SubGroupOp::ShuffleXor(lane), 1),
        };
        let mut operands: Vec<_> = (0..operands).map(|_| self.expr(ty, depth - 1)).collect();
        if op == SubGroupOp::Shuffle {
            operands.push(self.expr(Scalar::U32, 1));
        }
        Some(Kind::SubGroup(op, operands))
    }

    fn float(&mut self, ty: Type, depth: u64) -> Kind {
        let (op, operands) = match self.random.below(16) {
            0..=1 => (FloatOp::Add, 2),
            2 => (FloatOp::Sub, 2),
            3..=4 => (FloatOp::Mul, 2),
            5..=6 => (FloatOp::Fma, 3),
            7 => (FloatOp::Min, 2),
            8 => (FloatOp::Max, 2),
            9 => (FloatOp::Abs, 1),
            10 => (FloatOp::Neg, 1),
            11 => (FloatOp::Trunc, 1),
            12 => (FloatOp::Floor, 1),
            13 => (FloatOp::Ceil, 1),
            14 if !ty.is_vector() => (FloatOp::Copysign, 2),
            14 => (FloatOp::Round, 1),
            _ => (FloatOp::Rint, 1),
        };
        let operands = (0..operands).map(|_| self.expr(ty, depth - 1));
        Kind::Float(op, operands.collect())
    }

    fn operation(&mut self, ty: Type, depth: u64) -> Kind {
        use IntegerOp as Op;
        let scalar = ty.scalar;
        let (op, operands) = match self.random.below(100) {
            0..=11 => (Op::Add, 2),
            12..=19 => (Op::Sub, 2),
            20..=29 => (Op::Mul, 2),
            30..=34 => (Op::And, 2),
            35..=39 => (Op::Or, 2),
            40..=44 => (Op::Xor, 2),
            45..=46 => (Op::Not, 1),
            47..=48 => (Op::Neg, 1),
            49..=53 => (Op::Shl, 2),
            54..=58 => (Op::Shr, 2),
            59..=60 if self.taste.divides => (Op::Div, 2),
            61..=62 if self.taste.divides => (Op::Rem, 2),
            59..=62 => (Op::Min, 2),
            63..=66 => (Op::AddSat, 2),
            67..=70 => (Op::SubSat, 2),
            // The compiler's library (22.43) is wrong about longs: it mistakes a high half that is
            // not -1 for an overflow when the product is zero and one factor is negative.
            71..=73 if scalar != Scalar::I64 => (Op::MadSat, 3),
            74..=76 => (Op::MulHi, 2),
            77..=78 => (Op::MadHi, 3),
            79..=80 => (Op::Hadd, 2),
            // And about the largest ulong twice.
            81..=82 if scalar != Scalar::U64 => (Op::Rhadd, 2),
            83..=85 if self.taste.rotates => (Op::Rotate, 2),
            83..=85 => (Op::Max, 2),
            86..=87 => (Op::Clamp, 3),
            88..=89 if !scalar.is_signed() => {
                let op = self.choose(&[Op::Abs, Op::AbsDiff]);
                let signed = ty.with(scalar.signed());
                let count = if op == Op::Abs { 1 } else { 2 };
                let operands = (0..count).map(|_| self.expr(signed, depth - 1));
                return Kind::Integer(op, operands.collect());
            }
            90..=91 => (Op::Clz, 1),
            92..=93 => (Op::Popcount, 1),
            94..=95 => (Op::Bitselect, 3),
            // Signed ones must not overflow.
            96..=97 if scalar == Scalar::U32 => (Op::Mul24, 2),
            98..=99 if scalar == Scalar::U32 => (Op::Mad24, 3),
            _ => (Op::Xor, 2),
        };
        let operands = (0..operands).map(|_| self.expr(ty, depth - 1));
        let mut operands: Vec<_> = operands.collect();
        for (index, operand) in operands.iter_mut().enumerate() {
            let Kind::Constant(bits) = &mut operand.kind else {
                continue;
            };
            for bits in bits {
                // A difference from zero is a negation, see [`IntegerOp::Neg`], and so is a product
                // with the negative of a power of two.
                let negated = bits.wrapping_neg() & scalar.mask();
                match op {
                    Op::Sub if index == 0 && *bits == 0 => *bits = 1,
                    Op::Mul if negated.is_power_of_two() => *bits = 3,
                    _ => {}
                }
            }
        }
        Kind::Integer(op, operands)
    }
}
