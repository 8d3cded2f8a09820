//! Comparing lanes.

use crate::level::Level;
use crate::operand::Reading;
use crate::request::Condition;
use crate::word::Word;

/// How lanes compare.
pub(crate) trait Number {
    type Word: Word;
    const READING: Reading;
    fn less(a: Self::Word, b: Self::Word) -> bool;
    fn equal(a: Self::Word, b: Self::Word) -> bool;
    fn unordered(a: Self::Word, b: Self::Word) -> bool;
}

macro_rules! numbers {
    ($($name:ident, $word:ident, $reading:ident, |$x:ident| $value:expr, $nan:expr;)*) => {$(
        #[derive(Debug)]
        pub(crate) struct $name;

        impl Number for $name {
            type Word = $word;
            const READING: Reading = Reading::$reading;

            #[inline(always)]
            fn less(a: $word, b: $word) -> bool {
                let value = |$x: $word| $value;
                value(a) < value(b)
            }

            #[inline(always)]
            fn equal(a: $word, b: $word) -> bool {
                let value = |$x: $word| $value;
                value(a) == value(b)
            }

            #[inline(always)]
            fn unordered(a: $word, b: $word) -> bool {
                let nan: fn($word) -> bool = $nan;
                nan(a) || nan(b)
            }
        }
    )*};
}

numbers! {
    Unsigned32, u32, Integer, |x| x, |_| false;
    Signed32, u32, Integer, |x| x as i32, |_| false;
    Float32, u32, Float, |x| f32::from_bits(x), |x| f32::from_bits(x).is_nan();
    Unsigned64, u64, Integer, |x| x, |_| false;
    Signed64, u64, Integer, |x| x as i64, |_| false;
    Float64, u64, Float, |x| f64::from_bits(x), |x| f64::from_bits(x).is_nan();
}

#[inline(always)]
fn map<W: Word, const N: usize>(a: &[W; N], b: &[W; N], holds: impl Fn(W, W) -> bool) -> [W; N] {
    core::array::from_fn(|i| if holds(a[i], b[i]) { W::ONES } else { W::ZERO })
}

/// All ones where `a` relates to `b` as `condition` says.
#[inline(always)]
pub(crate) fn relate<L: Level, V: Number, const N: usize>(
    condition: Condition,
    a: &[V::Word; N],
    b: &[V::Word; N],
) -> [V::Word; N] {
    #[inline(never)]
    fn shared<V: Number, const N: usize>(
        condition: Condition,
        a: &[V::Word; N],
        b: &[V::Word; N],
    ) -> [V::Word; N] {
        related::<V, N>(condition, a, b)
    }
    match L::SHARES {
        true => shared::<V, N>(condition, a, b),
        false => related::<V, N>(condition, a, b),
    }
}

#[inline(always)]
pub(crate) fn related<V: Number, const N: usize>(
    condition: Condition,
    a: &[V::Word; N],
    b: &[V::Word; N],
) -> [V::Word; N] {
    let either = |a, b| V::less(a, b) || V::equal(a, b);
    match condition {
        Condition::Eq => map(a, b, V::equal),
        Condition::Ne => map(a, b, |a, b| !V::equal(a, b)),
        Condition::Lt => map(a, b, V::less),
        Condition::Gt => map(a, b, |a, b| V::less(b, a)),
        Condition::Le => map(a, b, either),
        Condition::Ge => map(a, b, |a, b| either(b, a)),
        Condition::Un => map(a, b, V::unordered),
    }
}
