//! Which routine executes a request.

use crate::accumulate::{Accumulating, Addc, Into, Mach, Macl, Subb};
use crate::compare::{Float32, Float64, Signed32, Signed64, Unsigned32, Unsigned64};
use crate::operand::{Element, Reading};
use crate::ops::*;
use crate::request::{Input, Operation, Request};
use crate::routine::{BITS, Boolean, Compare, Compute, FLOATS, INTEGERS, Select, SelectCompare};
use crate::vector::{Compiled, Vector};

/// The number of lanes for a number of channels, and after it the number where few are compiled
/// (registers are padded for the largest).
macro_rules! sized {
    ($c:ident, $request:ident, $n:ident => $routine:ty) => {{
        type Of<const $n: usize> = $routine;
        match $request.lanes {
            1 => <$c>::of::<Of<1>, Of<8>>(),
            16 => <$c>::of::<Of<16>, Of<32>>(),
            32 => <$c>::of::<Of<32>, Of<32>>(),
            _ => <$c>::of::<Of<8>, Of<8>>(),
        }
    }};
}

/// A routine that computes with lane operation `$op`.
macro_rules! lanes {
    ($c:ident, $request:ident, $op:ty) => {
        Vector::with(
            sized!($c, $request, N => Compute<$op, N>),
            $request,
            <$op>::READING,
            size_of::<<$op as LaneOp>::In>(),
            size_of::<<$op as LaneOp>::Out>(),
        )
    };
}

/// Another routine, with the reading and size of its lanes.
macro_rules! routine {
    ($c:ident, $request:ident, $reading:ident, $bytes:literal, $n:ident => $routine:ty) => {
        Vector::with(
            sized!($c, $request, $n => $routine),
            $request,
            Reading::$reading,
            $bytes,
            $bytes,
        )
    };
}

/// The routine of `request`, compiled for `C`.
pub(crate) fn select<C: Compiled>(request: &Request) -> Option<Vector> {
    let sources = || request.sources.iter().flatten();
    if let Some(vector) = raw::<C>(request) {
        return Some(vector);
    }
    let doubles = sources()
        .filter(|source| source.element == Element::Df)
        .count();
    if request.accumulator.is_some() {
        accumulating::<C>(request)
    } else if doubles > 0 {
        (doubles == sources().count()).then(|| double::<C>(request))?
    } else if sources().any(|source| source.element.is_float()) {
        let all = sources().all(|source| source.element.is_float());
        all.then(|| single::<C>(request))?
    } else if request.output.element.is_float() && request.operation == Operation::Mov {
        to_float::<C>(request)
    } else if request.output.element.is_float() && request.operation != Operation::Compare {
        None
    } else if request.saturate {
        saturating::<C>(request)
    } else if is_wide(request) {
        wide::<C>(request)
    } else {
        narrow::<C>(request)
    }
}

/// Whether an integer operation needs lanes of 64 bits.
fn is_wide(request: &Request) -> bool {
    let eight = |element: Element| element.bytes() == 8;
    eight(request.output.element) || request.sources.iter().flatten().any(|s| eight(s.element))
}

fn same_bits(source: &Input, element: Element) -> bool {
    let integers = !source.element.is_float() && !element.is_float();
    source.modifiers.is_empty()
        && (source.element == element || integers && source.element.bytes() == element.bytes())
}

/// Moves of unchanged bits.
fn raw<C: Compiled>(r: &Request) -> Option<Vector> {
    if r.saturate || r.condition.is_some() || r.accumulator.is_some() {
        return None;
    }
    let to = r.output.element;
    if !r
        .sources
        .iter()
        .flatten()
        .all(|source| same_bits(source, to))
    {
        return None;
    }
    match (r.operation, to.bytes()) {
        (Operation::Mov, 8) => lanes!(C, r, Copy64),
        (Operation::Mov, _) => lanes!(C, r, Copy32),
        (Operation::Select, 8) => routine!(C, r, Bits, 8, N => Select<u64, BITS, N>),
        (Operation::Select, _) => routine!(C, r, Bits, 4, N => Select<u32, BITS, N>),
        _ => None,
    }
}

fn double<C: Compiled>(r: &Request) -> Option<Vector> {
    let to = r.output.element;
    if r.operation == Operation::Compare {
        return routine!(C, r, Float, 8, N => Compare<Float64, N>);
    }
    if r.operation == Operation::Mov && r.condition.is_none() {
        match to {
            Element::F => return lanes!(C, r, DToF),
            Element::D => return lanes!(C, r, DToSigned),
            Element::Ud => return lanes!(C, r, DToUnsigned),
            Element::Q => return lanes!(C, r, DToSigned64),
            Element::Uq => return lanes!(C, r, DToUnsigned64),
            _ => {}
        }
    }
    if to != Element::Df {
        return None;
    }
    match r.operation {
        Operation::Mov => lanes!(C, r, MoveD),
        Operation::Add => lanes!(C, r, AddD),
        Operation::Mul => lanes!(C, r, MulD),
        Operation::Mad if C::fuses() => lanes!(C, r, MadD),
        Operation::Min => lanes!(C, r, MinD),
        Operation::Max => lanes!(C, r, MaxD),
        Operation::Select if !r.saturate => {
            routine!(C, r, Float, 8, N => Select<u64, FLOATS, N>)
        }
        _ => None,
    }
}

/// `f` and `hf`.
fn single<C: Compiled>(r: &Request) -> Option<Vector> {
    let to = r.output.element;
    let narrow_output = r.output.at.is_none() || to.bytes() <= 4;
    let halves = r.sources.iter().flatten().all(|s| s.element == Element::Hf);
    match r.operation {
        Operation::Compare if narrow_output => {
            return routine!(C, r, Float, 4, N => Compare<Float32, N>);
        }
        Operation::Mov if r.condition.is_none() => match to {
            Element::D => return lanes!(C, r, FToSigned),
            Element::Ud => return lanes!(C, r, FToUnsigned),
            Element::Q => return lanes!(C, r, FToSigned64),
            Element::Uq => return lanes!(C, r, FToUnsigned64),
            Element::Df if !halves => return lanes!(C, r, FToD),
            Element::W | Element::Uw | Element::B | Element::Ub => {
                return lanes!(C, r, FToSmall);
            }
            _ => {}
        },
        _ => {}
    }
    if !matches!(to, Element::F | Element::Hf) {
        return None;
    }
    // Computed in half precision: correct where single precision, rounded again, gives the same
    // result.
    if halves && to == Element::Hf {
        return match r.operation {
            Operation::Mov => lanes!(C, r, MoveF),
            Operation::Add => lanes!(C, r, AddF),
            Operation::Mul => lanes!(C, r, MulF),
            Operation::Mad => lanes!(C, r, MadHalf),
            Operation::Inv => lanes!(C, r, InvF),
            Operation::Divide => lanes!(C, r, DivideF),
            Operation::Sqrt => lanes!(C, r, SqrtF),
            Operation::Floor => lanes!(C, r, FloorF),
            Operation::Ceil => lanes!(C, r, CeilF),
            Operation::Trunc => lanes!(C, r, TruncF),
            Operation::Even => lanes!(C, r, EvenF),
            Operation::Min => lanes!(C, r, MinF),
            Operation::Max => lanes!(C, r, MaxF),
            _ => None,
        };
    }
    match r.operation {
        Operation::Mov => lanes!(C, r, MoveF),
        Operation::Add => lanes!(C, r, AddF),
        Operation::Mul => lanes!(C, r, MulF),
        Operation::Mad => lanes!(C, r, MadF),
        Operation::Floor => lanes!(C, r, FloorF),
        Operation::Ceil => lanes!(C, r, CeilF),
        Operation::Trunc => lanes!(C, r, TruncF),
        Operation::Even => lanes!(C, r, EvenF),
        Operation::Fraction => lanes!(C, r, FractionF),
        Operation::Inv => lanes!(C, r, InvF),
        Operation::Divide => lanes!(C, r, DivideF),
        Operation::Sqrt => lanes!(C, r, SqrtF),
        Operation::Rsqrt => lanes!(C, r, RsqrtF),
        Operation::Log => lanes!(C, r, LogF),
        Operation::Exp => lanes!(C, r, ExpF),
        Operation::Sin => lanes!(C, r, SinF),
        Operation::Cos => lanes!(C, r, CosF),
        Operation::Min => lanes!(C, r, MinF),
        Operation::Max => lanes!(C, r, MaxF),
        Operation::Select if to == Element::F && !r.saturate => {
            routine!(C, r, Float, 4, N => Select<u32, FLOATS, N>)
        }
        Operation::SelectCompare if to == Element::F && !r.saturate => {
            routine!(C, r, Float, 4, N => SelectCompare<Float32, N>)
        }
        _ => None,
    }
}

/// Integers to floats.
fn to_float<C: Compiled>(r: &Request) -> Option<Vector> {
    let source = r.sources[0].as_ref()?;
    match (r.output.element, source.element.bytes()) {
        (Element::Df, _) if source.fits_signed(64) => lanes!(C, r, SignedToD),
        (Element::Df, _) if source.fits_unsigned() => lanes!(C, r, UnsignedToD),
        (_, 8) if source.fits_signed(64) => lanes!(C, r, Signed64ToF),
        (_, 8) if source.fits_unsigned() => lanes!(C, r, Unsigned64ToF),
        (_, ..8) if source.fits_signed(32) => lanes!(C, r, SignedToF),
        (_, ..8) if source.fits_unsigned() => lanes!(C, r, UnsignedToF),
        _ => None,
    }
}

/// Saturation: exact in 64 bits.
fn saturating<C: Compiled>(r: &Request) -> Option<Vector> {
    if is_wide(r) || r.condition.is_some() {
        return None;
    }
    match r.operation {
        Operation::Mov => lanes!(C, r, MoveClamped),
        Operation::Add => lanes!(C, r, AddClamped),
        _ => None,
    }
}

/// Integers of at most 32 bits.
fn narrow<C: Compiled>(r: &Request) -> Option<Vector> {
    let to = r.output.element;
    let all = |fits: &dyn Fn(&Input) -> bool| r.sources.iter().flatten().all(fits);
    let signed = all(&|source| source.fits_signed(32));
    let unsigned = all(&Input::fits_unsigned);
    // Flags depend on the result in the destination's type: lanes hold it only in 32 bits.
    let compares = matches!(r.operation, Operation::Compare | Operation::SelectCompare);
    if r.condition.is_some() && !compares && to.bytes() != 4 {
        return None;
    }
    let dword = |source: &Option<Input>| source.is_some_and(|s| s.element.bytes() == 4);
    let first = r.sources[0].as_ref()?;
    match r.operation {
        Operation::Mov => lanes!(C, r, Move32),
        Operation::Not => lanes!(C, r, Not32),
        Operation::And => lanes!(C, r, And32),
        Operation::Or => lanes!(C, r, Or32),
        Operation::Xor => lanes!(C, r, Xor32),
        Operation::Bfn(_) => routine!(C, r, Integer, 4, N => Boolean<N>),
        Operation::Add => lanes!(C, r, Add32),
        Operation::Add3 => lanes!(C, r, AddThree32),
        Operation::Avg if r.condition.is_none() => lanes!(C, r, Mean),
        Operation::Mul => lanes!(C, r, Mul32),
        Operation::Mad => lanes!(C, r, Mad32),
        Operation::Shl => lanes!(C, r, Shl32),
        Operation::Shr => lanes!(C, r, Shr32),
        Operation::Asr if first.fits_signed(32) => lanes!(C, r, Asr32),
        Operation::Asr if first.fits_unsigned() => lanes!(C, r, Shr32),
        Operation::Rol if to.bytes() == 4 && dword(&r.sources[0]) => lanes!(C, r, Rol32),
        Operation::Ror if to.bytes() == 4 && dword(&r.sources[0]) => lanes!(C, r, Ror32),
        Operation::Cbit => lanes!(C, r, Cbit32),
        Operation::Lzd => lanes!(C, r, Lzd32),
        Operation::Fbl => lanes!(C, r, Fbl32),
        Operation::Fbh if first.element.is_signed() => lanes!(C, r, FbhSigned),
        Operation::Fbh => lanes!(C, r, FbhUnsigned),
        Operation::Bfrev => lanes!(C, r, Bfrev32),
        Operation::Bfe if to.is_signed() => lanes!(C, r, BfeSigned),
        Operation::Bfe => lanes!(C, r, BfeUnsigned),
        Operation::Bfi1 => lanes!(C, r, Bfi132),
        Operation::Bfi2 => lanes!(C, r, Bfi232),
        Operation::Quotient if to.is_signed() => lanes!(C, r, QuotientSigned),
        Operation::Quotient => lanes!(C, r, QuotientUnsigned),
        Operation::Remainder if to.is_signed() => lanes!(C, r, RemainderSigned),
        Operation::Remainder => lanes!(C, r, RemainderUnsigned),
        Operation::Min if signed => lanes!(C, r, MinSigned),
        Operation::Max if signed => lanes!(C, r, MaxSigned),
        Operation::Min if unsigned => lanes!(C, r, MinUnsigned),
        Operation::Max if unsigned => lanes!(C, r, MaxUnsigned),
        Operation::Select => routine!(C, r, Integer, 4, N => Select<u32, INTEGERS, N>),
        Operation::Compare if signed => routine!(C, r, Integer, 4, N => Compare<Signed32, N>),
        Operation::Compare if unsigned => {
            routine!(C, r, Integer, 4, N => Compare<Unsigned32, N>)
        }
        // Signed and unsigned dwords together: exact in 64 bits.
        Operation::Compare => routine!(C, r, Integer, 8, N => Compare<Signed64, N>),
        Operation::SelectCompare if signed => {
            routine!(C, r, Integer, 4, N => SelectCompare<Signed32, N>)
        }
        Operation::SelectCompare if unsigned => {
            routine!(C, r, Integer, 4, N => SelectCompare<Unsigned32, N>)
        }
        _ => None,
    }
}

/// Integers, some of 64 bits.
fn wide<C: Compiled>(r: &Request) -> Option<Vector> {
    let all = |fits: &dyn Fn(&Input) -> bool| r.sources.iter().flatten().all(fits);
    let first = r.sources[0].as_ref()?;
    if r.operation == Operation::Compare {
        return if all(&|source| source.fits_signed(64)) {
            routine!(C, r, Integer, 8, N => Compare<Signed64, N>)
        } else if all(&Input::fits_unsigned) {
            routine!(C, r, Integer, 8, N => Compare<Unsigned64, N>)
        } else {
            None
        };
    }
    if r.condition.is_some() && r.output.element.bytes() != 8 {
        return None;
    }
    // Shift counts go to 63 if the shifted value or the result is that wide.
    let long = r.output.element.bytes() == 8 || first.element.bytes() == 8;
    if matches!(
        r.operation,
        Operation::Shl | Operation::Shr | Operation::Asr
    ) && !long
    {
        return None;
    }
    match r.operation {
        Operation::Mov => lanes!(C, r, Move64),
        Operation::Not => lanes!(C, r, Not64),
        Operation::And => lanes!(C, r, And64),
        Operation::Or => lanes!(C, r, Or64),
        Operation::Xor => lanes!(C, r, Xor64),
        Operation::Add => lanes!(C, r, Add64),
        Operation::Add3 => lanes!(C, r, AddThree64),
        Operation::Mul => lanes!(C, r, Mul64),
        Operation::Mad => lanes!(C, r, Mad64),
        Operation::Shl => lanes!(C, r, Shl64),
        // A narrower source is treated as 32 bits.
        Operation::Shr if first.element.bytes() == 8 || first.fits_unsigned() => {
            lanes!(C, r, Shr64)
        }
        Operation::Asr if first.fits_signed(64) => lanes!(C, r, Asr64),
        Operation::Select => routine!(C, r, Integer, 8, N => Select<u64, INTEGERS, N>),
        _ => None,
    }
}

/// Operations on dwords that use the accumulator.
fn accumulating<C: Compiled>(r: &Request) -> Option<Vector> {
    let narrow = |element: Element| !element.is_float() && element.bytes() <= 4;
    let fits = r
        .sources
        .iter()
        .flatten()
        .all(|source| narrow(source.element))
        && narrow(r.output.element)
        && r.output.element.bytes() == 4;
    if !fits || r.saturate || r.condition.is_some() {
        return None;
    }
    macro_rules! into {
        ($op:ty) => {
            Vector::with(
                sized!(C, r, N => Into<$op, N>),
                r,
                <$op>::READING,
                8,
                8,
            )
        };
    }
    macro_rules! implicit {
        ($op:ty) => {
            Vector::with(
                sized!(C, r, N => Accumulating<$op, N>),
                r,
                Reading::Integer,
                8,
                4,
            )
        };
    }
    match r.operation {
        Operation::Mach => implicit!(Mach),
        Operation::Macl => implicit!(Macl),
        Operation::Addc => implicit!(Addc),
        Operation::Subb => implicit!(Subb),
        Operation::Mov => into!(Move64),
        Operation::Add => into!(Add64),
        Operation::Mul => into!(Mul64),
        Operation::Mad => into!(Mad64),
        Operation::And => into!(And64),
        Operation::Or => into!(Or64),
        Operation::Xor => into!(Xor64),
        _ => None,
    }
}
