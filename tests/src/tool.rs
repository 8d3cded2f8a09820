//! Running the project's tool, and other programs, with a deadline.

use std::env;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Where Debian's package registers Intel's OpenCL runtime.
pub const NEO_ICD: &str = "/etc/OpenCL/vendors/intel.icd";

/// The folder to point `OCL_ICD_VENDORS` at, or the file itself: only Intel's runtime loads.
pub fn neo_icd() -> &'static Path {
    Path::new(NEO_ICD)
}

/// The tool, from this workspace's test build.
///
/// # Panics
/// If it has not been built: `cargo test --workspace` does.
pub fn intel_gpu_run() -> PathBuf {
    let test = env::current_exe().expect("the test's own path");
    // target/PROFILE/deps/TEST
    let profile = test.ancestors().nth(2).expect("a target folder");
    let tool = profile.join("intel-gpu-run");
    assert!(
        tool.is_file(),
        "{} has not been built: run `cargo test --workspace`, or `cargo build` first",
        tool.display()
    );
    tool
}

/// Runs `command` to its end and collects its output.
///
/// # Panics
/// If it cannot be started, or does not end within `deadline`: then it is killed.
pub fn run_with_deadline(command: &mut Command, deadline: Duration) -> Output {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let stdout = drain(child.stdout.take());
    let stderr = drain(child.stderr.take());
    let status = wait(&mut child, deadline).unwrap_or_else(|| {
        let _ = child.kill();
        let _ = child.wait();
        panic!("{command:?} did not end within {deadline:?}")
    });
    Output {
        status,
        stdout: stdout.join().unwrap_or_default(),
        stderr: stderr.join().unwrap_or_default(),
    }
}

fn drain<R: Read + Send + 'static>(pipe: Option<R>) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            let _ = pipe.read_to_end(&mut bytes);
        }
        bytes
    })
}

fn wait(child: &mut Child, deadline: Duration) -> Option<std::process::ExitStatus> {
    let end = Instant::now() + deadline;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status),
            Ok(None) if Instant::now() < end => thread::sleep(Duration::from_millis(10)),
            _ => return None,
        }
    }
}
