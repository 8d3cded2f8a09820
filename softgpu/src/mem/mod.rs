//! Buffer objects, address spaces, and the one place where raw memory is accessed.

mod view;

pub use view::View;
