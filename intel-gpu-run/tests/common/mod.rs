//! What the tests of the tool share.
#![allow(dead_code, reason = "not every test uses all helpers")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

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
    let file = format!("{kernel}.sim");
    std::fs::write(folder.join(&file), simulation).unwrap();
    let mut command = Command::new("oclgrind-kernel");
    command.args(options).args(["--num-threads", "1", &file]);
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

/// Does `work` with each of them, as many at a time as the host has processors: most of it waits for
/// programs of one thread.
pub fn each<T: Sync>(all: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let some = || {
        while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(one);
        }
    };
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(some);
        }
    });
}
