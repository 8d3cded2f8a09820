//! Complements that bitwise operations take as a modifier of their source.

use isa_encoder::Type as M;

use super::Selector;
use crate::code::Operand;
use crate::ir::{Bin, Function, Op, Type, Value};

/// What a value is the complement of.
fn complemented(function: &Function, value: Value) -> Option<Value> {
    let (_, data) = function.source(value)?;
    let is = data.op == Op::Bin(Bin::Xor)
        && function.ty(value) == Type::I32
        && function.bits(data.args[1]) == Some(Type::I32.mask());
    is.then(|| data.args[0])
}

/// Complements whose users are all bitwise operations that are not part of others.
pub(super) fn folded(function: &Function, short: &[bool], folded: &mut [bool]) {
    let mut takes = vec![true; function.values.len()];
    for data in function.listed() {
        let is_bitwise = matches!(data.op, Op::Bin(Bin::And | Bin::Or | Bin::Xor))
            && function.ty(data.results[0]) == Type::I32
            && !folded[data.results[0].index()];
        for arg in &data.args {
            takes[arg.index()] &= is_bitwise;
        }
    }
    for data in function.listed() {
        if let &[result] = &data.results[..]
            && takes[result.index()]
            && let Some(of) = complemented(function, result)
            // Words would be complemented as words.
            && !short[of.index()]
            && function.source(of).is_some()
        {
            folded[result.index()] = true;
        }
    }
}

impl Selector<'_> {
    /// A source of a bitwise operation on dwords.
    pub(super) fn bitwise_source(&mut self, value: Value) -> Result<Operand, String> {
        match complemented(self.function, value) {
            Some(of) if self.folded[value.index()] => {
                let source = self.bitwise_source(of)?;
                Ok(source.negated())
            }
            _ => self.source(value, M::Ud),
        }
    }
}
