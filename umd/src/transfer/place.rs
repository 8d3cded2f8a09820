//! Where the bytes of a copy lie: in rows that the kernels can address, or in tiles that only
//! image messages reach.

use crate::buffer::Buffer;
use crate::command::Command;
use crate::error::{ArgumentError, Error, ErrorKind};
use crate::image::{Image, Region};
use crate::kernel::Arg;
use crate::queue::QueueInner;

/// Bytes that one work-item copies (`CHUNK` in `transfer.cl`).
const CHUNK: u64 = 16;

/// Rows of bytes: the first one begins where the buffer does.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    pub start: Buffer,
    /// Bytes from row to row.
    pub row: u64,
    /// Bytes from slice to slice.
    pub slice: u64,
}

/// One end of a copy.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Rows(Rows),
    /// A texel of a tiled image.
    Tiles(Image, [u32; 3]),
}

impl Place {
    /// The region's first texel in an image.
    pub(super) fn of(image: &Image, region: &Region) -> Self {
        match image.rows(region.origin) {
            Some((start, row, slice)) => Self::Rows(Rows { start, row, slice }),
            None => Self::Tiles(image.as_texels(), region.origin),
        }
    }
}

/// How far an address lies behind the last multiple of a chunk.
fn skip(start: &Buffer) -> u32 {
    (start.address().get() % CHUNK) as u32
}

/// The chunks that a row of `width` bytes lies in; none if it is empty.
fn chunks(skip: u32, width: u64) -> u64 {
    match width {
        0 => 0,
        _ => width.saturating_add(skip.into()).div_ceil(CHUNK),
    }
}

/// A copy of `size` texels of `texel` bytes.
pub(super) fn copy(
    queue: &QueueInner,
    what: &'static str,
    (from, to): (&Place, &Place),
    (size, texel): ([u64; 3], u32),
) -> Result<Command, Error> {
    let bytes = texel.to_le_bytes();
    match (from, to) {
        (Place::Rows(from), Place::Rows(to)) => {
            let [width, rows, slices] = size;
            let width = width.saturating_mul(texel.into());
            let skip = skip(&to.start);
            let args = [
                Arg::Buffer(&to.start),
                Arg::Buffer(&from.start),
                Arg::Value(&to.row.to_le_bytes()),
                Arg::Value(&to.slice.to_le_bytes()),
                Arg::Value(&from.row.to_le_bytes()),
                Arg::Value(&from.slice.to_le_bytes()),
                Arg::Value(&width.to_le_bytes()),
                Arg::Value(&skip.to_le_bytes()),
            ];
            let items = [chunks(skip, width), rows, slices];
            queue.transfer((what, "copy_rows"), &args, items)
        }
        (Place::Tiles(from, origin), Place::Rows(to)) => {
            let args = [
                Arg::Image(from),
                Arg::Value(&coordinates(*origin)),
                Arg::Buffer(&to.start),
                Arg::Value(&to.row.to_le_bytes()),
                Arg::Value(&to.slice.to_le_bytes()),
                Arg::Value(&bytes),
            ];
            queue.transfer((what, "image_to_rows"), &args, size)
        }
        (Place::Rows(from), Place::Tiles(to, origin)) => {
            let args = [
                Arg::Image(to),
                Arg::Value(&coordinates(*origin)),
                Arg::Buffer(&from.start),
                Arg::Value(&from.row.to_le_bytes()),
                Arg::Value(&from.slice.to_le_bytes()),
                Arg::Value(&bytes),
            ];
            queue.transfer((what, "rows_to_image"), &args, size)
        }
        (Place::Tiles(from, origin), Place::Tiles(to, at)) => {
            let args = [
                Arg::Image(from),
                Arg::Value(&coordinates(*origin)),
                Arg::Image(to),
                Arg::Value(&coordinates(*at)),
            ];
            queue.transfer((what, "copy_image"), &args, size)
        }
    }
}

/// The longest pattern of a fill, in bytes.
pub(super) const LONGEST_PATTERN: usize = 128;

/// A fill of rows of `width` bytes with a pattern whose size is a power of two.
pub(super) fn fill(
    queue: &QueueInner,
    what: &'static str,
    to: &Rows,
    [width, rows, slices]: [u64; 3],
    pattern: &[u8],
) -> Result<Command, Error> {
    let skip = skip(&to.start);
    // The kernel counts from `skip` bytes before a row.
    let mut table: Vec<u8> = pattern
        .iter()
        .copied()
        .cycle()
        .take(LONGEST_PATTERN)
        .collect();
    table.rotate_right(skip as usize);
    let (low, high) = table.split_at(LONGEST_PATTERN / 2);
    let args = [
        Arg::Buffer(&to.start),
        Arg::Value(&to.row.to_le_bytes()),
        Arg::Value(&to.slice.to_le_bytes()),
        Arg::Value(&width.to_le_bytes()),
        Arg::Value(&skip.to_le_bytes()),
        Arg::Value(low),
        Arg::Value(high),
    ];
    let items = [chunks(skip, width), rows, slices];
    queue.transfer((what, "fill"), &args, items)
}

/// An `int4`.
pub(super) fn coordinates([x, y, z]: [u32; 3]) -> [u8; 16] {
    (u128::from(x) | u128::from(y) << 32 | u128::from(z) << 64).to_le_bytes()
}

/// A copy from and to the same bytes.
pub(super) fn overlap() -> Error {
    ArgumentError::Object {
        what: "copy",
        kind: ErrorKind::CopyOverlap,
        why: "source and destination overlap".to_owned(),
    }
    .into()
}

/// A copy or fill that cannot be made.
pub(super) fn refuse(what: &'static str, why: impl Into<String>) -> Error {
    let why = why.into();
    let kind = ErrorKind::InvalidValue;
    ArgumentError::Object { what, kind, why }.into()
}
