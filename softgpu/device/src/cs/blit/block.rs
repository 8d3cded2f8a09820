//! XY_BLOCK_COPY_BLT and XY_FAST_COLOR_BLT: surfaces with types, slices and offsets.

use batchbuffer::packets::{xy_block_copy_blt, xy_fast_color_blt};
use batchbuffer::tiling::Tiling;
use batchbuffer::{Decoded, Field};

use super::plane::Plane;
use super::transfer::{copy, fill};
use super::{pitch_plus_one, target_area};
use crate::cs::failure::Failure;
use crate::cs::streamer::Streamer;

/// The tiling of a field's code.
fn tiling(
    cs: &Streamer<'_>,
    packet: &Decoded<'_>,
    field: &'static Field,
) -> Result<Tiling, Failure> {
    let code = packet.get(field);
    Tiling::of_block_copy(cs.environment.family(), code)
        .ok_or_else(|| cs.refuse(packet, format!("tiling {code} is reserved")))
}

/// Refuses smaller levels, for which the model has no layout.
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

/// The bytes of a pixel, from XY_BLOCK_COPY_BLT's and XY_FAST_COLOR_BLT's code.
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

pub(super) fn block_copy(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use xy_block_copy_blt as p;
    let levels = [p::DESTINATION_LOD, p::SOURCE_LOD].map(|field| packet.get(field));
    first_level_only(cs, packet, &levels)?;
    let pixel = pixel_bytes(cs, packet, packet.get(p::COLOR_DEPTH))?;
    let family = cs.environment.family();
    let area = target_area!(packet, p);
    let offset = |field| packet.get(field).cast_signed();
    let side = |base, pitch, code, kind, index, slice_rows| {
        let plane = Plane::linear(packet.address(base), pitch_plus_one(packet, pitch));
        let tiling = tiling(cs, packet, code)?;
        Ok(plane
            .tiled(family, tiling, pixel, packet.get(kind) == VOLUME)
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

pub(super) fn fast_color(cs: &mut Streamer<'_>, packet: &Decoded<'_>) -> Result<(), Failure> {
    use xy_fast_color_blt as p;
    first_level_only(cs, packet, &[packet.get(p::DESTINATION_LOD)])?;
    let pixel = pixel_bytes(cs, packet, packet.get(p::COLOR_DEPTH))?;
    let family = cs.environment.family();
    let area = target_area!(packet, p);
    let tiling = tiling(cs, packet, p::DESTINATION_TILING)?;
    let target = Plane::linear(
        packet.address(p::DESTINATION_BASE_ADDRESS),
        pitch_plus_one(packet, p::DESTINATION_PITCH),
    )
    .tiled(
        family,
        tiling,
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
