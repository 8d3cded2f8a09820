//! Memory that programs have by pointers: shared virtual memory, and the unified shared memory of
//! `cl_intel_unified_shared_memory`.
//!
//! Shared and host memory lie at one address for the host and all devices of the context. Memory of
//! a device has an address of that device, at which neither the host nor another device has anything; the host
//! reaches it by commands only. All of it is bound for every kernel, so that pointers in memory are good, too.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use opencl_sys::*;

use super::device::Device;
use super::host_memory::Memory;
use super::lock;
use super::platform::is_checked;
use crate::error::{Error, Result, ensure};

/// What kernels may not do with memory that was made with these flags.
pub(crate) fn forbidden_by(flags: cl_mem_flags) -> Option<umd::Forbidden> {
    match flags & (CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY) {
        0 => None,
        CL_MEM_READ_ONLY => Some(umd::Forbidden {
            reads: false,
            writes: true,
            why: "was made with CL_MEM_READ_ONLY",
        }),
        _ => Some(umd::Forbidden {
            reads: true,
            writes: false,
            why: "was made with CL_MEM_WRITE_ONLY",
        }),
    }
}

/// Who an allocation belongs to.
#[derive(Clone, Debug)]
pub(crate) enum Owner {
    /// `clSVMAlloc`.
    Svm,
    /// `clHostMemAllocINTEL`.
    Host,
    /// `clSharedMemAllocINTEL`; it may be of no device.
    Shared(Option<Arc<Device>>),
    /// `clDeviceMemAllocINTEL`.
    Device(Arc<Device>),
}

/// An allocation.
#[derive(Clone, Debug)]
pub(crate) struct Allocation {
    pub owner: Owner,
    pub start: usize,
    pub size: usize,
    /// `CL_MEM_ALLOC_FLAGS_INTEL` as they were given.
    pub flags: u64,
    /// One for each device of the context; `None` for those that do not reach it.
    buffers: Vec<Option<umd::Buffer>>,
    /// Until a launch names it, kernels may not access it; `None` where nothing checks it.
    unnamed: Option<Arc<Mutex<Vec<umd::Forbidding>>>>,
}

/// Where memory of devices begins and ends, of all contexts: the host has nothing there.
static OF_DEVICES: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());
/// How many there are: where there is none, threads do not wait for each other to learn it.
static COUNT_OF_DEVICES: AtomicUsize = AtomicUsize::new(0);

/// The allocations of a context, by their first byte.
#[derive(Debug, Default)]
pub(crate) struct Allocations {
    live: Mutex<BTreeMap<usize, Allocation>>,
}

/// An error if memory that is in no allocation of a context is a device's in another: the host does not reach it.
fn check_foreign(memory: Memory) -> Result<()> {
    if COUNT_OF_DEVICES.load(Ordering::Acquire) == 0 {
        return Ok(());
    }
    let address = memory.address();
    let before = lock(&OF_DEVICES);
    match before.range(..=address).next_back() {
        Some((_, &end)) if address < end => {
            let why = format!("at {memory:?} is memory of a device, of another context");
            Err(Error::new(CL_INVALID_VALUE, why))
        }
        _ => Ok(()),
    }
}

impl Allocation {
    /// It is an allocation no more.
    fn forget(&self) {
        if matches!(self.owner, Owner::Device(_)) {
            let mut all = lock(&OF_DEVICES);
            all.remove(&self.start);
            COUNT_OF_DEVICES.store(all.len(), Ordering::Release);
        }
    }

    /// A launch names it: "Non-argument SVM buffers must be specified by passing pointers to those buffers via
    /// clSetKernelExecInfo" (OpenCL 3.0 API, clSetKernelExecInfo).
    pub(crate) fn name(&self) {
        if let Some(unnamed) = &self.unnamed {
            lock(unnamed).clear();
        }
    }

    /// Where the host sees an address.
    pub(crate) fn host(&self, address: usize) -> Option<Memory> {
        let own = self.buffers.iter().flatten().next()?;
        let offset = address.checked_sub(self.start)?;
        Some(Memory::at(own.host_view()).offset(offset))
    }

    /// All of it, for the device with this place in the context; `None` if that does not reach it.
    pub(crate) fn on(&self, place: usize) -> Option<&umd::Buffer> {
        self.buffers.get(place)?.as_ref()
    }

    /// What begins at an address, for the device with this place in the context; `None` if that does not
    /// reach it.
    pub(crate) fn from(
        &self,
        device: &Device,
        place: usize,
        address: usize,
    ) -> Option<umd::Buffer> {
        self.on(place)?;
        device.umd.buffer_at(umd::GpuAddress::new(address as u64))
    }
}

impl Drop for Allocations {
    fn drop(&mut self) {
        lock(&self.live).values().for_each(Allocation::forget);
    }
}

impl Allocations {
    /// Allocates memory.
    pub(crate) fn allocate(
        &self,
        devices: &[Arc<Device>],
        owner: Owner,
        size: usize,
        flags: u64,
    ) -> Result<Memory> {
        let mut buffers = Vec::with_capacity(devices.len());
        let mut first: Option<umd::Buffer> = None;
        for device in devices {
            let buffer = match (&owner, &first) {
                (Owner::Device(own), _) if !Arc::ptr_eq(own, device) => None,
                (Owner::Device(_), _) => Some(device.umd.reserved_buffer(size as u64)?),
                (_, None) => Some(device.umd.shared_buffer(size as u64)?),
                (_, Some(first)) => Some(device.umd.share(first)?),
            };
            first = first.or_else(|| buffer.clone());
            buffers.push(buffer);
        }
        let first = first.ok_or_else(|| Error::new(CL_INVALID_DEVICE, "there is no device"))?;
        // What several devices share may be written by any of them.
        if devices.len() == 1 {
            first.watch_content();
        }
        // Others have flags of their own.
        let is_svm = matches!(owner, Owner::Svm);
        if let Some(what) = forbidden_by(flags).filter(|_| is_svm) {
            let all = buffers.iter().flatten();
            all.for_each(|buffer| buffer.forbid(0, buffer.size(), what).for_good());
        }
        let what = umd::Forbidden {
            reads: true,
            writes: true,
            why: "no launch has named, as an argument or by clSetKernelExecInfo",
        };
        let unnamed = (is_svm && is_checked()).then(|| {
            let all = buffers.iter().flatten();
            let forbid = |buffer: &umd::Buffer| buffer.forbid(0, buffer.size(), what);
            Arc::new(Mutex::new(all.map(forbid).collect()))
        });
        let start = first.address().get() as usize;
        let allocation = Allocation {
            owner,
            start,
            size,
            flags,
            buffers,
            unnamed,
        };
        if matches!(allocation.owner, Owner::Device(_)) {
            let mut all = lock(&OF_DEVICES);
            all.insert(start, start.saturating_add(size));
            COUNT_OF_DEVICES.store(all.len(), Ordering::Release);
        }
        lock(&self.live).insert(start, allocation);
        Ok(Memory::of_address(start))
    }

    /// Frees memory; gives what it was. As long as arguments of kernels keep it, kernels may not touch it.
    pub(crate) fn free(&self, memory: Memory) -> Option<Allocation> {
        let freed = lock(&self.live).remove(&memory.address())?;
        freed.forget();
        for buffer in freed.buffers.iter().flatten() {
            let what = umd::Forbidden {
                reads: true,
                writes: true,
                why: "the program has freed",
            };
            buffer.forbid(0, buffer.size(), what).for_good();
        }
        Some(freed)
    }

    /// An error if an address lies in a device's memory of another context.
    pub(crate) fn check(&self, memory: Memory) -> Result<()> {
        match self.find(memory) {
            Some(_) => Ok(()),
            None => check_foreign(memory),
        }
    }

    /// The allocation that an address lies in.
    pub(crate) fn find(&self, memory: Memory) -> Option<Allocation> {
        let address = memory.address();
        let live = lock(&self.live);
        let (_, found) = live.range(..=address).next_back()?;
        (address - found.start < found.size).then(|| found.clone())
    }

    /// The allocation that ends where an address is.
    pub(crate) fn ending_at(&self, memory: Memory) -> Option<Allocation> {
        let live = lock(&self.live);
        let (_, found) = live.range(..memory.address()).next_back()?;
        (memory.address() - found.start == found.size).then(|| found.clone())
    }

    /// Whether an address lies in shared virtual memory.
    pub(crate) fn is_svm(&self, memory: Memory) -> bool {
        !memory.is_null()
            && self
                .find(memory)
                .is_some_and(|found| matches!(found.owner, Owner::Svm))
    }

    /// Where the host sees memory that a command accesses: the same, unless it is a device's.
    ///
    /// # Errors
    /// `CL_INVALID_VALUE`: it begins in an allocation and reaches beyond; it is a device's, of another context.
    pub(crate) fn resolve(&self, memory: Memory, size: usize) -> Result<Memory> {
        let Some(found) = self.find(memory) else {
            // Of no bytes nothing is accessed.
            if size > 0 {
                check_foreign(memory)?;
            }
            return Ok(memory);
        };
        let end = memory.address().checked_add(size);
        if end.is_none_or(|end| end > found.start + found.size) {
            let why = format!("{size} bytes at {memory:?} reach beyond the allocation");
            return Err(Error::new(CL_INVALID_VALUE, why));
        }
        Ok(found.host(memory.address()).unwrap_or(memory))
    }

    /// The part of an allocation that a memory object is made of; `None` if the memory is the
    /// program's own.
    ///
    /// # Errors
    /// The allocation is smaller; a device of the context does not reach it.
    pub(crate) fn parts(
        &self,
        devices: &[Arc<Device>],
        memory: Memory,
        size: usize,
    ) -> Result<Option<Vec<umd::Buffer>>> {
        let Some(found) = self.find(memory) else {
            return Ok(None);
        };
        found.name();
        // "CL_INVALID_BUFFER_SIZE if … host_ptr is a pointer returned by clSVMAlloc and size is
        // greater than the size passed to clSVMAlloc"
        let left = found.start + found.size - memory.address();
        ensure(
            size <= left,
            CL_INVALID_BUFFER_SIZE,
            format!("{size} bytes, of {left} that the allocation has there"),
        )?;
        let parts = devices.iter().enumerate().map(|(place, device)| {
            let whole = found.from(device, place, memory.address());
            let whole = whole.ok_or_else(|| {
                let why = "it is another device's memory, and the object is of all devices";
                Error::new(CL_INVALID_HOST_PTR, why)
            })?;
            Ok(whole.sub_buffer(0, size as u64)?)
        });
        Ok(Some(parts.collect::<Result<Vec<_>>>()?))
    }
}
