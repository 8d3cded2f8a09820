//! Intel's own OpenCL runtime, unmodified, as a client of the software GPU.
//!
//! The batches are not ours and the kernels are compiled at run time by Intel's compiler, so what
//! these clients (`tests/neo/*.c`) compute right, the software GPU reads right. Each client
//! compares its results itself; here it is checked besides that EU instructions ran.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "helpers of tests fail by panicking"
)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use stack_tests::{Oracle, require, tool};

/// How long one client may take: the runtime compiles its kernels first.
const DEADLINE: Duration = Duration::from_secs(240);

/// Builds `tests/neo/NAME.c`.
fn client(name: &str, folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("neo")
        .join(format!("{name}.c"));
    let program = folder.join(name);
    let output = Command::new("cc")
        .args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(&source)
        .arg("-lOpenCL")
        .output()
        .expect("cc runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    program
}

/// Runs a client under `preload` and returns what it printed.
fn run(platform: &str, name: &str) -> Option<String> {
    if !require(Oracle::Neo) {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let program = client(name, folder.path());
    let log_file = folder.path().join("log");
    let mut command = Command::new(tool::intel_gpu_run());
    command
        .args([
            "preload",
            "--platform",
            platform,
            "--log",
            "softgpu=info",
            "--log-file",
        ])
        .arg(&log_file)
        .arg("--")
        .arg(&program)
        .env("OCL_ICD_VENDORS", tool::neo_icd());
    let output = tool::run_with_deadline(&mut command, DEADLINE);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let log = std::fs::read_to_string(&log_file).unwrap_or_default();
    assert!(
        output.status.success(),
        "{name} on {platform}: {}\n{text}\n{}\n{log}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        executed_instructions(&log) > 0,
        "no EU instructions ran:\n{log}"
    );
    Some(text)
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

#[test]
fn buffers_local_memory_sub_group_blocks_and_3d_ranges() {
    let Some(text) = run("tgl", "basic") else {
        return;
    };
    for test in ["axpy", "local-memory", "sub-group-blocks", "range-3d"] {
        assert!(text.contains(&format!("PASS {test}\n")), "{text}");
    }
}

#[test]
fn images_are_uploaded_block_read_fetched_and_sampled() {
    let Some(text) = run("tgl", "images") else {
        return;
    };
    for test in ["upload", "block-read", "fetch", "linear"] {
        assert!(text.contains(&format!("PASS {test}\n")), "{text}");
    }
}

#[test]
fn queues_atomics_printf_and_profiling() {
    let Some(text) = run("tgl", "queues") else {
        return;
    };
    let tests = [
        "atomics",
        "printf",
        "two-queues",
        "out-of-order",
        "profiling",
        "map-copy-fill",
    ];
    for test in tests {
        assert!(text.contains(&format!("PASS {test}\n")), "{text}");
    }
    assert!(
        text.contains("item 5 of 16: text 1.50 1,-2,3,-4\n"),
        "{text}"
    );
}
