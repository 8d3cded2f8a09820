//! Xe3 against the listings of Intel's compiler, for no iga64 that one can install knows it.
//!
//! `vectors/xe3.txt` holds one case a line: the bytes in memory order, then the text, with the
//! distances of branches for labels. To make it anew, with ocloc 26.27 in `NEWER_OCLOC`:
//!
//! ```text
//! BLESS=1 cargo test -p isa-encoder --test xe3
//! ```
//!
//! `IGC_ShaderDumpEnable=1 IGC_DumpToCustomDir=FOLDER/` in its environment has the compiler write
//! for each kernel its listing (`.asm`) and the bytes (`.dat`), instruction by instruction.

#![cfg(test)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use common::vectors;
use devinfo::Family;
use isa_encoder::disasm::Format;
use isa_encoder::validate::{Machine, Validator};
use isa_encoder::{Disassembler, Opcode, Validation, decode, encode, has_opcode, swsb};
use oracles::hex;

const FAMILY: Family = Family::Xe3;
const DEVICE: &str = "ptl-h";

/// The instructions of a listing with their bytes; labels become distances.
fn listed(listing: &str, code: &[u8]) -> Vec<(Vec<u8>, String)> {
    let mut labels: BTreeMap<&str, i64> = BTreeMap::new();
    let mut found = Vec::new();
    let mut at = 0;
    for line in listing.lines() {
        let text = line.split("//").next().unwrap().trim();
        if text.is_empty() || text.starts_with('.') {
            continue;
        }
        if let Some(label) = text.strip_suffix(':') {
            labels.insert(label, at as i64);
            continue;
        }
        let length = if code[at + 3] & 0x20 != 0 { 8 } else { 16 };
        found.push((at, &code[at..at + length], text));
        at += length;
    }
    assert_eq!(at, code.len(), "the listing is not of these bytes");
    let told = |at: usize, text: &str| {
        let distance = |word: &str| {
            let distance = labels.get(word)? - at as i64;
            Some(distance.to_string())
        };
        let mut told: Vec<String> = Vec::new();
        for word in text.split_whitespace() {
            told.push(match distance(word) {
                // A sign would make a difference of two.
                Some(second) if second.starts_with('-') && told.len() > 2 => {
                    let is_second = told.last().is_some_and(|word| word.parse::<i64>().is_ok());
                    if is_second {
                        format!("({second})")
                    } else {
                        second
                    }
                }
                Some(distance) => distance,
                None => word.to_owned(),
            });
        }
        told.join(" ")
    };
    found
        .into_iter()
        .map(|(at, bytes, text)| (bytes.to_vec(), told(at, text)))
        .collect()
}

/// A text without what is written in several ways: floats as bits or digits, the regions of math
/// macros, the table of `bfn`, the one channel of `jmpi`, the type of a barrier's number, and the label of the next
/// instruction.
fn spelled(text: &str) -> String {
    let words = text.split_whitespace().filter_map(|word| {
        let is_float = [":f", ":hf", ":df", ":bf"]
            .iter()
            .any(|ty| word.ends_with(ty));
        let digits = word.strip_prefix('-').unwrap_or(word);
        let is_number = digits.starts_with(|c: char| c.is_ascii_digit())
            || digits.starts_with("inf")
            || digits.starts_with("nan");
        match word {
            _ if is_float && is_number => Some("FLOAT".to_owned()),
            _ if word.contains("mme") => Some(word.replace("<1;1,0>", "")),
            "(1|M0)" if text.contains("jmpi") => None,
            _ if text.contains("sync.") => Some(word.replace(":ud", "")),
            _ if word.starts_with("bfn.") => Some("bfn".to_owned()),
            "L8" => Some("8".to_owned()),
            "L16" => Some("16".to_owned()),
            "L8:" | "L16:" => None,
            _ => Some(word.to_owned()),
        }
    });
    words.collect::<Vec<_>>().join(" ")
}

/// What is wrong with our reading of an instruction.
fn judge(bytes: &[u8], text: &str) -> Result<(), String> {
    let (instruction, length) = decode(FAMILY, bytes).map_err(|error| error.to_string())?;
    if length != bytes.len() {
        return Err(format!("decodes to {length} bytes"));
    }
    let (again, length) = encode(FAMILY, &instruction).map_err(|error| error.to_string())?;
    if again[..length] != *bytes {
        return Err(format!("decodes and encodes to {}", hex(&again[..length])));
    }
    let format = Format {
        no_comments: true,
        ..Format::default()
    };
    let printed = Disassembler::new(FAMILY, format).print(bytes);
    for text in [text, &printed] {
        let code = vectors::assembled(FAMILY, text, Validation::Off);
        let code = code.map_err(|why| format!("{text}: {why}"))?;
        if code != bytes {
            return Err(format!("{text} assembles to {}", hex(&code)));
        }
    }
    if spelled(&printed) != spelled(text) {
        return Err(format!("prints as {printed}"));
    }
    Ok(())
}

fn report(failures: &[String], cases: usize) {
    let mut kinds = BTreeSet::new();
    let of_each_kind = failures.iter().filter(|failure| {
        let (_, text) = failure.split_once(' ').unwrap();
        kinds.insert(kind(text))
    });
    for failure in of_each_kind.take(60) {
        eprintln!("{failure}");
    }
    assert!(
        failures.is_empty(),
        "{} of {cases} instructions are wrong",
        failures.len()
    );
}

#[test]
fn instructions_are_as_listed() {
    let cases = vectors::of(FAMILY);
    let mut failures = Vec::new();
    let mut covered = BTreeSet::new();
    for (bytes, text) in &cases {
        let bytes = bytes.as_ref().unwrap();
        if let Err(why) = judge(bytes, text) {
            failures.push(format!("{} {text}: {why}", hex(bytes)));
        }
        covered.extend(decode(FAMILY, bytes).map(|(instruction, _)| instruction.opcode));
    }
    report(&failures, cases.len());
    let opcodes = Opcode::ALL.iter().filter(|op| has_opcode(FAMILY, **op));
    let missing: Vec<_> = opcodes.filter(|op| !covered.contains(op)).collect();
    eprintln!("{FAMILY}: the compiler does not use {missing:?}");
}

/// The kind of a text: what is left without its numbers.
fn kind(text: &str) -> String {
    let mut kind = String::new();
    let mut digits = false;
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        kind.push(' ');
        if word.starts_with("0x") {
            kind.push('#');
            continue;
        }
        for c in word.chars() {
            if !(c.is_ascii_digit() && digits) {
                kind.push(if c.is_ascii_digit() { '#' } else { c });
            }
            digits = c.is_ascii_digit();
        }
    }
    kind
}

/// A kernel breaks no rule, and waits for what it must.
fn obey(code: &[u8], failures: &mut Vec<String>) {
    let validator = Validator::new(Machine {
        fp64: true,
        systolic: true,
        ..FAMILY.into()
    });
    let mut rest = code;
    while let Ok((instruction, length)) = decode(FAMILY, rest) {
        let bytes = &rest[..length];
        let violations = validator.check(&instruction);
        failures.extend(violations.map(|violation| {
            let text = vectors::printed(FAMILY, bytes);
            format!("{} {}: {text}", hex(bytes), violation.rule.name)
        }));
        rest = &rest[length..];
    }
    let report = swsb::check(FAMILY, code);
    failures.extend(
        report
            .hazards
            .iter()
            .map(|hazard| format!("hazard {hazard}")),
    );
}

/// Every instruction of the corpus, compiled for Xe3.
#[test]
fn the_corpus_is_as_listed() {
    let Some(ocloc) = oracles::variable("NEWER_OCLOC", "ocloc that knows Xe3") else {
        return;
    };
    let mut command = ocloc.split_whitespace();
    let program = command.next().unwrap();
    let leading: Vec<&str> = command.collect();
    let mut all: BTreeMap<Vec<u8>, String> = BTreeMap::new();
    let mut failures = Vec::new();
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/kernels");
    for source in fs::read_dir(corpus).unwrap() {
        let source = source.unwrap().path();
        if source.extension().is_none_or(|extension| extension != "cl") {
            continue;
        }
        let first = fs::read_to_string(&source).unwrap();
        let own = first
            .lines()
            .next()
            .and_then(|l| l.strip_prefix("// options: "));
        let folder = tempfile::tempdir().unwrap();
        let output = Command::new(program)
            .args(&leading)
            .args(["compile", "-q", "-device", DEVICE, "-file"])
            .arg(&source)
            .arg("-out_dir")
            .arg(folder.path().join("out"))
            .arg("-options")
            .arg(format!("-cl-std=CL2.0 -DNO_SIMD8 {}", own.unwrap_or("")))
            .env("IGC_ShaderDumpEnable", "1")
            .env(
                "IGC_DumpToCustomDir",
                format!("{}/", folder.path().display()),
            )
            .output()
            .unwrap();
        assert!(
            output.status.success(),
            "{}: {}",
            source.display(),
            String::from_utf8_lossy(&output.stdout)
        );
        for file in fs::read_dir(folder.path()).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_some_and(|extension| extension == "asm") {
                let code = fs::read(file.with_extension("dat")).unwrap();
                obey(&code, &mut failures);
                all.extend(listed(&fs::read_to_string(&file).unwrap(), &code));
            }
        }
    }
    if std::env::var_os("BLESS").is_some() {
        let mut kinds = BTreeSet::new();
        let mut out = String::from(
            "# Bytes in memory order and text, as IGC lists it.\n\
             # Made by: BLESS=1 cargo test -p isa-encoder --test xe3\n",
        );
        for (bytes, text) in all.iter().filter(|(_, text)| kinds.insert(kind(text))) {
            let _ = writeln!(out, "{} {text}", hex(bytes));
        }
        fs::write(vectors::path("xe3"), out).unwrap();
    }
    let wrong = |(bytes, text): (&Vec<u8>, &String)| {
        let why = judge(bytes, text).err()?;
        Some(format!("{} {text}: {why}", hex(bytes)))
    };
    failures.extend(all.iter().filter_map(wrong));
    report(&failures, all.len());
}
