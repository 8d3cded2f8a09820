//! Every device query of both uAPIs: sizes, answers, and the errors that Linux gives.

#![cfg(test)]

mod common;

use std::collections::BTreeMap;

use common::raw::{Raw, address};
use common::with;
use devinfo::{Driver, PLATFORMS, Platform};
use kmd_iface::uapi::i915::query as i915;
use kmd_iface::uapi::xe::query as xe;
use kmd_iface::uapi::xe::{EngineClass, EngineClassInstance};
use nix::errno::Errno;
use softgpu::Options;
use zerocopy::{FromBytes, IntoBytes};

/// An unmapped address.
const WILD: u64 = 0x10;

fn nodes(driver: Driver) -> impl Iterator<Item = (&'static Platform, Raw)> {
    PLATFORMS
        .iter()
        .filter(move |platform| platform.has_driver(driver))
        .map(move |platform| {
            let options = Options {
                driver,
                memory_limit: 1 << 30,
                ..Options::default()
            };
            (platform, Raw::on(platform.name, options))
        })
}

/// The table of a hwconfig blob: its entries have a key, a length, and values.
fn table(blob: &[u8]) -> BTreeMap<u32, Vec<u32>> {
    let (dwords, rest) = blob.as_chunks::<4>();
    assert!(rest.is_empty());
    let dwords: Vec<u32> = dwords.iter().copied().map(u32::from_le_bytes).collect();
    let mut entries = BTreeMap::new();
    let mut left = dwords.as_slice();
    while let [key, length, tail @ ..] = left {
        let (values, tail) = tail.split_at(*length as usize);
        assert!(*key > 0 && !values.is_empty());
        assert!(
            entries.insert(*key, values.to_vec()).is_none(),
            "key {key} twice"
        );
        left = tail;
    }
    assert!(left.is_empty());
    entries
}

fn check_table(platform: &Platform, entries: &BTreeMap<u32, Vec<u32>>) {
    let sku = platform.default_sku();
    let value = |key: u32| entries.get(&key).map(|values| values[0]);
    assert_eq!(value(1), Some(sku.slices.into()), "{platform}");
    // Dual subslices and their EUs, or subslices.
    let [subslices, eus] = match entries.contains_key(&2) {
        true => [2, 3],
        false => [70, 71],
    };
    assert_eq!(value(subslices), Some(sku.subslices()), "{platform}");
    assert_eq!(value(eus), Some(sku.eus_per_subslice.into()), "{platform}");
    assert_eq!(value(15), Some(platform.threads_per_eu.into()));
    let render = u32::from(platform.name != "pvc");
    assert_eq!((value(23), value(27)), (Some(render), Some(1)));
    assert_eq!((value(25), value(26)), (Some(0), Some(0)));
}

/// Which platforms have a table: Alder Lake-P and everything from 12.55 on.
fn has_table(platform: &Platform) -> bool {
    platform.name == "adlp" || platform.default_sku().ip >= (12, 55)
}

fn ask_xe(raw: &Raw, query: u32, size: u32, data: u64) -> Result<u32, Errno> {
    let mut argument = xe::DeviceQuery {
        query,
        size,
        data,
        ..Default::default()
    };
    raw.call(xe::DEVICE_QUERY, &mut argument)?;
    Ok(argument.size)
}

fn answer_xe(raw: &Raw, query: xe::QueryId) -> Vec<u8> {
    let size = ask_xe(raw, query as u32, 0, WILD).unwrap();
    let mut blob = vec![0u8; size as usize];
    if size != 0 {
        ask_xe(raw, query as u32, size, address(blob.as_mut_slice())).unwrap();
    }
    blob
}

#[test]
fn xe_queries_answer_sizes_and_refuse_the_wrong_ones() {
    for (platform, raw) in nodes(Driver::Xe) {
        for number in 0..9 {
            let query = xe::QueryId::from_raw(number).unwrap();
            let size = ask_xe(&raw, number, 0, WILD).unwrap();
            if size == 0 {
                assert_eq!(query, xe::QueryId::Hwconfig);
                assert!(!has_table(platform), "{platform}");
                continue;
            }
            for wrong in [1, size - 1, size + 1, u32::MAX] {
                assert_eq!(
                    ask_xe(&raw, number, wrong, WILD),
                    Err(Errno::EINVAL),
                    "{query:?}"
                );
            }
            let errno = match query {
                xe::QueryId::MemRegions => Errno::ENOSPC,
                _ => Errno::EFAULT,
            };
            assert_eq!(ask_xe(&raw, number, size, WILD), Err(errno), "{query:?}");
        }
        for unknown in [9, 10, u32::MAX] {
            assert_eq!(ask_xe(&raw, unknown, 0, 0), Err(Errno::EINVAL));
        }
        for (extensions, reserved) in [(1, [0, 0]), (0, [1, 0]), (0, [0, 1])] {
            let mut argument = xe::DeviceQuery {
                extensions,
                reserved,
                ..Default::default()
            };
            assert_eq!(
                raw.call(xe::DEVICE_QUERY, &mut argument),
                Err(Errno::EINVAL)
            );
        }
    }
}

#[test]
fn xe_says_what_the_device_is() {
    for (platform, raw) in nodes(Driver::Xe) {
        let blob = answer_xe(&raw, xe::QueryId::Engines);
        let (header, rest) = xe::EnginesHeader::read_from_prefix(&blob).unwrap();
        assert_eq!(
            rest.len(),
            header.num_engines as usize * size_of::<xe::Engine>()
        );
        assert!(header.num_engines >= 2);
        let blob = answer_xe(&raw, xe::QueryId::MemRegions);
        let (header, _) = xe::MemRegionsHeader::read_from_prefix(&blob).unwrap();
        assert_eq!(header.num_mem_regions, 1 + u32::from(platform.local_memory));
        let blob = answer_xe(&raw, xe::QueryId::Config);
        let (header, rest) = xe::ConfigHeader::read_from_prefix(&blob).unwrap();
        let first = u64::read_from_prefix(rest).unwrap().0;
        assert_eq!(
            (header.num_params, first as u16),
            (5, platform.default_pci_id())
        );
        let blob = answer_xe(&raw, xe::QueryId::GtList);
        let (header, rest) = xe::GtListHeader::read_from_prefix(&blob).unwrap();
        let gt = xe::Gt::read_from_prefix(rest).unwrap().0;
        assert_eq!(header.num_gt, 1);
        assert_eq!(u64::from(gt.reference_clock), platform.timestamp_frequency);
        let blob = answer_xe(&raw, xe::QueryId::GtTopology);
        let (mask, rest) = xe::TopologyMask::read_from_prefix(&blob).unwrap();
        let bits: u32 = rest[..mask.num_bytes as usize]
            .iter()
            .map(|b| b.count_ones())
            .sum();
        assert_eq!(bits, platform.default_sku().subslices());
        let blob = answer_xe(&raw, xe::QueryId::OaUnits);
        assert_eq!(blob, xe::OaUnitsHeader::default().as_bytes());
        let blob = answer_xe(&raw, xe::QueryId::Hwconfig);
        assert_eq!(blob.is_empty(), !has_table(platform), "{platform}");
        if has_table(platform) {
            check_table(platform, &table(&blob));
        }
    }
}

#[test]
fn xe_says_which_firmware_runs() {
    for (platform, raw) in nodes(Driver::Xe) {
        let ask = |given: xe::UcFwVersion| {
            let mut version = given;
            let size = size_of_val(&version) as u32;
            let data = address(&mut version);
            ask_xe(&raw, xe::QueryId::UcFwVersion as u32, size, data).map(|_| version)
        };
        let guc = xe::UcFwVersion {
            uc_type: xe::UC_TYPE_GUC_SUBMISSION,
            major_ver: 77,
            ..Default::default()
        };
        match firmware_notes::submission_interface(platform, Driver::Xe) {
            Some((major, minor, patch)) => {
                let found = ask(guc).unwrap();
                let numbers = [
                    found.branch_ver,
                    found.major_ver,
                    found.minor_ver,
                    found.patch_ver,
                ];
                assert_eq!(numbers, [0, major.into(), minor.into(), patch.into()]);
                // Features of xe's submission interface came with 1.
                assert_eq!(found.major_ver, 1, "{platform}");
            }
            None => assert_eq!(ask(guc), Err(Errno::ENODEV), "{platform}"),
        }
        let huc = xe::UcFwVersion {
            uc_type: xe::UC_TYPE_HUC,
            ..Default::default()
        };
        assert_eq!(ask(huc), Err(Errno::ENODEV), "no video engine, no HuC");
        for wrong in [
            with!(guc, uc_type: 2),
            with!(guc, pad: 1),
            with!(guc, pad2: 1),
            with!(guc, reserved: 1),
        ] {
            assert_eq!(ask(wrong), Err(Errno::EINVAL), "{wrong:?}");
        }
    }
}

#[test]
fn xe_reads_timestamps_beside_clocks() {
    for (platform, raw) in nodes(Driver::Xe) {
        let ask = |clockid: i32, eci: EngineClassInstance| {
            let mut cycles = xe::EngineCycles {
                eci,
                clockid,
                ..Default::default()
            };
            let size = size_of_val(&cycles) as u32;
            let data = address(&mut cycles);
            ask_xe(&raw, xe::QueryId::EngineCycles as u32, size, data).map(|_| cycles)
        };
        let copy = EngineClassInstance {
            engine_class: EngineClass::Copy as u16,
            ..Default::default()
        };
        // CLOCK_REALTIME, MONOTONIC, MONOTONIC_RAW, BOOTTIME, TAI.
        for clock in [0, 1, 4, 7, 11] {
            let cycles = ask(clock, copy).unwrap();
            assert_eq!(
                cycles.width,
                u32::from(platform.timestamp_bits),
                "{platform}"
            );
            assert!(cycles.engine_cycles > 0 && cycles.cpu_timestamp > 0);
        }
        // Padding is ignored.
        ask(1, with!(copy, pad: 5)).unwrap();
        // CLOCK_PROCESS_CPUTIME_ID, CLOCK_MONOTONIC_COARSE, none.
        for clock in [2, 6, -1, 99] {
            assert_eq!(ask(clock, copy), Err(Errno::EINVAL), "clock {clock}");
        }
        for wrong in [
            with!(copy, engine_class: EngineClass::VideoDecode as u16),
            with!(copy, engine_class: EngineClass::VmBind as u16),
            with!(copy, engine_class: 99),
            with!(copy, engine_instance: 1),
            with!(copy, gt_id: 1),
        ] {
            assert_eq!(ask(1, wrong), Err(Errno::EINVAL), "{wrong:?}");
        }
    }
}

/// Queries one item. A negative length in the answer is the item's error.
fn ask_i915(
    raw: &Raw,
    query_id: u64,
    flags: u32,
    length: i32,
    data_ptr: u64,
) -> Result<i32, Errno> {
    let mut item = i915::QueryItem {
        query_id,
        length,
        flags,
        data_ptr,
    };
    let mut argument = i915::Query {
        num_items: 1,
        flags: 0,
        items_ptr: address(&mut item),
    };
    raw.call(i915::QUERY, &mut argument)?;
    match item.length {
        length if length < 0 => Err(Errno::from_raw(-length)),
        length => Ok(length),
    }
}

#[test]
fn i915_queries_answer_sizes_and_refuse_what_is_wrong() {
    use i915::QueryId as Q;
    for (platform, raw) in nodes(Driver::I915) {
        let guc = firmware_notes::submission_interface(platform, Driver::I915);
        let geometry = platform.default_sku().ip >= (12, 50);
        for number in 1..8 {
            let query = Q::from_raw(number).unwrap();
            let missing = match query {
                Q::PerfConfig => Some(Errno::EINVAL),
                Q::HwconfigBlob if !has_table(platform) => Some(Errno::ENODEV),
                Q::GeometrySubslices if !geometry => Some(Errno::ENODEV),
                Q::GucSubmissionVersion if guc.is_none() => Some(Errno::ENODEV),
                _ => None,
            };
            let size = ask_i915(&raw, number, 0, 0, WILD);
            if let Some(errno) = missing {
                assert_eq!(size, Err(errno), "{platform}: {query:?}");
                continue;
            }
            let size = size.unwrap();
            assert!(size > 0, "{platform}: {query:?}");
            for short in [1, size - 1] {
                assert_eq!(ask_i915(&raw, number, 0, short, WILD), Err(Errno::EINVAL));
            }
            // A negative length is a large one.
            for room in [size, size + 1, -1] {
                let errno = ask_i915(&raw, number, 0, room, WILD);
                assert_eq!(errno, Err(Errno::EFAULT), "{platform}: {query:?}, {room}");
            }
            let mut blob = vec![0u8; size as usize];
            let data = address(blob.as_mut_slice());
            let answered = ask_i915(&raw, number, 0, size, data).unwrap();
            // The GuC's version comes without a length.
            let expected = if query == Q::GucSubmissionVersion {
                0
            } else {
                size
            };
            assert_eq!(answered, expected, "{platform}: {query:?}");
            assert!(blob.iter().any(|byte| *byte != 0), "{platform}: {query:?}");
            // Flags without meaning, and a header that is not zero.
            let flagged = ask_i915(&raw, number, 9, size, data);
            match query {
                Q::HwconfigBlob => assert_eq!(flagged, Ok(size)),
                _ => assert_eq!(flagged, Err(Errno::EINVAL), "{platform}: {query:?}"),
            }
            blob.fill(1);
            let again = ask_i915(&raw, number, 0, size, address(blob.as_mut_slice()));
            match query {
                Q::EngineInfo | Q::MemoryRegions | Q::GucSubmissionVersion => {
                    assert_eq!(again, Err(Errno::EINVAL), "{platform}: {query:?}");
                }
                _ => assert_eq!(again, Ok(size), "{platform}: {query:?}"),
            }
        }
        for flags in [1, 2, 3] {
            let errno = ask_i915(&raw, Q::PerfConfig as u64, flags, 0, 0);
            assert_eq!(errno, Err(Errno::ENODEV), "no performance counters");
        }
        assert_eq!(ask_i915(&raw, 8, 0, 0, 0), Err(Errno::EINVAL));
        assert_eq!(ask_i915(&raw, u64::MAX, 0, 0, 0), Err(Errno::EINVAL));
        // These are errors of the call.
        assert_eq!(ask_i915(&raw, 0, 0, 0, 0), Err(Errno::EINVAL));
        let call = |num_items, flags, items_ptr| {
            let mut argument = i915::Query {
                num_items,
                flags,
                items_ptr,
            };
            raw.call(i915::QUERY, &mut argument).map(drop)
        };
        assert_eq!(call(0, 0, WILD), Ok(()));
        assert_eq!(call(1, 1, WILD), Err(Errno::EINVAL));
        assert_eq!(call(1, 0, WILD), Err(Errno::EFAULT));
    }
}

#[test]
fn i915_passes_the_tables_of_its_firmware_on() {
    use i915::QueryId as Q;
    for (platform, raw) in nodes(Driver::I915) {
        let answer = |query: Q| {
            let size = ask_i915(&raw, query as u64, 0, 0, 0).ok()?;
            let mut blob = vec![0u8; size as usize];
            ask_i915(&raw, query as u64, 0, size, address(blob.as_mut_slice())).unwrap();
            Some(blob)
        };
        if let Some(blob) = answer(Q::HwconfigBlob) {
            check_table(platform, &table(&blob));
        }
        if let Some(blob) = answer(Q::GucSubmissionVersion) {
            let version = i915::GucSubmissionVersion::read_from_bytes(&blob).unwrap();
            assert_eq!((version.branch, version.major), (0, 1), "{platform}");
        }
        if let Some(blob) = answer(Q::GeometrySubslices) {
            assert_eq!(Some(blob), answer(Q::TopologyInfo));
            // The flags name an engine: copy 0 and render 1 have no geometry.
            for flags in [1, 1 << 16] {
                let errno = ask_i915(&raw, Q::GeometrySubslices as u64, flags, 0, 0);
                assert_eq!(errno, Err(Errno::EINVAL));
            }
        }
    }
}
