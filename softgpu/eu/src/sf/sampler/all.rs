//! Samples of two-dimensional images for all channels of a message.

use super::filter::taps;
use super::state::{Sampler, Wrap};
use crate::sf::payload::Lanes;

/// Sizes up to here are exact as singles.
const EXACT: u32 = 1 << 24;

/// Along one axis, the texels that each channel combines, with their weights; see `Taps`.
struct Axis<const N: usize> {
    texels: [[u32; N]; 2],
    weights: [[f32; N]; 2],
}

impl Sampler {
    /// Samples at the coordinates of `live` channels in an image of this size, at its first level. `fetch` gets
    /// the components of texels for some channels. `None` if a channel needs the border, or a texel cannot be had.
    #[inline(always)]
    pub(in crate::sf) fn sample_all<const N: usize>(
        &self,
        live: u32,
        coordinates: &[[f32; N]; 2],
        size: [u32; 2],
        mut fetch: impl FnMut(u32, &[u32; N], &[u32; N]) -> Option<[[u32; N]; 4]>,
    ) -> Option<[[u32; N]; 4]> {
        if size.iter().any(|size| !(1..=EXACT).contains(size)) {
            return None;
        }
        let [u, v] = coordinates;
        if !self.mag_linear {
            let x = self.nearest(live, u, size[0], 0)?;
            let y = self.nearest(live, v, size[1], 1)?;
            return fetch(live, &x, &y);
        }
        let (x, y) = (
            self.linear(live, u, size[0], 0)?,
            self.linear(live, v, size[1], 1)?,
        );
        let mut sums = [[0.0f64; N]; 4];
        for (yi, wy) in y.texels.iter().zip(&y.weights) {
            for (xi, wx) in x.texels.iter().zip(&x.weights) {
                let mut weights = [0.0; N];
                let mut counts = 0;
                for lane in Lanes(live) {
                    let lane = lane % N;
                    weights[lane] = f64::from(wx[lane]) * f64::from(wy[lane]);
                    counts |= u32::from(weights[lane] != 0.0) << lane;
                }
                let texels = fetch(counts, xi, yi)?;
                for (sums, values) in sums.iter_mut().zip(&texels) {
                    for lane in Lanes(counts) {
                        let lane = lane % N;
                        sums[lane] += weights[lane] * f64::from(f32::from_bits(values[lane]));
                    }
                }
            }
        }
        Some(sums.map(|values| values.map(|value| (value as f32).to_bits())))
    }

    /// The texels nearest to coordinates along an axis: what [`taps`] says of each.
    #[inline(always)]
    fn nearest<const N: usize>(
        &self,
        live: u32,
        coordinates: &[f32; N],
        size: u32,
        axis: usize,
    ) -> Option<[u32; N]> {
        let wrap = self.wrap[axis];
        let extent = if self.unnormalised { 1.0 } else { size as f32 };
        match wrap {
            // NaN becomes 0.
            Wrap::Clamp => {
                let last = (size - 1) as f32;
                Some(coordinates.map(|at| (at * extent).max(0.0).min(last) as i32 as u32))
            }
            Wrap::Border => {
                let at = coordinates.map(|at| if at.is_nan() { 0.0 } else { at * extent });
                let inside = |lane: usize| (0.0..size as f32).contains(&at[lane % N]);
                let all = Lanes(live).all(inside);
                all.then(|| at.map(|at| at as i32 as u32))
            }
            Wrap::Repeat | Wrap::Mirror | Wrap::MirrorOnce | Wrap::HalfBorder => {
                let mut texels = [0; N];
                for lane in Lanes(live) {
                    let taps = taps(coordinates[lane % N], size, wrap, false, self.unnormalised);
                    texels[lane % N] = taps.texels[0]?;
                }
                Some(texels)
            }
        }
    }

    #[inline(always)]
    fn linear<const N: usize>(
        &self,
        live: u32,
        coordinates: &[f32; N],
        size: u32,
        axis: usize,
    ) -> Option<Axis<N>> {
        let mut all = Axis {
            texels: [[0; N]; 2],
            weights: [[0.0; N]; 2],
        };
        for lane in Lanes(live) {
            let lane = lane % N;
            let wrap = self.wrap[axis];
            let taps = taps(coordinates[lane], size, wrap, true, self.unnormalised);
            let weights = [1.0 - taps.weight, taps.weight];
            for (which, (texel, weight)) in taps.texels.into_iter().zip(weights).enumerate() {
                if weight != 0.0 {
                    all.texels[which][lane] = texel?;
                }
                all.weights[which][lane] = weight;
            }
        }
        Some(all)
    }
}
