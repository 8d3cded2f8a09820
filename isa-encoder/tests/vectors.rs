//! Text and bytes of every form of every instruction, as in iga64.
//!
//! `vectors/FAMILY.txt` holds one case per line: the bytes in memory order, then the text. `-`
//! instead of bytes marks a text that iga64 refuses. To regenerate them, with iga64 1.1.0 on the
//! path and the newer iga64 in `NEWER_IGA64`:
//!
//! ```text
//! BLESS=1 cargo test -p isa-encoder --test vectors
//! ```
#![cfg(test)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use common::vectors::{assembled, name, path, printed};
use common::{extras, forms, left_out, vectors};
use devinfo::Family;
use isa_encoder::{Opcode, Validation, decode, encode, has_opcode};
use oracles::hex;
use oracles::iga::{self, defined_bits};

/// What is wrong with a case.
fn check(family: Family, bytes: &[u8], text: &str) -> Result<(), String> {
    let ours = assembled(family, text, Validation::Warn)?;
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
    let printed = printed(family, bytes);
    let ours =
        assembled(family, &printed, Validation::Warn).map_err(|e| format!("{printed}: {e}"))?;
    if defined_bits(family, &ours) != defined_bits(family, bytes) {
        return Err(format!("prints as {printed}, which is {}", hex(&ours)));
    }
    Ok(())
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

/// The kind of a refused text: instruction, function and our reason without its numbers.
fn refusal(family: Family, text: &str) -> (String, String) {
    let mut words = text.split_whitespace();
    let mnemonic = words.find(|word| !word.starts_with('(')).unwrap_or("");
    let why = assembled(family, text, Validation::Deny).map_or_else(|why| why, |_| String::new());
    let why = why.chars().filter(|c| !c.is_ascii_digit()).collect();
    (mnemonic.to_owned(), why)
}

/// Keeps a few cases of each kind, and those of `keep`; the bytes or the reason of a refusal are
/// the kind.
fn thin(
    family: Family,
    cases: Vec<(String, Option<Vec<u8>>)>,
    keep: &BTreeSet<String>,
) -> Vec<(String, Option<Vec<u8>>)> {
    const LEGAL: usize = 1;
    let mut refused: BTreeSet<(String, String)> = BTreeSet::new();
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
            None => refused.insert(refusal(family, text)),
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
        family,
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
    std::fs::write(path(&name(family)), out).unwrap();
}

/// Whether our bytes of `text` are iga64's. If iga64 left out something that is in the table: the
/// row that says so, and the text without it.
fn same_bytes(family: Family, bytes: &[u8], text: &str) -> Result<Option<(usize, String)>, String> {
    let is_same = |text: &str| match assembled(family, text, Validation::Warn) {
        Ok(ours) if defined_bits(family, &ours) == defined_bits(family, bytes) => Ok(()),
        Ok(ours) => Err(format!("assembles to {}", hex(&ours))),
        Err(why) => Err(why),
    };
    let Err(why) = is_same(text) else {
        return Ok(None);
    };
    let mut rows = left_out::forms(family, text);
    rows.find(|(_, without)| is_same(without).is_ok())
        .map(Some)
        .ok_or(why)
}

fn replay(family: Family) {
    if std::env::var_os("BLESS").is_some() {
        bless(family);
    }
    let cases = vectors::of(family);
    let mut failures = Vec::new();
    let mut covered = BTreeSet::new();
    for (bytes, text) in &cases {
        let Some(bytes) = bytes else {
            if let Ok(ours) = assembled(family, text, Validation::Deny) {
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
        let without = same_bytes(family, bytes, text).unwrap_or(None);
        let text = without.as_ref().map_or(text, |(_, without)| without);
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

/// Passes each line of the vectors through iga64 again, so that they cannot rot.
#[test]
fn vectors_are_what_iga64_makes() {
    for family in Family::ALL {
        let Some(iga) = iga::find(family) else {
            continue;
        };
        let cases = vectors::of(family);
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

/// Every mnemonic that iga64 lists is known here, and every form of it that iga64 accepts has a
/// vector: the list of missing ones is printed, and must be empty. All forms are compared, not only
/// the vectors: our bytes are iga64's, and we refuse what it refuses.
fn ask(family: Family) {
    // While vectors are generated, some may be missing.
    let Some(iga) = iga::find(family).filter(|_| std::env::var_os("BLESS").is_none()) else {
        return;
    };
    let known = Opcode::ALL.iter().filter(|&&op| has_opcode(family, op));
    let known: BTreeSet<_> = known.map(|op| op.mnemonic().to_owned()).collect();
    let mut missing: Vec<_> = iga.mnemonics().difference(&known).cloned().collect();

    let vectors: BTreeSet<u128> = vectors::of(family)
        .into_iter()
        .filter_map(|(bytes, _)| Some(defined_bits(family, &bytes?)))
        .collect();
    let forms = forms::all(family);
    let (mut taken, mut differ) = (0, Vec::new());
    let mut rows_seen = BTreeSet::new();
    for (form, bytes) in forms.iter().zip(iga.assemble_lines(&forms)) {
        let Some(bytes) = bytes else {
            if let Ok(ours) = assembled(family, form, Validation::Deny) {
                differ.push(format!("{form}: refused, and assembles to {}", hex(&ours)));
            }
            continue;
        };
        taken += 1;
        if !vectors.contains(&defined_bits(family, &bytes)) {
            missing.push(form.clone());
        }
        match same_bytes(family, &bytes, form) {
            Ok(row) => rows_seen.extend(row.map(|(index, _)| index)),
            Err(why) => differ.push(format!("{form}: {}, and {why}", hex(&bytes))),
        }
    }
    eprintln!(
        "{family}: iga64 takes {taken} of {} forms; missing vectors: {missing:#?}",
        forms.len()
    );
    assert!(missing.is_empty(), "{family}: vectors are missing");
    report(family, &differ, forms.len());
    for (index, row) in left_out::LEFT_OUT.iter().enumerate() {
        let needed = rows_seen.contains(&index) || !row.families.contains(&family);
        assert!(needed, "{family}: no form needs: {}", row.why);
    }
}

macro_rules! families {
    ($($name:ident $family:ident)*) => {
        mod vectors_are_replayed {
            $(#[test] fn $name() { super::replay(devinfo::Family::$family); })*
        }
        mod no_vector_is_missing_and_no_form_differs {
            $(#[test] fn $name() { super::ask(devinfo::Family::$family); })*
        }
    };
}

families! { gen8 Gen8 gen9 Gen9 gen11 Gen11 gen12lp Gen12Lp xehpg XeHpg xehpc XeHpc xe2 Xe2 }
