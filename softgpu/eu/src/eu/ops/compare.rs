//! Comparisons and condition modifiers.

use isa_encoder::CondMod;

use super::softfloat::Format;
use super::value::Fitted;

/// The relation of two values; `None` is unordered.
pub type Relation = Option<core::cmp::Ordering>;

/// Compares two floats of one format: a NaN is unordered, zeroes are equal.
pub fn compare_floats(format: Format, a: u64, b: u64) -> Relation {
    if format.is_nan(a) || format.is_nan(b) {
        return None;
    }
    let key = |bits: u64| {
        let magnitude = (bits & !format.sign_bit()) as i64;
        if format.is_negative(bits) {
            -magnitude
        } else {
            magnitude
        }
    };
    Some(key(a).cmp(&key(b)))
}

/// Whether a relation meets a condition. `ov` never holds; `ne` and `un` hold when unordered.
pub fn relation_meets(cond: CondMod, relation: Relation) -> bool {
    match (cond, relation) {
        (CondMod::Eq, Some(order)) => order.is_eq(),
        (CondMod::Ne, Some(order)) => order.is_ne(),
        (CondMod::Gt, Some(order)) => order.is_gt(),
        (CondMod::Ge, Some(order)) => order.is_ge(),
        (CondMod::Lt, Some(order)) => order.is_lt(),
        (CondMod::Le, Some(order)) => order.is_le(),
        (CondMod::Ne | CondMod::Un, None) => true,
        _ => false,
    }
}

/// Whether a result meets a condition: the result is compared with zero after saturation and
/// conversion, but overflow is that before saturation.
///
/// Source: KBL PRM vol 7 "Assigning Conditional Flags", with the observation recorded in Mesa
/// (brw_fs_cmod_propagation.cpp) that flags follow the saturated value.
pub fn result_meets(cond: CondMod, result: Fitted) -> bool {
    match cond {
        CondMod::Ov => result.overflow,
        CondMod::Un => result.unordered,
        CondMod::Ne => result.unordered || !result.zero,
        _ if result.unordered => false,
        CondMod::Eq => result.zero,
        CondMod::Gt => !result.zero && !result.negative,
        CondMod::Ge => !result.negative,
        CondMod::Lt => result.negative,
        CondMod::Le => result.zero || result.negative,
        CondMod::Eo => false,
    }
}

/// Whether `sel` with a condition takes source 0, on floats: a NaN loses against a number, so that
/// `lt` is minNum and `ge` is maxNum (TGL PRM vol 2a "sel").
pub fn float_sel_takes_first(cond: CondMod, format: Format, a: u64, b: u64) -> bool {
    match (format.is_nan(a), format.is_nan(b)) {
        (true, _) => false,
        (false, true) => true,
        _ => relation_meets(cond, compare_floats(format, a, b)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_compare_as_the_host_does() {
        let samples = [
            0.0f32,
            -0.0,
            1.0,
            -1.0,
            f32::MIN_POSITIVE,
            f32::from_bits(1),
            -f32::from_bits(1),
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
        ];
        for a in samples {
            for b in samples {
                let relation =
                    compare_floats(Format::F32, u64::from(a.to_bits()), u64::from(b.to_bits()));
                assert_eq!(relation, a.partial_cmp(&b), "{a} {b}");
                for (cond, want) in [
                    (CondMod::Eq, a == b),
                    (CondMod::Ne, a != b),
                    (CondMod::Lt, a < b),
                    (CondMod::Le, a <= b),
                    (CondMod::Gt, a > b),
                    (CondMod::Ge, a >= b),
                    (CondMod::Un, a.is_nan() || b.is_nan()),
                ] {
                    assert_eq!(relation_meets(cond, relation), want, "{a} {cond:?} {b}");
                }
            }
        }
    }

    #[test]
    fn selection_drops_nans() {
        let bits = |x: f32| u64::from(x.to_bits());
        let first = |cond, a, b| float_sel_takes_first(cond, Format::F32, bits(a), bits(b));
        assert!(first(CondMod::Lt, 1.0, 2.0));
        assert!(!first(CondMod::Lt, 2.0, 1.0));
        assert!(first(CondMod::Ge, 2.0, 1.0));
        assert!(first(CondMod::Lt, 1.0, f32::NAN));
        assert!(!first(CondMod::Lt, f32::NAN, 1.0));
    }
}
