//! The scoreboard's hazards, as they happen: instructions that touch registers which others under way
//! still write or read. It sees what the text does not say: registers that a0 names, lengths of messages
//! in registers, and the paths that are taken.

use isa_encoder::swsb::{Conflict, InOrder, Order, Range};

use super::op::{Action, Op, Span, Spans};
use super::operand::{Kind, Target};
use super::owed::{Hazard, Owed};
use super::regs::GRF_BASE;
use super::send;
use super::state::State;
use crate::Checks;

/// What a thread may have under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Hazards {
    /// By tokens.
    owed: Owed,
    /// In order.
    in_order: InOrder,
    /// Registers that an op accesses and its text does not name.
    named: Vec<Range>,
}

/// The registers that an op writes.
pub(super) fn results(state: &State, op: &Op) -> Span {
    let Ok(Some(at)) = op.dst.resolve(&state.regs, op.lanes()) else {
        return Span::default();
    };
    let [first, second] = op.results(state.rules.grf_bytes);
    Span {
        start: at as u32,
        end: (at + first.end.max(second.end)) as u32,
    }
}

impl Hazards {
    /// Nothing is under way. Registers have `grf` bytes.
    pub fn reset(&mut self, grf: usize) {
        self.owed.reset(grf);
        self.in_order.clear();
    }

    /// Before `op` is executed: it waits, it is judged, and it is under way, unless it is a message.
    pub fn before(&mut self, state: &State, op: &Op, checks: &Checks) {
        self.owed.wait(op.tokens);
        if !self.owed.is_empty() {
            self.meets(state, op, checks);
        }
        if let Some(order) = &op.order {
            self.overtakes(state, (op, order), checks);
        }
        if op.tokens.takes != 0 && !matches!(op.action, Action::Send(_)) {
            let mask = if op.no_mask { u32::MAX } else { state.active };
            let packed = u32::from(op.dst.stride) == op.dst.ty.bytes();
            let results = match packed {
                true => results(state, op).whole(state.rules.grf_bytes),
                false => Span::default(),
            };
            let reads = [Span::default(); 2];
            self.owed.take(op.tokens, op.ip, mask, results, reads);
        }
    }

    /// Reports an access of a register that an instruction under way still owns.
    fn meets(&self, state: &State, op: &Op, checks: &Checks) {
        let mask = match op.no_mask {
            true => state.active,
            false => state.write_mask(op) << op.channel_offset,
        };
        if mask == 0 || op.tokens.touches {
            return;
        }
        let report = |hazard: Option<Hazard>| {
            if let Some(hazard) = hazard {
                checks.set_ip(op.ip.into());
                checks.hazard(hazard.register, hazard.ip.into(), hazard.reads);
            }
        };
        if let Action::Send(send) = &op.action {
            if let Some(spans) = send.spans {
                report(self.owed.meets(spans.src0, false, mask));
                report(self.owed.meets(spans.src1, false, mask));
                // A unit reads a message's payload before it writes the next one's response.
                report(self.owed.meets(spans.dst, false, mask));
            }
            for (span, _) in send::unnamed(state, send) {
                report(self.owed.meets(span, false, mask));
            }
            return;
        }
        if !matches!(op.action, Action::Fast(_) | Action::General) {
            return;
        }
        for source in &op.src {
            let size = source.element.bytes() as usize;
            let span = |at: usize, bytes: usize| Span {
                start: at as u32,
                end: (at + bytes) as u32,
            };
            match source.kind {
                Kind::None | Kind::Immediate => {}
                Kind::Direct => {
                    let bytes = source.extent(op.lanes());
                    report(
                        self.owed
                            .meets(span(source.base as usize, bytes), false, mask),
                    );
                }
                Kind::Indirect => {
                    let hazard = (0..op.lanes())
                        .filter(|lane| op.no_mask || mask >> op.channel_offset >> lane & 1 != 0)
                        .filter_map(|lane| source.place(&state.regs, lane))
                        .find_map(|at| self.owed.meets(span(at, size), false, mask));
                    report(hazard);
                }
            }
        }
        let results = results(state, op);
        report(self.owed.meets(results, true, mask));
    }

    /// Reports an access of a register that an in-order pipe still has to write or to read.
    fn overtakes(&mut self, state: &State, (op, order): (&Op, &Order), checks: &Checks) {
        self.named.clear();
        let named = &mut self.named;
        let mut name = |at: usize, bytes: usize, write: bool| {
            let from = |at: usize| at.checked_sub(GRF_BASE)?.try_into().ok();
            let (Some(start), Some(end)) = (from(at), from(at + bytes)) else {
                return;
            };
            match named.last_mut() {
                Some(last) if last.end == start && last.write == write => last.end = end,
                _ => named.push(Range { start, end, write }),
            }
        };
        for source in op.src.iter().filter(|one| one.kind == Kind::Indirect) {
            let enabled = state.enabled(op);
            for lane in (0..op.lanes()).filter(|lane| enabled >> lane & 1 != 0) {
                if let Some(at) = source.place(&state.regs, lane) {
                    name(at, source.element.bytes() as usize, false);
                }
            }
        }
        if op.dst.target == Target::Indirect
            && let Ok(Some(at)) = op.dst.resolve(&state.regs, op.lanes())
        {
            for lane in (0..op.lanes()).filter(|lane| state.write_mask(op) >> lane & 1 != 0) {
                let (step, size) = (usize::from(op.dst.stride), op.dst.ty.bytes() as usize);
                name(at + lane * step, size, true);
            }
        }
        if let Action::Send(send) = &op.action {
            for (span, write) in send::unnamed(state, send) {
                name(span.start as usize, (span.end - span.start) as usize, write);
            }
        }
        let grf = state.rules.grf_bytes;
        self.in_order
            .begin(order, (op.ip, op.next_ip), &self.named, |met| {
                checks.set_ip(op.ip.into());
                let reads = met.conflict == Conflict::WriteAfterRead;
                checks.hazard(usize::from(met.byte) / grf, met.at.into(), reads);
            });
    }

    /// A message is on its way.
    pub fn sent(&mut self, state: &State, op: &Op, spans: &Spans) {
        let mask = if op.no_mask { u32::MAX } else { state.active };
        let reads = [spans.src0, spans.src1];
        self.owed.take(op.tokens, op.ip, mask, spans.dst, reads);
    }
}
