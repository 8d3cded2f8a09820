//! Which outside oracles this machine has.

use std::env;
use std::fmt;
use std::path::Path;
use std::process::{Command, Stdio};

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
}

impl fmt::Display for Oracle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Oracle::Iga => "iga64 (Debian package libigc-tools)",
            Oracle::Ocloc => "ocloc (Debian package intel-opencl-icd)",
            Oracle::Neo => {
                "NEO with a C compiler (Debian packages intel-opencl-icd, ocl-icd-opencl-dev, gcc)"
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
        }
    }
}

fn starts(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok()
}

/// Whether `oracle` can be asked. Says so when not.
///
/// # Panics
/// If it is missing and `ORACLES=required` is set.
pub fn require(oracle: Oracle) -> bool {
    let here = oracle.is_here();
    if !here {
        let required = env::var("ORACLES").is_ok_and(|value| value == "required");
        assert!(!required, "ORACLES=required, but there is no {oracle}");
        report(&format!("skipped: there is no {oracle}"));
    }
    here
}

/// Tells whoever runs the tests, past the capture of their output.
fn report(line: &str) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "{line}");
}
