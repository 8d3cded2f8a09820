//! C programs, compiled with gcc against the ICD loader and run with this runtime alone.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

mod common;

use common::Runtime;

/// What the programs of a test run on.
const DEVICES: &[&str] = &["soft:tgl", "soft:tgl@xe,soft:dg2"];

/// Compiles and runs `tests/c/NAME.c` on each set of devices; what it printed, unless there is
/// nothing to run it with.
fn run(name: &str) -> Option<Vec<String>> {
    run_with(name, &[])
}

fn run_with(name: &str, environment: &[(&str, &str)]) -> Option<Vec<String>> {
    if !common::has_tools() {
        return None;
    }
    let runtime = Runtime::new();
    let program = runtime.compiled(name);
    let run_on = |devices: &&str| {
        let mut command = runtime.command(&program, devices);
        let run = command.envs(environment.iter().copied()).output().unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        let printed = String::from_utf8_lossy(&run.stdout);
        let good = run.status.success() && printed.ends_with("ok\n");
        assert!(good, "{devices}: {}: {printed}{said}", run.status);
        printed.into_owned()
    };
    Some(DEVICES.iter().map(run_on).collect())
}

#[test]
fn vadd() {
    run("vadd");
}

#[test]
fn handles() {
    run("handles");
}

#[test]
fn events() {
    run("events");
}

#[test]
fn queries() {
    run("queries");
}

#[test]
fn subgroups() {
    run("subgroups");
}

#[test]
fn blocks() {
    run("blocks");
}

#[test]
fn faults() {
    let Some(printed) = run("faults") else { return };
    for printed in printed {
        assert_eq!(printed, "before\nx is -7, y 2.50\nafter\nok\n");
    }
}

#[test]
fn commands() {
    run("commands");
}

#[test]
fn variables() {
    run("variables");
}

#[test]
fn threads() {
    run("threads");
}

#[test]
fn extensions() {
    run("extensions");
}

#[test]
fn checks() {
    run_with("checks", &[("INTEL_GPU_CHECK", "1")]);
}

#[test]
fn memory() {
    run("memory");
}

#[test]
fn images() {
    run("images");
}

#[test]
fn pointers() {
    run("pointers");
}

#[test]
fn programs() {
    run("programs");
}

#[test]
fn nothreads() {
    run_with("nothreads", &[("INTEL_GPU_COMPILER", "libocloc")]);
}
