//! Program-scope constants and variables.

use stack_tests::{Launch, compare};

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
    everywhere(|platform| {
        let results = Launch::new("constants", "read_constants", &[100])
            .out::<i32>(100)
            .buffer(&c)
            .run(platform);
        compare::equal(platform, &results.read::<i32>(0), &expected);
    });
}

#[test]
fn variables_have_their_initial_values() {
    everywhere(|platform| {
        let results = Launch::new("constants", "read_variables", &[100])
            .out::<i32>(100)
            .run(platform);
        compare::equal(platform, &results.read::<i32>(0), &[14; 100]);
    });
}
