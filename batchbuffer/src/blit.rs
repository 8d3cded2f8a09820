//! Copies and fills of plain memory on a blitter.
//!
//! Like [`dispatch`](crate::dispatch), but for copy engines: a caller says what
//! to copy, the family decides which packets do it. Memory is treated as
//! rectangles of up to 16384 rows; what does not fill a rectangle takes a row
//! of its own.

use devinfo::{Family, GpuAddress};

use crate::Builder;
use crate::dispatch::{Mocs, Tag};
use crate::error::EncodeError;
use crate::family::{CopyPacket, FillPacket, traits};
use crate::layout::Field;
use crate::packets::{
    mem_copy, mi_batch_buffer_end, mi_flush_dw, mi_noop, xy_block_copy_blt as block_copy,
    xy_color_blt as color, xy_fast_color_blt as fast_color, xy_src_copy_blt as src_copy,
};
use crate::states::values::StateSurfaceType;

/// A copy or fill that cannot be expressed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlitError {
    /// A value does not go into its packet.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// The blitter of the family has no such pattern.
    #[error("a blitter of {family} cannot fill with patterns of {bytes} bytes")]
    Pattern {
        /// The pattern's size.
        bytes: usize,
        /// The family.
        family: Family,
    },
    /// The memory to fill is no whole number of patterns, or not aligned to one.
    #[error("{bytes} bytes at {address} are not whole patterns of {pattern} bytes")]
    Partial {
        /// The first byte.
        address: GpuAddress,
        /// How many bytes are to be filled.
        bytes: u64,
        /// The pattern's size.
        pattern: usize,
    },
}

/// A copy from memory to memory; the two may not overlap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copy {
    /// The first byte to read.
    pub source: GpuAddress,
    /// The first byte to write.
    pub destination: GpuAddress,
    /// How many.
    pub bytes: u64,
    /// How both are cached.
    pub mocs: Mocs,
}

/// A fill of memory with a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fill<'a> {
    /// The first byte, aligned to the pattern's size.
    pub destination: GpuAddress,
    /// How many, a multiple of the pattern's size.
    pub bytes: u64,
    /// 1, 2 or 4 bytes; 8 or 16 also from XeHPG on.
    pub pattern: &'a [u8],
    /// How it is cached.
    pub mocs: Mocs,
}

/// The most rows of a rectangle.
const ROWS: u64 = 1 << 14;

/// Cuts `elements` elements into rectangles of rows of `row` elements:
/// offset in elements, width, height.
fn rectangles(elements: u64, row: u64) -> impl Iterator<Item = (u64, u64, u64)> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let left = elements - offset;
        if left == 0 {
            return None;
        }
        let (width, height) = if left < row {
            (left, 1)
        } else {
            (row, (left / row).min(ROWS))
        };
        let at = offset;
        offset += width * height;
        Some((at, width, height))
    })
}

/// MOCS fields hold the index, in seven bits one bit further up.
fn set_mocs(packet: Builder, family: Family, field: &'static Field, mocs: Mocs) -> Builder {
    match field.row(family) {
        None => packet,
        Some(row) if row.bits() == 7 => packet.set(field, mocs.field()),
        Some(_) => packet.set(field, u32::from(mocs.0)),
    }
}

/// Copies memory.
///
/// # Errors
/// See [`BlitError`].
pub fn copy(family: Family, copy: &Copy, out: &mut Vec<u32>) -> Result<(), BlitError> {
    let rectangle = match traits(family).copy {
        CopyPacket::XySrcCopyBlt => source_copy,
        CopyPacket::XyBlockCopyBlt => block_copy_rectangle,
        CopyPacket::MemCopy => memory_copy,
    };
    const ROW: u64 = 1 << 14;
    for (offset, width, height) in rectangles(copy.bytes, ROW) {
        let part = Copy {
            source: copy.source.offset(offset),
            destination: copy.destination.offset(offset),
            ..*copy
        };
        rectangle(family, &part, width, height).emit(out)?;
    }
    Ok(())
}

fn source_copy(family: Family, copy: &Copy, width: u64, height: u64) -> Builder {
    /// Takes the source as it is.
    const COPY: u32 = 0xcc;
    src_copy::packet(family)
        .set(src_copy::COLOR_DEPTH, src_copy::ColorDepth::_8_BIT)
        .set(src_copy::RASTER_OPERATION, COPY)
        .set(src_copy::DESTINATION_PITCH, width)
        .set(src_copy::DESTINATION_X2, width)
        .set(src_copy::DESTINATION_Y2, height)
        .set(src_copy::DESTINATION_BASE_ADDRESS, copy.destination)
        .set(src_copy::SOURCE_PITCH, width)
        .set(src_copy::SOURCE_BASE_ADDRESS, copy.source)
}

fn block_copy_rectangle(family: Family, copy: &Copy, width: u64, height: u64) -> Builder {
    use block_copy as b;
    let packet = b::packet(family)
        .set(b::COLOR_DEPTH, b::ColorDepth::_8_BIT)
        .set(b::DESTINATION_PITCH, width - 1)
        .set(b::DESTINATION_X2, width)
        .set(b::DESTINATION_Y2, height)
        .set(b::DESTINATION_BASE_ADDRESS, copy.destination)
        .set(b::DESTINATION_SURFACE_TYPE, StateSurfaceType::SURFTYPE_2D)
        .set(b::DESTINATION_SURFACE_WIDTH, width - 1)
        .set(b::DESTINATION_SURFACE_HEIGHT, height - 1)
        .set(b::SOURCE_PITCH, width - 1)
        .set(b::SOURCE_BASE_ADDRESS, copy.source)
        .set(b::SOURCE_SURFACE_TYPE, StateSurfaceType::SURFTYPE_2D)
        .set(b::SOURCE_SURFACE_WIDTH, width - 1)
        .set(b::SOURCE_SURFACE_HEIGHT, height - 1);
    let packet = set_mocs(packet, family, b::DESTINATION_MOCS, copy.mocs);
    set_mocs(packet, family, b::SOURCE_MOCS, copy.mocs)
}

fn memory_copy(family: Family, copy: &Copy, width: u64, height: u64) -> Builder {
    use mem_copy as m;
    let packet = m::packet(family)
        .set(m::COPY_TYPE, m::CopyType::MATRIX_COPY)
        .set(m::TRANSFER_WIDTH, width - 1)
        .set(m::TRANSFER_HEIGHT, height - 1)
        .set(m::SOURCE_PITCH, width - 1)
        .set(m::DESTINATION_PITCH, width - 1)
        .set(m::SOURCE_START_ADDRESS, copy.source)
        .set(m::DESTINATION_START_ADDRESS, copy.destination);
    let packet = set_mocs(packet, family, m::DESTINATION_MOCS, copy.mocs);
    set_mocs(packet, family, m::SOURCE_MOCS, copy.mocs)
}

/// Fills memory.
///
/// # Errors
/// See [`BlitError`].
pub fn fill(family: Family, fill: &Fill<'_>, out: &mut Vec<u32>) -> Result<(), BlitError> {
    let size = fill.pattern.len();
    let rectangle = match traits(family).fill {
        FillPacket::XyColorBlt => color_rectangle,
        FillPacket::XyFastColorBlt => fast_color_rectangle,
    };
    let unit = size as u64;
    if unit != 0
        && !(fill.bytes.is_multiple_of(unit) && fill.destination.get().is_multiple_of(unit))
    {
        return Err(BlitError::Partial {
            address: fill.destination,
            bytes: fill.bytes,
            pattern: size,
        });
    }
    const ROW: u64 = 1 << 12;
    for (offset, width, height) in rectangles(fill.bytes.checked_div(unit).unwrap_or(1), ROW) {
        let part = Fill {
            destination: fill.destination.offset(offset * unit),
            ..*fill
        };
        rectangle(family, &part, width, height)
            .ok_or(BlitError::Pattern {
                bytes: size,
                family,
            })?
            .emit(out)?;
    }
    Ok(())
}

fn color_rectangle(family: Family, fill: &Fill<'_>, width: u64, height: u64) -> Option<Builder> {
    /// Takes the pattern as it is.
    const PATTERN: u32 = 0xf0;
    /// Red, green and blue, and alpha.
    const ALL_CHANNELS: u32 = 3;
    let (depth, mask, value) = match *fill.pattern {
        [a] => (color::ColorDepth::_8_BIT, 0, u32::from(a)),
        [a, b] => (
            color::ColorDepth::_16_BIT_565,
            0,
            u16::from_le_bytes([a, b]).into(),
        ),
        [a, b, c, d] => (
            color::ColorDepth::_32_BIT,
            ALL_CHANNELS,
            u32::from_le_bytes([a, b, c, d]),
        ),
        _ => return None,
    };
    let pitch = width * fill.pattern.len() as u64;
    let packet = color::packet(family)
        .set(color::BYTE_MASK_32BPP, mask)
        .set(color::COLOR_DEPTH, depth)
        .set(color::RASTER_OPERATION, PATTERN)
        .set(color::DESTINATION_PITCH, pitch)
        .set(color::DESTINATION_X2, width)
        .set(color::DESTINATION_Y2, height)
        .set(color::DESTINATION_BASE_ADDRESS, fill.destination)
        .set(color::SOLID_PATTERN_COLOR, value);
    Some(packet)
}

fn fast_color_rectangle(
    family: Family,
    fill: &Fill<'_>,
    width: u64,
    height: u64,
) -> Option<Builder> {
    use fast_color as f;
    let depth = match fill.pattern.len() {
        1 => f::ColorDepth::_8_BIT,
        2 => f::ColorDepth::_16_BIT,
        4 => f::ColorDepth::_32_BIT,
        8 => f::ColorDepth::_64_BIT,
        16 => f::ColorDepth::_128_BIT,
        _ => return None,
    };
    let pitch = width * fill.pattern.len() as u64;
    let mut packet = f::packet(family)
        .set(f::COLOR_DEPTH, depth)
        .set(f::DESTINATION_PITCH, pitch - 1)
        .set(f::DESTINATION_X2, width)
        .set(f::DESTINATION_Y2, height)
        .set(f::DESTINATION_BASE_ADDRESS, fill.destination)
        .set(f::DESTINATION_SURFACE_TYPE, StateSurfaceType::SURFTYPE_2D)
        .set(f::DESTINATION_SURFACE_WIDTH, width - 1)
        .set(f::DESTINATION_SURFACE_HEIGHT, height - 1);
    for (i, bytes) in fill.pattern.chunks(4).enumerate() {
        let dword = bytes
            .iter()
            .rev()
            .fold(0u32, |dword, &byte| dword << 8 | u32::from(byte));
        packet = packet.set_at(f::FILL_COLOR, i, dword);
    }
    Some(set_mocs(packet, family, f::DESTINATION_MOCS, fill.mocs))
}

/// Flushes what the blitter has written, writes the tag and ends the batch,
/// padded to a multiple of 8 bytes.
///
/// # Errors
/// See [`BlitError`].
pub fn finish(family: Family, tag: Option<Tag>, out: &mut Vec<u32>) -> Result<(), BlitError> {
    /// Write the immediate data (BDW PRM vol 2a, MI_FLUSH_DW).
    const WRITE_IMMEDIATE: u32 = 1;
    /// With the address and 64 bits of data.
    const DWORDS: usize = 5;
    let mut flush = mi_flush_dw::packet(family).at_least(DWORDS);
    if let Some(tag) = tag {
        flush = flush
            .set(mi_flush_dw::POST_SYNC_OPERATION, WRITE_IMMEDIATE)
            .set(mi_flush_dw::ADDRESS, tag.address)
            .set(mi_flush_dw::IMMEDIATE_DATA, tag.value);
    }
    flush.emit(out)?;
    mi_batch_buffer_end::packet(family).emit(out)?;
    if !out.len().is_multiple_of(2) {
        mi_noop::packet(family).emit(out)?;
    }
    Ok(())
}
