//! Gathers and scatters, the short way.
//!
//! Most messages load or store one or a few consecutive elements for each channel, and say in the
//! instruction all but the addresses. What can be known of such a message is prepared when its
//! instruction is lowered. Those of dwords are performed here; anything unusual about the
//! addresses, faults included, is left to the general path (`gather`), with which this one agrees.
//! Host code performs those of other elements, too (`host`).

use core::ops::Range;
use std::sync::atomic::Ordering;

use isa_encoder::message::{
    AddressSize, DataSize, Direction, Hdc, HdcAddress, HdcSurface, Lengths, Lsc, LscAddress,
    LscPort, Message as Meaning,
};

use super::payload::{Lanes, channels};
use super::place::LOCAL_OFFSET;
use super::state_cache::TABLE_ENTRIES;
use crate::GroupEnv;
use devinfo::GpuAddress;
use eu_native::Planes;

/// What addresses are relative to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Space {
    /// The buffer of this binding table entry.
    Table(u8),
    /// Shared local memory.
    Local,
    /// The buffer whose surface state is in the bindless heap, where the extended descriptor says.
    Named,
    /// Memory from the general state base on.
    General,
    /// All of memory.
    Flat,
}

/// The register file offsets of a message's payload and response, and their bytes.
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// Source 0.
    pub src0: (u32, u32),
    /// Source 1.
    pub src1: (u32, u32),
    /// The response.
    pub dst: (u32, u32),
}

/// A prepared message.
#[derive(Clone, Copy, Debug)]
pub struct Plain {
    pub(super) stores: bool,
    pub(super) space: Space,
    /// Addresses have 64 bits.
    wide: bool,
    /// Added to each address.
    pub(super) offset: i32,
    pub(super) lanes: u8,
    /// Bytes of an element in memory and in a register.
    pub(super) element: u8,
    #[cfg_attr(
        not(target_arch = "x86_64"),
        allow(dead_code, reason = "only host code asks")
    )]
    pub(super) slot: u8,
    /// The elements of a channel; those of all channels together are a plane of registers.
    pub(super) planes: Planes,
    pub(super) plane_bytes: u32,
    pub(super) addresses: u32,
    pub(super) data: u32,
}

impl Plain {
    /// The lanes of an instruction of `exec_size` channels, and the register bytes that each writes if it executes a
    /// load.
    pub fn response(&self, exec_size: u8) -> impl Iterator<Item = (usize, Range<usize>)> {
        let lanes = (!self.stores).then_some(exec_size);
        lanes.into_iter().flat_map(|lanes| self.elements(lanes))
    }

    /// The same of those that it reads.
    pub fn payload(&self, exec_size: u8) -> impl Iterator<Item = (usize, Range<usize>)> {
        let width = if self.wide { 8 } else { 4 };
        let addresses = (0..usize::from(exec_size.min(self.lanes))).map(move |lane| {
            let start = self.addresses as usize + width * lane;
            (lane, start..start + width)
        });
        let lanes = self.stores.then_some(exec_size);
        let data = lanes.into_iter().flat_map(|lanes| self.elements(lanes));
        addresses.chain(data)
    }

    /// The data of each of so many lanes.
    fn elements(&self, lanes: u8) -> impl Iterator<Item = (usize, Range<usize>)> {
        let (slot, lanes) = (usize::from(self.slot), usize::from(lanes.min(self.lanes)));
        (0..self.planes.count() as usize).flat_map(move |plane| {
            let first = self.data as usize + plane * self.plane_bytes as usize;
            (0..lanes).map(move |lane| {
                let start = first + slot * lane;
                (lane, start..start + slot)
            })
        })
    }

    /// Prepares the message of an instruction of `exec_size` channels, if it is one.
    pub fn of(
        meaning: &Meaning,
        descriptor: u32,
        registers: &Registers,
        exec_size: u8,
        grf: u32,
    ) -> Option<Self> {
        let (direction, space, wide, offset, lanes, planes, (element, slot)) = match *meaning {
            Meaning::Hdc(hdc) => {
                let (direction, address, planes, simd, elements) = match hdc {
                    Hdc::Untyped {
                        direction,
                        address,
                        components,
                        simd,
                    } => (direction, address, Planes::of(components), simd, (4, 4)),
                    Hdc::Scattered {
                        direction,
                        address,
                        bytes: bytes @ (4 | 8),
                        elements,
                        simd,
                        ..
                    } => {
                        let planes = Planes::consecutive(elements);
                        (direction, address, planes, simd, (bytes, bytes))
                    }
                    Hdc::Byte {
                        direction,
                        address,
                        bytes: bytes @ (1 | 2 | 4),
                        simd,
                    } => (direction, address, Some(Planes::ONE), simd, (bytes, 4)),
                    _ => return None,
                };
                if Lengths::decode(descriptor).header {
                    return None;
                }
                let (space, wide) = hdc_space(address)?;
                (direction, space, wide, 0, simd, planes, elements)
            }
            Meaning::Lsc(lsc) => {
                let (port, direction, address, address_size, data, planes) = match lsc {
                    Lsc::Vector {
                        port,
                        direction,
                        address,
                        address_size,
                        data,
                        elements,
                        transpose: false,
                        strided: false,
                        ..
                    } => {
                        let planes = Planes::consecutive(elements);
                        (port, direction, address, address_size, data, planes)
                    }
                    Lsc::Quad {
                        port,
                        direction,
                        address,
                        address_size,
                        data,
                        components,
                        ..
                    } => {
                        let planes = Planes::of(components);
                        (port, direction, address, address_size, data, planes)
                    }
                    _ => return None,
                };
                let wide = address_size == AddressSize::A64;
                let (space, offset) = lsc_space(port, address, wide)?;
                if address_size == AddressSize::A16 || data == DataSize::D16U32H {
                    return None;
                }
                let lanes = u32::from(exec_size).max(grf / 4) as u8;
                let size = (data.memory_bytes() as u8, data.register_bytes() as u8);
                (direction, space, wide, offset, lanes, planes, size)
            }
            _ => return None,
        };
        if !matches!((element, slot), (1 | 2 | 4, 4) | (8, 8)) {
            return None;
        }
        if !matches!(lanes, 8 | 16 | 32) || matches!(space, Space::Flat) != wide {
            return None;
        }
        let width = if wide { 8 } else { 4 };
        let addressed = (u32::from(lanes) * width).next_multiple_of(grf);
        let plane_bytes = (u32::from(lanes) * u32::from(slot)).next_multiple_of(grf);
        let planes = planes?;
        let data_bytes = planes.count() * plane_bytes;
        let Registers { src0, src1, dst } = *registers;
        if src0.1 < addressed {
            return None;
        }
        let data = match direction {
            Direction::Read => (dst.1 >= data_bytes).then_some(dst.0),
            Direction::Write if src0.1 == addressed => (src1.1 >= data_bytes).then_some(src1.0),
            Direction::Write => (src0.1 >= addressed + data_bytes).then_some(src0.0 + addressed),
        }?;
        Some(Self {
            stores: direction == Direction::Write,
            space,
            wide,
            offset,
            lanes,
            element,
            slot,
            planes,
            plane_bytes,
            addresses: src0.0,
            data,
        })
    }

    /// Performs the message on the register bytes; `mask` has its live channels. False if it does
    /// not, and the general path must.
    #[inline]
    pub fn run(&self, regs: &mut [u8], mask: u32, env: &GroupEnv<'_>) -> bool {
        if self.element != 4 {
            return false;
        }
        match self.lanes {
            8 => self.sized::<8>(regs, mask, env),
            16 => self.sized::<16>(regs, mask, env),
            _ => self.sized::<32>(regs, mask, env),
        }
        .is_some()
    }

    #[inline(always)]
    fn sized<const N: usize>(&self, regs: &mut [u8], mask: u32, env: &GroupEnv<'_>) -> Option<()> {
        let live = channels(mask, N as u8);
        let all = live == u32::MAX >> (32 - N);
        let at = self.addresses as usize;
        let offset = i64::from(self.offset) as u64;
        let mut addresses = [0u64; N];
        if self.wide {
            let bytes = regs.get(at..)?.as_chunks::<8>().0.first_chunk::<N>()?;
            for (address, bytes) in addresses.iter_mut().zip(bytes) {
                *address = u64::from_le_bytes(*bytes).wrapping_add(offset);
            }
        } else {
            let bytes = regs.get(at..)?.as_chunks::<4>().0.first_chunk::<N>()?;
            for (address, bytes) in addresses.iter_mut().zip(bytes) {
                *address = u64::from(u32::from_le_bytes(*bytes)).wrapping_add(offset);
            }
        }
        let buffer = match self.space {
            Space::Local => return self.local(regs, &addresses, live, env),
            Space::Flat => (GpuAddress::new(0), u64::MAX),
            Space::Table(index) => env.state.buffer(env, index)?,
            // Host code alone takes the descriptor from a register.
            Space::Named | Space::General => return None,
        };
        let done = self.memory(regs, &addresses, (live, all), env, buffer);
        if done.is_none() && !self.stores {
            // Part of the response may be where the addresses were.
            for (lane, address) in addresses.iter().enumerate() {
                let width = if self.wide { 8 } else { 4 };
                let bytes = address.wrapping_sub(offset).to_le_bytes();
                let at = at + lane * width;
                regs.get_mut(at..at + width)?
                    .copy_from_slice(bytes.get(..width)?);
            }
        }
        done
    }

    fn local<const N: usize>(
        &self,
        regs: &mut [u8],
        addresses: &[u64; N],
        live: u32,
        env: &GroupEnv<'_>,
    ) -> Option<()> {
        let words = env.slm.words();
        let mut misaligned = 0;
        for lane in Lanes(live) {
            misaligned |= addresses[lane % N] & 3;
        }
        if misaligned != 0 {
            return None;
        }
        for (plane, element) in self.planes.iter().enumerate() {
            let registers = regs
                .get_mut(self.data as usize + plane * self.plane_bytes as usize..)?
                .as_chunks_mut::<4>()
                .0
                .first_chunk_mut::<N>()?;
            let more = 4 * u64::from(element);
            for lane in Lanes(live) {
                let at = addresses[lane % N].wrapping_add(more) & LOCAL_OFFSET;
                let word = words.get((at / 4) as usize);
                let register = &mut registers[lane % N];
                match (self.stores, word) {
                    (true, Some(word)) => {
                        word.store(u32::from_le_bytes(*register), Ordering::Relaxed);
                    }
                    (true, None) => {}
                    (false, word) => {
                        let value = word.map_or(0, |word| word.load(Ordering::Relaxed));
                        *register = value.to_le_bytes();
                    }
                }
            }
        }
        Some(())
    }

    fn memory<const N: usize>(
        &self,
        regs: &mut [u8],
        addresses: &[u64; N],
        (live, all): (u32, bool),
        env: &GroupEnv<'_>,
        (base, bytes): (GpuAddress, u64),
    ) -> Option<()> {
        if base.get() & 3 != 0 {
            return None;
        }
        let last = bytes.checked_sub(4 * u64::from(self.planes.reach()))?;
        let first = addresses[0];
        if all && self.planes == Planes::ONE {
            let mut other = 0;
            for (lane, address) in addresses.iter().enumerate() {
                other |= address ^ first.wrapping_add(4 * lane as u64);
            }
            if other == 0 {
                if first.checked_add(4 * (N as u64 - 1))? > last {
                    return None;
                }
                let registers = regs.get_mut(self.data as usize..)?.get_mut(..4 * N)?;
                let address = base.offset(first);
                return match self.stores {
                    true => env.memory.write(address, registers).ok(),
                    false => env.memory.read(address, registers).ok(),
                };
            }
        }
        for lane in Lanes(live) {
            let address = addresses[lane % N];
            if address > last || address & 3 != 0 {
                return None;
            }
        }
        for (plane, element) in self.planes.iter().enumerate() {
            let registers = regs
                .get_mut(self.data as usize + plane * self.plane_bytes as usize..)?
                .as_chunks_mut::<4>()
                .0
                .first_chunk_mut::<N>()?;
            let base = base.offset(4 * u64::from(element));
            let places = Lanes(live).map(|lane| (lane, base.offset(addresses[lane % N])));
            if self.stores {
                let stores = places
                    .map(|(lane, address)| (address, u32::from_le_bytes(registers[lane % N])));
                env.memory.scatter_u32(stores).ok()?;
            } else {
                env.memory
                    .gather_u32(places, |lane, value| {
                        registers[lane % N] = value.to_le_bytes();
                    })
                    .ok()?;
            }
        }
        Some(())
    }
}

/// What the addresses of a message to the classic data port are relative to, and whether they have 64
/// bits.
pub(super) fn hdc_space(address: HdcAddress) -> Option<(Space, bool)> {
    match address {
        HdcAddress::A64 { .. } => Some((Space::Flat, true)),
        HdcAddress::A32(HdcSurface::Slm) => Some((Space::Local, false)),
        HdcAddress::A32(HdcSurface::Bti(index)) => Some((Space::Table(index), false)),
        HdcAddress::A32(HdcSurface::Stateless { .. }) => Some((Space::General, false)),
        HdcAddress::A32(_) => None,
    }
}

/// What the addresses of a message to the load/store units are relative to, and what is added to
/// them. Flat ones are `wide`.
pub(super) fn lsc_space(port: LscPort, address: LscAddress, wide: bool) -> Option<(Space, i32)> {
    match (port, address) {
        (LscPort::Slm, LscAddress::Flat { offset }) => Some((Space::Local, offset)),
        (LscPort::Ugm, LscAddress::Flat { offset }) if wide => Some((Space::Flat, offset)),
        (LscPort::Ugm, LscAddress::Bti { index, offset, .. })
            if usize::from(index) < TABLE_ENTRIES =>
        {
            Some((Space::Table(index), offset))
        }
        (LscPort::Ugm, LscAddress::Bss { state: 0, offset }) => Some((Space::Named, offset)),
        _ => None,
    }
}
