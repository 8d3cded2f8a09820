//! What an instruction reads and writes.

use devinfo::Family;

use crate::code::{FamilyTable, traits};
use crate::model::{
    ArfKind, Attributes, Descriptor, Dpas, Dst, Format, Instruction, Opcode, Options, PredControl,
    RegFile, Region, Register, Specific, Src, VStride,
};

/// How unknowns are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// Only what is certainly accessed: the checker's view, where a reported hazard is real.
    Sure,
    /// What may be accessed: the annotator's view.
    Worst,
}

/// A kind of register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// General registers, in bytes.
    Grf,
    /// Flags, in bytes; 4 per register.
    Flag,
    /// Accumulators, in bytes; each as large as a general register.
    Accumulator,
    /// The exponents that math macros name (`mme`), for the checker. They are accumulators from
    /// `acc2` on, but IGC never waits for one from an in-order pipe. So the checker only judges
    /// their order with instructions that have a token.
    Exponent,
    /// `a0`, in bytes.
    Address,
    /// `s0`, in bytes.
    Scalar,
    /// State that no scoreboard tracks: `ce`, `sr0`, `cr0`, and perhaps `sp`, `ip`, `tm0` and
    /// `dbg0`. The instruction after one that touches it must wait for all pipes (IGC, IGA).
    State,
}

/// A range of a space that an operand reads or writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The registers.
    pub space: Space,
    /// Whether they are written.
    pub write: bool,
    /// The first byte.
    pub start: u16,
    /// The byte after the last.
    pub end: u16,
    /// Whether it skips bytes in between; see [`Bytes`].
    pub strided: bool,
}

/// The bytes of a strided access, one bit each from its first.
///
/// An operand spans at most two general registers of 64 bytes; one that spans more counts as all
/// bytes from its first to its last.
pub type Bytes = u128;

/// The bytes of `access` from `from` on; `pattern` is its own if it is strided.
fn bytes_from(access: &Access, pattern: Bytes, from: u16) -> Bytes {
    if access.strided {
        return match from.checked_sub(access.start) {
            Some(later) => pattern.checked_shr(later.into()).unwrap_or(0),
            None => pattern
                .checked_shl((access.start - from).into())
                .unwrap_or(0),
        };
    }
    let ones = |count: u16| match Bytes::MAX.checked_shl(count.into()) {
        Some(above) => !above,
        None => Bytes::MAX,
    };
    let start = access.start.saturating_sub(from);
    ones(access.end.saturating_sub(from)) & !ones(start)
}

/// Where accesses may be: bit `n` is the `n`-th 32 bytes of every 2048. Those that have no bit in common have no byte in
/// common.
pub type Pieces = u64;

impl Access {
    /// The pieces that it touches.
    pub fn pieces(&self) -> Pieces {
        const PIECE: u32 = 32;
        let first = u32::from(self.start) / PIECE;
        let behind = u32::from(self.end).div_ceil(PIECE).max(first + 1);
        match Pieces::MAX.checked_shl(behind - first) {
            Some(others) => (!others).rotate_left(first),
            None => Pieces::MAX,
        }
    }

    /// Whether two accesses have a byte in common; a pattern only matters if its access is strided.
    pub fn overlaps(&self, pattern: Bytes, other: &Access, others: Bytes) -> bool {
        self.space == other.space
            && self.start < other.end
            && other.start < self.end
            && (!(self.strided || other.strided) || {
                // A strided access ends within this many bytes of its start.
                let from = if self.strided {
                    self.start
                } else {
                    other.start
                };
                bytes_from(self, pattern, from) & bytes_from(other, others, from) != 0
            })
    }

    /// Whether it contains every byte of `other`.
    pub fn covers(&self, pattern: Bytes, other: &Access, others: Bytes) -> bool {
        self.space == other.space
            && self.start <= other.start
            && other.end <= self.end
            && (!self.strided || bytes_from(other, others, self.start) & !pattern == 0)
    }
}

/// The most accesses that an instruction has: predicate, condition, two for each of three macro
/// sources and the destination with their address registers, implicit accumulators, descriptors.
pub(super) const MOST: usize = 20;

/// The accesses of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Accesses {
    list: [(Access, Bytes); MOST],
    count: usize,
}

impl Accesses {
    /// The accesses, with the bytes of those that are strided.
    pub fn iter(&self) -> impl Iterator<Item = (Access, Bytes)> {
        self.list.iter().take(self.count).copied()
    }

    fn push(&mut self, space: Space, write: bool, start: u32, end: u32) {
        self.push_strided(space, write, start, end, 0);
    }

    /// No pattern is all bytes.
    fn push_strided(&mut self, space: Space, write: bool, start: u32, end: u32, pattern: Bytes) {
        if start >= end {
            return;
        }
        if let Some((access, bytes)) = self.list.get_mut(self.count) {
            *access = Access {
                space,
                write,
                start: start.min(0xffff) as u16,
                end: end.min(0xffff) as u16,
                strided: pattern != 0,
            };
            *bytes = pattern;
            self.count += 1;
        }
    }
}

/// What `instruction` reads and writes, sources first.
pub fn accesses(family: Family, view: View, instruction: &Instruction) -> Accesses {
    let nothing = Access {
        space: Space::Grf,
        write: false,
        start: 0,
        end: 0,
        strided: false,
    };
    let mut finder = Finder {
        view,
        has: traits(family),
        grf: family.grf_bytes() as u32,
        instruction,
        found: Accesses {
            list: [(nothing, 0); MOST],
            count: 0,
        },
    };
    finder.flags();
    match &instruction.specific {
        Specific::Send(_) => finder.send(),
        Specific::Dpas(dpas) => finder.dpas(*dpas),
        Specific::Sync(_) => {}
        _ => finder.operands(),
    }
    finder.found
}

/// `mov (1) null rN<0;1,0>` after a message, which compilers put there because the hardware needs it:
/// it reads a register and the value is not used. In contrast, a fence's `mov (8) null rN` must wait
/// for its message.
pub fn is_touch(has: &FamilyTable, input: &Instruction) -> bool {
    has.touched_responses
        && input.opcode == Opcode::Mov
        && input.exec_size == 1
        && input.cond.is_none()
        && matches!(input.dst, Dst::Direct { reg, .. } if reg.is_null())
}

/// The general registers of a large-GRF thread.
const GRF_COUNT: u32 = 256;

struct Finder<'a> {
    has: &'static FamilyTable,
    view: View,
    grf: u32,
    instruction: &'a Instruction,
    found: Accesses,
}

impl Finder<'_> {
    fn flags(&mut self) {
        let input = self.instruction;
        let start = u32::from(input.flag.register) * 4 + u32::from(input.flag.subregister) * 2;
        let first = u32::from(input.channel_offset);
        let size = u32::from(input.exec_size);
        if let Some(predicate) = input.predicate {
            let group = match predicate.control {
                PredControl::AnyH(n) | PredControl::AllH(n) => u32::from(n),
                _ => 1,
            };
            let from = first / group.max(1) * group;
            let to = (first + size).max(from + group);
            self.flag(false, start, from, to);
            if matches!(predicate.control, PredControl::AnyV | PredControl::AllV) {
                self.flag(false, start + 4, from, to);
            }
        }
        if input.cond.is_some() && !input.opcode.has(Attributes::KEEPS_FLAG) {
            self.flag(true, start, first, first + size);
        }
    }

    fn flag(&mut self, write: bool, start: u32, from: u32, to: u32) {
        let (first, last) = (start + from / 8, start + to.div_ceil(8));
        self.found.push(Space::Flag, write, first, last);
    }

    fn operands(&mut self) {
        let input = self.instruction;
        if !(self.view == View::Sure && is_touch(self.has, input)) {
            for src in &input.src {
                self.source(src);
            }
        }
        if input.opcode.has(Attributes::READS_ACC) {
            self.implicit_accumulator(false);
        }
        self.destination();
        // Whether AccWrEn says so or not (IGA `setOutputsDstcDep`).
        let fills = input.opcode.has(Attributes::WRITES_ACC);
        if input.options.contains(Options::ACC_WR_EN) || (fills && self.view == View::Worst) {
            self.implicit_accumulator(true);
        }
    }

    fn implicit_accumulator(&mut self, write: bool) {
        let ty = self.instruction.dst.ty().map_or(4, |ty| ty.bytes().max(4));
        let size = u32::from(self.instruction.exec_size) * ty;
        self.accumulator(write, 0, size, 0);
    }

    /// The type decides which bytes of two neighbouring accumulators hold an element, so the
    /// annotator treats both as one (IGA `setSrcRegion`).
    fn accumulator(&mut self, write: bool, start: u32, bytes: u32, pattern: Bytes) {
        let space = Space::Accumulator;
        match self.view {
            View::Sure => {
                self.found
                    .push_strided(space, write, start, start + bytes, pattern);
            }
            View::Worst => {
                let pair = 2 * self.grf;
                let end = (start + bytes).next_multiple_of(pair);
                self.found.push(space, write, start / pair * pair, end);
            }
        }
    }

    fn source(&mut self, src: &Src) {
        match *src {
            Src::None | Src::Immediate { .. } => {}
            Src::Direct {
                reg, region, ty, ..
            } => {
                let (bytes, pattern) = match self.instruction.opcode.format() {
                    // The instruction pointer and the call mask.
                    Format::Ret => (8, 0),
                    _ => self.extent(region, ty.bytes()),
                };
                self.register(false, reg, bytes, pattern);
            }
            Src::Indirect { subreg, region, .. } => {
                let rows = match region.vstride {
                    VStride::PerRow => {
                        let width = region.width.max(1);
                        self.instruction.exec_size.div_ceil(width)
                    }
                    VStride::Elements(_) => 1,
                };
                self.address(u32::from(subreg) * 2, 2 * u32::from(rows));
                self.anywhere(false);
            }
            Src::Macro { reg, mme, ty, .. } => {
                let bytes = u32::from(self.instruction.exec_size) * ty.bytes();
                self.register(false, reg, bytes, 0);
                self.exponent(false, mme);
            }
        }
    }

    fn destination(&mut self) {
        let size = u32::from(self.instruction.exec_size);
        match self.instruction.dst {
            Dst::None => {}
            Dst::Direct { reg, hstride, ty } => {
                if self.instruction.opcode.format() == Format::Call {
                    return self.register(true, reg, 8, 0);
                }
                let (bytes, pattern) = self.extent(Region::new(hstride.max(1), 1, 0), ty.bytes());
                let rewrites = self.view == View::Worst && self.has.byte_writes_read;
                if rewrites && ty.bits() == 8 && reg.file == RegFile::Grf {
                    let start = reg.byte & !1;
                    let bytes = (u32::from(reg.byte - start) + bytes).next_multiple_of(2);
                    let words = Register { byte: start, ..reg };
                    self.register(false, words, bytes, 0);
                    return self.register(true, words, bytes, 0);
                }
                self.register(true, reg, bytes, pattern);
            }
            Dst::Indirect { subreg, .. } => {
                self.address(u32::from(subreg) * 2, 2);
                self.anywhere(true);
            }
            Dst::Macro { reg, mme, ty, .. } => {
                self.register(true, reg, size * ty.bytes(), 0);
                self.exponent(true, mme);
            }
        }
    }

    /// The bytes from the first to the last of a region and, unless it has all of them, which ones.
    fn extent(&self, region: Region, bytes: u32) -> (u32, Bytes) {
        let size = u32::from(self.instruction.exec_size.max(1));
        let width = u32::from(region.width.max(1)).min(size);
        let rows = size.div_ceil(width);
        let vstride = match region.vstride {
            VStride::Elements(elements) => u32::from(elements),
            VStride::PerRow => 0,
        };
        let hstride = u32::from(region.hstride);
        let last = (rows - 1) * vstride + (width - 1) * hstride;
        let extent = (last + 1) * bytes;
        let packed =
            (width == 1 || hstride <= 1) && (rows == 1 || vstride <= (width - 1) * hstride + 1);
        if packed || extent > Bytes::BITS || self.view == View::Worst {
            return (extent, 0);
        }
        let element: Bytes = (1 << bytes) - 1;
        let row = (0..width).fold(0, |row, x| row | element << (x * hstride * bytes));
        let all = (0..rows).fold(0, |all, y| all | row << (y * vstride * bytes));
        (extent, all)
    }

    fn register(&mut self, write: bool, reg: Register, bytes: u32, pattern: Bytes) {
        let kind = match reg.file {
            RegFile::Grf => {
                let start = u32::from(reg.number) * self.grf + u32::from(reg.byte);
                let last = match (self.view, self.instruction.specific) {
                    (View::Sure, Specific::Send(_) | Specific::Dpas(_)) => GRF_COUNT,
                    // No other operand spans more than two registers.
                    (View::Sure, _) => u32::from(reg.number) + 2,
                    (View::Worst, _) => GRF_COUNT,
                };
                let end = (start + bytes).min(last * self.grf);
                return self
                    .found
                    .push_strided(Space::Grf, write, start, end, pattern);
            }
            RegFile::Arf(kind) => kind,
        };
        let number = u32::from(reg.number);
        let byte = u32::from(reg.byte);
        match kind {
            ArfKind::Address => self.found.push(Space::Address, write, byte, byte + bytes),
            ArfKind::Scalar => self.found.push(Space::Scalar, write, byte, byte + bytes),
            ArfKind::Accumulator => {
                self.accumulator(write, number * self.grf + byte, bytes, pattern);
            }
            ArfKind::Flag => {
                let start = number * 4 + byte;
                self.found.push(Space::Flag, write, start, start + bytes);
            }
            ArfKind::ChannelEnable | ArfKind::State | ArfKind::Control => {
                self.found.push(Space::State, write, 0, 1);
            }
            // IGC and Mesa treat these alike, IGA does not.
            ArfKind::StackPointer
            | ArfKind::InstructionPointer
            | ArfKind::Timestamp
            | ArfKind::Debug => {
                if self.view == View::Worst {
                    self.found.push(Space::State, write, 0, 1);
                }
            }
            ArfKind::MathMacro => self.exponent(write, Some(reg.number)),
            ArfKind::Null
            | ArfKind::MessageControl
            | ArfKind::Notification
            | ArfKind::ThreadDependency
            | ArfKind::FlowControl => {}
        }
    }

    /// `mme0` is `acc2`.
    fn exponent(&mut self, write: bool, mme: Option<u8>) {
        if let Some(mme) = mme {
            let start = (u32::from(mme) + 2) * self.grf;
            match self.view {
                View::Sure => {
                    let end = start + self.grf;
                    self.found.push(Space::Exponent, write, start, end);
                }
                View::Worst => self.accumulator(write, start, self.grf, 0),
            }
        }
    }

    fn address(&mut self, start: u32, bytes: u32) {
        self.found.push(Space::Address, false, start, start + bytes);
    }

    /// Some general register.
    fn anywhere(&mut self, write: bool) {
        if self.view == View::Worst {
            self.found.push(Space::Grf, write, 0, GRF_COUNT * self.grf);
        }
    }

    fn send(&mut self) {
        let input = self.instruction;
        let Some(send) = input.send() else {
            return;
        };
        for descriptor in [send.desc, send.exdesc] {
            if let Descriptor::Register { subreg } = descriptor {
                self.address(u32::from(subreg) * 4, 4);
            }
        }
        let unknown = |sure: u8, worst: u8| match self.view {
            View::Sure => sure,
            View::Worst => worst,
        };
        // A message always has a payload; its descriptor says whether it has a response.
        let lengths = [
            send.src0_len().unwrap_or(unknown(1, 15)),
            send.src1_len.unwrap_or(unknown(0, 31)),
        ];
        let response = send.dst_len().unwrap_or(unknown(0, 31));
        for (src, length) in input.src.iter().zip(lengths) {
            match *src {
                // A byte for each register.
                Src::Direct { reg, .. } if reg.is_scalar() => {
                    self.register(false, reg, length.into(), 0);
                    self.anywhere(false);
                }
                Src::Direct { reg, .. } => {
                    self.register(
                        false,
                        Register { byte: 0, ..reg },
                        u32::from(length) * self.grf,
                        0,
                    );
                }
                Src::Indirect { subreg, .. } => {
                    self.address(u32::from(subreg) * 2, 2);
                    self.anywhere(false);
                }
                _ => {}
            }
        }
        match input.dst {
            Dst::Direct { reg, .. } => {
                self.register(
                    true,
                    Register { byte: 0, ..reg },
                    u32::from(response) * self.grf,
                    0,
                );
            }
            Dst::Indirect { subreg, .. } => {
                self.address(u32::from(subreg) * 2, 2);
                self.anywhere(true);
            }
            _ => {}
        }
    }

    /// Source 1 is `depth` rows of one dword per channel; source 2 has 8 dwords per repetition, of
    /// which `depth` are read (IGA `getDPASSrcDepUpBound`). `dpasw` reads half of source 2 here and
    /// the other half in the other EU of the pair.
    fn dpas(&mut self, dpas: Dpas) {
        let input = self.instruction;
        let size = u32::from(input.exec_size);
        let repeat = u32::from(dpas.repeat);
        let depth = u32::from(dpas.depth);
        let rows = |ty: Option<crate::Type>| repeat * size * ty.map_or(4, |ty| ty.bytes());
        let mut src2 = repeat.saturating_sub(1) * 32 + depth * 4;
        if input.opcode == Opcode::Dpasw && self.view == View::Sure {
            src2 = src2.div_ceil(2);
        }
        let bytes = [rows(input.src[0].ty()), depth * size * 4, src2];
        for (src, bytes) in input.src.iter().zip(bytes) {
            if let Src::Direct { reg, .. } = *src {
                self.register(false, reg, bytes, 0);
            }
        }
        if let Dst::Direct { reg, ty, .. } = input.dst {
            self.register(true, reg, rows(Some(ty)), 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    fn bytes(start: u16, end: u16) -> Access {
        Access {
            space: Space::Grf,
            write: false,
            start,
            end,
            strided: false,
        }
    }

    #[test]
    fn what_overlaps_has_pieces_in_common() {
        let ends = (0..=20_000)
            .step_by(61)
            .chain([32, 64, 2048, 4096, u16::MAX]);
        let all: Vec<Access> = ends
            .flat_map(|start: u16| {
                [1, 4, 31, 32, 33, 64, 512, 2016, 2017, 4000]
                    .map(|count| bytes(start, start.saturating_add(count)))
            })
            .collect();
        let mut apart = 0;
        for one in &all {
            for other in &all {
                let has_common = one.pieces() & other.pieces() != 0;
                assert!(
                    has_common || !one.overlaps(0, other, 0),
                    "{one:?} {other:?}"
                );
                apart += usize::from(!has_common);
            }
        }
        assert!(apart > all.len() * all.len() / 4, "many are apart");
        assert_eq!(bytes(0, 33).pieces(), 0b11);
        assert_eq!(bytes(64 * 32, 64 * 32 + 1).pieces(), 1, "again");
    }
}
