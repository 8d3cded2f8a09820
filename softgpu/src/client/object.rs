//! Buffer objects.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::xe::XeVm;
use softgpu_device::Fence;
use softgpu_memory::Backing;

/// Which kind of memory an object takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Memory {
    /// System memory.
    System,
    /// The device's own memory.
    Device,
    /// The client's pages.
    User,
}

/// A buffer object.
#[derive(Debug)]
pub struct Object {
    /// Its memory.
    pub backing: Arc<Backing>,
    /// Which kind of memory that is.
    pub memory: Memory,
    /// The only address space of xe that it may be bound in, if it is private.
    owner: Option<Weak<XeVm>>,
    settings: Mutex<Settings>,
    users: Mutex<Users>,
}

/// What a client sets and gets back; the model is always linear and coherent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `I915_TILING_*`.
    pub tiling: u32,
    /// Bytes of a row, if tiled.
    pub stride: u32,
    /// `I915_CACHING_*`.
    pub caching: u32,
    /// MADVISE said that the pages may go.
    pub purgeable: bool,
}

/// The batches that use an object, with the class of their engine.
#[derive(Debug, Default)]
struct Users {
    /// The last one of each timeline.
    readers: Vec<(u16, Arc<Fence>, u64)>,
    writer: Option<(u16, Arc<Fence>)>,
}

impl Users {
    fn collect(&mut self) {
        self.readers.retain(|(_, fence, _)| !fence.is_signalled());
        if let Some((_, fence)) = &self.writer
            && fence.is_signalled()
        {
            self.writer = None;
        }
    }
}

impl Object {
    /// An object on `backing`.
    pub fn new(backing: Arc<Backing>, memory: Memory, caching: u32) -> Arc<Self> {
        Self::with_owner(backing, memory, caching, None)
    }

    /// An object that is bound in `owner` only.
    pub fn private(backing: Arc<Backing>, memory: Memory, owner: &Arc<XeVm>) -> Arc<Self> {
        Self::with_owner(backing, memory, 0, Some(Arc::downgrade(owner)))
    }

    fn with_owner(
        backing: Arc<Backing>,
        memory: Memory,
        caching: u32,
        owner: Option<Weak<XeVm>>,
    ) -> Arc<Self> {
        Arc::new(Self {
            backing,
            memory,
            owner,
            settings: Mutex::new(Settings {
                caching,
                ..Settings::default()
            }),
            users: Mutex::default(),
        })
    }

    /// Whether it is private to one address space.
    pub fn is_private(&self) -> bool {
        self.owner.is_some()
    }

    /// Whether it may be bound in `vm`.
    pub fn allows(&self, vm: &XeVm) -> bool {
        let owner = self.owner.as_ref();
        owner.is_none_or(|owner| std::ptr::eq(owner.as_ptr(), vm))
    }

    /// The client's settings.
    pub fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a new batch that reads (and writes, if `write`) the object has to wait for, by
    /// implicit ordering.
    pub fn conflicts(&self, write: bool) -> Vec<Arc<Fence>> {
        let mut users = self.users();
        users.collect();
        let writer = users.writer.iter().map(|(_, fence)| fence);
        let readers = users.readers.iter().filter(|_| write);
        let readers = readers.map(|(_, fence, _)| fence);
        writer.chain(readers).cloned().collect()
    }

    /// Notes that a batch of a timeline, on an engine of `class`, uses the object until `done`.
    pub fn add_user(&self, (class, timeline): (u16, u64), write: bool, done: &Arc<Fence>) {
        let mut users = self.users();
        if write {
            users.writer = Some((class, Arc::clone(done)));
        }
        let reader = (class, Arc::clone(done), timeline);
        // Those before it in the timeline end before it.
        match users.readers.iter_mut().find(|(.., own)| *own == timeline) {
            Some(earlier) => *earlier = reader,
            None => {
                users.collect();
                users.readers.push(reader);
            }
        }
    }

    /// The engine classes of batches that read the object, as a mask, and the class of the one
    /// that writes it.
    pub fn busy(&self) -> (u32, Option<u16>) {
        let mut users = self.users();
        users.collect();
        let readers = users
            .readers
            .iter()
            .fold(0, |mask, (class, ..)| mask | 1u32 << (class & 15));
        (readers, users.writer.as_ref().map(|(class, _)| *class))
    }

    fn users(&self) -> MutexGuard<'_, Users> {
        self.users.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
