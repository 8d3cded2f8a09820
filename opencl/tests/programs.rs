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

/// Compiles and runs `tests/c/NAME.c` on each set of devices.
fn run(name: &str) {
    if !has_tools() {
        return;
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
    for devices in DEVICES {
        let run = Command::new(&program)
            .env("OCL_ICD_VENDORS", format!("{}/", vendors.display()))
            .env("INTEL_GPU_DEVICES", devices)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&run.stderr);
        let printed = String::from_utf8_lossy(&run.stdout);
        let good = run.status.success() && printed.ends_with("ok\n");
        assert!(good, "{devices}: {}: {printed}{said}", run.status);
    }
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
