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

mod any;
mod atomic;
mod descriptors;
mod error;
mod gateway;
mod hdc;
mod layout;
mod lengths;
mod lsc;
mod mask;
mod pipeline;
mod raytracing;
mod rules;
mod sampler;
mod sfid;

pub use any::Message;
pub(crate) use any::is_load_store;
pub use atomic::AtomicOp;
pub use descriptors::Descriptors;
pub use error::DescriptorError;
pub use gateway::Gateway;
pub use hdc::{
    BlockAlignment, BlockPort, CompressionControl, Direction, Hdc, HdcAddress, HdcSurface,
    OwordCount, SlotGroup,
};
pub use lengths::Lengths;
pub use lsc::{
    AddressSize, AppendOp, Block2d, CacheControl, CachePolicy, CompressionOp, DataSize, FenceScope,
    FlushOp, Lsc, LscAddress, LscPort,
};
pub(crate) use lsc::{Elements, Operands, Operation};
pub(crate) use mask::Mask;
pub use pipeline::{RenderMode, RenderOutputs, RenderTarget, Urb};
pub use raytracing::RayTracing;
pub use rules::{MESSAGE_RULES, MessageRule};
pub(crate) use sfid::table as sfid_table;

pub use sampler::{Parameter, Sampler, SamplerOp};
