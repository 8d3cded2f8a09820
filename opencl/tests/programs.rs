//! C programs, compiled with gcc against the ICD loader and run with this runtime alone.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use std::path::Path;
use std::process::Command;

/// What the programs of a test run on.
const DEVICES: &[&str] = &["soft:tgl", "soft:tgl@xe,soft:dg2"];

fn has_tools() -> bool {
    oracles::program("gcc", &["--version"], "gcc (Debian package gcc)")
        && oracles::program("ocloc", &[], "ocloc (Debian package intel-opencl-icd)")
        && match Path::new("/usr/include/CL/cl.h").is_file() {
            true => true,
            false => {
                oracles::missing("ICD loader to build with (Debian package ocl-icd-opencl-dev)");
                false
            }
        }
}

/// Compiles and runs `tests/c/NAME.c` on each set of devices; what it printed, unless there is
/// nothing to run it with.
fn run(name: &str) -> Option<Vec<String>> {
    run_with(name, &[])
}

fn run_with(name: &str, environment: &[(&str, &str)]) -> Option<Vec<String>> {
    if !has_tools() {
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The shared library lies beside the test programs.
    let exe = std::env::current_exe().unwrap();
    let library = exe.parent().unwrap().join("libintel_gpu_opencl.so");
    assert!(library.exists());
    let folder = tempfile::tempdir().unwrap();
    let vendors = folder.path().join("vendors");
    std::fs::create_dir(&vendors).unwrap();
    std::fs::write(vendors.join("intel-gpu.icd"), library.display().to_string()).unwrap();
    let program = folder.path().join(name);
    let compiled = Command::new("gcc")
        .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(root.join(format!("tests/c/{name}.c")))
        .args(["-lOpenCL", "-lpthread", "-lm"])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{text}");
    let run_on = |devices: &&str| {
        let run = Command::new(&program)
            .env("OCL_ICD_VENDORS", format!("{}/", vendors.display()))
            .env("INTEL_GPU_DEVICES", devices)
            .env("INTEL_GPU_CACHE", "off")
            .envs(environment.iter().copied())
            .output()
            .unwrap();
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
