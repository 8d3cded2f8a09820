//! `run --check` on copies of a work-group: only a wait that names a copy's event ends it.

#![cfg(test)]

mod common;

use common::{each, numbers, talk, tool};

const BARRIER: &str = "WAIT(count,events)=barrier(CLK_LOCAL_MEM_FENCE|CLK_GLOBAL_MEM_FENCE)";
const USED_EARLY: &str = "EARLY=out[i]=own[i]";
const BARRIER_EARLY: &str = "EARLY=barrier(CLK_LOCAL_MEM_FENCE);out[i]=own[i]";
const WRITTEN_EARLY: &str = "EARLY=barrier(CLK_LOCAL_MEM_FENCE);own[i]=1";

/// The kernels of `copies.cl`, and what replaces a right choice.
const KERNELS: &[(&str, &[&str])] = &[
    (
        "waits",
        &[BARRIER, USED_EARLY, BARRIER_EARLY, WRITTEN_EARLY],
    ),
    ("two_events", &[BARRIER, "SECOND=first"]),
    ("array_of_events", &[BARRIER, "COUNT=1"]),
    ("one_event", &[BARRIER]),
    ("two_buffers", &[BARRIER]),
    ("from_helper", &[BARRIER]),
    ("copies_out", &[BARRIER]),
];

#[test]
fn a_wait_for_its_event_ends_a_copy() {
    if !oracles::debian("ocloc") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let input = numbers(folder.path());
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/kernels/copies.cl");
    let rows = KERNELS.iter().flat_map(|(kernel, wrong)| {
        let wrong = wrong.iter().map(move |wrong| (*kernel, *wrong));
        std::iter::once((*kernel, "")).chain(wrong)
    });
    let rows: Vec<_> = rows.collect();
    each(&rows, |&(kernel, wrong)| {
        for (platform, compiler) in [
            ("skl", "own"),
            ("tgl", "own"),
            ("bmg", "own"),
            ("tgl", "ocloc"),
            ("dg2:8", "ocloc"),
        ] {
            let options = match wrong {
                "" => String::new(),
                wrong => format!("-D{wrong}"),
            };
            let options = format!("--build-options={options}");
            let device = format!("soft:{platform}");
            let what = ["run", "--check", "--device", &device, "--kernel", kernel];
            let range = ["--global", "64", "--local", "64"];
            let how = ["--compiler", compiler, &options, source];
            let buffers = ["--arg", &input, "--arg", "fill=0:256"];
            let run = tool(&[&what[..], &range, &how, &buffers].concat());
            let text = talk(&run);
            let context = format!("{kernel}, {platform} {compiler}, {wrong}: {text}");
            let expected = if wrong.is_empty() { 0 } else { 5 };
            assert_eq!(run.status.code(), Some(expected), "{context}");
            let is_told = text.contains("copy not waited for");
            assert_eq!(is_told, !wrong.is_empty(), "{context}");
        }
    });
}
