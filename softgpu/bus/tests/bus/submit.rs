//! A client of the bus: page tables, context image and ring in memory, and the registers that submit.

use std::time::{Duration, Instant};

use crate::client::{self, Client};
use softgpu_bus::{Bank, BusError, Machine};

const PLATFORMS: [&str; 5] = ["bdw", "skl", "icl", "tgl", "dg2"];

#[test]
fn rings_run_and_the_context_is_saved() {
    for platform in PLATFORMS {
        let mut client = Client::new(platform);
        let first = client.store(0x100, 41);
        client.submit(&first);
        let second = client.store(0x104, 42);
        client.submit(&second);
        client.idle();
        assert_eq!(
            (client.dword(0x100), client.dword(0x104)),
            (41, 42),
            "{platform}"
        );
        assert_eq!(client.saved_head(), client.tail, "{platform}");
        assert!(client.machine.take_failures().is_empty());
    }
}

#[test]
fn work_that_fails_says_so_and_its_context_takes_no_more() {
    let mut client = Client::new("skl");
    let outside = client.store(0x10_0000, 1);
    client.submit(&outside);
    client.idle();
    let failures = client.machine.take_failures();
    assert!(
        failures[0].to_string().contains("page fault"),
        "{failures:?}"
    );
    let inside = client.store(0x100, 1);
    client.submit(&inside);
    client.idle();
    assert_eq!(client.dword(0x100), 0);
}

#[test]
fn work_behind_unfinished_work_is_bounded() {
    let mut client = Client::new("tgl");
    // MI_SEMAPHORE_WAIT until the dword at 0x200 is 1, which the client writes late.
    let [_, low, high, _] = client.store(0x200, 0);
    client.submit(&[0x0e00_c002, 1, low, high]);
    let mut stored = 0;
    let refused = loop {
        let store = client.store(0x100, stored + 1);
        match client.try_submit(&store) {
            Ok(()) => stored += 1,
            Err(error) => break error.to_string(),
        }
    };
    assert!(
        refused.contains("256 submissions of it have not ended"),
        "{refused}"
    );
    assert_eq!(stored, 255);
    client.write_dword(0x200, 1);
    client.idle();
    assert_eq!(client.dword(0x100), stored);
}

#[test]
fn an_image_becomes_another_contexts_only_when_its_work_has_ended() {
    let mut client = Client::new("tgl");
    let [_, low, high, _] = client.store(0x200, 0);
    client.submit(&[0x0e00_c002, 1, low, high]);
    client.write_head(8);
    let refused = client.try_submit(&[]).unwrap_err().to_string();
    assert!(refused.contains("its work has not ended"), "{refused}");
    client.write_dword(0x200, 1);
    client.idle();
}

#[test]
fn what_no_bus_has_is_refused() {
    let machine = client::machine("tgl", 1 << 22).unwrap();
    let refused = |result: Result<(), BusError>| result.unwrap_err().to_string();
    assert!(refused(machine.write_register(2, 0)).contains("is not a dword below 0x800000"));
    assert!(refused(machine.set_global_entry(1 << 20, 1)).contains("has no entry 0x100000"));
    assert!(
        refused(machine.write(Bank::System, 1 << 47, &[0])).contains("is beyond 0x800000000000")
    );
    for chunk in 0..2u64 {
        machine.write(Bank::System, chunk << 30, &[1]).unwrap();
    }
    assert!(
        refused(machine.write(Bank::System, 7 << 30, &[0])).contains("more than 0x400000 bytes")
    );
    // A context that the global GTT does not show.
    machine.write_register(0x2510, 0x6119).unwrap();
    assert!(
        refused(machine.write_register(0x2550, 1)).contains("context 0x6119 of the render engine")
    );
    let only_firmware = client::machine("bmg", 1 << 22).unwrap_err();
    assert!(
        only_firmware
            .to_string()
            .contains("bmg takes submissions only from its GuC")
    );
}

#[test]
fn memory_is_zero_until_it_is_written() {
    let machine: Machine = client::machine("tgl", 1 << 24).unwrap();
    let mut bytes = [7; 8];
    machine.read(Bank::System, 0xfff_fffc, &mut bytes).unwrap();
    assert_eq!(bytes, [0; 8]);
    machine
        .write(Bank::System, 0xfff_fffe, &[1, 2, 3, 4])
        .unwrap();
    machine.read(Bank::System, 0xfff_fffc, &mut bytes).unwrap();
    assert_eq!(bytes, [0, 0, 1, 2, 3, 4, 0, 0]);
    machine.read(Bank::Local, 0xfff_fffc, &mut bytes).unwrap();
    assert_eq!(bytes, [0; 8], "the other memory");
    assert!(machine.idle(Instant::now() + Duration::from_secs(1)));
}
