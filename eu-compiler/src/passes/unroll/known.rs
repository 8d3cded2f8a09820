//! What is known of a round of a loop before there is one.

use hashbrown::{HashMap, HashSet};

use crate::ir::cfg::Loop;
use crate::ir::{
    Access, Bin, Block, Convert, Function, InstData, Op, Space, Terminator, Type, Value,
};

/// The numbers that values of a loop are in a round.
pub(super) struct Known {
    /// Phis of the header, and those of a loop around it, which stay: what they are, and what they are
    /// next.
    pub(super) phis: Vec<(Value, Option<u64>, Value)>,
    found: HashMap<Value, Option<u64>>,
}

impl Known {
    /// How deep values are looked into.
    const DEPTH: usize = 16;

    pub(super) fn begin(
        function: &Function,
        l: &Loop,
        latch: Block,
        around: &[(Value, Option<u64>)],
    ) -> Known {
        let around = around.iter().map(|(phi, bits)| (*phi, *bits, *phi));
        let mut around = Known {
            phis: around.collect(),
            found: HashMap::new(),
        };
        let insts = &function.blocks[l.header.index()].insts;
        let phis = insts.iter().filter_map(|inst| {
            let data = &function.insts[inst.index()];
            let Op::Phi(from) = &data.op else {
                return None;
            };
            let pairs = || from.iter().zip(&data.args);
            let next = pairs().find(|(block, _)| **block == latch)?.1;
            let mut first = pairs().filter(|(block, _)| **block != latch);
            let only = first.next().filter(|_| first.next().is_none());
            let bits = only.and_then(|(_, value)| around.value(function, *value, 0));
            Some((data.results[0], bits, *next))
        });
        let own: Vec<_> = phis.collect();
        around.phis.extend(own);
        around.found.clear();
        around
    }

    pub(super) fn value(&mut self, function: &Function, value: Value, depth: usize) -> Option<u64> {
        if let Some(bits) = function.bits(value) {
            return Some(bits);
        }
        if let Some((_, bits, _)) = self.phis.iter().find(|(phi, ..)| *phi == value) {
            return *bits;
        }
        if let Some(found) = self.found.get(&value) {
            return *found;
        }
        let (_, data) = function.source(value)?;
        let ty = function.ty(value);
        let found = match depth < Self::DEPTH {
            true => self.compute(function, data, ty, depth + 1),
            false => None,
        };
        self.found.insert(value, found);
        found
    }

    fn compute(
        &mut self,
        function: &Function,
        data: &InstData,
        ty: Type,
        depth: usize,
    ) -> Option<u64> {
        if let (Op::Load(access), [_]) = (&data.op, data.results.as_slice()) {
            let at = self.constants_at(function, *access, data.args[0], depth)?;
            return function.program.bits(at, ty);
        }
        if ty.is_float() || data.args.iter().any(|arg| function.ty(*arg).is_float()) {
            return None;
        }
        let mut of = |index: usize| self.value(function, data.args[index], depth);
        let from = function.ty(*data.args.first()?);
        let bits = match &data.op {
            Op::Bin(bin) => bin.evaluate(of(0)?, of(1)?, ty)?,
            Op::Icmp(cond) => cond.evaluate(of(0)?, of(1)?, from).into(),
            Op::Select => match of(0)? {
                0 => of(2)?,
                _ => of(1)?,
            },
            Op::Convert(Convert::Trunc | Convert::ZExt | Convert::Bitcast) => of(0)?,
            Op::Convert(Convert::SExt) => from.signed(of(0)?) as u64,
            _ => return None,
        };
        Some(bits & ty.mask())
    }

    /// Where among the constants of the program a load reads, if that is known.
    fn constants_at(
        &mut self,
        function: &Function,
        access: Access,
        address: Value,
        depth: usize,
    ) -> Option<u64> {
        if access.space != Space::Global || access.volatile {
            return None;
        }
        let bits = |value| self.value(function, value, depth);
        Some(function.among_constants_by(address, bits)?.1)
    }

    /// The instructions that a round of these blocks has where what is known in it is a number, and blocks
    /// that nothing leads to are left out. Private memory at known places is values, constants are numbers.
    pub(super) fn round(&mut self, function: &Function, blocks: &[Block]) -> usize {
        let header = blocks[0];
        // The ways that may be taken, and the blocks whose ways out are known.
        let mut ways: HashSet<(Block, Block)> = HashSet::new();
        let mut seen: HashSet<Block> = HashSet::new();
        let mut left = 1;
        for &block in blocks {
            if block != header && !ways.iter().any(|(_, to)| *to == block) {
                seen.insert(block);
                continue;
            }
            for inst in &function.blocks[block.index()].insts {
                let data = &function.insts[inst.index()];
                if let Op::Phi(from) = &data.op
                    && block != header
                {
                    let pairs = from.iter().zip(&data.args);
                    let mut taken = pairs.filter(|(from, _)| {
                        !seen.contains(*from) || ways.contains(&(**from, block))
                    });
                    let only = taken.next().filter(|_| taken.next().is_none());
                    let bits = only.and_then(|(_, value)| self.value(function, *value, 0));
                    self.found.insert(data.results[0], bits);
                }
                left += usize::from(!self.costs_nothing(function, data));
            }
            seen.insert(block);
            let end = function.blocks[block.index()].end;
            let taken = match end {
                Terminator::Branch(value, yes, no) => match self.value(function, value, 0) {
                    Some(0) => Some(no),
                    Some(_) => Some(yes),
                    None => None,
                },
                _ => None,
            };
            let next = end.successors();
            let next = next
                .iter()
                .filter(|to| taken.is_none_or(|taken| taken == **to));
            ways.extend(next.map(|to| (block, *to)));
        }
        left
    }

    /// Whether an instruction is none in this round.
    fn costs_nothing(&mut self, function: &Function, data: &InstData) -> bool {
        match data.op {
            Op::Load(access) | Op::Store(access) if access.space == Space::Private => {
                self.is_place(function, data.args[0])
            }
            Op::Load(access) if access.space == Space::Global => {
                let at = self.constants_at(function, access, data.args[0], 0);
                at.is_some()
            }
            Op::Select if self.value(function, data.args[0], 0).is_some() => true,
            _ if data.op.is_free() => true,
            _ => match data.results.as_slice() {
                [result] => {
                    self.value(function, *result, 0).is_some() || self.is_place(function, *result)
                }
                _ => false,
            },
        }
    }

    /// Whether a value is a known place of a variable in private memory, or among the constants.
    fn is_place(&mut self, function: &Function, value: Value) -> bool {
        let bits = |value| self.value(function, value, 0);
        if function.among_constants_by(value, bits).is_some() {
            return true;
        }
        let mut value = value;
        for _ in 0..Self::DEPTH {
            let Some((_, data)) = function.source(value) else {
                return false;
            };
            value = match (&data.op, data.args.as_slice()) {
                (Op::Alloca { .. }, _) => return true,
                (Op::Bin(Bin::Add), &[a, b]) if self.value(function, b, 0).is_some() => a,
                (Op::Bin(Bin::Add), &[a, b]) if self.value(function, a, 0).is_some() => b,
                _ => return false,
            };
        }
        false
    }

    pub(super) fn next(&mut self, function: &Function) {
        let next: Vec<Value> = self.phis.iter().map(|(_, _, next)| *next).collect();
        let bits: Vec<Option<u64>> = next
            .into_iter()
            .map(|value| self.value(function, value, 0))
            .collect();
        for (phi, bits) in self.phis.iter_mut().zip(bits) {
            phi.1 = bits;
        }
        self.found.clear();
    }
}
