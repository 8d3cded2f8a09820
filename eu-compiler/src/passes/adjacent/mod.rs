//! Loads of neighbouring elements become one, and so do stores, within a block. What is loaded twice
//! is loaded once, and what was just stored is not loaded.
//!
//! Loads go up to the first of them and stores down to the last, as long as nothing between them
//! may touch the same memory. Addresses are compared as sums of values times numbers: what differs
//! only in a number is a known distance apart.
//!
//! Private memory is still apart from global memory here: a pointer that goes elsewhere is a cast, and
//! where there is one, the two are the same memory.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use smallvec::SmallVec;

use super::known::Known;
use super::private::is_cast;
use crate::ir::{
    Access, Bin, Block, Convert, Cursor, Function, Input, Inst, Op, Replaced, Space, Symbol, Type,
    Value,
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
    align(function);
    let known = Known::of(function);
    let private = match function.listed().any(|data| is_cast(&data.op)) {
        true => Space::Global,
        false => Space::Private,
    };
    let mut replaced = Replaced::default();
    for block in function.order.clone() {
        let mut groups = Groups::new(private);
        for (at, &inst) in function.blocks[block.index()].insts.iter().enumerate() {
            groups.meet(function, &known, at, inst);
        }
        groups.end();
        for (inst, bytes) in &groups.aligned {
            if let Op::Load(access) | Op::Store(access) = &mut function.insts[inst.index()].op {
                access.align = *bytes;
            }
        }
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

/// Begins variables at dwords, so that their bytes may be accessed by several dwords.
fn align(function: &mut Function) {
    for inst in &mut function.insts {
        if let Op::Alloca { size, align } = &mut inst.op
            && i64::from(*size) >= DWORD
        {
            *align = (*align).max(DWORD as u32);
        }
    }
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

    /// What its addresses are multiples of, as far as a dword.
    fn alignment(&self, known: &Known) -> u32 {
        let terms = self.terms.iter();
        let terms = terms.map(|(value, _, times)| {
            known.zeroes[value.index()].saturating_add(times.trailing_zeros())
        });
        let zeroes = terms.fold(self.number.trailing_zeros(), u32::min);
        1 << zeroes.min(DWORD.trailing_zeros())
    }
}

/// Whether a number only sets bits that are zeroes in a value.
fn is_beside(function: &Function, known: &Known, value: Value, number: Value) -> bool {
    let zeroes = known.zeroes[value.index()];
    let bits = function.bits(number);
    let below = zeroes + 1 < function.ty(value).bits();
    bits.is_some_and(|bits| below && bits >> zeroes == 0)
}

/// Whether a sum is a place among the variables of the program that are only read: nothing writes it.
fn constant(function: &Function, sum: &Sum) -> bool {
    let op = |value: Value| function.source(value).map(|(_, data)| &data.op);
    let begins = |value: Value| match function.source(value) {
        Some((_, data)) if data.op == Op::Pair => matches!(
            op(data.args[0]),
            Some(Op::Input(Input::Address {
                of: Symbol::Constants,
                ..
            }))
        ),
        _ => false,
    };
    sum.terms
        .iter()
        .any(|(value, extended, times)| (*extended, *times) == (Extended::No, 1) && begins(*value))
}

/// Whether a sum is a known place of a variable.
fn variable(function: &Function, sum: &Sum) -> bool {
    let [(value, Extended::No, 1)] = sum.terms.as_slice() else {
        return false;
    };
    let size = function.source(*value).and_then(|(_, data)| match data.op {
        Op::Alloca { size, .. } => Some(i64::from(size)),
        _ => None,
    });
    size.is_some_and(|size| (0..size).contains(&sum.number))
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
    /// What its address is a multiple of.
    align: u32,
}

/// Accesses that differ in a number only.
#[derive(Clone, Debug)]
struct Group {
    is_load: bool,
    space: Space,
    /// Whether it is of known places of a variable.
    whole: bool,
    /// Whether it is of variables that nothing writes.
    constant: bool,
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

struct Groups {
    /// The memory that private memory is a part of, as far as accesses meet.
    private: Space,
    open: Vec<Group>,
    /// Those that become one.
    joined: Vec<Vec<Part>>,
    /// Loads of what an earlier load has, or an earlier store.
    again: Vec<(Inst, Inst)>,
    /// Accesses that are aligned better than they say.
    aligned: Vec<(Inst, u32)>,
}

impl Groups {
    const fn new(private: Space) -> Self {
        Self {
            private,
            open: Vec::new(),
            joined: Vec::new(),
            again: Vec::new(),
            aligned: Vec::new(),
        }
    }

    fn meet(&mut self, function: &Function, known: &Known, at: usize, inst: Inst) {
        let data = &function.insts[inst.index()];
        let (is_load, access, elements) = match &data.op {
            Op::Load(access) => (true, *access, data.results.as_slice()),
            Op::Store(access) => (false, *access, &data.args[1..]),
            Op::BlockLoad(_) => return self.close(|group| !group.is_load),
            Op::Lifetime { .. } => {
                let memory = self.private;
                return self.close(|group| [memory, Space::Private].contains(&group.space));
            }
            Op::ImageStore(_)
            | Op::ImageBlockStore(_)
            | Op::SetElement { .. }
            | Op::SetElementAt { .. } => return,
            op if op.has_effect() => return self.close(|_| true),
            _ => return,
        };
        let sum = Sum::of(function, known, data.args[0]).filter(|_| !access.volatile);
        let private = self.private;
        let memory = |space| match space {
            Space::Private => private,
            other => other,
        };
        let is_same = |space| memory(space) == memory(access.space);
        let Some(sum) = sum else {
            return self.close(|group| {
                let touches = is_same(group.space) || access.space == Space::Generic;
                touches && !(is_load && group.is_load)
            });
        };
        let element = elements.first().map_or(4, |v| function.ty(*v).bytes());
        let part = Part {
            at,
            inst,
            begin: sum.number,
            bytes: i64::from(element) * elements.len() as i64,
            align: access.align.max(sum.alignment(known)),
        };
        if part.align > access.align {
            self.aligned.push((inst, part.align));
        }
        if is_load && let Some(stored) = self.stored(access.space, &sum, &part) {
            let types =
                |values: &[Value]| values.iter().map(|v| function.ty(*v)).collect::<Vec<_>>();
            if types(elements) == types(&function.insts[stored.index()].args[1..]) {
                return self.again.push((inst, stored));
            }
        }
        let whole = variable(function, &sum);
        let constant = constant(function, &sum);
        let meets = |group: &Group| {
            let apart = |other: &Part| {
                other.begin + other.bytes <= part.begin || part.begin + part.bytes <= other.begin
            };
            let disjoint = match group.terms == sum.terms {
                true => group.parts.iter().all(apart),
                // Known places of two variables, or one that is written and one that is not.
                false => whole && group.whole || constant != group.constant,
            };
            is_same(group.space) && !disjoint
        };
        self.close(|group| meets(group) && !(is_load && group.is_load));
        let (begin, end) = (part.begin, part.begin + part.bytes);
        if !is_load {
            // Other loads that are still open have no byte of it, or they would have met it.
            let loads = self.open.iter_mut().filter(|group| group.is_load);
            for group in loads.filter(|group| group.terms == sum.terms) {
                group.written.push((begin, end));
            }
        }
        if match element {
            // Bytes and words become dwords, which global memory has anywhere.
            1 | 2 => !matches!(access.space, Space::Global | Space::Private),
            _ => part.align < 4,
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
                whole,
                constant,
                terms: sum.terms,
                element,
                parts: vec![part],
                written: Vec::new(),
            }),
        }
    }

    /// The store of just this part, if nothing may have written there since.
    fn stored(&self, space: Space, sum: &Sum, part: &Part) -> Option<Inst> {
        let stores = self.open.iter().filter(|group| !group.is_load);
        let mut stores = stores.filter(|group| group.space == space && group.terms == sum.terms);
        let place = |part: &Part| (part.begin, part.bytes);
        stores.find_map(|group| {
            let found = group.parts.iter().find(|other| place(other) == place(part));
            found.map(|other| other.inst)
        })
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
        // Bytes and words: dwords if they are aligned or only one, otherwise a word.
        let mut rest = run.as_slice();
        while !rest.is_empty() {
            let dwords = match rest[0].align >= DWORD as u32 {
                true => MOST / DWORD,
                false => 1,
            };
            let ends = |bytes: i64| {
                let mut ends = (1..=rest.len()).map(|count| (count, of(&rest[..count])));
                let found = ends.find(|(_, sum)| *sum == bytes);
                found.map(|(count, _)| count)
            };
            let most = (1..=dwords).rev().find_map(|count| ends(count * DWORD));
            let count = most.or_else(|| ends(DWORD / 2)).unwrap_or(1);
            let (first, others) = rest.split_at(count);
            if count > 1 {
                self.joined.push(first.to_vec());
            }
            rest = others;
        }
    }
}

/// Takes what an earlier load or store has for the results of a later load, which is left without use.
///
/// A pointer that was stored to memory of others is a number from there on, if it is loaded as one: what is added to it
/// may lead to any memory (`surfaces`). Of private memory, `memory` knows.
fn same(function: &mut Function, later: Inst, first: Inst, replaced: &mut Replaced) {
    let [old, new] = [later, first].map(|inst| &function.insts[inst.index()]);
    let (values, may_be_pointers) = match new.op {
        Op::Store(access) => (&new.args[1..], access.space != Space::Private),
        _ => (new.results.as_slice(), false),
    };
    let pairs: Vec<_> = (old.results.iter().copied())
        .zip(values.iter().copied())
        .collect();
    let ty = |value| function.ty(value);
    if !pairs.iter().all(|&(old, new)| ty(old) == ty(new)) {
        return;
    }
    let has_number = pairs.iter().any(|&(old, _)| ty(old) == Type::I64);
    match pairs[..] {
        [(_, value)] if may_be_pointers && has_number => {
            let load = &mut function.insts[later.index()];
            load.op = Op::Number;
            load.args = [value].into_iter().collect();
        }
        // Each would be an operation of its own.
        _ if may_be_pointers && has_number => {}
        _ => replaced.extend(pairs),
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
    let mut packs: HashMap<Inst, (usize, usize, &[Part])> = HashMap::new();
    for (index, run) in runs.iter().enumerate() {
        for (number, dword) in dwords(function, run).enumerate() {
            let last = dword.iter().max_by_key(|part| part.at);
            packs.extend(last.map(|part| (part.inst, (index, number, dword))));
        }
    }
    let mut packed: HashMap<usize, BTreeMap<usize, Value>> = HashMap::new();
    let insts = function.take(block);
    let mut later: HashSet<Inst> = insts.iter().copied().collect();
    for inst in insts {
        if !later.remove(&inst) {
            continue;
        }
        if let Some((index, number, parts)) = packs.get(&inst) {
            let value = pack(function, block, parts);
            packed.entry(*index).or_default().insert(*number, value);
        }
        if let Some(index) = homes.get(&inst) {
            let run = &runs[*index];
            let first = function.insts[run[0].inst.index()].args[0];
            let here = raise(function, block, first, &mut later);
            let packed = packed.remove(index).unwrap_or_default();
            let packed: Vec<Value> = packed.into_values().collect();
            one(function, block, inst, run, here, &packed, replaced);
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

/// The dwords of a run of bytes or words that are stored, if there are several.
fn dwords<'a>(function: &Function, run: &'a [Part]) -> impl Iterator<Item = &'a [Part]> {
    let stored = &function.insts[run[0].inst.index()];
    let element = stored
        .args
        .get(1)
        .map_or(DWORD as u32, |value| function.ty(*value).bytes());
    let mut parts = match i64::from(element) < DWORD && of(run) > DWORD {
        true => Vec::new(),
        false => return Vec::new().into_iter(),
    };
    let mut rest = run;
    while let Some(count) = (1..=rest.len()).find(|count| of(&rest[..*count]) == DWORD) {
        let (dword, others) = rest.split_at(count);
        parts.push(dword);
        rest = others;
    }
    if !rest.is_empty() {
        parts.clear();
    }
    parts.into_iter()
}

/// Puts a dword together where its last part is known: so the parts need no registers of their own until
/// the whole is stored.
fn pack(function: &mut Function, block: Block, parts: &[Part]) -> Value {
    let insts = parts.iter().map(|part| &function.insts[part.inst.index()]);
    let values: Vec<Value> = insts.flat_map(|data| data.args[1..].to_vec()).collect();
    let at = function.insts[parts[0].inst.index()].at;
    let mut cursor = Cursor {
        function,
        block,
        at,
    };
    let integers: Vec<Value> = values
        .iter()
        .map(|value| {
            let ty = cursor.function.ty(*value).integer();
            cursor.convert(Convert::Bitcast, *value, ty)
        })
        .collect();
    cursor.one(Op::Pack, &integers, Type::I32)
}

/// One access for a run, at the place of `home`; `here` says whether the address of the first part is
/// known there, and `packed` are its dwords, where these are put together already.
fn one(
    function: &mut Function,
    block: Block,
    home: Inst,
    run: &[Part],
    here: bool,
    packed: &[Value],
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
            let load = cursor.push(Op::Load(joined(*first, run[0].align)), &[address], &types);
            let made = cursor.function.insts[load.index()].results.clone();
            for (old, new) in values.into_iter().zip(made) {
                let ty = cursor.function.ty(old);
                let new = cursor.convert(Convert::Bitcast, new, ty);
                replaced.insert(old, new);
            }
        }
        (_, Op::Store(first)) => {
            let values = parts.iter().flat_map(|part| part.args[1..].to_vec());
            let values: Vec<Value> = match packed {
                [] => values.collect(),
                packed => packed.to_vec(),
            };
            let types = common(cursor.function, &values);
            let mut args = vec![address];
            for (value, ty) in values.into_iter().zip(types) {
                args.push(cursor.convert(Convert::Bitcast, value, ty));
            }
            cursor.push(Op::Store(joined(*first, run[0].align)), &args, &[]);
        }
        _ => {}
    }
}

/// The access of a run, by that of its first part.
const fn joined(first: Access, align: u32) -> Access {
    Access::new(first.space, align)
}

/// Their types if they are the same, otherwise integers.
fn common(function: &Function, values: &[Value]) -> Vec<Type> {
    let ty = function.ty(values[0]);
    let same = values.iter().all(|value| function.ty(*value) == ty);
    vec![if same { ty } else { ty.integer() }; values.len()]
}
