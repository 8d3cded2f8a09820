//! Texels of a surface, by integer coordinates.

use super::format::{Format, Texel};
use super::state::{Surface, SurfaceKind};
use crate::Fault;
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
    pub(in crate::sf) fn contains(&self, x: u32, y: u32, z: u32) -> bool {
        x < self.width && y < self.height && z < self.depth
    }

    /// The byte offset from the base of byte `x` (in bytes) of row `y` of slice `z`.
    #[inline]
    pub(in crate::sf) fn byte_offset(&self, x: u32, y: u32, z: u32) -> u64 {
        self.tiling.offset(self.pitch, self.slice_rows, x, y, z)
    }

    /// The byte offset of an existing texel of `bytes` bytes.
    fn texel_offset(&self, bytes: u32, x: u32, y: u32, z: u32) -> u64 {
        match self.kind {
            SurfaceKind::Buffer | SurfaceKind::StructuredBuffer => {
                u64::from(x) * u64::from(self.pitch)
            }
            // One-dimensional array elements are QPitch texels apart.
            SurfaceKind::Image1d => {
                let element = u64::from(z + self.first_element) * u64::from(self.slice_rows);
                (u64::from(x) + element) * u64::from(bytes)
            }
            _ => self.byte_offset(
                (x + self.x_offset).wrapping_mul(bytes),
                y + self.y_offset,
                z + self.first_element,
            ),
        }
    }

    /// The texel at integer coordinates, or `None` outside the surface.
    pub(in crate::sf) fn fetch(
        &self,
        view: &View<'_>,
        format: &Format,
        x: u32,
        y: u32,
        z: u32,
    ) -> Result<Option<Texel>, Fault> {
        if !self.contains(x, y, z) {
            return Ok(None);
        }
        let offset = self.texel_offset(format.bytes().into(), x, y, z);
        let address = self.base.offset(offset);
        let bits = match format.bytes() {
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

    /// Writes the enabled `components` of a texel; outside the surface, nothing.
    pub(in crate::sf) fn put(
        &self,
        view: &View<'_>,
        format: &Format,
        at: [u32; 3],
        texel: Texel,
        components: u8,
    ) -> Result<(), Fault> {
        let [x, y, z] = at;
        if !self.contains(x, y, z) {
            return Ok(());
        }
        let offset = self.texel_offset(format.bytes().into(), x, y, z);
        let address = self.base.offset(offset);
        let (new, mask) = format.store(texel, components);
        let bytes = usize::from(format.bytes()).min(16);
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
            4 => view.write_u32(address, merged as u32)?,
            8 => view.write_u64(address, merged as u64)?,
            _ => view.write(address, &merged.to_le_bytes()[..bytes])?,
        }
        Ok(())
    }

    /// The byte offset of a texel for an atomic operation, or `None` outside.
    pub(in crate::sf) fn atomic_offset(&self, bytes: u32, at: [u32; 3]) -> Option<u64> {
        let [x, y, z] = at;
        self.contains(x, y, z)
            .then(|| self.texel_offset(bytes, x, y, z))
    }
}
