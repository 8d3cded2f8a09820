//! Drivers of others in a root of their own.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use crate::{subject, tool};

/// Names a folder with an installed system that has today's drivers.
const VARIABLE: &str = "INTEL_GPU_CLIENTS";

/// The root that `INTEL_GPU_CLIENTS` names; without it the test is skipped, and says so.
pub fn root() -> Option<Root> {
    if !subject::is_software() {
        return None;
    }
    let folder = oracles::variable(VARIABLE, "root with today's drivers")?;
    Some(Root(PathBuf::from(folder)))
}

/// A folder with an installed system.
#[derive(Debug)]
pub struct Root(PathBuf);

/// Runs the rest of its arguments in the root that the first one names, in a mount namespace of its
/// own. The machine's own files are below `/host`.
const ENTER: &str = r#"set -e
root=$1; shift
mkdir -p "$root/host"
mount --rbind / "$root/host"
for folder in proc dev sys tmp; do mount --rbind "/$folder" "$root/$folder"; done
exec chroot "$root" "$@""#;

/// Where the root may have packages of Python that are not Debian's.
const PYTHON: &str = "/opt/python";

impl Root {
    /// The path of one of the machine's files, as the root has it.
    pub fn host(path: &Path) -> PathBuf {
        Path::new("/host").join(path.strip_prefix("/").unwrap_or(path))
    }

    /// The folder for `PYTHONPATH`, if it has this package.
    pub fn python(&self, package: &str) -> Option<&'static str> {
        let folder = self.0.join(PYTHON.trim_start_matches('/'));
        folder.join(package).is_dir().then_some(PYTHON)
    }

    /// A program inside.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("unshare");
        command
            .args([
                "--mount",
                "--propagation",
                "private",
                "sh",
                "-c",
                ENTER,
                "sh",
            ])
            .arg(&self.0)
            .arg(program);
        command
    }

    /// The C compiler's flags for its headers.
    pub fn headers(&self) -> String {
        format!("-I{}", self.0.join("usr/include").display())
    }

    /// One of its libraries.
    pub fn library(&self, name: &str) -> PathBuf {
        self.0.join("usr/lib/x86_64-linux-gnu").join(name)
    }

    /// Runs its `ocloc`. Its file is named after its version.
    ///
    /// # Panics
    /// If there is none, or it fails.
    pub fn ocloc(&self, folder: &Path, arguments: &[&str]) {
        let programs = fs::read_dir(self.0.join("usr/bin")).expect("the root has programs");
        let name = programs
            .flatten()
            .map(|program| program.file_name())
            .find(|name| name.to_string_lossy().starts_with("ocloc"))
            .expect("the root has ocloc");
        let mut command = self.command(&Path::new("/usr/bin").join(name));
        command.arg("compile").args(arguments);
        command.args(["-out_dir"]).arg(folder);
        let output = command.output().expect("ocloc runs");
        assert!(output.status.success(), "{output:?}");
    }

    /// A program of the machine (a path) or of the root (a name) under `preload`.
    pub fn preload(&self, call: &Call<'_>) -> Command {
        self.preload_with(call, &[])
    }

    fn preload_with(&self, call: &Call<'_>, options: &[&OsStr]) -> Command {
        let mut command = self.command(&Self::host(&tool::intel_gpu_run()));
        command
            .args(["preload", "--platform", call.devices])
            .args(options)
            .arg("--");
        match call.program.is_absolute() {
            true => command.arg(Self::host(call.program)),
            false => command.arg(call.program),
        };
        command.args(call.arguments);
        for (name, value) in call.variables {
            command.env(name, value);
        }
        command
    }

    /// Runs what [`Root::preload`] gives on software GPUs that check what kernels do.
    ///
    /// # Panics
    /// If it does not end before `deadline`.
    pub fn run_checked(&self, call: &Call<'_>, deadline: Duration) -> Output {
        let mut command = self.preload_with(call, &[OsStr::new("--check")]);
        tool::run_with_deadline(&mut command, deadline)
    }

    /// Runs what [`Root::preload`] gives. Returns its output and the log.
    ///
    /// # Panics
    /// If it does not end before `deadline`.
    pub fn run(&self, call: &Call<'_>, deadline: Duration) -> (Output, String) {
        let log = tempfile::NamedTempFile::new().expect("a file for the log");
        let options = ["--log", "softgpu=info", "--log-file"].map(OsStr::new);
        let options = [&options[..], &[log.path().as_os_str()]].concat();
        let mut command = self.preload_with(call, &options);
        let output = tool::run_with_deadline(&mut command, deadline);
        let text = fs::read_to_string(log.path()).unwrap_or_default();
        (output, text)
    }
}

/// A program to run on devices.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// For `--platform`.
    pub devices: &'a str,
    /// The program.
    pub program: &'a Path,
    /// Its arguments.
    pub arguments: &'a [&'a str],
    /// Its environment.
    pub variables: &'a [(&'a str, &'a str)],
}
