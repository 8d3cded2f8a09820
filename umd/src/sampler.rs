//! Samplers.

/// What a sampler does with coordinates outside the image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum AddressingMode {
    /// `CLK_ADDRESS_NONE`: undefined by OpenCL; here the same as `ClampToEdge`.
    #[default]
    None,
    /// `CLK_ADDRESS_CLAMP_TO_EDGE`.
    ClampToEdge,
    /// `CLK_ADDRESS_CLAMP`: the border colour.
    ClampToBorder,
    /// `CLK_ADDRESS_REPEAT`.
    Repeat,
    /// `CLK_ADDRESS_MIRRORED_REPEAT`.
    MirroredRepeat,
}

/// How a sampler reads between texels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum FilterMode {
    /// The nearest texel.
    #[default]
    Nearest,
    /// Linear interpolation.
    Linear,
}

/// A sampler.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sampler {
    /// What it does with coordinates outside the image.
    pub addressing: AddressingMode,
    /// How it reads between texels.
    pub filter: FilterMode,
    /// Whether coordinates run from 0 to 1.
    pub normalized: bool,
}

impl Sampler {
    /// A sampler of these three.
    pub const fn new(addressing: AddressingMode, filter: FilterMode, normalized: bool) -> Self {
        Self {
            addressing,
            filter,
            normalized,
        }
    }
}
