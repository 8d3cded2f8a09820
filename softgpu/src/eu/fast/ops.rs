//! The lane operations of the routines.

use super::level::Level;

/// An operation on up to three lanes.
pub(super) trait LaneOp {
    /// The number of sources.
    const SOURCES: usize;
    /// The result of one channel.
    fn lane<L: Level>(a: u32, b: u32, c: u32) -> u32;
}

macro_rules! lane_ops {
    ($($(#[$doc:meta])* $name:ident $sources:literal $level:ident |$a:ident, $b:ident, $c:ident| $body:expr;)*) => {
        $(
            $(#[$doc])*
            #[derive(Debug)]
            pub(super) struct $name;

            impl LaneOp for $name {
                const SOURCES: usize = $sources;

                #[inline(always)]
                fn lane<$level: Level>($a: u32, $b: u32, $c: u32) -> u32 {
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

lane_ops! {
    /// Copies.
    Copy 1 L |a, b, c| a;
    /// `not`.
    Not 1 L |a, b, c| !a;
    /// `and`.
    And 2 L |a, b, c| a & b;
    /// `or`.
    Or 2 L |a, b, c| a | b;
    /// `xor`.
    Xor 2 L |a, b, c| a ^ b;
    /// `add` of integers.
    Add 2 L |a, b, c| a.wrapping_add(b);
    /// `add3` of integers.
    Add3 3 L |a, b, c| a.wrapping_add(b).wrapping_add(c);
    /// `mul` of integers, low half.
    Mul 2 L |a, b, c| a.wrapping_mul(b);
    /// `mad` of integers, low half.
    Mad 3 L |a, b, c| b.wrapping_mul(c).wrapping_add(a);
    /// `shl`.
    Shl 2 L |a, b, c| a << (b & 31);
    /// `shr` of unsigned numbers.
    Shr 2 L |a, b, c| a >> (b & 31);
    /// `asr` of signed numbers.
    Asr 2 L |a, b, c| (a as i32 >> (b & 31)) as u32;
    /// `cbit` of unsigned numbers.
    Cbit 1 L |a, b, c| a.count_ones();
    /// `add` of floats.
    AddF 2 L |a, b, c| (f(a) + f(b)).to_bits();
    /// `mul` of floats.
    MulF 2 L |a, b, c| (f(a) * f(b)).to_bits();
    /// `mad` of floats, rounded once.
    MadF 3 L |a, b, c| L::fma(f(b), f(c), f(a)).to_bits();
    /// `rndd`.
    FloorF 1 L |a, b, c| f(a).floor().to_bits();
    /// `rndu`.
    CeilF 1 L |a, b, c| f(a).ceil().to_bits();
    /// `rndz`.
    TruncF 1 L |a, b, c| f(a).trunc().to_bits();
    /// `rnde`.
    EvenF 1 L |a, b, c| f(a).round_ties_even().to_bits();
    /// `math.inv`.
    InvF 1 L |a, b, c| (1.0 / f(a)).to_bits();
    /// `math.sqt`.
    SqrtF 1 L |a, b, c| f(a).sqrt().to_bits();
    /// `math.rsqt`.
    RsqrtF 1 L |a, b, c| {
        let x = f64::from(f(a));
        let root = if x == 0.0 { x } else { x.sqrt() };
        ((1.0 / root) as f32).to_bits()
    };
    /// `math.log`.
    LogF 1 L |a, b, c| (f64::from(f(a)).log2() as f32).to_bits();
    /// `math.exp`.
    ExpF 1 L |a, b, c| (f64::from(f(a)).exp2() as f32).to_bits();
    /// `math.sin`.
    SinF 1 L |a, b, c| (f64::from(f(a)).sin() as f32).to_bits();
    /// `math.cos`.
    CosF 1 L |a, b, c| (f64::from(f(a)).cos() as f32).to_bits();
    /// `mov` from `d` to `f`.
    SignedToF 1 L |a, b, c| (a as i32 as f32).to_bits();
    /// `mov` from `ud` to `f`.
    UnsignedToF 1 L |a, b, c| (a as f32).to_bits();
    /// `mov` from `f` to `d`.
    FToSigned 1 L |a, b, c| f(a) as i32 as u32;
    /// `mov` from `f` to `ud`.
    FToUnsigned 1 L |a, b, c| f(a) as u32;
    /// `sel` of the smaller float.
    MinF 2 L |a, b, c| if f(a) < f(b) || f(b).is_nan() && !f(a).is_nan() { a } else { b };
    /// `sel` of the larger float (or the first of equal ones).
    MaxF 2 L |a, b, c| if f(a) >= f(b) || f(b).is_nan() && !f(a).is_nan() { a } else { b };
    /// `sel` of the smaller signed number.
    MinS 2 L |a, b, c| if (a as i32) < b as i32 { a } else { b };
    /// `sel` of the larger signed number.
    MaxS 2 L |a, b, c| if a as i32 >= b as i32 { a } else { b };
    /// `sel` of the smaller unsigned number.
    MinU 2 L |a, b, c| if a < b { a } else { b };
    /// `sel` of the larger unsigned number.
    MaxU 2 L |a, b, c| if a >= b { a } else { b };
}
