//! Instructions, closer to valid ones than chance would make them.

use std::sync::LazyLock;

use arbitrary::{Arbitrary, Result, Unstructured};
use devinfo::Family;
use isa_encoder::disasm::Format;
use isa_encoder::{
    AsmOptions, DecodeError, Disassembler, Instruction, Opcode, Specific, assemble, decode, encode,
};

use super::{AnyFamily, Target, grow};

/// Sixteen bytes that may be an instruction.
pub const TARGET: Target = Target {
    name: "instruction",
    rounds: 20_000,
    check: |u| grow(u, round_trips),
};

/// The opcode fields that are instructions in each family.
static OPCODES: LazyLock<[Vec<u8>; Family::ALL.len()]> = LazyLock::new(|| {
    Family::ALL.map(|family| {
        let is_one = |number: &u8| {
            let mut bytes = [0; 16];
            bytes[0] = *number;
            !matches!(decode(family, &bytes), Err(DecodeError::Opcode { .. }))
        };
        (0..128).filter(is_one).collect()
    })
});

/// Sixteen bytes, of a family.
#[derive(Clone, Copy, Debug)]
pub struct AnyInstruction {
    /// Whose.
    pub family: Family,
    /// The bytes.
    pub bytes: [u8; 16],
}

impl AnyInstruction {
    /// Bytes for `family`: an opcode of the family, then random bytes with many zeros, because
    /// zeros are valid more often. One in 16 has any opcode.
    ///
    /// # Errors
    /// If `u` runs out.
    pub fn of(family: Family, u: &mut Unstructured<'_>) -> Result<Self> {
        let mut bytes: [u8; 16] = u.arbitrary()?;
        let mask: [u8; 16] = u.arbitrary()?;
        let [opcode, choice, ..] = mask;
        bytes.iter_mut().zip(mask).for_each(|(byte, m)| *byte &= m);
        let known = OPCODES.get(family as usize).map_or(&[][..], Vec::as_slice);
        bytes[0] = match known.get(usize::from(opcode) % known.len().max(1)) {
            Some(known) if choice % 16 != 0 => *known,
            _ => opcode & 0x7f,
        };
        Ok(Self { family, bytes })
    }

    /// The instruction of the bytes in the 16-byte form, encoded again; `None` if they are no
    /// instruction, or one that text alone cannot express: a branch needs its target, and `illegal`
    /// has no options.
    ///
    /// # Panics
    /// If it is encoded in another length.
    pub fn encoded(&self) -> Option<Encoded> {
        let mut bytes = self.bytes;
        // Bit 29: compacted.
        bytes[3] &= !0x20;
        let (instruction, length) = decode(self.family, &bytes).ok()?;
        let is_branch = matches!(instruction.specific, Specific::Branch(_));
        if is_branch || instruction.opcode == Opcode::Illegal {
            return None;
        }
        let (bytes, again) = encode(self.family, &instruction).ok()?;
        assert_eq!(length, again, "{} {instruction:?}", self.family);
        Some(Encoded {
            family: self.family,
            instruction,
            bytes,
        })
    }
}

impl<'a> Arbitrary<'a> for AnyInstruction {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let AnyFamily(family) = u.arbitrary()?;
        Self::of(family, u)
    }
}

/// An instruction that has an encoding.
#[derive(Clone, Copy, Debug)]
pub struct Encoded {
    /// Whose.
    pub family: Family,
    /// The instruction.
    pub instruction: Instruction,
    /// Its encoding.
    pub bytes: [u8; 16],
}

impl Encoded {
    /// Its text, without comments; `None` if it only prints as data.
    pub fn text(&self) -> Option<String> {
        let format = Format {
            no_comments: true,
            ..Format::default()
        };
        let text = Disassembler::new(self.family, format).print(&self.bytes);
        let text = text.trim();
        (!text.starts_with("//.data")).then(|| text.to_owned())
    }

    /// Whether the text assembles to the bytes.
    ///
    /// # Errors
    /// The text, and the result of assembling it.
    pub fn reads_back(&self) -> std::result::Result<(), String> {
        let Some(text) = self.text() else {
            return Ok(());
        };
        let given = self.bytes;
        let code = assembled(self.family, &text)?;
        (code == given)
            .then_some(())
            .ok_or_else(|| format!("{text}: {given:02x?} {code:02x?}"))
    }

    /// What the text assembles to for those who do not read `//.bits`: the bits that the
    /// instruction ignores are as any assembler leaves them.
    ///
    /// # Errors
    /// The text, and why it does not assemble.
    pub fn without_odd_bits(&self) -> std::result::Result<Vec<u8>, String> {
        let text = self.text().unwrap_or_default();
        assembled(self.family, text.split("//.bits").next().unwrap_or(&text))
    }
}

fn assembled(family: Family, text: &str) -> std::result::Result<Vec<u8>, String> {
    assemble(text, &AsmOptions::for_family(family))
        .map(|assembly| assembly.code)
        .map_err(|errors| {
            let why = errors.first().map_or("", |error| &error.message);
            format!("{text}: {why}")
        })
}

/// Decodes the bytes. An instruction must encode to bytes that decode to the same instruction, and
/// if it has an encoding, its text must assemble to that.
///
/// # Panics
/// If the product does, or if a round trip loses something.
pub fn round_trips(input: &AnyInstruction) {
    if let Some(Err(why)) = input.encoded().map(|encoded| encoded.reads_back()) {
        panic!("{}: {why}", input.family);
    }
    let Ok((instruction, length)) = decode(input.family, &input.bytes) else {
        return;
    };
    assert!(length == 8 || length == 16, "a length of {length} bytes");
    let Ok((bytes, length)) = encode(input.family, &instruction) else {
        return;
    };
    let again = decode(input.family, &bytes[..length]).map(|(instruction, _)| instruction);
    assert_eq!(
        again.as_ref(),
        Ok(&instruction),
        "{:02x?} became {bytes:02x?}",
        input.bytes
    );
}
