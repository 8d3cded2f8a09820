//! Variables of the program, and what kernels print.

use crate::common::{PLATFORMS, Run, Value, check, numbers, outcome};
use crate::{buffer, bytes};

const PROGRAM: &[u8] = include_bytes!("../kernels/program.spv");

fn program<'a>(kernel: &'a str, global: &'a [u64], args: Vec<Value>) -> Run<'a> {
    Run {
        spirv: PROGRAM,
        kernel,
        simd: None,
        global,
        local: None,
        args,
    }
}

#[test]
fn kernels_write_variables_of_the_program() {
    let mut want = vec![228i32, 1, 12, 23, 34];
    want.extend([1; 8]);
    want.resize(64, 23);
    let what = Run {
        local: Some(&[64]),
        ..program("counts", &[64], vec![buffer!([0i32; 64])])
    };
    check(&what, &[bytes!(want)]);
}

#[test]
fn constants_hold_addresses() {
    let numbers = |at: usize| 10 + at as i32;
    let want: Vec<i32> = (0..48)
        .map(|i| {
            let (first, bias, second) = [(0, 1000, 3), (2, 2000, 1)][(1 + i) & 1];
            let more = usize::from(i & 3 != 0);
            numbers(first + (i & 1)) + bias + numbers(second + more)
        })
        .collect();
    let args = vec![
        buffer!([0i32; 48]),
        Value::Bytes(1u32.to_le_bytes().to_vec()),
    ];
    check(&program("looks_up", &[48], args), &[bytes!(want)]);
}

#[test]
fn what_kernels_print_is_what_the_host_formats() {
    let input: Vec<i32> = numbers(40, 11).iter().map(|x| x % 100).collect();
    let mut want: Vec<String> = input
        .iter()
        .enumerate()
        .filter(|(_, x)| **x != 0)
        .map(|(i, &x)| match x {
            1.. => format!(
                "{} {i}: {x}, {:5.2}|{i},{},3,{x}|{i},-1|{} {}%",
                if i & 1 == 1 { "odd" } else { "even" },
                x as f32 * 0.25,
                -(i as i32),
                i64::from(x) << 33,
                char::from(b'A' + i as u8),
            ),
            _ => "none".to_owned(),
        })
        .collect();
    want.sort();
    assert!(want.iter().any(|line| line == "none"));
    for platform in PLATFORMS {
        let args = vec![buffer!(input), Value::Bytes(0.25f32.to_le_bytes().to_vec())];
        let (_, text) = outcome(platform, &program("prints", &[40], args), None).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, want, "{platform}");
    }
}

#[test]
fn texts_come_from_several_blocks() {
    let input: Vec<i32> = (0..40).map(|i| (i * 7) % 16).collect();
    let mut want: Vec<String> = Vec::new();
    for (i, &x) in input.iter().enumerate() {
        let mut name = "first";
        for round in 0..x {
            name = match round & 3 {
                0 => "second",
                2 if x & 8 != 0 => "third",
                2 => "fourth",
                _ => name,
            };
        }
        want.push(format!("{i} {name}"));
    }
    want.sort();
    for platform in PLATFORMS {
        let args = vec![buffer!(input), Value::Buffer(vec![0; 160])];
        let (_, text) = outcome(platform, &program("prints_one_of", &[40], args), None).unwrap();
        let mut lines: Vec<&str> = text.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, want, "{platform}");
    }
}
