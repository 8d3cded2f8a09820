//! Text and bytes of every form of every instruction, as iga64 has them.
//!
//! `vectors/FAMILY.txt` holds one case a line: the bytes in memory order, then the text. `-` for
//! bytes is a text that iga64 refuses. To make them anew, with iga64 1.1.0 on the path and the
//! newer iga64 in `NEWER_IGA64`:
//!
//! ```text
//! BLESS=1 cargo test -p isa-encoder --test vectors
//! ```
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::PathBuf;

use common::{extras, forms};
use devinfo::Family;
use isa_encoder::disasm::Format;
use isa_encoder::undefined::defined_bits;
use isa_encoder::{
    AsmOptions, Disassembler, Opcode, Validation, assemble, decode, encode, has_opcode,
};
use oracles::iga;

fn path(family: Family) -> PathBuf {
    let name = format!("{family}").to_lowercase();
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/vectors/{name}.txt"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap())
        .collect()
}

fn assemble_one(family: Family, text: &str, validation: Validation) -> Result<Vec<u8>, String> {
    let options = AsmOptions {
        family: Some(family),
        validation,
        ..AsmOptions::default()
    };
    match assemble(text, &options) {
        Ok(assembly) => Ok(assembly.code),
        Err(errors) => Err(errors.iter().map(|e| e.message.clone() + "; ").collect()),
    }
}

/// What of a case is wrong.
fn check(family: Family, bytes: &[u8], text: &str) -> Result<(), String> {
    let ours = assemble_one(family, text, Validation::Warn)?;
    if ours.len() != bytes.len() || defined_bits(family, &ours) != defined_bits(family, bytes) {
        return Err(format!("assembles to {}", hex(&ours)));
    }
    let (instruction, length) = decode(family, bytes).map_err(|e| format!("decode: {e}"))?;
    if length != bytes.len() {
        return Err(format!("decodes to {length} bytes"));
    }
    let (again, length) = encode(family, &instruction).map_err(|e| format!("encode: {e}"))?;
    if defined_bits(family, &again[..length]) != defined_bits(family, bytes) {
        return Err(format!("decodes and encodes to {}", hex(&again[..length])));
    }
    let printed = Disassembler::new(family, Format::default()).print(bytes);
    let ours =
        assemble_one(family, &printed, Validation::Warn).map_err(|e| format!("{printed}: {e}"))?;
    if defined_bits(family, &ours) != defined_bits(family, bytes) {
        return Err(format!("prints as {printed}, which is {}", hex(&ours)));
    }
    Ok(())
}

/// The committed cases: bytes (`None` where iga64 refuses) and text.
fn committed(family: Family) -> Vec<(Option<Vec<u8>>, String)> {
    let text = std::fs::read_to_string(path(family)).unwrap();
    text.lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let (bytes, text) = line.split_once(' ').unwrap();
            ((bytes != "-").then(|| unhex(bytes)), text.to_owned())
        })
        .collect()
}

fn report(family: Family, failures: &[String], cases: usize) {
    for failure in failures.iter().take(60) {
        eprintln!("{family}: {failure}");
    }
    assert!(
        failures.is_empty(),
        "{family}: {} of {cases} cases are wrong",
        failures.len()
    );
}

/// Keeps few cases of a kind, a kind being an instruction, and those of `keep`.
fn thin(
    cases: Vec<(String, Option<Vec<u8>>)>,
    keep: &BTreeSet<String>,
) -> Vec<(String, Option<Vec<u8>>)> {
    const LEGAL: usize = 1;
    const REFUSED_AN_OPCODE: usize = 6;
    let mut refused: BTreeMap<String, usize> = BTreeMap::new();
    let mut bytes_seen: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    cases
        .into_iter()
        .filter(|(text, bytes)| match bytes {
            _ if keep.contains(text) => true,
            Some(bytes) => {
                let seen = bytes_seen.entry(bytes.clone()).or_default();
                *seen += 1;
                *seen <= LEGAL
            }
            None => {
                let mnemonic = text
                    .split_whitespace()
                    .find(|word| !word.starts_with('('))
                    .unwrap_or("")
                    .split('.')
                    .next()
                    .unwrap_or("");
                let seen = refused.entry(mnemonic.to_owned()).or_default();
                *seen += 1;
                *seen <= REFUSED_AN_OPCODE
            }
        })
        .collect()
}

fn bless(family: Family) {
    let Some(iga) = iga::find(family) else {
        return;
    };
    let lines = forms::all(family);
    let bytes = iga.assemble_lines(&lines);
    let cases = thin(
        lines.into_iter().zip(bytes).collect(),
        &extras::of(family).collect(),
    );
    let mut out = String::from(
        "# Bytes in memory order and text, as iga64 assembles it; `-`: refused.\n\
         # Made by: BLESS=1 cargo test -p isa-encoder --test vectors\n",
    );
    for (text, bytes) in cases {
        let bytes = bytes.map_or("-".into(), |bytes| hex(&bytes));
        let _ = writeln!(out, "{bytes} {text}");
    }
    std::fs::write(path(family), out).unwrap();
}

/// In align16 mode all sources have one type. Where another one is written, iga64 leaves it out;
/// we refuse it.
fn iga_drops_a_type(family: Family, text: &str) -> bool {
    matches!(family, Family::Gen8 | Family::Gen9) && text.ends_with("r16.0<1>:ub")
}

fn replay(family: Family) {
    if std::env::var_os("BLESS").is_some() {
        bless(family);
    }
    let cases = committed(family);
    let mut failures = Vec::new();
    let mut covered = BTreeSet::new();
    for (bytes, text) in &cases {
        let Some(bytes) = bytes else {
            if let Ok(ours) = assemble_one(family, text, Validation::Deny) {
                failures.push(format!(
                    "- {text}: refused, and assembles to {}",
                    hex(&ours)
                ));
            }
            continue;
        };
        if let Ok((instruction, _)) = decode(family, bytes) {
            covered.insert(instruction.opcode);
        }
        let printed;
        let text = if iga_drops_a_type(family, text) {
            let ours = assemble_one(family, text, Validation::Warn);
            assert!(ours.is_err(), "{family} {text}");
            printed = Disassembler::new(family, Format::default()).print(bytes);
            &printed
        } else {
            text
        };
        if let Err(why) = check(family, bytes, text) {
            failures.push(format!("{} {text}: {why}", hex(bytes)));
        }
    }
    report(family, &failures, cases.len());
    let missing: Vec<_> = Opcode::ALL
        .iter()
        .filter(|opcode| has_opcode(family, **opcode) && !covered.contains(opcode))
        .collect();
    assert!(missing.is_empty(), "{family}: no vector for {missing:?}");
}

macro_rules! families {
    ($($name:ident $family:ident)*) => {
        $(
            #[test]
            fn $name() {
                replay(Family::$family);
            }
        )*
    };
}

families! {
    gen8 Gen8
    gen9 Gen9
    gen11 Gen11
    gen12lp Gen12Lp
    xehpg XeHpg
    xehpc XeHpc
    xe2 Xe2
}

/// Each line of the vectors once more through iga64, so that they cannot rot.
#[test]
fn vectors_are_what_iga64_makes() {
    for family in Family::ALL {
        let Some(iga) = iga::find(family) else {
            continue;
        };
        let cases = committed(family);
        let lines: Vec<String> = cases.iter().map(|(_, text)| text.clone()).collect();
        let mut failures = Vec::new();
        for ((expected, text), found) in cases.iter().zip(iga.assemble_lines(&lines)) {
            let same = match (expected, &found) {
                (Some(a), Some(b)) => defined_bits(family, a) == defined_bits(family, b),
                (None, None) => true,
                _ => false,
            };
            if !same {
                failures.push(format!("{text}: {found:02x?}"));
            }
        }
        report(family, &failures, cases.len());
    }
}

/// Every mnemonic that iga64 lists is known here, and every form of it that iga64 takes has a
/// vector: the list of missing ones is printed, and empty.
#[test]
fn no_vector_is_missing() {
    for family in Family::ALL {
        let Some(iga) = iga::find(family) else {
            continue;
        };
        let known = Opcode::ALL.iter().filter(|&&op| has_opcode(family, op));
        let known: BTreeSet<_> = known.map(|op| op.mnemonic().to_owned()).collect();
        let mut missing: Vec<_> = iga.mnemonics().difference(&known).cloned().collect();

        let vectors: BTreeSet<u128> = committed(family)
            .into_iter()
            .filter_map(|(bytes, _)| Some(defined_bits(family, &bytes?)))
            .collect();
        let forms = forms::all(family);
        let mut taken = 0;
        for (form, bytes) in forms.iter().zip(iga.assemble_lines(&forms)) {
            let Some(bytes) = bytes else { continue };
            taken += 1;
            if !vectors.contains(&defined_bits(family, &bytes)) {
                missing.push(form.clone());
            }
        }
        eprintln!(
            "{family}: iga64 takes {taken} of {} forms; missing vectors: {missing:#?}",
            forms.len()
        );
        assert!(missing.is_empty(), "{family}: vectors are missing");
    }
}
