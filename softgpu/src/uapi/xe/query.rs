//! DEVICE_QUERY.

use kmd_iface::uapi::xe::query::{
    Config, ConfigFlags, ConfigHeader, DeviceQuery, Engine, EngineCycles, EnginesHeader,
    GT_TYPE_MAIN, Gt, GtListHeader, MEM_REGION_CLASS_SYSMEM, MEM_REGION_CLASS_VRAM, MemRegion,
    MemRegionsHeader, QueryId, TOPO_DSS_COMPUTE, TOPO_DSS_GEOMETRY, TOPO_EU_PER_DSS,
    TOPO_SIMD16_EU_PER_DSS, TopologyMask,
};
use nix::errno::Errno;
use nix::time::{ClockId, clock_gettime};
use zerocopy::IntoBytes;

use super::{DEVICE_PAGE, engines, zero};
use crate::device::Device;
use crate::mem::{PAGE_BYTES, user};
use crate::node::File;

pub(super) fn device_query(file: &File, args: &mut DeviceQuery) -> Result<(), Errno> {
    zero(&[args.extensions, args.reserved[0], args.reserved[1]])?;
    let device = file.device();
    let blob = match QueryId::from_raw(args.query).ok_or(Errno::EINVAL)? {
        QueryId::Engines => engine_list(device),
        QueryId::MemRegions => memory_regions(device),
        QueryId::Config => config(device),
        QueryId::GtList => gt_list(device),
        QueryId::GtTopology => topology(device),
        QueryId::EngineCycles => return engine_cycles(device, args),
        // The table comes from firmware that is not there: it is empty.
        QueryId::Hwconfig => Vec::new(),
        QueryId::UcFwVersion => return Err(Errno::ENODEV),
        QueryId::OaUnits => return Err(Errno::EINVAL),
    };
    let size = u32::try_from(blob.len()).map_err(|_| Errno::E2BIG)?;
    if args.size == 0 {
        args.size = size;
        return Ok(());
    }
    if args.size != size {
        return Err(Errno::EINVAL);
    }
    user::copy_out(args.data, &blob)
}

fn engine_list(device: &Device) -> Vec<u8> {
    let engines = engines(device);
    let header = EnginesHeader {
        num_engines: u32::try_from(engines.len()).unwrap_or(0),
        ..EnginesHeader::default()
    };
    let mut blob = header.as_bytes().to_vec();
    for (_, instance) in engines {
        let engine = Engine {
            instance,
            ..Engine::default()
        };
        blob.extend_from_slice(engine.as_bytes());
    }
    blob
}

fn memory_regions(device: &Device) -> Vec<u8> {
    let mut regions = vec![(MEM_REGION_CLASS_SYSMEM, 0, PAGE_BYTES)];
    if device.platform.local_memory {
        regions.push((MEM_REGION_CLASS_VRAM, 1, DEVICE_PAGE));
    }
    let header = MemRegionsHeader {
        num_mem_regions: u32::try_from(regions.len()).unwrap_or(0),
        ..MemRegionsHeader::default()
    };
    let mut blob = header.as_bytes().to_vec();
    for (mem_class, instance, page) in regions {
        let size = device.pool.limit();
        let region = MemRegion {
            mem_class,
            instance,
            min_page_size: u32::try_from(page).unwrap_or(u32::MAX),
            total_size: size,
            // Unprivileged callers are not told what is used.
            cpu_visible_size: if instance == 0 { 0 } else { size },
            ..MemRegion::default()
        };
        blob.extend_from_slice(region.as_bytes());
    }
    blob
}

fn config(device: &Device) -> Vec<u8> {
    let local = device.platform.local_memory;
    let mut values = [0u64; 5];
    let mut set = |key: Config, value: u64| {
        if let Some(slot) = values.get_mut(key as usize) {
            *slot = value;
        }
    };
    let identity = u64::from(device.platform.default_pci_id()) | u64::from(device.revision) << 16;
    set(Config::RevAndDeviceId, identity);
    let flags = match local {
        true => ConfigFlags::HAS_VRAM,
        false => ConfigFlags::empty(),
    };
    set(Config::Flags, flags.0);
    set(
        Config::MinAlignment,
        if local { DEVICE_PAGE } else { PAGE_BYTES },
    );
    set(Config::VaBits, 48);
    // Normal; more needs privileges.
    set(Config::MaxExecQueuePriority, 1);
    let header = ConfigHeader {
        num_params: u32::try_from(values.len()).unwrap_or(0),
        ..ConfigHeader::default()
    };
    let mut blob = header.as_bytes().to_vec();
    blob.extend_from_slice(values.as_bytes());
    blob
}

fn gt_list(device: &Device) -> Vec<u8> {
    let local = device.platform.local_memory;
    let (major, minor) = device.platform.default_sku().ip;
    let gt = Gt {
        ty: GT_TYPE_MAIN,
        reference_clock: u32::try_from(device.platform.timestamp_frequency).unwrap_or(0),
        near_mem_regions: if local { 2 } else { 1 },
        far_mem_regions: u64::from(local),
        ip_ver_major: major.into(),
        ip_ver_minor: minor.into(),
        ..Gt::default()
    };
    let header = GtListHeader {
        num_gt: 1,
        ..GtListHeader::default()
    };
    [header.as_bytes(), gt.as_bytes()].concat()
}

fn topology(device: &Device) -> Vec<u8> {
    let sku = device.platform.default_sku();
    let subslices = mask(sku.subslices());
    let eus = mask(sku.eus_per_subslice.into());
    // Where EUs are 16 lanes wide the mask has a type of its own.
    let eu_type = match device.platform.family {
        devinfo::Family::XeHpc | devinfo::Family::Xe2 => TOPO_SIMD16_EU_PER_DSS,
        _ => TOPO_EU_PER_DSS,
    };
    let mut blob = Vec::new();
    let rows = [
        (TOPO_DSS_GEOMETRY, &subslices),
        (TOPO_DSS_COMPUTE, &subslices),
        (eu_type, &eus),
    ];
    for (ty, bytes) in rows {
        let header = TopologyMask {
            gt_id: 0,
            ty,
            num_bytes: u32::try_from(bytes.len()).unwrap_or(0),
        };
        blob.extend_from_slice(header.as_bytes());
        blob.extend_from_slice(bytes);
    }
    blob
}

/// A mask of `count` set bits, in whole dwords as the kernel's are.
fn mask(count: u32) -> Vec<u8> {
    let bytes = count.div_ceil(32) * 4;
    (0..bytes)
        .map(|byte| match count.saturating_sub(byte * 8) {
            8.. => u8::MAX,
            bits => (1 << bits) - 1,
        })
        .collect()
}

/// Reads the engine's timestamp beside a clock of the CPU; input and output are one structure.
fn engine_cycles(device: &Device, args: &mut DeviceQuery) -> Result<(), Errno> {
    let size = size_of::<EngineCycles>();
    if args.size == 0 {
        args.size = u32::try_from(size).map_err(|_| Errno::E2BIG)?;
        return Ok(());
    }
    if args.size as usize != size {
        return Err(Errno::EINVAL);
    }
    let mut cycles: EngineCycles = user::read(args.data)?;
    let known = engines(device)
        .iter()
        .any(|(_, instance)| *instance == cycles.eci);
    if !known {
        return Err(Errno::EINVAL);
    }
    let clock = ClockId::from_raw(cycles.clockid);
    let now = || clock_gettime(clock).map(|t| std::time::Duration::from(t).as_nanos() as u64);
    let before = now().map_err(|_| Errno::EINVAL)?;
    cycles.engine_cycles = device.timestamp();
    cycles.cpu_timestamp = before;
    cycles.cpu_delta = now().map_err(|_| Errno::EINVAL)?.saturating_sub(before);
    cycles.width = 64;
    user::write(args.data, &cycles)
}
