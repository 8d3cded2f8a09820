//! Media block messages: rectangles of bytes of a two-dimensional surface.
//!
//! The surface's width counts dwords, whatever its format. Reads beyond an edge replicate the
//! element at the edge (as OpenCL's cl_intel_subgroups promises for elements of four bytes);
//! writes there are dropped.

use isa_encoder::message::{Direction, HdcSurface};

use super::Context;
use crate::Fault;
use crate::sf::execute::not_modelled;
use crate::sf::payload::Response;
use crate::sf::surface::{Surface, SurfaceKind};

/// Header dword 0: x in bytes, signed.
const X: usize = 0;
/// Header dword 1: y in rows, signed.
const Y: usize = 1;
/// Header dword 2: width - 1 in bits 5:0, height - 1 in bits 21:16.
const SIZE: usize = 2;

/// The most bytes that a block can have.
const MAX_BYTES: usize = 256;

pub(super) fn access(
    context: &Context<'_>,
    dst: &mut [u8],
    direction: Direction,
    surface: HdcSurface,
    line_stride: u8,
) -> Result<(), Fault> {
    context.require_header()?;
    if line_stride & 0b100 != 0 {
        return Err(not_modelled("media block with line stride override"));
    }
    let surface = context.surface(surface)?;
    let (x, y) = (
        context.header_dword(X)? as i32,
        context.header_dword(Y)? as i32,
    );
    let size = context.header_dword(SIZE)?;
    let width = (size & 0x3f) as usize + 1;
    let height = (size >> 16 & 0x3f) as usize + 1;
    let pitch = width.next_power_of_two().max(4);
    if pitch * height > MAX_BYTES {
        return Err(Fault::Invalid {
            why: format!("media block of {width} by {height} bytes, more than {MAX_BYTES}"),
        });
    }
    let block = Block {
        context,
        surface,
        element: surface
            .texels()
            .map_or(1, |format| u32::from(format.bytes).min(4)),
    };
    let rows = (0..height).map(|row| (row * pitch, i64::from(y) + row as i64));
    match direction {
        Direction::Read => {
            let bytes = (pitch * height).next_multiple_of(context.grf);
            let mut response = Response::new(dst, bytes)?;
            for (at, y) in rows {
                if let Some(out) = response.span(at, width) {
                    block.read(i64::from(x), y, out)?;
                }
            }
        }
        Direction::Write => {
            let data = context.payload.bytes(context.grf, pitch * height)?;
            for (at, y) in rows {
                if let Some(row) = data.get(at..at + width) {
                    block.write(i64::from(x), y, row)?;
                }
            }
        }
    }
    Ok(())
}

struct Block<'a> {
    context: &'a Context<'a>,
    surface: Surface,
    /// Bytes of the element that edges replicate.
    element: u32,
}

impl Block<'_> {
    /// Bytes of a row of the surface.
    fn row_bytes(&self) -> i64 {
        i64::from(self.surface.width) * 4
    }

    fn height(&self) -> i64 {
        i64::from(self.surface.height)
    }

    /// Splits `len` bytes from `x` on into pieces that are together in memory; calls `each` with
    /// the piece's place in the row buffer and its address.
    fn pieces(
        &self,
        x: u32,
        y: u32,
        len: usize,
        mut each: impl FnMut(std::ops::Range<usize>, devinfo::GpuAddress) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        /// Bytes that every tiling keeps together.
        const TOGETHER: u32 = 16;
        let surface = &self.surface;
        let format_bytes = surface.texels().map_or(1, |format| u32::from(format.bytes));
        let first = x.saturating_add(surface.x_offset * format_bytes);
        let mut done = 0;
        while done < len {
            let at = first.saturating_add(done as u32);
            let run = ((TOGETHER - at % TOGETHER) as usize).min(len - done);
            let offset = surface.byte_offset(at, y + surface.y_offset, surface.first_element);
            each(done..done + run, surface.base.offset(offset))?;
            done += run;
        }
        Ok(())
    }

    fn read(&self, x: i64, y: i64, out: &mut [u8]) -> Result<(), Fault> {
        if self.surface.kind == SurfaceKind::Null {
            out.fill(0);
            return Ok(());
        }
        let y = y.clamp(0, self.height() - 1) as u32;
        let view = self.context.env.memory;
        let (inside, start, end) = self.clip(x, out.len());
        if let Some(part) = out.get_mut(start..end) {
            self.pieces(inside, y, part.len(), |range, address| {
                part.get_mut(range)
                    .map_or(Ok(()), |part| view.read(address, part))
            })?;
        }
        // Outside: the element at the edge, in phase with the block.
        let element = i64::from(self.element);
        for index in (0..start.min(out.len())).chain(end..out.len()) {
            let at = x + index as i64;
            let edge = if at < 0 {
                0
            } else {
                self.row_bytes() - element
            };
            let source = edge + at.rem_euclid(element);
            let mut byte = [0];
            self.pieces(source.max(0) as u32, y, 1, |_, address| {
                view.read(address, &mut byte)
            })?;
            if let Some(out) = out.get_mut(index) {
                *out = byte[0];
            }
        }
        Ok(())
    }

    fn write(&self, x: i64, y: i64, row: &[u8]) -> Result<(), Fault> {
        if self.surface.kind == SurfaceKind::Null || !(0..self.height()).contains(&y) {
            return Ok(());
        }
        let (inside, start, end) = self.clip(x, row.len());
        let Some(part) = row.get(start..end) else {
            return Ok(());
        };
        self.pieces(inside, y as u32, part.len(), |range, address| {
            part.get(range)
                .map_or(Ok(()), |part| self.context.env.memory.write(address, part))
        })
    }

    /// The x of the first byte inside, and the range of the row buffer that is inside.
    fn clip(&self, x: i64, len: usize) -> (u32, usize, usize) {
        let start = (-x).clamp(0, len as i64);
        let end = (self.row_bytes() - x).clamp(start, len as i64);
        ((x + start).max(0) as u32, start as usize, end as usize)
    }
}
