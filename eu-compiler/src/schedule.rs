//! Scheduling by latency: what a message brings is used as late as its block allows, and messages
//! begin as early.
//!
//! It comes after register allocation and keeps every place, so that nothing is spilled for it; what
//! shares a register stays in its order. Between labels, branches and what has an effect of its own,
//! instructions are taken from a list: the one first from which the longest way leads to the end.
//! Messages keep the order among themselves.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use isa_encoder::message::{Hdc, Lsc, Message};
use isa_encoder::{ArfKind, Opcode};
use smallvec::SmallVec;

use crate::code::{Code, Inst, Operand, Predicate, What};
use crate::regalloc::Allocation;
use crate::target::Target;

/// What is in order as a whole, in bytes.
const UNIT: u32 = 16;
/// Behind the units of the register file: f0, and the accumulator.
const FLAG: usize = 0;
const ACCUMULATOR: usize = 1;
const OTHERS: usize = 2;

/// Cycles until a result is there: with 8 lanes, and for each further 8
/// (IGC visa/LocalScheduler/LatencyTable, `getLatencyG12`).
const ARITHMETIC: u32 = 10;
const MATH: u32 = 17;
const MORE: u32 = 1;
const MORE_MATH: u32 = 4;
/// Of messages: to memory, and to the sampler.
const MEMORY: u32 = 146;
const SAMPLER: u32 = 214;

/// The cycles until what an instruction gives is there.
fn latency(inst: &Inst) -> u32 {
    let more = u32::from(inst.exec.div_ceil(8)).saturating_sub(1);
    match &inst.what {
        What::Send(send) => match send.message {
            Message::Sampler(_) => SAMPLER,
            _ => MEMORY,
        },
        What::Math(_) => MATH + MORE_MATH * more,
        _ => ARITHMETIC + MORE * more,
    }
}

/// Whether nothing passes an instruction: flow, what waits, fences and barriers, addresses in `a0` and
/// what is accessed by them, and registers that say how a thread runs. What was read before a barrier
/// is used before it as it was, so that it is there when others write.
fn stays(inst: &Inst) -> bool {
    let is_plain = match inst.what {
        What::Alu(_) | What::Math(_) => true,
        What::Send(send) => match send.message {
            Message::Hdc(message) => !matches!(message, Hdc::Fence { .. }),
            Message::Lsc(message) => !matches!(message, Lsc::Fence { .. }),
            Message::Sampler(_) => true,
            _ => false,
        },
        What::Spill(_)
        | What::Label(..)
        | What::Goto(_)
        | What::Back(_)
        | What::Jump(_)
        | What::Sync(_)
        | What::Wait
        | What::Define(_)
        | What::End => false,
    };
    // A move to nowhere waits for its source.
    let waits = inst.cond.is_none() && matches!(inst.dst, Some(Operand::Null(_)));
    let mut operands = inst.srcs.iter().flatten().chain(&inst.dst);
    let is_other = operands.any(|operand| match operand {
        Operand::Indirect { .. } | Operand::AddressOf(_) => true,
        Operand::Arf(kind, ..) => !matches!(kind, ArfKind::Flag | ArfKind::Accumulator),
        Operand::Var { .. } | Operand::Repeated { .. } | Operand::Imm(..) | Operand::Null(_) => {
            false
        }
    });
    !is_plain || is_other || !matches!(inst.what, What::Send(_)) && waits
}

/// Whether it reads or writes the accumulator, also where no operand says so.
fn accumulates(inst: &Inst) -> bool {
    let implied = [
        Opcode::Mac,
        Opcode::Mach,
        Opcode::Macl,
        Opcode::Addc,
        Opcode::Subb,
    ];
    inst.accumulates || matches!(inst.what, What::Alu(op) if implied.contains(&op))
}

/// Orders instructions. Gives the old number of each.
pub fn schedule(code: &mut Code, allocation: &Allocation, target: &Target) -> Vec<u32> {
    let mut numbers: Vec<u32> = (0..code.insts.len() as u32).collect();
    let units = (target.registers * target.grf() / UNIT) as usize;
    let mut graph = Graph::new(units);
    let mut order: Vec<u32> = Vec::new();
    let mut from = 0;
    while from < code.insts.len() {
        let rest = &code.insts[from..];
        let count = rest.iter().position(stays).unwrap_or(rest.len());
        let sends = |inst: &Inst| matches!(inst.what, What::Send(_) | What::Math(_));
        if count > 2 && rest[..count].iter().any(sends) {
            graph.build(&rest[..count], code, allocation, target.grf());
            graph.order(&mut order);
            let old = rest[..count].to_vec();
            for (to, &index) in order.iter().enumerate() {
                code.insts[from + to] = old[index as usize];
                numbers[from + to] = from as u32 + index;
            }
        }
        from += count + 1;
    }
    numbers
}

/// The code as text: the number that each instruction had before, what it does, and the bytes of the
/// register file that it accesses.
pub fn show(code: &Code, numbers: &[u32], allocation: &Allocation, target: &Target) -> String {
    let mut out = String::new();
    for (inst, number) in code.insts.iter().zip(numbers) {
        let name = match &inst.what {
            What::Alu(opcode) => opcode.to_string(),
            What::Math(function) => format!("math.{}", function.mnemonic()),
            What::Send(_) => "send".to_owned(),
            other => format!("{other:?}"),
        };
        out += &format!("{number:>6}: {name} ({})", inst.exec);
        inst.accesses(target.grf(), |access| {
            let size = code.vars[access.var.index()].size;
            let place = allocation.places[access.var.index()];
            let [begin, end] = [access.bytes.start, access.bytes.end]
                .map(|byte| place.saturating_add(byte.min(size)));
            let how = if access.writes { "writes" } else { "reads" };
            out += &format!(" {how} {begin}..{end}");
        });
        out += "\n";
    }
    out
}

/// An instruction before others, and the cycles between them.
struct Edge {
    to: u32,
    cycles: u32,
}

/// What instructions have to come before others.
struct Graph {
    /// Of each instruction.
    after: Vec<SmallVec<[Edge; 4]>>,
    latencies: Vec<u32>,
    /// Of each unit: the last instruction that wrote it, and those that read it since.
    writers: Vec<Option<u32>>,
    readers: Vec<SmallVec<[u32; 4]>>,
    /// The units that have any.
    used: Vec<usize>,
    units: usize,
}

impl Graph {
    fn new(units: usize) -> Graph {
        Graph {
            after: Vec::new(),
            latencies: Vec::new(),
            writers: vec![None; units + OTHERS],
            readers: vec![SmallVec::new(); units + OTHERS],
            used: Vec::new(),
            units,
        }
    }

    fn build(&mut self, insts: &[Inst], code: &Code, allocation: &Allocation, grf: u32) {
        for unit in self.used.drain(..) {
            self.writers[unit] = None;
            self.readers[unit].clear();
        }
        self.latencies.clear();
        self.latencies.extend(insts.iter().map(latency));
        self.after.iter_mut().for_each(SmallVec::clear);
        self.after.resize_with(insts.len(), SmallVec::new);
        let mut last_send = None;
        let (mut reads, mut writes): (Vec<usize>, Vec<usize>) = (Vec::new(), Vec::new());
        for (index, inst) in insts.iter().enumerate() {
            let at = index as u32;
            reads.clear();
            writes.clear();
            inst.accesses(grf, |access| {
                let size = code.vars[access.var.index()].size;
                let place = allocation.places[access.var.index()];
                let begin = place.saturating_add(access.bytes.start.min(size));
                let end = place.saturating_add(access.bytes.end.min(size));
                let units = (begin / UNIT) as usize..end.div_ceil(UNIT) as usize;
                let units = units.start.min(self.units)..units.end.min(self.units);
                match access.writes {
                    true => writes.extend(units),
                    false => reads.extend(units),
                }
            });
            let operands = inst.srcs.iter().flatten().chain(&inst.dst);
            let named = |kind: ArfKind| {
                let mut operands = operands.clone();
                operands.any(|operand| matches!(operand, Operand::Arf(of, ..) if *of == kind))
            };
            let (flag, accumulator) = (named(ArfKind::Flag), named(ArfKind::Accumulator));
            if flag || inst.cond.is_some() {
                writes.push(self.units + FLAG);
            } else if inst.predicate != Predicate::None {
                reads.push(self.units + FLAG);
            }
            if accumulator || accumulates(inst) {
                writes.push(self.units + ACCUMULATOR);
            }
            if matches!(inst.what, What::Send(_)) {
                let last = last_send.replace(at);
                if let Some(last) = last {
                    self.edge(last, at, 1);
                }
            }
            for &unit in &reads {
                if let Some(writer) = self.writers[unit] {
                    self.edge(writer, at, self.latencies[writer as usize]);
                }
            }
            for &unit in &writes {
                if let Some(writer) = self.writers[unit] {
                    self.edge(writer, at, self.latencies[writer as usize]);
                }
                for index in 0..self.readers[unit].len() {
                    self.edge(self.readers[unit][index], at, 1);
                }
            }
            for &unit in &reads {
                self.readers[unit].push(at);
                self.used.push(unit);
            }
            for &unit in &writes {
                self.writers[unit] = Some(at);
                self.readers[unit].clear();
                self.used.push(unit);
            }
        }
    }

    fn edge(&mut self, from: u32, to: u32, cycles: u32) {
        let edges = &mut self.after[from as usize];
        match edges.last_mut() {
            Some(last) if last.to == to => last.cycles = last.cycles.max(cycles),
            _ => edges.push(Edge { to, cycles }),
        }
    }

    /// An order of the instructions that the edges allow.
    fn order(&self, out: &mut Vec<u32>) {
        let count = self.after.len();
        // The longest way to the end.
        let mut ways = vec![0u32; count];
        let mut before = vec![0u32; count];
        for index in (0..count).rev() {
            let behind = self.after[index].iter();
            let ways_on = behind.map(|edge| ways[edge.to as usize].saturating_add(edge.cycles));
            ways[index] = ways_on.max().unwrap_or(self.latencies[index]);
            for edge in &self.after[index] {
                before[edge.to as usize] += 1;
            }
        }
        out.clear();
        let mut earliest = vec![0u32; count];
        // What may be next, and what waits for a result: by the cycle.
        let mut ready: BinaryHeap<(u32, Reverse<u32>)> = BinaryHeap::new();
        let mut waiting: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
        let first = (0..count).filter(|index| before[*index] == 0);
        ready.extend(first.map(|index| (ways[index], Reverse(index as u32))));
        let mut now = 0u32;
        while out.len() < count {
            while let Some(Reverse((cycle, index))) = waiting.peek().copied()
                && (cycle <= now || ready.is_empty())
            {
                waiting.pop();
                now = now.max(cycle);
                ready.push((ways[index as usize], Reverse(index)));
            }
            let Some((_, Reverse(index))) = ready.pop() else {
                break;
            };
            out.push(index);
            for edge in &self.after[index as usize] {
                let to = edge.to as usize;
                earliest[to] = earliest[to].max(now.saturating_add(edge.cycles));
                before[to] -= 1;
                if before[to] == 0 {
                    waiting.push(Reverse((earliest[to], edge.to)));
                }
            }
            now += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use isa_encoder::message::{Direction, Gateway, Hdc, Message};
    use isa_encoder::{CondMod, Opcode, Type as M};

    use super::{schedule, stays};
    use crate::code::{Code, Inst, Operand, Place, Predicate, SendData, Var, What};
    use crate::regalloc::Allocation;
    use crate::target::Target;

    const GRF: u32 = 32;

    fn target() -> Target {
        Target::new(devinfo::by_name("tgl").unwrap(), 8, 128)
    }

    /// A register as eight dwords.
    fn dwords(register: u32) -> Operand {
        Operand::Var {
            place: place(register),
            ty: M::Ud,
            stride: 1,
            neg: false,
            abs: false,
        }
    }

    const fn place(register: u32) -> Place {
        Place {
            var: Var(register),
            byte: 0,
        }
    }

    /// Each virtual register is one register.
    fn code(insts: Vec<Inst>) -> (Code, Allocation) {
        let mut code = Code {
            insts,
            ..Code::default()
        };
        for _ in 0..16 {
            code.var(GRF, GRF);
        }
        let places = (0..16).map(|register| register * GRF).collect();
        (code, Allocation { places, scratch: 0 })
    }

    fn add(dst: u32, a: u32, b: u32) -> Inst {
        Inst {
            dst: Some(dwords(dst)),
            srcs: [Some(dwords(a)), Some(dwords(b)), None],
            ..Inst::new(What::Alu(Opcode::Add), 8)
        }
    }

    fn load(dst: u32, address: u32) -> Inst {
        let block = Hdc::ScratchBlock {
            direction: Direction::Read,
            hwords: 1,
            offset: 0,
            dword_channels: false,
        };
        Inst::new(
            What::Send(SendData {
                message: Message::Hdc(block),
                response: Some((place(dst), 1)),
                src0: (place(address), 1),
                header: false,
                src1: None,
            }),
            8,
        )
    }

    fn order(insts: Vec<Inst>) -> Vec<u32> {
        let (mut code, allocation) = code(insts);
        schedule(&mut code, &allocation, &target())
    }

    #[test]
    fn messages_come_first_and_their_users_last() {
        let insts = vec![
            add(1, 2, 2),
            load(3, 4),
            add(5, 3, 3),
            add(6, 7, 7),
            add(8, 9, 9),
            load(10, 11),
        ];
        assert_eq!(order(insts), [1, 5, 0, 3, 4, 2]);
    }

    #[test]
    fn what_stays_parts_the_code() {
        let wait = Inst {
            dst: Some(Operand::Null(M::Ud)),
            srcs: [Some(dwords(3)), None, None],
            ..Inst::new(What::Alu(Opcode::Mov), 8)
        };
        let insts = vec![add(1, 2, 2), load(3, 4), wait, add(5, 6, 6), load(7, 8)];
        // The second message does not begin before the wait for the first one has ended.
        let found = order(insts);
        assert_eq!(found[2], 2);
        assert!(found[..2].iter().all(|number| *number < 2));
        // Nor is what was read used behind a barrier.
        let mut barrier = load(9, 10);
        if let What::Send(send) = &mut barrier.what {
            send.message = Message::Gateway(Gateway::Barrier);
        }
        let insts = vec![
            add(1, 2, 2),
            load(3, 4),
            add(5, 3, 3),
            barrier,
            add(6, 7, 7),
        ];
        assert_eq!(order(insts), [1, 0, 2, 3, 4]);
    }

    /// What two instructions may not both do: one writes what the other accesses. Computed from the
    /// instructions alone.
    fn conflict(a: &Inst, b: &Inst) -> bool {
        let of = |inst: &Inst| {
            let mut list = Vec::new();
            inst.accesses(GRF, |access| list.push((access.var.0, access.writes)));
            if inst.cond.is_some() {
                list.push((1000, true));
            }
            if inst.predicate != Predicate::None {
                list.push((1000, false));
            }
            if matches!(inst.what, What::Send(_)) {
                list.push((1001, true));
            }
            list
        };
        let (a, b) = (of(a), of(b));
        a.iter().any(|(var, writes)| {
            let mut b = b.iter();
            b.any(|(other, others)| var == other && (*writes || *others))
        })
    }

    #[test]
    fn what_conflicts_stays_in_order() {
        let mut seed = 0x5eed_0013_u64;
        println!("seed {seed:#x}");
        let mut number = |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((seed >> 33) % below) as u32
        };
        let mut moved = 0;
        for _ in 0..300 {
            let insts: Vec<Inst> = (0..40)
                .map(|_| {
                    let [a, b, c] = [(); 3].map(|()| number(16));
                    match number(12) {
                        0 | 1 => load(a, b),
                        2 => Inst {
                            cond: Some(CondMod::Lt),
                            ..add(a, b, c)
                        },
                        3 => Inst {
                            predicate: Predicate::When,
                            ..add(a, b, c)
                        },
                        4 => Inst::new(What::Sync(isa_encoder::SyncFunction::Nop), 1),
                        _ => add(a, b, c),
                    }
                })
                .collect();
            let found = order(insts.clone());
            let mut sorted = found.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().copied().eq(0..40));
            for (at, first) in found.iter().enumerate() {
                for second in found[at + 1..].iter().filter(|second| *second < first) {
                    moved += 1;
                    let [a, b] = [first, second].map(|index| &insts[*index as usize]);
                    assert!(!conflict(a, b) && !stays(a) && !stays(b), "{a:?} {b:?}");
                }
            }
        }
        assert!(moved > 1000, "{moved}");
    }
}
