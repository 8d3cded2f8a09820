//! The status buffer, in which an engine tells which contexts it took and left.

/// A row of what a family's status buffer looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatusBuffer {
    /// How many entries of two dwords it has.
    pub entries: u32,
    /// Where the status page keeps the index of the last entry that was written, in bytes.
    pub write_index: u64,
    /// What an entry says.
    pub events: Events,
}

/// What an entry says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Events {
    /// Flags, and the context's id.
    Flags,
    /// The context that the engine goes to in the low dword, and the one that it leaves in the high one.
    Contexts {
        /// The lowest bit of an id in both dwords.
        shift: u32,
        /// The id of no context: also how many bits ids have.
        none: u32,
        /// "Switched to new queue": its dword, and its bit there.
        new_queue: (usize, u32),
    },
}

/// Flags of an entry (i915 `GEN8_CTX_STATUS_*`).
mod flag {
    pub const IDLE_TO_ACTIVE: u32 = 1;
    pub const PREEMPTED: u32 = 1 << 1;
    pub const ACTIVE_TO_IDLE: u32 = 1 << 3;
    pub const COMPLETE: u32 = 1 << 4;
}

/// How many bits an id has where entries hold flags.
const FLAG_ID: u32 = (1 << 21) - 1;

/// What an engine did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// It began a list, with the context of this id.
    Began(u32),
    /// It finished the context of this id, and has nothing to do.
    Finished(u32),
}

impl StatusBuffer {
    /// Where an entry lies in the status page, in bytes (i915 `I915_HWS_CSB_BUF0_INDEX`).
    pub const fn place(&self, index: u32) -> u64 {
        0x40 + 8 * (index % self.entries) as u64
    }

    /// An id as entries and descriptors have it. It is never that of no context.
    pub const fn id(&self, id: u32) -> u64 {
        (match self.events {
            Events::Flags => id & FLAG_ID,
            Events::Contexts { none, .. } => id % none,
        }) as u64
    }

    /// The entry for what an engine did.
    pub const fn entry(&self, switch: Switch) -> [u32; 2] {
        match (self.events, switch) {
            (Events::Flags, Switch::Began(id)) => [flag::IDLE_TO_ACTIVE, id],
            (Events::Flags, Switch::Finished(id)) => [flag::ACTIVE_TO_IDLE | flag::COMPLETE, id],
            (
                Events::Contexts {
                    shift,
                    none,
                    new_queue,
                },
                Switch::Began(id),
            ) => {
                let mut entry = [id << shift, none << shift];
                entry[new_queue.0] |= new_queue.1;
                entry
            }
            (Events::Contexts { shift, none, .. }, Switch::Finished(id)) => {
                [none << shift, id << shift]
            }
        }
    }

    /// What an entry tells; `None` if it tells of neither the begin nor the end of a list.
    pub const fn switch(&self, entry: [u32; 2]) -> Option<Switch> {
        match self.events {
            Events::Flags if entry[0] & (flag::IDLE_TO_ACTIVE | flag::PREEMPTED) != 0 => {
                Some(Switch::Began(entry[1]))
            }
            Events::Flags if entry[0] & flag::ACTIVE_TO_IDLE != 0 => {
                Some(Switch::Finished(entry[1]))
            }
            Events::Flags => None,
            Events::Contexts {
                shift,
                none,
                new_queue,
            } => {
                let to = entry[0] >> shift & none;
                let away = entry[1] >> shift & none;
                let began = away == none || entry[new_queue.0] & new_queue.1 != 0;
                match (began, to == none) {
                    (true, false) => Some(Switch::Began(to)),
                    (false, true) => Some(Switch::Finished(away)),
                    _ => None,
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use devinfo::Family;

    use super::*;
    use crate::execlists::execlists;

    #[test]
    fn what_is_told_is_understood() {
        for family in Family::ALL {
            let status = execlists(family).status;
            for switch in [Switch::Began(5), Switch::Finished(5)] {
                assert_eq!(
                    status.switch(status.entry(switch)),
                    Some(switch),
                    "{family}"
                );
            }
            assert!(
                status.place(status.entries - 1) + 8 <= status.write_index,
                "{family}"
            );
            assert_eq!(status.place(0), status.place(status.entries));
        }
    }

    /// The entries as i915's `gen8_csb_parse`, `gen12_csb_parse` and `xehp_csb_parse` read them.
    #[test]
    fn entries_have_the_bits_of_the_kernels() {
        let entry = |family, switch| execlists(family).status.entry(switch);
        assert_eq!(entry(Family::Gen9, Switch::Finished(5)), [0x18, 5]);
        assert_eq!(
            entry(Family::Gen12Lp, Switch::Began(5)),
            [5 << 15 | 1, 0x7ff << 15]
        );
        assert_eq!(
            entry(Family::XeHpg, Switch::Began(5)),
            [5 << 10, 0xffff << 10 | 2]
        );
        assert_eq!(
            entry(Family::XeHpg, Switch::Finished(5)),
            [0xffff << 10, 5 << 10]
        );
    }
}
