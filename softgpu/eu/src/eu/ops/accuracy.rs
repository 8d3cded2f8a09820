//! How accurate the functions of `math` are.

use isa_encoder::MathFunction;

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Accuracy {
    /// The function.
    pub function: MathFunction,
    /// The largest error of this model, in units of the last place of binary32.
    pub ours: f64,
    /// The error that OpenCL C allows a device that computes the function directly, in the same
    /// unit: OpenCL C 3.0, section 7.4, "Relative error as ULPs" (full profile, single precision).
    pub allowed: f64,
}

const fn row(function: MathFunction, ours: f64, allowed: f64) -> Accuracy {
    Accuracy {
        function,
        ours,
        allowed,
    }
}

/// The table. Half a unit is correct rounding; functions that go through the host's double
/// precision are wrong in the last place only where the exact value is within 2^-27 units of a
/// rounding boundary.
pub const TABLE: [Accuracy; 9] = [
    row(MathFunction::Inv, 0.5, 2.5),
    row(MathFunction::Fdiv, 0.5, 2.5),
    row(MathFunction::Sqt, 0.5, 3.0),
    row(MathFunction::Rsqt, 0.5001, 2.0),
    row(MathFunction::Log, 0.5001, 3.0),
    row(MathFunction::Exp, 0.5001, 3.0),
    row(MathFunction::Sin, 0.5001, 4.0),
    row(MathFunction::Cos, 0.5001, 4.0),
    row(MathFunction::Pow, 0.5001, 16.0),
];

/// The row of a function.
pub fn limit(function: MathFunction) -> Option<Accuracy> {
    TABLE.into_iter().find(|row| row.function == function)
}

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn ours_is_within_what_is_allowed() {
        for row in TABLE {
            assert!(row.ours >= 0.5 && row.ours <= row.allowed, "{row:?}");
        }
    }
}
