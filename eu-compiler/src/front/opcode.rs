//! Which instructions of SPIR-V are one operation.

use spirv::Op as Spv;

use crate::ir::{Bin, Cond};

/// `printf` among the instructions of OpenCL.std.
pub(super) const PRINTF: u32 = 184;

/// An instruction of two operands that is one operation.
pub(super) fn binary(op: Spv) -> Option<Bin> {
    Some(match op {
        Spv::IAdd => Bin::Add,
        Spv::ISub => Bin::Sub,
        Spv::IMul => Bin::Mul,
        Spv::UDiv => Bin::UDiv,
        Spv::SDiv => Bin::SDiv,
        Spv::UMod => Bin::URem,
        Spv::SRem => Bin::SRem,
        Spv::BitwiseAnd | Spv::LogicalAnd => Bin::And,
        Spv::BitwiseOr | Spv::LogicalOr => Bin::Or,
        Spv::BitwiseXor | Spv::LogicalNotEqual => Bin::Xor,
        Spv::FAdd => Bin::FAdd,
        Spv::FSub => Bin::FSub,
        Spv::FMul => Bin::FMul,
        _ => return None,
    })
}

/// A comparison of integers: the condition, and whether the operands change places.
pub(super) fn integers(op: Spv) -> Option<(Cond, bool)> {
    Some(match op {
        Spv::IEqual | Spv::LogicalEqual | Spv::PtrEqual => (Cond::Eq, false),
        Spv::INotEqual | Spv::PtrNotEqual => (Cond::Ne, false),
        Spv::ULessThan => (Cond::Ult, false),
        Spv::ULessThanEqual => (Cond::Ule, false),
        Spv::UGreaterThan => (Cond::Ult, true),
        Spv::UGreaterThanEqual => (Cond::Ule, true),
        Spv::SLessThan => (Cond::Slt, false),
        Spv::SLessThanEqual => (Cond::Sle, false),
        Spv::SGreaterThan => (Cond::Slt, true),
        Spv::SGreaterThanEqual => (Cond::Sle, true),
        _ => return None,
    })
}

/// A comparison of floats: the condition, whether the operands change places, and whether the
/// result is inverted (which makes it true for NaN).
pub(super) fn floats(op: Spv) -> Option<(Cond, bool, bool)> {
    Some(match op {
        Spv::FOrdEqual => (Cond::Eq, false, false),
        Spv::FUnordNotEqual => (Cond::Une, false, false),
        Spv::FOrdLessThan => (Cond::Slt, false, false),
        Spv::FOrdLessThanEqual => (Cond::Sle, false, false),
        Spv::FOrdGreaterThan => (Cond::Slt, true, false),
        Spv::FOrdGreaterThanEqual => (Cond::Sle, true, false),
        Spv::FUnordLessThan => (Cond::Sle, true, true),
        Spv::FUnordLessThanEqual => (Cond::Slt, true, true),
        Spv::FUnordGreaterThan => (Cond::Sle, false, true),
        Spv::FUnordGreaterThanEqual => (Cond::Slt, false, true),
        _ => return None,
    })
}
