//! Which register bytes code may write, in lines of 64.
//!
//! A register file that another thread has used is cleared where that thread's code may have
//! written, and the next one's may read what is there.

use core::ops::Range;

use isa_encoder::Attributes;

use super::op::{Action, Op};
use super::operand::Target;
use super::{accumulator, regs};

const LINE: usize = 64;
const WORDS: usize = 6;
/// How many lines are cleared for nothing, rather than to begin another run.
const GAP: usize = 4;

/// What a barrier that is signalled or passed changes.
const NOTIFIED: Range<usize> = regs::NOTIFICATION..regs::NOTIFICATION + 4;

/// A set of lines of a register file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Lines([u64; WORDS]);

impl Lines {
    /// None of them.
    pub const NONE: Self = Self([0; WORDS]);
    /// All of them.
    pub const ALL: Self = Self([u64::MAX; WORDS]);

    /// The lines of these bytes, too.
    pub fn mark(&mut self, bytes: Range<usize>) {
        if bytes.is_empty() {
            return;
        }
        for line in bytes.start / LINE..bytes.end.div_ceil(LINE) {
            if let Some(word) = self.0.get_mut(line / 64) {
                *word |= 1 << (line % 64);
            }
        }
    }

    /// Those of `other`, too.
    #[inline]
    pub fn add(&mut self, other: &Self) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }

    /// Those of the architecture registers with which a thread starts.
    pub fn of_state() -> Self {
        let mut lines = Self::default();
        lines.mark(regs::STATE..regs::CONTROL + 4);
        lines.mark(regs::MESSAGE_CONTROL..regs::MESSAGE_CONTROL + 4);
        lines
    }

    /// Those of so many bytes of general registers, the first ones.
    pub fn of_payload(bytes: usize) -> Self {
        let mut lines = Self::default();
        lines.mark(regs::GRF_BASE..regs::GRF_BASE + bytes);
        lines
    }

    /// Where the lines begin that lie before `end` whole.
    pub fn offsets(&self, end: usize) -> impl Iterator<Item = u32> {
        let all = (0..end / LINE).filter(|line| {
            let word = self.0.get(line / 64);
            word.is_some_and(|word| word >> (line % 64) & 1 != 0)
        });
        all.map(|line| (LINE * line) as u32)
    }

    /// The bytes of the lines, in runs. Runs with at most a few lines between them, none of which
    /// `others` has, are one.
    pub fn runs(&self, others: &Self) -> Vec<Range<usize>> {
        let has = |lines: &Self, line: usize| lines.0[line / 64] >> (line % 64) & 1 != 0;
        let mut runs: Vec<Range<usize>> = Vec::new();
        for line in (0..64 * WORDS).filter(|&line| has(self, line)) {
            match runs.last_mut() {
                Some(last)
                    if line - last.end <= GAP
                        && !(last.end..line).any(|between| has(others, between)) =>
                {
                    last.end = line + 1;
                }
                _ => runs.push(line..line + 1),
            }
        }
        for run in &mut runs {
            *run = LINE * run.start..LINE * run.end;
        }
        runs
    }

    /// The same without those of `other`.
    #[inline]
    pub fn without(&self, other: &Self) -> Self {
        let mut rest = *self;
        for (word, other) in rest.0.iter_mut().zip(other.0) {
            *word &= !other;
        }
        rest
    }

    /// Whether there is none. (To compare with [`NONE`](Self::NONE) is a call of `memcmp`.)
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// The lines of which all bytes `are`, too.
    pub fn mark_whole(&mut self, are: impl Fn(usize) -> bool) {
        for line in 0..64 * WORDS {
            if (LINE * line..LINE * (line + 1)).all(&are) {
                self.mark(LINE * line..LINE * (line + 1));
            }
        }
    }

    /// The lines that lie in these bytes whole.
    #[inline]
    pub fn inside(bytes: Range<usize>) -> Self {
        let mut lines = Self::default();
        for line in bytes.start.div_ceil(LINE)..bytes.end / LINE {
            if let Some(word) = lines.0.get_mut(line / 64) {
                *word |= 1 << (line % 64);
            }
        }
        lines
    }

    /// What `ops` may write. Registers are `grf_bytes` long.
    pub fn written(ops: &[Op], grf_bytes: usize) -> Self {
        let mut lines = Self::default();
        for op in ops {
            if !lines.mark_op(op, grf_bytes) {
                return Self::ALL;
            }
        }
        lines
    }

    /// What an op may write; false if that is not known.
    fn mark_op(&mut self, op: &Op, grf_bytes: usize) -> bool {
        if op.live {
            self.mark(regs::IP..regs::CHANNEL_ENABLE + 4);
        }
        match &op.action {
            Action::Nop => return true,
            Action::Barrier => {
                self.mark(NOTIFIED);
                return true;
            }
            Action::Send(send) => {
                if send.may_signal() {
                    self.mark(NOTIFIED);
                }
                return match send.known_spans() {
                    Some(spans) => {
                        self.mark(spans.dst.range());
                        true
                    }
                    None => false,
                };
            }
            Action::Paired | Action::Flow | Action::Fast(_) | Action::General => {}
        }
        if op.cond.is_some() {
            self.mark(regs::FLAG..regs::FLAG + 16);
        }
        if op.write_acc || op.opcode.has(Attributes::WRITES_ACC) {
            let first = accumulator::first_element(op, grf_bytes);
            for bytes in accumulator::elements(first, op.lanes()) {
                self.mark(bytes);
            }
        }
        let start = op.dst.base as usize;
        match op.dst.target {
            Target::Null => {}
            Target::Indirect => return false,
            Target::Direct => {
                for result in op.results(grf_bytes) {
                    self.mark(start + result.start..start + result.end);
                }
                if start < regs::ADDRESS {
                    let size = op.dst.ty.bytes() as usize;
                    let first = (start - regs::ACC) / size;
                    let last = first + (op.lanes() - 1) * usize::from(op.dst.stride) / size;
                    for bytes in accumulator::elements(first, last + 1 - first) {
                        self.mark(bytes);
                    }
                }
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_have_all_lines_and_no_others_but_the_few_between_them() {
        let mut lines = Lines::default();
        for bytes in [
            0..1,
            63..65,
            130..130,
            400..401,
            4095..4097,
            64 * 127..64 * 129,
        ] {
            lines.mark(bytes);
        }
        let none = Lines::default();
        assert_eq!(
            lines.runs(&none),
            [0..448, 4032..4160, 64 * 127..64 * 129],
            "lines 2 to 5 are between two runs"
        );
        let mut others = Lines::default();
        others.mark(130..131);
        assert_eq!(lines.runs(&others)[..2], [0..128, 384..448]);
        let all = Lines::ALL.runs(&none);
        assert_eq!((all.len(), all[0].end), (1, 64 * 64 * WORDS));
    }
}
