//! Combinations of message fields that have an encoding but do not exist.
//!
//! The decoder takes them, so that a program that has them can be shown; [`Message::encode`]
//! refuses them.

use devinfo::Family;

use super::{
    AddressSize, AtomicOp, BlockAlignment, BlockPort, CachePolicy, DataSize, DescriptorError,
    Direction, Hdc, HdcAddress, HdcSurface, Lsc, LscAddress, LscPort, Message, OwordCount,
    RayTracing, RenderMode, RenderTarget, Sampler, SlotGroup, Urb,
};

/// A restriction on messages.
#[derive(Clone, Copy, Debug)]
pub struct MessageRule {
    /// A short name, unique among the rules of messages.
    pub name: &'static str,
    /// The restriction in a sentence.
    pub text: &'static str,
    /// Where it is written.
    pub source: &'static str,
    is_broken: fn(&Message, Family) -> bool,
}

const VISA: &str = "IGC documentation/visa/instructions/LSC_UNTYPED.md";
const VISA_TYPED: &str = "IGC documentation/visa/instructions/LSC_TYPED.md";
const IGA_LSC: &str = "IGA MessageDecoderLSC.cpp";
const DATA_PORT: &str = "SKL and TGL PRM vol 2d, data port message descriptors";

/// A check of load/store messages.
macro_rules! lsc {
    ($check:expr) => {
        |message, family| {
            let check: fn(&Lsc, Family) -> bool = $check;
            matches!(message, Message::Lsc(message) if check(message, family))
        }
    };
}

/// A check of data port messages.
macro_rules! hdc {
    ($check:expr) => {
        |message, family| {
            let check: fn(&Hdc, Family) -> bool = $check;
            matches!(message, Message::Hdc(message) if check(message, family))
        }
    };
}

/// The restrictions on messages.
pub static MESSAGE_RULES: &[MessageRule] = &[
    MessageRule {
        name: "typed-vector",
        text: "typed memory is accessed by quads, blocks and atomics, not by vectors",
        source: VISA_TYPED,
        is_broken: lsc!(|message, _| match message {
            Lsc::Vector { port, .. } | Lsc::StoreUncompressed { port, .. } => {
                *port == LscPort::Tgm
            }
            _ => false,
        }),
    },
    MessageRule {
        name: "typed-surface",
        text: "typed memory is accessed through a surface",
        source: VISA_TYPED,
        is_broken: lsc!(|message, _| message.port() == LscPort::Tgm && message.is_flat()),
    },
    MessageRule {
        name: "slm-flat",
        text: "shared local memory has no surfaces",
        source: IGA_LSC,
        is_broken: lsc!(|message, _| {
            message.port() == LscPort::Slm && message.address().is_some() && !message.is_flat()
        }),
    },
    MessageRule {
        name: "slm-address-size",
        text: "addresses of shared local memory have 16 or 32 bits",
        source: VISA,
        is_broken: lsc!(|message, _| {
            message.port() == LscPort::Slm && message.address_size() == Some(AddressSize::A64)
        }),
    },
    MessageRule {
        name: "surface-address-size",
        text: "offsets into a surface have 16 or 32 bits",
        source: VISA,
        is_broken: lsc!(|message, _| {
            message.address_size() == Some(AddressSize::A64)
                && message.address().is_some()
                && !message.is_flat()
        }),
    },
    MessageRule {
        name: "flat-address-size",
        text: "flat addresses of global memory have 32 or 64 bits",
        source: VISA,
        is_broken: lsc!(|message, _| {
            message.port() != LscPort::Slm
                && message.is_flat()
                && message.address_size() == Some(AddressSize::A16)
        }),
    },
    MessageRule {
        name: "cache-control",
        text: "this cache control does not exist for the operation",
        source: IGA_LSC,
        is_broken: lsc!(|message, family| {
            message
                .cache()
                .is_some_and(|cache| cache.code(family, message.is_load()).is_none())
        }),
    },
    MessageRule {
        name: "atomic-cache",
        text: "atomics bypass the first cache level",
        source: IGA_LSC,
        is_broken: lsc!(|message, _| match message {
            Lsc::Atomic { cache, .. } | Lsc::AppendCounter { cache, .. } => {
                !matches!(cache.l1, CachePolicy::State | CachePolicy::Uncached)
            }
            _ => false,
        }),
    },
    MessageRule {
        name: "state-surface",
        text: "only surfaces have a state to read and a counter",
        source: IGA_LSC,
        is_broken: lsc!(|message, _| match message {
            Lsc::ReadState { .. } | Lsc::AppendCounter { .. } => message.is_flat(),
            _ => false,
        }),
    },
    MessageRule {
        name: "append-counter",
        text: "counters of surfaces have messages from Xe2 on",
        source: "IGA MessageDecoderLSC.cpp; IGC documentation/visa/instructions/LSC_UNTYPED.md",
        is_broken: lsc!(|message, family| {
            matches!(message, Lsc::AppendCounter { .. }) && family < Family::Xe2
        }),
    },
    MessageRule {
        name: "compression-page",
        text: "pages are named by flat addresses of 64 bits",
        source: IGA_LSC,
        is_broken: lsc!(|message, _| match message {
            Lsc::Compression {
                op, address_size, ..
            } => op.is_page() && (!message.is_flat() || *address_size != AddressSize::A64),
            _ => false,
        }),
    },
    MessageRule {
        name: "urb-family",
        text: "the unified return buffer takes load/store messages from Xe2 on, flat and without \
               blocks",
        source: "Mesa brw_disasm.c; IGA MessageDecoder.cpp",
        is_broken: lsc!(|message, family| {
            message.port() == LscPort::Urb
                && (family < Family::Xe2
                    || message.address().is_some() && !message.is_flat()
                    || matches!(message, Lsc::Block2d { .. }))
        }),
    },
    MessageRule {
        name: "packed-data",
        text: "elements of 8 and 16 bits are packed in registers only by two-dimensional blocks",
        source: IGA_LSC,
        is_broken: lsc!(|message, _| match message {
            Lsc::Vector { data, .. }
            | Lsc::Quad { data, .. }
            | Lsc::StoreUncompressed { data, .. }
            | Lsc::StoreUncompressedQuad { data, .. }
            | Lsc::Atomic { data, .. } => matches!(data, DataSize::D8 | DataSize::D16),
            _ => false,
        }),
    },
    MessageRule {
        name: "long-vector",
        text: "vectors of more than 8 elements are transposed",
        source: VISA,
        is_broken: lsc!(|message, _| {
            matches!(
                message,
                Lsc::Vector {
                    elements: 9..,
                    transpose: false,
                    ..
                } | Lsc::StoreUncompressed {
                    elements: 9..,
                    transpose: false,
                    ..
                } | Lsc::LoadStatus { elements: 9.., .. }
            )
        }),
    },
    MessageRule {
        name: "transposed-data",
        text: "transposed vectors have elements of 32 or 64 bits",
        source: VISA,
        is_broken: lsc!(|message, _| match message {
            Lsc::Vector {
                transpose, data, ..
            }
            | Lsc::StoreUncompressed {
                transpose, data, ..
            } => {
                *transpose && !matches!(data, DataSize::D32 | DataSize::D64)
            }
            _ => false,
        }),
    },
    MessageRule {
        name: "no-components",
        text: "a message has at least one component",
        source: IGA_LSC,
        is_broken: |message, _| match message {
            Message::Lsc(
                Lsc::Quad { components, .. } | Lsc::StoreUncompressedQuad { components, .. },
            )
            | Message::Hdc(
                Hdc::Untyped { components, .. }
                | Hdc::ScaledUntyped { components, .. }
                | Hdc::Typed { components, .. }
                | Hdc::TypedStatus { components, .. }
                | Hdc::UncompressedWrite { components, .. }
                | Hdc::TypedUncompressedWrite { components, .. },
            ) => components & 0xf == 0,
            _ => false,
        },
    },
    MessageRule {
        name: "atomic-data",
        text: "atomic operands have 16 bits (in 32), 32 or 64; 64-bit floats are added, subtracted \
               and compared from XeHPC on",
        source: VISA,
        is_broken: lsc!(|message, family| match message {
            Lsc::Atomic { op, data, .. } => match data {
                DataSize::D64 => op.is_float() && family == Family::XeHpg,
                DataSize::D32 | DataSize::D16U32 => false,
                _ => true,
            },
            Lsc::AppendCounter { data, .. } => {
                !matches!(data, DataSize::D64 | DataSize::D32 | DataSize::D16U32)
            }
            _ => false,
        }),
    },
    MessageRule {
        name: "block2d-family",
        text: "two-dimensional blocks of untyped memory exist from XeHPC on, of typed from Xe2 on",
        source: "Mesa brw_eu_defines.h, lsc_opcode; IGC documentation/visa/instructions",
        is_broken: lsc!(|message, family| match message {
            Lsc::Block2d { port, .. } => {
                family < Family::XeHpc || *port == LscPort::Tgm && family < Family::Xe2
            }
            _ => false,
        }),
    },
    MessageRule {
        name: "block2d-address",
        text: "two-dimensional blocks of untyped memory are flat, those of typed memory in a \
               binding table or the bindless heap",
        source: "IGC documentation/visa/instructions/LSC_UNTYPED.md; IGA MessageDecoderLSC.cpp",
        is_broken: lsc!(|message, _| match message {
            Lsc::Block2d { port, address, .. } => match port {
                LscPort::Tgm => matches!(address, LscAddress::Ss { .. }),
                LscPort::Slm => true,
                _ => !message.is_flat(),
            },
            _ => false,
        }),
    },
    MessageRule {
        name: "block2d-data",
        text: "elements of two-dimensional blocks have 8, 16, 32 or 64 bits, typed ones 32",
        source: VISA,
        is_broken: lsc!(|message, _| match message {
            Lsc::Block2d {
                port: LscPort::Tgm,
                data,
                ..
            } => *data != DataSize::D32,
            Lsc::Block2d { data, .. } => !matches!(
                data,
                DataSize::D8 | DataSize::D16 | DataSize::D32 | DataSize::D64
            ),
            _ => false,
        }),
    },
    MessageRule {
        name: "block2d-layout",
        text: "only untyped block loads are transposed (32 and 64 bits) or packed for dpas (8 and \
               16 bits)",
        source: VISA,
        is_broken: lsc!(|message, _| match message {
            Lsc::Block2d {
                port,
                direction,
                layout,
                data,
                ..
            } => {
                let plain = *direction == Direction::Write || *port == LscPort::Tgm;
                let wide = matches!(data, DataSize::D32 | DataSize::D64);
                plain && (layout.transpose || layout.vnni)
                    || layout.transpose && !wide
                    || layout.vnni && wide
            }
            _ => false,
        }),
    },
    MessageRule {
        name: "data-port-family",
        text: "the classic data ports have messages to XeHPC",
        source: "Mesa brw_eu.h (all of Xe2 goes by lsc_msg_desc)",
        is_broken: hdc!(|_, family| family > Family::XeHpc),
    },
    MessageRule {
        name: "block-dword-write",
        text: "blocks aligned to dwords are read only",
        source: DATA_PORT,
        is_broken: hdc!(|message, _| {
            matches!(
                message,
                Hdc::OwordBlock {
                    direction: Direction::Write,
                    alignment: BlockAlignment::Dword,
                    ..
                }
            )
        }),
    },
    MessageRule {
        name: "block-16",
        text: "blocks of 16 owords exist from XeHPG on",
        source: "IGA MessageDecoderHDC.cpp",
        is_broken: hdc!(|message, family| {
            matches!(
                message,
                Hdc::OwordBlock {
                    count: OwordCount::Sixteen,
                    ..
                }
            ) && family < Family::XeHpg
        }),
    },
    MessageRule {
        name: "constant-cache",
        text: "the constant cache is read, through a surface",
        source: DATA_PORT,
        is_broken: hdc!(|message, _| match message {
            Hdc::OwordBlock {
                port,
                direction,
                address,
                ..
            }
            | Hdc::OwordDualBlock {
                port,
                direction,
                address,
                ..
            }
            | Hdc::Scattered {
                port,
                direction,
                address,
                ..
            } => {
                *port == BlockPort::Constant
                    && (*direction == Direction::Write
                        || matches!(
                            address,
                            HdcAddress::A64 { .. } | HdcAddress::A32(HdcSurface::Slm)
                        ))
            }
            _ => false,
        }),
    },
    MessageRule {
        name: "hwords",
        text: "a block has 1, 2, 4 or 8 hwords",
        source: DATA_PORT,
        is_broken: hdc!(|message, _| match message {
            Hdc::HwordBlock { hwords, .. } | Hdc::ScratchBlock { hwords, .. } => {
                !matches!(hwords, 1 | 2 | 4 | 8)
            }
            _ => false,
        }),
    },
    MessageRule {
        name: "scratch-offset",
        text: "scratch space is addressed by 4096 hwords",
        source: DATA_PORT,
        is_broken: hdc!(|message, _| {
            matches!(message, Hdc::ScratchBlock { offset: 4096.., .. })
        }),
    },
    MessageRule {
        name: "element-bytes",
        text: "scattered elements have 1, 2 or 4 bytes, or are several of 4 or 8",
        source: DATA_PORT,
        is_broken: hdc!(|message, _| match message {
            Hdc::Byte { bytes, .. }
            | Hdc::ByteStatus { bytes, .. }
            | Hdc::ScaledByte { bytes, .. } => !matches!(bytes, 1 | 2 | 4),
            Hdc::Scattered {
                bytes, elements, ..
            } => !matches!(bytes, 4 | 8) || !matches!(elements, 1 | 2 | 4 | 8),
            _ => false,
        }),
    },
    MessageRule {
        name: "channels",
        text: "messages of channels serve 8 or 16 (16 or 32 with registers of 64 bytes, where \
               surface messages serve 16)",
        source: "SKL and TGL PRM vol 2d, data port message descriptors; IGA MessageDecoderHDC.cpp",
        is_broken: hdc!(|message, family| {
            let low = (family.grf_bytes() / 4) as u8;
            match message {
                Hdc::Byte { simd, .. }
                | Hdc::ByteStatus { simd, .. }
                | Hdc::Scattered { simd, .. }
                | Hdc::ScaledUntyped { simd, .. }
                | Hdc::ScaledByte { simd, .. } => *simd != low && *simd != 2 * low,
                Hdc::Atomic { simd, .. } | Hdc::CounterAtomic { simd, .. } => {
                    *simd != 2 && *simd != low && *simd != 2 * low
                }
                Hdc::Untyped { simd, .. }
                | Hdc::UncompressedWrite { simd, .. }
                | Hdc::SectorControl { simd, .. } => match simd {
                    2 => false,
                    8 => family == Family::XeHpc,
                    simd => *simd != 16,
                },
                _ => false,
            }
        }),
    },
    MessageRule {
        name: "simd4x2",
        text: "SIMD4x2 messages exist to Gen11; their operands are dwords, or qwords with 64-bit \
               addresses",
        source: "Mesa brw_eu_defines.h (HSW_DATAPORT_DC_PORT1_*_SIMD4X2); IGA \
                 MessageDecoderHDC.cpp",
        is_broken: hdc!(|message, family| {
            let old = family <= Family::Gen11;
            match message {
                Hdc::Untyped { simd: 2, .. } => !old,
                Hdc::Atomic { simd: 2, bytes, .. } | Hdc::CounterAtomic { simd: 2, bytes, .. } => {
                    !old || *bytes == 2
                }
                Hdc::TypedAtomic {
                    slots: SlotGroup::FourByTwo,
                    bytes,
                    ..
                } => !old || *bytes == 2,
                Hdc::OwordDualBlock { owords, .. } => !old || !matches!(owords, 1 | 4),
                Hdc::UncompressedWrite { simd, .. } | Hdc::SectorControl { simd, .. } => *simd == 2,
                _ => false,
            }
        }),
    },
    MessageRule {
        name: "hword-surface",
        text: "blocks of hwords of a surface exist from XeHPG on",
        source: "IGA MessageDecoderHDC.cpp",
        is_broken: hdc!(|message, family| {
            matches!(
                message,
                Hdc::HwordBlock {
                    address: HdcAddress::A32(_),
                    ..
                }
            ) && family < Family::XeHpg
        }),
    },
    MessageRule {
        name: "status-address",
        text: "bytes with status have 64-bit addresses",
        source: "IGA MessageDecoderHDC.cpp",
        is_broken: hdc!(|message, _| {
            matches!(
                message,
                Hdc::ByteStatus {
                    address: HdcAddress::A32(_),
                    ..
                }
            )
        }),
    },
    MessageRule {
        name: "scaled",
        text: "scaled messages exist from Gen9 to Gen11; the scale has 7 bits, the offset 20",
        source: "IGC of 2018, visa/TranslationInterface.cpp and \
                 IGC/Compiler/CISACodeGen/Platform.hpp; IGA MessageDecoderHDC.cpp",
        is_broken: hdc!(|message, family| match message {
            Hdc::ScaledUntyped { pitch, offset, .. } | Hdc::ScaledByte { pitch, offset, .. } => {
                !(Family::Gen9..=Family::Gen11).contains(&family)
                    || *pitch > 0x7f
                    || *offset > 0xf_ffff
            }
            _ => false,
        }),
    },
    MessageRule {
        name: "compression",
        text: "the port of the constant cache writes without compression and changes the state of \
               compressed memory on XeHPG and XeHPC; sectors and pages have 64-bit addresses",
        source: "IGA MessageDecoderHDC.cpp (tryDecodeDCRO)",
        is_broken: hdc!(|message, family| match message {
            Hdc::SectorControl { address, .. } | Hdc::PageControl { address, .. } => {
                family < Family::XeHpg || matches!(address, HdcAddress::A32(_))
            }
            Hdc::UncompressedWrite { .. }
            | Hdc::TypedUncompressedWrite { .. }
            | Hdc::TypedSectorControl { .. } => family < Family::XeHpg,
            _ => false,
        }),
    },
    MessageRule {
        name: "bindless-family",
        text: "the bindless surface heap exists from Gen9 on",
        source: "Mesa brw_eu_defines.h (GFX9_BTI_BINDLESS)",
        is_broken: hdc!(|message, family| {
            family < Family::Gen9 && matches!(message.surface(), Some(HdcSurface::Bindless(_)))
        }),
    },
    MessageRule {
        name: "atomic-bytes",
        text: "atomic operands have 2, 4 or 8 bytes, those of texels and counters 2 or 4 except \
               for compare and swap; halves from Gen12LP on",
        source: DATA_PORT,
        is_broken: hdc!(|message, family| {
            let (bytes, widest) = match message {
                Hdc::Atomic { bytes, .. } => (*bytes, 8),
                Hdc::TypedAtomic { bytes, op, .. } | Hdc::CounterAtomic { bytes, op, .. } => {
                    (*bytes, if *op == AtomicOp::CompareSwap { 8 } else { 4 })
                }
                _ => return false,
            };
            let least = if family < Family::Gen12Lp { 4 } else { 2 };
            !matches!(bytes, 2 | 4 | 8) || !(least..=widest).contains(&bytes)
        }),
    },
    MessageRule {
        name: "atomic-qword",
        text: "64-bit atomics take 64-bit addresses, except for compare and swap, and float \
               addition and subtraction",
        source: DATA_PORT,
        is_broken: hdc!(|message, _| {
            matches!(
                message,
                Hdc::Atomic { address: HdcAddress::A32(_), bytes: 8, op, .. }
                    if !matches!(
                        op,
                        AtomicOp::CompareSwap | AtomicOp::FloatAdd | AtomicOp::FloatSub
                    )
            )
        }),
    },
    MessageRule {
        name: "atomic-float",
        text: "texels and counters have no floating-point atomics",
        source: DATA_PORT,
        is_broken: hdc!(|message, _| {
            matches!(
                message,
                Hdc::TypedAtomic { op, .. } | Hdc::CounterAtomic { op, .. } if op.is_float()
            )
        }),
    },
    MessageRule {
        name: "ray-tracing-channels",
        text: "messages of ray tracing serve 8 or 16 channels, 16 on Xe2",
        source: "Mesa brw_eu.h (brw_btd_spawn_desc, brw_rt_trace_ray_desc)",
        is_broken: |message, family| match message {
            Message::RayTracing(RayTracing::Trace { simd } | RayTracing::Spawn { simd, .. }) => {
                match simd {
                    8 => family == Family::Xe2,
                    simd => *simd != 16,
                }
            }
            _ => false,
        },
    },
    MessageRule {
        name: "render-mode",
        text: "on Xe2 render targets are written with one colour or two, of 32 bits, and read \
               whole; two go without source 0 alpha",
        source: "IGA MessageDecoderOther.cpp (tryDecodeRC_XE2)",
        is_broken: |message, family| match message {
            Message::RenderTarget(RenderTarget::Write {
                mode,
                half,
                outputs,
                ..
            }) => {
                family == Family::Xe2
                    && match mode {
                        RenderMode::Wide => *half,
                        RenderMode::DualLow => *half || outputs.source_alpha,
                        _ => true,
                    }
            }
            Message::RenderTarget(RenderTarget::Read { narrow, .. }) => {
                family == Family::Xe2 && *narrow || family == Family::Gen8
            }
            _ => false,
        },
    },
    MessageRule {
        name: "urb-messages",
        text: "the return buffer has messages of its own to XeHPC, a fence from XeHPG on",
        source: "Mesa brw_eu_defines.h (GFX125_URB_OPCODE_FENCE), brw_disasm.c",
        is_broken: |message, family| match message {
            Message::Urb(Urb::Fence) => !(Family::XeHpg..=Family::XeHpc).contains(&family),
            Message::Urb(_) => family > Family::XeHpc,
            _ => false,
        },
    },
    MessageRule {
        name: "sampler-half",
        text: "samplers take half parameters from Gen11 on",
        source: "Mesa brw_eu_defines.h (GFX10_SAMPLER_SIMD_MODE_SIMD8H)",
        is_broken: |message, family| {
            matches!(
                message,
                Message::Sampler(Sampler {
                    half_parameters: true,
                    ..
                })
            ) && family < Family::Gen11
        },
    },
];

impl Message {
    /// Whether `family` has this message.
    ///
    /// # Errors
    /// [`DescriptorError::Rule`] names the restriction that it breaks.
    pub fn validate(&self, family: Family) -> Result<(), DescriptorError> {
        match MESSAGE_RULES
            .iter()
            .find(|rule| (rule.is_broken)(self, family))
        {
            None => Ok(()),
            Some(rule) => Err(DescriptorError::Rule {
                rule: rule.name,
                text: rule.text,
                family,
            }),
        }
    }
}
