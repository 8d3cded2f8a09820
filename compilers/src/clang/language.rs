//! What clang is told of a platform's OpenCL C. By itself it takes all that it knows to be there.

use devinfo::Platform;

use crate::features::{extensions, features};
use crate::options::language;

/// Another number for each change, so that caches know it.
pub(super) const LANGUAGE: &str = "language 2;";

/// Extensions whose macros clang 14 does not define by itself, or not in each version of the language in
/// which they work.
const UNKNOWN: &[&str] = &["cl_intel_", "cl_khr_il_", "cl_khr_subgroup_"];

/// The extension of sub-groups that make progress by themselves.
const SUBGROUPS: &str = "cl_khr_subgroups";

/// The feature of OpenCL C 3.0 whose macro clang 14 does not know.
const COLLECTIVE: &str = "__opencl_c_work_group_collective_functions";

/// The arguments of clang for a platform and a program's options.
pub(super) fn arguments(platform: &Platform, options: &str) -> Vec<String> {
    let (extensions, features) = (extensions(platform), features(platform));
    let supported = extensions.iter().chain(&features);
    let supported: String = supported.map(|name| format!(",+{name}")).collect();
    let mut all = vec![
        "-Xclang".to_owned(),
        // Kernels take pipes with each compiler that comes after clang, and their functions of sub-groups need
        // the extension in OpenCL C 2.0.
        format!("-cl-ext=-all,+__opencl_c_pipes,+{SUBGROUPS}{supported}"),
        "-D__OPENCL_VERSION__=300".to_owned(),
        "-DFP_FAST_FMAF=1".to_owned(),
    ];
    if platform.fp64 {
        all.push("-DFP_FAST_FMA=1".to_owned());
    }
    if !platform.images {
        all.push("-U__IMAGE_SUPPORT__".to_owned());
    }
    if !extensions.contains(&SUBGROUPS) {
        all.push(format!("-U{SUBGROUPS}"));
    }
    let is_unknown = |name: &&&str| UNKNOWN.iter().any(|start| name.starts_with(start));
    let unknown = extensions.iter().filter(is_unknown);
    let is_3 = language(options).is_some_and(|version| version.starts_with("CL3"));
    let of_3 = features.iter().filter(|name| is_3 && **name == COLLECTIVE);
    all.extend(unknown.chain(of_3).map(|name| format!("-D{name}=1")));
    all
}
