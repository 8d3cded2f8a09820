//! What the queues of both clients have in common: names that are never reused, one submitter at a
//! time, and a timeline that lives as long as anything may name it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::uapi::drm::SyncobjCreateFlags;
use crate::{Fence, KmdError, KmdResult, Node, QueueId, Seqno, generic};

/// The queues of a client, by name. A name is never reused: the fences of a destroyed queue must
/// not come to mean another queue's work.
#[derive(Debug)]
pub(crate) struct Queues<Q> {
    live: HashMap<QueueId, Arc<Q>>,
    given: u32,
}

impl<Q> Default for Queues<Q> {
    fn default() -> Self {
        Self {
            live: HashMap::new(),
            given: 0,
        }
    }
}

impl<Q> Queues<Q> {
    /// Names a queue.
    pub(crate) fn insert(&mut self, queue: Arc<Q>) -> KmdResult<QueueId> {
        let next = self.given.checked_add(1).ok_or(KmdError::Invalid {
            what: "queues made by one client",
            value: u64::from(self.given),
            rule: "no more than their 32-bit names: reopen the device",
        })?;
        self.given = next;
        let id = QueueId::new(next);
        self.live.insert(id, queue);
        Ok(id)
    }

    /// The queue with this name.
    pub(crate) fn get(&self, id: QueueId) -> KmdResult<&Arc<Q>> {
        self.live.get(&id).ok_or(KmdError::NoSuchQueue(id))
    }

    /// The queue of a fence to wait for; `None` if it was destroyed: then there is nothing left to
    /// wait for.
    pub(crate) fn awaited(&self, id: QueueId) -> KmdResult<Option<&Arc<Q>>> {
        match self.live.get(&id) {
            None if id.get() == 0 || id.get() > self.given => Err(KmdError::NoSuchQueue(id)),
            found => Ok(found),
        }
    }

    /// Forgets the queue with this name.
    pub(crate) fn remove(&mut self, id: QueueId) -> KmdResult<Arc<Q>> {
        self.live.remove(&id).ok_or(KmdError::NoSuchQueue(id))
    }

    /// All queues.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (QueueId, &Arc<Q>)> {
        self.live.iter().map(|(&id, queue)| (id, queue))
    }

    /// Takes all queues out.
    pub(crate) fn take(&mut self) -> Vec<Arc<Q>> {
        self.live.drain().map(|(_, queue)| queue).collect()
    }
}

/// The seqnos of a queue.
#[derive(Debug, Default)]
pub(crate) struct Order {
    submitting: Mutex<()>,
    last: AtomicU64,
}

impl Order {
    /// Waits until no other thread submits to the queue: seqnos rise in the order in which the
    /// kernel gets the batches.
    pub(crate) fn submit(&self) -> Turn<'_> {
        let guard = self.submitting.lock();
        Turn {
            order: self,
            _guard: guard.unwrap_or_else(PoisonError::into_inner),
        }
    }

    /// The last submission; 0 before the first.
    pub(crate) fn last(&self) -> Seqno {
        Seqno::new(self.last.load(Ordering::Acquire))
    }

    /// An error unless `fence` was submitted.
    pub(crate) fn check(&self, fence: Fence) -> KmdResult<()> {
        if fence.seqno <= self.last() {
            return Ok(());
        }
        Err(KmdError::Invalid {
            what: "seqno",
            value: fence.seqno.get(),
            rule: "at most the queue's last submission",
        })
    }
}

/// The right to submit to a queue.
#[derive(Debug)]
pub(crate) struct Turn<'a> {
    order: &'a Order,
    _guard: MutexGuard<'a, ()>,
}

impl Turn<'_> {
    /// What this submission will be.
    pub(crate) fn seqno(&self) -> Seqno {
        Seqno::new(self.order.last().get() + 1)
    }

    /// The kernel has taken it.
    pub(crate) fn made(self) -> Seqno {
        let seqno = self.seqno();
        self.order.last.store(seqno.get(), Ordering::Release);
        seqno
    }
}

/// A timeline sync object; destroyed when nothing can name it any more.
#[derive(Debug)]
pub(crate) struct Timeline {
    node: Arc<dyn Node>,
    handle: u32,
}

impl Timeline {
    /// A timeline at 0.
    pub(crate) fn new(node: Arc<dyn Node>) -> KmdResult<Self> {
        let handle = generic::syncobj_create(node.as_ref(), SyncobjCreateFlags::empty())?;
        Ok(Self { node, handle })
    }

    /// The number that ioctls take.
    pub(crate) fn handle(&self) -> u32 {
        self.handle
    }
}

impl Drop for Timeline {
    fn drop(&mut self) {
        if let Err(error) = generic::syncobj_destroy(self.node.as_ref(), self.handle) {
            tracing::warn!("destroying sync object {}: {error}", self.handle);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_not_given_twice() {
        let mut queues = Queues::default();
        let first = queues.insert(Arc::new('a')).unwrap();
        queues.remove(first).unwrap();
        let second = queues.insert(Arc::new('b')).unwrap();
        assert_ne!(first, second);
        assert!(queues.get(first).is_err() && queues.remove(first).is_err());
        assert_eq!(queues.awaited(first).unwrap(), None);
        assert_eq!(queues.awaited(second).unwrap().map(|q| **q), Some('b'));
        let never = QueueId::new(second.get() + 1);
        assert!(queues.awaited(never).is_err() && queues.awaited(QueueId::new(0)).is_err());
        queues.given = u32::MAX;
        assert!(queues.insert(Arc::new('c')).is_err());
    }

    #[test]
    fn seqnos_rise_with_what_was_taken() {
        let order = Order::default();
        assert_eq!(order.submit().seqno().get(), 1);
        // That submission was refused.
        assert_eq!(order.submit().made().get(), 1);
        assert_eq!(order.submit().made().get(), 2);
        let fence = |seqno| Fence {
            queue: QueueId::new(1),
            seqno: Seqno::new(seqno),
        };
        assert!(order.check(fence(2)).is_ok() && order.check(fence(3)).is_err());
    }
}
