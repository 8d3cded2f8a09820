//! Random instructions of every family: their text assembles to the same bytes, and what iga64
//! takes of it, it encodes the same.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

mod common;

use arbitrary::Unstructured;
use common::iga;
use devinfo::Family;
use isa_encoder::disasm::Format;
use isa_encoder::undefined::differ_there_only;
use isa_encoder::{
    ArfKind, AsmOptions, DecodeError, Disassembler, Dst, Instruction, Opcode, Options, RegFile,
    Register, Specific, Src, assemble, decode, encode,
};

/// Texts for each family.
const SAMPLES: usize = 1_500;

/// A fixed sequence of bytes (xorshift64*).
struct Bytes(u64);

impl Bytes {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn take(&mut self) -> [u8; 32] {
        let words = [self.next(), self.next(), self.next(), self.next()];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.try_into().unwrap()
    }
}

/// Bytes that are an instruction with an encoding, or `None`.
fn instruction(family: Family, numbers: &[u8], u: &mut Unstructured<'_>) -> Option<Vec<u8>> {
    let mut bytes: [u8; 16] = u.arbitrary().ok()?;
    let mask: [u8; 16] = u.arbitrary().ok()?;
    bytes.iter_mut().zip(mask).for_each(|(byte, m)| *byte &= m);
    bytes[0] = numbers[usize::from(mask[0]) % numbers.len()];
    // The 16-byte form: of compacted ones that mean the same, iga64 has its own choice.
    bytes[3] &= !0x20;
    let (instruction, length) = decode(family, &bytes).ok()?;
    // The targets of branches must lie in the text; `illegal` has no options in iga64.
    if matches!(instruction.specific, Specific::Branch(_)) || instruction.opcode == Opcode::Illegal
    {
        return None;
    }
    let (encoded, again) = encode(family, &instruction).ok()?;
    assert_eq!(length, again, "{family} {bytes:02x?}");
    Some(encoded[..length].to_vec())
}

/// What iga64 takes and leaves out, or counts in another way: dependency options of sends and
/// payloads in architecture registers, sub-registers of some of those.
fn is_iga_lax(instruction: &Instruction) -> bool {
    let is_send = instruction.opcode.is_send();
    // One channel of `madm` is four in iga64's align16 mode.
    if instruction.opcode == Opcode::Madm && instruction.exec_size == 1 {
        return true;
    }
    if is_send
        && instruction
            .options
            .intersects(Options::NO_DD_CHK | Options::NO_DD_CLR)
    {
        return true;
    }
    let other = |reg: Register| match reg.file {
        RegFile::Arf(kind) if is_send => kind != ArfKind::Null,
        RegFile::Arf(
            ArfKind::ChannelEnable
            | ArfKind::FlowControl
            | ArfKind::InstructionPointer
            | ArfKind::MessageControl
            | ArfKind::Null
            | ArfKind::Timestamp,
        ) => reg.byte != 0,
        RegFile::Arf(_) | RegFile::Grf => false,
    };
    let src = instruction.src.iter().any(|src| match *src {
        Src::Direct { reg, .. } => other(reg),
        _ => false,
    });
    src || matches!(instruction.dst, Dst::Direct { reg, .. } if other(reg))
}

#[test]
fn iga64_encodes_what_it_takes_the_same() {
    let mut differ = 0;
    for family in Family::ALL {
        let is_one = |number: &u8| {
            let mut bytes = [0; 16];
            bytes[0] = *number;
            !matches!(decode(family, &bytes), Err(DecodeError::Opcode { .. }))
        };
        let numbers: Vec<u8> = (0..128).filter(is_one).collect();
        let mut random = Bytes(0x1234_5678 + family as u64);
        let mut ours = Vec::with_capacity(SAMPLES);
        while ours.len() < SAMPLES {
            let bytes = random.take();
            ours.extend(instruction(
                family,
                &numbers,
                &mut Unstructured::new(&bytes),
            ));
        }
        let format = Format {
            no_comments: true,
            ..Format::default()
        };
        let disassembler = Disassembler::new(family, format);
        let mut random = Bytes(0x1234_5678 + family as u64);
        let (mut ours, mut texts) = (Vec::new(), Vec::new());
        while ours.len() < SAMPLES {
            let bytes = random.take();
            let made = instruction(family, &numbers, &mut Unstructured::new(&bytes));
            let Some(made) = made else { continue };
            let text = disassembler.print(&made).trim().to_owned();
            if !text.starts_with("//.data") {
                ours.push(made);
                texts.push(text);
            }
        }
        let mut lost = Vec::new();
        for (ours, text) in ours.iter().zip(&texts) {
            let options = AsmOptions {
                family: Some(family),
                ..AsmOptions::default()
            };
            match assemble(text, &options) {
                Ok(assembly) if assembly.code == *ours => {}
                Ok(assembly) => lost.push(format!("{text}: {ours:02x?} {:02x?}", assembly.code)),
                Err(errors) => lost.push(format!("{text}: {}", errors[0].message)),
            }
        }
        for case in lost.iter().take(12) {
            eprintln!("{family}: {case}");
        }
        differ += lost.len();
        let Some(iga) = iga::find(family) else {
            continue;
        };
        let (mut taken, mut wrong) = (0, Vec::new());
        for ((ours, text), theirs) in ours.iter().zip(&texts).zip(iga.assemble_lines(&texts)) {
            let Some(theirs) = theirs else { continue };
            taken += 1;
            let (meant, _) = decode(family, ours).unwrap();
            if *ours != theirs && !is_iga_lax(&meant) && !differ_there_only(family, ours, &theirs) {
                wrong.push(format!("{text}\n  ours {ours:02x?}\n  iga64 {theirs:02x?}"));
            }
        }
        eprintln!("{family}: iga64 takes {taken} of {SAMPLES}");
        assert!(taken > SAMPLES / 20, "{family}: {taken} taken");
        for case in wrong.iter().take(12) {
            eprintln!("{family}: {case}");
        }
        differ += wrong.len();
    }
    assert_eq!(
        differ, 0,
        "texts that assemble to other bytes, here or in iga64"
    );
}
