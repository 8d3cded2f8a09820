//! Hostile input, grown from fixed seeds: a failure prints its seed, and `arbtest` replays it. Also
//! the inputs in `fuzz/seeds`, including those that fuzzing once found.

#![cfg(test)]

use std::fs;
use std::path::Path;

use arbitrary::Unstructured;
use arbtest::arbtest;
use stack_tests::hostile::{self, TARGETS, spirv};
use stack_tests::subject;

/// The first of the random halves of `arbtest`'s seeds.
const FIRST: u64 = 0x5eed_0000;

/// A seed of `arbtest`: the upper half makes the bytes of an input, the lower half is how many.
const fn seed(round: u64) -> u64 {
    ((FIRST + round) << 32) | 0x1000
}

/// Grows as many inputs as the target asks for.
fn grow(name: &str) {
    if !subject::is_software() {
        return;
    }
    let target = TARGETS.iter().find(|target| target.name == name).unwrap();
    for round in 0..target.rounds {
        arbtest(target.check).seed(seed(round));
    }
    eprintln!(
        "{name}: {} inputs from seed {:#x} on",
        target.rounds,
        seed(0)
    );
}

#[test]
fn assembly_is_assembled_or_explained() {
    grow("assembly");
}

#[test]
fn batches_are_walked_to_their_end() {
    grow("batch");
}

#[test]
fn batches_run_or_lose_their_queue() {
    grow("submit");
}

#[test]
fn eu_threads_survive_any_instructions() {
    grow("eu");
}

#[test]
fn firmware_is_read_or_refused() {
    grow("firmware");
}

#[test]
fn instructions_round_trip_or_are_refused() {
    grow("instruction");
}

#[test]
fn ioctls_return() {
    grow("ioctl");
}

#[test]
fn broken_spirv_is_refused_or_compiled() {
    if !subject::is_software() {
        return;
    }
    let (mut refused, mut taken) = (0, 0);
    for round in 0..spirv::TARGET.rounds {
        let check = |u: &mut Unstructured<'_>| {
            let outcome = match spirv::compile(&u.arbitrary()?) {
                true => &mut taken,
                false => &mut refused,
            };
            *outcome += 1;
            Ok(())
        };
        arbtest(check).seed(seed(round));
    }
    eprintln!(
        "spirv: {refused} refused, {taken} taken from seed {:#x} on",
        seed(0)
    );
    assert!(
        refused > 50 && taken > 0,
        "{refused} refused, {taken} taken"
    );
}

#[test]
fn broken_zebins_are_refused_or_run() {
    grow("zebin");
}

#[test]
fn broken_ze_info_is_refused_or_runs() {
    grow("zeinfo");
}

#[test]
fn seeds_are_replayed() {
    if !subject::is_software() {
        return;
    }
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz");
    for target in TARGETS {
        let mut seeds: Vec<_> = fs::read_dir(fuzz.join("seeds").join(target.name))
            .unwrap_or_else(|error| panic!("seeds of {}: {error}", target.name))
            .map(|entry| entry.unwrap().path())
            .collect();
        seeds.sort();
        assert!(!seeds.is_empty(), "{}", target.name);
        for seed in seeds {
            eprintln!("{}", seed.display());
            hostile::feed(target.name, &fs::read(&seed).unwrap());
        }
        let source = fuzz.join(format!("fuzz_targets/{}.rs", target.name));
        assert!(source.is_file(), "{}", source.display());
    }
}
