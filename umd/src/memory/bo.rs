//! Buffer objects: made, mapped and bound together, and gone together.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use devinfo::GpuAddress;
use kmd_iface::{AddressSpaceId, BufferDesc, BufferHandle, Caching, Kmd, KmdError, Placement};

use super::ranges::Ranges;
use super::raw::{HostPages, Shared};

/// Who works most with a buffer object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// The GPU: in the device's memory, where it has some.
    Device,
    /// Both, and the CPU waits for what the GPU writes: in host memory, coherent.
    Shared,
}

impl Use {
    fn describe(self, size: u64) -> BufferDesc {
        match self {
            Self::Device => BufferDesc {
                size,
                placement: Placement::DeviceCpuVisible,
                caching: Caching::WriteBack,
            },
            Self::Shared => BufferDesc::system(size),
        }
    }
}

/// The buffer objects of one address space.
#[derive(Debug)]
pub(crate) struct Registry {
    kmd: Arc<dyn Kmd>,
    space: AddressSpaceId,
    ranges: Mutex<Ranges>,
    bound: Mutex<BTreeMap<u64, Bound>>,
}

#[derive(Clone, Debug)]
struct Bound {
    size: u64,
    label: &'static str,
}

impl Registry {
    /// Makes an address space.
    pub(crate) fn new(kmd: Arc<dyn Kmd>) -> Result<Arc<Self>, KmdError> {
        let space = kmd.create_address_space()?;
        let bits = kmd.description().va_bits;
        Ok(Arc::new(Self {
            kmd,
            space,
            ranges: Mutex::new(Ranges::new(bits)),
            bound: Mutex::new(BTreeMap::new()),
        }))
    }

    /// The kernel driver.
    pub(crate) fn kmd(&self) -> &Arc<dyn Kmd> {
        &self.kmd
    }

    /// The address space.
    pub(crate) fn space(&self) -> AddressSpaceId {
        self.space
    }

    /// A buffer object of `size` zero bytes. `label` says what it is for, in fault reports.
    pub(crate) fn create(
        self: &Arc<Self>,
        size: u64,
        usage: Use,
        label: &'static str,
    ) -> Result<Arc<Bo>, KmdError> {
        let handle = self.kmd.create_buffer(&usage.describe(size))?;
        let unbound = Unbound {
            registry: self,
            handle,
        };
        let mapping = self.kmd.map(handle)?;
        self.bind(unbound, size, Shared::Mapped(mapping), label)
    }

    /// A buffer object of this process's pages.
    pub(crate) fn adopt(
        self: &Arc<Self>,
        pages: &Arc<HostPages>,
        size: u64,
    ) -> Result<Arc<Bo>, KmdError> {
        const PAGE: usize = 4096;
        let handle = self.kmd.create_user_buffer(pages.user_memory(PAGE))?;
        let unbound = Unbound {
            registry: self,
            handle,
        };
        self.bind(unbound, size, Shared::Host(pages.clone()), "user memory")
    }

    fn bind(
        self: &Arc<Self>,
        unbound: Unbound<'_>,
        size: u64,
        memory: Shared,
        label: &'static str,
    ) -> Result<Arc<Bo>, KmdError> {
        let handle = unbound.handle;
        let length = self.kmd.buffer_size(handle)?;
        let alignment = self.kmd.description().min_page_size;
        let address = lock(&self.ranges).take(length, alignment);
        let address = address.ok_or(KmdError::Invalid {
            what: "buffer size",
            value: length,
            rule: "no address range is large enough",
        })?;
        if let Err(error) = self.kmd.bind(self.space, address, handle, 0, length) {
            lock(&self.ranges).give(address, length);
            return Err(error);
        }
        std::mem::forget(unbound);
        lock(&self.bound).insert(address.get(), Bound { size, label });
        Ok(Arc::new(Bo {
            registry: self.clone(),
            handle,
            address,
            size,
            length,
            memory,
        }))
    }

    /// What lies nearest to `address`, and where the address lies to it.
    pub(crate) fn nearest(&self, address: GpuAddress) -> Option<String> {
        let bound = lock(&self.bound);
        let at = address.get();
        let before = bound.range(..=at).next_back();
        let after = bound.range(at..).next();
        let past = before.map(|(&start, b)| (at.saturating_sub(start + b.size), start, b, true));
        let ahead = after.map(|(&start, b)| (start - at, start, b, false));
        let (distance, start, bound, is_before) = match (past, ahead) {
            (Some(a), Some(b)) => Some(if a.0 <= b.0 { a } else { b }),
            (a, b) => a.or(b),
        }?;
        let what = format!(
            "a {} of {} bytes at {}",
            bound.label,
            bound.size,
            GpuAddress::new(start)
        );
        Some(if !is_before {
            format!("{what}, which begins {distance:#x} bytes further on")
        } else if at < start + bound.size {
            format!("{what}, at {:#x} in it", at - start)
        } else {
            format!("{what}, which ends {distance:#x} bytes before")
        })
    }
}

impl Drop for Registry {
    fn drop(&mut self) {
        if let Err(error) = self.kmd.destroy_address_space(self.space) {
            tracing::warn!("destroying {}: {error}", self.space);
        }
    }
}

/// A handle that is closed again if it does not become a [`Bo`].
struct Unbound<'a> {
    registry: &'a Registry,
    handle: BufferHandle,
}

impl Drop for Unbound<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.registry.kmd.close_buffer(self.handle) {
            tracing::warn!("closing {}: {error}", self.handle);
        }
    }
}

/// A buffer object, mapped into this process and bound to an address. Whoever submits work with
/// it keeps it until the work has ended.
pub(crate) struct Bo {
    registry: Arc<Registry>,
    handle: BufferHandle,
    address: GpuAddress,
    size: u64,
    length: u64,
    memory: Shared,
}

impl Bo {
    /// Where the GPU sees it.
    pub(crate) fn address(&self) -> GpuAddress {
        self.address
    }

    /// The bytes that were asked for.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The bytes, from this process.
    pub(crate) fn memory(&self) -> &Shared {
        &self.memory
    }

    /// Whether both belong to one device.
    pub(crate) fn is_of(&self, registry: &Arc<Registry>) -> bool {
        Arc::ptr_eq(&self.registry, registry)
    }
}

impl fmt::Debug for Bo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Bo({} at {}, {} bytes)",
            self.handle, self.address, self.size
        )
    }
}

impl Drop for Bo {
    fn drop(&mut self) {
        let registry = &self.registry;
        lock(&registry.bound).remove(&self.address.get());
        let space = registry.space;
        match registry.kmd.unbind(space, self.address, self.length) {
            Ok(()) => lock(&registry.ranges).give(self.address, self.length),
            Err(error) => tracing::warn!("unbinding {}: {error}", self.handle),
        }
        if let Err(error) = registry.kmd.close_buffer(self.handle) {
            tracing::warn!("closing {}: {error}", self.handle);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
