//! Sampler states, decoded.

use batchbuffer::states::{sampler_border_color_state as border, sampler_state as ss};
use devinfo::GpuAddress;

use crate::sf::state_rules::{self, ForTexels};
use crate::{Fault, GroupEnv};
use softgpu_memory::View;

/// What happens to coordinates outside an image (Texture Coordinate Mode).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sf) enum Wrap {
    /// The image repeats.
    Repeat,
    /// The image repeats mirrored.
    Mirror,
    /// The edge repeats.
    Clamp,
    /// The border colour.
    Border,
    /// Mirrored once, then the edge.
    MirrorOnce,
    /// Clamped to the edge, blended half with the border colour.
    HalfBorder,
}

/// A decoded SAMPLER_STATE.
#[derive(Clone, Copy, Debug)]
pub(in crate::sf) struct Sampler {
    /// Linear filter when magnifying.
    pub mag_linear: bool,
    /// Linear filter when minifying.
    pub min_linear: bool,
    /// For x, y and z.
    pub wrap: [Wrap; 3],
    /// Coordinates are texels, not fractions of the image.
    pub unnormalised: bool,
    /// Red, green, blue and alpha beyond the edges, as floats or integers.
    pub border: [u32; 4],
}

/// Bytes of a SAMPLER_STATE.
pub(super) const STATE_BYTES: u64 = 16;

const LINEAR: u32 = 1;
const ANISOTROPIC: u32 = 2;
const NEAREST: u32 = 0;

/// How many samplers a message can name without a header.
pub(in crate::sf) const SAMPLERS: usize = 16;

impl Sampler {
    /// The one that a message without a header names by this index.
    pub(in crate::sf) fn of(env: &GroupEnv<'_>, index: u8) -> Result<Self, Fault> {
        let dynamic = env.bases.dynamic;
        let first = dynamic.offset(u64::from(env.sampler_state & !0x1f));
        read(env, first.offset(u64::from(index) * STATE_BYTES), dynamic)
    }
}

/// The sampler whose state is at `address`; its border colour is relative to `dynamic`.
pub(super) fn read(
    env: &GroupEnv<'_>,
    address: GpuAddress,
    dynamic: GpuAddress,
) -> Result<Sampler, Fault> {
    let (family, view) = (env.family, env.memory);
    let dwords = dwords(view, address)?;
    let state = ss::view(family, &dwords);
    let filter = |code| match code {
        NEAREST => Ok(false),
        // One sample of an anisotropic filter is a linear one.
        LINEAR | ANISOTROPIC => Ok(true),
        other => Err(Fault::Invalid {
            why: format!("sampler filter {other}, which is not modelled"),
        }),
    };
    let wrap = |code| match code {
        0 => Ok(Wrap::Repeat),
        1 => Ok(Wrap::Mirror),
        2 => Ok(Wrap::Clamp),
        // Cube mode is clamp for images without faces.
        3 => Ok(Wrap::Clamp),
        4 => Ok(Wrap::Border),
        5 => Ok(Wrap::MirrorOnce),
        6 => Ok(Wrap::HalfBorder),
        other => Err(Fault::Invalid {
            why: format!("texture coordinate mode {other}, which is not modelled"),
        }),
    };
    let wrap = [
        wrap(state.get32(ss::TCX_ADDRESS_CONTROL_MODE))?,
        wrap(state.get32(ss::TCY_ADDRESS_CONTROL_MODE))?,
        wrap(state.get32(ss::TCZ_ADDRESS_CONTROL_MODE))?,
    ];
    let uses_border = wrap
        .iter()
        .any(|wrap| matches!(wrap, Wrap::Border | Wrap::HalfBorder));
    let border = if uses_border {
        let dwords = self::dwords(view, dynamic.offset(state.get(ss::BORDER_COLOR_POINTER)))?;
        let colour = border::view(family, &dwords);
        [
            border::BORDER_COLOR_32BIT_RED,
            border::BORDER_COLOR_32BIT_GREEN,
            border::BORDER_COLOR_32BIT_BLUE,
            border::BORDER_COLOR_32BIT_ALPHA,
        ]
        .map(|field| colour.get32(field))
    } else {
        [0; 4]
    };
    let unnormalised = state.flag(ss::NON_NORMALIZED_COORDINATE_ENABLE);
    if let (true, Some(checks)) = (unnormalised, env.checks) {
        let fields = ForTexels {
            modes: [
                state.get32(ss::TCX_ADDRESS_CONTROL_MODE),
                state.get32(ss::TCY_ADDRESS_CONTROL_MODE),
                state.get32(ss::TCZ_ADDRESS_CONTROL_MODE),
            ],
            filters: [
                state.get32(ss::MAG_MODE_FILTER),
                state.get32(ss::MIN_MODE_FILTER),
            ],
        };
        state_rules::sampler(checks, &fields);
    }
    Ok(Sampler {
        mag_linear: filter(state.get32(ss::MAG_MODE_FILTER))?,
        min_linear: filter(state.get32(ss::MIN_MODE_FILTER))?,
        wrap,
        unnormalised,
        border,
    })
}

fn dwords(view: &View<'_>, address: GpuAddress) -> Result<[u32; 4], Fault> {
    let mut dwords = [0; 4];
    for (index, dword) in dwords.iter_mut().enumerate() {
        *dword = view.read_u32(address.offset(4 * index as u64))?;
    }
    Ok(dwords)
}
