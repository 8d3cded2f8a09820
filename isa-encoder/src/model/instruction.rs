//! The instruction itself.

use super::{Dst, MathFunction, Opcode, Send, Src, Swsb, SyncFunction, Type};

bitflags::bitflags! {
    /// Instruction options, `{…}` in text.
    ///
    /// A table of the family lists the options of each instruction; any other is an
    /// [`EncodeError`](crate::EncodeError).
    ///
    /// Source: BDW to TGL PRM, volume 7, "Instruction Fields" (`AccWrCtrl`, `DepCtrl`,
    /// `ThreadCtrl`, `DebugCtrl`, `CmptCtrl`); IGA `IR/InstOpts`.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub struct Options: u16 {
        /// `AccWrEn`: the result is also written to the accumulator.
        const ACC_WR_EN = 1 << 0;
        /// `Atomic`: no instruction of another thread runs between this one and the next.
        const ATOMIC = 1 << 1;
        /// `Breakpoint`: debug control.
        const BREAKPOINT = 1 << 2;
        /// `Compacted`: the 8-byte form.
        const COMPACTED = 1 << 3;
        /// `NoDDChk`: destination dependency not checked (to Gen11).
        const NO_DD_CHK = 1 << 4;
        /// `NoDDClr`: destination dependency not cleared (to Gen11).
        const NO_DD_CLR = 1 << 5;
        /// `NoPreempt`: no preemption here (Gen11).
        const NO_PREEMPT = 1 << 6;
        /// `NoSrcDepSet`: a send sets no source dependency (Gen9 to Gen11).
        const NO_SRC_DEP_SET = 1 << 7;
        /// `Switch`: the thread yields (to Gen11).
        const SWITCH = 1 << 8;
        /// `Serialize`: the halves of a fused pair of EUs send one after the other (sends of
        /// Gen12LP and XeHPG; "FusionCtrl" in IGA's encoder).
        const SERIALIZE = 1 << 9;
        /// `NoCompact`: the assembler keeps the 16-byte form.
        const NO_COMPACT = 1 << 10;
    }
}

/// A flag sub-register: 16 flag bits.
///
/// Source: BDW to TGL PRM, volume 7, "Flag Register"; IGA's register tables for later families.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flag {
    /// `f0`, `f1` (`f2`, `f3` from XeHPC on).
    pub register: u8,
    /// The 16-bit half.
    pub subregister: u8,
}

/// How flag bits form a channel's predicate.
///
/// Source: BDW to TGL PRM, volume 7, "Predication: PredCtrl"; IGA `PredCtrl` for later families.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PredControl {
    /// Each channel's own bit.
    Sequential,
    /// The bit of f0 or of f1 (`anyv`, before XeHPC).
    AnyV,
    /// The bits of f0 and of f1 (`allv`, before XeHPC).
    AllV,
    /// Any bit of each aligned group of this many channels (`any2h` … `any32h`).
    AnyH(u8),
    /// All bits of each aligned group of this many channels (`all2h` … `all32h`).
    AllH(u8),
    /// Any bit of all channels (`any`, XeHPC on).
    Any,
    /// All bits of all channels (`all`, XeHPC on).
    All,
}

impl PredControl {
    /// Whether align16 mode has it and text can express it. There the codes of the other groups
    /// replicate one channel's bit, or are reserved.
    ///
    /// Source: BDW and SKL PRM vol 7, "PredCtrl" in align16 mode; GED's `GED_PRED_CTRL`.
    pub(crate) const fn is_of_align16(self) -> bool {
        matches!(self, Self::Sequential | Self::AnyH(4) | Self::AllH(4))
    }
}

/// A predicate; its flag is [`Instruction::flag`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// How the bits are combined.
    pub control: PredControl,
    /// `~`: the result is inverted.
    pub inverse: bool,
}

/// A condition modifier: the test of each channel's result (for `cmp`, of the difference of its
/// sources), whose outcome goes into the flag; in `sel` and `csel` it selects.
///
/// The discriminant is the encoding. Source: BDW to TGL PRM, volume 7, "Condition Modifier".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CondMod {
    /// `eq`: zero.
    Eq = 1,
    /// `ne`: not zero.
    Ne = 2,
    /// `gt`: greater.
    Gt = 3,
    /// `ge`: greater or equal.
    Ge = 4,
    /// `lt`: less.
    Lt = 5,
    /// `le`: less or equal.
    Le = 6,
    /// `ov`: overflow.
    Ov = 8,
    /// `un`: unordered (NaN).
    Un = 9,
    /// `eo`: early out of the math macros. Not encoded: `math.invm` and `math.rsqtm` imply it.
    Eo = 0xff,
}

/// The targets of a branch, in bytes from the start of the branch itself, in every family.
///
/// Execution goes to JIP when no channel is left to continue; channels that leave wait at UIP. Each
/// branch's [`Opcode`] describes what it does with them. Up to Gen11 the encoding of `jmpi`, `call`
/// and others counts from the next instruction: the encoder handles that.
///
/// Source: BDW to TGL PRM, volume 7, "Branching"; volume 2a, "JIP" and "UIP".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Branch {
    /// Jump instruction pointer; `None` when the target is in source 0, a register.
    pub jip: Option<i32>,
    /// Update instruction pointer.
    pub uip: Option<i32>,
    /// `.b`: branch control.
    pub control: bool,
}

/// The shape of a `dpas`.
///
/// Each channel gets one result per repetition. Source 1 has `depth` registers of packed elements,
/// separate for each channel; source 2 has as many elements for each repetition, shared by all
/// channels.
///
/// Source: IGA `GED/Encoder.cpp` (Systolic Control); IGC vISA documentation, "DPAS".
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dpas {
    /// Systolic depth: 1, 2, 4 or 8; hardware runs only 8.
    pub depth: u8,
    /// Repeat count: 1 to 8.
    pub repeat: u8,
}

/// The part that only some opcodes have, depending on their [`Format`](super::Format).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Specific {
    /// Nothing.
    None,
    /// `math`.
    Math(MathFunction),
    /// `sync`.
    Sync(SyncFunction),
    /// Branches.
    Branch(Branch),
    /// Sends.
    Send(Send),
    /// `dpas`, `dpasw`.
    Dpas(Dpas),
    /// `bfn`: the truth table. Bit `4*s2 + 2*s1 + s0` is the result for those source bits.
    Bfn(u8),
}

/// A decoded instruction: plain data. [`encode`](crate::encode) turns it into bytes,
/// [`decode`](crate::decode) does the reverse.
///
/// Only `encode` reports what does not fit the opcode or the family. [`validate`](crate::validate)
/// finds what has an encoding but is forbidden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The opcode.
    pub opcode: Opcode,
    /// Channels: 1, 2, 4, 8, 16 or 32.
    pub exec_size: u8,
    /// The channel of the thread that is channel 0 of this instruction: 0, 4 … 28.
    pub channel_offset: u8,
    /// `(W)`: runs regardless of the execution mask.
    pub no_mask: bool,
    /// The predicate.
    pub predicate: Option<Predicate>,
    /// The condition modifier.
    pub cond: Option<CondMod>,
    /// The flag of the predicate and of the condition modifier.
    pub flag: Flag,
    /// Saturates the result.
    pub saturate: bool,
    /// The destination.
    pub dst: Dst,
    /// The sources; those after the last are [`Src::None`].
    pub src: [Src; 3],
    /// What only this opcode has.
    pub specific: Specific,
    /// The software scoreboard annotation.
    pub swsb: Swsb,
    /// Options.
    pub options: Options,
}

impl Instruction {
    /// An instruction without operands and options, at SIMD1 and channel 0.
    pub const fn new(opcode: Opcode) -> Instruction {
        Instruction {
            opcode,
            exec_size: 1,
            channel_offset: 0,
            no_mask: false,
            predicate: None,
            cond: None,
            flag: Flag {
                register: 0,
                subregister: 0,
            },
            saturate: false,
            dst: Dst::None,
            src: [Src::None; 3],
            specific: Specific::None,
            swsb: Swsb::NONE,
            options: Options::empty(),
        }
    }

    /// The send part, for send instructions.
    pub const fn send(&self) -> Option<&Send> {
        match &self.specific {
            Specific::Send(send) => Some(send),
            _ => None,
        }
    }

    /// Whether a send's payload is in the registers named by the bytes of `s0` from source 0 on,
    /// one each; such a send has no source 1.
    ///
    /// Source: IGA `Instruction::isGatherSend`.
    pub const fn gathers(&self) -> bool {
        let [src0, ..] = &self.src;
        matches!(src0, Src::Direct { reg, .. } if reg.is_scalar()) && self.opcode.is_send()
    }

    /// The branch part, for branches.
    pub const fn branch(&self) -> Option<&Branch> {
        match &self.specific {
            Specific::Branch(branch) => Some(branch),
            _ => None,
        }
    }

    /// The type of the operation: the widest source type, with floats before integers of their
    /// size. `None` without typed sources.
    pub fn exec_type(&self) -> Option<Type> {
        self.src
            .iter()
            .filter_map(Src::ty)
            .max_by_key(|ty| (ty.bits(), ty.is_float()))
    }
}
