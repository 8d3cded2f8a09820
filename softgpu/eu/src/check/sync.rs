//! What code tells of the barriers, fences and atomic operations of its source, which was added before it was
//! compiled.

use devinfo::report::{self, Report};

use super::Checks;
use super::order::{Clocks, Doing, Reach, Side, place};

/// What a barrier, a fence or an atomic operation asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sync {
    pub acquires: bool,
    pub releases: bool,
    /// For whom; none, for the sub-group.
    pub reach: Option<Reach>,
    /// Of which memory: shared local, other, and images.
    kinds: [bool; 3],
    /// It is a barrier.
    pub joins: bool,
    /// It is an atomic operation that reads alone, or writes alone.
    pub loads: bool,
    pub stores: bool,
    /// If it exchanges nothing because it finds another value, it acquires.
    pub acquires_otherwise: bool,
    /// It is one for a work-group or less, because the program says so.
    pub narrow: bool,
    is_atomic: bool,
}

impl Sync {
    /// Nothing.
    pub const NONE: Self = Self {
        acquires: false,
        releases: false,
        reach: None,
        kinds: [false; 3],
        joins: false,
        loads: false,
        stores: false,
        acquires_otherwise: false,
        narrow: false,
        is_atomic: false,
    };

    /// What code tells.
    fn of(told: Report) -> Self {
        let (semantics, scope) = (told.offset as u32, (told.offset >> 32) as u32);
        let has = |bits: u32| semantics & bits != 0;
        let both = report::BOTH | report::CONSISTENT;
        let acquires = |semantics: u32| semantics & (report::ACQUIRE | both) != 0;
        let kinds = [
            report::LOCAL_MEMORY,
            report::GLOBAL_MEMORY,
            report::IMAGE_MEMORY,
        ];
        let what = |bit: u32| told.what & bit != 0;
        let reach = match scope {
            report::ALL_DEVICES | report::DEVICE => Some(Reach::Device),
            report::WORK_GROUP => Some(Reach::Group),
            _ => None,
        };
        Self {
            acquires: acquires(semantics),
            releases: has(report::RELEASE | both),
            reach,
            // Atomic operations say of none: they are for what their order is for.
            kinds: match kinds.map(has) {
                [false, false, false] => [what(report::ATOMIC); 3],
                some => some,
            },
            joins: what(report::JOINS),
            loads: what(report::LOADS),
            stores: what(report::STORES),
            acquires_otherwise: acquires(told.size),
            narrow: what(report::SCOPED) && reach != Some(Reach::Device),
            is_atomic: what(report::ATOMIC),
        }
    }

    /// Whether it is of a kind of memory. The sampler reads images.
    pub fn orders(&self, side: Side) -> bool {
        let [local, global, images] = self.kinds;
        match side {
            Side::Local => local,
            Side::Global => global,
            Side::Sampler | Side::Texels => images,
        }
    }

    /// Whom it shows what was done to a kind of memory.
    pub fn shows(&self, side: Side) -> Option<Reach> {
        let shows = self.releases && self.orders(side);
        self.reach.filter(|_| shows)
    }

    /// The same as a read alone, where it has found another value than it exchanges.
    pub fn otherwise(self) -> Self {
        Self {
            acquires: self.acquires_otherwise,
            releases: false,
            loads: true,
            ..self
        }
    }

    /// The same for everybody.
    pub fn for_all(self) -> Self {
        Self {
            reach: Some(Reach::Device),
            ..self
        }
    }

    /// Whether it is of all memory, and for everybody.
    pub fn is_everything(&self) -> bool {
        self.kinds == [true; 3] && self.reach == Some(Reach::Device)
    }

    /// Whether what it acquires was told before.
    pub fn is_fence(&self) -> bool {
        !self.is_atomic
    }

    /// Clocks of the kinds of memory that it is of; those of others are of no time.
    pub fn only(&self, clocks: Clocks) -> Clocks {
        let mut only = Clocks::default();
        for side in [Side::Local, Side::Global, Side::Sampler, Side::Texels] {
            for reach in [Reach::Group, Reach::Device] {
                let place = place(side, reach);
                if self.orders(side) {
                    only[place] = clocks[place];
                }
            }
        }
        only
    }
}

impl Checks {
    /// A report of what comes next.
    pub(super) fn hears_of_order(&self, told: Report) {
        let active = self.here.get().active;
        let mut group = self.group.borrow_mut();
        let members = group.members();
        if let Some(order) = group.threads.get_mut(self.thread.get() as usize) {
            let has = |what: u32| told.what & what != 0;
            let copies = matches!(order.doing, Doing::Copy(_));
            order.doing = if has(report::LOCAL_BLOCK) {
                Doing::LocalBlock
            } else if has(report::EMULATED) {
                Doing::Atomic
            } else if has(report::COPIES) {
                Doing::Copy(order.copies.begin(told.size, self.ip(), copies))
            } else {
                Doing::Nothing
            };
            if has(report::DONE | report::LOCAL_BLOCK) {
                return;
            }
            if has(report::AWAITS) {
                order.wait_for_copies(told.size);
            }
            order.tells(Sync::of(told), active, self.local_in_order, &members);
        }
    }
}

/// What code tells by these semantics, scope and kind.
#[cfg(test)]
pub(super) fn asked(semantics: u32, scope: u32, kind: u32) -> Sync {
    Sync::of(Report::of([semantics, scope, 0, report::ORDERS | kind]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn barriers_show_what_their_flags_are_of() {
        let barrier = asked(0x110, 2, report::JOINS);
        assert!(barrier.joins && barrier.acquires && barrier.releases && barrier.is_fence());
        assert_eq!(barrier.shows(Side::Local), Some(Reach::Group));
        assert_eq!(barrier.shows(Side::Global), None);
        assert_eq!(barrier.shows(Side::Texels), None);
        assert_eq!(barrier.only([1, 2, 3, 4, 5]), [1, 0, 0, 0, 0]);
        let images = asked(0x810, 2, report::JOINS);
        assert_eq!(images.shows(Side::Sampler), Some(Reach::Group));
        assert_eq!(images.shows(Side::Global), None);
        let sub_group = asked(0x310, 3, report::JOINS);
        assert_eq!(sub_group.shows(Side::Local), None, "nobody else sees it");
        assert!(sub_group.orders(Side::Local));
    }

    #[test]
    fn atomic_operations_are_for_all_memory() {
        let release = asked(0x4, 1, report::ATOMIC | report::SCOPED);
        assert!(release.releases && !release.acquires && !release.is_fence());
        assert_eq!(release.shows(Side::Local), Some(Reach::Device));
        assert!(release.is_everything() && !release.narrow);
        let group = asked(0, 2, report::ATOMIC | report::SCOPED);
        assert!(group.narrow && group.shows(Side::Global).is_none());
        assert!(!asked(0, 2, report::ATOMIC).narrow, "OpenCL 1.2");
    }
}
