//! What Intel's compilers emit breaks no rule of the validator, and its messages are values: built
//! again, they have the descriptors that the compiler chose.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "the helpers of these tests fail by panicking"
)]

use std::collections::BTreeMap;
use std::path::Path;

use devinfo::Family;
use isa_encoder::disasm::Format;
use isa_encoder::message::{Descriptors, Lsc, Message};
use isa_encoder::validate::Validator;
use isa_encoder::{Disassembler, Instruction, Opcode, Send, Sfid, decode};
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

/// Each instruction of a kernel with its bytes, up to the padding behind the last.
///
/// The compiler's calls through the stack on Broadwell contain `sends`, which Gen8 does not have:
/// a kernel is looked at up to what does not decode.
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

/// The bits of a descriptor that its message decides: not the lengths, nor the header bit that
/// belongs to them.
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
    // An extended descriptor in a register is not known here.
    if send.exdesc.immediate().is_some() && given.extended & !0xfff != built.extended & !0xfff {
        return Err(format!("{message}: extended {:#x}", built.extended));
    }
    Ok(())
}
