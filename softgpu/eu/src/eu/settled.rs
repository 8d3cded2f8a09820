//! Which registers a thread that begins writes before it reads them: what they held before does not
//! matter.

use super::family::Rules;
use super::lines::Lines;
use super::op::{Action, Op, Pred, SendOp};
use super::operand::{Kind, Target};
use super::regs::{self, GRF_BASE};
use super::vector;

/// What is known of a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Byte {
    /// Nothing has touched it.
    Unknown,
    /// It was written first.
    Settled,
    /// It was read first.
    Read,
}

/// The lines of general registers that threads which begin with `ops` write whole, on all of these
/// channels, before they read a byte of them. The ops follow each other up to the first that may not.
pub(super) fn lines(ops: &[Op], channels: u32, rules: Rules) -> Lines {
    let mut bytes = vec![Byte::Unknown; regs::end(rules.family, 256)];
    let mut touch = |start: usize, count: usize, how: Byte| {
        let from = start.max(GRF_BASE);
        let touched = bytes.get_mut(from..(start + count).max(from));
        for byte in touched.unwrap_or_default() {
            if *byte == Byte::Unknown {
                *byte = how;
            }
        }
    };
    for (op, next) in ops.iter().zip(ops.iter().skip(1)) {
        let known = match &op.action {
            Action::Nop => true,
            Action::Fast(_) | Action::General => compute(op, channels, rules, &mut touch),
            Action::Send(send) => message(op, send, channels, &mut touch),
            Action::Flow | Action::Paired | Action::Barrier => false,
        };
        if !known || op.next_ip != next.ip {
            break;
        }
    }
    let mut settled = Lines::default();
    settled.mark_whole(|at| bytes.get(at) == Some(&Byte::Settled));
    settled
}

/// Whether all of an op's channels execute it.
fn is_whole(op: &Op, channels: u32) -> bool {
    let enabled = op.no_mask || channels >> op.channel_offset & op.size_mask() == op.size_mask();
    enabled && op.pred == Pred::Always
}

/// False if it is not known what the op reads.
fn compute(
    op: &Op,
    channels: u32,
    rules: Rules,
    touch: &mut impl FnMut(usize, usize, Byte),
) -> bool {
    // What is lane by lane reads its sources' regions, and no more.
    if vector::request(op, rules).is_none() {
        return false;
    }
    for source in &op.src {
        match source.kind {
            Kind::None | Kind::Immediate => {}
            Kind::Direct => {
                let count = source.extent(op.lanes());
                touch(source.base as usize, count, Byte::Read);
            }
            Kind::Indirect => return false,
        }
    }
    if op.dst.target == Target::Direct && is_whole(op, channels) {
        let size = op.dst.ty.bytes() as usize;
        for lane in 0..op.lanes() {
            let start = op.dst.base as usize + lane * usize::from(op.dst.stride);
            touch(start, size, Byte::Settled);
        }
    }
    true
}

/// False if it is not known what the message reads.
fn message(
    op: &Op,
    send: &SendOp,
    channels: u32,
    touch: &mut impl FnMut(usize, usize, Byte),
) -> bool {
    let Some(spans) = send.known_spans().filter(|_| !send.eot) else {
        return false;
    };
    if send.registers.gathered.is_some() {
        return false;
    }
    for span in [spans.src0, spans.src1] {
        touch(span.start as usize, span.range().len(), Byte::Read);
    }
    if let Some(bytes) = send
        .plain
        .as_ref()
        .and_then(|plain| plain.response(op.exec_size))
        && is_whole(op, channels)
    {
        touch(bytes.start, bytes.len(), Byte::Settled);
    }
    true
}
