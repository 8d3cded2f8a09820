//! What a kernel should leave in memory, computed from its tree, not its text: all work-items of a
//! work-group execute a statement together, each under its own bit of a mask.

use super::arithmetic;
use super::ast::{
    BLOCK_ROW, CELLS, Case, Collective, ELEMENTS, Expr, FloatOp, GLOBAL_SIZE, IntegerOp, Item,
    Kernel, Kind, LOCAL_SIZE, LoopStyle, OwnAtomic, Stmt, SubGroupOp,
};
use super::types::{Scalar, Type};

/// What kernels write to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory {
    /// A row for each output, one number per work-item.
    pub out: Vec<u64>,
    pub blocks: Vec<u8>,
    pub cells: Vec<u32>,
    pub own: Vec<u32>,
}

impl Memory {
    /// Its content before the launch.
    pub fn new(kernel: &Kernel) -> Self {
        Self {
            out: vec![0; kernel.rows * GLOBAL_SIZE],
            blocks: vec![0; kernel.rows * BLOCK_ROW],
            cells: vec![0; kernel.rows * CELLS],
            own: vec![0; kernel.rows * GLOBAL_SIZE],
        }
    }
}

/// Runs a kernel.
pub fn evaluate(kernel: &Kernel) -> Memory {
    let mut memory = Memory::new(kernel);
    for group in 0..GLOBAL_SIZE / LOCAL_SIZE {
        let first = group * LOCAL_SIZE;
        let variables = kernel
            .variables
            .iter()
            .map(|v| load(kernel, v.ty, v.at, first));
        let elements = |ty: &Type| vec![0; LOCAL_SIZE * ELEMENTS * ty.components];
        let mut group = Group {
            kernel,
            first,
            variables: variables.collect(),
            arrays: kernel.arrays.iter().map(elements).collect(),
            counters: Vec::new(),
            left: Vec::new(),
            memory: &mut memory,
        };
        group.run(&kernel.body, u64::MAX);
    }
    memory
}

/// The bits of an element in memory.
fn element(bytes: &[u8], at: usize, scalar: Scalar) -> u64 {
    let bytes = &bytes[at..at + scalar.bytes()];
    bytes
        .iter()
        .rev()
        .fold(0, |bits, byte| bits << 8 | u64::from(*byte))
}

fn load(kernel: &Kernel, ty: Type, at: usize, first: usize) -> Lanes {
    Lanes::new(ty, |item, component| {
        let at = at + (first + item) * ty.bytes() + component * ty.scalar.bytes();
        element(&kernel.input, at, ty.scalar)
    })
}

/// A value for each work-item of a group.
#[derive(Clone, Debug)]
struct Lanes {
    ty: Type,
    bits: Vec<u64>,
}

impl Lanes {
    fn new(ty: impl Into<Type>, value: impl Fn(usize, usize) -> u64) -> Self {
        let ty = ty.into();
        let of = |item| (0..ty.components).map(move |component| (item, component));
        let bits = (0..LOCAL_SIZE).flat_map(of);
        Self {
            ty,
            bits: bits
                .map(|(item, component)| value(item, component))
                .collect(),
        }
    }

    fn get(&self, item: usize, component: usize) -> u64 {
        self.bits[item * self.ty.components + component]
    }

    /// The first component, modulo a power of two.
    fn index(&self, item: usize, limit: usize) -> usize {
        self.get(item, 0) as usize & (limit - 1)
    }

    /// Where the first component is not zero.
    fn truth(&self) -> u64 {
        mask(|item| {
            let bits = self.get(item, 0);
            if self.ty.scalar.is_float() {
                arithmetic::real(self.ty.scalar, bits) != 0.0
            } else {
                bits != 0
            }
        })
    }
}

fn mask(of: impl Fn(usize) -> bool) -> u64 {
    (0..LOCAL_SIZE).fold(0, |mask, item| mask | u64::from(of(item)) << item)
}

fn items(mask: u64) -> impl Iterator<Item = usize> {
    (0..LOCAL_SIZE).filter(move |item| mask >> item & 1 == 1)
}

/// The work-items that have left a loop, or the rest of its body in this iteration.
#[derive(Clone, Copy, Debug, Default)]
struct Left {
    broken: u64,
    continued: u64,
}

struct Group<'a> {
    kernel: &'a Kernel,
    /// The global id of its first work-item.
    first: usize,
    variables: Vec<Lanes>,
    arrays: Vec<Vec<u64>>,
    /// By the number of the counter.
    counters: Vec<Vec<u64>>,
    /// One for each loop around the statement.
    left: Vec<Left>,
    memory: &'a mut Memory,
}

impl Group<'_> {
    fn run(&mut self, stmts: &[Stmt], mask: u64) {
        for stmt in stmts {
            let left = self.left.last().copied().unwrap_or_default();
            let mask = mask & !left.broken & !left.continued;
            if mask != 0 {
                self.stmt(stmt, mask);
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt, mask: u64) {
        match stmt {
            Stmt::Assign(variable, components, value) => {
                let value = self.eval(value);
                self.assign(*variable, components.as_deref(), &value, mask);
            }
            Stmt::Store {
                array,
                index,
                value,
            } => {
                let (index, value) = (self.eval(index), self.eval(value));
                let n = value.ty.components;
                for item in items(mask) {
                    let at = (item * ELEMENTS + index.index(item, ELEMENTS)) * n;
                    for component in 0..n {
                        self.arrays[*array][at + component] = value.get(item, component);
                    }
                }
            }
            Stmt::If(condition, then, otherwise) => {
                let truth = self.eval(condition).truth();
                self.run(then, mask & truth);
                self.run(otherwise, mask & !truth);
            }
            Stmt::Loop {
                counter,
                count,
                style,
                body,
            } => {
                let count = self.eval(count);
                self.repeat(*counter, &count, *style, body, mask);
            }
            Stmt::Break(condition) => {
                let truth = self.eval(condition).truth();
                if let Some(left) = self.left.last_mut() {
                    left.broken |= mask & truth;
                }
            }
            Stmt::Continue(condition) => {
                let truth = self.eval(condition).truth();
                if let Some(left) = self.left.last_mut() {
                    left.continued |= mask & truth;
                }
            }
            Stmt::Switch {
                value,
                cases,
                default,
            } => {
                let value = self.eval(value);
                self.switch(&value, cases, default, mask);
            }
            _ => self.memory(stmt, mask),
        }
    }

    fn assign(&mut self, variable: usize, components: Option<&[usize]>, value: &Lanes, mask: u64) {
        let target = &mut self.variables[variable];
        let n = target.ty.components;
        let all: Vec<usize> = (0..n).collect();
        for item in items(mask) {
            for (from, to) in components.unwrap_or(&all).iter().enumerate() {
                target.bits[item * n + to] = value.get(item, from);
            }
        }
    }

    fn repeat(
        &mut self,
        counter: usize,
        count: &Lanes,
        style: LoopStyle,
        body: &[Stmt],
        mask: u64,
    ) {
        let at_least = usize::from(style == LoopStyle::DoWhile);
        self.left.push(Left::default());
        for round in 0..8 {
            let broken = self.left.last().map_or(0, |left| left.broken);
            let more = self::mask(|item| round < count.index(item, 8).max(at_least));
            let active = mask & more & !broken;
            if active == 0 {
                break;
            }
            if self.counters.len() <= counter {
                self.counters.resize(counter + 1, vec![0; LOCAL_SIZE]);
            }
            for item in items(active) {
                self.counters[counter][item] = round as u64;
            }
            if let Some(left) = self.left.last_mut() {
                left.continued = 0;
            }
            self.run(body, active);
        }
        self.left.pop();
    }

    fn switch(&mut self, value: &Lanes, cases: &[Case], default: &[Stmt], mask: u64) {
        let label = |item: usize| value.index(item, 8) as u64;
        let mut running = 0;
        for case in cases {
            running |= mask & self::mask(|item| label(item) == case.label);
            self.run(&case.body, running);
            if !case.falls_through {
                running = 0;
            }
        }
        let named = self::mask(|item| cases.iter().any(|case| case.label == label(item)));
        self.run(default, running | mask & !named);
    }

    fn memory(&mut self, stmt: &Stmt, mask: u64) {
        match stmt {
            Stmt::Out(row, value) => {
                let value = self.eval(value);
                for item in items(mask) {
                    let folded = (0..value.ty.components).fold(0u64, |sum, component| {
                        let bits = printed(value.ty.scalar, value.get(item, component));
                        sum.wrapping_mul(31).wrapping_add(bits)
                    });
                    self.memory.out[row * GLOBAL_SIZE + self.first + item] = folded;
                }
            }
            Stmt::Share {
                variable,
                slot,
                value,
                index,
                ..
            } => {
                let value = self.eval(value);
                // The index is computed after the barrier, but from the same variables.
                let index = self.eval(index);
                let other = Lanes::new(value.ty, |item, component| {
                    value.get(index.index(item, LOCAL_SIZE) ^ slot, component)
                });
                self.assign(*variable, None, &other, mask);
            }
            Stmt::LocalAtomic {
                op,
                ty,
                variable,
                active,
                cell,
                operand,
            } => {
                let active = mask & self.eval(active).truth();
                let (cell, operand) = (self.eval(cell), self.eval(operand));
                let mut cells = [0; CELLS];
                for item in items(active) {
                    let cell = &mut cells[cell.index(item, CELLS)];
                    *cell = arithmetic::integer(*op, *ty, &[*cell, operand.get(item, 0)]);
                }
                let read = Lanes::new(*ty, |item, _| cells[cell.index(item, CELLS)]);
                self.assign(*variable, None, &read, mask);
            }
            Stmt::GlobalAtomic {
                op,
                ty,
                row,
                cell,
                operand,
            } => {
                let (cell, operand) = (self.eval(cell), self.eval(operand));
                for item in items(mask) {
                    let cell = &mut self.memory.cells[row * CELLS + cell.index(item, CELLS)];
                    *cell = arithmetic::integer(*op, *ty, &[u64::from(*cell), operand.get(item, 0)])
                        as u32;
                }
            }
            Stmt::OwnAtomic {
                op,
                variable,
                row,
                operands,
            } => {
                let operands: Vec<Lanes> = operands.iter().map(|o| self.eval(o)).collect();
                let at = row * GLOBAL_SIZE + self.first;
                let before = Lanes::new(self.variables[*variable].ty, |item, _| {
                    u64::from(self.memory.own[at + item])
                });
                for item in items(mask) {
                    let old = before.get(item, 0);
                    let operand = |index: usize| operands[index].get(item, 0);
                    let new = match op {
                        OwnAtomic::Exchange => operand(0),
                        OwnAtomic::CompareExchange if old == operand(0) => operand(1),
                        OwnAtomic::CompareExchange => old,
                        OwnAtomic::Op(op) => {
                            arithmetic::integer(*op, before.ty.scalar, &[old, operand(0)])
                        }
                    };
                    self.memory.own[at + item] = new as u32;
                }
                self.assign(*variable, None, &before, mask);
            }
            Stmt::BlockWrite { row, value } => {
                let value = self.eval(value);
                let bytes = value.ty.scalar.bytes();
                for item in items(mask) {
                    for component in 0..value.ty.components {
                        let between = self.kernel.written_block(value.ty);
                        let at = row * BLOCK_ROW + self.block(value.ty, between, item, component);
                        let bits = value.get(item, component).to_le_bytes();
                        self.memory.blocks[at..at + bytes].copy_from_slice(&bits[..bytes]);
                    }
                }
            }
            _ => {}
        }
    }

    /// The offset of a work-item's component in blocks, which have so many bytes `between` them: a
    /// sub-group's elements are adjacent, the next component follows them.
    fn block(&self, ty: Type, between: usize, item: usize, component: usize) -> usize {
        let size = self.kernel.sub_group;
        let number = (self.first + item) / size;
        number * between + (component * size + item % size) * ty.scalar.bytes()
    }

    fn eval(&self, e: &Expr) -> Lanes {
        let ty = e.ty;
        let all = |operands: &[Expr]| -> Vec<Lanes> {
            operands.iter().map(|operand| self.eval(operand)).collect()
        };
        match &e.kind {
            Kind::Constant(bits) => Lanes::new(ty, |_, component| bits[component]),
            Kind::Variable(variable) => self.variables[*variable].clone(),
            Kind::Item(which) => Lanes::new(ty, |item, _| self.item(*which, item) as u64),
            Kind::Counter(counter) => Lanes::new(ty, |item, _| self.counters[*counter][item]),
            Kind::Element(array, index) => {
                let index = self.eval(index);
                Lanes::new(ty, |item, component| {
                    let element = item * ELEMENTS + index.index(item, ELEMENTS);
                    self.arrays[*array][element * ty.components + component]
                })
            }
            Kind::Integer(op, operands) => integers(*op, ty, &all(operands)),
            Kind::Float(op, operands) => floats(*op, ty, &all(operands)),
            Kind::Compare(op, operands) => {
                let [x, y] = operands.each_ref().map(|operand| self.eval(operand));
                let yes = if ty.is_vector() { ty.scalar.mask() } else { 1 };
                Lanes::new(ty, |item, component| {
                    let [x, y] = [&x, &y].map(|operand| operand.get(item, component));
                    let scalar = operands[0].ty.scalar;
                    if arithmetic::compare(*op, scalar, x, y) {
                        yes
                    } else {
                        0
                    }
                })
            }
            Kind::Choose(operands) => {
                let [condition, x, y] = operands.each_ref().map(|operand| self.eval(operand));
                let truth = condition.truth();
                let top = condition.ty.scalar.bits() - 1;
                Lanes::new(ty, |item, component| {
                    let first = if ty.is_vector() {
                        condition.get(item, component) >> top & 1
                    } else {
                        truth >> item & 1
                    };
                    if first == 1 { &x } else { &y }.get(item, component)
                })
            }
            Kind::Convert(value, saturate, rounding) => {
                let value = self.eval(value);
                Lanes::new(ty, |item, component| {
                    let (from, to) = (value.ty.scalar, ty.scalar);
                    let bits = value.get(item, component);
                    match (from.is_float(), to.is_float()) {
                        (false, false) => {
                            let number = arithmetic::number(from, bits);
                            arithmetic::to_other_integer(to, *saturate, number)
                        }
                        (false, true) => {
                            let number = arithmetic::number(from, bits);
                            arithmetic::from_integer(to, *rounding, number)
                        }
                        (true, false) => {
                            arithmetic::to_integer(to, *rounding, arithmetic::real(from, bits))
                        }
                        (true, true) => {
                            arithmetic::from_real(to, *rounding, arithmetic::real(from, bits))
                        }
                    }
                })
            }
            Kind::Bits(value) => {
                let value = self.eval(value);
                Lanes::new(ty, |item, component| {
                    let bits = value.get(item, component);
                    if value.ty.scalar.is_float() {
                        printed(value.ty.scalar, bits)
                    } else {
                        bits
                    }
                })
            }
            Kind::Swizzle(value, components) => {
                let value = self.eval(value);
                Lanes::new(ty, |item, component| value.get(item, components[component]))
            }
            Kind::Gather(values) => {
                let values = all(values);
                Lanes::new(ty, |item, component| values[component].get(item, 0))
            }
            Kind::SubGroup(op, operands) => self.sub_group(*op, ty, &all(operands)),
            Kind::BlockRead(at) => Lanes::new(ty, |item, component| {
                let between = self.kernel.sub_group * ty.components * ty.scalar.bytes();
                let at = at + self.block(ty, between, item, component);
                element(&self.kernel.input, at, ty.scalar)
            }),
        }
    }

    fn item(&self, which: Item, item: usize) -> usize {
        match which {
            Item::GlobalId => self.first + item,
            Item::LocalId => item,
            Item::GroupId => self.first / LOCAL_SIZE,
            Item::SubGroupId => item / self.kernel.sub_group,
            Item::Lane => item % self.kernel.sub_group,
        }
    }

    fn sub_group(&self, op: SubGroupOp, ty: Type, operands: &[Lanes]) -> Lanes {
        let size = self.kernel.sub_group;
        let x = &operands[0];
        let from = |lane: &dyn Fn(usize) -> usize| {
            Lanes::new(ty, |item, component| {
                x.get(item / size * size + lane(item) % size, component)
            })
        };
        // Both operands' lanes concatenated, from a place among them on.
        let window = |begin: &dyn Fn(usize) -> usize| {
            Lanes::new(ty, |item, component| {
                let place = begin(item % size);
                let of = &operands[place / size];
                of.get(item / size * size + place % size, component)
            })
        };
        match op {
            SubGroupOp::Shuffle => from(&|item| operands[1].get(item, 0) as usize),
            SubGroupOp::ShuffleXor(value) => from(&|item| (item % size) ^ value as usize),
            SubGroupOp::Broadcast(lane) => from(&|_| lane as usize),
            SubGroupOp::ShuffleUp(delta) => window(&|lane| size + lane - delta as usize),
            SubGroupOp::ShuffleDown(delta) => window(&|lane| lane + delta as usize),
            SubGroupOp::Any | SubGroupOp::All => {
                let truth = x.truth();
                let all = u64::MAX >> (64 - size);
                Lanes::new(ty, |item, _| {
                    let those = truth >> (item / size * size) & all;
                    u64::from(match op {
                        SubGroupOp::Any => those != 0,
                        _ => those == all,
                    })
                })
            }
            SubGroupOp::Collective(kind, reduction) => {
                let (low, high) = ty.scalar.limits();
                let identity = match reduction {
                    IntegerOp::Min => high as u64 & ty.scalar.mask(),
                    IntegerOp::Max => low as u64 & ty.scalar.mask(),
                    _ => 0,
                };
                Lanes::new(ty, |item, _| {
                    let begin = item / size * size;
                    let end = match kind {
                        Collective::Reduce => begin + size,
                        Collective::InclusiveScan => item + 1,
                        Collective::ExclusiveScan => item,
                    };
                    (begin..end).fold(identity, |sum, other| {
                        arithmetic::integer(reduction, ty.scalar, &[sum, x.get(other, 0)])
                    })
                })
            }
        }
    }
}

/// The bits of a value as the kernel's text computes them, in 64 bits: signs are extended, and all
/// NaNs have one pattern.
fn printed(scalar: Scalar, bits: u64) -> u64 {
    match scalar {
        Scalar::F16 if arithmetic::real(scalar, bits).is_nan() => 0x7e00,
        Scalar::F32 if arithmetic::real(scalar, bits).is_nan() => 0x7fc0_0000,
        Scalar::F16 | Scalar::F32 => bits,
        _ => arithmetic::number(scalar, bits) as u64,
    }
}

fn integers(op: IntegerOp, ty: Type, operands: &[Lanes]) -> Lanes {
    let scalar = operands[0].ty.scalar;
    Lanes::new(ty, |item, component| {
        let operands: Vec<u64> = operands.iter().map(|o| o.get(item, component)).collect();
        arithmetic::integer(op, scalar, &operands)
    })
}

fn floats(op: FloatOp, ty: Type, operands: &[Lanes]) -> Lanes {
    Lanes::new(ty, |item, component| {
        let operands: Vec<u64> = operands.iter().map(|o| o.get(item, component)).collect();
        arithmetic::float(op, ty.scalar, &operands)
    })
}
