//! What shared functions say of their accesses, and what is found out about them.

use std::borrow::Cow;
use std::ops::Range;

use devinfo::GpuAddress;
use isa_encoder::message::Direction;

use super::Checks;
use super::arrays::is_report;
use super::bytes::{UNWRITTEN, WRITTEN};
use super::carry::States;
use super::findings::Purpose;
use super::rule::Rule;

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
    /// An image.
    Image,
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
    Write {
        at: usize,
        data: &'a [u8],
        beside: Beside,
    },
    /// An atomic operation with these bytes of the payload; the result, if it is wanted, goes to
    /// this byte of the response.
    Atomic {
        operands: [Range<usize>; 2],
        result: Option<usize>,
        /// What is there decides what it writes.
        uses: bool,
        /// A bit for each channel, the access's first one lowest, that exchanges nothing: it finds another value
        /// than it compares with.
        fails: u32,
    },
}

/// Which element of consecutive ones it is that the message stores for its channel. A message of the whole thread
/// may have one in each of a few channels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Beside {
    pub index: usize,
    pub count: usize,
    /// Bytes of the payload from one to the next.
    pub step: usize,
}

impl Beside {
    /// There is no other.
    pub const NONE: Self = Self {
        index: 0,
        count: 1,
        step: 0,
    };
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
    /// A message begins: the states of its payload, in parts, and of its response. Nothing reads these bytes of
    /// the response.
    pub(crate) fn begin_message<'a>(
        &self,
        payload: impl Iterator<Item = &'a [u8]>,
        response: &[u8],
        unread: &[Range<usize>],
    ) {
        self.lane.set(None);
        self.messages.set(self.messages.get().wrapping_add(1));
        let mut message = self.message.borrow_mut();
        message.payload.clear();
        payload.for_each(|part| message.payload.extend_from_slice(part));
        message.response.clear();
        message.response.extend_from_slice(response);
        message.unread.clear();
        message.unread.extend_from_slice(unread);
        message.answered = false;
        message.pointers = false;
        message.slot = None;
        self.uncached.set(false);
        self.sampled.set(false);
        self.read_buffer.set(false);
    }

    /// The message is that of the whole thread, or of the channels from one on.
    pub(crate) fn set_channels(&self, whole: bool, first: u8) {
        self.whole.set(whole);
        self.channel.set(first);
    }

    /// Whether the message is the whole thread's.
    pub(crate) fn is_whole(&self) -> bool {
        self.whole.get()
    }

    /// Whether the message has read one of the program's buffers.
    pub(crate) fn has_read_buffer(&self) -> bool {
        self.read_buffer.get()
    }

    /// The message's accesses go past the cache of its sub-slice.
    pub(crate) fn set_uncached(&self) {
        self.uncached.set(true);
    }

    /// The message's accesses are the sampler's.
    pub(crate) fn set_sampled(&self) {
        self.sampled.set(true);
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
            Where::Stateless | Where::Surface | Where::Image => self.purpose(address),
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
                last < asked.unwrap_or(there).min(there) && self.is_in_part(address, width)
            }
            Where::Stateless | Where::Surface | Where::Image => {
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
        let place = (Where::Image, self.purpose(address));
        if !matches!(access.what, What::Read { .. }) {
            let mut states = States::NONE;
            self.store_states(place, address, States::of(width as usize, &mut states));
        }
        self.order_programs(place, address, width, access);
    }

    /// A message stores the payload's bytes in these places in an image, or uses them for an atomic operation
    /// on it.
    pub(crate) fn judge_texel(
        &self,
        address: u64,
        lane: Option<u8>,
        mut from: impl Iterator<Item = Range<usize>>,
    ) {
        if from.any(|range| self.is_unwritten(range)) {
            let lane = lane.map(|lane| lane + self.channel.get());
            self.unwritten(lane, || {
                format!("what it stores to {}", self.describe(address))
            });
        }
    }

    /// A channel samples at coordinates that these bytes of the payload have.
    pub(crate) fn judge_coordinates(&self, lane: u8, mut from: impl Iterator<Item = Range<usize>>) {
        if from.any(|range| self.is_unwritten(range)) {
            let lane = lane + self.channel.get();
            self.unwritten(Some(lane), || "the register with a coordinate".to_owned());
        }
    }

    /// A signal names its barrier by these bytes of the payload.
    pub(crate) fn judge_barrier(&self, name: Range<usize>) {
        if self.is_unwritten(name) {
            self.unwritten(None, || {
                "the register with the name of the barrier that it signals".to_owned()
            });
        }
    }

    /// Whether nothing has written one of these bytes of the payload.
    fn is_unwritten(&self, range: Range<usize>) -> bool {
        let message = self.message.borrow();
        let states = message.payload.get(range).unwrap_or_default();
        states.contains(&UNWRITTEN)
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

    /// A block of an image, by its first column of bytes and row, and how many there are: OpenCL leaves open what comes
    /// of it if the image has fewer.
    pub(crate) fn judge_block(
        &self,
        block: [(i32, usize); 2],
        size: [u32; 2],
        direction: Direction,
    ) {
        let mut directions = block.into_iter().zip(size);
        let inside = |((first, count), size): ((i32, usize), u32)| {
            let first = i64::from(first);
            first >= 0 && first.saturating_add_unsigned(count as u64) <= size.into()
        };
        if self.is_apart() && !directions.all(inside) {
            self.report(Rule::SurfaceBounds, || {
                let verb = match direction {
                    Direction::Read => "reads",
                    Direction::Write => "writes",
                };
                let ([(x, width), (y, height)], [columns, rows]) = (block, size);
                format!(
                    "{}: it {verb} a block of {width} bytes in {height} rows at ({x}, {y}) of an image that has \
                     {columns} in {rows}",
                    self.who(None)
                )
            });
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
            return self.unwritten(access.lane, || "the register with its address".to_owned());
        }
        let pointer = states.iter().copied().max().unwrap_or(WRITTEN);
        drop(message);
        // Of a block compilers may read more than they use.
        let judged = if access.lane.is_some() { width } else { 1 };
        let there = || {
            let place = self.extents.place(address);
            place.map(|(object, size, _)| (object, size))
        };
        // What reaches into the padding behind an object is reported as that.
        let padding = || self.extents.object_padded_at(GpuAddress::new(address), 1);
        if place == Where::Stateless
            && let Some((object, size)) = self.pointee(pointer)
            && !is_inside(address, judged, object, size)
            && there() != Some((object, size))
            && padding().is_none()
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

    /// What the memory at an address is for, if a driver has said it. It is asked of neighbours in
    /// turn.
    pub(super) fn purpose(&self, address: u64) -> Option<Purpose> {
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
    pub(super) fn number(&self) -> u32 {
        self.group.borrow().first + self.thread.get()
    }
}
