//! Atomic operations of all work-items on one word, of which one lane makes one for a sub-group: what
//! stays in memory, what each work-item gets, and how many messages there are.

use std::collections::BTreeMap;

use crate::buffer;
use crate::common::{PLATFORMS, Run, Value, compiled, run};

/// The last sub-group is not full.
const ITEMS: i32 = 2 * GROUP;
const GROUP: i32 = 40;
const N: i32 = 0x155;
const START: i32 = 0x1234_5678;

const SPIRV: &[u8] = include_bytes!("../kernels/counters.spv");

fn words(bytes: &[u8]) -> Vec<i32> {
    let words = bytes.as_chunks::<4>().0;
    words.iter().map(|word| i32::from_le_bytes(*word)).collect()
}

fn what(kernel: &'static str) -> Run<'static> {
    Run {
        spirv: SPIRV,
        kernel,
        simd: None,
        global: &[ITEMS as u64],
        local: Some(&[GROUP as u32]),
        args: vec![
            buffer!([START; 18]),
            buffer!([-1i32; 5 * ITEMS as usize]),
            Value::Bytes(N.to_le_bytes().to_vec()),
        ],
    }
}

/// How often each number is there.
fn counted(all: impl IntoIterator<Item = i32>) -> BTreeMap<i32, usize> {
    let mut counts = BTreeMap::new();
    for number in all {
        *counts.entry(number).or_default() += 1;
    }
    counts
}

/// The values that a word has on its way, the last one first.
fn on_the_way(step: impl Fn(i32) -> i32) -> (i32, BTreeMap<i32, usize>) {
    let mut all = vec![START];
    for _ in 0..ITEMS {
        all.push(step(all[all.len() - 1]));
    }
    let last = all.pop().unwrap();
    (last, counted(all))
}

#[test]
fn one_lane_counts_for_all() {
    let all = || 0..ITEMS;
    let sum = ITEMS * (ITEMS - 1) / 2;
    let mut want = vec![
        START + sum,
        START - sum,
        all().map(|i| i * 7 % 100 - 30).min().unwrap(),
        START,
        all().fold(START, |a, i| a & !(1 << (i & 15))),
        -1,
        all().fold(START, |a, i| a ^ (i * i)),
        5,
        (0x8000_0000u32 | 79).cast_signed(),
        START + ITEMS,
        START - ITEMS * N,
        START,
        START | N,
    ];
    let steps: [(i32, BTreeMap<i32, usize>); 5] = [
        on_the_way(|a| a + 1),
        on_the_way(|a| a - N),
        on_the_way(|a| a ^ N),
        on_the_way(|a| a.max(N)),
        on_the_way(|a| a),
    ];
    want.extend(steps.iter().map(|(last, _)| *last));
    for platform in PLATFORMS {
        let out = run(platform, &what("counters")).unwrap();
        assert_eq!(words(&out[0]), want, "{platform}");
        let seen = words(&out[1]);
        for (index, (seen, (_, want))) in seen.chunks(ITEMS as usize).zip(&steps).enumerate() {
            assert_eq!(counted(seen.iter().copied()), *want, "{platform} {index}");
        }
    }
}

#[test]
fn one_lane_counts_in_local_memory() {
    for platform in PLATFORMS {
        let out = run(platform, &what("local_counter")).unwrap();
        let seen = words(&out[1]);
        for group in 0..2 {
            let items = group * GROUP..(group + 1) * GROUP;
            let sum: i32 = items.clone().sum();
            let have = words(&out[0])[group as usize];
            assert_eq!(have, GROUP * N + sum, "{platform}");
            let seen = counted(items.map(|i| seen[i as usize]));
            let want = counted((0..GROUP).map(|i| i * N));
            assert_eq!(seen, want, "{platform}");
        }
    }
}

#[test]
fn those_who_do_not_count_are_not_counted() {
    let mut what = what("some_count");
    what.args[2] = Value::Bytes(50i32.to_le_bytes().to_vec());
    what.args[0] = buffer!([0i32; 2]);
    for platform in PLATFORMS {
        let out = run(platform, &what).unwrap();
        let thirds: Vec<i32> = (0..ITEMS).step_by(3).collect();
        let want = [thirds.len() as i32, (0..50).sum()];
        assert_eq!(words(&out[0]), want, "{platform}");
        let mut seen = words(&out[1]);
        seen.truncate(thirds.len());
        seen.sort_unstable();
        assert_eq!(seen, thirds, "{platform}");
    }
}

#[test]
fn an_operation_of_all_lanes_is_one_message() {
    for platform in PLATFORMS {
        for (kernel, count) in [("counters", 18), ("local_counter", 2), ("some_count", 2)] {
            let zebin = compiled(platform, &what(kernel), None).unwrap();
            let code = zebin.kernels.iter().find(|k| k.name == kernel).unwrap();
            let text = code.text();
            let atomics = text.lines().filter(|line| line.contains(" atomic"));
            let (one, other): (Vec<&str>, Vec<&str>) =
                atomics.partition(|line| line.contains("(1|M0)"));
            assert_eq!((one.len(), other.len()), (count, 0), "{platform} {other:?}");
        }
    }
}
