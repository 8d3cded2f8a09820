//! The operations on lanes.

use crate::bits;
use crate::convert::{double_to_odd_single, single_to_half};
use crate::level::Level;
use crate::operand::Reading;
use crate::word::Word;

/// What the lanes of a result are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Result {
    /// Integers, modulo the destination's size.
    Integer,
    /// Signed integers, clamped to the destination's range.
    Clamped,
    /// Floats.
    Float,
    /// Halves that are already rounded.
    Half,
}

/// An operation on up to three lanes.
pub(crate) trait LaneOp {
    /// Lanes of the sources and of the result.
    type In: Word;
    type Out: Word;
    /// The number of sources.
    const SOURCES: usize;
    const READING: Reading;
    const RESULT: Result;
    /// The result of one channel.
    fn lane<L: Level>(a: Self::In, b: Self::In, c: Self::In) -> Self::Out;
}

macro_rules! lane_ops {
    ($($(#[$doc:meta])* $name:ident $reading:ident($in:ident $sources:literal) $result:ident($out:ident)
        $level:ident |$a:ident, $b:ident, $c:ident| $body:expr;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub(crate) struct $name;

            impl LaneOp for $name {
                type In = $in;
                type Out = $out;
                const SOURCES: usize = $sources;
                const READING: Reading = Reading::$reading;
                const RESULT: Result = Result::$result;

                #[inline(always)]
                fn lane<$level: Level>($a: $in, $b: $in, $c: $in) -> $out {
                    let _ = ($b, $c);
                    $body
                }
            }
        )*
    };
}

#[inline(always)]
fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

#[inline(always)]
fn d(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// A function of `math` that goes through double precision.
#[inline(always)]
fn wide(bits: u32, function: impl Fn(f64) -> f64) -> u32 {
    (function(f(bits).into()) as f32).to_bits()
}

#[inline(always)]
fn rsqrt(x: f64) -> f64 {
    // The sign of zero decides, as for a reciprocal.
    1.0 / if x == 0.0 { x } else { x.sqrt() }
}

/// `x - floor(x)`, truncated so that it stays below one.
#[inline(always)]
fn fraction(x: f32) -> f32 {
    let difference = f64::from(x) - f64::from(x.floor());
    let near = difference as f32;
    if f64::from(near) > difference || near >= 1.0 {
        near.next_down()
    } else {
        near
    }
}

lane_ops! {
    Copy32 Bits(u32 1) Integer(u32) L |a, b, c| a;
    Move32 Integer(u32 1) Integer(u32) L |a, b, c| a;
    Not32 Bits(u32 1) Integer(u32) L |a, b, c| !a;
    And32 Bits(u32 2) Integer(u32) L |a, b, c| a & b;
    Or32 Bits(u32 2) Integer(u32) L |a, b, c| a | b;
    Xor32 Bits(u32 2) Integer(u32) L |a, b, c| a ^ b;
    Add32 Integer(u32 2) Integer(u32) L |a, b, c| a.wrapping_add(b);
    AddThree32 Integer(u32 3) Integer(u32) L |a, b, c| a.wrapping_add(b).wrapping_add(c);
    Mul32 Integer(u32 2) Integer(u32) L |a, b, c| a.wrapping_mul(b);
    Mad32 Integer(u32 3) Integer(u32) L |a, b, c| b.wrapping_mul(c).wrapping_add(a);
    Shl32 Integer(u32 2) Integer(u32) L |a, b, c| a << (b & 31);
    Shr32 Integer(u32 2) Integer(u32) L |a, b, c| a >> (b & 31);
    Asr32 Integer(u32 2) Integer(u32) L |a, b, c| (a as i32 >> (b & 31)) as u32;
    Rol32 Integer(u32 2) Integer(u32) L |a, b, c| a.rotate_left(b & 31);
    Ror32 Integer(u32 2) Integer(u32) L |a, b, c| a.rotate_right(b & 31);
    Cbit32 Integer(u32 1) Integer(u32) L |a, b, c| a.count_ones();
    Lzd32 Integer(u32 1) Integer(u32) L |a, b, c| bits::lzd(a);
    Fbl32 Integer(u32 1) Integer(u32) L |a, b, c| bits::fbl(a);
    FbhSigned Integer(u32 1) Integer(u32) L |a, b, c| bits::fbh_signed(a);
    FbhUnsigned Integer(u32 1) Integer(u32) L |a, b, c| bits::fbh_unsigned(a);
    Bfrev32 Integer(u32 1) Integer(u32) L |a, b, c| bits::bfrev(a);
    BfeSigned Integer(u32 3) Integer(u32) L |a, b, c| bits::bfe_signed(a, b, c);
    BfeUnsigned Integer(u32 3) Integer(u32) L |a, b, c| bits::bfe_unsigned(a, b, c);
    Bfi132 Integer(u32 2) Integer(u32) L |a, b, c| bits::bfi1(a, b);
    Bfi232 Integer(u32 3) Integer(u32) L |a, b, c| bits::bfi2(a, b, c);
    MinSigned Integer(u32 2) Integer(u32) L |a, b, c| (a as i32).min(b as i32) as u32;
    MaxSigned Integer(u32 2) Integer(u32) L |a, b, c| (a as i32).max(b as i32) as u32;
    MinUnsigned Integer(u32 2) Integer(u32) L |a, b, c| a.min(b);
    MaxUnsigned Integer(u32 2) Integer(u32) L |a, b, c| a.max(b);
    QuotientSigned Integer(u32 2) Integer(u32) L |a, b, c| bits::divide_signed(a, b).0;
    QuotientUnsigned Integer(u32 2) Integer(u32) L |a, b, c| bits::divide_unsigned(a, b).0;
    RemainderSigned Integer(u32 2) Integer(u32) L |a, b, c| bits::divide_signed(a, b).1;
    RemainderUnsigned Integer(u32 2) Integer(u32) L |a, b, c| bits::divide_unsigned(a, b).1;

    Copy64 Bits(u64 1) Integer(u64) L |a, b, c| a;
    Move64 Integer(u64 1) Integer(u64) L |a, b, c| a;
    Not64 Bits(u64 1) Integer(u64) L |a, b, c| !a;
    And64 Bits(u64 2) Integer(u64) L |a, b, c| a & b;
    Or64 Bits(u64 2) Integer(u64) L |a, b, c| a | b;
    Xor64 Bits(u64 2) Integer(u64) L |a, b, c| a ^ b;
    Add64 Integer(u64 2) Integer(u64) L |a, b, c| a.wrapping_add(b);
    AddThree64 Integer(u64 3) Integer(u64) L |a, b, c| a.wrapping_add(b).wrapping_add(c);
    Mul64 Integer(u64 2) Integer(u64) L |a, b, c| a.wrapping_mul(b);
    Mad64 Integer(u64 3) Integer(u64) L |a, b, c| b.wrapping_mul(c).wrapping_add(a);
    Shl64 Integer(u64 2) Integer(u64) L |a, b, c| a << (b & 63);
    Shr64 Integer(u64 2) Integer(u64) L |a, b, c| a >> (b & 63);
    Asr64 Integer(u64 2) Integer(u64) L |a, b, c| (a as i64 >> (b & 63)) as u64;
    /// Integers of at most 32 bits, exactly, for saturation.
    MoveClamped Integer(u64 1) Clamped(u64) L |a, b, c| a;
    AddClamped Integer(u64 2) Clamped(u64) L |a, b, c| a.wrapping_add(b);
    /// Also exact: the sum needs 33 bits, the mean 32.
    Mean Integer(u64 2) Integer(u64) L |a, b, c| (a.wrapping_add(b).wrapping_add(1) as i64 >> 1) as u64;

    MoveF Float(u32 1) Float(u32) L |a, b, c| a;
    AddF Float(u32 2) Float(u32) L |a, b, c| (f(a) + f(b)).to_bits();
    MulF Float(u32 2) Float(u32) L |a, b, c| (f(a) * f(b)).to_bits();
    MadF Float(u32 3) Float(u32) L |a, b, c| L::fma(f(b), f(c), f(a)).to_bits();
    /// On halves: product and sum in double precision lose nothing that would change the one
    /// rounding to a half.
    MadHalf Float(u32 3) Half(u32) L |a, b, c| {
        let sum = f64::from(f(b)) * f64::from(f(c)) + f64::from(f(a));
        single_to_half(double_to_odd_single(sum))
    };
    FloorF Float(u32 1) Float(u32) L |a, b, c| f(a).floor().to_bits();
    CeilF Float(u32 1) Float(u32) L |a, b, c| f(a).ceil().to_bits();
    TruncF Float(u32 1) Float(u32) L |a, b, c| f(a).trunc().to_bits();
    EvenF Float(u32 1) Float(u32) L |a, b, c| f(a).round_ties_even().to_bits();
    FractionF Float(u32 1) Float(u32) L |a, b, c| fraction(f(a)).to_bits();
    InvF Float(u32 1) Float(u32) L |a, b, c| (1.0 / f(a)).to_bits();
    DivideF Float(u32 2) Float(u32) L |a, b, c| (f(a) / f(b)).to_bits();
    SqrtF Float(u32 1) Float(u32) L |a, b, c| f(a).sqrt().to_bits();
    RsqrtF Float(u32 1) Float(u32) L |a, b, c| wide(a, rsqrt);
    LogF Float(u32 1) Float(u32) L |a, b, c| wide(a, f64::log2);
    ExpF Float(u32 1) Float(u32) L |a, b, c| wide(a, f64::exp2);
    SinF Float(u32 1) Float(u32) L |a, b, c| wide(a, f64::sin);
    CosF Float(u32 1) Float(u32) L |a, b, c| wide(a, f64::cos);
    MinF Float(u32 2) Float(u32) L |a, b, c| if f(a) < f(b) || f(b).is_nan() && !f(a).is_nan() { a } else { b };
    MaxF Float(u32 2) Float(u32) L |a, b, c| if f(a) >= f(b) || f(b).is_nan() && !f(a).is_nan() { a } else { b };

    SignedToF Integer(u32 1) Float(u32) L |a, b, c| (a as i32 as f32).to_bits();
    UnsignedToF Integer(u32 1) Float(u32) L |a, b, c| (a as f32).to_bits();
    FToSigned Float(u32 1) Integer(u32) L |a, b, c| f(a) as i32 as u32;
    FToUnsigned Float(u32 1) Integer(u32) L |a, b, c| f(a) as u32;
    /// To words and bytes.
    FToSmall Float(u32 1) Clamped(u32) L |a, b, c| f(a) as i32 as u32;
    FToSigned64 Float(u32 1) Integer(u64) L |a, b, c| f(a) as i64 as u64;
    FToUnsigned64 Float(u32 1) Integer(u64) L |a, b, c| f(a) as u64;
    Signed64ToF Integer(u64 1) Float(u32) L |a, b, c| (a as i64 as f32).to_bits();
    Unsigned64ToF Integer(u64 1) Float(u32) L |a, b, c| (a as f32).to_bits();

    MoveD Float(u64 1) Float(u64) L |a, b, c| a;
    AddD Float(u64 2) Float(u64) L |a, b, c| (d(a) + d(b)).to_bits();
    MulD Float(u64 2) Float(u64) L |a, b, c| (d(a) * d(b)).to_bits();
    MadD Float(u64 3) Float(u64) L |a, b, c| L::fma64(d(b), d(c), d(a)).to_bits();
    FToD Float(u32 1) Float(u64) L |a, b, c| f64::from(f(a)).to_bits();
    DToF Float(u64 1) Float(u32) L |a, b, c| (d(a) as f32).to_bits();
    SignedToD Integer(u64 1) Float(u64) L |a, b, c| (a as i64 as f64).to_bits();
    UnsignedToD Integer(u64 1) Float(u64) L |a, b, c| (a as f64).to_bits();
    DToSigned Float(u64 1) Integer(u32) L |a, b, c| d(a) as i32 as u32;
    DToUnsigned Float(u64 1) Integer(u32) L |a, b, c| d(a) as u32;
    DToSigned64 Float(u64 1) Integer(u64) L |a, b, c| d(a) as i64 as u64;
    DToUnsigned64 Float(u64 1) Integer(u64) L |a, b, c| d(a) as u64;
    MinD Float(u64 2) Float(u64) L |a, b, c| if d(a) < d(b) || d(b).is_nan() && !d(a).is_nan() { a } else { b };
    MaxD Float(u64 2) Float(u64) L |a, b, c| if d(a) >= d(b) || d(b).is_nan() && !d(a).is_nan() { a } else { b };
}
