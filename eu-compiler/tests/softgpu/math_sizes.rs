//! The math library near the largest and the smallest numbers.

use crate::buffer;
use crate::common::{PLATFORMS, Run, numbers, run};
use crate::math::{COUNT, MATH, compare, floats, floats_of, ulps};

/// What is just below the largest number, and just above it.
#[test]
fn results_near_the_largest_number() {
    let [spread, short] = [37, 41].map(|seed| {
        let numbers = numbers(COUNT, seed).into_iter();
        let unit = numbers.map(|number| f64::from(number) / 2f64.powi(31));
        unit.collect::<Vec<_>>()
    });
    // Powers of two that are the results.
    let exponents: Vec<f64> = short.iter().map(|short| 128.0 - 1e-4 * short).collect();
    let pairs = |base: &dyn Fn(f64) -> f64| -> (Vec<f32>, Vec<f64>) {
        let bases: Vec<f32> = spread.iter().map(|x| base(*x) as f32).collect();
        let both = bases.iter().zip(&exponents);
        let powers = both.map(|(x, to)| to / f64::from(x.abs()).log2());
        let powers = powers.collect();
        (bases, powers)
    };

    let (x, y) = pairs(&|spread| 2.5 + spread);
    let y: Vec<f32> = y.into_iter().map(|y| y as f32).collect();
    let both = x.iter().zip(&y);
    let want = both.map(|(x, y)| f64::from(*x).powf((*y).into())).collect();
    let args = [buffer!(vec![0f32; COUNT]), buffer!(x), buffer!(y)];
    let show = |index: usize| format!("{:e}, {:e}", x[index], y[index]);
    compare("pow_2", &args, &[want], 16.0, &show);

    let (x, n) = pairs(&|spread| -1.0 - spread * 2f64.powi(-12));
    let n: Vec<i32> = n.into_iter().map(|n| n as i32).collect();
    let both = x.iter().zip(&n);
    let want = both.map(|(x, n)| f64::from(*x).powf((*n).into())).collect();
    let args = [buffer!(vec![0f32; COUNT]), buffer!(x), buffer!(n)];
    let show = |index: usize| format!("{:e}, {}", x[index], n[index]);
    compare("pown_i", &args, &[want], 16.0, &show);

    type Reference = fn(f64) -> f64;
    let functions: [(&str, f64, Reference); 4] = [
        ("exp_1", 128.0 * std::f64::consts::LN_2, f64::exp),
        ("exp10_1", 128.0 * std::f64::consts::LOG10_2, |x| {
            10f64.powf(x)
        }),
        ("sinh_1", 129.0 * std::f64::consts::LN_2, f64::sinh),
        ("cosh_1", 129.0 * std::f64::consts::LN_2, f64::cosh),
    ];
    for (kernel, end, want) in functions {
        let x: Vec<f32> = short
            .iter()
            .map(|short| (end - 1e-4 * short) as f32)
            .collect();
        let wants = x.iter().map(|x| want(f64::from(*x))).collect();
        let args = [buffer!(vec![0f32; COUNT]), buffer!(x)];
        compare(kernel, &args, &[wants], 4.0, &|index| {
            format!("{:e}", x[index])
        });
    }
}

/// Components of one vector may be of very different sizes.
#[test]
fn small_components_of_normalized_vectors_keep_their_bits() {
    let spread = |number: i32| {
        let size = (number >> 8 & 0x7f) - 64;
        (1.0 + f64::from(number >> 16 & 0x7fff) / 2f64.powi(15)) * 2f64.powi(size)
    };
    let x: Vec<f32> = numbers(COUNT, 47)
        .into_iter()
        .map(|number| spread(number) as f32)
        .collect();
    let vectors = x.chunks_exact(4);
    let want = vectors.flat_map(|vector| {
        let square = |x: &f32| f64::from(*x) * f64::from(*x);
        let length = vector.iter().map(square).sum::<f64>().sqrt();
        vector.iter().map(move |x| f64::from(*x) / length)
    });
    let want: Vec<f64> = want.collect();
    for platform in PLATFORMS {
        let what = Run {
            spirv: MATH,
            kernel: "unit",
            simd: None,
            global: &[COUNT as u64 / 4],
            local: None,
            args: vec![buffer!(vec![0f32; COUNT]), buffer!(x)],
        };
        let out = floats_of(&run(platform, &what).unwrap()[0]);
        for (index, (have, want)) in out.iter().zip(&want).enumerate() {
            // "2 + n ulp" (OpenCL C, relative error of geometric functions).
            let error = ulps(*have, *want);
            let vector = &x[index & !3..(index & !3) + 4];
            assert!(
                error <= 6.0,
                "{platform}: normalize({vector:?}) has {have:e}, not {want:e}"
            );
        }
    }
}

/// Divisors have inverses that no float is.
#[test]
fn half_divide_takes_divisors_of_all_sizes() {
    let x = floats(COUNT, 7);
    let small = |index: usize, number: i32| match index % 3 {
        0 => f32::from_bits(number as u32 & 0x807f_ffff),
        1 => f32::from_bits(number as u32 & 0x80ff_ffff | 0x7e80_0000),
        _ => f32::from_bits(number as u32),
    };
    let y = numbers(COUNT, 43).into_iter().enumerate();
    let y: Vec<f32> = y.map(|(index, number)| small(index, number)).collect();
    let both = x.iter().zip(&y);
    let want = both.map(|(x, y)| f64::from(*x) / f64::from(*y)).collect();
    let args = [buffer!(vec![0f32; COUNT]), buffer!(x), buffer!(y)];
    let show = |index: usize| format!("{:e}, {:e}", x[index], y[index]);
    compare("half_divide_2", &args, &[want], 8192.0, &show);
}
