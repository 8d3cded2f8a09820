//! The shape that selection needs: no unreachable blocks, one end, one way back in each loop, which its
//! block always takes, no edge from a block with several successors to one with several predecessors and
//! phis, and an order in which loops are together.

use crate::ir::cfg::{Dominators, Loops, reverse_postorder};
use crate::ir::{Block, Function, Op, Terminator, Value};
use crate::target::Target;

pub(super) fn run(function: &mut Function, _: &Target) -> Result<(), String> {
    prune(function);
    one_end(function);
    one_latch(function)?;
    split_edges(function);
    let dominators = Dominators::new(function);
    let loops = loops(function, &dominators)?;
    function.order = loops.layout().to_vec();
    Ok(())
}

fn loops(function: &Function, dominators: &Dominators) -> Result<Loops, String> {
    Loops::new(function, dominators)
        .map_err(|block| format!("a loop has several entries, one of them b{}", block.0))
}

/// Takes out what is not reached.
pub fn prune(function: &mut Function) {
    function.order = reverse_postorder(function);
    let predecessors = function.predecessors();
    // The last block that each one was seen to lead to.
    let mut leads = vec![None; function.blocks.len()];
    for &block in &function.order {
        for from in &predecessors[block.index()] {
            leads[from.index()] = Some(block);
        }
        for inst in &function.blocks[block.index()].insts {
            let data = &mut function.insts[inst.index()];
            let Op::Phi(blocks) = &mut data.op else {
                break;
            };
            let stays = |from: &Block| leads[from.index()] == Some(block);
            if blocks.iter().all(stays) {
                continue;
            }
            let mut kept = blocks.iter().map(stays).collect::<Vec<_>>().into_iter();
            data.args.retain(|_| kept.next().unwrap_or(true));
            blocks.retain(stays);
        }
    }
}

/// All ends become one block, the last. A kernel that never ends gets none.
fn one_end(function: &mut Function) {
    let ends: Vec<Block> = function
        .order
        .iter()
        .copied()
        .filter(|b| function.blocks[b.index()].end.successors().is_empty())
        .collect();
    if let [only] = ends.as_slice() {
        function.blocks[only.index()].end = Terminator::Return;
        return;
    }
    let exit = function.add_block();
    function.blocks[exit.index()].end = Terminator::Return;
    for end in ends {
        function.blocks[end.index()].end = Terminator::Jump(exit);
    }
}

fn one_latch(function: &mut Function) -> Result<(), String> {
    let dominators = Dominators::new(function);
    for l in loops(function, &dominators)?.all {
        if l.latches.len() > 1 {
            merge(function, l.header, &l.latches);
        }
    }
    Ok(())
}

/// Leads `from` to `to` through a new block; phis of `to` are split.
fn merge(function: &mut Function, to: Block, from: &[Block]) -> Block {
    let middle = function.add_block();
    function.blocks[middle.index()].end = Terminator::Jump(to);
    for block in from {
        function.blocks[block.index()].end.replace(to, middle);
    }
    for inst in function.blocks[to.index()].insts.clone() {
        let data = &mut function.insts[inst.index()];
        let Op::Phi(blocks) = &mut data.op else {
            break;
        };
        if let &[from] = from {
            // Its operand stays: only the block is another.
            blocks
                .iter_mut()
                .filter(|block| **block == from)
                .for_each(|block| *block = middle);
            continue;
        }
        let (blocks, data) = (blocks.clone(), data.clone());
        let pairs = blocks.iter().copied().zip(data.args.iter().copied());
        let (inner, outer): (Vec<(Block, Value)>, Vec<_>) =
            pairs.partition(|(block, _)| from.contains(block));
        let value = match inner.as_slice() {
            [(_, value)] => *value,
            _ => {
                let ty = function.ty(data.results[0]);
                let args: Vec<Value> = inner.iter().map(|pair| pair.1).collect();
                let blocks = inner.iter().map(|pair| pair.0).collect();
                let phi = function.make(Op::Phi(blocks), &args, &[ty], data.at);
                function.blocks[middle.index()].insts.push(phi);
                function.result(phi)
            }
        };
        let data = &mut function.insts[inst.index()];
        let blocks = outer.iter().map(|pair| pair.0).chain([middle]).collect();
        data.op = Op::Phi(blocks);
        data.args = outer.iter().map(|pair| pair.1).chain([value]).collect();
    }
    middle
}

/// Channels that stay in a loop while others leave it go back from a block of their own: then those that leave
/// wait where the code joins, and not behind the branch back, which a later way out of the loop passes by.
fn split_edges(function: &mut Function) {
    let predecessors = function.predecessors();
    // The blocks that are new since the order was made always go on to the same block.
    let mut places = vec![usize::MAX; function.blocks.len()];
    for (place, block) in function.order.iter().enumerate() {
        places[block.index()] = place;
    }
    for block in function.order.clone() {
        let successors = function.blocks[block.index()].end.successors();
        if successors.len() < 2 {
            continue;
        }
        for to in successors {
            // Where nothing is copied on the way forward, the edge needs no block.
            let first = function.blocks[to.index()].insts.first();
            let has_phis =
                first.is_some_and(|i| matches!(function.insts[i.index()].op, Op::Phi(_)));
            let goes_back = places[to.index()] <= places[block.index()];
            if goes_back || predecessors[to.index()].len() > 1 && has_phis {
                merge(function, to, &[block]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Access, Cursor, Input, Space, Type, verify};

    #[test]
    fn functions_get_the_shape_that_selection_needs() {
        let mut function = Function::default();
        let blocks: Vec<Block> = (0..8).map(|_| function.add_block()).collect();
        let [entry, aside, head, back, again, end, other, lost] = blocks[..] else {
            panic!("eight blocks")
        };
        let mut at = Cursor::new(&mut function, entry);
        let lane = at.one(Op::Input(Input::Lane), &[], Type::I32);
        let truth = at.one(Op::Input(Input::Payload(0)), &[], Type::I1);
        let numbers = [1, 2, 3, 4].map(|number| at.constant(Type::I32, number));
        at.block = head;
        let from = vec![entry, aside, back, again, lost];
        let args: Vec<Value> = numbers.into_iter().chain([lane]).collect();
        let met = at.one(Op::Phi(from), &args, Type::I32);
        at.push(Op::Store(Access::new(Space::Local, 4)), &[lane, met], &[]);
        let ends = [
            Terminator::Branch(truth, aside, head),
            Terminator::Jump(head),
            Terminator::Branch(truth, back, end),
            Terminator::Branch(truth, head, again),
            Terminator::Branch(truth, head, other),
            Terminator::Return,
            Terminator::Unreachable,
            Terminator::Jump(head),
        ];
        for (data, end) in function.blocks.iter_mut().zip(ends) {
            data.end = end;
        }
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        assert!(!function.order.contains(&lost));
        let place = |block: Block| function.order.iter().position(|other| *other == block);
        let successors = |block: &Block| function.blocks[block.index()].end.successors();
        let last: Vec<&Block> = function
            .order
            .iter()
            .filter(|b| successors(b).is_empty())
            .collect();
        assert_eq!(last, [function.order.last().unwrap()]);
        let predecessors = function.predecessors();
        let before = &predecessors[head.index()];
        assert!(before.iter().all(|from| successors(from).len() == 1));
        let returns = before.iter().filter(|from| place(**from) > place(head));
        assert_eq!(returns.count(), 1);
        // Each number comes by way of one phi or two.
        let phis = function
            .listed()
            .filter(|data| matches!(data.op, Op::Phi(_)));
        let mut met: Vec<Value> = phis.flat_map(|data| data.args.clone()).collect();
        met.retain(|value| function.bits(*value).is_some());
        met.sort_by_key(|value| function.bits(*value));
        assert_eq!(met, numbers);
    }
}
