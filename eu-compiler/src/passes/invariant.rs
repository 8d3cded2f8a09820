//! What is the same in each round of a loop is computed before it.
//!
//! Only operations on values move, and no more than leaves registers for the loop. A comparison
//! stays where its users are: there it only writes the flag.

use crate::ir::cfg::{Dominators, Loops};
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
    // Inner loops first, so that what leaves one may leave the next.
    for l in loops.all.iter().rev() {
        let Some(before) = dominators.parent(l.header) else {
            continue;
        };
        let mut inside = vec![false; function.blocks.len()];
        l.blocks.iter().for_each(|b| inside[b.index()] = true);
        if inside[before.index()] {
            continue;
        }
        let mut left = most;
        let mut moved = Vec::new();
        for &block in &l.blocks {
            let insts = std::mem::take(&mut function.blocks[block.index()].insts);
            for inst in insts {
                let data = &function.insts[inst.index()];
                let outside = |value: &Value| match function.def(*value) {
                    Def::Inst(_) => home[value.index()].is_some_and(|b| !inside[b.index()]),
                    Def::Const(_) | Def::Undef => true,
                };
                let bytes: u32 = data
                    .results
                    .iter()
                    .map(|v| function.ty(*v).bytes().max(4))
                    .sum();
                let moves = may_move(&data.op, data.results.first().map(|v| function.ty(*v)))
                    && data.args.iter().all(outside)
                    && bytes <= left;
                if moves {
                    left -= bytes;
                    for result in &data.results {
                        home[result.index()] = Some(before);
                    }
                    moved.push(inst);
                } else {
                    function.blocks[block.index()].insts.push(inst);
                }
            }
        }
        function.blocks[before.index()].insts.extend(moved);
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
