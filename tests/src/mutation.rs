//! Single faults in the code of kernels, for the measure of what the checks find.
//!
//! A [`Kind`] is a kind of fault, as somebody who writes EU code makes it. [`mutants`] lists every
//! place of a kernel where it can be made: one instruction is replaced by another of its size (two,
//! for a whole barrier).

use std::collections::BTreeSet;
use std::fmt;

use devinfo::Family;
use isa_encoder::message::{
    Descriptors, Gateway, Hdc, HdcAddress, HdcSurface, Lengths, Lsc, LscAddress, Message,
};
use isa_encoder::semantics::{Integer, Number, Semantics};
use isa_encoder::swsb::Program;
use isa_encoder::{
    Dst, Instruction, Opcode, Options, RegFile, Region, Specific, Src, Swsb, SyncFunction,
    TokenMode, Type, encode,
};

/// A kind of fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A wait for a message's result is dropped.
    TokenWait,
    /// A wait for a result of an in-order pipe is dropped.
    DistanceWait,
    /// A `sync` that waits is dropped.
    SyncWait,
    /// The signal of a barrier is dropped.
    Signal,
    /// The wait for a barrier is dropped.
    BarrierWait,
    /// Both are dropped.
    Barrier,
    /// A fence is dropped.
    Fence,
    /// The wait for a fence is dropped.
    FenceWait,
    /// The last message does not end the thread.
    EndOfThread,
    /// The last message comes from a register that it must not come from.
    EndRegister,
    /// A message names a binding table entry that nothing is bound to.
    Binding,
    /// A message's response is a register longer.
    Response,
    /// A message's payload is a register longer.
    Payload,
    /// An operand is a register that nothing writes.
    Source,
    /// The only instruction that writes a register is dropped.
    Writer,
    /// A region is one that hardware does not have.
    Region,
    /// An operand is a float among integers.
    Type,
    /// An address is far off.
    Offset,
    /// The offset of a block is a byte off.
    Alignment,
    /// A message is sent by all channels, not by those that should.
    Mask,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 20] = [
        Self::TokenWait,
        Self::DistanceWait,
        Self::SyncWait,
        Self::Signal,
        Self::BarrierWait,
        Self::Barrier,
        Self::Fence,
        Self::FenceWait,
        Self::EndOfThread,
        Self::EndRegister,
        Self::Binding,
        Self::Response,
        Self::Payload,
        Self::Source,
        Self::Writer,
        Self::Region,
        Self::Type,
        Self::Offset,
        Self::Alignment,
        Self::Mask,
    ];
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::TokenWait => "drop a wait for a token",
            Self::DistanceWait => "drop a wait for a distance",
            Self::SyncWait => "drop a sync",
            Self::Signal => "drop a barrier's signal",
            Self::BarrierWait => "drop a barrier's wait",
            Self::Barrier => "drop a barrier",
            Self::Fence => "drop a fence",
            Self::FenceWait => "drop a fence's wait",
            Self::EndOfThread => "drop the end of thread",
            Self::EndRegister => "end the thread from r90",
            Self::Binding => "change a binding",
            Self::Response => "change a response length",
            Self::Payload => "change a payload length",
            Self::Source => "change a source register",
            Self::Writer => "drop what writes a register",
            Self::Region => "shift a region",
            Self::Type => "change a type",
            Self::Offset => "change an offset",
            Self::Alignment => "change an alignment",
            Self::Mask => "drop a mask",
        })
    }
}

/// A fault in a kernel: bytes that take the place of others.
#[derive(Clone, Debug)]
pub struct Mutant {
    /// Where, in bytes from the kernel's start, and the new bytes.
    pub edits: Vec<(usize, Vec<u8>)>,
}

/// Every place of a kernel's code where a fault of this kind can be made.
pub fn mutants(family: Family, code: &[u8], kind: Kind) -> Vec<Mutant> {
    let program = Program::decode(family, code);
    let text = Text::of(family, &program);
    (0..text.instructions.len())
        .filter_map(|index| text.mutant(kind, index))
        .collect()
}

struct Text {
    family: Family,
    instructions: Vec<(usize, Instruction)>,
    /// Registers that nothing writes or reads.
    free: Option<u8>,
}

impl Text {
    fn of(family: Family, program: &Program) -> Self {
        let placed = program.instructions().iter();
        let instructions: Vec<_> = placed.map(|one| (one.offset, one.instruction)).collect();
        let mut used = BTreeSet::new();
        for (_, instruction) in &instructions {
            let lengths = instruction.send().map_or([2, 2, 2], |send| {
                let length = |length: Option<u8>| length.unwrap_or(16).max(1);
                [
                    length(send.dst_len()),
                    length(send.src0_len()),
                    length(send.src1_len),
                ]
            });
            let dst = match instruction.dst {
                Dst::Direct { reg, .. } => Some(reg),
                _ => None,
            };
            let sources = instruction.src.iter().map(|src| match src {
                Src::Direct { reg, .. } => Some(*reg),
                _ => None,
            });
            for (register, length) in std::iter::once(dst)
                .chain(sources)
                .zip([lengths[0], lengths[1], lengths[2], 2])
            {
                let Some(register) = register.filter(|register| register.file == RegFile::Grf)
                else {
                    continue;
                };
                // A block of a matrix is up to 16 registers.
                let length = if instruction.opcode == Opcode::Dpas {
                    16
                } else {
                    length
                };
                used.extend(register.number..register.number.saturating_add(length));
            }
        }
        Self {
            family,
            instructions,
            free: (20..110)
                .rev()
                .find(|number| (*number..*number + 8).all(|register| !used.contains(&register))),
        }
    }

    fn message(&self, instruction: &Instruction) -> Option<Message> {
        let send = instruction.send()?;
        Message::decode(self.family, send.sfid?, Descriptors::of(send)?).ok()
    }

    fn is_fence(&self, instruction: &Instruction) -> bool {
        matches!(
            self.message(instruction),
            Some(Message::Hdc(Hdc::Fence { .. }) | Message::Lsc(Lsc::Fence { .. }))
        )
    }

    fn is_signal(&self, instruction: &Instruction) -> bool {
        matches!(
            self.message(instruction),
            Some(Message::Gateway(Gateway::Barrier))
        )
    }

    fn is_wait(instruction: &Instruction) -> bool {
        let bar = matches!(instruction.specific, Specific::Sync(SyncFunction::Bar));
        bar || instruction.opcode.semantics() == Semantics::Wait
    }

    /// Whether a store that the fence is about comes before it, and a barrier behind it.
    fn publishes(&self, index: usize, fence: &Instruction) -> bool {
        let local = |message: &Message| match message {
            Message::Hdc(Hdc::Fence { slm, .. }) => *slm,
            Message::Hdc(hdc) => hdc.surface() == Some(HdcSurface::Slm),
            Message::Lsc(lsc) => lsc.port() == isa_encoder::message::LscPort::Slm,
            _ => false,
        };
        let Some(fence) = self.message(fence) else {
            return false;
        };
        // One before the end of a thread is a work-around for a fault of some hardware.
        let mut behind = self.instructions[index..].iter().map(|(_, later)| later);
        let ends = |later: &&Instruction| later.send().is_some_and(|send| send.eot);
        let next = behind.find(|later| self.is_signal(later) || ends(later));
        if !next.is_some_and(|next| self.is_signal(next)) {
            return false;
        }
        self.instructions[..index].iter().any(|(_, earlier)| {
            let stores = earlier.send().is_some_and(|send| send.dst_len() == Some(0));
            let message = self.message(earlier);
            let memory = matches!(message, Some(Message::Hdc(_) | Message::Lsc(_)));
            stores && memory && message.is_some_and(|message| local(&message) == local(&fence))
        })
    }

    /// Whether no other instruction writes a register.
    fn alone(&self, index: usize, number: u8) -> bool {
        let others = self.instructions.iter().enumerate();
        let mut others = others.filter(|(other, _)| *other != index);
        others.all(|(_, (_, other))| {
            let length = other.send().map_or(2, |send| send.dst_len().unwrap_or(16));
            match other.dst {
                Dst::Direct { reg, .. } if reg.file == RegFile::Grf => {
                    !(reg.number..reg.number.saturating_add(length)).contains(&number)
                }
                _ => true,
            }
        })
    }

    fn has_scoreboard(&self) -> bool {
        isa_encoder::has_opcode(self.family, Opcode::Sync)
    }

    /// An instruction that does nothing, of the size of another.
    fn nothing(&self, instead: &Instruction) -> Instruction {
        let mut nothing = match self.has_scoreboard() {
            true => Instruction {
                specific: Specific::Sync(SyncFunction::Nop),
                ..Instruction::new(Opcode::Sync)
            },
            false => Instruction::new(Opcode::Nop),
        };
        nothing.options |= instead.options & Options::COMPACTED;
        nothing
    }

    fn edit(&self, index: usize, changed: &Instruction) -> Option<(usize, Vec<u8>)> {
        let (offset, original) = self.instructions.get(index)?;
        if changed == original {
            return None;
        }
        let (bytes, length) = encode(self.family, changed).ok()?;
        let short = original.options.contains(Options::COMPACTED);
        let wanted = if short { 8 } else { 16 };
        (length == wanted).then(|| (*offset, bytes[..length].to_vec()))
    }

    fn mutant(&self, kind: Kind, index: usize) -> Option<Mutant> {
        let (_, original) = self.instructions.get(index)?;
        if kind == Kind::Barrier {
            let wait = (index..self.instructions.len())
                .find(|&later| Self::is_wait(&self.instructions[later].1))?;
            let signals = self.is_signal(original);
            let edits = [index, wait].map(|at| {
                let nothing = self.nothing(&self.instructions[at].1);
                self.edit(at, &nothing)
            });
            let edits = edits.into_iter().collect::<Option<Vec<_>>>()?;
            return signals.then_some(Mutant { edits });
        }
        let changed = self.changed(kind, index, original)?;
        Some(Mutant {
            edits: vec![self.edit(index, &changed)?],
        })
    }

    fn changed(&self, kind: Kind, index: usize, original: &Instruction) -> Option<Instruction> {
        let mut changed = *original;
        let drop = |holds: bool| holds.then(|| self.nothing(original));
        match kind {
            Kind::TokenWait => {
                let waits = original
                    .swsb
                    .token
                    .is_some_and(|token| token.mode == TokenMode::Dst);
                changed.swsb.token = None;
                (waits && !is_null_move(original)).then_some(changed)
            }
            Kind::DistanceWait => {
                changed.swsb.distance = None;
                original.swsb.distance.is_some().then_some(changed)
            }
            Kind::SyncWait => {
                changed.swsb = Swsb::NONE;
                let sync = matches!(original.specific, Specific::Sync(SyncFunction::Nop));
                (sync && original.swsb != Swsb::NONE).then_some(changed)
            }
            Kind::Signal => drop(self.is_signal(original)),
            Kind::BarrierWait => drop(Self::is_wait(original)),
            Kind::Barrier => None,
            Kind::Fence => drop(self.is_fence(original) && self.publishes(index, original)),
            Kind::FenceWait => {
                let reads = original.src.first().copied();
                let from_fence =
                    self.instructions[..index]
                        .iter()
                        .rev()
                        .take(8)
                        .any(|(_, earlier)| {
                            self.is_fence(earlier)
                                && match (earlier.dst, reads) {
                                    (
                                        Dst::Direct { reg: a, .. },
                                        Some(Src::Direct { reg: b, .. }),
                                    ) => a.number == b.number && b.file == RegFile::Grf,
                                    _ => false,
                                }
                        });
                changed.swsb.token = None;
                let Src::Direct { reg, .. } = &mut changed.src[0] else {
                    return None;
                };
                reg.number = 0;
                (is_null_move(original) && from_fence).then_some(changed)
            }
            Kind::EndOfThread => {
                let Specific::Send(send) = &mut changed.specific else {
                    return None;
                };
                std::mem::take(&mut send.eot).then_some(changed)
            }
            Kind::EndRegister => {
                let ends = original.send().is_some_and(|send| send.eot);
                let Src::Direct { reg, .. } = &mut changed.src[0] else {
                    return None;
                };
                reg.number = 90;
                let anywhere = devinfo::span!(Xe3..).contains(self.family);
                (ends && !anywhere).then_some(changed)
            }
            Kind::Binding => {
                let message = self.message(original)?;
                let Specific::Send(send) = &mut changed.specific else {
                    return None;
                };
                match message {
                    Message::Hdc(hdc) if matches!(hdc.surface()?, HdcSurface::Bti(_)) => {
                        let descriptor = send.desc.immediate()?;
                        send.desc = isa_encoder::Descriptor::Immediate(descriptor & !0xff | 99);
                    }
                    Message::Lsc(lsc) if matches!(lsc.address()?, LscAddress::Bti { .. }) => {
                        let extended = send.exdesc.immediate()?;
                        let other = extended & 0x00ff_ffff | 99 << 24;
                        send.exdesc = isa_encoder::Descriptor::Immediate(other);
                    }
                    _ => return None,
                }
                Some(changed)
            }
            Kind::Response | Kind::Payload => {
                let message = self.message(original)?;
                let judged = matches!(
                    message,
                    Message::Hdc(
                        Hdc::Untyped { .. }
                            | Hdc::Byte { .. }
                            | Hdc::OwordBlock { .. }
                            | Hdc::Scattered { .. }
                    ) | Message::Lsc(Lsc::Vector { .. } | Lsc::Quad { .. })
                );
                let Specific::Send(send) = &mut changed.specific else {
                    return None;
                };
                if kind == Kind::Response && send.dst_len() == Some(0) {
                    return None;
                }
                let mut descriptor = send.desc.immediate()?;
                let mut lengths = Lengths::decode(descriptor);
                match kind {
                    Kind::Response => lengths.response += 1,
                    _ => lengths.message += 1,
                }
                lengths.encode(&mut descriptor).ok()?;
                send.desc = isa_encoder::Descriptor::Immediate(descriptor);
                judged.then_some(changed)
            }
            Kind::Source => {
                let free = self.free?;
                let computes = matches!(
                    original.opcode.semantics(),
                    Semantics::Integer(_) | Semantics::Float(_) | Semantics::Number(_)
                );
                let Src::Direct { reg, .. } = &mut changed.src[0] else {
                    return None;
                };
                let general = reg.file == RegFile::Grf && !is_null_move(original);
                reg.number = free;
                (computes && general && original.src[0] != original.src[1]).then_some(changed)
            }
            Kind::Writer => {
                let Dst::Direct { reg, .. } = original.dst else {
                    return None;
                };
                let computes = matches!(
                    original.opcode.semantics(),
                    Semantics::Integer(_) | Semantics::Float(_) | Semantics::Number(_)
                );
                drop(reg.file == RegFile::Grf && computes && self.alone(index, reg.number))
            }
            Kind::Region => {
                let Src::Direct { reg, region, .. } = &mut changed.src[0] else {
                    return None;
                };
                let binary = matches!(
                    original.opcode,
                    Opcode::Add
                        | Opcode::Mul
                        | Opcode::Mov
                        | Opcode::Shl
                        | Opcode::And
                        | Opcode::Cmp
                );
                let general = reg.file == RegFile::Grf && !region.is_scalar();
                // The only row is as long as the instruction, and not followed by the next.
                *region = Region::new(1, original.exec_size, 1);
                let whole = matches!(original.exec_size, 8 | 16);
                (binary && general && whole).then_some(changed)
            }
            Kind::Type => {
                let Src::Direct { reg, ty, .. } = &mut changed.src[0] else {
                    return None;
                };
                let integers = matches!(*ty, Type::D | Type::Ud) && reg.file == RegFile::Grf;
                *ty = Type::F;
                let two = matches!(
                    original.src[1],
                    Src::Direct {
                        ty: Type::D | Type::Ud,
                        ..
                    }
                );
                let one = matches!(
                    original.opcode,
                    Opcode::And | Opcode::Or | Opcode::Shl | Opcode::Shr
                );
                let adds = matches!(original.opcode, Opcode::Add | Opcode::Mul) && two;
                (integers && (one || adds)).then_some(changed)
            }
            Kind::Offset => {
                let used = self.addresses(index, original);
                let number = original.opcode.semantics();
                let (at, value) = match (number, original.src[0], original.src[1]) {
                    (Semantics::Integer(Integer::ShiftLeft), _, Src::Immediate { .. }) => (1, 21),
                    (Semantics::Number(Number::Add), _, Src::Immediate { .. }) => (1, 0x0400_0000),
                    (Semantics::Number(Number::Move), Src::Immediate { .. }, _) => (0, 0x0400_0000),
                    _ => return None,
                };
                let Src::Immediate { value: old, ty } = &mut changed.src[at] else {
                    return None;
                };
                let fits = ty.bits() == 32 || value < 0x100;
                *old = value;
                (used && fits).then_some(changed)
            }
            Kind::Alignment => {
                let blocks = self.addresses_of(index, original, |text, send| {
                    matches!(
                        text.message(send),
                        Some(
                            Message::Hdc(
                                Hdc::Untyped { .. }
                                    | Hdc::OwordBlock {
                                        alignment: isa_encoder::message::BlockAlignment::Dword,
                                        ..
                                    }
                                    | Hdc::OwordBlock {
                                        address: HdcAddress::A64 { .. },
                                        ..
                                    }
                            ) | Message::Lsc(Lsc::Vector {
                                transpose: true,
                                ..
                            })
                        )
                    )
                });
                let Src::Immediate { value, .. } = &mut changed.src[1] else {
                    return None;
                };
                match original.opcode.semantics() {
                    Semantics::Integer(Integer::ShiftLeft) if (2..8).contains(value) => *value = 1,
                    Semantics::Number(Number::Add) => *value = value.checked_add(1)?,
                    _ => return None,
                }
                blocks.then_some(changed)
            }
            Kind::Mask => {
                let message = self.message(original)?;
                let per_channel = matches!(
                    message,
                    Message::Hdc(Hdc::Untyped { .. } | Hdc::Byte { .. } | Hdc::Scattered { .. })
                        | Message::Lsc(
                            Lsc::Vector {
                                transpose: false,
                                ..
                            } | Lsc::Quad { .. }
                        )
                );
                changed.no_mask = true;
                changed.predicate = None;
                (per_channel && !original.no_mask).then_some(changed)
            }
        }
    }

    /// Whether the result is the address of a message behind it.
    fn addresses(&self, index: usize, original: &Instruction) -> bool {
        self.addresses_of(index, original, |text, send| {
            matches!(text.message(send), Some(Message::Hdc(_) | Message::Lsc(_)))
                && !text.is_fence(send)
        })
    }

    fn addresses_of(
        &self,
        index: usize,
        original: &Instruction,
        is_one: impl Fn(&Self, &Instruction) -> bool,
    ) -> bool {
        let Dst::Direct { reg: written, .. } = original.dst else {
            return false;
        };
        if written.file != RegFile::Grf {
            return false;
        }
        for (_, later) in self.instructions.iter().skip(index + 1).take(24) {
            if let Src::Direct { reg, .. } = later.src[0]
                && later.opcode.is_send()
                && reg.number == written.number
                && is_one(self, later)
            {
                return true;
            }
            let again = matches!(later.dst, Dst::Direct { reg, .. } if reg == written);
            if again || later.opcode.is_branch() {
                return false;
            }
        }
        false
    }
}

/// `mov null r`, which waits for a register.
fn is_null_move(instruction: &Instruction) -> bool {
    let null = matches!(instruction.dst, Dst::Direct { reg, .. } if reg.is_null());
    null && instruction.opcode == Opcode::Mov
}
