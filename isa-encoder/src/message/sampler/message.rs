//! Sampler messages and their descriptors.

use core::fmt;

use devinfo::Family;

use super::SamplerOp;
use crate::Sfid;
use crate::message::DescriptorError;
use crate::message::bits::Field;

const SURFACE: Field = Field::new(7, 0);
const SAMPLER: Field = Field::new(11, 8);
const TYPE: Field = Field::new(16, 12);
const SIMD: Field = Field::new(18, 17);
const SIMD_HIGH: Field = Field::bit(29);
const RETURN_16: Field = Field::bit(30);
const TYPE_HIGH: Field = Field::bit(31);

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
    /// Channels: 8 or 16 (16 or 32 with registers of 64 bytes; XeHPC after iga64 1.1.0, whose
    /// later sources differ); 32 for the operations on blocks of pixels, see
    /// [`SamplerOp::is_block`] (bits 29, 18:17).
    pub simd: u8,
    /// Parameters are 16 bits wide (Gen11 and later).
    pub half_parameters: bool,
    /// Results are 16 bits wide (bit 30).
    pub half_results: bool,
    /// Results are integers (XeHPG and XeHPC).
    pub integer_results: bool,
}

/// The SIMD field: `(code, channels, half parameters, integer results, first family, last)`.
type Mode = (u32, u8, bool, bool, Family, Family);

const MODES: &[Mode] = {
    use Family::{Gen8, Gen12Lp, Xe2, XeHpc, XeHpg};
    &[
        (1, 8, false, false, Gen8, XeHpg),
        (2, 16, false, false, Gen8, XeHpg),
        (3, 32, false, false, Gen8, Gen12Lp),
        (5, 8, true, false, Gen8, XeHpg),
        (6, 16, true, false, Gen8, XeHpg),
        (0, 8, false, true, XeHpg, XeHpg),
        (4, 16, false, true, XeHpg, XeHpg),
        (1, 16, false, false, XeHpc, Xe2),
        (2, 32, false, false, XeHpc, Xe2),
        (5, 16, true, false, XeHpc, Xe2),
        (6, 32, true, false, XeHpc, Xe2),
        (0, 16, false, true, XeHpc, XeHpc),
        (4, 32, false, true, XeHpc, XeHpc),
    ]
};
/// The mode of operations on blocks of pixels (SIMD32 and SIMD64), to Gen12LP.
const BLOCK_MODE: u32 = 3;

fn modes(family: Family) -> impl Iterator<Item = &'static Mode> {
    MODES
        .iter()
        .filter(move |(.., first, last)| (*first..=*last).contains(&family))
}

pub fn decode(family: Family, descriptor: u32) -> Result<Sampler, DescriptorError> {
    let undefined = |field, value| DescriptorError::Field {
        function: Sfid::Sampler,
        field,
        value,
        descriptor,
    };
    let mode = SIMD.get(descriptor) | SIMD_HIGH.get(descriptor) << 2;
    let (_, simd, half_parameters, integer_results, ..) = *modes(family)
        .find(|(code, ..)| *code == mode)
        .ok_or_else(|| undefined("SIMD mode", mode))?;
    let block = family < Family::XeHpg && mode == BLOCK_MODE;
    let code = TYPE.get(descriptor) | TYPE_HIGH.get(descriptor) << 5;
    Ok(Sampler {
        op: SamplerOp::from_code(family, code, block)
            .ok_or_else(|| undefined("message type", code))?,
        surface: SURFACE.get(descriptor) as u8,
        sampler: SAMPLER.get(descriptor) as u8,
        simd,
        half_parameters,
        half_results: RETURN_16.is_set(descriptor),
        integer_results,
    })
}

pub fn encode(family: Family, message: Sampler) -> Result<u32, DescriptorError> {
    if !message.op.exists(family) {
        return Err(DescriptorError::Unsupported {
            what: message.op.mnemonic(),
            family,
        });
    }
    let (mode, ..) = modes(family)
        .find(|(mode, simd, half, integer, ..)| {
            *simd == message.simd
                && *half == message.half_parameters
                && *integer == message.integer_results
                && (family >= Family::XeHpg || (*mode == BLOCK_MODE) == message.op.is_block())
        })
        .ok_or(DescriptorError::Unsupported {
            what: "sampler message of this width",
            family,
        })?;
    let code = message.op.code();
    let mut descriptor = 0;
    SURFACE.put(&mut descriptor, "surface", message.surface.into())?;
    SAMPLER.put(&mut descriptor, "sampler", message.sampler.into())?;
    TYPE.put(&mut descriptor, "message type", code & 0x1f)?;
    TYPE_HIGH.put(&mut descriptor, "message type", code >> 5)?;
    SIMD.put(&mut descriptor, "SIMD mode", mode & 3)?;
    SIMD_HIGH.put(&mut descriptor, "SIMD mode", mode >> 2)?;
    RETURN_16.put(
        &mut descriptor,
        "return format",
        message.half_results.into(),
    )?;
    Ok(descriptor)
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
