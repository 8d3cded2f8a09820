//! Buffer objects: made, mapped and bound together, and gone together.

use std::collections::BTreeMap;
use std::fmt;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use devinfo::GpuAddress;
use kmd_iface::{
    AddressSpaceId, AddressSpaceOptions, BufferDesc, BufferHandle, Caching, Diagnostics, Forbidden,
    Kmd, KmdError, Placement, Purpose, map_dmabuf,
};

use super::ranges::{GRANULE, Part, Ranges, whole};
use super::raw::{HostPages, PAGE, Shared};
use super::watched::Watched;

/// Who works most with a buffer object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// The GPU: in the device's memory, where it has some.
    Device,
    /// The GPU only: in the device's memory, where it has some, and not necessarily in the part
    /// that the CPU can reach. This process does not map it.
    Private,
    /// Kernels: as [`Device`](Self::Device), in the near part of the address space.
    Code,
    /// Scratch that is a part of general state memory: as [`Private`](Self::Private), in the near
    /// part of the address space.
    NearPrivate,
    /// Both, and the CPU waits for what the GPU writes: in host memory, coherent.
    Shared,
}

impl Use {
    fn describe(self, size: u64) -> BufferDesc {
        match self {
            Self::Device | Self::Code => BufferDesc {
                size,
                placement: Placement::DeviceCpuVisible,
                caching: Caching::WriteBack,
            },
            Self::Private | Self::NearPrivate => BufferDesc {
                size,
                placement: Placement::Device,
                caching: Caching::WriteBack,
            },
            Self::Shared => BufferDesc::system(size),
        }
    }
}

/// Where a buffer object is bound.
#[derive(Debug)]
enum Place {
    Anywhere,
    Near,
    At(u64),
    /// At addresses that are reserved in this process as long as it lives.
    Reserved(HostPages),
}

/// How far apart objects begin when accesses are checked: most wrong indices then reach no other
/// object.
const CHECKED_SPACING: u64 = 1 << 30;

/// The buffer objects of one address space.
#[derive(Debug)]
pub(crate) struct Registry {
    kmd: Arc<dyn Kmd>,
    space: AddressSpaceId,
    ranges: Mutex<Ranges>,
    bound: Mutex<BTreeMap<u64, Bound>>,
    /// How often something was bound.
    bindings: AtomicU64,
    /// Whether the device checks accesses: known from the start, as each launch asks, and a software GPU asks
    /// the kernel whose process it is in.
    checks: bool,
    /// Held while a handle is closed, or given to what may have it already.
    closing: Mutex<()>,
    watched: Watched,
}

#[derive(Clone, Debug)]
struct Bound {
    size: u64,
    label: &'static str,
    handle: BufferHandle,
    bo: Weak<Bo>,
}

/// What buffers call their memory; other memory is not found by its address.
pub(crate) const BUFFER: &str = "buffer";
const USER_MEMORY: &str = "user memory";
const SHARED_MEMORY: &str = "shared memory";
/// What programs call that of their variables.
pub(crate) const VARIABLES: &str = "variables of a program";
/// What images call theirs.
pub(crate) const IMAGE: &str = "image";
/// What kernels print into.
pub(crate) const PRINT: &str = "printf buffer";
/// What threads call theirs: registers that did not fit, and private variables.
pub(crate) const SCRATCH_MEMORY: &str = "scratch memory";
pub(crate) const PRIVATE_MEMORY: &str = "private memory";

/// What memory of this name is for.
fn purpose(label: &str) -> Purpose {
    match label {
        BUFFER | USER_MEMORY | SHARED_MEMORY | VARIABLES => Purpose::Buffer,
        IMAGE => Purpose::Image,
        PRINT => Purpose::Print,
        SCRATCH_MEMORY | PRIVATE_MEMORY => Purpose::Threads,
        _ => Purpose::Driver,
    }
}

impl Registry {
    /// Makes an address space of a kernel driver's client.
    pub(crate) fn new(
        kmd: Arc<dyn Kmd>,
        options: AddressSpaceOptions,
    ) -> Result<Arc<Self>, KmdError> {
        let space = kmd.create_address_space_with(options)?;
        let bits = kmd.description().va_bits;
        let checks = kmd.diagnostics().is_some_and(Diagnostics::checks_extents);
        Ok(Arc::new(Self {
            kmd,
            space,
            ranges: Mutex::new(Ranges::new(bits)),
            bound: Mutex::new(BTreeMap::new()),
            bindings: AtomicU64::new(0),
            checks,
            closing: Mutex::new(()),
            watched: Watched::default(),
        }))
    }

    /// The kernel driver.
    pub(crate) fn kmd(&self) -> &Arc<dyn Kmd> {
        &self.kmd
    }

    /// Who checks accesses against what was asked for, if the device does.
    pub(crate) fn extents(&self) -> Option<&dyn Diagnostics> {
        self.checks.then(|| self.kmd.diagnostics()).flatten()
    }

    /// Tells who checks accesses what programs have written without a word since the last time.
    pub(crate) fn look_at_watched(&self) {
        self.watched.look();
    }

    /// How often something was bound.
    pub(crate) fn bindings(&self) -> u64 {
        self.bindings.load(Ordering::Acquire)
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
        let memory = match usage {
            Use::Device | Use::Code | Use::Shared => Shared::Mapped(self.kmd.map(handle)?),
            Use::Private | Use::NearPrivate => Shared::Unmapped,
        };
        let place = match usage {
            Use::Code | Use::NearPrivate => Place::Near,
            Use::Device | Use::Private | Use::Shared => Place::Anywhere,
        };
        self.bind(unbound, size, place, (memory, label))
    }

    /// A buffer object of `size` zero bytes, at addresses that are nobody else's: neither this process nor
    /// another device has something there.
    pub(crate) fn create_reserved(self: &Arc<Self>, size: u64) -> Result<Arc<Bo>, KmdError> {
        let handle = self.kmd.create_buffer(&Use::Device.describe(size))?;
        let unbound = Unbound {
            registry: self,
            handle,
        };
        let length = self.kmd.buffer_size(handle)?;
        let reserved = whole(length).and_then(|length| usize::try_from(length).ok());
        let reserved = reserved.ok_or(too_large(length))?;
        let pages = HostPages::reserve(reserved, self.host_alignment());
        let place = Place::Reserved(pages.map_err(|_| too_large(length))?);
        let memory = Shared::Mapped(self.kmd.map(handle)?);
        self.bind(unbound, size, place, (memory, BUFFER))
    }

    /// What addresses of this process are aligned to that the device has, too.
    fn host_alignment(&self) -> usize {
        self.kmd.description().min_page_size.max(GRANULE) as usize
    }

    /// A buffer object of `size` zero bytes that this process and the GPU see at one address.
    pub(crate) fn create_shared(self: &Arc<Self>, size: u64) -> Result<Arc<Bo>, KmdError> {
        let bytes = usize::try_from(size).map_err(|_| too_large(size))?;
        let reserved = whole(size).and_then(|size| usize::try_from(size).ok());
        let reserved = reserved.ok_or(too_large(size))?;
        let pages = HostPages::new(bytes, self.host_alignment(), reserved);
        let pages = pages.map_err(|_| too_large(size))?;
        let pages = Arc::new(pages);
        let shared = Shared::Host(pages.clone());
        let address = pages.address();
        let handle = self.kmd.create_user_buffer(pages.user_memory(PAGE))?;
        let unbound = Unbound {
            registry: self,
            handle,
        };
        self.bind(unbound, size, Place::At(address), (shared, SHARED_MEMORY))
    }

    /// A buffer object of another device's [shared memory](Self::create_shared), at the address
    /// that it has there.
    pub(crate) fn share(self: &Arc<Self>, other: &Bo) -> Result<Arc<Bo>, KmdError> {
        let (Shared::Host(pages), address) = (&other.memory, other.address.get()) else {
            return Err(KmdError::Invalid {
                what: "buffer",
                value: other.address.get(),
                rule: "only memory of the host is shared by devices",
            });
        };
        let handle = self.kmd.create_user_buffer(pages.user_memory(PAGE))?;
        let unbound = Unbound {
            registry: self,
            handle,
        };
        let memory = Shared::Host(pages.clone());
        self.bind(
            unbound,
            other.size,
            Place::At(address),
            (memory, SHARED_MEMORY),
        )
    }

    /// A buffer object of this process's pages.
    pub(crate) fn adopt(
        self: &Arc<Self>,
        pages: &Arc<HostPages>,
        size: u64,
    ) -> Result<Arc<Bo>, KmdError> {
        let handle = self.kmd.create_user_buffer(pages.user_memory(PAGE))?;
        let unbound = Unbound {
            registry: self,
            handle,
        };
        let memory = Shared::Host(pages.clone());
        self.bind(unbound, size, Place::Anywhere, (memory, USER_MEMORY))
    }

    /// The buffer object of a dma-buf: the same one as long as it lives, and the one that a dma-buf of
    /// this device was made of.
    pub(crate) fn import(self: &Arc<Self>, dmabuf: BorrowedFd<'_>) -> Result<Arc<Bo>, KmdError> {
        loop {
            let guard = lock(&self.closing);
            let handle = self.kmd.import_buffer(dmabuf)?;
            let bound = lock(&self.bound);
            let known = bound.values().find(|bound| bound.handle == handle);
            let known = known.map(|bound| bound.bo.clone());
            drop(bound);
            match known.map(|bo| bo.upgrade()) {
                Some(Some(bo)) => return Ok(bo),
                // It waits to be closed.
                Some(None) => drop(guard),
                None => {
                    let unbound = Unbound {
                        registry: self,
                        handle,
                    };
                    let memory = Shared::Mapped(map_dmabuf(dmabuf)?);
                    let size = memory.len() as u64;
                    return self.bind(unbound, size, Place::Anywhere, (memory, BUFFER));
                }
            }
            std::thread::yield_now();
        }
    }

    /// Binds a buffer object.
    fn bind(
        self: &Arc<Self>,
        unbound: Unbound<'_>,
        size: u64,
        place: Place,
        (memory, label): (Shared, &'static str),
    ) -> Result<Arc<Bo>, KmdError> {
        let handle = unbound.handle;
        let length = self.kmd.buffer_size(handle)?;
        let description = self.kmd.description();
        let mut alignment = description.min_page_size;
        if self.extents().is_some() && matches!(place, Place::Anywhere) {
            // A small address space has room for fewer.
            let most = 1 << description.va_bits.clamp(18, 63).saturating_sub(18);
            alignment = alignment.max(CHECKED_SPACING.min(most));
        }
        let address = match &place {
            Place::Reserved(pages) => lock(&self.ranges).take_at(pages.address(), length),
            Place::At(address) => lock(&self.ranges).take_at(*address, length),
            Place::Near => lock(&self.ranges).take(Part::Near, length, alignment),
            Place::Anywhere => lock(&self.ranges).take(Part::Far, length, alignment),
        };
        let address = address.ok_or(too_large(length))?;
        if let Err(error) = self.kmd.bind(self.space, address, handle, 0, length) {
            lock(&self.ranges).give(address, length);
            return Err(error);
        }
        std::mem::forget(unbound);
        self.bindings.fetch_add(1, Ordering::AcqRel);
        let bo = Arc::new(Bo {
            registry: self.clone(),
            handle,
            address,
            size,
            length,
            memory,
            _place: place,
        });
        let bound = Bound {
            size,
            label,
            handle,
            bo: Arc::downgrade(&bo),
        };
        lock(&self.bound).insert(address.get(), bound);
        if let Some(extents) = self.extents() {
            extents.bound(address, size, length, purpose(label));
        }
        Ok(bo)
    }

    /// The memory of the buffers that an address lies in.
    pub(crate) fn buffer_at(&self, address: GpuAddress) -> Option<Arc<Bo>> {
        let bound = lock(&self.bound);
        let (&start, found) = bound.range(..=address.get()).next_back()?;
        let of_buffers = purpose(found.label) == Purpose::Buffer;
        (of_buffers && address.get() - start < found.size).then(|| found.bo.upgrade())?
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

/// A buffer object, bound to an address and, unless it is the GPU's own, mapped. Whoever submits
/// work with it keeps it until the work has ended.
pub(crate) struct Bo {
    registry: Arc<Registry>,
    handle: BufferHandle,
    address: GpuAddress,
    size: u64,
    length: u64,
    memory: Shared,
    /// Kept until it is unbound.
    _place: Place,
}

impl Bo {
    /// Where the GPU sees it.
    pub(crate) fn address(&self) -> GpuAddress {
        self.address
    }

    /// Tells a software GPU that checks that the host has written `size` bytes from `start` on.
    pub(crate) fn written(&self, start: u64, size: u64) {
        if let Some(extents) = self.registry.extents() {
            extents.written(self.address.offset(start), size);
        }
    }

    /// Tells it that something is in these bytes, whoever wrote it.
    pub(crate) fn filled(&self, start: u64, size: u64) {
        if let Some(extents) = self.registry.extents() {
            extents.filled(self.address.offset(start), size);
        }
    }

    /// Tells it that these bytes have no content.
    pub(crate) fn unwritten(&self, start: u64, size: u64) {
        if let Some(extents) = self.registry.extents() {
            extents.unwritten(self.address.offset(start), size);
        }
    }

    /// Tells it that these bytes have no content, and what of them programs write without a word.
    pub(crate) fn watch(self: &Arc<Self>, start: u64, size: u64) {
        if self.registry.extents().is_some() {
            self.registry.watched.add(self, start, size);
        }
    }

    /// Tells it what kernels may not do with these bytes.
    pub(crate) fn forbid(&self, start: u64, size: u64, what: Forbidden) {
        if let Some(extents) = self.registry.extents() {
            extents.forbids(self.address.offset(start), size, what);
        }
    }

    /// Tells it that this is over.
    pub(crate) fn permit(&self, start: u64, size: u64, what: Forbidden) {
        if let Some(extents) = self.registry.extents() {
            extents.permits(self.address.offset(start), size, what);
        }
    }

    /// The bytes that were asked for.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// The bytes, from this process.
    pub(crate) fn memory(&self) -> &Shared {
        &self.memory
    }

    /// A dma-buf of it.
    pub(crate) fn export(&self) -> Result<OwnedFd, KmdError> {
        self.registry.kmd.export_buffer(self.handle)
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
        let _guard = lock(&registry.closing);
        lock(&registry.bound).remove(&self.address.get());
        if let Some(extents) = registry.extents() {
            extents.unbound(self.address, self.size);
        }
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

/// The error of a size for which there are no addresses.
fn too_large(size: u64) -> KmdError {
    KmdError::Invalid {
        what: "buffer size",
        value: size,
        rule: "no address range is large enough",
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
