//! Messages against straightforward references.

mod bench;
mod blocks;
mod hostile;
mod images;
mod lsc;
mod scattered;
