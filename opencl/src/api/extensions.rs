//! What the platform and its devices can do beyond the core (specification, sections 4.1 and 4.2): each
//! row is here when a test shows that it works.

use opencl_sys::*;

use super::info::{self, Answer};
use crate::core::{Device, Platform};

/// A name and its version.
type Named = (&'static str, cl_version);

/// What the platform has besides what all its devices have.
const EXTENSIONS: &[Named] = &[("cl_khr_icd", info::version(1, 0, 0))];

/// What a device can do beyond the core and beyond OpenCL C.
const OF_DEVICES: &[Named] = &[
    ("cl_khr_command_buffer", info::version(0, 9, 8)),
    (
        "cl_khr_command_buffer_mutable_dispatch",
        info::version(0, 9, 5),
    ),
    ("cl_khr_create_command_queue", info::version(1, 0, 0)),
    ("cl_khr_device_uuid", info::version(1, 0, 0)),
    ("cl_khr_external_memory", info::version(0, 9, 4)),
    ("cl_khr_external_memory_dma_buf", info::version(0, 9, 4)),
    ("cl_khr_priority_hints", info::version(1, 0, 0)),
    ("cl_khr_suggested_local_work_size", info::version(1, 0, 0)),
    ("cl_khr_throttle_hints", info::version(1, 0, 0)),
    ("cl_intel_device_attribute_query", info::version(1, 0, 0)),
    ("cl_intel_unified_shared_memory", info::version(1, 2, 0)),
];

/// What a device can do beyond the core: only what the tests show.
pub(crate) fn of_device(device: &Device) -> Vec<Named> {
    let language = compilers::extensions(device.target().platform);
    let of_images = device.limits.images.map(|_| "cl_khr_image2d_from_buffer");
    let others = language.into_iter().chain(of_images);
    let others = others.map(|name| (name, info::version(1, 0, 0)));
    OF_DEVICES.iter().copied().chain(others).collect()
}

/// The optional features of OpenCL C 3.0.
pub(crate) fn features(device: &Device) -> Vec<Named> {
    let mut all = compilers::features(device.target().platform);
    if device.has_pipes() {
        all.push("__opencl_c_pipes");
    }
    let version = |name| (name, info::version(3, 0, 0));
    all.into_iter().map(version).collect()
}

/// What the platform can do: "Each extension that is supported by all devices associated with this
/// platform must be reported here."
pub(crate) fn of_platform() -> Vec<Named> {
    let mut all = EXTENSIONS.to_vec();
    let mut devices = Platform::get().devices().iter();
    if let Some(first) = devices.next() {
        let mut common = of_device(first);
        for device in devices {
            let have = of_device(device);
            common.retain(|extension| have.contains(extension));
        }
        all.extend(common);
    }
    all
}

/// The names of extensions or features, with spaces between.
pub(crate) fn names(all: &[Named]) -> String {
    let names: Vec<_> = all.iter().map(|(name, _)| *name).collect();
    names.join(" ")
}

/// Names and versions of extensions or features.
pub(crate) fn name_versions(all: &[Named]) -> Answer {
    let each = |(name, version): &Named| info::name_version(name, *version);
    all.iter().flat_map(each).collect()
}
