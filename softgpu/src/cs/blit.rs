//! The blitter: copies and fills of rectangles.

use batchbuffer::packets::{
    mem_copy, mem_set, xy_block_copy_blt, xy_color_blt, xy_fast_color_blt, xy_fast_copy_blt,
    xy_src_copy_blt,
};
use batchbuffer::{Decoded, Field, PacketId};
use devinfo::{Family, GpuAddress};

use super::failure::Failure;
use super::streamer::Streamer;
use crate::sf::Tiling;

/// Whether [`execute`] knows the packet.
pub(super) fn executes(id: PacketId) -> bool {
    use PacketId as P;
    matches!(
        id,
        P::XyBlockCopyBlt
            | P::XyFastColorBlt
            | P::XyFastCopyBlt
            | P::XySrcCopyBlt
            | P::XyColorBlt
            | P::MemCopy
            | P::MemSet
    )
}

/// Executes a packet for which [`executes`] holds.
pub(super) fn execute(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    match packet.id {
        PacketId::XyBlockCopyBlt => block_copy(cs, packet),
        PacketId::XyFastColorBlt => fast_color(cs, packet),
        PacketId::XyFastCopyBlt => fast_copy(cs, packet),
        PacketId::XySrcCopyBlt => source_copy(cs, packet),
        PacketId::XyColorBlt => color(cs, packet),
        PacketId::MemCopy => memory_copy(cs, packet),
        PacketId::MemSet => memory_set(cs, packet),
        _ => Err(cs.refuse(packet, "the blitter does not execute it")),
    }
}

/// Rows of bytes in memory, counted from the corner of a rectangle.
#[derive(Clone, Copy, Debug)]
enum Rows {
    /// One after the other.
    Linear {
        /// The first byte of the first row.
        start: GpuAddress,
        /// From one row's begin to the next one's; may be negative.
        pitch: i64,
    },
    /// In tiles.
    Tiled {
        /// The first byte of the surface.
        base: GpuAddress,
        tiling: Tiling,
        pitch: u32,
        /// Rows from slice to slice.
        slice_rows: u32,
        /// The rectangle's left byte, top row and slice.
        corner: [u32; 3],
    },
}

impl Rows {
    /// The place of byte `column` of row `index`, and how many bytes from it on lie together.
    fn place(self, index: u64, column: u64) -> (GpuAddress, u64) {
        match self {
            Self::Linear { start, pitch } => {
                let offset = pitch.wrapping_mul(index.cast_signed()).cast_unsigned();
                (start.offset(offset.wrapping_add(column)), u64::MAX)
            }
            Self::Tiled {
                base,
                tiling,
                pitch,
                slice_rows,
                corner: [left, top, slice],
            } => {
                let x = left.wrapping_add(column as u32);
                let y = top.wrapping_add(index as u32);
                let offset = tiling.offset(pitch, slice_rows, x, y, slice);
                // Every tiling keeps 16 bytes together.
                (base.offset(offset), u64::from(16 - x % 16))
            }
        }
    }
}

/// A rectangle in pixels: left, top, and the edges behind right and bottom.
struct Rectangle {
    x1: i64,
    y1: i64,
    x2: i64,
    y2: i64,
}

impl Rectangle {
    fn of(packet: &Decoded<'_>, fields: [&'static Field; 4]) -> Self {
        let [x1, y1, x2, y2] = fields.map(|field| packet.signed(field));
        Self { x1, y1, x2, y2 }
    }

    /// Width in pixels and height in rows; an inverted rectangle is empty.
    fn size(&self) -> (u64, u64) {
        let extent = |from: i64, to: i64| u64::try_from(to - from).unwrap_or(0);
        (extent(self.x1, self.x2), extent(self.y1, self.y2))
    }
}

/// The rows of a linear surface from pixel (`x`, `y`) on.
fn rows(base: u64, pitch: i64, x: i64, y: i64, pixel: u64) -> Rows {
    let offset = y
        .wrapping_mul(pitch)
        .wrapping_add(x.wrapping_mul(pixel.cast_signed()));
    Rows::Linear {
        start: GpuAddress::new(base).offset(offset.cast_unsigned()),
        pitch,
    }
}

/// Bytes of a row that are moved at a time.
const CHUNK: u64 = 4096;

/// Copies `height` rows of `width` bytes.
fn copy(
    cs: &mut Streamer<'_>,
    packet: &Decoded<'_>,
    (target, source): (Rows, Rows),
    (width, height): (u64, u64),
) -> Result<(), Failure> {
    let mut buffer = vec![0; CHUNK as usize];
    for row in 0..height {
        let mut done = 0;
        while done < width {
            let (from, readable) = source.place(row, done);
            let (to, writable) = target.place(row, done);
            let count = (width - done).min(CHUNK).min(readable).min(writable);
            let Some(part) = buffer.get_mut(..count as usize) else {
                break;
            };
            cs.view
                .read(from, part)
                .and_then(|()| cs.view.write(to, part))
                .map_err(|fault| cs.access(packet, fault))?;
            done += count;
        }
        cs.check_progress(packet.name())?;
    }
    Ok(())
}

/// Fills `height` rows of `width` bytes with a repeated pixel.
fn fill(
    cs: &mut Streamer<'_>,
    packet: &Decoded<'_>,
    target: Rows,
    (width, height): (u64, u64),
    pixel: &[u8],
) -> Result<(), Failure> {
    let size = pixel.len().max(1) as u64;
    // One pixel more: a run may begin inside of one.
    let chunk: Vec<u8> = pixel
        .iter()
        .copied()
        .cycle()
        .take((CHUNK + size) as usize)
        .collect();
    for row in 0..height {
        let mut done = 0;
        while done < width {
            let (to, together) = target.place(row, done);
            let count = (width - done).min(CHUNK).min(together);
            let begin = (done % size) as usize;
            let part = chunk.get(begin..begin + count as usize).unwrap_or_default();
            cs.view
                .write(to, part)
                .map_err(|fault| cs.access(packet, fault))?;
            done += count;
        }
        cs.check_progress(packet.name())?;
    }
    Ok(())
}

/// Refuses what the model has no layout for.
fn linear_only(cs: &Streamer<'_>, packet: &Decoded<'_>, tilings: &[u64]) -> Result<(), Failure> {
    match tilings.iter().find(|tiling| **tiling != 0) {
        Some(tiling) => Err(cs.refuse(
            packet,
            format!("tiling {tiling} is not modelled in the blitter"),
        )),
        None => Ok(()),
    }
}

/// The bytes of a pixel by XY_BLOCK_COPY_BLT's and XY_FAST_COLOR_BLT's code.
fn pixel_bytes(cs: &Streamer<'_>, packet: &Decoded<'_>, code: u64) -> Result<u64, Failure> {
    let bytes = match code {
        0 => 1,
        1 => 2,
        2 => 4,
        3 => 8,
        4 => 12,
        5 => 16,
        _ => return Err(cs.refuse(packet, format!("colour depth {code} is reserved"))),
    };
    Ok(bytes)
}

/// A pitch field that holds one less than the bytes.
fn pitch_plus_one(packet: &Decoded<'_>, field: &'static Field) -> i64 {
    packet.get(field).cast_signed() + 1
}

/// One side of the block commands.
struct Side {
    tiling: &'static Field,
    base: &'static Field,
    pitch: &'static Field,
    offset: [&'static Field; 2],
    kind: &'static Field,
    qpitch: &'static Field,
    index: &'static Field,
}

impl Side {
    /// The rows from pixel (`x`, `y`) on.
    fn rows(
        &self,
        cs: &Streamer<'_>,
        packet: &Decoded<'_>,
        (x, y): (i64, i64),
        pixel: u64,
    ) -> Result<Rows, Failure> {
        let [x, y] = [(x, self.offset[0]), (y, self.offset[1])]
            .map(|(at, offset)| at.wrapping_add(packet.get(offset).cast_signed()));
        let base = packet.get(self.base);
        let pitch = packet.get(self.pitch).cast_signed() + 1;
        let family = cs.environment.family();
        let mode = match (packet.get(self.tiling), family >= Family::XeHpg) {
            (0, _) => return Ok(rows(base, pitch, x, y, pixel)),
            (1, true) => TILE_X,
            (2, true) | (1, false) => TILE_Y,
            (3, true) => TILE_64,
            (code, _) => return Err(cs.refuse(packet, format!("tiling {code} is reserved"))),
        };
        let left = x.checked_mul(pixel.cast_signed());
        let corner = [left, Some(y)].map(|at| at.and_then(|at| u32::try_from(at).ok()));
        let [Some(left), Some(top)] = corner else {
            return Err(cs.refuse(packet, "the rectangle begins before a tiled surface"));
        };
        const VOLUME: u64 = 2;
        let volume = packet.get(self.kind) == VOLUME;
        Ok(Rows::Tiled {
            base: GpuAddress::new(base),
            tiling: Tiling::of(family, mode, pixel as u32, volume),
            // Pitches of tiled surfaces count dwords.
            pitch: (pitch * 4) as u32,
            slice_rows: packet.get32(self.qpitch) * 4,
            corner: [left, top, packet.get32(self.index)],
        })
    }
}

/// Tile modes as surface states have them; TILE_Y is Tile4 from XeHPG on.
const TILE_64: u32 = 1;
const TILE_X: u32 = 2;
const TILE_Y: u32 = 3;

fn block_copy(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use xy_block_copy_blt as p;
    const DESTINATION: Side = Side {
        tiling: p::DESTINATION_TILING,
        base: p::DESTINATION_BASE_ADDRESS,
        pitch: p::DESTINATION_PITCH,
        offset: [p::DESTINATION_X_OFFSET, p::DESTINATION_Y_OFFSET],
        kind: p::DESTINATION_SURFACE_TYPE,
        qpitch: p::DESTINATION_SURFACE_QPITCH,
        index: p::DESTINATION_ARRAY_INDEX,
    };
    const SOURCE: Side = Side {
        tiling: p::SOURCE_TILING,
        base: p::SOURCE_BASE_ADDRESS,
        pitch: p::SOURCE_PITCH,
        offset: [p::SOURCE_X_OFFSET, p::SOURCE_Y_OFFSET],
        kind: p::SOURCE_SURFACE_TYPE,
        qpitch: p::SOURCE_SURFACE_QPITCH,
        index: p::SOURCE_ARRAY_INDEX,
    };
    let pixel = pixel_bytes(cs, packet, packet.get(p::COLOR_DEPTH))?;
    let area = Rectangle::of(
        packet,
        [
            p::DESTINATION_X1,
            p::DESTINATION_Y1,
            p::DESTINATION_X2,
            p::DESTINATION_Y2,
        ],
    );
    let target = DESTINATION.rows(cs, packet, (area.x1, area.y1), pixel)?;
    let corner = (packet.signed(p::SOURCE_X1), packet.signed(p::SOURCE_Y1));
    let source = SOURCE.rows(cs, packet, corner, pixel)?;
    let (width, height) = area.size();
    copy(cs, packet, (target, source), (width * pixel, height))
}

fn fast_color(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use xy_fast_color_blt as p;
    const DESTINATION: Side = Side {
        tiling: p::DESTINATION_TILING,
        base: p::DESTINATION_BASE_ADDRESS,
        pitch: p::DESTINATION_PITCH,
        offset: [p::DESTINATION_X_OFFSET, p::DESTINATION_Y_OFFSET],
        kind: p::DESTINATION_SURFACE_TYPE,
        qpitch: p::DESTINATION_SURFACE_QPITCH,
        index: p::DESTINATION_ARRAY_INDEX,
    };
    let pixel = pixel_bytes(cs, packet, packet.get(p::COLOR_DEPTH))?;
    let area = Rectangle::of(
        packet,
        [
            p::DESTINATION_X1,
            p::DESTINATION_Y1,
            p::DESTINATION_X2,
            p::DESTINATION_Y2,
        ],
    );
    let target = DESTINATION.rows(cs, packet, (area.x1, area.y1), pixel)?;
    let color: Vec<u8> = (0..4)
        .filter_map(|index| packet.find(p::FILL_COLOR, index))
        .flat_map(|dword| (dword as u32).to_le_bytes())
        .take(pixel as usize)
        .collect();
    let (width, height) = area.size();
    fill(cs, packet, target, (width * pixel, height), &color)
}

fn fast_copy(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use xy_fast_copy_blt as p;
    linear_only(
        cs,
        packet,
        &[
            packet.get(p::DESTINATION_TILING_METHOD),
            packet.get(p::SOURCE_TILING_METHOD),
        ],
    )?;
    let pixel = match packet.get(p::COLOR_DEPTH) {
        0 => 1,
        1 => 2,
        3 => 4,
        4 => 8,
        5 => 16,
        code => return Err(cs.refuse(packet, format!("colour depth {code} is reserved"))),
    };
    let area = Rectangle::of(
        packet,
        [
            p::DESTINATION_X1,
            p::DESTINATION_Y1,
            p::DESTINATION_X2,
            p::DESTINATION_Y2,
        ],
    );
    let target = rows(
        packet.get(p::DESTINATION_BASE_ADDRESS),
        packet.get(p::DESTINATION_PITCH).cast_signed(),
        area.x1,
        area.y1,
        pixel,
    );
    let source = rows(
        packet.get(p::SOURCE_BASE_ADDRESS),
        packet.get(p::SOURCE_PITCH).cast_signed(),
        packet.signed(p::SOURCE_X1),
        packet.signed(p::SOURCE_Y1),
        pixel,
    );
    let (width, height) = area.size();
    copy(cs, packet, (target, source), (width * pixel, height))
}

/// The bytes of a pixel by the older commands' code, of which all must be written.
fn old_pixel_bytes(
    cs: &Streamer<'_>,
    packet: &Decoded<'_>,
    depth: u64,
    byte_mask: u64,
) -> Result<u64, Failure> {
    match depth {
        0 => Ok(1),
        1 | 2 => Ok(2),
        3 if byte_mask == 3 => Ok(4),
        _ => Err(cs.refuse(packet, "writing part of a pixel is not modelled")),
    }
}

/// The raster operations that are modelled.
const COPY_SOURCE: u64 = 0xcc;
const COPY_PATTERN: u64 = 0xf0;

fn check_operation(
    cs: &Streamer<'_>,
    packet: &Decoded<'_>,
    operation: u64,
    expected: u64,
    clips: bool,
) -> Result<(), Failure> {
    if operation != expected || clips {
        return Err(cs.refuse(
            packet,
            format!("raster operation {operation:#04x} or clipping is not modelled"),
        ));
    }
    Ok(())
}

fn source_copy(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use xy_src_copy_blt as p;
    let tilings = [
        packet.get(p::DEST_TILING_ENABLE),
        packet.get(p::SRC_TILING_ENABLE),
    ];
    linear_only(cs, packet, &tilings)?;
    check_operation(
        cs,
        packet,
        packet.get(p::RASTER_OPERATION),
        COPY_SOURCE,
        packet.flag(p::CLIPPING_ENABLED),
    )?;
    let mask = packet.get(p::BYTE_MASK_32BPP);
    let pixel = old_pixel_bytes(cs, packet, packet.get(p::COLOR_DEPTH), mask)?;
    let area = Rectangle::of(
        packet,
        [
            p::DESTINATION_X1,
            p::DESTINATION_Y1,
            p::DESTINATION_X2,
            p::DESTINATION_Y2,
        ],
    );
    let target = rows(
        packet.get(p::DESTINATION_BASE_ADDRESS),
        packet.get(p::DESTINATION_PITCH).cast_signed(),
        area.x1,
        area.y1,
        pixel,
    );
    let source = rows(
        packet.get(p::SOURCE_BASE_ADDRESS),
        packet.signed(p::SOURCE_PITCH),
        packet.signed(p::SOURCE_X1),
        packet.signed(p::SOURCE_Y1),
        pixel,
    );
    let (width, height) = area.size();
    copy(cs, packet, (target, source), (width * pixel, height))
}

fn color(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use xy_color_blt as p;
    linear_only(cs, packet, &[packet.get(p::TILING_ENABLE)])?;
    check_operation(
        cs,
        packet,
        packet.get(p::RASTER_OPERATION),
        COPY_PATTERN,
        packet.flag(p::CLIPPING_ENABLED),
    )?;
    let mask = packet.get(p::BYTE_MASK_32BPP);
    let pixel = old_pixel_bytes(cs, packet, packet.get(p::COLOR_DEPTH), mask)?;
    let area = Rectangle::of(
        packet,
        [
            p::DESTINATION_X1,
            p::DESTINATION_Y1,
            p::DESTINATION_X2,
            p::DESTINATION_Y2,
        ],
    );
    let target = rows(
        packet.get(p::DESTINATION_BASE_ADDRESS),
        packet.signed(p::DESTINATION_PITCH),
        area.x1,
        area.y1,
        pixel,
    );
    let bytes = packet.get32(p::SOLID_PATTERN_COLOR).to_le_bytes();
    let (width, height) = area.size();
    let pattern = bytes.get(..pixel as usize).unwrap_or(&bytes);
    fill(cs, packet, target, (width * pixel, height), pattern)
}

/// The unit of a page copy.
const COPY_PAGE: u64 = 256;

fn memory_copy(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mem_copy as p;
    let unit = match packet.flag(p::MODE) {
        true => COPY_PAGE,
        false => 1,
    };
    let width = (packet.get(p::TRANSFER_WIDTH) + 1) * unit;
    let matrix = packet.flag(p::COPY_TYPE);
    let height = match matrix {
        true => packet.get(p::TRANSFER_HEIGHT) + 1,
        false => 1,
    };
    let target = Rows::Linear {
        start: packet.address(p::DESTINATION_START_ADDRESS),
        pitch: pitch_plus_one(packet, p::DESTINATION_PITCH),
    };
    let source = Rows::Linear {
        start: packet.address(p::SOURCE_START_ADDRESS),
        pitch: pitch_plus_one(packet, p::SOURCE_PITCH),
    };
    copy(cs, packet, (target, source), (width, height))
}

fn memory_set(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use mem_set as p;
    let height = match packet.get(p::FILL_TYPE) {
        0 => 1,
        1 => packet.get(p::FILL_HEIGHT) + 1,
        other => return Err(cs.refuse(packet, format!("fill type {other} is not modelled"))),
    };
    if packet.flag(p::MODE) {
        return Err(cs.refuse(packet, "the evict mode is not modelled"));
    }
    let target = Rows::Linear {
        start: packet.address(p::DESTINATION_START_ADDRESS),
        pitch: pitch_plus_one(packet, p::DESTINATION_PITCH),
    };
    let size = (packet.get(p::FILL_WIDTH) + 1, height);
    let byte = packet.get(p::FILL_DATA) as u8;
    fill(cs, packet, target, size, &[byte])
}
