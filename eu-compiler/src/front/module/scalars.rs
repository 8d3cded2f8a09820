//! The scalars of constants. Large constants are mostly zeroes or tables for memory: of those, only the
//! parts are kept.

use std::borrow::Cow;

use super::super::reader::Instruction;
use super::super::types::MAX_SCALARS;
use super::Module;
use crate::ir::Type;

/// A scalar: its bits, `None` where undefined.
pub type Scalar = (Type, Option<u64>);
/// The scalars of a constant.
pub type Scalars = Vec<Scalar>;

/// A constant.
#[derive(Clone, Debug)]
pub struct Constant<'a> {
    /// Its type.
    pub ty: u32,
    /// How many scalars it has.
    pub count: usize,
    /// How many parts there are to visit: scalars, and what has none.
    pub weight: usize,
    /// What they are.
    pub contents: Contents<'a>,
}

/// What the scalars of a constant are.
#[derive(Clone, Debug)]
pub enum Contents<'a> {
    /// These.
    Scalars(Scalars),
    /// Null, as this instruction declares.
    Null(Instruction<'a>),
    /// Undefined, as this instruction declares.
    Undefined(Instruction<'a>),
    /// Those of other constants and of addresses, one behind the other.
    Parts(&'a [u32]),
}

impl Constant<'_> {
    /// One of scalars that are known.
    pub fn of(ty: u32, scalars: Scalars) -> Self {
        Self {
            ty,
            count: scalars.len(),
            weight: scalars.len(),
            contents: Contents::Scalars(scalars),
        }
    }
}

impl Module<'_> {
    /// The scalars of a constant of no more than values in code have.
    pub fn scalars(&self, id: u32) -> Option<Cow<'_, [Scalar]>> {
        let constant = self.constants.get(&id)?;
        match &constant.contents {
            Contents::Scalars(scalars) => Some(scalars.into()),
            _ if constant.weight > MAX_SCALARS => None,
            _ => {
                let mut all = Vec::with_capacity(constant.count);
                self.extend(id, &mut all)?;
                Some(all.into())
            }
        }
    }

    fn extend(&self, id: u32, all: &mut Scalars) -> Option<()> {
        let Some(constant) = self.constants.get(&id) else {
            // The address of a variable.
            all.push((Type::I64, Some(0)));
            return Some(());
        };
        match &constant.contents {
            Contents::Scalars(scalars) => all.extend(scalars),
            Contents::Null(i) => {
                let parts = self.types.flatten(constant.ty, i).ok()?;
                all.extend(parts.into_iter().map(|part| (part.ty, Some(part.null()))));
            }
            Contents::Undefined(i) => {
                let parts = self.types.flatten(constant.ty, i).ok()?;
                all.extend(parts.into_iter().map(|part| (part.ty, None)));
            }
            Contents::Parts(parts) => {
                for part in *parts {
                    self.extend(*part, all)?;
                }
            }
        }
        Some(())
    }
}
