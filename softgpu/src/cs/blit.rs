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

/// One side of a transfer: a surface, and where in it the first byte lies.
#[derive(Clone, Copy, Debug)]
struct Plane {
    base: GpuAddress,
    /// Bytes from row to row; negative only in linear surfaces.
    pitch: i64,
    tiling: Tiling,
    /// Rows from one slice to the next.
    slice_rows: u32,
    /// The first byte's column, row and slice.
    x: i64,
    y: i64,
    z: u32,
}

impl Plane {
    /// A linear surface from its first byte on.
    fn linear(base: GpuAddress, pitch: i64) -> Self {
        Self {
            base,
            pitch,
            tiling: Tiling::Linear,
            slice_rows: 0,
            x: 0,
            y: 0,
            z: 0,
        }
    }

    /// From pixel (`x`, `y`) of `bytes` bytes on.
    fn at(mut self, x: i64, y: i64, bytes: u64) -> Self {
        self.x = x.wrapping_mul(bytes.cast_signed());
        self.y = y;
        self
    }

    /// With the tiling of a surface state's tile mode. The pitch counts dwords then (Mesa
    /// `blorp_xy_block_copy_blt`, igt `intel_blt.c`).
    fn tiled(mut self, family: Family, mode: u32, pixel: u64, volume: bool) -> Self {
        self.tiling = Tiling::of(family, mode, pixel as u32, volume);
        if self.tiling != Tiling::Linear {
            self.pitch = self.pitch.wrapping_mul(4);
        }
        self
    }

    /// The slice, and the rows between slices.
    fn slice(mut self, z: u64, slice_rows: u64) -> Self {
        self.z = z as u32;
        self.slice_rows = slice_rows as u32;
        self
    }

    /// The address of a byte of a row, and how many bytes follow it in memory.
    fn address(&self, column: u64, row: u64) -> (GpuAddress, u64) {
        let x = self.x.wrapping_add(column.cast_signed());
        let y = self.y.wrapping_add(row.cast_signed());
        match self.tiling.span() {
            None => {
                let row = y.wrapping_add(i64::from(self.z) * i64::from(self.slice_rows));
                let offset = row.wrapping_mul(self.pitch).wrapping_add(x);
                (self.base.offset(offset.cast_unsigned()), u64::MAX)
            }
            Some(span) => {
                let pitch = self.pitch as u32;
                let offset = self
                    .tiling
                    .offset(pitch, self.slice_rows, x as u32, y as u32, self.z);
                let span = u64::from(span);
                (self.base.offset(offset), span - x as u64 % span)
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

/// Bytes of a row that are moved at a time.
const CHUNK: u64 = 4096;

/// Copies `height` rows of `width` bytes.
fn copy(
    cs: &mut Streamer<'_>,
    packet: &Decoded<'_>,
    (target, source): (Plane, Plane),
    (width, height): (u64, u64),
) -> Result<(), Failure> {
    let mut buffer = vec![0; CHUNK as usize];
    for row in 0..height {
        let mut done = 0;
        while done < width {
            let (from, readable) = source.address(done, row);
            let (to, writable) = target.address(done, row);
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
    target: Plane,
    (width, height): (u64, u64),
    pixel: &[u8],
) -> Result<(), Failure> {
    let size = pixel.len().max(1) as u64;
    let per_chunk = (CHUNK / size).max(1) * size;
    // One pixel more, because spans of a tile can begin inside one.
    let chunk: Vec<u8> = pixel
        .iter()
        .copied()
        .cycle()
        .take((per_chunk + size) as usize)
        .collect();
    for row in 0..height {
        let mut done = 0;
        while done < width {
            let (to, writable) = target.address(done, row);
            let count = (width - done).min(per_chunk).min(writable);
            let from = (done % size) as usize;
            let part = chunk.get(from..from + count as usize).unwrap_or_default();
            cs.view
                .write(to, part)
                .map_err(|fault| cs.access(packet, fault))?;
            done += count;
        }
        cs.check_progress(packet.name())?;
    }
    Ok(())
}

/// Tile modes as surface states have them; from XeHPG on [`Y`](tile_mode::Y) is Tile4.
mod tile_mode {
    pub(super) const LINEAR: u32 = 0;
    pub(super) const TILE64: u32 = 1;
    pub(super) const X: u32 = 2;
    pub(super) const Y: u32 = 3;
}

/// The tile mode that XY_BLOCK_COPY_BLT's and XY_FAST_COLOR_BLT's code means (genxml
/// `XY_TILE_*`).
fn tile_mode_of(cs: &Streamer<'_>, packet: &Decoded<'_>, code: u64) -> Result<u32, Failure> {
    match (code, cs.environment.family() >= Family::XeHpg) {
        (0, _) => Ok(tile_mode::LINEAR),
        (1, true) => Ok(tile_mode::X),
        (1, false) | (2, true) => Ok(tile_mode::Y),
        (3, true) => Ok(tile_mode::TILE64),
        _ => Err(cs.refuse(packet, format!("tiling {code} is reserved"))),
    }
}

/// Refuses what the model has no layout for: smaller levels.
fn first_level_only(
    cs: &Streamer<'_>,
    packet: &Decoded<'_>,
    levels: &[u64],
) -> Result<(), Failure> {
    match levels.iter().find(|level| **level != 0) {
        Some(level) => Err(cs.refuse(
            packet,
            format!("level of detail {level} is not modelled in the blitter"),
        )),
        None => Ok(()),
    }
}

/// The surface type code of a volume.
const VOLUME: u64 = 2;

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

fn block_copy(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use xy_block_copy_blt as p;
    let levels = [p::DESTINATION_LOD, p::SOURCE_LOD].map(|field| packet.get(field));
    first_level_only(cs, packet, &levels)?;
    let pixel = pixel_bytes(cs, packet, packet.get(p::COLOR_DEPTH))?;
    let family = cs.environment.family();
    let area = Rectangle::of(
        packet,
        [
            p::DESTINATION_X1,
            p::DESTINATION_Y1,
            p::DESTINATION_X2,
            p::DESTINATION_Y2,
        ],
    );
    let offset = |field| packet.get(field).cast_signed();
    let side = |base, pitch, tiling, kind, index, slice_rows| {
        let plane = Plane::linear(packet.address(base), pitch_plus_one(packet, pitch));
        let mode = tile_mode_of(cs, packet, packet.get(tiling))?;
        Ok(plane
            .tiled(family, mode, pixel, packet.get(kind) == VOLUME)
            .slice(packet.get(index), packet.get(slice_rows) * 4))
    };
    let target = side(
        p::DESTINATION_BASE_ADDRESS,
        p::DESTINATION_PITCH,
        p::DESTINATION_TILING,
        p::DESTINATION_SURFACE_TYPE,
        p::DESTINATION_ARRAY_INDEX,
        p::DESTINATION_SURFACE_QPITCH,
    )?;
    let source = side(
        p::SOURCE_BASE_ADDRESS,
        p::SOURCE_PITCH,
        p::SOURCE_TILING,
        p::SOURCE_SURFACE_TYPE,
        p::SOURCE_ARRAY_INDEX,
        p::SOURCE_SURFACE_QPITCH,
    )?;
    let target = target.at(
        area.x1 + offset(p::DESTINATION_X_OFFSET),
        area.y1 + offset(p::DESTINATION_Y_OFFSET),
        pixel,
    );
    let source = source.at(
        packet.signed(p::SOURCE_X1) + offset(p::SOURCE_X_OFFSET),
        packet.signed(p::SOURCE_Y1) + offset(p::SOURCE_Y_OFFSET),
        pixel,
    );
    let (width, height) = area.size();
    copy(cs, packet, (target, source), (width * pixel, height))
}

fn fast_color(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use xy_fast_color_blt as p;
    first_level_only(cs, packet, &[packet.get(p::DESTINATION_LOD)])?;
    let pixel = pixel_bytes(cs, packet, packet.get(p::COLOR_DEPTH))?;
    let family = cs.environment.family();
    let area = Rectangle::of(
        packet,
        [
            p::DESTINATION_X1,
            p::DESTINATION_Y1,
            p::DESTINATION_X2,
            p::DESTINATION_Y2,
        ],
    );
    let mode = tile_mode_of(cs, packet, packet.get(p::DESTINATION_TILING))?;
    let target = Plane::linear(
        packet.address(p::DESTINATION_BASE_ADDRESS),
        pitch_plus_one(packet, p::DESTINATION_PITCH),
    )
    .tiled(
        family,
        mode,
        pixel,
        packet.get(p::DESTINATION_SURFACE_TYPE) == VOLUME,
    )
    .slice(
        packet.get(p::DESTINATION_ARRAY_INDEX),
        packet.get(p::DESTINATION_SURFACE_QPITCH) * 4,
    )
    .at(
        area.x1 + packet.get(p::DESTINATION_X_OFFSET).cast_signed(),
        area.y1 + packet.get(p::DESTINATION_Y_OFFSET).cast_signed(),
        pixel,
    );
    let color: Vec<u8> = (0..4)
        .filter_map(|index| packet.find(p::FILL_COLOR, index))
        .flat_map(|dword| (dword as u32).to_le_bytes())
        .take(pixel as usize)
        .collect();
    let (width, height) = area.size();
    fill(cs, packet, target, (width * pixel, height), &color)
}

/// The tile mode of XY_FAST_COPY_BLT: its method, and for Y which of two.
fn fast_tile_mode(
    cs: &Streamer<'_>,
    packet: &Decoded<'_>,
    method: u64,
    new_y: bool,
) -> Result<u32, Failure> {
    match (method, new_y, cs.environment.family() >= Family::XeHpg) {
        (0, ..) => Ok(tile_mode::LINEAR),
        (1, ..) => Ok(tile_mode::X),
        // The older Y tiling before XeHPG, Tile4 from there on.
        (2, false, false) | (2, true, true) => Ok(tile_mode::Y),
        (3, _, true) => Ok(tile_mode::TILE64),
        _ => Err(cs.refuse(packet, "Yf and Ys tiling are not modelled in the blitter")),
    }
}

fn fast_copy(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use xy_fast_copy_blt as p;
    let family = cs.environment.family();
    let target_mode = fast_tile_mode(
        cs,
        packet,
        packet.get(p::DESTINATION_TILING_METHOD),
        packet.flag(p::TILE_Y_TYPE_FOR_DESTINATION),
    )?;
    let source_mode = fast_tile_mode(
        cs,
        packet,
        packet.get(p::SOURCE_TILING_METHOD),
        packet.flag(p::TILE_Y_TYPE_FOR_SOURCE),
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
    let target = Plane::linear(
        packet.address(p::DESTINATION_BASE_ADDRESS),
        packet.get(p::DESTINATION_PITCH).cast_signed(),
    );
    let source = Plane::linear(
        packet.address(p::SOURCE_BASE_ADDRESS),
        packet.get(p::SOURCE_PITCH).cast_signed(),
    );
    let target = target
        .tiled(family, target_mode, pixel, false)
        .at(area.x1, area.y1, pixel);
    let source = source.tiled(family, source_mode, pixel, false).at(
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

/// The tile mode of the older commands: X, unless a register that clients cannot write says Y.
const fn old_tile_mode(tiled: bool) -> u32 {
    if tiled {
        tile_mode::X
    } else {
        tile_mode::LINEAR
    }
}

fn source_copy(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use xy_src_copy_blt as p;
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
    let family = cs.environment.family();
    let target = Plane::linear(
        packet.address(p::DESTINATION_BASE_ADDRESS),
        packet.get(p::DESTINATION_PITCH).cast_signed(),
    );
    let source = Plane::linear(
        packet.address(p::SOURCE_BASE_ADDRESS),
        packet.signed(p::SOURCE_PITCH),
    );
    let target_mode = old_tile_mode(packet.flag(p::DEST_TILING_ENABLE));
    let source_mode = old_tile_mode(packet.flag(p::SRC_TILING_ENABLE));
    let target = target
        .tiled(family, target_mode, pixel, false)
        .at(area.x1, area.y1, pixel);
    let source = source.tiled(family, source_mode, pixel, false).at(
        packet.signed(p::SOURCE_X1),
        packet.signed(p::SOURCE_Y1),
        pixel,
    );
    let (width, height) = area.size();
    copy(cs, packet, (target, source), (width * pixel, height))
}

fn color(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use xy_color_blt as p;
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
    let target = Plane::linear(
        packet.address(p::DESTINATION_BASE_ADDRESS),
        packet.signed(p::DESTINATION_PITCH),
    );
    let mode = old_tile_mode(packet.flag(p::TILING_ENABLE));
    let target = target
        .tiled(cs.environment.family(), mode, pixel, false)
        .at(area.x1, area.y1, pixel);
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
    let target = Plane::linear(
        packet.address(p::DESTINATION_START_ADDRESS),
        pitch_plus_one(packet, p::DESTINATION_PITCH),
    );
    let source = Plane::linear(
        packet.address(p::SOURCE_START_ADDRESS),
        pitch_plus_one(packet, p::SOURCE_PITCH),
    );
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
    let target = Plane::linear(
        packet.address(p::DESTINATION_START_ADDRESS),
        pitch_plus_one(packet, p::DESTINATION_PITCH),
    );
    let size = (packet.get(p::FILL_WIDTH) + 1, height);
    let byte = packet.get(p::FILL_DATA) as u8;
    fill(cs, packet, target, size, &[byte])
}
