//! Calls, recursion and the generic address space.

use devinfo::{Family, span};
use stack_tests::corpus::{Set, set_named};
use stack_tests::{Launch, compare, subject};

use crate::everywhere;

#[test]
fn plain() {
    let input: Vec<i32> = (0..128).map(|i| i * 5 % 23).collect();
    let vectors: Vec<f32> = (0..128 * 4).map(|i| (i % 50) as f32).collect();
    let sum_below = |n: usize, from: usize| n as i32 + (0..n).map(|k| input[from + k]).sum::<i32>();
    let expected: Vec<i32> = (0..128usize)
        .map(|i| sum_below((input[i] & 7) as usize, 0) + sum_below(i & 3, 4))
        .collect();
    let iterated: Vec<f32> = (0..128usize)
        .flat_map(|i| {
            let mut v: [f32; 4] = std::array::from_fn(|k| vectors[i * 4 + k]);
            for _ in 0..input[i] & 3 {
                v = std::array::from_fn(|k| v[k] * 0.5 + v[3 - k]);
            }
            v
        })
        .collect();
    Launch::new("calls", "plain", &[128])
        .buffer(&input)
        .gives(&expected)
        .buffer(&vectors)
        .becomes(2, &iterated)
        .everywhere();
}

#[test]
fn recursion() {
    let input: Vec<i32> = (0..64).map(|i| i % 11).collect();
    let factorial = |n: i32| (2..=n).product::<i32>();
    // Ackermann's function of 2 and n is 2 n + 3.
    let expected: Vec<i32> = input
        .iter()
        .map(|n| factorial(*n) + 2 * (n & 3) + 3)
        .collect();
    let launch = Launch::new("calls", "recursion", &[64])
        .buffer(&input)
        .becomes(0, &expected);
    let runs = |set: &Set| set.modules.is_none() && span!(Gen9..).contains(set.platform().family);
    launch.everywhere_with(runs);
    // For Gen8, Intel's compiler saves registers with `sends`, which came with Gen9: its own
    // disassembler does not know the instruction either. Only the software GPU tells what is wrong.
    for run in set_named("bdw").runs() {
        let error = launch.try_run(&run).unwrap_err().to_string();
        let told = error.contains("illegal instruction") && error.contains("opcode 0x33");
        assert!(told || subject::named().is_some(), "{error}");
    }
}

#[test]
fn any_space() {
    let (count, group, n) = (96usize, 32u32, 2);
    let input: Vec<i32> = (0..2 * count as i32).map(|v| v * 10).collect();
    let expected = |private: i32| -> Vec<i32> {
        let of = |i: i32| {
            let l = i % group as i32;
            let (value, space, scratch) = match i % 3 {
                0 => (input[count + i as usize], 4, 0),
                1 => (2000 + l, 2, 1),
                _ => (1000 + i * 4 + ((i + n) & 3), private, 0),
            };
            value * 16 + 1 + space + scratch
        };
        (0..count as i32).map(of).collect()
    };
    everywhere(|platform| {
        let results = Launch::new("calls", "any_space", &[count as u64])
            .local(&[group])
            .buffer(&input)
            .local_memory(group * 4)
            .value(n)
            .run(platform);
        // to_global should give null for a private pointer. Intel's compiler looks for a tag in
        // the pointer's upper bits, and release 22.43 gives private pointers none from Gen9 on.
        let set = set_named(platform);
        let older = !set.name.ends_with("-newer") && set.modules.is_none();
        let tagged = !older || set.platform().family == Family::Gen8;
        let expected = expected(if tagged { 0 } else { 4 });
        compare::equal(platform, &results.read::<i32>(0)[..count], &expected);
    });
}
