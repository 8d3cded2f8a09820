//! Sizes, offsets, ioctl numbers and constants against the kernel's headers.
//!
//! `table.txt` beside this file was printed by a C program over the headers; it is compared
//! always. With `UAPI_DIR` naming a folder that holds `drm.h`, `i915_drm.h` and `xe_drm.h`, and a
//! C compiler in `CC` or as `cc`, the program is built and run again. `BLESS=1` rewrites the
//! table from it.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use kmd_iface::uapi::{self, drm::SyncobjFdFlags};

/// Appends a formatted line.
macro_rules! push {
    ($out:ident, $($format:tt)*) => {
        $out.push_str(&format!($($format)*));
        $out.push('\n');
    };
}

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/layout/table.txt");

/// Our constants by their C names. One flag has a second name there.
fn constants() -> impl Iterator<Item = (String, u64)> {
    let second = "DRM_SYNCOBJ_HANDLE_TO_FD_FLAGS_EXPORT_SYNC_FILE";
    uapi::constants()
        .map(|row| (row.c_name(), row.value))
        .chain([(second.to_owned(), SyncobjFdFlags::SYNC_FILE.0.into())])
}

/// Our declarations in the table's form.
fn ours() -> String {
    let mut out = String::new();
    for row in uapi::structs() {
        push!(out, "{} size {}", row.c_name, row.size);
        for field in row.fields.iter().filter(|f| !f.name.is_empty()) {
            push!(
                out,
                "{}.{} offset {} size {}",
                row.c_name,
                field.name,
                field.offset,
                field.size
            );
        }
    }
    for row in uapi::ioctls() {
        push!(out, "{} {:#010x}", row.name, row.request);
    }
    for (name, value) in constants() {
        push!(out, "{name} {value:#x}");
    }
    out
}

/// A C program that prints the same from the headers.
fn program() -> String {
    let mut out = String::from(
        "#include <fcntl.h>\n#include <stddef.h>\n#include <stdio.h>\n\
         #include \"drm.h\"\n#include \"i915_drm.h\"\n#include \"xe_drm.h\"\n\
         int main(void) {\n",
    );
    for row in uapi::structs() {
        let c = row.c_name;
        push!(out, "printf(\"{c} size %zu\\n\", sizeof({c}));");
        for field in row.fields.iter().filter(|f| !f.name.is_empty()) {
            let name = field.name;
            push!(
                out,
                "printf(\"{c}.{name} offset %zu size %zu\\n\", \
                 offsetof({c}, {name}), sizeof((({c} *)0)->{name}));"
            );
        }
    }
    for row in uapi::ioctls() {
        let name = row.name;
        push!(out, "printf(\"{name} 0x%08x\\n\", (unsigned)({name}));");
    }
    for (name, _) in constants() {
        push!(
            out,
            "printf(\"{name} 0x%llx\\n\", (unsigned long long)({name}));"
        );
    }
    out.push_str("return 0; }\n");
    out
}

/// What the headers say, if they can be asked.
#[allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]
fn theirs() -> Option<String> {
    let headers = oracles::variable("UAPI_DIR", "folder with the kernel's headers")?;
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    if !oracles::program(&compiler, &["--version"], "C compiler (Debian package gcc)") {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("layout.c");
    let binary = folder.path().join("layout");
    fs::write(&source, program()).unwrap();
    // drm.h includes it, but only for macros that nothing here expands.
    fs::write(folder.path().join("drm_mode.h"), "").unwrap();
    let output = Command::new(&compiler)
        .arg("-I")
        .arg(&headers)
        .arg("-idirafter")
        .arg(folder.path())
        .arg("-o")
        .args([&binary, &source])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{compiler} fails:\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let output = Command::new(&binary).output().unwrap();
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Fails with every line that differs.
fn assert_same(ours: &str, theirs: &str, name: &str) {
    let ours_lines: Vec<_> = ours.lines().collect();
    let theirs_lines: Vec<_> = theirs.lines().collect();
    let mut differences = String::new();
    for line in ours_lines.iter().filter(|l| !theirs_lines.contains(l)) {
        push!(differences, "ours only: {line}");
    }
    for line in theirs_lines.iter().filter(|l| !ours_lines.contains(l)) {
        push!(differences, "{name} only: {line}");
    }
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn layouts_are_those_of_the_committed_table() {
    let table = fs::read_to_string(TABLE).unwrap_or_default();
    let table: String = table
        .lines()
        .filter(|l| !l.starts_with('#'))
        .fold(String::new(), |text, line| text + line + "\n");
    if env::var_os("BLESS").is_none() {
        assert_same(&ours(), &table, "table.txt");
    }
}

#[test]
fn layouts_are_those_of_the_kernel_headers() {
    let Some(theirs) = theirs() else {
        return;
    };
    assert_same(&ours(), &theirs, "headers");
    if env::var_os("BLESS").is_some() {
        let header = "# Printed by a C program over the kernel's drm.h, i915_drm.h and xe_drm.h.\n\
                      # Rewrite: UAPI_DIR=FOLDER BLESS=1 cargo test -p kmd-iface --test layout\n";
        fs::write(TABLE, format!("{header}{theirs}")).unwrap();
    }
    assert!(Path::new(TABLE).exists());
}
