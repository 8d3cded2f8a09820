//! The load/store units of XeHPG and later.
//!
//! Sources: IGC's vISA documentation (LSC_UNTYPED, LSC_TYPED), Mesa's `lsc_msg_desc` and payload
//! builders, ATS-M PRM vol 8 "Load Store Cache".

mod block2d;
mod vector;

use isa_encoder::message::{CachePolicy, FenceScope, FlushOp, Lsc, LscAddress, LscPort};

use super::Message;
use super::execute::not_modelled;
use super::payload::{Payload, channels};
use super::place::{Place, UNBOUNDED};
use super::surface::Surface;
use super::typed::Texels;
use crate::check::{Reach, Side};
use crate::{Fault, GroupEnv};

/// What the parts of the unit share about a message.
#[derive(Clone, Copy)]
struct Context<'a> {
    env: &'a GroupEnv<'a>,
    payload: Payload<'a>,
    /// Live channels, below `lanes`.
    live: u32,
    /// Channels that payload and response have room for.
    lanes: usize,
    /// Bytes of a register.
    grf: usize,
    port: LscPort,
    thread_slot: u32,
}

/// Binding table index of stateless memory: general state memory, non-coherent in `0xfd`.
pub(super) const STATELESS: [u8; 2] = [0xff, 0xfd];

#[inline(always)]
pub(super) fn execute(meaning: Lsc, message: Message<'_>, env: &GroupEnv<'_>) -> Result<(), Fault> {
    let Message {
        exec_size,
        mask,
        thread_slot,
        src0,
        src1,
        dst,
        ..
    } = message;
    let grf = env.family.grf_bytes();
    let context = |port| Context {
        env,
        payload: Payload { src0, src1 },
        live: channels(mask, exec_size),
        // A message has at least as many lanes as a register has dwords (Mesa `lsc_msg_addr_len`).
        lanes: usize::from(exec_size).max(grf / 4),
        grf,
        port,
        thread_slot,
    };
    if meaning.port() == LscPort::Urb {
        return Err(not_modelled(&meaning.to_string()));
    }
    if let (Some(checks), Lsc::Vector { cache, .. } | Lsc::Quad { cache, .. }) =
        (env.checks, &meaning)
        && cache.l1 == CachePolicy::Uncached
    {
        checks.set_uncached();
    }
    match meaning {
        Lsc::Vector {
            port,
            direction,
            address,
            address_size,
            data,
            elements,
            transpose,
            strided,
            ..
        } => {
            if strided || port == LscPort::Tgm {
                return Err(not_modelled(&meaning.to_string()));
            }
            let mut vector = vector::Vector {
                context: context(port),
                address,
                address_size,
                data,
            };
            if transpose {
                // One address only.
                vector.context.lanes = 1;
                vector.block(dst, direction, elements)
            } else {
                vector.planes(dst, direction, elements)
            }
        }
        Lsc::Quad {
            port: LscPort::Tgm,
            direction,
            address,
            components,
            ..
        } => context(LscPort::Tgm)
            .texels(address)?
            .access(dst, direction, components),
        Lsc::Quad {
            port,
            direction,
            address,
            address_size,
            data,
            components,
            ..
        } => vector::Vector {
            context: context(port),
            address,
            address_size,
            data,
        }
        .quad(dst, direction, components),
        Lsc::Atomic {
            port: LscPort::Tgm,
            op,
            address,
            data,
            returns,
            ..
        } => context(LscPort::Tgm).texels(address)?.atomic(
            dst,
            op,
            data.memory_bytes() as u8,
            returns,
        ),
        Lsc::Atomic {
            port,
            op,
            address,
            address_size,
            data,
            returns,
            ..
        } => vector::Vector {
            context: context(port),
            address,
            address_size,
            data,
        }
        .atomic(dst, op, returns),
        Lsc::Block2d {
            port: LscPort::Tgm,
            direction,
            address,
            ..
        } => block2d::typed(&context(LscPort::Tgm), dst, direction, address),
        Lsc::Block2d {
            port,
            direction,
            address: LscAddress::Flat { .. },
            data,
            layout,
            offset,
            ..
        } => block2d::untyped(
            &context(port),
            dst,
            direction,
            (data.memory_bytes(), layout),
            offset,
        ),
        // As `hdc::block::fence`.
        Lsc::Fence {
            port, scope, flush, ..
        } => {
            if let Some(checks) = env.checks {
                let reach = match scope {
                    FenceScope::Group | FenceScope::Local => Reach::Group,
                    _ => Reach::Device,
                };
                let side = match port {
                    LscPort::Slm => Side::Local,
                    LscPort::Tgm => Side::Texels,
                    _ => Side::Global,
                };
                checks.fence(side, reach);
                let drops = matches!(
                    flush,
                    FlushOp::Evict | FlushOp::Invalidate | FlushOp::Discard
                );
                if drops && reach == Reach::Device && side == Side::Global {
                    checks.drop_caches();
                }
            }
            std::sync::atomic::fence(std::sync::atomic::Ordering::SeqCst);
            dst.fill(0);
            Ok(())
        }
        Lsc::Block2d { .. }
        | Lsc::AppendCounter { .. }
        | Lsc::StoreUncompressed { .. }
        | Lsc::StoreUncompressedQuad { .. }
        | Lsc::Compression { .. }
        | Lsc::ReadState { .. }
        | Lsc::LoadStatus { .. } => Err(not_modelled(&meaning.to_string())),
    }
}

impl<'a> Context<'a> {
    /// The surface that a message names; `None` for flat addresses and stateless memory.
    #[inline(always)]
    fn surface(&self, address: LscAddress) -> Result<Option<Surface>, Fault> {
        let env = self.env;
        let at = |base: devinfo::GpuAddress, offset: u32| {
            env.state.at(env, base.offset(offset.into())).map(Some)
        };
        match address {
            LscAddress::Flat { .. } => Ok(None),
            LscAddress::Bss { state, .. } => at(env.bases.bindless_surface, state),
            LscAddress::Ss { state, .. } => at(env.bases.surface, state),
            LscAddress::Bti { index, .. } if STATELESS.contains(&index) => Ok(None),
            LscAddress::Bti { index, .. } => env.state.bti(env, index).map(Some),
        }
    }

    /// The memory that addresses of `address_bytes` bytes are offsets into.
    #[inline(always)]
    fn place(&self, address: LscAddress, address_bytes: usize) -> Result<Place<'a>, Fault> {
        let env = self.env;
        if self.port == LscPort::Slm {
            return Ok(Place::Local(env.slm));
        }
        match self.surface(address)? {
            Some(surface) => Ok(surface.place(env.memory, self.thread_slot)),
            None if address_bytes == 8 => Ok(Place::flat(env.memory)),
            None => Ok(Place::Memory {
                view: env.memory,
                base: env.bases.general,
                bytes: UNBOUNDED,
            }),
        }
    }

    /// The texels of a message to the typed port.
    fn texels(&self, address: LscAddress) -> Result<Texels<'a>, Fault> {
        let surface = self.surface(address)?.ok_or_else(|| Fault::Invalid {
            why: "a typed message without a surface".into(),
        })?;
        Ok(Texels {
            checks: self.env.checks,
            view: self.env.memory,
            surface,
            payload: self.payload,
            at: 0,
            lanes: self.lanes,
            live: self.live,
        })
    }
}
