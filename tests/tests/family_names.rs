//! Only the files with rows name families in code: logic asks what hardware has.

#![cfg(test)]

use std::fs;
use std::path::Path;

use devinfo::Family;
use stack_tests::source::{code, sources};

/// The files that name families, relative to the repository's root, each with the reason. A folder
/// ends in a slash.
const ROWS: &[(&str, &str)] = &[
    ("devinfo/src/family.rs", "the list of families"),
    ("devinfo/src/table.rs", "a row a platform"),
    ("devinfo/src/thread.rs", "how slots are numbered"),
    ("batchbuffer/src/family.rs", "a row a family"),
    ("batchbuffer/src/dispatch/family.rs", "a row a family"),
    (
        "batchbuffer/src/packets/",
        "the span of each packet and field",
    ),
    (
        "batchbuffer/src/states/",
        "the span of each state and field",
    ),
    ("batchbuffer/src/registers/", "the span of each register"),
    ("eu-compiler/src/target.rs", "a row a family"),
    ("isa-encoder/src/code/rows.rs", "a row a family"),
    (
        "kmd-iface/src/baremetal/setup.rs",
        "the span of each workaround",
    ),
    (
        "isa-encoder/src/model/",
        "the span of each instruction and function",
    ),
    (
        "isa-encoder/src/message/",
        "the span of each message and field",
    ),
    ("isa-encoder/src/validate/", "the span of each rule"),
    (
        "intel-gpu-run/src/commands/bench/isa.rs",
        "Intel's assembler names them",
    ),
    ("softgpu/eu/src/eu/agreement.rs", "a test"),
    ("batchbuffer/src/execlists/family.rs", "a row a family"),
    ("softgpu/device/src/cs/family.rs", "a row a family"),
    ("softgpu/eu/src/eu/family.rs", "a row a family"),
    ("softgpu/eu/src/sf/family.rs", "a row a family"),
    ("softgpu/src/uapi/family.rs", "a row a family"),
    ("umd/src/image/limits.rs", "a row a family"),
    ("umd/src/transfer/builtins.rs", "a zebin a family"),
];

/// The families that code names.
fn named(code: &str) -> Vec<String> {
    let words = code.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let families = Family::ALL.map(|family| format!("{family:?}"));
    words
        .filter(|word| families.iter().any(|family| family == word))
        .map(str::to_owned)
        .collect()
}

#[test]
fn families_are_named_in_rows_alone() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let files = sources(root);
    assert!(files.len() > 300, "only {} sources found", files.len());
    let mut used = vec![false; ROWS.len()];
    let mut wrong = Vec::new();
    for file in files {
        let names = named(&code(&fs::read_to_string(&file).unwrap()));
        if names.is_empty() {
            continue;
        }
        let path = file.strip_prefix(root).unwrap().to_string_lossy();
        let row = ROWS.iter().position(|(row, _)| match row.ends_with('/') {
            true => path.starts_with(row),
            false => path == *row,
        });
        match row {
            Some(row) => used[row] = true,
            None => wrong.push(format!("{path} names {}", names.join(", "))),
        }
    }
    for ((row, _), used) in ROWS.iter().zip(used) {
        if !used {
            wrong.push(format!("{row} names no family"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_are_words_of_code() {
    let source = "a(Xe2); // Xe3\nb(\"Gen9\", XeHpg); SendXeHpg";
    assert_eq!(named(&code(source)), ["Xe2", "XeHpg"]);
}
