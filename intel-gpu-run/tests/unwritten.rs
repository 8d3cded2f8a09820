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
