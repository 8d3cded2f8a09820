//! What kernels may not do with a buffer: the program has said so, or has it for itself.

use super::Checks;
use super::access::{Access, What};
use super::rule::Rule;

/// What kernels may not do with a part of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Forbidden {
    /// They may not read it.
    pub reads: bool,
    /// They may not write it.
    pub writes: bool,
    /// Why: what comes behind "which".
    pub why: &'static str,
}

impl Checks {
    /// Judges whether kernels may do this with a program's buffer, the one whose purpose was asked for last.
    pub(super) fn judge_permission(&self, address: u64, width: u64, access: &Access<'_>) {
        let all = &self.extents.forbidden;
        if all.is_empty() || self.launched.as_ref().is_some_and(|known| known.own) {
            return;
        }
        let object = self.nearest.get().map(|(object, ..)| object);
        let Some(parts) = object.and_then(|object| all.get(&object)) else {
            return;
        };
        let (reads, writes, verb) = match access.what {
            What::Read { .. } => (true, false, "reads"),
            What::Write { .. } => (false, true, "writes"),
            What::Atomic { .. } => (true, true, "updates"),
        };
        let end = address.saturating_add(width);
        let broken = parts.iter().find(|(part, what)| {
            let is_of = part.start < end && address < part.end;
            is_of && (what.reads && reads || what.writes && writes)
        });
        if let Some((part, what)) = broken {
            let from = address.max(part.start);
            self.report(Rule::Forbidden, || {
                let who = self.who(access.lane_of((from - address) as usize));
                format!(
                    "{who}: it {verb} {}, which {}",
                    self.describe(from),
                    what.why
                )
            });
        }
    }
}
