//! Which host vector registers hold what.

use core::ops::Range;

use crate::owed::Owed;

/// A 256-bit register, one of the first sixteen.
pub(crate) type Ymm = u8;

/// A register of up to 512 bits, one of the sixteen that AVX-512 adds.
pub(crate) type Zmm = u8;

/// What a register holds besides memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// So many register bytes at an offset.
    Bytes(u32, u8),
    /// The element of this many bytes at an offset, in every lane.
    Splat(u32, u8),
    /// This value, in every lane of this many bytes.
    Constant(u64, u8),
    /// All ones in the lanes of some channels.
    Mask(LaneMask),
}

/// Which channels a mask of lanes has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LaneMask {
    /// Only those that execute.
    pub executes: bool,
    /// The thread's channel that is the first lane's.
    pub channel: u8,
    /// Only those that have this bit of a flag.
    pub flag: Option<FlagBit>,
    /// Bytes of a lane, of 32: so many lanes the mask has. One in a mask register has as many, whatever its lanes are.
    pub lane: u8,
    /// Twice after another, for two operations on the same eight channels.
    pub twice: bool,
}

/// The bit of a flag that is the first lane's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FlagBit {
    /// Its byte among the register bytes.
    pub byte: u32,
    /// Its place there.
    pub bit: u8,
    /// Channels have it where it is 0.
    pub inverse: bool,
}

impl Slot {
    /// What is owed at this step: the last one that reads it.
    fn owed_at(&self, now: u32) -> Option<u32> {
        self.owed.filter(|&last| last >= now)
    }
}

impl Content {
    fn overlaps(self, range: &Range<u32>) -> bool {
        let own = match self {
            Self::Bytes(at, bytes) => at..at + u32::from(bytes),
            Self::Splat(at, bytes) => at..at + u32::from(bytes),
            // A bit for each lane, of which the first may be inside of a byte.
            Self::Mask(LaneMask {
                flag: Some(flag),
                lane,
                ..
            }) => {
                let bits = u32::from(flag.bit) + 32 / u32::from(lane);
                flag.byte..flag.byte + bits.div_ceil(8)
            }
            Self::Constant(..) | Self::Mask(_) => return false,
        };
        own.start < range.end && range.start < own.end
    }
}

/// The registers that values live in. What they hold is in memory too, unless it is owed, so that others may be reused.
#[derive(Debug)]
pub(crate) struct Pool {
    slots: [Slot; Pool::COUNT as usize],
    /// The number of the first, and how many there are.
    first: u8,
    count: u8,
    clock: u32,
    exhausted: bool,
    carried: Vec<Carried>,
    /// The present step of the block.
    pub now: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    content: Option<Content>,
    used: u32,
    pinned: bool,
    /// If its block has begun with it, and not used it yet, its place among what was carried.
    carried: Option<usize>,
    /// Memory has not what it holds, which this step reads last.
    owed: Option<u32>,
}

/// A content that a block begins with.
#[derive(Clone, Copy, Debug)]
struct Carried {
    block: u32,
    register: u8,
    content: Content,
    /// That of the block before, if it is still unused there.
    before: Option<usize>,
    /// This block, or one to which it carries it, uses it.
    needed: bool,
}

impl Pool {
    /// How many there are at most.
    pub const COUNT: u8 = 16;
    /// For how many more uses of registers masks stay: it takes several instructions to make one again, which wait
    /// for the flags, where other contents are loaded by one.
    const DEAR: u32 = 48;

    /// So many from number `first` on.
    pub fn new(first: u8, count: u8) -> Self {
        Self {
            slots: Default::default(),
            first,
            count: count.min(Self::COUNT),
            clock: 0,
            exhausted: false,
            carried: Vec::new(),
            now: 0,
        }
    }

    /// The register that holds `content`, pinned.
    pub fn find(&mut self, content: Content) -> Option<u8> {
        let place = self
            .slots
            .iter()
            .position(|slot| slot.content == Some(content))?;
        self.touch(place);
        Some(self.first + place as u8)
    }

    /// The register that holds `content`, as long as none is taken: it may be another's that is pinned.
    pub fn holder(&mut self, content: Content) -> Option<u8> {
        let mut slots = self.slots.iter();
        let place = slots.position(|slot| slot.content == Some(content))?;
        self.need(place);
        Some(self.first + place as u8)
    }

    /// The same, which need not be used.
    pub fn held(&self, content: Content) -> Option<u8> {
        let mut slots = self.slots.iter();
        let place = slots.position(|slot| slot.content == Some(content))?;
        Some(self.first + place as u8)
    }

    /// What a slot holds is used: those who begin with it need it.
    fn need(&mut self, place: usize) {
        let mut next = self.slots[place].carried.take();
        while let Some(carried) = next.and_then(|at| self.carried.get_mut(at)) {
            carried.needed = true;
            next = carried.before;
        }
    }

    /// The next block begins with what registers hold, but for masks: which channels execute may have changed.
    pub fn carry(&mut self, block: u32) {
        for (register, slot) in (self.first..).zip(&mut self.slots) {
            slot.pinned = false;
            match slot.content {
                None | Some(Content::Mask(_)) => *slot = Slot::default(),
                Some(content) => {
                    let before = slot.carried.replace(self.carried.len());
                    self.carried.push(Carried {
                        block,
                        register,
                        content,
                        before,
                        needed: false,
                    });
                }
            }
        }
    }

    /// What a block begins with and needs.
    pub fn needed(&self, block: u32) -> Vec<(u8, Content)> {
        // Blocks come in the order of their numbers.
        let first = self.carried.partition_point(|one| one.block < block);
        let all = self.carried.iter().skip(first);
        let own = all.take_while(|one| one.block == block);
        let needed = own.filter(|one| one.needed);
        needed.map(|one| (one.register, one.content)).collect()
    }

    /// The same, which stays: what else it began with counts as unknown from now on.
    pub fn fix(&mut self, block: u32) -> Vec<(u8, Content)> {
        for slot in &mut self.slots {
            let mut next = slot.carried;
            while let Some(carried) = next.and_then(|at| self.carried.get(at)) {
                if carried.block == block {
                    *slot = Slot {
                        pinned: slot.pinned,
                        ..Slot::default()
                    };
                    break;
                }
                next = carried.before;
            }
        }
        self.needed(block)
    }

    /// The place of the register that is given to the next value.
    fn next(&self) -> Option<usize> {
        let all = 0..usize::from(self.count);
        let free = all.filter(|&slot| !self.slots[slot].pinned);
        let age = |slot: &Slot| {
            let dear = matches!(slot.content, Some(Content::Mask(_)));
            slot.used + if dear { Self::DEAR } else { 0 }
        };
        free.min_by_key(|&place| {
            let slot = &self.slots[place];
            let is_owed = slot.owed_at(self.now).is_some();
            // Nothing reads what is owed no more.
            let is_known = slot.content.is_some() && (is_owed || slot.owed.is_none());
            (is_owed, is_known, age(slot))
        })
    }

    /// A register for a new value, pinned. If there is none, the translation is given up.
    pub fn take(&mut self) -> u8 {
        let next = self.next();
        self.exhausted |= next.is_none();
        let place = next.unwrap_or_default();
        self.slots[place].content = None;
        self.slots[place].carried = None;
        self.slots[place].owed = None;
        self.touch(place);
        self.first + place as u8
    }

    /// What is owed by the register that is given to the next value.
    pub fn evicts(&self) -> Option<Owed> {
        self.owed(self.next()?)
    }

    /// What a slot owes that is still read.
    fn owed(&self, place: usize) -> Option<Owed> {
        let slot = &self.slots[place];
        slot.owed_at(self.now)?;
        let Some(Content::Bytes(at, bytes)) = slot.content else {
            return None;
        };
        Some(Owed {
            register: self.first + place as u8,
            at,
            bytes,
        })
    }

    /// What is owed, and still read.
    pub fn all_owed(&self) -> Vec<Owed> {
        let places = 0..usize::from(self.count);
        places.filter_map(|place| self.owed(place)).collect()
    }

    /// Whether anything is.
    pub fn is_in_debt(&self) -> bool {
        self.slots.iter().any(|slot| slot.owed.is_some())
    }

    /// What is owed of these register bytes. What nothing reads any more is forgotten.
    pub fn owes(&mut self, range: &Range<u32>) -> Option<Owed> {
        for place in 0..usize::from(self.count) {
            let slot = &mut self.slots[place];
            let is_in = slot.content.is_some_and(|content| content.overlaps(range));
            if slot.owed.is_none() || !is_in {
                continue;
            }
            if slot.owed_at(self.now).is_none() {
                slot.content = None;
                slot.owed = None;
                continue;
            }
            return self.owed(place);
        }
        None
    }

    /// What this register owes, and still is read.
    pub fn owed_by(&self, register: u8) -> Option<Owed> {
        self.owed(usize::from(register.checked_sub(self.first)?))
    }

    /// What is to be stored if more than so many registers owe something: what was used the longest time ago.
    pub fn crowds(&self, most: u8) -> Option<Owed> {
        let all = self.all_owed();
        let used = |owed: &&Owed| self.slots[usize::from(owed.register - self.first)].used;
        let oldest = all.iter().min_by_key(used).copied();
        oldest.filter(|_| all.len() > usize::from(most))
    }

    /// What a register holds is owed from now on; this step reads it last.
    pub fn owe(&mut self, register: u8, last: u32) {
        if let Some(slot) = self.slot(register) {
            slot.owed = Some(last);
        }
    }

    /// If a register holds just this, it is not owed any more: another one takes its place.
    pub fn succeed(&mut self, register: u8, content: Content) {
        if let Some(slot) = self.slot(register)
            && slot.content == Some(content)
        {
            slot.owed = None;
        }
    }

    /// What a register holds is in memory, too.
    pub fn paid(&mut self, register: u8) {
        if let Some(slot) = self.slot(register) {
            slot.owed = None;
        }
    }

    fn touch(&mut self, place: usize) {
        self.need(place);
        self.clock += 1;
        self.slots[place].used = self.clock;
        self.slots[place].pinned = true;
    }

    /// `register` now holds `content`.
    pub fn set(&mut self, register: u8, content: Content) {
        for slot in &mut self.slots {
            if slot.content == Some(content) {
                slot.content = None;
                slot.owed = None;
            }
        }
        if let Some(slot) = self.slot(register) {
            slot.content = Some(content);
            slot.carried = None;
            slot.owed = None;
        }
    }

    fn slot(&mut self, register: u8) -> Option<&mut Slot> {
        let place = register.checked_sub(self.first)?;
        self.slots.get_mut(usize::from(place))
    }

    /// Lets a value go that nothing needs any more.
    pub fn release(&mut self, register: u8) {
        if let Some(slot) = self.slot(register) {
            slot.pinned = false;
        }
    }

    /// Lets all values go.
    pub fn release_all(&mut self) {
        for slot in &mut self.slots {
            slot.pinned = false;
        }
    }

    /// Register bytes changed, and what was owed of them is not any more.
    pub fn written(&mut self, range: Range<u32>) {
        for slot in &mut self.slots {
            if slot.content.is_some_and(|content| content.overlaps(&range)) {
                slot.content = None;
                slot.owed = None;
            }
        }
    }

    /// Whether a register holds what memory holds, too.
    pub fn holds(&mut self, register: u8) -> bool {
        self.slot(register)
            .is_some_and(|slot| slot.content.is_some())
    }

    /// What registers hold.
    pub fn contents(&self) -> Vec<(u8, Content)> {
        let slots = (self.first..).zip(&self.slots);
        slots
            .filter_map(|(register, slot)| Some((register, slot.content?)))
            .collect()
    }

    /// `register` has something else now.
    pub fn lose(&mut self, register: u8) {
        if let Some(slot) = self.slot(register) {
            slot.content = None;
            slot.owed = None;
        }
    }

    /// Nothing is known any more.
    pub fn clear(&mut self) {
        self.slots = Default::default();
    }

    /// Gives the translation up: a value that was needed is not there any more.
    pub fn give_up(&mut self) {
        self.exhausted = true;
    }

    /// Whether a value was given the register of another that was still needed.
    pub fn is_exhausted(&self) -> bool {
        self.exhausted
    }
}
