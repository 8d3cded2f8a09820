//! Integer arithmetic of every type.

use std::fmt::Debug;

use stack_tests::{Launch, Random};
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// An integer type of OpenCL C, with reference operations in 128 bits.
trait Int: Copy + Debug + PartialEq + FromBytes + IntoBytes + Immutable {
    const NAME: &str;
    const BITS: u32;
    const SIGNED: bool;

    fn wide(self) -> i128;
    /// Keeps the low bits.
    fn cut(value: i128) -> Self;
}

macro_rules! ints {
    ($($ty:ty, $name:literal;)*) => {$(
        impl Int for $ty {
            const NAME: &str = $name;
            const BITS: u32 = <$ty>::BITS;
            const SIGNED: bool = <$ty>::MIN != 0;

            fn wide(self) -> i128 {
                self.into()
            }

            fn cut(value: i128) -> Self {
                value as $ty
            }
        }
    )*};
}

ints! {
    i8, "char"; u8, "uchar";
    i16, "short"; u16, "ushort";
    i32, "int"; u32, "uint";
    i64, "long"; u64, "ulong";
}

fn limits<T: Int>() -> (i128, i128) {
    if T::SIGNED {
        (-(1 << (T::BITS - 1)), (1 << (T::BITS - 1)) - 1)
    } else {
        (0, (1 << T::BITS) - 1)
    }
}

fn saturated<T: Int>(value: i128) -> T {
    let (low, high) = limits::<T>();
    T::cut(value.clamp(low, high))
}

/// The bits without a sign.
fn bits<T: Int>(value: T) -> u128 {
    (value.wide() as u128) & ((1 << T::BITS) - 1)
}

/// Random values, including the ends of the range and small numbers.
fn inputs<T: Int>(seed: u64, count: usize) -> Vec<T> {
    let (low, high) = limits::<T>();
    let special = [0, 1, 2, 3, -1, low, high, low + 1, high - 1, high / 2];
    let mut random = Random::new(seed);
    (0..count)
        .map(|_| match random.below(4) {
            0 => T::cut(special[random.below(special.len() as u64) as usize]),
            1 => T::cut(random.below(20) as i128 - 10),
            _ => T::cut(i128::from(random.bits())),
        })
        .collect()
}

fn basics<T: Int>(x: T, y: T) -> [T; 14] {
    let (a, b) = (x.wide(), y.wide());
    let shift = (b & i128::from(T::BITS - 1)) as u32;
    // Signed division of the lowest number by -1 overflows: OpenCL leaves the result open, and the
    // inputs below avoid it.
    let (quotient, remainder) = if b == 0 { (0, 0) } else { (a / b, a % b) };
    let order = i128::from(a < b)
        + 2 * i128::from(a <= b)
        + 4 * i128::from(a == b)
        + 8 * i128::from(a != b);
    [
        a + b,
        a - b,
        a.wrapping_mul(b),
        quotient,
        remainder,
        a << shift,
        a >> shift,
        a & b,
        a | b,
        a ^ b,
        !a,
        -a,
        order,
        if a != 0 && b == 0 { a } else { b },
    ]
    .map(T::cut)
}

fn built_ins<T: Int>(x: T, y: T, z: T) -> [T; 19] {
    let (a, b, c) = (x.wide(), y.wide(), z.wide());
    let product = a.wrapping_mul(b);
    // The product of two ulongs does not fit i128, but its high half can be taken from u128.
    let high = if T::SIGNED {
        product >> T::BITS
    } else {
        ((a as u128 * b as u128) >> T::BITS) as i128
    };
    let mad_sat = if !T::SIGNED && high > 0 {
        limits::<T>().1
    } else {
        product + c
    };
    let leading = i128::from(bits(x).leading_zeros()) - i128::from(128 - T::BITS);
    let trailing = i128::from(bits(x).trailing_zeros().min(T::BITS));
    let turn = (bits(y) % u128::from(T::BITS)) as u32;
    let rotated = bits(x) << turn | bits(x) >> (T::BITS - turn).min(127);
    let rotated = if turn == 0 { bits(x) } else { rotated };
    [
        T::cut(a.abs()),
        T::cut((a - b).abs()),
        saturated(a + b),
        saturated(a - b),
        T::cut((a + b) >> 1),
        T::cut((a + b + 1) >> 1),
        T::cut(a.clamp(b.min(c), b.max(c))),
        T::cut(leading),
        T::cut(trailing),
        T::cut(high + c),
        saturated(mad_sat),
        T::cut(a.max(b)),
        T::cut(a.min(b)),
        T::cut(high),
        T::cut(rotated as i128),
        T::cut(i128::from(bits(x).count_ones())),
        T::cut((a & !c) | (b & c)),
        // A scalar select looks at the whole condition.
        if c != 0 { y } else { x },
        T::cut(product.wrapping_add(c)),
    ]
}

fn check_basics<T: Int>() {
    const COUNT: usize = 384;
    let a = inputs::<T>(10, COUNT);
    let mut b = inputs::<T>(11, COUNT);
    let lowest = limits::<T>().0;
    for (x, y) in a.iter().zip(&mut b) {
        if T::SIGNED && x.wide() == lowest && y.wide() == -1 {
            *y = T::cut(1);
        }
    }
    let expected: Vec<T> = a.iter().zip(&b).flat_map(|(x, y)| basics(*x, *y)).collect();
    Launch::new("integer", &format!("basics_{}", T::NAME), &[COUNT as u64])
        .buffer(&a)
        .buffer(&b)
        .fits(
            &expected,
            same,
            of(14, |i| format!("{:?} {:?}", a[i], b[i])),
        )
        .everywhere();
}

/// Inputs for which the library of Intel's compiler (22.43) is wrong on any device: rhadd of the
/// largest ulong with itself, and mad_sat of longs when the product fits but the sum does not, or
/// when the product is zero and one factor negative (its `mad_sat.cl` takes a high half that is not
/// -1 for an overflow then).
fn compiler_is_wrong<T: Int>(x: T, y: T, z: T) -> bool {
    let (low, high) = limits::<T>();
    let both_largest = !T::SIGNED && x.wide() == high && y.wide() == high;
    let product = x.wide().wrapping_mul(y.wide());
    let sum_overflows = T::SIGNED
        && (low..=high).contains(&product)
        && !(low..=high).contains(&(product + z.wide()));
    let negative_by_zero = T::SIGNED && product == 0 && (x.wide() < 0) != (y.wide() < 0);
    T::BITS == 64 && (both_largest || sum_overflows || negative_by_zero)
}

fn check_built_ins<T: Int>() {
    const COUNT: usize = 384;
    let [mut a, b, mut c] = [12, 13, 14].map(|seed| inputs::<T>(seed, COUNT));
    for ((x, y), z) in a.iter_mut().zip(&b).zip(&mut c) {
        if compiler_is_wrong(*x, *y, *z) {
            (*x, *z) = (T::cut(1), T::cut(0));
        }
    }
    let expected: Vec<T> = (0..COUNT)
        .flat_map(|i| built_ins(a[i], b[i], c[i]))
        .collect();
    let of = of(19, |i| format!("{:?} {:?} {:?}", a[i], b[i], c[i]));
    Launch::new(
        "integer",
        &format!("built_ins_{}", T::NAME),
        &[COUNT as u64],
    )
    .buffer(&a)
    .buffer(&b)
    .buffer(&c)
    .fits(&expected, same, of)
    .everywhere();
}

fn same<T: PartialEq>(_: usize, got: &T, expected: &T) -> bool {
    got == expected
}

/// What a result is of, with `operations` per item.
fn of(operations: usize, inputs: impl Fn(usize) -> String) -> impl Fn(usize) -> String {
    move |at| {
        format!(
            "operation {} of {}",
            at % operations,
            inputs(at / operations)
        )
    }
}

macro_rules! per_type {
    ($($module:ident $ty:ty;)*) => {$(
        mod $module {
            #[test]
            fn basics() {
                super::check_basics::<$ty>();
            }

            #[test]
            fn built_ins() {
                super::check_built_ins::<$ty>();
            }
        }
    )*};
}

per_type! {
    char i8; uchar u8; short i16; ushort u16; int i32; uint u32; long i64; ulong u64;
}

#[test]
fn narrow() {
    const COUNT: usize = 256;
    let a = inputs::<i32>(15, COUNT);
    let b = inputs::<i32>(16, COUNT);
    let expected: Vec<i64> = a
        .iter()
        .zip(&b)
        .flat_map(|(&x, &y)| {
            let (x24, y24) = (x << 8 >> 8, y << 8 >> 8);
            let (u24, v24) = (x as u32 & 0xff_ffff, y as u32 & 0xff_ffff);
            [
                i64::from(x24.wrapping_mul(y24)),
                i64::from(x24.wrapping_mul(y24).wrapping_add(x)),
                i64::from(u24.wrapping_mul(v24)),
                i64::from((i16::from(x as i8) << 8) | i16::from(y as u8)),
                i64::from((i32::from(x as i16) << 16) | i32::from(y as u16)),
                (i64::from(x) << 32) | i64::from(y as u32),
                i64::from((u16::from(x as u8) << 8) | u16::from(y as u8)),
                i64::from(x) * i64::from(y),
                (u64::from(x as u32) * u64::from(y as u32)) as i64,
            ]
        })
        .collect();
    Launch::new("integer", "narrow", &[COUNT as u64])
        .buffer(&a)
        .buffer(&b)
        .fits(
            &expected,
            same,
            of(9, |i| format!("{:#x} {:#x}", a[i], b[i])),
        )
        .everywhere();
}

#[test]
fn dot_bytes() {
    const COUNT: usize = 100;
    let a = inputs::<i8>(17, COUNT * 4);
    let b = inputs::<i8>(18, COUNT * 4);
    let c = inputs::<u8>(19, COUNT * 4);
    let expected: Vec<i32> = (0..COUNT)
        .flat_map(|i| {
            let at = 4 * i..4 * i + 4;
            let signed = at.clone().map(|k| i32::from(a[k]) * i32::from(b[k])).sum();
            [
                signed,
                at.map(|k| i32::from(a[k]) * i32::from(c[k])).sum::<i32>(),
            ]
        })
        .collect();
    Launch::new("integer", "dot_bytes", &[COUNT as u64])
        .buffer(&a)
        .buffer(&b)
        .buffer(&c)
        .gives(&expected)
        .everywhere();
}

#[test]
fn constant_division() {
    const COUNT: usize = 256;
    let a = inputs::<i32>(20, COUNT);
    let expected: Vec<i32> = a
        .iter()
        .flat_map(|&x| {
            let u = x as u32;
            [
                x / 3,
                x % 7,
                x / 10,
                x / -1000,
                (u / 3) as i32,
                (u % 10) as i32,
                x / 16,
                x % 16,
            ]
        })
        .collect();
    Launch::new("integer", "constant_division", &[COUNT as u64])
        .buffer(&a)
        .fits(&expected, same, of(8, |i| a[i].to_string()))
        .everywhere();
}
