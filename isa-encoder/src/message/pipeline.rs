//! Messages of the 3D pipeline: render targets, the unified return buffer.

use core::fmt;

use super::layout::{Code, Field, Miss, Table, Words, messages, values};

pub(super) const TYPE: Field = Field::new("message type", 17, 14);
const SURFACE: Field = Field::new("surface", 7, 0);
const SUBTYPE: Field = Field::new("subtype", 10, 8);
const HIGH_SLOTS: Field = Field::bit("slot group", 11);
const LAST: Field = Field::bit("last", 12);
const PER_SAMPLE: Field = Field::bit("per sample", 13);
const COARSE: Field = Field::bit("coarse", 18);
const MULTI_RATE: Field = Field::bit("multi-rate", 29);
const HALF: Field = Field::bit("half", 30);

const MODES: Table<RenderMode> = Table(SUBTYPE, RenderMode::CODES);
const MODES_XE2: Table<RenderMode> = Table(
    Field::new("subtype", 9, 8),
    &[(0, RenderMode::Wide), (2, RenderMode::DualLow)],
);

pub(super) const URB_OPCODE: Field = Field::new("opcode", 3, 0);
const URB_OFFSET: Field = Field::new("offset", 14, 4);
const URB_MASKED: Field = Field::bit("masked", 15);
const URB_PER_SLOT: Field = Field::bit("per slot", 17);

const fn flag(set: bool, name: &'static str) -> &'static str {
    if set { name } else { "" }
}

values! {
    /// The channels and colours of a render target write (descriptor bits 10:8).
    ///
    /// Sources: Mesa `brw_eu_defines.h` (`BRW_DATAPORT_RENDER_TARGET_WRITE_*`), IGA
    /// `MessageDecoderOther.cpp` (`tryDecodeRC`).
    RenderMode {
        /// Sixteen channels (32 with registers of 64 bytes), one colour.
        Wide "",
        /// Like [`RenderMode::Wide`], with the same colour for all channels (to XeHPC).
        Replicated " replicated",
        /// Half as many channels, two colours for blending; the lower channels (on Xe2 all channels
        /// of the thread).
        DualLow " dual",
        /// Like [`RenderMode::DualLow`], for the upper channels (to XeHPC).
        DualHigh " dual high",
        /// Half as many channels, one colour (to XeHPC).
        Narrow " narrow",
    }
}

/// What the payload of a render target write has besides its colours, and where the colours go
/// (extended descriptor). Up to Gen9 this is in the header, and everything here is zero.
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

impl fmt::Display for RenderOutputs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}{}{}{}{}{}",
            self.target,
            flag(self.null, " null"),
            flag(self.source_alpha, " alpha"),
            flag(self.stencil, " stencil"),
            flag(self.depth, " depth"),
            flag(self.sample_mask, " mask")
        )
    }
}

/// Where the members of [`RenderOutputs`] are, in their order; `None` for those that are absent.
struct Outputs([Option<Field>; 6]);

const NULL_TARGET: Field = Field::extended("null target", 20, 20);
const SOURCE_ALPHA: Field = Field::extended("source alpha", 15, 15);
const OUTPUTS_IN_HEADER: Outputs = Outputs([None; 6]);
const OUTPUTS: Outputs = Outputs([
    Some(Field::extended("render target", 14, 12)),
    Some(NULL_TARGET),
    Some(SOURCE_ALPHA),
    None,
    None,
    None,
]);
const OUTPUTS_XE2: Outputs = Outputs([
    Some(Field::extended("render target", 23, 21)),
    Some(NULL_TARGET),
    Some(SOURCE_ALPHA),
    Some(Field::extended("stencil", 14, 14)),
    Some(Field::extended("depth", 13, 13)),
    Some(Field::extended("sample mask", 12, 12)),
]);

impl Code<RenderOutputs> for Outputs {
    fn get(&self, from: &Words) -> Result<RenderOutputs, Miss> {
        let values = self
            .0
            .map(|field| field.map_or(0, |field| field.code(from)));
        let [target, null, source_alpha, stencil, depth, sample_mask] = values;
        Ok(RenderOutputs {
            target: target as u8,
            null: null != 0,
            source_alpha: source_alpha != 0,
            stencil: stencil != 0,
            depth: depth != 0,
            sample_mask: sample_mask != 0,
        })
    }

    fn put(&self, into: &mut Words, value: RenderOutputs) -> Result<(), Miss> {
        let RenderOutputs {
            target,
            null,
            source_alpha,
            stencil,
            depth,
            sample_mask,
        } = value;
        let flags = [null, source_alpha, stencil, depth, sample_mask].map(u32::from);
        let values = [u32::from(target)].into_iter().chain(flags);
        for (field, value) in self.0.into_iter().zip(values) {
            match field {
                Some(field) => field.put_code(into, value)?,
                None if value == 0 => {}
                None => return Err(into.no_code("render target output")),
            }
        }
        Ok(())
    }
}

messages! {
    /// A message to the render cache.
    ///
    /// Payload: up to two registers of header; then source 0 alpha, the sample mask, colours
    /// (planes of red, green, blue, alpha), depth and stencil, each if present. The response of
    /// reads is four planes. Sources: Mesa `brw_eu.h` (`brw_fb_write_desc`, `brw_fb_read_desc`),
    /// IGA `MessageDecoderOther.cpp` (`tryDecodeRC`, `tryDecodeRC_XE2`).
    RenderTarget;

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
        /// What else the payload has.
        outputs: RenderOutputs,
    } (
        "render target write{mode}{}{}{}{}{}{} bti[{surface}] target {outputs}",
        flag(half, " 16-bit"),
        flag(coarse, " coarse"),
        flag(multi_rate, " multi-rate"),
        flag(per_sample, " per-sample"),
        flag(last, " last"),
        flag(high_slots, " high slots"),
    )
        => RenderCache(..=Gen9) [TYPE => 0xc] { coarse = false, multi_rate = false; mode: MODES, surface: SURFACE, per_sample: PER_SAMPLE, last: LAST, high_slots: HIGH_SLOTS, half: HALF, outputs: OUTPUTS_IN_HEADER }
        => RenderCache(Gen11..=XeHpc) [TYPE => 0xc] { multi_rate = false; mode: MODES, surface: SURFACE, per_sample: PER_SAMPLE, last: LAST, high_slots: HIGH_SLOTS, half: HALF, coarse: COARSE, outputs: OUTPUTS }
        => RenderCache(Xe2..) [TYPE => 0xc] { half = false; mode: MODES_XE2, surface: SURFACE, per_sample: PER_SAMPLE, last: LAST, high_slots: HIGH_SLOTS, coarse: COARSE, multi_rate: MULTI_RATE, outputs: OUTPUTS_XE2 }

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
    } (
        "render target read{}{}{} bti[{surface}]",
        flag(narrow, " narrow"),
        flag(per_sample, " per-sample"),
        flag(high_slots, " high slots"),
    )
        => RenderCache(Gen9..=XeHpc) [TYPE => 0xd] { ; narrow: Table(SUBTYPE, &[(0, false), (1, true)]), surface: SURFACE, per_sample: PER_SAMPLE, high_slots: HIGH_SLOTS }
        => RenderCache(Xe2..) [TYPE => 0xd] { narrow = false; surface: SURFACE, per_sample: PER_SAMPLE, high_slots: HIGH_SLOTS }
}

messages! {
    /// A message to the unified return buffer. Gen8 to XeHPC: Xe2 has load/store messages for it.
    ///
    /// Payload: a register of handles for eight channels, which is the header; a register each of
    /// offsets and channel masks, if present; then data, a register for each dword. Sources: Mesa
    /// `brw_eu.h` (`brw_urb_desc`), IGA `MessageDecoderOther.cpp` (`tryDecodeURB`).
    Urb;

    /// Writes dwords of each channel (opcode 7).
    Write {
        /// Offset in units of 16 bytes, 0 to 2047 (bits 14:4).
        offset: u16,
        /// The payload has an offset for each channel (bit 17).
        per_slot: bool,
        /// The payload has a mask of dwords for each channel (bit 15).
        masked: bool,
    } ("urb {}write +{offset}{}", flag(masked, "masked "), flag(per_slot, " per slot"))
        => Urb(..=XeHpc) [URB_OPCODE => 7] { ; offset: URB_OFFSET, per_slot: URB_PER_SLOT, masked: URB_MASKED }

    /// Reads dwords of each channel (opcode 8).
    Read {
        /// Offset in units of 16 bytes, 0 to 2047 (bits 14:4).
        offset: u16,
        /// The payload has an offset for each channel (bit 17).
        per_slot: bool,
    } ("urb read +{offset}{}", flag(per_slot, " per slot"))
        => Urb(..=XeHpc) [URB_OPCODE => 8] { ; offset: URB_OFFSET, per_slot: URB_PER_SLOT }

    /// Orders accesses (opcode 9, XeHPG and XeHPC).
    Fence ("urb fence")
        => Urb(XeHpg..=XeHpc) [URB_OPCODE => 9] { ; }
}
