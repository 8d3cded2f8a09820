//! Sampler messages.
//!
//! Sources: Skylake and Tiger Lake PRM vol 7 "Message Descriptor" and "Payload Parameter
//! Definition" of the 3D sampler, IGA's sampler decoder, Mesa's `brw_sampler_desc`.

use core::fmt;

use devinfo::Family;

use super::DescriptorError;
use super::bits::Field;
use crate::Sfid;

const SURFACE: Field = Field::new(7, 0);
const SAMPLER: Field = Field::new(11, 8);
const TYPE: Field = Field::new(16, 12);
const SIMD: Field = Field::new(18, 17);
const SIMD_HIGH: Field = Field::bit(29);
const RETURN_16: Field = Field::bit(30);
const TYPE_HIGH: Field = Field::bit(31);

/// What a sampler message does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SamplerOp {
    /// Sample at the computed level of detail.
    Sample,
    /// Sample with a bias.
    SampleBias,
    /// Sample at a given level of detail.
    SampleLod,
    /// Sample and compare.
    SampleCompare,
    /// Sample with gradients.
    SampleGradients,
    /// Fetch a texel by integer coordinates, with level of detail.
    Load,
    /// Fetch the four texels that linear filtering would use.
    Gather4,
    /// The level of detail that a sample would use.
    Lod,
    /// The dimensions of a level.
    ResourceInfo,
    /// The number of samples.
    SampleInfo,
    /// Sample at level 0.
    SampleLevelZero,
    /// Fetch at level 0.
    LoadLevelZero,
    /// Fetch the multisample control word.
    LoadMcs,
    /// Fetch one sample of a multisampled texel, with a wide control word.
    LoadMultisampleWide,
    /// Fetch one sample of a multisampled texel.
    LoadMultisample,
}

/// One parameter of a sampler payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Parameter {
    /// First coordinate.
    U,
    /// Second coordinate.
    V,
    /// Third coordinate, or array index.
    R,
    /// Array index of cubes.
    ArrayIndex,
    /// Level of detail.
    Lod,
    /// Bias.
    Bias,
    /// Reference value.
    Reference,
    /// Sample index.
    SampleIndex,
    /// Multisample control word, low.
    McsLow,
    /// Multisample control word, high.
    McsHigh,
    /// du/dx.
    DuDx,
    /// du/dy.
    DuDy,
    /// dv/dx.
    DvDx,
    /// dv/dy.
    DvDy,
    /// dr/dx.
    DrDx,
    /// dr/dy.
    DrDy,
    /// Minimum level of detail.
    MinLod,
}

struct Row {
    code: u32,
    op: SamplerOp,
    name: &'static str,
    parameters: &'static [Parameter],
}

const ROWS: &[Row] = {
    use Parameter as P;
    use SamplerOp as S;
    const fn row(
        code: u32,
        op: SamplerOp,
        name: &'static str,
        parameters: &'static [Parameter],
    ) -> Row {
        Row {
            code,
            op,
            name,
            parameters,
        }
    }
    &[
        row(
            0x00,
            S::Sample,
            "sample",
            &[P::U, P::V, P::R, P::ArrayIndex, P::MinLod],
        ),
        row(
            0x01,
            S::SampleBias,
            "sample_b",
            &[P::Bias, P::U, P::V, P::R, P::ArrayIndex, P::MinLod],
        ),
        row(
            0x02,
            S::SampleLod,
            "sample_l",
            &[P::Lod, P::U, P::V, P::R, P::ArrayIndex],
        ),
        row(
            0x03,
            S::SampleCompare,
            "sample_c",
            &[P::Reference, P::U, P::V, P::R, P::ArrayIndex, P::MinLod],
        ),
        row(
            0x04,
            S::SampleGradients,
            "sample_d",
            &[
                P::U,
                P::DuDx,
                P::DuDy,
                P::V,
                P::DvDx,
                P::DvDy,
                P::R,
                P::DrDx,
                P::DrDy,
                P::ArrayIndex,
                P::MinLod,
            ],
        ),
        row(0x07, S::Load, "ld", &[P::U, P::V, P::Lod, P::R]),
        row(
            0x08,
            S::Gather4,
            "gather4",
            &[P::U, P::V, P::R, P::ArrayIndex],
        ),
        row(0x09, S::Lod, "lod", &[P::U, P::V, P::R, P::ArrayIndex]),
        row(0x0a, S::ResourceInfo, "resinfo", &[P::Lod]),
        row(0x0b, S::SampleInfo, "sampleinfo", &[]),
        row(
            0x18,
            S::SampleLevelZero,
            "sample_lz",
            &[P::U, P::V, P::R, P::ArrayIndex],
        ),
        row(0x1a, S::LoadLevelZero, "ld_lz", &[P::U, P::V, P::R]),
        row(
            0x1c,
            S::LoadMultisampleWide,
            "ld2dms_w",
            &[
                P::SampleIndex,
                P::McsLow,
                P::McsHigh,
                P::U,
                P::V,
                P::R,
                P::Lod,
            ],
        ),
        row(0x1d, S::LoadMcs, "ld_mcs", &[P::U, P::V, P::R, P::Lod]),
        row(
            0x1e,
            S::LoadMultisample,
            "ld2dms",
            &[P::SampleIndex, P::McsLow, P::U, P::V, P::R, P::Lod],
        ),
    ]
};

impl SamplerOp {
    fn row(self) -> &'static Row {
        ROWS.iter().find(|row| row.op == self).unwrap_or(&ROWS[0])
    }

    /// The payload's parameters in order; trailing ones may be absent. Gen8 puts the level of
    /// detail of `ld` second.
    pub fn parameters(self, family: Family) -> &'static [Parameter] {
        if self == Self::Load && family < Family::Gen9 {
            return &[Parameter::U, Parameter::Lod, Parameter::V, Parameter::R];
        }
        self.row().parameters
    }

    /// Whether the parameters are integers, not floats.
    pub const fn integer_parameters(self) -> bool {
        matches!(
            self,
            Self::Load
                | Self::LoadLevelZero
                | Self::LoadMcs
                | Self::LoadMultisample
                | Self::LoadMultisampleWide
                | Self::ResourceInfo
        )
    }
}

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

pub(super) fn decode(family: Family, descriptor: u32) -> Result<Sampler, DescriptorError> {
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
    let row = ROWS
        .iter()
        .find(|row| row.code == code)
        .ok_or_else(|| undefined("message type", code))?;
    Ok(Sampler {
        op: row.op,
        surface: SURFACE.get(descriptor) as u8,
        sampler: SAMPLER.get(descriptor) as u8,
        simd: simd * widening(family),
        half_parameters: *half_parameters,
        half_results: RETURN_16.is_set(descriptor),
    })
}

pub(super) fn encode(family: Family, message: Sampler) -> Result<u32, DescriptorError> {
    let (mode, ..) = MODES
        .iter()
        .find(|(_, simd, half)| {
            simd * widening(family) == message.simd && *half == message.half_parameters
        })
        .ok_or(DescriptorError::Unsupported {
            what: "sampler message of this width",
            family,
        })?;
    let mut descriptor = 0;
    SURFACE.put(&mut descriptor, "surface", message.surface.into())?;
    SAMPLER.put(&mut descriptor, "sampler", message.sampler.into())?;
    TYPE.put(&mut descriptor, "message type", message.op.row().code)?;
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
            self.op.row().name,
            self.simd,
            if self.half_parameters { "h" } else { "" },
            if self.half_results { " 16-bit" } else { "" },
            self.surface,
            self.sampler
        )
    }
}
