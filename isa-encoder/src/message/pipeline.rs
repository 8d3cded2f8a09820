//! Messages of the 3D pipeline: render targets, the unified return buffer, the pixel interpolator.

use core::fmt;

use devinfo::Family;

use super::bits::{Field, code_in};
use super::{DescriptorError, Descriptors};
use crate::Sfid;

const SURFACE: Field = Field::new(7, 0);
const SUBTYPE: Field = Field::new(10, 8);
const HIGH_SLOTS: Field = Field::bit(11);
const LAST: Field = Field::bit(12);
const PER_SAMPLE: Field = Field::bit(13);
const RENDER_TYPE: Field = Field::new(17, 14);
const COARSE: Field = Field::bit(18);
const HALF: Field = Field::bit(30);
/// Xe2 has half the subtypes, and a bit for coarse shading at several rates.
const SUBTYPE_XE2: Field = Field::new(9, 8);
const MULTI_RATE: Field = Field::bit(29);

const RENDER_WRITE: u32 = 0xc;
const RENDER_READ: u32 = 0xd;

/// Extended descriptor: number of the render target, Gen11 to XeHPC and Xe2.
const TARGET: Field = Field::new(14, 12);
const TARGET_XE2: Field = Field::new(23, 21);
const NULL_TARGET: Field = Field::bit(20);
const SOURCE_ALPHA: Field = Field::bit(15);
const STENCIL: Field = Field::bit(14);
const DEPTH: Field = Field::bit(13);
const SAMPLE_MASK: Field = Field::bit(12);

/// The channels and colours of a render target write (descriptor bits 10:8).
///
/// Sources: Mesa `brw_eu_defines.h` (`BRW_DATAPORT_RENDER_TARGET_WRITE_*`), IGA
/// `MessageDecoderOther.cpp` (`tryDecodeRC`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RenderMode {
    /// Sixteen channels (32 with registers of 64 bytes), one colour.
    Wide,
    /// As [`RenderMode::Wide`], the same colour for all channels (to XeHPC).
    Replicated,
    /// Half as many channels, two colours for blending; the lower channels (all of a thread's on
    /// Xe2).
    DualLow,
    /// As [`RenderMode::DualLow`], the upper channels (to XeHPC).
    DualHigh,
    /// Half as many channels, one colour (to XeHPC).
    Narrow,
}

const MODES: [RenderMode; 5] = [
    RenderMode::Wide,
    RenderMode::Replicated,
    RenderMode::DualLow,
    RenderMode::DualHigh,
    RenderMode::Narrow,
];

/// What the payload of a render target write has besides its colours, and where they go
/// (extended descriptor). To Gen9 this is in the header, and all of it is zero.
///
/// Source: Mesa `brw_lower_logical_sends.cpp` (`lower_fb_write_logical_send`), IGA
/// `MessageDecoderOther.cpp` (`tryDecodeRC_XE2`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct RenderOutputs {
    /// Number of the render target, 0 to 7 (Gen11 and later).
    pub target: u8,
    /// There is no render target (Gen11 and later).
    pub null: bool,
    /// Source 0 alpha goes with the colour (Gen11 and later).
    pub source_alpha: bool,
    /// Stencil values go with it (Xe2).
    pub stencil: bool,
    /// Depth goes with it (Xe2).
    pub depth: bool,
    /// A sample mask goes with it (Xe2).
    pub sample_mask: bool,
}

/// A message to the render cache.
///
/// Payload: up to two registers of header; then source 0 alpha, the sample mask, colours (planes
/// of red, green, blue, alpha), depth and stencil, those that are there. The response of reads is
/// four planes. Sources: Mesa `brw_eu.h` (`brw_fb_write_desc`, `brw_fb_read_desc`), IGA
/// `MessageDecoderOther.cpp` (`tryDecodeRC`, `tryDecodeRC_XE2`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RenderTarget {
    /// Writes colours to a render target. All families.
    Write {
        /// Channels and colours.
        mode: RenderMode,
        /// Binding table index.
        surface: u8,
        /// Colours have 16 bits (to XeHPC).
        half: bool,
        /// The thread shades coarse pixels (Gen11 and later; on Xe2 samples of coarse pixels).
        coarse: bool,
        /// Coarse pixels of several sizes (Xe2).
        multi_rate: bool,
        /// The thread shades samples.
        per_sample: bool,
        /// The last write of the thread.
        last: bool,
        /// Channels 16 and up of a wider thread.
        high_slots: bool,
        /// What else there is.
        outputs: RenderOutputs,
    },
    /// Reads the colours of a render target. Gen9 and later.
    Read {
        /// Half the channels of [`RenderMode::Wide`] (to XeHPC).
        narrow: bool,
        /// Binding table index.
        surface: u8,
        /// The thread shades samples.
        per_sample: bool,
        /// Channels 16 and up of a wider thread.
        high_slots: bool,
    },
}

/// A message to the unified return buffer. Gen8 to XeHPC: Xe2 has load/store messages for it.
///
/// Payload: a register of handles, one a channel of eight, which is the header; offsets and
/// channel masks, a register each, if there are; then data, a register for each dword. Sources:
/// Mesa `brw_eu.h` (`brw_urb_desc`), IGA `MessageDecoderOther.cpp` (`tryDecodeURB`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Urb {
    /// Writes dwords of each channel (opcode 7).
    Write {
        /// Offset in units of 16 bytes, 0 to 2047 (bits 14:4).
        offset: u16,
        /// The payload has an offset for each channel (bit 17).
        per_slot: bool,
        /// The payload has a mask of dwords for each channel (bit 15).
        masked: bool,
    },
    /// Reads dwords of each channel (opcode 8).
    Read {
        /// Offset in units of 16 bytes, 0 to 2047 (bits 14:4).
        offset: u16,
        /// The payload has an offset for each channel (bit 17).
        per_slot: bool,
    },
    /// Orders accesses (opcode 9, XeHPG and XeHPC).
    Fence,
}

const URB_OPCODE: Field = Field::new(3, 0);
const URB_OFFSET: Field = Field::new(14, 4);
const URB_MASKED: Field = Field::bit(15);
const URB_PER_SLOT: Field = Field::bit(17);

fn undefined<T>(
    function: Sfid,
    field: &'static str,
    value: u32,
    descriptor: u32,
) -> Result<T, DescriptorError> {
    Err(DescriptorError::Field {
        function,
        field,
        value,
        descriptor,
    })
}

pub(super) fn decode_render(
    family: Family,
    descriptors: Descriptors,
) -> Result<RenderTarget, DescriptorError> {
    let Descriptors {
        descriptor,
        extended,
        ..
    } = descriptors;
    let xe2 = family >= Family::Xe2;
    let subtype = match xe2 {
        true => SUBTYPE_XE2.get(descriptor),
        false => SUBTYPE.get(descriptor),
    };
    let set = |field: Field| field.is_set(descriptor);
    let surface = SURFACE.get(descriptor) as u8;
    match RENDER_TYPE.get(descriptor) {
        RENDER_WRITE => Ok(RenderTarget::Write {
            mode: match MODES.get(subtype as usize) {
                Some(mode) => *mode,
                None => {
                    return undefined(Sfid::RenderCache, "subtype", subtype, descriptor);
                }
            },
            surface,
            half: !xe2 && set(HALF),
            coarse: family >= Family::Gen11 && set(COARSE),
            multi_rate: xe2 && set(MULTI_RATE),
            per_sample: set(PER_SAMPLE),
            last: set(LAST),
            high_slots: set(HIGH_SLOTS),
            outputs: outputs(family, extended),
        }),
        RENDER_READ if family >= Family::Gen9 => Ok(RenderTarget::Read {
            narrow: match subtype {
                _ if xe2 => false,
                0 => false,
                1 => true,
                _ => return undefined(Sfid::RenderCache, "subtype", subtype, descriptor),
            },
            surface,
            per_sample: set(PER_SAMPLE),
            high_slots: set(HIGH_SLOTS),
        }),
        kind => undefined(Sfid::RenderCache, "message type", kind, descriptor),
    }
}

fn outputs(family: Family, extended: u32) -> RenderOutputs {
    let set = |field: Field| field.is_set(extended);
    match family {
        Family::Gen8 | Family::Gen9 => RenderOutputs::default(),
        Family::Xe2 => RenderOutputs {
            target: TARGET_XE2.get(extended) as u8,
            null: set(NULL_TARGET),
            source_alpha: set(SOURCE_ALPHA),
            stencil: set(STENCIL),
            depth: set(DEPTH),
            sample_mask: set(SAMPLE_MASK),
        },
        _ => RenderOutputs {
            target: TARGET.get(extended) as u8,
            null: set(NULL_TARGET),
            source_alpha: set(SOURCE_ALPHA),
            ..RenderOutputs::default()
        },
    }
}

pub(super) fn encode_render(
    family: Family,
    message: RenderTarget,
) -> Result<Descriptors, DescriptorError> {
    let mut out = Descriptors::default();
    let descriptor = &mut out.descriptor;
    match message {
        RenderTarget::Write {
            mode,
            surface,
            half,
            coarse,
            multi_rate,
            per_sample,
            last,
            high_slots,
            outputs,
        } => {
            let subtype = code_in(&MODES, &mode);
            RENDER_TYPE.put(descriptor, "message type", RENDER_WRITE)?;
            match family {
                Family::Xe2 => SUBTYPE_XE2.put(descriptor, "subtype", subtype)?,
                _ => SUBTYPE.put(descriptor, "subtype", subtype)?,
            }
            SURFACE.put(descriptor, "surface", surface.into())?;
            for (field, set) in [
                (HALF, half),
                (COARSE, coarse),
                (MULTI_RATE, multi_rate),
                (PER_SAMPLE, per_sample),
                (LAST, last),
                (HIGH_SLOTS, high_slots),
            ] {
                field.put(descriptor, "render target flag", set.into())?;
            }
            let extended = &mut out.extended;
            let target = match family {
                Family::Xe2 => TARGET_XE2,
                _ => TARGET,
            };
            target.put(extended, "render target", outputs.target.into())?;
            let mut flags = alloc::vec![
                (NULL_TARGET, outputs.null),
                (SOURCE_ALPHA, outputs.source_alpha),
            ];
            if family == Family::Xe2 {
                flags.extend([
                    (STENCIL, outputs.stencil),
                    (DEPTH, outputs.depth),
                    (SAMPLE_MASK, outputs.sample_mask),
                ]);
            }
            for (field, set) in flags {
                field.put(extended, "render target flag", set.into())?;
            }
        }
        RenderTarget::Read {
            narrow,
            surface,
            per_sample,
            high_slots,
        } => {
            RENDER_TYPE.put(descriptor, "message type", RENDER_READ)?;
            SUBTYPE.put(descriptor, "subtype", narrow.into())?;
            SURFACE.put(descriptor, "surface", surface.into())?;
            PER_SAMPLE.put(descriptor, "per sample", per_sample.into())?;
            HIGH_SLOTS.put(descriptor, "slot group", high_slots.into())?;
        }
    }
    Ok(out)
}

pub(super) fn decode_urb(family: Family, descriptor: u32) -> Result<Urb, DescriptorError> {
    let offset = URB_OFFSET.get(descriptor) as u16;
    let per_slot = URB_PER_SLOT.is_set(descriptor);
    match URB_OPCODE.get(descriptor) {
        7 => Ok(Urb::Write {
            offset,
            per_slot,
            masked: URB_MASKED.is_set(descriptor),
        }),
        8 => Ok(Urb::Read { offset, per_slot }),
        9 if family >= Family::XeHpg => Ok(Urb::Fence),
        opcode => undefined(Sfid::Urb, "opcode", opcode, descriptor),
    }
}

pub(super) fn encode_urb(message: Urb) -> Result<u32, DescriptorError> {
    let mut descriptor = 0;
    let (opcode, offset, per_slot, masked) = match message {
        Urb::Write {
            offset,
            per_slot,
            masked,
        } => (7, offset, per_slot, masked),
        Urb::Read { offset, per_slot } => (8, offset, per_slot, false),
        Urb::Fence => (9, 0, false, false),
    };
    URB_OPCODE.put(&mut descriptor, "opcode", opcode)?;
    URB_OFFSET.put(&mut descriptor, "offset", offset.into())?;
    URB_PER_SLOT.put(&mut descriptor, "per slot", per_slot.into())?;
    URB_MASKED.put(&mut descriptor, "masked", masked.into())?;
    Ok(descriptor)
}

impl fmt::Display for RenderTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let flag = |set: bool, name: &'static str| if set { name } else { "" };
        match *self {
            Self::Write {
                mode,
                surface,
                half,
                coarse,
                multi_rate,
                per_sample,
                last,
                high_slots,
                outputs,
            } => {
                let mode = match mode {
                    RenderMode::Wide => "",
                    RenderMode::Replicated => " replicated",
                    RenderMode::DualLow => " dual",
                    RenderMode::DualHigh => " dual high",
                    RenderMode::Narrow => " narrow",
                };
                write!(
                    f,
                    "render target write{mode}{}{}{}{}{}{} bti[{surface}] target {}",
                    flag(half, " 16-bit"),
                    flag(coarse, " coarse"),
                    flag(multi_rate, " multi-rate"),
                    flag(per_sample, " per-sample"),
                    flag(last, " last"),
                    flag(high_slots, " high slots"),
                    outputs.target
                )?;
                write!(
                    f,
                    "{}{}{}{}{}",
                    flag(outputs.null, " null"),
                    flag(outputs.source_alpha, " alpha"),
                    flag(outputs.stencil, " stencil"),
                    flag(outputs.depth, " depth"),
                    flag(outputs.sample_mask, " mask")
                )
            }
            Self::Read {
                narrow,
                surface,
                per_sample,
                high_slots,
            } => write!(
                f,
                "render target read{}{}{} bti[{surface}]",
                flag(narrow, " narrow"),
                flag(per_sample, " per-sample"),
                flag(high_slots, " high slots")
            ),
        }
    }
}

impl fmt::Display for Urb {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slots = |per_slot| if per_slot { " per slot" } else { "" };
        match *self {
            Self::Write {
                offset,
                per_slot,
                masked,
            } => write!(
                f,
                "urb {}write +{offset}{}",
                if masked { "masked " } else { "" },
                slots(per_slot)
            ),
            Self::Read { offset, per_slot } => write!(f, "urb read +{offset}{}", slots(per_slot)),
            Self::Fence => f.write_str("urb fence"),
        }
    }
}
