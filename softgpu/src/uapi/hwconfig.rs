//! The GuC's table of hardware attributes, which both drivers pass on.
//!
//! Dwords: a key, a length in dwords, that many values, and so on. Keys: `enum intel_hwconfig` of
//! igt-gpu-tools (`lib/intel_hwconfig_types.h`), which Mesa (`intel_hwconfig.c`) and
//! compute-runtime (`system_info.cpp`) read by the same numbers. A real table has some seventy;
//! this one has those whose values are known.

use batchbuffer::Engine;

use super::engines;
use super::family::traits;
use crate::device::Device;

/// The keys that are answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Key {
    MaxSlicesSupported = 1,
    MaxDualSubslicesSupported = 2,
    MaxNumEuPerDss = 3,
    NumThreadsPerEu = 15,
    MaxRcs = 23,
    MaxCcs = 24,
    MaxVcs = 25,
    MaxVecs = 26,
    MaxCopyCs = 27,
    CsrSizeInMb = 62,
    MaxSubslice = 70,
    MaxEuPerSubslice = 71,
}

/// The save area of a preempted context: the same on every platform (compute-runtime,
/// `hw_info_*.cpp`, `CsrSizeInMb`).
const CSR_MEGABYTES: u32 = 8;

/// The first graphics IP version whose firmware has the table.
const SINCE: (u8, u8) = (12, 55);
/// The one earlier platform that has it (Linux, `has_table` of `intel_guc_hwconfig.c`,
/// `xe_guc_hwconfig_init`).
const BEFORE: &str = "adlp";

/// The table; empty if the firmware has none.
pub(super) fn table(device: &Device) -> Vec<u8> {
    let platform = device.platform;
    let sku = platform.default_sku();
    if sku.ip < SINCE && platform.name != BEFORE {
        return Vec::new();
    }
    let (subslices, eus) = match traits(platform.family).dual_subslices {
        true => (Key::MaxDualSubslicesSupported, Key::MaxNumEuPerDss),
        false => (Key::MaxSubslice, Key::MaxEuPerSubslice),
    };
    let engines = engines(device);
    let count = |wanted: Engine| u32::from(engines.contains(&wanted));
    let rows = [
        (Key::MaxSlicesSupported, sku.slices.into()),
        (subslices, sku.subslices()),
        (eus, sku.eus_per_subslice.into()),
        (Key::NumThreadsPerEu, platform.threads_per_eu.into()),
        (Key::MaxRcs, count(Engine::Render)),
        (Key::MaxCcs, count(Engine::Compute)),
        (Key::MaxVcs, count(Engine::Video)),
        (Key::MaxVecs, count(Engine::VideoEnhance)),
        (Key::MaxCopyCs, count(Engine::Blitter)),
        (Key::CsrSizeInMb, CSR_MEGABYTES),
    ];
    rows.into_iter()
        .flat_map(|(key, value)| [key as u32, 1, value])
        .flat_map(u32::to_le_bytes)
        .collect()
}
