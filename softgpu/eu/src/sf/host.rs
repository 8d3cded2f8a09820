//! Messages that host code performs, and the windows through which it reaches memory.
//!
//! A window is bound memory around the addresses that a message had when it was last performed by
//! the interpreter, or the buffer of a binding table entry. What is outside of it, the interpreter
//! performs again.

use std::cell::Cell;

use devinfo::GpuAddress;
use eu_native::{
    AtomicOperation, AtomicStep, Base, BlockStep, FenceStep, Masking, MemoryStep, Planes,
    SCRATCH_BASE, Space, Step, Window,
};
use isa_encoder::message::{
    AddressSize, AtomicOp, BlockAlignment, DataSize, Direction, Hdc, HdcAddress, HdcSurface,
    Lengths, Lsc, LscAddress, LscPort, Message as Meaning, OwordCount,
};
use softgpu_memory::{Access, View};

use super::Registers;
use super::hdc::block::{HWORD, OWORD};
use super::hdc::header;
use super::lsc::STATELESS;
use super::plain::{self, Plain};
use super::texels::STATE_OFFSET;
use crate::GroupEnv;

/// Binding table entries that have windows.
const BUFFERS: u32 = 64;
/// Windows of messages with flat addresses, which share them by their places in the code.
const SITES: u32 = 64;
const COUNT: u32 = 2 * (BUFFERS + 2 * SITES);

/// The most bytes of a window: distances are dwords, and never negative.
const MOST: u64 = (1 << 31) - 1;
/// How far a window reaches to both sides.
const REACH: u64 = 1 << 29;

const NONE: Window = Window {
    start: 0,
    host: std::ptr::null_mut(),
    bytes: 0,
    beyond: 0,
};

/// The windows of one host thread: for loads, and for stores.
#[derive(Debug)]
pub struct Windows {
    /// That of the view they are from.
    epoch: Cell<u64>,
    all: Box<[Cell<Window>]>,
    is_used: Cell<bool>,
}

impl Default for Windows {
    fn default() -> Self {
        Self {
            epoch: Cell::new(0),
            all: vec![Cell::new(NONE); COUNT as usize].into(),
            is_used: Cell::new(false),
        }
    }
}

impl Windows {
    /// Forgets everything.
    pub fn clear(&self) {
        if self.is_used.take() {
            for window in &self.all {
                window.set(NONE);
            }
        }
    }

    /// All of them, as host code takes them: accessible as long as `memory` is not refreshed.
    pub fn of(&self, memory: &View<'_>) -> *const Window {
        let before = self.epoch.replace(memory.epoch());
        // Epoch 0 is of no view yet, and has no windows.
        if before != memory.epoch() && before != 0 {
            self.clear();
        }
        self.all.as_ptr().cast()
    }

    fn get(&self, number: u32) -> Option<&Cell<Window>> {
        self.all.get(number as usize)
    }

    fn set(&self, place: &Cell<Window>, window: Window) {
        self.is_used.set(true);
        place.set(window);
    }
}

/// The window for an access to a binding table entry.
fn buffer(index: u8, stores: bool) -> Option<Space> {
    let index = u32::from(index);
    (index < BUFFERS).then_some(Space::Buffer(index + BUFFERS * u32::from(stores)))
}

/// The window for an access by the instruction of this number to flat addresses.
fn flat_window(site: u32, stores: bool) -> u32 {
    2 * BUFFERS + site % SITES + SITES * u32::from(stores)
}

/// The same, to a buffer that a register names: its window starts at that name, not at an address.
fn named_window(site: u32, stores: bool) -> u32 {
    2 * SITES + flat_window(site, stores)
}

fn space(space: plain::Space, site: Site, stores: bool) -> Option<Space> {
    let number = site.number;
    if site.name.is_some() && !matches!(space, plain::Space::Named) {
        return None;
    }
    match space {
        plain::Space::Table(index) => buffer(index, stores),
        plain::Space::Local => Some(Space::Local),
        plain::Space::Named => {
            let window = named_window(number, stores);
            site.name.map(|name| Space::Named { window, name })
        }
        plain::Space::General => Some(Space::General(flat_window(number, stores))),
        plain::Space::Flat => Some(Space::Flat(flat_window(number, stores))),
    }
}

/// The channels of an instruction, and its number.
#[derive(Clone, Copy, Debug)]
pub struct Site {
    /// Which are served.
    pub masking: Masking,
    /// How many there are.
    pub channels: u8,
    /// The number.
    pub number: u32,
    /// Where the extended descriptor is, if it is in a register and names a buffer.
    pub name: Option<u32>,
}

/// The step of a message, if it is one that host code performs: see [`access`], [`atomic`] and [`block`].
pub fn step(
    meaning: &Meaning,
    descriptor: u32,
    registers: &Registers,
    site: Site,
    shape: (u32, bool),
) -> Option<Step> {
    match Plain::of(meaning, descriptor, registers, site.channels, shape.0) {
        Some(plain) => access(&plain, site),
        None => atomic(meaning, descriptor, registers, site, shape.0)
            .or_else(|| block(meaning, descriptor, registers, site, shape)),
    }
}

/// The step of a gather or scatter.
pub fn access(plain: &Plain, site: Site) -> Option<Step> {
    Some(Step::Memory(MemoryStep {
        masking: site.masking,
        channels: site.channels,
        lanes: plain.lanes,
        stores: plain.stores,
        space: space(plain.space, site, plain.stores)?,
        addresses: plain.addresses,
        offset: plain.offset,
        element: plain.element,
        slot: plain.slot,
        data: plain.data,
        planes: plain.planes,
        plane_bytes: plain.plane_bytes,
    }))
}

/// The step of a fence or a block message, if it is one that host code performs. Bytes of a register: `grf`;
/// scratch memory may be a `surface`.
fn block(
    meaning: &Meaning,
    descriptor: u32,
    registers: &Registers,
    site: Site,
    (grf, surface): (u32, bool),
) -> Option<Step> {
    let Registers { src0, src1, dst } = *registers;
    // See `hdc::block::fence`, and `lsc::execute`.
    let fence = match *meaning {
        Meaning::Hdc(Hdc::Fence { slm, .. }) => Some((dst.1.min(grf), !slm)),
        Meaning::Lsc(Lsc::Fence { port, .. }) if port != LscPort::Urb => {
            Some((dst.1, port != LscPort::Slm))
        }
        _ => None,
    };
    if let Some((bytes, shared)) = fence {
        return Some(Step::Fence(FenceStep {
            masking: site.masking,
            channels: site.channels,
            at: dst.0,
            bytes,
            shared,
        }));
    }
    let header = Lengths::decode(descriptor).header && src0.1 >= grf;
    let (direction, target, bytes, first_only) = match *meaning {
        Meaning::Hdc(hdc) if header => {
            let (direction, target, bytes) = hdc_block(hdc, src0.0, surface)?;
            (direction, target, bytes, false)
        }
        Meaning::Lsc(lsc) => {
            let (direction, target, bytes) = lsc_block(lsc)?;
            (direction, target, bytes, true)
        }
        _ => return None,
    };
    let stores = direction == Direction::Write;
    let data = match direction {
        Direction::Read => (dst.1 >= bytes).then_some(dst.0),
        // Behind the register with the address.
        Direction::Write if src0.1 == grf => (src1.1 >= bytes).then_some(src1.0),
        Direction::Write => (src0.1 >= grf + bytes).then_some(src0.0 + grf),
    }?;
    Some(Step::Block(BlockStep {
        masking: site.masking,
        channels: site.channels,
        first_only,
        stores,
        space: space(target.space, site, stores)?,
        address: src0.0 + 4 * target.dword as u32,
        base: target.base,
        offset: target.offset,
        data,
        bytes,
    }))
}

/// The step of an atomic operation, if it is one that host code performs. Bytes of a register: `grf`.
fn atomic(
    meaning: &Meaning,
    descriptor: u32,
    registers: &Registers,
    site: Site,
    grf: u32,
) -> Option<Step> {
    let (op, returns, place, offset, lanes, wide) = match *meaning {
        Meaning::Hdc(Hdc::Atomic {
            address,
            op,
            bytes: 4,
            returns,
            simd,
        }) if !Lengths::decode(descriptor).header => {
            let (place, wide) = plain::hdc_space(address)?;
            (op, returns, place, 0, u32::from(simd), wide)
        }
        Meaning::Lsc(Lsc::Atomic {
            port,
            op,
            address,
            address_size: size @ (AddressSize::A32 | AddressSize::A64),
            data: DataSize::D32,
            returns,
            ..
        }) => {
            let wide = size == AddressSize::A64;
            let (place, offset) = plain::lsc_space(port, address, wide)?;
            let lanes = u32::from(site.channels).max(grf / 4);
            (op, returns, place, offset, lanes, wide)
        }
        _ => return None,
    };
    if !matches!(lanes, 8 | 16 | 32) || matches!(place, plain::Space::Flat) != wide {
        return None;
    }
    let operation = operation(op)?;
    let Registers { src0, src1, dst } = *registers;
    let width = if wide { 8 } else { 4 };
    let addressed = (lanes * width).next_multiple_of(grf);
    let plane_bytes = (4 * lanes).next_multiple_of(grf);
    let operands = op.operands() as u32 * plane_bytes;
    let data = if operands == 0 {
        src0.0
    } else if src0.1 == addressed {
        (src1.1 >= operands).then_some(src1.0)?
    } else {
        (src0.1 >= addressed + operands).then_some(src0.0 + addressed)?
    };
    if src0.1 < addressed || returns && dst.1 < plane_bytes {
        return None;
    }
    // A channel's old value may be where its own operands were, and not where those of others are.
    let old = returns.then_some(dst.0);
    let apart =
        |plane: u32| old.is_none_or(|old| old == plane || old.abs_diff(plane) >= plane_bytes);
    let planes = operands / plane_bytes;
    if !(0..planes).all(|plane| apart(data + plane * plane_bytes)) {
        return None;
    }
    Some(Step::Atomic(AtomicStep {
        memory: MemoryStep {
            masking: site.masking,
            channels: site.channels,
            lanes: lanes as u8,
            stores: true,
            space: space(place, site, true)?,
            addresses: src0.0,
            offset,
            element: 4,
            slot: 4,
            data,
            planes: Planes::ONE,
            plane_bytes,
        },
        operation,
        old,
    }))
}

/// The operation on integers; others are left to the interpreter.
fn operation(op: AtomicOp) -> Option<AtomicOperation> {
    Some(match op {
        AtomicOp::Add => AtomicOperation::Add,
        AtomicOp::Sub => AtomicOperation::Subtract,
        AtomicOp::Inc => AtomicOperation::Increment,
        AtomicOp::Dec => AtomicOperation::Decrement,
        AtomicOp::And => AtomicOperation::And,
        AtomicOp::Or => AtomicOperation::Or,
        AtomicOp::Xor => AtomicOperation::Xor,
        AtomicOp::SignedMax => AtomicOperation::SignedMax,
        AtomicOp::SignedMin => AtomicOperation::SignedMin,
        AtomicOp::UnsignedMax => AtomicOperation::UnsignedMax,
        AtomicOp::UnsignedMin => AtomicOperation::UnsignedMin,
        AtomicOp::Store => AtomicOperation::Exchange,
        AtomicOp::CompareSwap => AtomicOperation::CompareExchange,
        AtomicOp::Load
        | AtomicOp::PreDec
        | AtomicOp::ReverseSub
        | AtomicOp::FloatCompareSwap
        | AtomicOp::FloatAdd
        | AtomicOp::FloatSub
        | AtomicOp::FloatMax
        | AtomicOp::FloatMin => return None,
    })
}

/// Where a block is.
struct Target {
    space: plain::Space,
    /// The payload's dword with the address.
    dword: usize,
    base: Base,
    offset: i32,
}

/// A block of the classic data port, whose header is at `payload` in the register bytes.
fn hdc_block(hdc: Hdc, payload: u32, surface: bool) -> Option<(Direction, Target, u32)> {
    let target = |address, unit| {
        let (space, dword, base) = match address {
            HdcAddress::A64 { .. } => (plain::Space::Flat, header::ADDRESS_LOW, Base::Qword),
            HdcAddress::A32(HdcSurface::Bti(index)) => (
                plain::Space::Table(index),
                header::OFFSET,
                Base::Dword(unit),
            ),
            HdcAddress::A32(HdcSurface::Slm) => {
                (plain::Space::Local, header::OFFSET, Base::Dword(unit))
            }
            HdcAddress::A32(HdcSurface::Stateless { .. }) => {
                let base = payload + 4 * header::STATELESS_BASE as u32;
                let base = Base::Stateless { unit, base };
                (plain::Space::Flat, header::OFFSET, base)
            }
            HdcAddress::A32(_) => return None,
        };
        Some(Target {
            space,
            dword,
            base,
            offset: 0,
        })
    };
    match hdc {
        Hdc::OwordBlock {
            direction,
            address,
            alignment,
            count,
            ..
        } if count != OwordCount::OneHigh => {
            let unit = match alignment {
                BlockAlignment::Oword => OWORD as u8,
                BlockAlignment::Dword => 1,
            };
            Some((
                direction,
                target(address, unit)?,
                (count.owords() * OWORD) as u32,
            ))
        }
        Hdc::HwordBlock {
            direction,
            address,
            hwords,
        } => Some((
            direction,
            target(address, 1)?,
            HWORD as u32 * u32::from(hwords),
        )),
        Hdc::ScratchBlock {
            direction,
            hwords,
            offset,
            dword_channels,
        } if !surface && (direction == Direction::Read || !dword_channels) => {
            let target = Target {
                space: plain::Space::Flat,
                dword: header::STATELESS_BASE,
                base: Base::General,
                offset: HWORD as i32 * i32::from(offset),
            };
            Some((direction, target, HWORD as u32 * u32::from(hwords)))
        }
        _ => None,
    }
}

fn lsc_block(lsc: Lsc) -> Option<(Direction, Target, u32)> {
    let Lsc::Vector {
        port: port @ (LscPort::Ugm | LscPort::Slm),
        direction,
        address,
        address_size,
        data,
        elements,
        transpose: true,
        strided: false,
        ..
    } = lsc
    else {
        return None;
    };
    let (memory, slot) = (data.memory_bytes() as u32, data.register_bytes() as u32);
    let wide = address_size == AddressSize::A64;
    let target = |space, base, offset| Target {
        space,
        dword: 0,
        base,
        offset,
    };
    let target = match address {
        LscAddress::Bti { index, offset: 0 } if STATELESS.contains(&index) => {
            let fits = !wide && port == LscPort::Ugm;
            fits.then(|| target(plain::Space::Flat, Base::Offset, 0))?
        }
        _ => {
            let (space, offset) = plain::lsc_space(port, address, wide)?;
            let base = if wide { Base::Qword } else { Base::Dword(1) };
            let fits = matches!(space, plain::Space::Flat) == wide;
            fits.then(|| target(space, base, offset))?
        }
    };
    if memory != slot || memory < 4 || address_size == AddressSize::A16 {
        return None;
    }
    Some((direction, target, memory * u32::from(elements)))
}

/// Moves the window of `step`, whose served channels are in `mask`, to where it goes now. It is about
/// to be performed. The windows are those of `env.memory` ([`Windows::of`]).
pub fn learn(step: &Step, regs: &[u8], mask: u32, env: &GroupEnv<'_>) {
    let memory = match step {
        Step::Memory(memory) => Some(memory),
        Step::Atomic(atomic) => Some(&atomic.memory),
        _ => None,
    };
    let general = env.bases.general.get();
    let (space, stores, address) = match (step, memory) {
        (_, Some(step)) => {
            let (first, lane) = (step.addresses as usize, mask.trailing_zeros() as usize);
            let address = match step.space {
                Space::General(_) => {
                    let offset = qword(regs, first + 4 * lane) & u64::from(u32::MAX);
                    general.wrapping_add(offset)
                }
                _ => qword(regs, first + 8 * lane),
            };
            let address = address.wrapping_add_signed(step.offset.into());
            (step.space, step.stores, address)
        }
        (Step::Block(step), _) => {
            let own = qword(regs, step.address as usize);
            let scratch = |bits: u64| general.wrapping_add(bits & u64::from(SCRATCH_BASE));
            let address = match step.base {
                Base::General => scratch(own),
                Base::Stateless { unit, base } => {
                    let offset = (own & u64::from(u32::MAX)) * u64::from(unit);
                    scratch(qword(regs, base as usize)).wrapping_add(offset)
                }
                Base::Offset => {
                    let offset = own & u64::from(u32::MAX);
                    general.wrapping_add(offset)
                }
                Base::Qword | Base::Dword(_) => own,
            };
            let address = address.wrapping_add_signed(step.offset.into());
            (step.space, step.stores, address)
        }
        _ => return,
    };
    let access = if stores { Access::Write } else { Access::Read };
    let (Space::Buffer(number)
    | Space::Named { window: number, .. }
    | Space::Flat(number)
    | Space::General(number)) = space
    else {
        return;
    };
    let Some(place) = env.state.windows().get(number) else {
        return;
    };
    let present = place.get();
    let window = match space {
        Space::Local => None,
        // What it is of does not change.
        Space::Buffer(_) if present.bytes != 0 => None,
        Space::Buffer(_) => {
            let buffer = env.state.buffer(env, (number % BUFFERS) as u8);
            of_buffer(buffer, 0, access, env)
        }
        Space::Named { name, .. } => {
            let name = qword(regs, name as usize) as u32;
            let known = present.bytes != 0 && present.start == u64::from(name);
            let buffer = || env.state.bindless_buffer(env, name & STATE_OFFSET);
            match known {
                true => None,
                false => of_buffer(buffer(), name, access, env),
            }
        }
        Space::Flat(_) if address.wrapping_sub(present.start) < present.bytes => None,
        Space::Flat(_) => around(address, access, env),
        // Addresses have 32 bits.
        Space::General(_) => {
            let of_base = |window: Window| within(window, general, 1 << 32);
            let known = address.wrapping_sub(present.start) < present.bytes;
            match known && present.start >= general {
                true => None,
                false => around(address, access, env).and_then(of_base),
            }
        }
    };
    if let Some(window) = window {
        env.state.windows().set(place, window);
    }
}

fn qword(regs: &[u8], at: usize) -> u64 {
    let bytes = regs.get(at..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// A buffer, as far as it is in one memory, under this name.
fn of_buffer(
    buffer: Option<(GpuAddress, u64)>,
    name: u32,
    access: Access,
    env: &GroupEnv<'_>,
) -> Option<Window> {
    let (base, bytes) = buffer?;
    let window = env.memory.window(base, access)?;
    let ahead = base.get() - window.start.get();
    let all = window.bytes - ahead;
    let bytes = bytes.min(all).min(MOST);
    Some(Window {
        start: name.into(),
        host: window.host.as_ptr().wrapping_add(ahead as usize),
        bytes,
        beyond: beyond(all - bytes),
    })
}

/// The memory around an address.
fn around(address: u64, access: Access, env: &GroupEnv<'_>) -> Option<Window> {
    let at = GpuAddress::new(address);
    let window = env.memory.window(at, access)?;
    let before = at.get() - window.start.get();
    let (first, end) = (before.saturating_sub(REACH), before + REACH);
    Some(Window {
        start: address.wrapping_sub(before - first),
        host: window.host.as_ptr().wrapping_add(first as usize),
        bytes: window.bytes.min(end) - first,
        beyond: beyond(window.bytes.saturating_sub(end)),
    })
}

/// See [`Window::beyond`]: so many bytes are behind a window.
fn beyond(behind: u64) -> u64 {
    match behind {
        Window::BEYOND.. => Window::BEYOND,
        _ => 0,
    }
}

/// The part of a window that is in so many bytes from `first` on.
fn within(window: Window, first: u64, bytes: u64) -> Option<Window> {
    let before = first.saturating_sub(window.start);
    let start = window.start + before;
    let left = window.bytes.checked_sub(before)?;
    let room = bytes.saturating_sub(start - first);
    let bytes = left.min(room);
    Some(Window {
        start,
        host: window.host.wrapping_add(before as usize),
        bytes,
        // Addresses there would have more than these bits.
        beyond: if bytes + Window::BEYOND <= room {
            window.beyond
        } else {
            0
        },
    })
}
