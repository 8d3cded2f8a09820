//! Sync objects: containers of fences, binary and timeline.
//!
//! Semantics as in Linux `drivers/gpu/drm/drm_syncobj.c`.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use nix::errno::Errno;

use softgpu_device::{Fence, announce};

/// A sync object: nothing, one fence, or a chain of fences at rising points.
#[derive(Debug, Default)]
pub struct Syncobj {
    content: Mutex<Content>,
    waiters: Mutex<Vec<Waiter>>,
}

/// A callback for a point.
struct Waiter {
    point: u64,
    /// Whether to call on submission, or when it has happened.
    available: bool,
    tell: Box<dyn FnOnce() + Send>,
}

impl fmt::Debug for Waiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Waiter({}, {})", self.point, self.available)
    }
}

#[derive(Debug, Default)]
struct Content {
    /// By point.
    links: VecDeque<Link>,
    /// Everything up to this point has happened and was dropped.
    reached: u64,
    timeline: bool,
}

#[derive(Debug, Clone)]
struct Link {
    point: u64,
    fence: Arc<Fence>,
}

impl Content {
    /// How many links there are up to `point` (0: all); `None` if none of them is for it.
    fn up_to(&self, point: u64) -> Option<usize> {
        match point {
            0 => Some(self.links.len()),
            _ => {
                let before = self.links.partition_point(|link| link.point < point);
                (before < self.links.len()).then_some(before + 1)
            }
        }
    }

    /// Drops the links at the start of the chain that have happened.
    fn collect(&mut self) {
        if !self.timeline {
            return;
        }
        let done = self
            .links
            .iter()
            .take_while(|l| l.fence.is_signalled())
            .count();
        // The last link stays, so that the object still has a fence.
        let drop = done.min(self.links.len().saturating_sub(1));
        if let Some(last) = drop.checked_sub(1).and_then(|i| self.links.get(i)) {
            self.reached = last.point;
        }
        self.links.drain(..drop);
    }
}

impl Syncobj {
    /// An empty object.
    pub fn new() -> Arc<Self> {
        Arc::default()
    }

    /// Replaces the content by one binary fence, or nothing.
    pub fn replace(&self, fence: Option<Arc<Fence>>) {
        let mut content = self.content();
        *content = Content::default();
        content
            .links
            .extend(fence.map(|fence| Link { point: 0, fence }));
        drop(content);
        self.tell_waiters();
        announce();
    }

    /// Adds a fence at `point`. A point that is not above the last counts as the next one, as in
    /// the kernel.
    pub fn add_point(&self, point: u64, fence: Arc<Fence>) {
        let mut content = self.content();
        if !content.timeline {
            // A binary fence becomes part of the chain's first link.
            let earlier: Vec<_> = content.links.drain(..).map(|link| link.fence).collect();
            content.timeline = true;
            content.reached = 0;
            let parts: Vec<_> = earlier.into_iter().chain([Arc::clone(&fence)]).collect();
            content.links.push_back(Link {
                point,
                fence: Fence::all(&parts),
            });
        } else {
            let last = content.links.back().map_or(0, |link| link.point);
            let point = point.max(last);
            content.links.push_back(Link { point, fence });
        }
        content.collect();
        drop(content);
        self.tell_waiters();
        announce();
    }

    /// Calls `tell` once when `point` has happened, or, if `available`, as soon as a fence for it
    /// is submitted.
    pub fn on_point(&self, point: u64, available: bool, tell: Box<dyn FnOnce() + Send>) {
        let waiter = Waiter {
            point,
            available,
            tell,
        };
        self.waiters().push(waiter);
        self.tell_waiters();
    }

    /// Calls those whose points are reached.
    fn tell_waiters(&self) {
        let due: Vec<_> = {
            let mut waiters = self.waiters();
            let due = waiters.extract_if(.., |w| self.has_happened(w.point).is_some());
            due.collect()
        };
        for waiter in due {
            match self.fence(waiter.point) {
                Some(fence) if !waiter.available => fence.on_signal(waiter.tell),
                _ => (waiter.tell)(),
            }
        }
    }

    fn waiters(&self) -> MutexGuard<'_, Vec<Waiter>> {
        self.waiters.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The fence for `point` (0: for all that the object holds).
    ///
    /// `None` if nothing has been submitted for that point.
    pub fn fence(&self, point: u64) -> Option<Arc<Fence>> {
        let content = self.content();
        if !content.timeline {
            // A point of a binary object never comes.
            return match content.links.front() {
                Some(link) if point == 0 => Some(Arc::clone(&link.fence)),
                _ => None,
            };
        }
        if point != 0 && point <= content.reached {
            return Some(Fence::signalled());
        }
        let upto = content.up_to(point)?;
        let parts: Vec<_> = content
            .links
            .iter()
            .take(upto)
            .map(|l| Arc::clone(&l.fence))
            .collect();
        if parts.is_empty() {
            return None;
        }
        Some(Fence::all(&parts))
    }

    /// Whether `point` has happened; `None` if nothing was submitted for it yet.
    pub fn has_happened(&self, point: u64) -> Option<bool> {
        Some(self.open(point)?.is_empty())
    }

    /// The fences that have to happen before `point` has: none are left if it has happened. `None`
    /// if nothing was submitted for it yet.
    pub fn open(&self, point: u64) -> Option<Vec<Arc<Fence>>> {
        let content = self.content();
        if content.timeline && point != 0 && point <= content.reached {
            return Some(Vec::new());
        }
        let upto = match content.timeline {
            true => content.up_to(point)?,
            // A point of a binary object never comes.
            false if point != 0 || content.links.is_empty() => return None,
            false => 1,
        };
        let links = content.links.iter().take(upto);
        let open = links.filter(|link| !link.fence.is_signalled());
        Some(open.map(|link| Arc::clone(&link.fence)).collect())
    }

    /// The last point that was submitted.
    pub fn submitted(&self) -> u64 {
        self.content().links.back().map_or(0, |link| link.point)
    }

    /// The last point up to which everything has happened.
    pub fn reached(&self) -> u64 {
        let content = self.content();
        if !content.timeline {
            return 0;
        }
        content
            .links
            .iter()
            .take_while(|link| link.fence.is_signalled())
            .last()
            .map_or(content.reached, |link| link.point)
    }

    /// Copies what `source` holds for `source_point` to `point` of this object.
    ///
    /// # Errors
    /// `EINVAL` if nothing was submitted there.
    pub fn transfer(&self, point: u64, source: &Syncobj, source_point: u64) -> Result<(), Errno> {
        let fence = source.fence(source_point).ok_or(Errno::EINVAL)?;
        match point {
            0 => self.replace(Some(fence)),
            point => self.add_point(point, fence),
        }
        Ok(())
    }

    fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_reached_in_order() {
        let object = Syncobj::new();
        assert!(object.fence(0).is_none());
        let fences = [Fence::new(), Fence::new(), Fence::new()];
        for (index, fence) in fences.iter().enumerate() {
            object.add_point(10 * (index as u64 + 1), Arc::clone(fence));
        }
        assert_eq!((object.reached(), object.submitted()), (0, 30));
        let at_15 = object.fence(15).unwrap();
        fences[1].signal();
        assert!(!at_15.is_signalled(), "point 20 needs point 10");
        assert_eq!(object.reached(), 0);
        fences[0].signal();
        assert!(at_15.is_signalled());
        assert_eq!(object.reached(), 20);
        assert!(object.fence(31).is_none());
        assert!(object.fence(5).unwrap().is_signalled());
        object.add_point(40, Fence::signalled());
        assert_eq!(object.reached(), 20, "30 is still open");
    }

    #[test]
    fn binary_objects_have_no_points() {
        let object = Syncobj::new();
        object.replace(Some(Fence::signalled()));
        assert!(object.fence(0).unwrap().is_signalled());
        assert!(object.fence(1).is_none());
        let other = Syncobj::new();
        other.transfer(7, &object, 0).unwrap();
        assert_eq!(other.reached(), 7);
        assert_eq!(other.transfer(8, &Syncobj::new(), 0), Err(Errno::EINVAL));
    }
}
