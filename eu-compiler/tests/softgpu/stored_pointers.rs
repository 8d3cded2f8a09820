//! Pointers into local and private memory that are stored, and structures that are arguments.

use crate::common::{Run, Value, check, numbers};
use crate::{buffer, bytes};

const SPIRV: &[u8] = include_bytes!("../kernels/stored_pointers.spv");
const ITEMS: usize = 32;

/// Runs a kernel on these numbers: 16 work-items in each group.
fn run(kernel: &str, input: &[u32], want: impl Fn(usize) -> u32) {
    let what = Run {
        spirv: SPIRV,
        kernel,
        simd: None,
        global: &[ITEMS as u64],
        local: Some(&[16]),
        args: vec![buffer!([0u32; ITEMS]), buffer!(input)],
    };
    let want: Vec<u32> = (0..ITEMS).map(want).collect();
    check(&what, &[bytes!(want)]);
}

fn input() -> Vec<u32> {
    let numbers = numbers(ITEMS + 4, 3);
    numbers.into_iter().map(|n| n as u32).collect()
}

/// A sum as the kernels make it.
fn sum(values: impl Iterator<Item = u32>) -> u32 {
    values.fold(0, |sum, n| sum.wrapping_mul(3).wrapping_add(n))
}

#[test]
fn a_list_ends_where_nothing_was_written() {
    let input = input();
    run("zeroed_list", &input, |id| {
        let count = 1 + (input[id] & 3) as usize;
        sum(input[id..id + count].iter().copied())
    });
}

#[test]
fn zeroes_are_null_pointers() {
    let input = input();
    run("nulls_of_zeroes", &input, |id| {
        let (x, odd, second) = (input[id], input[id] & 1 != 0, input[id] & 2 != 0);
        let mut nulls = Vec::new();
        nulls.extend((0..3).map(|i| !(odd && x % 3 == (i + id as u32) % 3)));
        nulls.extend([!second, true, true, !odd, !second, true]);
        nulls.iter().fold(0, |all, null| all * 2 + u32::from(*null))
    });
}

#[test]
fn a_pointer_is_one_number_in_memory_and_elsewhere() {
    let input = input();
    run("pointers_as_numbers", &input, |id| {
        let (x, next) = (input[id], input[id + 1]);
        let own = |n: u32| input[id + (n & 3) as usize];
        let word = |n: u32| input[id / 16 * 16 + (n & 15) as usize];
        let third = next.wrapping_add(x & 3);
        sum([own(x), own(third), word(third)].into_iter())
    });
}

#[test]
fn members_of_packed_arguments_lie_anywhere() {
    let packed: Vec<u8> = (1..=86).collect();
    let dwords: Vec<u8> = (101..=144).collect();
    let at = |bytes: &[u8], from: usize, count: usize| {
        let part = &bytes[from..from + count];
        part.iter().rev().fold(0, |all, n| all << 8 | u32::from(*n))
    };
    let mut want = Vec::new();
    for (from, count) in [(0, 1), (1, 4), (5, 2), (7, 4), (11, 4), (15, 4), (19, 2)] {
        want.push(at(&packed, from, count));
    }
    want.extend((0..12).map(|n| at(&packed, 21 + 4 * n, 4)));
    want.push(at(&packed, 69, 1));
    want.extend((0..3).map(|n| at(&packed, 70 + 4 * n, 4)));
    want.push(77);
    want.extend((0..11).map(|n| at(&dwords, 4 * n, 4)));
    let what = Run {
        spirv: SPIRV,
        kernel: "packed_arguments",
        simd: None,
        global: &[want.len() as u64],
        local: None,
        args: vec![
            buffer!(vec![0u32; want.len()]),
            Value::Bytes(packed),
            Value::Bytes(vec![77]),
            Value::Bytes(dwords),
        ],
    };
    check(&what, &[bytes!(want)]);
}
