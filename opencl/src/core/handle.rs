//! Handles: what programs hold of objects.
//!
//! A handle is the address of a word that the ICD loader reads: a pointer to the table of entry
//! points. It is not the address of an object: [`Handle::get`] looks it up among the live ones, so
//! that a handle that was released, or that is of another type, is an error and no crash. The words
//! are used again, but late, so that a stale handle is rarely another object's.
//!
//! A program's references are counted apart from the runtime's own: an object lives as long as
//! either has one, and its handle is good as long as it lives. So the context of a queue can be
//! asked for after the program has released it.

use std::any::Any;
use std::collections::{HashMap, VecDeque};
use std::ffi::c_void;
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use opencl_sys::cl_icd::cl_icd_dispatch;
use opencl_sys::{cl_int, cl_uint};

use crate::error::{Error, Result};

/// The entry points that the ICD loader finds by handles.
static ENTRY_POINTS: OnceLock<&'static cl_icd_dispatch> = OnceLock::new();

/// Says which these are, before there is a handle.
pub(crate) fn set_entry_points(table: &'static cl_icd_dispatch) {
    ENTRY_POINTS.get_or_init(|| table);
}

/// What a handle points to.
#[derive(Debug)]
#[repr(C)]
struct Word {
    dispatch: Option<&'static cl_icd_dispatch>,
}

/// Words that wait before they are used again.
const RESTING: usize = 4096;

/// An object that programs hold by a handle.
pub(crate) trait Object: Any + Send + Sync {
    /// The error of a handle that is none of an object of this type.
    const INVALID: cl_int;

    /// What the object is called in messages.
    const NAME: &'static str;

    /// Its place among the live ones.
    fn base(&self) -> &Base;
}

/// The part of an object that its handle stands for.
#[derive(Debug)]
pub(crate) struct Base {
    word: &'static Word,
}

impl Base {
    pub(crate) fn new() -> Self {
        let mut live = live();
        let word = match live.resting.len() {
            RESTING.. => live.resting.pop_front(),
            _ => None,
        };
        drop(live);
        Self {
            word: word.unwrap_or_else(|| {
                Box::leak(Box::new(Word {
                    dispatch: ENTRY_POINTS.get().copied(),
                }))
            }),
        }
    }

    pub(crate) fn handle(&self) -> Handle {
        Handle(std::ptr::from_ref(self.word).expose_provenance())
    }

    fn address(&self) -> usize {
        self.handle().address()
    }
}

impl Drop for Base {
    fn drop(&mut self) {
        let mut live = live();
        let gone = live.objects.remove(&self.address());
        live.resting.push_back(self.word);
        drop(live);
        drop(gone);
    }
}

type Whole = dyn Any + Send + Sync;

/// A live object.
struct Entry {
    object: Weak<Whole>,
    /// The program's references: their number, and what they keep alive.
    held: Option<(Arc<Whole>, cl_uint)>,
}

#[derive(Default)]
struct Live {
    objects: HashMap<usize, Entry>,
    resting: VecDeque<&'static Word>,
}

fn live() -> MutexGuard<'static, Live> {
    static LIVE: LazyLock<Mutex<Live>> = LazyLock::new(Mutex::default);
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What a program passes for an object; nothing is known about it before it is looked up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Handle(usize);

impl Handle {
    pub(crate) const NULL: Self = Self(0);

    pub(crate) fn of(address: usize) -> Self {
        Self(address)
    }

    pub(crate) fn pointer(self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.0)
    }

    pub(crate) fn address(self) -> usize {
        self.0
    }

    pub(crate) fn is_null(self) -> bool {
        self.0 == 0
    }

    /// The object, if it is live and of this type.
    pub(crate) fn get<T: Object>(self) -> Result<Arc<T>> {
        let entry = live()
            .objects
            .get(&self.address())
            .and_then(|entry| entry.object.upgrade());
        let object = entry.and_then(|object| object.downcast().ok());
        object.ok_or_else(|| self.invalid::<T>())
    }

    /// Whether it is one of a live object, of any type.
    pub(crate) fn is_live(self) -> bool {
        live().objects.contains_key(&self.address())
    }

    /// One more reference of the program's.
    pub(crate) fn retain<T: Object>(self) -> Result<()> {
        let object = self.get::<T>()?;
        let mut live = live();
        if let Some(entry) = live.objects.get_mut(&self.address()) {
            match &mut entry.held {
                Some((_, count)) => *count += 1,
                None => entry.held = Some((object, 1)),
            }
        }
        Ok(())
    }

    /// One reference of the program's less.
    pub(crate) fn release<T: Object>(self) -> Result<()> {
        // Dropped after the lock: what the object drops may have handles, too.
        let object = self.get::<T>()?;
        let mut live = live();
        let entry = live.objects.get_mut(&self.address());
        let held = entry.map(|entry| &mut entry.held);
        let gone = match held {
            Some(Some((_, count))) if *count > 1 => {
                *count -= 1;
                None
            }
            Some(held @ Some(_)) => held.take(),
            _ => return Err(self.invalid::<T>()),
        };
        drop(live);
        drop(gone);
        drop(object);
        Ok(())
    }

    /// The program's references.
    pub(crate) fn references(self) -> cl_uint {
        let live = live();
        let entry = live.objects.get(&self.address());
        entry
            .and_then(|entry| entry.held.as_ref())
            .map_or(0, |(_, count)| *count)
    }

    fn invalid<T: Object>(self) -> Error {
        let why = format!("{:#x} is no {}", self.0, T::NAME);
        Error::new(T::INVALID, why)
    }
}

/// Gives a new object to the program, which has one reference then.
pub(crate) fn publish<T: Object>(object: Arc<T>) -> Handle {
    let handle = object.base().handle();
    let weak = Arc::downgrade(&object);
    let entry = Entry {
        object: weak,
        held: Some((object, 1)),
    };
    live().objects.insert(handle.address(), entry);
    handle
}

/// Shows an object to the program, which has no reference of its own: the handle is good as long as
/// the object lives.
pub(crate) fn show<T: Object>(object: &Arc<T>) -> Handle {
    let handle = object.base().handle();
    let weak = Arc::downgrade(object);
    let (object, held) = (weak, None);
    live()
        .objects
        .insert(handle.address(), Entry { object, held });
    handle
}

#[cfg(test)]
mod tests {
    use super::*;
    use opencl_sys::{CL_INVALID_EVENT, CL_INVALID_KERNEL};

    struct Thing(Base);
    struct Other(Base);

    impl Object for Thing {
        const INVALID: cl_int = CL_INVALID_EVENT;
        const NAME: &'static str = "thing";
        fn base(&self) -> &Base {
            &self.0
        }
    }

    impl Object for Other {
        const INVALID: cl_int = CL_INVALID_KERNEL;
        const NAME: &'static str = "other";
        fn base(&self) -> &Base {
            &self.0
        }
    }

    #[test]
    fn wrong_handles_are_errors() {
        let handle = publish(Arc::new(Thing(Base::new())));
        assert!(handle.get::<Thing>().is_ok());
        let error = handle.get::<Other>().map(|_| ()).unwrap_err();
        assert_eq!(error.code, CL_INVALID_KERNEL);
        assert!(Handle::NULL.get::<Thing>().is_err());
        handle.retain::<Thing>().unwrap();
        assert_eq!(handle.references(), 2);
        handle.release::<Thing>().unwrap();
        handle.release::<Thing>().unwrap();
        let error = handle.release::<Thing>().unwrap_err();
        assert_eq!(error.code, CL_INVALID_EVENT);
    }

    #[test]
    fn a_used_object_outlives_its_last_reference() {
        let handle = publish(Arc::new(Thing(Base::new())));
        let user = handle.get::<Thing>().unwrap();
        handle.release::<Thing>().unwrap();
        assert_eq!(handle.references(), 0);
        assert!(handle.get::<Thing>().is_ok());
        assert!(handle.release::<Thing>().is_err());
        drop(user);
        assert!(handle.get::<Thing>().is_err());
    }
}
