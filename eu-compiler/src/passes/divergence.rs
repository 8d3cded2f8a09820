//! Which values are the same in all lanes, and which blocks run with only some of them.
//!
//! A value differs if an operand does, if it comes from the lane itself, or if it depends on which
//! way lanes took: a phi where ways meet that lanes took differently. A value that is computed in a
//! loop that lanes leave at different times differs outside of it, though not inside; it counts
//! as different everywhere.

use crate::ir::cfg::{Dominators, Loops, reverse_postorder};
use crate::ir::{Block, Def, Function, Input, Op, Space, Terminator, Value};

/// What differs from lane to lane.
#[derive(Clone, Debug)]
pub struct Divergence {
    values: Vec<bool>,
    blocks: Vec<bool>,
}

impl Divergence {
    /// Finds it; the function has the shape that `structure` gives.
    pub fn new(function: &Function, loops: &Loops) -> Self {
        let mut this = Self {
            values: vec![false; function.values.len()],
            blocks: vec![false; function.blocks.len()],
        };
        let order = reverse_postorder(function);
        let post = Dominators::post(function);
        let home = homes(function);
        // Blocks whose phis differ.
        let mut joins = vec![false; function.blocks.len()];
        let mut done = vec![false; function.blocks.len()];
        loop {
            let mut changed = false;
            for &block in &order {
                for inst in &function.blocks[block.index()].insts {
                    let data = &function.insts[inst.index()];
                    let differs = match &data.op {
                        Op::Phi(_) => {
                            joins[block.index()] || data.args.iter().any(|a| this.values[a.index()])
                        }
                        Op::Input(Input::LocalId(_) | Input::Lane) => true,
                        // Lanes have private memory of their own.
                        Op::ToGeneric(Space::Private) | Op::FromGeneric(Space::Private) => true,
                        Op::Input(_)
                        | Op::Ballot
                        | Op::Broadcast
                        | Op::Reduce(_)
                        | Op::AtomicOnce(..) => false,
                        Op::Load(_) => {
                            this.blocks[block.index()]
                                || data.args.iter().any(|a| this.values[a.index()])
                        }
                        Op::Atomic(..)
                        | Op::Alloca { .. }
                        | Op::Scan { .. }
                        | Op::BlockLoad(_)
                        | Op::ImageBlockLoad(_)
                        | Op::ImageLoad { .. }
                        | Op::ImageSample { .. }
                        | Op::Cluster(..)
                        | Op::Shuffle
                        | Op::ShuffleTwo => true,
                        _ => data.args.iter().any(|a| this.values[a.index()]),
                    };
                    for result in &data.results {
                        changed |=
                            differs && !std::mem::replace(&mut this.values[result.index()], true);
                    }
                }
                let end = function.blocks[block.index()].end;
                if let Terminator::Branch(value, ..) = end
                    && this.values[value.index()]
                    && !std::mem::replace(&mut done[block.index()], true)
                {
                    changed = true;
                    this.influence(function, &post, loops, block, &mut joins, &home);
                }
            }
            if !changed {
                return this;
            }
        }
    }

    /// Marks what depends on the way that lanes take at the end of a block.
    fn influence(
        &mut self,
        function: &Function,
        post: &Dominators,
        loops: &Loops,
        block: Block,
        joins: &mut [bool],
        home: &[Option<Block>],
    ) {
        let meet = post
            .parent(block)
            .filter(|b| b.index() < function.blocks.len());
        let mut seen = vec![false; function.blocks.len()];
        let mut work: Vec<Block> = function.blocks[block.index()].end.successors().to_vec();
        while let Some(next) = work.pop() {
            joins[next.index()] = true;
            if Some(next) == meet || std::mem::replace(&mut seen[next.index()], true) {
                continue;
            }
            self.blocks[next.index()] = true;
            work.extend(function.blocks[next.index()].end.successors());
        }
        // Loops that lanes leave here while others stay.
        let mut left = vec![false; loops.all.len()];
        for (index, l) in loops.all.iter().enumerate() {
            let inside = l.blocks.contains(&block);
            let successors = function.blocks[block.index()].end.successors();
            left[index] = inside
                && (successors.iter().any(|b| !l.blocks.contains(b))
                    || meet.is_none_or(|meet| !l.blocks.contains(&meet)));
        }
        for (index, l) in loops.all.iter().enumerate() {
            if !left[index] {
                continue;
            }
            for block in &l.blocks {
                self.blocks[block.index()] = true;
            }
            for &user in &function.order {
                if l.blocks.contains(&user) {
                    continue;
                }
                let data = &function.blocks[user.index()];
                let mut mark = |value: &Value| {
                    if let Def::Inst(_) = function.def(*value)
                        && home[value.index()].is_some_and(|from| l.blocks.contains(&from))
                    {
                        self.values[value.index()] = true;
                    }
                };
                for inst in &data.insts {
                    function.insts[inst.index()].args.iter().for_each(&mut mark);
                }
                if let Terminator::Branch(value, ..) = &data.end {
                    mark(value);
                }
            }
        }
    }

    /// Whether lanes have different values.
    pub fn differs(&self, value: Value) -> bool {
        self.values.get(value.index()).copied().unwrap_or(true)
    }

    /// Whether a block runs with only some of the lanes.
    pub fn is_partial(&self, block: Block) -> bool {
        self.blocks.get(block.index()).copied().unwrap_or(true)
    }
}

/// The block of each value's definition.
fn homes(function: &Function) -> Vec<Option<Block>> {
    let mut home = vec![None; function.values.len()];
    for &block in &function.order {
        for inst in &function.blocks[block.index()].insts {
            for result in &function.insts[inst.index()].results {
                home[result.index()] = Some(block);
            }
        }
    }
    home
}
