//! Kernels from seeds.

mod expressions;

use stack_tests::Random;

use expressions::uint;

use super::ast::{
    Case, Comparison, Expr, GLOBAL_SIZE, IntegerOp, Item, Kernel, Kind, LoopStyle, OwnAtomic, Stmt,
    Variable,
};
use super::types::{INTEGERS, Scalar, Type};

/// Rows of output: parts of a kernel, each of a few statements.
const ROWS: usize = 8;

/// The most bytes of one value in a sub-group, so that not everything spills.
const LARGEST: usize = 512;

/// The kernel of a seed.
pub fn generate(seed: u64) -> Kernel {
    // Neighbouring seeds have nothing in common.
    let mut random = Random::new(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    let sub_group = [16, 32, 8, 16][(seed % 4) as usize];
    let taste = Taste {
        wide: random.below(3) > 0,
        vectors: random.below(2) == 0,
        floats: random.below(2) == 0,
        rotates: random.below(4) == 0,
        broadcasts: random.below(4) == 0,
        divides: random.below(4) == 0,
        depth: 2 + random.below(2),
    };
    let kernel = Kernel {
        seed,
        sub_group,
        variables: Vec::new(),
        arrays: Vec::new(),
        shared: Vec::new(),
        body: Vec::new(),
        rows: ROWS,
        input: Vec::new(),
        fixed_size: random.below(2) == 0,
        rotates: taste.rotates,
        broadcasts: taste.broadcasts,
    };
    let mut generator = Generator {
        random,
        taste,
        kernel,
        together: true,
        loops: Vec::new(),
        counters: 0,
        atomics: 0,
    };
    generator.variables();
    for row in 0..ROWS {
        generator.row(row);
    }
    generator.kernel
}

/// The features of a seed's kernels. All features in each would only make each larger.
#[derive(Clone, Copy, Debug)]
struct Taste {
    /// Integers of 64 bits.
    wide: bool,
    vectors: bool,
    floats: bool,
    rotates: bool,
    broadcasts: bool,
    divides: bool,
    /// Of expressions.
    depth: u64,
}

struct Generator {
    random: Random,
    taste: Taste,
    kernel: Kernel,
    /// Whether all work-items of a sub-group get here together.
    together: bool,
    /// Counters of the enclosing loops, and whether they may be left.
    loops: Vec<(usize, bool)>,
    counters: usize,
    /// Rows of cells that are taken.
    atomics: usize,
}

impl Generator {
    fn chance(&mut self, percent: u64) -> bool {
        self.random.below(100) < percent
    }

    fn choose<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.random.below(of.len() as u64) as usize]
    }

    /// A type that the kernel's features allow.
    fn ty(&mut self) -> Type {
        let scalar = self.scalar();
        let components = if self.taste.vectors && self.chance(40) {
            self.choose(&[2, 2, 3, 4, 4, 8, 16])
        } else {
            1
        };
        let ty = Type { scalar, components };
        if self.is_large(ty) {
            return scalar.into();
        }
        ty
    }

    fn is_large(&self, ty: Type) -> bool {
        ty.bytes() * self.kernel.sub_group > LARGEST
    }

    fn scalar(&mut self) -> Scalar {
        if self.taste.floats && self.chance(30) {
            self.choose(&[Scalar::F16, Scalar::F32])
        } else {
            self.integer()
        }
    }

    fn integer(&mut self) -> Scalar {
        let count = if self.taste.wide { 8 } else { 6 };
        self.choose(&INTEGERS[..count])
    }

    fn variables(&mut self) {
        let mut types = vec![Type::from(Scalar::I32), Scalar::U32.into()];
        for _ in 0..10 {
            types.push(self.ty());
        }
        for ty in types {
            let at = self.kernel.input.len();
            self.kernel.variables.push(Variable { ty, at });
            for _ in 0..GLOBAL_SIZE * ty.components.next_power_of_two() {
                let bits = interesting(&mut self.random, ty.scalar).to_le_bytes();
                let bytes = &bits[..ty.scalar.bytes()];
                self.kernel.input.extend_from_slice(bytes);
            }
            let padding = self.kernel.input.len().next_multiple_of(128);
            self.kernel.input.resize(padding, 0);
        }
        for _ in 0..self.random.below(3) {
            let ty = self.ty();
            self.kernel.arrays.push(ty);
        }
    }

    fn row(&mut self, row: usize) {
        for _ in 0..=self.random.below(3) {
            let stmt = self.stmt(0);
            self.kernel.body.push(stmt);
        }
        let stmt = match self.random.below(8) {
            0 => Some(self.share()),
            1 => Some(self.local_atomic()),
            2 if self.blocks() => Some(self.block_write(row)),
            _ => None,
        };
        self.kernel.body.extend(stmt);
        let ty = self.ty();
        let value = self.expr(ty, self.taste.depth);
        self.kernel.body.push(Stmt::Out(row, value));
    }

    fn stmts(&mut self, depth: u64) -> Vec<Stmt> {
        let count = 1 + self.random.below(3);
        (0..count).map(|_| self.stmt(depth)).collect()
    }

    /// Statements that only some work-items of a sub-group reach.
    fn apart(&mut self, depth: u64) -> Vec<Stmt> {
        let together = std::mem::replace(&mut self.together, false);
        let stmts = self.stmts(depth);
        self.together = together;
        stmts
    }

    fn stmt(&mut self, depth: u64) -> Stmt {
        let inner = depth + 1;
        match self.random.below(100) {
            0..=9 if !self.kernel.arrays.is_empty() => self.store(),
            10..=24 if depth < 2 => {
                let condition = self.condition();
                let then = self.apart(inner);
                let otherwise = if self.chance(50) {
                    self.apart(inner)
                } else {
                    Vec::new()
                };
                Stmt::If(condition, then, otherwise)
            }
            25..=27 if depth < 2 && self.together => {
                // The same for all of a sub-group.
                let parity = self.random.below(2);
                let operands = [self.item(Item::SubGroupId), uint(parity)];
                let condition = Expr {
                    ty: Scalar::I32.into(),
                    kind: Kind::Compare(Comparison::Eq, Box::new(operands)),
                };
                Stmt::If(condition, self.stmts(inner), self.stmts(inner))
            }
            28..=39 if depth < 2 => self.repeat(inner),
            40..=46 if depth < 2 => self.switch(inner),
            47..=60 if self.loops.last().is_some_and(|(_, leave)| *leave) => {
                let condition = self.condition();
                if self.chance(50) {
                    Stmt::Break(condition)
                } else {
                    Stmt::Continue(condition)
                }
            }
            61..=64 => self.own_atomic(),
            65..=67 if self.atomics < self.kernel.rows => {
                self.atomics += 1;
                let ty = self.choose(&[Scalar::I32, Scalar::U32]);
                Stmt::GlobalAtomic {
                    op: self.atomic_op(),
                    ty,
                    row: self.atomics - 1,
                    cell: self.index(),
                    operand: self.expr(ty, 1),
                }
            }
            _ => self.assign(),
        }
    }

    fn assign(&mut self) -> Stmt {
        let variable = self.random.below(self.kernel.variables.len() as u64) as usize;
        let ty = self.kernel.variables[variable].ty;
        let depth = self.taste.depth;
        if !ty.is_vector() || self.chance(60) {
            return Stmt::Assign(variable, None, self.expr(ty, depth));
        }
        let mut components: Vec<usize> = (0..ty.components).collect();
        for last in (1..components.len()).rev() {
            components.swap(last, self.random.below(last as u64 + 1) as usize);
        }
        let few: Vec<usize> = [1, 2, 3, 4, 8]
            .into_iter()
            .filter(|n| *n <= ty.components)
            .collect();
        components.truncate(self.choose(&few));
        let part = Type {
            components: components.len(),
            ..ty
        };
        let value = self.expr(part, depth - 1);
        Stmt::Assign(variable, Some(components), value)
    }

    fn store(&mut self) -> Stmt {
        let array = self.random.below(self.kernel.arrays.len() as u64) as usize;
        let ty = self.kernel.arrays[array];
        Stmt::Store {
            array,
            index: self.index(),
            value: self.expr(ty, self.taste.depth - 1),
        }
    }

    fn repeat(&mut self, depth: u64) -> Stmt {
        let counter = self.counters;
        self.counters += 1;
        let style = self.choose(&[LoopStyle::For, LoopStyle::While, LoopStyle::DoWhile]);
        // With a constant count and no `break`, sub-groups stay together.
        let constant = self.chance(30);
        let count = if constant {
            uint(self.random.below(6))
        } else {
            self.index()
        };
        self.loops.push((counter, !constant));
        let body = if constant {
            self.stmts(depth)
        } else {
            self.apart(depth)
        };
        self.loops.pop();
        Stmt::Loop {
            counter,
            count,
            style,
            body,
        }
    }

    fn switch(&mut self, depth: u64) -> Stmt {
        let value = self.index();
        // A `break` would be the switch's.
        let leave = self
            .loops
            .last_mut()
            .map(|(_, leave)| std::mem::take(leave));
        let cases = 2 + self.random.below(4);
        let first = self.random.below(3);
        let cases = (0..cases).map(|case| Case {
            label: first + case,
            body: self.apart(depth),
            falls_through: self.chance(30),
        });
        let cases = cases.collect();
        let default = self.apart(depth);
        if let (Some((_, may)), Some(leave)) = (self.loops.last_mut(), leave) {
            *may = leave;
        }
        Stmt::Switch {
            value,
            cases,
            default,
        }
    }

    fn share(&mut self) -> Stmt {
        let variable = self.random.below(self.kernel.variables.len() as u64) as usize;
        let ty = self.kernel.variables[variable].ty;
        self.kernel.shared.push(ty);
        Stmt::Share {
            array: self.kernel.shared.len() - 1,
            variable,
            slot: self.random.below(64) as usize,
            value: self.expr(ty, 2),
            index: self.index(),
        }
    }

    /// An operation on a cell that others also change: their order does not affect the result.
    fn atomic_op(&mut self) -> IntegerOp {
        self.choose(&[
            IntegerOp::Add,
            IntegerOp::Sub,
            IntegerOp::Min,
            IntegerOp::Max,
            IntegerOp::And,
            IntegerOp::Or,
            IntegerOp::Xor,
        ])
    }

    /// A variable that atomics work on: the first two are int and uint.
    fn word(&mut self) -> (usize, Scalar) {
        self.choose(&[(0, Scalar::I32), (1, Scalar::U32)])
    }

    fn local_atomic(&mut self) -> Stmt {
        let (variable, ty) = self.word();
        let (op, active) = (self.atomic_op(), self.condition());
        // Only some reach the atomic.
        let together = std::mem::replace(&mut self.together, false);
        let (cell, operand) = (self.index(), self.expr(ty, 1));
        self.together = together;
        Stmt::LocalAtomic {
            op,
            ty,
            variable,
            active,
            cell,
            operand,
        }
    }

    fn own_atomic(&mut self) -> Stmt {
        let (variable, ty) = self.word();
        let (op, operands) = match self.random.below(3) {
            0 => (OwnAtomic::Exchange, 1),
            1 => (OwnAtomic::CompareExchange, 2),
            _ => (OwnAtomic::Op(self.atomic_op()), 1),
        };
        Stmt::OwnAtomic {
            op,
            variable,
            row: self.random.below(2) as usize,
            operands: (0..operands).map(|_| self.expr(ty, 1)).collect(),
        }
    }

    fn block_write(&mut self, row: usize) -> Stmt {
        let ty = self.block_type();
        Stmt::BlockWrite {
            row,
            value: self.expr(ty, 1),
        }
    }

    /// Whether it has block reads and writes: the compiler does not support them in SIMD32 where
    /// the hardware has SIMD8.
    fn blocks(&self) -> bool {
        self.kernel.sub_group < 32
    }

    /// A type that block reads and writes have.
    fn block_type(&mut self) -> Type {
        let scalar = self.integer().unsigned();
        let counts: &[usize] = if scalar == Scalar::U8 {
            &[1, 2, 4, 8, 16]
        } else {
            &[1, 2, 4, 8]
        };
        let ty = Type {
            scalar,
            components: self.choose(counts),
        };
        if self.is_large(ty) { scalar.into() } else { ty }
    }
}

/// A value, including small numbers and the ends of the range, and for floating point also zeros,
/// infinities, NaNs, and denormal halves.
fn interesting(random: &mut Random, scalar: Scalar) -> u64 {
    let bits = random.bits();
    match (scalar, random.below(8)) {
        (Scalar::F16, 0) => {
            [0, 0x8000, 0x7c00, 0xfc00, 0x7e00, 0x7bff, 0x3c00, 1][bits as usize & 7]
        }
        (Scalar::F16, 1) => bits & 0x83ff,
        (Scalar::F16, _) => bits & 0x83ff | (8 + random.below(14)) << 10,
        (Scalar::F32, 0) => [
            0,
            0x8000_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x4f00_0000,
            0x3f80_0000,
            0x3f00_0000,
        ][bits as usize & 7],
        (Scalar::F32, _) => bits & 0x807f_ffff | (120 + random.below(16)) << 23,
        (_, 0) => {
            let (low, high) = scalar.limits();
            let special = [low, high, low + 1, high - 1, high / 2, -1];
            special[(bits % 6) as usize] as u64 & scalar.mask()
        }
        (_, 1..=3) => ((bits & 31).wrapping_sub(8)) & scalar.mask(),
        (_, 4) => (bits.cast_signed() >> (bits & 63)).cast_unsigned() & scalar.mask(),
        _ => bits & scalar.mask(),
    }
}
