//! `opencl`: programs find this driver's OpenCL runtime, and no other.

#![cfg(test)]

mod common;

use common::{talk, tool};

#[test]
fn the_loader_is_pointed_to_the_library_and_the_exit_code_is_the_programs() {
    let library = String::from_utf8(tool(&["opencl", "--print-library"]).stdout).unwrap();
    let script = r#"cat "$OCL_ICD_VENDORS"*.icd; echo "$INTEL_GPU_DEVICES"; exit 7"#;
    let devices = "soft:tgl,soft:dg2@xe";
    let run = tool(&["opencl", "--devices", devices, "--", "sh", "-c", script]);
    assert_eq!(run.status.code(), Some(7), "{}", talk(&run));
    let said = String::from_utf8(run.stdout).unwrap();
    assert_eq!(said, format!("{library}{devices}\n"));
}

#[test]
fn devices_and_programs_that_cannot_be_are_usage() {
    let run = tool(&["opencl", "--devices", "soft:tgl,tgl", "--", "true"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(talk(&run).contains("\"tgl\""), "{}", talk(&run));
    let run = tool(&[
        "opencl",
        "--devices",
        "soft:tgl,soft:bmg@i915",
        "--",
        "true",
    ]);
    assert_eq!(run.status.code(), Some(2), "{}", talk(&run));
    let why = "the kernel driver i915 does not drive bmg";
    assert!(talk(&run).contains(why), "{}", talk(&run));
    let run = tool(&["opencl", "--", "./no-such-program"]);
    assert_eq!(run.status.code(), Some(2));
    assert!(talk(&run).contains("no-such-program"), "{}", talk(&run));
}

#[test]
fn clinfo_sees_the_devices_and_nothing_else() {
    if !oracles::debian("clinfo") {
        return;
    }
    let devices = "soft:tgl,soft:skl";
    let run = tool(&["opencl", "--devices", devices, "--", "clinfo", "--list"]);
    assert_eq!(run.status.code(), Some(0), "{}", talk(&run));
    let said = String::from_utf8(run.stdout).unwrap();
    let lines: Vec<_> = said.lines().collect();
    assert_eq!(lines.len(), 3, "{said}");
    assert!(lines[0].contains("Platform #0: intel-gpu"), "{said}");
    assert!(lines[1].contains("Tiger Lake"), "{said}");
    assert!(lines[2].contains("Skylake"), "{said}");
}
