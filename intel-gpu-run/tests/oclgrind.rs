//! `run --check` beside Oclgrind, on the same OpenCL C: what it reports, we report.

#![cfg(test)]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use common::{checked, each, numbers, oclgrind, talk};

/// What a report is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum About {
    Race,
    Bounds,
    Unwritten,
    Divergence,
}

/// The kernels of `faults.cl`, and what must be reported of them at least.
const KERNELS: [(&str, &[About]); 53] = [
    ("missing_barrier", &[About::Race]),
    ("late_barrier", &[About::Race]),
    ("same_place", &[About::Race]),
    ("between_groups", &[About::Race]),
    ("neighbours", &[About::Race]),
    ("beyond", &[About::Bounds]),
    ("before", &[About::Bounds]),
    ("beyond_local", &[About::Bounds]),
    ("unwritten", &[About::Unwritten]),
    ("unwritten_private", &[About::Unwritten]),
    ("unwritten_local", &[About::Unwritten]),
    ("plain_and_atomic", &[About::Race]),
    ("shift_in_place", &[About::Race]),
    ("one_barrier_in_a_loop", &[About::Race]),
    ("no_barrier_in_the_end", &[About::Race]),
    ("same_byte", &[About::Race]),
    ("histogram", &[About::Race]),
    ("wrong_fence", &[About::Race]),
    ("right", &[]),
    ("off_by_one", &[About::Bounds]),
    ("barrier_in_one_group", &[About::Race]),
    ("barrier_for_half", &[About::Divergence]),
    ("barrier_for_odd", &[About::Divergence]),
    ("two_barriers", &[About::Divergence]),
    ("stale_local", &[About::Unwritten]),
    ("smaller_group", &[About::Bounds]),
    ("lockstep", &[About::Race]),
    ("atomic_on_unwritten", &[About::Unwritten]),
    ("flag", &[About::Race]),
    ("fence_alone", &[About::Race]),
    ("parts_of_words", &[About::Race]),
    ("copy_not_waited_for", &[About::Race]),
    ("tile_again", &[About::Race]),
    ("double_buffer", &[About::Race]),
    ("last_group", &[About::Race]),
    ("plain_flag", &[About::Race]),
    ("read_beyond", &[About::Bounds]),
    ("vectors_beyond", &[About::Bounds]),
    ("scan", &[About::Race]),
    ("transposed", &[About::Race]),
    ("unwritten_element", &[About::Unwritten]),
    ("unwritten_member", &[About::Unwritten]),
    ("more_turns", &[About::Divergence]),
    ("early_return", &[About::Divergence]),
    ("count_too_early", &[About::Race]),
    ("bins_too_early", &[About::Race]),
    ("greatest_too_early", &[About::Race]),
    ("half_words", &[About::Race]),
    ("before_local", &[About::Bounds]),
    ("wide_words", &[About::Race]),
    ("same_flag", &[]),
    ("tickets", &[]),
    ("right_scan", &[]),
];

fn of(text: &str, words: [&[&str]; 4]) -> BTreeSet<About> {
    let all = [
        About::Race,
        About::Bounds,
        About::Unwritten,
        About::Divergence,
    ];
    all.into_iter()
        .zip(words)
        .filter(|(_, words)| words.iter().any(|word| text.contains(word)))
        .map(|(about, _)| about)
        .collect()
}

/// What Oclgrind reports of a kernel.
fn theirs(folder: &Path, kernel: &str) -> BTreeSet<About> {
    let options = ["--data-races", "--uninitialized"];
    let text = oclgrind(folder, "faults.cl", kernel, &options);
    let words: [&[&str]; 4] = [
        &["data race"],
        &["Invalid"],
        &["Uninitialized"],
        &["divergence"],
    ];
    of(&text, words)
}

/// What we report of it, and the exit code.
fn ours(
    source: &Path,
    input: &str,
    device: &str,
    kernel: &str,
) -> (BTreeSet<About>, Option<i32>, String) {
    let source = source.display().to_string();
    let more = ["--arg", input, "--arg", "fill=0:1024", &source];
    let run = checked(device, kernel, &more);
    let text = talk(&run);
    let words: [&[&str]; 4] = [
        &["data race", "missing fence"],
        &["bounds", "page fault"],
        &["uninitialised value"],
        &["in divergent flow"],
    ];
    (of(&text, words), run.status.code(), text)
}

#[test]
fn what_oclgrind_reports_is_reported() {
    if !(oracles::debian("oclgrind-kernel") && oracles::debian("ocloc")) {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("faults.cl");
    fs::write(&source, include_str!("kernels/faults.cl")).unwrap();
    let input = numbers(folder.path());
    each(&KERNELS, |&(kernel, least)| {
        let mut theirs = theirs(folder.path(), kernel);
        if theirs.contains(&About::Bounds) || theirs.contains(&About::Race) {
            // A read outside gives zeros here, which is no second fault. Which of two racing
            // accesses comes first is chance.
            theirs.remove(&About::Unwritten);
        }
        assert!(
            least.iter().all(|about| theirs.contains(about)),
            "{kernel}: Oclgrind: {theirs:?}"
        );
        for device in ["soft:skl", "soft:tgl", "soft:dg2:8"] {
            let (ours, code, text) = ours(&source, &input, device, kernel);
            assert!(
                ours.is_superset(&theirs),
                "{device} {kernel}: {theirs:?}: {text}"
            );
            match least {
                [] => assert_eq!(code, Some(0), "{device} {kernel}: {text}"),
                _ => assert_ne!(code, Some(0), "{device} {kernel}: {text}"),
            }
        }
    });
}
