//! QUERY. Errors as in Linux `drivers/gpu/drm/i915/i915_query.c`.

use batchbuffer::Engine;
use kmd_iface::uapi::i915::EngineClassInstance;
use kmd_iface::uapi::i915::query::{
    EngineInfo, EngineInfoFlags, EngineInfoHeader, GucSubmissionVersion, MEMORY_CLASS_DEVICE,
    MEMORY_CLASS_SYSTEM, MemoryClassInstance, MemoryRegionInfo, MemoryRegionsHeader,
    PERF_CONFIG_DATA_FOR_ID, PERF_CONFIG_LIST, Query, QueryId, QueryItem, TopologyInfo,
};
use nix::errno::Errno;
use zerocopy::{FromBytes, IntoBytes};

use crate::client::File;
use crate::device::Device;
use crate::refusal::{Answer, demand, ensure, refuse};
use crate::uapi::family::traits;
use crate::uapi::hwconfig;
use softgpu_memory::user;

pub(super) fn query(file: &File, args: &mut Query) -> Answer {
    ensure!(
        args.flags == 0,
        EINVAL,
        "flags {:#x}: must be zero",
        args.flags
    );
    for index in 0..u64::from(args.num_items) {
        let offset = index * size_of::<QueryItem>() as u64;
        let address = args.items_ptr.checked_add(offset).ok_or(Errno::EFAULT)?;
        let mut item: QueryItem = user::read(address)?;
        ensure!(item.query_id != 0, EINVAL, "item {index}: query_id is zero");
        item.length = match answer(file, &item) {
            Ok(length) => length,
            // The ioctl succeeds, the item says why it has no answer.
            Err(refusal) => {
                let errno = refusal.errno;
                refusal.log(&format!("query {} of DRM_IOCTL_I915_QUERY", item.query_id));
                -(errno as i32)
            }
        };
        user::write(address, &item)?;
    }
    Ok(())
}

/// Answers one item. Returns the length of the answer.
fn answer(file: &File, item: &QueryItem) -> Answer<i32> {
    let device = file.device();
    let query = QueryId::from_raw(item.query_id);
    match demand!(query, EINVAL, "the query is not known") {
        QueryId::TopologyInfo => {
            no_flags(item)?;
            // The header is read, but all of it is overwritten.
            copy_out(item, &topology(device), |_: &TopologyInfo| true)
        }
        QueryId::GeometrySubslices => {
            ensure!(
                traits(device.platform.family).geometry_query,
                ENODEV,
                "GeometrySubslices: all subslices of the platform have geometry"
            );
            // The flags name an engine; the kernel takes one byte each of its numbers. Only render
            // has geometry.
            let [class, _, instance, _] = item.flags.to_le_bytes();
            let engine = EngineClassInstance {
                engine_class: class.into(),
                engine_instance: instance.into(),
            };
            match super::find_engine(device, engine) {
                Some(slot) if slot.engine == Engine::Render => {}
                _ => refuse!(EINVAL, "flags {:#x}: not the render engine", item.flags),
            }
            copy_out(item, &topology(device), |_: &TopologyInfo| true)
        }
        QueryId::EngineInfo => {
            no_flags(item)?;
            copy_out(item, &engine_info(device), |header: &EngineInfoHeader| {
                header.num_engines == 0 && header.rsvd == [0; 3]
            })
        }
        QueryId::MemoryRegions => {
            no_flags(item)?;
            copy_out(
                item,
                &memory_regions(device),
                |header: &MemoryRegionsHeader| header.num_regions == 0 && header.rsvd == [0; 3],
            )
        }
        QueryId::HwconfigBlob => match hwconfig::table(device).as_slice() {
            [] => refuse!(ENODEV, "the platform's firmware has no table"),
            table => copy_out(item, table, |_: &[u8; 0]| true),
        },
        QueryId::GucSubmissionVersion => {
            let version = guc_submission_version(device);
            let version = demand!(version, ENODEV, "no GuC submits on the platform");
            copy_out(item, version.as_bytes(), |given: &GucSubmissionVersion| {
                *given == GucSubmissionVersion::default()
            })?;
            // The kernel returns the length only when asked for it, not with the answer.
            match item.length {
                0 => Ok(size_of::<GucSubmissionVersion>() as i32),
                _ => Ok(0),
            }
        }
        QueryId::PerfConfig => match item.flags {
            // There are no performance counters.
            PERF_CONFIG_LIST..=PERF_CONFIG_DATA_FOR_ID => {
                refuse!(ENODEV, "there are no performance counters")
            }
            flags => refuse!(EINVAL, "flags {flags:#x} is not known"),
        },
    }
}

/// Copies out an answer if there is room; a room of 0 asks for its length. The buffer must start
/// with a header that `accepts` takes.
fn copy_out<T: FromBytes + IntoBytes>(
    item: &QueryItem,
    blob: &[u8],
    accepts: impl FnOnce(&T) -> bool,
) -> Answer<i32> {
    let length = u32::try_from(blob.len()).map_err(|_| Errno::E2BIG)?;
    match item.length.cast_unsigned() {
        0 => {}
        // The kernel compares unsigned: a negative length is a large one.
        room if room < length => refuse!(EINVAL, "length {room}: the answer has {length}"),
        _ => {
            ensure!(
                accepts(&user::read(item.data_ptr)?),
                EINVAL,
                "the answer's header at data_ptr must be zero"
            );
            user::copy_out(item.data_ptr, blob)?;
        }
    }
    Ok(i32::try_from(length).map_err(|_| Errno::E2BIG)?)
}

fn no_flags(item: &QueryItem) -> Answer {
    match item.flags {
        0 => Ok(()),
        flags => refuse!(EINVAL, "flags {flags:#x}: must be zero"),
    }
}

fn guc_submission_version(device: &Device) -> Option<GucSubmissionVersion> {
    let driver = device.options.driver;
    let (major, minor, patch) = firmware_notes::submission_interface(device.platform, driver)?;
    Some(GucSubmissionVersion {
        branch: 0,
        major: major.into(),
        minor: minor.into(),
        patch: patch.into(),
    })
}

/// All slices, subslices and EUs of the variant.
fn topology(device: &Device) -> Vec<u8> {
    let sku = device.platform.default_sku();
    let (slices, subslices, eus) = (
        u16::from(sku.slices),
        u16::from(sku.subslices_per_slice),
        u16::from(sku.eus_per_subslice),
    );
    let subslice_offset = slices.div_ceil(8);
    let subslice_stride = subslices.div_ceil(8);
    let eu_offset = subslice_offset + slices * subslice_stride;
    let eu_stride = eus.div_ceil(8);
    let header = TopologyInfo {
        flags: 0,
        max_slices: slices,
        max_subslices: subslices,
        max_eus_per_subslice: eus,
        subslice_offset,
        subslice_stride,
        eu_offset,
        eu_stride,
    };
    let mut blob = header.as_bytes().to_vec();
    push_mask(&mut blob, slices);
    for _ in 0..slices {
        push_mask(&mut blob, subslices);
    }
    for _ in 0..slices * subslices {
        push_mask(&mut blob, eus);
    }
    blob
}

/// A mask of `count` set bits in whole bytes.
fn push_mask(blob: &mut Vec<u8>, count: u16) {
    for byte in 0..count.div_ceil(8) {
        let bits = (count - byte * 8).min(8);
        blob.push(u8::try_from((1u16 << bits) - 1).unwrap_or(u8::MAX));
    }
}

fn engine_info(device: &Device) -> Vec<u8> {
    let engines = super::engines(device);
    let header = EngineInfoHeader {
        num_engines: u32::try_from(engines.len()).unwrap_or(0),
        ..EngineInfoHeader::default()
    };
    let mut blob = header.as_bytes().to_vec();
    for engine in engines {
        let info = EngineInfo {
            engine: EngineClassInstance {
                engine_class: engine.class,
                engine_instance: engine.instance,
            },
            flags: EngineInfoFlags::HAS_LOGICAL_INSTANCE,
            logical_instance: engine.instance,
            ..EngineInfo::default()
        };
        blob.extend_from_slice(info.as_bytes());
    }
    blob
}

fn memory_regions(device: &Device) -> Vec<u8> {
    let mut classes = vec![MEMORY_CLASS_SYSTEM];
    if device.platform.local_memory {
        classes.push(MEMORY_CLASS_DEVICE);
    }
    let header = MemoryRegionsHeader {
        num_regions: u32::try_from(classes.len()).unwrap_or(0),
        ..MemoryRegionsHeader::default()
    };
    let mut blob = header.as_bytes().to_vec();
    let size = device.pool.limit();
    for class in classes {
        let free = match class {
            MEMORY_CLASS_DEVICE => size.saturating_sub(device.pool.live()),
            // Unprivileged callers see the whole size.
            _ => size,
        };
        let info = MemoryRegionInfo {
            region: MemoryClassInstance {
                memory_class: class,
                memory_instance: 0,
            },
            probed_size: size,
            unallocated_size: free,
            probed_cpu_visible_size: size,
            unallocated_cpu_visible_size: free,
            ..MemoryRegionInfo::default()
        };
        blob.extend_from_slice(info.as_bytes());
    }
    blob
}
