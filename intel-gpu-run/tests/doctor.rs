//! `doctor` on devices and firmware files that these tests make. `tests/firmware` has the file of
//! `make::css((70, 44, 1), (1, 20, 0))` as `xz` 5.4 and `zstd` 1.5 packed it.

#![cfg(test)]

mod common;
#[path = "../../firmware-notes/tests/make/mod.rs"]
mod make;

use std::fs;
use std::path::Path;

use common::{talk, tool};
use serde_json::Value;

/// Writes the firmware of a platform on a driver, all good.
fn install(folder: &Path, platform: &str, driver: &str) {
    let platform = devinfo::by_name(platform).unwrap();
    let driver = devinfo::Driver::by_name(driver).unwrap();
    for row in firmware_notes::files(platform, driver) {
        use firmware_notes::Kind;
        let content = match row.kind {
            Kind::Guc => make::css(row.wanted.unwrap(), (1, 20, 0)),
            Kind::Huc if row.path.contains("gsc") => make::huc((8, 5, 4)),
            Kind::Huc => make::css((7, 9, 3), (0, 0, 0)),
            Kind::Gsc => make::gsc((102, 1, 15), 1926),
            Kind::Dmc => make::dmc(2, 20, 2, &[0, 1]),
        };
        write(folder, row.path, &content);
    }
}

fn write(folder: &Path, path: &str, content: &[u8]) {
    let file = folder.join(path);
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, content).unwrap();
}

/// The exit code, and the findings about firmware: subject, verdict, text, remedy.
fn doctor(platform: &str, folder: &Path) -> (Option<i32>, Vec<[String; 4]>) {
    let folder = folder.to_str().unwrap();
    let output = tool(&[
        "doctor",
        "--json",
        "--platform",
        platform,
        "--firmware",
        folder,
    ]);
    let json: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", talk(&output)));
    let findings = json["findings"].as_array().unwrap();
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    let findings = findings
        .iter()
        .map(|f| ["subject", "verdict", "text", "remedy"].map(|key| text(f, key)))
        .filter(|[subject, ..]| subject.contains(" for "));
    (output.status.code(), findings.collect())
}

/// The finding about a subject.
fn about<'a>(findings: &'a [[String; 4]], subject: &str) -> [&'a str; 3] {
    let found = findings.iter().find(|[name, ..]| name == subject);
    let [_, verdict, text, remedy] = found.unwrap_or_else(|| panic!("{subject}: {findings:?}"));
    [verdict, text, remedy]
}

#[test]
fn firmware_that_is_there_is_read() {
    let folder = tempfile::tempdir().unwrap();
    install(folder.path(), "mtl", "i915");
    let (code, findings) = doctor("mtl@i915", folder.path());
    assert_eq!(code, Some(0));
    for (subject, expected) in [
        (
            "GuC of mtl for i915",
            "version 70.53.0, submission interface 1.20.0",
        ),
        ("HuC of mtl for i915", "version 8.5.4"),
        ("GSC of mtl for i915", "version 102.1.15 build 1926"),
        ("DMC of mtl for i915", "version 2.20.0"),
    ] {
        let [verdict, text, remedy] = about(&findings, subject);
        assert_eq!((verdict, remedy), ("PASS", ""), "{text}");
        assert!(text.ends_with(expected), "{text}");
    }
    // A GuC of before goes with a HuC of before only.
    write(
        folder.path(),
        "i915/mtl_guc_70.bin",
        &make::css((70, 6, 4), (1, 2, 0)),
    );
    let (_, findings) = doctor("mtl@i915", folder.path());
    let pair = findings
        .iter()
        .any(|[.., text, _]| text.contains("HuC 8.5.4 with GuC 70.6.4"));
    assert!(pair, "{findings:?}");
}

#[test]
fn packed_files_are_unpacked_as_by_the_kernel() {
    let packed = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/firmware");
    let read = |name| fs::read(packed.join(name)).unwrap();
    let name = "i915/tgl_guc_70.bin";
    for (suffix, content, verdict, expected) in [
        (
            ".zst",
            read("guc.zst"),
            "PASS",
            "tgl_guc_70.bin.zst, version 70.44.1",
        ),
        (
            ".xz",
            read("crc32.xz"),
            "PASS",
            "tgl_guc_70.bin.xz, version 70.44.1",
        ),
        (
            ".xz",
            read("crc64.xz"),
            "FAIL",
            "the kernel knows CRC32 only",
        ),
        (".xz", read("guc.zst"), "FAIL", "cannot be read"),
        (".zst", vec![0; 64], "FAIL", "cannot be read"),
        ("", read("guc.zst"), "FAIL", "is no such firmware"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        install(folder.path(), "tgl", "xe");
        fs::remove_file(folder.path().join(name)).unwrap();
        write(folder.path(), &format!("{name}{suffix}"), &content);
        let (code, findings) = doctor("tgl@xe", folder.path());
        let [found, text, remedy] = about(&findings, "GuC of tgl for xe");
        assert_eq!(found, verdict, "{text}");
        assert!(text.contains(expected), "{text}");
        assert_eq!(code, Some(if verdict == "PASS" { 0 } else { 4 }), "{text}");
        assert_eq!(remedy.is_empty(), verdict == "PASS", "{remedy}");
    }
}

#[test]
fn what_is_missing_or_old_has_a_remedy() {
    let folder = tempfile::tempdir().unwrap();
    install(folder.path(), "adlp", "xe");
    fs::remove_file(folder.path().join("i915/tgl_huc.bin")).unwrap();
    // The driver's second name for the DMC.
    let dmc = fs::read(folder.path().join("i915/adlp_dmc.bin")).unwrap();
    fs::remove_file(folder.path().join("i915/adlp_dmc.bin")).unwrap();
    write(folder.path(), "i915/adlp_dmc_ver2_16.bin", &dmc);
    for (guc, code, verdict, expected) in [
        ((70, 44, 1), 0, "PASS", "version 70.44.1"),
        ((70, 20, 0), 0, "WARN", "Linux 7.0 asks for 70.44.1"),
        (
            (70, 18, 0),
            4,
            "FAIL",
            "xe takes 70.19.0 and later versions 70.x",
        ),
        (
            (71, 0, 0),
            4,
            "FAIL",
            "xe takes 70.19.0 and later versions 70.x",
        ),
    ] {
        write(
            folder.path(),
            "i915/adlp_guc_70.bin",
            &make::css(guc, (1, 9, 0)),
        );
        let (found, findings) = doctor("adlp@xe", folder.path());
        assert_eq!(found, Some(code), "{findings:?}");
        let [found, text, _] = about(&findings, "GuC of adlp for xe");
        assert_eq!(found, verdict, "{text}");
        assert!(text.contains(expected), "{text}");
        let [found, text, remedy] = about(&findings, "HuC of adlp for xe");
        assert_eq!(found, "WARN", "{text}");
        assert!(text.contains("compute works without it") && remedy.contains("linux-firmware"));
        let [found, text, _] = about(&findings, "DMC of adlp for xe");
        assert_eq!(found, "PASS", "{text}");
    }
    let (code, findings) = doctor("adlp@i915", Path::new("/nonexistent"));
    assert_eq!(code, Some(4));
    let [found, text, _] = about(&findings, "GuC of adlp for i915");
    assert!(
        found == "FAIL" && text.contains("nothing computes without it"),
        "{text}"
    );
    let wrong = tool(&["doctor", "--platform", "bmg@i915"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(
        talk(&wrong).contains("i915 does not drive"),
        "{}",
        talk(&wrong)
    );
}

/// A node of `preload` is a device: its driver, its kernels and its firmware are looked at.
#[test]
fn a_device_is_tried_out() {
    let folder = tempfile::tempdir().unwrap();
    install(folder.path(), "tgl", "i915");
    let firmware = folder.path().to_str().unwrap();
    let own = env!("CARGO_BIN_EXE_intel-gpu-run");
    let inside = [own, "doctor", "--firmware", firmware];
    let output = tool(&[&["preload", "--platform", "tgl@i915", "--"], &inside[..]].concat());
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", talk(&output));
    for expected in [
        "PASS  /dev/dri/renderD128: ",
        "Tiger Lake (i915 1.6.",
        "PASS  /dev/dri/renderD128 kernels: test kernels ran",
        "PASS  GuC of tgl for i915: ",
        "PASS  DMC of tgl for i915: ",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}
