//! The data caches of the classic data port.

pub(super) mod block;
mod media;
mod scattered;
mod typed;

use batchbuffer::surface::scratch_surfaces;
use eu_native::SCRATCH_BASE;
use isa_encoder::message::{Hdc, HdcAddress, HdcSurface, Lengths};

use super::Message;
use super::execute::not_modelled;
use super::payload::Payload;
use super::place::{Place, UNBOUNDED};
use super::surface::Surface;
use crate::check::{Reach, Side};
use crate::{Fault, GroupEnv};

/// What the parts of the data port share about a message.
#[derive(Clone, Copy)]
struct Context<'a> {
    env: &'a GroupEnv<'a>,
    payload: Payload<'a>,
    /// Live channels.
    mask: u32,
    exec_size: u8,
    /// Bytes of a register.
    grf: usize,
    /// The payload begins with a header register.
    header: bool,
    thread_slot: u32,
}

/// Dwords of message headers (TGL PRM vol 7 "Message Header").
pub(super) mod header {
    /// Block offset, or low half of a 64-bit one at [`ADDRESS_LOW`].
    pub(in crate::sf) const OFFSET: usize = 2;
    pub(in crate::sf) const ADDRESS_LOW: usize = 0;
    pub(super) const ADDRESS_HIGH: usize = 1;
    /// Bits [`SCRATCH_BASE`](eu_native::SCRATCH_BASE): a base that stateless A32 messages with a header add.
    pub(in crate::sf) const STATELESS_BASE: usize = 5;
    /// Bits 15:0: channels that typed and untyped messages may serve.
    pub(super) const CHANNEL_MASK: usize = 7;
}

#[inline(always)]
pub(super) fn execute(meaning: Hdc, message: Message<'_>, env: &GroupEnv<'_>) -> Result<(), Fault> {
    let Message {
        descriptor,
        exec_size,
        mask,
        thread_slot,
        src0,
        src1,
        dst,
        ..
    } = message;
    let context = Context {
        env,
        payload: Payload { src0, src1 },
        mask,
        exec_size,
        grf: env.family.grf_bytes(),
        header: Lengths::decode(descriptor).header,
        thread_slot,
    };
    match meaning {
        Hdc::OwordBlock {
            direction,
            address,
            alignment,
            count,
            port,
            ..
        } => block::oword(&context, dst, direction, (address, alignment), count, port),
        Hdc::HwordBlock {
            direction,
            address,
            hwords,
        } => block::hword(&context, dst, direction, address, hwords),
        Hdc::ScratchBlock {
            direction,
            hwords,
            offset,
            dword_channels,
        } => block::scratch(&context, dst, direction, hwords, offset, dword_channels),
        Hdc::Byte {
            direction,
            address,
            bytes,
            simd,
        } => scattered::byte(&context, dst, direction, address, bytes, simd),
        Hdc::Scattered {
            direction,
            address,
            bytes,
            elements,
            simd,
            ..
        } => scattered::elements(&context, dst, direction, address, (bytes, elements), simd),
        Hdc::Untyped { simd: 2, .. } | Hdc::Atomic { simd: 2, .. } => {
            Err(not_modelled(&meaning.to_string()))
        }
        Hdc::Untyped {
            direction,
            address,
            components,
            simd,
        } => scattered::untyped(&context, dst, direction, address, components, simd),
        Hdc::Atomic {
            address,
            op,
            bytes,
            returns,
            simd,
        } => scattered::atomic(&context, dst, address, (op, bytes), returns, simd),
        Hdc::Fence { slm, .. } => {
            if let Some(checks) = env.checks {
                let sides: &[Side] = match slm {
                    true => &[Side::Local],
                    false => &[Side::Global, Side::Texels],
                };
                for side in sides {
                    checks.fence(*side, Reach::Device);
                }
                checks.drop_caches();
            }
            block::fence(&context, dst)
        }
        Hdc::Typed {
            direction,
            surface,
            components,
            slots,
        } => typed::texels(&context, surface, slots)?.access(dst, direction, components),
        Hdc::TypedAtomic {
            surface,
            op,
            bytes,
            returns,
            slots,
        } => typed::texels(&context, surface, slots)?.atomic(dst, op, bytes, returns),
        Hdc::MediaBlock {
            direction,
            surface,
            line_stride,
        } => media::access(&context, dst, direction, surface, line_stride),
        Hdc::OwordDualBlock { .. }
        | Hdc::ByteStatus { .. }
        | Hdc::ScaledUntyped { .. }
        | Hdc::ScaledByte { .. }
        | Hdc::TypedStatus { .. }
        | Hdc::CounterAtomic { .. }
        | Hdc::UncompressedWrite { .. }
        | Hdc::TypedUncompressedWrite { .. }
        | Hdc::SectorControl { .. }
        | Hdc::TypedSectorControl { .. }
        | Hdc::PageControl { .. } => Err(not_modelled(&meaning.to_string())),
    }
}

impl<'a> Context<'a> {
    /// Where the payload's addresses begin.
    fn addresses_at(&self) -> usize {
        if self.header { self.grf } else { 0 }
    }

    /// Dword `index` of the header.
    fn header_dword(&self, index: usize) -> Result<u32, Fault> {
        self.payload.dword(index * 4)
    }

    /// The header of a message that requires one.
    fn require_header(&self) -> Result<(), Fault> {
        if self.header {
            return Ok(());
        }
        Err(Fault::Invalid {
            why: "a block message without a header".into(),
        })
    }

    /// The surface that a message names, which is neither SLM nor stateless memory.
    #[inline(always)]
    pub(super) fn surface(&self, surface: HdcSurface) -> Result<Surface, Fault> {
        let env = self.env;
        match surface {
            HdcSurface::Bti(index) => env.state.bti(env, index),
            HdcSurface::Bindless(offset) => env
                .state
                .at(env, env.bases.bindless_surface.offset(offset.into())),
            HdcSurface::Slm | HdcSurface::Stateless { .. } => Ok(Surface::NULL),
        }
    }

    /// The thread's scratch space. Header dword 5 has its place in general state memory or, where
    /// scratch is a surface, the offset of the surface's state in 64 bytes.
    fn scratch(&self) -> Result<Place<'a>, Fault> {
        let env = self.env;
        let base = self.header_dword(header::STATELESS_BASE)?;
        if !scratch_surfaces(env.family) {
            return Ok(Place::Memory {
                view: env.memory,
                base: env.bases.general.offset(u64::from(base & SCRATCH_BASE)),
                bytes: UNBOUNDED,
            });
        }
        let state = env.bases.surface.offset(u64::from(base >> 10) * 64);
        let surface = env.state.at(env, state)?;
        Ok(surface.place(env.memory, self.thread_slot))
    }

    /// The memory that the message's addresses are offsets into.
    #[inline(always)]
    fn place(&self, address: HdcAddress) -> Result<Place<'a>, Fault> {
        let env = self.env;
        match address {
            HdcAddress::A64 { .. } => Ok(Place::flat(env.memory)),
            HdcAddress::A32(HdcSurface::Slm) => Ok(Place::Local(env.slm)),
            HdcAddress::A32(HdcSurface::Stateless { .. }) => Ok(Place::Memory {
                view: env.memory,
                base: env.bases.general.offset(if self.header {
                    u64::from(self.header_dword(header::STATELESS_BASE)? & SCRATCH_BASE)
                } else {
                    0
                }),
                bytes: UNBOUNDED,
            }),
            HdcAddress::A32(surface) => {
                Ok(self.surface(surface)?.place(env.memory, self.thread_slot))
            }
        }
    }
}
