//! What OpenCL C has on a platform: extensions of the language and features, each with a macro of its name.

use devinfo::Platform;

/// The extensions of every platform.
const EXTENSIONS: &[&str] = &[
    "cl_intel_required_subgroup_size",
    "cl_intel_spirv_subgroups",
    "cl_intel_subgroups",
    "cl_intel_subgroups_char",
    "cl_intel_subgroups_long",
    "cl_intel_subgroups_short",
    "cl_khr_byte_addressable_store",
    "cl_khr_fp16",
    "cl_khr_global_int32_base_atomics",
    "cl_khr_global_int32_extended_atomics",
    "cl_khr_il_program",
    "cl_khr_int64_base_atomics",
    "cl_khr_int64_extended_atomics",
    "cl_khr_local_int32_base_atomics",
    "cl_khr_local_int32_extended_atomics",
    "cl_khr_subgroup_ballot",
    "cl_khr_subgroup_clustered_reduce",
    "cl_khr_subgroup_extended_types",
    "cl_khr_subgroup_non_uniform_arithmetic",
    "cl_khr_subgroup_non_uniform_vote",
    "cl_khr_subgroup_shuffle",
    "cl_khr_subgroup_shuffle_relative",
];

/// Those of platforms with images.
const OF_IMAGES: &[&str] = &["cl_khr_3d_image_writes", "cl_khr_depth_images"];

/// The optional features of OpenCL C 3.0 that every platform has.
const FEATURES: &[&str] = &[
    "__opencl_c_atomic_order_acq_rel",
    "__opencl_c_atomic_order_seq_cst",
    "__opencl_c_atomic_scope_all_devices",
    "__opencl_c_atomic_scope_device",
    "__opencl_c_generic_address_space",
    "__opencl_c_int64",
    "__opencl_c_program_scope_global_variables",
    "__opencl_c_subgroups",
    "__opencl_c_work_group_collective_functions",
];

/// Those of platforms with images.
const FEATURES_OF_IMAGES: &[&str] = &[
    "__opencl_c_3d_image_writes",
    "__opencl_c_images",
    "__opencl_c_read_write_images",
];

/// The extensions of OpenCL C that a platform has.
pub fn extensions(platform: &Platform) -> Vec<&'static str> {
    let more = [
        (platform.fp64, &["cl_khr_fp64"][..]),
        (platform.images, OF_IMAGES),
        // "… subgroups within a work group … may make forward progress with respect to each other":
        // the extension promises it, the feature of OpenCL C does not.
        (platform.independent_forward_progress, &["cl_khr_subgroups"]),
    ];
    with(EXTENSIONS, &more)
}

/// The optional features of OpenCL C 3.0 that a platform has. Pipes are not among them: whether kernels take
/// them is their compiler's matter.
pub fn features(platform: &Platform) -> Vec<&'static str> {
    let more = [
        (platform.fp64, &["__opencl_c_fp64"][..]),
        (platform.images, FEATURES_OF_IMAGES),
    ];
    with(FEATURES, &more)
}

/// Macros that Intel's compiler defines for each platform on which its headers have the functions, or 22.43's
/// library would have them.
const DEFINED_BY_INTEL: &[&str] = &[
    "__opencl_c_ext_fp16_global_atomic_add",
    "__opencl_c_ext_fp16_global_atomic_load_store",
    "__opencl_c_ext_fp16_global_atomic_min_max",
    "__opencl_c_ext_fp16_local_atomic_add",
    "__opencl_c_ext_fp16_local_atomic_load_store",
    "__opencl_c_ext_fp16_local_atomic_min_max",
    "__opencl_c_ext_fp32_global_atomic_add",
    "__opencl_c_ext_fp32_global_atomic_min_max",
    "__opencl_c_ext_fp32_local_atomic_add",
    "__opencl_c_ext_fp32_local_atomic_min_max",
    "__opencl_c_ext_fp64_global_atomic_add",
    "__opencl_c_ext_fp64_global_atomic_min_max",
    "__opencl_c_ext_fp64_local_atomic_add",
    "__opencl_c_ext_fp64_local_atomic_min_max",
    "__opencl_c_integer_dot_product_input_4x8bit",
    "__opencl_c_integer_dot_product_input_4x8bit_packed",
    "cl_ext_float_atomics",
    "cl_intel_device_side_avc_motion_estimation",
    "cl_intel_packed_yuv",
    "cl_intel_planar_yuv",
    "cl_intel_split_work_group_barrier",
    "cl_khr_extended_bit_ops",
    "cl_khr_integer_dot_product",
    "cl_khr_subgroups",
];

/// The macros of what a platform does not have that Intel's compiler defines all the same.
pub(crate) fn excess(platform: &Platform) -> impl Iterator<Item = &'static str> {
    let (extensions, features) = (extensions(platform), features(platform));
    let all = DEFINED_BY_INTEL.iter().copied();
    all.filter(move |name| !extensions.contains(name) && !features.contains(name))
}

fn with(all: &[&'static str], more: &[(bool, &[&'static str])]) -> Vec<&'static str> {
    let more = more.iter().filter(|(has, _)| *has);
    let more = more.flat_map(|(_, names)| names.iter());
    all.iter().chain(more).copied().collect()
}
