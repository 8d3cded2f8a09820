//! Conversions between types.

use stack_tests::{Launch, Random, Results, compare};

use crate::everywhere;

const COUNT: usize = 512;

/// The results of one kernel, in the order of its output arguments.
const INT_TYPES: [(&str, i128, i128); 8] = [
    ("char", i8::MIN as i128, i8::MAX as i128),
    ("uchar", 0, u8::MAX as i128),
    ("short", i16::MIN as i128, i16::MAX as i128),
    ("ushort", 0, u16::MAX as i128),
    ("int", i32::MIN as i128, i32::MAX as i128),
    ("uint", 0, u32::MAX as i128),
    ("long", i64::MIN as i128, i64::MAX as i128),
    ("ulong", 0, u64::MAX as i128),
];

fn read_ints(results: &Results, argument: usize, name: &str) -> Vec<i128> {
    fn wide<T: Into<i128>>(values: Vec<T>) -> Vec<i128> {
        values.into_iter().map(Into::into).collect()
    }
    match name {
        "char" => wide(results.read::<i8>(argument)),
        "uchar" => wide(results.read::<u8>(argument)),
        "short" => wide(results.read::<i16>(argument)),
        "ushort" => wide(results.read::<u16>(argument)),
        "int" => wide(results.read::<i32>(argument)),
        "uint" => wide(results.read::<u32>(argument)),
        "long" => wide(results.read::<i64>(argument)),
        "ulong" => wide(results.read::<u64>(argument)),
        _ => panic!("{name}"),
    }
}

/// Adds one output for each integer type.
fn int_outputs(launch: Launch<'_>) -> Launch<'_> {
    launch
        .out::<i8>(COUNT)
        .out::<u8>(COUNT)
        .out::<i16>(COUNT)
        .out::<u16>(COUNT)
        .out::<i32>(COUNT)
        .out::<u32>(COUNT)
        .out::<i64>(COUNT)
        .out::<u64>(COUNT)
}

fn check_from<T>(name: &str, input: &[T])
where
    T: Copy + Into<i128> + zerocopy::IntoBytes + zerocopy::Immutable,
{
    let wide: Vec<i128> = input.iter().map(|v| (*v).into()).collect();
    everywhere(|platform| {
        let launch = Launch::new("convert", &format!("from_{name}"), &[COUNT as u64]).buffer(input);
        let results = int_outputs(launch).out::<f32>(COUNT).run(platform);
        for (index, (to, low, high)) in INT_TYPES.iter().enumerate() {
            let expected: Vec<i128> = wide.iter().map(|v| *v.clamp(low, high)).collect();
            let what = format!("{platform} {name} to {to}");
            compare::equal(&what, &read_ints(&results, index + 1, to), &expected);
        }
        // `as` rounds to nearest even.
        let expected: Vec<f32> = wide.iter().map(|v| *v as f32).collect();
        compare::equal(
            &format!("{platform} {name} to float"),
            &results.read::<f32>(9),
            &expected,
        );
    });
}

/// Random numbers of every magnitude.
fn magnitudes(seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    (0..COUNT).map(|i| random.bits() >> (i % 64)).collect()
}

macro_rules! from_ints {
    ($($ty:ident $name:ident;)*) => {$(
        #[test]
        fn $name() {
            let mut input: Vec<$ty> =
                magnitudes(60).into_iter().enumerate()
                    .map(|(i, v)| if i % 2 == 0 { v as $ty } else { (v as $ty).wrapping_neg() })
                    .collect();
            input[0] = $ty::MIN;
            input[1] = $ty::MAX;
            check_from(stringify!($name), &input);
        }
    )*};
}

from_ints! {
    i8 char; u8 uchar; i16 short; u16 ushort; i32 int; u32 uint; i64 long; u64 ulong;
}

#[test]
fn from_float() {
    let mut random = Random::new(61);
    let input: Vec<f32> = (0..COUNT)
        .map(|i| match i {
            0 => f32::INFINITY,
            1 => f32::NEG_INFINITY,
            2 => f32::NAN,
            3 => -0.0,
            4 => f32::MAX,
            5 => 2.5,
            6 => -3.5,
            7 => 9.223_372e18,
            _ => {
                let scale = f64::from((i % 70) as i32).exp2();
                random.between(-scale, scale) as f32
            }
        })
        .collect();
    type Mode = (&'static str, fn(f64) -> f64);
    let modes: [Mode; 4] = [
        ("_rte", f64::round_ties_even),
        ("_rtz", f64::trunc),
        ("_rtp", f64::ceil),
        ("_rtn", f64::floor),
    ];
    for (mode, round) in modes {
        everywhere(|platform| {
            let launch = Launch::new("convert", &format!("from_float{mode}"), &[COUNT as u64])
                .buffer(&input);
            let results = int_outputs(launch).run(platform);
            for (index, (to, low, high)) in INT_TYPES.iter().enumerate() {
                // `as` saturates and turns NaN into 0, as OpenCL's _sat does.
                let expected: Vec<i128> = input
                    .iter()
                    .map(|v| (round(f64::from(*v)) as i128).clamp(*low, *high))
                    .collect();
                let what = format!("{platform} float to {to}{mode}");
                compare::equal(&what, &read_ints(&results, index + 1, to), &expected);
            }
        });
    }
}

#[test]
fn wrapping() {
    let input: Vec<i64> = magnitudes(62).into_iter().map(|v| v as i64).collect();
    let bytes: Vec<i8> = input.iter().map(|v| *v as i8).collect();
    let shorts: Vec<u16> = input.iter().map(|v| *v as u16).collect();
    let ints: Vec<i32> = input.iter().map(|v| *v as i32).collect();
    Launch::new("convert", "wrap", &[COUNT as u64])
        .buffer(&input)
        .gives(&bytes)
        .gives(&shorts)
        .gives(&ints)
        .everywhere();
}

#[test]
fn reinterpreting() {
    let words = Random::new(63).many(256, |bits| bits as u32 & 0xbfff_ffff);
    let reversed_words: Vec<u32> = words
        .chunks(4)
        .flat_map(|v| v.iter().rev().copied())
        .collect();
    let bytes: Vec<u8> = words
        .chunks(4)
        .flat_map(|v| {
            let mut bytes: Vec<u8> = v.iter().flat_map(|w| w.to_le_bytes()).collect();
            bytes.reverse();
            bytes
        })
        .collect();
    Launch::new("convert", "reinterpret", &[64])
        .buffer(&words)
        .gives(&words)
        .gives(&reversed_words)
        .gives(&bytes)
        .everywhere();
}

/// The float next to `v` in a direction, unless `v` is one itself.
fn directed(v: i32, mode: usize) -> f32 {
    let nearest = v as f32;
    let (exact, rounded) = (f64::from(v), f64::from(nearest));
    match mode {
        1 if rounded.abs() > exact.abs() => {
            if v > 0 {
                nearest.next_down()
            } else {
                nearest.next_up()
            }
        }
        2 if rounded < exact => nearest.next_up(),
        3 if rounded > exact => nearest.next_down(),
        _ => nearest,
    }
}

#[test]
fn to_float_modes() {
    let mut input: Vec<i32> = magnitudes(64)
        .into_iter()
        .enumerate()
        .map(|(i, v)| {
            if i % 2 == 0 {
                v as i32
            } else {
                (v as i32).wrapping_neg()
            }
        })
        .collect();
    input[0] = i32::MIN;
    input[1] = i32::MAX;
    let expected: Vec<f32> = input
        .iter()
        .flat_map(|v| [0, 1, 2, 3].map(|mode| directed(*v, mode)))
        .collect();
    Launch::new("convert", "to_float_modes", &[COUNT as u64])
        .buffer(&input)
        .gives(&expected)
        .everywhere();
}
