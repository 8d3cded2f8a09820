//! C programs, compiled with gcc against the header and the library, run on the software GPU.
#![cfg(test)]

use std::path::Path;
use std::process::Command;

/// Compiles and runs `tests/NAME.c`; what it printed, or nothing if there is no compiler.
fn run(name: &str, args: &[&str]) -> Option<String> {
    if !oracles::debian("gcc") {
        return None;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // The shared library lies beside the test programs.
    let exe = std::env::current_exe().unwrap();
    let libraries = exe.parent().unwrap();
    assert!(libraries.join("libintel_gpu.so").exists());
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join(name);
    // As it is installed: programs ask for the library by its major version.
    let installed = folder.path().join("libintel_gpu.so.1");
    std::os::unix::fs::symlink(libraries.join("libintel_gpu.so"), installed).unwrap();
    let compiled = Command::new("gcc")
        .args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-o"])
        .arg(&program)
        .arg(root.join(format!("tests/{name}.c")))
        .arg("-I")
        .arg(root.join("include"))
        .arg("-L")
        .arg(libraries)
        .arg("-lintel_gpu")
        .arg(format!("-Wl,-rpath,{}", folder.path().display()))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{text}");
    let run = Command::new(&program)
        // Cargo's has folders that may hold an older library.
        .env_remove("LD_LIBRARY_PATH")
        .args(args)
        .arg(root.join("../umd/tests/kernels/vadd.tgllp.zebin"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "{}: {text}", run.status);
    Some(String::from_utf8_lossy(&run.stdout).into_owned())
}

#[test]
fn vadd_in_c() {
    let Some(printed) = run("vadd", &[]) else {
        return;
    };
    assert_eq!(printed, "vadd on tgl: ok\n");
}

#[test]
fn what_a_runtime_asks_in_c() {
    for device in ["soft:tgl@i915", "soft:tgl@xe"] {
        let Some(printed) = run("runtime", &[device]) else {
            return;
        };
        assert_eq!(printed, "runtime on tgl: ok\n");
    }
}
