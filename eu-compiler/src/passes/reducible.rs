//! Loops with several entries get one: a block that all ways into the loop and those back to its entries
//! lead to, and that goes on by a number to where each way went. Ways forwards to an entry stay.
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
        let Some((entries, part)) = several_entries(function) else {
            return Ok(());
        };
        let ways = ways(function, entries, &part);
        dispatch(function, &ways);
        super::structure::prune(function);
    }
    Err("loops with several entries within each other".to_owned())
}

/// The entries of a loop that has more than one, and its blocks.
fn several_entries(function: &Function) -> Option<(Vec<Block>, HashSet<Block>)> {
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
                return Some((entries, set));
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

/// An entry, and the blocks that lead there through the one that all ways meet in.
type Ways = (Block, Vec<Block>);

/// The ways to each entry from outside of the loop and backwards. The first block of the loop is an
/// entry, which all ways back to now leave the rest of the loop for: loops that are left in it are smaller.
fn ways(function: &Function, entries: Vec<Block>, part: &HashSet<Block>) -> Vec<Ways> {
    let predecessors = function.predecessors();
    let mut places = vec![0; function.blocks.len()];
    for (place, block) in reverse_postorder(function).into_iter().enumerate() {
        places[block.index()] = place;
    }
    let is_back = |from: &Block, to: Block| places[from.index()] >= places[to.index()];
    let mut all: Vec<Ways> = entries
        .into_iter()
        .map(|to| {
            let from = predecessors[to.index()].iter().copied();
            let from = from.filter(|from| !part.contains(from) || is_back(from, to));
            (to, from.collect())
        })
        .collect();
    // What is gone to in each round is asked for first.
    all.sort_by_key(|(to, from)| {
        let back = from.iter().filter(|from| part.contains(*from)).count();
        (std::cmp::Reverse(back), places[to.index()])
    });
    all
}

fn dispatch(function: &mut Function, entries: &[Ways]) {
    let hub = function.add_block();
    // A block for each way in: which entry it leads to, and from where.
    let mut ways: Vec<(Block, usize, Block)> = Vec::new();
    for (number, (entry, from)) in entries.iter().enumerate() {
        for &from in from {
            let way = function.add_block();
            function.blocks[way.index()].end = Terminator::Jump(hub);
            function.blocks[from.index()].end.replace(*entry, way);
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
    // Which entry it is, one comparison a block; the last entry needs none.
    let asks: Vec<Block> = (1..entries.len())
        .map(|number| match number {
            1 => hub,
            _ => function.add_block(),
        })
        .collect();
    let last = asks.len() - 1;
    let mut replaced = Replaced::default();
    for (number, (entry, through)) in entries.iter().enumerate() {
        let ask = asks[number.min(last)];
        let is_phi = |function: &Function, inst: &Inst| {
            matches!(function.insts[inst.index()].op, Op::Phi(_))
        };
        let insts = std::mem::take(&mut function.blocks[entry.index()].insts);
        let (phis, rest) = insts.into_iter().partition(|inst| is_phi(function, inst));
        let mut kept: Vec<Inst> = Vec::new();
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
            let pairs = blocks.iter().copied().zip(data.args.iter().copied());
            let straight = pairs.filter(|(from, _)| !through.contains(from));
            let (mut blocks, mut args): (Vec<Block>, Vec<Value>) = straight.unzip();
            if blocks.is_empty() {
                replaced.insert(data.results[0], value);
            } else {
                blocks.push(ask);
                args.push(value);
                let changed = &mut function.insts[inst.index()];
                (changed.op, changed.args) = (Op::Phi(blocks), args.into());
                kept.push(inst);
            }
        }
        kept.extend(rest);
        function.blocks[entry.index()].insts = kept;
    }
    replaced.apply(function);
    for (number, &block) in asks.iter().enumerate() {
        let next = *asks.get(number + 1).unwrap_or(&entries[number + 1].0);
        let mut at = Cursor::new(function, block);
        let constant = at.constant(Type::I32, number as u64);
        let is = at.one(Op::Icmp(Cond::Eq), &[which, constant], Type::I1);
        function.blocks[block.index()].end = Terminator::Branch(is, entries[number].0, next);
    }
}

#[cfg(test)]
mod tests {
    use hashbrown::HashMap;

    use super::{Dominators, Loops, run};
    use crate::ir::{
        Access, Bin, Block, Cond, Cursor, Def, Function, Input, Op, Space, Terminator, Type, Value,
        verify,
    };
    use crate::target::Target;

    /// Blocks that go to one or two others by the bits of a number, which each of them changes; as soon as
    /// it has been through `ROUNDS` of them, it is stored.
    fn wanders(next: &[[u32; 2]]) -> Function {
        let mut function = Function::default();
        let entry = function.add_block();
        let blocks: Vec<Block> = next.iter().map(|_| function.add_block()).collect();
        let rests: Vec<Block> = next.iter().map(|_| function.add_block()).collect();
        let end = function.add_block();
        let mut at = Cursor::new(&mut function, entry);
        let input = at.one(Op::Input(Input::Payload(0)), &[], Type::I32);
        let [zero, one, three, rounds] = [0, 1, 3, ROUNDS].map(|n| at.constant(Type::I32, n));
        at.function.blocks[entry.index()].end = Terminator::Jump(blocks[0]);
        // What each block is come to with, and what it leaves.
        let mut made = Vec::new();
        for (number, &block) in blocks.iter().enumerate() {
            at.block = block;
            let from = |to: &[u32; 2]| to.contains(&(number as u32));
            let mut froms: Vec<Block> = (0..next.len())
                .filter(|from_number| from(&next[*from_number]))
                .map(|from_number| rests[from_number])
                .collect();
            froms.extend((number == 0).then_some(entry));
            let phis = [zero, zero].map(|nothing| {
                let args = vec![nothing; froms.len()];
                at.push(Op::Phi(froms.clone()), &args, &[Type::I32])
            });
            let [value, count] = phis.map(|phi| at.function.result(phi));
            let product = at.bin(Bin::Mul, value, three);
            let own = at.constant(Type::I32, number as u64 + 1);
            let value = at.bin(Bin::Add, product, own);
            let count = at.bin(Bin::Add, count, one);
            let more = at.one(Op::Icmp(Cond::Ult), &[count, rounds], Type::I1);
            let leave = Terminator::Branch(more, rests[number], end);
            at.function.blocks[block.index()].end = leave;
            at.block = rests[number];
            let [yes, no] = next[number].map(|to| blocks[to as usize]);
            let bit = at.constant(Type::I32, 3 + number as u64 % 4);
            let bit = at.bin(Bin::LShr, value, bit);
            let bit = at.bin(Bin::And, bit, one);
            let is = at.one(Op::Icmp(Cond::Ne), &[bit, zero], Type::I1);
            at.function.blocks[rests[number].index()].end = match yes == no {
                true => Terminator::Jump(yes),
                false => Terminator::Branch(is, yes, no),
            };
            made.push((phis, froms, [value, count]));
        }
        for (phis, froms, _) in &made {
            for (which, phi) in phis.iter().enumerate() {
                for (index, from) in froms.iter().enumerate() {
                    let rest = rests.iter().position(|rest| rest == from);
                    let value = rest.map_or([input, zero][which], |rest| made[rest].2[which]);
                    at.function.insts[phi.index()].args[index] = value;
                }
            }
        }
        at.block = end;
        let args: Vec<Value> = made.iter().map(|(.., [value, _])| *value).collect();
        let all = at.one(Op::Phi(blocks), &args, Type::I32);
        at.push(Op::Store(Access::new(Space::Local, 4)), &[zero, all], &[]);
        at.function.blocks[end.index()].end = Terminator::Return;
        super::super::structure::prune(&mut function);
        verify(&function).unwrap();
        function
    }

    const ROUNDS: u64 = 60;

    /// What the function stores for an input, and how many blocks it went through.
    fn execute(function: &Function, input: u64) -> (u64, usize) {
        let mut values: HashMap<Value, u64> = HashMap::new();
        let (mut block, mut before, mut steps, mut stored) = (function.order[0], None, 0, 0);
        loop {
            steps += 1;
            let mut phis = Vec::new();
            for inst in &function.blocks[block.index()].insts {
                let data = &function.insts[inst.index()];
                let of = |value: Value| match function.def(value) {
                    Def::Const(bits) => bits,
                    Def::Undef => 0xdead,
                    Def::Inst(_) => values[&value],
                };
                if let Op::Phi(from) = &data.op {
                    let at = from.iter().position(|from| Some(*from) == before);
                    phis.push((data.results[0], of(data.args[at.unwrap()])));
                    continue;
                }
                // All phis of a block change at once.
                values.extend(phis.drain(..));
                let of = |value: Value| match function.def(value) {
                    Def::Const(bits) => bits,
                    Def::Undef => 0xdead,
                    Def::Inst(_) => values[&value],
                };
                let arg = |index: usize| of(data.args[index]);
                let ty = data.args.first().map_or(Type::I32, |arg| function.ty(*arg));
                let result = match &data.op {
                    Op::Store(_) => {
                        stored = arg(1);
                        continue;
                    }
                    Op::Input(_) => input,
                    Op::Bin(bin) => bin.evaluate(arg(0), arg(1), ty).unwrap(),
                    Op::Icmp(cond) => cond.evaluate(arg(0), arg(1), ty).into(),
                    other => panic!("{other:?}"),
                };
                values.insert(data.results[0], result);
            }
            values.extend(phis);
            before = Some(block);
            block = match function.blocks[block.index()].end {
                Terminator::Jump(to) => to,
                Terminator::Branch(value, yes, no) => match values[&value] {
                    0 => no,
                    _ => yes,
                },
                Terminator::Return => return (stored, steps),
                Terminator::Unreachable => panic!("unreachable"),
            };
        }
    }

    fn made_reducible(function: &mut Function) {
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(function, &target).unwrap();
        verify(function).unwrap();
        Loops::new(function, &Dominators::new(function)).unwrap();
    }

    #[test]
    fn any_graph_gets_loops_of_one_entry_and_computes_the_same() {
        let mut random = 1u32;
        let mut number = |below: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % below
        };
        for size in 2..12 {
            for _ in 0..40 {
                let next: Vec<_> = (0..size).map(|_| [number(size), number(size)]).collect();
                let mut function = wanders(&next);
                let want = [0, 5, 77].map(|input| execute(&function, input).0);
                made_reducible(&mut function);
                let found = [0, 5, 77].map(|input| execute(&function, input).0);
                assert_eq!(found, want, "{next:?}");
            }
        }
    }

    #[test]
    fn a_way_forwards_to_an_entry_stays() {
        // 0 leads into the loop 1, 2, 3 at each of its blocks (by way of 4).
        let next = [[1, 4], [2, 2], [3, 3], [1, 1], [2, 3]];
        let mut function = wanders(&next);
        let (_, before) = execute(&function, 5);
        made_reducible(&mut function);
        // A round of the loop has six blocks; one way of three goes through three more at most.
        let (_, after) = execute(&function, 5);
        assert!(after <= before + before / 2 + 4, "{before} {after}");
    }
}
