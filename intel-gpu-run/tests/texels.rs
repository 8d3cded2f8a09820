//! `run --check` from source: texels and blocks beyond their image, where the text leaves open what comes of it.

#![cfg(test)]

mod common;

use common::{each, line, talk, tool};

/// A kernel of `texels.cl`, the image that it gets, places inside and places outside.
type Row = (
    &'static str,
    &'static str,
    &'static [[i32; 2]],
    &'static [[i32; 2]],
);

/// Blocks have 16 elements in a row, and those of words two rows. Rows have 64 bytes.
const KERNELS: &[Row] = &[
    (
        "read_bytes",
        "64x8:r8ui",
        &[[0, 0], [48, 7]],
        &[[52, 0], [-4, 3], [0, 8], [8, -1]],
    ),
    (
        "read_words",
        "32x8:r16ui",
        &[[0, 0], [32, 6]],
        &[[36, 0], [-4, 3], [0, 7], [8, -1]],
    ),
    (
        "read_dwords",
        "16x8:r32ui",
        &[[0, 0], [4, 0], [-4, 3], [0, 8], [0, -1]],
        &[],
    ),
    (
        "write_bytes",
        "64x8:r8ui",
        &[[0, 0], [48, 7]],
        &[[52, 0], [-4, 3], [0, 8], [8, -1]],
    ),
    (
        "write_words",
        "32x8:r16ui",
        &[[0, 0], [32, 6]],
        &[[36, 0], [-4, 3], [0, 7], [8, -1]],
    ),
    (
        "write_dwords",
        "16x8:r32ui",
        &[[0, 0], [4, 0], [-4, 3], [0, 8], [0, -1]],
        &[],
    ),
    (
        "by_helper",
        "17x9:r8ui",
        &[[16, 8]],
        &[[17, 0], [0, 9], [-1, 0]],
    ),
    ("right_by_helper", "17x9:r8ui", &[[17, 0], [0, -1]], &[]),
    (
        "normalized",
        "17x9:r8ui",
        &[[16, 8]],
        &[[17, 0], [0, 9], [-1, 0]],
    ),
];

#[test]
fn what_lies_beyond_an_image_is_reported_where_the_text_leaves_it_open() {
    if !oracles::debian("ocloc") {
        return;
    }
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/texels.cl");
    for (device, compiler) in [
        ("soft:skl", "ocloc"),
        ("soft:tgl", "own"),
        ("soft:dg2:8", "ocloc"),
        ("soft:bmg", "own"),
    ] {
        each(KERNELS, |&(kernel, size, inside, outside)| {
            let image = format!("image-raw-out=/dev/null:{size}");
            let places = inside.iter().map(|place| (place, 0));
            for (place, code) in places.chain(outside.iter().map(|place| (place, 5))) {
                let [x, y] = place.map(|number| format!("i32={number}"));
                let what = ["run", "--check", "--device", device, "--kernel", kernel];
                let range = ["--global", "16", "--local", "16"];
                let how = ["--compiler", compiler, source];
                let buffers = [&image, "fill=0:64", &x, &y];
                let buffers: Vec<&str> = buffers.iter().flat_map(|one| ["--arg", one]).collect();
                let run = tool(&[&what[..], &range, &how, &buffers].concat());
                let text = talk(&run);
                let at = format!("{device} {compiler} {kernel} {place:?}: {text}");
                assert_eq!(run.status.code(), Some(code), "{at}");
                assert_eq!(text.contains("surface bounds"), code != 0, "{at}");
            }
        });
    }
}

/// A loop that is unrolled has many instructions for one read.
#[test]
fn turns_of_a_loop_have_one_report() {
    if !oracles::debian("ocloc") {
        return;
    }
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/texels.cl");
    for (device, compiler) in [("soft:tgl", "own"), ("soft:dg2", "ocloc")] {
        let run = line(format!(
            "run --check --device {device} --compiler {compiler} --kernel around --global 64 --local 64 --arg \
             image-raw-out=/dev/null:17x9:r8ui --arg fill=0:256 --arg i32=20 --arg i32=5 {source}"
        ));
        let text = talk(&run);
        let found = text.matches("--check: ").count();
        assert_eq!(found, 1, "{device} {compiler}: {text}");
        assert!(
            text.contains("; the same at +0x"),
            "{device} {compiler}: {text}"
        );
        assert!(text.contains(" more"), "{device} {compiler}: {text}");
    }
}

/// Channels of a sub-group are not in order by fences of their own.
#[test]
fn a_texel_that_another_channel_writes_is_a_race() {
    if !oracles::debian("ocloc") {
        return;
    }
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/texels.cl");
    for (device, compiler) in [
        ("soft:skl", "own"),
        ("soft:tgl", "ocloc"),
        ("soft:dg2", "own"),
    ] {
        for distance in [0, 1] {
            let run = line(format!(
                "run --check --device {device} --compiler {compiler} --kernel beside --global 32 --local 32 --arg \
                 image-raw-out=/dev/null:32x1:r32ui --arg fill=0:128 --arg i32={distance} --arg i32=0 {source}"
            ));
            let text = talk(&run);
            let at = format!("{device} {compiler} {distance}: {text}");
            assert_eq!(text.contains("data race"), distance != 0, "{at}");
            let code = if distance == 0 { 0 } else { 5 };
            assert_eq!(run.status.code(), Some(code), "{at}");
        }
    }
}
