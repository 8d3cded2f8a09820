//! `run --check` on accesses that leave an array and stay inside what lies beside it, compiled by both
//! compilers; Oclgrind reports them, too.

#![cfg(test)]

mod common;

use std::fs;

use common::{checked, each, numbers, oclgrind, talk};

/// The kernels of `arrays.cl`, and what is said of each.
const KERNELS: [(&str, &str); 16] = [
    (
        "local_into_next",
        "it writes 4 bytes at byte 0x200 of the shared local variable a, which has 0x200",
    ),
    (
        "local_read_next",
        "it reads 4 bytes at byte 0x200 of the shared local variable a, which has 0x200",
    ),
    (
        "local_before",
        "it reads 4 bytes at byte -0x4 of the shared local variable b, which has 0x200",
    ),
    (
        "private_next",
        "it writes 4 bytes at byte 0x100 of the private variable a, which has 0x100",
    ),
    (
        "private_small",
        "it reads 4 bytes at byte 0x10 of the private variable a, which has 0x10",
    ),
    (
        "helper_local",
        "it reads 4 bytes at byte 0x200 of the shared local variable a, which has 0x200",
    ),
    (
        "helper_private",
        "it reads 4 bytes at byte 0xa0 of the private variable a, which has 0xa0",
    ),
    (
        "pointer_walk",
        "it reads 4 bytes at byte 0x200 of the shared local variable a, which has 0x200",
    ),
    (
        "constant_beyond",
        "it reads 4 bytes at byte 0x40 of the global or constant variable weights, which has 0x40",
    ),
    (
        "two_d",
        "it reads 4 bytes at byte 0x200 of the shared local variable t, which has 0x200",
    ),
    (
        "private_walk",
        "it reads 4 bytes at byte 0xc0 of the private variable a, which has 0xc0",
    ),
    ("select_arrays", "of the shared local variable "),
    (
        "copy_beyond",
        "it writes 4 bytes at byte 0x13c of the shared local variable a, which has 0x100",
    ),
    (
        "copy_computed",
        "it writes 4 bytes at byte 0x190 of the shared local variable a, which has 0x190",
    ),
    (
        "kept",
        "it writes 4 bytes at byte 0x10c of the shared local variable a, which has 0x100",
    ),
    (
        "atomic_local_beyond",
        "it writes 4 bytes at byte 0x80 of the shared local variable h, which has 0x80",
    ),
];

/// Compilers, and devices that they compile for.
const TARGETS: [(&str, &[&str]); 2] = [
    ("ocloc", &["soft:skl", "soft:tgl", "soft:dg2:8"]),
    ("own", &["soft:skl", "soft:tgl", "soft:bmg"]),
];

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/arrays.cl");

/// A structure of eight numbers as an argument.
const NUMBERS: &str = "bytes=0100000002000000030000000400000005000000060000000700000008000000";

/// Runs a kernel with a compiler: the exit code and what was said.
fn run(
    (compiler, device): (&str, &str),
    kernel: &str,
    arguments: &[&str],
) -> (Option<i32>, String) {
    let arguments: Vec<&str> = arguments.iter().flat_map(|one| ["--arg", *one]).collect();
    let options = ["--compiler", compiler, "--build-options", "-cl-std=CL1.2"];
    let run = checked(
        device,
        kernel,
        &[&options, &arguments[..], &[SOURCE]].concat(),
    );
    (run.status.code(), talk(&run))
}

#[test]
fn accesses_that_leave_their_array_are_reported() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    let targets = TARGETS.into_iter();
    for target in
        targets.flat_map(|(compiler, devices)| devices.iter().map(move |one| (compiler, *one)))
    {
        let run = |kernel| run(target, kernel, &[&input, "fill=0:1024"]);
        each(&KERNELS, |&(kernel, said)| {
            let (code, text) = run(kernel);
            assert_eq!(code, Some(5), "{target:?} {kernel}: {text}");
            assert!(text.contains(said), "{target:?} {kernel}: {text}");
            assert!(text.contains("array bounds"), "{target:?} {kernel}: {text}");
        });
        let (code, text) = run("right_arrays");
        assert_eq!(code, Some(0), "{target:?}: {text}");
    }
}

#[test]
fn accesses_that_leave_an_argument_by_value_are_reported() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    let targets = TARGETS.into_iter();
    for target in
        targets.flat_map(|(compiler, devices)| devices.iter().map(move |one| (compiler, *one)))
    {
        let run = |kernel| run(target, kernel, &[&input, "fill=0:1024", NUMBERS]);
        let (code, text) = run("by_value_beyond");
        assert_eq!(code, Some(5), "{target:?}: {text}");
        let said = "it reads 4 bytes at byte 0x20 of the private variable n, which has 0x20";
        assert!(text.contains(said), "{target:?}: {text}");
        let (code, text) = run("right_by_value");
        assert_eq!(code, Some(0), "{target:?}: {text}");
    }
}

#[test]
fn oclgrind_reports_them() {
    if !oracles::debian("oclgrind-kernel") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::copy(SOURCE, folder.path().join("arrays.cl")).unwrap();
    let mut kernels: Vec<&str> = KERNELS.iter().map(|(kernel, _)| *kernel).collect();
    kernels.push("right_arrays");
    each(&kernels, |&kernel| {
        let text = oclgrind(folder.path(), "arrays.cl", kernel, &[]);
        assert_eq!(
            text.contains("Invalid"),
            kernel != "right_arrays",
            "{kernel}: {text}"
        );
    });
}
