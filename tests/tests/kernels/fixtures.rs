//! The committed zebins and modules are what the committed sources compile to.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use stack_tests::corpus::{self, OWN, ROWS, SETS, Set};
use stack_tests::{Oracle, require};
use umd::Binary;

/// The compiler for platforms that Debian's does not know.
const NEWER: &str = "NEWER_OCLOC";
const NEWER_WHAT: &str = "ocloc 26.27";

/// Runs a build script into an empty folder.
fn rebuild(script: &Path, arguments: &[String]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new("sh")
        .arg(script)
        .arg(folder.path())
        .args(arguments)
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

/// Whether two zebins are the same except for the order of symbols, which the compiler does not fix
/// when a kernel has its own functions.
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

fn read(path: &Path) -> Vec<u8> {
    if path.extension().is_some_and(|e| e == "gz") {
        corpus::unpacked(path)
    } else {
        fs::read(path).unwrap()
    }
}

fn assert_same_zebins(committed: &Path, rebuilt: &Path) {
    let mut compared = 0;
    for entry in fs::read_dir(committed).unwrap().flatten() {
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().into_owned();
        // `NAME.zebin`, `NAME.spv`, each maybe packed.
        let of_compiler = name.trim_end_matches(".gz");
        if of_compiler.ends_with(".zebin") || of_compiler.ends_with(".spv") {
            let again = rebuilt.join(entry.file_name());
            // Later families need the newer compiler; without it, the scripts omit them.
            if !again.exists() && oracles::variable(NEWER, NEWER_WHAT).is_none() {
                continue;
            }
            let current = same(&read(&path), &read(&again));
            assert!(current, "{} is out of date", path.display());
            compared += 1;
        }
    }
    assert!(compared > 0, "{} has no zebins", committed.display());
}

/// For one of how many of the sets that have it a source is compiled anew: compiling it for all of them
/// takes minutes. `build.sh` does, and git then shows what has changed.
const ONE_OF: usize = 4;

/// The files that are compiled anew, as `build.sh` names them: each source for one set at least, and all of the
/// sets that have a few files.
fn wanted(sets: &[(&str, &Set)]) -> Vec<String> {
    let (few, whole): (Vec<_>, Vec<_>) = sets.iter().partition(|(_, set)| set.only.is_some());
    let mut wanted = Vec::new();
    for (folder, set) in few {
        let files = set.files().into_iter();
        wanted.extend(files.map(|file| format!("{folder}/{file}")));
    }
    let files: BTreeSet<_> = whole.iter().flat_map(|(_, set)| set.files()).collect();
    for (index, file) in files.iter().enumerate() {
        let having: Vec<_> = whole.iter().filter(|(_, set)| set.has(file)).collect();
        let step = ONE_OF.min(having.len());
        let chosen = having.iter().skip(index % step).step_by(step);
        wanted.extend(chosen.map(|(folder, _)| format!("{folder}/{file}")));
    }
    wanted
}

fn assert_corpus_is_current(wanted: &[String]) {
    let rebuilt = rebuild(&corpus::folder().join("build.sh"), wanted);
    for file in wanted {
        let named = |suffix: &str| format!("{file}.{suffix}.gz");
        let mut kinds = ["zebin", "spv"].map(named).into_iter();
        let made = kinds.find(|name| rebuilt.path().join(name).is_file());
        let made = made.unwrap_or_else(|| panic!("build.sh has not made {file}"));
        let current = same(
            &read(&corpus::folder().join(&made)),
            &read(&rebuilt.path().join(&made)),
        );
        assert!(current, "{made} is out of date");
    }
}

/// The sets of one of the two compilers.
fn sets(newer: bool) -> Vec<(&'static str, &'static Set)> {
    let sets = SETS.iter().chain(ROWS).map(|set| (set.name, set));
    sets.filter(|(name, _)| name.ends_with("-newer") == newer)
        .collect()
}

/// Files of all sets if every oracle is required, otherwise of one, to save time.
#[test]
fn the_corpus_is_up_to_date() {
    if !require(Oracle::Ocloc) {
        return;
    }
    let mut sets = sets(false);
    if !oracles::are_required() {
        sets.retain(|(name, _)| *name == "tgl");
    }
    assert_corpus_is_current(&wanted(&sets));
    // The modules, by the set of each of their folders that has most of them.
    let mut modules: Vec<_> = OWN
        .iter()
        .filter_map(|set| Some((set.modules?, set)))
        .collect();
    modules.sort_by_key(|(folder, set)| (*folder, Reverse(set.files().len())));
    modules.dedup_by_key(|(folder, _)| *folder);
    assert_corpus_is_current(&wanted(&modules));
}

#[test]
fn the_corpus_of_the_newer_compiler_is_up_to_date() {
    if oracles::variable(NEWER, NEWER_WHAT).is_some() {
        assert_corpus_is_current(&wanted(&sets(true)));
    }
}

/// The compiler's output in the product, its tests and its examples.
#[test]
fn the_other_zebins_are_up_to_date() {
    if !require(Oracle::Ocloc) {
        return;
    }
    for folder in [
        "examples",
        "intel-gpu-run/bench",
        "intel-gpu-run/tests/kernels",
        "umd/tests/kernels",
        "umd/src/transfer/kernels",
    ] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("..")
            .join(folder);
        let rebuilt = rebuild(&folder.join("build.sh"), &[]);
        assert_same_zebins(&folder, rebuilt.path());
    }
}

#[test]
fn every_set_has_a_zebin_of_every_source_that_is_for_it() {
    for entry in fs::read_dir(corpus::folder()).unwrap().flatten() {
        let path = entry.path();
        if path.extension().is_some_and(|e| e == "cl") {
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            for set in SETS.iter().chain(ROWS) {
                let zebin = set.path(&name);
                assert_eq!(zebin.is_file(), set.has(&name), "{}", zebin.display());
            }
            for set in OWN.iter().filter(|set| set.has(&name)) {
                let module = set.path(&name);
                assert!(module.is_file(), "{}", module.display());
            }
        }
    }
}
