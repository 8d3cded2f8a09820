//! Texels of a surface, by integer coordinates.

use super::format::{Format, LANES, Texel};
use super::state::{Surface, SurfaceKind};
use crate::check::{Access, What};
use crate::sf::payload::Lanes;
use crate::{Checks, Fault};
use devinfo::GpuAddress;
use softgpu_memory::View;

impl Surface {
    /// The format.
    ///
    /// # Errors
    /// [`Fault::Invalid`] if this model does not read it as texels.
    pub(in crate::sf) fn texels(&self) -> Result<&Format, Fault> {
        self.format.as_ref().ok_or_else(|| Fault::Invalid {
            why: format!(
                "a typed access to a surface of format {:#x}, which is not modelled",
                self.code
            ),
        })
    }

    /// Whether a texel exists. `z` is the slice or the array element.
    fn contains(&self, x: u32, y: u32, z: u32) -> bool {
        x < self.width && y < self.height && z < self.depth
    }

    /// The byte offset from the base of byte `x` (in bytes) of row `y` of slice `z`.
    #[inline]
    pub(in crate::sf) fn byte_offset(&self, x: u32, y: u32, z: u32) -> u64 {
        self.tiling.offset(self.pitch, self.slice_rows, x, y, z)
    }

    /// The byte offset of a texel for an atomic operation, or `None` outside.
    pub(in crate::sf) fn atomic_offset(&self, bytes: u32, at: [u32; 3]) -> Option<u64> {
        Rows::default().offset(self, bytes, at)
    }
}

/// The row of the texel that was last found: channels of a message mostly share it.
#[derive(Clone, Copy, Debug, Default)]
struct Rows {
    at: Option<(u32, u32)>,
    offset: u64,
}

impl Rows {
    /// The byte offset of a texel of `bytes` bytes, or `None` outside the surface.
    #[inline(always)]
    fn offset(&mut self, surface: &Surface, bytes: u32, at: [u32; 3]) -> Option<u64> {
        let [x, y, z] = at;
        if !surface.contains(x, y, z) {
            return None;
        }
        Some(match surface.kind {
            SurfaceKind::Buffer | SurfaceKind::StructuredBuffer => {
                u64::from(x) * u64::from(surface.pitch)
            }
            // One-dimensional array elements are QPitch texels apart.
            SurfaceKind::Image1d => {
                let element = u64::from(z + surface.first_element) * u64::from(surface.slice_rows);
                (u64::from(x) + element) * u64::from(bytes)
            }
            _ => {
                if self.at != Some((y, z)) {
                    let (y, z) = (y + surface.y_offset, z + surface.first_element);
                    let (pitch, rows) = (surface.pitch, surface.slice_rows);
                    self.offset = surface.tiling.row(pitch, rows, y, z);
                }
                self.at = Some((y, z));
                let x = (x + surface.x_offset).wrapping_mul(bytes);
                self.offset + surface.tiling.column(x)
            }
        })
    }
}

/// Accesses texels of a surface, one after the other.
#[derive(Clone, Copy, Debug)]
pub(in crate::sf) struct Cursor<'a> {
    view: &'a View<'a>,
    pub surface: &'a Surface,
    pub format: &'a Format,
    rows: Rows,
    /// What looks at reads, of this channel where one channel's texels are fetched.
    checks: Option<&'a Checks>,
    pub lane: usize,
}

impl<'a> Cursor<'a> {
    /// Those of `surface`, in no row yet.
    ///
    /// # Errors
    /// Those of [`Surface::texels`].
    pub fn new(surface: &'a Surface, view: &'a View<'a>) -> Result<Self, Fault> {
        Ok(Self {
            view,
            surface,
            format: surface.texels()?,
            rows: Rows::default(),
            checks: None,
            lane: 0,
        })
    }

    /// The same; checks look at what it reads.
    pub fn checked(self, checks: Option<&'a Checks>) -> Self {
        Self { checks, ..self }
    }

    #[cold]
    fn check(checks: &Checks, address: GpuAddress, bytes: u8, lane: usize) {
        let access = Access {
            lane: Some(lane as u8),
            row: false,
            address: 0..0,
            what: What::Read { at: 0, slot: 0 },
        };
        checks.texel(address.get(), bytes.into(), &access);
    }

    /// The texel at integer coordinates (the last is the slice or the array element), or `None`
    /// outside the surface.
    #[inline(always)]
    pub fn fetch(&mut self, at: [u32; 3]) -> Result<Option<Texel>, Fault> {
        let (view, format) = (self.view, self.format);
        let bytes = format.bytes();
        let Some(offset) = self.rows.offset(self.surface, bytes.into(), at) else {
            return Ok(None);
        };
        let address = self.surface.base.offset(offset);
        if let Some(checks) = self.checks {
            Self::check(checks, address, bytes, self.lane);
        }
        let bits = match bytes {
            1 => view.read_u8(address)?.into(),
            2 => view.read_u16(address)?.into(),
            4 => view.read_u32(address)?.into(),
            8 => view.read_u64(address)?.into(),
            bytes => {
                let mut texel = [0; 16];
                let bytes = usize::from(bytes).min(texel.len());
                view.read(address, &mut texel[..bytes])?;
                u128::from_le_bytes(texel)
            }
        };
        Ok(Some(format.load(bits)))
    }

    /// Whether texels are whole dwords in memory.
    pub fn has_dwords(&self) -> bool {
        let surface = self.surface;
        let aligned = surface.base.get().is_multiple_of(4) && surface.pitch.is_multiple_of(4);
        aligned && self.format.bytes() == 4
    }

    /// The addresses of the texels of `live` channels, which are dwords, and those that exist.
    #[inline(always)]
    fn places(&mut self, live: u32, at: &[[u32; LANES]; 3]) -> ([GpuAddress; LANES], u32) {
        let surface = self.surface;
        let mut places = [surface.base; LANES];
        let mut there = 0;
        // The texel that follows the last one, where it does so in memory.
        let span = surface.tiling.span().unwrap_or(0);
        let rows = !matches!(
            surface.kind,
            SurfaceKind::Buffer | SurfaceKind::StructuredBuffer | SurfaceKind::Image1d
        );
        let mut last = None;
        for lane in Lanes(live) {
            let [x, y, z] = at.each_ref().map(|axis| axis[lane % LANES]);
            let byte = x.wrapping_add(surface.x_offset).wrapping_mul(4);
            let begins = span != 0 && byte & (span - 1) == 0;
            let follows = rows && x < surface.width && !begins;
            let offset = match last {
                Some((next, offset)) if follows && next == [x, y, z] => offset,
                _ => match self.rows.offset(surface, 4, [x, y, z]) {
                    Some(offset) => offset,
                    None => continue,
                },
            };
            last = Some(([x + 1, y, z], offset + 4));
            there |= 1 << lane;
            if let Some(place) = places.get_mut(lane) {
                *place = surface.base.offset(offset);
            }
        }
        (places, there)
    }

    /// Fetches the texels of `live` channels, which are dwords; returns those that are there.
    #[inline(always)]
    pub fn fetch_dwords(
        &mut self,
        live: u32,
        at: &[[u32; LANES]; 3],
        texels: &mut [u32; LANES],
    ) -> Result<u32, Fault> {
        let (places, there) = self.places(live, at);
        if let Some(checks) = self.checks {
            Lanes(there).for_each(|lane| Self::check(checks, places[lane % LANES], 4, lane));
        }
        let lanes = Lanes(there).map(|lane| (lane, places[lane % LANES]));
        self.view
            .gather_u32(lanes, |lane, texel| texels[lane % LANES] = texel)?;
        Ok(there)
    }

    /// Writes the texels of `live` channels, which are dwords.
    #[inline(always)]
    pub fn put_dwords(
        &mut self,
        live: u32,
        at: &[[u32; LANES]; 3],
        texels: &[u32; LANES],
    ) -> Result<(), Fault> {
        let (places, there) = self.places(live, at);
        let lanes = Lanes(there).map(|lane| (places[lane % LANES], texels[lane % LANES]));
        Ok(self.view.scatter_u32(lanes)?)
    }

    /// Writes the enabled `components` of a texel; outside the surface, nothing.
    #[inline(always)]
    pub fn put(&mut self, at: [u32; 3], texel: Texel, components: u8) -> Result<(), Fault> {
        let (view, format) = (self.view, self.format);
        let bytes = format.bytes();
        let Some(offset) = self.rows.offset(self.surface, bytes.into(), at) else {
            return Ok(());
        };
        let address = self.surface.base.offset(offset);
        let (new, mask) = format.store(texel, components);
        let bytes = usize::from(bytes).min(16);
        let whole = if bytes == 16 {
            u128::MAX
        } else {
            (1 << (8 * bytes)) - 1
        };
        let mut bits = [0; 16];
        if mask != whole {
            view.read(address, &mut bits[..bytes])?;
        }
        let merged = u128::from_le_bytes(bits) & !mask | new;
        match bytes {
            1 => view.write_u8(address, merged as u8)?,
            2 => view.write_u16(address, merged as u16)?,
            4 => view.write_u32(address, merged as u32)?,
            8 => view.write_u64(address, merged as u64)?,
            _ => view.write(address, &merged.to_le_bytes()[..bytes])?,
        }
        Ok(())
    }
}
