//! The committed vectors, and the ways between text and bytes.

use std::path::PathBuf;

use devinfo::Family;
use isa_encoder::disasm::Format;
use isa_encoder::{AsmOptions, Disassembler, Validation, assemble};
use oracles::unhex;

/// A file of vectors.
pub fn path(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("tests/vectors/{name}.txt"))
}

/// How vectors call a family.
pub fn name(family: Family) -> String {
    family.to_string().to_lowercase()
}

/// The family that vectors call so.
pub fn family(called: &str) -> Family {
    let mut all = Family::ALL.into_iter();
    all.find(|family| name(*family) == called).expect("a name")
}

/// The cases of a family: bytes (`None` where iga64 refuses) and text.
pub fn of(family: Family) -> Vec<(Option<Vec<u8>>, String)> {
    let text = std::fs::read_to_string(path(&name(family))).expect("the vectors are there");
    let lines = text.lines();
    lines
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .map(|line| {
            let (bytes, text) = line.split_once(' ').expect("bytes and text");
            let bytes = (bytes != "-").then(|| unhex(bytes).expect("hexadecimal"));
            (bytes, text.to_owned())
        })
        .collect()
}

/// The bytes of each case that iga64 accepts.
pub fn bytes(family: Family) -> impl Iterator<Item = Vec<u8>> {
    of(family).into_iter().filter_map(|(bytes, _)| bytes)
}

/// The code of a text, or the messages.
pub fn assembled(family: Family, text: &str, validation: Validation) -> Result<Vec<u8>, String> {
    match assemble(text, &AsmOptions::for_family(family).validated(validation)) {
        Ok(assembly) => Ok(assembly.code),
        Err(errors) => Err(errors.iter().map(|e| e.message.clone() + "; ").collect()),
    }
}

/// The text of some code.
pub fn printed(family: Family, code: &[u8]) -> String {
    Disassembler::new(family, Format::default()).print(code)
}
