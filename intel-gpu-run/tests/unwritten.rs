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

#[test]
fn what_nothing_has_written_is_reported_wherever_it_ends_up() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    let image = folder.path().join("out").display().to_string();
    let texels = format!("image-raw-out={image}:16x16:r32ui");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/unwritten.cl");
    let mut wrong = Vec::new();
    for (compiler, device) in ["own", "ocloc"].into_iter().flat_map(|compiler| {
        ["soft:skl", "soft:tgl", "soft:dg2:8"].map(|device| (compiler, device))
    }) {
        for kernel in KERNELS {
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
