//! Files of what was written: replayed on another device, compared, and refused.

use std::time::Duration;

use oracles::Random;
use softgpu_bus::Bank;
use softgpu_bus::aub::{Packets, Replay, ReplayError, platform, replay};

use crate::client::{self, Client, memory, packet, version};

/// Replays a file on a new Skylake. Returns what came of it, and two dwords of the data.
fn run(file: &[u8]) -> (Result<Replay, ReplayError>, [u8; 8]) {
    let machine = client::machine("skl", 1 << 26).unwrap();
    let replayed = replay(&machine, file, Duration::from_secs(60));
    let mut data = [0; 8];
    machine.read(Bank::System, 0x30_0100, &mut data).unwrap();
    (replayed, data)
}

/// A client's file, which stores 41 and 42.
fn captured() -> Vec<u8> {
    let mut client = Client::new("skl");
    for (offset, value) in [(0x100, 41), (0x104, 42)] {
        let store = client.store(offset, value);
        client.submit(&store);
    }
    client.idle();
    client.file.take()
}

#[test]
fn a_replay_computes_what_was_captured() {
    let mut file = captured();
    // The engine is idle; memory is as it should be, a register is not.
    file.extend(packet(2, &[0x2234, 0x2_0000, 0x100, 0, 0x100], &[]));
    file.extend(memory(4, 2, 0x30_0100, &[41, 0, 0, 0]));
    file.extend(memory(4, 0, 0x6000 + 0x1014, &[32, 0, 0, 0]));
    file.extend(memory(4, 4, 6 * 8, &0x10_0001u64.to_le_bytes()));
    file.extend(packet(1, &[0x2080, 0x2_0000, 0xff, 0, 7], &[]));
    file.extend(memory(4, 2, 0x30_0104, &[1, 0, 0, 0]));
    let (replayed, data) = run(&file);
    assert_eq!(data, [41, 0, 0, 0, 42, 0, 0, 0]);
    let replayed = replayed.unwrap();
    assert_eq!(replayed.compared, 5);
    let differences: Vec<_> = replayed.differences.iter().map(|d| &*d.what).collect();
    assert_eq!(
        differences,
        [
            "register 0x2080 is 0x0, expected 0x7",
            "system memory at 0x300104 is 0x2a, expected 0x01"
        ]
    );
    assert!(Packets::begins(&file));
    assert_eq!(platform(12).unwrap().name, "skl");
}

#[test]
fn what_cannot_be_replayed_is_an_error_with_its_place() {
    let refused = |tail: &[u8]| {
        let file = [&version(12)[..], tail].concat();
        run(&file).0.unwrap_err().to_string()
    };
    assert!(refused(&[0; 4]).contains("at offset 0x1c: 0x00000000 is no header"));
    assert!(refused(&packet(0xb, &[0], &[])).contains("packet 0x2e.0xb is not supported"));
    assert!(refused(&packet(3, &[0], &[])).contains("a packet of 2 dwords is too short"));
    assert!(refused(&packet(3, &[0, 0x1_0000, 0, 0, 0], &[])).contains("space 0 and size 1"));
    assert!(refused(&memory(6, 5, 0, &[])).contains("address space 5 is not supported"));
    assert!(refused(&packet(6, &[0, 0, 2 << 28, 9], &[0; 4])).contains("9 bytes of data"));
    assert!(refused(&packet(6, &[0, 0, 2 << 28 | 2, 4], &[0; 4])).contains("repeated and tiled"));
    assert!(refused(&memory(6, 4, 8 << 20, &[1; 8])).contains("has no entry 0x100000"));
    assert!(refused(&memory(6, 0, 0x9000, &[1; 8])).contains("page fault"));
    let poll = packet(2, &[0xc800, 0x2_0000, 1, 0, 1], &[]);
    assert!(refused(&poll).contains("the file waits for 0x1 under the mask 0x1"));
}

#[test]
fn broken_files_end_with_an_error_or_their_end() {
    let file = captured();
    let mut random = Random::new(0xa0b);
    for _ in 0..500 {
        let mut broken = file.clone();
        for _ in 0..=random.below(3) {
            let at = random.below(broken.len() as u64) as usize;
            broken[at] = random.bits() as u8;
        }
        broken.truncate(random.below(broken.len() as u64 + 1) as usize);
        // A device that hangs ends what it was given after ten seconds; nothing here can loop.
        if let Err(error) = run(&broken).0 {
            assert!(!error.to_string().is_empty());
        }
    }
}
