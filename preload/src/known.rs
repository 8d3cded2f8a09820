//! Which files are nodes, asked without a lock.
//!
//! Every `close` and `fstat` of the program asks. A signal handler may call them while its thread has
//! the lock of the nodes, and a forked child while a thread has it that the child lacks: neither would
//! get it.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// Identifies a file: device and inode.
pub type FileId = (libc::dev_t, libc::ino_t);

/// Whose node a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The process that opened it.
    pub process: u32,
    /// Its minor number.
    pub minor: u32,
}

/// The files that are nodes. It grows and does not shrink: places of closed nodes are used again.
#[derive(Debug, Default)]
pub struct Known {
    places: [Place; PLACES],
    more: OnceLock<Box<Known>>,
}

const PLACES: usize = 16;

#[derive(Debug, Default)]
struct Place {
    /// 0 where there is no node: no file has that inode. Written last.
    inode: AtomicU64,
    device: AtomicU64,
    process: AtomicU32,
    minor: AtomicU32,
}

impl Known {
    /// Whether there is no node: then nobody has to look for a file.
    pub fn is_empty(&self) -> bool {
        let mut parts =
            std::iter::successors(Some(self), |known| known.more.get().map(Box::as_ref));
        parts.all(|known| {
            let mut places = known.places.iter();
            places.all(|place| place.inode.load(Ordering::Acquire) == 0)
        })
    }

    /// Whose node the file is, if it is one.
    pub fn find(&self, (device, inode): FileId) -> Option<Owner> {
        let is_it = |place: &&Place| {
            place.inode.load(Ordering::Acquire) == inode
                && place.device.load(Ordering::Relaxed) == device
        };
        let mut part = Some(self).filter(|_| inode != 0);
        while let Some(known) = part {
            if let Some(place) = known.places.iter().find(is_it) {
                return Some(Owner {
                    process: place.process.load(Ordering::Relaxed),
                    minor: place.minor.load(Ordering::Relaxed),
                });
            }
            part = known.more.get().map(Box::as_ref);
        }
        None
    }

    /// Notes a node. One thread at a time may call this or [`Known::remove`].
    pub fn insert(&self, (device, inode): FileId, owner: Owner) {
        let mut known = self;
        loop {
            let is_free = |place: &&Place| place.inode.load(Ordering::Relaxed) == 0;
            if let Some(place) = known.places.iter().find(is_free) {
                place.device.store(device, Ordering::Relaxed);
                place.process.store(owner.process, Ordering::Relaxed);
                place.minor.store(owner.minor, Ordering::Relaxed);
                place.inode.store(inode, Ordering::Release);
                return;
            }
            known = known.more.get_or_init(Box::default);
        }
    }

    /// Forgets a node.
    pub fn remove(&self, (device, inode): FileId) {
        let mut part = Some(self);
        while let Some(known) = part {
            for place in &known.places {
                if place.inode.load(Ordering::Relaxed) == inode
                    && place.device.load(Ordering::Relaxed) == device
                {
                    place.inode.store(0, Ordering::Release);
                }
            }
            part = known.more.get().map(Box::as_ref);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_number_of_nodes_is_known_until_it_is_forgotten() {
        let known = Known::default();
        let owner = |minor| Owner { process: 7, minor };
        let count = 3 * PLACES as u32;
        for minor in 1..=count {
            known.insert((1, minor.into()), owner(minor));
        }
        known.remove((1, 5));
        assert_eq!(known.find((1, 5)), None);
        assert!(!known.is_empty());
        for minor in (1..=count).filter(|minor| *minor != 5) {
            assert_eq!(known.find((1, minor.into())), Some(owner(minor)));
        }
        // Inodes of other devices are other files, and 0 is none.
        assert_eq!((known.find((2, 6)), known.find((0, 0))), (None, None));
        (1..=count).for_each(|minor| known.remove((1, minor.into())));
        assert!(known.is_empty());
    }
}
