//! The operations of the sampler: codes, parameters, families.

use devinfo::{Family, Span, span};

macro_rules! operations {
    ($($op:ident $name:literal $code:literal ($($span:tt)*) [$($parameter:ident)*] $doc:literal;)*) => {
        /// What a sampler message does.
        ///
        /// The codes are descriptor bits 16:12, with bit 31 above them. Codes from 0x40 on are
        /// operations on blocks of pixels, numbered separately: [`SamplerOp::is_block`]. Parameters
        /// are those of [`SamplerOp::parameters`] before Xe2, or on Xe2 for operations that are new
        /// there. Sources: SKL and TGL PRM vol 7 "Message Types" and "Payload Parameter
        /// Definition"; Mesa `brw_eu_defines.h` (`*_SAMPLER_MESSAGE_*`); IGA
        /// `MessageDecoderOther.cpp` (`decodeSendMessage`, `lookupSamplerMessageInfoXe2`).
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum SamplerOp {
            $(
                #[doc = concat!(
                    $doc, "\n\n`", $name, "`, code ", stringify!($code), ", families ",
                    stringify!($($span)*), ". Parameters: ",
                    stringify!($($parameter),*), ".",
                )]
                $op,
            )*
        }

        impl SamplerOp {
            /// Every operation of all families.
            pub const ALL: &'static [SamplerOp] = &[$(SamplerOp::$op,)*];

            const fn row(self) -> Row {
                match self {
                    $(SamplerOp::$op => Row {
                        code: $code,
                        name: $name,
                        families: span!($($span)*),
                        parameters: &[$(Parameter::$parameter,)*],
                    },)*
                }
            }
        }
    };
}

/// Added to the codes of operations on blocks of pixels, which are numbered separately.
const BLOCK: u32 = 0x40;

struct Row {
    /// Bits 16:12 of the descriptor, and bit 31 above them.
    code: u32,
    name: &'static str,
    families: Span,
    parameters: &'static [Parameter],
}

macro_rules! parameters {
    ($($name:ident $doc:literal;)*) => {
        /// One parameter of a sampler payload.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Parameter {
            $(#[doc = $doc] $name,)*
        }
    };
}

parameters! {
    U "First coordinate.";
    V "Second coordinate.";
    R "Third coordinate, or array index.";
    ArrayIndex "Array index of cubes.";
    Lod "Level of detail.";
    LodArray "Level of detail with the array index in its bits 8:0.";
    Bias "Bias.";
    BiasArray "Bias with the array index in its bits 8:0.";
    Reference "Reference value.";
    SampleIndex "Sample index.";
    McsLow "Multisample control word, low (first of four on Xe2).";
    McsHigh "Multisample control word, high (second of four on Xe2).";
    Mcs2 "Multisample control word, third of four.";
    Mcs3 "Multisample control word, last of four.";
    DuDx "du/dx.";
    DuDy "du/dy.";
    DvDx "dv/dx.";
    DvDy "dv/dy.";
    DrDx "dr/dx.";
    DrDy "dr/dy.";
    MinLod "Minimum level of detail.";
    MinLodR "Minimum level of detail and third coordinate in one.";
    OffsetU "Texel offset of u.";
    OffsetV "Texel offset of v.";
    Offsets "Texel offsets of u, v and r in one.";
    OffsetsUv "Texel offsets of u and v in one.";
    OffsetsR "Texel offsets of u, v and r and the third coordinate in one.";
    OffsetsUvR "Texel offsets of u and v and the third coordinate in one.";
    BiasOffsets "Bias and texel offsets of u, v and r in one.";
    BiasOffsetsUv "Bias and texel offsets of u and v in one.";
    LodOffsets "Level of detail and texel offsets of u and v in one.";
}

operations! {
    Sample "sample" 0x00 (..) [U V R ArrayIndex MinLod] "Sample at the computed level of detail.";
    SampleBias "sample_b" 0x01 (..) [Bias U V R ArrayIndex MinLod] "Sample with a bias.";
    SampleLod "sample_l" 0x02 (..) [Lod U V R ArrayIndex] "Sample at a given level of detail.";
    SampleCompare "sample_c" 0x03 (..) [Reference U V R ArrayIndex MinLod] "Sample and compare.";
    SampleGradients "sample_d" 0x04 (..) [U DuDx DuDy V DvDx DvDy R DrDx DrDy ArrayIndex MinLod] "Sample with gradients.";
    SampleBiasCompare "sample_b_c" 0x05 (..) [Reference Bias U V R ArrayIndex] "Sample with a bias, and compare.";
    SampleLodCompare "sample_l_c" 0x06 (..) [Reference Lod U V R ArrayIndex] "Sample at a given level of detail, and compare.";
    Load "ld" 0x07 (..) [U V Lod R] "Fetch a texel by integer coordinates, with level of detail.";
    Gather4 "gather4" 0x08 (..) [U V R ArrayIndex] "Fetch the four texels that linear filtering would use.";
    Lod "lod" 0x09 (..) [U V R ArrayIndex] "The level of detail that a sample would use.";
    ResourceInfo "resinfo" 0x0a (..) [Lod] "The dimensions of a level.";
    SampleInfo "sampleinfo" 0x0b (..) [] "The number of samples.";
    SampleKillPixel "sample_killpix" 0x0c (..) [U V R] "Sample, and kill pixels by the chroma key.";
    Gather4Lod "gather4_l" 0x0d (Xe2..) [Lod U V R ArrayIndex] "Gather at a given level of detail.";
    Gather4Bias "gather4_b" 0x0e (Xe2..) [Bias U V R ArrayIndex] "Gather with a bias.";
    Gather4Implicit "gather4_i" 0x0f (Xe2..) [U V R ArrayIndex] "Gather at the computed level of detail.";
    Gather4Compare "gather4_c" 0x10 (..) [Reference U V R ArrayIndex] "Gather and compare.";
    Gather4Offset "gather4_po" 0x11 (..=XeHpc) [U V OffsetU OffsetV R] "Gather with texel offsets.";
    Gather4OffsetCompare "gather4_po_c" 0x12 (..=XeHpc) [Reference U V OffsetU OffsetV R] "Gather with texel offsets, and compare.";
    SampleGradientsCompareMinLod "sample_d_c_mlod" 0x11 (Xe2..) [Reference U DuDx DuDy V DvDx DvDy MinLodR] "Sample with gradients and a minimum level of detail, and compare.";
    SampleMinLod "sample_mlod" 0x12 (Xe2..) [MinLod U V R ArrayIndex] "Sample with a minimum level of detail.";
    SampleCompareMinLod "sample_c_mlod" 0x13 (Xe2..) [MinLod Reference U V R ArrayIndex] "Sample with a minimum level of detail, and compare.";
    SampleGradientsCompare "sample_d_c" 0x14 (..) [Reference U DuDx DuDy V DvDx DvDy R DrDx DrDy ArrayIndex] "Sample with gradients, and compare.";
    Gather4ImplicitCompare "gather4_i_c" 0x15 (Xe2..) [Reference U V R ArrayIndex] "Gather at the computed level of detail, and compare.";
    SampleMin "sample_min" 0x16 (..=XeHpc) [U V] "The least of the four texels.";
    SampleMax "sample_max" 0x17 (..=XeHpc) [U V] "The greatest of the four texels.";
    Gather4LodCompare "gather4_l_c" 0x17 (Xe2..) [Reference Lod U V R ArrayIndex] "Gather at a given level of detail, and compare.";
    SampleLevelZero "sample_lz" 0x18 (Gen9..) [U V R ArrayIndex] "Sample at level 0.";
    SampleCompareLevelZero "sample_c_lz" 0x19 (Gen9..) [Reference U V R ArrayIndex] "Sample at level 0, and compare.";
    LoadLevelZero "ld_lz" 0x1a (Gen9..) [U V R] "Fetch at level 0.";
    LoadLod "ld_l" 0x1b (Xe2..) [U V R Lod] "Fetch a texel by integer coordinates, level of detail last.";
    LoadMultisampleWide "ld2dms_w" 0x1c (Gen9..) [SampleIndex McsLow McsHigh U V R Lod] "Fetch one sample of a multisampled texel, with a wide control word.";
    LoadMcs "ld_mcs" 0x1d (..) [U V R Lod] "Fetch the multisample control word.";
    LoadMultisample "ld2dms" 0x1e (..=XeHpc) [SampleIndex McsLow U V R Lod] "Fetch one sample of a multisampled texel.";
    LoadMultisamplePlain "ld2dss" 0x1f (..=XeHpc) [SampleIndex U V R Lod] "Fetch one sample of a multisampled texel without control word.";
    CacheFlush "cache_flush" 0x1f (Xe2..) [] "Empty the sampler's cache.";
    SampleOffset "sample_po" 0x20 (Xe2..) [U V R Offsets MinLod] "Sample with texel offsets.";
    SampleOffsetBias "sample_po_b" 0x21 (Xe2..) [BiasOffsets U V R MinLod] "Sample with texel offsets and a bias.";
    SampleOffsetLod "sample_po_l" 0x22 (Xe2..) [LodOffsets U V R] "Sample with texel offsets at a given level of detail.";
    SampleOffsetCompare "sample_po_c" 0x23 (Xe2..) [Reference U V OffsetsUvR MinLod] "Sample with texel offsets, and compare.";
    SampleOffsetGradients "sample_po_d" 0x24 (Xe2..) [U DuDx DuDy V DvDx DvDy OffsetsR MinLod] "Sample with texel offsets and gradients.";
    SampleOffsetBiasCompare "sample_po_b_c" 0x25 (Xe2..) [Reference BiasOffsets U V R MinLod] "Sample with texel offsets and a bias, and compare.";
    SampleOffsetLodCompare "sample_po_l_c" 0x26 (Xe2..) [Reference LodOffsets U V R] "Sample with texel offsets at a given level of detail, and compare.";
    Gather4Offsets "gather4_po" 0x28 (Xe2..) [U V R OffsetsUv] "Gather with texel offsets.";
    Gather4OffsetsLod "gather4_po_l" 0x2d (Xe2..) [LodOffsets U V R] "Gather with texel offsets at a given level of detail.";
    Gather4OffsetsBias "gather4_po_b" 0x2e (Xe2..) [BiasOffsetsUv U V R] "Gather with texel offsets and a bias.";
    Gather4OffsetsImplicit "gather4_po_i" 0x2f (Xe2..) [U V R OffsetsUv] "Gather with texel offsets at the computed level of detail.";
    Gather4OffsetsCompare "gather4_po_c" 0x30 (Xe2..) [Reference U V OffsetsUvR] "Gather with texel offsets, and compare.";
    SampleOffsetGradientsCompare "sample_po_d_c" 0x34 (Xe2..) [Reference U DuDx DuDy V DvDx DvDy OffsetsUvR] "Sample with texel offsets and gradients, and compare.";
    Gather4OffsetsImplicitCompare "gather4_po_i_c" 0x35 (Xe2..) [Reference U V OffsetsUvR] "Gather with texel offsets at the computed level of detail, and compare.";
    Gather4OffsetsLodCompare "gather4_po_l_c" 0x37 (Xe2..) [Reference LodOffsets U V R] "Gather with texel offsets at a given level of detail, and compare.";
    SampleOffsetLevelZero "sample_po_lz" 0x38 (Xe2..) [U V R Offsets] "Sample with texel offsets at level 0.";
    SampleOffsetCompareLevelZero "sample_po_c_lz" 0x39 (Xe2..) [Reference U V OffsetsUvR] "Sample with texel offsets at level 0, and compare.";
    BlockUnorm "sample_unorm" 0x40 (..=XeHpg) [] "Sample a block of pixels, with normalized results.";
    BlockUnormKillPixel "sample_unorm_killpix" 0x42 (..=XeHpg) [] "Sample a block of pixels, and kill pixels by the chroma key.";
    BlockDeinterlace "sample_deinterlace" 0x48 (..=XeHpg) [] "Deinterlace a block of pixels.";
    BlockUnormKillPixelMedia "sample_unorm_killpix_media" 0x4a (..=XeHpg) [] "As `sample_unorm_killpix`, for media.";
    Block8x8 "sample_8x8" 0x4b (..=XeHpg) [] "Filter a block of pixels by 8 by 8 coefficients.";
    BlockUnormMedia "sample_unorm_media" 0x4c (..=XeHpg) [] "As `sample_unorm`, for media.";
    BlockFlush "sample_flush" 0x5f (..=XeHpg) [] "Empty the sampler's cache.";
}

/// `(families, operation, parameters of 32 bits, parameters of 16 bits)` where they differ from
/// those in the operation's own row.
type OtherRow = (Span, SamplerOp, &'static [Parameter], &'static [Parameter]);

const OTHERS: &[OtherRow] = {
    use Parameter as P;
    use SamplerOp as S;
    const GRADIENTS: &[Parameter] = &[
        P::U,
        P::DuDx,
        P::DuDy,
        P::V,
        P::DvDx,
        P::DvDy,
        P::R,
        P::MinLod,
    ];
    const COMPARED: &[Parameter] = &[
        P::Reference,
        P::U,
        P::DuDx,
        P::DuDy,
        P::V,
        P::DvDx,
        P::DvDy,
        P::R,
    ];
    const WIDE: &[Parameter] = &[
        P::SampleIndex,
        P::McsLow,
        P::McsHigh,
        P::Mcs2,
        P::Mcs3,
        P::U,
        P::V,
        P::R,
    ];
    const MCS: &[Parameter] = &[P::U, P::V, P::R];
    const LOD_SECOND: &[Parameter] = &[P::U, P::Lod, P::V, P::R];
    const XE2: Span = span!(Xe2..);
    &[
        (span!(Gen8), S::Load, LOD_SECOND, LOD_SECOND),
        (
            XE2,
            S::SampleBias,
            &[P::BiasArray, P::U, P::V, P::R, P::MinLod],
            &[P::Bias, P::U, P::V, P::R, P::ArrayIndex, P::MinLod],
        ),
        (
            XE2,
            S::SampleLod,
            &[P::LodArray, P::U, P::V, P::R],
            &[P::Lod, P::U, P::V, P::R, P::ArrayIndex],
        ),
        (XE2, S::SampleGradients, GRADIENTS, GRADIENTS),
        (XE2, S::SampleGradientsCompare, COMPARED, COMPARED),
        (
            XE2,
            S::SampleBiasCompare,
            &[P::Reference, P::BiasArray, P::U, P::V, P::R, P::MinLod],
            &[
                P::Reference,
                P::Bias,
                P::U,
                P::V,
                P::R,
                P::ArrayIndex,
                P::MinLod,
            ],
        ),
        (
            XE2,
            S::SampleLodCompare,
            &[P::Reference, P::LodArray, P::U, P::V, P::R],
            &[P::Reference, P::Lod, P::U, P::V, P::R, P::ArrayIndex],
        ),
        (
            XE2,
            S::Gather4Lod,
            &[P::LodArray, P::U, P::V, P::R],
            &[P::Lod, P::U, P::V, P::R, P::ArrayIndex],
        ),
        (
            XE2,
            S::Gather4Bias,
            &[P::BiasArray, P::U, P::V, P::R],
            &[P::Bias, P::U, P::V, P::R, P::ArrayIndex],
        ),
        (
            XE2,
            S::Gather4LodCompare,
            &[P::Reference, P::LodArray, P::U, P::V, P::R],
            &[P::Reference, P::Lod, P::U, P::V, P::R, P::ArrayIndex],
        ),
        (XE2, S::LoadMultisampleWide, WIDE, WIDE),
        (XE2, S::LoadMcs, MCS, MCS),
    ]
};

impl SamplerOp {
    /// The name, following IGA's.
    pub const fn mnemonic(self) -> &'static str {
        self.row().name
    }

    /// Whether `family` has the operation.
    pub fn exists(self, family: Family) -> bool {
        self.row().families.contains(family)
    }

    /// Whether it works on blocks of pixels, in SIMD32 or SIMD64 mode with a payload of its own
    /// (a media block's, Gen8 to XeHPG).
    pub const fn is_block(self) -> bool {
        self.row().code >= BLOCK
    }

    /// Bits 16:12 of the descriptor, and bit 31 above them.
    pub(super) const fn code(self) -> u32 {
        self.row().code & (BLOCK - 1)
    }

    pub(super) fn from_code(family: Family, code: u32, block: bool) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|op| op.code() == code && op.is_block() == block && op.exists(family))
    }

    /// The payload's parameters in order; trailing ones may be absent. Gen8 puts the level of
    /// detail of `ld` second. On Xe2 the array index goes into the low bits of the bias or the
    /// level of detail, if these have 32 bits (`half` is false), and gradients have two
    /// dimensions.
    ///
    /// Sources: SKL and TGL PRM vol 7 "Payload Parameter Definition"; for Xe2 IGA
    /// `MessageDecoderOther.cpp` (`lookupSamplerMessageInfoXe2`), Mesa
    /// `intel_nir_lower_texture.c` (`pack_lod_and_array_index`).
    pub fn parameters(self, family: Family, half: bool) -> &'static [Parameter] {
        let other = OTHERS
            .iter()
            .find(|row| row.1 == self && row.0.contains(family));
        if let Some((_, _, full, narrow)) = other {
            return if half { narrow } else { full };
        }
        self.row().parameters
    }

    /// Whether the parameters are integers, not floats.
    pub const fn integer_parameters(self) -> bool {
        matches!(
            self,
            Self::Load
                | Self::LoadLevelZero
                | Self::LoadLod
                | Self::LoadMcs
                | Self::LoadMultisample
                | Self::LoadMultisamplePlain
                | Self::LoadMultisampleWide
                | Self::ResourceInfo
        )
    }
}
