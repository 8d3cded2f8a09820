//! Addressing and filtering.

use super::state::{Sampler, Wrap};
use crate::Fault;
use crate::sf::surface::{Cursor, Format, LANES, Numeric, SurfaceKind, Texel};

/// An image as a sampler sees it.
pub(super) struct Image<'a>(pub Cursor<'a>);

/// Along one axis, the texels that a sample combines: the first one, the second one and the
/// second's weight. `None` is the border.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Taps {
    pub texels: [Option<u32>; 2],
    pub weight: f32,
}

impl Taps {
    const fn single(texel: Option<u32>) -> Self {
        Self {
            texels: [texel, None],
            weight: 0.0,
        }
    }
}

/// `f32::floor`, which is a call where the host's baseline has no instruction for it.
fn floor(number: f32) -> f32 {
    // Larger ones are whole numbers.
    if number.abs() < (1 << 23) as f32 {
        let whole = number as i32 as f32;
        if whole > number { whole - 1.0 } else { whole }
    } else {
        number
    }
}

/// Texel index after wrapping, for modes that work on indices.
fn wrap_index(index: f32, size: u32, wrap: Wrap) -> Option<u32> {
    let last = size as f32 - 1.0;
    match wrap {
        Wrap::Border => (index >= 0.0 && index <= last).then_some(index as u32),
        // Casting saturates: NaN and negative indices become 0.
        _ => Some((index as u32).min(size - 1)),
    }
}

/// The texels for `coordinate` along an axis of `size` texels.
pub(super) fn taps(
    coordinate: f32,
    size: u32,
    wrap: Wrap,
    linear: bool,
    unnormalised: bool,
) -> Taps {
    let extent = size as f32;
    // NaN coordinates count as 0.
    let coordinate = if coordinate.is_nan() { 0.0 } else { coordinate };
    let fraction = if unnormalised {
        coordinate / extent
    } else {
        coordinate
    };
    let u = match wrap {
        Wrap::Repeat => (fraction - floor(fraction)) * extent,
        Wrap::Mirror => {
            let nearest_even = 2.0 * (0.5 * fraction).round_ties_even();
            (fraction - nearest_even).abs() * extent
        }
        Wrap::MirrorOnce => fraction.abs().min(1.0) * extent,
        Wrap::HalfBorder => fraction.clamp(0.0, 1.0) * extent,
        Wrap::Clamp | Wrap::Border if unnormalised => coordinate,
        Wrap::Clamp | Wrap::Border => coordinate * extent,
    };
    if !linear {
        return Taps::single(match wrap {
            Wrap::Border => wrap_index(floor(u), size, wrap),
            // What is below 0 becomes 0, so that the fraction may be cut off.
            _ => wrap_index(u, size, wrap),
        });
    }
    let below = floor(u - 0.5);
    let weight = u - 0.5 - below;
    let index = |index: f32| match wrap {
        Wrap::Repeat if index < 0.0 => Some(size - 1),
        Wrap::Repeat if index > extent - 1.0 => Some(0),
        Wrap::HalfBorder => wrap_index(index, size, Wrap::Border),
        _ => wrap_index(index, size, wrap),
    };
    Taps {
        texels: [index(below), index(below + 1.0)],
        weight: if weight.is_finite() { weight } else { 0.0 },
    }
}

impl Image<'_> {
    /// Samples at `coordinates` (u, v, r). `level_positive`: the image is minified.
    pub(super) fn sample(
        &mut self,
        sampler: &Sampler,
        coordinates: [f32; 4],
        minified: bool,
    ) -> Result<Texel, Fault> {
        let surface = self.0.surface;
        let linear = if minified {
            sampler.min_linear
        } else {
            sampler.mag_linear
        };
        let [u, v, r, _] = coordinates;
        let axis = |coordinate, size, axis: usize| {
            let wrap = sampler.wrap[axis];
            taps(coordinate, size, wrap, linear, sampler.unnormalised)
        };
        let none = Taps::single(Some(0));
        let (x, y, z) = match surface.kind {
            SurfaceKind::Image1d if surface.array => {
                (axis(u, surface.width, 0), none, self.element(v))
            }
            SurfaceKind::Image1d | SurfaceKind::Buffer | SurfaceKind::StructuredBuffer => {
                (axis(u, surface.width, 0), none, none)
            }
            SurfaceKind::Image3d => (
                axis(u, surface.width, 0),
                axis(v, surface.height, 1),
                axis(r, surface.depth, 2),
            ),
            SurfaceKind::Cube => {
                return Err(Fault::Invalid {
                    why: "sampling a cube, which is not modelled".into(),
                });
            }
            _ => (
                axis(u, surface.width, 0),
                axis(v, surface.height, 1),
                if surface.array { self.element(r) } else { none },
            ),
        };
        if linear && self.0.format.is_integer() {
            return Err(Fault::Invalid {
                why: "linear filter on an integer format".into(),
            });
        }
        self.combine(sampler, x, y, z, linear)
    }

    /// Samples of the first level for all `live` channels of `simd`, by their u and v, where texels are
    /// dwords of a two-dimensional image: the channels of each. `None` if a channel needs the border, or a
    /// texel cannot be read: these are taken one by one.
    pub(super) fn sample_all(
        &mut self,
        sampler: &Sampler,
        (live, simd): (u32, usize),
        coordinates: [[f32; LANES]; 2],
    ) -> Option<[[u32; LANES]; 4]> {
        let (surface, format) = (self.0.surface, self.0.format);
        let plain = surface.kind == SurfaceKind::Image2d && !surface.array;
        if !plain || !self.0.has_dwords() || sampler.mag_linear && format.is_integer() {
            return None;
        }
        let size = [surface.width, surface.height];
        sampler.sample_all(live, &coordinates, size, |live, x, y| {
            let mut texels = [0; LANES];
            let at = [*x, *y, [0; LANES]];
            let there = self.0.fetch_dwords(live, &at, &mut texels).ok()?;
            (there == live).then(|| format.load_dwords(&texels, simd))
        })
    }

    /// An array element: the nearest one, clamped.
    fn element(&self, coordinate: f32) -> Taps {
        let last = self.0.surface.depth.saturating_sub(1);
        Taps::single(Some((coordinate.round_ties_even() as u32).min(last)))
    }

    fn combine(
        &mut self,
        sampler: &Sampler,
        x: Taps,
        y: Taps,
        z: Taps,
        linear: bool,
    ) -> Result<Texel, Fault> {
        if !linear {
            return self.texel(sampler, x.texels[0], y.texels[0], z.texels[0]);
        }
        let mut sum = [0.0f64; 4];
        for (zi, wz) in weights(z) {
            for (yi, wy) in weights(y) {
                for (xi, wx) in weights(x) {
                    let weight = f64::from(wx) * f64::from(wy) * f64::from(wz);
                    if weight == 0.0 {
                        continue;
                    }
                    let texel = self.texel(sampler, xi, yi, zi)?;
                    for (sum, channel) in sum.iter_mut().zip(texel) {
                        *sum += weight * f64::from(f32::from_bits(channel));
                    }
                }
            }
        }
        Ok(sum.map(|channel| (channel as f32).to_bits()))
    }

    /// A texel, or the border colour.
    fn texel(
        &mut self,
        sampler: &Sampler,
        x: Option<u32>,
        y: Option<u32>,
        z: Option<u32>,
    ) -> Result<Texel, Fault> {
        if let (Some(x), Some(y), Some(z)) = (x, y, z)
            && let Some(texel) = self.0.fetch([x, y, z])?
        {
            return Ok(texel);
        }
        Ok(self.0.format.border(sampler.border))
    }
}

/// The texels of an axis with their weights; a single one has the whole weight.
fn weights(taps: Taps) -> [(Option<u32>, f32); 2] {
    [
        (taps.texels[0], 1.0 - taps.weight),
        (taps.texels[1], taps.weight),
    ]
}

impl Format {
    /// The border colour in this format: clamped to its range, absent channels as in texels.
    fn border(&self, colour: Texel) -> Texel {
        let absent = self.load(0);
        let all = self.load(u128::MAX);
        let mut texel = [0; 4];
        for (index, value) in texel.iter_mut().enumerate() {
            // A channel whose bits never change is absent.
            *value = if absent[index] == all[index] {
                absent[index]
            } else {
                self.clamp(colour[index])
            };
        }
        texel
    }

    fn clamp(&self, value: u32) -> u32 {
        let number = f32::from_bits(value);
        match self.numeric() {
            Numeric::Unorm | Numeric::Srgb => number.clamp(0.0, 1.0).to_bits(),
            Numeric::Snorm => number.clamp(-1.0, 1.0).to_bits(),
            Numeric::Uint | Numeric::Sint | Numeric::Float => value,
        }
    }
}

#[cfg(test)]
mod tests {
    use oracles::Random;

    use super::{Wrap, floor, taps};

    #[test]
    fn floors_are_those_of_the_library() {
        let mut random = Random::new(12);
        let any = (0..20_000).map(|_| f32::from_bits(random.bits() as u32));
        let near = (-64..=64).map(|quarter| quarter as f32 / 4.0);
        for number in any.chain(near) {
            // Of zeroes, the sign says nothing.
            let (own, wanted) = (floor(number) + 0.0, number.floor() + 0.0);
            assert!(own == wanted || own.is_nan() && wanted.is_nan(), "{number}");
        }
    }

    fn nearest(coordinate: f32, wrap: Wrap) -> Option<u32> {
        taps(coordinate, 8, wrap, false, false).texels[0]
    }

    #[test]
    fn nearest_addressing() {
        assert_eq!(nearest(0.0, Wrap::Clamp), Some(0));
        assert_eq!(nearest(0.99, Wrap::Clamp), Some(7));
        assert_eq!(nearest(-3.0, Wrap::Clamp), Some(0));
        assert_eq!(nearest(3.0, Wrap::Clamp), Some(7));
        assert_eq!(nearest(-0.01, Wrap::Border), None);
        assert_eq!(nearest(1.0, Wrap::Border), None);
        assert_eq!(nearest(1.125, Wrap::Repeat), Some(1));
        assert_eq!(nearest(-0.01, Wrap::Repeat), Some(7));
        assert_eq!(nearest(1.01, Wrap::Mirror), Some(7));
        assert_eq!(nearest(-0.2, Wrap::Mirror), Some(1));
        assert_eq!(nearest(f32::NAN, Wrap::Repeat), Some(0));
    }

    #[test]
    fn linear_addressing() {
        let linear = |coordinate, wrap| taps(coordinate, 4, wrap, true, true);
        let taps = linear(1.0, Wrap::Clamp);
        assert_eq!((taps.texels, taps.weight), ([Some(0), Some(1)], 0.5));
        let taps = linear(0.25, Wrap::Clamp);
        assert_eq!((taps.texels, taps.weight), ([Some(0), Some(0)], 0.75));
        let taps = linear(0.25, Wrap::Border);
        assert_eq!((taps.texels, taps.weight), ([None, Some(0)], 0.75));
        let taps = linear(3.75, Wrap::Border);
        assert_eq!((taps.texels, taps.weight), ([Some(3), None], 0.25));
        let taps = linear(0.25, Wrap::Repeat);
        assert_eq!((taps.texels, taps.weight), ([Some(3), Some(0)], 0.75));
        let taps = linear(3.75, Wrap::Repeat);
        assert_eq!((taps.texels, taps.weight), ([Some(3), Some(0)], 0.25));
    }
}
