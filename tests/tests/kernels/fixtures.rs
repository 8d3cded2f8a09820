//! The committed zebins are what the committed sources compile to.

use std::fs;
use std::path::Path;
use std::process::Command;

use stack_tests::{Oracle, launch, require};
use umd::Binary;

/// Runs a build script into an empty folder.
fn rebuild(script: &Path) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .arg(script)
        .arg(folder.path())
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}: {}{}",
        script.display(),
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    folder
}

/// Whether two zebins are the same but for the order of symbols, which the compiler does not fix
/// when a kernel has functions of its own.
fn same(committed: &[u8], rebuilt: &[u8]) -> bool {
    if committed == rebuilt {
        return true;
    }
    let (Ok(a), Ok(b)) = (Binary::parse(committed), Binary::parse(rebuilt)) else {
        return false;
    };
    committed.len() == rebuilt.len()
        && a.kernels() == b.kernels()
        && a.kernels()
            .iter()
            .all(|k| a.code(&k.name) == b.code(&k.name))
}

fn assert_same_zebins(committed: &Path, rebuilt: &Path) {
    let mut compared = 0;
    for entry in fs::read_dir(committed).unwrap().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "zebin") {
            let new = fs::read(rebuilt.join(entry.file_name())).unwrap();
            let current = same(&fs::read(&path).unwrap(), &new);
            assert!(current, "{} is out of date", path.display());
            compared += 1;
        }
    }
    assert!(compared > 0, "{} has no zebins", committed.display());
}

#[test]
fn the_corpus_is_up_to_date() {
    if !require(Oracle::Ocloc) {
        return;
    }
    let corpus = launch::corpus();
    let rebuilt = rebuild(&corpus.join("build.sh"));
    for platform in launch::platforms() {
        assert_same_zebins(&corpus.join(&platform), &rebuilt.path().join(&platform));
    }
}

#[test]
fn the_examples_are_up_to_date() {
    if !require(Oracle::Ocloc) {
        return;
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let rebuilt = rebuild(&examples.join("build.sh"));
    assert_same_zebins(&examples, rebuilt.path());
}

#[test]
fn every_source_has_its_zebin() {
    let corpus = launch::corpus();
    for entry in fs::read_dir(&corpus).unwrap().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "cl") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            let zebin = corpus.join("tgl").join(format!("{name}.zebin"));
            assert!(zebin.is_file(), "{} is missing", zebin.display());
        }
    }
}
