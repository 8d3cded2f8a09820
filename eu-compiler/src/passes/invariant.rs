//! What is the same in each round of a loop is computed before it.
//!
//! Only operations on values move, and no more than leaves registers for the loop. A comparison
//! stays where its users are: there it only writes the flag.

use crate::ir::cfg::{Dominators, Loops, reverse_postorder};
use crate::ir::{Block, Convert, Def, Function, Op, Type, Value};
use crate::target::Target;

/// The most values that move out of a loop, in bytes of a lane: of a sub-group of 16.
const MOST: u32 = 48;
const LANES: u32 = 16;

pub(super) fn run(function: &mut Function, target: &Target) -> Result<(), String> {
    let dominators = Dominators::new(function);
    let loops = Loops::new(function, &dominators)
        .map_err(|block| format!("a loop has several entries, one of them b{}", block.0))?;
    let mut home: Vec<Option<Block>> = vec![None; function.values.len()];
    for &block in &function.order {
        for inst in &function.blocks[block.index()].insts {
            for result in &function.insts[inst.index()].results {
                home[result.index()] = Some(block);
            }
        }
    }
    let most = MOST * LANES / target.simd.max(1);
    let order = reverse_postorder(function);
    let mut number = vec![usize::MAX; function.blocks.len()];
    // The blocks of each loop that are in none of its loops, or hold what may leave it all the same.
    let mut holding: Vec<Vec<Block>> = vec![Vec::new(); loops.all.len()];
    for (place, &block) in order.iter().enumerate() {
        number[block.index()] = place;
        if let Some(index) = loops.of(block) {
            holding[index].push(block);
        }
    }
    // Values that have not left a loop, but may leave one around it.
    let mut may_leave = vec![false; function.values.len()];
    // Inner loops first, so that what leaves one may leave the next.
    for (index, l) in loops.all.iter().enumerate().rev() {
        let mut blocks = std::mem::take(&mut holding[index]);
        blocks.sort_unstable_by_key(|block| number[block.index()]);
        let inside = |block: Block| loops.contains(index, block);
        let before = dominators.parent(l.header).filter(|b| !inside(*b));
        let mut left = if before.is_some() { most } else { 0 };
        let mut moved = Vec::new();
        for &block in &blocks {
            let mut holds = false;
            let insts = function.take(block);
            for inst in insts {
                let data = &function.insts[inst.index()];
                let outside = |value: &Value| match function.def(*value) {
                    Def::Inst(_) => home[value.index()].is_some_and(|b| !inside(b)),
                    Def::Const(_) | Def::Undef => true,
                };
                let bytes: u32 = data
                    .results
                    .iter()
                    .map(|v| function.ty(*v).bytes().max(4))
                    .sum();
                let may = may_move(&data.op, data.results.first().map(|v| function.ty(*v)));
                let to = before.filter(|_| may && bytes <= left && data.args.iter().all(outside));
                if let Some(before) = to {
                    left -= bytes;
                    for result in &data.results {
                        home[result.index()] = Some(before);
                    }
                    moved.push(inst);
                } else {
                    let leaves = |arg: &Value| outside(arg) || may_leave[arg.index()];
                    let may = may && data.args.iter().all(leaves);
                    holds |= may;
                    for result in &data.results {
                        may_leave[result.index()] = may;
                    }
                    function.blocks[block.index()].insts.push(inst);
                }
            }
            if let Some(parent) = l.parent.filter(|_| holds) {
                holding[parent].push(block);
            }
        }
        if let Some(before) = before {
            function.blocks[before.index()].insts.extend(moved);
        }
    }
    Ok(())
}

fn may_move(op: &Op, ty: Option<Type>) -> bool {
    match op {
        // These cost nothing where they are.
        Op::Convert(Convert::Trunc | Convert::Bitcast) | Op::High | Op::Offset(_) => false,
        Op::Input(_) => false,
        _ => ty != Some(Type::I1) && op.is_pure(),
    }
}

#[cfg(test)]
mod tests {
    use super::{MOST, run};
    use crate::ir::{
        Bin, Block, Cond, Cursor, Function, Input, Op, Terminator, Type, Value, verify,
    };
    use crate::target::Target;

    /// A loop that adds what `body` gives, from 0 to an input. Gives the function and the loop.
    fn looped(body: impl Fn(&mut Cursor<'_>, Value, Value) -> Value) -> (Function, Block) {
        let mut function = Function::default();
        let [entry, round, end] = [(); 3].map(|()| function.add_block());
        let mut at = Cursor::new(&mut function, entry);
        let limit = at.one(Op::Input(Input::Payload(0)), &[], Type::I32);
        let zero = at.constant(Type::I32, 0);
        let one = at.constant(Type::I32, 1);
        at.function.blocks[entry.index()].end = Terminator::Jump(round);
        at.block = round;
        let from = || Op::Phi(vec![entry, round]);
        let counter = at.push(from(), &[zero, zero], &[Type::I32]);
        let sum = at.push(from(), &[zero, zero], &[Type::I32]);
        let [i, old] = [counter, sum].map(|phi| at.function.result(phi));
        let more = body(&mut at, limit, i);
        let next = at.bin(Bin::Add, i, one);
        let new = at.bin(Bin::Add, old, more);
        at.function.insts[counter.index()].args[1] = next;
        at.function.insts[sum.index()].args[1] = new;
        let again = at.one(Op::Icmp(Cond::Ult), &[next, limit], Type::I1);
        at.function.blocks[round.index()].end = Terminator::Branch(again, round, end);
        at.function.blocks[end.index()].end = Terminator::Return;
        (function, round)
    }

    /// How many instructions leave the loop.
    fn moved((mut function, round): (Function, Block)) -> usize {
        verify(&function).unwrap();
        let count = |function: &Function| function.blocks[round.index()].insts.len();
        let before = count(&function);
        let target = Target::new(devinfo::by_name("tgl").unwrap(), 16, 128);
        run(&mut function, &target).unwrap();
        verify(&function).unwrap();
        before - count(&function)
    }

    #[test]
    fn what_is_the_same_in_each_round_leaves_the_loop() {
        let squares = looped(|at, limit, _| {
            let square = at.bin(Bin::Mul, limit, limit);
            at.bin(Bin::Xor, square, limit)
        });
        assert_eq!(moved(squares), 2);
    }

    #[test]
    fn what_the_round_changes_stays() {
        let product = looped(|at, limit, i| {
            let product = at.bin(Bin::Mul, limit, i);
            at.bin(Bin::Xor, product, limit)
        });
        assert_eq!(moved(product), 0);
    }

    #[test]
    fn comparisons_and_reads_of_memory_stay() {
        let chosen = looped(|at, limit, i| {
            let access = crate::ir::Access::new(crate::ir::Space::Local, 4);
            let read = at.one(Op::Load(access), &[limit], Type::I32);
            let small = at.one(Op::Icmp(Cond::Ult), &[limit, read], Type::I1);
            at.one(Op::Select, &[small, read, i], Type::I32)
        });
        assert_eq!(moved(chosen), 0);
    }

    #[test]
    fn registers_are_left_for_the_loop() {
        let many = looped(|at, limit, _| {
            (0..40).fold(limit, |value, number| {
                let by = at.constant(Type::I32, 3 + number);
                at.bin(Bin::Mul, value, by)
            })
        });
        assert_eq!(moved(many), MOST as usize / 4);
    }
}
