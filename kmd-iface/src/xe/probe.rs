//! What xe says about its device.

use devinfo::{Driver, Platform};
use nix::errno::Errno;

use super::calls::{self, MaskKind};
use crate::uapi::xe as uapi;
use crate::uapi::xe::query::{
    GT_TYPE_MAIN, MEM_REGION_CLASS_VRAM, TOPO_DSS_COMPUTE, TOPO_DSS_GEOMETRY, TOPO_EU_PER_DSS,
    TOPO_SIMD16_EU_PER_DSS,
};
use crate::{
    DeviceDescription, DriverVersion, EngineClass, EngineDescription, KmdError, KmdResult,
    MemoryRegion, Node, RegionKind, Topology,
};

/// What this client reserves at the top of an address space: fences.
pub(super) const RESERVED: u64 = 1 << 30;

/// What the client needs besides the description.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The highest priority that this process may give a queue.
    pub(super) max_priority: u64,
    /// The page attributes of bindings: cached, coherent.
    pub(super) pat_index: u16,
}

/// Asks for everything that a [`DeviceDescription`] holds.
pub(super) fn describe(
    node: &dyn Node,
    version: DriverVersion,
) -> KmdResult<(DeviceDescription, Limits)> {
    let config = calls::config(node)?;
    let platform = devinfo::by_pci_id(config.device_id);
    if platform.is_none() {
        tracing::warn!(
            pci_id = format_args!("{:#06x}", config.device_id),
            revision = config.revision,
            "xe drives a device that is not in the platform table"
        );
    }
    if !(32..=57).contains(&config.va_bits) || !config.min_alignment.is_power_of_two() {
        return Err(KmdError::BadAnswer {
            ioctl: "DRM_IOCTL_XE_DEVICE_QUERY",
            what: format!(
                "{} address bits and an alignment of {:#x}",
                config.va_bits, config.min_alignment
            ),
        });
    }
    let gts = calls::gt_list(node)?;
    let main = gts
        .iter()
        .find(|gt| gt.ty == GT_TYPE_MAIN)
        .ok_or_else(|| KmdError::BadAnswer {
            ioctl: "DRM_IOCTL_XE_DEVICE_QUERY",
            what: "no main GT".to_owned(),
        })?;
    let hwconfig = match calls::hwconfig(node) {
        Ok(table) => Some(table).filter(|t| !t.is_empty()),
        Err(KmdError::Ioctl {
            errno: Errno::EINVAL | Errno::ENODEV | Errno::EOPNOTSUPP,
            ..
        }) => None,
        Err(error) => return Err(error),
    };
    let masks = calls::topology_masks(node)?;
    let description = DeviceDescription {
        driver: Some(Driver::Xe),
        version,
        pci_id: config.device_id,
        revision: config.revision,
        platform,
        engines: engines(node)?,
        memory: memory(node)?,
        topology: topology(&masks, main.gt_id, platform),
        timestamp_frequency: u64::from(main.reference_clock),
        va_bits: config.va_bits,
        address_limit: (1 << config.va_bits.min(48)) - RESERVED,
        min_page_size: config.min_alignment,
        has_llc: platform.is_some_and(|p| p.llc),
        shares_memory: true,
        hwconfig,
    };
    let limits = Limits {
        max_priority: config.max_priority,
        pat_index: platform.map_or(0, |p| u16::from(p.pat_coherent)),
    };
    Ok((description, limits))
}

fn engines(node: &dyn Node) -> KmdResult<Vec<EngineDescription>> {
    Ok(calls::engines(node)?
        .iter()
        .filter_map(|engine| {
            let class = match uapi::EngineClass::from_raw(engine.instance.engine_class)? {
                uapi::EngineClass::Render => EngineClass::Render,
                uapi::EngineClass::Copy => EngineClass::Copy,
                uapi::EngineClass::VideoDecode => EngineClass::VideoDecode,
                uapi::EngineClass::VideoEnhance => EngineClass::VideoEnhance,
                uapi::EngineClass::Compute => EngineClass::Compute,
                uapi::EngineClass::VmBind => return None,
            };
            Some(EngineDescription {
                class,
                instance: engine.instance.engine_instance,
                gt: engine.instance.gt_id,
            })
        })
        .collect())
}

fn memory(node: &dyn Node) -> KmdResult<Vec<MemoryRegion>> {
    let mut regions: Vec<_> = calls::mem_regions(node)?
        .iter()
        .map(|region| {
            let device = region.mem_class == MEM_REGION_CLASS_VRAM;
            MemoryRegion {
                kind: if device {
                    RegionKind::Device
                } else {
                    RegionKind::System
                },
                instance: region.instance,
                size: region.total_size,
                cpu_visible_size: if device {
                    region.cpu_visible_size
                } else {
                    region.total_size
                },
                min_page_size: u64::from(region.min_page_size),
            }
        })
        .collect();
    regions.sort_by_key(|r| (r.kind == RegionKind::Device, r.instance));
    Ok(regions)
}

/// Makes slices of the flat masks. xe does not say how many subslices a slice has; the platform
/// table does, and without it there is one slice.
fn topology(
    masks: &[(u16, MaskKind, Vec<u8>)],
    gt: u16,
    platform: Option<&'static Platform>,
) -> Topology {
    let bits = |wanted: &[MaskKind]| -> Vec<usize> {
        let mut bits: Vec<usize> = masks
            .iter()
            .filter(|(id, kind, _)| *id == gt && wanted.contains(kind))
            .flat_map(|(_, _, mask)| {
                (0..mask.len() * 8).filter(|bit| mask[bit / 8] >> (bit % 8) & 1 == 1)
            })
            .collect();
        bits.sort_unstable();
        bits.dedup();
        bits
    };
    let subslices = bits(&[TOPO_DSS_COMPUTE, TOPO_DSS_GEOMETRY]);
    let eus = bits(&[TOPO_EU_PER_DSS, TOPO_SIMD16_EU_PER_DSS]).len();
    let eus = u32::try_from(eus).unwrap_or(u32::MAX);
    let count = subslices.last().map_or(0, |last| last + 1);
    let width = platform
        .map(|p| usize::from(p.default_sku().subslices_per_slice))
        .unwrap_or(count)
        .max(1);
    let mut slices = vec![vec![0; width]; count.div_ceil(width)];
    for subslice in subslices {
        slices[subslice / width][subslice % width] = eus;
    }
    Topology { slices }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_masks_become_slices() {
        let dg2 = devinfo::by_name("dg2");
        let masks = [
            (0, TOPO_DSS_GEOMETRY, vec![0xf3, 0x01]),
            (0, TOPO_DSS_COMPUTE, vec![0xf3, 0x01]),
            (0, TOPO_EU_PER_DSS, vec![0xff, 0xff]),
            (1, TOPO_DSS_COMPUTE, vec![0xff, 0xff]),
        ];
        let topology = topology(&masks, 0, dg2);
        assert_eq!(
            topology.slices,
            [[16, 16, 0, 0], [16, 16, 16, 16], [16, 0, 0, 0]]
        );
        assert_eq!(topology.eu_count(), 7 * 16);
    }

    #[test]
    fn an_unknown_platform_has_one_slice() {
        let masks = [
            (0, TOPO_DSS_COMPUTE, vec![0b101]),
            (0, TOPO_SIMD16_EU_PER_DSS, vec![0xff]),
        ];
        assert_eq!(topology(&masks, 0, None).slices, [[8, 0, 8]]);
    }
}
