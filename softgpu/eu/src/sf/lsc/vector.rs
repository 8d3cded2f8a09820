//! Loads, stores and atomics with an address for each channel, and transposed blocks.

use isa_encoder::message::{AddressSize, AtomicOp, DataSize, Direction, LscAddress};

use super::Context;
use crate::check::{Access, Beside, What};
use crate::sf::gather::{Addresses, Element, Gather};
use crate::sf::payload::{Lanes, Response, lane};
use crate::{Fault, Rule};

/// A message to untyped memory.
pub(super) struct Vector<'a> {
    pub context: Context<'a>,
    pub address: LscAddress,
    pub address_size: AddressSize,
    pub data: DataSize,
}

impl<'a> Vector<'a> {
    fn element(&self) -> Element {
        Element {
            memory: self.data.memory_bytes(),
            slot: self.data.register_bytes(),
            high: self.data == DataSize::D16U32H,
        }
    }

    #[inline(always)]
    fn gather(&self) -> Result<Gather<'a>, Fault> {
        let context = &self.context;
        let width = self.address_size.bytes();
        let offset = match self.address {
            LscAddress::Flat { offset }
            | LscAddress::Bss { offset, .. }
            | LscAddress::Ss { offset, .. }
            | LscAddress::Bti { offset, .. } => offset,
        };
        Ok(Gather {
            place: context.place(self.address, width)?,
            addresses: Addresses::of(&context.payload, 0, context.lanes, width, context.grf)?
                .plus(offset),
            element: self.element(),
            lanes: context.lanes,
            live: context.live,
            grf: context.grf,
            aligned: false,
            checks: context.env.checks,
        })
    }

    /// `elements` consecutive elements for each channel, each in its own plane.
    pub(super) fn planes(
        &self,
        dst: &mut [u8],
        direction: Direction,
        elements: u8,
    ) -> Result<(), Fault> {
        let bytes = self.data.memory_bytes() as u64;
        let components = (0..u64::from(elements)).map(|index| index * bytes);
        self.gather()?
            .transfer(direction, &self.context.payload, dst, components)
    }

    /// The enabled ones of four elements for each channel.
    pub(super) fn quad(
        &self,
        dst: &mut [u8],
        direction: Direction,
        components: u8,
    ) -> Result<(), Fault> {
        let bytes = self.data.memory_bytes() as u64;
        let components = Lanes(components.into()).map(|index| index as u64 * bytes);
        self.gather()?
            .transfer(direction, &self.context.payload, dst, components)
    }

    pub(super) fn atomic(&self, dst: &mut [u8], op: AtomicOp, returns: bool) -> Result<(), Fault> {
        self.gather()?
            .atomic(&self.context.payload, dst, op, returns)
    }

    /// `elements` consecutive elements at the first channel's address, packed in registers.
    pub(super) fn block(
        &self,
        dst: &mut [u8],
        direction: Direction,
        elements: u8,
    ) -> Result<(), Fault> {
        let gather = self.gather()?;
        if gather.live & 1 == 0 {
            return Ok(());
        }
        let first = gather.addresses.get(0);
        let Element { memory, slot, .. } = gather.element;
        let shift = if gather.element.high { 16 } else { 0 };
        let elements = usize::from(elements);
        let bytes = elements * slot;
        if let Some(checks) = gather.checks {
            let rule = match direction {
                Direction::Read => Rule::BlockReadAlignment,
                Direction::Write => Rule::BlockWriteAlignment,
            };
            if !gather.place.address(first).is_multiple_of(memory as u64) {
                checks.report(rule, || {
                    format!("{elements} elements of {memory} bytes at offset {first:#x}")
                });
            }
            let len = (elements * memory) as u64;
            let data = self.context.payload.bytes(gather.addresses.end, bytes);
            let data = data.unwrap_or_default();
            let access = Access {
                lane: None,
                row: false,
                address: gather.addresses.range(0),
                what: match direction {
                    Direction::Read => What::Read { at: 0, slot: bytes },
                    Direction::Write => What::Write {
                        at: gather.addresses.end,
                        data: &data,
                        beside: Beside::NONE,
                    },
                },
            };
            gather.place.check(checks, first, len, &access);
            if direction == Direction::Write && gather.place.reports(first) {
                return Ok(());
            }
        }
        let at = |index: usize| first.wrapping_add((index * memory) as u64);
        match direction {
            Direction::Read => {
                let mut response = Response::new(dst, bytes)?;
                if memory == slot && memory >= 4 {
                    return match response.span(0, bytes) {
                        Some(out) => gather.place.read(first, out),
                        None => Ok(()),
                    };
                }
                for index in 0..elements {
                    let value = gather.place.load(at(index), memory)?;
                    response.put(index * slot, slot, value << shift);
                }
            }
            Direction::Write => {
                let data = self.context.payload.bytes(gather.addresses.end, bytes)?;
                if memory == slot && memory >= 4 {
                    return gather.place.write(first, &data);
                }
                for index in 0..elements {
                    let value = lane(&data, index * slot, slot) >> shift;
                    gather.place.store(at(index), memory, value)?;
                }
            }
        }
        Ok(())
    }
}
