//! What a kernel driver says about its device.

use std::fmt;

use devinfo::{Driver, Platform};

/// A kernel driver's version, from the VERSION ioctl.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct DriverVersion {
    /// Major.
    pub major: i32,
    /// Minor.
    pub minor: i32,
    /// Patch level.
    pub patch: i32,
}

impl fmt::Display for DriverVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// What an engine is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EngineClass {
    /// Render and compute.
    Render,
    /// Blitter.
    Copy,
    /// Video decode and encode.
    VideoDecode,
    /// Video enhancement.
    VideoEnhance,
    /// Compute only.
    Compute,
}

impl fmt::Display for EngineClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Render => "render",
            Self::Copy => "copy",
            Self::VideoDecode => "video",
            Self::VideoEnhance => "video enhancement",
            Self::Compute => "compute",
        })
    }
}

/// One engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineDescription {
    /// What it is for.
    pub class: EngineClass,
    /// Instance within the class.
    pub instance: u16,
    /// The GT it belongs to (xe); 0 on i915.
    pub gt: u16,
}

/// What a memory region is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegionKind {
    /// Host memory.
    System,
    /// The device's own memory.
    Device,
}

/// One memory region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryRegion {
    /// Host's or device's.
    pub kind: RegionKind,
    /// Instance within the kind.
    pub instance: u16,
    /// Bytes.
    pub size: u64,
    /// Bytes of it that the CPU can map.
    pub cpu_visible_size: u64,
    /// Alignment of addresses and sizes of buffers in it, in bytes.
    pub min_page_size: u64,
}

/// Which slices, subslices and EUs are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// For each slice: for each subslice the number of its EUs, 0 where it is fused off.
    pub slices: Vec<Vec<u32>>,
}

impl Topology {
    /// The full topology of a variant in the platform table: nothing fused off.
    pub fn of_sku(sku: &devinfo::Sku) -> Self {
        let slice = vec![u32::from(sku.eus_per_subslice); usize::from(sku.subslices_per_slice)];
        Self {
            slices: vec![slice; usize::from(sku.slices)],
        }
    }

    /// Slices with at least one subslice.
    pub fn slice_count(&self) -> u32 {
        let present = self.slices.iter().filter(|s| s.iter().any(|&eus| eus > 0));
        u32::try_from(present.count()).unwrap_or(u32::MAX)
    }

    /// Subslices in all (dual subslices on Gen12LP, Xe cores from XeHPG on).
    pub fn subslice_count(&self) -> u32 {
        let present = self.slices.iter().flatten().filter(|&&eus| eus > 0);
        u32::try_from(present.count()).unwrap_or(u32::MAX)
    }

    /// EUs in all.
    pub fn eu_count(&self) -> u32 {
        self.slices.iter().flatten().sum()
    }
}

/// A device, as its kernel driver describes it.
#[derive(Clone, Debug)]
pub struct DeviceDescription {
    /// The kernel driver; `None` if there is none.
    pub driver: Option<Driver>,
    /// Its version; 0 if there is none.
    pub version: DriverVersion,
    /// PCI device id (the vendor is always 0x8086).
    pub pci_id: u16,
    /// PCI revision.
    pub revision: u8,
    /// The platform of that id; `None` if the table has none, which callers report.
    pub platform: Option<&'static Platform>,
    /// Engines.
    pub engines: Vec<EngineDescription>,
    /// Memory regions, system first.
    pub memory: Vec<MemoryRegion>,
    /// Slices, subslices and EUs.
    pub topology: Topology,
    /// Ticks of the command streamer's timestamp per second.
    pub timestamp_frequency: u64,
    /// Bits of a GPU address.
    pub va_bits: u32,
    /// The first address that the caller cannot bind.
    pub address_limit: u64,
    /// Alignment of bindings in bytes, for buffers in any region.
    pub min_page_size: u64,
    /// Whether the GPU shares the last-level cache with the CPU.
    pub has_llc: bool,
    /// Whether the device reaches this process's memory while it works, and not only between submissions.
    pub shares_memory: bool,
    /// The GuC's hardware attribute table, if the kernel has one.
    pub hwconfig: Option<Vec<u32>>,
}

impl DeviceDescription {
    /// The first engine of `class`.
    pub fn engine(&self, class: EngineClass) -> Option<&EngineDescription> {
        self.engines.iter().find(|e| e.class == class)
    }

    /// Whether the device has its own memory.
    pub fn has_device_memory(&self) -> bool {
        self.memory.iter().any(|r| r.kind == RegionKind::Device)
    }
}
