//! Accesses to variables become those to cells of arrays.

use std::collections::HashMap;

use smallvec::SmallVec;

use super::super::known::most;
use super::CELL;
use super::find::Variable;
use super::layout::{Cells, Element, Layout, Place};
use crate::ir::cfg::{Dominators, Loops};
use crate::ir::{Bin, Block, Convert, Cursor, Function, Input, Inst, Op, Replaced, Type, Value};
use crate::target::Target;

pub(super) struct Rewrite<'a> {
    function: &'a mut Function,
    target: &'a Target,
    variables: HashMap<Value, Variable>,
    /// The array of each variable that is read.
    arrays: HashMap<Value, Value>,
    /// The variable of each access.
    accesses: HashMap<Inst, Value>,
    /// The distance from the first lane's cell to the lane's.
    lane: Value,
    replaced: Replaced,
}

impl<'a> Rewrite<'a> {
    pub(super) fn new(
        function: &'a mut Function,
        target: &'a Target,
        variables: HashMap<Value, Variable>,
    ) -> Self {
        let accesses = variables.iter().flat_map(|(base, variable)| {
            let insts = variable.accesses.keys();
            insts.map(|inst| (*inst, *base))
        });
        let accesses = accesses.collect();
        let lane = function.make(Op::Input(Input::Lane), &[], &[Type::I32], 0);
        let by = function.constant(Type::I32, CELL.trailing_zeros().into());
        let args = [function.result(lane), by];
        let offset = function.make(Op::Bin(Bin::Shl), &args, &[Type::I32], 0);
        let entry = &mut function.blocks[Function::ENTRY.index()].insts;
        entry.splice(0..0, [lane, offset]);
        Self {
            lane: function.result(offset),
            function,
            target,
            variables,
            arrays: HashMap::new(),
            accesses,
            replaced: Replaced::default(),
        }
    }

    pub(super) fn run(mut self) -> Result<(), String> {
        self.begin()?;
        for block in self.function.order.clone() {
            for inst in std::mem::take(&mut self.function.blocks[block.index()].insts) {
                match self.accesses.get(&inst) {
                    Some(base) => self.access(block, inst, *base)?,
                    None if self.is_lifetime(inst) => {}
                    None => self.function.blocks[block.index()].insts.push(inst),
                }
            }
        }
        self.replaced.apply(self.function);
        Ok(())
    }

    /// Whether it only says how long a variable is used that is no memory any more.
    fn is_lifetime(&self, inst: Inst) -> bool {
        let data = &self.function.insts[inst.index()];
        let is_variable = |arg| self.variables.contains_key(arg);
        matches!(data.op, Op::Lifetime { .. }) && data.args.iter().any(is_variable)
    }

    /// Begins each array: before its first use, outside of the loops that its variable is outside of.
    fn begin(&mut self) -> Result<(), String> {
        let dominators = Dominators::new(self.function);
        let loops = Loops::new(self.function, &dominators)
            .map_err(|block| format!("a loop has several entries, one of them b{}", block.0))?;
        let within = |inner: Block, outer: Block| match loops.of(inner) {
            Some(index) => loops.contains(index, outer),
            None => true,
        };
        let mut homes: HashMap<Value, (Block, Option<Block>)> = HashMap::new();
        for &block in &self.function.order {
            for inst in &self.function.blocks[block.index()].insts {
                let data = &self.function.insts[inst.index()];
                if let Op::Alloca { .. } = data.op
                    && self.variables.contains_key(&data.results[0])
                {
                    homes.insert(data.results[0], (block, None));
                }
            }
        }
        for &block in &self.function.order {
            for inst in &self.function.blocks[block.index()].insts {
                let home = self.accesses.get(inst).and_then(|base| homes.get_mut(base));
                if let Some((_, home)) = home {
                    let mut at = home.unwrap_or(block);
                    while !dominators.dominates(at, block) {
                        at = dominators.parent(at).unwrap_or(Function::ENTRY);
                    }
                    *home = Some(at);
                }
            }
        }
        let mut homes: Vec<_> = homes.into_iter().collect();
        homes.sort();
        for (base, (from, home)) in homes {
            let Some(layout) = &self.variables[&base].layout else {
                continue;
            };
            let op = Op::Array {
                cells: layout.cells,
            };
            let mut home = home.unwrap_or(from);
            while home != from && !within(home, from) {
                home = dominators.parent(home).unwrap_or(from);
            }
            let array = self.function.make(op, &[], &[Type::I32], 0);
            self.arrays.insert(base, self.function.result(array));
            let insts = &mut self.function.blocks[home.index()].insts;
            let first = insts
                .iter()
                .position(|inst| self.accesses.get(inst) == Some(&base));
            insts.insert(first.unwrap_or(insts.len()), array);
        }
        Ok(())
    }

    fn access(&mut self, block: Block, inst: Inst, base: Value) -> Result<(), String> {
        let data = self.function.insts[inst.index()].clone();
        let Some(&array) = self.arrays.get(&base) else {
            // What nobody reads need not be written.
            return Ok(());
        };
        let variable = &self.variables[&base];
        let mut at = Accesses {
            here: Cursor {
                function: self.function,
                block,
                at: data.at,
            },
            target: self.target,
            variable,
            array,
            lane: self.lane,
        };
        let broken = || "an array has no cell for an access".to_owned();
        let elements = variable.accesses.get(&inst).ok_or_else(broken)?;
        match data.op {
            Op::Load(_) => {
                for (element, result) in elements.iter().zip(&data.results) {
                    let ty = at.here.function.ty(*result);
                    let value = at.read(element, ty).ok_or_else(broken)?;
                    self.replaced.insert(*result, value);
                }
            }
            _ => {
                for (element, value) in elements.iter().zip(&data.args[1..]) {
                    at.write(element, *value).ok_or_else(broken)?;
                }
            }
        }
        Ok(())
    }
}

/// Reads and writes cells of an array.
struct Accesses<'a> {
    here: Cursor<'a>,
    target: &'a Target,
    variable: &'a Variable,
    array: Value,
    lane: Value,
}

/// Which cells: known, or by an index that counts strides from the first of them.
#[derive(Clone, Copy)]
struct Which {
    index: Option<Value>,
    step: u32,
    count: u32,
}

impl Accesses<'_> {
    fn layout(&self) -> Option<&Layout> {
        self.variable.layout.as_ref()
    }

    /// The first cells that an element may be, with the bytes of each, and which of them it is.
    fn locate(&mut self, element: &Element) -> Option<(Cells, Which)> {
        let (first, count) = element.range(self.variable.size)?;
        let layout = self.layout()?;
        let cells = layout.cells(first, element.bytes)?;
        let stride = element.place.stride;
        let step = stride / layout.period * layout.fields.len() as u32;
        let index = match count {
            1 => None,
            _ => Some(self.index(&element.place, first)),
        };
        Some((cells, Which { index, step, count }))
    }

    /// How many strides a place is behind the first.
    fn index(&mut self, place: &Place, first: u32) -> Value {
        let stride = i64::from(place.stride);
        let number = i64::from(place.number.cast_signed()) - i64::from(first);
        let here = &mut self.here;
        let mut sum = here.constant(Type::I32, (number / stride) as u64);
        for (value, times) in &place.terms {
            let mut times = i64::from(times.cast_signed());
            let mut term = *value;
            // What the multiplier lacks, the value has as zeroes.
            let mut zeroes = 0;
            while times % stride != 0 && zeroes < 32 {
                times *= 2;
                zeroes += 1;
            }
            if zeroes != 0 {
                let by = here.constant(Type::I32, zeroes);
                term = here.bin(Bin::AShr, term, by);
            }
            let times = times / stride;
            if times != 1 {
                let by = here.constant(Type::I32, times as u64);
                term = here.bin(Bin::Mul, term, by);
            }
            sum = match here.function.bits(sum) {
                Some(0) => term,
                _ => here.bin(Bin::Add, term, sum),
            };
        }
        // Offsets in bytes wrap at 2^32: quotients by 2^k of them are known but for the k highest bits.
        let known = u32::MAX >> place.stride.trailing_zeros();
        if most(here.function, sum) > known.into() {
            let mask = here.constant(Type::I32, known.into());
            sum = here.bin(Bin::And, sum, mask);
        }
        sum
    }

    /// The distance from the first cell of the first lane to a cell of the lane.
    fn offset(&mut self, index: Value, which: Which) -> Value {
        let last = u64::from(which.count - 1);
        let mut index = index;
        if most(self.here.function, index) > last {
            let last = self.here.constant(Type::I32, last);
            index = self.here.bin(Bin::UMin, index, last);
        }
        let bytes = which.step * CELL * self.target.simd;
        let (op, by) = match bytes.is_power_of_two() {
            true => (Bin::Shl, bytes.trailing_zeros()),
            false => (Bin::Mul, bytes),
        };
        let by = self.here.constant(Type::I32, by.into());
        let distance = self.here.bin(op, index, by);
        self.here.bin(Bin::Add, distance, self.lane)
    }

    fn read(&mut self, element: &Element, ty: Type) -> Option<Value> {
        let (cells, which) = self.locate(element)?;
        let offset = which.index.map(|index| self.offset(index, which));
        let one = |this: &mut Self, cell: u32, ty: Type| match offset {
            Some(offset) => {
                let op = Op::ElementAt { cell };
                this.here.one(op, &[this.array, offset], ty)
            }
            None => this.here.one(Op::Element { cell }, &[this.array], ty),
        };
        let types: Option<SmallVec<[Type; 2]>> = cells
            .iter()
            .map(|(_, bytes)| Type::of_bits(8 * bytes))
            .collect();
        let types = types?;
        let integer = ty.integer();
        let whole = match (cells.as_slice(), types.as_slice()) {
            (&[(cell, _)], _) => return Some(one(self, cell, ty)),
            (&[(low, _), (high, _)], [Type::I32, Type::I32]) => {
                let halves = [low, high].map(|cell| one(self, cell, Type::I32));
                self.here.one(Op::Pair, &halves, Type::I64)
            }
            _ => {
                let mut sum = self.here.constant(integer, 0);
                let mut at = 0;
                for ((cell, bytes), ty) in cells.iter().zip(types) {
                    let part = one(self, *cell, ty);
                    let wide = self.here.convert(Convert::ZExt, part, integer);
                    let by = self.here.constant(integer, u64::from(8 * at));
                    let moved = self.here.bin(Bin::Shl, wide, by);
                    sum = self.here.bin(Bin::Or, sum, moved);
                    at += bytes;
                }
                sum
            }
        };
        Some(self.here.convert(Convert::Bitcast, whole, ty))
    }

    fn write(&mut self, element: &Element, value: Value) -> Option<()> {
        let (cells, which) = self.locate(element)?;
        let ty = self.here.function.ty(value);
        let mut at = 0;
        for (cell, bytes) in &cells {
            let part = match cells.len() {
                1 => value,
                _ => {
                    let integer = ty.integer();
                    let bits = self.here.convert(Convert::Bitcast, value, integer);
                    let by = self.here.constant(integer, u64::from(8 * at));
                    let moved = self.here.bin(Bin::LShr, bits, by);
                    let ty = Type::of_bits(8 * bytes)?;
                    self.here.convert(Convert::Trunc, moved, ty)
                }
            };
            match which.index {
                Some(index) => {
                    let op = Op::SetElementAt {
                        cell: *cell,
                        step: which.step,
                        count: which.count,
                    };
                    self.here.push(op, &[self.array, index, part], &[]);
                }
                None => {
                    let op = Op::SetElement { cell: *cell };
                    self.here.push(op, &[self.array, part], &[]);
                }
            }
            at += bytes;
        }
        Some(())
    }
}
