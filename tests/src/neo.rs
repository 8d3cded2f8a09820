//! Programs that use OpenCL as any program does, to be run with Intel's runtime.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds `tests/neo/NAME.c`.
///
/// # Panics
/// If it does not compile.
pub fn client(name: &str, folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("neo")
        .join(format!("{name}.c"));
    let program = folder.join(name);
    let output = Command::new("cc")
        .args(["-O1", "-Wall", "-Wextra", "-Werror", "-o"])
        .arg(&program)
        .arg(&source)
        .args(["-lOpenCL", "-lm"])
        .output()
        .expect("cc runs");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    program
}

/// A kernel `scale` as SPIR-V, for the client that loads it.
///
/// # Panics
/// If it does not compile.
pub fn spirv(folder: &Path) -> PathBuf {
    let source = folder.join("scale.cl");
    let text = "kernel void scale(global uint *a, uint b) { a[get_global_id(0)] *= b; }\n";
    fs::write(&source, text).expect("a folder to write to");
    let output = Command::new("ocloc")
        .args(["compile", "-q", "-device", "skl", "-output_no_suffix"])
        .args(["-file", "scale.cl", "-output", "scale"])
        .current_dir(folder)
        .output()
        .expect("ocloc runs");
    assert!(output.status.success(), "{output:?}");
    folder.join("scale.spv")
}
