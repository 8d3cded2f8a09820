//! The blitter's tilings: one command finds what another writes, and known places in a tile.

#![cfg(test)]

mod common;

use batchbuffer::packets::{xy_block_copy_blt as block, xy_fast_copy_blt as fast};
use common::{Client, DATA};
use devinfo::GpuAddress;
use kmd_iface::EngineClass;
use softgpu::Options;

/// Rows of linear pixels: 64 of 128 bytes.
const PITCH: u64 = 128;
const ROWS: u64 = 64;
/// The pixels copied: `WIDTH` by `HEIGHT` of four bytes, from (`LEFT`, `TOP`) on, so that no edge
/// is a tile's or a span's.
const LEFT: u64 = 3;
const TOP: u64 = 5;
const WIDTH: u64 = 23;
const HEIGHT: u64 = 41;
/// The tiled surface, and the place of the copy back from it.
const TILED: u64 = 0x1_0000;
const BACK: u64 = 0x8000;

/// A client whose queue is the copy engine's.
fn copy_engine(platform: &str) -> Client {
    let target = devinfo::by_name(platform).unwrap();
    let options = Options {
        driver: target.kernel_drivers[0],
        ..Options::default()
    };
    let mut client = Client::on(platform, options);
    client.queue = client.queue_on(EngineClass::Copy);
    client
}

/// A surface: base, pitch as in the command, tiling code.
type Side = (GpuAddress, u64, u64);

fn block_copy(client: &Client, batch: &mut Vec<u32>, to: Side, from: Side) {
    block::packet(client.family)
        .set(block::COLOR_DEPTH, block::ColorDepth::_32_BIT)
        .set(block::DESTINATION_BASE_ADDRESS, to.0)
        .set(block::DESTINATION_PITCH, to.1 - 1)
        .set(block::DESTINATION_TILING, to.2)
        .set(block::DESTINATION_X1, LEFT)
        .set(block::DESTINATION_Y1, TOP)
        .set(block::DESTINATION_X2, LEFT + WIDTH)
        .set(block::DESTINATION_Y2, TOP + HEIGHT)
        .set(block::SOURCE_BASE_ADDRESS, from.0)
        .set(block::SOURCE_PITCH, from.1 - 1)
        .set(block::SOURCE_TILING, from.2)
        .set(block::SOURCE_X1, LEFT)
        .set(block::SOURCE_Y1, TOP)
        .emit(batch)
        .unwrap();
}

fn fast_copy(client: &Client, batch: &mut Vec<u32>, to: Side, from: Side) {
    fast::packet(client.family)
        .set(fast::COLOR_DEPTH, fast::ColorDepth::_32_BIT)
        .set(fast::DESTINATION_BASE_ADDRESS, to.0)
        .set(fast::DESTINATION_PITCH, to.1)
        .set(fast::DESTINATION_TILING_METHOD, to.2)
        .set(fast::DESTINATION_X1, LEFT)
        .set(fast::DESTINATION_Y1, TOP)
        .set(fast::DESTINATION_X2, LEFT + WIDTH)
        .set(fast::DESTINATION_Y2, TOP + HEIGHT)
        .set(fast::SOURCE_BASE_ADDRESS, from.0)
        .set(fast::SOURCE_PITCH, from.1)
        .set(fast::SOURCE_TILING_METHOD, from.2)
        .set(fast::SOURCE_X1, LEFT)
        .set(fast::SOURCE_Y1, TOP)
        .emit(batch)
        .unwrap();
}

/// A tiling to try: platform, its code in the command, bytes of a tile's row, and the place of
/// the pixel at (`LEFT` + 4, `TOP` + 1) in the first tile.
struct Case {
    platform: &'static str,
    code: u64,
    tile_row: u64,
    place: u64,
}

fn round_trip(case: &Case, copy: fn(&Client, &mut Vec<u32>, Side, Side)) {
    let client = copy_engine(case.platform);
    let tiled = client.shared(DATA.offset(TILED), 0x4_0000);
    for pixel in 0..(PITCH / 4 * ROWS) as usize {
        client.data.set_dword(pixel, 0xabc0_0000 | pixel as u32);
    }
    // Tiled pitches count dwords: one tile in a row.
    let surface = (tiled.address, case.tile_row / 4, case.code);
    let mut batch = Vec::new();
    copy(&client, &mut batch, surface, (DATA, PITCH, 0));
    copy(&client, &mut batch, (DATA.offset(BACK), PITCH, 0), surface);
    batch.extend([0x0500_0000, 0]);
    client.write_batch(0, &batch);
    let fence = client.submit_at(client.queue, 0, &[]).unwrap();
    client.wait(fence).unwrap();
    let what = format!("{} tiling {}", case.platform, case.code);
    let pixel = |x: u64, y: u64| (y * PITCH / 4 + x) as usize;
    for y in 0..ROWS {
        for x in 0..PITCH / 4 {
            let inside = (LEFT..LEFT + WIDTH).contains(&x) && (TOP..TOP + HEIGHT).contains(&y);
            let expected = if inside {
                client.data.dword(pixel(x, y))
            } else {
                0
            };
            let back = client.data.dword(BACK as usize / 4 + pixel(x, y));
            assert_eq!(back, expected, "{what}: ({x}, {y})");
        }
    }
    let known = client.data.dword(pixel(LEFT + 4, TOP + 1));
    assert_eq!(tiled.dword(case.place as usize / 4), known, "{what}");
}

/// (7, 6) in four-byte pixels is byte 28 of row 6. X: 6 * 512 + 28. Y: the second column of 16
/// bytes. Tile4: offset bits YYXYXXYYXXXX. Tile64 of four bytes: YYXXYYXYXXYYXXXX.
#[test]
fn block_copies() {
    let case = |platform, code, tile_row, place| Case {
        platform,
        code,
        tile_row,
        place,
    };
    for case in [
        case("tgl", 1, 128, 512 + 6 * 16 + 12),
        case("dg2", 1, 512, 6 * 512 + 28),
        case("dg2", 2, 128, 0x100 + 0x40 + 0x20 + 12),
        case("dg2", 3, 512, 0x100 + 0x40 + 0x20 + 12),
        case("bmg", 2, 128, 0x100 + 0x40 + 0x20 + 12),
    ] {
        round_trip(&case, block_copy);
    }
}

#[test]
fn fast_copies() {
    let case = |platform, code, tile_row, place| Case {
        platform,
        code,
        tile_row,
        place,
    };
    for case in [
        case("skl", 1, 512, 6 * 512 + 28),
        case("skl", 2, 128, 512 + 6 * 16 + 12),
        case("icl", 2, 128, 512 + 6 * 16 + 12),
    ] {
        round_trip(&case, fast_copy);
    }
}
