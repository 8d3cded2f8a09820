//! Instructions, near valid ones more often than chance would have it.

use arbitrary::{Arbitrary, Result, Unstructured};
use devinfo::Family;
use isa_encoder::{decode, encode};

use super::{AnyFamily, Target, grow};

/// Sixteen bytes that may be an instruction.
pub const TARGET: Target = Target {
    name: "instruction",
    rounds: 20_000,
    check: |u| grow(u, round_trip),
};

/// Sixteen bytes, of a family.
#[derive(Clone, Copy, Debug)]
pub struct AnyInstruction {
    /// Whose.
    pub family: Family,
    /// The bytes.
    pub bytes: [u8; 16],
}

impl AnyInstruction {
    /// Bytes for `family`: random ones with the opcode of a common instruction.
    ///
    /// # Errors
    /// If `u` runs out.
    pub fn of(family: Family, u: &mut Unstructured<'_>) -> Result<Self> {
        let mut bytes: [u8; 16] = u.arbitrary()?;
        bytes[0] = u.arbitrary::<u8>()? & 0x7f;
        Ok(Self { family, bytes })
    }
}

impl<'a> Arbitrary<'a> for AnyInstruction {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let AnyFamily(family) = u.arbitrary()?;
        Self::of(family, u)
    }
}

/// Decodes; what decodes must encode to bytes that decode to the same.
///
/// # Panics
/// If the product does, or if the round trip loses something.
pub fn round_trip(input: &AnyInstruction) {
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
