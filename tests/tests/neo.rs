//! Intel's own OpenCL runtime, unmodified, as a client of the software GPU.
//!
//! The batches are not ours, and Intel's compiler compiles the kernels at run time. So if these
//! clients (`tests/neo/*.c`) compute correctly, the software GPU reads both correctly. Each client
//! compares its own results; the tests here also check that EU instructions ran.

#![cfg(test)]

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use stack_tests::neo::{client, spirv};
use stack_tests::{Oracle, require, subject, tool};

/// How long one client may take: the runtime compiles its kernels first.
const DEADLINE: Duration = Duration::from_secs(240);

/// The families that the runtime drives through i915, DG2 with its own memory.
const PLATFORMS: [&str; 5] = ["bdw", "skl", "icl", "tgl", "dg2"];

/// Platforms that differ from one of those only in their rows of the device table.
const ROWS: [&str; 10] = [
    "kbl", "cfl", "apl", "glk", "ehl", "rkl", "adls", "adlp", "adln", "dg1",
];

/// Runs a client under `preload` on each platform; each must print that the tests passed, and
/// `line`.
fn check(platforms: &[&str], name: &str, tests: &[&str], line: &str) {
    if !subject::is_software() {
        return;
    }
    if !require(Oracle::Neo) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = client(name, folder.path());
    let spirv = spirv(folder.path());
    for platform in platforms {
        let text = run(platform, &program, &spirv);
        for test in tests {
            assert!(
                text.contains(&format!("PASS {test}\n")),
                "{platform}: {text}"
            );
        }
        assert!(text.contains(line), "{platform}: {text}");
    }
}

/// Runs a client under `preload` and returns what it printed.
fn run(platform: &str, program: &Path, spirv: &Path) -> String {
    let log_file = program.with_extension(platform);
    let mut command = Command::new(tool::intel_gpu_run());
    command
        .args(["preload", "--platform", platform])
        .args(["--log", "softgpu=info", "--log-file"])
        .arg(&log_file)
        .arg("--")
        .arg(program)
        .env("OCL_ICD_VENDORS", tool::neo_icd())
        .env("CLIENT_SPIRV", spirv);
    let output = tool::run_with_deadline(&mut command, DEADLINE);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let log = fs::read_to_string(&log_file).unwrap_or_default();
    assert!(
        output.status.success(),
        "{} on {platform}: {}\n{text}\n{}\n{log}",
        program.display(),
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        executed_instructions(&log) > 0,
        "no EU instructions ran:\n{log}"
    );
    text
}

/// The sum over the log's walker lines.
fn executed_instructions(log: &str) -> u64 {
    log.lines()
        .filter_map(|line| {
            let (before, _) = line.split_once(" EU instructions")?;
            before.rsplit([' ', '=']).next()?.parse::<u64>().ok()
        })
        .sum()
}

/// Intel's runtime loads what ours compiled and linked, and ours loads Intel's, but for an executable
/// that Intel's linked: it has nothing in it that can be compiled again.
#[test]
fn binaries_of_programs_are_exchanged() {
    if !subject::is_software() {
        return;
    }
    if !require(Oracle::Neo) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = client("exchange", folder.path());
    let ours = ["opencl", "--devices", "soft:tgl", "--"];
    let intel = ["preload", "--platform", "tgl", "--"];
    let call = |runtime: &[&str], words: &[&str]| {
        let mut command = Command::new(tool::intel_gpu_run());
        command.args(runtime).arg(&program).args(words);
        command.env("INTEL_GPU_CACHE", "off");
        if runtime == intel {
            command.env("OCL_ICD_VENDORS", tool::neo_icd());
        }
        let output = tool::run_with_deadline(&mut command, DEADLINE);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{runtime:?} {words:?}: {text}");
        text.matches("PASS").count()
    };
    let place = |name: &str| {
        let path = folder.path().join(name);
        fs::create_dir(&path).unwrap();
        path.display().to_string()
    };
    let (of_ours, of_intel) = (place("ours"), place("intel"));
    call(&ours, &["save", &of_ours]);
    assert_eq!(call(&intel, &["load", &of_ours, "linked"]), 4);
    call(&intel, &["save", &of_intel]);
    assert_eq!(call(&ours, &["load", &of_intel]), 3);
}

#[test]
fn buffers_local_memory_sub_group_blocks_and_3d_ranges() {
    let tests = ["axpy", "local-memory", "sub-group-blocks", "range-3d"];
    check(&PLATFORMS, "basic", &tests, "");
    check(&ROWS, "basic", &tests, "");
}

#[test]
fn images_are_uploaded_block_read_fetched_and_sampled() {
    let tests = ["upload", "block-read", "fetch", "linear"];
    check(&PLATFORMS, "images", &tests, "");
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
    check(&PLATFORMS, "shapes", &tests, "");
}

#[test]
fn queues_atomics_printf_and_profiling() {
    let tests = [
        "atomics",
        "printf",
        "two-queues",
        "out-of-order",
        "profiling",
        "map-copy-fill",
    ];
    let line = "item 5 of 16: text 1.50 1,-2,3,-4\n";
    check(&PLATFORMS, "queues", &tests, line);
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
        "shared-virtual-memory",
        "large",
    ];
    check(&PLATFORMS, "memory", &tests, "");
}

#[test]
fn programs_and_what_kernels_lean_on() {
    let tests = [
        "binaries",
        "spirv",
        "linking",
        "contexts",
        "user-events",
        "program-variables",
        "arguments",
        "work-groups",
        "private-memory",
        "longs",
        "doubles",
        "halves",
        "prints",
        "device-times",
    ];
    let line = "42 word 1,2,3,42  2.50|ff    |360777252864 z\n";
    check(&PLATFORMS, "programs", &tests, line);
}
