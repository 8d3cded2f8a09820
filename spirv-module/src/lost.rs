//! Decorations of ids that nothing defines.
//!
//! The translator in Intel's compiler gives a value its id before its instruction, where a phi takes it
//! before that: the next value of what a loop changes. It makes the instruction with another id, decorates
//! that one, and puts the first in its place; the decorations stay behind. So a conversion in a loop loses
//! its saturation and its rounding (observed with 22.43; its own code saturates no more either).
//!
//! New ids grow from instruction to instruction. So the ids that are missing between those of the
//! neighbours were those of the instructions there that have one from before, in their order.

use std::collections::{HashMap, HashSet};
use std::iter::once;

use spirv::{Decoration, Op};

use crate::module::Module;
use crate::types::Types;
use crate::valid::defines;

/// A decoration of a conversion, with an id that nothing defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "%{id} is decorated with {decoration:?}, and nothing defines it: what made this SPIR-V has lost \
     which conversion that is"
)]
pub struct LostDecoration {
    /// Words before the decoration.
    pub offset: usize,
    /// The id.
    pub id: u32,
    /// What it is decorated with.
    pub decoration: Decoration,
}

impl Module {
    /// The module in which each saturation and rounding is its conversion's. Lost promises, such as
    /// those about overflow, stay where they are. It has to be asked of a module as it was made: the
    /// order of its ids tells.
    ///
    /// # Errors
    /// It cannot be told which conversion a decoration is of.
    pub fn with_decorations_found(mut self) -> Result<Self, LostDecoration> {
        let decorations = self.instructions().filter_map(|one| {
            let decoration = Decoration::from_u32(one.word(1))?;
            let changes = matches!(
                decoration,
                Decoration::SaturatedConversion | Decoration::FPRoundingMode
            );
            (one.op() == Some(Op::Decorate) && changes).then(|| LostDecoration {
                offset: one.offset,
                id: one.word(0),
                decoration,
            })
        });
        let mut lost: Vec<_> = decorations.collect();
        if lost.is_empty() {
            return Ok(self);
        }
        let (code, defined) = self.code();
        lost.retain(|lost| !defined.contains(&lost.id));
        if lost.is_empty() {
            return Ok(self);
        }
        let owners = owners(&code, &defined, self.bound());
        for lost in lost {
            let owner = owners.get(&lost.id).filter(|owner| is_conversion(owner.op));
            let target = self.words_mut().get_mut(lost.offset + 1);
            *target.ok_or(lost)? = owner.ok_or(lost)?.id;
        }
        Ok(self)
    }

    /// What functions compute, in order, and all ids that are defined.
    fn code(&self) -> (Vec<Defined>, HashSet<u32>) {
        let types = Types::of(self);
        let (mut code, mut defined) = (Vec::new(), HashSet::new());
        let mut ahead = HashSet::<u32>::new();
        let mut in_function = false;
        for one in self.instructions() {
            let Some(op) = one.op() else { continue };
            match op {
                Op::Function => in_function = true,
                Op::FunctionEnd => in_function = false,
                Op::Phi => {
                    let values = one.operands.iter().skip(2).step_by(2);
                    ahead.extend(values.filter(|value| !defined.contains(*value)));
                }
                _ => {}
            }
            if let Some(id) = defines(&types, &one) {
                defined.insert(id);
                if in_function {
                    let is_ahead = ahead.contains(&id);
                    code.push(Defined { id, op, is_ahead });
                }
            }
        }
        (code, defined)
    }
}

/// An instruction with a result.
#[derive(Clone, Copy)]
struct Defined {
    id: u32,
    op: Op,
    /// Whether a phi before it takes it.
    is_ahead: bool,
}

/// The instructions that had the ids which nothing defines.
fn owners(code: &[Defined], defined: &HashSet<u32>, bound: u32) -> HashMap<u32, Defined> {
    let end = Defined {
        id: bound,
        op: Op::Nop,
        is_ahead: false,
    };
    let mut owners = HashMap::new();
    let (mut last, mut between) = (0, Vec::new());
    for one in code.iter().copied().chain(once(end)) {
        if one.is_ahead {
            between.push(one);
        } else if one.id > last {
            // Labels and parameters have smaller ones.
            let missing = (last + 1..one.id).filter(|id| !defined.contains(id));
            let missing: Vec<_> = missing.take(between.len() + 1).collect();
            if missing.len() == between.len() {
                owners.extend(missing.into_iter().zip(between.iter().copied()));
            }
            between.clear();
            last = one.id;
        }
    }
    owners
}

fn is_conversion(op: Op) -> bool {
    matches!(
        op,
        Op::ConvertFToU
            | Op::ConvertFToS
            | Op::ConvertSToF
            | Op::ConvertUToF
            | Op::UConvert
            | Op::SConvert
            | Op::FConvert
            | Op::SatConvertSToU
            | Op::SatConvertUToS
    )
}
