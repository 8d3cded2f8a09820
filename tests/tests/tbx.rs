//! Intel's own OpenCL runtime, unmodified, without any kernel driver: it writes page tables, context
//! images and rings over TBX, and finds its results in the memory that it reads back.
//!
//! The clients are those of `neo.rs`. Left out is what the runtime cannot do over TBX: it has no
//! device time there (`profiling`, `device-times`), it uploads shared virtual memory over what
//! earlier kernels have written, and two of its threads that wait at once take each other's answers
//! (`user-events`).

#![cfg(test)]

use std::net::SocketAddr;
use std::process::Command;
use std::thread;
use std::time::Duration;

use devinfo::Target;
use softgpu_bus::tbx::{Server, ServerOptions};
use softgpu_device::{Execution, Settings};
use stack_tests::{Oracle, neo, require, tool};

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

/// Serves a platform in a thread that ends with the process.
fn serve(platform: &str) -> SocketAddr {
    let options = ServerOptions {
        platform: Target::parse(platform).unwrap().platform,
        settings: Settings {
            threads: 1,
            hang_timeout: Duration::from_secs(60),
            check: false,
            execution: Execution::default(),
        },
        memory: 1 << 32,
        connections: 16,
    };
    let server = Server::bind(SocketAddr::from(([127, 0, 0, 1], 0)), options).unwrap();
    let address = server.address().unwrap();
    thread::spawn(move || server.run());
    address
}

/// Runs tests of a client on each platform; each must print that they passed.
fn check(platforms: &[Row], name: &str, tests: &[&str]) {
    if !require(Oracle::Neo) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = neo::client(name, folder.path());
    let spirv = neo::spirv(folder.path());
    for (platform, product, keys) in platforms {
        let address = serve(platform);
        let mut command = Command::new(&program);
        command
            .args(tests)
            .env("OCL_ICD_VENDORS", tool::neo_icd())
            .env("CLIENT_SPIRV", &spirv)
            .env("NEOReadDebugKeys", "1")
            .env("SetCommandStreamReceiver", "2")
            .env("TbxPort", address.port().to_string())
            .env("ProductFamilyOverride", product)
            .envs(keys.iter().copied());
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
