//! Loads of neighbouring elements become one, and so do stores, within a block. What is loaded twice
//! is loaded once.
//!
//! Loads go up to the first of them and stores down to the last, as long as nothing between them
//! may touch the same memory. Addresses are compared as sums of values times numbers: what differs
//! only in a number is a known distance apart.

use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use super::known::Known;
use crate::ir::{
    Access, Bin, Block, Convert, Cursor, Function, Inst, Op, Replaced, Space, Type, Value,
};
use crate::target::Target;

/// The most bytes of an access of a lane.
const MOST: i64 = 16;
const DWORD: i64 = 4;
/// The most terms of an address, and steps to find them.
const TERMS: usize = 8;
const STEPS: usize = 32;
/// The largest distance between parts that is computed.
const FAR: i64 = 1 << 40;
/// The largest one, and the most that an index is multiplied by, where an index of 32 bits is a sum.
const NEAR: i64 = 1 << 30;
const WIDEST: u64 = 1 << 20;

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    let known = Known::of(function);
    let mut replaced = Replaced::default();
    for block in function.order.clone() {
        let mut groups = Groups::default();
        for (at, &inst) in function.blocks[block.index()].insts.iter().enumerate() {
            groups.meet(function, &known, at, inst);
        }
        groups.end();
        for (later, first) in &groups.again {
            same(function, *later, *first, &mut replaced);
        }
        if !groups.joined.is_empty() {
            join(function, block, &groups.joined, &mut replaced);
        }
    }
    replaced.apply(function);
    Ok(())
}

/// How a term fills 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Extended {
    #[default]
    No,
    Zero,
    Sign,
}

/// An address: a sum of values, each extended and multiplied, and a number.
///
/// Where an index of 32 bits is extended to an address of global memory, the terms are those of the
/// index, as if it could not wrap around. Two addresses that differ as their sums say, but for some
/// 2³² times the multiplier, are in the same object; no object is larger than 4 GiB, so that they
/// differ as their sums say if that is little, and otherwise are far apart all the same.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sum {
    terms: SmallVec<[(Value, Extended, u64); 4]>,
    number: i64,
}

impl Sum {
    fn of(function: &Function, known: &Known, address: Value) -> Option<Sum> {
        let mut sum = Sum::default();
        let mut far = FAR;
        let mut work = vec![(address, Extended::No, 1u64)];
        let mut steps = 0;
        while let Some((value, extended, times)) = work.pop() {
            steps += 1;
            if steps > STEPS || sum.terms.len() > TERMS {
                return None;
            }
            let ty = function.ty(value);
            // A signed index does not wrap around. An unsigned one of bytes would in 4 GiB.
            let times_fit =
                (2..=WIDEST).contains(&times) || extended == Extended::Sign && times == 1;
            let index = extended != Extended::No && ty == Type::I32 && times_fit;
            if let Some(bits) = function.bits(value) {
                let number = match extended {
                    Extended::Zero if !index => bits as i64,
                    _ => ty.signed(bits),
                };
                sum.number = sum.number.wrapping_add(number.wrapping_mul(times as i64));
                continue;
            }
            let source = function.source(value).map(|(_, data)| data);
            let plain = extended == Extended::No || index;
            match source.map(|data| (&data.op, data.args.as_slice())) {
                Some((Op::Bin(bin @ (Bin::Add | Bin::Or)), &[a, b]))
                    if plain && *bin == Bin::Add || is_beside(function, known, a, b) =>
                {
                    far = if index { NEAR } else { far };
                    work.extend([a, b].map(|value| (value, extended, times)));
                }
                Some((Op::Bin(bin @ (Bin::Shl | Bin::Mul)), &[a, b]))
                    if plain && function.bits(b).is_some() =>
                {
                    far = if index { NEAR } else { far };
                    let by = function.bits(b).unwrap_or(0);
                    let by = match bin {
                        Bin::Shl => 1u64.checked_shl(by as u32).unwrap_or(0),
                        _ => ty.signed(by) as u64,
                    };
                    work.push((a, extended, times.wrapping_mul(by)));
                }
                Some((Op::Convert(Convert::ZExt), &[a])) => {
                    work.push((a, Extended::Zero, times));
                }
                Some((Op::Convert(Convert::SExt), &[a])) if extended != Extended::Zero => {
                    work.push((a, Extended::Sign, times));
                }
                _ => sum.terms.push((value, extended, times)),
            }
        }
        sum.terms.sort();
        (-far..far).contains(&sum.number).then_some(sum)
    }
}

/// Whether a number only sets bits that are zeroes in a value.
fn is_beside(function: &Function, known: &Known, value: Value, number: Value) -> bool {
    let zeroes = known.zeroes[value.index()];
    let bits = function.bits(number);
    let below = zeroes + 1 < function.ty(value).bits();
    bits.is_some_and(|bits| below && bits >> zeroes == 0)
}

/// An access that may become a part of another.
#[derive(Clone, Debug)]
struct Part {
    /// Its place in the block.
    at: usize,
    inst: Inst,
    /// Where it begins, beside the terms.
    begin: i64,
    bytes: i64,
}

/// Accesses that differ in a number only.
#[derive(Clone, Debug)]
struct Group {
    is_load: bool,
    space: Space,
    terms: SmallVec<[(Value, Extended, u64); 4]>,
    /// Bytes of an element.
    element: u32,
    parts: Vec<Part>,
    /// Of loads, what was written since the first of them: from where to where, beside the terms.
    written: Vec<(i64, i64)>,
}

/// The bytes of a run.
fn of(run: &[Part]) -> i64 {
    run.iter().map(|part| part.bytes).sum()
}

#[derive(Default)]
struct Groups {
    open: Vec<Group>,
    /// Those that become one.
    joined: Vec<Vec<Part>>,
    /// Loads of what an earlier load has.
    again: Vec<(Inst, Inst)>,
}

impl Groups {
    fn meet(&mut self, function: &Function, known: &Known, at: usize, inst: Inst) {
        let data = &function.insts[inst.index()];
        let (is_load, access, elements) = match &data.op {
            Op::Load(access) => (true, *access, data.results.as_slice()),
            Op::Store(access) => (false, *access, &data.args[1..]),
            Op::BlockLoad(_) => return self.close(|group| !group.is_load),
            Op::ImageStore(_)
            | Op::ImageBlockStore(_)
            | Op::SetElement { .. }
            | Op::SetElementAt { .. } => return,
            op if op.has_effect() => return self.close(|_| true),
            _ => return,
        };
        let sum = Sum::of(function, known, data.args[0]).filter(|_| !access.volatile);
        let Some(sum) = sum else {
            return self.close(|group| {
                let touches = group.space == access.space || access.space == Space::Generic;
                touches && !(is_load && group.is_load)
            });
        };
        let element = elements.first().map_or(4, |v| function.ty(*v).bytes());
        let part = Part {
            at,
            inst,
            begin: sum.number,
            bytes: i64::from(element) * elements.len() as i64,
        };
        let meets = |group: &Group| {
            let apart = |other: &Part| {
                other.begin + other.bytes <= part.begin || part.begin + part.bytes <= other.begin
            };
            let disjoint = group.terms == sum.terms && group.parts.iter().all(apart);
            group.space == access.space && !disjoint
        };
        self.close(|group| meets(group) && !(is_load && group.is_load));
        let (begin, end) = (part.begin, part.begin + part.bytes);
        if !is_load {
            // Loads that are still open have the same terms, or they would have met it.
            let loads = self.open.iter_mut();
            for group in loads.filter(|group| group.is_load && group.space == access.space) {
                group.written.push((begin, end));
            }
        }
        if match element {
            // Bytes and words become dwords, which global memory has anywhere.
            1 | 2 => access.space != Space::Global,
            _ => access.align < 4,
        } {
            // It only has to be met.
            return;
        }
        let belongs = |group: &Group| {
            let same = (group.is_load, group.space, group.element);
            same == (is_load, access.space, element) && group.terms == sum.terms
        };
        // What was written meanwhile is not read before.
        let is_old = |(from, to): &(i64, i64)| *from < end && begin < *to;
        self.close(|group| belongs(group) && group.written.iter().any(is_old));
        let home = self.open.iter_mut().find(|group| belongs(group));
        match home {
            Some(group) => group.parts.push(part),
            None => self.open.push(Group {
                is_load,
                space: access.space,
                terms: sum.terms,
                element,
                parts: vec![part],
                written: Vec::new(),
            }),
        }
    }

    /// Closes groups: what comes later does not join them.
    fn close(&mut self, which: impl Fn(&Group) -> bool) {
        let closed: Vec<Group> = self.open.extract_if(.., |group| which(group)).collect();
        for group in closed {
            self.finish(group);
        }
    }

    fn end(&mut self) {
        self.close(|_| true);
    }

    /// Runs of neighbours in a group.
    fn finish(&mut self, mut group: Group) {
        group.parts.sort_by_key(|part| (part.begin, part.at));
        let mut run: Vec<Part> = Vec::new();
        for part in group.parts {
            if let Some(last) = run.last()
                && (last.begin, last.bytes) == (part.begin, part.bytes)
            {
                self.again.push((part.inst, last.inst));
                continue;
            }
            let next = run.last().map(|last| last.begin + last.bytes);
            let first = run.first().map_or(part.begin, |first| first.begin);
            let fits = next == Some(part.begin) && part.begin + part.bytes - first <= MOST;
            if !fits {
                self.take(std::mem::take(&mut run), group.element);
            }
            run.push(part);
        }
        self.take(run, group.element);
    }

    fn take(&mut self, run: Vec<Part>, element: u32) {
        if element >= DWORD as u32 {
            if run.len() > 1 {
                self.joined.push(run);
            }
            return;
        }
        // Bytes and words: a dword, otherwise a word.
        let mut rest = run.as_slice();
        while !rest.is_empty() {
            let ends = |bytes: i64| {
                let mut ends = (1..=rest.len()).map(|count| (count, of(&rest[..count])));
                let found = ends.find(|(_, sum)| *sum == bytes);
                found.map(|(count, _)| count)
            };
            let count = ends(DWORD).or_else(|| ends(DWORD / 2)).unwrap_or(1);
            let (first, others) = rest.split_at(count);
            if count > 1 {
                self.joined.push(first.to_vec());
            }
            rest = others;
        }
    }
}

/// Takes the results of an earlier load for those of a later one, which is left without use.
fn same(function: &mut Function, later: Inst, first: Inst, replaced: &mut Replaced) {
    let pairs = |function: &Function| {
        let [old, new] = [later, first].map(|inst| function.insts[inst.index()].results.clone());
        old.into_iter().zip(new)
    };
    if pairs(function).all(|(old, new)| function.ty(old) == function.ty(new)) {
        replaced.extend(pairs(function));
    }
}

/// Writes the accesses of runs as one each: loads where the first was, stores where the last was.
fn join(function: &mut Function, block: Block, runs: &[Vec<Part>], replaced: &mut Replaced) {
    let mut homes: HashMap<Inst, usize> = HashMap::new();
    let mut gone: HashMap<Inst, ()> = HashMap::new();
    for (index, run) in runs.iter().enumerate() {
        let places = run.iter().map(|part| (part.at, part.inst));
        let is_load = matches!(function.insts[run[0].inst.index()].op, Op::Load(_));
        let home = match is_load {
            true => places.min(),
            false => places.max(),
        };
        gone.extend(run.iter().map(|part| (part.inst, ())));
        homes.extend(home.map(|(_, inst)| (inst, index)));
    }
    let insts = function.take(block);
    let mut later: HashSet<Inst> = insts.iter().copied().collect();
    for inst in insts {
        if !later.remove(&inst) {
            continue;
        }
        if let Some(index) = homes.get(&inst) {
            let run = &runs[*index];
            let first = function.insts[run[0].inst.index()].args[0];
            let here = raise(function, block, first, &mut later);
            one(function, block, inst, run, here, replaced);
        } else if !gone.contains_key(&inst) {
            function.blocks[block.index()].insts.push(inst);
        }
    }
}

/// Computes a value here, which is computed later in the block. Says whether it can.
fn raise(function: &mut Function, block: Block, value: Value, later: &mut HashSet<Inst>) -> bool {
    let mut found = Vec::new();
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        let source = function.source(value);
        let Some((inst, data)) = source.filter(|(inst, _)| later.contains(inst)) else {
            continue;
        };
        if !data.op.is_pure() || found.len() == STEPS {
            return false;
        }
        found.push(inst);
        work.extend(&data.args);
    }
    // Operands first: one that several have is found again behind the last of these.
    for inst in found.into_iter().rev() {
        if later.remove(&inst) {
            function.blocks[block.index()].insts.push(inst);
        }
    }
    true
}

/// One access for a run, at the place of `home`; `here` says whether the address of the first part is
/// known there.
fn one(
    function: &mut Function,
    block: Block,
    home: Inst,
    run: &[Part],
    here: bool,
    replaced: &mut Replaced,
) {
    let data = function.insts[home.index()].clone();
    let begin = run.iter().find(|part| part.inst == home);
    let distance = run[0].begin - begin.map_or(run[0].begin, |part| part.begin);
    let parts: Vec<_> = run
        .iter()
        .map(|part| function.insts[part.inst.index()].clone())
        .collect();
    let mut cursor = Cursor {
        function,
        block,
        at: data.at,
    };
    let mut address = data.args[0];
    if here {
        address = parts[0].args[0];
    } else if distance != 0 {
        let by = cursor.constant(cursor.function.ty(address), distance as u64);
        address = cursor.bin(Bin::Add, address, by);
    }
    match (&data.op, &parts[0].op) {
        (Op::Load(_), Op::Load(first)) => {
            let values: Vec<Value> = parts.iter().flat_map(|part| part.results.clone()).collect();
            let types = common(cursor.function, &values);
            let load = cursor.push(Op::Load(joined(*first)), &[address], &types);
            let made = cursor.function.insts[load.index()].results.clone();
            for (old, new) in values.into_iter().zip(made) {
                let ty = cursor.function.ty(old);
                let new = cursor.convert(Convert::Bitcast, new, ty);
                replaced.insert(old, new);
            }
        }
        (_, Op::Store(first)) => {
            let values = parts.iter().flat_map(|part| part.args[1..].to_vec());
            let values: Vec<Value> = values.collect();
            let types = common(cursor.function, &values);
            let mut args = vec![address];
            for (value, ty) in values.into_iter().zip(types) {
                args.push(cursor.convert(Convert::Bitcast, value, ty));
            }
            cursor.push(Op::Store(joined(*first)), &args, &[]);
        }
        _ => {}
    }
}

/// The access of a run, by that of its first part.
const fn joined(first: Access) -> Access {
    Access::new(first.space, first.align)
}

/// Their types if they are the same, otherwise integers.
fn common(function: &Function, values: &[Value]) -> Vec<Type> {
    let ty = function.ty(values[0]);
    let same = values.iter().all(|value| function.ty(*value) == ty);
    vec![if same { ty } else { ty.integer() }; values.len()]
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::ir::{
        Access, Bin, Convert, Cursor, Function, Input, Op, Space, Terminator, Type, Value, verify,
    };
    use crate::target::Target;

    /// Runs the pass on one block that `body` writes. It gets the address of the lane's 16 dwords, and
    /// of those of another argument.
    fn joined(body: impl Fn(&mut Cursor<'_>, [Value; 2])) -> Vec<(String, usize)> {
        let mut function = Function::default();
        let block = function.add_block();
        let mut at = Cursor {
            function: &mut function,
            block,
            at: 0,
        };
        let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
        let four = at.constant(Type::I32, 4);
        let two = at.constant(Type::I64, 2);
        let addresses = [0, 8].map(|argument| {
            let pointer = at.one(Op::Input(Input::Payload(argument)), &[], Type::I64);
            let index = at.bin(Bin::Shl, lane, four);
            let wide = at.convert(Convert::ZExt, index, Type::I64);
            let offset = at.bin(Bin::Shl, wide, two);
            at.bin(Bin::Add, pointer, offset)
        });
        body(&mut at, addresses);
        function.blocks[block.index()].end = Terminator::Return;
        verify(&function).unwrap();
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        let insts = function.blocks[block.index()].insts.iter();
        let shown = insts.filter_map(|inst| {
            let data = &function.insts[inst.index()];
            match data.op {
                Op::Load(_) => Some(("load".to_owned(), data.results.len())),
                Op::Store(_) => Some(("store".to_owned(), data.args.len() - 1)),
                Op::Barrier => Some(("barrier".to_owned(), 0)),
                _ => None,
            }
        });
        shown.collect()
    }

    fn place(at: &mut Cursor<'_>, base: Value, offset: i64) -> Value {
        let by = at.constant(Type::I64, offset as u64);
        at.bin(Bin::Add, base, by)
    }

    fn read(at: &mut Cursor<'_>, base: Value, offset: i64, ty: Type) -> Value {
        let place = place(at, base, offset);
        at.one(Op::Load(Access::new(Space::Global, 4)), &[place], ty)
    }

    /// A byte from a place, or a word.
    fn narrow(at: &mut Cursor<'_>, base: Value, offset: i64, ty: Type) -> Value {
        let place = place(at, base, offset);
        let access = Access::new(Space::Global, ty.bytes());
        at.one(Op::Load(access), &[place], ty)
    }

    fn write(at: &mut Cursor<'_>, base: Value, offset: i64, value: Value) {
        let place = place(at, base, offset);
        at.push(
            Op::Store(Access::new(Space::Global, 4)),
            &[place, value],
            &[],
        );
    }

    fn is(found: &[(String, usize)], wanted: &[(&str, usize)]) {
        let found: Vec<_> = found.iter().map(|(a, b)| (a.as_str(), *b)).collect();
        assert_eq!(found, wanted);
    }

    #[test]
    fn neighbours_become_one_in_any_order() {
        let found = joined(|at, [from, to]| {
            let values: Vec<Value> = [8, 0, 4, 12, 16]
                .map(|offset| read(at, from, offset, Type::I32))
                .to_vec();
            for (value, offset) in values.into_iter().zip([4, 12, 0, 8, 32]) {
                write(at, to, offset, value);
            }
        });
        is(
            &found,
            &[("load", 4), ("load", 1), ("store", 4), ("store", 1)],
        );
    }

    #[test]
    fn types_of_one_size_go_together_and_others_do_not() {
        let found = joined(|at, [from, to]| {
            let first = read(at, from, 0, Type::I32);
            let second = read(at, from, 4, Type::F32);
            let third = read(at, from, 8, Type::I64);
            let bits = at.convert(Convert::Bitcast, second, Type::I32);
            let sum = at.bin(Bin::Add, first, bits);
            write(at, to, 0, sum);
            write(at, to, 8, third);
        });
        is(
            &found,
            &[("load", 2), ("load", 1), ("store", 1), ("store", 1)],
        );
    }

    #[test]
    fn what_is_read_twice_is_read_once() {
        let found = joined(|at, [from, to]| {
            let first = read(at, from, 4, Type::I32);
            let again = read(at, from, 4, Type::I32);
            let sum = at.bin(Bin::Add, first, again);
            write(at, to, 0, sum);
        });
        // The other has no user, and the next pass drops it.
        is(&found, &[("load", 1), ("load", 1), ("store", 1)]);
    }

    #[test]
    fn nothing_passes_what_may_touch_it() {
        // A write through another pointer between two reads.
        let found = joined(|at, [from, to]| {
            let first = read(at, from, 0, Type::I32);
            write(at, to, 0, first);
            let second = read(at, from, 4, Type::I32);
            write(at, to, 4, second);
        });
        let apart = [("load", 1), ("store", 1), ("load", 1), ("store", 1)];
        is(&found, &apart);
        // A read of what is written.
        let found = joined(|at, [_, to]| {
            let one = at.constant(Type::I32, 1);
            write(at, to, 0, one);
            let value = read(at, to, 0, Type::I32);
            write(at, to, 4, value);
        });
        is(&found, &[("store", 1), ("load", 1), ("store", 1)]);
        // A read of what was written after its neighbour was read.
        let found = joined(|at, [_, to]| {
            let first = read(at, to, 4, Type::I32);
            write(at, to, 8, first);
            let second = read(at, to, 8, Type::I32);
            write(at, to, 0, second);
        });
        let apart = [("load", 1), ("store", 1), ("load", 1), ("store", 1)];
        is(&found, &apart);
        // Of something beside it.
        let found = joined(|at, [_, to]| {
            let one = at.constant(Type::I32, 1);
            write(at, to, 0, one);
            let value = read(at, to, 8, Type::I32);
            write(at, to, 4, value);
        });
        is(&found, &[("load", 1), ("store", 2)]);
        // A barrier.
        let found = joined(|at, [_, to]| {
            let one = at.constant(Type::I32, 1);
            write(at, to, 0, one);
            at.push(Op::Barrier, &[], &[]);
            write(at, to, 4, one);
        });
        is(&found, &[("store", 1), ("barrier", 0), ("store", 1)]);
    }

    #[test]
    fn bytes_and_words_become_dwords() {
        let found = joined(|at, [from, to]| {
            let bytes = [1, 2, 3, 4, 5, 6, 7].map(|offset| narrow(at, from, offset, Type::I8));
            for (value, offset) in bytes.into_iter().zip([9, 6, 8, 7, 20, 21, 30]) {
                let place = place(at, to, offset);
                at.push(
                    Op::Store(Access::new(Space::Global, 1)),
                    &[place, value],
                    &[],
                );
            }
        });
        let loads = [("load", 4), ("load", 2), ("load", 1)];
        let stores = [("store", 4), ("store", 2), ("store", 1)];
        is(&found, &[loads, stores].concat());
        let found = joined(|at, [from, to]| {
            let words = [2, 4, 8].map(|offset| narrow(at, from, offset, Type::I16));
            for (value, offset) in words.into_iter().zip([12, 14, 18]) {
                let place = place(at, to, offset);
                let access = Access::new(Space::Global, 2);
                at.push(Op::Store(access), &[place, value], &[]);
            }
        });
        is(
            &found,
            &[("load", 2), ("load", 1), ("store", 2), ("store", 1)],
        );
    }

    /// Reads elements of a type whose index is a sum, of this type and extended so.
    fn indexed(index: Type, how: Convert, ty: Type) -> Vec<(String, usize)> {
        joined(|at, [from, _]| {
            let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
            let lane = at.convert(Convert::Trunc, lane, index);
            for number in [1, 0, 3, 2] {
                let number = at.constant(index, number);
                let sum = at.bin(Bin::Add, lane, number);
                let wide = at.convert(how, sum, Type::I64);
                let by = at.constant(Type::I64, ty.bytes().trailing_zeros().into());
                let offset = at.bin(Bin::Shl, wide, by);
                let place = at.bin(Bin::Add, from, offset);
                let access = Access::new(Space::Global, ty.bytes());
                at.one(Op::Load(access), &[place], ty);
            }
        })
    }

    #[test]
    fn sums_of_indexes_are_those_of_addresses() {
        for how in [Convert::ZExt, Convert::SExt] {
            is(&indexed(Type::I32, how, Type::I32), &[("load", 4)]);
            is(&indexed(Type::I32, how, Type::I16), &[("load", 2); 2]);
            // Of a word that wraps around, the next is not behind it.
            is(&indexed(Type::I16, how, Type::I32), &[("load", 1); 4]);
        }
        // In 4 GiB, the byte behind the last index is the first.
        let bytes = |how| indexed(Type::I32, how, Type::I8);
        is(&bytes(Convert::SExt), &[("load", 4)]);
        is(&bytes(Convert::ZExt), &[("load", 1); 4]);
    }

    #[test]
    fn volatile_accesses_stay() {
        let found = joined(|at, [from, _]| {
            for offset in [0, 4] {
                let place = place(at, from, offset);
                let access = Access {
                    volatile: true,
                    ..Access::new(Space::Global, 4)
                };
                at.one(Op::Load(access), &[place], Type::I32);
            }
        });
        is(&found, &[("load", 1), ("load", 1)]);
    }
}
