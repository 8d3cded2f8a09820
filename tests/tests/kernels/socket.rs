//! Parts of the corpus on devices behind a socket, by the driver without a kernel driver. All of it runs
//! so with `INTEL_GPU_DEVICE=tbx:127.0.0.1:4321:skl`, beside `intel-gpu-run serve`.

use std::env;
use std::process::Command;

use stack_tests::{subject, tbx};

/// The tests that run there: memory, shared memory and barriers, atomics, images, sub-groups.
const TESTS: [&str; 5] = [
    "addressing::",
    "slm::",
    "atomics::",
    "images::",
    "sub_group::votes",
];

#[test]
fn kernels_behind_a_socket_give_what_they_give_here() {
    if !subject::is_software() {
        return;
    }
    for platform in ["bdw", "skl", "icl", "tgl", "dg2"] {
        let device = format!("tbx:{}:{platform}", tbx::serve(platform));
        let output = Command::new(env::current_exe().unwrap())
            .args(TESTS)
            .args(["--test-threads", "2"])
            .env("INTEL_GPU_DEVICE", &device)
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{device}: {text}");
        for test in TESTS {
            assert!(text.contains(&format!("test {test}")), "{device}: {text}");
        }
    }
}
