//! One row of the platform table.

use core::fmt;

use crate::Family;

/// A platform: one product line with one instruction set, one set of packets and one compiler
/// target.
#[derive(Clone, Copy, Debug)]
pub struct Platform {
    /// The short name that the tool takes, e.g. `tgl`.
    pub name: &'static str,
    /// The product line, e.g. `Tiger Lake`.
    pub title: &'static str,
    /// Instruction set and packet layouts.
    pub family: Family,
    /// The variants, the one that `soft:NAME` models first. A kernel driver's answer about a real
    /// device has precedence: fuses disable slices, subslices and EUs.
    pub skus: &'static [Sku],
    /// The named PCI revisions, oldest first; others exist.
    pub revisions: &'static [Revision],
    /// The PCI revision that `soft:NAME` models.
    pub default_revision: u8,
    /// The PCI revisions from which the compiler generates different code than for earlier ones. A
    /// device must not run code for a revision on the other side of one. Empty if code for any
    /// revision runs on all others.
    pub code_changes: &'static [u8],
    /// The most hardware threads that an EU runs.
    pub threads_per_eu: u8,
    /// General registers of an EU, which its threads share.
    pub eu_registers: u16,
    /// The SIMD widths that a walker can dispatch, which are also the sub-group sizes that a kernel
    /// can require.
    pub simd_widths: &'static [u8],
    /// The register counts that a thread can have.
    pub grf_counts: &'static [u16],
    /// The most shared local memory of a work-group, in bytes.
    pub max_slm_bytes: u32,
    /// Ticks of the command streamer's timestamp per second.
    pub timestamp_frequency: u64,
    /// The number of valid bits in the command streamer's timestamp; the rest are zero.
    pub timestamp_bits: u8,
    /// The bits of an address in a process's address space (Linux `xe_pci.c`: `va_bits`).
    pub address_bits: u8,
    /// Cache control values.
    pub mocs: Mocs,
    /// The page attribute index of pages that are cached and coherent with the CPU's caches, for
    /// drivers that let the caller choose (xe, and i915 on Meteor Lake).
    pub pat_coherent: u8,
    /// Whether i915 takes that index when it creates a buffer.
    pub pat_at_creation: bool,
    /// The kernel drivers that support it.
    pub kernel_drivers: &'static [Driver],
    /// Whether it has memory of its own.
    pub local_memory: bool,
    /// Whether the last-level cache is shared with the CPU.
    pub llc: bool,
    /// The revision of the graphics IP in the tables of Intel's tools; `None` from XeHPG on, where it is
    /// the PCI revision.
    pub ip_revision: Option<u8>,
    /// Whether the EUs compute in double precision.
    pub fp64: bool,
    /// Whether the EUs have systolic arrays: `dpas` (NEO `isMatrixMultiplyAccumulateSupported`).
    pub systolic: bool,
    /// Whether the EUs are the small ones of Apollo Lake and Gemini Lake, which restrict 64-bit
    /// data (BDW to SKL PRM vol 7, "CHV, BXT").
    pub small_core: bool,
    /// Whether it has samplers and typed surfaces: images (NEO `supportsImages`).
    pub images: bool,
    /// Whether pairs of EUs run in lockstep when a walker's fused mode is on.
    pub fused_eus: bool,
    /// Whether sub-groups of a work-group make progress independently of each other, in the sense
    /// of `cl_khr_subgroups`. Fused EUs prevent it; the small low-power parts also lack it.
    pub independent_forward_progress: bool,
    /// The numbers that a zebin built for it carries.
    pub zebin: ZebinTarget,
    /// The names that ocloc's `-device` takes for it; the one that both old and new releases take
    /// is first.
    pub ocloc: &'static [&'static str],
}

/// The most work-items per group that any walker takes.
const MOST_ITEMS: u32 = 1024;

impl Platform {
    /// The variant with this PCI id.
    pub fn sku(&self, pci_id: u16) -> Option<&'static Sku> {
        self.skus.iter().find(|s| s.pci_ids.contains(&pci_id))
    }

    /// The variant that `soft:NAME` models.
    pub const fn default_sku(&self) -> &'static Sku {
        &self.skus[0]
    }

    /// The PCI id that `soft:NAME` reports.
    pub const fn default_pci_id(&self) -> u16 {
        self.default_sku().pci_ids[0]
    }

    /// The size of one general register in bytes.
    pub const fn grf_bytes(&self) -> usize {
        self.family.grf_bytes()
    }

    /// The most hardware threads that a whole variant runs.
    pub const fn threads(&self, sku: &Sku) -> u32 {
        sku.eus() * self.threads_per_eu as u32
    }

    /// Hardware threads of `eus` EUs, for threads of `registers` registers each.
    pub fn threads_of(&self, eus: u32, registers: u32) -> u32 {
        let room = u32::from(self.eu_registers) / registers.max(1);
        eus * room.min(self.threads_per_eu.into())
    }

    /// The most work-items of a work-group on a subslice with `eus` EUs: the channels of its
    /// 128-register threads in the smallest dispatch width, rounded down to a power of two, at most
    /// 1,024 (NEO `DeviceInfo::maxWorkGroupSize`). 0 without EUs.
    pub fn max_work_group_size(&self, eus: u32) -> u32 {
        let width = self.simd_widths.iter().min().copied().unwrap_or(1);
        let items = self.threads_of(eus, 128) * u32::from(width);
        items
            .checked_ilog2()
            .map_or(0, |log2| (1 << log2).min(MOST_ITEMS))
    }

    /// The name of a PCI revision, e.g. `B0`, if the table has it.
    pub fn stepping(&self, revision: u8) -> Option<&'static str> {
        self.revisions
            .iter()
            .find(|r| r.pci == revision)
            .map(|r| r.stepping)
    }

    /// The version of a device's graphics IP: architecture, release and revision, e.g. 12.55.8 (NEO
    /// `AOT::PRODUCT_CONFIG`, what `ocloc ids` prints). A PCI revision is the first of its stepping.
    pub fn ip_version(&self, pci_id: u16, revision: u8) -> (u8, u8, u8) {
        let (architecture, release) = self.sku(pci_id).unwrap_or(self.default_sku()).ip;
        if let Some(revision) = self.ip_revision {
            return (architecture, release, revision);
        }
        let stepping = self.stepping(revision);
        let mut same = self.revisions.iter();
        let first = same.find(|known| Some(known.stepping) == stepping);
        (
            architecture,
            release,
            first.map_or(revision, |first| first.pci),
        )
    }

    /// Whether code compiled for one revision also suits another.
    pub fn shares_code(&self, revision: u8, other: u8) -> bool {
        let changes = |revision| self.code_changes.iter().filter(|&&r| r <= revision).count();
        changes(revision) == changes(other)
    }

    /// Whether a walker can dispatch `width` channels.
    pub fn has_simd_width(&self, width: u32) -> bool {
        self.simd_widths.iter().any(|&w| u32::from(w) == width)
    }

    /// The kernel driver that answers if none is chosen: where both drive it, i915 is the older one.
    pub fn usual_driver(&self) -> Driver {
        match self.has_driver(Driver::I915) {
            true => Driver::I915,
            false => Driver::Xe,
        }
    }

    /// Whether `driver` supports it.
    pub fn has_driver(&self, driver: Driver) -> bool {
        self.kernel_drivers.contains(&driver)
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for Platform {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Platform {}

/// A variant of a platform: its size.
#[derive(Clone, Copy, Debug)]
pub struct Sku {
    /// What Intel calls the configuration, e.g. `GT2`.
    pub name: &'static str,
    /// Its PCI device ids.
    pub pci_ids: &'static [u16],
    /// Slices.
    pub slices: u8,
    /// Subslices of each slice; dual subslices on Gen12LP, Xe cores from XeHPG on.
    pub subslices_per_slice: u8,
    /// EUs of each subslice.
    pub eus_per_subslice: u8,
    /// The graphics IP's version, major and minor, as GMD_ID registers and xe report it (on
    /// platforms without such a register, the number that Intel's tools use).
    pub ip: (u8, u8),
}

impl Sku {
    /// Subslices in all.
    pub const fn subslices(&self) -> u32 {
        self.slices as u32 * self.subslices_per_slice as u32
    }

    /// EUs in all.
    pub const fn eus(&self) -> u32 {
        self.subslices() * self.eus_per_subslice as u32
    }
}

/// A PCI revision with its stepping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Revision {
    /// The number in PCI configuration space.
    pub pci: u8,
    /// The stepping, e.g. `B0`.
    pub stepping: &'static str,
}

/// Values of the 7-bit memory object control fields: bits 6:1 the index of a table that the
/// kernel driver programs (on Gen8 the attributes themselves), bit 0 protected content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mocs {
    /// Cached in L3 and the last-level cache.
    pub cached: u8,
    /// Not cached.
    pub uncached: u8,
}

/// A kernel driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// `i915`.
    I915,
    /// `xe`.
    Xe,
}

impl Driver {
    /// All of them.
    const ALL: [Self; 2] = [Self::I915, Self::Xe];

    /// The name that it gives.
    const fn name(self) -> &'static str {
        match self {
            Self::I915 => "i915",
            Self::Xe => "xe",
        }
    }

    /// The driver called `name`.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|driver| driver.name() == name)
    }
}

impl fmt::Display for Driver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The numbers by which a zebin names its target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZebinTarget {
    /// `PRODUCT_FAMILY` of `igfxfmid.h`: note `NT_INTELGT_PRODUCT_FAMILY`.
    pub product_family: u32,
    /// `GFXCORE_FAMILY` of `igfxfmid.h`: note `NT_INTELGT_GFXCORE_FAMILY`. ocloc 22.43 writes 0
    /// in its place.
    pub gfxcore_family: u32,
}
