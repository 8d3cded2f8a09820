//! Running a test on every target of the corpus.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::corpus::{OWN, SETS, Set};

/// Runs a test on every set of the corpus, by the set's name.
///
/// # Panics
/// With the names of the sets on which it fails.
pub fn everywhere(test: impl Fn(&str)) {
    everywhere_with(|_| true, test);
}

/// Runs a test on those sets of the corpus that have what it needs.
///
/// # Panics
/// With the names of the sets on which it fails.
pub fn everywhere_with(has: impl Fn(&Set) -> bool, test: impl Fn(&str)) {
    let mut failed = Vec::new();
    // For work on one platform: `CORPUS_SETS=mtl-newer,pvc-newer` runs only these.
    let chosen = std::env::var("CORPUS_SETS").ok();
    let is_chosen = |run: &String| {
        let chosen = chosen.as_ref();
        chosen.is_none_or(|names| names.split(',').any(|name| name == run))
    };
    let sets = SETS.iter().chain(OWN).filter(|set| has(set));
    let runs = sets.flat_map(Set::runs);
    for run in runs.filter(is_chosen) {
        if catch_unwind(AssertUnwindSafe(|| test(&run))).is_err() {
            failed.push(run);
        }
    }
    assert!(failed.is_empty(), "on {}", failed.join(", "));
}

/// The sets whose compiler accepts images.
pub fn has_images(set: &Set) -> bool {
    set.has("images")
}

/// The sets whose platform has sub-groups of `size`.
pub fn sub_groups_of(size: usize) -> impl Fn(&Set) -> bool {
    move |set| set.platform().has_simd_width(size as u32)
}
