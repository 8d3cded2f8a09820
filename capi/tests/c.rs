//! A C program, compiled with gcc against the header and the library, runs on the software GPU.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

use std::path::Path;
use std::process::Command;

#[test]
fn vadd_in_c() {
    if Command::new("gcc").arg("--version").output().is_err() {
        assert!(
            std::env::var_os("ORACLES").is_none_or(|value| value != "required"),
            "gcc is missing"
        );
        eprintln!("skipped: gcc is missing");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The shared library lies beside the test programs.
    let exe = std::env::current_exe().unwrap();
    let libraries = exe.parent().unwrap();
    assert!(libraries.join("libintel_gpu.so").exists());
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("vadd");
    let compiled = Command::new("gcc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o"])
        .arg(&program)
        .arg(root.join("tests/vadd.c"))
        .arg("-I")
        .arg(root.join("include"))
        .arg("-L")
        .arg(libraries)
        .arg("-lintel_gpu")
        .arg(format!("-Wl,-rpath,{}", libraries.display()))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{text}");
    let run = Command::new(&program)
        .arg(root.join("../umd/tests/kernels/vadd.tgllp.zebin"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{}: {text}", run.status);
    assert_eq!(String::from_utf8_lossy(&run.stdout), "vadd on tgl: ok\n");
}
