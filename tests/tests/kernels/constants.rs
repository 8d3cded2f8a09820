//! Program-scope constants and variables.

use stack_tests::{Launch, compare, corpus, launch};
use umd::Program;

use crate::everywhere;

#[test]
fn constants() {
    const FIBONACCI: [i32; 8] = [1, 2, 3, 5, 8, 13, 21, 34];
    let c: Vec<i32> = (0..100).map(|i| i * 1000).collect();
    let expected: Vec<i32> = (0..100)
        .map(|i| {
            // 1.5 and 2.5 are cut to whole numbers.
            let weight = [1, 2].get(i % 64).copied().unwrap_or(0);
            FIBONACCI[i & 7]
                + c[i]
                + weight
                + FIBONACCI[2]
                + FIBONACCI[2 + (i & 3)]
                + [3, -3, 100][i % 3]
        })
        .collect();
    Launch::new("constants", "read_constants", &[100])
        .gives(&expected)
        .buffer(&c)
        .everywhere();
}

#[test]
fn variables_have_their_initial_values() {
    Launch::new("constants", "read_variables", &[100])
        .gives::<i32>(&[14; 100])
        .everywhere();
}

/// Later launches of the same program read what a launch writes; no other program does.
#[test]
fn variables_keep_what_kernels_write() {
    const COUNT: usize = 100;
    everywhere(|platform| {
        let set = corpus::set_named(platform);
        let device = launch::device(&set.device(platform));
        let load = || Program::load(&device, &set.zebin("constants")).unwrap();
        let read = |program: &Program| -> Vec<i32> {
            Launch::new("constants", "read_variables", &[COUNT as u64])
                .out::<i32>(COUNT)
                .run_in(&device, program)
                .unwrap()
                .read(0)
        };
        let [program, other] = [load(), load()];
        for value in [5, -1000] {
            Launch::new("constants", "write_variables", &[COUNT as u64])
                .value(value)
                .run_in(&device, &program)
                .unwrap();
            // The counter twice, once through a pointer, and the work-item's own entry.
            let expected: Vec<i32> = (0..COUNT as i32).map(|i| 3 * value + i).collect();
            compare::equal(platform, &read(&program), &expected);
        }
        compare::equal(platform, &read(&other), &[14; COUNT]);
    });
}
