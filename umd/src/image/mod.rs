//! Images.

mod desc;
mod format;
mod layout;
pub(crate) mod limits;
mod object;

pub use desc::{ImageDesc, ImageKind, Region};
pub use format::{ImageFormat, channel_order, channel_type};
pub use object::Image;
