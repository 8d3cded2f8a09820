//! Sub-group block reads and writes.

use stack_tests::{Launch, Random, compare};

use crate::{everywhere_with, sub_groups_of};

/// A block kernel copies everything: `bytes` per element, `width` components, `lanes` in a
/// sub-group. Reads may begin at any dword.
fn check(kernel: &str, bytes: usize, width: usize, lanes: usize) {
    let (groups, sub_groups) = (3, 4);
    let items = groups * sub_groups * lanes;
    let count = items * width;
    // Enough elements for the whole dwords that the offset skips.
    let offset = 4usize.div_ceil(bytes);
    let input = Random::new(7).many((count + offset) * bytes, |bits| bits as u8);
    everywhere_with(sub_groups_of(lanes), |platform| {
        for skipped in [0, offset] {
            let results = Launch::new("block_buffer", kernel, &[items as u64])
                .local(&[(sub_groups * lanes) as u32])
                .buffer(&input)
                .out::<u8>(count * bytes)
                .value(skipped as u32)
                .run(platform);
            let from = skipped * bytes;
            compare::equal(
                &format!("{platform} {kernel} from {skipped}"),
                &results.read::<u8>(1),
                &input[from..from + count * bytes],
            );
        }
    });
}

#[test]
fn bytes() {
    for width in [1, 2, 4, 8, 16] {
        check(&format!("uc{width}"), 1, width, 16);
    }
    check("uc2_8", 1, 2, 8);
    check("uc16_8", 1, 16, 8);
}

#[test]
fn shorts() {
    for width in [1, 2, 4, 8] {
        check(&format!("us{width}"), 2, width, 16);
    }
    check("us1_8", 2, 1, 8);
    check("us8_8", 2, 8, 8);
}

#[test]
fn ints() {
    for width in [1, 2, 4, 8] {
        check(&format!("ui{width}"), 4, width, 16);
    }
    check("ui1_8", 4, 1, 8);
    check("ui8_8", 4, 8, 8);
}

#[test]
fn longs() {
    for width in [1, 2, 4, 8] {
        check(&format!("ul{width}"), 8, width, 16);
    }
    check("ul1_8", 8, 1, 8);
    check("ul8_8", 8, 8, 8);
}

#[test]
fn component_order() {
    let input = Random::new(8).many(2 * 64, |bits| bits as u32);
    let expected: Vec<u32> = (0..2 * 64)
        .map(|at| {
            let (group, component, lane) = (at / 64, at / 16 % 4, at % 16);
            input[group * 64 + (3 - component) * 16 + lane].wrapping_add(lane as u32)
        })
        .collect();
    Launch::new("block_buffer", "component_order", &[32])
        .local(&[16])
        .buffer(&input)
        .gives(&expected)
        .everywhere();
}
