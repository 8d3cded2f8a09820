//! Which outside oracles this machine has.

use std::fmt;
use std::path::Path;

use oracles::starts;

/// A program that we did not write and that judges ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Oracle {
    /// Intel's EU assembler, `iga64` of Debian's `libigc-tools`.
    Iga,
    /// Intel's offline compiler, `ocloc` of Debian's `intel-opencl-icd`.
    Ocloc,
    /// Intel's OpenCL runtime (NEO) of Debian's `intel-opencl-icd`, with a C compiler and
    /// the OpenCL headers and loader to build clients.
    Neo,
    /// A compiler of GLSL, and what builds clients of Vulkan.
    Vulkan,
}

impl fmt::Display for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Oracle::Iga => "iga64 (Debian package libigc-tools)",
            Oracle::Ocloc => "ocloc (Debian package intel-opencl-icd)",
            Oracle::Neo => {
                "NEO with a C compiler (Debian packages intel-opencl-icd, ocl-icd-opencl-dev, gcc)"
            }
            Oracle::Vulkan => {
                "GLSL compiler with Vulkan's headers (Debian packages glslang-tools, libvulkan-dev, gcc)"
            }
        })
    }
}

impl Oracle {
    fn is_here(self) -> bool {
        match self {
            Oracle::Iga => starts("iga64", &["-h"]),
            Oracle::Ocloc => starts("ocloc", &[]),
            Oracle::Neo => {
                Path::new(crate::tool::NEO_ICD).is_file()
                    && Path::new("/usr/include/CL/cl.h").is_file()
                    && starts("cc", &["--version"])
            }
            Oracle::Vulkan => {
                Path::new("/usr/include/vulkan/vulkan.h").is_file()
                    && starts("glslangValidator", &["--version"])
                    && starts("cc", &["--version"])
            }
        }
    }
}

/// Whether `oracle` is available. Reports if not.
///
/// # Panics
/// If it is missing and `ORACLES=required` is set.
pub fn require(oracle: Oracle) -> bool {
    let here = oracle.is_here();
    if !here {
        oracles::missing(oracle);
    }
    here
}
