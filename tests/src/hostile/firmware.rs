//! Firmware files that no kernel driver would load.

use arbitrary::{Arbitrary, Result, Unstructured};
use firmware_notes::{Kind, blob};

use super::{Target, grow};

#[path = "../../../firmware-notes/tests/make/mod.rs"]
mod make;

/// A file with bytes changed, or cut off.
pub const TARGET: Target = Target {
    name: "firmware",
    rounds: 20_000,
    check: |u| grow(u, read),
};

/// A file and the processor that it is taken to be for.
#[derive(Clone, Debug)]
pub struct AnyFile {
    kind: Kind,
    bytes: Vec<u8>,
}

impl<'a> Arbitrary<'a> for AnyFile {
    fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
        let version = (u.arbitrary::<u8>()?.into(), 7, 1);
        let (kind, mut bytes) = match u.int_in_range(0..=6)? {
            0 => (Kind::Guc, make::css(version, version)),
            1 => (Kind::Huc, make::css(version, version)),
            2 => (Kind::Huc, make::huc(version)),
            3 => (Kind::Huc, make::huc_of_dg2(version)),
            4 => (Kind::Gsc, make::gsc(version, 9)),
            5 => (Kind::Dmc, make::dmc(2, 1, 2, &[0, 1, 2])),
            _ => (Kind::Dmc, make::dmc(1, 1, 1, &[0])),
        };
        for _ in 0..u.int_in_range(0..=6)? {
            // Most of a GSC is padding: its fields are at its beginning and at its end.
            let at = u.int_in_range(0..=bytes.len().saturating_sub(4))?;
            let at = if u.arbitrary()? { at % 0x300 } else { at };
            let value = match u.int_in_range(0..=3)? {
                0 => u32::MAX,
                1 => u.int_in_range(0..=0x400)?,
                _ => u.arbitrary::<u32>()?,
            };
            if let Some(field) = bytes.get_mut(at..at + 4) {
                field.copy_from_slice(&value.to_le_bytes());
            }
        }
        if u.ratio(1, 4)? {
            bytes.truncate(u.int_in_range(0..=bytes.len())?);
        }
        let kind = match u.ratio(1, 16)? {
            true => *u.choose(&[Kind::Guc, Kind::Huc, Kind::Gsc, Kind::Dmc])?,
            false => kind,
        };
        Ok(Self { kind, bytes })
    }
}

/// It is read or refused, and every refusal says why.
fn read(file: &AnyFile) {
    match blob::read(file.kind, &file.bytes) {
        Ok(header) => assert!(header.programs > 0, "{header:?}"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
