//! DEVICE_QUERY. Errors as in Linux `drivers/gpu/drm/xe/xe_query.c`.

use kmd_iface::uapi::xe::query::{
    Config, ConfigFlags, ConfigHeader, DeviceQuery, Engine, EngineCycles, EnginesHeader,
    GT_TYPE_MAIN, Gt, GtListHeader, MEM_REGION_CLASS_SYSMEM, MEM_REGION_CLASS_VRAM, MemRegion,
    MemRegionsHeader, OaUnitsHeader, QueryId, TOPO_DSS_COMPUTE, TOPO_DSS_GEOMETRY, TOPO_EU_PER_DSS,
    TOPO_SIMD16_EU_PER_DSS, TopologyMask, UC_TYPE_GUC_SUBMISSION, UC_TYPE_HUC, UcFwVersion,
};
use nix::errno::Errno;
use nix::time::{ClockId, clock_gettime};
use zerocopy::{FromBytes, Immutable, IntoBytes};

use super::{engines, find_engine, zero};
use crate::client::{File, Memory};
use crate::device::Device;
use crate::refusal::{Answer, Refusal, demand, ensure, refuse};
use crate::uapi::family::traits;
use crate::uapi::{hwconfig, page_of};
use softgpu_memory::{PAGE_BYTES, user};

pub(super) fn device_query(file: &File, args: &mut DeviceQuery) -> Answer {
    zero(&[("extensions", args.extensions)])?;
    zero(&args.reserved.map(|r| ("reserved", r)))?;
    let device = file.device();
    let query = QueryId::from_raw(args.query);
    let query = demand!(query, EINVAL, "query {} is not known", args.query);
    let blob = match query {
        QueryId::Engines => engine_list(device),
        QueryId::MemRegions => memory_regions(device),
        QueryId::Config => config(device),
        QueryId::GtList => gt_list(device),
        QueryId::GtTopology => topology(device),
        QueryId::EngineCycles => return in_out(args, |cycles| engine_cycles(device, cycles)),
        QueryId::Hwconfig => hwconfig::table(device),
        QueryId::UcFwVersion => return in_out(args, |version| firmware_version(device, version)),
        // There are no observation units.
        QueryId::OaUnits => OaUnitsHeader::default().as_bytes().to_vec(),
    };
    if !has_room(args, blob.len())? {
        return Ok(());
    }
    user::copy_out(args.data, &blob).map_err(|errno| {
        let errno = match query {
            QueryId::MemRegions => Errno::ENOSPC,
            _ => errno,
        };
        Refusal::new(
            errno,
            format!("{query:?}: data {:#x} leads nowhere", args.data),
        )
    })
}

/// Whether there is room for an answer of `bytes`. A room of 0 asks for the size, and gets it.
fn has_room(args: &mut DeviceQuery, bytes: usize) -> Answer<bool> {
    let size = u32::try_from(bytes).map_err(|_| Errno::E2BIG)?;
    match args.size {
        0 => {
            args.size = size;
            Ok(false)
        }
        room if room == size => Ok(true),
        room => refuse!(
            EINVAL,
            "query {}: size {room}: the answer has {size}",
            args.query
        ),
    }
}

/// A query whose structure goes in and comes out.
fn in_out<T: FromBytes + IntoBytes + Immutable>(
    args: &mut DeviceQuery,
    answer: impl FnOnce(&mut T) -> Answer,
) -> Answer {
    if !has_room(args, size_of::<T>())? {
        return Ok(());
    }
    let mut value = user::read(args.data)?;
    answer(&mut value)?;
    Ok(user::write(args.data, &value)?)
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
        regions.push((MEM_REGION_CLASS_VRAM, 1, page_of(device, Memory::Device)));
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
            // Unprivileged callers do not see how much is used.
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
        match local {
            true => page_of(device, Memory::Device),
            false => PAGE_BYTES,
        },
    );
    set(Config::VaBits, device.platform.address_bits.into());
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

/// The first graphics version that the hardware tells (Linux, `xe_pci.c`: `mtl_desc`).
const GMD_ID_SINCE: (u8, u8) = (12, 70);

fn gt_list(device: &Device) -> Vec<u8> {
    let local = device.platform.local_memory;
    // Only platforms whose hardware says it (GMD_ID) have a version here.
    let (major, minor, revision) = match device.platform.default_sku().ip {
        (major, minor) if (major, minor) >= GMD_ID_SINCE => (major, minor, device.revision),
        _ => (0, 0, 0),
    };
    let gt = Gt {
        ty: GT_TYPE_MAIN,
        reference_clock: u32::try_from(device.platform.timestamp_frequency).unwrap_or(0),
        near_mem_regions: if local { 2 } else { 1 },
        far_mem_regions: u64::from(local),
        ip_ver_major: major.into(),
        ip_ver_minor: minor.into(),
        ip_ver_rev: revision.into(),
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
    // Where EUs are 16 lanes wide the mask has its own type.
    let eu_type = match traits(device.platform.family).simd16_eus {
        true => TOPO_SIMD16_EU_PER_DSS,
        false => TOPO_EU_PER_DSS,
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

/// The clocks that the kernel reads together with an engine's timestamp.
const CLOCKS: [ClockId; 5] = [
    ClockId::CLOCK_MONOTONIC,
    ClockId::CLOCK_MONOTONIC_RAW,
    ClockId::CLOCK_REALTIME,
    ClockId::CLOCK_BOOTTIME,
    ClockId::CLOCK_TAI,
];

/// Reads the engine's timestamp together with a clock of the CPU.
fn engine_cycles(device: &Device, cycles: &mut EngineCycles) -> Answer {
    let clock = ClockId::from_raw(cycles.clockid);
    ensure!(
        CLOCKS.contains(&clock),
        EINVAL,
        "EngineCycles: clockid {clock}"
    );
    demand!(
        find_engine(device, cycles.eci),
        EINVAL,
        "EngineCycles: the device has no {:?}",
        cycles.eci
    );
    let now = || clock_gettime(clock).map(|t| std::time::Duration::from(t).as_nanos() as u64);
    let before = now().map_err(|_| Errno::EINVAL)?;
    let bits = device.platform.timestamp_bits;
    cycles.engine_cycles =
        device.engines.timestamp() & (u64::MAX >> (64 - u32::from(bits.clamp(1, 64))));
    cycles.cpu_timestamp = before;
    cycles.cpu_delta = now().map_err(|_| Errno::EINVAL)?.saturating_sub(before);
    cycles.width = bits.into();
    Ok(())
}

/// The version of the GuC's interface on such a machine. There is no HuC: nothing here is video.
fn firmware_version(device: &Device, version: &mut UcFwVersion) -> Answer {
    zero(&[
        ("pad", version.pad.into()),
        ("pad2", version.pad2.into()),
        ("reserved", version.reserved),
    ])?;
    let found = match version.uc_type {
        UC_TYPE_GUC_SUBMISSION => {
            firmware_notes::submission_interface(device.platform, device.options.driver)
        }
        UC_TYPE_HUC => None,
        other => refuse!(EINVAL, "UcFwVersion: uc_type {other} is not known"),
    };
    let (major, minor, patch) = demand!(found, ENODEV, "UcFwVersion: there is no such firmware");
    version.branch_ver = 0;
    version.major_ver = major.into();
    version.minor_ver = minor.into();
    version.patch_ver = patch.into();
    Ok(())
}
