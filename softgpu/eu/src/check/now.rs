//! How what was done earlier is related to an access now.

use super::access::Where;
use super::cell::Touch;
use super::heard::Deed;
use super::mark::Mark;
use super::order::{Order, Reach, Relation, Side};

/// An access that is made now.
#[derive(Debug)]
pub(super) struct Now<'a> {
    pub place: Where,
    pub touch: Touch,
    /// Its thread, among those of its group, the first of which has the number `first`.
    pub order: &'a Order,
    pub threads: &'a [Order],
    pub first: u32,
    /// Its number, and its slot, if the memory is one of slots.
    pub own: u32,
    pub slot: Option<u16>,
    /// The number of the first thread that is not over.
    pub launch: u32,
    /// Not all is known that atomics told.
    pub blind: bool,
    /// Shared local memory is in order without fences.
    pub local_in_order: bool,
    /// What it reads may be in a cache that does not see what others write.
    pub cached: bool,
}

/// What was done, as threads tell of it.
fn deed(earlier: &Mark) -> Deed {
    (earlier.thread, earlier.clock, earlier.channel())
}

impl Now<'_> {
    /// The kind of memory.
    pub fn side(&self) -> Side {
        match self.place {
            Where::Local => Side::Local,
            _ => Side::Global,
        }
    }

    /// The kinds of memory one of which fences must be of. Where the source is known, images need their own.
    fn sides(&self) -> &'static [Side] {
        match (self.place, self.order.apart) {
            (Where::Local, _) => &[Side::Local],
            (Where::Image, true) => &[Side::Texels],
            (Where::Image, false) => &[Side::Global, Side::Texels],
            (Where::Stateless | Where::Surface, _) => &[Side::Global],
        }
    }

    /// How an earlier access of a word is related to this one, which is `mark`; `writes` says what the earlier
    /// one did.
    pub fn relation(&self, earlier: &Mark, mark: &Mark, writes: bool) -> Relation {
        if self.is_being_copied(earlier) {
            return Relation::Copying;
        }
        if earlier.thread == self.own {
            return self.to_own(earlier, mark);
        }
        if earlier.thread < self.launch || self.slot == Some(earlier.slot) {
            return Relation::Before;
        }
        let member = earlier.thread.checked_sub(self.first);
        let member = member.and_then(|index| self.threads.get(index as usize));
        let reach = match member {
            Some(_) => Reach::Group,
            None => Reach::Device,
        };
        let has_heard = || self.has_heard(earlier, mark, reach);
        match member {
            // Atomic operations need no order within their group.
            Some(_) if earlier.is_atomic() && mark.is_atomic() => Relation::Before,
            Some(_) if has_heard() => Relation::Before,
            Some(other) => self.to_member(earlier, other, writes),
            None if self.blind => Relation::Before,
            None if !has_heard() => Relation::Racing,
            None if self.cached && !earlier.is_atomic() && !self.knows(earlier) => Relation::Stale,
            None => Relation::Before,
        }
    }

    /// Whether it was by a copy of this group for which its thread has not waited.
    fn is_being_copied(&self, earlier: &Mark) -> bool {
        let open = |event| {
            let member = earlier.thread.checked_sub(self.first)?;
            let member = self.threads.get(member as usize)?;
            Some(member.copies.is_open(event, earlier.clock))
        };
        earlier.event().and_then(open).unwrap_or(false)
    }

    /// Whether the channel has heard of it through atomics.
    fn has_heard(&self, earlier: &Mark, mark: &Mark, reach: Reach) -> bool {
        let (heard, lane) = (&self.order.heard, mark.channel());
        let mut sides = self.sides().iter();
        sides.any(|side| heard.has(deed(earlier), *side, reach, lane))
    }

    /// Whether the thread has dropped what caches hold since it heard of it.
    fn knows(&self, earlier: &Mark) -> bool {
        let heard = &self.order.heard;
        heard.knows(deed(earlier), self.side(), Reach::Device)
    }

    /// One of another channel of the thread, or of any for the sampler.
    fn to_own(&self, earlier: &Mark, mark: &Mark) -> Relation {
        if self.touch == Touch::Sample {
            match self.order.has_flushed(earlier.clock) {
                true if earlier.is_beside(mark) => {}
                true => return Relation::Before,
                false => return Relation::Stale,
            }
        }
        let side = self.sides().last().copied().unwrap_or(self.side());
        let has_joined = self.order.has_joined(earlier.clock, side);
        match has_joined || self.has_heard(earlier, mark, Reach::Group) {
            true => Relation::Before,
            false => Relation::Racing,
        }
    }

    /// One of another thread of the group.
    fn to_member(&self, earlier: &Mark, other: &Order, writes: bool) -> Relation {
        let in_order = self.place == Where::Local && self.local_in_order && !self.order.apart;
        let fence = writes && !earlier.is_atomic() && !in_order;
        let relation = |side| other.to_member(earlier.clock, side, fence, self.order);
        let mut of_sides = self.sides().iter().map(|side| relation(*side));
        let first = of_sides.next().unwrap_or(Relation::Racing);
        let found = match first {
            Relation::Unfenced => of_sides.next().unwrap_or(first),
            first => first,
        };
        match (found, self.touch) {
            (Relation::Before, Touch::Sample) => relation(Side::Sampler),
            (found, _) => found,
        }
    }
}
