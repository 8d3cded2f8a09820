//! What is seldom written, and valid.

use crate::common::{Run, Value, check};
use crate::{buffer, bytes};

const UNUSUAL: &[u8] = include_bytes!("../kernels/unusual.spv");
const SPECIALIZED: &[u8] = include_bytes!("../kernels/specialized.spv");
const ADDRESS_NUMBERS: &[u8] = include_bytes!("../kernels/address_numbers.spv");
const INITIALIZERS: &[u8] = include_bytes!("../kernels/initializers.spv");
const ANY_VECTORS: &[u8] = include_bytes!("../kernels/any_vectors.spv");
const FLUSHES: &[u8] = include_bytes!("../kernels/flushes.spv");
const LOOP_HINTS: &[u8] = include_bytes!("../kernels/loop_hints.spv");
const QUANTIZED: &[u8] = include_bytes!("../kernels/quantized.spv");
const WIDTHS: &[u8] = include_bytes!("../kernels/widths.spv");
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
fn members_lie_where_they_are_from_null() {
    run("members_from_null", vec![], |id| {
        8 + 400 + 10_000 * (16 * id + 4)
    });
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

#[test]
fn results_have_another_width_than_operands() {
    let input: Vec<u32> = (0..16u32).map(|n| n.wrapping_mul(0x9e37_79b9)).collect();
    let mut want = Vec::new();
    for (id, x) in (0..16u32).zip(&input) {
        want.extend([
            x.count_ones() + id.count_ones(),
            (x & 0xff).count_ones(),
            x.count_ones(),
        ]);
        // Ten lanes are in the ballot.
        want.extend([10, 6, 15, (id + 3) % 16]);
        // Which vectors are the same, and what is null.
        want.extend([0, 1, 1]);
        want.extend([*x, 1, *x]);
        want.extend([-3.5f32, -1.0, 1.0].map(f32::to_bits));
        // The component of its id that the number says: there is one dimension.
        want.push(if x & 1 == 0 { id } else { 0 });
    }
    let what = Run {
        spirv: WIDTHS,
        kernel: "k",
        simd: Some(16),
        global: &[16],
        local: Some(&[16]),
        args: vec![buffer!(vec![0u32; want.len()]), buffer!(input)],
    };
    check(&what, &[bytes!(want)]);
}

/// A kernel of a module of its own, whose items write one number each.
fn alone(spirv: &[u8], kernel: &str, want: impl Fn(u32) -> u32) {
    let what = Run {
        spirv,
        kernel,
        simd: None,
        global: &[ITEMS as u64],
        local: None,
        args: vec![buffer!([0u32; ITEMS])],
    };
    let want: Vec<u32> = (0..ITEMS as u32).map(want).collect();
    check(&what, &[bytes!(want)]);
}

#[test]
fn a_variable_begins_with_a_cast_of_null() {
    alone(INITIALIZERS, "blocks", |id| 2 * id + 3);
}

#[test]
fn a_variable_begins_with_the_number_of_an_address() {
    alone(ADDRESS_NUMBERS, "k", |_| 21);
}

#[test]
fn vectors_have_any_number_of_components() {
    let input: Vec<u8> = (0..32 * ITEMS as u32)
        .map(|n| (n * 37 + n / 29) as u8)
        .collect();
    let want = input.chunks_exact(32).zip(0..).map(|(bytes, id)| {
        let twice: Vec<u8> = bytes.iter().map(|byte| byte.wrapping_mul(2)).collect();
        let word = |at: usize| u32::from(twice[2 * at]) | u32::from(twice[2 * at + 1]) << 8;
        let qwords = (0..4).map(|at| word(4 * at) | word(4 * at + 1) << 16);
        let sum = qwords.fold(0u32, u32::wrapping_add);
        sum.wrapping_add(word([15, 3, 8, 8][id % 4]))
            .wrapping_add(word(1))
    });
    let want: Vec<u32> = want.collect();
    let what = Run {
        spirv: ANY_VECTORS,
        kernel: "k",
        simd: None,
        global: &[ITEMS as u64],
        local: None,
        args: vec![buffer!([0u32; ITEMS]), buffer!(input)],
    };
    check(&what, &[bytes!(want), input]);
}

#[test]
fn a_vector_has_no_more_components_than_its_alignment_allows() {
    let words = ANY_VECTORS.as_chunks::<4>().0.iter();
    let words: Vec<u32> = words.map(|word| u32::from_le_bytes(*word)).collect();
    // OpTypeVector, of 32.
    let is_vector = |words: &[u32]| words[0] == 4 << 16 | 23 && words[3] == 32;
    let at = words.windows(4).position(is_vector).expect("there is one");
    for (count, what) in [
        (0, "it has no components"),
        (513, "more than 512 components"),
        (u32::MAX, "more than 512 components"),
    ] {
        // Another type like it, under the next id.
        let mut words = words.clone();
        let new = [words[at], words[3], words[at + 2], count];
        words[3] += 1;
        words.splice(at + 4..at + 4, new);
        let module: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let target = devinfo::by_name("tgl").expect("it is known");
        let compiled = eu_compiler::compile(&module, &eu_compiler::Options::new(target));
        let why = compiled.expect_err("there are no such vectors").to_string();
        assert!(why.contains(what), "{count}: {why}");
    }
}

#[test]
fn a_hint_for_a_loop_changes_nothing() {
    for kernel in ["k", "first"] {
        alone(LOOP_HINTS, kernel, |id| id * (id + 1) / 2);
    }
}

#[test]
fn floats_are_quantized() {
    let least = 2f32.powi(-14);
    let values = [
        (1.0f32, 1.0f32),
        (-2.0 - 2f32.powi(-10), -2.0),
        (2.0 + 3.0 * 2f32.powi(-10), 2.0 + 2f32.powi(-8)),
        (65504.0, 65504.0),
        (65520.0, f32::INFINITY),
        (f32::NEG_INFINITY, f32::NEG_INFINITY),
        (least, least),
        (-least, -least),
        (least * 0.999, 0.0),
        (-least * 0.5, -0.0),
        (1e-20, 0.0),
        (-0.0, -0.0),
    ];
    let what = Run {
        spirv: QUANTIZED,
        kernel: "k",
        simd: None,
        global: &[values.len() as u64],
        local: None,
        args: vec![buffer!(values.map(|(value, _)| value.to_bits()))],
    };
    check(&what, &[bytes!(values.map(|(_, want)| want.to_bits()))]);
}

#[test]
fn denormal_numbers_are_zeroes_where_the_module_says_so() {
    let values = [1u32, 0x007f_ffff, 0x8000_0001, 0x0080_0000, 0x3f80_0000];
    let what = Run {
        spirv: FLUSHES,
        kernel: "k",
        simd: None,
        global: &[5],
        local: None,
        args: vec![buffer!(values)],
    };
    check(
        &what,
        &[bytes!([0u32, 0, 0x8000_0000, 0x0100_0000, 0x4000_0000])],
    );
}

#[test]
fn a_rounding_mode_of_a_kernel_is_refused() {
    const FLUSH: u32 = 4460;
    let platform = devinfo::by_name("tgl").expect("tgl is a platform");
    for mode in [4463u32, 5620, 5621, 5622] {
        // Its other use is the capability.
        let words = FLUSHES.chunks_exact(4).rev();
        let mut words: Vec<[u8; 4]> = words.map(|word| word.try_into().unwrap()).collect();
        let at = words.iter().position(|word| *word == FLUSH.to_le_bytes());
        words[at.expect("the module has the mode")] = mode.to_le_bytes();
        words.reverse();
        let compiled = eu_compiler::compile(&words.concat(), &eu_compiler::Options::new(platform));
        let why = compiled.expect_err("the mode is not supported").to_string();
        assert!(why.contains("the execution mode"), "{mode}: {why}");
    }
}
