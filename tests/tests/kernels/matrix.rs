//! Products of small matrices by the systolic array.
//!
//! Integers are exact. Floats are chosen so that every sum is also exact: the array's order of
//! additions and its rounding between them are not documented.

use half::{bf16, f16};
use stack_tests::corpus::{Set, set_named};
use stack_tests::{Launch, Random, compare, subject};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use crate::everywhere_with;

/// Bytes of a row of the first matrix, and of a column of the second.
const BYTES: usize = 32;
const SUB_GROUPS: usize = 4;

/// Which kernel, and what it multiplies.
struct Case {
    kernel: &'static str,
    rows: usize,
    /// Bytes of a component of the first matrix per work-item, in sub-groups of 8 and 16
    /// work-items.
    parts: [usize; 2],
    /// Two sub-groups bring one half of the rows each.
    split: bool,
}

impl Case {
    const fn new(kernel: &'static str, rows: usize) -> Self {
        Self {
            kernel,
            rows,
            parts: [4, 2],
            split: false,
        }
    }

    const fn split(kernel: &'static str, rows: usize) -> Self {
        Self {
            split: true,
            ..Self::new(kernel, rows)
        }
    }
}

/// The matrices of a launch: rows and columns as bytes, sub-group by sub-group.
struct Matrices {
    rows: Vec<[u8; BYTES]>,
    columns: Vec<[u8; BYTES]>,
}

/// The work-items of a sub-group.
fn width(run: &str) -> usize {
    if set_named(run).platform().has_simd_width(8) {
        8
    } else {
        16
    }
}

fn has(set: &Set, case: &Case) -> bool {
    let simd8 = set.platform().has_simd_width(8);
    let name = case.kernel;
    set.has("matrix")
        && (!case.split || set.name.starts_with("dg2"))
        && (!name.contains("_to_") || !simd8)
        // Release 22.43 of the compiler lacks this type.
        && (!name.starts_with("tf32") || !simd8 && set.name != "pvc")
}

/// Runs a case: `element` makes the bytes of elements from random bits, `dot` multiplies a row by
/// a column and adds to a sum.
fn check<C>(
    case: &Case,
    seed: u64,
    element: impl Fn(u64) -> Vec<u8>,
    sum: impl Fn(u64) -> C,
    dot: impl Fn(&[u8; BYTES], &[u8; BYTES], C) -> C,
) where
    C: Copy + PartialEq + std::fmt::Debug + FromBytes + IntoBytes + Immutable,
{
    everywhere_with(
        |set| has(set, case),
        |run| {
            let width = width(run);
            let items = SUB_GROUPS * width;
            let mut random = Random::new(seed);
            let own_rows = case.rows / if case.split { 2 } else { 1 };
            let mut side = |count: usize| -> Vec<[u8; BYTES]> {
                let make = |random: &mut Random| {
                    let mut bytes = Vec::new();
                    while bytes.len() < BYTES {
                        bytes.extend(element(random.bits()));
                    }
                    bytes.try_into().unwrap()
                };
                (0..count).map(|_| make(&mut random)).collect()
            };
            let Matrices { rows, columns } = Matrices {
                rows: side(SUB_GROUPS * own_rows),
                columns: side(items),
            };
            let sums = random.many(items * case.rows, &sum);
            // Component c of the sub-group's work-items is consecutive in the matrix.
            let part = case.parts[usize::from(width == 16)];
            let components = own_rows * BYTES / (part * width);
            let matrix = rows.as_flattened();
            let of_items: Vec<u8> = (0..items)
                .flat_map(|item| {
                    let (group, lane) = (item / width, item % width);
                    (0..components).flat_map(move |component| {
                        let at = group * own_rows * BYTES + (component * width + lane) * part;
                        matrix[at..at + part].to_vec()
                    })
                })
                .collect();
            let results = Launch::new("matrix", case.kernel, &[items as u64])
                .local(&[2 * width as u32])
                .buffer(&of_items)
                .buffer(columns.as_flattened())
                .buffer(&sums)
                .out::<C>(items * case.rows)
                .run(run);
            let expected: Vec<C> = (0..items * case.rows)
                .map(|at| {
                    let (item, row) = (at / case.rows, at % case.rows);
                    let group = item / width;
                    let row = if case.split {
                        // The first half is the pair's first sub-group's.
                        ((group & !1) + row / own_rows) * own_rows + row % own_rows
                    } else {
                        group * own_rows + row
                    };
                    dot(&rows[row], &columns[item], sums[at])
                })
                .collect();
            let what = format!("{run} {}", case.kernel);
            compare::equal(&what, &results.read::<C>(3), &expected);
        },
    );
}

/// The elements of this many bits.
fn integers(bytes: &[u8; BYTES], bits: usize, signed: bool) -> impl Iterator<Item = i32> {
    let count = 8 * BYTES / bits;
    (0..count).map(move |index| {
        let byte = i32::from(bytes[index * bits / 8]);
        let raw = byte >> (index * bits % 8) & ((1 << bits) - 1);
        if signed && raw >> (bits - 1) != 0 {
            raw - (1 << bits)
        } else {
            raw
        }
    })
}

fn check_integers(case: &Case, seed: u64, bits: usize, signed: [bool; 2]) {
    check(
        case,
        seed,
        |bits| bits.to_le_bytes().to_vec(),
        |bits| bits as i32,
        |row, column, sum: i32| {
            let row = integers(row, bits, signed[0]);
            let products = row.zip(integers(column, bits, signed[1]));
            products.fold(sum, |sum, (a, b)| sum.wrapping_add(a * b))
        },
    );
}

#[test]
fn bytes() {
    check_integers(&Case::new("i8_i8", 8), 500, 8, [true, true]);
    check_integers(&Case::new("u8_i8", 4), 501, 8, [false, true]);
    check_integers(&Case::new("i8_u8", 2), 502, 8, [true, false]);
    check_integers(&Case::new("u8_u8", 1), 503, 8, [false, false]);
}

#[test]
fn halves_of_bytes() {
    check_integers(&Case::new("i4_i4", 8), 504, 4, [true, true]);
    check_integers(&Case::new("i4_u4", 4), 505, 4, [true, false]);
    check_integers(&Case::new("u4_i4", 2), 506, 4, [false, true]);
    check_integers(&Case::new("u4_u4", 1), 507, 4, [false, false]);
}

#[test]
fn split_bytes() {
    check_integers(&Case::split("split_i8_i8", 8), 508, 8, [true, true]);
    check_integers(&Case::split("split_u8_i8", 4), 509, 8, [false, true]);
    check_integers(&Case::split("split_i8_u8", 2), 510, 8, [true, false]);
}

/// A multiple of an eighth, of magnitude up to 2: their products and sums are exact.
fn eighths(bits: u64) -> f32 {
    (bits % 33) as f32 / 8.0 - 2.0
}

/// A kind of float in matrices.
#[derive(Clone, Copy)]
enum Float {
    Bf16,
    F16,
    Tf32,
}

impl Float {
    fn bytes(self, value: f32) -> Vec<u8> {
        match self {
            Self::Bf16 => bf16::from_f32(value).to_le_bytes().to_vec(),
            Self::F16 => f16::from_f32(value).to_le_bytes().to_vec(),
            Self::Tf32 => value.to_le_bytes().to_vec(),
        }
    }

    fn values(self, bytes: &[u8; BYTES]) -> Vec<f32> {
        let words = bytes.as_chunks::<2>().0.iter().copied();
        match self {
            Self::Bf16 => words.map(|w| bf16::from_le_bytes(w).to_f32()).collect(),
            Self::F16 => words.map(|w| f16::from_le_bytes(w).to_f32()).collect(),
            Self::Tf32 => {
                let dwords = bytes.as_chunks::<4>().0.iter();
                dwords.map(|d| f32::from_le_bytes(*d)).collect()
            }
        }
    }

    /// The product of a row and a column.
    fn dot(self, row: &[u8; BYTES], column: &[u8; BYTES]) -> f32 {
        let products = self.values(row).into_iter().zip(self.values(column));
        products.map(|(a, b)| a * b).sum()
    }
}

fn check_floats(case: &Case, seed: u64, float: Float) {
    check(
        case,
        seed,
        |bits| float.bytes(eighths(bits)),
        eighths,
        |row, column, sum: f32| sum + float.dot(row, column),
    );
}

#[test]
fn floats() {
    check_floats(&Case::new("bf16", 8), 520, Float::Bf16);
    check_floats(&Case::new("bf16_row", 1), 521, Float::Bf16);
    check_floats(&Case::new("f16", 8), 522, Float::F16);
    check_floats(&Case::new("f16_rows", 4), 523, Float::F16);
}

#[test]
fn split_floats() {
    check_floats(&Case::split("split_bf16", 8), 524, Float::Bf16);
    check_floats(&Case::split("split_f16", 4), 525, Float::F16);
}

#[test]
fn tf32() {
    let case = |kernel, rows| Case {
        parts: [4, 4],
        ..Case::new(kernel, rows)
    };
    check_floats(&case("tf32", 8), 526, Float::Tf32);
    check_floats(&case("tf32_rows", 4), 527, Float::Tf32);
}

#[test]
fn sums_of_16_bits() {
    check(
        &Case::new("bf16_to_bf16", 8),
        528,
        |bits| Float::Bf16.bytes(eighths(bits)),
        |bits| bf16::from_f32(eighths(bits)).to_bits(),
        |row, column, sum: u16| {
            let sum = bf16::from_bits(sum).to_f32() + Float::Bf16.dot(row, column);
            bf16::from_f32(sum).to_bits()
        },
    );
    check(
        &Case::new("f16_to_f16", 8),
        529,
        |bits| Float::F16.bytes(eighths(bits)),
        |bits| f16::from_f32(eighths(bits)).to_bits(),
        |row, column, sum: u16| {
            let sum = f16::from_bits(sum).to_f32() + Float::F16.dot(row, column);
            f16::from_f32(sum).to_bits()
        },
    );
}

/// The second product takes its halves from the first one's results.
#[test]
fn split_twice() {
    everywhere_with(
        |set| has(set, &Case::split("split_twice", 8)),
        |run| {
            const WIDTH: usize = 8;
            let items = SUB_GROUPS * WIDTH;
            let mut random = Random::new(530);
            let a = random.many(items * 4, |bits| bits as u32);
            let b = random.many(items * 8, |bits| bits as u32);
            let sums = random.many(items * 8, |bits| bits as i32);
            let product = |a: &[u32], sums: &[i32]| -> Vec<i32> {
                let bytes = |dword: u32| dword.to_le_bytes().map(|byte| i32::from(byte as i8));
                (0..items * 8)
                    .map(|at| {
                        let (item, row) = (at / 8, at % 8);
                        let group = ((item / WIDTH) & !1) + row / 4;
                        (0..WIDTH).fold(sums[at], |sum, k| {
                            let left = bytes(a[(group * WIDTH + k) * 4 + row % 4]);
                            let right = bytes(b[item * 8 + k]);
                            left.into_iter()
                                .zip(right)
                                .fold(sum, |sum, (x, y)| sum.wrapping_add(x * y))
                        })
                    })
                    .collect()
            };
            let first = product(&a, &sums);
            let next: Vec<u32> = (0..items * 4)
                .map(|at| {
                    let (item, row) = (at / 4, at % 4);
                    (first[item * 8 + row] ^ first[item * 8 + row + 4]) as u32
                })
                .collect();
            let results = Launch::new("matrix", "split_twice", &[items as u64])
                .local(&[2 * WIDTH as u32])
                .buffer(&a)
                .buffer(&b)
                .buffer(&sums)
                .out::<i32>(items * 8)
                .run(run);
            compare::equal(run, &results.read::<i32>(3), &product(&next, &first));
        },
    );
}

/// An instruction of a pair in a group of one sub-group.
#[test]
fn a_split_product_needs_two_sub_groups() {
    everywhere_with(
        |set| has(set, &Case::split("split_i8_i8", 8)),
        |run| {
            let launch = Launch::new("matrix", "split_i8_i8", &[8])
                .local(&[8])
                .buffer(&[0u32; 32])
                .buffer(&[0u32; 64])
                .buffer(&[0u32; 64])
                .out::<i32>(64);
            let error = launch.try_run(run).expect_err("it has no pair");
            let text = error.to_string();
            // Only the software GPU tells what is wrong.
            let told = text.contains("even in number") || subject::named().is_some();
            assert!(told, "{run}: {text}");
        },
    );
}
