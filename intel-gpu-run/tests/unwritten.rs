//! `run --check` from source, with both compilers: what nothing has written and ends up in a buffer, in an image
//! or in what is printed.

#![cfg(test)]

mod common;

use common::{checked, numbers, talk};

/// The kernels of `unwritten.cl`. Those whose names begin with `right` are right.
const KERNELS: &[&str] = &[
    "fourth_int",
    "fourth_long",
    "fourth_short",
    "fourth_char",
    "last_member",
    "right_vectors",
    "right_vector_of_all",
    "texel",
    "right_texel",
    "texel_block",
    "right_texel_block",
    "sampled",
    "printed",
    "right_printed",
];

/// Those of `fours.cl`, which has no vectors of three: a fourth component is nobody's padding.
const FOURS: &[&str] = &[
    "fourth_of_vector",
    "fourth_of_structure",
    "fourth_of_local",
    "right_fours",
];

#[test]
fn what_nothing_has_written_is_reported_wherever_it_ends_up() {
    judge("unwritten.cl", KERNELS);
}

#[test]
fn a_fourth_component_is_padding_of_vectors_of_three_alone() {
    judge("fours.cl", FOURS);
}

/// Those of `threes.cl`, which has vectors of three: they alone have a fourth component that needs no value.
const THREES: &[&str] = &[
    "fourth_member",
    "fourth_of_private",
    "fourth_of_local",
    "fourth_of_bytes",
    "third_of_three",
    "member_behind_three",
    "right_threes",
    "right_small_threes",
    "right_of_private",
    "right_structure",
    "right_local_structure",
];

/// Those of `gaps.cl`.
const GAPS: &[&str] = &[
    "right_copy",
    "right_members",
    "right_local",
    "right_union",
    "member_behind_gap",
    "tag_of_union",
];

#[test]
fn beside_vectors_of_three_a_fourth_component_needs_a_value() {
    judge("threes.cl", THREES);
}

#[test]
fn what_is_between_members_needs_no_value() {
    judge("gaps.cl", GAPS);
}

/// Code that is checked copies what is between the members of a structure, as other code does.
#[test]
fn a_copy_of_a_structure_is_that_of_a_plain_run() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/gaps.cl");
    let output = folder.path().join("out");
    let out = format!("out={}:1024", output.display());
    for (compiler, device) in [("own", "soft:bmg"), ("ocloc", "soft:tgl")] {
        let more = [
            "--compiler",
            compiler,
            "--arg",
            &input,
            "--arg",
            &out,
            source,
        ];
        let run = checked(device, "right_copy", &more);
        assert_eq!(run.status.code(), Some(0), "{}", talk(&run));
        let copied = std::fs::read(&output).unwrap();
        let expected = std::fs::read(folder.path().join("in")).unwrap();
        assert_eq!(copied, expected, "{compiler} {device}");
    }
}

/// Runs kernels of a file with `--check`.
fn judge(file: &str, kernels: &[&str]) {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    let image = folder.path().join("out").display().to_string();
    let texels = format!("image-raw-out={image}:16x16:r32ui");
    let source = &format!("{}/tests/kernels/{file}", env!("CARGO_MANIFEST_DIR"));
    let mut wrong = Vec::new();
    for (compiler, device) in ["own", "ocloc"].into_iter().flat_map(|compiler| {
        ["soft:skl", "soft:tgl", "soft:dg2:8"].map(|device| (compiler, device))
    }) {
        for kernel in kernels {
            let output = match kernel.contains("texel") || *kernel == "sampled" {
                true => &texels,
                false => "fill=0:1024",
            };
            let more = [
                "--compiler",
                compiler,
                "--arg",
                &input,
                "--arg",
                output,
                source,
            ];
            let run = checked(device, kernel, &more);
            let (text, right) = (talk(&run), kernel.starts_with("right"));
            let code = if right { 0 } else { 5 };
            let told = text.contains("uninitialised value");
            if run.status.code() != Some(code) || told == right {
                wrong.push(format!("{compiler} {device} {kernel}: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
