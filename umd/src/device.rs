//! Devices.

use std::sync::Arc;
use std::time::{Duration, Instant};

use batchbuffer::dispatch::{Commands, Mocs};
use devinfo::{Family, Platform, Target};
use kmd_iface::baremetal::{self, Bus};
use kmd_iface::{AddressSpaceOptions, Kmd, Node, RegionKind, Statistics, Violation};

use crate::backend::{self, Backend};
use crate::clock::Clock;
use crate::error::{DeviceError, Error, refused};
use crate::flusher::Flusher;
use crate::memory::{PRINT, Pool, Registry};
use crate::spec::{DeviceSpec, OpenOptions};

/// An open device. Clones name the same one.
#[derive(Clone, Debug)]
pub struct Device {
    inner: Arc<DeviceInner>,
}

/// What all objects of a device share.
pub(crate) struct DeviceInner {
    name: String,
    /// Platform and revision.
    pub target: Target,
    /// The command sequences of its family.
    pub commands: &'static dyn Commands,
    /// How surfaces, heaps and stateless accesses are cached.
    pub mocs: Mocs,
    /// Its buffer objects.
    pub registry: Arc<Registry>,
    /// Where `printf` buffers come from.
    pub printf_pool: Arc<Pool>,
    /// From the GPU's time to this process's.
    pub clock: Clock,
    /// Hands over what queues leave open.
    pub flusher: Arc<Flusher>,
}

impl std::fmt::Debug for DeviceInner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Device({})", self.name)
    }
}

impl Device {
    /// Opens a device.
    ///
    /// # Errors
    /// There is none, or it cannot be opened.
    pub fn open(spec: &DeviceSpec) -> Result<Self, Error> {
        Self::open_with(spec, &OpenOptions::default())
    }

    /// Opens a device with options.
    ///
    /// # Errors
    /// There is none, or it cannot be opened.
    pub fn open_with(spec: &DeviceSpec, options: &OpenOptions) -> Result<Self, Error> {
        let opened = Instant::now();
        let backend = backend::open(spec, options)?;
        Self::of_backend(backend, &spec.to_string(), opened, options)
    }

    /// Opens the device behind a node that whoever calls this has opened or made. `name` is what
    /// [`Device::name`] says.
    ///
    /// # Errors
    /// The node answers as no kernel driver that is known, or is of an unknown platform.
    pub fn of_node(node: Arc<dyn Node>, name: &str, options: &OpenOptions) -> Result<Self, Error> {
        let opened = Instant::now();
        let backend = Backend::new(node, name.to_owned())?;
        Self::of_backend(backend, name, opened, options)
    }

    /// The bus of a device without a kernel driver, and how long a batch may make no progress on it:
    /// for [`Device::of_bus`].
    ///
    /// # Errors
    /// It cannot be opened, or has a kernel driver.
    pub fn bus(
        spec: &DeviceSpec,
        options: &OpenOptions,
    ) -> Result<(Arc<dyn Bus>, baremetal::Options), Error> {
        Ok(backend::bus(spec, options)?)
    }

    /// Opens the device on a bus, without a kernel driver. `name` is what [`Device::name`] says.
    ///
    /// # Errors
    /// Only firmware submits on it, or a register does not answer as it should.
    pub fn of_bus(
        (bus, limits): (Arc<dyn Bus>, baremetal::Options),
        name: &str,
        options: &OpenOptions,
    ) -> Result<Self, Error> {
        let opened = Instant::now();
        let backend = backend::bare_metal(name.to_owned(), bus, limits)?;
        Self::of_backend(backend, name, opened, options)
    }

    fn of_backend(
        backend: Backend,
        spec: &str,
        opened: Instant,
        options: &OpenOptions,
    ) -> Result<Self, Error> {
        let description = backend.kmd.description();
        let Some(platform) = description.platform else {
            return Err(DeviceError::Open {
                spec: spec.to_owned(),
                why: format!(
                    "PCI id 8086:{:04x}, revision {}, is not in the table of platforms",
                    description.pci_id, description.revision
                ),
            }
            .into());
        };
        let target = Target {
            platform,
            revision: description.revision,
        };
        let clock = Clock::new(opened, backend.kmd.as_ref());
        let space = AddressSpaceOptions {
            scratch_page: options.scratch_page,
            ..AddressSpaceOptions::default()
        };
        let registry = Registry::new(backend.kmd, space).map_err(refused("an address space"))?;
        Ok(Self {
            inner: Arc::new(DeviceInner {
                name: backend.name,
                target,
                commands: batchbuffer::dispatch::commands(platform.family),
                mocs: Mocs(platform.mocs.cached >> 1),
                printf_pool: Pool::new(registry.clone(), PRINT),
                registry,
                clock,
                flusher: Arc::default(),
            }),
        })
    }

    /// The device's name, as `soft:tgl` or the path of its render node.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Its platform and revision.
    pub fn target(&self) -> Target {
        self.inner.target
    }

    /// What the kernel driver says about it.
    pub fn description(&self) -> &kmd_iface::DeviceDescription {
        self.inner.kmd().description()
    }

    /// The time of [`Timestamps`](crate::Timestamps): since the device was opened.
    pub fn now(&self) -> Duration {
        self.inner.clock.now()
    }

    /// What a software GPU has done; `None` on silicon. Can be called while kernels run.
    pub fn statistics(&self) -> Option<Statistics> {
        let known = self.inner.kmd().diagnostics()?;
        Some(known.statistics())
    }

    /// Takes the rules that kernels have broken since the last call: one violation for each
    /// instruction and rule. Empty on silicon, and without [`OpenOptions::check`].
    pub fn violations(&self) -> Vec<Violation> {
        let known = self.inner.kmd().diagnostics();
        known.map_or_else(Vec::new, |known| known.take_violations())
    }

    pub(crate) fn of(inner: Arc<DeviceInner>) -> Self {
        Self { inner }
    }

    pub(crate) fn inner(&self) -> &Arc<DeviceInner> {
        &self.inner
    }
}

impl DeviceInner {
    /// The kernel driver.
    pub(crate) fn kmd(&self) -> &Arc<dyn Kmd> {
        self.registry.kmd()
    }

    /// Where buffers lie, and how many bytes there are.
    pub(crate) fn memory(&self) -> (RegionKind, u64) {
        let description = self.kmd().description();
        let kind = match description.has_device_memory() {
            true => RegionKind::Device,
            false => RegionKind::System,
        };
        let regions = description.memory.iter();
        let regions = regions.filter(|region| region.kind == kind);
        (kind, regions.map(|region| region.size).sum())
    }

    /// Its platform.
    pub(crate) fn platform(&self) -> &'static Platform {
        self.target.platform
    }

    /// The shared local memory of a group, if it checks accesses.
    pub(crate) fn checked_local(&self) -> Option<u32> {
        let most = self.platform().max_slm_bytes;
        self.registry.extents().map(|_| most)
    }

    /// Its family.
    pub(crate) fn family(&self) -> Family {
        self.platform().family
    }

    /// The places on its EUs that a thread can occupy: also the number of parts that scratch and
    /// private memory have. Counted for the platform's largest variant, because threads are
    /// numbered by place, whether a place is fused off or not.
    pub(crate) fn thread_slots(&self) -> u32 {
        let platform = self.platform();
        let eus = platform.skus.iter().map(|sku| sku.eus()).max().unwrap_or(1);
        let described = self.kmd().description().topology.eu_count();
        eus.max(described) * u32::from(platform.threads_per_eu)
    }

    /// The EUs of the smallest subslice: a group runs on one, and the hardware chooses which. What
    /// the kernel driver says has precedence over the table.
    pub(crate) fn subslice_eus(&self) -> u32 {
        let topology = &self.kmd().description().topology;
        let present = topology.slices.iter().flatten().filter(|&&eus| eus > 0);
        let table = u32::from(self.platform().default_sku().eus_per_subslice);
        present.min().copied().unwrap_or(table)
    }

    /// The hardware threads that may run at once.
    pub(crate) fn max_threads(&self) -> u32 {
        let eus = self.kmd().description().topology.eu_count();
        let eus = if eus == 0 {
            self.platform().default_sku().eus()
        } else {
            eus
        };
        eus * u32::from(self.platform().threads_per_eu)
    }
}
