//! Tables of handles.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nix::errno::Errno;

/// A client's handles of one kind: small numbers, the lowest free one first.
#[derive(Debug)]
pub struct Handles<T> {
    table: Mutex<Table<T>>,
    first: u32,
}

#[derive(Debug)]
struct Table<T> {
    things: BTreeMap<u32, Arc<T>>,
    /// No lower handle is free.
    full_below: u32,
}

/// The most handles of one kind.
const LIMIT: usize = 1 << 20;

impl<T> Handles<T> {
    /// No handles yet; the first will be `first`.
    pub fn new(first: u32) -> Self {
        Self {
            table: Mutex::new(Table {
                things: BTreeMap::new(),
                full_below: first,
            }),
            first,
        }
    }

    /// A handle for `thing`.
    ///
    /// # Errors
    /// `ENOSPC` when there are too many.
    pub fn insert(&self, thing: Arc<T>) -> Result<u32, Errno> {
        let mut table = self.lock();
        if table.things.len() >= LIMIT {
            return Err(Errno::ENOSPC);
        }
        let mut handle = table.full_below;
        for (used, _) in table.things.range(handle..) {
            if *used != handle {
                break;
            }
            handle += 1;
        }
        table.full_below = handle + 1;
        table.things.insert(handle, thing);
        Ok(handle)
    }

    /// What `handle` refers to.
    pub fn get(&self, handle: u32) -> Option<Arc<T>> {
        self.lock().things.get(&handle).cloned()
    }

    /// The lowest handle of `thing`.
    pub fn find(&self, thing: &Arc<T>) -> Option<u32> {
        let table = self.lock();
        let mut all = table.things.iter();
        all.find(|(_, other)| Arc::ptr_eq(other, thing))
            .map(|(handle, _)| *handle)
    }

    /// Forgets `handle`.
    pub fn remove(&self, handle: u32) -> Option<Arc<T>> {
        let mut table = self.lock();
        let thing = table.things.remove(&handle)?;
        table.full_below = table.full_below.min(handle).max(self.first);
        Some(thing)
    }

    /// Everything that has a handle.
    pub fn all(&self) -> Vec<Arc<T>> {
        self.lock().things.values().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Table<T>> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_lowest_free_handle_is_given() {
        let handles = Handles::new(1);
        let add = || handles.insert(Arc::new(())).unwrap();
        assert_eq!([add(), add(), add(), add()], [1, 2, 3, 4]);
        handles.remove(2).unwrap();
        handles.remove(3).unwrap();
        assert!(handles.get(2).is_none());
        assert_eq!([add(), add(), add()], [2, 3, 5]);
        assert!(handles.remove(9).is_none());
    }
}
