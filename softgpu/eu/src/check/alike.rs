//! What code tells that was added to a kernel before it was compiled: operands that must be the same for all
//! channels of a sub-group, or for all work-items of a work-group.

use std::collections::{BTreeMap, VecDeque};

use devinfo::report::{self, Report};

use super::Checks;
use super::rule::Rule;

/// The most times that an operand is remembered for: threads may be so far apart.
const KEPT: usize = 256;

/// An operand that must be the same for all channels, as some of them have told it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Alike {
    /// The channels that are to tell it, and those that have.
    active: u32,
    told_by: u32,
    /// The first of these, and what it has told.
    first: u8,
    told: Option<Report>,
}

impl Alike {
    /// One more channel tells what it has: the channel before it that has told something else. The channels of a
    /// sub-group may come in several messages, one after the other.
    fn hears(&mut self, active: u32, lane: u8, told: Report) -> Option<(u8, Report)> {
        let bit = 1 << (lane % 32);
        if self.active != active || self.told_by & bit != 0 {
            *self = Self {
                active,
                first: lane,
                ..Self::default()
            };
        }
        let before = *self.told.get_or_insert(told);
        let first = self.first;
        self.told_by |= bit;
        if self.told_by == active {
            // What comes next is another operand, or this one's next time.
            *self = Self::default();
        }
        (before != told).then_some((first, before))
    }
}

/// What the first thread has told of an operand, one time after the other.
#[derive(Debug, Default)]
struct Operand {
    /// The times that are forgotten.
    forgotten: usize,
    first: VecDeque<(u32, Report)>,
    /// By thread, how many times it has told it, and the last message.
    threads: BTreeMap<u32, (usize, u32)>,
}

/// Operands that must be the same for all of a work-group, by which they are and the first channel of the
/// messages that tell them.
#[derive(Debug, Default)]
pub(super) struct OfGroup {
    operands: BTreeMap<(u32, u8), Operand>,
}

impl OfGroup {
    /// A thread tells what it has: the thread that has told something else that time.
    fn hears(
        &mut self,
        thread: u32,
        channel: u8,
        message: u32,
        told: Report,
    ) -> Option<(u32, Report)> {
        let operand = self
            .operands
            .entry((told.what & report::OPERAND, channel))
            .or_default();
        let (times, last) = operand.threads.entry(thread).or_default();
        // The channels of a message have the same, or that was reported.
        if *times > 0 && *last == message {
            return None;
        }
        let time = *times;
        (*times, *last) = (time + 1, message);
        let place = time.checked_sub(operand.forgotten)?;
        if let Some(first) = operand.first.get(place) {
            return (first.1 != told).then_some(*first);
        }
        operand.first.push_back((thread, told));
        if operand.first.len() > KEPT {
            operand.first.pop_front();
            operand.forgotten += 1;
        }
        None
    }
}

/// A channel or a thread that has told something else, and what.
type Other<T> = Option<(T, Report)>;

impl Checks {
    /// Those of the sub-group, and of the work-group, that have told something else than this.
    fn others(&self, lane: Option<u8>, told: Report) -> (Other<u8>, Other<u32>) {
        let active = self.here.get().active;
        let index = self.thread.get();
        let group = &mut *self.group.borrow_mut();
        let Some(order) = group.threads.get_mut(index as usize) else {
            return (None, None);
        };
        let beside = lane.and_then(|lane| order.alike.hears(active, lane, told));
        let message = self.messages.get();
        let elsewhere = match told.what & report::GROUPS {
            0 => None,
            _ => group.alike.hears(index, self.channel.get(), message, told),
        };
        (beside, elsewhere)
    }

    /// A report of an operand that must be the same for all. Where it is the same for the sub-group, one may tell
    /// it for all, and `lane` is not known.
    pub(super) fn compares(&self, lane: Option<u8>, told: Report) {
        let (beside, elsewhere) = self.others(lane, told);
        let other = match (beside, elsewhere) {
            (Some((first, before)), _) => Some((format!("channel {first}"), before)),
            (None, Some((thread, before))) => Some((format!("sub-group {thread}"), before)),
            (None, None) => None,
        };
        if let Some((whose, before)) = other {
            self.report(Rule::NotAlike, || {
                let who = self.who(lane);
                let [has, other] = [told, before].map(words);
                format!("{who}: it has {has}, and {whose} has {other}")
            });
        }
    }
}

/// An operand in words: an address, a number, or several.
fn words(told: Report) -> String {
    let (low, high) = (told.offset as i32, (told.offset >> 32) as i32);
    match told.what & report::NUMBERS {
        0 => format!("{:#x}", told.offset),
        1 => format!("{low}"),
        2 => format!("({low}, {high})"),
        _ => format!("({low}, {high}, {})", told.size),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(offset: i64) -> Report {
        Report {
            offset,
            size: 0,
            what: report::ALIKE,
        }
    }

    /// The channels that have another offset than the first one, of reports in this order.
    fn odd(active: u32, reports: &[(u8, i64)]) -> Vec<u8> {
        let mut alike = Alike::default();
        let mut odd = Vec::new();
        for &(lane, offset) in reports {
            if alike.hears(active, lane, told(offset)).is_some() {
                odd.push(lane);
            }
        }
        odd
    }

    #[test]
    fn operands_are_compared_between_the_channels_of_one_time() {
        let none: [u8; 0] = [];
        assert_eq!(odd(0xf, &[(0, 7), (1, 7), (2, 7), (3, 7)]), none);
        assert_eq!(odd(0xf, &[(0, 7), (1, 8), (2, 7), (3, 9)]), [1, 3]);
        // The next operand begins when all have told theirs, whichever message came first.
        assert_eq!(
            odd(0xf, &[(2, 7), (3, 7), (0, 7), (1, 7), (2, 5), (3, 5)]),
            none
        );
        // So it does where a channel tells the next one before the others have told this one.
        assert_eq!(odd(0xf, &[(0, 7), (1, 7), (0, 5), (1, 5)]), none);
    }

    #[test]
    fn channels_in_other_flow_have_their_own() {
        let mut alike = Alike::default();
        assert!(alike.hears(0b0011, 0, told(1)).is_none());
        assert!(alike.hears(0b1100, 2, told(2)).is_none());
        assert!(alike.hears(0b1100, 3, told(2)).is_none());
        assert!(alike.hears(0b0011, 1, told(3)).is_none());
    }

    #[test]
    fn threads_are_compared_time_by_time() {
        let mut all = OfGroup::default();
        let mut tells = |thread, message, offset| {
            let other = all.hears(thread, 0, message, told(offset));
            other.map(|(thread, told)| (thread, told.offset))
        };
        // One thread is ahead of the other; channels of one message tell the same.
        assert_eq!(tells(0, 1, 5), None);
        assert_eq!(tells(0, 1, 5), None);
        assert_eq!(tells(0, 2, 6), None);
        assert_eq!(tells(1, 3, 5), None);
        assert_eq!(tells(1, 4, 7), Some((0, 6)));
    }

    #[test]
    fn threads_may_be_far_apart() {
        let mut all = OfGroup::default();
        for time in 0..2 * KEPT as u32 {
            assert!(all.hears(0, 0, time, told(time.into())).is_none());
        }
        for time in 0..2 * KEPT as u32 {
            let message = 1000 + time;
            assert!(all.hears(1, 0, message, told(time.into())).is_none());
        }
    }
}
