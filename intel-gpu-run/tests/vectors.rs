//! `run --check` on vectors by `vloadn` and `vstoren` and on copies of a work-group: what leaves its array
//! or its buffer, and what races, from source with both compilers.

#![cfg(test)]

mod common;

use std::process::Command;

use common::{numbers, talk, tool};

/// The kernels of `vectors.cl`, their last argument where they are right, where they are not, and what is
/// said then. The input has 256 dwords, the output 64.
const KERNELS: &[(&str, i32, i32, &str)] = &[
    (
        "load_local",
        15,
        16,
        "it reads 16 bytes at byte 0x100 of the variable own, which has 0x100",
    ),
    (
        "load_of_three",
        15,
        16,
        "it reads 12 bytes at byte 0xc0 of the variable own, which has 0xc0",
    ),
    (
        "store_local",
        15,
        16,
        "it writes 16 bytes at byte 0x100 of the shared local variable own, which has 0x100",
    ),
    ("stores_race", 4, 3, "data race"),
    (
        "load_private",
        3,
        4,
        "it reads 16 bytes at byte 0x40 of the variable own, which has 0x40",
    ),
    (
        "store_private",
        3,
        4,
        "it writes 16 bytes at byte 0x40 of the private variable own, which has 0x40",
    ),
    (
        "load_constant",
        1,
        2,
        "it reads 16 bytes at byte 0x20 of the global or constant variable",
    ),
    ("load_global", 32, 33, "4 bytes at offset 0x400 of"),
    ("load_half", 15, 16, "2 bytes at offset 0x400 of"),
    (
        "copy_in",
        64,
        65,
        "it writes 4 bytes at byte 0x100 of the shared local variable own, which has 0x100",
    ),
    ("copy_in", 64, 300, "4 bytes at offset 0x40"),
    ("copy_without_wait", 1, 0, "copy not waited for"),
    ("copy_out", 64, 65, "4 bytes at offset 0x100 of"),
    ("copy_strides", 4, 5, "4 bytes at offset 0x4"),
];

const TARGETS: &[(&str, &str)] = &[
    ("ocloc", "soft:skl"),
    ("ocloc", "soft:tgl"),
    ("ocloc", "soft:dg2:8"),
    ("own", "soft:skl"),
    ("own", "soft:tgl"),
    ("own", "soft:dg2:8"),
];

#[test]
fn vectors_and_copies_stay_inside_and_apart() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/vectors.cl");
    let mut wrong = Vec::new();
    for (compiler, device) in TARGETS {
        for (kernel, right, fault, said) in KERNELS {
            for (last, wanted) in [(right, 0), (fault, 5)] {
                let last = format!("i32={last}");
                let line = [
                    "run",
                    "--check",
                    "--device",
                    device,
                    "--kernel",
                    kernel,
                    "--global",
                    "32",
                    "--local",
                    "32",
                    "--compiler",
                    compiler,
                    "--arg",
                    &input,
                    "--arg",
                    "fill=0:256",
                    "--arg",
                    &last,
                    source,
                ];
                let run = tool(&line);
                let text = talk(&run);
                if run.status.code() != Some(wanted) || wanted == 5 && !text.contains(said) {
                    wrong.push(format!(
                        "{compiler} {device} {kernel} {last}: {said}: {text}"
                    ));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Padding is nobody's: code that is checked reads three bytes where a module asks for three. (Of OpenCL C, Clang
/// makes accesses of four: there, the fourth component is the vector's.)
#[test]
fn padding_of_three_bytes_is_not_read() {
    if !oracles::debian("spirv-as") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let module = folder.path().join("padding.spv");
    let text = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/padding.spvasm");
    let assembled = Command::new("spirv-as")
        .args(["--target-env", "spv1.2", text, "-o"])
        .arg(&module)
        .status();
    assert!(assembled.unwrap().success());
    let module = module.to_str().unwrap();
    for device in ["soft:skl", "soft:tgl", "soft:dg2", "soft:bmg"] {
        let line = [
            "run",
            "--check",
            "--compiler",
            "own",
            "--device",
            device,
            "--global",
            "32",
            "--local",
            "32",
            "--arg",
            "fill=1:128",
            "--arg",
            "fill=0:32",
            module,
        ];
        let run = tool(&line);
        assert_eq!(run.status.code(), Some(0), "{device}: {}", talk(&run));
    }
}
