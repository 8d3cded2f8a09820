//! Messages against straightforward references.

mod bench;
mod blocks;
mod scattered;
