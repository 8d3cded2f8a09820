//! What an instruction reads and writes.

use devinfo::Family;

use crate::model::{
    ArfKind, Descriptor, Dpas, Dst, Format, Instruction, Opcode, Options, PredControl, RegFile,
    Region, Register, Specific, Src, VStride,
};

/// How unknowns count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// What is certainly accessed: the checker's view, in which a hazard is one.
    Sure,
    /// What may be accessed: the annotator's view.
    Worst,
}

/// A kind of register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Space {
    /// General registers, in bytes.
    Grf,
    /// Flags, in bytes; 4 a register.
    Flag,
    /// Accumulators, in registers.
    Accumulator,
    /// `a0`, in bytes.
    Address,
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
    /// The first byte (or accumulator).
    pub start: u16,
    /// The byte after the last.
    pub end: u16,
}

impl Access {
    /// Whether two accesses have a byte in common.
    pub fn overlaps(&self, other: &Access) -> bool {
        self.space == other.space && self.start < other.end && other.start < self.end
    }

    /// Whether every byte of `other` is one of this.
    pub fn covers(&self, other: &Access) -> bool {
        self.space == other.space && self.start <= other.start && other.end <= self.end
    }
}

/// The most accesses an instruction has: predicate, condition, two for each of three macro
/// sources and the destination with their address registers, implicit accumulators, descriptors.
const MOST: usize = 20;

/// The accesses of an instruction.
#[derive(Clone, Copy, Debug)]
pub struct Accesses {
    list: [Access; MOST],
    count: usize,
}

impl Accesses {
    /// The accesses.
    pub fn iter(&self) -> impl Iterator<Item = &Access> {
        self.list.iter().take(self.count)
    }

    fn push(&mut self, space: Space, write: bool, start: u32, end: u32) {
        if start >= end {
            return;
        }
        if let Some(slot) = self.list.get_mut(self.count) {
            *slot = Access {
                space,
                write,
                start: start.min(0xffff) as u16,
                end: end.min(0xffff) as u16,
            };
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
    };
    let mut finder = Finder {
        view,
        grf: family.grf_bytes() as u32,
        instruction,
        found: Accesses {
            list: [nothing; MOST],
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

/// The general registers of a large-GRF thread.
const GRF_COUNT: u32 = 256;

struct Finder<'a> {
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
        let selects = matches!(input.opcode, Opcode::Sel | Opcode::Csel);
        if input.cond.is_some() && !selects {
            self.flag(true, start, first, first + size);
        }
    }

    fn flag(&mut self, write: bool, start: u32, from: u32, to: u32) {
        let (first, last) = (start + from / 8, start + to.div_ceil(8));
        self.found.push(Space::Flag, write, first, last);
    }

    fn operands(&mut self) {
        let input = self.instruction;
        if self.view == View::Sure && self.is_discarded() {
            return;
        }
        for src in &input.src {
            self.source(src);
        }
        let accumulates = matches!(input.opcode, Opcode::Mac | Opcode::Mach | Opcode::Macl);
        if accumulates {
            self.implicit_accumulator(false);
        }
        self.destination();
        if input.options.contains(Options::ACC_WR_EN) {
            self.implicit_accumulator(true);
        }
    }

    /// Whether nobody can see what the sources were: `mov null rN` only waits, or exists for the
    /// hardware's sake.
    fn is_discarded(&self) -> bool {
        let null = matches!(self.instruction.dst, Dst::Direct { reg, .. } if reg.is_null());
        null && self.instruction.cond.is_none()
            && !self.instruction.options.contains(Options::ACC_WR_EN)
    }

    fn implicit_accumulator(&mut self, write: bool) {
        let ty = self.instruction.dst.ty().map_or(4, |ty| ty.bytes().max(4));
        let size = u32::from(self.instruction.exec_size) * ty;
        let end = size.div_ceil(self.grf);
        self.found.push(Space::Accumulator, write, 0, end);
    }

    fn source(&mut self, src: &Src) {
        match *src {
            Src::None | Src::Immediate { .. } => {}
            Src::Direct {
                reg, region, ty, ..
            } => {
                let bytes = match self.instruction.opcode.format() {
                    // The instruction pointer and the call mask.
                    Format::Ret => 8,
                    _ => self.extent(region, ty.bytes()),
                };
                self.register(false, reg, bytes);
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
                self.register(false, reg, bytes);
                self.exponent(false, mme);
            }
        }
    }

    fn destination(&mut self) {
        let size = u32::from(self.instruction.exec_size);
        match self.instruction.dst {
            Dst::None => {}
            Dst::Direct { reg, hstride, ty } => {
                let bytes = match self.instruction.opcode.format() {
                    Format::Call => 8,
                    _ => (size.saturating_sub(1) * u32::from(hstride.max(1)) + 1) * ty.bytes(),
                };
                self.register(true, reg, bytes);
            }
            Dst::Indirect { subreg, .. } => {
                self.address(u32::from(subreg) * 2, 2);
                self.anywhere(true);
            }
            Dst::Macro { reg, mme, ty, .. } => {
                self.register(true, reg, size * ty.bytes());
                self.exponent(true, mme);
            }
        }
    }

    /// The bytes from the first to the last of a region.
    fn extent(&self, region: Region, bytes: u32) -> u32 {
        let size = u32::from(self.instruction.exec_size.max(1));
        let width = u32::from(region.width.max(1)).min(size);
        let rows = size.div_ceil(width);
        let vstride = match region.vstride {
            VStride::Elements(elements) => u32::from(elements),
            VStride::PerRow => 0,
        };
        let last = (rows - 1) * vstride + (width - 1) * u32::from(region.hstride);
        (last + 1) * bytes
    }

    fn register(&mut self, write: bool, reg: Register, bytes: u32) {
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
                return self.found.push(Space::Grf, write, start, end);
            }
            RegFile::Arf(kind) => kind,
        };
        let number = u32::from(reg.number);
        let byte = u32::from(reg.byte);
        match kind {
            ArfKind::Address => self.found.push(Space::Address, write, byte, byte + bytes),
            ArfKind::Accumulator => {
                let end = number + (byte + bytes).div_ceil(self.grf);
                self.found.push(Space::Accumulator, write, number, end);
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
            let number = u32::from(mme) + 2;
            self.found
                .push(Space::Accumulator, write, number, number + 1);
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
        // A message has a payload; whether it has a response, its descriptor says.
        let lengths = [
            send.src0_len().unwrap_or(unknown(1, 15)),
            send.src1_len.unwrap_or(unknown(0, 31)),
        ];
        let response = send.dst_len().unwrap_or(unknown(0, 31));
        for (src, length) in input.src.iter().zip(lengths) {
            match *src {
                Src::Direct { reg, .. } => {
                    self.register(
                        false,
                        Register { byte: 0, ..reg },
                        u32::from(length) * self.grf,
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
                );
            }
            Dst::Indirect { subreg, .. } => {
                self.address(u32::from(subreg) * 2, 2);
                self.anywhere(true);
            }
            _ => {}
        }
    }

    /// Source 1 is `depth` rows of a dword a channel; source 2 has 8 dwords a repetition, of which
    /// `depth` are read (IGA `getDPASSrcDepUpBound`). `dpasw` reads half of source 2 here and the
    /// other half in the other EU of the pair.
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
                self.register(false, reg, bytes);
            }
        }
        if let Dst::Direct { reg, ty, .. } = input.dst {
            self.register(true, reg, rows(Some(ty)));
        }
    }
}
