//! The boundary to a kernel driver: what a render node answers, i915 and xe as its clients.

mod node;

pub use node::{MapSource, Node};
