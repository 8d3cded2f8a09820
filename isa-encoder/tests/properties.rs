//! What holds for any bytes and any text.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails by panicking"
)]

use arbitrary::Unstructured;
use devinfo::Family;
use isa_encoder::disasm::Format;
use isa_encoder::{AsmOptions, Disassembler, Options, assemble, decode, encode};

/// Runs `property` on `count` inputs of 64 to 4,096 random bytes. A failure prints its input's
/// seed, which `arbtest` takes to run it alone.
fn check(count: u64, property: impl Fn(&mut Unstructured<'_>) -> arbitrary::Result<()>) {
    for case in 0..count {
        let size = 64 << (case % 7);
        arbtest::arbtest(&property).seed((SEED + case) << 32 | size);
    }
}

/// The first seed.
const SEED: u64 = 0x1234_5678;

/// Random bytes never panic; what decodes has an encoding, and that decodes to the same
/// instruction and encodes to the same bytes again.
#[test]
fn encode_then_decode_is_the_identity() {
    check(300_000, |u| {
        let family = *u.choose(&Family::ALL)?;
        let mut bytes: [u8; 16] = u.arbitrary()?;
        // Half of the cases in the 16-byte form.
        if u.arbitrary()? {
            bytes[3] &= !0x20;
        }
        let Ok((instruction, length)) = decode(family, &bytes) else {
            return Ok(());
        };
        assert_eq!(
            length == 8,
            instruction.options.contains(Options::COMPACTED)
        );
        let Ok((first, length)) = encode(family, &instruction) else {
            // Reserved combinations decode, so that they can be shown, and have no encoding.
            return Ok(());
        };
        let again = decode(family, &first[..length]);
        assert_eq!(
            again,
            Ok((instruction, length)),
            "{family} {bytes:02x?} {first:02x?}"
        );
        let (second, _) = encode(family, &instruction).unwrap();
        assert_eq!(first, second, "{family} {instruction:?}");
        Ok(())
    });
}

/// The disassembler prints anything, and its text assembles to the same bytes.
#[test]
fn any_bytes_disassemble_and_assemble_again() {
    check(6_000, |u| {
        let family = *u.choose(&Family::ALL)?;
        let bytes: Vec<u8> = u.arbitrary()?;
        let disassembler = Disassembler::new(family, Format::default());
        let text = disassembler.print(&bytes);
        let listing = disassembler.listing(&bytes);
        let parts = listing.parts(u.int_in_range(1..=9)?);
        let again: String = parts.into_iter().map(|part| listing.print(part)).collect();
        assert_eq!(again, text, "{family}");
        let options = AsmOptions {
            family: Some(family),
            ..AsmOptions::default()
        };
        match assemble(&text, &options) {
            Ok(assembly) => assert_eq!(assembly.code, bytes, "{family}\n{text}"),
            Err(errors) => panic!("{family} {}\n{text}", errors[0].message),
        }
        Ok(())
    });
}

/// Any text assembles or gives diagnostics whose places lie in it.
#[test]
fn any_text_is_diagnosed() {
    const WORDS: &[&str] = &[
        "add",
        "mov",
        "(8|M0)",
        "(W)",
        "r10.0<1>:d",
        "r12.0<8;8,1>:f",
        "null",
        "0x12:ud",
        "-1.5:f",
        "{",
        "}",
        "@1",
        "$2.dst",
        "Compacted",
        "send.dc0",
        "if",
        "L1",
        "L1:",
        "\n",
        "//.simd 16",
        "//.arg x ptr @32",
        "//.kernel k",
        "/*",
        "*/",
        "(",
        ")",
        "<",
        "r[a0.0,16]",
        "'",
        "é",
        "sync.allwr",
        "($1,$2)",
        "(f0.0)",
        "(lt)f0.0",
        "math.inv",
        "//.platform dg2:8",
        ":",
    ];
    check(6_000, |u| {
        let family = *u.choose(&Family::ALL)?;
        let mut text = String::new();
        for _ in 0..u.int_in_range(0..=60)? {
            text.push_str(u.choose(WORDS)?);
            text.push_str(u.choose(&[" ", "", "\n"])?);
        }
        let options = AsmOptions {
            family: Some(family),
            auto_compact: u.arbitrary()?,
            ..AsmOptions::default()
        };
        if let Err(diagnostics) = assemble(&text, &options) {
            assert!(!diagnostics.is_empty());
            for diagnostic in diagnostics {
                assert!(diagnostic.span.start <= diagnostic.span.end);
                assert!(diagnostic.span.end <= text.len(), "{diagnostic:?}");
                diagnostic.span.line_column(&text);
            }
        }
        Ok(())
    });
}
