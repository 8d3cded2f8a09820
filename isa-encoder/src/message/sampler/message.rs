//! Sampler messages and their descriptors.

use core::fmt;

use devinfo::{Family, Span, span};

use super::SamplerOp;
use crate::Sfid;
use crate::message::layout::{Field, Words};
use crate::message::{DescriptorError, Descriptors};

const SURFACE: Field = Field::new("surface", 7, 0);
const SAMPLER: Field = Field::new("sampler", 11, 8);
const TYPE: Field = Field::new("message type", 16, 12);
const SIMD: Field = Field::new("SIMD mode", 18, 17);
const SIMD_HIGH: Field = Field::bit("SIMD mode", 29);
const RETURN_16: Field = Field::bit("return format", 30);
const TYPE_HIGH: Field = Field::bit("message type", 31);

/// A sampler message.
///
/// Payload: a header of one register if [`Lengths::header`](crate::message::Lengths::header) says
/// so, then the parameters in the order of [`SamplerOp::parameters`], each a plane of `simd`
/// elements of 32 bits (or 16), trailing ones left out; two sources split them anywhere between
/// registers. The response is a plane for each enabled channel: red, green, blue, alpha.
///
/// Sources: SKL and TGL PRM vol 7 "Message Descriptor"; Mesa `brw_eu.h` (`brw_sampler_desc`); IGA
/// `MessageDecoderOther.cpp` (`tryDecodeSMPL`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// Operation (descriptor bits 16:12, and 31 on Xe2).
    pub op: SamplerOp,
    /// Binding table index: 0 to 239, or 0xfc for a surface state in the bindless heap (bits 7:0).
    pub surface: u8,
    /// Sampler state index, 0 to 15; the header can add to it (bits 11:8).
    pub sampler: u8,
    /// Channels: 8 or 16 (16 or 32 with registers of 64 bytes; XeHPC as in iga64 1.1.0, later IGA
    /// sources differ); 32 for the operations on blocks of pixels, see [`SamplerOp::is_block`]
    /// (bits 29, 18:17).
    pub simd: u8,
    /// Parameters are 16 bits wide (Gen11 and later).
    pub half_parameters: bool,
    /// Results are 16 bits wide (bit 30).
    pub half_results: bool,
    /// Results are integers (XeHPG and XeHPC).
    pub integer_results: bool,
}

/// The SIMD field: `(families, code, channels, half parameters, integer results)`.
type Mode = (Span, u32, u8, bool, bool);

const MODES: &[Mode] = &[
    (span!(..=XeHpg), 1, 8, false, false),
    (span!(..=XeHpg), 2, 16, false, false),
    (span!(..=XeHpg), BLOCK_MODE, 32, false, false),
    (span!(..=XeHpg), 5, 8, true, false),
    (span!(..=XeHpg), 6, 16, true, false),
    (span!(XeHpg), 0, 8, false, true),
    (span!(XeHpg), 4, 16, false, true),
    (span!(XeHpc..), 1, 16, false, false),
    (span!(XeHpc..), 2, 32, false, false),
    (span!(XeHpc..), 5, 16, true, false),
    (span!(XeHpc..), 6, 32, true, false),
    (span!(XeHpc), 0, 16, false, true),
    (span!(XeHpc), 4, 32, false, true),
];
/// The mode of operations on blocks of pixels (SIMD32 and SIMD64). XeHPC dropped it; the media
/// driver's kernels for XeHPG use it.
const BLOCK_MODE: u32 = 3;

fn modes(family: Family) -> impl Iterator<Item = &'static Mode> {
    MODES.iter().filter(move |row| row.0.contains(family))
}

pub fn decode(words: &Words) -> Result<Sampler, DescriptorError> {
    let family = words.family;
    let mode = SIMD.code(words) | SIMD_HIGH.code(words) << 2;
    let (_, _, simd, half_parameters, integer_results) =
        *modes(family)
            .find(|row| row.1 == mode)
            .ok_or_else(|| words.undefined(SIMD.name, mode))?;
    let code = TYPE.code(words) | TYPE_HIGH.code(words) << 5;
    Ok(Sampler {
        op: SamplerOp::from_code(family, code, mode == BLOCK_MODE)
            .ok_or_else(|| words.undefined(TYPE.name, code))?,
        surface: SURFACE.code(words) as u8,
        sampler: SAMPLER.code(words) as u8,
        simd,
        half_parameters,
        half_results: RETURN_16.code(words) != 0,
        integer_results,
    })
}

pub fn encode(family: Family, message: Sampler) -> Result<Words, DescriptorError> {
    if !message.op.exists(family) {
        return Err(DescriptorError::Unsupported {
            what: message.op.mnemonic(),
            family,
        });
    }
    let (_, mode, ..) = modes(family)
        .find(|(_, mode, simd, half, integer)| {
            *simd == message.simd
                && *half == message.half_parameters
                && *integer == message.integer_results
                && (*mode == BLOCK_MODE) == message.op.is_block()
        })
        .ok_or(DescriptorError::Unsupported {
            what: "sampler message of this width",
            family,
        })?;
    let code = message.op.code();
    let mut words = Words::new(family, Sfid::Sampler, Descriptors::default());
    for (field, value) in [
        (SURFACE, message.surface.into()),
        (SAMPLER, message.sampler.into()),
        (TYPE, code & 0x1f),
        (TYPE_HIGH, code >> 5),
        (SIMD, mode & 3),
        (SIMD_HIGH, mode >> 2),
        (RETURN_16, message.half_results.into()),
    ] {
        field.set(&mut words.descriptors.descriptor, value)?;
    }
    Ok(words)
}

impl fmt::Display for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} simd{}{}{}{} bti[{}] sampler[{}]",
            self.op.mnemonic(),
            self.simd,
            if self.half_parameters { "h" } else { "" },
            if self.half_results { " 16-bit" } else { "" },
            if self.integer_results { " integer" } else { "" },
            self.surface,
            self.sampler
        )
    }
}
