//! What hardware asks of surface and sampler states, and does not check.
//!
//! Sources: the manuals' notes on the fields of RENDER_SURFACE_STATE and SAMPLER_STATE, which Mesa
//! quotes and asserts (`isl_surface_state.c`, `isl.c`, `ilo_state_sampler.c`); the size of a RAW
//! buffer also NEO (`buffer_surface_state` asserts it).

use batchbuffer::tiling::Arrangement;

use super::surface::{Surface, SurfaceKind};
use crate::{Checks, Rule};

/// Reports what is wrong with a surface that a message uses; `raw` buffers have bytes, not elements.
pub(super) fn surface(checks: &Checks, surface: &Surface, raw: bool) {
    if let Some(why) = surface_fault(surface, raw) {
        checks.report(Rule::SurfaceState, || why);
    }
}

fn surface_fault(surface: &Surface, raw: bool) -> Option<String> {
    let Surface {
        kind, base, pitch, ..
    } = *surface;
    let is_image = matches!(
        kind,
        SurfaceKind::Image1d | SurfaceKind::Image2d | SurfaceKind::Image3d | SurfaceKind::Cube
    );
    let element = match surface.format {
        _ if raw => 4,
        Some(format) if u32::from(format.bytes()).is_power_of_two() => u32::from(format.bytes()),
        _ => 1,
    };
    if raw && kind == SurfaceKind::Buffer && !surface.bytes.is_multiple_of(4) {
        let bytes = surface.bytes;
        return Some(format!(
            "a raw buffer of {bytes:#x} bytes, which is no multiple of 4"
        ));
    }
    if matches!(kind, SurfaceKind::Null | SurfaceKind::Scratch) {
        return None;
    }
    let (unit, what) = match surface.tiling.tile() {
        Some((_, tile)) => (tile, "tiles"),
        None => (element, "elements"),
    };
    if !base.get().is_multiple_of(unit.into()) {
        return Some(format!(
            "it begins at {base}, which is no multiple of the {unit:#x} bytes of its {what}"
        ));
    }
    if !is_image {
        return None;
    }
    let (unit, what) = match surface.tiling.tile() {
        Some((row, _)) => (row, "a row of a tile"),
        None => (element, "an element"),
    };
    // One-dimensional images have no rows.
    if kind != SurfaceKind::Image1d && !pitch.is_multiple_of(unit) {
        return Some(format!(
            "its pitch is {pitch:#x} bytes, which is no multiple of the {unit:#x} bytes of {what}"
        ));
    }
    let bytes = surface.format.map_or(1, |format| u32::from(format.bytes()));
    let row = surface.width.saturating_mul(bytes);
    if kind != SurfaceKind::Image1d && surface.tiling == Arrangement::Linear && row > pitch {
        return Some(format!(
            "its rows have {row:#x} bytes, more than its pitch of {pitch:#x}"
        ));
    }
    if kind == SurfaceKind::Cube && surface.width != surface.height {
        return Some(format!(
            "the faces of a cube have {} by {} texels",
            surface.width, surface.height
        ));
    }
    None
}

/// Texture coordinate modes that coordinates in texels need: clamp, border and half border.
const FOR_TEXELS: [u32; 3] = [2, 4, 6];
/// Filters that they need: nearest and linear.
const FILTERS_FOR_TEXELS: [u32; 2] = [0, 1];

/// The fields of a sampler state that coordinates in texels restrict.
#[derive(Clone, Copy, Debug)]
pub(super) struct ForTexels {
    /// Texture coordinate modes in x, y and z.
    pub modes: [u32; 3],
    /// The filters for magnification and minification.
    pub filters: [u32; 2],
}

/// Reports what is wrong with a sampler whose coordinates are texels. (They should have no filter between
/// levels, either. Intel's runtime sets one, on all hardware: images in texels have one level.)
pub(super) fn sampler(checks: &Checks, state: &ForTexels) {
    if let Some(why) = sampler_fault(state) {
        checks.report(Rule::SamplerState, || why);
    }
}

fn sampler_fault(state: &ForTexels) -> Option<String> {
    let ForTexels { modes, filters } = state;
    if let Some(mode) = modes.iter().find(|mode| !FOR_TEXELS.contains(mode)) {
        return Some(format!(
            "coordinates in texels (not normalised) with texture coordinate mode {mode}, which \
             repeats or mirrors"
        ));
    }
    let filter = filters
        .iter()
        .find(|filter| !FILTERS_FOR_TEXELS.contains(filter))?;
    Some(format!(
        "coordinates in texels (not normalised) with filter {filter}, which is neither nearest \
         nor linear"
    ))
}

#[cfg(test)]
mod tests {
    use batchbuffer::states::SurfaceFormat;
    use batchbuffer::tiling::Tiling;
    use devinfo::{Family, GpuAddress};

    use super::*;
    use crate::sf::surface::Format;

    fn image(tiling: Tiling, base: u64, pitch: u32) -> Surface {
        Surface {
            kind: SurfaceKind::Image2d,
            format: Format::of(SurfaceFormat::R8G8B8A8_UINT),
            base: GpuAddress::new(base),
            width: 32,
            height: 8,
            pitch,
            tiling: Arrangement::of(Family::Gen12Lp, tiling, 4, false),
            ..Surface::NULL
        }
    }

    #[track_caller]
    fn assert_fault(surface: &Surface, raw: bool, words: &str) {
        let why = surface_fault(surface, raw).unwrap();
        assert!(why.contains(words), "{why}");
    }

    #[test]
    fn images_begin_at_elements_or_tiles() {
        assert_eq!(
            surface_fault(&image(Tiling::Linear, 0x1004, 128), false),
            None
        );
        assert_fault(
            &image(Tiling::Linear, 0x1002, 128),
            false,
            "0x4 bytes of its elements",
        );
        assert_eq!(surface_fault(&image(Tiling::Y, 0x2000, 128), false), None);
        assert_fault(
            &image(Tiling::Y, 0x2040, 128),
            false,
            "0x1000 bytes of its tiles",
        );
    }

    #[test]
    fn pitches_hold_rows_of_elements_or_tiles() {
        assert_fault(
            &image(Tiling::Linear, 0, 130),
            false,
            "no multiple of the 0x4 bytes",
        );
        assert_fault(&image(Tiling::Linear, 0, 124), false, "more than its pitch");
        assert_fault(
            &image(Tiling::X, 0, 128),
            false,
            "0x200 bytes of a row of a tile",
        );
        assert_eq!(surface_fault(&image(Tiling::X, 0, 1024), false), None);
    }

    #[test]
    fn raw_buffers_have_dwords() {
        let buffer = |bytes, base| Surface {
            kind: SurfaceKind::Buffer,
            base: GpuAddress::new(base),
            bytes,
            ..Surface::NULL
        };
        assert_eq!(surface_fault(&buffer(64, 0x1000), true), None);
        assert_fault(&buffer(62, 0x1000), true, "no multiple of 4");
        assert_fault(&buffer(64, 0x1002), true, "begins at");
    }

    #[test]
    fn coordinates_in_texels_need_simple_samplers() {
        let clamp = ForTexels {
            modes: [2, 2, 2],
            filters: [0, 1],
        };
        assert_eq!(sampler_fault(&clamp), None);
        let repeat = ForTexels {
            modes: [2, 0, 2],
            ..clamp
        };
        assert!(sampler_fault(&repeat).unwrap().contains("mode 0"));
        let anisotropic = ForTexels {
            filters: [2, 0],
            ..clamp
        };
        assert!(sampler_fault(&anisotropic).unwrap().contains("filter 2"));
    }
}
