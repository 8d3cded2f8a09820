//! What the host has.

use std::num::NonZeroUsize;
use std::sync::OnceLock;
use std::thread;

/// How many cores may be used. It is asked once: that takes longer than a small launch.
pub(crate) fn host_cores() -> usize {
    static CORES: OnceLock<usize> = OnceLock::new();
    *CORES.get_or_init(|| thread::available_parallelism().map_or(1, NonZeroUsize::get))
}
