//! The little languages of the command line: sizes, kernel arguments, checks.

mod element;
mod expect;
mod number;
mod print;
mod range;
mod spec;

pub use element::ElementType;
pub use expect::Expect;
pub use print::Print;
pub use range::Extent;
pub use spec::{
    ArgRef, ArgSpec, Coordinates, Dimensions, PixelFormat, SamplerAddress, SamplerFilter,
};
