//! Comparisons that say where two results differ.

use std::fmt::{Debug, Display};

/// Asserts that two slices are equal.
///
/// # Panics
/// With the first differences, if they are not.
pub fn equal<T: PartialEq + Debug>(what: &str, got: &[T], expected: &[T]) {
    fit(
        what,
        got,
        expected,
        |_, got, expected| got == expected,
        |_| "",
    );
}

/// Asserts that every element fits what is expected. `of` says what the element of an index is of.
///
/// # Panics
/// With the first elements that do not.
pub fn fit<T: Debug, E: Debug, D: Display>(
    what: &str,
    got: &[T],
    expected: &[E],
    fits: impl Fn(usize, &T, &E) -> bool,
    of: impl Fn(usize) -> D,
) {
    assert_eq!(got.len(), expected.len(), "{what}: lengths");
    let pairs = got.iter().zip(expected).enumerate();
    let wrong: Vec<String> = pairs
        .filter(|(at, (got, expected))| !fits(*at, got, expected))
        .map(|(at, (got, expected))| format!("  [{at}] {} is {got:?}, not {expected:?}", of(at)))
        .collect();
    let (all, count) = (got.len(), wrong.len());
    let first = wrong.into_iter().take(8).collect::<Vec<_>>().join("\n");
    assert!(count == 0, "{what}: {count} of {all} are wrong\n{first}");
}

/// How far `got` is from the exact `expected`, in units of the last place of `f32` there
/// (OpenCL C 7.4). Results that only differ in how tiny numbers are flushed to zero count as
/// equal, as devices without denormals may do (OpenCL C 7.5.3).
pub fn ulps_f32(got: f32, expected: f64) -> f64 {
    let rounded = expected as f32;
    if got.is_nan() || rounded.is_nan() {
        return if got.is_nan() && rounded.is_nan() {
            0.0
        } else {
            f64::INFINITY
        };
    }
    if got == rounded {
        return 0.0;
    }
    if got.is_infinite() || rounded.is_infinite() {
        return f64::INFINITY;
    }
    if got.abs() <= f32::MIN_POSITIVE && rounded.abs() <= f32::MIN_POSITIVE {
        return 0.0;
    }
    let exponent = expected
        .abs()
        .max(f64::from(f32::MIN_POSITIVE))
        .log2()
        .floor();
    (f64::from(got) - expected).abs() / (exponent - 23.0).exp2()
}

/// Asserts that every element is within `limit` ULP of the exact value.
///
/// # Panics
/// With the worst element, if one is not.
pub fn within_ulps(what: &str, inputs: &[impl Debug], got: &[f32], expected: &[f64], limit: f64) {
    assert_eq!(got.len(), expected.len(), "{what}: lengths");
    let worst = got
        .iter()
        .zip(expected)
        .enumerate()
        .map(|(i, (g, e))| (ulps_f32(*g, *e), i))
        .max_by(|a, b| a.0.total_cmp(&b.0));
    let Some((ulps, i)) = worst else { return };
    assert!(
        ulps <= limit,
        "{what}({:?}) is {:?}, expected {:?}: {ulps:.2} ULP, allowed {limit}",
        inputs.get(i),
        got.get(i),
        expected.get(i)
    );
}
