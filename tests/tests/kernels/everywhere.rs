//! Running a test on every target of the corpus.

use std::any::type_name;
use std::panic::{AssertUnwindSafe, catch_unwind};

use stack_tests::corpus::{SETS, Set};

/// Runs a test on every set of the corpus, by the set's name.
pub fn everywhere<T: Fn(&str)>(test: T) {
    everywhere_with(|_| true, test);
}

/// Runs a test on those sets of the corpus that have what it needs.
pub fn everywhere_with<T: Fn(&str)>(has: impl Fn(&Set) -> bool, test: T) {
    // `kernels::MODULE::FUNCTION::{{closure}}`: the function that wrote the closure.
    let name = type_name::<T>()
        .trim_start_matches("kernels::")
        .trim_end_matches("::{{closure}}");
    let mut failed = Vec::new();
    // For work on one platform: `CORPUS_SETS=mtl-newer,pvc-newer` runs only these.
    let chosen = std::env::var("CORPUS_SETS").ok();
    let is_chosen = |run: &String| {
        let chosen = chosen.as_ref();
        chosen.is_none_or(|names| names.split(',').any(|name| name == run))
    };
    let runs = SETS.iter().filter(|set| has(set)).flat_map(Set::runs);
    for run in runs.filter(is_chosen) {
        if catch_unwind(AssertUnwindSafe(|| test(&run))).is_err() {
            failed.push(run);
        }
    }
    assert!(failed.is_empty(), "{name} on {}", failed.join(", "));
}

/// Runs a test on those sets of the corpus whose compiler accepts images.
pub fn everywhere_with_images<T: Fn(&str)>(test: T) {
    everywhere_with(|set| set.has("images"), test);
}

/// The sets whose platform has sub-groups of `size`.
pub fn sub_groups_of(size: usize) -> impl Fn(&Set) -> bool {
    move |set| set.platform().has_simd_width(size as u32)
}
