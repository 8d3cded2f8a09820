//! Random instructions of every family: their text assembles to the same bytes, and iga64 encodes
//! all text that it accepts to the same bytes.

#![cfg(test)]

use arbitrary::Unstructured;
use devinfo::Family;
use isa_encoder::{ArfKind, Dst, Instruction, Opcode, Options, RegFile, Register, Src};
use oracles::iga;
use stack_tests::Random;
use stack_tests::hostile::instruction::{AnyInstruction, Encoded};

/// Instructions of each family.
const SAMPLES: usize = 1_500;

/// Instructions that have a text, with that text.
fn samples(family: Family) -> Vec<(Encoded, String)> {
    let mut random = Random::new(0x1234_5678 + family as u64);
    let mut samples = Vec::with_capacity(SAMPLES);
    while samples.len() < SAMPLES {
        let bytes: Vec<u8> = (0..4).flat_map(|_| random.bits().to_le_bytes()).collect();
        let any = AnyInstruction::of(family, &mut Unstructured::new(&bytes)).unwrap();
        let encoded = any.encoded();
        samples.extend(encoded.and_then(|encoded| Some((encoded, encoded.text()?))));
    }
    samples
}

/// What iga64 accepts but omits, or counts differently: dependency options of sends and payloads in
/// architecture registers, exponents of `ip`, the stride of `madm`. It takes `mme0`, where an
/// instruction reads or writes it as a register, for an operand of a math macro.
fn is_iga_lax(instruction: &Instruction, text: &str) -> bool {
    let is_send = instruction.opcode.is_send();
    if is_send
        && instruction
            .options
            .intersects(Options::NO_DD_CHK | Options::NO_DD_CLR)
    {
        return true;
    }
    let other = |reg: Register| match reg.file {
        RegFile::Arf(kind) if is_send => kind != ArfKind::Null,
        RegFile::Arf(_) | RegFile::Grf => false,
    };
    let src = instruction.src.iter().any(|src| match *src {
        Src::Direct { reg, .. } => other(reg),
        Src::Macro { reg, .. } => reg.file == RegFile::Arf(ArfKind::InstructionPointer),
        _ => false,
    });
    let dst = match instruction.dst {
        Dst::Direct { reg, .. } => other(reg),
        Dst::Macro { hstride, .. } => instruction.opcode == Opcode::Madm && hstride != 1,
        _ => false,
    };
    let exponent = text.split_ascii_whitespace().any(|word| {
        word.trim_start_matches(['-', '(', 'a', 'b', 's', 't', ')'])
            .starts_with("mme")
    });
    src || dst || exponent
}

#[test]
fn the_text_of_random_instructions_is_their_bytes_here_and_in_iga64() {
    let mut wrong = Vec::new();
    for family in Family::ALL {
        let samples = samples(family);
        let lost = samples
            .iter()
            .filter_map(|(made, _)| made.reads_back().err());
        wrong.extend(lost.map(|why| format!("{family}: {why}")));
        let Some(iga) = iga::find(family) else {
            continue;
        };
        let texts: Vec<String> = samples.iter().map(|(_, text)| text.clone()).collect();
        let mut taken = 0;
        for ((ours, text), theirs) in samples.iter().zip(iga.assemble_lines(&texts)) {
            let Some(theirs) = theirs else { continue };
            taken += 1;
            let bytes = ours.without_odd_bits().unwrap();
            let same = *theirs == bytes
                || is_iga_lax(&ours.instruction, text)
                || iga::defined_bits(family, &bytes) == iga::defined_bits(family, &theirs);
            if !same {
                wrong.push(format!(
                    "{family}: {text}\n  ours {bytes:02x?}\n  iga64 {theirs:02x?}"
                ));
            }
        }
        eprintln!("{family}: iga64 takes {taken} of {SAMPLES}");
        assert!(taken > SAMPLES / 20, "{family}: {taken} taken");
    }
    for case in wrong.iter().take(40) {
        eprintln!("{case}");
    }
    assert_eq!(wrong.len(), 0, "texts that assemble to other bytes");
}
