//! Loops with several entries get one: a block that all ways into the loop lead to, and that goes on
//! by a number to where each way went.
//!
//! Values need no change but at the entries: a value that is used beyond an entry without a phi is
//! defined where all entries see it, or after the entry.

use hashbrown::HashSet;
use smallvec::SmallVec;

use crate::ir::{
    Block, Cond, Cursor, Def, Function, Inst, Op, Replaced, Terminator, Type, Value,
    cfg::{Dominators, Loops, reverse_postorder},
};
use crate::target::Target;

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    // Each round makes one loop right; its inner loops are looked at in later rounds.
    let rounds = function.order.len();
    for _ in 0..=rounds {
        let Some(entries) = several_entries(function) else {
            return Ok(());
        };
        dispatch(function, &entries);
        super::structure::prune(function);
    }
    Err("loops with several entries within each other".to_owned())
}

/// The entries of a loop that has more than one.
fn several_entries(function: &Function) -> Option<Vec<Block>> {
    if Loops::new(function, &Dominators::new(function)).is_ok() {
        return None;
    }
    let predecessors = function.predecessors();
    let mut work = vec![reverse_postorder(function)];
    while let Some(blocks) = work.pop() {
        for part in components(function, &blocks, &predecessors) {
            let set: HashSet<Block> = part.iter().copied().collect();
            let within = |block: &Block| set.contains(block);
            let entries: Vec<Block> = part
                .iter()
                .copied()
                .filter(|block| !predecessors[block.index()].iter().all(within))
                .collect();
            if entries.len() > 1 {
                return Some(entries);
            }
            // Loops within it do not go through its header.
            let header = entries.first().copied();
            work.push(
                part.into_iter()
                    .filter(|block| Some(*block) != header)
                    .collect(),
            );
        }
    }
    None
}

/// The parts of a graph in which each block leads to each other (Kosaraju's algorithm), without
/// single blocks.
fn components(
    function: &Function,
    blocks: &[Block],
    predecessors: &[SmallVec<[Block; 2]>],
) -> Vec<Vec<Block>> {
    let mut waiting = vec![false; function.blocks.len()];
    for block in blocks {
        waiting[block.index()] = true;
    }
    let mut finished = Vec::with_capacity(blocks.len());
    let mut open = waiting.clone();
    for &root in blocks {
        if !std::mem::replace(&mut open[root.index()], false) {
            continue;
        }
        let next = |block: Block| function.blocks[block.index()].end.successors();
        let mut stack = vec![(root, next(root))];
        while let Some((block, successors)) = stack.last_mut() {
            match successors.pop() {
                Some(to) if std::mem::replace(&mut open[to.index()], false) => {
                    stack.push((to, next(to)));
                }
                Some(_) => {}
                None => {
                    finished.push(*block);
                    stack.pop();
                }
            }
        }
    }
    let mut out = Vec::new();
    for root in finished.into_iter().rev() {
        let mut part = Vec::new();
        let mut stack = vec![root];
        while let Some(block) = stack.pop() {
            if std::mem::replace(&mut waiting[block.index()], false) {
                part.push(block);
                stack.extend(&predecessors[block.index()]);
            }
        }
        if part.len() > 1 {
            out.push(part);
        }
    }
    out
}

fn dispatch(function: &mut Function, entries: &[Block]) {
    let predecessors = function.predecessors();
    let hub = function.add_block();
    // A block for each way in: which entry it leads to, and from where.
    let mut ways: Vec<(Block, usize, Block)> = Vec::new();
    for (number, &entry) in entries.iter().enumerate() {
        for &from in &predecessors[entry.index()] {
            let way = function.add_block();
            function.blocks[way.index()].end = Terminator::Jump(hub);
            function.blocks[from.index()].end.replace(entry, way);
            ways.push((way, number, from));
        }
    }
    let phi = |function: &mut Function, ty: Type, args: Vec<Value>, at: u32| {
        let blocks = ways.iter().map(|way| way.0).collect();
        let inst = function.make(Op::Phi(blocks), &args, &[ty], at);
        function.blocks[hub.index()].insts.push(inst);
        function.result(inst)
    };
    let numbers = ways
        .iter()
        .map(|way| function.constant(Type::I32, way.1 as u64))
        .collect();
    let which = phi(function, Type::I32, numbers, 0);
    let mut replaced = Replaced::default();
    for (number, &entry) in entries.iter().enumerate() {
        let is_phi = |function: &Function, inst: &Inst| {
            matches!(function.insts[inst.index()].op, Op::Phi(_))
        };
        let insts = std::mem::take(&mut function.blocks[entry.index()].insts);
        let (phis, rest) = insts.into_iter().partition(|inst| is_phi(function, inst));
        function.blocks[entry.index()].insts = rest;
        let phis: Vec<Inst> = phis;
        for inst in phis {
            let data = function.insts[inst.index()].clone();
            let Op::Phi(blocks) = &data.op else { continue };
            let ty = function.ty(data.results[0]);
            let nobody = function.add_value(ty, Def::Undef);
            let args = ways.iter().map(|(_, to, from)| {
                let at = blocks.iter().position(|block| block == from);
                match at {
                    Some(at) if *to == number => data.args[at],
                    _ => nobody,
                }
            });
            let value = phi(function, ty, args.collect(), data.at);
            replaced.insert(data.results[0], value);
        }
    }
    replaced.apply(function);
    // One comparison a block; the last entry needs none.
    let mut block = hub;
    for (number, &entry) in entries.iter().enumerate() {
        let next = match number + 2 == entries.len() {
            true => entries[number + 1],
            false => function.add_block(),
        };
        let mut at = Cursor::new(function, block);
        let constant = at.constant(Type::I32, number as u64);
        let is = at.one(Op::Icmp(Cond::Eq), &[which, constant], Type::I1);
        function.blocks[block.index()].end = Terminator::Branch(is, entry, next);
        if number + 2 == entries.len() {
            break;
        }
        block = next;
    }
}
