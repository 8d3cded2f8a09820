//! Division by numbers that are known: by shifts, or by the high half of a product with an inverse
//! (Granlund and Montgomery, "Division by Invariant Integers using Multiplication"; Warren,
//! "Hacker's Delight", chapter 10).

use super::legalize::Lower;
use crate::ir::{Bin, Type, Value};

impl Lower<'_> {
    /// The quotient or remainder of a number of 32 or 64 bits. What is divided by zero is anything.
    pub(super) fn divide_by(&mut self, op: Bin, a: Value, divisor: u64) -> Value {
        let ty = self.at.function.ty(a);
        let zero = self.at.constant(ty, 0);
        if divisor == 0 {
            return zero;
        }
        let quotient = match op {
            Bin::UDiv | Bin::URem => self.unsigned_quotient(a, divisor),
            _ => {
                let signed = ty.signed(divisor);
                let magnitude = signed.unsigned_abs();
                let quotient = self.signed_quotient(a, magnitude);
                match signed < 0 {
                    true => self.at.bin(Bin::Sub, zero, quotient),
                    false => quotient,
                }
            }
        };
        if matches!(op, Bin::UDiv | Bin::SDiv) {
            return quotient;
        }
        let divisor = self.at.constant(ty, divisor);
        let product = self.at.bin(Bin::Mul, quotient, divisor);
        self.at.bin(Bin::Sub, a, product)
    }

    fn shifted(&mut self, op: Bin, value: Value, by: u32) -> Value {
        let ty = self.at.function.ty(value);
        match by {
            0 => value,
            _ => {
                let by = self.at.constant(ty, by.into());
                self.at.bin(op, value, by)
            }
        }
    }

    fn high(&mut self, op: Bin, a: Value, by: u64) -> Value {
        let ty = self.at.function.ty(a);
        let by = self.at.constant(ty, by);
        match (op, ty) {
            (_, Type::I32) => self.at.bin(op, a, by),
            (Bin::UMulHigh, _) => self.multiply_high_wide(a, by),
            _ => self.multiply_high_signed(a, by),
        }
    }

    fn unsigned_quotient(&mut self, a: Value, divisor: u64) -> Value {
        let ty = self.at.function.ty(a);
        if divisor.is_power_of_two() {
            return self.shifted(Bin::LShr, a, divisor.trailing_zeros());
        }
        match unsigned_inverse(divisor, ty.bits()) {
            Inverse::Short(factor, by) => {
                let high = self.high(Bin::UMulHigh, a, factor);
                self.shifted(Bin::LShr, high, by)
            }
            // The factor has one more bit.
            Inverse::Long(factor, by) => {
                let high = self.high(Bin::UMulHigh, a, factor);
                let rest = self.at.bin(Bin::Sub, a, high);
                let half = self.shifted(Bin::LShr, rest, 1);
                let sum = self.at.bin(Bin::Add, half, high);
                self.shifted(Bin::LShr, sum, by - 1)
            }
        }
    }

    fn signed_quotient(&mut self, a: Value, divisor: u64) -> Value {
        let ty = self.at.function.ty(a);
        let top = ty.bits() - 1;
        if divisor == 1 {
            return a;
        }
        if divisor.is_power_of_two() {
            let by = divisor.trailing_zeros();
            let sign = self.shifted(Bin::AShr, a, top);
            let more = self.shifted(Bin::LShr, sign, ty.bits() - by);
            let sum = self.at.bin(Bin::Add, a, more);
            return self.shifted(Bin::AShr, sum, by);
        }
        let (factor, by) = signed_inverse(divisor, ty.bits());
        let mut high = self.high(Bin::SMulHigh, a, factor);
        if ty.signed(factor & ty.mask()) < 0 {
            high = self.at.bin(Bin::Add, high, a);
        }
        let quotient = self.shifted(Bin::AShr, high, by);
        let one_if_negative = self.shifted(Bin::LShr, a, top);
        self.at.bin(Bin::Add, quotient, one_if_negative)
    }
}

/// A factor and a distance: the quotient is the high half of the product, shifted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inverse {
    Short(u64, u32),
    /// To the factor belongs a highest bit that has no place.
    Long(u64, u32),
}

/// For a divisor that is no power of two.
fn unsigned_inverse(divisor: u64, bits: u32) -> Inverse {
    let d = u128::from(divisor);
    let digits = 64 - (divisor - 1).leading_zeros();
    for by in 0..=digits {
        // 2**(bits + by) / d, rounded up: what it is too large by must not matter.
        let power = match 1u128.checked_shl(bits + by) {
            Some(power) if bits + by < 128 => power,
            _ => break,
        };
        let factor = power.div_ceil(d);
        if factor >> bits == 0 && factor * d - power <= 1 << by {
            return Inverse::Short(factor as u64, by);
        }
    }
    let factor = ((1u128 << bits) * ((1u128 << digits) - d)) / d + 1;
    Inverse::Long(factor as u64, digits)
}

/// For a divisor above one that is no power of two: the factor, as many bits, and the distance.
fn signed_inverse(divisor: u64, bits: u32) -> (u64, u32) {
    let d = u128::from(divisor);
    let half = 1u128 << (bits - 1);
    // The largest number below half that the divisor divides with the largest remainder.
    let most = half - 1 - half % d;
    let mut by = 0;
    loop {
        let power = 1u128 << (bits + by);
        let rest = d - power % d;
        // What follows ends before the shift is too far: the power soon exceeds the product.
        if power > most * rest || bits + by == 126 {
            return (((power + rest) / d) as u64, by);
        }
        by += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unsigned(a: u64, d: u64, bits: u32) -> u64 {
        let high = |factor: u64| ((u128::from(a) * u128::from(factor)) >> bits) as u64;
        match unsigned_inverse(d, bits) {
            Inverse::Short(factor, by) => high(factor) >> by,
            Inverse::Long(factor, by) => {
                let high = high(factor);
                (((a - high) >> 1) + high) >> (by - 1)
            }
        }
    }

    fn signed(a: i64, d: u64, bits: u32) -> i64 {
        let (factor, by) = signed_inverse(d, bits);
        let factor = ((factor << (64 - bits)) as i64) >> (64 - bits);
        let mut high = ((i128::from(a) * i128::from(factor)) >> bits) as i64;
        if factor < 0 {
            high += a;
        }
        (high >> by) + i64::from(a < 0)
    }

    #[test]
    fn inverses_give_quotients() {
        let mut compared = 0;
        for bits in [32u32, 64] {
            let mask = u64::MAX >> (64 - bits);
            let near = |n: u64| [n.wrapping_sub(1) & mask, n & mask, n.wrapping_add(1) & mask];
            let powers = (0..bits).flat_map(|by| near(1 << by));
            let mut state = 88_172_645_463_325_252u64;
            let random: Vec<u64> = std::iter::repeat_with(|| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                state & mask
            })
            .take(300)
            .collect();
            let all: Vec<u64> = powers.chain(3..200).chain(random).collect();
            for d in all
                .iter()
                .copied()
                .filter(|d| *d > 2 && !d.is_power_of_two())
            {
                // Around multiples of the divisor it may go wrong.
                let edges = near((mask / d).wrapping_mul(d))
                    .into_iter()
                    .chain(near(mask));
                let edges = edges.chain(near(d)).chain(near(mask / 2));
                for a in all.iter().copied().step_by(7).chain(edges) {
                    assert_eq!(unsigned(a, d, bits), a / d, "{a} / {d}");
                    compared += 1;
                    if d > mask >> 1 {
                        continue;
                    }
                    let s = ((a << (64 - bits)) as i64) >> (64 - bits);
                    assert_eq!(signed(s, d, bits), s / d as i64, "{s} / {d}");
                }
            }
        }
        assert!(compared > 50_000);
    }
}
