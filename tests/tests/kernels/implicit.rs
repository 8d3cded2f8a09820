//! Ids, sizes and `printf` in functions that are called through the stack: they find them in their
//! arguments or in the structure of implicit arguments.

use stack_tests::{Launch, compare};

#[test]
fn ids_in_recursive_functions() {
    // Groups of more than one thread. All have one size: the compiler mistakes the local size for
    // the enqueued one.
    let (global, local, offset, n) = ([72u64, 4], [24u32, 2], [3u64, 9], 3);
    let items = || (0..global[1]).flat_map(|y| (0..global[0]).map(move |x| [x, y]));
    let expected: Vec<i32> = items()
        .map(|item| {
            let id = |d: usize| item[d] % u64::from(local[d]);
            let group = |d: usize| item[d] / u64::from(local[d]);
            let groups = global[1] / u64::from(local[1]);
            let leaf = item[0] + offset[0] + 3 * id(1) + 5 * group(0) + 7 * global[1];
            let leaf = leaf + 11 * u64::from(local[0]) + 13 * groups + 17 * 2 + 19 * offset[0];
            let leaf = leaf + 23 * u64::from(local[0]);
            (leaf + id(0) * (1..=n).sum::<u64>()) as i32
        })
        .collect();
    Launch::new("implicit", "ids", &global)
        .local(&local)
        .offset(&offset)
        .gives(&expected)
        .value(n as i32)
        .everywhere_with(|set| set.has("implicit"));
}

#[test]
fn printf_in_recursive_functions() {
    let mut lines: Vec<String> = (0..6)
        .flat_map(|group| (0..16).map(move |item| format!("item {item} of group {group}")))
        .collect();
    lines.sort();
    Launch::new("implicit", "talk", &[96])
        .local(&[16])
        .gives(&[11i32; 96])
        .value(4)
        .satisfies(|what, results| {
            let mut printed = results.lines();
            printed.sort();
            compare::equal(what, &printed, &lines);
        })
        .everywhere_with(|set| set.has("implicit"));
}
