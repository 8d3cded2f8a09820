//! Random messages, legal and not.

use arbitrary::{Result, Unstructured};
use isa_encoder::message::{
    AddressSize, AppendOp, AtomicOp, Block2d, BlockAlignment, BlockPort, CacheControl, CachePolicy,
    CompressionControl, CompressionOp, DataSize, Direction, FenceScope, FlushOp, Gateway, Hdc,
    HdcAddress, HdcSurface, Lsc, LscAddress, LscPort, Message, OwordCount, RayTracing, RenderMode,
    RenderOutputs, RenderTarget, Sampler, SamplerOp, SlotGroup, Urb,
};

fn surface(u: &mut Unstructured<'_>) -> Result<HdcSurface> {
    Ok(match u.int_in_range(0..=3)? {
        0 => HdcSurface::Bti(u.arbitrary()?),
        1 => HdcSurface::Bindless(u.arbitrary::<u32>()? & !0x3f),
        2 => HdcSurface::Slm,
        _ => HdcSurface::Stateless {
            coherent: u.arbitrary()?,
        },
    })
}

fn address(u: &mut Unstructured<'_>) -> Result<HdcAddress> {
    Ok(if u.arbitrary()? {
        HdcAddress::A32(surface(u)?)
    } else {
        HdcAddress::A64 {
            coherent: u.arbitrary()?,
        }
    })
}

fn hdc(u: &mut Unstructured<'_>) -> Result<Hdc> {
    let direction = *u.choose(Direction::ALL)?;
    let slots = *u.choose(SlotGroup::ALL)?;
    let port = *u.choose(BlockPort::ALL)?;
    let bytes = *u.choose(&[1, 2, 3, 4, 8])?;
    let simd = *u.choose(&[2, 8, 16, 32])?;
    let hwords = u.int_in_range(0..=8)?;
    let control = *u.choose(CompressionControl::ALL)?;
    Ok(match u.int_in_range(0..=21)? {
        11 => Hdc::OwordDualBlock {
            direction,
            address: address(u)?,
            owords: *u.choose(&[1, 2, 4])?,
            port,
        },
        12 => Hdc::ByteStatus {
            address: address(u)?,
            bytes,
            simd,
        },
        13 => Hdc::TypedStatus {
            surface: surface(u)?,
            components: u.int_in_range(0..=15)?,
            slots,
        },
        14 => Hdc::CounterAtomic {
            surface: surface(u)?,
            op: *u.choose(AtomicOp::ALL)?,
            bytes,
            returns: u.arbitrary()?,
            simd,
        },
        15 => Hdc::UncompressedWrite {
            address: address(u)?,
            components: u.int_in_range(0..=15)?,
            simd,
        },
        16 => Hdc::TypedUncompressedWrite {
            surface: surface(u)?,
            components: u.int_in_range(0..=15)?,
            slots,
        },
        17 => Hdc::SectorControl {
            control,
            address: address(u)?,
            simd,
        },
        18 => Hdc::TypedSectorControl {
            control,
            surface: surface(u)?,
            slots,
        },
        19 => Hdc::PageControl {
            control,
            address: address(u)?,
        },
        20 => Hdc::ScaledUntyped {
            direction,
            pitch: u.arbitrary()?,
            offset: u.int_in_range(0..=0x10_ffff)?,
            components: u.int_in_range(0..=15)?,
            simd,
        },
        21 => Hdc::ScaledByte {
            direction,
            pitch: u.arbitrary()?,
            offset: u.int_in_range(0..=0x10_ffff)?,
            bytes,
            simd,
        },
        0 => Hdc::OwordBlock {
            direction,
            address: address(u)?,
            alignment: *u.choose(BlockAlignment::ALL)?,
            count: *u.choose(OwordCount::ALL)?,
            port,
        },
        1 => Hdc::HwordBlock {
            direction,
            address: address(u)?,
            hwords,
        },
        2 => Hdc::ScratchBlock {
            direction,
            hwords,
            offset: u.int_in_range(0..=5000)?,
            dword_channels: u.arbitrary()?,
        },
        3 => Hdc::Byte {
            direction,
            address: address(u)?,
            bytes,
            simd,
        },
        4 => Hdc::Scattered {
            direction,
            address: address(u)?,
            bytes,
            elements: u.int_in_range(0..=8)?,
            simd,
            port,
        },
        5 => Hdc::Untyped {
            direction,
            address: address(u)?,
            components: u.int_in_range(0..=15)?,
            simd,
        },
        6 => Hdc::Typed {
            direction,
            surface: surface(u)?,
            components: u.int_in_range(0..=15)?,
            slots,
        },
        7 => Hdc::Atomic {
            address: address(u)?,
            op: *u.choose(AtomicOp::ALL)?,
            bytes,
            returns: u.arbitrary()?,
            simd,
        },
        8 => Hdc::TypedAtomic {
            surface: surface(u)?,
            op: *u.choose(AtomicOp::ALL)?,
            bytes,
            returns: u.arbitrary()?,
            slots,
        },
        9 => Hdc::MediaBlock {
            direction,
            surface: surface(u)?,
            line_stride: u.int_in_range(0..=8)?,
        },
        _ => Hdc::Fence {
            slm: u.arbitrary()?,
            commit: u.arbitrary()?,
            flush: u.arbitrary()?,
        },
    })
}

fn lsc_address(u: &mut Unstructured<'_>) -> Result<LscAddress> {
    let offset = *u.choose(&[0, 0, 0, 4, -8, 0x1_0000, 0x10_0000])?;
    let state = u.arbitrary::<u32>()? & !0x3f;
    Ok(match u.int_in_range(0..=3)? {
        0 => LscAddress::Flat { offset },
        1 => LscAddress::Bss { state, offset },
        2 => LscAddress::Ss { state, offset },
        _ => LscAddress::Bti {
            index: u.arbitrary()?,
            offset,
        },
    })
}

pub fn lsc(u: &mut Unstructured<'_>) -> Result<Lsc> {
    let port = *u.choose(LscPort::ALL)?;
    let direction = *u.choose(Direction::ALL)?;
    let address = lsc_address(u)?;
    let address_size = *u.choose(AddressSize::ALL)?;
    let data = *u.choose(DataSize::ALL)?;
    let cache = match u.arbitrary()? {
        true => CacheControl::DEFAULT,
        false => CacheControl {
            l1: *u.choose(CachePolicy::ALL)?,
            l3: *u.choose(CachePolicy::ALL)?,
        },
    };
    let elements = u.int_in_range(0..=64)?;
    Ok(match u.int_in_range(0..=10)? {
        7 => Lsc::AppendCounter {
            port,
            op: *u.choose(AppendOp::ALL)?,
            address,
            data,
            returns: u.arbitrary()?,
            cache,
        },
        8 => Lsc::StoreUncompressed {
            port,
            address,
            address_size,
            data,
            elements: *u.choose(&[1, 2, 3, 4, 8, 16, 32, 64, elements])?,
            transpose: u.arbitrary()?,
            cache,
        },
        9 => Lsc::StoreUncompressedQuad {
            port,
            address,
            address_size,
            data,
            components: u.int_in_range(0..=16)?,
            cache,
        },
        10 => Lsc::Compression {
            port,
            op: *u.choose(CompressionOp::ALL)?,
            address,
            address_size,
        },
        0 => Lsc::Vector {
            port,
            direction,
            address,
            address_size,
            data,
            elements: *u.choose(&[1, 2, 3, 4, 8, 16, 32, 64, elements])?,
            transpose: u.arbitrary()?,
            strided: u.arbitrary()?,
            cache,
        },
        1 => Lsc::Quad {
            port,
            direction,
            address,
            address_size,
            data,
            components: u.int_in_range(0..=16)?,
            cache,
        },
        2 => Lsc::Block2d {
            port,
            direction,
            address,
            data,
            layout: Block2d {
                transpose: u.arbitrary()?,
                vnni: u.arbitrary()?,
            },
            offset: [*u.choose(&[0, 0, -512, 511, 600])?, *u.choose(&[0, 3])?],
            cache,
        },
        3 => Lsc::Atomic {
            port,
            op: *u.choose(AtomicOp::ALL)?,
            address,
            address_size,
            data,
            returns: u.arbitrary()?,
            cache,
        },
        4 => Lsc::Fence {
            port,
            scope: *u.choose(FenceScope::ALL)?,
            flush: *u.choose(FlushOp::ALL)?,
            to_lsc: u.arbitrary()?,
        },
        5 => Lsc::ReadState { port, address },
        _ => Lsc::LoadStatus {
            port,
            address,
            address_size,
            data,
            elements: *u.choose(&[1, 2, 4, elements])?,
            cache,
        },
    })
}

fn render(u: &mut Unstructured<'_>) -> Result<RenderTarget> {
    Ok(match u.arbitrary()? {
        true => RenderTarget::Write {
            mode: *u.choose(RenderMode::ALL)?,
            surface: u.arbitrary()?,
            half: u.arbitrary()?,
            coarse: u.arbitrary()?,
            multi_rate: u.arbitrary()?,
            per_sample: u.arbitrary()?,
            last: u.arbitrary()?,
            high_slots: u.arbitrary()?,
            outputs: match u.arbitrary()? {
                true => RenderOutputs::default(),
                false => RenderOutputs {
                    target: u.int_in_range(0..=8)?,
                    null: u.arbitrary()?,
                    source_alpha: u.arbitrary()?,
                    stencil: u.arbitrary()?,
                    depth: u.arbitrary()?,
                    sample_mask: u.arbitrary()?,
                },
            },
        },
        false => RenderTarget::Read {
            narrow: u.arbitrary()?,
            surface: u.arbitrary()?,
            per_sample: u.arbitrary()?,
            high_slots: u.arbitrary()?,
        },
    })
}

pub fn message(u: &mut Unstructured<'_>) -> Result<Message> {
    Ok(match u.int_in_range(0..=12)? {
        10 => Message::RenderTarget(render(u)?),
        11 => Message::Urb(match u.int_in_range(0..=2)? {
            0 => Urb::Write {
                offset: u.int_in_range(0..=2100)?,
                per_slot: u.arbitrary()?,
                masked: u.arbitrary()?,
            },
            1 => Urb::Read {
                offset: u.int_in_range(0..=2100)?,
                per_slot: u.arbitrary()?,
            },
            _ => Urb::Fence,
        }),
        12 => Message::RayTracing(match u.arbitrary()? {
            true => RayTracing::Trace {
                simd: *u.choose(&[4, 8, 16, 32])?,
            },
            false => RayTracing::Spawn {
                simd: *u.choose(&[4, 8, 16, 32])?,
                overdispatch: u.arbitrary()?,
            },
        }),
        0..=3 => Message::Hdc(hdc(u)?),
        4..=7 => Message::Lsc(lsc(u)?),
        8 => Message::Sampler(Sampler {
            op: *u.choose(SamplerOp::ALL)?,
            surface: u.arbitrary()?,
            sampler: u.int_in_range(0..=16)?,
            simd: *u.choose(&[4, 8, 16, 32])?,
            half_parameters: u.arbitrary()?,
            half_results: u.arbitrary()?,
            integer_results: u.arbitrary()?,
        }),
        _ if u.arbitrary()? => Message::EndOfThread,
        _ => Message::Gateway(*u.choose(&[
            Gateway::Open,
            Gateway::Close,
            Gateway::Forward,
            Gateway::Timestamp,
            Gateway::UpdateState,
            Gateway::Mmio,
            Gateway::EndOfThread,
            Gateway::SignalEvent,
            Gateway::MonitorEvent,
            Gateway::MonitorNoEvent,
            Gateway::Barrier,
            Gateway::WaitForEvent,
            Gateway::ActiveBarrier,
            Gateway::SaveBarriers,
            Gateway::RestoreBarriers,
            Gateway::EndOfRestore,
            Gateway::RestoreStack,
            Gateway::SystemBarrier,
        ])?),
    })
}
