//! Private memory that is only read and written at known places becomes values.
//!
//! Each place of such a variable is one variable of its own; phis are made where paths meet, as in
//! Braun and others, "Simple and Efficient Construction of Static Single Assignment Form". Where
//! accesses overlap without being the same, each is cut where another begins or ends, and is put together
//! of its parts.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};

use crate::ir::cfg::{Among, Dominators};
use crate::ir::{Access, Bin, Block, Convert, Function, Inst, Op, Replaced, Space, Type, Value};
use crate::target::Target;

/// A place: the variable and the offset in it.
type Slot = (Inst, u32);
/// Of each place, blocks among which the nearest is found that dominates a block.
type Marks = HashMap<Slot, Among>;

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
    /// The type of each place; places do not overlap.
    types: BTreeMap<Slot, Type>,
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
        let mut accesses: HashMap<Inst, Vec<(u32, Type)>> = HashMap::new();
        for inst in insts(function) {
            let data = &function.insts[inst.index()];
            for (index, arg) in data.args.iter().enumerate() {
                let Some(&(base, at)) = slots.pointers.get(arg) else {
                    continue;
                };
                let elements: &[Value] = match data.op {
                    Op::Load(access) if !access.volatile => &data.results,
                    Op::Store(access) if index == 0 && !access.volatile => &data.args[1..],
                    Op::Bin(Bin::Add) if slots.pointers.contains_key(&data.results[0]) => continue,
                    Op::Lifetime { .. } => continue,
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
                    accesses.entry(base).or_default().push((at, ty));
                    at = at.wrapping_add(ty.bytes());
                }
            }
        }
        bad.sort();
        bad.dedup();
        let good = |base: &Inst| bad.binary_search(base).is_err();
        slots.pointers.retain(|_, (base, _)| good(base));
        accesses.retain(|base, _| good(base));
        for (base, accesses) in accesses {
            slots.cut(base, &accesses);
        }
        slots
    }

    /// Makes places of the accesses to a variable.
    fn cut(&mut self, base: Inst, accesses: &[(u32, Type)]) {
        let ends = accesses.iter().flat_map(|(at, ty)| [*at, at + ty.bytes()]);
        let cuts: BTreeSet<u32> = ends.collect();
        for &(at, ty) in accesses {
            let end = at + ty.bytes();
            if cuts.range(at + 1..end).next().is_none() {
                self.types.insert((base, at), ty);
                continue;
            }
            let mut from = at;
            for &to in cuts.range(at + 1..=end) {
                while from < to {
                    // The largest integer that is aligned there.
                    let aligned = 1 << from.trailing_zeros().min(3);
                    let bytes = (1..=to - from).rev().find(|n| aligned % n == 0);
                    let bytes = bytes.unwrap_or(1);
                    let ty = Type::of_bits(8 * bytes).unwrap_or(Type::I8);
                    self.types.insert((base, from), ty);
                    from += bytes;
                }
            }
        }
        for (at, ty) in accesses.iter().rev() {
            if let Some(place) = self.types.get_mut(&(base, *at))
                && place.bytes() == ty.bytes()
            {
                *place = *ty;
            }
        }
    }

    /// The blocks where several values of a place may meet: those at which the domination of a store
    /// ends, and in turn those at which theirs does. And of each place the blocks where its value may be
    /// another than above.
    fn meets(
        &self,
        function: &Function,
        dominators: &Dominators,
    ) -> (HashSet<(Block, Slot)>, Marks) {
        let frontiers = dominators.frontiers(function);
        let mut out = HashSet::new();
        let mut work: Vec<(Block, Slot)> = Vec::new();
        for &block in &function.order {
            for inst in &function.blocks[block.index()].insts {
                let data = &function.insts[inst.index()];
                let place = data.args.first().and_then(|arg| self.pointers.get(arg));
                if let (Op::Store(_), Some(&(base, mut at))) = (&data.op, place) {
                    for value in &data.args[1..] {
                        let bytes = function.ty(*value).bytes();
                        let parts = self.parts((base, at), bytes);
                        work.extend(parts.iter().map(|(slot, _)| (block, *slot)));
                        at += bytes;
                    }
                }
            }
        }
        let mut marks: HashMap<Slot, Vec<Block>> = HashMap::new();
        while let Some((block, slot)) = work.pop() {
            marks.entry(slot).or_default().push(block);
            for &meet in &frontiers[block.index()] {
                if out.insert((meet, slot)) {
                    work.push((meet, slot));
                }
            }
        }
        let marks = marks.into_iter();
        let marks = marks.map(|(slot, blocks)| (slot, dominators.among(blocks)));
        (out, marks.collect())
    }

    /// The places of an access.
    fn parts(&self, (base, at): Slot, bytes: u32) -> Vec<(Slot, Type)> {
        let places = self.types.range((base, at)..(base, at + bytes));
        places.map(|(slot, ty)| (*slot, *ty)).collect()
    }
}

struct Rewrite<'a> {
    function: &'a mut Function,
    slots: Slots,
    predecessors: Vec<smallvec::SmallVec<[Block; 2]>>,
    dominators: Dominators,
    /// Where several values of a place meet.
    meets: HashSet<(Block, Slot)>,
    /// Where the value of a place may be another than above: these, and where it is stored.
    marks: Marks,
    /// The value of a place at the end of a block, as far as it is known.
    at_end: HashMap<(Block, Slot), Value>,
    /// The phi of a place.
    phis: HashMap<(Block, Slot), Value>,
    /// Those whose operands are still missing.
    open: Vec<(Block, Slot, Inst)>,
    /// All of them, and where they go.
    made: Vec<(Block, Inst)>,
    /// What a part of an integer of 64 bits is of, and at which byte.
    parts: HashMap<Value, (Value, u32)>,
    replaced: Replaced,
}

impl<'a> Rewrite<'a> {
    fn new(function: &'a mut Function, slots: Slots) -> Self {
        let dominators = Dominators::new(function);
        let (meets, marks) = slots.meets(function, &dominators);
        Self {
            predecessors: function.predecessors(),
            meets,
            marks,
            dominators,
            function,
            slots,
            at_end: HashMap::new(),
            phis: HashMap::new(),
            open: Vec::new(),
            made: Vec::new(),
            parts: HashMap::new(),
            replaced: Replaced::default(),
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
        // Phis stand before all others.
        let mut made: HashMap<Block, Vec<Inst>> = HashMap::new();
        for (block, phi) in self.made.into_iter().rev() {
            made.entry(block).or_default().push(phi);
        }
        for (block, mut phis) in made {
            let insts = &mut self.function.blocks[block.index()].insts;
            phis.append(insts);
            *insts = phis;
        }
        self.replaced.apply(self.function);
    }

    fn block(&mut self, block: Block) {
        let insts = self.function.take(block);
        let mut out = Vec::with_capacity(insts.len());
        for inst in insts {
            let data = &self.function.insts[inst.index()];
            if !matches!(data.op, Op::Load(_) | Op::Store(_)) {
                let of_slots = |arg: &Value| self.slots.pointers.contains_key(arg);
                let gone = matches!(data.op, Op::Lifetime { .. }) && data.args.iter().any(of_slots);
                out.extend((!gone).then_some(inst));
                continue;
            }
            let data = data.clone();
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
                        let mut whole = None;
                        let mut parts = Vec::new();
                        for (slot, known) in self.slots.parts((base, at), ty.bytes()) {
                            let value = match self.at_end.get(&(block, slot)) {
                                Some(value) => *value,
                                None => self.begin_value(block, slot, known),
                            };
                            parts.push((slot, known, self.replaced.find(value)));
                        }
                        if let Some(value) = self.put_together(&parts, at, ty) {
                            let value = self.cast(value, ty, &mut out, data.at);
                            self.replaced.insert(*result, value);
                            at += ty.bytes();
                            continue;
                        }
                        for (slot, known, value) in parts {
                            if known.bytes() == ty.bytes() {
                                whole = Some(value);
                                break;
                            }
                            let value = self.cast(value, known.integer(), &mut out, data.at);
                            let integer = ty.integer();
                            let op = Op::Convert(Convert::ZExt);
                            let wide = self.make(op, &[value], integer, &mut out, data.at);
                            whole = Some(match whole {
                                None => wide,
                                Some(lower) => {
                                    let by = u64::from(8 * (slot.1 - at));
                                    let by = self.function.constant(integer, by);
                                    let mut bin = |op, a, b| {
                                        self.make(Op::Bin(op), &[a, b], integer, &mut out, data.at)
                                    };
                                    let moved = bin(Bin::Shl, wide, by);
                                    bin(Bin::Or, lower, moved)
                                }
                            });
                        }
                        let value = whole.unwrap_or_else(|| self.function.undef(ty));
                        let value = self.cast(value, ty, &mut out, data.at);
                        self.replaced.insert(*result, value);
                        at += ty.bytes();
                    }
                }
                (Op::Store(access), Some((base, mut at))) if private(access) => {
                    for value in &data.args[1..] {
                        let ty = self.function.ty(*value);
                        for (slot, known) in self.slots.parts((base, at), ty.bytes()) {
                            let part = self.part(*value, slot.1 - at, known, &mut out, data.at);
                            self.at_end.insert((block, slot), part);
                        }
                        at += ty.bytes();
                    }
                }
                _ => out.push(inst),
            }
        }
        self.function.blocks[block.index()].insts = out;
    }

    /// The part of a value that begins at a byte of it, with this type.
    fn part(&mut self, value: Value, byte: u32, ty: Type, out: &mut Vec<Inst>, at: u32) -> Value {
        let from = self.function.ty(value).integer();
        if from.bytes() == ty.bytes() {
            return self.cast(value, ty, out, at);
        }
        let bits = self.cast(value, from, out, at);
        let bits = self.number(bits, out, at);
        let by = self.function.constant(from, u64::from(8 * byte));
        let moved = self.make(Op::Bin(Bin::LShr), &[bits, by], from, out, at);
        let op = Op::Convert(Convert::Trunc);
        let part = self.make(op, &[moved], ty.integer(), out, at);
        let part = self.cast(part, ty, out, at);
        self.parts.insert(part, (value, byte));
        part
    }

    /// What all parts of an access at a place are of, if that has no others: what was copied in parts.
    fn put_together(&self, parts: &[(Slot, Type, Value)], at: u32, ty: Type) -> Option<Value> {
        let (whole, _) = *self.parts.get(&parts.first()?.2)?;
        let is_part = |(slot, _, value): &(Slot, Type, Value)| {
            self.parts.get(value) == Some(&(whole, slot.1 - at))
        };
        let bytes: u32 = parts.iter().map(|(_, known, _)| known.bytes()).sum();
        let is_whole = self.function.ty(whole).bytes() == ty.bytes() && bytes == ty.bytes();
        (is_whole && parts.iter().all(is_part)).then_some(whole)
    }

    /// What may be a pointer, as a number: parts of it may be put together in another way.
    fn number(&mut self, value: Value, out: &mut Vec<Inst>, at: u32) -> Value {
        match self.function.ty(value) {
            Type::I64 => self.make(Op::Number, &[value], Type::I64, out, at),
            _ => value,
        }
    }

    fn make(&mut self, op: Op, args: &[Value], ty: Type, out: &mut Vec<Inst>, at: u32) -> Value {
        let inst = self.function.make(op, args, &[ty], at);
        out.push(inst);
        self.function.result(inst)
    }

    fn cast(&mut self, value: Value, ty: Type, out: &mut Vec<Inst>, at: u32) -> Value {
        if self.function.ty(value) == ty {
            return value;
        }
        let value = self.number(value, out, at);
        self.make(Op::Convert(Convert::Bitcast), &[value], ty, out, at)
    }

    /// The value of a place at the begin of a block.
    fn begin_value(&mut self, block: Block, slot: Slot, ty: Type) -> Value {
        if self.meets.contains(&(block, slot)) {
            return self.phi(block, slot, ty);
        }
        // Nothing has changed since there.
        let above = self.dominators.parent(block);
        let above = above.and_then(|above| self.marks.get(&slot)?.nearest(&self.dominators, above));
        match above {
            None => self.function.undef(ty),
            Some(above) => match self.at_end.get(&(above, slot)) {
                Some(value) => *value,
                None => self.phi(above, slot, ty),
            },
        }
    }

    /// The phi of a place at the begin of a block.
    fn phi(&mut self, block: Block, slot: Slot, ty: Type) -> Value {
        if let Some(value) = self.phis.get(&(block, slot)) {
            return *value;
        }
        let phi = self.function.make(Op::Phi(Vec::new()), &[], &[ty], 0);
        self.made.push((block, phi));
        self.open.push((block, slot, phi));
        let value = self.function.result(phi);
        self.phis.insert((block, slot), value);
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

#[cfg(test)]
mod tests {
    use super::run;
    use crate::ir::{
        Access, Bin, Cond, Convert, Cursor, Def, Function, Input, Op, Space, Terminator, Type,
        Value, verify,
    };
    use crate::target::Target;

    /// Runs the pass on a variable of 16 bytes that `body` uses; gives the bits of its result.
    fn kept(body: impl Fn(&mut Cursor<'_>, Value) -> Value) -> u64 {
        let mut function = Function::default();
        let block = function.add_block();
        let mut at = Cursor::new(&mut function, block);
        let variable = Op::Alloca { size: 16, align: 4 };
        let variable = at.one(variable, &[], Type::I32);
        let result = body(&mut at, variable);
        let place = at.constant(Type::I32, 0);
        let access = Access::new(Space::Local, 4);
        at.push(Op::Store(access), &[place, result], &[]);
        function.blocks[block.index()].end = Terminator::Return;
        verify(&function).unwrap();
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        let insts = function.blocks[block.index()].insts.iter();
        let mut stored = None;
        for inst in insts {
            let data = &function.insts[inst.index()];
            match &data.op {
                Op::Load(access) | Op::Store(access) if access.space == Space::Private => {
                    panic!("it stays in memory");
                }
                Op::Store(_) => stored = Some(data.args[1]),
                _ => {}
            }
        }
        bits(&function, stored.unwrap())
    }

    fn bits(function: &Function, of: Value) -> u64 {
        let inst = match function.def(of) {
            Def::Const(bits) => return bits,
            Def::Undef => panic!("undefined"),
            Def::Inst(inst) => &function.insts[inst.index()],
        };
        let arg = |index: usize| bits(function, inst.args[index]);
        let ty = function.ty(of);
        match &inst.op {
            Op::Bin(bin) => bin.evaluate(arg(0), arg(1), ty).unwrap(),
            Op::Convert(Convert::Trunc) => arg(0) & ty.mask(),
            Op::Convert(Convert::ZExt | Convert::Bitcast) | Op::Number => arg(0),
            other => panic!("{other:?}"),
        }
    }

    fn place(at: &mut Cursor<'_>, variable: Value, offset: u64) -> Value {
        let by = at.constant(Type::I32, offset);
        at.bin(Bin::Add, variable, by)
    }

    fn write(at: &mut Cursor<'_>, variable: Value, offset: u64, ty: Type, bits: u64) {
        let place = place(at, variable, offset);
        let value = at.constant(ty, bits);
        at.push(
            Op::Store(Access::new(Space::Private, 1)),
            &[place, value],
            &[],
        );
    }

    fn read(at: &mut Cursor<'_>, variable: Value, offset: u64, ty: Type) -> Value {
        let place = place(at, variable, offset);
        at.one(Op::Load(Access::new(Space::Private, 1)), &[place], ty)
    }

    #[test]
    fn a_place_has_phis_only_where_its_stores_meet() {
        // As many variables as branches; each branch writes one, and the end reads all.
        const COUNT: u64 = 100;
        let mut function = Function::default();
        let block = function.add_block();
        let mut at = Cursor::new(&mut function, block);
        let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
        let variables: Vec<Value> = (0..COUNT)
            .map(|_| at.one(Op::Alloca { size: 4, align: 4 }, &[], Type::I32))
            .collect();
        for variable in &variables {
            write(&mut at, *variable, 0, Type::I32, 1);
        }
        for (number, variable) in variables.iter().enumerate() {
            let limit = at.constant(Type::I32, number as u64);
            let less = at.one(Op::Icmp(Cond::Ult), &[lane, limit], Type::I1);
            let [yes, behind] = [(); 2].map(|()| at.function.add_block());
            at.function.blocks[at.block.index()].end = Terminator::Branch(less, yes, behind);
            at.function.blocks[yes.index()].end = Terminator::Jump(behind);
            at.block = yes;
            write(&mut at, *variable, 0, Type::I32, 2);
            at.block = behind;
        }
        let mut sum = lane;
        for variable in &variables {
            let value = read(&mut at, *variable, 0, Type::I32);
            sum = at.bin(Bin::Add, sum, value);
        }
        let access = Access::new(Space::Local, 4);
        at.push(Op::Store(access), &[lane, sum], &[]);
        let end = at.block;
        function.blocks[end.index()].end = Terminator::Return;
        verify(&function).unwrap();
        let before = function.insts.len();
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        assert_eq!(function.insts.len() - before, COUNT as usize);
    }

    #[test]
    fn what_overlaps_is_put_together_of_parts() {
        let found = kept(|at, variable| {
            write(at, variable, 0, Type::I8, 0x11);
            write(at, variable, 1, Type::I8, 0x22);
            write(at, variable, 2, Type::I16, 0x4433);
            read(at, variable, 0, Type::I32)
        });
        assert_eq!(found, 0x4433_2211);
        let found = kept(|at, variable| {
            write(at, variable, 0, Type::I64, 0x8877_6655_4433_2211);
            write(at, variable, 6, Type::I8, 0xaa);
            read(at, variable, 4, Type::F32)
        });
        assert_eq!(found, 0x88aa_6655);
        // Across two, and not aligned.
        let found = kept(|at, variable| {
            write(at, variable, 0, Type::I32, 0x4433_2211);
            write(at, variable, 4, Type::I32, 0x8877_6655);
            read(at, variable, 3, Type::I32)
        });
        assert_eq!(found, 0x7766_5544);
        let found = kept(|at, variable| {
            write(at, variable, 5, Type::I32, 0x4433_2211);
            write(at, variable, 7, Type::I8, 0xee);
            read(at, variable, 5, Type::I32)
        });
        assert_eq!(found, 0x44ee_2211);
    }
}
