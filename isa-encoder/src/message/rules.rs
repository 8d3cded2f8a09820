//! Combinations of message fields that have an encoding but do not exist.
//!
//! The decoder takes them, so that a program that has them can be shown; [`Message::encode`]
//! refuses them.

use devinfo::Family;

use super::{
    AddressSize, AtomicOp, BlockAlignment, BlockPort, DataSize, DescriptorError, Direction, Hdc,
    HdcAddress, HdcSurface, Lsc, LscAddress, LscPort, Message, OwordCount,
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
            Lsc::Vector { port, .. } => *port == LscPort::Tgm,
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
            // To XeHPC three bits, all used. Xe2 has a fourth, used by two codes of loads.
            let Some(cache) = message.cache().filter(|_| family == Family::Xe2) else {
                return false;
            };
            cache % 2 != 0 && !(message.is_load() && matches!(cache, 5 | 9))
        }),
    },
    MessageRule {
        name: "packed-data",
        text: "elements of 8 and 16 bits are packed in registers only by two-dimensional blocks",
        source: IGA_LSC,
        is_broken: lsc!(|message, _| match message {
            Lsc::Vector { data, .. } | Lsc::Quad { data, .. } | Lsc::Atomic { data, .. } => {
                matches!(data, DataSize::D8 | DataSize::D16)
            }
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
                }
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
            Message::Lsc(Lsc::Quad { components, .. })
            | Message::Hdc(Hdc::Untyped { components, .. } | Hdc::Typed { components, .. }) => {
                components & 0xf == 0
            }
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
        text: "two-dimensional blocks of untyped memory are flat",
        source: VISA,
        is_broken: lsc!(|message, _| match message {
            Lsc::Block2d { port, .. } => match port {
                LscPort::Tgm => false,
                LscPort::Slm => true,
                _ => !message.is_flat(),
            },
            _ => false,
        }),
    },
    MessageRule {
        name: "block2d-data",
        text: "elements of two-dimensional blocks have 8, 16, 32 or 64 bits",
        source: VISA,
        is_broken: lsc!(|message, _| match message {
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
            Hdc::Byte { bytes, .. } => !matches!(bytes, 1 | 2 | 4),
            Hdc::Scattered {
                bytes, elements, ..
            } => !matches!(bytes, 4 | 8) || !matches!(elements, 1 | 2 | 4 | 8),
            _ => false,
        }),
    },
    MessageRule {
        name: "channels",
        text: "scattered messages serve 8 or 16 channels (16 or 32 with registers of 64 bytes)",
        source: DATA_PORT,
        is_broken: hdc!(|message, family| match message {
            Hdc::Byte { simd, .. }
            | Hdc::Scattered { simd, .. }
            | Hdc::Untyped { simd, .. }
            | Hdc::Atomic { simd, .. } => {
                let low = (family.grf_bytes() / 4) as u8;
                !matches!(*simd, 8 | 16) && *simd != low && *simd != 2 * low
            }
            _ => false,
        }),
    },
    MessageRule {
        name: "atomic-bytes",
        text: "untyped atomic operands have 2, 4 or 8 bytes, typed ones 2 or 4; halves from \
               Gen12LP on",
        source: DATA_PORT,
        is_broken: hdc!(|message, family| {
            let (bytes, widest) = match message {
                Hdc::Atomic { bytes, .. } => (*bytes, 8),
                Hdc::TypedAtomic { bytes, .. } => (*bytes, 4),
                _ => return false,
            };
            let least = if family < Family::Gen12Lp { 4 } else { 2 };
            !matches!(bytes, 2 | 4 | 8) || !(least..=widest).contains(&bytes)
        }),
    },
    MessageRule {
        name: "atomic-qword",
        text: "64-bit atomics take 64-bit addresses, except for compare and swap",
        source: DATA_PORT,
        is_broken: hdc!(|message, _| {
            matches!(
                message,
                Hdc::Atomic { address: HdcAddress::A32(_), bytes: 8, op, .. }
                    if *op != AtomicOp::CompareSwap
            )
        }),
    },
    MessageRule {
        name: "atomic-float",
        text: "texels have no floating-point atomics",
        source: DATA_PORT,
        is_broken: hdc!(|message, _| {
            matches!(message, Hdc::TypedAtomic { op, .. } if op.is_float())
        }),
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

impl Lsc {
    const fn port(&self) -> LscPort {
        match self {
            Self::Vector { port, .. }
            | Self::Quad { port, .. }
            | Self::Block2d { port, .. }
            | Self::Atomic { port, .. }
            | Self::Fence { port, .. }
            | Self::ReadState { port, .. }
            | Self::LoadStatus { port, .. } => *port,
        }
    }

    const fn address(&self) -> Option<&LscAddress> {
        match self {
            Self::Vector { address, .. }
            | Self::Quad { address, .. }
            | Self::Block2d { address, .. }
            | Self::Atomic { address, .. }
            | Self::ReadState { address, .. }
            | Self::LoadStatus { address, .. } => Some(address),
            Self::Fence { .. } => None,
        }
    }

    const fn is_flat(&self) -> bool {
        matches!(self.address(), Some(LscAddress::Flat { .. }))
    }

    const fn address_size(&self) -> Option<AddressSize> {
        match self {
            Self::Vector { address_size, .. }
            | Self::Quad { address_size, .. }
            | Self::Atomic { address_size, .. }
            | Self::LoadStatus { address_size, .. } => Some(*address_size),
            Self::Block2d { .. } | Self::Fence { .. } | Self::ReadState { .. } => None,
        }
    }

    const fn cache(&self) -> Option<u8> {
        match self {
            Self::Vector { cache, .. }
            | Self::Quad { cache, .. }
            | Self::Block2d { cache, .. }
            | Self::Atomic { cache, .. } => Some(*cache),
            Self::Fence { .. } | Self::ReadState { .. } | Self::LoadStatus { .. } => None,
        }
    }

    const fn is_load(&self) -> bool {
        match self {
            Self::Vector { direction, .. }
            | Self::Quad { direction, .. }
            | Self::Block2d { direction, .. } => matches!(direction, Direction::Read),
            _ => false,
        }
    }
}
