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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// Operation.
    pub op: SamplerOp,
    /// Binding table index: 0 to 239, or 0xfc for a surface state in the bindless heap.
    pub surface: u8,
    /// Sampler state index; the header can add to it.
    pub sampler: u8,
    /// 8 or 16 (16 or 32 on Xe2).
    pub simd: u8,
    /// Parameters are 16 bits wide.
    pub half_parameters: bool,
    /// Results are 16 bits wide.
    pub half_results: bool,
}

/// `(code, first family's channels, half parameters)` of the SIMD field.
const MODES: &[(u32, u8, bool)] = &[(1, 8, false), (2, 16, false), (5, 8, true), (6, 16, true)];

const fn widening(family: Family) -> u8 {
    match family {
        Family::Xe2 => 2,
        _ => 1,
    }
}

pub fn decode(family: Family, descriptor: u32) -> Result<Sampler, DescriptorError> {
    let undefined = |field, value| DescriptorError::Field {
        function: Sfid::Sampler,
        field,
        value,
        descriptor,
    };
    let mode = SIMD.get(descriptor) | SIMD_HIGH.get(descriptor) << 2;
    let (_, simd, half_parameters) = MODES
        .iter()
        .find(|(code, ..)| *code == mode)
        .ok_or_else(|| undefined("SIMD mode", mode))?;
    let code = TYPE.get(descriptor) | TYPE_HIGH.get(descriptor) << 5;
    Ok(Sampler {
        op: SamplerOp::from_code(family, code).ok_or_else(|| undefined("message type", code))?,
        surface: SURFACE.get(descriptor) as u8,
        sampler: SAMPLER.get(descriptor) as u8,
        simd: simd * widening(family),
        half_parameters: *half_parameters,
        half_results: RETURN_16.is_set(descriptor),
    })
}

pub fn encode(family: Family, message: Sampler) -> Result<u32, DescriptorError> {
    let (mode, ..) = MODES
        .iter()
        .find(|(_, simd, half)| {
            simd * widening(family) == message.simd && *half == message.half_parameters
        })
        .ok_or(DescriptorError::Unsupported {
            what: "sampler message of this width",
            family,
        })?;
    if !message.op.exists(family) {
        return Err(DescriptorError::Unsupported {
            what: message.op.mnemonic(),
            family,
        });
    }
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
            "{} simd{}{}{} bti[{}] sampler[{}]",
            self.op.mnemonic(),
            self.simd,
            if self.half_parameters { "h" } else { "" },
            if self.half_results { " 16-bit" } else { "" },
            self.surface,
            self.sampler
        )
    }
}
