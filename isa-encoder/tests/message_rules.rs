//! Messages that a family does not have: the error names the rule, or the field.
#![cfg(test)]

use std::collections::BTreeSet;

use devinfo::Family;
use isa_encoder::Sfid;
use isa_encoder::message::{
    AddressSize, AppendOp, AtomicOp, Block2d, BlockAlignment, BlockPort, CacheControl, CachePolicy,
    CompressionControl, CompressionOp, DataSize, DescriptorError, Descriptors, Direction, Hdc,
    HdcAddress, HdcSurface, Lsc, LscAddress, LscPort, MESSAGE_RULES, Message, OwordCount,
    RayTracing, RenderMode, RenderOutputs, RenderTarget, Sampler, SamplerOp, SlotGroup, Urb,
};

const UGM_LOAD: Lsc = Lsc::Vector {
    port: LscPort::Ugm,
    direction: Direction::Read,
    address: LscAddress::Flat { offset: 0 },
    address_size: AddressSize::A64,
    data: DataSize::D32,
    elements: 1,
    transpose: false,
    strided: false,
    cache: CacheControl::DEFAULT,
};

/// [`UGM_LOAD`] with other fields.
macro_rules! vector {
    ($($field:ident: $value:expr),*) => {{
        let mut message = UGM_LOAD;
        if let Lsc::Vector { $($field,)* .. } = &mut message {
            $(*$field = $value;)*
        }
        Message::Lsc(message)
    }};
}

macro_rules! rows {
    ($($name:literal $family:ident: $message:expr;)*) => {
        vec![$(($name, $family, $message)),*]
    };
}

/// Messages that a family does not have, each with the rule that it breaks or the field that has no
/// such value.
fn illegal() -> Vec<(&'static str, Family, Message)> {
    use Family::{Gen8, Gen9, Gen11, Gen12Lp, Xe2, XeHpc, XeHpg};
    let bti = LscAddress::Bti {
        index: 1,
        offset: 0,
    };
    let flat = LscAddress::Flat { offset: 0 };
    let constant = CacheControl {
        l1: CachePolicy::Constant,
        ..CacheControl::DEFAULT
    };
    let write_back = CacheControl {
        l1: CachePolicy::WriteBack,
        l3: CachePolicy::WriteBack,
    };
    let quad = |port, address, components| {
        Message::Lsc(Lsc::Quad {
            port,
            direction: Direction::Read,
            address,
            address_size: AddressSize::A32,
            data: DataSize::D32,
            components,
            cache: CacheControl::DEFAULT,
        })
    };
    let block = |port, address, data, transpose| {
        Message::Lsc(Lsc::Block2d {
            port,
            direction: Direction::Read,
            address,
            data,
            layout: Block2d {
                transpose,
                vnni: false,
            },
            offset: [0, 0],
            cache: CacheControl::DEFAULT,
        })
    };
    let a32 = HdcAddress::A32(HdcSurface::Bti(0));
    let owords = |direction, address, alignment, count, port| {
        Message::Hdc(Hdc::OwordBlock {
            direction,
            address,
            alignment,
            count,
            port,
        })
    };
    let add = |op, data, cache| {
        Message::Lsc(Lsc::Atomic {
            port: LscPort::Ugm,
            op,
            address: flat,
            address_size: AddressSize::A64,
            data,
            returns: false,
            cache,
        })
    };
    let atomic = |address, op, bytes| {
        Message::Hdc(Hdc::Atomic {
            address,
            op,
            bytes,
            returns: false,
            simd: 8,
        })
    };
    rows! {
        "typed-vector" XeHpg: vector!(port: LscPort::Tgm);
        "typed-surface" XeHpg: quad(LscPort::Tgm, flat, 1);
        "slm-flat" XeHpg: quad(LscPort::Slm, bti, 1);
        "slm-address-size" XeHpg: vector!(port: LscPort::Slm);
        "surface-address-size" XeHpc: vector!(address: LscAddress::Bti { index: 0, offset: 0 });
        "flat-address-size" XeHpc: vector!(address_size: AddressSize::A16);
        "cache control" Xe2: vector!(cache: constant);
        "packed-data" XeHpc: vector!(data: DataSize::D16);
        "long-vector" XeHpc: vector!(elements: 16);
        "transposed-data" XeHpc: vector!(data: DataSize::D8U32, transpose: true);
        "component mask" XeHpg: quad(LscPort::Ugm, bti, 0);
        "atomic-double" XeHpg: add(AtomicOp::FloatAdd, DataSize::D64, CacheControl::DEFAULT);
        "atomic-data" XeHpg: add(AtomicOp::Add, DataSize::D16U32H, CacheControl::DEFAULT);
        "block2d-family" XeHpg: block(LscPort::Ugm, flat, DataSize::D32, false);
        "block2d-typed" XeHpc: block(LscPort::Tgm, bti, DataSize::D32, false);
        "block2d-address" XeHpc: block(LscPort::Ugm, bti, DataSize::D32, false);
        "block2d-data" XeHpc: block(LscPort::Ugm, flat, DataSize::D8U32, false);
        "block2d-layout" Xe2: block(LscPort::Ugm, flat, DataSize::D8, true);
        "such OwordBlock message" Gen9:
            owords(Direction::Write, a32, BlockAlignment::Dword, OwordCount::Two, BlockPort::Data);
        "block size" Gen12Lp:
            owords(Direction::Read, a32, BlockAlignment::Oword, OwordCount::Sixteen,
                BlockPort::Data);
        "constant-cache" Gen9:
            owords(Direction::Read, HdcAddress::A32(HdcSurface::Slm), BlockAlignment::Oword,
                OwordCount::Two, BlockPort::Constant);
        "block size" Gen9:
            Message::Hdc(Hdc::ScratchBlock { direction: Direction::Read, hwords: 3, offset: 0,
                dword_channels: false });
        "scratch offset" Gen9:
            Message::Hdc(Hdc::ScratchBlock { direction: Direction::Read, hwords: 4, offset: 4096,
                dword_channels: false });
        "data element size" Gen9:
            Message::Hdc(Hdc::Byte { direction: Direction::Read, address: a32, bytes: 8, simd: 8 });
        "SIMD mode" Gen9:
            Message::Hdc(Hdc::Untyped { direction: Direction::Read, address: a32, components: 1,
                simd: 32 });
        "atomic-cache" XeHpc: add(AtomicOp::Add, DataSize::D32, write_back);
        "state-surface" XeHpg: Message::Lsc(Lsc::ReadState { port: LscPort::Ugm, address: flat });
        "such AppendCounter message" XeHpc:
            Message::Lsc(Lsc::AppendCounter { port: LscPort::Ugm, op: AppendOp::Add, address: bti,
                data: DataSize::D32, returns: false, cache: CacheControl::DEFAULT });
        "compression-page" XeHpg:
            Message::Lsc(Lsc::Compression { port: LscPort::Ugm, op: CompressionOp::PageClear,
                address: flat, address_size: AddressSize::A32 });
        "urb-family" XeHpg: quad(LscPort::Urb, flat, 1);
        "urb-flat" Xe2: quad(LscPort::Urb, bti, 1);
        "block2d-address" Xe2:
            block(LscPort::Tgm, LscAddress::Ss { state: 0, offset: 0 }, DataSize::D32, false);
        "SIMD mode" Gen12Lp:
            Message::Hdc(Hdc::Untyped { direction: Direction::Read, address: a32, components: 1,
                simd: 2 });
        "such OwordDualBlock message" Gen12Lp:
            Message::Hdc(Hdc::OwordDualBlock { direction: Direction::Read, address: a32, owords: 1,
                port: BlockPort::Data });
        "SIMD mode" XeHpc:
            Message::Hdc(Hdc::Untyped { direction: Direction::Read, address: a32, components: 1,
                simd: 8 });
        "such HwordBlock message" Gen12Lp:
            Message::Hdc(Hdc::HwordBlock { direction: Direction::Write, address: a32, hwords: 1 });
        "such ByteStatus message" Gen9:
            Message::Hdc(Hdc::ByteStatus { address: a32, bytes: 1, simd: 8 });
        "such ScaledByte message" Gen12Lp:
            Message::Hdc(Hdc::ScaledByte { direction: Direction::Read, pitch: 4, offset: 0,
                bytes: 4, simd: 8 });
        "scale" Gen9:
            Message::Hdc(Hdc::ScaledUntyped { direction: Direction::Write, pitch: 128, offset: 0,
                components: 1, simd: 16 });
        "such UncompressedWrite message" Gen12Lp:
            Message::Hdc(Hdc::UncompressedWrite { address: a32, components: 1, simd: 8 });
        "such PageControl message" XeHpg:
            Message::Hdc(Hdc::PageControl { control: CompressionControl::Clear, address: a32 });
        "bindless-family" Gen8:
            owords(Direction::Read, HdcAddress::A32(HdcSurface::Bindless(64)),
                BlockAlignment::Oword, OwordCount::Two, BlockPort::Data);
        "data-port-family" Xe2: Message::Hdc(Hdc::Fence { slm: false, commit: true, flush: 0 });
        "SIMD mode" Xe2: Message::RayTracing(RayTracing::Trace { simd: 8 });
        "render-mode" Xe2:
            Message::RenderTarget(RenderTarget::Write { mode: RenderMode::DualLow, surface: 0,
                half: false, coarse: false, multi_rate: false, per_sample: false, last: true,
                high_slots: false, outputs: RenderOutputs { source_alpha: true, ..RenderOutputs::default() } });
        "such Fence message" Gen12Lp: Message::Urb(Urb::Fence);
        "sampler-half" Gen9:
            Message::Sampler(Sampler { op: SamplerOp::Sample, surface: 0, sampler: 0, simd: 8,
                half_parameters: true, half_results: false, integer_results: false });
        "such Atomic message" Gen11: atomic(a32, AtomicOp::Add, 2);
        "such Atomic message" Gen9: atomic(a32, AtomicOp::Add, 8);
        "atomic operation" Gen9:
            Message::Hdc(Hdc::TypedAtomic { surface: HdcSurface::Bti(0), op: AtomicOp::FloatMax,
                bytes: 4, returns: false, slots: SlotGroup::Low });
    }
}

/// The rule that a message breaks, the field that has no such value, or what the family lacks.
fn reason(error: DescriptorError) -> &'static str {
    match error {
        DescriptorError::Rule { rule, .. } => rule,
        DescriptorError::Value { field, .. } | DescriptorError::Range { field, .. } => field,
        DescriptorError::Unsupported { what, .. } => what,
        other => panic!("{other}"),
    }
}

#[test]
fn illegal_messages_say_why() {
    let mut seen = BTreeSet::new();
    for (name, family, message) in illegal() {
        let error = message.encode(family).expect_err(name);
        assert_eq!(reason(error), name, "{family} {message:?}");
        seen.insert(name);
    }
    for rule in MESSAGE_RULES {
        assert!(seen.contains(rule.name), "no message breaks {}", rule.name);
    }
    assert!(Message::Lsc(UGM_LOAD).encode(Family::XeHpg).is_ok());
}

/// For some messages only the numbers are public; the error says so.
#[test]
fn scaled_messages_that_nobody_describes_say_so() {
    for (kind, surface) in [
        (0x04, 0),
        (0x06, 0x80),
        (0x14, 0),
        (0x16, 0x80),
        (0x02, 0),
        (0x18, 0),
    ] {
        let descriptors = Descriptors {
            descriptor: kind << 14 | 0x1e00 | surface,
            ..Descriptors::default()
        };
        let decode = |family| Message::decode(family, Sfid::DataPort2, descriptors);
        for family in [Family::Gen9, Family::Gen11] {
            let error = decode(family);
            assert!(
                matches!(error, Err(DescriptorError::Undescribed { .. })),
                "{kind:#x}: {error:?}"
            );
        }
        let error = decode(Family::Gen8);
        assert!(matches!(error, Err(DescriptorError::Field { .. })));
    }
}
