//! A private variable that is nothing but a copy of constants is not made: what reads it, reads the
//! constants. That is what a table with an initializer in a function is.

use hashbrown::{HashMap, HashSet};

use crate::ir::cfg::Dominators;
use crate::ir::{
    Access, Bin, Block, Convert, Cursor, Function, Inst, InstData, Op, Replaced, Space, Type, Value,
};
use crate::target::Target;

/// The most blocks that a copy is made in.
const BLOCKS: usize = 8;

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    let is_variable = |data: &InstData| matches!(data.op, Op::Alloca { .. });
    if !function.listed().any(is_variable) {
        return Ok(());
    }
    let mut found = Tables::find(function);
    let dominators = Dominators::new(function);
    found.retain(|_, table| table.is_whole(&dominators));
    if found.is_empty() {
        return Ok(());
    }
    let mut replaced = Replaced::default();
    let mut gone: HashSet<Inst> = HashSet::new();
    let mut reads: HashMap<Inst, (Value, u64)> = HashMap::new();
    let zero = function.constant(Type::I32, 0);
    for (variable, table) in &found {
        let Some((base, distance)) = table.from else {
            continue;
        };
        replaced.insert(*variable, zero);
        gone.extend(table.writes.iter().map(|(inst, _)| *inst));
        gone.extend(&table.lifetimes);
        let loads = table.reads.iter();
        reads.extend(loads.map(|(inst, _)| (*inst, (base, distance))));
    }
    for block in function.order.clone() {
        for inst in function.take(block) {
            if gone.contains(&inst) {
                continue;
            }
            if let Some((base, distance)) = reads.get(&inst) {
                let data = &function.insts[inst.index()];
                let (offset, line) = (data.args[0], data.at);
                let mut at = Cursor {
                    function,
                    block,
                    at: line,
                };
                let wide = at.convert(Convert::ZExt, offset, Type::I64);
                let begin = at.constant(Type::I64, *distance);
                let begin = at.bin(Bin::Add, *base, begin);
                let address = at.bin(Bin::Add, begin, wide);
                let data = &mut function.insts[inst.index()];
                data.args[0] = address;
                if let Op::Load(access) = &mut data.op {
                    let known = 1 << distance.trailing_zeros().min(4);
                    *access = Access::new(Space::Global, access.align.min(known));
                }
            }
            function.blocks[block.index()].insts.push(inst);
        }
    }
    replaced.apply(function);
    Ok(())
}

/// An instruction's place in the code.
type At = (Block, usize);

/// A place among the constants: the address of them all, and the distance from it.
type Place = (Value, u64);

/// What is done to a variable.
struct Table {
    size: u32,
    /// Where it is read and written.
    reads: Vec<(Inst, At)>,
    writes: Vec<(Inst, At)>,
    /// Where it begins and ends to be used.
    lifetimes: Vec<Inst>,
    /// Behind the last byte that is written.
    end: u32,
    /// The constants that are copied to its begin.
    from: Option<Place>,
}

impl Table {
    /// Whether all of it is written before it is read. What is between the parts that are written has
    /// no value.
    fn is_whole(&self, dominators: &Dominators) -> bool {
        let mut last: HashMap<Block, usize> = HashMap::new();
        for (_, (block, at)) in &self.writes {
            let last = last.entry(*block).or_default();
            *last = (*last).max(*at);
        }
        let before = |(block, at): At| {
            last.iter().all(|(written, last)| match *written == block {
                true => *last < at,
                false => dominators.dominates(*written, block),
            })
        };
        let written = self.from.is_some() && self.end == self.size && last.len() <= BLOCKS;
        written && self.reads.iter().all(|(_, at)| before(*at))
    }
}

struct Tables<'a> {
    function: &'a Function,
    /// What is computed in the entry block: everything else sees it.
    entry: HashSet<Inst>,
    /// The variable that a pointer points into, and where, if that is known.
    pointers: HashMap<Value, (Value, Option<u32>)>,
    found: HashMap<Value, Table>,
    bad: HashSet<Value>,
}

impl Tables<'_> {
    /// The variables into which only constants are copied, and which are only read besides.
    fn find(function: &Function) -> HashMap<Value, Table> {
        let entry = &function.blocks[Function::ENTRY.index()].insts;
        let mut tables = Tables {
            function,
            entry: entry.iter().copied().collect(),
            pointers: HashMap::new(),
            found: HashMap::new(),
            bad: HashSet::new(),
        };
        for &block in &function.order {
            for (at, &inst) in function.blocks[block.index()].insts.iter().enumerate() {
                tables.meet(inst, (block, at));
            }
        }
        // A phi may take a pointer of a later block.
        let phis = function.listed();
        let phis = phis.filter(|data| matches!(data.op, Op::Phi(_)));
        for arg in phis.flat_map(|data| &data.args) {
            tables
                .bad
                .extend(tables.pointers.get(arg).map(|(base, _)| *base));
        }
        let Tables { mut found, bad, .. } = tables;
        found.retain(|variable, _| !bad.contains(variable));
        found
    }

    fn meet(&mut self, inst: Inst, place: At) {
        let function = self.function;
        let data = &function.insts[inst.index()];
        if let Op::Alloca { size, .. } = data.op {
            let variable = data.results[0];
            self.pointers.insert(variable, (variable, Some(0)));
            let table = Table {
                size,
                reads: Vec::new(),
                writes: Vec::new(),
                lifetimes: Vec::new(),
                end: 0,
                from: None,
            };
            self.found.insert(variable, table);
            return;
        }
        for (index, arg) in data.args.iter().enumerate() {
            let Some(&(base, at)) = self.pointers.get(arg) else {
                continue;
            };
            let good = match (&data.op, at) {
                (Op::Bin(Bin::Add), _) => {
                    let by = function.bits(data.args[1 - index]).map(|bits| bits as u32);
                    let sum = at.zip(by).map(|(at, by)| at.wrapping_add(by));
                    self.pointers.insert(data.results[0], (base, sum)).is_none()
                }
                (Op::Load(access), _) if !access.volatile => {
                    let table = self.found.get_mut(&base);
                    table.map(|table| table.reads.push((inst, place))).is_some()
                }
                (Op::Store(access), Some(at)) if index == 0 && !access.volatile => {
                    self.write(inst, place, base, at).is_some()
                }
                (Op::Copy(copy), Some(at)) if index == 0 => {
                    let part = self.place(copy.from, data.args[1]);
                    let part = part.map(|from| (from, copy.size));
                    self.write_parts(inst, place, base, at, [part]).is_some()
                }
                (Op::Lifetime { .. }, _) => {
                    let table = self.found.get_mut(&base);
                    table.map(|table| table.lifetimes.push(inst)).is_some()
                }
                _ => false,
            };
            if !good {
                self.bad.insert(base);
            }
        }
    }

    /// A write of constants to a known place of a variable; none if it is no such write.
    fn write(&mut self, inst: Inst, place: At, variable: Value, at: u32) -> Option<()> {
        let function = self.function;
        let values = &function.insts[inst.index()].args[1..];
        let parts: Vec<Option<(Place, u32)>> = values
            .iter()
            .map(|value| Some((self.constant(*value)?, function.ty(*value).bytes())))
            .collect();
        self.write_parts(inst, place, variable, at, parts)
    }

    /// The same of parts behind each other, each with its bytes.
    fn write_parts(
        &mut self,
        inst: Inst,
        place: At,
        variable: Value,
        at: u32,
        parts: impl IntoIterator<Item = Option<(Place, u32)>>,
    ) -> Option<()> {
        let mut end = at;
        let mut from = self.found.get(&variable)?.from;
        for part in parts {
            let ((base, distance), bytes) = part?;
            let distance = distance.checked_sub(end.into())?;
            let (_, known) = *from.get_or_insert((base, distance));
            if known != distance {
                return None;
            }
            end = end.checked_add(bytes)?;
        }
        let table = self.found.get_mut(&variable)?;
        table.from = from;
        table.end = table.end.max(end);
        table.writes.push((inst, place));
        Some(())
    }

    /// Where among the constants a value is from.
    fn constant(&self, value: Value) -> Option<Place> {
        let function = self.function;
        let (_, load) = function.source(value)?;
        let Op::Load(access) = load.op else {
            return None;
        };
        let before = load.results.iter().take_while(|result| **result != value);
        let before: u32 = before.map(|result| function.ty(*result).bytes()).sum();
        let space = Some(access.space).filter(|_| !access.volatile)?;
        let (base, distance) = self.place(space, load.args[0])?;
        Some((base, distance.wrapping_add(before.into())))
    }

    /// Where among the constants an address is.
    fn place(&self, space: Space, address: Value) -> Option<Place> {
        if space != Space::Global {
            return None;
        }
        let (base, distance) = self.function.among_constants(address)?;
        let (inst, _) = self.function.source(base)?;
        self.entry.contains(&inst).then_some((base, distance))
    }
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::ir::{
        Access, Bin, Cursor, Function, Input, Op, Space, Symbol, Terminator, Type, Value, verify,
    };
    use crate::target::Target;

    /// A table of so many bytes, of which constants are copied into these; then it is read by the lane's
    /// number. Gives the memories that are accessed.
    fn accessed(
        size: u32,
        copied: &[u64],
        more: impl Fn(&mut Cursor<'_>, Value),
    ) -> Vec<(&'static str, Space)> {
        let mut function = Function::default();
        let block = function.add_block();
        let mut at = Cursor::new(&mut function, block);
        let halves = [false, true].map(|high| {
            let of = Symbol::Constants;
            at.one(Op::Input(Input::Address { of, high }), &[], Type::I32)
        });
        let base = at.one(Op::Pair, &halves, Type::I64);
        let table = at.one(Op::Alloca { size, align: 1 }, &[], Type::I32);
        let byte = Access::new(Space::Private, 1);
        for offset in copied {
            let from = at.constant(Type::I64, 64 + offset);
            let from = at.bin(Bin::Add, base, from);
            let global = Access::new(Space::Global, 1);
            let value = at.one(Op::Load(global), &[from], Type::I8);
            let by = at.constant(Type::I32, *offset);
            let to = at.bin(Bin::Add, table, by);
            at.push(Op::Store(byte), &[to, value], &[]);
        }
        more(&mut at, table);
        let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
        let place = at.bin(Bin::Add, table, lane);
        let value = at.one(Op::Load(byte), &[place], Type::I8);
        let out = at.one(Op::Input(Input::Payload(0)), &[], Type::I64);
        let global = Access::new(Space::Global, 1);
        at.push(Op::Store(global), &[out, value], &[]);
        function.blocks[block.index()].end = Terminator::Return;
        verify(&function).unwrap();
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        super::super::simplify::sweep(&mut function);
        verify(&function).unwrap();
        let insts = function.listed().filter_map(|data| match data.op {
            Op::Load(access) => Some(("load", access.space)),
            Op::Store(access) => Some(("store", access.space)),
            _ => None,
        });
        insts.collect()
    }

    #[test]
    fn a_copy_of_constants_is_the_constants() {
        let found = accessed(3, &[0, 1, 2], |_, _| {});
        assert_eq!(found, [("load", Space::Global), ("store", Space::Global)]);
        // What nothing is copied into has no value.
        assert_eq!(accessed(3, &[0, 2], |_, _| {}), found);
    }

    #[test]
    fn what_is_more_than_a_copy_stays() {
        let stays = |found: Vec<(&'static str, Space)>| found.contains(&("load", Space::Private));
        // The constants may end before it does.
        assert!(stays(accessed(4, &[0, 1, 2], |_, _| {})));
        // Nothing of it is known.
        assert!(stays(accessed(4, &[], |_, _| {})));
        let all = [0, 1, 2, 3];
        let byte = Access::new(Space::Private, 1);
        // It is written by something else, also where that is a constant.
        assert!(stays(accessed(4, &all, |at, table| {
            let one = at.constant(Type::I8, 1);
            at.push(Op::Store(byte), &[table, one], &[]);
        })));
        // Its pointer goes elsewhere.
        assert!(stays(accessed(4, &all, |at, table| {
            let out = at.one(Op::Input(Input::Payload(8)), &[], Type::I64);
            at.push(Op::Store(Access::new(Space::Global, 4)), &[out, table], &[]);
        })));
        // It is copied within itself.
        assert!(stays(accessed(4, &all, |at, table| {
            let value = at.one(Op::Load(byte), &[table], Type::I8);
            let one = at.constant(Type::I32, 1);
            let next = at.bin(Bin::Add, table, one);
            at.push(Op::Store(byte), &[next, value], &[]);
        })));
        // A byte is another constant.
        assert!(stays(accessed(4, &[0, 1, 2, 3], |at, table| {
            let base = at.function.values.len() as u32;
            let first = (0..base).map(Value).find(|value| {
                let source = at.function.source(*value);
                source.is_some_and(|(_, data)| matches!(data.op, Op::Load(_)))
            });
            at.push(Op::Store(byte), &[table, first.unwrap()], &[]);
            let three = at.constant(Type::I32, 3);
            let last = at.bin(Bin::Add, table, three);
            at.push(Op::Store(byte), &[last, first.unwrap()], &[]);
        })));
        // It is read before it is written.
        assert!(stays(accessed(4, &[], |at, table| {
            let early = at.one(Op::Load(byte), &[table], Type::I8);
            let out = at.one(Op::Input(Input::Payload(8)), &[], Type::I64);
            at.push(Op::Store(Access::new(Space::Global, 1)), &[out, early], &[]);
            let base = (0..at.function.values.len() as u32)
                .map(Value)
                .find(|value| {
                    let source = at.function.source(*value);
                    source.is_some_and(|(_, data)| matches!(data.op, Op::Pair))
                });
            let global = Access::new(Space::Global, 4);
            let value = at.one(Op::Load(global), &[base.unwrap()], Type::I32);
            at.push(Op::Store(byte), &[table, value], &[]);
        })));
    }
}
