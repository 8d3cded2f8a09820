//! Copies and fills, carried out on a small memory as the packets say.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test reports by panicking"
)]

use batchbuffer::blit::{BlitError, Copy, Fill, copy, fill, finish};
use batchbuffer::dispatch::{Mocs, Tag};
use batchbuffer::packets::{
    mem_copy, mi_flush_dw, xy_block_copy_blt, xy_color_blt, xy_fast_color_blt, xy_src_copy_blt,
};
use batchbuffer::{Batch, Decoded, Engine, Field, PacketId};
use devinfo::{Family, GpuAddress};

/// Bytes copied or filled by the packets of a batch, as ranges
/// (destination, source if a copy, length).
fn ranges(family: Family, dwords: &[u32]) -> Vec<(u64, Option<u64>, u64)> {
    let mut out = Vec::new();
    for step in Batch::new(family, Engine::Blitter, GpuAddress::default(), dwords) {
        let packet = step.packet.expect("the batch decodes");
        assert_eq!(packet.issue, None);
        // All rows are as long as the pitch, so a rectangle is a range.
        let mut rectangle = |width: u64,
                             height: u64,
                             pitch: u64,
                             to: &'static Field,
                             from: Option<&'static Field>| {
            assert_eq!(width, pitch, "{}", packet.name());
            let source = from.map(|field| packet.address(field).get());
            out.push((packet.address(to).get(), source, width * height));
        };
        match packet.id {
            PacketId::XySrcCopyBlt => {
                use xy_src_copy_blt as p;
                assert_eq!(packet.get(p::RASTER_OPERATION), 0xcc);
                assert_eq!(
                    packet.get(p::SOURCE_PITCH),
                    packet.get(p::DESTINATION_PITCH)
                );
                rectangle(
                    packet.get(p::DESTINATION_X2),
                    packet.get(p::DESTINATION_Y2),
                    packet.get(p::DESTINATION_PITCH),
                    p::DESTINATION_BASE_ADDRESS,
                    Some(p::SOURCE_BASE_ADDRESS),
                );
            }
            PacketId::XyBlockCopyBlt => {
                use xy_block_copy_blt as p;
                assert_eq!(
                    packet.get(p::SOURCE_PITCH),
                    packet.get(p::DESTINATION_PITCH)
                );
                rectangle(
                    packet.get(p::DESTINATION_X2),
                    packet.get(p::DESTINATION_Y2),
                    packet.get(p::DESTINATION_PITCH) + 1,
                    p::DESTINATION_BASE_ADDRESS,
                    Some(p::SOURCE_BASE_ADDRESS),
                );
            }
            PacketId::MemCopy => {
                use mem_copy as p;
                rectangle(
                    packet.get(p::TRANSFER_WIDTH) + 1,
                    packet.get(p::TRANSFER_HEIGHT) + 1,
                    packet.get(p::DESTINATION_PITCH) + 1,
                    p::DESTINATION_START_ADDRESS,
                    Some(p::SOURCE_START_ADDRESS),
                );
            }
            PacketId::XyColorBlt => {
                use xy_color_blt as p;
                assert_eq!(packet.get(p::RASTER_OPERATION), 0xf0);
                let unit = [1, 2, 2, 4][packet.get(p::COLOR_DEPTH) as usize];
                rectangle(
                    packet.get(p::DESTINATION_X2) * unit,
                    packet.get(p::DESTINATION_Y2),
                    packet.get(p::DESTINATION_PITCH),
                    p::DESTINATION_BASE_ADDRESS,
                    None,
                );
            }
            PacketId::XyFastColorBlt => {
                use xy_fast_color_blt as p;
                let unit = [1, 2, 4, 8, 12, 16][packet.get(p::COLOR_DEPTH) as usize];
                rectangle(
                    packet.get(p::DESTINATION_X2) * unit,
                    packet.get(p::DESTINATION_Y2),
                    packet.get(p::DESTINATION_PITCH) + 1,
                    p::DESTINATION_BASE_ADDRESS,
                    None,
                );
            }
            PacketId::MiFlushDw | PacketId::MiBatchBufferEnd | PacketId::MiNoop => {}
            other => panic!("{other:?}"),
        }
    }
    out
}

const SOURCE: u64 = 0x7f00_0000_1001;
const DESTINATION: u64 = 0x10_0000_0000;

#[test]
fn a_copy_covers_every_byte_once() {
    for family in Family::ALL {
        for bytes in [1, 3, 0x3fff, 0x4000, 0x4001, 0x1234_5678, 0x1_8000_0007] {
            let mut out = Vec::new();
            let what = Copy {
                source: GpuAddress::new(SOURCE),
                destination: GpuAddress::new(DESTINATION),
                bytes,
                mocs: Mocs(2),
            };
            copy(family, &what, &mut out).expect("a copy");
            finish(family, None, &mut out).expect("an end");
            let mut at = 0;
            for (to, from, length) in ranges(family, &out) {
                assert_eq!(to, DESTINATION + at, "{family} {bytes:#x}");
                assert_eq!(from, Some(SOURCE + at));
                at += length;
            }
            assert_eq!(at, bytes, "{family}");
        }
    }
}

fn colors<'a>(family: Family, dwords: &'a [u32]) -> impl Iterator<Item = Decoded<'a>> {
    Batch::new(family, Engine::Blitter, GpuAddress::default(), dwords)
        .filter_map(|step| step.packet.ok())
}

#[test]
fn a_fill_covers_every_byte_once() {
    let pattern: Vec<u8> = (1..=16).collect();
    for family in Family::ALL {
        for size in [1, 2, 4, 8, 16] {
            let mut out = Vec::new();
            let bytes = 0x345_6780;
            let what = Fill {
                destination: GpuAddress::new(DESTINATION),
                bytes,
                pattern: &pattern[..size],
                mocs: Mocs(1),
            };
            let result = fill(family, &what, &mut out);
            if size > 4 && family < Family::XeHpg {
                assert!(matches!(result, Err(BlitError::Pattern { .. })));
                continue;
            }
            result.expect("a fill");
            finish(family, None, &mut out).expect("an end");
            let mut at = 0;
            for (to, _, length) in ranges(family, &out) {
                assert_eq!(to, DESTINATION + at, "{family} {size}");
                at += length;
            }
            assert_eq!(at, bytes);
            let first = colors(family, &out).next().expect("a packet");
            let value = if family < Family::XeHpg {
                first.get(xy_color_blt::SOLID_PATTERN_COLOR)
            } else {
                first.get(xy_fast_color_blt::FILL_COLOR)
            };
            let mut expected = [0; 8];
            let low = size.min(4);
            expected[..low].copy_from_slice(&pattern[..low]);
            assert_eq!(value, u64::from_le_bytes(expected));
        }
    }
}

#[test]
fn what_cannot_be_filled_is_refused() {
    let fill_of = |destination, bytes, pattern: &[u8]| {
        let what = Fill {
            destination: GpuAddress::new(destination),
            bytes,
            pattern,
            mocs: Mocs(0),
        };
        let mut out = Vec::new();
        fill(Family::XeHpg, &what, &mut out).map(|()| out.len())
    };
    assert!(matches!(
        fill_of(0x1000, 6, &[0; 4]),
        Err(BlitError::Partial { .. })
    ));
    assert!(matches!(
        fill_of(0x1002, 8, &[0; 4]),
        Err(BlitError::Partial { .. })
    ));
    assert!(matches!(
        fill_of(0x1000, 9, &[0; 3]),
        Err(BlitError::Partial { .. } | BlitError::Pattern { .. })
    ));
    assert!(matches!(
        fill_of(0x1000, 8, &[]),
        Err(BlitError::Pattern { bytes: 0, .. })
    ));
    assert_eq!(fill_of(0x1000, 0, &[0; 4]), Ok(0));
}

#[test]
fn a_blit_ends_with_its_tag() {
    for family in Family::ALL {
        let mut out = Vec::new();
        let tag = Tag {
            address: GpuAddress::new(0x2000),
            value: 9,
        };
        finish(family, Some(tag), &mut out).expect("an end");
        assert_eq!(out.len() % 2, 0);
        let flush = colors(family, &out).next().expect("a packet");
        assert_eq!(flush.id, PacketId::MiFlushDw);
        // Address, 64 bits of data.
        assert_eq!(flush.dwords()[..], [0x1300_4003, 0x2000, 0, 9, 0]);
        assert_eq!(flush.get(mi_flush_dw::IMMEDIATE_DATA), 9);
    }
}
