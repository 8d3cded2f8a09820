//! Send messages: what the descriptors of a send instruction mean, as values.
//!
//! A send names a shared function and carries a 32-bit descriptor and an extended descriptor.
//! [`Message::decode`] turns them into a typed value, [`Message::encode`] does the reverse.
//! Sources: the "Data Port Messages" and "Sampler" chapters of the Skylake and Tiger Lake PRMs
//! (volume 7, "Message Descriptors"), IGA's message decoders and Mesa's `brw_eu.h`.
//!
//! The lengths that all descriptors share are in [`Lengths`].
//!
//! | shared function | messages | families |
//! |---|---|---|
//! | `dc0` | [`Hdc::OwordBlock`], [`Hdc::ScratchBlock`], [`Hdc::Byte`], [`Hdc::Scattered`], [`Hdc::Fence`] | Gen8 to XeHPC |
//! | | [`Hdc::OwordDualBlock`] | Gen8 to Gen11 |
//! | | [`Hdc::HwordBlock`] of a surface | XeHPG, XeHPC |
//! | `dc1` | [`Hdc::Untyped`], [`Hdc::Typed`], [`Hdc::TypedStatus`], [`Hdc::Atomic`], [`Hdc::TypedAtomic`], [`Hdc::CounterAtomic`], [`Hdc::MediaBlock`] | Gen8 to XeHPC |
//! | | with 64-bit addresses [`Hdc::OwordBlock`], [`Hdc::HwordBlock`], [`Hdc::Byte`], [`Hdc::ByteStatus`], [`Hdc::Scattered`], [`Hdc::Untyped`], [`Hdc::Atomic`] | Gen8 to XeHPC |
//! | `dc2` | [`Hdc::ScaledUntyped`], [`Hdc::ScaledByte`] | Gen9 to Gen11 |
//! | `dcro` | [`Hdc::OwordBlock`] and [`Hdc::Scattered`], read only | Gen8 to XeHPC |
//! | | [`Hdc::OwordDualBlock`], read only | Gen8 to Gen11 |
//! | | [`Hdc::UncompressedWrite`], [`Hdc::TypedUncompressedWrite`], [`Hdc::SectorControl`], [`Hdc::TypedSectorControl`], [`Hdc::PageControl`] | XeHPG, XeHPC |
//! | `ugm`, `ugml`, `slm` | [`Lsc::Vector`], [`Lsc::Quad`], [`Lsc::Atomic`], [`Lsc::Fence`], [`Lsc::ReadState`], [`Lsc::LoadStatus`], [`Lsc::StoreUncompressed`], [`Lsc::StoreUncompressedQuad`], [`Lsc::Compression`] | XeHPG and later |
//! | `ugm`, `ugml` | [`Lsc::Block2d`] | XeHPC and later |
//! | `tgm` | [`Lsc::Quad`], [`Lsc::Atomic`], [`Lsc::Fence`], [`Lsc::ReadState`], [`Lsc::LoadStatus`], [`Lsc::StoreUncompressedQuad`], [`Lsc::Compression`] | XeHPG and later |
//! | | [`Lsc::Block2d`] | Xe2 and later |
//! | all of these | [`Lsc::AppendCounter`] | Xe2 and later |
//! | `urb` | as `ugm`, flat, without blocks | Xe2 and later |
//! | `smpl` | [`Sampler`], see [`SamplerOp`] | all |
//! | `gtwy` | [`Gateway`] | all |
//! | `ts` | [`Message::EndOfThread`] | Gen8 to Gen12LP |
//! | `rc` | [`RenderTarget`] | all |
//! | `urb` | [`Urb`] | Gen8 to XeHPC |
//! | `rta`, `btd` | [`RayTracing`] | XeHPG and later |
//!
//! The messages of video motion estimation, of the check and refinement engine and of the pixel
//! interpolator have no value here: their descriptors stay numbers, and [`Message::decode`] says
//! so. The same holds for messages of data port 2 that no public source describes, and for the
//! thread spawner's own. A send of any of them still assembles and disassembles. Xe2 still numbers
//! the classic data ports but has none of their messages: they decode as on XeHPC, and are never
//! encoded.
//!
//! A message's layout is declared once, below the message: the decoder, the encoder and the printer
//! are generated from it. The decoder accepts what has a meaning, the encoder what a family has: it
//! refuses the combinations in [`MESSAGE_RULES`]. The tests compare each decoded descriptor with
//! what iga64 says of it; they also hold the list of disagreements, with reasons.

mod atomic;
mod gateway;
mod hdc;
mod layout;
mod lsc;
mod pipeline;
mod raytracing;
mod rules;
mod sampler;
mod sfid;

pub use atomic::AtomicOp;
pub use gateway::Gateway;
pub use hdc::{
    BlockAlignment, BlockPort, CompressionControl, Direction, Hdc, HdcAddress, HdcSurface,
    OwordCount, SlotGroup,
};
pub use lsc::{
    AddressSize, AppendOp, Block2d, CacheControl, CachePolicy, CompressionOp, DataSize, FenceScope,
    FlushOp, Lsc, LscAddress, LscPort,
};
pub(crate) use lsc::{Elements, Operands, Operation};
pub use pipeline::{RenderMode, RenderOutputs, RenderTarget, Urb};
pub use raytracing::RayTracing;
pub use rules::{MESSAGE_RULES, MessageRule};
pub(crate) use sfid::table as sfid_table;

pub use sampler::{Parameter, Sampler, SamplerOp};

use core::fmt;

use devinfo::{Family, span};
use gateway::ThreadSpawner;
use layout::{Field, Words};

use crate::Sfid;
use crate::model::{Descriptor, Send};

/// Why descriptors form no message, or why a message has no descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptorError {
    /// The family has no shared function of this number.
    #[error("{family} has no shared function {id:#x}")]
    UnknownSfid {
        /// The shared function id.
        id: u8,
        /// The family.
        family: Family,
    },
    /// A field holds a value that the family does not define.
    #[error("{function} descriptor {descriptor:#010x}: {field} {value:#x} is not defined")]
    Field {
        /// The shared function.
        function: Sfid,
        /// The field.
        field: &'static str,
        /// Its value.
        value: u32,
        /// The descriptor.
        descriptor: u32,
    },
    /// The message has a number, but no public source describes the rest of its descriptor.
    #[error("{what} (descriptor {descriptor:#010x}): no public source describes its fields")]
    Undescribed {
        /// What it is.
        what: &'static str,
        /// The descriptor.
        descriptor: u32,
    },
    /// A value is too large for its field.
    #[error("{field} {value:#x} exceeds {limit:#x}")]
    Range {
        /// The field.
        field: &'static str,
        /// The value.
        value: u32,
        /// The largest value that fits.
        limit: u32,
    },
    /// No code of a field stands for the value that the message has.
    #[error("{family} has no such {field}")]
    Value {
        /// The field.
        field: &'static str,
        /// The family.
        family: Family,
    },
    /// The family cannot express the message.
    #[error("{family} has no {what}")]
    Unsupported {
        /// What is not supported.
        what: &'static str,
        /// The family.
        family: Family,
    },
    /// The fields are in range, but the family does not have their combination.
    #[error("{family} has no such message: {text} (rule `{rule}`)")]
    Rule {
        /// The name of the [`MessageRule`].
        rule: &'static str,
        /// The restriction.
        text: &'static str,
        /// The family.
        family: Family,
    },
}

const RESPONSE_LENGTH: Field = Field::new("response length", 24, 20);
const MESSAGE_LENGTH: Field = Field::new("message length", 28, 25);
const HEADER_PRESENT: Field = Field::bit("header present", 19);

/// The lengths in every descriptor, in general registers.
///
/// Source: TGL PRM vol 2d, "Message Descriptor - Render Engine" (bits 28:25, 24:20, 19).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lengths {
    /// Registers of the first source, 0 to 15.
    pub message: u8,
    /// Registers written back, 0 to 31.
    pub response: u8,
    /// Whether the payload begins with a header (not a field of LSC messages).
    pub header: bool,
}

impl Lengths {
    /// The lengths in `descriptor`.
    pub const fn decode(descriptor: u32) -> Self {
        Self {
            message: MESSAGE_LENGTH.of(descriptor) as u8,
            response: RESPONSE_LENGTH.of(descriptor) as u8,
            header: HEADER_PRESENT.of(descriptor) != 0,
        }
    }

    /// Puts the lengths into `descriptor`.
    ///
    /// # Errors
    /// [`DescriptorError::Range`] when a length does not fit.
    pub fn encode(self, descriptor: &mut u32) -> Result<(), DescriptorError> {
        MESSAGE_LENGTH.set(descriptor, self.message.into())?;
        RESPONSE_LENGTH.set(descriptor, self.response.into())?;
        HEADER_PRESENT.set(descriptor, self.header.into())
    }
}

/// The two descriptors of a send.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Descriptors {
    /// The message descriptor, without lengths when it was made by [`Message::encode`].
    pub descriptor: u32,
    /// The extended descriptor, without the shared function and the length of the second source.
    pub extended: u32,
    /// Bit ExBSO: `extended` holds a 26-bit surface offset (XeHPG and later).
    pub extended_bindless_offset: bool,
    /// The bits beside an extended descriptor that is in a register: they then hold immediate
    /// offsets (Xe2). `None` if the extended descriptor is immediate.
    pub extended_offset: Option<u32>,
}

impl Descriptors {
    /// The descriptors of a send; `None` if the message descriptor is in a register. An extended
    /// descriptor in a register counts as zero.
    pub fn of(send: &Send) -> Option<Self> {
        Some(Self {
            descriptor: send.desc.immediate()?,
            extended: send.exdesc.immediate().unwrap_or(0),
            extended_bindless_offset: send.ex_bso,
            extended_offset: match send.exdesc {
                Descriptor::Register { .. } => Some(send.exdesc_offset),
                Descriptor::Immediate(_) => None,
            },
        })
    }
}

/// One message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Message {
    /// Data cache messages of the classic data port.
    Hdc(Hdc),
    /// Load/store messages of XeHPG and later.
    Lsc(Lsc),
    /// Sampler messages.
    Sampler(Sampler),
    /// Gateway messages.
    Gateway(Gateway),
    /// Render target messages.
    RenderTarget(RenderTarget),
    /// Messages to the unified return buffer, before Xe2.
    Urb(Urb),
    /// Messages of ray tracing.
    RayTracing(RayTracing),
    /// End of thread at the thread spawner (before XeHPG).
    EndOfThread,
}

impl Message {
    /// The message that `descriptors` mean to `function`.
    ///
    /// # Errors
    /// [`DescriptorError::Field`] names the field that the family does not define, or the
    /// function when none of its messages are known.
    pub fn decode(
        family: Family,
        function: Sfid,
        descriptors: Descriptors,
    ) -> Result<Self, DescriptorError> {
        let words = Words::new(family, function, descriptors);
        let undefined = |field: Field| words.undefined(field.name, field.code(&words));
        macro_rules! of {
            ($message:ident, $kind:expr) => {
                $message::decode(&words)
                    .map(Self::$message)
                    .map_err(|miss| miss.unwrap_or_else(|| undefined($kind)))
            };
        }
        match function {
            Sfid::DataPort0 | Sfid::DataPort1 | Sfid::DataPort2 | Sfid::ConstantCache => {
                hdc::decode(&words).map(Self::Hdc)
            }
            Sfid::Ugm | Sfid::Ugml | Sfid::Tgm | Sfid::Slm => of!(Lsc, lsc::OPCODE),
            Sfid::Urb if is_load_store(family, function) => of!(Lsc, lsc::OPCODE),
            Sfid::Urb => of!(Urb, pipeline::URB_OPCODE),
            Sfid::RenderCache => of!(RenderTarget, pipeline::TYPE),
            Sfid::RayTracing | Sfid::BindlessThreadDispatch => of!(RayTracing, raytracing::TYPE),
            Sfid::Sampler => of!(Sampler, sampler::TYPE),
            Sfid::Gateway => of!(Gateway, gateway::OPCODE),
            Sfid::ThreadSpawner => ThreadSpawner::decode(&words)
                .map(|_| Self::EndOfThread)
                .map_err(|miss| miss.unwrap_or_else(|| undefined(gateway::TS_OPCODE))),
            Sfid::Null
            | Sfid::VideoMotionEstimation
            | Sfid::PixelInterpolator
            | Sfid::CheckRefinement => Err(undefined(Field::new("message", 18, 0))),
        }
    }

    /// The shared function and the descriptors (lengths zero: see [`Lengths::encode`]) that
    /// express this message.
    ///
    /// # Errors
    /// [`DescriptorError::Rule`] and [`DescriptorError::Unsupported`] when the family does not have
    /// the message, [`DescriptorError::Value`] and [`DescriptorError::Range`] when a value does not
    /// fit its field.
    pub fn encode(self, family: Family) -> Result<(Sfid, Descriptors), DescriptorError> {
        self.check_rules(family)?;
        let words = match self {
            Self::Hdc(message) => message.encode(family),
            Self::Lsc(message) => message.encode(family),
            Self::Sampler(message) => message.encode(family),
            Self::Gateway(message) => message.encode(family),
            Self::RenderTarget(message) => message.encode(family),
            Self::Urb(message) => message.encode(family),
            Self::RayTracing(message) => message.encode(family),
            Self::EndOfThread => ThreadSpawner::EndOfThread.encode(family),
        }?;
        Ok((words.function, words.descriptors))
    }

    /// Whether `family` has this message.
    ///
    /// # Errors
    /// As [`Message::encode`].
    pub fn validate(&self, family: Family) -> Result<(), DescriptorError> {
        self.encode(family).map(|_| ())
    }
}

/// Whether the messages to `function` are load/store ones, which have no header.
pub(crate) const fn is_load_store(family: Family, function: Sfid) -> bool {
    match function {
        Sfid::Ugm | Sfid::Ugml | Sfid::Tgm | Sfid::Slm => true,
        Sfid::Urb => span!(Xe2..).contains(family),
        _ => false,
    }
}

/// Enabled components in letters.
pub(crate) struct Mask(pub u8);

impl fmt::Display for Mask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let letters = ["x", "y", "z", "w"].into_iter().enumerate();
        for (_, letter) in letters.filter(|(bit, _)| self.0 >> bit & 1 != 0) {
            f.write_str(letter)?;
        }
        Ok(())
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Hdc(message) => message.fmt(f),
            Self::Lsc(message) => message.fmt(f),
            Self::Sampler(message) => message.fmt(f),
            Self::Gateway(message) => message.fmt(f),
            Self::RenderTarget(message) => message.fmt(f),
            Self::Urb(message) => message.fmt(f),
            Self::RayTracing(message) => message.fmt(f),
            Self::EndOfThread => f.write_str("end of thread"),
        }
    }
}
