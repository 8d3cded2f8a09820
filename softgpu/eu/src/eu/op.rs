//! The lowered form of an instruction.

use core::ops::Range;

use isa_encoder::message::{Gateway, Message as Meaning};
use isa_encoder::semantics::Flow;
use isa_encoder::swsb::{Order, Tokens};
use isa_encoder::{CondMod, MathFunction, Opcode, Semantics, Specific};

use super::operand::{Dest, LANES, Source};
use super::ops::softfloat::Format;
use super::regs::GRF_BASE;
use super::vector::Fast;
use crate::sf::{Plain, Registers, Texels};

/// The predicate of an op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pred {
    /// None.
    Always,
    /// A channel's own flag bit.
    Own,
    /// The bits of f0 and f1.
    AnyV,
    /// The bits of f0 and f1.
    AllV,
    /// Any bit of each aligned group of this many channels.
    Any(u8),
    /// All bits of each aligned group of this many channels.
    All(u8),
}

/// The class in which the operation computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    /// Integers, exactly; this many bits in the widest source.
    Int(u32),
    /// Floats of a format.
    Float(Format),
}

/// A branch's targets, in bytes from the instruction base.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Targets {
    /// `None` when it comes from source 0.
    pub jip: Option<u32>,
    pub uip: u32,
    /// `.b`.
    pub control: bool,
}

/// A send, lowered.
#[derive(Clone, Copy, Debug)]
pub(super) struct SendOp {
    /// The shared function's number, unless it is in a register.
    pub sfid: Option<u8>,
    pub descriptor: Immediate,
    pub extended: Immediate,
    pub registers: SendRegisters,
    /// The same with their lengths, where the descriptors are in the instruction and the
    /// registers exist.
    pub spans: Option<Spans>,
    /// The bits that accompany an extended descriptor in a register.
    pub extended_offset: Option<u32>,
    /// The extended descriptor is a bindless surface offset.
    pub ex_bso: bool,
    pub eot: bool,
    /// The message of the descriptors, if they are in the instruction and valid.
    pub meaning: Option<Meaning>,
    /// The same of an extended descriptor in a register, where that is nothing but a surface's offset, and
    /// is taken for 0.
    pub named: Option<(Meaning, Spans)>,
    /// The same, prepared, if it is a plain gather or scatter.
    pub plain: Option<Plain>,
    /// The same, prepared, if it accesses texels in a usual way.
    pub texels: Option<Texels>,
}

impl SendOp {
    /// What the message is, if the text says so, but maybe for its surface.
    pub fn known_meaning(&self) -> Option<&Meaning> {
        let named = self.named.as_ref().map(|(meaning, _)| meaning);
        self.meaning.as_ref().or(named)
    }

    /// Whether it may be that the message signals a barrier.
    pub fn may_signal(&self) -> bool {
        let other = |meaning: &Meaning| !matches!(meaning, Meaning::Gateway(Gateway::Barrier));
        !self.eot && !self.known_meaning().is_some_and(other)
    }

    /// Its registers; the same.
    pub fn known_spans(&self) -> Option<Spans> {
        self.spans.or(self.named.map(|(_, spans)| spans))
    }
}

/// The registers that a send names.
#[derive(Clone, Copy, Debug)]
pub(super) struct SendRegisters {
    /// Register file offset of the payloads and the response; `None` for null.
    pub src0: Option<u32>,
    pub src1: Option<u32>,
    pub dst: Option<u32>,
    /// Register file offset of the bytes that name the payload's registers, one each, instead of
    /// source 0.
    pub gathered: Option<u32>,
    /// Length of source 1 in registers, if the instruction has it.
    pub src1_len: Option<u8>,
}

/// Bytes of the register file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Span {
    pub start: u32,
    pub end: u32,
}

impl Spans {
    /// The same with lengths.
    pub fn sized(&self) -> Registers {
        let sized = |span: Span| (span.start, span.end - span.start);
        Registers {
            src0: sized(self.src0),
            src1: sized(self.src1),
            dst: sized(self.dst),
        }
    }
}

impl Span {
    #[inline(always)]
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The registers of `grf` bytes that it has whole.
    pub fn whole(self, grf: usize) -> Self {
        let base = GRF_BASE as u32;
        let grf = grf as u32;
        let from = |at: u32| at.saturating_sub(base);
        let start = base + from(self.start).next_multiple_of(grf);
        let end = base + from(self.end) / grf * grf;
        match start < end && self.start >= base {
            true => Self { start, end },
            false => Self::default(),
        }
    }

    pub fn overlaps(self, other: Self) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// The registers that a send uses, whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spans {
    pub src0: Span,
    pub src1: Span,
    pub dst: Span,
}

/// A dword in the instruction or in a register.
#[derive(Clone, Copy, Debug)]
pub(super) enum Immediate {
    Value(u32),
    /// Offset in the register file.
    Register(u32),
}

/// How an op is executed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    /// By a vector routine.
    Fast(Fast),
    /// Channel by channel.
    General,
    /// Changes channel enables or the instruction pointer.
    Flow,
    /// Sends a message.
    Send(SendOp),
    /// With data of both threads of a pair.
    Paired,
    /// Waits for the barrier.
    Barrier,
    /// Does nothing.
    Nop,
}

/// A lowered instruction.
#[derive(Clone, Debug)]
pub(super) struct Op {
    pub action: Action,
    pub opcode: Opcode,
    /// What it does.
    pub does: Semantics,
    /// Where it is, and where the next one is, in bytes from the instruction base.
    pub ip: u32,
    pub next_ip: u32,
    /// Channels.
    pub exec_size: u8,
    /// The first of them.
    pub channel_offset: u8,
    pub no_mask: bool,
    pub pred: Pred,
    pub pred_inverse: bool,
    /// The first bit of the flag in the 128 flag bits.
    pub flag_bit: u8,
    pub cond: Option<CondMod>,
    pub saturate: bool,
    /// The result also goes to the accumulator.
    pub write_acc: bool,
    /// A source is a register that changes by itself (ip, ce, tm).
    pub live: bool,
    /// The destination is cr0.
    pub writes_control: bool,
    pub class: Class,
    pub dst: Dest,
    pub src: [Source; 3],
    pub specific: Specific,
    pub targets: Targets,
    /// What it does for the scoreboard.
    pub tokens: Tokens,
    /// What it is to in-order pipes, where software orders accesses.
    pub order: Option<Box<Order>>,
}

impl Op {
    /// One bit for each channel.
    pub const fn size_mask(&self) -> u32 {
        u32::MAX >> (32 - self.exec_size as u32)
    }

    /// The bytes of its results, counted from the destination's first: those of all channels, and
    /// those of a second result. Registers are `grf_bytes` long.
    pub fn results(&self, grf_bytes: usize) -> [Range<usize>; 2] {
        let (lanes, size) = (self.lanes(), self.dst.ty.bytes() as usize);
        let strided = lanes * usize::from(self.dst.stride);
        match (self.does, self.specific) {
            // A row of channels for each repetition.
            (Semantics::Systolic { .. }, Specific::Dpas(dpas)) => {
                [0..usize::from(dpas.repeat) * lanes * size, 0..0]
            }
            // Remainders follow the quotients.
            (Semantics::Math, Specific::Math(MathFunction::Idiv)) => {
                let second = strided.next_multiple_of(grf_bytes);
                [0..strided, second..second + strided]
            }
            // Where it returns to, and the channels that do.
            (Semantics::Flow(Flow::Call { .. }), _) => [0..2 * size.max(4), 0..0],
            _ => [0..strided - usize::from(self.dst.stride) + size, 0..0],
        }
    }

    /// The channels, as a loop bound.
    pub fn lanes(&self) -> usize {
        usize::from(self.exec_size).min(LANES)
    }
}
