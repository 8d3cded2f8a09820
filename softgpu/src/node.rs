//! An open render node of the software GPU.

use std::sync::Arc;
use std::{fmt, mem};

use devinfo::{Driver, GpuAddress, Target};
use kmd_iface::uapi::Request;
use kmd_iface::{
    Diagnostics, ErrorReport, Forbidden, KernelFinder, MapSource, Node, Purpose, SourceLines,
};
use nix::errno::Errno;
use softgpu_memory::process;

use crate::client::File;
use crate::device::{Device, Options};
use crate::uapi;

/// Why a software GPU could not be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The kernel driver does not drive the platform.
    #[error("{driver} does not drive {platform}")]
    Driver {
        /// The driver asked for.
        driver: Driver,
        /// The platform.
        platform: &'static str,
    },
    /// The memory of the device could not be made.
    #[error("cannot make the memory of the software GPU: {0}")]
    Memory(#[from] Errno),
}

/// A render node of the software GPU, open: one client.
///
/// Closing it (dropping the last reference) ends the work that its contexts still run.
///
/// It works in the process that opened it. A forked child has a copy of its memory but none of
/// its threads: there each ioctl answers `ENODEV`, and closing leaves everything as it is.
pub struct SoftNode {
    file: Arc<File>,
    /// The process that opened it.
    process: u32,
}

impl fmt::Debug for SoftNode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let device = self.device();
        write!(f, "SoftNode({}:{})", device.platform, device.revision)
    }
}

impl SoftNode {
    /// Makes a device and opens its node.
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn open(target: Target, options: Options) -> Result<Arc<Self>, OpenError> {
        Ok(Self::open_device(Self::device_of(target, options)?))
    }

    /// Makes a device, for any number of nodes ([`SoftNode::open_device`]).
    ///
    /// # Errors
    /// See [`OpenError`].
    pub fn device_of(target: Target, options: Options) -> Result<Arc<Device>, OpenError> {
        if !target.platform.has_driver(options.driver) {
            return Err(OpenError::Driver {
                driver: options.driver,
                platform: target.platform.name,
            });
        }
        Ok(Device::new(target.platform, target.revision, options)?)
    }

    /// Opens the node of a device once more, as another client.
    pub fn open_device(device: Arc<Device>) -> Arc<Self> {
        Arc::new(Self {
            file: Arc::new(File::new(device)),
            process: process::id(),
        })
    }

    /// Whether this process is a child of the one that opened it.
    fn is_inherited(&self) -> bool {
        self.process != process::id()
    }

    /// The device behind the node.
    pub fn device(&self) -> &Arc<Device> {
        self.file.device()
    }

    /// [`Node::map_source`] for a mapping of `length` bytes.
    ///
    /// # Errors
    /// `EINVAL` if the object is shorter: what is behind it is another's.
    pub fn map_range(&self, fake_offset: u64, length: u64) -> Result<MapSource, Errno> {
        if self.is_inherited() {
            return Err(Errno::ENODEV);
        }
        let object = self.file.find_mappable(fake_offset).ok_or(Errno::EINVAL)?;
        if length > object.backing.bytes() {
            return Err(Errno::EINVAL);
        }
        let (file, offset) = object.backing.source().ok_or(Errno::EINVAL)?;
        Ok(MapSource { file, offset })
    }

    /// Why the device's last lost context was lost, if one was lost since the last call.
    pub fn take_error(&self) -> Option<ErrorReport> {
        self.device().take_error()
    }
}

impl Node for SoftNode {
    fn ioctl(&self, request: u32, argument: &mut [u8]) -> Result<i32, Errno> {
        // Before anything else: a thread that does not exist here may hold any lock for ever.
        if self.is_inherited() {
            return Err(Errno::ENODEV);
        }
        let request = Request(request);
        let outcome = uapi::answer(&self.file, request, argument);
        tracing::trace!(
            "softgpu: ioctl {:#04x} ({} bytes): {outcome:?}",
            request.number(),
            request.size()
        );
        outcome
    }

    fn map_source(&self, fake_offset: u64) -> Result<MapSource, Errno> {
        self.map_range(fake_offset, 0)
    }

    fn diagnostics(&self) -> Option<&dyn Diagnostics> {
        // A forked child lacks the threads that may hold their locks.
        (!self.is_inherited()).then_some(self as &dyn Diagnostics)
    }
}

impl Diagnostics for SoftNode {
    fn error_report(&self, context: u32) -> Option<ErrorReport> {
        match self.device().options.driver {
            Driver::I915 => self.file.contexts.get(context)?.status.report(),
            Driver::Xe => self.file.xe_queues.get(context)?.status.report(),
        }
    }

    fn statistics(&self) -> kmd_iface::Statistics {
        self.device().engines.done()
    }

    fn take_violations(&self) -> Vec<kmd_iface::Violation> {
        self.device().engines.take_violations()
    }

    fn checks_extents(&self) -> bool {
        self.device().options.check
    }

    fn bound(&self, address: GpuAddress, size: u64, mapped: u64, purpose: Purpose) {
        self.device().engines.bound(address, size, mapped, purpose);
    }

    fn written(&self, address: GpuAddress, size: u64) {
        self.device().engines.findings.written(address, size);
    }

    fn filled(&self, address: GpuAddress, size: u64) {
        self.device().engines.findings.filled(address, size);
    }

    fn unwritten(&self, address: GpuAddress, size: u64) {
        self.device().engines.findings.unwritten(address, size);
    }

    fn unbound(&self, address: GpuAddress, size: u64) {
        self.device().engines.findings.unbound(address, size);
    }

    fn launches(
        &self,
        name: &str,
        first: GpuAddress,
        entry: GpuAddress,
        local_bytes: u64,
        own: bool,
        source: Option<SourceLines>,
    ) {
        let findings = &self.device().engines.findings;
        findings.launches(name, first, entry, local_bytes, own, source);
    }

    fn passes(&self, address: GpuAddress, size: u64) {
        self.device().engines.findings.passes(address, size);
    }

    fn forbids(&self, address: GpuAddress, size: u64, what: Forbidden) {
        self.device().engines.forbids(address, size, what);
    }

    fn permits(&self, address: GpuAddress, size: u64, what: Forbidden) {
        self.device().engines.permits(address, size, what);
    }

    fn shares(&self, first: GpuAddress, parts: &[(u64, u64)]) {
        self.device().engines.findings.shares(first, parts);
    }

    fn finds_kernels(&self, finder: KernelFinder) {
        self.device().engines.finds_kernels(finder);
    }
}

impl Drop for SoftNode {
    fn drop(&mut self) {
        if self.is_inherited() {
            // The parent shares the memory, and still uses it.
            mem::forget(Arc::clone(&self.file));
        }
    }
}
