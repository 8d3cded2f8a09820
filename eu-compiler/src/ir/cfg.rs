//! The shape of a function's flow: orders, dominators, loops.

use smallvec::SmallVec;

use super::function::{Block, Function};

/// Blocks in reverse postorder from the entry; unreachable ones are missing.
pub fn reverse_postorder(function: &Function) -> Vec<Block> {
    let mut seen = vec![false; function.blocks.len()];
    let mut out = Vec::with_capacity(function.blocks.len());
    let successors = |block: Block| function.blocks[block.index()].end.successors();
    let mut stack = vec![(Function::ENTRY, successors(Function::ENTRY), 0)];
    seen[0] = true;
    while let Some((block, next, index)) = stack.last_mut() {
        if let Some(&to) = next.get(*index) {
            *index += 1;
            if !std::mem::replace(&mut seen[to.index()], true) {
                stack.push((to, successors(to), 0));
            }
        } else {
            out.push(*block);
            stack.pop();
        }
    }
    out.reverse();
    out
}

/// The tree of dominators, or of postdominators.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// The immediate dominator; the root's is itself, `None` for what the root does not reach.
    parent: Vec<Option<usize>>,
    /// The place in the order.
    number: Vec<usize>,
}

impl Dominators {
    /// Dominators of blocks.
    pub fn new(function: &Function) -> Self {
        let order = reverse_postorder(function);
        let order: Vec<usize> = order.iter().map(|b| b.index()).collect();
        let predecessors = function.predecessors();
        Self::of(function.blocks.len(), &order, |node| {
            predecessors[node].iter().map(|b| b.index()).collect()
        })
    }

    /// Postdominators; the node after the last block stands for the end.
    pub fn post(function: &Function) -> Self {
        let count = function.blocks.len();
        let predecessors = function.predecessors();
        let reachable = reverse_postorder(function);
        let exits = |block: &Block| function.blocks[block.index()].end.successors().is_empty();
        // A postorder of the reversed graph from the end. Blocks of an endless loop are not
        // reached: they get an edge to the end each.
        let mut seen = vec![false; count + 1];
        let mut postorder = Vec::new();
        let mut ends: Vec<usize> = reachable
            .iter()
            .filter(|b| exits(b))
            .map(|b| b.index())
            .collect();
        let mut index = 0;
        seen[count] = true;
        loop {
            while let Some(&root) = ends.get(index) {
                index += 1;
                if std::mem::replace(&mut seen[root], true) {
                    continue;
                }
                let mut stack = vec![(root, 0)];
                while let Some((node, next)) = stack.last_mut() {
                    if let Some(&to) = predecessors[*node].get(*next) {
                        *next += 1;
                        if !std::mem::replace(&mut seen[to.index()], true) {
                            stack.push((to.index(), 0));
                        }
                    } else {
                        postorder.push(*node);
                        stack.pop();
                    }
                }
            }
            match reachable.iter().rev().find(|b| !seen[b.index()]) {
                Some(block) => ends.push(block.index()),
                None => break,
            }
        }
        postorder.push(count);
        postorder.reverse();
        let is_end = {
            let mut flags = vec![false; count + 1];
            for &end in &ends {
                flags[end] = true;
            }
            flags
        };
        Self::of(count + 1, &postorder, |node| {
            if node == count {
                return SmallVec::new();
            }
            let mut next: SmallVec<[usize; 4]> = function.blocks[node]
                .end
                .successors()
                .iter()
                .map(|b| b.index())
                .collect();
            if is_end[node] {
                next.push(count);
            }
            next
        })
    }

    /// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm".
    fn of(
        count: usize,
        order: &[usize],
        predecessors: impl Fn(usize) -> SmallVec<[usize; 4]>,
    ) -> Self {
        let mut number = vec![usize::MAX; count];
        for (place, &node) in order.iter().enumerate() {
            number[node] = place;
        }
        let mut parent: Vec<Option<usize>> = vec![None; count];
        if let Some(&root) = order.first() {
            parent[root] = Some(root);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for &node in order.iter().skip(1) {
                let mut best: Option<usize> = None;
                for from in predecessors(node) {
                    if parent[from].is_none() {
                        continue;
                    }
                    best = Some(match best {
                        None => from,
                        Some(other) => meet(&parent, &number, from, other),
                    });
                }
                if best.is_some() && parent[node] != best {
                    parent[node] = best;
                    changed = true;
                }
            }
        }
        Self { parent, number }
    }

    /// The immediate dominator, or for postdominators `None` if that is the end.
    pub fn parent(&self, block: Block) -> Option<Block> {
        let parent = self.parent.get(block.index()).copied().flatten()?;
        (parent != block.index()).then_some(Block(parent as u32))
    }

    /// Whether `a` dominates `b`.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        let mut node = b.index();
        loop {
            if node == a.index() {
                return true;
            }
            match self.parent.get(node).copied().flatten() {
                Some(parent) if parent != node && self.number[parent] >= self.number[a.index()] => {
                    node = parent;
                }
                _ => return false,
            }
        }
    }
}

fn meet(parent: &[Option<usize>], number: &[usize], mut a: usize, mut b: usize) -> usize {
    while a != b {
        while number[a] > number[b] {
            a = parent[a].unwrap_or(b);
        }
        while number[b] > number[a] {
            b = parent[b].unwrap_or(a);
        }
    }
    a
}

/// A natural loop.
#[derive(Clone, Debug)]
pub struct Loop {
    /// Its entry.
    pub header: Block,
    /// Its blocks.
    pub blocks: Vec<Block>,
    /// The blocks that go back to the header.
    pub latches: Vec<Block>,
}

/// The loops of a function, outer ones before those that they contain.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    /// The loops.
    pub all: Vec<Loop>,
    /// The innermost loop of each block.
    innermost: Vec<Option<usize>>,
}

impl Loops {
    /// Finds the loops; a block at which a cycle is entered that it does not dominate is an error.
    pub fn new(function: &Function, dominators: &Dominators) -> Result<Self, Block> {
        let order = reverse_postorder(function);
        let predecessors = function.predecessors();
        let mut number = vec![usize::MAX; function.blocks.len()];
        for (place, block) in order.iter().enumerate() {
            number[block.index()] = place;
        }
        let mut all = Vec::new();
        for &header in &order {
            let mut latches = Vec::new();
            for &from in &predecessors[header.index()] {
                if number[from.index()] == usize::MAX
                    || number[from.index()] < number[header.index()]
                {
                    continue;
                }
                if !dominators.dominates(header, from) {
                    return Err(header);
                }
                latches.push(from);
            }
            if latches.is_empty() {
                continue;
            }
            let mut inside = vec![false; function.blocks.len()];
            inside[header.index()] = true;
            let mut work = latches.clone();
            while let Some(block) = work.pop() {
                if !std::mem::replace(&mut inside[block.index()], true) {
                    work.extend(&predecessors[block.index()]);
                }
            }
            let blocks = order
                .iter()
                .copied()
                .filter(|b| inside[b.index()])
                .collect();
            all.push(Loop {
                header,
                blocks,
                latches,
            });
        }
        let mut innermost = vec![None; function.blocks.len()];
        for (index, l) in all.iter().enumerate() {
            for block in &l.blocks {
                innermost[block.index()] = Some(index);
            }
        }
        Ok(Self { all, innermost })
    }

    /// The innermost loop of a block.
    pub fn of(&self, block: Block) -> Option<usize> {
        self.innermost.get(block.index()).copied().flatten()
    }

    /// Whether a block is in a loop.
    pub fn contains(&self, index: usize, block: Block) -> bool {
        self.all[index].blocks.contains(&block)
    }
}

/// An order in which each block comes after those that lead to it, and each loop's blocks follow
/// each other.
pub fn layout(function: &Function, loops: &Loops) -> Vec<Block> {
    let order = reverse_postorder(function);
    let mut placed = vec![false; function.blocks.len()];
    let mut out = Vec::with_capacity(order.len());
    place(&order, loops, None, &mut placed, &mut out);
    out
}

fn place(
    blocks: &[Block],
    loops: &Loops,
    within: Option<Block>,
    placed: &mut [bool],
    out: &mut Vec<Block>,
) {
    for &block in blocks {
        if placed[block.index()] {
            continue;
        }
        let headed = loops.all.iter().find(|l| l.header == block);
        match headed {
            Some(l) if within != Some(block) => place(&l.blocks, loops, Some(block), placed, out),
            _ => {
                placed[block.index()] = true;
                out.push(block);
            }
        }
    }
}
