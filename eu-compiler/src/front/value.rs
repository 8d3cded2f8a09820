//! What ids of a module stand for while a kernel is translated.

use smallvec::SmallVec;
use spirv::BuiltIn;

use super::types::ImageShape;
use crate::ir::{Space, Surface, Value};

/// What an id stands for: scalars, and what is known of a pointer.
#[derive(Clone, Debug, Default)]
pub struct Val {
    /// The scalars.
    pub scalars: SmallVec<[Value; 4]>,
    /// The memory that a pointer points into.
    pub space: Option<Space>,
    /// What a generic pointer was before it became one: an address in this memory.
    pub origin: Option<(Value, Space)>,
    /// How far a pointer is from null, if it was made of that: the number that it is converted to, by which
    /// programs find where members lie.
    pub from_null: Option<Value>,
    /// A pointer to a built-in variable, or to a component of it.
    pub builtin: Option<(BuiltIn, Component)>,
    /// What components beyond the end of a vector are, if it is a built-in that has an answer.
    pub beyond: Option<u64>,
    /// An image or sampler.
    pub object: Option<Object>,
}

impl Val {
    /// One scalar.
    pub fn one(value: Value) -> Val {
        Val {
            scalars: SmallVec::from_slice(&[value]),
            ..Val::default()
        }
    }

    /// Several.
    pub fn many(values: impl IntoIterator<Item = Value>) -> Val {
        Val {
            scalars: values.into_iter().collect(),
            ..Val::default()
        }
    }

    /// An image or sampler.
    pub fn object(object: Object) -> Val {
        Val {
            object: Some(object),
            ..Val::default()
        }
    }

    /// A pointer.
    pub fn pointer(value: Value, space: Option<Space>) -> Val {
        Val {
            space,
            ..Val::one(value)
        }
    }
}

/// What of a built-in variable a pointer points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// All of it.
    All,
    /// A component of a vector.
    Known(u32),
    /// The component whose number this value is.
    At(Value),
}

/// An image or sampler that an id stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// An image.
    Image(Image),
    /// A sampler, by its number among the kernel's.
    Sampler(u8),
    /// Both.
    Sampled(Image, u8),
}

/// An image argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Image {
    /// Its binding.
    pub surface: Surface,
    /// The number of the argument.
    pub arg: u32,
    /// Its type.
    pub shape: ImageShape,
}
