//! Code of Intel's compilers breaks no rule of the validator. Its messages are values: built again,
//! they have the descriptors that the compiler chose. Its software scoreboard has no hazard.

#![cfg(test)]

use std::collections::BTreeMap;
use std::path::Path;

use devinfo::Family;
use isa_encoder::disasm::Format;
use isa_encoder::message::{Descriptors, Lsc, Message};
use isa_encoder::swsb;
use isa_encoder::validate::Validator;
use isa_encoder::{Disassembler, Instruction, Opcode, Send, Sfid, TokenMode, decode, encode};
use stack_tests::corpus::{SETS, Set, unpacked};
use umd::Binary;

/// The code of every kernel of a set.
fn code(set: &Set) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(set.folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().ends_with(".zebin.gz"))
        .collect();
    files.sort();
    files.iter().flat_map(|path| kernels(path)).collect()
}

fn kernels(path: &Path) -> Vec<(String, Vec<u8>)> {
    let binary = Binary::parse(&unpacked(path)).unwrap();
    binary
        .kernels()
        .iter()
        .map(|kernel| {
            let place = format!("{} {}", path.display(), kernel.name);
            (place, binary.code(&kernel.name).unwrap().to_vec())
        })
        .collect()
}

/// Each instruction of a kernel with its bytes, up to the padding after the last.
///
/// The compiler's calls through the stack on Broadwell contain `sends`, which Gen8 does not have:
/// a kernel is checked up to the first instruction that does not decode.
fn instructions(family: Family, code: &[u8]) -> impl Iterator<Item = (Instruction, &[u8])> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let (instruction, length) = decode(family, code.get(at..)?).ok()?;
        let bytes = code.get(at..at + length)?;
        at += length;
        (instruction.opcode != Opcode::Illegal).then_some((instruction, bytes))
    })
}

fn text(family: Family, bytes: &[u8]) -> String {
    let text = Disassembler::new(family, Format::default()).print(bytes);
    text.trim().to_owned()
}

#[test]
fn compiled_code_breaks_no_rule() {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut count = 0;
    for set in SETS {
        let platform = set.platform();
        let validator = Validator::new(platform);
        for (place, code) in code(set) {
            for (instruction, bytes) in instructions(platform.family, &code) {
                count += 1;
                for violation in validator.check(&instruction) {
                    let text = text(platform.family, bytes);
                    let line = format!("{place}: {text}: {violation}");
                    found
                        .entry(format!("{} {}", set.name, violation.rule.name))
                        .or_default()
                        .push(line);
                }
            }
        }
    }
    for (rule, lines) in &found {
        eprintln!("{rule}: {}, of which\n  {}", lines.len(), lines[0]);
    }
    assert!(found.is_empty(), "{} rules are broken", found.len());
    assert!(count > 100_000, "{count} instructions");
}

/// The bits of a descriptor that its message determines: without the lengths, and the header bit
/// that belongs to them.
fn function_control(message: &Message, descriptor: u32) -> u32 {
    let unused = match message {
        // Compilers differ in the address size of a fence.
        Message::Lsc(Lsc::Fence { .. }) => 3 << 7,
        Message::Lsc(_) => 0,
        _ => 1 << 19,
    };
    descriptor & !(0x1ff << 20 | unused)
}

#[test]
fn messages_built_again_have_the_compilers_descriptors() {
    let mut wrong: BTreeMap<String, usize> = BTreeMap::new();
    let mut count = 0;
    for set in SETS {
        let family = set.platform().family;
        for (_, code) in code(set) {
            for (instruction, _) in instructions(family, &code) {
                let Some(send) = instruction.send() else {
                    continue;
                };
                let (Some(function), Some(given)) = (send.sfid, Descriptors::of(send)) else {
                    continue;
                };
                count += 1;
                if let Err(why) = rebuilt(family, function, given, send) {
                    *wrong.entry(format!("{}: {why}", set.name)).or_default() += 1;
                }
            }
        }
    }
    for (line, times) in &wrong {
        eprintln!("{line}, {times} times");
    }
    assert!(
        wrong.is_empty(),
        "{} messages are not built again",
        wrong.len()
    );
    assert!(count > 5_000, "{count} sends");
}

fn rebuilt(family: Family, function: Sfid, given: Descriptors, send: &Send) -> Result<(), String> {
    let message = Message::decode(family, function, given).map_err(|e| e.to_string())?;
    let (again, built) = message.encode(family).map_err(|e| e.to_string())?;
    if again != function {
        return Err(format!("{message} goes to {again}"));
    }
    let [a, b] = [given, built].map(|d| function_control(&message, d.descriptor));
    if a != b {
        return Err(format!("{message}: {b:#x} instead of {a:#x}"));
    }
    // An extended descriptor in a register is unknown here.
    if send.exdesc.immediate().is_some() && given.extended & !0xfff != built.extended & !0xfff {
        return Err(format!("{message}: extended {:#x}", built.extended));
    }
    Ok(())
}

/// The kernels of the families that have a software scoreboard.
fn scoreboarded() -> impl Iterator<Item = (&'static Set, Family, String, Vec<u8>)> {
    SETS.iter().flat_map(|set| {
        let family = set.platform().family;
        let with = !matches!(family, Family::Gen8 | Family::Gen9 | Family::Gen11);
        let kernels = if with { code(set) } else { Vec::new() };
        kernels
            .into_iter()
            .map(move |(place, code)| (set, family, place, code))
    })
}

/// Neither with the compiler's annotations nor with new ones.
#[test]
fn compiled_code_has_no_scoreboard_hazard() {
    let (mut count, mut found) = (0, 0);
    for (_, family, place, code) in scoreboarded() {
        let annotated = swsb::annotate(family, &code).unwrap();
        for (what, code) in [("compiled", &code), ("annotated", &annotated)] {
            let report = swsb::check(family, code);
            assert!(report.complete, "{place}");
            for hazard in &report.hazards {
                eprintln!("{place}, {what}: {hazard}");
                found += 1;
            }
        }
        count += 1;
    }
    assert_eq!(found, 0, "hazards in {count} kernels");
    assert!(count > 1_000, "{count} kernels");
}

/// Removes one wait at a time, and counts what the checker reports. Not all waits are needed: the
/// compilers wait for all pipes before `cr0` and at the first messages, they allow one more
/// instruction until a result is ready by itself, and often two instructions wait for the same
/// thing.
#[test]
fn a_wait_taken_from_compiled_code_is_missed() {
    const EVERY: usize = 23;
    let mut shares: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut number = 0;
    for (set, family, _, code) in scoreboarded().filter(|(.., code)| code.len() < 3_000) {
        let mut at = 0;
        while let Some(Ok((instruction, length))) = code.get(at..).map(|rest| decode(family, rest))
        {
            let mut less = instruction;
            less.swsb.distance = None;
            less.swsb.token = less.swsb.token.filter(|token| token.mode == TokenMode::Set);
            number += usize::from(less != instruction);
            if less != instruction && number % EVERY == 0 {
                let (bytes, _) = encode(family, &less).unwrap();
                let mut code = code.clone();
                code[at..at + length].copy_from_slice(&bytes[..length]);
                let (taken, missed) = shares.entry(set.name).or_default();
                *taken += 1;
                *missed += usize::from(!swsb::check(family, &code).hazards.is_empty());
            }
            at += length;
        }
    }
    for (set, (taken, missed)) in &shares {
        eprintln!("{set}: {missed} of {taken} waits are missed");
        assert!(missed * 2 > *taken, "{set}: {missed} of {taken}");
    }
    assert!(!shares.is_empty());
}
