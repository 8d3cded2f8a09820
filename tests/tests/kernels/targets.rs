//! Which files run on which platform and revision, and that every row of the device table runs.

use devinfo::PLATFORMS;
use stack_tests::corpus::{OWN, ROWS, SETS, Set, set_named};
use stack_tests::{Launch, Random, launch, subject};
use umd::Program;

/// The message about loading a set's file on another device.
fn refusal(set: &str, target: &str) -> String {
    let zebin = set_named(set).zebin("vadd");
    let device = launch::device(&format!("soft:{target}"));
    Program::load(&device, &zebin).unwrap_err().to_string()
}

/// A device that no set is for, or a misspelt set, would let every test pass.
#[test]
fn what_the_environment_chooses_exists() {
    let sets = SETS.iter().chain(ROWS).chain(OWN);
    let runs: Vec<String> = sets.flat_map(Set::runs).collect();
    assert!(!runs.is_empty(), "the corpus has nothing for this device");
    if let Ok(names) = std::env::var("CORPUS_SETS") {
        for name in names.split(',') {
            assert!(runs.iter().any(|run| run == name), "no set {name}");
        }
    }
}

#[test]
fn files_for_another_platform_are_refused_by_both_names() {
    if !subject::is_software() {
        return;
    }
    for (set, target) in [
        ("bdw", "skl"),
        ("skl", "kbl"),
        ("tgl", "rkl"),
        ("tgl-newer", "adlp"),
        ("dg2-8", "mtl"),
        ("mtl-newer", "dg2"),
        ("pvc-newer", "bmg"),
        ("bmg-newer", "lnl"),
        ("ptl-newer", "bmg"),
    ] {
        let text = refusal(set, target);
        let built_for = set_named(set).platform().name;
        assert!(
            text.contains(built_for) && text.contains(target),
            "{set} on {target}: {text}"
        );
    }
}

#[test]
fn files_for_revisions_with_other_code_are_refused_by_both_numbers() {
    if !subject::is_software() {
        return;
    }
    for (set, built_for, target) in [("dg2-0", 0, 8), ("dg2-8", 8, 0), ("dg2-8", 8, 4)] {
        let text = refusal(set, &format!("dg2:{target}"));
        for revision in [built_for, target] {
            let name = format!("dg2 revision {revision}");
            assert!(text.contains(&name), "{text}");
        }
    }
}

#[test]
fn files_run_on_revisions_that_share_their_code() {
    if !subject::is_software() {
        return;
    }
    for (set, target) in [
        ("skl", "skl:6"),
        ("skl", "skl:9"),
        ("tgl", "tgl:3"),
        ("dg2-0", "dg2:1"),
        ("dg2-8", "dg2:5"),
    ] {
        let device = launch::device(&format!("soft:{target}"));
        let loaded = Program::load(&device, &set_named(set).zebin("vadd"));
        assert!(loaded.is_ok(), "{set} on {target}: {:?}", loaded.err());
    }
}

#[test]
fn every_row_of_the_device_table_has_files() {
    let has_files = |name: &str| {
        let mut sets = SETS.iter().chain(ROWS);
        sets.any(|set| set.platform().name == name)
    };
    for platform in PLATFORMS {
        assert!(has_files(platform.name), "{platform}");
    }
}

#[test]
fn rows_without_a_corpus_of_their_own_run_too() {
    let numbers: Vec<f32> = (0..256).map(|i| i as f32 * 0.25).collect();
    let more: Vec<f32> = numbers.iter().map(|v| v + 1.0).collect();
    let input = Random::new(140).many(256, |bits| (bits % 1000) as i32);
    let sums: Vec<i32> = input
        .chunks(64)
        .map(|group| group.iter().sum::<i32>() * 4 + 1)
        .collect();
    for run in ROWS.iter().flat_map(Set::runs) {
        Launch::new("vadd", "increment", &[256])
            .buffer(&numbers)
            .gives(&more)
            .run(&run);
        Launch::new("slm", "reduce", &[256])
            .local(&[64])
            .buffer(&input)
            .gives(&sums)
            .local_memory(64 * 4)
            .local_memory(64 * 4)
            .run(&run);
    }
}
