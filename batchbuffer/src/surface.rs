//! Surface and sampler states from plain descriptions.
//!
//! These are pure functions over the layouts in [`states`](crate::states): a
//! driver fills its heaps with them, a test its memory.

use devinfo::{Family, GpuAddress};

use crate::dispatch::Mocs;
use crate::error::EncodeError;
use crate::family::traits;
use crate::states::values::{ShaderChannelSelect, StateSurfaceType, TextureCoordinateMode};
use crate::states::{SurfaceFormat, render_surface_state as rss, sampler_state as samp};
pub use crate::tiling::Tiling;
use crate::{Builder, Spot};

/// A surface or sampler that cannot be described.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SurfaceError {
    /// A value does not go into the state.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// Too large, too small, or wrongly aligned.
    #[error("surface {what}: {value} is not possible ({limit})")]
    Limit {
        /// What it is about.
        what: &'static str,
        /// The value that was given.
        value: u64,
        /// The rule.
        limit: &'static str,
    },
    /// The family has no such thing.
    #[error("{family} has no {what}")]
    Unsupported {
        /// What was asked for.
        what: &'static str,
        /// The family.
        family: Family,
    },
}

/// The dwords of a surface state.
pub type SurfaceState = [u32; 16];

/// The size and alignment of a surface state in bytes.
pub const SURFACE_STATE_BYTES: usize = 64;

/// The size of a sampler state in bytes.
pub const SAMPLER_STATE_BYTES: usize = 16;

/// A buffer without format, read and written by bytes or dwords.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawBuffer {
    /// Its first byte, 4-byte aligned.
    pub address: GpuAddress,
    /// Its size, up to 4 GiB; rounded up to a multiple of 4.
    pub bytes: u64,
    /// How it is cached.
    pub mocs: Mocs,
}

/// Texels in a row, read and written by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypedBuffer {
    /// The first texel, aligned to its size.
    pub address: GpuAddress,
    /// How many texels there are, up to 2^27.
    pub elements: u64,
    /// The bytes of a texel.
    pub element_bytes: u32,
    /// Their format.
    pub format: SurfaceFormat,
    /// Which of its channels red, green, blue and alpha are.
    pub channels: [ShaderChannelSelect; 4],
    /// How it is cached.
    pub mocs: Mocs,
}

/// The shape of an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Shape {
    /// One dimension.
    D1,
    /// Two dimensions.
    D2,
    /// Three dimensions.
    D3,
}

/// An image of one level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its first texel. Tiled images are 4 KiB aligned (64 KiB for
    /// [`Tiling::Tile64`]).
    pub address: GpuAddress,
    /// The shape.
    pub shape: Shape,
    /// The format.
    pub format: SurfaceFormat,
    /// How it lies in memory.
    pub tiling: Tiling,
    /// Texels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Slices of a 3D image or layers of an array, 1 otherwise.
    pub depth: u32,
    /// Whether it is an array (of [`Image::depth`] layers).
    pub array: bool,
    /// Bytes from row to row.
    pub pitch: u32,
    /// Rows from layer to layer or slice to slice, a multiple of 4.
    pub qpitch: u32,
    /// What the sampler returns as red, green, blue and alpha.
    pub channels: [ShaderChannelSelect; 4],
    /// How it is cached.
    pub mocs: Mocs,
}

/// Red, green, blue and alpha as the format has them.
pub const RGBA: [ShaderChannelSelect; 4] = [
    ShaderChannelSelect::RED,
    ShaderChannelSelect::GREEN,
    ShaderChannelSelect::BLUE,
    ShaderChannelSelect::ALPHA,
];

/// Scratch memory of all threads (from XeHPG).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScratchSurface {
    /// Its first byte, 64-byte aligned.
    pub address: GpuAddress,
    /// Bytes per thread, a multiple of 64 up to 256 KiB.
    pub bytes_per_thread: u32,
    /// How many threads it has room for.
    pub threads: u32,
    /// How it is cached.
    pub mocs: Mocs,
}

/// A sampler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sampler {
    /// Linear instead of nearest filtering.
    pub linear: bool,
    /// Coordinates run from 0 to 1 instead of texels.
    pub normalized: bool,
    /// What happens outside the image, for x, y and z.
    pub address_mode: [TextureCoordinateMode; 3],
    /// The border colour's offset from the dynamic state base (for a bindless sampler from the
    /// surface state base), 64-byte aligned.
    pub border_color: u32,
}

/// The state of a raw buffer.
///
/// # Errors
/// See [`SurfaceError`].
pub fn raw_buffer(family: Family, buffer: &RawBuffer) -> Result<SurfaceState, SurfaceError> {
    const MOST: u64 = 1 << 32;
    if buffer.bytes == 0 || buffer.bytes > MOST {
        return Err(SurfaceError::Limit {
            what: "size in bytes",
            value: buffer.bytes,
            limit: "1 byte to 4 GiB",
        });
    }
    aligned("address", buffer.address, 4, "a multiple of 4 bytes")?;
    buffer_state(
        family,
        buffer.address,
        buffer.bytes.next_multiple_of(4),
        1,
        (SurfaceFormat::RAW, PLAIN),
        buffer.mocs,
    )
}

/// The state of a typed buffer.
///
/// # Errors
/// See [`SurfaceError`].
pub fn typed_buffer(family: Family, buffer: &TypedBuffer) -> Result<SurfaceState, SurfaceError> {
    const MOST: u64 = 1 << 27;
    if buffer.elements == 0 || buffer.elements > MOST {
        return Err(SurfaceError::Limit {
            what: "size in texels",
            value: buffer.elements,
            limit: "1 to 2^27",
        });
    }
    let alignment = u64::from(buffer.element_bytes.max(1));
    aligned(
        "address",
        buffer.address,
        alignment,
        "a multiple of a texel",
    )?;
    buffer_state(
        family,
        buffer.address,
        buffer.elements,
        buffer.element_bytes,
        (buffer.format, buffer.channels),
        buffer.mocs,
    )
}

/// A surface that reads as zero and drops writes.
///
/// # Errors
/// See [`SurfaceError`].
pub fn null(family: Family) -> Result<SurfaceState, SurfaceError> {
    let tile = tile_mode(family, traits(family).image_tiling)?;
    array(
        rss::state(family)
            .set(rss::SURFACE_TYPE, StateSurfaceType::SURFTYPE_NULL)
            .set(rss::SURFACE_FORMAT, SurfaceFormat::B8G8R8A8_UNORM)
            .set(rss::TILE_MODE, tile),
    )
}

/// The state of an image.
///
/// # Errors
/// See [`SurfaceError`].
pub fn image(family: Family, image: &Image) -> Result<SurfaceState, SurfaceError> {
    let alignment = match image.tiling {
        Tiling::Linear => 1,
        Tiling::Tile64 => 0x1_0000,
        _ => 0x1000,
    };
    aligned("address", image.address, alignment, "a multiple of a tile")?;
    for (what, value, most, limit) in [
        ("width", image.width, 1 << 14, "1 to 16384"),
        ("height", image.height, 1 << 14, "1 to 16384"),
        ("depth", image.depth, 1 << 11, "1 to 2048"),
        ("row pitch", image.pitch, 1 << 18, "1 to 256 KiB"),
    ] {
        if value == 0 || value > most {
            return Err(SurfaceError::Limit {
                what,
                value: value.into(),
                limit,
            });
        }
    }
    if !image.qpitch.is_multiple_of(4) {
        return Err(SurfaceError::Limit {
            what: "rows from layer to layer",
            value: image.qpitch.into(),
            limit: "a multiple of 4",
        });
    }
    let kind = match image.shape {
        Shape::D1 => StateSurfaceType::SURFTYPE_1D,
        Shape::D2 => StateSurfaceType::SURFTYPE_2D,
        Shape::D3 => StateSurfaceType::SURFTYPE_3D,
    };
    let [red, green, blue, alpha] = image.channels;
    let mut state = common(family, image.mocs)
        .set(rss::SURFACE_TYPE, kind)
        .set(rss::SURFACE_FORMAT, image.format)
        .set(rss::TILE_MODE, tile_mode(family, image.tiling)?)
        .set(rss::SURFACE_ARRAY, image.array)
        .set(rss::WIDTH, image.width - 1)
        .set(rss::HEIGHT, image.height - 1)
        .set(rss::DEPTH, image.depth - 1)
        .set(rss::RENDER_TARGET_VIEW_EXTENT, image.depth - 1)
        .set(rss::SURFACE_PITCH, image.pitch - 1)
        .set(rss::SURFACE_QPITCH, image.qpitch / 4)
        .set(rss::SHADER_CHANNEL_SELECT_RED, red)
        .set(rss::SHADER_CHANNEL_SELECT_GREEN, green)
        .set(rss::SHADER_CHANNEL_SELECT_BLUE, blue)
        .set(rss::SHADER_CHANNEL_SELECT_ALPHA, alpha)
        .set(rss::SURFACE_BASE_ADDRESS, image.address);
    if rss::MIP_TAIL_START_LOD.row(family).is_some() {
        // No mip tail.
        state = state.set(rss::MIP_TAIL_START_LOD, 15);
    }
    array(state)
}

/// Whether scratch memory is a surface ([`scratch()`]).
pub fn scratch_surfaces(family: Family) -> bool {
    traits(family).scratch_surfaces
}

/// The state of scratch memory.
///
/// # Errors
/// See [`SurfaceError`].
pub fn scratch(family: Family, scratch: &ScratchSurface) -> Result<SurfaceState, SurfaceError> {
    if !traits(family).scratch_surfaces {
        return Err(SurfaceError::Unsupported {
            what: "scratch surface",
            family,
        });
    }
    let bytes = scratch.bytes_per_thread;
    if bytes == 0 || !bytes.is_multiple_of(64) || bytes > 1 << 18 {
        return Err(SurfaceError::Limit {
            what: "scratch bytes of a thread",
            value: bytes.into(),
            limit: "a multiple of 64 up to 256 KiB",
        });
    }
    if scratch.threads == 0 {
        return Err(SurfaceError::Limit {
            what: "scratch threads",
            value: 0,
            limit: "at least 1",
        });
    }
    aligned("address", scratch.address, 64, "a multiple of 64 bytes")?;
    let [width, height, depth] = split(u64::from(scratch.threads) - 1);
    array(
        common(family, scratch.mocs)
            .set(rss::SURFACE_TYPE, StateSurfaceType::SURFTYPE_SCRATCH)
            .set(rss::SURFACE_FORMAT, SurfaceFormat::RAW)
            .set(rss::WIDTH, width)
            .set(rss::HEIGHT, height)
            .set(rss::DEPTH, depth)
            .set(rss::SURFACE_PITCH, bytes - 1)
            .set(rss::SURFACE_BASE_ADDRESS, scratch.address),
    )
}

/// The state of a sampler.
///
/// # Errors
/// See [`SurfaceError`].
pub fn sampler(family: Family, sampler: &Sampler) -> Result<[u32; 4], SurfaceError> {
    let [x, y, z] = sampler.address_mode;
    let (min, mag) = if sampler.linear {
        (samp::MinModeFilter::LINEAR, samp::MagModeFilter::LINEAR)
    } else {
        (samp::MinModeFilter::NEAREST, samp::MagModeFilter::NEAREST)
    };
    let mut state = samp::state(family)
        .set(samp::MIN_MODE_FILTER, min)
        .set(samp::MAG_MODE_FILTER, mag)
        .set(samp::MIP_MODE_FILTER, samp::MipModeFilter::NONE)
        .set(samp::LOD_PRECLAMP_MODE, samp::LodPreClampMode::OGL)
        .set(samp::TCX_ADDRESS_CONTROL_MODE, x)
        .set(samp::TCY_ADDRESS_CONTROL_MODE, y)
        .set(samp::TCZ_ADDRESS_CONTROL_MODE, z)
        .set(samp::NON_NORMALIZED_COORDINATE_ENABLE, !sampler.normalized)
        .set(samp::BORDER_COLOR_POINTER, sampler.border_color);
    if sampler.linear {
        // Coordinates are rounded before filtering, as OpenCL's image reads
        // expect.
        for field in [
            samp::R_ADDRESS_MIN_FILTER_ROUNDING_ENABLE,
            samp::R_ADDRESS_MAG_FILTER_ROUNDING_ENABLE,
            samp::V_ADDRESS_MIN_FILTER_ROUNDING_ENABLE,
            samp::V_ADDRESS_MAG_FILTER_ROUNDING_ENABLE,
            samp::U_ADDRESS_MIN_FILTER_ROUNDING_ENABLE,
            samp::U_ADDRESS_MAG_FILTER_ROUNDING_ENABLE,
        ] {
            state = state.set(field, true);
        }
    }
    array(state)
}

/// What all surfaces with memory share.
fn common(family: Family, mocs: Mocs) -> Builder {
    let traits = traits(family);
    let (cache, policy) = traits.surface_cache;
    rss::state(family)
        .set(
            rss::SURFACE_VERTICAL_ALIGNMENT,
            rss::SurfaceVerticalAlignment::VALIGN_4,
        )
        .set(
            rss::SURFACE_HORIZONTAL_ALIGNMENT,
            traits.horizontal_alignment,
        )
        .set(rss::MOCS, mocs.field())
        .set(cache, policy)
}

/// Channels as the format has them.
const PLAIN: [ShaderChannelSelect; 4] = [
    ShaderChannelSelect::RED,
    ShaderChannelSelect::GREEN,
    ShaderChannelSelect::BLUE,
    ShaderChannelSelect::ALPHA,
];

/// A one-dimensional surface of `elements` elements.
fn buffer_state(
    family: Family,
    address: GpuAddress,
    elements: u64,
    pitch: u32,
    (format, [red, green, blue, alpha]): (SurfaceFormat, [ShaderChannelSelect; 4]),
    mocs: Mocs,
) -> Result<SurfaceState, SurfaceError> {
    let [width, height, depth] = split(elements - 1);
    array(
        common(family, mocs)
            .set(rss::SURFACE_TYPE, StateSurfaceType::SURFTYPE_BUFFER)
            .set(rss::SURFACE_FORMAT, format)
            .set(rss::WIDTH, width)
            .set(rss::HEIGHT, height)
            .set(rss::DEPTH, depth)
            .set(rss::SURFACE_PITCH, pitch.saturating_sub(1))
            .set(rss::SHADER_CHANNEL_SELECT_RED, red)
            .set(rss::SHADER_CHANNEL_SELECT_GREEN, green)
            .set(rss::SHADER_CHANNEL_SELECT_BLUE, blue)
            .set(rss::SHADER_CHANNEL_SELECT_ALPHA, alpha)
            .set(rss::SURFACE_BASE_ADDRESS, address),
    )
}

/// Splits a buffer's last index over width, height and depth.
fn split(last: u64) -> [u64; 3] {
    [last & 0x7f, last >> 7 & 0x3fff, last >> 21]
}

fn aligned(
    what: &'static str,
    address: GpuAddress,
    alignment: u64,
    limit: &'static str,
) -> Result<(), SurfaceError> {
    if address.get().is_multiple_of(alignment) {
        return Ok(());
    }
    Err(SurfaceError::Limit {
        what,
        value: address.get(),
        limit,
    })
}

/// The code of a tiling on the family.
fn tile_mode(family: Family, tiling: Tiling) -> Result<u64, SurfaceError> {
    tiling.mode(family).ok_or(SurfaceError::Unsupported {
        what: tiling.name(),
        family,
    })
}

fn array<const N: usize>(state: Builder) -> Result<[u32; N], SurfaceError> {
    let dwords = state.finish()?;
    let mut out = [0; N];
    for (to, from) in out.iter_mut().zip(dwords) {
        *to = from;
    }
    Ok(out)
}

/// What a binding table entry holds: the surface state's offset from the
/// surface state base, 64-byte aligned.
///
/// # Errors
/// See [`SurfaceError`].
pub fn binding_table_entry(family: Family, offset: u32) -> Result<u32, SurfaceError> {
    use crate::states::binding_table_state as bts;
    let [entry] = array(bts::state(family).set(bts::SURFACE_STATE_POINTER, offset))?;
    Ok(entry)
}

/// Where entry `index` of a binding table has the place of its surface.
///
/// # Errors
/// See [`SurfaceError`].
pub fn binding_table_spot(family: Family, index: usize) -> Result<Spot, SurfaceError> {
    use crate::states::binding_table_state as bts;
    Ok(bts::state(family).spot(bts::SURFACE_STATE_POINTER, index)?)
}
