//! What shared functions say of their accesses, and what is found out about them.

use std::ops::Range;

use super::Checks;
use super::bytes::{UNWRITTEN, WRITTEN};
use super::cell::{Conflict, Mark, Touch};
use super::checks::EmptyLoad;
use super::findings::Purpose;
use super::group::Group;
use super::order::{Relation, Side};
use super::rule::Rule;

/// States of bytes that something has written, in place for elements.
struct States {
    element: [u8; 16],
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
        element: [WRITTEN; 16],
        block: Vec::new(),
    };
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
    /// The channel, unless it is the whole thread's.
    pub lane: Option<u8>,
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

impl Checks {
    /// A message begins: the states of its payload, in parts, and of its response.
    pub(crate) fn begin_message<'a>(
        &self,
        payload: impl Iterator<Item = &'a [u8]>,
        response: &[u8],
    ) {
        self.messages.set(self.messages.get().wrapping_add(1));
        let mut message = self.message.borrow_mut();
        message.payload.clear();
        payload.for_each(|part| message.payload.extend_from_slice(part));
        message.response.clear();
        message.response.extend_from_slice(response);
        message.answered = false;
        message.pointers = false;
        message.slot = None;
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

    /// Reports a value that decides something and that nothing has written.
    pub(crate) fn unwritten(&self, lane: Option<u8>, what: impl FnOnce() -> String) {
        if self.launched.as_ref().is_some_and(|known| known.own) {
            return;
        }
        self.report(Rule::Uninitialised, || {
            let mut text = format!("{}: {}, which nothing has written", self.who(lane), what());
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
        self.report(Rule::InactiveChannel, || {
            format!(
                "{}: it reads what channel {owner} has written, which is not active",
                self.who(Some(lane))
            )
        });
    }

    /// Where the kernel's code begins.
    fn start(&self) -> u64 {
        self.launched.as_ref().map_or(0, |known| known.first)
    }

    /// An access of `width` bytes at `address`: in shared local memory, or in GPU memory.
    pub(crate) fn access(&self, place: Where, address: u64, width: u64, access: &Access<'_>) {
        self.judge_address(place, address, access);
        let end = address.saturating_add(width);
        if place == Where::Local && end > self.group.borrow().states.len() as u64 {
            return self.outside(access);
        }
        let purpose = match place {
            Where::Local => None,
            Where::Stateless | Where::Surface => self.purpose(address),
        };
        self.carry((place, purpose), address, width, access);
        self.order_programs((place, purpose), address, width, access);
    }

    /// An access of a texel of `width` bytes at `address`. What an image holds counts as written.
    pub(crate) fn texel(&self, address: u64, width: u64, access: &Access<'_>) {
        self.judge_address(Where::Surface, address, access);
        let place = (Where::Surface, self.purpose(address));
        if !matches!(access.what, What::Read { .. }) {
            let mut states = States::NONE;
            self.store_states(place, address, States::of(width as usize, &mut states));
        }
        self.order_programs(place, address, width, access);
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
    fn judge_address(&self, place: Where, address: u64, access: &Access<'_>) {
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
        if place == Where::Stateless
            && let Some((object, size)) = self.pointee(pointer)
            && let Some(other) = self.extents.object_at(address)
            && other.0 != object
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
                message.slot = access.lane.map(|_| *slot);
                message.pointers |= place != Where::Local
                    && purpose != Some(Purpose::Buffer)
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
                if buffer && states.contains(&UNWRITTEN) {
                    self.unwritten(access.lane, || {
                        let to = self.place(place, address);
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

    /// A place, in words.
    fn place(&self, place: Where, address: u64) -> String {
        match place {
            Where::Local => format!("byte {address:#x} of shared local memory"),
            Where::Stateless | Where::Surface => self.describe(address),
        }
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
            lane: access.lane.unwrap_or(0),
            bytes: 0,
            own: 0,
            atomic: touch == Touch::Atomic,
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
            let from = at.max(address);
            let until = end.min(at + 4);
            let ones = 0xf >> (4 - (until - from));
            mark.bytes = ones << (from - at);
            mark.own = mark.bytes;
            if let What::Write { data, .. } = &access.what {
                let range = (from - address) as usize..(until - address) as usize;
                let bytes = data.get(range).unwrap_or_default();
                let mut word = [0; 4];
                for (to, byte) in word.iter_mut().skip((from - at) as usize).zip(bytes) {
                    *to = *byte;
                }
                mark.value = u32::from_le_bytes(word);
            }
            let Group {
                threads,
                cells,
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
                let known = order.knows(earlier.thread, earlier.clock, side);
                match member.and_then(|index| threads.get(index as usize)) {
                    _ if by_slot && earlier.slot == slot => Relation::Before,
                    _ if known || earlier.thread < self.first => Relation::Before,
                    Some(other) => other.to_member(earlier.clock, side, fence, order),
                    None if blind => Relation::Before,
                    None => Relation::Racing,
                }
            };
            let cell = match side {
                Side::Local => cells.get_mut((at / 4) as usize),
                Side::Global => Some(memory.cell(at)),
            };
            let found = cell.and_then(|cell| cell.touch(touch, mark, relation));
            worst = worst.or(found.map(|conflict| (from, conflict)));
            at += 4;
        }
        drop(memory);
        drop(group);
        if let Some((at, conflict)) = worst {
            self.report_conflict(place, at, touch, access.lane, &conflict);
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
            order.acquire(&told);
        }
        let Some(order) = group.threads.get(index) else {
            return;
        };
        let free = [self.local_in_order, false];
        let known = order.release(first + index as u32, &group.threads, first, free);
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

    fn report_conflict(
        &self,
        place: Where,
        address: u64,
        touch: Touch,
        lane: Option<u8>,
        conflict: &Conflict,
    ) {
        let rule = match conflict.relation {
            Relation::Unfenced => Rule::MissingFence,
            _ => Rule::Race,
        };
        let earlier = &conflict.earlier;
        let other = u64::from(earlier.ip);
        self.report_pair(rule, Some(other), || {
            let verb = match touch {
                Touch::Read => "reads",
                Touch::Write => "writes",
                Touch::Atomic => "updates",
            };
            let did = match (conflict.earlier_writes, earlier.atomic) {
                (_, true) => "has updated",
                (true, false) => "has written",
                (false, false) => "has read",
            };
            let group = self.group.borrow();
            let me = group.name(group.first + self.thread.get(), lane);
            let they = group.name(earlier.thread, Some(earlier.lane));
            let place = self.place(place, address);
            let why = match conflict.relation {
                Relation::Unfenced => "and has not fenced before the barrier",
                _ if earlier.thread == group.first + self.thread.get() => "in the same message",
                _ => "and nothing orders the two",
            };
            format!("{me} {verb} {place}, which {they} {did}, {why}")
        });
    }
}
