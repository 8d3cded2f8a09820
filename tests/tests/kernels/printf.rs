//! printf.

use stack_tests::{Launch, compare};

#[test]
fn conversions() {
    let input = [-42, -300, 4_000_000_000u32 as i32, 0xbeef, 0xbeef, 8, 65];
    let shifted = (input[2] as i64 as u64) << 32;
    let expected = [
        "plain text".to_owned(),
        "-42 -300 4000000000 beef BEEF 10 A".to_owned(),
        "  -42|-42  |-0042|-42|-42|0xbeef|010".to_owned(),
        format!("-44 -300 {} {shifted}", -300i64 << 32),
        "1.500000 1.50      1.500 1.500000e+00 1.5 0x1.8p+0".to_owned(),
        "one and two%".to_owned(),
        "1,2,3,-300 5,6 0.500000,1.500000,1.500000,-1.000000 1,2,f".to_owned(),
    ];
    Launch::new("printf", "conversions", &[64])
        .buffer(&input)
        .value(1.5f32)
        .satisfies(|what, results| {
            compare::equal(what, &results.lines(), &expected);
        })
        .everywhere();
}

#[test]
fn one_line_an_item() {
    let input: Vec<i32> = (0..200).map(|i| i % 7).collect();
    let mut expected: Vec<String> = (0..200)
        .filter(|i| i % 7 > 3)
        .map(|i| format!("item {i} has {}", i % 7))
        .collect();
    expected.sort();
    Launch::new("printf", "per_item", &[200])
        .buffer(&input)
        .satisfies(|what, results| {
            let mut lines = results.lines();
            // Work-items print in any order.
            lines.sort();
            compare::equal(what, &lines, &expected);
        })
        .everywhere();
}
