//! The register file of a thread: one flat array of bytes.
//!
//! Architecture registers come first, at fixed places, then the general registers. Operands are
//! lowered to byte offsets in this array, so that every file is accessed the same way.

use core::ops::Range;

use devinfo::Family;
use isa_encoder::{ArfKind, RegFile, Register};
use zerocopy::{FromBytes, FromZeros, Immutable, IntoBytes, KnownLayout};

/// Where the general registers start.
pub(super) const GRF_BASE: usize = 4096;
/// Readable bytes after the last general register, for full-width vector loads.
const PADDING: usize = 256;
/// Bytes after these, where host code puts operands whose addresses are in registers.
const STAGE: usize = 4 * STAGED;
/// The bytes of such an operand.
pub(super) const STAGED: usize = 128;

/// The place of an architecture register file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The offset of its first register.
    pub base: usize,
    /// The bytes from register to register.
    pub stride: usize,
    /// The total number of bytes.
    pub bytes: usize,
}

impl Place {
    const fn new(base: usize, stride: usize, bytes: usize) -> Self {
        Self {
            base,
            stride,
            bytes,
        }
    }
}

/// Offset of acc0.
pub(super) const ACC: usize = 0;
/// Offset of a0.0.
pub(super) const ADDRESS: usize = 1024;
/// Offset of f0.0.
pub(super) const FLAG: usize = 1088;
/// Offset of sr0.0.
pub(super) const STATE: usize = 1152;
/// Offset of cr0.0.
pub(super) const CONTROL: usize = 1280;
/// Offset of n0.0.
pub(super) const NOTIFICATION: usize = 1344;
/// Offset of ip.
pub(super) const IP: usize = 1408;
/// Offset of tm0.0.
pub(super) const TIMESTAMP: usize = 1472;
/// Offset of ce0.
pub(super) const CHANNEL_ENABLE: usize = 1536;
const THREAD_DEPENDENCY: usize = 1600;
const FLOW_CONTROL: usize = 1664;
const DEBUG: usize = 1792;
const STACK_POINTER: usize = 1856;
const SCALAR: usize = 1888;
/// Offset of msg0.0.
pub(super) const MESSAGE_CONTROL: usize = 1920;
const MATH_MACRO: usize = 2048;
/// The 64-bit integers of the accumulators' dwords; see `super::accumulator`.
pub(super) const ACC_WIDE: usize = 2560;
/// Offset of null.
pub(super) const NULL: usize = 3072;

/// Where the registers of an architecture file are, for the register size of `family`.
///
/// The sizes are those of IGA's register tables; null has room for any region and stays zero.
pub(super) const fn place(family: Family, kind: ArfKind) -> Place {
    let grf = family.grf_bytes();
    match kind {
        ArfKind::Accumulator => Place::new(ACC, grf, 16 * grf),
        ArfKind::Address => Place::new(ADDRESS, 32, 64),
        ArfKind::Flag => Place::new(FLAG, 4, 16),
        ArfKind::State => Place::new(STATE, 16, 64),
        ArfKind::Control => Place::new(CONTROL, 16, 16),
        ArfKind::Notification => Place::new(NOTIFICATION, 16, 16),
        ArfKind::InstructionPointer => Place::new(IP, 8, 8),
        ArfKind::Timestamp => Place::new(TIMESTAMP, 32, 32),
        ArfKind::ChannelEnable => Place::new(CHANNEL_ENABLE, 4, 4),
        ArfKind::ThreadDependency => Place::new(THREAD_DEPENDENCY, 16, 32),
        ArfKind::FlowControl => Place::new(FLOW_CONTROL, 32, 128),
        ArfKind::Debug => Place::new(DEBUG, 16, 32),
        ArfKind::StackPointer => Place::new(STACK_POINTER, 16, 32),
        ArfKind::Scalar => Place::new(SCALAR, 32, 32),
        ArfKind::MessageControl => Place::new(MESSAGE_CONTROL, 32, 128),
        ArfKind::MathMacro => Place::new(MATH_MACRO, grf, 8 * grf),
        ArfKind::Null => Place::new(NULL, 0, 1024),
    }
}

/// The byte range that operands of a register's file may touch, and the register's own offset.
///
/// `None` if the register does not exist.
pub(super) fn locate(
    family: Family,
    grf_count: u16,
    register: Register,
) -> Option<(usize, Range<usize>)> {
    let (number, byte) = (usize::from(register.number), usize::from(register.byte));
    let (base, stride, bytes) = match register.file {
        RegFile::Grf => {
            let grf = family.grf_bytes();
            (GRF_BASE, grf, usize::from(grf_count) * grf)
        }
        RegFile::Arf(kind) => {
            let place = place(family, kind);
            (place.base, place.stride, place.bytes)
        }
    };
    let offset = number * stride + byte;
    (offset < bytes).then_some((base + offset, base..base + bytes))
}

/// Where the general registers end.
pub(super) const fn end(family: Family, grf_count: u16) -> usize {
    GRF_BASE + grf_count as usize * family.grf_bytes()
}

/// Where host code puts the sources of an op, by their numbers, and its result, in a thread with so many bytes of
/// general registers.
pub(super) const fn staged(grf: u32, number: usize) -> u32 {
    grf + (GRF_BASE + PADDING + number * STAGED) as u32
}

/// Zeroes bytes. One line takes less time than the call that clears many.
#[inline(always)]
fn clear(bytes: &mut [u8]) {
    match <&mut [u8; 64]>::try_from(&mut *bytes) {
        Ok(line) => *line = [0; 64],
        Err(_) => bytes.fill(0),
    }
}

/// A line of the host's cache: a vector that lies across two of them takes longer to store.
#[derive(Clone, Copy, Debug, FromBytes, IntoBytes, Immutable, KnownLayout)]
#[repr(C, align(64))]
struct Line([u8; 64]);

/// So many zeroed lines as these bytes need.
fn lines(bytes: usize) -> Vec<Line> {
    vec![Line::new_zeroed(); bytes.div_ceil(size_of::<Line>())]
}

/// The register file.
#[derive(Clone, Debug)]
pub(super) struct Registers {
    lines: Vec<Line>,
    grf_end: usize,
}

impl Registers {
    /// Zeroed registers.
    pub fn new(family: Family, grf_count: u16) -> Self {
        let grf_end = end(family, grf_count);
        Self {
            lines: lines(grf_end + PADDING + STAGE),
            grf_end,
        }
    }

    /// A thread's registers at its start: general registers begin with `payload`, and all else is
    /// zero. Only `dirty` bytes, and those that the payload has, may have been written.
    pub fn reset(
        &mut self,
        family: Family,
        grf_count: u16,
        dirty: &[Range<usize>],
        payload: &[u8],
    ) {
        let grf_end = end(family, grf_count);
        let filled = GRF_BASE..GRF_BASE + payload.len();
        if self.grf_end == grf_end {
            for run in dirty {
                let end = run.end.min(self.bytes().len());
                if let Some(bytes) = self.bytes_mut().get_mut(run.start..end) {
                    clear(bytes);
                }
            }
        } else {
            self.grf_end = grf_end;
            self.lines = lines(grf_end + PADDING + STAGE);
        }
        if let Some(bytes) = self.bytes_mut().get_mut(filled.clone()) {
            bytes.copy_from_slice(payload);
        }
        debug_assert!(
            (0..grf_end + PADDING)
                .zip(self.bytes())
                .all(|(at, byte)| *byte == 0 || filled.contains(&at)),
            "{dirty:?} are not all that was written"
        );
    }

    /// A thread's registers at its start, but for what it writes before it reads it: these lines are zero, and general
    /// registers begin with `payload`.
    pub fn refill(&mut self, clean: &[u32], payload: &[u8]) {
        for &at in clean {
            let line = self.bytes_mut().get_mut(at as usize..);
            if let Some(line) = line.and_then(|bytes| bytes.first_chunk_mut::<64>()) {
                *line = [0; 64];
            }
        }
        if let Some(bytes) = self.bytes_mut().get_mut(GRF_BASE..GRF_BASE + payload.len()) {
            bytes.copy_from_slice(payload);
        }
    }

    /// Where the general registers end.
    pub fn grf_end(&self) -> usize {
        self.grf_end
    }

    /// The general registers.
    pub fn grf(&self) -> &[u8] {
        &self.bytes()[GRF_BASE..self.grf_end]
    }

    /// The bytes that instructions know.
    #[cfg(test)]
    pub fn known(&self) -> &[u8] {
        &self.bytes()[..self.grf_end]
    }

    /// The same without the wholes of accumulators, which are kept only where something reads them.
    #[cfg(test)]
    pub fn shown(&self) -> Vec<u8> {
        let mut bytes = self.known().to_vec();
        bytes[ACC_WIDE..NULL].fill(0);
        bytes
    }

    /// All bytes.
    #[inline(always)]
    pub fn bytes(&self) -> &[u8] {
        self.lines.as_bytes()
    }

    /// All bytes, writable.
    #[inline(always)]
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        self.lines.as_mut_bytes()
    }

    /// The first `N` bytes at `offset`; zeroes beyond the end.
    #[inline(always)]
    pub fn load<const N: usize>(&self, offset: usize) -> [u8; N] {
        match self
            .bytes()
            .get(offset..)
            .and_then(|tail| tail.first_chunk::<N>())
        {
            Some(chunk) => *chunk,
            None => [0; N],
        }
    }

    /// Writes `N` bytes at `offset`; nothing beyond the end.
    #[inline(always)]
    pub fn store<const N: usize>(&mut self, offset: usize, value: [u8; N]) {
        if let Some(chunk) = self
            .bytes_mut()
            .get_mut(offset..)
            .and_then(|tail| tail.first_chunk_mut::<N>())
        {
            *chunk = value;
        }
    }

    /// The dword at `offset`.
    #[inline(always)]
    pub fn dword(&self, offset: usize) -> u32 {
        u32::from_le_bytes(self.load(offset))
    }

    /// Sets the dword at `offset`.
    #[inline(always)]
    pub fn set_dword(&mut self, offset: usize, value: u32) {
        self.store(offset, value.to_le_bytes());
    }

    /// An element of `size` bytes at `offset`, zero-extended.
    #[inline(always)]
    pub fn element(&self, offset: usize, size: u32) -> u64 {
        match size {
            1 => u64::from(self.load::<1>(offset)[0]),
            2 => u64::from(u16::from_le_bytes(self.load(offset))),
            4 => u64::from(u32::from_le_bytes(self.load(offset))),
            _ => u64::from_le_bytes(self.load(offset)),
        }
    }

    /// Writes the low `size` bytes of `value` at `offset`.
    #[inline(always)]
    pub fn set_element(&mut self, offset: usize, size: u32, value: u64) {
        match size {
            1 => self.store(offset, [value as u8]),
            2 => self.store(offset, (value as u16).to_le_bytes()),
            4 => self.store(offset, (value as u32).to_le_bytes()),
            _ => self.store(offset, value.to_le_bytes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn registers_begin_with_a_line() {
        for family in Family::ALL {
            let mut registers = Registers::new(family, 128);
            for count in [128, 256, 128] {
                let all = 0..registers.bytes().len();
                registers.reset(family, count, std::slice::from_ref(&all), &[1; 64]);
                assert!(registers.bytes().as_ptr().addr().is_multiple_of(64));
                assert_eq!(registers.grf_end(), end(family, count));
                assert_eq!(registers.dword(GRF_BASE + 60), 0x0101_0101);
            }
        }
    }
}
