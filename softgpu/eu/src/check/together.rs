//! What code tells that was added to a kernel before it was compiled: what the channels of a sub-group do
//! together, and which of them a shuffle reads.

use devinfo::report::{self, Report};

use super::Checks;
use super::checks::Here;
use super::rule::Rule;

impl Here {
    /// The channel that a shuffle reads for `lane`, of its sub-group and those of a second value beside it.
    /// `None` if it is beyond these.
    fn read(self, lane: i64, told: Report) -> Option<i64> {
        let all = i64::from(self.simd);
        let unsigned = i64::from(told.offset as u32);
        let (channel, channels) = match told.size {
            report::BY_DIFFERENCE => (lane ^ unsigned, 0..all),
            report::DOWN => (lane + unsigned, 0..2 * all),
            report::UP => (lane - unsigned, -all..all),
            _ => (unsigned, 0..all),
        };
        channels.contains(&channel).then_some(channel)
    }

    /// Whether a channel has a value: it is here, or it is one of a second value, which is not looked at.
    fn has(self, channel: i64) -> bool {
        let own = u32::try_from(channel)
            .ok()
            .filter(|channel| *channel < self.simd.into());
        own.is_none_or(|channel| self.active >> channel & 1 != 0)
    }

    /// The channels that are here.
    fn lanes(self) -> impl Iterator<Item = u8> {
        (0..32).filter(move |lane| self.active >> lane & 1 != 0)
    }
}

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

impl Checks {
    /// A channel's report of an operand that must be the same for all.
    pub(super) fn compares(&self, lane: u8, told: Report) {
        let active = self.here.get().active;
        let index = self.thread.get() as usize;
        let mut group = self.group.borrow_mut();
        let Some(order) = group.threads.get_mut(index) else {
            return;
        };
        let differs = order.alike.hears(active, lane, told);
        drop(group);
        if let Some((first, before)) = differs {
            self.report(Rule::NotAlike, || {
                let who = self.who(Some(lane));
                let [has, other] = [told, before].map(words);
                format!("{who}: it has {has}, and channel {first} has {other}")
            });
        }
    }

    /// A report of a shuffle, or of what all channels do. Where a report is the same for all channels, one
    /// stores it for them, and `lane` is not known.
    pub(super) fn hears_of_sub_group(&self, lane: Option<u8>, told: Report) {
        let here = self.here.get();
        // Channels in an earlier message of the same store have told it.
        let below = (1u32 << (self.channel.get() % 32)) - 1;
        let is_first = here.active & below == 0;
        if told.what & report::BLOCK != 0 && is_first {
            self.lacks(here);
        }
        if told.what & report::TOGETHER != 0 && is_first {
            let rule = match told.what & report::GROUP {
                0 => Rule::DivergentFlow,
                _ => Rule::DivergentBarrier,
            };
            self.parts(rule, here);
        }
        if told.what & report::SHUFFLES == 0 {
            return;
        }
        let readers: Vec<u8> = match lane {
            Some(lane) => vec![lane],
            None => here.lanes().collect(),
        };
        for lane in readers {
            let read = here.read(lane.into(), told);
            if read.is_none_or(|channel| !here.has(channel)) {
                return self.report(Rule::InactiveChannel, || self.shuffle(lane, read, told));
            }
        }
    }

    /// Reports what needs whole sub-groups, if this one has not all of its channels.
    pub(crate) fn lacks(&self, here: Here) {
        let all = u32::MAX >> (32 - u32::from(here.simd.clamp(1, 32)));
        let dispatched = here.dispatched & all;
        if dispatched != all {
            self.report(Rule::PartialSubGroup, || {
                let (has, of) = (dispatched.count_ones(), here.simd);
                format!("the sub-group has {has} of {of} work-items")
            });
        }
    }

    /// Reports what all channels do, if some are elsewhere.
    pub(crate) fn parts(&self, rule: Rule, here: Here) {
        if here.active != here.dispatched {
            self.report(rule, || {
                let (here, of) = (here.active.count_ones(), here.dispatched.count_ones());
                format!("{here} of the sub-group's {of} work-items are here")
            });
        }
    }

    /// A report of a shuffle in words.
    fn shuffle(&self, lane: u8, read: Option<i64>, told: Report) -> String {
        let who = self.who(Some(lane));
        let simd = self.here.get().simd;
        let by = told.offset as u32;
        match (read, told.size) {
            (Some(channel), _) => {
                format!("{who}: it reads the value of channel {channel}, which is not here")
            }
            (None, report::BY_NUMBER) => {
                format!("{who}: it reads the value of channel {by}, and the sub-group has {simd}")
            }
            (None, report::BY_DIFFERENCE) => format!(
                "{who}: it reads the value of channel {lane} ^ {by}, and the sub-group has {simd}"
            ),
            (None, report::DOWN) => format!(
                "{who}: it reads the value of channel {lane} + {by}, and the sub-group has {simd}, and as \
                 many of a second value"
            ),
            (None, _) => format!(
                "{who}: it reads the value of channel {lane} - {by}, and before the first there are {simd} \
                 of a second value"
            ),
        }
    }
}

/// An operand in words: an address, a number, or several.
fn words(told: Report) -> String {
    let (low, high) = (told.offset as i32, (told.offset >> 32) as i32);
    match told.what & report::BYTES {
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
}
