//! Gather and scatter: an address for each channel, elements in register planes.

use std::borrow::Cow;
use std::ops::Range;

use isa_encoder::message::Direction;

use super::payload::{self, Lanes, Payload, Response, lane, lane32};
use super::place::{Place, UNBOUNDED};
use crate::check::{Access, Beside, What};
use crate::{Checks, Fault, Rule};

/// The most channels of a message.
const LANES: usize = 32;

/// The addresses of a message's channels, from the payload.
pub(super) struct Addresses<'a> {
    bytes: Cow<'a, [u8]>,
    /// Bytes of an address: 2, 4 or 8.
    width: usize,
    /// What is added to each.
    offset: i64,
    /// The byte of the payload after the addresses.
    pub end: usize,
}

impl<'a> Addresses<'a> {
    /// `lanes` addresses of `width` bytes from byte `at` of the payload on, in whole registers of
    /// `grf` bytes.
    #[inline(always)]
    pub(super) fn of(
        payload: &Payload<'a>,
        at: usize,
        lanes: usize,
        width: usize,
        grf: usize,
    ) -> Result<Self, Fault> {
        let len = (lanes * width).next_multiple_of(grf);
        Ok(Self {
            bytes: payload.bytes(at, len)?,
            width,
            offset: 0,
            end: at + len,
        })
    }

    /// The same addresses, `offset` bytes further on.
    pub(super) fn plus(self, offset: i32) -> Self {
        Self {
            offset: offset.into(),
            ..self
        }
    }

    /// The bytes of the payload that hold a lane's address.
    pub(super) fn range(&self, lane: usize) -> Range<usize> {
        let at = self.end.saturating_sub(self.bytes.len()) + lane * self.width;
        at..at + self.width
    }

    #[inline]
    pub(super) fn get(&self, lane: usize) -> u64 {
        payload::lane(&self.bytes, lane * self.width, self.width).wrapping_add_signed(self.offset)
    }

    /// All of them.
    #[inline(always)]
    fn all(&self) -> [u64; LANES] {
        let mut addresses = [0; LANES];
        match self.width {
            4 => widen(&mut addresses, &self.bytes, u32::from_le_bytes),
            8 => widen(&mut addresses, &self.bytes, u64::from_le_bytes),
            _ => widen(&mut addresses, &self.bytes, u16::from_le_bytes),
        }
        if self.offset != 0 {
            for address in &mut addresses {
                *address = address.wrapping_add_signed(self.offset);
            }
        }
        addresses
    }

    /// The first address when those of all `lanes` lanes are consecutive dwords.
    #[inline]
    fn consecutive_dwords(&self, lanes: usize) -> Option<u64> {
        let first = self.get(0);
        let length = 4 * (lanes as u64).checked_sub(1)?;
        let last = first.checked_add(length)?;
        let step = |lane: usize| 4 * lane as u64;
        let holds = match self.width {
            4 => {
                let all = self.bytes.as_chunks().0.iter().take(lanes);
                let base = self.get(0).wrapping_sub(self.offset as u64) as u32;
                last.max(u64::from(base) + length) <= u64::from(u32::MAX)
                    && 0 == all.enumerate().fold(0, |other, (lane, address)| {
                        other | u32::from_le_bytes(*address) ^ base.wrapping_add(step(lane) as u32)
                    })
            }
            8 => {
                let all = self.bytes.as_chunks().0.iter().take(lanes);
                let base = self.get(0).wrapping_sub(self.offset as u64);
                0 == all.enumerate().fold(0, |other, (lane, address)| {
                    other | u64::from_le_bytes(*address) ^ base.wrapping_add(step(lane))
                })
            }
            _ => return None,
        };
        holds.then_some(first)
    }
}

/// Zero-extends elements of `B` bytes.
#[inline(always)]
fn widen<T: Into<u64>, const B: usize>(
    out: &mut [u64; LANES],
    bytes: &[u8],
    element: fn([u8; B]) -> T,
) {
    for (out, bytes) in out.iter_mut().zip(bytes.as_chunks::<B>().0) {
        *out = element(*bytes).into();
    }
}

/// An element in memory and in the register.
#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    /// Bytes in memory.
    pub memory: usize,
    /// Bytes in the register, zero-extended.
    pub slot: usize,
    /// The element is the high half of its slot.
    pub high: bool,
}

impl Element {
    /// An element of `bytes` bytes in memory and register.
    pub(super) const fn same(bytes: usize) -> Self {
        Self {
            memory: bytes,
            slot: bytes,
            high: false,
        }
    }

    const fn shift(self) -> u32 {
        if self.high {
            (self.slot - self.memory) as u32 * 8
        } else {
            0
        }
    }
}

/// One gather or scatter message.
pub(super) struct Gather<'a> {
    pub place: Place<'a>,
    pub addresses: Addresses<'a>,
    pub element: Element,
    /// Channels of the message, which is how many slots a plane has.
    pub lanes: usize,
    /// Live channels, below `lanes`.
    pub live: u32,
    /// Bytes of a register: planes begin at registers.
    pub grf: usize,
    /// The message needs elements that are aligned to dwords. Byte scattered and load/store
    /// messages do not: compilers use them to store pairs of words.
    pub aligned: bool,
    pub checks: Option<&'a Checks>,
}

impl Gather<'_> {
    fn plane(&self) -> usize {
        (self.lanes * self.element.slot).next_multiple_of(self.grf)
    }

    /// The byte offset of a component of the channel with that address. Stateless offsets of 32
    /// bits wrap at 4 GiB.
    #[inline(always)]
    fn offset(&self, address: u64, component: u64) -> u64 {
        let sum = address.wrapping_add(component);
        match self.place {
            Place::Memory {
                bytes: UNBOUNDED, ..
            } if self.addresses.width < 8 => sum & u64::from(u32::MAX),
            _ => sum,
        }
    }

    /// All lanes are live and consecutive dwords.
    fn block(&self, mut components: impl Iterator<Item = u64>) -> Option<u64> {
        if components.next() != Some(0) || components.next().is_some() {
            return None;
        }
        let all = u32::MAX >> (32 - self.lanes.clamp(1, 32));
        if self.live != all || self.element.memory != 4 || self.element.slot != 4 {
            return None;
        }
        self.addresses.consecutive_dwords(self.lanes)
    }

    /// Checks the elements: `what` says what happens to those of a plane and of lanes.
    #[cold]
    fn check<'d>(
        &self,
        checks: &Checks,
        components: impl Iterator<Item = u64> + Clone,
        what: impl Fn(usize, Range<usize>) -> What<'d>,
    ) {
        let width = self.element.memory as u64;
        if self.check_row(checks, components.clone(), &what) {
            return;
        }
        for (index, component) in components.enumerate() {
            let mut before: Option<(u64, Access<'_>)> = None;
            // Of channels that read one place, the first may be the one that has written it.
            let wanted = if checks.is_apart() { 2 } else { 1 };
            let mut alike = 0;
            for lane in Lanes(self.live) {
                let offset = self.offset(self.addresses.get(lane), component);
                // Hardware splits bytes and words, but not dwords and qwords.
                if self.aligned && width >= 4 && !self.place.address(offset).is_multiple_of(4) {
                    checks.report(Rule::ElementAlignment, || {
                        format!("channel {lane} accesses {width} bytes at offset {offset:#x}")
                    });
                }
                let access = Access {
                    lane: Some(lane as u8),
                    row: false,
                    address: self.addresses.range(lane),
                    what: what(index, lane..lane + 1),
                };
                let before_here = before.as_ref().filter(|(last, _)| *last == offset);
                alike = before_here.map_or(0, |_| alike) + 1;
                if let Some((_, before)) = before_here
                    && alike > wanted
                    && checks.repeats(before, &access)
                {
                    continue;
                }
                self.place.check(checks, offset, width, &access);
                before = Some((offset, access));
            }
        }
    }

    /// Checks consecutive dwords at once, if they can be.
    fn check_row<'d>(
        &self,
        checks: &Checks,
        components: impl Iterator<Item = u64>,
        what: impl Fn(usize, Range<usize>) -> What<'d>,
    ) -> bool {
        let Some(first) = self.block(components) else {
            return false;
        };
        let bytes = 4 * self.lanes;
        let from = self.addresses.range(0).start..self.addresses.range(self.lanes - 1).end;
        let offset = self.offset(first, 0);
        let Some(place) = self.place.inside(offset, bytes as u64) else {
            return false;
        };
        if self.place.is_before(checks, offset)
            || !checks.is_row(
                place,
                self.place.address(offset),
                bytes as u64,
                from.clone(),
            )
        {
            return false;
        }
        let access = Access {
            lane: Some(0),
            row: true,
            address: from,
            what: what(0, 0..self.lanes),
        };
        checks.access(place, self.place.address(offset), bytes as u64, &access);
        true
    }

    /// What each channel stores beside an element: those of all components, if these are consecutive.
    fn beside(&self, components: impl Iterator<Item = u64>) -> Option<Beside> {
        let mut count = 0;
        for component in components {
            if component != (count * self.element.memory) as u64 {
                return None;
            }
            count += 1;
        }
        Some(Beside {
            index: 0,
            count,
            step: self.plane(),
        })
    }

    /// The components of a vector, if the first channels have one each, and others the first one again: so a
    /// message of the whole thread stores one.
    fn vector(&self) -> Option<Beside> {
        let live = self.live.trailing_ones() as usize;
        let width = self.element.memory as u64;
        let first = self.addresses.get(0);
        let address = |lane: usize| self.addresses.get(lane);
        let follows = |lane: &usize| address(*lane) == first.wrapping_add(*lane as u64 * width);
        let count = (0..live).take_while(follows).count();
        let few = count <= 4 && live == self.live.count_ones() as usize;
        (few && (count..live).all(|lane| address(lane) == first)).then_some(Beside {
            index: 0,
            count,
            step: self.element.slot,
        })
    }

    /// Whether it tells the checks something, and stores nothing.
    fn reports(&self) -> bool {
        let mut lanes = Lanes(self.live);
        lanes
            .next()
            .is_some_and(|lane| self.place.reports(self.addresses.get(lane)))
    }

    /// Moves elements; `components` gives the byte offset in memory of each register plane.
    pub(super) fn transfer(
        &self,
        direction: Direction,
        payload: &Payload<'_>,
        dst: &mut [u8],
        components: impl Iterator<Item = u64> + Clone,
    ) -> Result<(), Fault> {
        // A prefetch, which has no response, may go anywhere.
        let prefetch = direction == Direction::Read && dst.is_empty();
        if let (Some(checks), false) = (self.checks, prefetch) {
            let (plane, slot) = (self.plane(), self.element.slot);
            let shift = self.element.shift() as usize / 8;
            match direction {
                Direction::Read => {
                    self.check(checks, components.clone(), |index, lanes| What::Read {
                        at: index * plane + lanes.start * slot + shift,
                        slot: lanes.len() * slot - shift,
                    })
                }
                Direction::Write => {
                    let len = components.clone().count() * plane;
                    let data = payload.bytes(self.addresses.end, len)?;
                    let beside = self.beside(components.clone());
                    let vector = checks.is_whole().then(|| self.vector()).flatten();
                    self.check(checks, components.clone(), |index, lanes| {
                        let at = index * plane + lanes.start * slot + shift;
                        let skipped = slot - self.element.memory;
                        let bytes = data.get(at..at + lanes.len() * slot - skipped);
                        What::Write {
                            at: self.addresses.end + at,
                            data: bytes.unwrap_or_default(),
                            beside: match (beside, vector) {
                                (Some(Beside { count: 1, .. }), Some(vector))
                                    if lanes.start < vector.count =>
                                {
                                    Beside {
                                        index: lanes.start,
                                        ..vector
                                    }
                                }
                                (Some(beside), _) => Beside { index, ..beside },
                                (None, _) => Beside::NONE,
                            },
                        }
                    });
                }
            }
            if direction == Direction::Write && self.reports() {
                return Ok(());
            }
        }
        match direction {
            Direction::Read => self.read(dst, components),
            Direction::Write => self.write(payload, components),
        }
    }

    fn read(
        &self,
        dst: &mut [u8],
        components: impl Iterator<Item = u64> + Clone,
    ) -> Result<(), Fault> {
        if dst.is_empty() {
            // A prefetch.
            return Ok(());
        }
        let plane = self.plane();
        let Element { memory, slot, .. } = self.element;
        let mut response = Response::new(dst, components.clone().count() * plane)?;
        if let Some(first) = self.block(components.clone())
            && let Some(out) = response.span(0, self.lanes * 4)
        {
            return self.place.read(first, out);
        }
        let dwords = memory == 4 && slot == 4;
        let addresses = self.addresses.all();
        let address = |lane: usize| addresses[lane % LANES];
        for (index, component) in components.enumerate() {
            let at = index * plane;
            if dwords {
                self.place.gather(
                    Lanes(self.live).map(|lane| (lane, self.offset(address(lane), component))),
                    |lane, value| response.put32(at, lane, value),
                )?;
                continue;
            }
            for lane in Lanes(self.live) {
                let offset = self.offset(address(lane), component);
                let value = self.place.load(offset, memory)? << self.element.shift();
                response.put(at + lane * slot, slot, value);
            }
        }
        Ok(())
    }

    fn write(
        &self,
        payload: &Payload<'_>,
        components: impl Iterator<Item = u64> + Clone,
    ) -> Result<(), Fault> {
        let plane = self.plane();
        let Element { memory, slot, .. } = self.element;
        let len = components.clone().count() * plane;
        let data = payload.bytes(self.addresses.end, len)?;
        if let Some(first) = self.block(components.clone()) {
            return self
                .place
                .write(first, data.get(..self.lanes * 4).unwrap_or(&data));
        }
        let addresses = self.addresses.all();
        for (index, component) in components.enumerate() {
            let at = index * plane;
            for channel in Lanes(self.live) {
                let offset = self.offset(addresses[channel % LANES], component);
                if memory == 4 && slot == 4 {
                    let value = lane32(data.get(at..).unwrap_or(&[]), channel);
                    self.place.store32(offset, value)?;
                } else {
                    let value = lane(&data, at + channel * slot, slot) >> self.element.shift();
                    self.place.store(offset, memory, value)?;
                }
            }
        }
        Ok(())
    }

    /// The channels, one bit each, that find another value now than they compare with.
    fn failing(
        &self,
        payload: &Payload<'_>,
        op: isa_encoder::message::AtomicOp,
    ) -> Result<u32, Fault> {
        let mut failing = 0;
        if op.operands() < 2 {
            return Ok(failing);
        }
        let Element { memory, slot, .. } = self.element;
        let expected = payload.bytes(self.addresses.end, self.plane())?;
        for channel in Lanes(self.live) {
            // What cannot be accessed is reported first, and faults then.
            let offset = self.offset(self.addresses.get(channel), 0);
            let Ok(there) = self.place.load(offset, memory) else {
                continue;
            };
            let wanted = lane(&expected, channel * slot, memory);
            let update = super::atomic::apply(op, memory as u8, there, wanted, wanted);
            failing |= u32::from(update.stored.is_none()) << channel;
        }
        Ok(failing)
    }

    /// An atomic operation for each channel, one after the other. Operands are planes; a
    /// compare-and-swap has the expected values first, then the new ones.
    pub(super) fn atomic(
        &self,
        payload: &Payload<'_>,
        dst: &mut [u8],
        op: isa_encoder::message::AtomicOp,
        returns: bool,
    ) -> Result<(), Fault> {
        if let Some(checks) = self.checks {
            let (plane, slot) = (self.plane(), self.element.slot);
            let failing = self.failing(payload, op)?;
            self.check(checks, std::iter::once(0), |_, lanes| {
                let lane = lanes.start;
                let operand = |number: usize| {
                    let at = self.addresses.end + number * plane + lane * slot;
                    match number < op.operands() {
                        true => at..at + self.element.memory,
                        false => 0..0,
                    }
                };
                What::Atomic {
                    operands: [operand(0), operand(1)],
                    result: returns.then_some(lane * slot),
                    uses: op != isa_encoder::message::AtomicOp::Store,
                    fails: failing.checked_shr(lane as u32).unwrap_or(0),
                }
            });
        }
        let Element { memory, slot, .. } = self.element;
        let plane = self.plane();
        let data = payload.bytes(self.addresses.end, op.operands() * plane)?;
        let mut response = Response::new(dst, if returns { plane } else { 0 })?;
        for channel in Lanes(self.live) {
            let a = lane(&data, channel * slot, memory);
            let b = lane(&data, plane + channel * slot, memory);
            let mut result = 0;
            self.place.atomic(
                self.offset(self.addresses.get(channel), 0),
                memory,
                &mut |old| {
                    let update = super::atomic::apply(op, memory as u8, old, a, b);
                    result = update.returned;
                    update.stored
                },
            )?;
            if returns {
                response.put(channel * slot, slot, result);
            }
        }
        Ok(())
    }
}
