//! Intel's offline compiler, if it is installed: `.cl` and `.spv` become zebins.

use std::fs;
use std::process::{Command, Stdio};

use devinfo::Target;

use crate::exit::Error;

/// What to compile.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// OpenCL C.
    OpenClC(&'a str),
    /// SPIR-V.
    SpirV(&'a [u8]),
}

/// The driver version that `ocloc` belongs to, such as `22.43.24595`; `None` if it is missing.
pub fn version() -> Option<String> {
    const QUERY: &str = "OCL_DRIVER_VERSION";
    // It answers with a file of that name in the current folder.
    let folder = tempfile::tempdir().ok()?;
    let mut command = Command::new("ocloc");
    command.current_dir(folder.path()).args(["query", QUERY]);
    let status = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !status.ok()?.success() {
        return None;
    }
    let version = fs::read_to_string(folder.path().join(QUERY)).ok()?;
    Some(
        version
            .trim_matches(|c: char| c.is_whitespace() || c == '\0')
            .to_owned(),
    )
}

/// Compiles a kernel for a platform and returns the zebin.
///
/// # Errors
/// [`Error::Rejected`] with the compiler's own words if it refuses the source or is missing.
pub fn compile(name: &str, source: Source<'_>, target: Target) -> Result<Vec<u8>, Error> {
    let device = target.platform.ocloc.first().ok_or_else(|| {
        Error::Rejected(format!("{name}: ocloc has no name for {}", target.platform))
    })?;
    let failed = |e: &dyn std::fmt::Display| Error::Failed(format!("{name}: cannot compile: {e}"));
    let folder = tempfile::tempdir().map_err(|e| failed(&e))?;
    let (input, content) = match source {
        Source::OpenClC(text) => ("kernel.cl", text.as_bytes()),
        Source::SpirV(bytes) => ("kernel.spv", bytes),
    };
    fs::write(folder.path().join(input), content).map_err(|e| failed(&e))?;

    let mut command = Command::new("ocloc");
    command.current_dir(folder.path()).stdin(Stdio::null());
    command.args(["compile", "-q", "-file", input, "-device", device]);
    if matches!(source, Source::SpirV(_)) {
        command.arg("-spirv_input");
    }
    command.args(["-revision_id", &target.revision.to_string()]);
    command.args(["-options", "-cl-std=CL2.0 -cl-kernel-arg-info"]);
    command.args(["-internal_options", "-cl-intel-allow-zebin"]);
    command.args(["-output", "kernel", "-output_no_suffix"]);
    let output = match command.output() {
        Ok(output) => output,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            return Err(Error::Rejected(format!(
                "{name}: to run source, install ocloc (Debian: intel-opencl-icd), \
                 or compile it elsewhere and run the zebin"
            )));
        }
        Err(e) => return Err(failed(&e)),
    };
    if !output.status.success() {
        let mut words = String::from_utf8_lossy(&output.stdout).into_owned();
        words.push_str(&String::from_utf8_lossy(&output.stderr));
        return Err(Error::Rejected(format!(
            "{name}: ocloc refuses it for {device}:\n{}",
            words.trim()
        )));
    }
    fs::read(folder.path().join("kernel")).map_err(|e| failed(&e))
}
