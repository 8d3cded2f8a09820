//! What host code calls back for, and where it leaves to the interpreter: an op in either costs many
//! times what it does as host code.
//!
//! Counted if the tracing target `softgpu::calls` is enabled at level debug when a routine gets host
//! code, and logged as the counts grow.

use std::sync::atomic::{AtomicU64, Ordering};

use isa_encoder::message::Message as Meaning;

use crate::eu::op::{Action, Op};
use crate::eu::operand::Kind;

const TARGET: &str = "softgpu::calls";

/// The first count that is logged; the next ones are each [`GROWTH`] times the one before.
const FIRST: u64 = 1 << 10;
const GROWTH: u64 = 4;

/// The counts of a routine.
#[derive(Debug)]
pub(super) struct Calls(Box<[Call]>);

#[derive(Debug)]
struct Call {
    op: String,
    /// It was called back for.
    calls: AtomicU64,
    /// The interpreter went on from there.
    leaves: AtomicU64,
}

impl Calls {
    /// Counts of `ops`, if somebody asks.
    pub fn of(ops: &[Op]) -> Option<Self> {
        let call = |op: &Op| Call {
            op: describe(op),
            calls: AtomicU64::new(0),
            leaves: AtomicU64::new(0),
        };
        let asked = tracing::enabled!(target: TARGET, tracing::Level::DEBUG);
        asked.then(|| Self(ops.iter().map(call).collect()))
    }

    /// Host code calls back for the op of this number.
    pub fn call(&self, number: usize) {
        if let Some(call) = self.0.get(number)
            && let Some(count) = count(&call.calls)
        {
            tracing::debug!(target: TARGET, "{count} calls: {}", call.op);
        }
    }

    /// The interpreter goes on from there.
    pub fn leave(&self, number: usize) {
        if let Some(call) = self.0.get(number)
            && let Some(count) = count(&call.leaves)
        {
            tracing::debug!(target: TARGET, "{count} times interpreted from: {}", call.op);
        }
    }
}

/// Counts one more; gives the count if it is logged.
fn count(counter: &AtomicU64) -> Option<u64> {
    let now = counter.fetch_add(1, Ordering::Relaxed) + 1;
    let times = now / FIRST;
    let logged = now.is_multiple_of(FIRST) && times.is_power_of_two();
    (logged && times.ilog2().is_multiple_of(GROWTH.ilog2())).then_some(now)
}

fn describe(op: &Op) -> String {
    let mut text = format!(
        "{:#06x} {} ({}|M{})",
        op.ip,
        op.opcode.mnemonic(),
        op.exec_size,
        op.channel_offset
    );
    if let Action::Send(send) = &op.action {
        let message = match &send.meaning {
            Some(Meaning::Hdc(hdc)) => hdc.to_string(),
            Some(Meaning::Lsc(lsc)) => lsc.to_string(),
            Some(other) => format!("{other:?}"),
            None => "a message of descriptors in registers".to_owned(),
        };
        return format!("{text}, {message}");
    }
    text += &format!(" {}", op.dst.ty);
    for source in op.src.iter().filter(|source| source.kind != Kind::None) {
        text += &format!(", {}", source.ty);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_logged_as_they_grow() {
        let counter = AtomicU64::new(0);
        let logged: Vec<u64> = (0..5000).filter_map(|_| count(&counter)).collect();
        assert_eq!(logged, [1024, 4096]);
    }
}
