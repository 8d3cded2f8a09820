//! The xe front end, through the xe client: bindings, queues, user fences, bans.

#![cfg(test)]

mod common;

use batchbuffer::packets::xy_block_copy_blt as p;
use common::xe::options;
use common::{Client, DATA, store};
use devinfo::{Driver, Target};
use kmd_iface::{EngineClass, Placement, QueueStatus};
use softgpu::{OpenError, SoftNode};

const END: u32 = 0x0500_0000;

/// A client of dg2 with numbers in its data.
fn numbered() -> Client {
    let client = Client::on("dg2", options());
    for index in 0..64 {
        client.data.set_dword(index, 1000 + index as u32);
    }
    client
}

/// Runs a batch on the copy engine.
fn copy(client: &Client, mut batch: Vec<u32>) {
    batch.extend([END, 0]);
    client.write_batch(0, &batch);
    let queue = client.queue_on(EngineClass::Copy);
    let fence = client.submit_at(queue, 0, &[]).unwrap();
    client.wait(fence).unwrap();
}

#[test]
fn batches_run_on_every_platform_that_xe_drives() {
    for platform in devinfo::PLATFORMS {
        if !platform.has_driver(Driver::Xe) {
            let refused = SoftNode::open(Target::of(platform), options());
            assert!(matches!(refused, Err(OpenError::Driver { .. })));
            continue;
        }
        let client = Client::on(platform.name, options());
        let mut batch = store(DATA, 7).to_vec();
        batch.extend([END, 0]);
        client.run(&batch).unwrap();
        assert_eq!(client.data.dword(0), 7, "{platform}");
        assert!(client.kmd.timestamp().unwrap() > 0);
        let description = client.kmd.description();
        assert_eq!(description.platform.map(|p| p.name), Some(platform.name));
        let topology = &description.topology;
        assert_eq!(
            topology.eu_count(),
            platform.default_sku().eus(),
            "{platform}"
        );
    }
}

#[test]
fn unbinding_takes_effect_and_faults_ban_the_queue() {
    let client = Client::on("tgl", options());
    let length = client.data.map.len() as u64;
    client.kmd.unbind(client.space, DATA, length).unwrap();
    let mut batch = store(DATA.offset(16), 7).to_vec();
    batch.extend([END, 0]);
    let error = client.run(&batch).unwrap_err().to_string();
    assert!(error.contains("page fault"), "{error}");
    assert!(matches!(
        client.kmd.queue_status(client.queue).unwrap(),
        QueueStatus::Faulted(_)
    ));
    assert!(client.submit(&batch).is_err());
    // The address space survives: bound again, another queue works.
    client
        .kmd
        .bind(client.space, DATA, client.data.buffer, 0, length)
        .unwrap();
    let queue = client.another_queue();
    let fence = client.submit_at(queue, 0, &[]).unwrap();
    client.wait(fence).unwrap();
    assert_eq!(client.data.dword(4), 7);
}

#[test]
fn the_copy_engine_copies_rectangles() {
    let client = numbered();
    // 3 by 2 dwords from (1, 1) of rows of 32 bytes to (2, 0) of rows of 64 bytes.
    let mut batch = Vec::new();
    p::packet(client.family)
        .set(p::COLOR_DEPTH, p::ColorDepth::_32_BIT)
        .set(p::DESTINATION_PITCH, 63u32)
        .set(p::DESTINATION_X1, 2)
        .set(p::DESTINATION_Y1, 0)
        .set(p::DESTINATION_X2, 5)
        .set(p::DESTINATION_Y2, 2)
        .set(p::DESTINATION_BASE_ADDRESS, DATA.offset(0x1000))
        .set(p::SOURCE_PITCH, 31u32)
        .set(p::SOURCE_X1, 1)
        .set(p::SOURCE_Y1, 1)
        .set(p::SOURCE_BASE_ADDRESS, DATA)
        .emit(&mut batch)
        .unwrap();
    copy(&client, batch);
    let row = |y: usize| {
        (0..6)
            .map(|x| client.data.dword(0x400 + 16 * y + x))
            .collect::<Vec<_>>()
    };
    assert_eq!(row(0), [0, 0, 1009, 1010, 1011, 0]);
    assert_eq!(row(1), [0, 0, 1017, 1018, 1019, 0]);
}

/// Tile4 keeps 16 bytes together; four rows follow each other, then the next 16 bytes of the row
/// (ATS-M PRM vol 5, "Tile4 Format").
#[test]
fn the_copy_engine_copies_into_tiles() {
    let client = numbered();
    // 6 by 3 dwords from rows of 32 bytes to (2, 3) of a tile.
    let mut batch = Vec::new();
    p::packet(client.family)
        .set(p::COLOR_DEPTH, p::ColorDepth::_32_BIT)
        .set(p::DESTINATION_TILING, 2u32)
        // 128 bytes in dwords.
        .set(p::DESTINATION_PITCH, 31u32)
        .set(p::DESTINATION_SURFACE_TYPE, p::DestinationSurfaceType::_2D)
        .set(p::DESTINATION_X1, 2)
        .set(p::DESTINATION_Y1, 3)
        .set(p::DESTINATION_X2, 8)
        .set(p::DESTINATION_Y2, 6)
        .set(p::DESTINATION_BASE_ADDRESS, DATA.offset(0x1000))
        .set(p::SOURCE_PITCH, 31u32)
        .set(p::SOURCE_BASE_ADDRESS, DATA)
        .emit(&mut batch)
        .unwrap();
    copy(&client, batch);
    for (row, column) in (0..3).flat_map(|row| (0..6).map(move |column| (row, column))) {
        let (x, y) = (column + 2, row + 3);
        // In dwords: 4 per run, 16 per four rows of runs, 64 per four such columns.
        let at = x % 4 + y % 4 * 4 + x / 4 * 16 + y / 4 * 64;
        let got = client.data.dword(0x400 + at);
        assert_eq!(got as usize, 1000 + row * 8 + column, "({x}, {y})");
    }
}

#[test]
fn device_memory_is_there_where_the_platform_has_it() {
    let client = Client::on("dg2", options());
    let regions = &client.kmd.description().memory;
    assert_eq!(regions.len(), 2);
    let buffer = client
        .kmd
        .create_buffer(&kmd_iface::BufferDesc {
            size: 100,
            placement: Placement::Device,
            ..kmd_iface::BufferDesc::system(0)
        })
        .unwrap();
    assert_eq!(client.kmd.buffer_size(buffer).unwrap(), 0x1_0000);
}
