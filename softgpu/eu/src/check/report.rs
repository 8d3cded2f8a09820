//! Reports, in words.

use super::cell::Touch;
use super::doubts::Clash;
use super::order::Relation;
use super::rule::Rule;
use super::{Checks, Where};

impl Checks {
    /// Reports a value that decides something and that nothing has written: `what` it is, in words.
    pub(crate) fn unwritten(&self, lane: Option<u8>, what: impl FnOnce() -> String) {
        if self.launched.as_ref().is_some_and(|known| known.own) {
            return;
        }
        self.report(Rule::Uninitialised, || {
            let mut text = format!("{}: nothing has written {}", self.who(lane), what());
            let group = self.group.borrow();
            let thread = group.first + self.thread.get();
            if let Some(load) = &*self.empty_load.borrow()
                && load.thread == thread
            {
                let from = load.ip.wrapping_sub(self.start());
                let place = &load.place;
                text.push_str(&format!(" (perhaps loaded by +{from:#x} from {place})"));
            }
            text
        });
    }

    /// Reports a channel that reads what belongs to one that is not active.
    pub(crate) fn inactive(&self, lane: u8, owner: u8) {
        // What code tells of says more.
        if self.reads_told.get() {
            return;
        }
        self.report(Rule::InactiveChannel, || {
            format!(
                "{}: it reads what channel {owner} has written, which is not active",
                self.who(Some(lane))
            )
        });
    }

    /// Reports a channel whose address of a register is that of none.
    pub(crate) fn beyond_registers(&self, lane: u8) {
        self.report(Rule::RegisterBounds, || {
            let who = self.who(Some(lane));
            format!("{who}: a0 names bytes beyond the last register")
        });
    }

    /// Reports an access of a register that the instruction at `ip` still has to write, or to read.
    pub(crate) fn hazard(&self, register: usize, ip: u64, reads: bool) {
        self.report_pair(Rule::Scoreboard, Some(ip), || {
            let what = if reads { "read" } else { "write" };
            format!(
                "{}: r{register} is touched, and nothing has waited for the instruction that has \
                 yet to {what} it",
                self.who(None)
            )
        });
    }

    /// Reports a channel that reads what no channel has.
    pub(crate) fn beyond_channels(&self, lane: u8, simd: u8) {
        if self.reads_told.get() {
            return;
        }
        self.report(Rule::InactiveChannel, || {
            format!(
                "{}: others read elements of the {simd} channels, and it reads beyond them",
                self.who(Some(lane))
            )
        });
    }

    /// Where the kernel's code begins.
    fn start(&self) -> u64 {
        self.launched.as_ref().map_or(0, |known| known.first)
    }

    /// A place, in words.
    pub(super) fn place(&self, place: Where, address: u64) -> String {
        match place {
            Where::Local => format!("byte {address:#x} of shared local memory"),
            Where::Stateless | Where::Surface | Where::Image => self.describe(address),
        }
    }

    /// Reports two accesses that nothing orders.
    pub(super) fn report_conflict(&self, clash: &Clash) {
        let Clash {
            place,
            address,
            touch,
            ip,
            thread,
            lane,
            conflict,
            ..
        } = *clash;
        let rule = match conflict.relation {
            Relation::Unfenced | Relation::Stale => Rule::MissingFence,
            Relation::Copying => Rule::UnfinishedCopy,
            _ => Rule::Race,
        };
        let earlier = &conflict.earlier;
        let other = u64::from(earlier.ip);
        self.report_at(ip, rule, Some(other), || {
            let verb = match touch {
                Touch::Read | Touch::Sample | Touch::AtomicRead => "reads",
                Touch::Write => "writes",
                Touch::Atomic => "updates",
            };
            let did = match (conflict.earlier_writes, earlier.is_atomic()) {
                (_, true) => "has updated",
                (true, false) => "has written",
                (false, false) => "has read",
            };
            let me = self.name(thread, lane);
            let they = self.name(earlier.thread, earlier.lane());
            let place = self.place(place, address);
            let why = match conflict.relation {
                _ if touch == Touch::Sample && conflict.relation != Relation::Racing => {
                    "and no message has dropped what the sampler's cache holds since"
                }
                Relation::Copying => "by a copy whose event nothing has waited for",
                Relation::Unfenced => "and has not fenced before the barrier",
                Relation::Stale => {
                    "and no fence has dropped what the cache holds since the atomic operation that \
                     says so"
                }
                _ if earlier.thread == thread => match earlier.message == self.messages.get() {
                    true => "in the same message",
                    false => "and no barrier orders the two",
                },
                _ => "and nothing orders the two",
            };
            format!("{me} {verb} {place}, which {they} {did}, {why}")
        });
    }
}
