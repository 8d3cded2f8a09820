//! The checks find seeded faults: see `docs/check.md`.
//!
//! `MUTATIONS=500 cargo test -p stack-tests --test mutation -- --nocapture` makes more faults, and
//! `MUTATIONS_SEED=7` others; so does `cargo run -p stack-tests --bin mutate -- 500 7`.

#![cfg(test)]

use stack_tests::measure::{FAULTS, Measure, SEED};
use stack_tests::subject;

#[test]
fn seeded_faults_are_found() {
    if !subject::is_software() {
        return;
    }
    let number = |name: &str| {
        std::env::var(name)
            .ok()
            .and_then(|text| text.parse::<u64>().ok())
    };
    let seed = number("MUTATIONS_SEED").unwrap_or(SEED);
    let faults = number("MUTATIONS").map_or(FAULTS, |all| all as usize);
    let measure = Measure::of(seed, faults);
    eprint!("seed {seed}\n{measure}");
    assert!(measure.is_good(), "{measure}");
}
