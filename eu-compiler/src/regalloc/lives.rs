//! Where virtual registers are used, and how long they live.

use std::ops::Range;

use hashbrown::HashMap;

use crate::code::{Code, Var, What};
use crate::ir::Block;

/// An instruction that uses a virtual register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// The instruction.
    pub at: u32,
    /// The bytes.
    pub bytes: Range<u32>,
    /// It writes.
    pub writes: bool,
    /// It writes all these bytes, whatever the execution mask.
    pub covers: bool,
    /// It ignores the execution mask.
    pub no_mask: bool,
}

/// The uses of each virtual register, in the order of the code.
#[derive(Debug)]
pub struct Uses {
    starts: Vec<u32>,
    list: Vec<Use>,
    /// Instructions that must follow each other directly have the same number: an address in `a0`
    /// and the access by it.
    pub groups: Vec<u32>,
}

impl Uses {
    pub fn new(code: &Code, grf: u32) -> Uses {
        let mut groups: Vec<u32> = Vec::with_capacity(code.insts.len());
        // Two sources and a result, or the three of a message.
        let mut found: Vec<(Var, Use)> = Vec::with_capacity(3 * code.insts.len());
        let mut addressed: Option<(Var, usize)> = None;
        for (index, inst) in code.insts.iter().enumerate() {
            let at = index as u32;
            groups.push(at);
            if let Some((var, since)) = addressed.filter(|_| inst.is_indirect()) {
                groups[since..].fill(since as u32);
                let bytes = 0..code.vars[var.index()].size;
                found.push((
                    var,
                    Use {
                        at,
                        bytes,
                        writes: false,
                        covers: false,
                        no_mask: true,
                    },
                ));
            }
            let sends = matches!(inst.what, What::Send(_) | What::Spill(_));
            inst.accesses(grf, |access| {
                let size = code.vars[access.var.index()].size;
                if access.bytes.end == u32::MAX && !access.writes {
                    addressed = Some((access.var, index));
                }
                let bytes = access.bytes.start.min(size)..access.bytes.end.min(size);
                let packed = sends
                    || inst.dst.is_some_and(|dst| match dst {
                        crate::code::Operand::Var { ty, stride, .. } => {
                            inst.exec == 1 || u32::from(stride) * ty.bytes() == ty.bytes()
                        }
                        _ => false,
                    });
                let always =
                    inst.no_mask && inst.predicate == crate::code::Predicate::None && packed;
                found.push((
                    access.var,
                    Use {
                        at,
                        covers: access.writes && always,
                        writes: access.writes,
                        no_mask: inst.no_mask,
                        bytes,
                    },
                ));
            });
        }
        // Sorted by virtual register, each in the order of the code.
        let mut starts = vec![0u32; code.vars.len() + 1];
        for (var, _) in &found {
            starts[var.index() + 1] += 1;
        }
        for index in 1..starts.len() {
            starts[index] += starts[index - 1];
        }
        let mut next = starts.clone();
        let mut order = vec![0u32; found.len()];
        for (index, (var, _)) in found.iter().enumerate() {
            let place = &mut next[var.index()];
            order[*place as usize] = index as u32;
            *place += 1;
        }
        let list = order.iter().map(|index| found[*index as usize].1.clone());
        Uses {
            starts,
            list: list.collect(),
            groups,
        }
    }

    /// Those of a virtual register.
    pub fn of(&self, var: usize) -> &[Use] {
        let (from, to) = (self.starts[var], self.starts[var + 1]);
        &self.list[from as usize..to as usize]
    }
}

/// A loop as a range of instructions.
#[derive(Clone, Debug)]
pub struct Loop {
    header: Block,
    /// The first instruction.
    pub first: u32,
    /// The last instruction.
    pub last: u32,
    parent: Option<usize>,
    /// A loop farther out, so that a search outwards takes as many steps as the depth has digits
    /// (Myers, "An applicative random-access stack").
    jump: Option<usize>,
    depth: u32,
}

/// The loops of the code.
#[derive(Debug)]
pub struct Nest {
    loops: Vec<Loop>,
    /// The innermost loop of each instruction.
    innermost: Vec<Option<u32>>,
    headers: HashMap<Block, usize>,
}

impl Nest {
    pub fn new(code: &Code) -> Nest {
        let mut loops: Vec<Loop> = code
            .loops
            .iter()
            .map(|(header, first, last)| Loop {
                header: *header,
                first: *first as u32,
                last: *last as u32,
                parent: None,
                jump: None,
                depth: 1,
            })
            .collect();
        loops.sort_by_key(|l| (l.first, std::cmp::Reverse(l.last)));
        let mut innermost = vec![None; code.insts.len()];
        let mut open: Vec<usize> = Vec::new();
        let mut next = 0;
        for (at, place) in innermost.iter_mut().enumerate() {
            while open.last().is_some_and(|l| (loops[*l].last as usize) < at) {
                open.pop();
            }
            while next < loops.len() && loops[next].first as usize == at {
                let parent = open.last().copied();
                loops[next].parent = parent;
                loops[next].jump = parent.map(|parent| Self::jump(&loops, parent));
                loops[next].depth = open.len() as u32 + 1;
                open.push(next);
                next += 1;
            }
            *place = open.last().map(|l| *l as u32);
        }
        let headers = loops.iter().enumerate();
        Nest {
            headers: headers.map(|(index, l)| (l.header, index)).collect(),
            loops,
            innermost,
        }
    }

    /// Where a loop jumps to that is in another one.
    fn jump(loops: &[Loop], parent: usize) -> usize {
        let depth = |l: usize| loops[l].depth;
        let two = loops[parent]
            .jump
            .and_then(|one| Some((one, loops[one].jump?)));
        match two {
            Some((one, two)) if depth(parent) - depth(one) == depth(one) - depth(two) => two,
            _ => parent,
        }
    }

    /// The innermost loop of an instruction.
    fn innermost(&self, at: u32) -> Option<&Loop> {
        let index = self.innermost.get(at as usize).copied().flatten()?;
        self.loops.get(index as usize)
    }

    /// The outermost loop around an instruction that has a property, if those in it have it, too.
    fn outermost(&self, at: u32, has: impl Fn(&Loop) -> bool) -> Option<&Loop> {
        let mut found = self.innermost(at).filter(|l| has(l))?;
        loop {
            let next = [found.jump, found.parent].into_iter().flatten();
            let mut next = next.map(|index| &self.loops[index]);
            match next.find(|l| has(l)) {
                Some(next) => found = next,
                None => return Some(found),
            }
        }
    }

    /// The loop with this header.
    pub fn headed(&self, header: Block) -> Option<&Loop> {
        self.loops.get(*self.headers.get(&header)?)
    }

    /// Where a life begins, as [`extend`](Self::extend), for the loops inside of another.
    pub fn extend_within(&self, first: u32, last: u32, outer: &Loop) -> u32 {
        let without = self.outermost(first, |l| l.last < last && l.first > outer.first);
        without.map_or(first, |l| l.first)
    }

    /// A life that goes through every loop that one of its ends is outside of.
    pub fn extend(&self, first: u32, last: u32) -> (u32, u32) {
        let without = self.outermost(first, |l| l.last < last);
        let first = without.map_or(first, |l| l.first);
        let without = self.outermost(last, |l| l.first > first);
        (first, without.map_or(last, |l| l.last))
    }

    /// How often an instruction is executed, roughly.
    pub fn weight(&self, at: u32) -> f32 {
        let depth = self.innermost(at).map_or(0, |l| l.depth);
        8f32.powi(depth.min(8) as i32)
    }
}

/// The life of a virtual register, in instructions.
#[derive(Clone, Debug)]
pub struct Life {
    /// Which.
    pub var: usize,
    /// The first instruction.
    pub first: u32,
    /// The last instruction.
    pub last: u32,
    /// It lives before its first use: lanes that wait, or a later round of a loop, need what it
    /// has.
    pub earlier: bool,
}

/// The lives of all virtual registers that are used, in the order of their begins.
pub fn lives(code: &Code, uses: &Uses, nest: &Nest) -> Vec<Life> {
    let mut out: Vec<Life> = (0..code.vars.len())
        .filter_map(|var| life(code, uses, nest, var))
        .collect();
    out.sort_by_key(|life| (life.first, life.var));
    out
}

/// The life of a virtual register: from its first to its last use, and through every loop that one
/// of them is outside of.
pub fn life(code: &Code, uses: &Uses, nest: &Nest, var: usize) -> Option<Life> {
    let list = uses.of(var);
    let (mut first, mut last) = (list.first()?.at, list.last()?.at);
    let data = &code.vars[var];
    if data.fixed.is_some() {
        // What a thread starts with is there from the first instruction on.
        first = 0;
    }
    if let Some(header) = data.header
        && let Some(l) = nest.headed(header)
        && [first, last]
            .iter()
            .any(|at| (l.first..=l.last).contains(at))
    {
        first = first.min(l.first);
        last = last.max(l.last);
    }
    (first, last) = nest.extend(first, last);
    Some(Life {
        var,
        earlier: first < list[0].at,
        first,
        last,
    })
}

#[cfg(test)]
mod tests {
    use super::{Loop, Nest};
    use crate::code::{Code, Inst, What};
    use crate::ir::Block;

    /// Loops in each other, a hundred deep, and in every third of them another one before.
    fn nest() -> Nest {
        let mut code = Code {
            insts: vec![Inst::new(What::End, 1); 1000],
            ..Code::default()
        };
        for depth in 0..100 {
            let (first, last) = (5 * depth, 999 - 4 * depth);
            code.loops.push((Block(depth as u32), first, last));
            if depth % 3 == 0 {
                let header = Block(1000 + depth as u32);
                code.loops.push((header, first + 1, first + 3));
            }
        }
        Nest::new(&code)
    }

    #[test]
    fn a_search_outwards_finds_what_one_step_by_step_does() {
        let nest = nest();
        for at in 0..1000 {
            for other in (0..1000).step_by(7) {
                for has in [|l: &Loop, o| l.last < o, |l: &Loop, o| l.first > o] {
                    let parent = |l: &&Loop| l.parent.map(|parent| &nest.loops[parent]);
                    let around = std::iter::successors(nest.innermost(at), parent);
                    let wanted = around.take_while(|l| has(l, other)).last();
                    let found = nest.outermost(at, |l| has(l, other));
                    assert_eq!(found.map(|l| l.header), wanted.map(|l| l.header));
                }
            }
        }
    }
}
