//! Send messages as values: what can be built has descriptors that mean the same, what cannot
//! names the rule.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, BTreeSet};

use arbitrary::{Result, Unstructured};
use devinfo::Family;
use isa_encoder::Sfid;
use isa_encoder::message::{
    AddressSize, AtomicOp, Block2d, BlockAlignment, BlockPort, DataSize, DescriptorError,
    Descriptors, Direction, FenceScope, FlushOp, Gateway, Hdc, HdcAddress, HdcSurface, Lsc,
    LscAddress, LscPort, MESSAGE_RULES, Message, OwordCount, Sampler, SamplerOp, SlotGroup,
};

const DIRECTIONS: [Direction; 2] = [Direction::Read, Direction::Write];
const DATA: [DataSize; 7] = [
    DataSize::D8,
    DataSize::D16,
    DataSize::D32,
    DataSize::D64,
    DataSize::D8U32,
    DataSize::D16U32,
    DataSize::D16U32H,
];
const ATOMICS: [AtomicOp; 21] = [
    AtomicOp::Load,
    AtomicOp::Store,
    AtomicOp::And,
    AtomicOp::Or,
    AtomicOp::Xor,
    AtomicOp::Inc,
    AtomicOp::Dec,
    AtomicOp::PreDec,
    AtomicOp::Add,
    AtomicOp::Sub,
    AtomicOp::ReverseSub,
    AtomicOp::SignedMax,
    AtomicOp::SignedMin,
    AtomicOp::UnsignedMax,
    AtomicOp::UnsignedMin,
    AtomicOp::CompareSwap,
    AtomicOp::FloatAdd,
    AtomicOp::FloatSub,
    AtomicOp::FloatMax,
    AtomicOp::FloatMin,
    AtomicOp::FloatCompareSwap,
];

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
    let direction = *u.choose(&DIRECTIONS)?;
    let slots = *u.choose(&[SlotGroup::FourByTwo, SlotGroup::Low, SlotGroup::High])?;
    let port = *u.choose(&[BlockPort::Data, BlockPort::Constant])?;
    let bytes = *u.choose(&[1, 2, 3, 4, 8])?;
    let simd = *u.choose(&[8, 16, 32])?;
    let hwords = u.int_in_range(0..=8)?;
    Ok(match u.int_in_range(0..=10)? {
        0 => Hdc::OwordBlock {
            direction,
            address: address(u)?,
            alignment: *u.choose(&[BlockAlignment::Oword, BlockAlignment::Dword])?,
            count: *u.choose(&[
                OwordCount::OneLow,
                OwordCount::OneHigh,
                OwordCount::Two,
                OwordCount::Four,
                OwordCount::Eight,
                OwordCount::Sixteen,
            ])?,
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
            op: *u.choose(&ATOMICS)?,
            bytes,
            returns: u.arbitrary()?,
            simd,
        },
        8 => Hdc::TypedAtomic {
            surface: surface(u)?,
            op: *u.choose(&ATOMICS)?,
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

fn lsc(u: &mut Unstructured<'_>) -> Result<Lsc> {
    let port = *u.choose(&[LscPort::Ugm, LscPort::Ugml, LscPort::Tgm, LscPort::Slm])?;
    let direction = *u.choose(&DIRECTIONS)?;
    let address = lsc_address(u)?;
    let address_size = *u.choose(&[AddressSize::A16, AddressSize::A32, AddressSize::A64])?;
    let data = *u.choose(&DATA)?;
    let cache = u.int_in_range(0..=15)?;
    let elements = u.int_in_range(0..=64)?;
    Ok(match u.int_in_range(0..=6)? {
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
            op: *u.choose(&ATOMICS)?,
            address,
            address_size,
            data,
            returns: u.arbitrary()?,
            cache,
        },
        4 => Lsc::Fence {
            port,
            scope: *u.choose(&[
                FenceScope::Group,
                FenceScope::Local,
                FenceScope::Tile,
                FenceScope::Gpu,
                FenceScope::Gpus,
                FenceScope::SystemRelease,
                FenceScope::SystemAcquire,
            ])?,
            flush: *u.choose(&[
                FlushOp::None,
                FlushOp::Evict,
                FlushOp::Invalidate,
                FlushOp::Discard,
                FlushOp::Clean,
                FlushOp::FlushL3,
                FlushOp::Type6,
            ])?,
            to_lsc: u.arbitrary()?,
        },
        5 => Lsc::ReadState { port, address },
        _ => Lsc::LoadStatus {
            port,
            address,
            address_size,
            data,
            elements: *u.choose(&[1, 2, 4, elements])?,
        },
    })
}

fn message(u: &mut Unstructured<'_>) -> Result<Message> {
    Ok(match u.int_in_range(0..=9)? {
        0..=3 => Message::Hdc(hdc(u)?),
        4..=7 => Message::Lsc(lsc(u)?),
        8 => Message::Sampler(Sampler {
            op: *u.choose(SamplerOp::ALL)?,
            surface: u.arbitrary()?,
            sampler: u.int_in_range(0..=16)?,
            simd: *u.choose(&[4, 8, 16, 32])?,
            half_parameters: u.arbitrary()?,
            half_results: u.arbitrary()?,
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
        ])?),
    })
}

/// The name of a message's kind, for counting.
fn kind(message: &Message) -> String {
    let text = format!("{message:?}");
    let end = text.find([' ', '{']).unwrap_or(text.len());
    text[..end].to_owned()
}

#[test]
fn what_can_be_built_means_the_same() {
    let mut rng = 0x9e37_79b9_7f4a_7c15_u64;
    let mut built: BTreeMap<(String, Family), usize> = BTreeMap::new();
    for _ in 0..60_000 {
        let bytes: Vec<u8> = (0..96)
            .map(|_| {
                rng ^= rng << 13;
                rng ^= rng >> 7;
                rng ^= rng << 17;
                (rng >> 24) as u8
            })
            .collect();
        let value = message(&mut Unstructured::new(&bytes)).unwrap();
        for family in Family::ALL {
            match value.encode(family) {
                Ok((function, mut descriptors)) => {
                    assert_eq!(value.validate(family), Ok(()));
                    if let Message::Lsc(Lsc::Atomic { returns: true, .. }) = value {
                        // The response length says whether an atomic returns.
                        descriptors.descriptor |= 1 << 20;
                    }
                    let again = Message::decode(family, function, descriptors);
                    assert_eq!(again, Ok(value), "{family} {descriptors:x?}");
                    *built.entry((kind(&value), family)).or_default() += 1;
                }
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
    for family in Family::ALL {
        let has = |kind: &str| {
            built
                .keys()
                .any(|(k, f)| k.starts_with(kind) && *f == family)
        };
        assert!(has("Sampler") && has("Gateway"), "{family}: {built:?}");
        assert_eq!(has("Hdc"), family != Family::Xe2, "{family}");
        assert_eq!(has("Lsc"), family >= Family::XeHpg, "{family}");
        assert_eq!(has("EndOfThread"), family <= Family::Gen12Lp, "{family}");
    }
}

/// Each descriptor that means something and breaks no rule is built again from its meaning.
#[test]
fn descriptors_survive_decode_and_encode() {
    let mut rng = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = || {
        rng ^= rng << 13;
        rng ^= rng >> 7;
        rng ^= rng << 17;
        (rng >> 16) as u32
    };
    let functions = [
        Sfid::DataPort0,
        Sfid::DataPort1,
        Sfid::ConstantCache,
        Sfid::Sampler,
        Sfid::Gateway,
        Sfid::Ugm,
        Sfid::Tgm,
        Sfid::Slm,
    ];
    let mut count = 0;
    for _ in 0..40_000 {
        let descriptor = next();
        let extended = next() & 0xffff_f000;
        for family in Family::ALL {
            for function in functions {
                if function.id(family).is_err() {
                    continue;
                }
                let descriptors = Descriptors {
                    descriptor,
                    extended,
                    ..Descriptors::default()
                };
                let Ok(value) = Message::decode(family, function, descriptors) else {
                    continue;
                };
                match value.encode(family) {
                    Ok((again, _)) => {
                        assert_eq!(again, function, "{family} {value:?}");
                        count += 1;
                    }
                    Err(DescriptorError::Rule { .. }) => {}
                    Err(error) => {
                        panic!(
                            "{family} {function} {descriptor:#x} {extended:#x}: {value:?}: {error}"
                        )
                    }
                }
            }
        }
    }
    assert!(count > 10_000, "{count}");
}

const UGM_LOAD: Lsc = Lsc::Vector {
    port: LscPort::Ugm,
    direction: Direction::Read,
    address: LscAddress::Flat { offset: 0 },
    address_size: AddressSize::A64,
    data: DataSize::D32,
    elements: 1,
    transpose: false,
    strided: false,
    cache: 0,
};

/// Each rule with a message that breaks it; the same on the last family, if given, is legal.
fn illegal() -> Vec<(&'static str, Family, Message)> {
    use Family::{Gen9, Gen11, Gen12Lp, Xe2, XeHpc, XeHpg};
    let bti = LscAddress::Bti {
        index: 1,
        offset: 0,
    };
    let flat = LscAddress::Flat { offset: 0 };
    let vector = |change: fn(&mut Lsc)| {
        let mut message = UGM_LOAD;
        change(&mut message);
        Message::Lsc(message)
    };
    let quad = |port, address, components| {
        Message::Lsc(Lsc::Quad {
            port,
            direction: Direction::Read,
            address,
            address_size: AddressSize::A32,
            data: DataSize::D32,
            components,
            cache: 0,
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
            cache: 0,
        })
    };
    let a32 = HdcAddress::A32(HdcSurface::Bti(0));
    let a64 = HdcAddress::A64 { coherent: true };
    let owords = |direction, address, alignment, count, port| {
        Message::Hdc(Hdc::OwordBlock {
            direction,
            address,
            alignment,
            count,
            port,
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
    vec![
        (
            "typed-vector",
            XeHpg,
            vector(|m| {
                if let Lsc::Vector { port, .. } = m {
                    *port = LscPort::Tgm;
                }
            }),
        ),
        ("typed-surface", XeHpg, quad(LscPort::Tgm, flat, 1)),
        ("slm-flat", XeHpg, quad(LscPort::Slm, bti, 1)),
        (
            "slm-address-size",
            XeHpg,
            vector(|m| {
                if let Lsc::Vector { port, .. } = m {
                    *port = LscPort::Slm;
                }
            }),
        ),
        (
            "surface-address-size",
            XeHpc,
            vector(|m| {
                if let Lsc::Vector { address, .. } = m {
                    *address = LscAddress::Bti {
                        index: 0,
                        offset: 0,
                    };
                }
            }),
        ),
        (
            "flat-address-size",
            XeHpc,
            vector(|m| {
                if let Lsc::Vector { address_size, .. } = m {
                    *address_size = AddressSize::A16;
                }
            }),
        ),
        (
            "cache-control",
            Xe2,
            vector(|m| {
                if let Lsc::Vector { cache, .. } = m {
                    *cache = 1;
                }
            }),
        ),
        (
            "packed-data",
            XeHpc,
            vector(|m| {
                if let Lsc::Vector { data, .. } = m {
                    *data = DataSize::D16;
                }
            }),
        ),
        (
            "long-vector",
            XeHpc,
            vector(|m| {
                if let Lsc::Vector { elements, .. } = m {
                    *elements = 16;
                }
            }),
        ),
        (
            "transposed-data",
            XeHpc,
            vector(|m| {
                if let Lsc::Vector {
                    data, transpose, ..
                } = m
                {
                    *data = DataSize::D8U32;
                    *transpose = true;
                }
            }),
        ),
        ("no-components", XeHpg, quad(LscPort::Ugm, bti, 0)),
        (
            "atomic-data",
            XeHpg,
            Message::Lsc(Lsc::Atomic {
                port: LscPort::Ugm,
                op: AtomicOp::FloatAdd,
                address: flat,
                address_size: AddressSize::A64,
                data: DataSize::D64,
                returns: false,
                cache: 0,
            }),
        ),
        (
            "block2d-family",
            XeHpg,
            block(LscPort::Ugm, flat, DataSize::D32, false),
        ),
        (
            "block2d-family",
            XeHpc,
            block(LscPort::Tgm, bti, DataSize::D32, false),
        ),
        (
            "block2d-address",
            XeHpc,
            block(LscPort::Ugm, bti, DataSize::D32, false),
        ),
        (
            "block2d-data",
            XeHpc,
            block(LscPort::Ugm, flat, DataSize::D8U32, false),
        ),
        (
            "block2d-layout",
            Xe2,
            block(LscPort::Ugm, flat, DataSize::D8, true),
        ),
        (
            "block-dword-write",
            Gen9,
            owords(
                Direction::Write,
                a32,
                BlockAlignment::Dword,
                OwordCount::Two,
                BlockPort::Data,
            ),
        ),
        (
            "block-16",
            Gen12Lp,
            owords(
                Direction::Read,
                a32,
                BlockAlignment::Oword,
                OwordCount::Sixteen,
                BlockPort::Data,
            ),
        ),
        (
            "constant-cache",
            Gen9,
            owords(
                Direction::Read,
                a64,
                BlockAlignment::Oword,
                OwordCount::Two,
                BlockPort::Constant,
            ),
        ),
        (
            "hwords",
            Gen9,
            Message::Hdc(Hdc::ScratchBlock {
                direction: Direction::Read,
                hwords: 3,
                offset: 0,
                dword_channels: false,
            }),
        ),
        (
            "scratch-offset",
            Gen9,
            Message::Hdc(Hdc::ScratchBlock {
                direction: Direction::Read,
                hwords: 4,
                offset: 4096,
                dword_channels: false,
            }),
        ),
        (
            "element-bytes",
            Gen9,
            Message::Hdc(Hdc::Byte {
                direction: Direction::Read,
                address: a32,
                bytes: 8,
                simd: 8,
            }),
        ),
        (
            "channels",
            Gen9,
            Message::Hdc(Hdc::Untyped {
                direction: Direction::Read,
                address: a32,
                components: 1,
                simd: 32,
            }),
        ),
        ("atomic-bytes", Gen11, atomic(a32, AtomicOp::Add, 2)),
        ("atomic-qword", Gen9, atomic(a32, AtomicOp::Add, 8)),
        (
            "atomic-float",
            Gen9,
            Message::Hdc(Hdc::TypedAtomic {
                surface: HdcSurface::Bti(0),
                op: AtomicOp::FloatMax,
                bytes: 4,
                returns: false,
                slots: SlotGroup::Low,
            }),
        ),
    ]
}

#[test]
fn illegal_combinations_name_their_rule() {
    let mut seen = BTreeSet::new();
    for (name, family, message) in illegal() {
        match message.encode(family) {
            Err(DescriptorError::Rule { rule, .. }) => assert_eq!(rule, name, "{message:?}"),
            other => panic!("{name}: {family} {message:?}: {other:?}"),
        }
        seen.insert(name);
    }
    let rules: BTreeSet<&str> = MESSAGE_RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(seen, rules);
    assert!(Message::Lsc(UGM_LOAD).encode(Family::XeHpg).is_ok());
}
