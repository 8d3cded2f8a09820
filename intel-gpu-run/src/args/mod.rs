//! The small languages of the command line: sizes, kernel arguments, checks.

mod element;
mod expect;
mod image;
pub mod number;
mod picture;
mod print;
mod range;
mod spec;

pub use element::ElementType;
pub use expect::{Comparison, Expect};
pub use image::{Dimensions, ImageShape};
pub use picture::{PictureFormat, SampleBits};
pub use print::Print;
pub use range::Extent;
pub use spec::{ArgRef, ArgSpec, Content};
