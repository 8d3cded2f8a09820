//! Copies and fills of buffers.

use crate::buffer::Buffer;
use crate::command::Command;
use crate::error::{ArgumentError, Error};
use crate::event::Event;
use crate::queue::Queue;

use super::place::{self, LONGEST_PATTERN, Place, Rows, overlap, refuse};

/// A buffer seen as rows and slices of bytes, and a place in it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RectLayout {
    /// The first byte: its place in the row, the row, the slice.
    pub origin: [u64; 3],
    /// Bytes from row to row; 0 if the rows of the region lie one after the other.
    pub row_pitch: u64,
    /// Bytes from slice to slice; 0 if the slices of the region lie one after the other.
    pub slice_pitch: u64,
}

impl RectLayout {
    /// The rows of a region of `size` (bytes, rows, slices), if they are all in the buffer.
    fn rows(&self, buffer: &Buffer, size: [u64; 3]) -> Result<Rows, Error> {
        let [width, height, depth] = size;
        let row = if self.row_pitch == 0 {
            width
        } else {
            self.row_pitch
        };
        if row < width {
            let why = format!("the row pitch is {row}, a row has {width} bytes");
            return Err(refuse("copy", why));
        }
        let beyond = || ArgumentError::OutOfBounds {
            what: "copy",
            offset: u64::MAX,
            length: width,
            size: buffer.size(),
        };
        let all_rows = row.checked_mul(height).ok_or_else(beyond)?;
        let slice = if self.slice_pitch == 0 {
            all_rows
        } else {
            self.slice_pitch
        };
        if slice < all_rows || !slice.is_multiple_of(row) {
            let why = format!(
                "the slice pitch is {slice}; {height} rows need a multiple of {row} from \
                 {all_rows} on"
            );
            return Err(refuse("copy", why));
        }
        let place = |x: u64, y: u64, z: u64| {
            let rows = y.checked_mul(row)?.checked_add(z.checked_mul(slice)?)?;
            x.checked_add(rows)
        };
        let [x, y, z] = self.origin;
        let first = place(x, y, z).ok_or_else(beyond)?;
        let last = place(width, height.saturating_sub(1), depth.saturating_sub(1));
        let length = last.ok_or_else(beyond)?;
        Ok(Rows {
            start: buffer.part("copy", first, length)?,
            row,
            slice,
        })
    }
}

impl Command {
    /// Copies `length` bytes between buffers. The ranges must not overlap.
    ///
    /// # Errors
    /// A range reaches beyond its buffer, or they overlap.
    pub fn copy_buffer(
        queue: &Queue,
        source: (&Buffer, u64),
        destination: (&Buffer, u64),
        length: u64,
    ) -> Result<Self, Error> {
        let from = source.0.part("copy", source.1, length)?;
        let to = destination.0.part("copy", destination.1, length)?;
        if from.overlaps(&to) {
            return Err(overlap());
        }
        let rows = |start| {
            Place::Rows(Rows {
                start,
                row: 0,
                slice: 0,
            })
        };
        let ends = (&rows(from), &rows(to));
        let size = ([length, 1, 1], 1);
        place::copy(queue.inner(), "copy of a buffer", ends, size)
    }

    /// Copies a region of `size` bytes, rows and slices between buffers. Where the regions
    /// overlap, the bytes are undefined afterwards.
    ///
    /// # Errors
    /// A pitch is smaller than what it has to hold, or a region reaches beyond its buffer.
    pub fn copy_buffer_rect(
        queue: &Queue,
        source: (&Buffer, RectLayout),
        destination: (&Buffer, RectLayout),
        size: [u64; 3],
    ) -> Result<Self, Error> {
        if size.contains(&0) {
            return Err(refuse("copy", format!("the region {size:?} is empty")));
        }
        let from = Place::Rows(source.1.rows(source.0, size)?);
        let to = Place::Rows(destination.1.rows(destination.0, size)?);
        let size = (size, 1);
        place::copy(queue.inner(), "copy of a buffer", (&from, &to), size)
    }

    /// Repeats `pattern` over `length` bytes of a buffer.
    ///
    /// # Errors
    /// A pattern that does not have 1, 2, 4 … or 128 bytes; a length that is no multiple of it;
    /// the range reaches beyond the buffer.
    pub fn fill_buffer(
        queue: &Queue,
        buffer: (&Buffer, u64),
        length: u64,
        pattern: &[u8],
    ) -> Result<Self, Error> {
        let size = pattern.len();
        if !size.is_power_of_two() || size > LONGEST_PATTERN {
            let why = format!(
                "a pattern of {size} bytes; powers of two up to {LONGEST_PATTERN} are possible"
            );
            return Err(refuse("fill", why));
        }
        if !length.is_multiple_of(size as u64) {
            let why = format!("{length} bytes are no multiple of a pattern of {size} bytes");
            return Err(refuse("fill", why));
        }
        let to = buffer.0.part("fill", buffer.1, length)?;
        let rows = Rows {
            start: to,
            row: 0,
            slice: 0,
        };
        let size = [length, 1, 1];
        place::fill(queue.inner(), "fill of a buffer", &rows, size, pattern)
    }
}

impl Queue {
    /// Enqueues a [copy_buffer](Command::copy_buffer).
    ///
    /// # Errors
    /// As that, and [`run`](Self::run).
    pub fn copy_buffer(
        &self,
        source: (&Buffer, u64),
        destination: (&Buffer, u64),
        length: u64,
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        self.run(
            &Command::copy_buffer(self, source, destination, length)?,
            wait_list,
        )
    }

    /// Enqueues a [copy_buffer_rect](Command::copy_buffer_rect).
    ///
    /// # Errors
    /// As that, and [`run`](Self::run).
    pub fn copy_buffer_rect(
        &self,
        source: (&Buffer, RectLayout),
        destination: (&Buffer, RectLayout),
        size: [u64; 3],
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        self.run(
            &Command::copy_buffer_rect(self, source, destination, size)?,
            wait_list,
        )
    }

    /// Enqueues a [fill_buffer](Command::fill_buffer).
    ///
    /// # Errors
    /// As that, and [`run`](Self::run).
    pub fn fill_buffer(
        &self,
        buffer: (&Buffer, u64),
        length: u64,
        pattern: &[u8],
        wait_list: &[Event],
    ) -> Result<Event, Error> {
        self.run(
            &Command::fill_buffer(self, buffer, length, pattern)?,
            wait_list,
        )
    }
}
