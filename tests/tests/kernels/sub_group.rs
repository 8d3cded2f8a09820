//! Sub-group functions.

use std::fmt::Debug;

use stack_tests::corpus::set_named;
use stack_tests::{Launch, Random, compare};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::{everywhere, sub_groups_of};

const ITEMS: usize = 64;

fn check_shuffle<T>(kernel: &str, size: usize, make: impl Fn(u64) -> T)
where
    T: Copy + Debug + PartialEq + FromBytes + IntoBytes + Immutable + 'static,
{
    let mut random = Random::new(100);
    let input = random.many(ITEMS * 2, make);
    let lanes = random.many(ITEMS, |bits| (bits % 1000) as u32);
    let delta = lanes[0] as usize % size;
    let expected: Vec<T> = (0..ITEMS)
        .flat_map(|i| {
            let (begin, lane) = (i / size * size, i % size);
            let x = &input[begin..begin + size];
            let y = &input[ITEMS + begin..ITEMS + begin + size];
            // The first operand comes before the second: lanes come from both.
            let up = |by: usize| {
                if lane >= by {
                    y[lane - by]
                } else {
                    x[size + lane - by]
                }
            };
            let down = |by: usize| {
                if lane + by < size {
                    x[lane + by]
                } else {
                    y[lane + by - size]
                }
            };
            [
                x[lanes[i] as usize % size],
                x[lane ^ 5],
                up(3),
                down(3),
                up(delta),
                down(delta),
                x[6],
                x[delta],
            ]
        })
        .collect();
    Launch::new("sub_group", kernel, &[ITEMS as u64])
        .local(&[32])
        .buffer(&input)
        .buffer(&lanes)
        .gives(&expected)
        .everywhere_with(sub_groups_of(size));
}

#[test]
fn shuffles() {
    check_shuffle("shuffle_int", 16, |bits| bits as i32);
    check_shuffle("shuffle_float", 16, |bits| (bits % 10_000) as f32);
    check_shuffle("shuffle_long", 16, |bits| bits as i64);
    check_shuffle("shuffle_short", 16, |bits| bits as i16);
    check_shuffle("shuffle_int_8", 8, |bits| bits as i32);
    check_shuffle("shuffle_long_8", 8, |bits| bits as i64);
    check_shuffle("shuffle_int_32", 32, |bits| bits as i32);
}

#[test]
fn shuffles_of_chars() {
    let mut random = Random::new(101);
    let input = random.many(ITEMS * 2, |bits| bits as i8);
    let lanes = random.many(ITEMS, |bits| bits as u32);
    let expected: Vec<i8> = (0..ITEMS)
        .flat_map(|i| {
            let (begin, lane) = (i / 16 * 16, i % 16);
            let (x, y) = (
                &input[begin..begin + 16],
                &input[ITEMS + begin..ITEMS + begin + 16],
            );
            [
                x[lanes[i] as usize % 16],
                x[lane ^ 9],
                if lane >= 2 { y[lane - 2] } else { x[14 + lane] },
                if lane < 14 { x[lane + 2] } else { y[lane - 14] },
            ]
        })
        .collect();
    Launch::new("sub_group", "shuffle_char", &[ITEMS as u64])
        .buffer(&input)
        .buffer(&lanes)
        .gives(&expected)
        .everywhere();
}

#[test]
fn shuffles_of_vectors() {
    let input = Random::new(102).many(ITEMS * 4, |bits| bits as i32);
    let expected: Vec<i32> = (0..ITEMS * 4)
        .map(|at| {
            let (i, k) = (at / 4, at % 4);
            let begin = i / 16 * 16;
            input[(begin + ((i % 16) ^ 3)) * 4 + k].wrapping_add(input[(begin + 2) * 4 + k])
        })
        .collect();
    Launch::new("sub_group", "shuffle_vectors", &[ITEMS as u64])
        .buffer(&input)
        .gives(&expected)
        .everywhere();
}

/// What a type needs for reductions: addition and the ends of its range.
trait Element: Copy + Debug + PartialEq + PartialOrd + FromBytes + IntoBytes + Immutable {
    const ZERO: Self;
    const LOWEST: Self;
    const HIGHEST: Self;

    fn plus(self, other: Self) -> Self;
    fn make(bits: u64) -> Self;
}

macro_rules! int_elements {
    ($($ty:ident)*) => {$(
        impl Element for $ty {
            const ZERO: Self = 0;
            const LOWEST: Self = $ty::MIN;
            const HIGHEST: Self = $ty::MAX;

            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            fn make(bits: u64) -> Self {
                bits as $ty
            }
        }
    )*};
}

int_elements!(i8 u8 i16 u16 i32 u32 i64 u64);

impl Element for f32 {
    const ZERO: Self = 0.0;
    const LOWEST: Self = f32::NEG_INFINITY;
    const HIGHEST: Self = f32::INFINITY;

    fn plus(self, other: Self) -> Self {
        self + other
    }

    fn make(bits: u64) -> Self {
        // Whole numbers: sums are exact in any order.
        (bits % 2001) as f32 - 1000.0
    }
}

fn smaller<T: PartialOrd>(a: T, b: T) -> T {
    if b < a { b } else { a }
}

fn larger<T: PartialOrd>(a: T, b: T) -> T {
    if b > a { b } else { a }
}

fn folds<T: Element>(values: &[T]) -> [T; 3] {
    let fold = |start: T, f: fn(T, T) -> T| values.iter().fold(start, |a, b| f(a, *b));
    [
        fold(T::ZERO, T::plus),
        fold(T::HIGHEST, smaller),
        fold(T::LOWEST, larger),
    ]
}

fn check_collect<T: Element + 'static>(kernel: &str, size: usize) {
    let input = Random::new(103).many(ITEMS, T::make);
    let expected: Vec<T> = (0..ITEMS)
        .flat_map(|i| {
            let begin = i / size * size;
            [
                folds(&input[begin..begin + size]),
                folds(&input[begin..=i]),
                folds(&input[begin..i]),
            ]
            .concat()
        })
        .collect();
    Launch::new("sub_group", kernel, &[ITEMS as u64])
        .local(&[32])
        .buffer(&input)
        .gives(&expected)
        .everywhere_with(sub_groups_of(size));
}

#[test]
fn reductions_and_scans() {
    check_collect::<i32>("collect_int", 16);
    check_collect::<u32>("collect_uint", 16);
    check_collect::<i64>("collect_long", 16);
    check_collect::<u64>("collect_ulong", 16);
    check_collect::<f32>("collect_float", 16);
}

#[test]
fn reductions_and_scans_of_other_sizes() {
    check_collect::<i32>("collect_int_8", 8);
    check_collect::<f32>("collect_float_8", 8);
    check_collect::<i32>("collect_int_32", 32);
    check_collect::<f32>("collect_float_32", 32);
}

#[test]
fn reductions_and_scans_of_narrow_types() {
    check_collect::<i16>("collect_short", 16);
    check_collect::<u16>("collect_ushort", 16);
    check_collect::<i8>("collect_char", 16);
    check_collect::<u8>("collect_uchar", 16);
}

#[test]
fn votes() {
    let input = Random::new(104).many(ITEMS, |bits| (bits % 100) as i32);
    let expected: Vec<i32> = (0..ITEMS)
        .flat_map(|i| {
            let all = &input[i / 16 * 16..i / 16 * 16 + 16];
            [
                i32::from(all.iter().any(|x| *x > 90)),
                i32::from(all.iter().all(|x| *x > 5)),
                0,
                1,
                all[15],
            ]
        })
        .collect();
    Launch::new("sub_group", "votes", &[ITEMS as u64])
        .buffer(&input)
        .gives(&expected)
        .everywhere();
}

#[test]
fn partial_sub_groups() {
    let (group, groups) = (43usize, 3);
    let input = Random::new(105).many(group * groups, |bits| (bits % 100) as i32);
    everywhere(|platform| {
        let binary = umd::Binary::parse(&set_named(platform).zebin("sub_group")).unwrap();
        let size = binary.kernel("partial").unwrap().simd as usize;
        let expected: Vec<i32> = input
            .chunks(group)
            .flat_map(|group| group.chunks(size))
            .flat_map(|lanes| {
                (0..lanes.len()).flat_map(|lane| {
                    [
                        lanes.iter().sum(),
                        *lanes[..=lane].iter().max().unwrap(),
                        i32::from(lanes.iter().any(|x| *x > 90)),
                        i32::from(lanes.iter().all(|x| *x > 5)),
                    ]
                })
            })
            .collect();
        let results = Launch::new("sub_group", "partial", &[(group * groups) as u64])
            .local(&[group as u32])
            .buffer(&input)
            .out::<i32>(group * groups * 4)
            .run(platform);
        compare::equal(platform, &results.read::<i32>(1), &expected);
    });
}

#[test]
fn sums_between_sub_groups() {
    let input = Random::new(106).many(256, |bits| (bits % 100) as i32);
    let expected: Vec<i32> = (0..256)
        .map(|i| input[i / 128 * 128..=i].iter().sum())
        .collect();
    Launch::new("sub_group", "between", &[256])
        .local(&[128])
        .buffer(&input)
        .gives(&expected)
        .local_memory(8 * 4)
        .everywhere();
}
