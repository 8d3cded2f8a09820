//! What holds for any bytes and any text.
#![cfg(test)]

mod common;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;

use arbitrary::Unstructured;
use common::vectors;
use devinfo::Family;
use isa_encoder::disasm::Format;
use isa_encoder::{
    AsmOptions, CondMod, DecodeError, Descriptor, Disassembler, Dst, Flag, Instruction, Opcode,
    Options, Specific, Src, Validation, assemble, decode, encode, has_opcode,
};

/// Runs `property` on `count` inputs of 64 to 4,096 random bytes. A failure prints its input's
/// seed, with which `arbtest` runs it alone.
fn check(count: u64, property: impl Fn(&mut Unstructured<'_>) -> arbitrary::Result<()>) {
    for case in 0..count {
        let size = 64 << (case % 7);
        arbtest::arbtest(&property).seed((SEED + case) << 32 | size);
    }
}

/// The first seed.
const SEED: u64 = 0x1234_5678;

/// The opcode numbers of each family.
fn opcode_numbers() -> HashMap<Family, Vec<u8>> {
    let is_one = |family, number| {
        let mut bytes = [0; 16];
        bytes[0] = number;
        !matches!(decode(family, &bytes), Err(DecodeError::Opcode { .. }))
    };
    let numbers = |family| (0..128).filter(move |number| is_one(family, *number));
    let rows = Family::ALL.into_iter();
    rows.map(|family| (family, numbers(family).collect()))
        .collect()
}

/// An instruction of random bytes: reserved combinations also decode, so that they can be shown.
fn decoded(
    u: &mut Unstructured<'_>,
    family: Family,
    numbers: &[u8],
) -> arbitrary::Result<Option<Instruction>> {
    let mut bytes: [u8; 16] = u.arbitrary()?;
    // Mostly an opcode, and often few bits, so that not all fields are reserved values.
    if u.ratio(7, 8)? {
        bytes[0] = *u.choose(numbers)?;
    }
    if u.arbitrary()? {
        let mask: [u8; 16] = u.arbitrary()?;
        let pairs = bytes.iter_mut().zip(mask);
        pairs.skip(1).for_each(|(byte, mask)| *byte &= mask);
    }
    // Half of the cases in the 16-byte form.
    if u.arbitrary()? {
        bytes[3] &= !0x20;
    }
    let Ok((instruction, length)) = decode(family, &bytes) else {
        return Ok(None);
    };
    let is_short = instruction.options.contains(Options::COMPACTED);
    assert_eq!(length == 8, is_short, "{family} {bytes:02x?}");
    Ok(Some(instruction))
}

/// `instruction` has no encoding in `family`, or decodes to itself again. Returns whether it has an
/// encoding.
fn comes_back(family: Family, instruction: &Instruction) -> bool {
    let Ok((first, length)) = encode(family, instruction) else {
        return false;
    };
    let mut expected = *instruction;
    // This one is for the assembler.
    expected.options.remove(Options::NO_COMPACT);
    // The macros imply it.
    if let Specific::Math(function) = instruction.specific
        && function.is_macro()
    {
        expected.cond = Some(CondMod::Eo);
    }
    let again = decode(family, &first[..length]);
    assert_eq!(again, Ok((expected, length)), "{family} {first:02x?}");
    let (second, _) = encode(family, &expected).unwrap();
    assert_eq!(first, second, "{family} {instruction:?}");
    true
}

/// Random bytes never cause a panic; what decodes and has an encoding decodes to the same
/// instruction again. Some instructions of every format of every family have one.
#[test]
fn encode_then_decode_is_the_identity() {
    let encoded = RefCell::new(HashMap::<_, u32>::new());
    let numbers = opcode_numbers();
    check(300_000, |u| {
        let family = *u.choose(&Family::ALL)?;
        if let Some(instruction) = decoded(u, family, &numbers[&family])?
            && comes_back(family, &instruction)
        {
            let format = format!("{:?}", instruction.opcode.format());
            *encoded.borrow_mut().entry((family, format)).or_default() += 1;
        }
        Ok(())
    });
    let encoded = encoded.into_inner();
    for family in Family::ALL {
        for &opcode in Opcode::ALL.iter().filter(|&&op| has_opcode(family, op)) {
            let format = format!("{:?}", opcode.format());
            let count = encoded.get(&(family, format.clone())).copied();
            assert!(count.unwrap_or(0) >= 3, "{family} {format}: {count:?}");
        }
    }
}

/// No part of an instruction is dropped: any instruction put together from parts of others has no
/// encoding or decodes to itself.
#[test]
fn nothing_is_dropped_in_encoding() {
    let encoded = Cell::new(0);
    let numbers = opcode_numbers();
    check(300_000, |u| {
        let family = *u.choose(&Family::ALL)?;
        let other = *u.choose(&Family::ALL)?;
        let Some(mut instruction) = decoded(u, family, &numbers[&family])? else {
            return Ok(());
        };
        let Some(other) = decoded(u, other, &numbers[&other])? else {
            return Ok(());
        };
        for _ in 0..u.int_in_range(1..=2)? {
            mix(u, &mut instruction, &other)?;
        }
        if comes_back(family, &instruction) {
            encoded.set(encoded.get() + 1);
        }
        Ok(())
    });
    assert!(encoded.get() > 3_000, "{encoded:?} of 300000 have one");
}

/// Replaces a part of `instruction`.
fn mix(
    u: &mut Unstructured<'_>,
    instruction: &mut Instruction,
    other: &Instruction,
) -> arbitrary::Result<()> {
    let source = *u.choose(&other.src)?;
    let place = u.choose_index(instruction.src.len())?;
    match u.int_in_range(0..=16)? {
        0 => instruction.exec_size = u.int_in_range(0..=33)?,
        1 => instruction.channel_offset = u.int_in_range(0..=33)?,
        2 => instruction.no_mask ^= true,
        3 => instruction.predicate = other.predicate,
        4 => instruction.cond = other.cond,
        5 => {
            instruction.flag = Flag {
                register: u.int_in_range(0..=5)?,
                subregister: u.int_in_range(0..=2)?,
            }
        }
        6 => instruction.saturate ^= true,
        7 => instruction.dst = other.dst,
        8 => instruction.src[place] = source,
        9 => instruction.specific = other.specific,
        10 => instruction.swsb = other.swsb,
        11 => instruction.options ^= Options::from_bits_truncate(1 << u.int_in_range(0..=15)?),
        12 => match &mut instruction.src[place] {
            Src::Direct { reg, .. } | Src::Macro { reg, .. } => {
                reg.byte = u.int_in_range(0..=64)?;
            }
            Src::Immediate { value, .. } => *value = u.arbitrary()?,
            Src::Indirect { offset, .. } => *offset = u.arbitrary()?,
            Src::None => {}
        },
        13 => match &mut instruction.src[place] {
            Src::Direct { mods, .. } | Src::Macro { mods, .. } | Src::Indirect { mods, .. } => {
                mods.neg ^= true;
            }
            _ => {}
        },
        14 => match &mut instruction.src[place] {
            Src::Direct { region, ty, .. } | Src::Macro { region, ty, .. } => {
                if let Src::Direct {
                    region: new,
                    ty: new_type,
                    ..
                } = source
                {
                    if u.arbitrary()? {
                        *region = new;
                    } else {
                        *ty = new_type;
                    }
                }
            }
            _ => {}
        },
        15 => match &mut instruction.dst {
            Dst::Direct { reg, hstride, .. } | Dst::Macro { reg, hstride, .. } => {
                if u.arbitrary()? {
                    *hstride = u.int_in_range(0..=5)?;
                } else {
                    reg.byte = u.int_in_range(0..=64)?;
                }
            }
            _ => {}
        },
        _ => match &mut instruction.specific {
            Specific::Send(send) => match u.int_in_range(0..=5)? {
                0 => send.ex_bso ^= true,
                1 => send.cps ^= true,
                2 => send.exdesc_offset = u.arbitrary::<u32>()? & 0xfff8_f000,
                3 => send.src1_len = Some(u.int_in_range(0..=40)?),
                4 => send.src1_len = None,
                _ => {
                    let subreg = u.int_in_range(0..=9)?;
                    if u.arbitrary()? {
                        send.exdesc = Descriptor::Register { subreg };
                    } else {
                        send.desc = Descriptor::Register { subreg };
                    }
                }
            },
            Specific::Branch(branch) => {
                if u.arbitrary()? {
                    branch.uip = u.arbitrary()?;
                } else {
                    branch.control ^= true;
                }
            }
            Specific::Dpas(dpas) => {
                if u.arbitrary()? {
                    dpas.depth = u.int_in_range(0..=9)?;
                } else {
                    dpas.repeat = u.int_in_range(0..=9)?;
                }
            }
            _ => {}
        },
    }
    Ok(())
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
        match assemble(&text, &AsmOptions::for_family(family)) {
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

/// Code as other compilers write it: real instructions with some bits changed. Its text assembles
/// to the same bytes, odd bits included, and nearly all of it has text.
#[test]
fn foreign_instructions_are_text_and_their_bytes_again() {
    for family in Family::ALL {
        let real: Vec<Vec<u8>> = vectors::bytes(family).collect();
        assert!(real.len() > 1000, "{family}");
        let disassembler = Disassembler::new(family, Format::default());
        let options = AsmOptions::for_family(family).validated(Validation::Off);
        let counts = Cell::new((0, 0, 0));
        check(400, |u| {
            let mut code = Vec::new();
            for _ in 0..20 {
                let mut bytes = u.choose(&real)?.clone();
                for _ in 0..u.int_in_range(0..=4)? {
                    // Opcode and size stay unchanged.
                    let bit = u.int_in_range(7..=bytes.len() * 8 - 1)?;
                    if bit != 29 {
                        bytes[bit / 8] ^= 1 << (bit % 8);
                    }
                }
                code.extend(bytes);
            }
            let text = disassembler.print(&code);
            match assemble(&text, &options) {
                Ok(assembly) => assert_eq!(assembly.code, code, "{family}\n{text}"),
                Err(errors) => panic!("{family} {}\n{text}", errors[0].message),
            }
            let (mut all, mut odd, mut data) = counts.get();
            for line in disassembler.lines(&code) {
                all += 1;
                odd += usize::from(line.bits.is_some());
                data += usize::from(line.text.is_none());
            }
            counts.set((all, odd, data));
            Ok(())
        });
        let (all, odd, data) = counts.get();
        eprintln!("{family}: {all} instructions, {odd} with odd bits, {data} data");
        assert!(odd * 5 > all, "{family}: {odd} of {all} have odd bits");
        assert!(data * 4 < all, "{family}: {data} of {all} are data");
    }
}
