//! What the tests of the tool share.
#![allow(dead_code, reason = "not every test uses all helpers")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The repository's root folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The tool, to be run in the repository's root folder.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_intel-gpu-run"));
    command.args(arguments).current_dir(root());
    command
}

/// Runs the tool in the repository's root folder.
pub fn tool(arguments: &[&str]) -> Output {
    command(arguments).output().unwrap()
}

/// An argument for as many work-items as [`checked`] runs: the numbers from 1 on, in a file of a folder.
pub fn numbers(folder: &Path) -> String {
    let path = folder.join("in");
    let numbers: Vec<u8> = (1..=256i32).flat_map(i32::to_le_bytes).collect();
    std::fs::write(&path, numbers).unwrap();
    format!("in={}", path.display())
}

/// Runs a kernel with `--check` on 256 work-items in groups of 128; `more` are options and the file.
pub fn checked(device: &str, kernel: &str, more: &[&str]) -> Output {
    let range = ["--global", "256", "--local", "128"];
    let kernel = ["run", "--check", "--device", device, "--kernel", kernel];
    tool(&[&kernel[..], &range, more].concat())
}

/// What Oclgrind says of a kernel of the file `source` in a folder: on as many work-items as
/// [`checked`] runs, with the numbers from 1 on and with zeros.
pub fn oclgrind(folder: &Path, source: &str, kernel: &str, options: &[&str]) -> String {
    let arguments = "<size=1024 int range=1:1:256>\n\n<size=1024 int fill=0>";
    let simulation = format!("{source}\n{kernel}\n256 1 1\n128 1 1\n\n{arguments}\n");
    std::fs::write(folder.join("kernel.sim"), simulation).unwrap();
    let mut command = Command::new("oclgrind-kernel");
    command
        .args(options)
        .args(["--num-threads", "1", "kernel.sim"]);
    let run = command.current_dir(folder).output().unwrap();
    String::from_utf8_lossy(&run.stderr).into_owned()
}

/// Runs a command line, whose words have no spaces, in the repository's root folder.
pub fn line(text: impl AsRef<str>) -> Output {
    let words: Vec<&str> = text.as_ref().split_whitespace().collect();
    tool(&words)
}

/// What was said on stderr.
pub fn talk(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
