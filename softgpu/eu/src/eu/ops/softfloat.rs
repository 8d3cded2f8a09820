//! Correctly rounded binary floating point in every format and rounding mode, in integer
//! arithmetic.
//!
//! All arithmetic outside the fast paths uses this reference: the host's own operations only round
//! to nearest.

/// A binary interchange format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// Exponent bits.
    pub exponent: u32,
    /// Fraction bits, without the implied one.
    pub fraction: u32,
}

impl Format {
    /// `hf`: IEEE binary16.
    pub const F16: Format = Format::new(5, 10);
    /// `bf`: bfloat16.
    pub const BF16: Format = Format::new(8, 7);
    /// `f`: IEEE binary32.
    pub const F32: Format = Format::new(8, 23);
    /// `df`: IEEE binary64.
    pub const F64: Format = Format::new(11, 52);
    /// `tf32`: the upper 19 bits of a binary32, here shifted down.
    pub const TF32: Format = Format::new(8, 10);
    /// `bf8`: 1.5.2.
    pub const BF8: Format = Format::new(5, 2);

    const fn new(exponent: u32, fraction: u32) -> Self {
        Self { exponent, fraction }
    }

    const fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    const fn exponent_mask(self) -> u64 {
        (1 << self.exponent) - 1
    }

    const fn fraction_mask(self) -> u64 {
        (1 << self.fraction) - 1
    }

    /// The sign bit.
    pub const fn sign_bit(self) -> u64 {
        1 << (self.exponent + self.fraction)
    }

    /// Positive infinity.
    pub const fn infinity(self) -> u64 {
        self.exponent_mask() << self.fraction
    }

    /// The default quiet NaN.
    pub const fn quiet_nan(self) -> u64 {
        self.infinity() | 1 << (self.fraction - 1)
    }

    /// One.
    pub const fn one(self) -> u64 {
        (self.bias() as u64) << self.fraction
    }

    /// Whether `bits` is a NaN.
    pub const fn is_nan(self, bits: u64) -> bool {
        bits & !self.sign_bit() > self.infinity()
    }

    /// Whether `bits` is an infinity.
    pub const fn is_infinite(self, bits: u64) -> bool {
        bits & !self.sign_bit() == self.infinity()
    }

    /// Whether `bits` is a zero.
    pub const fn is_zero(self, bits: u64) -> bool {
        bits & !self.sign_bit() == 0
    }

    /// Whether `bits` is a denormal other than zero.
    pub const fn is_denormal(self, bits: u64) -> bool {
        let magnitude = bits & !self.sign_bit();
        magnitude != 0 && magnitude < 1 << self.fraction
    }

    /// Whether the sign bit is set.
    pub const fn is_negative(self, bits: u64) -> bool {
        bits & self.sign_bit() != 0
    }

    /// `bits` with a denormal replaced by a zero of its sign.
    pub const fn flush(self, bits: u64) -> u64 {
        if self.is_denormal(bits) {
            bits & self.sign_bit()
        } else {
            bits
        }
    }
}

/// A rounding mode, numbered as in cr0.0 bits 5:4.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(u8)]
pub enum Rounding {
    /// To nearest, ties to even.
    #[default]
    Nearest = 0,
    /// Towards positive infinity.
    Up = 1,
    /// Towards negative infinity.
    Down = 2,
    /// Towards zero.
    Zero = 3,
}

impl Rounding {
    /// The mode of the two-bit field.
    pub const fn from_bits(bits: u32) -> Self {
        match bits & 3 {
            0 => Rounding::Nearest,
            1 => Rounding::Up,
            2 => Rounding::Down,
            _ => Rounding::Zero,
        }
    }
}

/// A finite number: `(-1)^negative * significand * 2^exponent`. The lowest significand bit is
/// "sticky": it may stand for any non-zero remainder below it.
#[derive(Clone, Copy, Debug)]
struct Finite {
    negative: bool,
    exponent: i32,
    significand: u128,
}

#[derive(Clone, Copy, Debug)]
enum Number {
    Nan(u64),
    Infinite(bool),
    Finite(Finite),
}

fn unpack(format: Format, bits: u64) -> Number {
    let negative = format.is_negative(bits);
    let biased = (bits >> format.fraction) & format.exponent_mask();
    let fraction = bits & format.fraction_mask();
    if biased == format.exponent_mask() {
        return if fraction == 0 {
            Number::Infinite(negative)
        } else {
            Number::Nan(bits)
        };
    }
    let (significand, exponent) = if biased == 0 {
        (fraction, 1)
    } else {
        (fraction | 1 << format.fraction, biased as i32)
    };
    Number::Finite(Finite {
        negative,
        exponent: exponent - format.bias() - format.fraction as i32,
        significand: u128::from(significand),
    })
}

/// `value >> shift` with the lost bits or-ed into the lowest one.
const fn shift_right_sticky(value: u128, shift: u32) -> u128 {
    if shift == 0 {
        value
    } else if shift > 127 {
        (value != 0) as u128
    } else {
        (value >> shift) | ((value << (128 - shift) != 0) as u128)
    }
}

fn increments(mode: Rounding, negative: bool, odd: bool, half: bool, rest: bool) -> bool {
    match mode {
        Rounding::Nearest => half && (rest || odd),
        Rounding::Up => !negative && (half || rest),
        Rounding::Down => negative && (half || rest),
        Rounding::Zero => false,
    }
}

/// Divides by `2^shift` and rounds.
fn round_shift(value: u128, shift: u32, mode: Rounding, negative: bool) -> u128 {
    if shift == 0 {
        return value;
    }
    let (quotient, half, rest) = if shift > 128 {
        (0, false, value != 0)
    } else {
        let quotient = if shift == 128 { 0 } else { value >> shift };
        let half = (value >> (shift - 1)) & 1 != 0;
        let rest = shift > 1 && value << (129 - shift) != 0;
        (quotient, half, rest)
    };
    quotient + u128::from(increments(mode, negative, quotient & 1 != 0, half, rest))
}

fn pack(format: Format, mode: Rounding, value: Finite) -> u64 {
    let sign = if value.negative { format.sign_bit() } else { 0 };
    if value.significand == 0 {
        return sign;
    }
    let top = 127 - value.significand.leading_zeros() as i32;
    let smallest = 1 - format.bias();
    // The weight of the result's last place.
    let last = (value.exponent + top).max(smallest) - format.fraction as i32;
    let shift = last - value.exponent;
    let rounded = if shift <= 0 {
        value.significand << -shift
    } else {
        round_shift(value.significand, shift as u32, mode, value.negative)
    };
    // A carry out of the fraction increments the exponent by itself.
    let biased_less_one = (last + format.fraction as i32 - smallest) as u64;
    let magnitude = (biased_less_one << format.fraction) + rounded as u64;
    if magnitude >= format.infinity() {
        let to_infinity = match mode {
            Rounding::Nearest => true,
            Rounding::Up => !value.negative,
            Rounding::Down => value.negative,
            Rounding::Zero => false,
        };
        return sign | (format.infinity() - u64::from(!to_infinity));
    }
    sign | magnitude
}

fn quiet(format: Format, bits: u64) -> u64 {
    bits | 1 << (format.fraction - 1)
}

fn zero(format: Format, negative: bool) -> u64 {
    if negative { format.sign_bit() } else { 0 }
}

fn normalize(value: Finite, top: u32) -> Finite {
    let shift = value.significand.leading_zeros() as i32 - (127 - top as i32);
    Finite {
        exponent: value.exponent - shift,
        significand: value.significand << shift.max(0),
        ..value
    }
}

/// The sum, exact except for the sticky bit.
fn sum(a: Finite, b: Finite, mode: Rounding) -> Finite {
    if a.significand == 0 && b.significand == 0 {
        return Finite {
            negative: if a.negative == b.negative {
                a.negative
            } else {
                mode == Rounding::Down
            },
            ..a
        };
    }
    if a.significand == 0 {
        return b;
    }
    if b.significand == 0 {
        return a;
    }
    let (a, b) = (normalize(a, 125), normalize(b, 125));
    let (high, low) = if (a.exponent, a.significand) >= (b.exponent, b.significand) {
        (a, b)
    } else {
        (b, a)
    };
    let aligned = shift_right_sticky(low.significand, (high.exponent - low.exponent) as u32);
    let significand = if high.negative == low.negative {
        high.significand + aligned
    } else {
        high.significand - aligned
    };
    Finite {
        negative: if significand == 0 {
            mode == Rounding::Down
        } else {
            high.negative
        },
        exponent: high.exponent,
        significand,
    }
}

/// `a + b`.
pub fn add(format: Format, mode: Rounding, a: u64, b: u64) -> u64 {
    match (unpack(format, a), unpack(format, b)) {
        (Number::Nan(nan), _) | (_, Number::Nan(nan)) => quiet(format, nan),
        (Number::Infinite(x), Number::Infinite(y)) if x != y => format.quiet_nan(),
        (Number::Infinite(x), _) | (_, Number::Infinite(x)) => zero(format, x) | format.infinity(),
        (Number::Finite(x), Number::Finite(y)) => pack(format, mode, sum(x, y, mode)),
    }
}

/// `a * b`.
pub fn mul(format: Format, mode: Rounding, a: u64, b: u64) -> u64 {
    let negative = format.is_negative(a) != format.is_negative(b);
    match (unpack(format, a), unpack(format, b)) {
        (Number::Nan(nan), _) | (_, Number::Nan(nan)) => quiet(format, nan),
        (Number::Infinite(_), _) | (_, Number::Infinite(_)) => {
            if format.is_zero(a) || format.is_zero(b) {
                format.quiet_nan()
            } else {
                zero(format, negative) | format.infinity()
            }
        }
        (Number::Finite(x), Number::Finite(y)) => pack(
            format,
            mode,
            Finite {
                negative,
                exponent: x.exponent + y.exponent,
                significand: x.significand * y.significand,
            },
        ),
    }
}

/// `a * b + c`, rounded once.
pub fn fma(format: Format, mode: Rounding, a: u64, b: u64, c: u64) -> u64 {
    let negative = format.is_negative(a) != format.is_negative(b);
    let (x, y, z) = (unpack(format, a), unpack(format, b), unpack(format, c));
    let product = match (x, y) {
        (Number::Nan(nan), _) | (_, Number::Nan(nan)) => return quiet(format, nan),
        (Number::Infinite(_), _) | (_, Number::Infinite(_)) => {
            if let Number::Nan(nan) = z {
                return quiet(format, nan);
            }
            if format.is_zero(a) || format.is_zero(b) {
                return format.quiet_nan();
            }
            return match z {
                Number::Infinite(sign) if sign != negative => format.quiet_nan(),
                _ => zero(format, negative) | format.infinity(),
            };
        }
        (Number::Finite(x), Number::Finite(y)) => Finite {
            negative,
            exponent: x.exponent + y.exponent,
            significand: x.significand * y.significand,
        },
    };
    match z {
        Number::Nan(nan) => quiet(format, nan),
        Number::Infinite(sign) => zero(format, sign) | format.infinity(),
        Number::Finite(z) => pack(format, mode, sum(product, z, mode)),
    }
}

/// `a / b`.
pub fn div(format: Format, mode: Rounding, a: u64, b: u64) -> u64 {
    let negative = format.is_negative(a) != format.is_negative(b);
    match (unpack(format, a), unpack(format, b)) {
        (Number::Nan(nan), _) | (_, Number::Nan(nan)) => quiet(format, nan),
        (Number::Infinite(_), Number::Infinite(_)) => format.quiet_nan(),
        (Number::Infinite(_), _) => zero(format, negative) | format.infinity(),
        (_, Number::Infinite(_)) => zero(format, negative),
        (Number::Finite(x), Number::Finite(y)) => match (x.significand, y.significand) {
            (0, 0) => format.quiet_nan(),
            (_, 0) => zero(format, negative) | format.infinity(),
            (0, _) => zero(format, negative),
            _ => {
                let (x, y) = (normalize(x, 126), normalize(y, 60));
                let quotient = x.significand / y.significand;
                let rest = u128::from(x.significand % y.significand != 0);
                pack(
                    format,
                    mode,
                    Finite {
                        negative,
                        exponent: x.exponent - y.exponent - 1,
                        significand: quotient << 1 | rest,
                    },
                )
            }
        },
    }
}

/// The square root.
pub fn sqrt(format: Format, mode: Rounding, a: u64) -> u64 {
    match unpack(format, a) {
        Number::Nan(nan) => quiet(format, nan),
        Number::Infinite(false) => format.infinity(),
        Number::Infinite(true) => format.quiet_nan(),
        Number::Finite(x) if x.significand == 0 => a,
        Number::Finite(x) if x.negative => format.quiet_nan(),
        Number::Finite(x) => {
            let mut x = normalize(x, 125);
            if x.exponent & 1 != 0 {
                x.exponent -= 1;
                x.significand <<= 1;
            }
            let root = x.significand.isqrt();
            let rest = u128::from(root * root != x.significand);
            pack(
                format,
                mode,
                Finite {
                    negative: false,
                    exponent: x.exponent / 2 - 1,
                    significand: root << 1 | rest,
                },
            )
        }
    }
}

/// `bits` of format `from` in format `to`.
pub fn convert(from: Format, to: Format, mode: Rounding, bits: u64) -> u64 {
    let sign = zero(to, from.is_negative(bits));
    match unpack(from, bits) {
        Number::Nan(nan) => {
            let fraction = nan & from.fraction_mask();
            let payload = if to.fraction >= from.fraction {
                fraction << (to.fraction - from.fraction)
            } else {
                fraction >> (from.fraction - to.fraction)
            };
            sign | quiet(to, to.infinity() | payload)
        }
        Number::Infinite(_) => sign | to.infinity(),
        Number::Finite(value) => pack(to, mode, value),
    }
}

/// The integer `value` in `format`.
pub fn from_int(format: Format, mode: Rounding, value: i128) -> u64 {
    pack(
        format,
        mode,
        Finite {
            negative: value < 0,
            exponent: 0,
            significand: value.unsigned_abs(),
        },
    )
}

/// `bits` as an integer, rounded by `mode` and clamped to `low..=high`; a NaN gives 0.
pub fn to_int(format: Format, mode: Rounding, bits: u64, low: i128, high: i128) -> i128 {
    match unpack(format, bits) {
        Number::Nan(_) => 0,
        Number::Infinite(negative) => {
            if negative {
                low
            } else {
                high
            }
        }
        Number::Finite(value) => {
            if value.significand == 0 {
                return 0;
            }
            let top = 127 - value.significand.leading_zeros() as i32;
            if value.exponent + top > 100 {
                return if value.negative { low } else { high };
            }
            let magnitude = if value.exponent >= 0 {
                value.significand << value.exponent
            } else {
                let shift = value.exponent.unsigned_abs();
                round_shift(value.significand, shift, mode, value.negative)
            };
            let magnitude = magnitude as i128;
            let signed = if value.negative {
                -magnitude
            } else {
                magnitude
            };
            signed.clamp(low, high)
        }
    }
}

/// `bits` rounded to an integral value, keeping the sign of zero.
pub fn round_to_integral(format: Format, mode: Rounding, bits: u64) -> u64 {
    match unpack(format, bits) {
        Number::Nan(nan) => quiet(format, nan),
        Number::Finite(value) if value.exponent < 0 => {
            let shift = value.exponent.unsigned_abs();
            let rounded = round_shift(value.significand, shift, mode, value.negative);
            pack(
                format,
                Rounding::Nearest,
                Finite {
                    negative: value.negative,
                    exponent: 0,
                    significand: rounded,
                },
            )
        }
        _ => bits,
    }
}

#[cfg(test)]
mod tests {
    use oracles::Random;

    use super::*;

    /// The corners of a format more often than others.
    fn float(random: &mut Random, format: Format) -> u64 {
        let all = (format.sign_bit() << 1).wrapping_sub(1);
        let raw = random.bits() & all;
        match random.below(12) {
            0 => raw & format.sign_bit(),
            1 => raw & (format.sign_bit() | format.fraction_mask()),
            2 => raw & format.sign_bit() | format.infinity(),
            3 => raw | format.infinity(),
            4 => raw & format.sign_bit() | format.one(),
            // Exponents close together, so that sums cancel.
            5..=8 => {
                raw & (format.sign_bit() | format.fraction_mask())
                    | (format.bias() as u64 + random.below(4)) << format.fraction
            }
            _ => raw,
        }
    }

    fn same32(ours: u64, host: f32) -> bool {
        if host.is_nan() {
            Format::F32.is_nan(ours)
        } else {
            ours == u64::from(host.to_bits())
        }
    }

    fn same64(ours: u64, host: f64) -> bool {
        if host.is_nan() {
            Format::F64.is_nan(ours)
        } else {
            ours == host.to_bits()
        }
    }

    #[test]
    fn nearest_is_what_the_host_computes() {
        let mut random = Random::new(0x1234_5678_9abc_def1);
        let near = Rounding::Nearest;
        for _ in 0..200_000 {
            let [a, b, c] = [0; 3].map(|_| float(&mut random, Format::F32));
            let [x, y, z] = [a, b, c].map(|v| f32::from_bits(v as u32));
            let f = Format::F32;
            assert!(same32(add(f, near, a, b), x + y), "{x:e} + {y:e}");
            assert!(same32(mul(f, near, a, b), x * y), "{x:e} * {y:e}");
            assert!(same32(div(f, near, a, b), x / y), "{x:e} / {y:e}");
            assert!(same32(sqrt(f, near, a), x.sqrt()), "sqrt {x:e}");
            let fused = x.mul_add(y, z);
            assert!(
                same32(fma(f, near, a, b, c), fused),
                "{x:e} * {y:e} + {z:e}"
            );
            assert!(same32(round_to_integral(f, near, a), x.round_ties_even()));
            assert!(same32(round_to_integral(f, Rounding::Up, a), x.ceil()));
            assert!(same32(round_to_integral(f, Rounding::Down, a), x.floor()));
            assert!(same32(round_to_integral(f, Rounding::Zero, a), x.trunc()));
            assert!(same64(convert(f, Format::F64, near, a), f64::from(x)));
            let low = i128::from(i32::MIN);
            let high = i128::from(i32::MAX);
            let int = to_int(f, Rounding::Zero, a, low, high);
            assert_eq!(int, i128::from(x as i32), "{x:e}");

            let [a, b, c] = [0; 3].map(|_| float(&mut random, Format::F64));
            let [x, y, z] = [a, b, c].map(f64::from_bits);
            let f = Format::F64;
            assert!(same64(add(f, near, a, b), x + y), "{x:e} + {y:e}");
            assert!(same64(mul(f, near, a, b), x * y), "{x:e} * {y:e}");
            assert!(same64(div(f, near, a, b), x / y), "{x:e} / {y:e}");
            assert!(same64(sqrt(f, near, a), x.sqrt()), "sqrt {x:e}");
            let fused = x.mul_add(y, z);
            assert!(
                same64(fma(f, near, a, b, c), fused),
                "{x:e} * {y:e} + {z:e}"
            );
            assert!(same32(convert(f, Format::F32, near, a), x as f32), "{x:e}");
            let int = to_int(f, Rounding::Zero, a, 0, i128::from(u64::MAX));
            assert_eq!(int, i128::from(x as u64), "{x:e}");
            let word = random.bits() as i64;
            assert!(same64(from_int(f, near, word.into()), word as f64));
            assert!(same32(
                from_int(Format::F32, near, word.into()),
                word as f32
            ));
        }
    }

    #[test]
    fn half_matches_the_half_crate() {
        for raw in 0..=u16::MAX {
            let wide = half::f16::from_bits(raw).to_f32();
            let ours = convert(Format::F16, Format::F32, Rounding::Nearest, raw.into());
            assert!(same32(ours, wide), "{raw:#x}");
        }
        let mut random = Random::new(99);
        for _ in 0..200_000 {
            let a = float(&mut random, Format::F32);
            let host = half::f16::from_f32(f32::from_bits(a as u32));
            let ours = convert(Format::F32, Format::F16, Rounding::Nearest, a);
            assert!(
                host.is_nan() && Format::F16.is_nan(ours) || ours == u64::from(host.to_bits()),
                "{a:#x}"
            );
        }
    }

    /// Directed rounding of f32 results against the exact value: a product of two f32 is exact in
    /// f64, a sum is bracketed by its neighbours.
    #[test]
    fn directed_modes_bracket_the_exact_result() {
        let mut random = Random::new(7);
        let f = Format::F32;
        for _ in 0..200_000 {
            let [a, b] = [0; 2].map(|_| float(&mut random, f));
            let [x, y] = [a, b].map(|v| f64::from(f32::from_bits(v as u32)));
            let exact = x * y;
            if !exact.is_finite() {
                continue;
            }
            let get = |mode| f64::from(f32::from_bits(mul(f, mode, a, b) as u32));
            let (up, down, toward) = (get(Rounding::Up), get(Rounding::Down), get(Rounding::Zero));
            assert!(
                down <= exact && exact <= up,
                "{x:e} * {y:e}: {down:e} {up:e}"
            );
            assert!(toward.abs() <= exact.abs());
            assert!(toward == up || toward == down);
            if down != up {
                assert_eq!((down as f32).next_up(), up as f32);
            } else {
                assert_eq!(down, exact);
            }
            // The fused form with a zero addend is the same product.
            let zero = if exact.is_sign_negative() {
                f.sign_bit()
            } else {
                0
            };
            for mode in [Rounding::Up, Rounding::Down, Rounding::Zero] {
                assert_eq!(fma(f, mode, a, b, zero), mul(f, mode, a, b));
            }
            let tail = (x + y) - x - y;
            if tail == 0.0 {
                let sum = x + y;
                let up = f64::from(f32::from_bits(add(f, Rounding::Up, a, b) as u32));
                let down = f64::from(f32::from_bits(add(f, Rounding::Down, a, b) as u32));
                assert!(down <= sum && sum <= up, "{x:e} + {y:e}");
            }
        }
    }
}
