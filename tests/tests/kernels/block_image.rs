//! Sub-group block reads and writes of images.

use stack_tests::corpus::Set;
use stack_tests::{Launch, Random};
use umd::{ImageDesc, ImageFormat};

use crate::images::{R, UINT8, UINT16, UINT32};
use crate::{has_images, sub_groups_of};

fn desc(data_type: u32, width: u32, height: u32) -> ImageDesc {
    ImageDesc::d2(ImageFormat::new(R, data_type), width, height)
}

/// A kernel that copies blocks of `rows` rows of `lanes` elements of `bytes` bytes.
fn check_copy(kernel: &str, lanes: u32, rows: u32, bytes: u32) {
    // Longs are in images of ints.
    let (data_type, texel) = match bytes {
        1 => (UINT8, 1),
        2 => (UINT16, 2),
        _ => (UINT32, 4),
    };
    let (across, down) = (3, 2);
    let row_bytes = across * lanes * bytes;
    let desc = desc(data_type, row_bytes / texel, down * rows);
    let input = Random::new(110).many((row_bytes * down * rows) as usize, |bits| bits as u8);
    let lanes_exist = sub_groups_of(lanes as usize);
    let suits = |set: &Set| set.has("block_image") && lanes_exist(set);
    Launch::new(
        "block_image",
        kernel,
        &[u64::from(across * lanes), u64::from(down)],
    )
    .local(&[lanes, 1])
    .image(desc, &input)
    .image(desc, &vec![0u8; input.len()])
    .becomes(1, &input)
    .everywhere_with(suits);
}

#[test]
fn ints() {
    for rows in [1, 2, 4, 8] {
        check_copy(&format!("ui{rows}"), 16, rows, 4);
    }
    check_copy("ui1_8", 8, 1, 4);
    check_copy("ui8_8", 8, 8, 4);
}

#[test]
fn shorts() {
    for rows in [1, 2, 4, 8] {
        check_copy(&format!("us{rows}"), 16, rows, 2);
    }
}

#[test]
fn bytes() {
    for rows in [1, 2, 4, 8, 16] {
        check_copy(&format!("uc{rows}"), 16, rows, 1);
    }
}

#[test]
fn longs() {
    for rows in [1, 2, 4] {
        check_copy(&format!("ul{rows}"), 16, rows, 8);
    }
    check_copy("ul8", 8, 8, 8);
}

#[test]
fn reads_anywhere() {
    let (width, height) = (40i32, 9i32);
    let input = Random::new(111).many((width * height) as usize, |bits| bits as u32);
    // Outside the image, elements of four bytes are those of the edge (cl_intel_spirv_subgroups /
    // cl_intel_subgroups).
    for (x, y) in [(0, 0), (3, 2), (24, 5), (30, 3), (10, 7), (-5, -2), (39, 8)] {
        let expected: Vec<u32> = (0..16)
            .flat_map(|lane| {
                (0..4).map(move |row| {
                    ((y + row).clamp(0, height - 1) * width + (x + lane).clamp(0, width - 1))
                        as usize
                })
            })
            .map(|at| input[at])
            .collect();
        Launch::new("block_image", "read_at", &[16])
            .image(desc(UINT32, width as u32, height as u32), &input)
            .value([x * 4, y])
            .gives(&expected)
            .everywhere_with(has_images);
    }
}

#[test]
fn lanes_are_columns() {
    let (width, height) = (32u32, 6u32);
    let input = Random::new(112).many((width * height) as usize, |bits| bits as u32);
    let expected: Vec<u32> = (0..width * height)
        .map(|at| input[at as usize].wrapping_add(at % width % 16))
        .collect();
    Launch::new(
        "block_image",
        "add_lane",
        &[u64::from(width), u64::from(height / 2)],
    )
    .local(&[16, 1])
    .image(desc(UINT32, width, height), &input)
    .image(desc(UINT32, width, height), &vec![0u32; input.len()])
    .becomes(1, &expected)
    .everywhere_with(has_images);
}
