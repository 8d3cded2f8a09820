//! `run --check` from source: what the channels of one sub-group do to each other, and accesses that are
//! not where their types say.

#![cfg(test)]

mod common;

use common::{checked, each, line, numbers, talk};

/// Kernels of `channels.cl`, the bytes of their result, and what must be reported; nothing if it is
/// empty.
const KERNELS: [(&str, u32, &str); 33] = [
    ("beside", 1024, "data race"),
    ("beside_later", 1024, "data race"),
    ("in_order", 1024, ""),
    ("crooked", 1024, "element alignment"),
    ("straight", 1024, ""),
    ("one_reads", 1024, ""),
    ("some_read", 1024, "sub-group operation in divergent flow"),
    ("counted", 1024, ""),
    ("bytes", 256, ""),
    ("bytes", 254, ": 1 bytes at"),
    ("broadcasts", 1024, "not the same for all channels"),
    ("broadcasts_alike", 1024, ""),
    ("broadcasts_from_two", 1024, ""),
    ("group_broadcasts", 1024, "not the same for all channels"),
    (
        "group_broadcasts_from_place",
        1024,
        "not the same for all channels",
    ),
    ("blocks", 1024, "not the same for all channels"),
    ("blocks_written", 1024, ""),
    ("copies", 1024, "not the same for all channels"),
    ("upper_half_shuffles", 1024, ""),
    (
        "broadcasts_by_halves",
        1024,
        "not the same for all channels",
    ),
    ("copies_by_halves", 1024, "not the same for all channels"),
    ("upper_half_shifts", 1024, ""),
    ("one_of_the_upper_half", 1024, "channel 27: "),
    ("bytes_beside", 1024, "data race"),
    ("shorts_read_beside", 1024, "data race"),
    ("bytes_in_order", 1024, ""),
    ("row_of_all", 1024, "data race"),
    ("one_for_all", 1024, "data race"),
    ("one_for_all_in_order", 1024, ""),
    ("tree_of_sums", 1024, ""),
    ("neighbour_or_edge", 1024, ""),
    ("beyond_the_last", 1024, "uninitialised value"),
    ("before_the_first", 1024, "uninitialised value"),
];

#[test]
fn channels_and_alignments_are_checked() {
    if !oracles::debian("ocloc") {
        return;
    }
    let source = "intel-gpu-run/tests/kernels/channels.cl";
    let devices = ["soft:skl", "soft:tgl", "soft:dg2:8"];
    let with = |compiler| devices.map(|device| (device, compiler));
    for (device, compiler) in [with("ocloc"), with("own")].as_flattened() {
        each(&KERNELS, |&(kernel, bytes, expected)| {
            let out = format!("fill=0:{bytes}");
            let arguments = ["--arg", "fill=1:1280", "--arg", &out];
            let run = checked(
                device,
                kernel,
                &[&["--compiler", compiler, source], &arguments[..]].concat(),
            );
            let text = talk(&run);
            let found = text.matches("--check: ").count();
            let at = format!("{device} {compiler} {kernel}: {text}");
            match expected {
                "" => assert_eq!((run.status.code(), found), (Some(0), 0), "{at}"),
                rule => {
                    assert_eq!(run.status.code(), Some(5), "{at}");
                    assert_eq!(found, text.matches(rule).count(), "{at}");
                }
            }
        });
    }
}

/// Up to Gen9 nothing is left in the code of the barrier of a group that is one sub-group.
#[test]
fn groups_that_are_one_sub_group_need_no_barrier() {
    if !oracles::debian("ocloc") {
        return;
    }
    for device in ["soft:bdw", "soft:skl", "soft:tgl"] {
        for compiler in ["ocloc", "own"] {
            let run = line(format!(
                "run --check --device {device} --compiler {compiler} --kernel small --global 256 --local 8 \
                 --arg fill=1:1024 --arg fill=0:1024 intel-gpu-run/tests/kernels/small_groups.cl"
            ));
            let text = talk(&run);
            assert_eq!(run.status.code(), Some(0), "{device} {compiler}: {text}");
        }
    }
}

#[test]
fn one_message_of_all_channels_collides_with_a_store_of_one() {
    if !oracles::debian("ocloc") {
        return;
    }
    for device in ["soft:skl", "soft:tgl", "soft:dg2"] {
        for (kernel, compiler) in [
            ("begun_late", "ocloc"),
            ("begun_late", "own"),
            ("vectors_overwritten", "own"),
        ] {
            let run = line(format!(
                "run --check --device {device} --compiler {compiler} --kernel {kernel} --global 256 --local 8 \
                 --arg fill=1:1024 --arg fill=0:1024 intel-gpu-run/tests/kernels/small_groups.cl"
            ));
            let text = talk(&run);
            let context = format!("{device} {compiler} {kernel}: {text}");
            assert_eq!(run.status.code(), Some(5), "{context}");
            assert!(text.contains("data race"), "{context}");
        }
    }
}

/// Kernels of `channels.cl` with what one operand must be for all of a work-group, and what is said; nothing if they
/// are right.
const OF_GROUPS: [(&str, &str); 7] = [
    ("right_item_by_item", ""),
    ("from_elsewhere", "operand not the same for all channels"),
    (
        "from_elsewhere_later",
        "operand not the same for all channels",
    ),
    ("copies_elsewhere", "operand not the same for all channels"),
    (
        "behind_the_last",
        "the work-item whose x is 128, and the group has 128",
    ),
    (
        "in_no_row",
        "the work-item whose y is 1, and the group has 1",
    ),
    (
        "in_no_plane",
        "the work-item whose z is 1, and the group has 1",
    ),
];

#[test]
fn a_work_group_has_one_operand_and_one_work_item_of_its_own() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    let source = "intel-gpu-run/tests/kernels/channels.cl";
    for (device, compiler) in [
        ("soft:skl", "ocloc"),
        ("soft:tgl", "own"),
        ("soft:dg2:8", "ocloc"),
        ("soft:bmg", "own"),
    ] {
        each(&OF_GROUPS, |&(kernel, expected)| {
            let arguments = ["--arg", &input, "--arg", "fill=0:1024"];
            let how = ["--compiler", compiler, source];
            let run = checked(device, kernel, &[&how, &arguments[..]].concat());
            let text = talk(&run);
            let at = format!("{device} {compiler} {kernel}: {text}");
            let code = if expected.is_empty() { 0 } else { 5 };
            assert_eq!(run.status.code(), Some(code), "{at}");
            assert!(text.contains(expected), "{at}");
            assert_eq!(text.contains("--check: "), !expected.is_empty(), "{at}");
        });
    }
}

/// A sub-group of 32 has two instructions for one of the source, and what code tells, registers show again.
#[test]
fn a_fault_has_one_report() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    for (file, kernel, rule) in [
        ("channels.cl", "beside", "data race"),
        ("channels.cl", "crooked", "element alignment"),
        ("channels.cl", "copies_elsewhere", "operand not the same"),
        ("arrays.cl", "private_small", "array bounds"),
        (
            "seeded.cl",
            "shuffle_first_inactive",
            "read of an inactive channel",
        ),
    ] {
        let source = format!("{}/tests/kernels/{file}", env!("CARGO_MANIFEST_DIR"));
        let more = [
            "--compiler",
            "own",
            "--arg",
            &input,
            "--arg",
            "fill=0:1024",
            &source,
        ];
        let run = checked("soft:tgl", kernel, &more);
        let text = talk(&run);
        let found = text.matches("--check: ").count();
        assert_eq!(
            (found, text.matches(rule).count()),
            (1, 1),
            "{kernel}: {text}"
        );
    }
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/arrays.cl");
    let more = [
        "--compiler",
        "own",
        "--arg",
        &input,
        "--arg",
        "fill=0:1024",
        source,
    ];
    let text = talk(&checked("soft:tgl", "select_arrays", &more));
    assert!(text.contains("array bounds"), "{text}");
    assert!(!text.contains("local memory bounds"), "{text}");
}
