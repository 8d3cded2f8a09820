//! Where channels go, and what of two registers each of them still needs.

use std::ops::Range;

use hashbrown::HashMap;

use super::spill;
use crate::code::{Code, Operand, Predicate, What};
use crate::ir::Block;

/// Where the channels of an instruction go.
pub struct Flow {
    /// The block of each instruction.
    blocks: Vec<u32>,
    /// Where those of each block go next.
    next: Vec<Vec<u32>>,
    /// Where those of each block come from.
    before: Vec<Vec<u32>>,
    /// What is needed at the end of each block; nothing between two questions.
    needed: Vec<[u64; 2]>,
    /// Blocks that questions may still visit.
    budget: usize,
}

/// For each instruction, the blocks that all questions together may visit: time grows with the code. Behind that, each
/// answer is that the two are not apart, which costs a copy.
const VISITS: usize = 16;

/// An access to a part of two registers that would share it.
pub struct Event {
    /// The instruction.
    pub at: u32,
    /// Which of the two.
    pub side: usize,
    pub writes: bool,
    /// The bytes in the shared part.
    pub bytes: Range<i64>,
    /// It copies from the other one, and afterwards both have the same.
    pub copies: bool,
    /// Each channel's element comes from elements at the same place.
    pub elementwise: bool,
}

impl Event {
    /// The dwords that it touches, a bit each.
    fn touched(&self) -> u64 {
        bits(self.bytes.start.max(0) / 4..(self.bytes.end.max(0) + 3) / 4)
    }

    /// The dwords that each channel that runs has anew.
    fn renewed(&self, code: &Code) -> u64 {
        let inst = &code.insts[self.at as usize];
        let whole = match (inst.what, inst.dst) {
            (What::Send(_), _) => true,
            (_, Some(Operand::Var { ty, stride, .. })) => stride == 1 && ty.bytes() >= 4,
            _ => false,
        };
        match whole && inst.predicate == Predicate::None {
            true => bits((self.bytes.start.max(0) + 3) / 4..self.bytes.end.max(0) / 4),
            false => 0,
        }
    }
}

/// Those of a range of dwords.
fn bits(range: Range<i64>) -> u64 {
    let below = |end: i64| match end {
        64.. => u64::MAX,
        end => (1u64 << end.max(0)) - 1,
    };
    below(range.end) & !below(range.start)
}

impl Flow {
    pub fn new(code: &Code) -> Self {
        let blocks = spill::blocks(code);
        let numbered = || code.insts.iter().zip(&blocks);
        let labels: HashMap<Block, u32> = numbered()
            .filter_map(|(inst, number)| match inst.what {
                What::Label(block, _) => Some((block, *number)),
                _ => None,
            })
            .collect();
        let count = blocks.last().map_or(0, |last| *last as usize + 1);
        let mut next = vec![Vec::new(); count];
        for (place, (inst, number)) in numbered().enumerate() {
            let following = blocks.get(place + 1).filter(|other| *other != number);
            let (to, stay) = match inst.what {
                What::Goto(to) | What::Back(to) | What::Jump(to) => {
                    let stays = !matches!(inst.predicate, Predicate::None | Predicate::Never);
                    (labels.get(&to), stays)
                }
                What::End => (None, false),
                _ => (None, true),
            };
            let following = following.filter(|_| stay);
            next[*number as usize].extend(to.into_iter().chain(following));
        }
        let mut before = vec![Vec::new(); count];
        for (from, to) in next.iter().enumerate() {
            for to in to {
                before[*to as usize].push(from as u32);
            }
        }
        Self {
            needed: vec![[0; 2]; count],
            budget: VISITS * code.insts.len(),
            blocks,
            next,
            before,
        }
    }

    pub fn block(&self, at: u32) -> u32 {
        self.blocks[at as usize]
    }

    /// Whether channels that execute an instruction may execute a later one, without a new round of the
    /// loop that begins with `round`.
    pub fn leads(&self, from: u32, to: u32, round: Option<u32>) -> bool {
        let (from, to) = (self.block(from), self.block(to));
        let header = round.map(|first| self.block(first));
        let mut seen = vec![false; self.next.len()];
        let mut open = vec![from];
        while let Some(block) = open.pop() {
            if block == to {
                return true;
            }
            if !std::mem::replace(&mut seen[block as usize], true) {
                let next = self.next[block as usize].iter();
                open.extend(next.filter(|next| Some(**next) != header));
            }
        }
        false
    }

    /// Whether no channel writes its part of one register while it still needs what it has of the other,
    /// but for copies between the two. The events are in the order of the code, and all writes are masked.
    /// It is not known of parts of more than 256 bytes, nor when too much was asked.
    pub fn are_apart(&mut self, code: &Code, events: &[Event]) -> bool {
        if events.iter().any(|event| event.bytes.end > 4 * 64) {
            return false;
        }
        let chunks = events.chunk_by(|a, b| self.block(a.at) == self.block(b.at));
        let in_order = chunks.filter_map(|chunk| Some((self.block(chunk.first()?.at), chunk)));
        let in_order: Vec<(u32, &[Event])> = in_order.collect();
        let by_block: HashMap<u32, &[Event]> = in_order.iter().copied().collect();
        // In the order of the code, so that the same code asks for as much each time.
        let mut open: Vec<u32> = in_order.iter().map(|(block, _)| *block).collect();
        let mut touched: Vec<u32> = Vec::new();
        while let Some(block) = open.pop() {
            let Some(left) = self.budget.checked_sub(1) else {
                // What is needed before this block is not known.
                open.push(block);
                break;
            };
            self.budget = left;
            let end = self.needed[block as usize];
            let begin = match by_block.get(&block) {
                Some(events) => walk(code, events, end).0,
                None => end,
            };
            for from in &self.before[block as usize] {
                let needed = &mut self.needed[*from as usize];
                let more = [needed[0] | begin[0], needed[1] | begin[1]];
                if more != *needed {
                    *needed = more;
                    touched.push(*from);
                    open.push(*from);
                }
            }
        }
        let known = open.is_empty();
        let apart = known
            && in_order
                .iter()
                .all(|(block, events)| walk(code, events, self.needed[*block as usize]).1);
        for block in touched {
            self.needed[block as usize] = [0; 2];
        }
        apart
    }
}

/// What is needed before the events of a block, and whether they write nothing that is needed of the other
/// register.
fn walk(code: &Code, events: &[Event], mut needed: [u64; 2]) -> ([u64; 2], bool) {
    let mut apart = true;
    for events in events.chunk_by(|a, b| a.at == b.at).rev() {
        let writes = || events.iter().filter(|event| event.writes);
        let reads = || events.iter().filter(|event| !event.writes);
        for event in writes() {
            let other = 1 - event.side;
            apart &= event.copies || needed[other] & event.touched() == 0;
            // What it reads of the other one lies where it writes, or elsewhere.
            apart &= reads().all(|read| {
                let meets = read.side == other && read.touched() & event.touched() != 0;
                !meets || event.copies || event.elementwise && read.bytes == event.bytes
            });
        }
        for event in writes() {
            needed[event.side] &= !event.renewed(code);
        }
        for event in reads() {
            needed[event.side] |= event.touched();
        }
    }
    (needed, apart)
}

#[cfg(test)]
mod tests {
    use isa_encoder::{Opcode, Type as M};

    use super::super::join::join;
    use super::{Event, Flow};
    use crate::code::{Code, Inst, Operand, Place, Predicate, Var, What};
    use crate::ir::Block;

    const GRF: u32 = 32;

    fn dwords(register: u32) -> Operand {
        Operand::Var {
            place: Place {
                var: Var(register),
                byte: 0,
            },
            ty: M::Ud,
            stride: 1,
            neg: false,
            abs: false,
        }
    }

    fn inst(opcode: Opcode, dst: u32, srcs: &[Operand]) -> Inst {
        let mut inst = Inst::new(What::Alu(opcode), 8);
        inst.dst = Some(dwords(dst));
        for (place, src) in inst.srcs.iter_mut().zip(srcs) {
            *place = Some(*src);
        }
        inst
    }

    /// `b` is `a`, or in other lanes twice that. A third kind of lanes only needs `a`; they leave before
    /// `b` is there, and go on last. Where do those go that have `b`?
    fn parting(behind: What) -> Code {
        let (a, b, other) = (0, 1, 2);
        let label = |number| Inst::new(What::Label(Block(number), false), 8);
        let some = |number| Inst {
            predicate: Predicate::When,
            ..Inst::new(What::Goto(Block(number)), 8)
        };
        let twice = |dst, src| inst(Opcode::Add, dst, &[dwords(src), dwords(src)]);
        let mut code = Code {
            insts: vec![
                label(0),
                inst(Opcode::Mov, a, &[Operand::Imm(1, M::Ud)]),
                some(4),
                some(2),
                inst(Opcode::Mov, b, &[dwords(a)]),
                Inst::new(What::Goto(Block(3)), 8),
                label(2),
                twice(b, a),
                label(3),
                twice(other, b),
                Inst::new(behind, 8),
                label(4),
                twice(other, a),
                Inst::new(What::End, 8),
            ],
            ..Code::default()
        };
        for _ in 0..3 {
            code.var(GRF, GRF);
        }
        code
    }

    fn copies_left(behind: What) -> usize {
        let mut code = parting(behind);
        join(&mut code, GRF);
        let is_copy = |inst: &&Inst| {
            let from = inst.srcs[0];
            matches!(inst.what, What::Alu(Opcode::Mov)) && !matches!(from, Some(Operand::Imm(..)))
        };
        code.insts.iter().filter(is_copy).count()
    }

    #[test]
    fn lanes_that_left_keep_what_others_write() {
        assert_eq!(copies_left(What::End), 0);
        // Then those that wrote `b` still need `a`.
        assert_eq!(copies_left(What::Jump(Block(4))), 1);
    }

    #[test]
    fn what_took_too_many_visits_is_not_known() {
        // A loop adds to `a`, and `b` lives in another block of it.
        let (a, b, other) = (0, 1, 2);
        let twice = |dst, src| inst(Opcode::Add, dst, &[dwords(src), dwords(src)]);
        let again = Inst {
            predicate: Predicate::When,
            ..Inst::new(What::Back(Block(0)), 8)
        };
        let code = Code {
            insts: vec![
                Inst::new(What::Label(Block(0), false), 8),
                twice(a, a),
                Inst::new(What::Label(Block(1), false), 8),
                twice(b, other),
                twice(other, b),
                again,
                Inst::new(What::End, 8),
            ],
            ..Code::default()
        };
        let event = |at, side, writes| Event {
            at,
            side,
            writes,
            bytes: 0..32,
            copies: false,
            elementwise: true,
        };
        let events = [
            event(1, 0, false),
            event(1, 0, true),
            event(3, 1, true),
            event(4, 1, false),
        ];
        for budget in 0..50 {
            let mut flow = Flow::new(&code);
            flow.budget = budget;
            assert!(!flow.are_apart(&code, &events), "{budget} visits");
        }
        // In a block each, and with no way back, they are apart.
        let mut straight = code;
        straight.insts.remove(5);
        let answers = (0..50).map(|budget| {
            let mut flow = Flow::new(&straight);
            flow.budget = budget;
            flow.are_apart(&straight, &events)
        });
        assert!(answers.is_sorted());
        assert!(Flow::new(&straight).are_apart(&straight, &events));
    }
}
