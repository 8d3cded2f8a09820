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

impl Checks {
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
                self.reads_told.set(true);
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
