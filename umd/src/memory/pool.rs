//! Pooled buffer objects for commands: batch, states and payload of one command lie in one chunk.

use std::sync::{Arc, Mutex, PoisonError};

use kmd_iface::KmdError;

use super::bo::{Bo, Registry, Use};
use super::raw::Shared;

/// The smallest chunk; sizes are powers of two from here on.
const SMALLEST: u64 = 64 << 10;
/// Idle chunks of each size that are kept.
const KEPT: usize = 16;
/// Size classes: up to 4 GiB.
const CLASSES: usize = 17;

/// Idle chunks, by size.
#[derive(Debug)]
pub(crate) struct Pool {
    registry: Arc<Registry>,
    label: &'static str,
    idle: Mutex<[Vec<Arc<Bo>>; CLASSES]>,
}

impl Pool {
    /// An empty pool.
    pub(crate) fn new(registry: Arc<Registry>, label: &'static str) -> Arc<Self> {
        Arc::new(Self {
            registry,
            label,
            idle: Mutex::default(),
        })
    }

    /// A chunk of at least `size` bytes. Its bytes are what the last user left.
    pub(crate) fn take(self: &Arc<Self>, size: u64) -> Result<Chunk, KmdError> {
        let class = class(size);
        let idle = self.idle().get_mut(class).and_then(Vec::pop);
        let bo = match idle {
            Some(bo) => bo,
            None => {
                let size = SMALLEST.checked_shl(class as u32).unwrap_or(size).max(size);
                self.registry.create(size, Use::Shared, self.label)?
            }
        };
        Ok(Chunk {
            bo,
            class,
            pool: self.clone(),
        })
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, [Vec<Arc<Bo>>; CLASSES]> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn class(size: u64) -> usize {
    let size = size.clamp(SMALLEST, 1 << 62).next_power_of_two();
    (size.trailing_zeros() - SMALLEST.trailing_zeros()) as usize
}

/// A buffer object lent by a pool; dropping it gives it back, so whoever has it keeps it until
/// the GPU is done with it.
#[derive(Debug)]
pub(crate) struct Chunk {
    bo: Arc<Bo>,
    class: usize,
    pool: Arc<Pool>,
}

impl Chunk {
    /// The buffer object.
    pub(crate) fn bo(&self) -> &Arc<Bo> {
        &self.bo
    }

    /// The bytes, from this process.
    pub(crate) fn memory(&self) -> &Shared {
        self.bo.memory()
    }
}

impl Drop for Chunk {
    fn drop(&mut self) {
        if let Some(idle) = self.pool.idle().get_mut(self.class)
            && idle.len() < KEPT
        {
            idle.push(self.bo.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CLASSES, class};

    #[test]
    fn classes_are_powers_of_two() {
        assert_eq!(class(0), 0);
        assert_eq!(class(64 << 10), 0);
        assert_eq!(class((64 << 10) + 1), 1);
        assert_eq!(class(4 << 30), CLASSES - 1);
        assert!(class(u64::MAX) >= CLASSES);
    }
}
