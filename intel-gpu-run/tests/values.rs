//! `run --check` from source, with both compilers: parts of private arrays and structures that nothing has
//! written. Oclgrind reports most of them.

#![cfg(test)]

mod common;

use std::fs;

use common::{checked, numbers, oclgrind, talk};

const SOURCE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/values.cl");

/// The kernels of `values.cl`, whether they are wrong, and whether Oclgrind says so.
const KERNELS: [(&str, bool, bool); 12] = [
    ("small_array", true, true),
    ("members", true, true),
    ("array_of_a_round", true, false),
    ("component", true, true),
    ("long_elements", true, true),
    ("filled_by_another", true, true),
    ("filled_by_a_call_before", true, true),
    ("member_beside_gaps", true, false),
    ("right_values", false, false),
    ("right_gaps", false, false),
    ("right_union", false, false),
    ("right_bytes", false, false),
];

/// Compilers, and devices that they compile for.
const TARGETS: [(&str, &[&str]); 2] = [
    ("ocloc", &["soft:skl", "soft:tgl", "soft:dg2:8"]),
    ("own", &["soft:skl", "soft:tgl", "soft:bmg"]),
];

#[test]
fn parts_that_nothing_has_written_are_reported() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    for (compiler, devices) in TARGETS {
        for (device, (kernel, wrong, _)) in devices
            .iter()
            .flat_map(|device| KERNELS.map(|one| (*device, one)))
        {
            let more = [
                "--compiler",
                compiler,
                "--arg",
                &input,
                "--arg",
                "fill=0:1024",
                "--print",
                "1:i32:256",
                SOURCE,
            ];
            let run = checked(device, kernel, &more);
            let text = talk(&run);
            let code = if wrong { 5 } else { 0 };
            assert_eq!(
                run.status.code(),
                Some(code),
                "{compiler} {device} {kernel}: {text}"
            );
            assert_eq!(
                text.contains("uninitialised value"),
                wrong,
                "{compiler} {device} {kernel}: {text}"
            );
            if kernel == "right_union" || kernel == "right_bytes" {
                let copied: Vec<String> = (1..=128).map(|number| number.to_string()).collect();
                let printed = String::from_utf8_lossy(&run.stdout);
                let all = format!("1: {} ", copied.join(" "));
                assert!(
                    printed.contains(&all),
                    "{compiler} {device} {kernel}: {printed}"
                );
            }
        }
    }
}

#[test]
fn oclgrind_reports_some() {
    if !oracles::debian("oclgrind-kernel") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::copy(SOURCE, folder.path().join("values.cl")).unwrap();
    for (kernel, _, reported) in KERNELS {
        let text = oclgrind(folder.path(), "values.cl", kernel, &["--uninitialized"]);
        assert_eq!(text.contains("Uninitialized"), reported, "{kernel}: {text}");
    }
}
