//! The load/store syntax: what IGC writes assembles to its bytes, what is printed assembles to the
//! same bytes here and in iga64.
//!
//! `vectors/load_store.txt` has one line for each form in the listings that the newer IGC writes
//! for the kernels of `tests/kernels` on bmg, lnl, pvc and mtl (`IGC_ShaderDumpEnable=1`): family,
//! bytes in memory order, and the text as IGC writes it.
#![cfg(test)]

mod common;

use arbitrary::Unstructured;
use common::messages::lsc;
use common::vectors;
use devinfo::Family;
use isa_encoder::disasm::Format;
use isa_encoder::message::Message;
use isa_encoder::{Disassembler, Validation};
use oracles::{Random, iga, unhex};

const FORMAT: Format = Format {
    offsets: false,
    hex: false,
    no_comments: true,
    load_store: true,
};

fn assembled(family: Family, text: &str) -> Vec<u8> {
    vectors::assembled(family, text, Validation::Off)
        .unwrap_or_else(|why| panic!("{family} {text}: {why}"))
}

fn printed(family: Family, code: &[u8]) -> String {
    Disassembler::new(family, FORMAT).print(code)
}

/// The words of a line, without its options.
fn words(text: &str) -> Vec<&str> {
    let text = text.split('{').next().unwrap();
    text.split_whitespace().collect()
}

struct Case {
    family: Family,
    bytes: Vec<u8>,
    text: &'static str,
}

fn committed() -> impl Iterator<Item = Case> {
    let lines = include_str!("vectors/load_store.txt").lines();
    lines.map(|line| {
        let mut words = line.splitn(3, ' ');
        Case {
            family: vectors::family(words.next().unwrap()),
            bytes: unhex(words.next().unwrap()).unwrap(),
            text: words.next().unwrap(),
        }
    })
}

#[test]
fn what_igc_writes_assembles_to_its_bytes() {
    let mut count = 0;
    for Case {
        family,
        bytes,
        text,
    } in committed()
    {
        assert_eq!(assembled(family, text), bytes, "{family} {text}");
        let ours = printed(family, &bytes);
        assert_eq!(words(&ours), words(text), "{family}");
        assert_eq!(assembled(family, &ours), bytes, "{family} {ours}");
        count += 1;
    }
    assert!(count > 400, "{count}");
}

#[test]
fn both_syntaxes_mix() {
    let text = "\
        (W) load.ugm.d32x16t.a32.ca.cc (1|M0) r1:1 bti[255][r127:1] {$0}\n\
        (W) send.ugm (1|M0) r1 r127 null:0 0xFF000000 0x6219D500 {$0}\n";
    let code = assembled(Family::Xe2, text);
    assert_eq!(code[..16], code[16..]);
}

/// Random sends of every kind of message, with an immediate extended descriptor and with one in a
/// register.
fn sends(family: Family) -> Vec<Vec<u8>> {
    let mut random = Random::new(1);
    let mut text = String::new();
    for _ in 0..48_000 {
        let bytes = random.bytes(64);
        let message = Message::Lsc(lsc(&mut Unstructured::new(&bytes)).unwrap());
        let Ok((function, descriptors)) = message.encode(family) else {
            continue;
        };
        let descriptor = descriptors.descriptor | 2 << 25 | (random.below(2) as u32) << 20;
        let extended = match descriptors.extended_offset {
            Some(offset) => format!("{offset:#x}:a0.2"),
            None if random.below(8) == 0 => "a0.2".to_owned(),
            None => format!("{:#x}", descriptors.extended),
        };
        let src1 = random.pick(&["null:0", "r40:3"]);
        let dst = random.pick(&["null", "r20"]);
        text += &format!("send.{function} (16|M0) {dst} r30 {src1} {extended} {descriptor:#x}\n");
    }
    let code = assembled(family, &text);
    code.chunks(16).map(<[u8]>::to_vec).collect()
}

#[test]
fn what_is_printed_assembles_to_the_same_bytes() {
    for family in Family::ALL {
        if isa_encoder::Sfid::Ugm.id(family).is_err() {
            continue;
        }
        let sends = sends(family);
        let lines: Vec<String> = sends.iter().map(|code| printed(family, code)).collect();
        for (code, line) in sends.iter().zip(&lines) {
            assert_eq!(assembled(family, line), *code, "{family} {line}");
        }
        let told = lines.iter().filter(|line| !line.contains("send")).count();
        assert!(told > 150, "{family}: {told} of {}", lines.len());
        assert!(told < lines.len(), "{family}");
        // iga64 has no words for fences, 1.1.0 forgets the last letter of `d16u32h`, and it drops
        // the vector's size behind `u32`.
        let known = |line: &str| {
            !["fence", "send", "d16u32h", "u32x"]
                .iter()
                .any(|word| line.contains(word))
        };
        let Some(iga) = iga::find(family) else {
            continue;
        };
        let (codes, texts): (Vec<_>, Vec<_>) = sends
            .iter()
            .zip(lines)
            .filter(|(_, line)| known(line))
            .unzip();
        let theirs = iga.assemble_lines(&texts);
        let mut taken = 0;
        for ((code, text), theirs) in codes.iter().zip(&texts).zip(theirs) {
            if let Some(theirs) = theirs {
                assert_eq!(theirs, **code, "{family} {text}");
                taken += 1;
            } else {
                println!("{family}: iga64 refuses {text}");
            }
        }
        assert!(taken > 100, "{family}: {taken} of {}", texts.len());
    }
}
