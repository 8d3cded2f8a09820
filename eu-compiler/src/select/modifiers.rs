//! What operations take as a modifier of their source: complements of bits, signs and magnitudes of floats.

use isa_encoder::Type as M;

use super::{Part, Selector};
use crate::code::Operand;
use crate::ir::{Bin, Function, Op, Type, Un, Value};
use crate::passes::divergence::Divergence;

/// What a value is the complement of.
fn complemented(function: &Function, value: Value) -> Option<Value> {
    let (_, data) = function.source(value)?;
    let is = data.op == Op::Bin(Bin::Xor)
        && function.ty(value) == Type::I32
        && function.bits(data.args[1]) == Some(Type::I32.mask());
    is.then(|| data.args[0])
}

/// The float of which a value is the negative or the magnitude.
fn signed(function: &Function, value: Value) -> Option<(Un, Value)> {
    let (_, data) = function.source(value)?;
    match data.op {
        Op::Un(op @ (Un::FNeg | Un::FAbs)) => Some((op, data.args[0])),
        _ => None,
    }
}

/// Whether the sources of an operation are floats, which may have modifiers.
pub(super) const fn is_of_floats(op: Bin) -> bool {
    matches!(
        op,
        Bin::FAdd | Bin::FSub | Bin::FMul | Bin::FMin | Bin::FMax
    )
}

/// Complements whose users are all bitwise operations that are not part of others, and signs whose users all
/// compute with floats.
pub(super) fn parts(function: &Function, divergence: &Divergence, parts: &mut [Option<Part>]) {
    let mut complements = vec![true; function.values.len()];
    let mut signs = complements.clone();
    for data in function.listed() {
        let is_bitwise = matches!(data.op, Op::Bin(Bin::And | Bin::Or | Bin::Xor))
            && function.ty(data.results[0]) == Type::I32
            && parts[data.results[0].index()].is_none();
        let computes = match data.op {
            Op::Bin(op) => is_of_floats(op),
            Op::Un(_) | Op::Fma | Op::Fcmp(_) => true,
            _ => false,
        };
        for arg in &data.args {
            complements[arg.index()] &= is_bitwise;
            signs[arg.index()] &= computes;
        }
    }
    for data in function.listed() {
        let &[result] = &data.results[..] else {
            continue;
        };
        let complemented = complemented(function, result).filter(|_| complements[result.index()]);
        let signed = signed(function, result).filter(|_| signs[result.index()]);
        // What lanes take out of a loop at different times is not what all of them have in there.
        let taken = complemented.or(signed.map(|(_, of)| of)).filter(|of| {
            function.source(*of).is_some() && divergence.differs(*of) == divergence.differs(result)
        });
        if taken.is_some() {
            parts[result.index()] = Some(Part::Modifier);
        }
    }
}

impl Selector<'_> {
    /// A source of a bitwise operation on dwords.
    pub(super) fn bitwise_source(&mut self, value: Value) -> Result<Operand, String> {
        match complemented(self.function, value) {
            Some(of) if self.is_part(value, Part::Modifier) => {
                let source = self.bitwise_source(of)?;
                Ok(source.negated())
            }
            _ => self.source(value, M::Ud),
        }
    }

    /// A source of an operation on floats.
    pub(super) fn float_source(&mut self, value: Value, ty: M) -> Result<Operand, String> {
        match signed(self.function, value) {
            Some((op, of)) if self.is_part(value, Part::Modifier) => {
                let source = self.float_source(of, ty)?;
                Ok(match op {
                    Un::FAbs => source.magnitude(),
                    _ => source.negated(),
                })
            }
            _ => self.source(value, ty),
        }
    }
}
