//! What tests of programs share: this runtime as the only one that the ICD loader finds.
#![allow(dead_code, reason = "not every test uses all of it")]

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// Whether C programs can be made, and kernels compiled.
pub fn has_tools() -> bool {
    oracles::debian("gcc")
        && has_compiler()
        && match Path::new("/usr/include/CL/cl.h").is_file() {
            true => true,
            false => {
                oracles::missing("ICD loader to build with (Debian package ocl-icd-opencl-dev)");
                false
            }
        }
}

/// Whether kernels can be compiled.
pub fn has_compiler() -> bool {
    oracles::debian("ocloc")
}

/// A folder with the runtime's `.icd` file, and room for files.
pub struct Runtime {
    folder: TempDir,
}

impl Runtime {
    pub fn new() -> Self {
        // The shared library lies beside the test programs.
        let exe = std::env::current_exe().unwrap();
        let library = exe.parent().unwrap().join("libintel_gpu_opencl.so");
        assert!(library.exists());
        let folder = tempfile::tempdir().unwrap();
        let vendors = folder.path().join("vendors");
        std::fs::create_dir(&vendors).unwrap();
        std::fs::write(vendors.join("intel-gpu.icd"), library.display().to_string()).unwrap();
        Self { folder }
    }

    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Compiles `tests/c/NAME.c`.
    pub fn compiled(&self, name: &str) -> PathBuf {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        let program = self.path().join(name);
        let compiled = Command::new("gcc")
            .args(["-std=gnu11", "-Wall", "-Wextra", "-Werror", "-o"])
            .arg(&program)
            .arg(root.join(format!("tests/c/{name}.c")))
            .args(["-lOpenCL", "-lpthread", "-lm"])
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&compiled.stderr);
        assert!(compiled.status.success(), "{text}");
        program
    }

    /// A program that finds this runtime alone, with these devices.
    pub fn command(&self, program: impl AsRef<OsStr>, devices: &str) -> Command {
        let vendors = self.path().join("vendors");
        let mut command = Command::new(program);
        command
            .env("OCL_ICD_VENDORS", format!("{}/", vendors.display()))
            .env("INTEL_GPU_DEVICES", devices)
            .env("INTEL_GPU_CACHE", "off")
            // What programs keep of other runs is not what they make now.
            .env("XDG_CACHE_HOME", self.path());
        command
    }
}
