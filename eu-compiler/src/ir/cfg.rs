//! The shape of a function's flow: orders, dominators, loops.

use std::cmp::Reverse;
use std::ops::Range;

use super::function::Function;
use super::ids::Block;

/// Blocks in reverse postorder from the entry; unreachable ones are missing.
pub fn reverse_postorder(function: &Function) -> Vec<Block> {
    let mut seen = vec![false; function.blocks.len()];
    let mut out = Vec::with_capacity(function.blocks.len());
    let successors = |block: Block| function.blocks[block.index()].end.successors();
    let mut stack = Vec::with_capacity(function.blocks.len());
    stack.push((Function::ENTRY, successors(Function::ENTRY), 0));
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

/// Which nodes of a tree are below which, as ranges: a node's number, and how many are below it.
#[derive(Clone, Debug, Default)]
struct Tree {
    ranges: Vec<Range<u32>>,
}

impl Tree {
    /// The tree of `count` nodes with these parents; in `order` parents come first.
    fn new(
        count: usize,
        order: impl DoubleEndedIterator<Item = usize> + Clone,
        parent: impl Fn(usize) -> Option<usize>,
    ) -> Self {
        let mut size = vec![1u32; count];
        for node in order.clone().rev() {
            if let Some(parent) = parent(node) {
                size[parent] += size[node];
            }
        }
        let mut ranges = vec![0..0; count];
        // The next free number among the children of each node, and among the roots.
        let mut next = vec![0u32; count];
        let mut roots = 0;
        for node in order {
            let free = match parent(node) {
                Some(parent) => &mut next[parent],
                None => &mut roots,
            };
            let first = *free;
            *free += size[node];
            ranges[node] = first..first + size[node];
            next[node] = first + 1;
        }
        Self { ranges }
    }

    /// The tree of nodes with these parents, where a root is its own and others have none.
    fn of(count: usize, order: &[usize], parent: &[Option<usize>]) -> Self {
        let nodes = order.iter().copied();
        let reached = nodes.filter(|node| parent[*node].is_some());
        Self::new(count, reached, |node| parent[node].filter(|p| *p != node))
    }

    /// Whether `below` is `above`, or below it.
    fn contains(&self, above: usize, below: usize) -> bool {
        let below = &self.ranges[below];
        !below.is_empty() && self.ranges[above].contains(&below.start)
    }
}

/// The tree of dominators, or of postdominators.
#[derive(Clone, Debug)]
pub struct Dominators {
    /// The immediate dominator; the root's is itself, `None` for what the root does not reach.
    parent: Vec<Option<usize>>,
    tree: Tree,
}

impl Dominators {
    /// Dominators of blocks.
    pub fn new(function: &Function) -> Self {
        let order = reverse_postorder(function);
        let order: Vec<usize> = order.iter().map(|b| b.index()).collect();
        let predecessors = function.predecessors();
        Self::of(function.blocks.len(), &order, |node, found| {
            found.extend(predecessors[node].iter().map(|b| b.index()));
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
        Self::of(count + 1, &postorder, |node, found| {
            if node == count {
                return;
            }
            let next = function.blocks[node].end.successors();
            found.extend(next.iter().map(|b| b.index()));
            if is_end[node] {
                found.push(count);
            }
        })
    }

    /// Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm". Edges that go back in the order
    /// count only if one of them does not come from below the node that it leads to.
    fn of(count: usize, order: &[usize], predecessors: impl Fn(usize, &mut Vec<usize>)) -> Self {
        let mut number = vec![usize::MAX; count];
        for (place, &node) in order.iter().enumerate() {
            number[node] = place;
        }
        let mut parent: Vec<Option<usize>> = vec![None; count];
        let mut depth = vec![0u32; count];
        if let Some(&root) = order.first() {
            parent[root] = Some(root);
        }
        let mut from = Vec::new();
        let mut back = Vec::new();
        let mut changed = true;
        let mut all = false;
        while changed {
            changed = false;
            for &node in order.iter().skip(1) {
                from.clear();
                predecessors(node, &mut from);
                if !all {
                    let backward = |from: &usize| number[*from] >= number[node];
                    back.extend(
                        from.iter()
                            .copied()
                            .filter(backward)
                            .map(|from| (from, node)),
                    );
                    from.retain(|from| !backward(from));
                }
                from.retain(|from| parent[*from].is_some());
                // Deep ones first: then no way up is gone twice.
                if from.len() > 2 {
                    from.sort_unstable_by_key(|from| Reverse(depth[*from]));
                }
                let best = from.iter().copied();
                let best = best.reduce(|a, b| meet(&parent, &number, a, b));
                if let Some(best) = best
                    && parent[node] != Some(best)
                {
                    parent[node] = Some(best);
                    depth[node] = depth[best] + 1;
                    changed = true;
                }
            }
            if !all {
                let tree = Tree::of(count, order, &parent);
                if back
                    .iter()
                    .all(|(from, to)| parent[*from].is_none() || tree.contains(*to, *from))
                {
                    return Self { parent, tree };
                }
                all = true;
                changed = true;
            }
        }
        let tree = Tree::of(count, order, &parent);
        Self { parent, tree }
    }

    /// The immediate dominator, or for postdominators `None` if that is the end.
    pub fn parent(&self, block: Block) -> Option<Block> {
        let parent = self.parent.get(block.index()).copied().flatten()?;
        (parent != block.index()).then_some(Block(parent as u32))
    }

    /// Some blocks that are reached, to be asked which of them is above a block.
    pub fn among(&self, mut blocks: Vec<Block>) -> Among {
        let range = |block: &Block| &self.tree.ranges[block.index()];
        blocks.sort_unstable_by_key(|block| range(block).start);
        blocks.dedup();
        let mut from = Vec::with_capacity(2 * blocks.len());
        // Those around the present number.
        let mut around: Vec<Block> = Vec::new();
        for block in blocks.iter().map(Some).chain([None]) {
            let begin = block.map_or(u32::MAX, |block| range(block).start);
            while let Some(end) = around.last().map(|inner| range(inner).end)
                && end <= begin
            {
                around.pop();
                from.push((end, around.last().copied()));
            }
            if let Some(block) = block {
                from.push((begin, Some(*block)));
                around.push(*block);
            }
        }
        Among { from }
    }

    /// For each block those at which its domination ends: a way from it meets one from elsewhere.
    pub fn frontiers(&self, function: &Function) -> Vec<Vec<Block>> {
        let mut out: Vec<Vec<Block>> = vec![Vec::new(); function.blocks.len()];
        for (index, from) in function.predecessors().iter().enumerate() {
            let meet = Block(index as u32);
            let Some(&above) = self.parent.get(index).and_then(Option::as_ref) else {
                continue;
            };
            if from.len() < 2 && above != index {
                continue;
            }
            for from in from {
                let mut at = from.index();
                // Above a block that knows it, all do.
                while (at != above || above == index) && out[at].last() != Some(&meet) {
                    out[at].push(meet);
                    match self.parent[at] {
                        Some(parent) if parent != at => at = parent,
                        _ => break,
                    }
                }
            }
        }
        out
    }

    /// Whether `a` dominates `b`.
    pub fn dominates(&self, a: Block, b: Block) -> bool {
        a == b || self.tree.contains(a.index(), b.index())
    }
}

/// Some blocks, by where each is the nearest of them that dominates a block.
#[derive(Debug)]
pub struct Among {
    /// From a number in the tree of dominators on, to the next one.
    from: Vec<(u32, Option<Block>)>,
}

impl Among {
    /// The nearest of them that dominates a block, or is it.
    pub fn nearest(&self, dominators: &Dominators, block: Block) -> Option<Block> {
        let number = dominators.tree.ranges[block.index()].start;
        let next = self.from.partition_point(|(from, _)| *from <= number);
        self.from[..next].last()?.1
    }
}

/// The outermost known loop around a loop, which is `known[loop]` or one that is found from there.
fn find(known: &mut [usize], mut index: usize) -> usize {
    while known[index] != index {
        known[index] = known[known[index]];
        index = known[index];
    }
    index
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
    /// The blocks that go back to the header.
    pub latches: Vec<Block>,
    /// The loop around it.
    pub parent: Option<usize>,
    /// Where its blocks are in the layout.
    range: Range<usize>,
}

/// The loops of a function, outer ones before those that they contain.
#[derive(Clone, Debug, Default)]
pub struct Loops {
    /// The loops.
    pub all: Vec<Loop>,
    /// The innermost loop of each block.
    innermost: Vec<Option<usize>>,
    tree: Tree,
    /// An order in which each block comes after those that lead to it, and each loop's blocks follow
    /// each other.
    layout: Vec<Block>,
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
        let mut all: Vec<Loop> = Vec::new();
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
            if !latches.is_empty() {
                all.push(Loop {
                    header,
                    latches,
                    parent: None,
                    range: 0..0,
                });
            }
        }
        // Inner loops first; the way back from the latches goes past them in one step.
        let mut innermost: Vec<Option<usize>> = vec![None; function.blocks.len()];
        let mut outermost: Vec<usize> = (0..all.len()).collect();
        for index in (0..all.len()).rev() {
            innermost[all[index].header.index()] = Some(index);
            let mut work = all[index].latches.clone();
            while let Some(block) = work.pop() {
                if number[block.index()] == usize::MAX {
                    continue;
                }
                let first = match innermost[block.index()] {
                    None => {
                        innermost[block.index()] = Some(index);
                        block
                    }
                    Some(inner) => {
                        let outer = find(&mut outermost, inner);
                        if outer == index {
                            continue;
                        }
                        outermost[outer] = index;
                        all[outer].parent = Some(index);
                        all[outer].header
                    }
                };
                work.extend(&predecessors[first.index()]);
            }
        }
        let tree = Tree::new(all.len(), 0..all.len(), |index| all[index].parent);
        let mut this = Self {
            all,
            innermost,
            tree,
            layout: Vec::new(),
        };
        this.lay_out(&order);
        Ok(this)
    }

    /// Makes the layout of a reverse postorder.
    fn lay_out(&mut self, order: &[Block]) {
        // How many blocks each loop has.
        let mut sizes = vec![0; self.all.len()];
        for inner in order.iter().filter_map(|block| self.of(*block)) {
            sizes[inner] += 1;
        }
        for index in (0..self.all.len()).rev() {
            if let Some(parent) = self.all[index].parent {
                sizes[parent] += sizes[index];
            }
        }
        // A loop takes its places where its header comes. The next free place of each, and of what is in none.
        let mut next = vec![0; self.all.len()];
        let mut outside = 0;
        self.layout = vec![Function::ENTRY; order.len()];
        for &block in order {
            let inner = self.of(block);
            if let Some(index) = inner.filter(|index| self.all[*index].header == block) {
                let free = match self.all[index].parent {
                    Some(parent) => &mut next[parent],
                    None => &mut outside,
                };
                let first = *free;
                *free += sizes[index];
                self.all[index].range = first..first + sizes[index];
                next[index] = first;
            }
            let free = match inner {
                Some(index) => &mut next[index],
                None => &mut outside,
            };
            self.layout[*free] = block;
            *free += 1;
        }
    }

    /// All blocks that are reached, each after those that lead to it. Each loop's blocks follow each other.
    pub fn layout(&self) -> &[Block] {
        &self.layout
    }

    /// The blocks of a loop, the header first, each after those in it that lead to it.
    pub fn blocks(&self, index: usize) -> &[Block] {
        &self.layout[self.all[index].range.clone()]
    }

    /// The innermost loop of a block.
    pub fn of(&self, block: Block) -> Option<usize> {
        self.innermost.get(block.index()).copied().flatten()
    }

    /// Whether a block is in a loop.
    pub fn contains(&self, index: usize, block: Block) -> bool {
        self.of(block)
            .is_some_and(|inner| self.tree.contains(index, inner))
    }

    /// The loops around a block, inner ones first.
    pub fn around(&self, block: Block) -> impl Iterator<Item = usize> {
        std::iter::successors(self.of(block), |index| self.all[*index].parent)
    }
}

#[cfg(test)]
mod tests {
    use super::{Dominators, Loops, reverse_postorder};
    use crate::ir::{Block, Def, Function, Terminator, Type};

    /// A function of blocks that end so.
    fn function(ends: impl IntoIterator<Item = Terminator>) -> Function {
        let mut function = Function::default();
        for end in ends {
            let block = function.add_block();
            function.blocks[block.index()].end = end;
        }
        function
    }

    /// Some functions of a few blocks that lead anywhere.
    fn random(seed: u64) -> impl Iterator<Item = Function> {
        let mut state = seed;
        let mut below = move |limit: u32| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 33) as u32 % limit
        };
        (0..2000).map(move |_| {
            let count = 2 + below(11);
            let mut made = function((0..count).map(|_| Terminator::Return));
            let truth = made.add_value(Type::I1, Def::Undef);
            for block in 0..count {
                let [yes, no] = [(); 2].map(|()| Block(below(count)));
                made.blocks[block as usize].end = match below(6) {
                    0 => Terminator::Return,
                    1 | 2 => Terminator::Jump(yes),
                    _ => Terminator::Branch(truth, yes, no),
                };
            }
            made
        })
    }

    /// What the entry reaches without a block.
    fn reached(function: &Function, without: Option<Block>) -> Vec<bool> {
        let mut seen = vec![false; function.blocks.len()];
        let mut work = vec![Function::ENTRY];
        while let Some(block) = work.pop() {
            if Some(block) != without && !std::mem::replace(&mut seen[block.index()], true) {
                work.extend(function.blocks[block.index()].end.successors());
            }
        }
        seen
    }

    #[test]
    fn a_block_dominates_what_is_not_reached_without_it() {
        let mut loops = 0;
        for function in random(11) {
            let dominators = Dominators::new(&function);
            let all = reached(&function, None);
            for a in 0..function.blocks.len() as u32 {
                let rest = reached(&function, Some(Block(a)));
                for b in (0..rest.len()).filter(|b| all[*b] && all[a as usize]) {
                    let found = dominators.dominates(Block(a), Block(b as u32));
                    assert_eq!(found, !rest[b], "b{a}, b{b} of {:?}", function.blocks);
                }
            }
            let Ok(found) = Loops::new(&function, &dominators) else {
                continue;
            };
            loops += found.all.len();
            let mut sorted = found.layout().to_vec();
            sorted.sort();
            let mut order = reverse_postorder(&function);
            order.sort();
            assert_eq!(sorted, order);
            let place = |block: Block| found.layout().iter().position(|other| *other == block);
            for &block in found.layout() {
                for to in function.blocks[block.index()].end.successors() {
                    let back = dominators.dominates(to, block);
                    assert!(
                        back || place(block) < place(to),
                        "b{} in {:?}",
                        to.0,
                        function.blocks
                    );
                }
            }
            for (index, l) in found.all.iter().enumerate() {
                // What reaches a latch without the header.
                let predecessors = function.predecessors();
                let mut reaching = vec![l.header];
                let mut work = l.latches.clone();
                while let Some(block) = work.pop() {
                    if !reaching.contains(&block) {
                        reaching.push(block);
                        work.extend(&predecessors[block.index()]);
                    }
                }
                let blocks = found.blocks(index);
                assert_eq!(blocks.first(), Some(&l.header));
                let mut sorted = blocks.to_vec();
                sorted.sort();
                reaching.retain(|block| all[block.index()]);
                reaching.sort();
                assert_eq!(sorted, reaching, "b{} of {:?}", l.header.0, function.blocks);
                for block in reverse_postorder(&function) {
                    let around = found.around(block).any(|other| other == index);
                    assert_eq!(found.contains(index, block), blocks.contains(&block));
                    assert_eq!(around, blocks.contains(&block));
                }
            }
        }
        assert!(loops > 500, "{loops}");
    }

    #[test]
    fn the_nearest_of_some_blocks_is_the_first_on_the_way_up() {
        for function in random(13) {
            let dominators = Dominators::new(&function);
            let order = reverse_postorder(&function);
            let some = order.iter().copied().filter(|block| block.0 % 3 != 1);
            let some: Vec<Block> = some.collect();
            let among = dominators.among(some.clone());
            for &block in &order {
                let up = std::iter::successors(Some(block), |block| dominators.parent(*block));
                let wanted = up.into_iter().find(|block| some.contains(block));
                assert_eq!(
                    among.nearest(&dominators, block),
                    wanted,
                    "{:?}",
                    function.blocks
                );
            }
        }
    }

    /// By the definition.
    #[test]
    fn a_frontier_is_where_domination_ends() {
        for function in random(12) {
            let dominators = Dominators::new(&function);
            let frontiers = dominators.frontiers(&function);
            let order = reverse_postorder(&function);
            let predecessors = function.predecessors();
            for &a in &order {
                let mut found = frontiers[a.index()].clone();
                found.sort();
                let ends = |b: &Block| {
                    let mut from = predecessors[b.index()].iter();
                    let reached = |p: &Block| order.contains(p) && dominators.dominates(a, *p);
                    from.any(reached) && (a == *b || !dominators.dominates(a, *b))
                };
                let mut wanted: Vec<Block> = order.iter().copied().filter(ends).collect();
                wanted.sort();
                assert_eq!(found, wanted, "b{} of {:?}", a.0, function.blocks);
            }
        }
    }

    #[test]
    fn many_ways_to_one_block_are_no_more_frontiers_than_blocks() {
        // Each block but the last two goes to the last one, or on.
        let count = 1000;
        let mut made = function((0..count).map(|_| Terminator::Return));
        let truth = made.add_value(Type::I1, Def::Undef);
        for block in 0..count - 2 {
            let (next, last) = (Block(block + 1), Block(count - 1));
            made.blocks[block as usize].end = Terminator::Branch(truth, last, next);
        }
        made.blocks[count as usize - 2].end = Terminator::Jump(Block(count - 1));
        let frontiers = Dominators::new(&made).frontiers(&made);
        let sum: usize = frontiers.iter().map(Vec::len).sum();
        assert_eq!(sum as u32, count - 2);
    }
}
