//! The programs of others that this project works with.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{Finding, Verdict};

/// Compiler, assembler and OpenCL runtimes.
pub(super) fn findings() -> Vec<Finding> {
    let mut findings = vec![compiler(), assembler()];
    findings.extend(opencl_runtimes(Path::new("/etc/OpenCL/vendors")));
    findings
}

fn compiler() -> Finding {
    match compilers::version(Path::new("ocloc")) {
        Some(version) => Finding::new(Verdict::Pass, "ocloc", format!("version {version}")),
        None => Finding::new(Verdict::Skip, "ocloc", "not installed")
            .remedy("needed to run .cl and .spv files (Debian: intel-opencl-icd)"),
    }
}

fn assembler() -> Finding {
    let mut command = Command::new("iga64");
    command
        .arg("-h")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    match command.status() {
        Ok(_) => Finding::new(Verdict::Pass, "iga64", "installed"),
        Err(_) => Finding::new(Verdict::Skip, "iga64", "not installed")
            .remedy("only this project's tests need it (Debian: libigc-tools)"),
    }
}

/// OpenCL runtimes register with a file that holds the library's name (cl_khr_icd).
fn opencl_runtimes(folder: &Path) -> Vec<Finding> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "icd"))
        .collect();
    files.sort();
    if files.is_empty() {
        return vec![
            Finding::new(Verdict::Skip, "OpenCL runtimes", "none is registered")
                .remedy("needed to run OpenCL programs under `preload` (Debian: intel-opencl-icd)"),
        ];
    }
    files.iter().map(|file| opencl_runtime(file)).collect()
}

fn opencl_runtime(file: &Path) -> Finding {
    let subject = file.display().to_string();
    let text = fs::read_to_string(file).unwrap_or_default();
    let library = text.lines().next().unwrap_or_default().trim();
    if library.is_empty() {
        return Finding::new(Verdict::Warn, &subject, "names no library")
            .remedy("install the package again that it belongs to, or remove it");
    }
    match find_library(library) {
        Some(path) => Finding::new(Verdict::Pass, &subject, path.display().to_string()),
        None => Finding::new(
            Verdict::Warn,
            &subject,
            format!("names {library}, which is not in the usual folders"),
        )
        .remedy("install the package again that it belongs to, or remove it"),
    }
}

/// A library as the loader finds it in its usual folders.
fn find_library(name: &str) -> Option<PathBuf> {
    if name.starts_with('/') {
        return Some(name.into()).filter(|path: &PathBuf| path.is_file());
    }
    let own = env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    let usual = [
        "/usr/local/lib",
        "/usr/lib/x86_64-linux-gnu",
        "/lib/x86_64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
        "/lib",
    ];
    env::split_paths(&own)
        .chain(usual.map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_runtime_whose_library_is_gone_is_a_finding() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("libthere.so");
        fs::write(&library, "").unwrap();
        fs::write(
            folder.path().join("a.icd"),
            format!("{}\n", library.display()),
        )
        .unwrap();
        fs::write(folder.path().join("b.icd"), "/nowhere/libgone.so\n").unwrap();
        fs::write(folder.path().join("c.icd"), "").unwrap();
        fs::write(folder.path().join("other"), "").unwrap();
        let verdicts: Vec<_> = opencl_runtimes(folder.path())
            .into_iter()
            .map(|finding| (finding.verdict, finding.remedy.is_some()))
            .collect();
        let expected = [
            (Verdict::Pass, false),
            (Verdict::Warn, true),
            (Verdict::Warn, true),
        ];
        assert_eq!(verdicts, expected);
    }
}
