//! Hostile input, grown from fixed seeds: a failure prints the seed that makes it, and `arbtest`
//! takes it back.

use arbitrary::{Arbitrary, Unstructured};
use arbtest::arbtest;
use stack_tests::hostile;

/// Runs `check` on `rounds` inputs grown from a fixed seed.
fn rounds<T: for<'a> Arbitrary<'a> + std::fmt::Debug>(name: &str, rounds: u64, check: fn(&T)) {
    for round in 0..rounds {
        let seed = 0x5eed_0000_0000_0000 | (0x1000 << 32) | round;
        arbtest(|u: &mut Unstructured<'_>| {
            check(&u.arbitrary::<T>()?);
            Ok(())
        })
        .seed(seed);
    }
    eprintln!("{name}: {rounds} inputs from seed 0x5eed100000000000 on");
}

#[test]
fn eu_threads_survive_any_instructions() {
    rounds("eu", 3000, hostile::eu::run);
}

#[test]
fn instructions_round_trip_or_are_refused() {
    rounds("instruction", 20_000, hostile::instruction::round_trip);
}

#[test]
fn batches_are_walked_to_their_end() {
    rounds("batch", 3000, hostile::batch::walk);
}

#[test]
fn assembly_is_assembled_or_explained() {
    rounds("assembly", 3000, hostile::assembly::assemble_text);
}
