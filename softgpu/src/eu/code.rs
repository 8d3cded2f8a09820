//! The decoded-instruction cache.

use std::cell::RefCell;

/// Decoded and lowered instructions of the kernels that one walker runs.
///
/// Keyed by instruction address. One host thread owns one (it is not `Sync`), and it must not
/// outlive the walker: kernel memory may be rewritten before the next one.
#[derive(Debug, Default)]
pub struct CodeCache {
    inner: RefCell<()>,
}

impl CodeCache {
    /// An empty cache.
    pub fn new() -> Self {
        Self::default()
    }

    /// Forgets everything, keeping the allocation: for the next walker.
    pub fn clear(&mut self) {
        self.inner = RefCell::new(());
    }
}
