//! The variables that may live in registers, and whether that is better.

use std::collections::{BTreeSet, HashMap};

use super::super::known::Known;
use super::layout::{Element, Layout, Place};
use crate::ir::cfg::{Dominators, Loops};
use crate::ir::{Bin, Function, Inst, Op, Value};

/// What an access to memory costs, beside an instruction: it computes an address of 64 bits, and waits.
const MESSAGE: u64 = 24;
/// The bytes of known places that one message accesses.
const JOINED: u64 = 16;
/// What a read with an index costs, and a write for each cell that it may be.
const READ: u64 = 5;
const COMPARED: u64 = 2;
/// How much more often a loop is executed than what is around it, and how deep that is counted.
const ROUNDS: u64 = 8;
const NESTED: u32 = 4;
/// The most bytes of a variable that is looked at.
const MOST_BYTES: u32 = 4096;
/// A variable that may live in registers.
pub(super) struct Variable {
    pub(super) alloca: Value,
    pub(super) size: u32,
    /// The elements of each access.
    pub(super) accesses: HashMap<Inst, Vec<Element>>,
    /// None for one that is only written.
    pub(super) layout: Option<Layout>,
}

/// What an access costs in registers, and in memory.
fn costs(
    function: &Function,
    inst: Inst,
    elements: &[Element],
    layout: &Layout,
    size: u32,
) -> Option<(u64, u64)> {
    let stores = matches!(function.insts[inst.index()].op, Op::Store(_));
    let (mut registers, mut bytes, mut messages) = (0, 0, 0);
    for element in elements {
        let (first, count) = element.range(size)?;
        let cells = layout.cells(first, element.bytes)?.len() as u64;
        let each = match (count, stores) {
            (1, _) => 1,
            (_, false) => READ,
            (count, true) => COMPARED * u64::from(count),
        };
        // Parts are put together, or taken apart.
        let parts = if cells > 2 { 2 * cells } else { 0 };
        registers += each * cells + parts;
        bytes += u64::from(element.bytes);
        messages |= u64::from(count != 1);
    }
    let memory = (MESSAGE * bytes).div_ceil(JOINED).max(MESSAGE * messages);
    Some((registers, memory))
}

/// How often each access is executed, roughly.
fn often(function: &Function) -> Result<HashMap<Inst, u64>, String> {
    let dominators = Dominators::new(function);
    let loops = Loops::new(function, &dominators)
        .map_err(|block| format!("a loop has several entries, one of them b{}", block.0))?;
    let mut out = HashMap::new();
    for block in &function.order {
        let around = loops.around(*block).take(NESTED as usize);
        let often = ROUNDS.pow(around.count() as u32);
        let insts = &function.blocks[block.index()].insts;
        let accesses = insts.iter().filter(|inst| {
            let op = &function.insts[inst.index()].op;
            matches!(op, Op::Load(_) | Op::Store(_))
        });
        out.extend(accesses.map(|inst| (*inst, often)));
    }
    Ok(out)
}

/// The variables that may live in registers, in the order of the code.
pub(super) fn find(function: &Function) -> Result<Vec<Variable>, String> {
    let often = often(function)?;
    let known = Known::of(function);
    // Which variable a value points into.
    let mut bases: HashMap<Value, Value> = HashMap::new();
    let mut sizes: Vec<(Value, u32)> = Vec::new();
    let mut accesses: HashMap<Value, HashMap<Inst, Vec<Element>>> = HashMap::new();
    let mut bad: BTreeSet<Value> = BTreeSet::new();
    let mut is_read: BTreeSet<Value> = BTreeSet::new();
    for block in &function.order {
        for &inst in &function.blocks[block.index()].insts {
            let data = &function.insts[inst.index()];
            if let Op::Alloca { size, .. } = data.op {
                bases.insert(data.results[0], data.results[0]);
                sizes.push((data.results[0], size));
            }
            for (index, arg) in data.args.iter().enumerate() {
                let Some(&base) = bases.get(arg) else {
                    continue;
                };
                let elements = match data.op {
                    Op::Bin(Bin::Add) => {
                        let old = bases.insert(data.results[0], base);
                        if old.is_some() {
                            bad.extend(old);
                            bad.insert(base);
                        }
                        continue;
                    }
                    Op::Lifetime { .. } => continue,
                    Op::Load(access) if !access.volatile => {
                        is_read.insert(base);
                        data.results.as_slice()
                    }
                    Op::Store(access) if index == 0 && !access.volatile => &data.args[1..],
                    _ => {
                        bad.insert(base);
                        continue;
                    }
                };
                let Some(mut place) = Place::of(function, &known, *arg, base) else {
                    bad.insert(base);
                    continue;
                };
                let list = elements.iter().map(|element| {
                    let bytes = function.ty(*element).bytes();
                    let place = {
                        let next = place.number.wrapping_add(bytes);
                        let here = place.clone();
                        place.number = next;
                        here
                    };
                    Element { place, bytes }
                });
                let list = list.collect();
                accesses.entry(base).or_default().insert(inst, list);
            }
        }
    }
    // A phi may take a pointer of a later block.
    for block in &function.order {
        for &inst in &function.blocks[block.index()].insts {
            let data = &function.insts[inst.index()];
            if matches!(data.op, Op::Phi(_)) {
                bad.extend(data.args.iter().filter_map(|arg| bases.get(arg)));
            }
        }
    }
    let good = sizes.into_iter().filter(|(base, size)| {
        let fits = (1..=MOST_BYTES).contains(size) || !is_read.contains(base);
        fits && !bad.contains(base)
    });
    let found = good.filter_map(|(alloca, size)| {
        let accesses = accesses.remove(&alloca)?;
        let layout = match is_read.contains(&alloca) {
            true => {
                let elements: Vec<&Element> = accesses.values().flatten().collect();
                let layout = Layout::of(size, &elements)?;
                let costs: Option<Vec<(u64, u64)>> = accesses
                    .iter()
                    .map(|(inst, elements)| {
                        let often = often[inst];
                        let (registers, memory) = costs(function, *inst, elements, &layout, size)?;
                        Some((registers * often, memory * often))
                    })
                    .collect();
                let costs = costs?;
                let registers: u64 = costs.iter().map(|(registers, _)| registers).sum();
                let memory: u64 = costs.iter().map(|(_, memory)| memory).sum();
                if registers > memory {
                    return None;
                }
                Some(layout)
            }
            false => None,
        };
        Some(Variable {
            alloca,
            size,
            accesses,
            layout,
        })
    });
    Ok(found.collect())
}
