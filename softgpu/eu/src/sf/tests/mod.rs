//! Messages against straightforward references.

mod atomics;
mod bench;
mod blocks;
#[cfg(target_arch = "x86_64")]
mod host;
mod hostile;
mod images;
mod lsc;
mod scattered;
mod texels;
