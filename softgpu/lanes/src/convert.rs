//! Half precision, by integer arithmetic that the compiler turns into vector code.

const fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

/// A half (in the low 16 bits) as a single; a NaN becomes quiet.
#[inline(always)]
pub(crate) fn half_to_single(half: u32) -> u32 {
    /// The difference of the exponents' biases, in a single's exponent field.
    const REBIAS: u32 = 112 << 23;
    let sign = (half & 0x8000) << 16;
    let magnitude = (half & 0x7fff) << 13;
    let normal = magnitude + REBIAS;
    // A denormal's fraction below an implicit one, which is then subtracted.
    let denormal = (f(magnitude + (113 << 23)) - f(113 << 23)).to_bits();
    let special = normal + REBIAS;
    let quiet = if magnitude > 0x7c00 << 13 { 1 << 22 } else { 0 };
    let exponent = half & 0x7c00;
    let bits = if exponent == 0 {
        denormal
    } else if exponent == 0x7c00 {
        special | quiet
    } else {
        normal
    };
    sign | bits
}

/// A single rounded to the nearest half; a NaN becomes quiet.
#[inline(always)]
pub(crate) fn single_to_half(single: u32) -> u32 {
    /// 1/2: its last place is the last place of denormal halves.
    const HALF: u32 = 126 << 23;
    let sign = single >> 16 & 0x8000;
    let magnitude = single & 0x7fff_ffff;
    let odd = magnitude >> 13 & 1;
    // Rounds up by carry, also into the exponent and into infinity.
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
    let denormal = (f(magnitude) + f(HALF)).to_bits().wrapping_sub(HALF);
    let special = if magnitude > 0x7f80_0000 {
        0x7e00 | (magnitude >> 13 & 0x3ff)
    } else {
        0x7c00
    };
    let bits = if magnitude < 113 << 23 {
        denormal
    } else if magnitude >= 143 << 23 {
        special
    } else {
        normal
    };
    sign | bits
}

/// A double as a single, rounded to odd: rounding that to a half gives what rounding the double
/// itself would, for doubles in the range of halves.
#[inline(always)]
pub(crate) fn double_to_odd_single(double: f64) -> u32 {
    let bits = double.to_bits();
    let low = (1u64 << 29) - 1;
    let sticky = if bits & low != 0 { 1u64 << 29 } else { 0 };
    (f64::from_bits(bits & !low | sticky) as f32).to_bits()
}

#[cfg(test)]
mod tests {
    use super::{double_to_odd_single, half_to_single, single_to_half};

    /// The value of a half by its definition.
    fn value(half: u32) -> f64 {
        let sign = if half & 0x8000 != 0 { -1.0 } else { 1.0 };
        let (exponent, fraction) = ((half >> 10 & 31) as i32, f64::from(half & 0x3ff));
        sign * match exponent {
            0 => fraction * 2f64.powi(-24),
            31 if fraction == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            _ => (1024.0 + fraction) * 2f64.powi(exponent - 25),
        }
    }

    #[test]
    fn every_half_there_and_back() {
        for half in 0..0x1_0000u32 {
            let single = f32::from_bits(half_to_single(half));
            let exact = value(half);
            if exact.is_nan() {
                assert!(single.is_nan());
                assert_eq!(single_to_half(single.to_bits()), half | 0x200);
            } else {
                assert_eq!(f64::from(single).to_bits(), exact.to_bits(), "{half:#x}");
                assert_eq!(single_to_half(single.to_bits()), half);
            }
        }
    }

    /// The nearest half, by trying the neighbours.
    fn nearest(x: f64) -> u32 {
        let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
        let x = x.abs();
        if x >= 65520.0 {
            return sign | 0x7c00;
        }
        let mut low = (0..0x7c00u32)
            .rev()
            .find(|&half| value(half) <= x)
            .unwrap_or(0);
        let (below, above) = (
            value(low),
            if low == 0x7bff {
                65536.0
            } else {
                value(low + 1)
            },
        );
        if x - below > above - x || x - below == above - x && low & 1 != 0 {
            low += 1;
        }
        sign | low
    }

    #[test]
    fn singles_and_sums_round_once() {
        let mut word = 0x9e37_79b9_7f4a_7c15u64;
        for _ in 0..3000 {
            word ^= word << 13;
            word ^= word >> 7;
            word ^= word << 17;
            // Exponents around the range of halves.
            let exponent = 95 + (word >> 40) as u32 % 55;
            let single = (word as u32 & 0x807f_ffff) | exponent << 23;
            let x = f64::from(f32::from_bits(single));
            assert_eq!(single_to_half(single), nearest(x), "{x:e}");
            let [a, b, c] = [word >> 3, word >> 19, word >> 35].map(|w| w as u32 & 0xbfff);
            let exact = value(a) * value(b) + value(c);
            let rounded = single_to_half(double_to_odd_single(exact));
            assert_eq!(rounded, nearest(exact), "{a:#x} * {b:#x} + {c:#x}");
        }
    }
}
