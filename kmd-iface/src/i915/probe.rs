//! What i915 says about its device.

use devinfo::{Driver, Platform};

use super::calls;
use crate::uapi::i915 as uapi;
use crate::uapi::i915::context::ContextParam;
use crate::uapi::i915::getparam::Param;
use crate::uapi::i915::query::MEMORY_CLASS_DEVICE;
use crate::{
    DeviceDescription, DriverVersion, EngineClass, EngineDescription, KmdError, KmdResult,
    MemoryRegion, Node, RegionKind, Topology,
};

/// Pages of host memory.
const PAGE: u64 = 4 << 10;
/// Pages of device memory: i915 places local memory in 64 KiB pages (`i915_drm.h`,
/// `drm_i915_gem_create_ext`).
const LOCAL_PAGE: u64 = 64 << 10;

/// The parameters that this client needs, with the Linux version that introduced each.
const REQUIRED: &[(Param, i32, &str, &str)] = &[
    (Param::HasExecSoftpin, 1, "EXEC_OBJECT_PINNED", "4.5"),
    (Param::HasExecNoReloc, 1, "I915_EXEC_NO_RELOC", "3.9"),
    (Param::MmapGttVersion, 4, "GEM_MMAP_OFFSET", "5.7"),
    (
        Param::HasExecTimelineFences,
        1,
        "timeline fences in EXECBUFFER2",
        "5.10",
    ),
];

/// Asks for everything that a [`DeviceDescription`] holds.
pub(super) fn describe(node: &dyn Node, version: DriverVersion) -> KmdResult<DeviceDescription> {
    for &(param, least, what, since) in REQUIRED {
        if optional(calls::getparam(node, param))?.unwrap_or(0) < least {
            return Err(KmdError::MissingFeature {
                driver: "i915",
                what,
                since,
            });
        }
    }
    let pci_id = narrow("the PCI id", calls::getparam(node, Param::ChipsetId)?)?;
    let revision = narrow("the PCI revision", calls::getparam(node, Param::Revision)?)?;
    let platform = devinfo::by_pci_id(pci_id);
    if platform.is_none() {
        tracing::warn!(
            pci_id = format_args!("{pci_id:#06x}"),
            revision,
            "i915 drives a device that is not in the platform table"
        );
    }
    let memory = memory(node)?;
    let va_bits = va_bits(node)?;
    let frequency = optional(calls::getparam(node, Param::CsTimestampFrequency))?;
    let has_device_memory = memory.iter().any(|r| r.kind == RegionKind::Device);
    Ok(DeviceDescription {
        driver: Some(Driver::I915),
        version,
        pci_id,
        revision,
        platform,
        engines: engines(node)?,
        topology: topology(node, platform)?,
        timestamp_frequency: match frequency {
            Some(hertz) if hertz > 0 => u64::from(hertz.unsigned_abs()),
            _ => platform.map_or(0, |p| p.timestamp_frequency),
        },
        va_bits,
        address_limit: 1 << va_bits.min(48),
        min_page_size: if has_device_memory { LOCAL_PAGE } else { PAGE },
        memory,
        has_llc: optional(calls::getparam(node, Param::HasLlc))?.unwrap_or(0) != 0,
        shares_memory: true,
        hwconfig: optional(calls::hwconfig(node))?,
    })
}

/// `None` for what this kernel or device does not know.
fn optional<T>(result: KmdResult<T>) -> KmdResult<Option<T>> {
    use nix::errno::Errno::{EINVAL, ENODEV, ENOENT, ENOTTY, EOPNOTSUPP};
    match result {
        Ok(value) => Ok(Some(value)),
        Err(KmdError::Ioctl {
            errno: EINVAL | ENODEV | ENOENT | ENOTTY | EOPNOTSUPP,
            ..
        }) => Ok(None),
        Err(error) => Err(error),
    }
}

fn narrow<T: TryFrom<i32>>(what: &str, value: i32) -> KmdResult<T> {
    T::try_from(value).map_err(|_| KmdError::BadAnswer {
        ioctl: "DRM_IOCTL_I915_GETPARAM",
        what: format!("{value:#x} for {what}"),
    })
}

fn engines(node: &dyn Node) -> KmdResult<Vec<EngineDescription>> {
    let engine = |class, instance| EngineDescription {
        class,
        instance,
        gt: 0,
    };
    let Some(infos) = optional(calls::engines(node))? else {
        // Before Linux 5.3 there is no such query; every device has these two.
        return Ok(vec![
            engine(EngineClass::Render, 0),
            engine(EngineClass::Copy, 0),
        ]);
    };
    Ok(infos
        .iter()
        .filter_map(|info| {
            let class = match uapi::EngineClass::from_raw(info.engine.engine_class)? {
                uapi::EngineClass::Render => EngineClass::Render,
                uapi::EngineClass::Copy => EngineClass::Copy,
                uapi::EngineClass::Video => EngineClass::VideoDecode,
                uapi::EngineClass::VideoEnhance => EngineClass::VideoEnhance,
                uapi::EngineClass::Compute => EngineClass::Compute,
            };
            Some(engine(class, info.engine.engine_instance))
        })
        .collect())
}

fn memory(node: &dyn Node) -> KmdResult<Vec<MemoryRegion>> {
    let system = MemoryRegion {
        kind: RegionKind::System,
        instance: 0,
        size: u64::MAX,
        cpu_visible_size: u64::MAX,
        min_page_size: PAGE,
    };
    let Some(infos) = optional(calls::memory_regions(node))? else {
        return Ok(vec![system]);
    };
    let mut regions: Vec<_> = infos
        .iter()
        .map(|info| {
            let device = info.region.memory_class == MEMORY_CLASS_DEVICE;
            // Kernels before 6.0 leave the visible size at zero: all of it is visible.
            let visible = match info.probed_cpu_visible_size {
                0 => info.probed_size,
                size => size,
            };
            MemoryRegion {
                kind: if device {
                    RegionKind::Device
                } else {
                    RegionKind::System
                },
                instance: info.region.memory_instance,
                size: info.probed_size,
                cpu_visible_size: visible,
                min_page_size: if device { LOCAL_PAGE } else { PAGE },
            }
        })
        .collect();
    regions.sort_by_key(|r| (r.kind == RegionKind::Device, r.instance));
    Ok(regions)
}

fn topology(node: &dyn Node, platform: Option<&'static Platform>) -> KmdResult<Topology> {
    if let Some(topology) = optional(calls::topology(node))? {
        return Ok(topology);
    }
    // Before Linux 4.17 only the sums are known. Spread them over one slice.
    let subslices = optional(calls::getparam(node, Param::SubsliceTotal))?.unwrap_or(0);
    let eus = optional(calls::getparam(node, Param::EuTotal))?.unwrap_or(0);
    if subslices > 0 && eus > 0 {
        let (subslices, eus) = (subslices.unsigned_abs(), eus.unsigned_abs());
        let slice = (0..subslices).map(|i| (eus + subslices - 1 - i) / subslices);
        return Ok(Topology {
            slices: vec![slice.collect()],
        });
    }
    let sku = platform.map(Platform::default_sku);
    Ok(sku.map_or_else(Topology::default, Topology::of_sku))
}

fn va_bits(node: &dyn Node) -> KmdResult<u32> {
    let bytes = calls::context_getparam(node, 0, ContextParam::GttSize)?;
    if bytes < 1 << 32 {
        return Err(KmdError::BadAnswer {
            ioctl: "DRM_IOCTL_I915_GEM_CONTEXT_GETPARAM",
            what: format!("{bytes:#x} bytes of address space"),
        });
    }
    // The size may fall short of the power of two by a page or so.
    Ok(u64::BITS - (bytes - 1).leading_zeros())
}
