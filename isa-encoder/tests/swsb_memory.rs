//! The scoreboard of a program that is one loop: control may come back to each of its blocks, so the states of
//! all of them are kept.
#![cfg(test)]

use std::fs;

use devinfo::Family;
use isa_encoder::{AsmOptions, assemble, swsb};

/// The most memory that this process has had, in KiB.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").expect("Linux has it");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.trim().strip_suffix(" kB"));
    number
        .and_then(|number| number.parse().ok())
        .expect("it is a number")
}

#[test]
fn a_program_that_is_one_loop_takes_little_memory() {
    // Each block may be passed over, so that what all before it have begun may be under way behind it.
    const BLOCKS: usize = 900;
    let block = |number: usize| {
        let register = 10 + number % 100;
        format!(
            "(f0.0) jmpi NEXT{number}\nmath.inv (8|M0) r{register}.0<1>:f r5.0<1;1,0>:f\nNEXT{number}:\n"
        )
    };
    let blocks: String = (0..BLOCKS).map(block).collect();
    let text =
        format!("LOOP:\n{blocks}(f0.0) while (8|M0) LOOP\nmov (8|M0) r6.0<1>:d r10.0<1;1,0>:d\n");
    let assembly =
        assemble(&text, &AsmOptions::for_family(Family::XeHpc)).expect("it is a program");
    let before = most_memory();
    let code = swsb::annotate(Family::XeHpc, &assembly.code).expect("it is annotated");
    let more = most_memory() - before;
    assert_eq!(swsb::check(Family::XeHpc, &code).hazards, []);
    assert!(more < 8 << 10, "{more} KiB");
}
