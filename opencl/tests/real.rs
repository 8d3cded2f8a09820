//! Programs of Debian that know nothing of this runtime: what they compute is right, and the same
//! as on PoCL, which runs kernels on the CPU.
#![allow(clippy::unwrap_used, clippy::panic, reason = "tests fail by panics")]

mod common;

use std::path::Path;
use std::process::{Command, Output};

use common::Runtime;

const DEVICE: &str = "soft:tgl";
/// Debian's Python: packages are not there for others.
const PYTHON: &str = "/usr/bin/python3";

/// Whether a program and Intel's compiler are there.
fn has(program: &str, arguments: &[&str], package: &str) -> bool {
    let what = format!("{program} (Debian package {package})");
    oracles::program(program, arguments, &what) && common::has_compiler()
}

/// The same program on PoCL.
fn on_pocl(program: &str) -> Option<Command> {
    let file = "/etc/OpenCL/vendors/pocl.icd";
    if !Path::new(file).is_file() {
        oracles::missing("PoCL (Debian package pocl-opencl-icd)");
        return None;
    }
    let mut command = Command::new(program);
    command.env("OCL_ICD_VENDORS", file);
    Some(command)
}

/// What a program printed. It ended well.
fn printed(output: Output) -> String {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {text}{said}", output.status);
    text
}

#[test]
fn clinfo() {
    if !has("clinfo", &["--version"], "clinfo") {
        return;
    }
    let output = Runtime::new().command("clinfo", DEVICE).output().unwrap();
    let text = printed(output);
    assert!(
        text.contains("intel-gpu") && text.contains("soft:tgl"),
        "{text}"
    );
    assert!(!text.to_lowercase().contains("error:"), "{text}");
}

#[test]
fn pyopencl() {
    if !has(PYTHON, &["-c", "import pyopencl"], "python3-pyopencl") {
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/arrays.py");
    let ours = Runtime::new().command(PYTHON, DEVICE).arg(script).output();
    let ours = printed(ours.unwrap());
    assert!(ours.ends_with("done\n"), "{ours}");
    if let Some(mut pocl) = on_pocl(PYTHON) {
        assert_eq!(ours, printed(pocl.arg(script).output().unwrap()));
    }
}

/// Fourier transforms by clFFT, which writes its kernels itself, beside NumPy's.
#[test]
fn clfft() {
    if !has(PYTHON, &["-c", "import gpyfft.fft"], "python3-gpyfft") {
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/fft.py");
    let ours = Runtime::new().command(PYTHON, DEVICE).arg(script).output();
    let ours = printed(ours.unwrap());
    let (results, last) = ours.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(last, "done");
    assert_eq!(results.lines().count(), 12);
    for line in results.lines() {
        assert!(line.ends_with(" close"), "{line}");
    }
}

/// Kernels of many kinds: what each of them computes is what it computes on PoCL.
#[test]
fn kernels() {
    if !has(PYTHON, &["-c", "import pyopencl"], "python3-pyopencl") {
        return;
    }
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/python/kernels.py");
    let Some(mut pocl) = on_pocl(PYTHON) else {
        return;
    };
    let pocl = printed(pocl.arg(script).output().unwrap());
    assert!(pocl.ends_with("done\n"), "{pocl}");
    for device in [DEVICE, "soft:dg2"] {
        let ours = Runtime::new().command(PYTHON, device).arg(script).output();
        assert_eq!(printed(ours.unwrap()), pocl, "{device}");
    }
}

/// CLBlast's own tests: against a BLAS of the host.
#[test]
fn clblast() {
    for test in ["xaxpy", "xdot", "xscal"] {
        let program = format!("clblast_test_{test}");
        if !has(&program, &["--help"], "clblast-tests") {
            return;
        }
        let output = Runtime::new().command(&program, DEVICE).output().unwrap();
        let text = printed(output);
        let results: Vec<_> = text
            .lines()
            .filter(|line| line.contains("test(s)"))
            .collect();
        assert!(results.iter().any(|line| line.contains("passed")), "{text}");
        let failed = results.iter().filter(|line| line.contains("failed"));
        for line in failed {
            assert!(line.trim_start().starts_with("0 "), "{text}");
        }
    }
}

/// A hash cracker's self-test, and a hash that it cracks.
#[test]
fn hashcat() {
    if !has("hashcat", &["--version"], "hashcat") {
        return;
    }
    let runtime = Runtime::new();
    let hash = "900150983cd24fb0d6963f7d28e17f72";
    let output = runtime
        .command("hashcat", DEVICE)
        .env("HOME", runtime.path())
        .args([
            "-m0",
            "-a3",
            "-D2",
            "--force",
            "--quiet",
            "--potfile-disable",
        ])
        .args(["-u1", "-n1", "-T16", hash, "?l?l?l"])
        .output()
        .unwrap();
    let text = printed(output);
    assert!(text.contains(&format!("{hash}:abc")), "{text}");
}

/// Edges of a picture, as the README shows them: the same on PoCL, byte for byte.
#[test]
fn ffmpeg() {
    if !has("ffmpeg", &["-version"], "ffmpeg") {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let runtime = Runtime::new();
    const FILTER: &str = "crop=480:320,format=rgba,hwupload,sobel_opencl=scale=2,hwdownload,\
                          format=rgba,format=rgb24";
    let edges = |mut command: Command, name: &str| {
        let picture = runtime.path().join(name);
        let output = command
            .args(["-v", "error", "-init_hw_device", "opencl=gpu:0.0"])
            .args(["-filter_hw_device", "gpu", "-i"])
            .arg(root.join("examples/mandelbrot.png"))
            .args(["-vf", FILTER, "-f", "rawvideo"])
            .arg(&picture)
            .output();
        printed(output.unwrap());
        std::fs::read(picture).unwrap()
    };
    let ours = edges(runtime.command("ffmpeg", DEVICE), "ours.raw");
    assert_eq!(ours.len(), 480 * 320 * 3);
    assert!(ours.iter().any(|&byte| byte != ours[0]));
    if let Some(pocl) = on_pocl("ffmpeg") {
        assert!(ours == edges(pocl, "pocl.raw"), "the pictures differ");
    }
}
