//! What clang is told of a platform's OpenCL C. By itself it takes all that it knows to be there.

use devinfo::Platform;

use crate::features::{extensions, features};
use crate::options::language;

/// Another number for each change, so that caches know it.
pub(super) const LANGUAGE: &str = "language 1;";

/// Extensions whose macros clang 14 does not define by itself, or not in each version of the language in
/// which they work.
const UNKNOWN: &[&str] = &["cl_intel_", "cl_khr_il_", "cl_khr_subgroup_"];

/// The arguments of clang for a platform and a program's options.
pub(super) fn arguments(platform: &Platform, options: &str) -> Vec<String> {
    let version = language(options).unwrap_or_default();
    let (extensions, features) = (extensions(platform), features(platform));
    let supported = extensions
        .iter()
        .chain(&features)
        .map(|name| format!(",+{name}"));
    let supported = supported.collect::<String>();
    let mut all = vec![
        "-Xclang".to_owned(),
        // Kernels take pipes with each compiler that comes after clang.
        format!("-cl-ext=-all,+__opencl_c_pipes{supported}"),
        "-D__OPENCL_VERSION__=300".to_owned(),
        "-DFP_FAST_FMAF=1".to_owned(),
    ];
    if platform.fp64 {
        all.push("-DFP_FAST_FMA=1".to_owned());
    }
    if !platform.images {
        all.push("-U__IMAGE_SUPPORT__".to_owned());
    }
    let is_unknown = |name: &&&str| UNKNOWN.iter().any(|start| name.starts_with(start));
    let mut macros: Vec<&str> = extensions.iter().filter(is_unknown).copied().collect();
    if version.starts_with("CL2") || version.starts_with("CL3") {
        // The functions of sub-groups are a part of cl_intel_subgroups, too. What clang has of them needs
        // types of OpenCL C 2.0.
        macros.push("__opencl_subgroup_builtins");
    }
    if version.starts_with("CL3") {
        macros.push("__opencl_c_work_group_collective_functions");
    }
    all.extend(macros.iter().map(|name| format!("-D{name}=1")));
    all
}
