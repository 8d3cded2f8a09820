//! What the platform and its devices can do beyond the core (specification, sections 4.1 and 4.2): each
//! row is here when a test shows that it works.

use opencl_sys::*;

use super::info::{self, Answer};
use crate::core::{Device, Platform};

/// A name and its version.
type Named = (&'static str, cl_version);

/// What the platform has besides what all its devices have.
const EXTENSIONS: &[Named] = &[("cl_khr_icd", info::version(1, 0, 0))];

/// What a device can do beyond the core: only what the tests show.
pub(crate) fn of_device(device: &Device) -> Vec<Named> {
    const V1: cl_version = info::version(1, 0, 0);
    let mut all = vec![
        ("cl_khr_byte_addressable_store", V1),
        ("cl_khr_command_buffer", info::version(0, 9, 8)),
        (
            "cl_khr_command_buffer_mutable_dispatch",
            info::version(0, 9, 5),
        ),
        ("cl_khr_create_command_queue", V1),
        ("cl_khr_device_uuid", V1),
        ("cl_khr_external_memory", info::version(0, 9, 4)),
        ("cl_khr_external_memory_dma_buf", info::version(0, 9, 4)),
        ("cl_khr_fp16", V1),
        ("cl_khr_global_int32_base_atomics", V1),
        ("cl_khr_global_int32_extended_atomics", V1),
        ("cl_khr_int64_base_atomics", V1),
        ("cl_khr_int64_extended_atomics", V1),
        ("cl_khr_local_int32_base_atomics", V1),
        ("cl_khr_local_int32_extended_atomics", V1),
        ("cl_khr_priority_hints", V1),
        ("cl_khr_suggested_local_work_size", V1),
        ("cl_khr_throttle_hints", V1),
        ("cl_khr_il_program", V1),
        ("cl_intel_device_attribute_query", V1),
        ("cl_intel_required_subgroup_size", V1),
        ("cl_intel_spirv_subgroups", V1),
        ("cl_intel_subgroups", V1),
        ("cl_intel_subgroups_char", V1),
        ("cl_intel_subgroups_long", V1),
        ("cl_intel_subgroups_short", V1),
        ("cl_intel_unified_shared_memory", V1),
        ("cl_khr_subgroup_ballot", V1),
        ("cl_khr_subgroup_clustered_reduce", V1),
        ("cl_khr_subgroup_extended_types", V1),
        ("cl_khr_subgroup_non_uniform_arithmetic", V1),
        ("cl_khr_subgroup_non_uniform_vote", V1),
        ("cl_khr_subgroup_shuffle", V1),
        ("cl_khr_subgroup_shuffle_relative", V1),
    ];
    if device.limits.fp64 {
        all.push(("cl_khr_fp64", V1));
    }
    if device.limits.images.is_some() {
        all.extend([
            ("cl_khr_3d_image_writes", V1),
            ("cl_khr_depth_images", V1),
            ("cl_khr_image2d_from_buffer", V1),
        ]);
    }
    // "… subgroups within a work group … may make forward progress with respect to each other":
    // the extension promises it, the feature of OpenCL C does not.
    if device.limits.independent_forward_progress {
        all.push(("cl_khr_subgroups", V1));
    }
    all
}

/// The optional features of OpenCL C 3.0.
pub(crate) fn features(device: &Device) -> Vec<Named> {
    const V3: cl_version = info::version(3, 0, 0);
    let mut all = vec![
        ("__opencl_c_atomic_order_acq_rel", V3),
        ("__opencl_c_atomic_order_seq_cst", V3),
        ("__opencl_c_atomic_scope_all_devices", V3),
        ("__opencl_c_atomic_scope_device", V3),
        ("__opencl_c_generic_address_space", V3),
        ("__opencl_c_int64", V3),
        ("__opencl_c_program_scope_global_variables", V3),
        ("__opencl_c_subgroups", V3),
        ("__opencl_c_work_group_collective_functions", V3),
    ];
    if device.has_pipes() {
        all.push(("__opencl_c_pipes", V3));
    }
    if device.limits.fp64 {
        all.push(("__opencl_c_fp64", V3));
    }
    if device.limits.images.is_some() {
        all.extend([
            ("__opencl_c_3d_image_writes", V3),
            ("__opencl_c_images", V3),
            ("__opencl_c_read_write_images", V3),
        ]);
    }
    all
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
