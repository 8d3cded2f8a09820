//! What the addresses of block messages are made of.
//!
//! A block message has one address, which code computes in one channel: a pointer of the payload plus a
//! number. [`pointers`] follows the dwords of such values along all paths, modulo powers of two. A
//! value that it cannot follow is not known, and nothing is said of addresses made of it.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use devinfo::Family;

use super::blocks::Block;
use super::walk::{message, states};
use crate::message::{
    AddressSize, BlockAlignment, Direction, Hdc, HdcAddress, HdcSurface, Lsc, LscAddress, Message,
};
use crate::model::semantics::{Flow as Kind, Semantics};
use crate::model::{Dst, Instruction, Opcode, RegFile, Register, Src, Type, VStride};
use crate::swsb::{Flow, Program, Space, View, accesses};

/// What a number is added to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Nothing,
    /// A pointer, by its number.
    Pointer(u16),
    /// The first dword of r0, which with a compute walker has the payload's address.
    Header,
    /// That address.
    Payload,
}

/// The low bits of a sum: `base + offset` modulo 2^`bits`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    base: Base,
    offset: u32,
    bits: u32,
}

impl Value {
    /// Anything.
    pub const UNKNOWN: Self = Self::new(Base::Nothing, 0, 0);

    /// The low dword of a pointer, which gets a number.
    pub const fn pointer(number: u16) -> Self {
        Self::new(Base::Pointer(number), 0, 32)
    }

    const fn number(value: u32) -> Self {
        Self::new(Base::Nothing, value, 32)
    }

    const fn new(base: Base, offset: u32, bits: u32) -> Self {
        match bits {
            0 => Self {
                base: Base::Nothing,
                offset: 0,
                bits: 0,
            },
            1..32 => Self {
                base,
                offset: offset & ((1 << bits) - 1),
                bits,
            },
            _ => Self {
                base,
                offset,
                bits: 32,
            },
        }
    }

    /// The value if it is known whole.
    fn exact(self, base: Base) -> Option<u32> {
        (self.base == base && self.bits == 32).then_some(self.offset)
    }

    /// The same without a base; of a value with one, nothing is known.
    fn plain(self) -> Self {
        match self.base {
            Base::Nothing => self,
            _ => Self::UNKNOWN,
        }
    }

    /// Its low bits alone.
    fn low(self, bits: u32) -> Self {
        Self::new(self.base, self.offset, self.bits.min(bits))
    }

    fn add(self, other: Self) -> Self {
        let base = match (self.base, other.base) {
            (base, Base::Nothing) | (Base::Nothing, base) => base,
            _ => return Self::UNKNOWN,
        };
        let offset = self.offset.wrapping_add(other.offset);
        Self::new(base, offset, self.bits.min(other.bits))
    }

    fn negated(self) -> Self {
        let plain = self.plain();
        Self::new(Base::Nothing, plain.offset.wrapping_neg(), plain.bits)
    }

    fn inverted(self) -> Self {
        let plain = self.plain();
        Self::new(Base::Nothing, !plain.offset, plain.bits)
    }

    fn mul(self, other: Self) -> Self {
        let (a, b) = (self.plain(), other.plain());
        let bits = [
            a.bits + b.offset.trailing_zeros(),
            b.bits + a.offset.trailing_zeros(),
            a.bits + b.bits,
        ];
        let bits = bits.into_iter().min().unwrap_or(0);
        Self::new(Base::Nothing, a.offset.wrapping_mul(b.offset), bits)
    }

    fn shl(self, other: Self) -> Self {
        match other.exact(Base::Nothing) {
            Some(by @ 0..32) => self.mul(Self::number(1 << by)),
            _ => Self::UNKNOWN,
        }
    }

    fn and(self, other: Self) -> Self {
        let (value, mask) = match (self.exact(Base::Nothing), other.exact(Base::Nothing)) {
            (_, Some(mask)) => (self, mask),
            (Some(mask), _) => (other, mask),
            _ => return Self::UNKNOWN,
        };
        let header = devinfo::thread::PAYLOAD.mask;
        if value == Self::new(Base::Header, 0, 32) && mask == header {
            return Self::new(Base::Payload, 0, 32);
        }
        let plain = value.plain();
        let bits = plain.bits.max(mask.trailing_zeros());
        Self::new(Base::Nothing, plain.offset & mask, bits)
    }

    fn or(self, other: Self) -> Self {
        let (a, b) = (self.plain(), other.plain());
        Self::new(Base::Nothing, a.offset | b.offset, a.bits.min(b.bits))
    }

    /// What holds for both.
    fn join(self, other: Self) -> Self {
        let same = (self.offset ^ other.offset).trailing_zeros();
        match self.base == other.base {
            true => Self::new(self.base, self.offset, self.bits.min(other.bits).min(same)),
            false => Self::UNKNOWN,
        }
    }
}

/// The address of a block message: a pointer plus a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockAddress {
    /// Read or write.
    pub direction: Direction,
    /// The pointer's number.
    pub pointer: u16,
    offset: u32,
    bits: u32,
}

impl BlockAddress {
    /// What the pointer must be a multiple of for the address to be one of `alignment`, a power of two; at
    /// least.
    pub fn alignment(&self, alignment: u32) -> u32 {
        let known = 1u32.checked_shl(self.bits).unwrap_or(1 << 31);
        let offset = match self.offset {
            0 => known,
            offset => 1 << offset.trailing_zeros(),
        };
        alignment.min(known).min(offset)
    }
}

/// What a kernel does with pointers, as far as it is sure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pointers {
    /// The addresses of blocks that are a pointer and a number. Left out are messages that may be for
    /// something else: stores of data that all channels share.
    pub blocks: Vec<BlockAddress>,
    /// The pointers whose lowest bits the code takes out: it may treat those apart that are not aligned.
    pub examined: BTreeSet<u16>,
}

/// What is known when a thread begins.
pub struct Start<'a> {
    /// Dwords of general registers, counted from r0.
    pub registers: &'a [(u16, Value)],
    /// With a compute walker, the dword at this byte of the memory that r0 points to.
    pub memory: &'a dyn Fn(u32) -> Value,
}

impl core::fmt::Debug for Start<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let mut shown = f.debug_struct("Start");
        shown.field("registers", &self.registers);
        shown.finish_non_exhaustive()
    }
}

/// What a kernel's `code` does with pointers, if it accesses blocks of buffers.
pub fn pointers(family: Family, code: &[u8], start: &Start<'_>) -> Pointers {
    let program = Program::decode(family, code);
    let mut instructions = program.instructions().iter();
    if !instructions.any(|placed| is_block(&program, &placed.instruction)) {
        return Pointers::default();
    }
    let flow = Flow::new(&program, View::Worst);
    let branches = program.instructions().iter().position(|placed| {
        let semantics = placed.instruction.opcode.semantics();
        matches!(semantics, Semantics::Flow(_))
    });
    let walk = Walk {
        program: &program,
        start,
        straight: branches.unwrap_or(usize::MAX),
        grf: family.grf_bytes() as u32,
    };
    let mut first = State::default();
    first.dwords.extend(start.registers.iter().copied());
    first.dwords.insert(0, Value::new(Base::Header, 0, 32));
    let at_starts = states(
        &flow,
        first,
        |index, state| walk.step(index, state),
        State::join,
    );
    let mut found = Pointers::default();
    for (block, state) in flow.blocks.iter().zip(at_starts) {
        let Some(mut state) = state else { continue };
        for index in block.start..block.end {
            found.blocks.extend(walk.block(index, &state));
            found.examined.extend(walk.examines(index, &state));
            walk.step(index, &mut state);
        }
    }
    found
}

/// Whether a message is for a block of a buffer, at an address or in a surface.
fn is_block(program: &Program, instruction: &Instruction) -> bool {
    matches!(
        message(program, instruction),
        Some(
            Message::Hdc(Hdc::OwordBlock {
                address: HdcAddress::A64 { .. } | HdcAddress::A32(HdcSurface::Bti(_)),
                ..
            }) | Message::Lsc(Lsc::Vector {
                address: LscAddress::Flat { .. } | LscAddress::Bti { index: 0..=239, .. },
                transpose: true,
                ..
            })
        )
    )
}

/// A block message that has one address of 64 bits, and what is added to that.
fn at_pointer(program: &Program, instruction: &Instruction) -> Option<(Block, u32)> {
    let message = message(program, instruction)?;
    let offset = match message {
        Message::Hdc(Hdc::OwordBlock {
            address: HdcAddress::A64 { .. },
            ..
        }) => 0,
        Message::Lsc(Lsc::Vector {
            address: LscAddress::Flat { offset },
            address_size: AddressSize::A64,
            ..
        }) => offset as u32,
        _ => return None,
    };
    Some((Block::of(&message)?, offset))
}

/// What is known of registers at a place.
#[derive(Clone, Debug, Default)]
struct State {
    /// Dwords of general registers; those that are not here are not known.
    dwords: BTreeMap<u16, Value>,
    /// Registers that instructions of all channels have written, each channel its own.
    channels: BTreeSet<u16>,
}

impl State {
    fn get(&self, dword: u32) -> Value {
        let known = u16::try_from(dword)
            .ok()
            .and_then(|at| self.dwords.get(&at));
        known.copied().unwrap_or(Value::UNKNOWN)
    }

    fn join(&mut self, other: &Self) -> bool {
        let mut changed = false;
        self.dwords.retain(|&at, value| {
            let joined = value.join(other.get(at.into()));
            changed |= joined != *value;
            *value = joined;
            joined != Value::UNKNOWN
        });
        self.channels.retain(|register| {
            let stays = other.channels.contains(register);
            changed |= !stays;
            stays
        });
        changed
    }
}

struct Walk<'a> {
    program: &'a Program,
    start: &'a Start<'a>,
    /// Before this instruction all channels run that ever do.
    straight: usize,
    grf: u32,
}

impl Walk<'_> {
    fn instruction(&self, index: usize) -> Option<&Instruction> {
        let placed = self.program.instructions().get(index)?;
        Some(&placed.instruction)
    }

    fn step(&self, index: usize, state: &mut State) {
        let Some(instruction) = self.instruction(index) else {
            return;
        };
        let semantics = instruction.opcode.semantics();
        if matches!(semantics, Semantics::Flow(Kind::Call { .. })) {
            *state = State::default();
            return;
        }
        let values = match instruction.opcode.is_send() {
            true => self.loaded(instruction, state),
            false => self.computed(index, instruction, state),
        };
        let is_of_channels = self.is_of_channels(instruction, state);
        for (access, _) in accesses(self.program.family(), View::Worst, instruction).iter() {
            if !access.write || access.space != Space::Grf {
                continue;
            }
            let dwords: Vec<u16> = state
                .dwords
                .range(access.start / 4..access.end.div_ceil(4))
                .map(|(&at, _)| at)
                .collect();
            for at in dwords {
                state.dwords.remove(&at);
            }
            let grf = self.grf as u16;
            for register in access.start / grf..access.end.div_ceil(grf) {
                match is_of_channels {
                    true => state.channels.insert(register),
                    false => state.channels.remove(&register),
                };
            }
        }
        for (dword, value) in values {
            if let (Ok(at), true) = (u16::try_from(dword), value != Value::UNKNOWN) {
                state.dwords.insert(at, value);
            }
        }
    }

    /// Whether each channel writes a value of its own: what all share is computed regardless of the mask.
    fn is_of_channels(&self, instruction: &Instruction, state: &State) -> bool {
        if instruction.exec_size < 8 || instruction.predicate.is_some() {
            return false;
        }
        if !instruction.no_mask {
            return true;
        }
        let copied = match instruction.src[0] {
            Src::Direct { reg, region, .. } if !region.is_scalar() => Some(reg),
            _ => None,
        };
        let from = copied.filter(|reg| reg.file == RegFile::Grf);
        instruction.opcode == Opcode::Mov
            && from.is_some_and(|reg| state.channels.contains(&reg.number.into()))
    }

    /// The dwords that a message loads from the payload in memory.
    fn loaded(&self, instruction: &Instruction, state: &State) -> Vec<(u32, Value)> {
        // Where the address is, what is added to it, and how many dwords there are.
        let (dword, offset, count) = match message(self.program, instruction) {
            Some(Message::Lsc(Lsc::Vector {
                direction: Direction::Read,
                address: LscAddress::Bti { index: 255, offset },
                address_size: AddressSize::A32,
                data,
                elements,
                transpose: true,
                ..
            })) => {
                let count = usize::from(elements) * data.memory_bytes() / 4;
                (0, offset as u32, count)
            }
            Some(Message::Hdc(Hdc::OwordBlock {
                direction: Direction::Read,
                alignment: BlockAlignment::Dword,
                address: HdcAddress::A32(HdcSurface::Stateless { .. }),
                count,
                ..
            })) => (2, 0, count.owords() * 4),
            _ => return Vec::new(),
        };
        let place = |register: Register| u32::from(register.number) * self.grf / 4;
        let (Src::Direct { reg: from, .. }, Dst::Direct { reg: to, .. }) =
            (instruction.src[0], instruction.dst)
        else {
            return Vec::new();
        };
        let address = state.get(place(from) + dword);
        let Some(at) = address.exact(Base::Payload) else {
            return Vec::new();
        };
        let at = at.wrapping_add(offset);
        let dwords = 0..count as u32;
        let load = |i| (place(to) + i, (self.start.memory)(at.wrapping_add(4 * i)));
        dwords.map(load).collect()
    }

    /// The dwords that an instruction computes.
    fn computed(
        &self,
        index: usize,
        instruction: &Instruction,
        state: &State,
    ) -> Vec<(u32, Value)> {
        let nothing = Vec::new();
        let Dst::Direct { reg, hstride, ty } = instruction.dst else {
            return nothing;
        };
        let is_selection = instruction.opcode == Opcode::Sel;
        if reg.file != RegFile::Grf
            || !reg.byte.is_multiple_of(4)
            || ty.bytes() < 4
            || instruction.saturate
            || instruction.predicate.is_some() && !is_selection
        {
            return nothing;
        }
        let channels = match instruction.no_mask {
            true => u32::from(instruction.exec_size),
            // The first channel is there from the beginning.
            false if index < self.straight && instruction.channel_offset == 0 => 1,
            false => return nothing,
        };
        let start = u32::from(reg.number) * self.grf + u32::from(reg.byte);
        let stride = u32::from(hstride.max(1)) * ty.bytes();
        let mut values = Vec::new();
        for channel in 0..channels {
            let at = (start + channel * stride) / 4;
            let [a, b, c] = [0, 1, 2].map(|n| self.source(instruction, n, channel, 0, state));
            let value = match instruction.opcode {
                Opcode::Mov => match instruction.src[0].ty() {
                    Some(from) if from.is_float() != ty.is_float() => Value::UNKNOWN,
                    _ => a,
                },
                _ if ty.is_float() => Value::UNKNOWN,
                Opcode::Add => a.add(b),
                Opcode::Add3 => a.add(b).add(c),
                Opcode::Mul => a.mul(b),
                Opcode::Mad => a.add(b.mul(c)),
                Opcode::Shl => a.shl(b),
                Opcode::And => a.and(b),
                Opcode::Or => a.or(b),
                Opcode::Sel => a.join(b),
                _ => Value::UNKNOWN,
            };
            values.push((at, value));
            if instruction.opcode == Opcode::Mov && ty.bytes() == 8 {
                values.push((at + 1, self.source(instruction, 0, channel, 4, state)));
            }
        }
        values
    }

    /// The dword at byte `from` of a source's element.
    fn source(
        &self,
        instruction: &Instruction,
        number: usize,
        channel: u32,
        from: u32,
        state: &State,
    ) -> Value {
        let (value, ty, mods) = match instruction.src[number] {
            Src::Immediate { value, ty }
                if from == 0 && !matches!(ty, Type::V | Type::Uv | Type::Vf) =>
            {
                let value = match ty {
                    Type::W => value as u16 as i16 as i32 as u32,
                    _ => value as u32,
                };
                return Value::number(value);
            }
            Src::Direct {
                reg,
                region,
                ty,
                mods,
            } if reg.file == RegFile::Grf && from < ty.bytes() => {
                let VStride::Elements(vstride) = region.vstride else {
                    return Value::UNKNOWN;
                };
                let width = u32::from(region.width.max(1));
                let element = channel / width * u32::from(vstride)
                    + channel % width * u32::from(region.hstride);
                let start = u32::from(reg.number) * self.grf + u32::from(reg.byte);
                let byte = start + element * ty.bytes() + from;
                if !byte.is_multiple_of(4) {
                    return Value::UNKNOWN;
                }
                (state.get(byte / 4), ty, mods)
            }
            _ => return Value::UNKNOWN,
        };
        let value = value.low(ty.bits());
        let is_bitwise = matches!(instruction.opcode, Opcode::And | Opcode::Or);
        match (mods.abs, mods.neg) {
            (true, _) => Value::UNKNOWN,
            (_, true) if ty.is_float() => Value::UNKNOWN,
            (_, true) if is_bitwise => value.inverted(),
            (_, true) => value.negated(),
            _ => value,
        }
    }

    /// The block that an instruction accesses, if its address is known.
    fn block(&self, index: usize, state: &State) -> Option<BlockAddress> {
        let instruction = self.instruction(index)?;
        let (block, offset) = at_pointer(self.program, instruction)?;
        let [Src::Direct { reg, .. }, data, _] = instruction.src else {
            return None;
        };
        let address = state.get(u32::from(reg.number) * self.grf / 4);
        let address = address.add(Value::number(offset));
        let Base::Pointer(pointer) = address.base else {
            return None;
        };
        if block.may_be_shared {
            let Src::Direct { reg, .. } = data else {
                return None;
            };
            let length = instruction.send()?.src1_len?;
            let mut registers = (0..u16::from(length)).map(|i| u16::from(reg.number) + i);
            if !registers.all(|register| state.channels.contains(&register)) {
                return None;
            }
        }
        Some(BlockAddress {
            direction: block.direction,
            pointer,
            offset: address.offset,
            bits: address.bits,
        })
    }

    /// The pointer whose lowest bits an instruction takes out.
    fn examines(&self, index: usize, state: &State) -> Option<u16> {
        let instruction = self.instruction(index)?;
        if instruction.opcode != Opcode::And {
            return None;
        }
        let [a, b] = [0, 1].map(|n| self.source(instruction, n, 0, 0, state));
        let of = |value: Value, mask: Value| match (value.base, mask.exact(Base::Nothing)) {
            (Base::Pointer(pointer), Some(mask)) if mask & 15 != 0 && mask >> 16 == 0 => {
                Some(pointer)
            }
            _ => None,
        };
        of(a, b).or_else(|| of(b, a))
    }
}
