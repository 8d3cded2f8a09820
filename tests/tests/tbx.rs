//! Intel's own OpenCL runtime, unmodified, without any kernel driver: it writes page tables, context
//! images and rings over TBX, and finds its results in the memory that it reads back.
//!
//! The clients are those of `neo.rs`. Left out is what the runtime cannot do over TBX: it has no
//! device time there (`profiling`, `device-times`), it uploads shared virtual memory over what
//! earlier kernels have written, and two of its threads that wait at once take each other's answers
//! (`user-events`).

#![cfg(test)]

use std::fs;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::Ordering;
use std::time::Duration;

use devinfo::Target;
use softgpu_bus::Machine;
use softgpu_bus::aub::{self, Packet, Packets};
use stack_tests::tbx::{serve, settings};
use stack_tests::{Oracle, neo, require, subject, tool};

/// How long one client may take: the runtime compiles its kernels first.
const DEADLINE: Duration = Duration::from_secs(240);

/// Our name, the runtime's, and the keys that it needs.
type Row = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
);

const PLATFORMS: [Row; 5] = [
    ("bdw", "bdw", &[]),
    ("skl", "skl", &[]),
    ("icl", "icllp", &[]),
    ("tgl", "tgllp", &[]),
    // Its connections would wait for memory that another connection has: one for each engine.
    (
        "dg2",
        "dg2",
        &[
            ("HardwareInfoOverride", "1x4x8"),
            ("EnableLocalMemory", "0"),
            ("EnableBlitterOperationsSupport", "0"),
        ],
    ),
];

/// Intel's runtime under a client, on the device that is served at `address`.
fn client(program: &Path, (_, product, keys): Row, address: SocketAddr) -> Command {
    let mut command = Command::new(program);
    command
        .env("OCL_ICD_VENDORS", tool::neo_icd())
        .env("NEOReadDebugKeys", "1")
        .env("SetCommandStreamReceiver", "2")
        .env("TbxPort", address.port().to_string())
        .env("ProductFamilyOverride", product)
        .envs(keys.iter().copied());
    command
}

/// Runs tests of a client on each platform; each must print that they passed.
fn check(platforms: &[Row], name: &str, tests: &[&str]) {
    if !subject::is_software() {
        return;
    }
    if !require(Oracle::Neo) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = neo::client(name, folder.path());
    let spirv = neo::spirv(folder.path());
    for row in platforms {
        let platform = row.0;
        let mut command = client(&program, *row, serve(platform));
        command.args(tests).env("CLIENT_SPIRV", &spirv);
        let output = tool::run_with_deadline(&mut command, DEADLINE);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{name} on {platform}: {text}");
        for test in tests {
            assert!(
                text.contains(&format!("PASS {test}\n")),
                "{platform}: {text}"
            );
        }
    }
}

#[test]
fn buffers_local_memory_sub_group_blocks_and_3d_ranges() {
    let tests = ["axpy", "local-memory", "sub-group-blocks", "range-3d"];
    check(&PLATFORMS, "basic", &tests);
}

/// What the runtime captures in a file beside TBX runs again, and as much of it.
#[test]
fn captures_run_again() {
    if !subject::is_software() {
        return;
    }
    if !require(Oracle::Neo) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = neo::client("basic", folder.path());
    for row in PLATFORMS {
        let file = folder.path().join(row.0);
        let mut command = client(&program, row, serve(row.0));
        command
            .args(["axpy", "sub-group-blocks"])
            .env("SetCommandStreamReceiver", "4")
            .env("AUBDumpCaptureFileName", &file);
        let output = tool::run_with_deadline(&mut command, DEADLINE);
        assert!(output.status.success(), "{}: {output:?}", row.0);
        let file = fs::read(&file).unwrap();
        let platform = Target::parse(row.0).unwrap().platform;
        let machine = Machine::new(platform, settings(), 1 << 32).unwrap();
        let replayed = aub::replay(&machine, &file, DEADLINE).unwrap();
        assert!(replayed.differences.is_empty(), "{}: {replayed:?}", row.0);
        let instructions = &machine.device().statistics.instructions;
        assert!(instructions.load(Ordering::Relaxed) > 0, "{}", row.0);
        let device = Packets::new(&file).find_map(|packet| match packet {
            Ok((_, Packet::Version { device, .. })) => Some(device),
            _ => None,
        });
        let named = device.and_then(aub::platform).unwrap();
        assert_eq!(named.name, row.0);
    }
}

#[test]
fn images_are_uploaded_block_read_fetched_and_sampled() {
    let tests = ["upload", "block-read", "fetch", "linear"];
    check(&PLATFORMS, "images", &tests);
}

#[test]
fn images_of_every_shape() {
    let tests = [
        "one-dimension",
        "arrays",
        "volumes",
        "of-a-buffer",
        "copies",
        "fills",
        "maps",
        "formats",
    ];
    check(&PLATFORMS[3..], "shapes", &tests);
}

#[test]
fn queues_atomics_and_printf() {
    let tests = [
        "atomics",
        "printf",
        "two-queues",
        "out-of-order",
        "map-copy-fill",
    ];
    check(&PLATFORMS[1..], "queues", &tests);
}

#[test]
fn memory_objects() {
    let tests = [
        "rectangles",
        "fills",
        "odd-copies",
        "maps",
        "sub-buffers",
        "host-pointers",
        "large",
    ];
    check(&PLATFORMS, "memory", &tests);
}

#[test]
fn programs_and_what_kernels_lean_on() {
    let tests = [
        "binaries",
        "spirv",
        "linking",
        "contexts",
        "program-variables",
        "arguments",
        "work-groups",
        "private-memory",
        "longs",
        "doubles",
        "halves",
        "prints",
    ];
    check(&PLATFORMS[1..4], "programs", &tests);
}
