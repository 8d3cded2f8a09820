//! The types that instructions work on, as a table.

use spirv::Op;

/// What the components of a value are; a scalar is its own component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Int,
    Float,
    /// Integers or floats.
    Number,
    /// Booleans, integers or floats.
    Plain,
}

/// The type of an operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Takes {
    /// The result's.
    Result,
    /// The result's component.
    Component,
    /// As many components as the result has, of a kind, and all operands alike.
    Each(Kind),
    /// As many components as the result has, of a kind.
    Any(Kind),
    /// As many components as the result has, of a kind, and of another width.
    Resized(Kind),
    /// A scalar of a kind.
    Scalar(Kind),
    /// A scalar or vector of a kind.
    Of(Kind),
}

/// The types of an instruction whose operands are values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule {
    /// What the result's components are.
    pub result: Kind,
    /// The first operand after the result's id that is a value.
    pub first: usize,
    pub operands: &'static [Takes],
}

/// The rule of an instruction, if there is one of this form (SPIR-V, 3.42).
pub(super) fn rule(op: Op) -> Option<Rule> {
    use Kind::{Bool, Float, Int, Plain};
    use Takes::{Any, Component, Each, Of, Resized, Result, Scalar};
    let (result, first, operands): (Kind, usize, &'static [Takes]) = match op {
        Op::SNegate | Op::Not | Op::BitReverse => (Int, 2, &[Result]),
        Op::IAdd
        | Op::ISub
        | Op::IMul
        | Op::UDiv
        | Op::SDiv
        | Op::UMod
        | Op::SRem
        | Op::SMod
        | Op::BitwiseOr
        | Op::BitwiseXor
        | Op::BitwiseAnd => (Int, 2, &[Result, Result]),
        Op::ShiftRightLogical | Op::ShiftRightArithmetic | Op::ShiftLeftLogical => {
            (Int, 2, &[Result, Any(Int)])
        }
        Op::BitFieldInsert => (Int, 2, &[Result, Result, Scalar(Int), Scalar(Int)]),
        Op::BitFieldSExtract | Op::BitFieldUExtract => {
            (Int, 2, &[Result, Scalar(Int), Scalar(Int)])
        }
        Op::BitCount => (Int, 2, &[Any(Int)]),
        Op::FNegate => (Float, 2, &[Result]),
        Op::FAdd | Op::FSub | Op::FMul | Op::FDiv | Op::FRem | Op::FMod => {
            (Float, 2, &[Result, Result])
        }
        Op::VectorTimesScalar => (Float, 2, &[Result, Component]),
        Op::IEqual
        | Op::INotEqual
        | Op::UGreaterThan
        | Op::SGreaterThan
        | Op::UGreaterThanEqual
        | Op::SGreaterThanEqual
        | Op::ULessThan
        | Op::SLessThan
        | Op::ULessThanEqual
        | Op::SLessThanEqual => (Bool, 2, &[Each(Int), Each(Int)]),
        Op::FOrdEqual
        | Op::FUnordEqual
        | Op::FOrdNotEqual
        | Op::FUnordNotEqual
        | Op::FOrdLessThan
        | Op::FUnordLessThan
        | Op::FOrdGreaterThan
        | Op::FUnordGreaterThan
        | Op::FOrdLessThanEqual
        | Op::FUnordLessThanEqual
        | Op::FOrdGreaterThanEqual
        | Op::FUnordGreaterThanEqual
        | Op::LessOrGreater
        | Op::Ordered
        | Op::Unordered => (Bool, 2, &[Each(Float), Each(Float)]),
        Op::IsNan | Op::IsInf | Op::IsFinite | Op::IsNormal | Op::SignBitSet => {
            (Bool, 2, &[Any(Float)])
        }
        Op::LogicalEqual | Op::LogicalNotEqual | Op::LogicalOr | Op::LogicalAnd => {
            (Bool, 2, &[Result, Result])
        }
        Op::LogicalNot => (Bool, 2, &[Result]),
        Op::Any | Op::All => (Bool, 2, &[Of(Bool)]),
        Op::ConvertFToU | Op::ConvertFToS => (Int, 2, &[Any(Float)]),
        Op::ConvertSToF | Op::ConvertUToF => (Float, 2, &[Any(Int)]),
        Op::UConvert | Op::SConvert => (Int, 2, &[Resized(Int)]),
        Op::SatConvertSToU | Op::SatConvertUToS => (Int, 2, &[Any(Int)]),
        Op::FConvert => (Float, 2, &[Resized(Float)]),
        Op::QuantizeToF16 => (Float, 2, &[Result]),
        // The scope comes first, or the scope and the operation.
        Op::GroupAll | Op::GroupAny | Op::GroupNonUniformAll | Op::GroupNonUniformAny => {
            (Bool, 3, &[Result])
        }
        Op::GroupBroadcast => (Plain, 3, &[Result, Of(Int)]),
        Op::GroupNonUniformBroadcast
        | Op::GroupNonUniformShuffle
        | Op::GroupNonUniformShuffleXor
        | Op::GroupNonUniformShuffleUp
        | Op::GroupNonUniformShuffleDown
        | Op::GroupNonUniformRotateKHR => (Plain, 3, &[Result, Scalar(Int)]),
        Op::GroupNonUniformBroadcastFirst => (Plain, 3, &[Result]),
        Op::GroupIAdd
        | Op::GroupUMin
        | Op::GroupSMin
        | Op::GroupUMax
        | Op::GroupSMax
        | Op::GroupNonUniformIAdd
        | Op::GroupNonUniformIMul
        | Op::GroupNonUniformSMin
        | Op::GroupNonUniformUMin
        | Op::GroupNonUniformSMax
        | Op::GroupNonUniformUMax
        | Op::GroupNonUniformBitwiseAnd
        | Op::GroupNonUniformBitwiseOr
        | Op::GroupNonUniformBitwiseXor
        | Op::GroupIMulKHR
        | Op::GroupBitwiseAndKHR
        | Op::GroupBitwiseOrKHR
        | Op::GroupBitwiseXorKHR => (Int, 4, &[Result]),
        Op::GroupFAdd
        | Op::GroupFMin
        | Op::GroupFMax
        | Op::GroupNonUniformFAdd
        | Op::GroupNonUniformFMul
        | Op::GroupNonUniformFMin
        | Op::GroupNonUniformFMax
        | Op::GroupFMulKHR => (Float, 4, &[Result]),
        Op::GroupNonUniformLogicalAnd
        | Op::GroupNonUniformLogicalOr
        | Op::GroupNonUniformLogicalXor
        | Op::GroupLogicalAndKHR
        | Op::GroupLogicalOrKHR
        | Op::GroupLogicalXorKHR => (Bool, 4, &[Result]),
        _ => return exchange(op),
    };
    Some(Rule {
        result,
        first,
        operands,
    })
}

/// The rule of an instruction that reads and writes what its third operand points to, as one, and gives
/// what was there.
fn exchange(op: Op) -> Option<Rule> {
    use Kind::{Float, Int, Number};
    use Takes::Result;
    // The pointer, the scope and the semantics come first.
    let (result, first, operands): (Kind, usize, &'static [Takes]) = match op {
        Op::AtomicIAdd
        | Op::AtomicISub
        | Op::AtomicSMin
        | Op::AtomicUMin
        | Op::AtomicSMax
        | Op::AtomicUMax
        | Op::AtomicAnd
        | Op::AtomicOr
        | Op::AtomicXor => (Int, 5, &[Result]),
        Op::AtomicIIncrement | Op::AtomicIDecrement => (Int, 5, &[]),
        Op::AtomicCompareExchange | Op::AtomicCompareExchangeWeak => (Int, 6, &[Result, Result]),
        Op::AtomicExchange => (Number, 5, &[Result]),
        Op::AtomicFAddEXT | Op::AtomicFMinEXT | Op::AtomicFMaxEXT => (Float, 5, &[Result]),
        _ => return None,
    };
    Some(Rule {
        result,
        first,
        operands,
    })
}

/// Whether an instruction reads and writes what its third operand points to, as one, and gives what was
/// there.
pub(crate) fn exchanges(op: Op) -> bool {
    exchange(op).is_some()
}

/// Which operand of an instruction is a pointer to what its result is.
pub(super) fn pointer(op: Op) -> Option<usize> {
    let reads = matches!(op, Op::Load | Op::AtomicLoad) || exchanges(op);
    reads.then_some(2)
}

/// Of the functions of `OpenCL.std`, those whose result and operands are of one type with floats (OpenCL
/// extended instruction set, 2.1: `acos` to `trunc`, and the native and half ones).
pub(super) fn is_of_floats(function: u32) -> bool {
    use spirv::OpenclStd100Op as Std;
    let of_others = |function| {
        matches!(
            function,
            Std::fract
                | Std::frexp
                | Std::ilogb
                | Std::ldexp
                | Std::lgamma_r
                | Std::modf
                | Std::nan
                | Std::pown
                | Std::remquo
                | Std::rootn
                | Std::sincos
        )
    };
    let function = Std::from_u32(function);
    function
        .is_some_and(|function| function as u32 <= Std::native_tan as u32 && !of_others(function))
}
