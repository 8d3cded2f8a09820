//! Kernels with more values at once than registers: what does not fit goes to scratch memory.

use crate::common::{PLATFORMS, Run, Value, compiled, execute};
use crate::{buffer, bytes};

const PRESSURE: &[u8] = include_bytes!("../kernels/pressure.spv");

/// What [`loops`] adds up, as in `kernels/pressure.cl`.
const NUMBERS: std::ops::Range<usize> = 10..170;

fn loops(input: &[u32], i: usize) -> u32 {
    let count = input[i];
    let mut last = count;
    let mut v: Vec<u32> = NUMBERS.map(|n| input[i + n]).collect();
    for j in 0..count & 7 {
        for x in &mut v {
            *x = (*x ^ last).wrapping_add(j);
            last = last.wrapping_mul(5).wrapping_add(*x);
        }
        if last.is_multiple_of(5) {
            break;
        }
        if last & 1 != 0 {
            for (x, n) in v.iter_mut().zip(NUMBERS) {
                *x = x.wrapping_add(n as u32);
            }
        }
    }
    v.iter().fold(last, |last, x| last.rotate_left(1) ^ x)
}

/// The widths of a platform, each with the fewest registers.
fn widths() -> impl Iterator<Item = (&'static str, u32)> {
    PLATFORMS.iter().flat_map(|name| {
        let platform = devinfo::by_name(name).unwrap();
        let widths = platform.simd_widths.iter();
        widths.map(|width| (*name, u32::from(*width)))
    })
}

/// Runs a kernel in every width with 128 registers, where it needs scratch memory, and compares the
/// first buffer.
fn check(run: &Run<'_>, want: &[u8]) {
    let mut count = 0;
    for (platform, simd) in widths() {
        let run = Run {
            simd: Some(simd),
            ..run.clone()
        };
        let zebin = compiled(platform, &run, Some(128)).unwrap();
        let report = zebin.kernels.iter().find(|k| k.name == run.kernel).unwrap();
        assert!(report.spilled > 0, "{platform} SIMD{simd} fits");
        let out = execute(platform, &run, Some(128)).unwrap();
        assert!(out[0] == want, "{platform} SIMD{simd}: {}", run.kernel);
        count += 1;
    }
    assert_eq!(count, 29);
}

#[test]
fn divergent_loops_spill_in_every_width() {
    let mut state = 7u32;
    let input: Vec<u32> = (0..240)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state >> 7
        })
        .collect();
    let want: Vec<u32> = (0..70).map(|i| loops(&input, i)).collect();
    let run = Run {
        spirv: PRESSURE,
        kernel: "loops",
        simd: None,
        global: &[70],
        local: None,
        args: vec![buffer!([0u32; 70]), buffer!(input)],
    };
    check(&run, &bytes!(want));
}

/// A number of a loop stays where it is, whichever way lanes go.
#[test]
fn what_is_spilled_has_one_place() {
    let run = Run {
        spirv: PRESSURE,
        kernel: "loops",
        simd: Some(8),
        global: &[1],
        local: None,
        args: Vec::new(),
    };
    let zebin = compiled("tgl", &run, Some(128)).unwrap();
    let report = zebin.kernels.iter().find(|k| k.name == run.kernel).unwrap();
    assert!(
        report.spilled <= 32 * NUMBERS.len() as u32,
        "{}",
        report.spilled
    );
}

#[test]
fn vectors_spill_in_every_width() {
    let input: Vec<f32> = (0..4 * 100).map(|i| (i % 23) as f32 - 11.0).collect();
    let mut want = Vec::new();
    for i in 0..60 {
        let mut sum = [0f32; 4];
        for n in 10..40 {
            let mut w: [f32; 4] = std::array::from_fn(|c| input[4 * (i + n) + c]);
            for _ in 0..3 {
                w = std::array::from_fn(|c| w[c] * 2.0 + w[(c + 3) % 4]);
            }
            sum = std::array::from_fn(|c| sum[c] + w[c]);
        }
        want.extend(sum);
    }
    let run = Run {
        spirv: PRESSURE,
        kernel: "vectors",
        simd: None,
        global: &[60],
        local: None,
        args: vec![
            buffer!([0f32; 240]),
            buffer!(input),
            Value::Bytes(2f32.to_le_bytes().to_vec()),
            Value::Bytes(3i32.to_le_bytes().to_vec()),
        ],
    };
    check(&run, &bytes!(want));
}
