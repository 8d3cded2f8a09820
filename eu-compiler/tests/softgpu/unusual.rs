//! What is seldom written, and valid.

use crate::common::{Run, Value, check};
use crate::{buffer, bytes};

const UNUSUAL: &[u8] = include_bytes!("../kernels/unusual.spv");
const SPECIALIZED: &[u8] = include_bytes!("../kernels/specialized.spv");
const ITEMS: usize = 40;

fn run(kernel: &str, more: Vec<Value>, want: impl Fn(i32) -> i32) {
    let mut args = vec![buffer!([5i32; ITEMS])];
    args.extend(more);
    let what = Run {
        spirv: UNUSUAL,
        kernel,
        simd: None,
        global: &[ITEMS as u64],
        local: None,
        args,
    };
    let wants: Vec<i32> = (0..ITEMS as i32).map(want).collect();
    check(&what, &[bytes!(wants)]);
}

#[test]
fn an_argument_of_a_byte_is_multiplied() {
    let by = Value::Bytes(vec![-3i8 as u8]);
    run("byte_argument", vec![by], |_| 5 - 30);
}

#[test]
fn a_structure_points_to_its_like() {
    let sums = [18, 9];
    run("list", vec![], |id| sums[id as usize & 1]);
}

#[test]
fn an_address_begins_with_null() {
    run("offsets", vec![], |_| 16);
}

#[test]
fn a_null_pointer_to_private_memory_is_null_anywhere() {
    run("nulls", vec![], |_| 1);
}

#[test]
fn a_function_does_not_return() {
    run("unreached", vec![], |id| id);
}

#[test]
fn a_value_stays_where_a_newer_one_takes_its_place_for_some() {
    let sorted: Vec<i32> = (0..256).map(|n| n * 7).collect();
    let keys: Vec<i32> = (0..ITEMS as i32).map(|n| n * 977 % 1800).collect();
    let want: Vec<i32> = keys
        .iter()
        .map(|key| (key + 6) / 7)
        .map(|n| n.min(256))
        .collect();
    let what = Run {
        spirv: UNUSUAL,
        kernel: "search",
        simd: None,
        global: &[ITEMS as u64],
        local: None,
        args: vec![buffer!(keys), buffer!(sorted)],
    };
    check(&what, &[bytes!(want)]);
}

#[test]
fn constants_are_taken_apart_and_scopes_are_known_late() {
    let (device, relaxed) = (1u32, 0u32);
    let value = |number: u32| Value::Bytes(number.to_le_bytes().to_vec());
    let what = Run {
        spirv: SPECIALIZED,
        kernel: "k",
        simd: None,
        global: &[10],
        local: None,
        args: vec![buffer!([1u32]), value(device), value(relaxed)],
    };
    check(&what, &[bytes!([71u32])]);
}
