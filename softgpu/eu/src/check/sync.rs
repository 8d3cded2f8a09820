//! What code tells of the barriers, fences and atomic operations of its source, which was added before it was
//! compiled.

use devinfo::report::{self, Report};

use super::Checks;
use super::order::{Clocks, Reach, Side, place};

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
    /// It is an atomic operation that reads.
    pub loads: bool,
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
        narrow: false,
        is_atomic: false,
    };

    /// What code tells, as SPIR-V numbers it (3.25 "Memory Semantics", 3.27 "Scope").
    fn of(told: Report) -> Self {
        let (semantics, scope) = (told.offset as u32, (told.offset >> 32) as u32);
        let has = |bits: u32| semantics & bits != 0;
        let (acquire, release, both) = (0x2, 0x4, 0x8 | 0x10);
        let kinds = [0x100, 0x200, 0x800].map(has);
        let what = |bit: u32| told.what & bit != 0;
        let reach = match scope {
            0 | 1 | 5 => Some(Reach::Device),
            2 => Some(Reach::Group),
            _ => None,
        };
        Self {
            acquires: has(acquire | both),
            releases: has(release | both),
            reach,
            // Atomic operations say of none: they are for what their order is for.
            kinds: match kinds {
                [false, false, false] => [what(report::ATOMIC); 3],
                some => some,
            },
            joins: what(report::JOINS),
            loads: what(report::LOADS),
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
            order.tells(Sync::of(told), active, self.local_in_order, &members);
        }
    }
}
