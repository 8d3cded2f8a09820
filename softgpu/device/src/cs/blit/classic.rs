//! XY_FAST_COPY_BLT, and the commands of the first blitters.

use batchbuffer::packets::{xy_color_blt, xy_fast_copy_blt, xy_src_copy_blt};
use batchbuffer::tiling::Tiling;
use batchbuffer::{Decoded, Field};

use super::plane::{Plane, Rectangle};
use super::target_area;
use super::transfer::{copy, fill};
use crate::cs::failure::Failure;
use crate::cs::streamer::Streamer;

/// The tiling of one side of XY_FAST_COPY_BLT: its method, and for Y which of the two.
fn fast_tiling(
    cs: &Streamer<'_>,
    packet: &Decoded<'_>,
    [method, y_type]: [&'static Field; 2],
) -> Result<Tiling, Failure> {
    Tiling::of_fast_copy(
        cs.environment.family(),
        packet.get(method),
        packet.flag(y_type),
    )
    .ok_or_else(|| cs.refuse(packet, "Yf and Ys tiling are not modelled in the blitter"))
}

pub(super) fn fast_copy(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use xy_fast_copy_blt as p;
    let fields = [p::DESTINATION_TILING_METHOD, p::TILE_Y_TYPE_FOR_DESTINATION];
    let target_tiling = fast_tiling(cs, packet, fields)?;
    let fields = [p::SOURCE_TILING_METHOD, p::TILE_Y_TYPE_FOR_SOURCE];
    let source_tiling = fast_tiling(cs, packet, fields)?;
    let pixel = match packet.get(p::COLOR_DEPTH) {
        0 => 1,
        1 => 2,
        3 => 4,
        4 => 8,
        5 => 16,
        code => return Err(cs.refuse(packet, format!("colour depth {code} is reserved"))),
    };
    let area = target_area!(packet, p);
    let target = Plane::linear(
        packet.address(p::DESTINATION_BASE_ADDRESS),
        packet.get(p::DESTINATION_PITCH).cast_signed(),
    );
    let source = Plane::linear(
        packet.address(p::SOURCE_BASE_ADDRESS),
        packet.get(p::SOURCE_PITCH).cast_signed(),
    );
    let from = (packet.signed(p::SOURCE_X1), packet.signed(p::SOURCE_Y1));
    let sides = [(target, target_tiling), (source, source_tiling)];
    copy_pixels(cs, packet, pixel, sides, &area, from)
}

/// Copies an area's pixels to it from a place in the source. Planes come with their tilings, the
/// target first.
fn copy_pixels(
    cs: &mut Streamer<'_>,
    packet: &Decoded<'_>,
    pixel: u64,
    [(target, target_tiling), (source, source_tiling)]: [(Plane, Tiling); 2],
    area: &Rectangle,
    (x, y): (i64, i64),
) -> Result<(), Failure> {
    let family = cs.environment.family();
    let target = target
        .tiled(family, target_tiling, pixel, false)
        .at(area.x1, area.y1, pixel);
    let source = source
        .tiled(family, source_tiling, pixel, false)
        .at(x, y, pixel);
    let (width, height) = area.size();
    copy(cs, packet, (target, source), (width * pixel, height))
}

/// The bytes of a pixel, from the older commands' code; all of them must be written.
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

/// The tiling of the older commands: X, unless a register that clients cannot write says Y.
const fn old_tiling(tiled: bool) -> Tiling {
    if tiled { Tiling::X } else { Tiling::Linear }
}

pub(super) fn source_copy(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
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
    let area = target_area!(packet, p);
    let target = Plane::linear(
        packet.address(p::DESTINATION_BASE_ADDRESS),
        packet.get(p::DESTINATION_PITCH).cast_signed(),
    );
    let source = Plane::linear(
        packet.address(p::SOURCE_BASE_ADDRESS),
        packet.signed(p::SOURCE_PITCH),
    );
    let target_tiling = old_tiling(packet.flag(p::DEST_TILING_ENABLE));
    let source_tiling = old_tiling(packet.flag(p::SRC_TILING_ENABLE));
    let from = (packet.signed(p::SOURCE_X1), packet.signed(p::SOURCE_Y1));
    let sides = [(target, target_tiling), (source, source_tiling)];
    copy_pixels(cs, packet, pixel, sides, &area, from)
}

pub(super) fn color(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
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
    let area = target_area!(packet, p);
    let target = Plane::linear(
        packet.address(p::DESTINATION_BASE_ADDRESS),
        packet.signed(p::DESTINATION_PITCH),
    );
    let mode = old_tiling(packet.flag(p::TILING_ENABLE));
    let target = target
        .tiled(cs.environment.family(), mode, pixel, false)
        .at(area.x1, area.y1, pixel);
    let bytes = packet.get32(p::SOLID_PATTERN_COLOR).to_le_bytes();
    let (width, height) = area.size();
    let pattern = bytes.get(..pixel as usize).unwrap_or(&bytes);
    fill(cs, packet, target, (width * pixel, height), pattern)
}
