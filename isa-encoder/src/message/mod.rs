//! Send messages: what the descriptors of a send instruction mean, as values.
//!
//! A send names a shared function and carries a 32-bit descriptor and an extended descriptor.
//! [`Message::decode`] turns them into a typed value, [`Message::encode`] the other way round;
//! both use the same field positions, which have their only home here. Sources: the "Data Port
//! Messages" and "Sampler" chapters of the Skylake and Tiger Lake PRMs (volume 7, "Message
//! Descriptors"), IGA's message decoders and Mesa's `brw_eu.h`.
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
//! | `ugm`, `ugml`, `slm` | [`Lsc::Vector`], [`Lsc::Quad`], [`Lsc::Atomic`], [`Lsc::Fence`], [`Lsc::ReadState`], [`Lsc::LoadStatus`], [`Lsc::StoreUncompressed`], [`Lsc::StoreUncompressedQuad`], [`Lsc::Compression`] | XeHPG to Xe2 |
//! | `ugm`, `ugml` | [`Lsc::Block2d`] | XeHPC, Xe2 |
//! | `tgm` | [`Lsc::Quad`], [`Lsc::Atomic`], [`Lsc::Fence`], [`Lsc::ReadState`], [`Lsc::LoadStatus`], [`Lsc::StoreUncompressedQuad`], [`Lsc::Compression`] | XeHPG to Xe2 |
//! | | [`Lsc::Block2d`] | Xe2 |
//! | all of these | [`Lsc::AppendCounter`] | Xe2 |
//! | `urb` | as `ugm`, flat, without blocks | Xe2 |
//! | `smpl` | [`Sampler`], see [`SamplerOp`] | Gen8 to Xe2 |
//! | `gtwy` | [`Gateway`] | Gen8 to Xe2 |
//! | `ts` | [`Message::EndOfThread`] | Gen8 to Gen12LP |
//! | `rc` | [`RenderTarget`] | Gen8 to Xe2 |
//! | `urb` | [`Urb`] | Gen8 to XeHPC |
//! | `rta`, `btd` | [`RayTracing`] | XeHPG to Xe2 |
//!
//! The messages of video motion estimation, of the check and refinement engine and of the pixel
//! interpolator have no value here: their descriptors stay numbers, and [`Message::decode`] says
//! so. So do those of data port 2 that no public source describes, and the thread spawner's own. A
//! send of them assembles and disassembles all the same. Xe2 still numbers the classic data ports,
//! but has no messages of theirs: they decode as on XeHPC, and are never encoded.
//!
//! The decoder takes what has a meaning, the encoder what a family has: [`MESSAGE_RULES`] are the
//! combinations that it refuses. Each decoded descriptor is compared with what iga64 says of it in
//! the tests, which also hold the list of disagreements with their reasons.

mod atomic;
mod bits;
mod gateway;
mod hdc;
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
pub use pipeline::{RenderMode, RenderOutputs, RenderTarget, Urb};
pub use raytracing::RayTracing;
pub use rules::{MESSAGE_RULES, MessageRule};
pub(crate) use sfid::table as sfid_table;

pub use sampler::{Parameter, Sampler, SamplerOp};

use core::fmt;

use bits::Field;
use devinfo::Family;

use crate::Sfid;
use crate::model::{Descriptor, Send};

/// Why descriptors are no message, or a message has no descriptors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DescriptorError {
    /// The family has no shared function of this number.
    UnknownSfid {
        /// The shared function id.
        id: u8,
        /// The family.
        family: Family,
    },
    /// A field holds a value that the family does not define.
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
    Undescribed {
        /// What it is.
        what: &'static str,
        /// The descriptor.
        descriptor: u32,
    },
    /// A value is too large for its field.
    Range {
        /// The field.
        field: &'static str,
        /// The value.
        value: u32,
        /// The largest value that fits.
        limit: u32,
    },
    /// The family cannot express the message.
    Unsupported {
        /// What is not supported.
        what: &'static str,
        /// The family.
        family: Family,
    },
    /// The fields are in range, but the family does not have their combination.
    Rule {
        /// The name of the [`MessageRule`].
        rule: &'static str,
        /// The restriction.
        text: &'static str,
        /// The family.
        family: Family,
    },
}

impl fmt::Display for DescriptorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownSfid { id, family } => {
                write!(f, "{family} has no shared function {id:#x}")
            }
            Self::Field {
                function,
                field,
                value,
                descriptor,
            } => write!(
                f,
                "{function} descriptor {descriptor:#010x}: {field} {value:#x} is not defined"
            ),
            Self::Undescribed { what, descriptor } => write!(
                f,
                "{what} (descriptor {descriptor:#010x}): no public source describes its fields"
            ),
            Self::Range {
                field,
                value,
                limit,
            } => write!(f, "{field} {value:#x} exceeds {limit:#x}"),
            Self::Unsupported { what, family } => write!(f, "{family} has no {what}"),
            Self::Rule { rule, text, family } => {
                write!(f, "{family} has no such message: {text} (rule `{rule}`)")
            }
        }
    }
}

impl core::error::Error for DescriptorError {}

const RESPONSE_LENGTH: Field = Field::new(24, 20);
const MESSAGE_LENGTH: Field = Field::new(28, 25);
const HEADER_PRESENT: Field = Field::bit(19);

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
            message: MESSAGE_LENGTH.get(descriptor) as u8,
            response: RESPONSE_LENGTH.get(descriptor) as u8,
            header: HEADER_PRESENT.is_set(descriptor),
        }
    }

    /// Puts the lengths into `descriptor`.
    ///
    /// # Errors
    /// [`DescriptorError::Range`] when a length does not fit.
    pub fn encode(self, descriptor: &mut u32) -> Result<(), DescriptorError> {
        MESSAGE_LENGTH.put(descriptor, "message length", self.message.into())?;
        RESPONSE_LENGTH.put(descriptor, "response length", self.response.into())?;
        HEADER_PRESENT.put(descriptor, "header present", self.header.into())
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
    /// The bits beside an extended descriptor that is in a register: immediate offsets are there
    /// then (Xe2). `None` if the extended descriptor is immediate.
    pub extended_offset: Option<u32>,
}

impl Descriptors {
    /// The descriptors of a send; `None` if the message descriptor is in a register. An extended
    /// descriptor that is counts as zero.
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
    /// What `descriptors` ask of `function`.
    ///
    /// # Errors
    /// [`DescriptorError::Field`] names the field that the family does not define, or the
    /// function when none of its messages are known.
    pub fn decode(
        family: Family,
        function: Sfid,
        descriptors: Descriptors,
    ) -> Result<Self, DescriptorError> {
        let descriptor = descriptors.descriptor;
        match function {
            Sfid::DataPort0 | Sfid::DataPort1 | Sfid::DataPort2 | Sfid::ConstantCache => {
                hdc::decode(family, function, descriptors).map(Self::Hdc)
            }
            Sfid::Ugm | Sfid::Ugml | Sfid::Tgm | Sfid::Slm => {
                lsc::decode(family, function, descriptors).map(Self::Lsc)
            }
            Sfid::Urb if family >= Family::Xe2 => {
                lsc::decode(family, function, descriptors).map(Self::Lsc)
            }
            Sfid::Urb => pipeline::decode_urb(family, descriptor).map(Self::Urb),
            Sfid::RenderCache => {
                pipeline::decode_render(family, descriptors).map(Self::RenderTarget)
            }
            Sfid::RayTracing | Sfid::BindlessThreadDispatch => {
                raytracing::decode(family, function, descriptor).map(Self::RayTracing)
            }
            Sfid::Sampler => sampler::decode(family, descriptor).map(Self::Sampler),
            Sfid::Gateway => gateway::decode(family, descriptor).map(Self::Gateway),
            Sfid::ThreadSpawner => gateway::decode_thread_spawner(descriptor),
            other => Err(DescriptorError::Field {
                function: other,
                field: "message",
                value: descriptor & 0x7_ffff,
                descriptor,
            }),
        }
    }

    /// The shared function and the descriptors (lengths zero: see [`Lengths::encode`]) that
    /// express this message.
    ///
    /// # Errors
    /// [`DescriptorError::Rule`] and [`DescriptorError::Unsupported`] when the family does not
    /// have the message, [`DescriptorError::Range`] when a value does not fit its field.
    pub fn encode(self, family: Family) -> Result<(Sfid, Descriptors), DescriptorError> {
        self.validate(family)?;
        let (function, descriptors) = self.descriptors(family)?;
        function.id(family)?;
        // What the family cannot express does not decode to the same message.
        let mut sent = descriptors;
        if let Self::Lsc(
            Lsc::Atomic { returns: true, .. } | Lsc::AppendCounter { returns: true, .. },
        ) = self
        {
            RESPONSE_LENGTH.put(&mut sent.descriptor, "response length", 1)?;
        }
        if Self::decode(family, function, sent)? == self {
            return Ok((function, descriptors));
        }
        Err(DescriptorError::Unsupported {
            what: "such a message",
            family,
        })
    }

    fn descriptors(self, family: Family) -> Result<(Sfid, Descriptors), DescriptorError> {
        match self {
            Self::Hdc(message) => hdc::encode(family, message),
            Self::Lsc(message) => lsc::encode(family, message),
            Self::Sampler(message) => {
                sampler::encode(family, message).map(|descriptor| (Sfid::Sampler, of(descriptor)))
            }
            Self::Gateway(message) => Ok((Sfid::Gateway, of(gateway::encode(family, message)?))),
            Self::RenderTarget(message) => {
                pipeline::encode_render(family, message).map(|out| (Sfid::RenderCache, out))
            }
            Self::Urb(message) => {
                pipeline::encode_urb(message).map(|descriptor| (Sfid::Urb, of(descriptor)))
            }
            Self::RayTracing(message) => {
                raytracing::encode(message).map(|(function, descriptor)| (function, of(descriptor)))
            }
            Self::EndOfThread => Ok((
                Sfid::ThreadSpawner,
                of(gateway::THREAD_SPAWNER_NO_DEREFERENCE),
            )),
        }
    }
}

const fn of(descriptor: u32) -> Descriptors {
    Descriptors {
        descriptor,
        extended: 0,
        extended_bindless_offset: false,
        extended_offset: None,
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
