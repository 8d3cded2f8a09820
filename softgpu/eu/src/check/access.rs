//! What shared functions say of their accesses, and what is found out about them.

use std::borrow::Cow;
use std::ops::Range;

use devinfo::GpuAddress;

use super::Checks;
use super::arrays::is_report;
use super::bytes::{UNWRITTEN, WRITTEN};
use super::cell::{Conflict, LINE, Mark, Touch};
use super::checks::EmptyLoad;
use super::findings::Purpose;
use super::group::Group;
use super::order::{Reach, Relation, Side};
use super::rule::Rule;

/// States of bytes that something has written, in place for elements.
struct States {
    element: [u8; 128],
    block: Vec<u8>,
}

impl States {
    /// States of so many bytes.
    fn of(width: usize, kept: &mut Self) -> &mut [u8] {
        match kept.element.get_mut(..width) {
            Some(element) => element,
            None => {
                kept.block.resize(width, WRITTEN);
                &mut kept.block
            }
        }
    }

    const NONE: Self = Self {
        element: [WRITTEN; 128],
        block: Vec::new(),
    };
}

/// Whether what nothing has written at the end of an element may be the fourth component of a vector of
/// three, which compilers store with the others.
fn is_padding(address: u64, states: &[u8]) -> bool {
    let written = states.iter().rposition(|state| *state != UNWRITTEN);
    let first = written.map_or(0, |last| last + 1);
    let component = (states.len() - first) as u64;
    let end = address.wrapping_add(states.len() as u64);
    matches!(component, 1 | 2 | 4 | 8)
        && end.is_multiple_of(4 * component)
        && !states[..first].contains(&UNWRITTEN)
}

/// Whether bytes from an address on are inside an object.
const fn is_inside(address: u64, width: u64, object: GpuAddress, size: u64) -> bool {
    match address.checked_sub(object.get()) {
        Some(offset) => offset.saturating_add(width) <= size,
        None => false,
    }
}

/// Where an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Where {
    /// Shared local memory.
    Local,
    /// Memory, by an address that the thread has computed.
    Stateless,
    /// Memory, by a surface.
    Surface,
}

/// An access of consecutive bytes.
#[derive(Clone, Debug)]
pub(crate) struct Access<'a> {
    /// The channel, counted from the message's first one, unless it is the whole thread's.
    pub lane: Option<u8>,
    /// It is that of all channels from this one on: a dword each.
    pub row: bool,
    /// The bytes of the payload that decide its address.
    pub address: Range<usize>,
    pub what: What<'a>,
}

/// What an access does.
#[derive(Clone, Debug)]
pub(crate) enum What<'a> {
    /// Reads to the response at this byte, where it takes so many.
    Read { at: usize, slot: usize },
    /// Writes the payload's bytes from here on, which are these.
    Write { at: usize, data: &'a [u8] },
    /// An atomic operation with these bytes of the payload; the result, if it is wanted, goes to
    /// this byte of the response.
    Atomic {
        operands: [Range<usize>; 2],
        result: Option<usize>,
        /// What is there decides what it writes.
        uses: bool,
    },
}

impl Access<'_> {
    /// The same, with channels counted from the sub-group's first one. The message's first one is `first`.
    fn counted_from(&self, first: u8) -> Cow<'_, Self> {
        match self.lane {
            Some(lane) if first != 0 => Cow::Owned(Self {
                lane: Some(lane + first),
                ..self.clone()
            }),
            _ => Cow::Borrowed(self),
        }
    }

    /// The channel that has a byte of it.
    pub(super) fn lane_of(&self, byte: usize) -> Option<u8> {
        let step = if self.row { byte / 4 } else { 0 };
        self.lane.map(|lane| lane + step as u8)
    }
}

impl Checks {
    /// A message begins, of the whole thread or of the channels from one on: the states of its payload, in
    /// parts, and of its response.
    pub(crate) fn begin_message<'a>(
        &self,
        payload: impl Iterator<Item = &'a [u8]>,
        response: &[u8],
        whole: bool,
        channel: u8,
    ) {
        self.whole.set(whole);
        self.channel.set(channel);
        self.lane.set(None);
        self.messages.set(self.messages.get().wrapping_add(1));
        let mut message = self.message.borrow_mut();
        message.payload.clear();
        payload.for_each(|part| message.payload.extend_from_slice(part));
        message.response.clear();
        message.response.extend_from_slice(response);
        message.answered = false;
        message.pointers = false;
        message.slot = None;
        self.uncached.set(false);
        self.read_buffer.set(false);
    }

    /// Whether the message has read one of the program's buffers.
    pub(crate) fn has_read_buffer(&self) -> bool {
        self.read_buffer.get()
    }

    /// The message's accesses go past the cache of its sub-slice.
    pub(crate) fn set_uncached(&self) {
        self.uncached.set(true);
    }

    /// The message has ended with this response. `take` gets the states of the response's bytes, and
    /// the bytes of a channel's element, if it has one for each.
    pub(crate) fn end_message(&self, response: &[u8], take: impl FnOnce(&[u8], Option<usize>)) {
        let message = &mut *self.message.borrow_mut();
        if !message.answered {
            message.response.fill(WRITTEN);
        }
        if message.pointers {
            let values = response.as_chunks::<8>().0.iter();
            let states = message.response.as_chunks_mut::<8>().0.iter_mut();
            for (value, states) in values.zip(states) {
                if let Some(pointer) = self.pointer(u64::from_le_bytes(*value)) {
                    *states = [pointer; 8];
                }
            }
        }
        take(&message.response, message.slot);
    }

    /// An access of `width` bytes at `address`: in shared local memory, or in GPU memory.
    pub(crate) fn access(&self, place: Where, address: u64, width: u64, access: &Access<'_>) {
        let access = &*access.counted_from(self.channel.get());
        if place == Where::Stateless && is_report(address) {
            return self.hears(address, access);
        }
        self.judge_address(place, address, width, access);
        let end = address.saturating_add(width);
        if place == Where::Local && end > self.group.borrow().states.len() as u64 {
            return self.outside(access);
        }
        let purpose = match place {
            Where::Local => None,
            Where::Stateless | Where::Surface => self.purpose(address),
        };
        if purpose == Some(Purpose::Buffer) {
            self.judge_permission(address, width, access);
            if matches!(access.what, What::Read { .. }) {
                self.read_buffer.set(true);
            }
        }
        self.carry((place, purpose), address, width, access);
        self.order_programs((place, purpose), address, width, access);
    }

    /// Whether an access of consecutive dwords can be judged as one: the registers of its addresses
    /// have the same known state, and it stays inside one object.
    pub(crate) fn is_row(
        &self,
        place: Where,
        address: u64,
        width: u64,
        from: Range<usize>,
    ) -> bool {
        let message = self.message.borrow();
        let states = message.payload.get(from).unwrap_or_default();
        let first = states.first().copied().unwrap_or(UNWRITTEN);
        if first == UNWRITTEN || !address.is_multiple_of(4) {
            return false;
        }
        if states.iter().fold(0, |other, state| other | state ^ first) != 0 {
            return false;
        }
        drop(message);
        let last = address.saturating_add(width - 1);
        match place {
            Where::Local => {
                let asked = self.launched.as_ref().map(|known| known.local);
                let there = self.group.borrow().states.len() as u64;
                last < asked.unwrap_or(there).min(there)
            }
            Where::Stateless | Where::Surface => {
                // It remembers the object.
                let purpose = self.purpose(address);
                let object = self.nearest.get().filter(|(start, size, _)| {
                    address.wrapping_sub(*start) < *size && last.wrapping_sub(*start) < *size
                });
                match purpose {
                    Some(_) => object.is_some(),
                    None => {
                        self.extents.place(last).is_none()
                            && self
                                .extents
                                .object_padded_at(GpuAddress::new(address), width)
                                .is_none()
                    }
                }
            }
        }
    }

    /// A channel reads what the one before has read, by an address of the same state. If so, the
    /// response is the same.
    pub(crate) fn repeats(&self, before: &Access<'_>, access: &Access<'_>) -> bool {
        let message = &mut *self.message.borrow_mut();
        let (What::Read { at: from, slot }, What::Read { at: to, .. }) =
            (&before.what, &access.what)
        else {
            return false;
        };
        let state = |access: &Access<'_>| {
            let states = message.payload.get(access.address.clone());
            states.unwrap_or_default()
        };
        let same = match (state(before), state(access)) {
            // What is as long as a variable says is compared and copied by calls.
            (&[a, b, c, d], &[e, f, g, h]) => [a, b, c, d] == [e, f, g, h],
            (one, other) => one == other,
        };
        if !same || message.response.len() < to.max(from) + slot {
            return false;
        }
        let response = &mut message.response;
        match slot {
            4 => (0..4).for_each(|byte| response[to + byte] = response[from + byte]),
            _ => response.copy_within(*from..from + slot, *to),
        }
        true
    }

    /// An access of a texel of `width` bytes at `address`. What an image holds counts as written.
    pub(crate) fn texel(&self, address: u64, width: u64, access: &Access<'_>) {
        let access = &*access.counted_from(self.channel.get());
        self.judge_address(Where::Surface, address, width, access);
        let place = (Where::Surface, self.purpose(address));
        if !matches!(access.what, What::Read { .. }) {
            let mut states = States::NONE;
            self.store_states(place, address, States::of(width as usize, &mut states));
        }
        self.order_programs(place, address, width, access);
    }

    /// An access of a texel that an image does not have. OpenCL leaves open what comes of it; other
    /// languages do not.
    pub(crate) fn beyond_image(&self, lane: u8, [x, y, z]: [u32; 3], what: &What<'_>) {
        if self.is_apart() {
            self.report(Rule::SurfaceBounds, || {
                let verb = match what {
                    What::Read { .. } => "reads",
                    What::Write { .. } => "writes",
                    What::Atomic { .. } => "changes",
                };
                let [x, y, z] = [x, y, z].map(u32::cast_signed);
                let who = self.who(Some(lane + self.channel.get()));
                format!("{who}: it {verb} texel ({x}, {y}, {z}), which the image does not have")
            });
        }
    }

    /// Records who accesses what programs' objects have, and reports what nothing orders.
    fn order_programs(
        &self,
        (place, purpose): (Where, Option<Purpose>),
        address: u64,
        width: u64,
        access: &Access<'_>,
    ) {
        // What is not a program's is a thread's own, and that of the next in its slot.
        let programs = matches!(purpose, Some(Purpose::Buffer | Purpose::Image));
        if place == Where::Local || programs || !self.extents.knows_objects() {
            let by_slot = place != Where::Local && !programs;
            self.order_words(place, address, width, access, by_slot);
        }
    }

    /// An access of nothing, which has been reported: reads give zeros.
    pub(crate) fn outside(&self, access: &Access<'_>) {
        let mut message = self.message.borrow_mut();
        let (at, bytes) = match &access.what {
            What::Read { at, slot } => (*at, *slot),
            What::Atomic {
                operands,
                result: Some(at),
                ..
            } => (*at, operands[0].len().max(4)),
            What::Write { .. } | What::Atomic { result: None, .. } => return,
        };
        message.answered = true;
        if let Some(response) = message.response.get_mut(at..at + bytes) {
            response.fill(WRITTEN);
        }
    }

    /// Judges the registers that hold the address.
    fn judge_address(&self, place: Where, address: u64, width: u64, access: &Access<'_>) {
        let message = self.message.borrow();
        let states = message
            .payload
            .get(access.address.clone())
            .unwrap_or_default();
        if states.contains(&UNWRITTEN) {
            drop(message);
            return self.unwritten(access.lane, || "its address is in a register".to_owned());
        }
        let pointer = states.iter().copied().max().unwrap_or(WRITTEN);
        drop(message);
        // Of a block compilers may read more than they use.
        let judged = if access.lane.is_some() { width } else { 1 };
        if place == Where::Stateless
            && let Some((object, size)) = self.pointee(pointer)
            && let Some(there) = self.extents.object_at(address)
            && there != (object, size)
            && !is_inside(address, judged, object, size)
        {
            self.report(Rule::Provenance, || {
                format!(
                    "{}: an address computed from the pointer to {size:#x} bytes at {object} is \
                     {}",
                    self.who(access.lane),
                    self.describe(address)
                )
            });
        }
    }

    /// Carries the states of bytes between memory and registers.
    fn carry(&self, at: (Where, Option<Purpose>), address: u64, width: u64, access: &Access<'_>) {
        let (place, purpose) = at;
        let width = width as usize;
        let mut kept = States::NONE;
        let states = States::of(width, &mut kept);
        let mut message = self.message.borrow_mut();
        match &access.what {
            What::Read { at: to, slot } => {
                self.load_states(at, address, states);
                if states.contains(&UNWRITTEN) {
                    let thread = self.group.borrow().first + self.thread.get();
                    let text = self.place(place, address);
                    let mut last = self.empty_load.borrow_mut();
                    // Of a message's channels the first one.
                    let message = self.messages.get();
                    if last.as_ref().is_none_or(|last| last.message != message) {
                        *last = Some(EmptyLoad {
                            thread,
                            ip: self.ip(),
                            message,
                            place: text,
                        });
                    }
                }
                message.answered = true;
                message.slot = access.lane.map(|_| if access.row { 4 } else { *slot });
                // What a thread has left in its own memory has its states: two small numbers side by side
                // look like a pointer.
                message.pointers |= place != Where::Local
                    && !matches!(purpose, Some(Purpose::Buffer | Purpose::Threads))
                    && self.extents.knows_objects();
                if let Some(out) = message.response.get_mut(*to..to + slot.max(&width)) {
                    out.fill(WRITTEN);
                    if let Some(out) = out.get_mut(..width) {
                        out.copy_from_slice(states);
                    }
                }
            }
            What::Write { at: from, .. } => {
                let Some(stored) = message.payload.get(*from..from + width) else {
                    return;
                };
                states.copy_from_slice(stored);
                drop(message);
                let buffer = purpose == Some(Purpose::Buffer);
                let missing = states.iter().position(|state| *state == UNWRITTEN);
                let padding = access.lane.is_some() && !access.row && is_padding(address, states);
                if let Some(missing) = missing.filter(|_| buffer && !padding) {
                    let (skipped, width) = match access.row {
                        true => (missing / 4 * 4, 4),
                        false => (0, width),
                    };
                    self.unwritten(access.lane_of(missing), || {
                        let to = self.place(place, address + skipped as u64);
                        format!("it stores {width} bytes to {to}")
                    });
                }
                self.store_states(at, address, states);
            }
            What::Atomic {
                operands,
                result,
                uses,
            } => {
                let unwritten = operands.iter().any(|range| {
                    let states = message.payload.get(range.clone()).unwrap_or_default();
                    states.contains(&UNWRITTEN)
                });
                self.load_states(at, address, states);
                message.answered = true;
                if let Some(to) = result
                    && let Some(out) = message.response.get_mut(*to..to + width.max(4))
                {
                    out.fill(if states.contains(&UNWRITTEN) {
                        UNWRITTEN
                    } else {
                        WRITTEN
                    });
                }
                drop(message);
                if unwritten {
                    self.unwritten(access.lane, || {
                        let to = self.place(place, address);
                        format!("the operand of an atomic operation on {to}")
                    });
                } else if *uses && states.contains(&UNWRITTEN) {
                    self.unwritten(access.lane, || {
                        let at = self.place(place, address);
                        format!("an atomic operation reads {at}")
                    });
                }
                states.fill(WRITTEN);
                self.store_states(at, address, states);
            }
        }
    }

    fn load_states(
        &self,
        (place, purpose): (Where, Option<Purpose>),
        address: u64,
        out: &mut [u8],
    ) {
        if place != Where::Local {
            let memory = self.memory();
            return match purpose {
                Some(Purpose::Threads) => memory.scratch.load(self.number(), address, out),
                _ => memory.bytes.load(address, out),
            };
        }
        let group = self.group.borrow();
        let at = address as usize;
        if let Some(states) = group.states.get(at..at + out.len()) {
            out.copy_from_slice(states);
        }
    }

    fn store_states(
        &self,
        (place, purpose): (Where, Option<Purpose>),
        address: u64,
        states: &[u8],
    ) {
        if place != Where::Local {
            let mut memory = self.memory();
            return match purpose {
                Some(Purpose::Threads) => {
                    memory.scratch.store(self.number(), address, states);
                }
                _ => memory.bytes.store(address, states),
            };
        }
        let mut group = self.group.borrow_mut();
        let at = address as usize;
        if let Some(out) = group.states.get_mut(at..at + states.len()) {
            out.copy_from_slice(states);
        }
    }

    /// What the memory at an address is for, if a driver has said it. It is asked of neighbours in
    /// turn.
    fn purpose(&self, address: u64) -> Option<Purpose> {
        if let Some((start, size, purpose)) = self.nearest.get()
            && address.wrapping_sub(start) < size
        {
            return Some(purpose);
        }
        let (start, size, purpose) = self.extents.place(address)?;
        self.nearest.set(Some((start.get(), size, purpose)));
        Some(purpose)
    }

    /// The number of the thread that runs.
    fn number(&self) -> u32 {
        self.group.borrow().first + self.thread.get()
    }

    /// Records who accesses the words, and reports what nothing orders.
    fn order_words(
        &self,
        place: Where,
        address: u64,
        width: u64,
        access: &Access<'_>,
        by_slot: bool,
    ) {
        let mut group = self.group.borrow_mut();
        let index = self.thread.get() as usize;
        let (Some(order), Some(&slot)) = (group.threads.get(index), group.slots.get(index)) else {
            return;
        };
        let side = if place == Where::Local {
            Side::Local
        } else {
            Side::Global
        };
        let touch = match &access.what {
            What::Read { .. } => Touch::Read,
            What::Write { .. } => Touch::Write,
            What::Atomic { .. } => Touch::Atomic,
        };
        let own = group.first + index as u32;
        let mut mark = Mark {
            thread: own,
            clock: order.clock,
            ip: self.ip() as u32,
            message: self.messages.get(),
            value: 0,
            slot,
            lane: 0,
            bytes: 0,
            own: 0,
            atomic: touch == Touch::Atomic,
            row: false,
            apart: order.apart && access.lane.is_some() && !self.whole.get(),
        };
        if touch == Touch::Atomic {
            self.tell(&mut group, side, address, index);
        }
        let mut memory = self.memory();
        let blind = memory.overflow;
        let end = address.saturating_add(width);
        let mut at = address & !3;
        let mut worst: Option<(u64, Conflict)> = None;
        while at < end {
            let whole = (access.row || access.lane.is_none())
                && touch != Touch::Atomic
                && at.is_multiple_of(4 * LINE as u64)
                && end - at >= 4 * LINE as u64;
            let from = at.max(address);
            let until = match whole {
                true => at + 4 * LINE as u64,
                false => end.min(at + 4),
            };
            let lane = access.lane_of((from - address) as usize);
            mark.lane = lane.unwrap_or(0);
            let data = match &access.what {
                What::Write { data, .. } => {
                    let range = (from - address) as usize..(until - address) as usize;
                    data.get(range).unwrap_or_default()
                }
                What::Read { .. } | What::Atomic { .. } => &[],
            };
            let Group {
                threads,
                lines,
                first,
                ..
            } = &mut *group;
            let Some(order) = threads.get(index) else {
                return;
            };
            let relation = |earlier: &Mark, writes: bool| {
                let fence =
                    writes && !earlier.atomic && !(side == Side::Local && self.local_in_order);
                let member = earlier.thread.checked_sub(*first);
                let member = member.and_then(|index| threads.get(index as usize));
                let reach = match member {
                    Some(_) => Reach::Group,
                    None => Reach::Device,
                };
                let heard = || order.has_heard(earlier.thread, earlier.clock, side, reach);
                let known = || order.knows(earlier.thread, earlier.clock, side, reach);
                // Atomic operations, and loads past the cache, see what others have written.
                let cached = self.caches && touch == Touch::Read && !self.uncached.get();
                match member {
                    _ if by_slot && earlier.slot == slot => Relation::Before,
                    _ if earlier.thread < self.first => Relation::Before,
                    Some(_) if heard() => Relation::Before,
                    Some(other) => other.to_member(earlier.clock, side, fence, order),
                    None if blind => Relation::Before,
                    None if !heard() => Relation::Racing,
                    None if cached && !earlier.atomic && !known() => Relation::Stale,
                    None => Relation::Before,
                }
            };
            let line = match side {
                Side::Local => lines.get_mut(at as usize / (4 * LINE)),
                Side::Global => Some(memory.line(at)),
            };
            let found = match line {
                None => None,
                Some(line) if whole => {
                    (mark.bytes, mark.own, mark.row) = (0xf, 0xf, access.row);
                    let mut values = [0; LINE];
                    for (value, bytes) in values.iter_mut().zip(data.as_chunks().0) {
                        *value = u32::from_le_bytes(*bytes);
                    }
                    line.touch(touch, mark, &values, relation)
                }
                Some(line) => {
                    let ones = 0xf >> (4 - (until - from));
                    mark.bytes = ones << (from - at);
                    (mark.own, mark.row) = (mark.bytes, false);
                    let mut word = [0; 4];
                    for (to, byte) in word.iter_mut().skip((from - at) as usize).zip(data) {
                        *to = *byte;
                    }
                    mark.value = u32::from_le_bytes(word);
                    let cell = line.cell((at / 4) as usize);
                    cell.touch(touch, mark, relation).map(|found| (0, found))
                }
            };
            worst = worst.or(found.map(|(word, conflict)| (from + 4 * word as u64, conflict)));
            at = until.next_multiple_of(4);
        }
        drop(memory);
        drop(group);
        if let Some((at, conflict)) = worst {
            let lane = access.lane_of(at.saturating_sub(address) as usize);
            self.report_conflict(place, at, touch, lane, &conflict);
        }
    }

    /// An atomic tells others what its thread knows, and learns what others have told.
    fn tell(&self, group: &mut Group, side: Side, address: u64, index: usize) {
        let told = match side {
            Side::Local => group.told.get(&address).cloned(),
            Side::Global => self.memory().told(address).cloned(),
        };
        let first = group.first;
        if let (Some(told), Some(order)) = (told, group.threads.get_mut(index)) {
            order.hear(&told);
        }
        let Some(order) = group.threads.get(index) else {
            return;
        };
        let in_order = self.local_in_order;
        let known = order.release(first + index as u32, &group.threads, first, in_order);
        if in_order
            && side == Side::Local
            && let Some(order) = group.threads.get_mut(index)
        {
            order.told();
        }
        if known.is_empty() {
            return;
        }
        match side {
            Side::Local => {
                group.told.insert(address, known);
            }
            Side::Global => self.memory().tell(address, known),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fourth_component_of_a_vector_is_padding() {
        let (no, yes) = (UNWRITTEN, WRITTEN);
        assert!(is_padding(0x1c, &[no; 4]), "int3");
        assert!(is_padding(0x38, &[no; 8]), "long3");
        assert!(is_padding(0x14, &[yes, yes, no, no]), "short3");
        assert!(is_padding(0x18, &[yes, yes, yes, no]), "char3");
        for address in [0x10, 0x14, 0x18] {
            assert!(!is_padding(address, &[no; 4]), "{address:#x}");
        }
        assert!(!is_padding(0x1c, &[no, yes, yes, no]));
        assert!(!is_padding(0x1c, &[no, no, no, yes]));
    }
}
