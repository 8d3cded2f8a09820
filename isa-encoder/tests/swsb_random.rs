//! The annotator and the checker against random programs and iga64's own annotator.
//!
//! Programs consist of the instructions of `vectors/FAMILY.txt`, in branches and loops. They use so
//! few registers that nearly any two depend on each other.
#![cfg(test)]

mod common;

use std::fmt::Write;

use common::vectors;
use devinfo::Family;
use isa_encoder::swsb::{self, Report};
use isa_encoder::{
    ArfKind, Dst, Format, Instruction, Opcode, RegFile, Register, Specific, Src, Swsb, TokenMode,
    Type, Validation, decode, encode,
};
use oracles::{Random, iga};

const FAMILIES: [Family; 4] = [Family::Gen12Lp, Family::XeHpg, Family::XeHpc, Family::Xe2];

/// The number of programs of a family; all are in one text.
const PROGRAMS: usize = 500;
const BATCH: usize = 50;

/// The instructions of the family's vectors that can be anywhere, as text without annotation.
fn instructions(family: Family, keep: Keep) -> Vec<String> {
    let mut out = Vec::new();
    for bytes in vectors::bytes(family) {
        let Ok((instruction, _)) = decode(family, &bytes) else {
            continue;
        };
        let plain = Instruction {
            swsb: Swsb::NONE,
            ..instruction
        };
        if can_stand_anywhere(&plain)
            && keep(family, &plain)
            && let Ok((bytes, length)) = encode(family, &plain)
        {
            let text = vectors::printed(family, &bytes[..length]);
            out.push(text.split(" //").next().unwrap().trim_end().to_owned());
        }
    }
    assert!(out.len() > 100, "{family}: {} instructions", out.len());
    out
}

fn can_stand_anywhere(instruction: &Instruction) -> bool {
    !instruction.opcode.is_branch()
        && instruction.opcode != Opcode::Illegal
        && instruction.opcode.format() != Format::Sync
        && instruction.send().is_none_or(|send| !send.eot)
        && !is_forgotten(instruction)
}

/// `math` with architecture and indirect registers, which it does not support: iga64 gives it a
/// token, but does not wait for that everywhere.
fn is_forgotten(instruction: &Instruction) -> bool {
    let is_arf = |reg: Register| !matches!(reg.file, RegFile::Grf | RegFile::Arf(ArfKind::Null));
    let odd_src = |src: &Src| match *src {
        Src::Direct { reg, .. } => is_arf(reg),
        Src::Indirect { .. } => true,
        _ => false,
    };
    let odd_dst = match instruction.dst {
        Dst::Direct { reg, .. } => is_arf(reg),
        Dst::Indirect { .. } => true,
        _ => false,
    };
    instruction.opcode == Opcode::Math && (odd_dst || instruction.src.iter().any(odd_src))
}

/// Selects the instructions of a program.
type Keep = fn(Family, &Instruction) -> bool;

fn any(_: Family, _: &Instruction) -> bool {
    true
}

/// Whether iga64 annotates an instruction as it does others. It forgets the tokens of `math` with
/// operands that no compiler gives it: architecture registers and registers reached through a0. A
/// double in an accumulator on XeHPG gets neither token nor distance (there only Meteor Lake has
/// doubles, in its math unit and with a token). A `dpas` of 16 channels, which XeHPG does not have,
/// waits for a part of its second matrix only.
fn is_known_to_iga(family: Family, instruction: &Instruction) -> bool {
    let file = |reg: Register| match reg.file {
        RegFile::Grf | RegFile::Arf(ArfKind::Null) => None,
        RegFile::Arf(kind) => Some(kind),
    };
    let dst = match instruction.dst {
        Dst::Direct { reg, .. } => (file(reg), false),
        Dst::Indirect { .. } => (None, true),
        _ => (None, false),
    };
    let src = |src: &Src| match *src {
        Src::Direct { reg, .. } => (file(reg), false),
        Src::Indirect { .. } => (None, true),
        _ => (None, false),
    };
    let mut operands = instruction.src.iter().map(src).chain([dst]);
    if instruction.opcode == Opcode::Math {
        return operands.all(|operand| operand == (None, false));
    }
    if matches!(instruction.specific, Specific::Dpas(_)) {
        return family != Family::XeHpg || instruction.exec_size == 8;
    }
    let double = instruction.dst.ty() == Some(Type::Df);
    !(family == Family::XeHpg
        && double
        && operands.any(|(file, _)| file == Some(ArfKind::Accumulator)))
}

/// The end of a thread.
fn end(family: Family) -> &'static str {
    match family {
        Family::Gen12Lp => "(W) send.ts (8|M0) null r127 null 0x0 0x02000010 {EOT}",
        Family::XeHpg => "(W) send.gtwy (8|M0) null r127 null:0 0x0 0x02000010 {EOT}",
        _ => "(W) send.gtwy (16|M0) null r127 null:0 0x0 0x02000010 {EOT}",
    }
}

/// Programs with straight code, an `if` and a loop each; their labels begin with `prefix`.
fn program(family: Family, pool: &[String], random: &mut Random, prefix: &str, out: &mut String) {
    let mut run = |out: &mut String, most: u64| {
        for _ in 0..=random.below(most) {
            let _ = writeln!(out, "{}", pool[random.below(pool.len() as u64) as usize]);
        }
    };
    run(out, 12);
    let _ = writeln!(out, "{prefix}A:");
    run(out, 8);
    let _ = writeln!(out, "(f0.0) if (16|M0) {prefix}E {prefix}F");
    run(out, 6);
    let _ = writeln!(out, "else (16|M0) {prefix}F {prefix}F\n{prefix}E:");
    run(out, 6);
    let _ = writeln!(out, "{prefix}F:\nendif (16|M0) {prefix}G\n{prefix}G:");
    run(out, 6);
    let _ = writeln!(out, "(f0.1) while (16|M0) {prefix}A");
    run(out, 8);
    let _ = writeln!(out, "{}", end(family));
}

fn batches(family: Family, keep: Keep) -> impl Iterator<Item = String> {
    let pool = instructions(family, keep);
    (0..PROGRAMS / BATCH).map(move |batch| {
        let seed = 0x5eed_0000 + batch as u64;
        eprintln!("{family}: seed {seed:#x}");
        let mut random = Random::new(seed);
        let mut text = String::new();
        for number in 0..BATCH {
            program(family, &pool, &mut random, &format!("P{number}"), &mut text);
        }
        text
    })
}

fn assemble_for(family: Family, text: &str) -> Vec<u8> {
    vectors::assembled(family, text, Validation::Off).unwrap_or_else(|why| panic!("{why}"))
}

fn assert_clean(family: Family, report: &Report) {
    assert!(report.complete);
    for hazard in report.hazards.iter().take(20) {
        eprintln!("{family}: {hazard}");
    }
    assert!(
        report.hazards.is_empty(),
        "{family}: {} hazards",
        report.hazards.len()
    );
}

/// Annotated programs have no hazard, and iga64 accepts them as the same program.
#[test]
fn annotated_programs_have_no_hazard() {
    for family in FAMILIES {
        let iga = iga::find(family);
        for text in batches(family, any) {
            let code = assemble_for(family, &format!("//.swsb auto\n{text}"));
            assert_clean(family, &swsb::check(family, &code));
            let again = swsb::annotate(family, &code).unwrap();
            assert_eq!(again, code, "{family}: annotating again changes something");
            if let Some(iga) = &iga {
                let printed = vectors::printed(family, &code);
                let theirs = iga.assemble(&printed).unwrap();
                assert!(
                    theirs == code,
                    "{family}: iga64 assembles it to something else"
                );
            }
        }
    }
}

/// What iga64 annotates has no hazard.
#[test]
fn programs_annotated_by_iga64_have_no_hazard() {
    for family in FAMILIES {
        let Some(iga) = iga::find(family) else {
            continue;
        };
        for text in batches(family, is_known_to_iga) {
            let code = iga.assemble_with(&["-Xauto-deps"], &text).unwrap();
            assert_clean(family, &swsb::check(family, &code));
        }
    }
}

/// Random programs without annotations have hazards. So do programs that lose one of their waits:
/// the test counts how many; the rest wait twice for the same thing.
#[test]
fn a_lost_wait_is_found() {
    for family in FAMILIES {
        let text = batches(family, any).next().unwrap();
        let plain = assemble_for(family, &text);
        let hazards = swsb::check(family, &plain).hazards.len();
        assert!(
            hazards > 100,
            "{family}: {hazards} hazards without annotations"
        );

        let code = assemble_for(family, &format!("//.swsb auto\n{text}"));
        let (mut lost, mut found) = (0, 0);
        let mut offset = 0;
        while let Some(rest) = code.get(offset..).filter(|rest| !rest.is_empty()) {
            let (instruction, length) = decode(family, rest).unwrap();
            let mut less = instruction;
            less.swsb.distance = None;
            less.swsb.token = less.swsb.token.filter(|token| token.mode == TokenMode::Set);
            if less.swsb != instruction.swsb && offset % 7 == 0 {
                let mut code = code.clone();
                let (bytes, same) = encode(family, &less).unwrap();
                assert_eq!(same, length);
                code[offset..offset + length].copy_from_slice(&bytes[..length]);
                lost += 1;
                found += usize::from(!swsb::check(family, &code).hazards.is_empty());
            }
            offset += length;
        }
        eprintln!("{family}: {found} of {lost} lost waits found");
        assert!(
            found * 10 >= lost * 6,
            "{family}: {found} of {lost} lost waits found"
        );
    }
}

fn is_in_order(_: Family, instruction: &Instruction) -> bool {
    !matches!(
        instruction.opcode.format(),
        Format::Send | Format::Math | Format::Dpas
    )
}

/// The places that `code` from its first instruction to its last has waits too few at, as it runs.
fn overtaken(family: Family, code: &[u8]) -> Vec<(usize, usize)> {
    let mut run = swsb::InOrder::default();
    let (mut at, mut all) = (0, Vec::new());
    while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty()) {
        let (instruction, length) = decode(family, rest).unwrap();
        let order = swsb::Order::of(family, &instruction).unwrap();
        let place = (at as u32, (at + length) as u32);
        run.begin(&order, place, &[], |met| all.push((at, met.at as usize)));
        at += length;
    }
    all
}

/// Straight code that loses one of its distances: what is found as it runs is what the text proves.
#[test]
fn distances_are_judged_alike_in_text_and_as_code_runs() {
    for family in FAMILIES {
        let pool = instructions(family, is_in_order);
        let mut random = Random::new(0x6469_7374);
        let (mut found, mut clean) = (0, 0);
        for _ in 0..300 {
            let mut text = String::from("//.swsb auto\n");
            for _ in 0..40 {
                let _ = writeln!(text, "{}", pool[random.below(pool.len() as u64) as usize]);
            }
            let mut code = assemble_for(family, &text);
            assert_eq!(overtaken(family, &code), [], "{family}: {text}");
            let (mut at, lost) = (0, random.below(code.len() as u64) as usize);
            while let Some(rest) = code.get(at..).filter(|rest| !rest.is_empty()) {
                let (mut instruction, length) = decode(family, rest).unwrap();
                if at >= lost && instruction.swsb.distance.take().is_some() {
                    let (bytes, _) = encode(family, &instruction).unwrap();
                    code[at..at + length].copy_from_slice(&bytes[..length]);
                    break;
                }
                at += length;
            }
            let report = swsb::check(family, &code);
            let ran = overtaken(family, &code);
            let general = |hazard: &&swsb::Hazard| hazard.register.starts_with('r');
            for hazard in report.hazards.iter().filter(general) {
                let pair = (hazard.later.offset, hazard.earlier.offset);
                assert!(ran.contains(&pair), "{family}: {hazard}");
            }
            // What the text proves of an instruction stands for what follows of it.
            for (later, earlier) in &ran {
                let mut known = report.hazards.iter();
                let known = known
                    .any(|known| known.later.offset <= *later && known.earlier.offset >= *earlier);
                assert!(known, "{family}: {earlier:#x} {later:#x} of {text}");
            }
            *(if ran.is_empty() {
                &mut clean
            } else {
                &mut found
            }) += 1;
        }
        eprintln!(
            "{family}: {found} of {} lost distances found",
            found + clean
        );
        assert!(found >= 30, "{family}: {found} found");
    }
}

/// Bytes that are mostly instructions, with branches to anywhere: nothing panics, and every
/// analysis ends.
#[test]
fn any_bytes_are_judged_and_annotated() {
    for family in FAMILIES {
        let mut random = Random::new(0x6d61_6e79);
        for _ in 0..300 {
            let mut code = Vec::new();
            for _ in 0..random.below(60) {
                let mut word = random.bytes(16);
                // Short distances, so that some branches arrive.
                if random.below(2) == 0 {
                    word[8..].copy_from_slice(&[0; 8]);
                    word[8] = (random.below(16) * 16) as u8;
                    word[12] = (random.below(16) * 16) as u8;
                }
                code.extend(word);
            }
            swsb::check(family, &code);
            let _ = swsb::annotate(family, &code);
        }
    }
}

/// A program that exhausts the analysis is annotated all the same, and what has been annotated has no
/// hazard, is not changed again, and does not exhaust the check. Its `math` has tokens on these families.
fn assert_exhausting_is_annotated(text: &str) {
    for family in [Family::Gen12Lp, Family::XeHpg] {
        let code = assemble_for(family, text);
        assert!(!swsb::check(family, &code).complete, "{family}: judged");
        let annotated = swsb::annotate(family, &code).unwrap();
        assert_clean(family, &swsb::check(family, &annotated));
        let again = swsb::annotate(family, &annotated).unwrap();
        assert!(
            again == annotated,
            "{family}: annotating again changes something"
        );
    }
}

/// Sends without a token, and jumps to anywhere.
#[test]
fn a_program_made_to_exhaust_the_analysis_is_annotated() {
    let mut random = Random::new(7);
    let mut text = String::new();
    let count = 3_000;
    for number in 0..count {
        let _ = writeln!(text, "L{number}:");
        let (from, to) = (random.below(120), random.below(120));
        let _ = writeln!(text, "math.inv (8|M0) r{to}.0<1>:f r{from}.0<8;8,1>:f");
        let _ = writeln!(text, "(W&f0.0) jmpi (1|M0) L{}", random.below(count));
    }
    assert_exhausting_is_annotated(&text);
}

/// Branches over messages, one behind another: no loop, but more and more may be under way.
#[test]
fn messages_that_may_be_left_out_are_annotated() {
    let mut text = String::new();
    for number in 0..10_000 {
        let _ = writeln!(text, "(W&f0.0) jmpi (1|M0) L{number}");
        let _ = writeln!(
            text,
            "math.inv (8|M0) r{}.0<1>:f r9.0<8;8,1>:f",
            10 + number % 110
        );
        let _ = writeln!(text, "L{number}:");
    }
    text.push_str("nop\n");
    assert_exhausting_is_annotated(&text);
}
