//! Which values are the same in all lanes, and which blocks run with only some of them.
//!
//! A value differs if an operand does, if it comes from the lane itself, or if it depends on which
//! way lanes took: a phi where ways meet that lanes took differently. A value that is computed in a
//! loop that lanes leave at different times differs outside of it, though not inside; it counts
//! as different everywhere.

use crate::ir::cfg::{Dominators, Loops, reverse_postorder};
use crate::ir::{Block, Function, Input, Op, Space, Terminator, Value};

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
        let mut flow = Flow {
            function,
            post: Dominators::post(function),
            loops,
            escaping: escaping(function, loops),
            followed: vec![None; function.blocks.len()],
            left: vec![false; loops.all.len()],
        };
        // Blocks whose phis differ.
        let mut joins = vec![false; function.blocks.len()];
        let mut done = vec![false; function.blocks.len()];
        loop {
            let mut changed = false;
            this.leave(&flow, &order);
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
                        | Op::Array { .. }
                        | Op::Element { .. }
                        | Op::ElementAt { .. }
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
                    // What is of all lanes comes behind what is of each.
                    let own = match data.op {
                        Op::Scan { .. } => data.args.len(),
                        _ => data.results.len(),
                    };
                    for result in data.results.iter().take(own) {
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
                    this.influence(&mut flow, block, &mut joins);
                }
            }
            if !changed {
                return this;
            }
        }
    }

    /// Marks what depends on the way that lanes take at the end of a block.
    fn influence(&mut self, flow: &mut Flow<'_>, block: Block, joins: &mut [bool]) {
        let (function, loops) = (flow.function, flow.loops);
        let meet = flow.post.parent(block);
        let meet = meet.filter(|b| b.index() < function.blocks.len());
        let successors = function.blocks[block.index()].end.successors();
        let mut work: Vec<Block> = successors.to_vec();
        while let Some(next) = work.pop() {
            joins[next.index()] = true;
            if Some(next) == meet {
                continue;
            }
            let followed = &mut flow.followed[next.index()];
            match *followed {
                None => {
                    self.blocks[next.index()] = true;
                    *followed = Some(meet);
                    work.extend(function.blocks[next.index()].end.successors());
                }
                // All ways from there lead through both, to one of them first.
                Some(Some(known)) if meet.is_none_or(|meet| !flow.post.dominates(known, meet)) => {
                    *followed = Some(meet);
                    work.push(known);
                }
                Some(_) => {}
            }
        }
        // Loops that lanes leave here while others stay.
        for index in loops.around(block) {
            let stays = |block: &Block| loops.contains(index, *block);
            if successors.iter().all(stays) && meet.as_ref().is_some_and(stays) {
                break;
            }
            if std::mem::replace(&mut flow.left[index], true) {
                continue;
            }
            for value in &flow.escaping[index] {
                self.values[value.index()] = true;
            }
        }
    }

    /// The blocks of loops that lanes leave at different times run with only some of them.
    fn leave(&mut self, flow: &Flow<'_>, order: &[Block]) {
        let mut left = flow.left.clone();
        for (index, l) in flow.loops.all.iter().enumerate() {
            left[index] |= l.parent.is_some_and(|parent| left[parent]);
        }
        for block in order {
            let inner = flow.loops.of(*block);
            self.blocks[block.index()] |= inner.is_some_and(|inner| left[inner]);
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

/// Where lanes may go.
struct Flow<'a> {
    function: &'a Function,
    post: Dominators,
    loops: &'a Loops,
    /// The values of each loop that are used outside of it.
    escaping: Vec<Vec<Value>>,
    /// From each block, to where all ways were followed: a block on all of them, or the end.
    followed: Vec<Option<Option<Block>>>,
    /// Loops that lanes leave at different times.
    left: Vec<bool>,
}

/// The values of each loop that are used outside of it.
fn escaping(function: &Function, loops: &Loops) -> Vec<Vec<Value>> {
    let mut out = vec![Vec::new(); loops.all.len()];
    if out.is_empty() {
        return out;
    }
    let home = homes(function);
    for &user in &function.order {
        let data = &function.blocks[user.index()];
        let mut mark = |value: &Value| {
            if let Some(from) = home[value.index()] {
                let around = loops.around(from);
                for index in around.take_while(|index| !loops.contains(*index, user)) {
                    out[index].push(*value);
                }
            }
        };
        for inst in &data.insts {
            function.insts[inst.index()].args.iter().for_each(&mut mark);
        }
        if let Terminator::Branch(value, ..) = &data.end {
            mark(value);
        }
    }
    out
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
