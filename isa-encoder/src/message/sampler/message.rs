//! Sampler messages and their descriptors.

use core::fmt;

use devinfo::span;

use super::SamplerOp;
use crate::message::DescriptorError;
use crate::message::layout::{Code, FamilyTable, Field, Miss, Words, message};

const SURFACE: Field = Field::new("surface", 7, 0);
const SAMPLER: Field = Field::new("sampler", 11, 8);
pub const TYPE: Field = Field::new("message type", 16, 12).and(31);
const SIMD: Field = Field::new("SIMD mode", 18, 17).and(29);
const RETURN_16: Field = Field::bit("return format", 30);

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

message! {
    Sampler { op, surface, sampler, simd, half_parameters, half_results, integer_results }
    => Sampler {
        (simd, half_parameters, integer_results): MODES,
        op: Operation,
        surface: SURFACE,
        sampler: SAMPLER,
        half_results: RETURN_16,
    }
}

/// Channels, half parameters, integer results.
const MODES: FamilyTable<(u8, bool, bool)> = FamilyTable(
    SIMD,
    &[
        (span!(..=XeHpg), 1, (8, false, false)),
        (span!(..=XeHpg), 2, (16, false, false)),
        (span!(..=XeHpg), BLOCK_MODE, (32, false, false)),
        (span!(..=XeHpg), 5, (8, true, false)),
        (span!(..=XeHpg), 6, (16, true, false)),
        (span!(XeHpg), 0, (8, false, true)),
        (span!(XeHpg), 4, (16, false, true)),
        (span!(XeHpc..), 1, (16, false, false)),
        (span!(XeHpc..), 2, (32, false, false)),
        (span!(XeHpc..), 5, (16, true, false)),
        (span!(XeHpc..), 6, (32, true, false)),
        (span!(XeHpc), 0, (16, false, true)),
        (span!(XeHpc), 4, (32, false, true)),
    ],
);
/// The mode of operations on blocks of pixels (SIMD32 and SIMD64). XeHPC dropped it; the media
/// driver's kernels for XeHPG use it.
const BLOCK_MODE: u32 = 3;

/// The type, whose meaning the mode changes.
struct Operation;

impl Code<SamplerOp> for Operation {
    fn get(&self, from: &Words) -> Result<SamplerOp, Miss> {
        let (code, is_block) = (TYPE.code(from), SIMD.code(from) == BLOCK_MODE);
        SamplerOp::from_code(from.family, code, is_block)
            .ok_or(Some(from.undefined(TYPE.name, code)))
    }

    fn put(&self, into: &mut Words, op: SamplerOp) -> Result<(), Miss> {
        if !op.exists(into.family) || op.is_block() != (SIMD.code(into) == BLOCK_MODE) {
            return Err(Some(DescriptorError::Unsupported {
                what: op.mnemonic(),
                family: into.family,
            }));
        }
        TYPE.put_code(into, op.code())
    }
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
