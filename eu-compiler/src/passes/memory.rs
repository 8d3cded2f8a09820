//! Private memory that is only read and written at known places becomes values.
//!
//! Each place of such a variable is one variable of its own; phis are made where paths meet, as in
//! Braun and others, "Simple and Efficient Construction of Static Single Assignment Form".

use std::collections::HashMap;

use crate::ir::{Access, Bin, Block, Convert, Function, Inst, Op, Space, Type, Value};
use crate::target::Target;

/// A place: the variable and the offset in it.
type Slot = (Inst, u32);

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    let slots = Slots::find(function);
    if !slots.types.is_empty() {
        Rewrite::new(function, slots).run();
    }
    Ok(())
}

/// The variables that can become values.
#[derive(Default)]
struct Slots {
    /// What each pointer points at.
    pointers: HashMap<Value, Slot>,
    /// The type of each place.
    types: HashMap<Slot, Type>,
}

impl Slots {
    fn find(function: &Function) -> Slots {
        let mut slots = Slots::default();
        let mut bad: Vec<Inst> = Vec::new();
        let mut sizes: HashMap<Inst, u32> = HashMap::new();
        let insts = |function: &Function| -> Vec<Inst> {
            let blocks = function.order.iter();
            blocks
                .flat_map(|b| function.blocks[b.index()].insts.clone())
                .collect()
        };
        for inst in insts(function) {
            let data = &function.insts[inst.index()];
            match &data.op {
                Op::Alloca { size, .. } => {
                    sizes.insert(inst, *size);
                    slots.pointers.insert(data.results[0], (inst, 0));
                }
                Op::Bin(Bin::Add) => {
                    let (a, b) = (data.args[0], data.args[1]);
                    if let (Some(&(base, at)), Some(bits)) =
                        (slots.pointers.get(&a), function.bits(b))
                    {
                        let place = (base, at.wrapping_add(bits as u32));
                        slots.pointers.insert(data.results[0], place);
                    }
                }
                _ => {}
            }
        }
        for inst in insts(function) {
            let data = &function.insts[inst.index()];
            for (index, arg) in data.args.iter().enumerate() {
                let Some(&(base, at)) = slots.pointers.get(arg) else {
                    continue;
                };
                let elements: &[Value] = match data.op {
                    Op::Load(_) => &data.results,
                    Op::Store(_) if index == 0 => &data.args[1..],
                    Op::Bin(Bin::Add) if slots.pointers.contains_key(&data.results[0]) => continue,
                    _ => {
                        bad.push(base);
                        continue;
                    }
                };
                let mut at = at;
                for element in elements {
                    let ty = function.ty(*element);
                    if at.saturating_add(ty.bytes()) > sizes[&base] {
                        bad.push(base);
                    }
                    let known = *slots.types.entry((base, at)).or_insert(ty);
                    if known.bytes() != ty.bytes() {
                        bad.push(base);
                    }
                    at = at.wrapping_add(ty.bytes());
                }
            }
        }
        // Places must not overlap.
        let mut places: Vec<(Slot, Type)> = slots.types.iter().map(|(s, t)| (*s, *t)).collect();
        places.sort_by_key(|(slot, _)| *slot);
        for pair in places.windows(2) {
            let [((a, at), ty), ((b, next), _)] = [pair[0], pair[1]];
            if a == b && at + ty.bytes() > next {
                bad.push(a);
            }
        }
        bad.sort();
        bad.dedup();
        let good = |base: &Inst| bad.binary_search(base).is_err();
        slots.pointers.retain(|_, (base, _)| good(base));
        slots.types.retain(|(base, _), _| good(base));
        slots
    }
}

struct Rewrite<'a> {
    function: &'a mut Function,
    slots: Slots,
    predecessors: Vec<smallvec::SmallVec<[Block; 2]>>,
    /// The value of a place at the end of a block, as far as it is known.
    at_end: HashMap<(Block, Slot), Value>,
    /// The value of a place at the begin of a block.
    at_begin: HashMap<(Block, Slot), Value>,
    /// Phis whose operands are still missing.
    open: Vec<(Block, Slot, Inst)>,
    replaced: HashMap<Value, Value>,
}

impl<'a> Rewrite<'a> {
    fn new(function: &'a mut Function, slots: Slots) -> Self {
        Self {
            predecessors: function.predecessors(),
            function,
            slots,
            at_end: HashMap::new(),
            at_begin: HashMap::new(),
            open: Vec::new(),
            replaced: HashMap::new(),
        }
    }

    fn run(mut self) {
        for block in self.function.order.clone() {
            self.block(block);
        }
        while let Some((block, slot, phi)) = self.open.pop() {
            let from = self.predecessors[block.index()].clone();
            let ty = self.slots.types[&slot];
            let args: Vec<Value> = from.iter().map(|b| self.end_value(*b, slot, ty)).collect();
            let data = &mut self.function.insts[phi.index()];
            data.op = Op::Phi(from.to_vec());
            data.args = args.into();
        }
        super::simplify::replace(self.function, &self.replaced);
    }

    fn block(&mut self, block: Block) {
        let insts = std::mem::take(&mut self.function.blocks[block.index()].insts);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let data = self.function.insts[inst.index()].clone();
            let private = |access: &Access| access.space == Space::Private;
            let place = data
                .args
                .first()
                .and_then(|arg| self.slots.pointers.get(arg))
                .copied();
            match (&data.op, place) {
                (Op::Load(access), Some((base, mut at))) if private(access) => {
                    for result in &data.results {
                        let ty = self.function.ty(*result);
                        let slot = (base, at);
                        let known = self.slots.types[&slot];
                        let value = match self.at_end.get(&(block, slot)) {
                            Some(value) => *value,
                            None => self.begin_value(block, slot, known),
                        };
                        let value = self.cast(value, ty, &mut out, data.at);
                        self.replaced.insert(*result, value);
                        at += ty.bytes();
                    }
                }
                (Op::Store(access), Some((base, mut at))) if private(access) => {
                    for value in &data.args[1..] {
                        let ty = self.function.ty(*value);
                        let slot = (base, at);
                        let known = self.slots.types[&slot];
                        let value = self.cast(*value, known, &mut out, data.at);
                        self.at_end.insert((block, slot), value);
                        at += ty.bytes();
                    }
                }
                _ => out.push(inst),
            }
        }
        // Phis that reading made stand before the others.
        let made = std::mem::take(&mut self.function.blocks[block.index()].insts);
        self.function.blocks[block.index()].insts = made.into_iter().chain(out).collect();
    }

    fn cast(&mut self, value: Value, ty: Type, out: &mut Vec<Inst>, at: u32) -> Value {
        if self.function.ty(value) == ty {
            return value;
        }
        let inst = self
            .function
            .make(Op::Convert(Convert::Bitcast), &[value], &[ty], at);
        out.push(inst);
        self.function.result(inst)
    }

    /// The value of a place at the begin of a block.
    fn begin_value(&mut self, block: Block, slot: Slot, ty: Type) -> Value {
        // Up the chain of single predecessors.
        let mut chain = Vec::new();
        let mut at = block;
        let value = loop {
            if let Some(value) = self.at_begin.get(&(at, slot)) {
                break *value;
            }
            chain.push(at);
            match self.predecessors[at.index()].as_slice() {
                [] => break self.function.undef(ty),
                [only] => {
                    if let Some(value) = self.at_end.get(&(*only, slot)) {
                        break *value;
                    }
                    at = *only;
                }
                _ => {
                    let phi = self.function.make(Op::Phi(Vec::new()), &[], &[ty], 0);
                    self.function.blocks[at.index()].insts.insert(0, phi);
                    self.open.push((at, slot, phi));
                    break self.function.result(phi);
                }
            }
        };
        for block in chain {
            self.at_begin.insert((block, slot), value);
        }
        value
    }

    /// The value of a place at the end of a block.
    fn end_value(&mut self, block: Block, slot: Slot, ty: Type) -> Value {
        match self.at_end.get(&(block, slot)) {
            Some(value) => *value,
            None => self.begin_value(block, slot, ty),
        }
    }
}
