//! GEM handles, closed when the last user is gone.
//!
//! A call into the kernel names objects by handle, and the kernel gives the number of a closed
//! handle to the next object. So code that is about to name an object holds it: a buffer that is
//! closed while a submission lists it stays open until that submission is made.

use std::collections::HashMap;
use std::os::fd::BorrowedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::{BufferHandle, KmdResult, Node, UserMemory, generic};

/// The handles that one client has open on its node.
#[derive(Debug)]
pub(crate) struct Objects {
    node: Arc<dyn Node>,
    /// Held while a handle is imported or closed: the import of a dma-buf whose handle is open
    /// gives that handle again.
    open: Mutex<HashMap<u32, Weak<Object>>>,
}

/// An open handle.
#[derive(Debug)]
pub(crate) struct Object {
    table: Arc<Objects>,
    handle: u32,
    /// The object's memory, if it belongs to this process: kept until the handle is closed.
    _user: Option<UserMemory>,
}

impl Objects {
    /// No handles of `node`.
    pub(crate) fn new(node: Arc<dyn Node>) -> Arc<Self> {
        Arc::new(Self {
            node,
            open: Mutex::default(),
        })
    }

    /// Takes ownership of a handle that the kernel has just made.
    pub(crate) fn created(self: &Arc<Self>, handle: u32, user: Option<UserMemory>) -> Arc<Object> {
        self.insert(&mut self.open(), handle, user)
    }

    /// The handle of a dma-buf, shared with those that already have it open.
    pub(crate) fn import(self: &Arc<Self>, dmabuf: BorrowedFd<'_>) -> KmdResult<Arc<Object>> {
        let mut open = self.open();
        let handle = generic::prime_import(self.node.as_ref(), dmabuf)?;
        match open.get(&handle).and_then(Weak::upgrade) {
            Some(object) => Ok(object),
            // New, or about to be closed: then its owner leaves it open.
            None => Ok(self.insert(&mut open, handle, None)),
        }
    }

    fn insert(
        self: &Arc<Self>,
        open: &mut HashMap<u32, Weak<Object>>,
        handle: u32,
        user: Option<UserMemory>,
    ) -> Arc<Object> {
        let object = Arc::new(Object {
            table: self.clone(),
            handle,
            _user: user,
        });
        open.insert(handle, Arc::downgrade(&object));
        object
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u32, Weak<Object>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Object {
    /// The number that ioctls take.
    pub(crate) fn handle(&self) -> u32 {
        self.handle
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        let mut open = self.table.open();
        let ours = open
            .get(&self.handle)
            .is_some_and(|weak| std::ptr::eq(weak.as_ptr(), self));
        // Otherwise an import has taken over the handle in the meantime.
        if !ours {
            return;
        }
        open.remove(&self.handle);
        if let Err(error) = generic::close(self.table.node.as_ref(), self.handle) {
            tracing::warn!("closing {}: {error}", BufferHandle::new(self.handle));
        }
    }
}
