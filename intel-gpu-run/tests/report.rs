//! `report`: a file that says what a device computes, whatever happens on the way.

#![cfg(test)]

mod common;

use std::fs;
use std::path::Path;

use common::{talk, tool};

/// The exit code, what is said, and the report.
fn report(device: &[&str], folder: &Path, more: &[&str]) -> (Option<i32>, String, String) {
    let file = folder.join("report.txt");
    let own = ["report", "-o", file.to_str().unwrap()];
    let output = tool(&[device, &own, more].concat());
    let text = fs::read_to_string(&file).unwrap_or_default();
    (output.status.code(), talk(&output), text)
}

#[test]
fn a_device_that_computes_right_has_a_short_report() {
    for device in ["soft:tgl", "soft:bdw", "soft:pvc", "soft:dg2:8@xe"] {
        let folder = tempfile::tempdir().unwrap();
        let (code, said, text) = report(&[], folder.path(), &["--device", device]);
        assert_eq!(code, Some(0), "{device}: {said}\n{text}");
        let images = usize::from(device != "soft:pvc");
        assert_eq!(text.matches(": the same (").count(), 14 + images, "{text}");
        assert_eq!(
            text.matches("the platform has no images").count(),
            1 - images
        );
        assert!(
            text.contains("\n== end\n") && !text.contains("first failure"),
            "{text}"
        );
    }
}

/// A node of `preload` is a render node like any other.
#[test]
fn a_render_node_is_found_and_described() {
    let folder = tempfile::tempdir().unwrap();
    let own = env!("CARGO_BIN_EXE_intel-gpu-run");
    let preload = ["preload", "--platform", "tgl@i915", "--", own];
    let (code, said, text) = report(&preload, folder.path(), &[]);
    assert_eq!(code, Some(0), "{said}\n{text}");
    for expected in [
        "\nkernel: Linux version ",
        "\ndevice: /dev/dri/renderD128\n",
        "Tiger Lake (i915 1.6.",
        "platform: tgl (Tiger Lake), Gen12LP, revision ",
        "GuC of tgl for i915: ",
        "15 of 15 kernels computed the same on /dev/dri/renderD128",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[test]
fn what_hangs_is_reported_with_its_batch() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["--device", "soft:tgl", "--timeout", "0.000001"];
    let (code, said, text) = report(&[], folder.path(), &arguments);
    assert_eq!(code, Some(4), "{said}\n{text}");
    assert!(text.contains("\n== first failure\n"), "{text}");
    // The shortest end before anybody looks.
    assert!(text.contains("not end"), "{text}");
    assert!(text.contains("the device's batch:\n"), "{text}");
}

#[test]
fn without_a_device_it_says_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (code, said, text) = report(&[], folder.path(), &["--device", "/dev/null"]);
    assert_eq!(code, Some(4), "{said}");
    // The report is there, and says so too.
    assert!(
        text.contains("device: /dev/null\ncannot be opened: "),
        "{text}"
    );
}
