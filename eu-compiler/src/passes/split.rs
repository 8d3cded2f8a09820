//! Integers of 64 bits as two of 32.
//!
//! Afterwards 64 bits exist only where a pair is put together for somebody that takes them: an
//! address, a double, an atomic operation; where such a one gives them; and in what addresses are
//! computed by, where hardware adds qwords ([`whole`]).

use std::ops::Range;

use hashbrown::HashMap;

use super::whole;
use crate::ir::{
    Access, Bin, Block, Cond, Convert, Cursor, Def, Function, Inst, Op, Replaced, Type, Value,
};
use crate::target::{Caps, Target};

pub(super) fn run(function: &mut Function, target: &Target) -> Result<(), String> {
    let whole = match target.caps.qwords {
        true => whole::find(function),
        false => Vec::new(),
    };
    let mut split = Split {
        caps: target.caps,
        whole,
        halves: HashMap::new(),
        replaced: Replaced::default(),
        phis: Vec::new(),
        function,
        block: Function::ENTRY,
        at: 0,
    };
    for block in split.function.order.clone() {
        split.block = block;
        let insts = split.function.take(block);
        let mut phis = Vec::new();
        for inst in insts {
            split.at = split.function.insts[inst.index()].at;
            let is_phi = matches!(split.function.insts[inst.index()].op, Op::Phi(_));
            if is_phi {
                phis.push(inst);
                continue;
            }
            if !phis.is_empty() {
                split.phis_of(&std::mem::take(&mut phis));
            }
            split.inst(inst);
        }
        split.phis_of(&phis);
    }
    split.complete()?;
    let Split {
        replaced, function, ..
    } = split;
    replaced.apply(function);
    Ok(())
}

struct Split<'a> {
    caps: &'static Caps,
    /// The values that stay as they are.
    whole: Vec<bool>,
    function: &'a mut Function,
    halves: HashMap<Value, [Value; 2]>,
    replaced: Replaced,
    /// Phis that were split: the old one and its halves.
    phis: Vec<(Inst, [Inst; 2])>,
    block: Block,
    at: u32,
}

impl Split<'_> {
    fn here(&mut self) -> Cursor<'_> {
        Cursor {
            function: self.function,
            block: self.block,
            at: self.at,
        }
    }

    fn keep(&mut self, inst: Inst) {
        self.function.blocks[self.block.index()].insts.push(inst);
    }

    fn is_whole(&self, value: Value) -> bool {
        self.whole.get(value.index()).copied().unwrap_or_default()
    }

    fn bin(&mut self, op: Bin, a: Value, b: Value) -> Value {
        self.here().bin(op, a, b)
    }

    fn number(&mut self, bits: u64) -> Value {
        self.function.constant(Type::I32, bits)
    }

    fn compare(&mut self, cond: Cond, a: Value, b: Value) -> Value {
        self.here().one(Op::Icmp(cond), &[a, b], Type::I1)
    }

    fn pick(&mut self, which: Value, a: Value, b: Value) -> Value {
        let ty = self.function.ty(a);
        self.here().one(Op::Select, &[which, a, b], ty)
    }

    /// The halves of a value, without new instructions if they are known.
    fn known(&mut self, value: Value) -> Option<[Value; 2]> {
        if let Some(halves) = self.halves.get(&value) {
            return Some(*halves);
        }
        let halves = match self.function.def(value) {
            Def::Const(bits) => [self.number(bits), self.number(bits >> 32)],
            Def::Undef => [(); 2].map(|()| self.function.undef(Type::I32)),
            Def::Inst(_) => return None,
        };
        self.halves.insert(value, halves);
        Some(halves)
    }

    fn halves(&mut self, value: Value) -> [Value; 2] {
        if let Some(halves) = self.known(value) {
            return halves;
        }
        let low = self
            .here()
            .one(Op::Convert(Convert::Trunc), &[value], Type::I32);
        let high = self.here().one(Op::High, &[value], Type::I32);
        [low, high]
    }

    fn phis_of(&mut self, phis: &[Inst]) {
        let mut made = Vec::new();
        for &inst in phis {
            let result = self.function.result(inst);
            if self.function.ty(result) != Type::I64 || self.is_whole(result) {
                self.keep(inst);
                continue;
            }
            let halves = [(); 2].map(|()| {
                let half = self
                    .function
                    .make(Op::Phi(Vec::new()), &[], &[Type::I32], self.at);
                self.keep(half);
                half
            });
            made.push((inst, halves));
        }
        for (inst, halves) in made {
            let result = self.function.result(inst);
            let values = halves.map(|half| self.function.result(half));
            self.pair(result, values);
            self.phis.push((inst, halves));
        }
    }

    /// Records the halves of a result, and puts it together for those who want it whole.
    fn pair(&mut self, result: Value, halves: [Value; 2]) {
        let whole = self.here().one(Op::Pair, &halves, Type::I64);
        self.halves.insert(result, halves);
        self.halves.insert(whole, halves);
        self.replaced.insert(result, whole);
    }

    /// Operands of phis, which may come from later blocks.
    fn complete(&mut self) -> Result<(), String> {
        for (old, halves) in std::mem::take(&mut self.phis) {
            let data = self.function.insts[old.index()].clone();
            let Op::Phi(blocks) = data.op else { continue };
            let mut args = [Vec::new(), Vec::new()];
            for (from, arg) in blocks.iter().zip(&data.args) {
                self.block = *from;
                let parts = self.halves(*arg);
                for (list, part) in args.iter_mut().zip(parts) {
                    list.push(part);
                }
            }
            for (half, args) in halves.into_iter().zip(args) {
                let data = &mut self.function.insts[half.index()];
                data.op = Op::Phi(blocks.clone());
                data.args = args.into();
            }
        }
        Ok(())
    }

    fn inst(&mut self, inst: Inst) {
        let data = self.function.insts[inst.index()].clone();
        let result = data.results.first().copied();
        let ty = result.map(|value| self.function.ty(value));
        let from = data.args.first().map(|value| self.function.ty(*value));
        let wide = ty == Some(Type::I64);
        let args = &data.args;
        match (&data.op, result) {
            (Op::Bin(_), Some(result)) if self.is_whole(result) => self.keep(inst),
            (Op::Bin(op), Some(result)) if wide => {
                let a = self.halves(args[0]);
                let b = self.halves(args[1]);
                match self.arithmetic(*op, a, b) {
                    Some(halves) => self.pair(result, halves),
                    None => self.keep(inst),
                }
            }
            (Op::Icmp(cond), Some(result)) if from == Some(Type::I64) => {
                let ([a, a_high], [b, b_high]) = (self.halves(args[0]), self.halves(args[1]));
                let value = match cond {
                    Cond::Eq | Cond::Ne | Cond::Une => {
                        let low = self.bin(Bin::Xor, a, b);
                        let high = self.bin(Bin::Xor, a_high, b_high);
                        let any = self.bin(Bin::Or, low, high);
                        let zero = self.number(0);
                        self.compare(*cond, any, zero)
                    }
                    _ => {
                        let low = match cond {
                            Cond::Ult | Cond::Slt => Cond::Ult,
                            _ => Cond::Ule,
                        };
                        let high = match cond {
                            Cond::Ult | Cond::Ule => Cond::Ult,
                            _ => Cond::Slt,
                        };
                        let below = self.compare(high, a_high, b_high);
                        let same = self.compare(Cond::Eq, a_high, b_high);
                        let low = self.compare(low, a, b);
                        let within = self.bin(Bin::And, same, low);
                        self.bin(Bin::Or, below, within)
                    }
                };
                self.replaced.insert(result, value);
            }
            (Op::Select, Some(result)) if wide => {
                let (yes, no) = (self.halves(args[1]), self.halves(args[2]));
                let halves = [0, 1].map(|n| self.pick(args[0], yes[n], no[n]));
                self.pair(result, halves);
            }
            (Op::Convert(how @ (Convert::ZExt | Convert::SExt)), Some(result)) if wide => {
                let low = self.here().convert(*how, args[0], Type::I32);
                if self.is_whole(result) {
                    let whole = self.here().convert(*how, low, Type::I64);
                    self.replaced.insert(result, whole);
                    return;
                }
                let high = match how {
                    Convert::ZExt => self.number(0),
                    _ if from == Some(Type::I1) => low,
                    _ => {
                        let top = self.number(31);
                        self.bin(Bin::AShr, low, top)
                    }
                };
                self.pair(result, [low, high]);
            }
            (Op::Convert(Convert::Trunc), Some(result)) if from == Some(Type::I64) => {
                let [low, _] = self.halves(args[0]);
                let ty = ty.unwrap_or(Type::I32);
                let value = match ty {
                    Type::I1 => {
                        let one = self.number(1);
                        let bit = self.bin(Bin::And, low, one);
                        let zero = self.number(0);
                        self.compare(Cond::Ne, bit, zero)
                    }
                    ty => self.here().convert(Convert::Trunc, low, ty),
                };
                self.replaced.insert(result, value);
            }
            (Op::High, Some(result)) => {
                let [_, high] = self.halves(args[0]);
                self.replaced.insert(result, high);
            }
            (Op::Input(crate::ir::Input::Payload(offset)), Some(result)) if wide => {
                let halves = [*offset, *offset + 4].map(|offset| {
                    let input = crate::ir::Input::Payload(offset);
                    self.here().one(Op::Input(input), &[], Type::I32)
                });
                self.pair(result, halves);
            }
            (Op::Shuffle | Op::Broadcast, Some(result)) if wide => {
                let halves = self.halves(args[0]);
                let halves = halves.map(|half| {
                    self.here()
                        .one(data.op.clone(), &[half, args[1]], Type::I32)
                });
                self.pair(result, halves);
            }
            (Op::ShuffleTwo, Some(result)) if wide => {
                let (a, b) = (self.halves(args[0]), self.halves(args[1]));
                let halves = [0, 1].map(|n| {
                    let args = [a[n], b[n], args[2]];
                    self.here().one(Op::ShuffleTwo, &args, Type::I32)
                });
                self.pair(result, halves);
            }
            (op @ (Op::Reduce(_) | Op::Cluster(..) | Op::Scan { .. }), Some(_)) if wide => {
                let halves = self.halves(args[0]);
                let types = vec![Type::I32; 2 * data.results.len()];
                let inst = self.here().push(op.clone(), &halves, &types);
                let dwords = self.function.insts[inst.index()].results.clone();
                for (result, halves) in data.results.iter().zip(dwords.chunks_exact(2)) {
                    self.pair(*result, [halves[0], halves[1]]);
                }
            }
            (Op::Load(access), Some(_)) if wide && access.align >= 4 => {
                for part in self.parts(*access, data.results.len()) {
                    let offset = self.number(8 * part.start as u64);
                    let place = self.offset(args[0], offset);
                    let types = vec![Type::I32; 2 * part.len()];
                    let inst = self.here().push(Op::Load(*access), &[place], &types);
                    let dwords = self.function.insts[inst.index()].results.clone();
                    for (result, halves) in data.results[part].iter().zip(dwords.chunks_exact(2)) {
                        self.pair(*result, [halves[0], halves[1]]);
                    }
                }
            }
            (Op::Store(access), None)
                if args
                    .get(1)
                    .is_some_and(|v| self.function.ty(*v) == Type::I64)
                    && access.align >= 4 =>
            {
                let values = &args[1..];
                for part in self.parts(*access, values.len()) {
                    let offset = self.number(8 * part.start as u64);
                    let place = self.offset(args[0], offset);
                    let mut list = vec![place];
                    for value in &values[part] {
                        list.extend(self.halves(*value));
                    }
                    self.here().push(Op::Store(*access), &list, &[]);
                }
            }
            _ => self.keep(inst),
        }
    }

    /// So many qwords as accesses take them: as many as a message has, or two, which are four dwords.
    fn parts(&self, access: Access, count: usize) -> Vec<Range<usize>> {
        let most = self.caps.access_bytes(access) as usize / 8;
        let mut parts = Vec::new();
        let mut start = 0;
        while start < count {
            let left = count - start;
            let size = if left >= most { most } else { left.min(2) };
            parts.push(start..start + size);
            start += size;
        }
        parts
    }

    /// An address a few bytes further.
    fn offset(&mut self, address: Value, by: Value) -> Value {
        if self.function.bits(by) == Some(0) {
            return address;
        }
        if self.function.ty(address) == Type::I32 {
            return self.bin(Bin::Add, address, by);
        }
        if self.caps.qwords {
            let by = self.here().convert(Convert::ZExt, by, Type::I64);
            return self.bin(Bin::Add, address, by);
        }
        let a = self.halves(address);
        let zero = self.number(0);
        let [low, high] = self.add(a, [by, zero]);
        self.here().one(Op::Pair, &[low, high], Type::I64)
    }

    fn add(&mut self, a: [Value; 2], b: [Value; 2]) -> [Value; 2] {
        let low = self.bin(Bin::Add, a[0], b[0]);
        let high = self.bin(Bin::Add, a[1], b[1]);
        if self.function.bits(b[0]) == Some(0) {
            return [low, high];
        }
        let carry = self.compare(Cond::Ult, low, b[0]);
        // A truth value is all ones: minus one.
        let minus = self.here().convert(Convert::SExt, carry, Type::I32);
        [low, self.bin(Bin::Sub, high, minus)]
    }

    fn arithmetic(&mut self, op: Bin, a: [Value; 2], b: [Value; 2]) -> Option<[Value; 2]> {
        Some(match op {
            Bin::And | Bin::Or | Bin::Xor => [self.bin(op, a[0], b[0]), self.bin(op, a[1], b[1])],
            Bin::Add => self.add(a, b),
            Bin::Sub => {
                let low = self.bin(Bin::Sub, a[0], b[0]);
                let borrow = self.compare(Cond::Ult, a[0], b[0]);
                let minus = self.here().convert(Convert::SExt, borrow, Type::I32);
                let high = self.bin(Bin::Sub, a[1], b[1]);
                [low, self.bin(Bin::Add, high, minus)]
            }
            Bin::Mul => {
                let low = self.bin(Bin::Mul, a[0], b[0]);
                let carry = self.bin(Bin::UMulHigh, a[0], b[0]);
                let first = self.bin(Bin::Mul, a[0], b[1]);
                let second = self.bin(Bin::Mul, a[1], b[0]);
                let cross = self.bin(Bin::Add, first, second);
                [low, self.bin(Bin::Add, carry, cross)]
            }
            Bin::Shl | Bin::LShr | Bin::AShr => self.shift(op, a, b[0]),
            _ => return None,
        })
    }

    fn shift(&mut self, op: Bin, [low, high]: [Value; 2], by: Value) -> [Value; 2] {
        let word = self.number(32);
        let limit = self.number(31);
        let zero = self.number(0);
        let fill = match op {
            Bin::AShr => self.bin(Bin::AShr, high, limit),
            _ => zero,
        };
        // `near` gets bits of `far`; from 32 on it is made of `far` alone.
        let (near, far) = match op {
            Bin::Shl => (high, low),
            _ => (low, high),
        };
        let arrange = |near: Value, far: Value| match op {
            Bin::Shl => [far, near],
            _ => [near, far],
        };
        let (across, across_op) = match op {
            Bin::Shl => (far, Bin::LShr),
            _ => (far, Bin::Shl),
        };
        let near_op = if op == Bin::Shl { Bin::Shl } else { Bin::LShr };
        if let Some(bits) = self.function.bits(by) {
            let bits = bits & 63;
            if bits == 0 {
                return [low, high];
            }
            if bits >= 32 {
                let rest = self.number(bits - 32);
                let near = self.bin(op, far, rest);
                return arrange(near, fill);
            }
            let by = self.number(bits);
            let rest = self.number(32 - bits);
            let moved = self.bin(near_op, near, by);
            let crossed = self.bin(across_op, across, rest);
            let near = self.bin(Bin::Or, moved, crossed);
            let far = self.bin(op, far, by);
            return arrange(near, far);
        }
        let within = self.bin(Bin::And, by, limit);
        let moved = self.bin(near_op, near, within);
        // A distance of 32 is two: one, and 31 less the distance.
        let one = self.number(1);
        let crossed = self.bin(across_op, across, one);
        let rest = self.bin(Bin::Sub, limit, within);
        let crossed = self.bin(across_op, crossed, rest);
        let near = self.bin(Bin::Or, moved, crossed);
        let far_moved = self.bin(op, far, within);
        let big = self.compare(Cond::Ule, word, by);
        let near = self.pick(big, far_moved, near);
        let far = self.pick(big, fill, far_moved);
        arrange(near, far)
    }
}
