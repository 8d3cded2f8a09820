//! Rectangles of bytes of a two-dimensional surface: media blocks and typed 2D blocks.
//!
//! Reads beyond an edge replicate the element at the edge (as OpenCL's cl_intel_subgroups promises
//! for elements of four bytes); writes there are dropped.

use std::ops::Range;

use devinfo::GpuAddress;
use isa_encoder::message::Direction;

use super::payload::{Payload, Response};
use super::surface::{Surface, SurfaceKind};
use crate::check::{Access, Beside, What};
use crate::{Checks, Fault};
use softgpu_memory::{self as memory, View};

/// The most bytes that a block can have.
const MAX_BYTES: usize = 256;

/// The bytes of elements of which OpenCL says what a block beyond its image reads.
const PROMISED: u32 = 4;

/// Bytes that every tiling keeps contiguous.
const TOGETHER: u32 = 16;

/// A block of a surface.
pub(super) struct Rectangle<'a> {
    pub view: &'a View<'a>,
    pub checks: Option<&'a Checks>,
    pub surface: Surface,
    /// Bytes of a row of the surface.
    pub row_bytes: u32,
    /// The first column, in bytes, and the first row.
    pub x: i32,
    pub y: i32,
    /// Bytes and rows of the block.
    pub width: usize,
    pub height: usize,
}

impl Rectangle<'_> {
    /// Bytes from one row to the next in registers.
    fn pitch(&self) -> usize {
        self.width.next_power_of_two().max(4)
    }

    /// The bytes of the element that edges replicate.
    fn element(&self) -> i64 {
        i64::from(self.format_bytes().min(4))
    }

    fn format_bytes(&self) -> u32 {
        self.surface
            .format
            .map_or(1, |format| format.bytes().into())
    }

    /// Moves the block; what a write stores is in the payload from byte `from` on.
    pub(super) fn transfer(
        &self,
        direction: Direction,
        dst: &mut [u8],
        payload: &Payload<'_>,
        from: usize,
    ) -> Result<(), Fault> {
        let (pitch, bytes) = (self.pitch(), self.pitch() * self.height);
        if bytes > MAX_BYTES {
            return Err(Fault::Invalid {
                why: format!(
                    "block of {} bytes by {} rows, more than {MAX_BYTES} bytes",
                    self.width, self.height
                ),
            });
        }
        self.check_bounds(direction);
        let rows = (0..self.height).map(|row| (row * pitch, i64::from(self.y) + row as i64));
        match direction {
            Direction::Read => {
                let mut response = Response::new(dst, bytes)?;
                for (at, y) in rows {
                    if let Some(out) = response.span(at, self.width) {
                        self.read(y, out)?;
                    }
                }
            }
            Direction::Write => {
                let data = payload.bytes(from, bytes)?;
                for (at, y) in rows {
                    if let Some(row) = data.get(at..at + self.width) {
                        self.write(y, row, from + at)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// A block beyond the edge of an image of small elements is a fault. Of those of four bytes the text says what
    /// comes of it.
    fn check_bounds(&self, direction: Direction) {
        if let Some(checks) = self.checks
            && self.surface.kind != SurfaceKind::Null
            && self.format_bytes() < PROMISED
        {
            let size = [self.row_bytes, self.surface.height];
            let columns = (self.x, self.width);
            checks.judge_block([columns, (self.y, self.height)], size, direction);
        }
    }

    /// Splits `len` bytes from column `x` of row `y` on into pieces that are contiguous in memory;
    /// calls `each` with the piece's place in the row and its address.
    fn pieces(
        &self,
        x: u32,
        y: u32,
        len: usize,
        mut each: impl FnMut(Range<usize>, GpuAddress) -> Result<(), memory::Fault>,
    ) -> Result<(), memory::Fault> {
        let surface = &self.surface;
        let first = x.saturating_add(surface.x_offset * self.format_bytes());
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

    fn read(&self, y: i64, out: &mut [u8]) -> Result<(), Fault> {
        if self.surface.kind == SurfaceKind::Null {
            out.fill(0);
            return Ok(());
        }
        let y = y.clamp(0, i64::from(self.surface.height) - 1) as u32;
        let (inside, start, end) = self.clip(out.len());
        if let Some(part) = out.get_mut(start..end) {
            self.pieces(inside, y, part.len(), |range, address| {
                self.check(address, range.len(), What::Read { at: 0, slot: 0 });
                part.get_mut(range)
                    .map_or(Ok(()), |part| self.view.read(address, part))
            })?;
        }
        // Outside: the element at the edge, in phase with the block.
        let element = self.element();
        for index in (0..start.min(out.len())).chain(end..out.len()) {
            let at = i64::from(self.x) + index as i64;
            let edge = if at < 0 {
                0
            } else {
                i64::from(self.row_bytes) - element
            };
            let source = (edge + at.rem_euclid(element)).max(0) as u32;
            let mut byte = [0];
            self.pieces(source, y, 1, |_, address| {
                self.view.read(address, &mut byte)
            })?;
            if let Some(out) = out.get_mut(index) {
                *out = byte[0];
            }
        }
        Ok(())
    }

    /// Writes bytes of a row, which the payload has from byte `from` on.
    fn write(&self, y: i64, row: &[u8], from: usize) -> Result<(), Fault> {
        let inside = (0..i64::from(self.surface.height)).contains(&y);
        if self.surface.kind == SurfaceKind::Null || !inside {
            return Ok(());
        }
        let (inside, start, end) = self.clip(row.len());
        let Some(part) = row.get(start..end) else {
            return Ok(());
        };
        Ok(self.pieces(inside, y as u32, part.len(), |range, address| {
            let place = range.start;
            let Some(data) = part.get(range) else {
                return Ok(());
            };
            let what = What::Write {
                at: from + start + place,
                data,
                beside: Beside::NONE,
            };
            self.check(address, data.len(), what);
            self.view.write(address, data)
        })?)
    }

    /// Checks an access of consecutive bytes.
    fn check(&self, address: GpuAddress, bytes: usize, what: What<'_>) {
        if let Some(checks) = self.checks {
            let access = Access {
                lane: None,
                row: false,
                address: 0..0,
                what,
            };
            if let What::Write { at, .. } = access.what {
                checks.judge_texel(address.get(), None, std::iter::once(at..at + bytes));
            }
            checks.texel(address.get(), bytes as u64, &access);
        }
    }

    /// The column of the first byte inside, and the range of the row that is inside.
    fn clip(&self, len: usize) -> (u32, usize, usize) {
        let (x, row_bytes) = (i64::from(self.x), i64::from(self.row_bytes));
        let start = (-x).clamp(0, len as i64);
        let end = (row_bytes - x).clamp(start, len as i64);
        ((x + start).max(0) as u32, start as usize, end as usize)
    }
}
