//! What atomic operations compute: pure functions of old value and operands.

use half::f16;
use isa_encoder::message::AtomicOp;

/// The outcome of an atomic operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Update {
    /// The new value, if memory changes.
    pub stored: Option<u64>,
    /// The value that a returning message gives back.
    pub returned: u64,
}

const fn mask(bytes: u8) -> u64 {
    u64::MAX >> (64 - 8 * bytes as u32)
}

const fn signed(value: u64, bytes: u8) -> i64 {
    let shift = 64 - 8 * bytes as u32;
    ((value << shift) as i64) >> shift
}

/// `op` on an operand of `bytes` bytes (2, 4 or 8) that holds `old`.
pub fn apply(op: AtomicOp, bytes: u8, old: u64, a: u64, b: u64) -> Update {
    let truncate = |value: u64| value & mask(bytes);
    let (old, a, b) = (truncate(old), truncate(a), truncate(b));
    let pick = |first: bool| if first { old } else { a };
    let new = match op {
        AtomicOp::Load => {
            return Update {
                stored: None,
                returned: old,
            };
        }
        AtomicOp::Store => a,
        AtomicOp::And => old & a,
        AtomicOp::Or => old | a,
        AtomicOp::Xor => old ^ a,
        AtomicOp::Inc => old.wrapping_add(1),
        AtomicOp::Dec | AtomicOp::PreDec => old.wrapping_sub(1),
        AtomicOp::Add => old.wrapping_add(a),
        AtomicOp::Sub => old.wrapping_sub(a),
        AtomicOp::ReverseSub => a.wrapping_sub(old),
        AtomicOp::SignedMax => pick(signed(old, bytes) >= signed(a, bytes)),
        AtomicOp::SignedMin => pick(signed(old, bytes) <= signed(a, bytes)),
        AtomicOp::UnsignedMax => pick(old >= a),
        AtomicOp::UnsignedMin => pick(old <= a),
        AtomicOp::CompareSwap => {
            return Update {
                stored: (old == a).then_some(b),
                returned: old,
            };
        }
        AtomicOp::FloatCompareSwap => {
            return Update {
                stored: float_equal(bytes, old, a).then_some(b),
                returned: old,
            };
        }
        AtomicOp::FloatAdd | AtomicOp::FloatSub | AtomicOp::FloatMax | AtomicOp::FloatMin => {
            float(op, bytes, old, a)
        }
    };
    let new = truncate(new);
    Update {
        stored: Some(new),
        returned: if op == AtomicOp::PreDec { new } else { old },
    }
}

fn value(bytes: u8, bits: u64) -> f64 {
    match bytes {
        2 => f16::from_bits(bits as u16).into(),
        4 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

fn float_equal(bytes: u8, old: u64, a: u64) -> bool {
    value(bytes, old) == value(bytes, a)
}

/// Minimum and maximum prefer a number to a NaN (IEEE 754-2008 minNum, maxNum); sums are rounded
/// to nearest even.
fn float(op: AtomicOp, bytes: u8, old: u64, a: u64) -> u64 {
    let (x, y) = (value(bytes, old), value(bytes, a));
    match op {
        AtomicOp::FloatMax | AtomicOp::FloatMin => {
            let max = op == AtomicOp::FloatMax;
            let keep = if x.is_nan() || y.is_nan() {
                y.is_nan()
            } else if x == y {
                // Zeros of both signs: minus zero is smaller.
                x.is_sign_negative() != max || y.is_sign_negative() == x.is_sign_negative()
            } else {
                (x > y) == max
            };
            if keep { old } else { a }
        }
        _ => {
            let sign = if op == AtomicOp::FloatSub { -1.0 } else { 1.0 };
            match bytes {
                // The sum of two halves is exact in an f64.
                2 => f16::from_f64(x + sign * y).to_bits().into(),
                4 => (x as f32 + (sign * y) as f32).to_bits().into(),
                _ => (x + sign * y).to_bits(),
            }
        }
    }
}
