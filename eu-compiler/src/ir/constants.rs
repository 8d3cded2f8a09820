//! What the constants of the program hold.

use std::collections::BTreeSet;

use super::op::{Bin, Input, Op, Symbol};
use super::{Function, Type, Value};

/// The contents of the constants.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Constants {
    /// Their bytes.
    pub bytes: Vec<u8>,
    /// Where qwords begin among them to which whoever loads the program adds an address.
    pub addresses: BTreeSet<u64>,
}

impl Constants {
    /// The bits of a value among them; none behind the end and where an address is.
    pub fn bits(&self, at: u64, ty: Type) -> Option<u64> {
        let end = at.checked_add(ty.bytes().into())?;
        let found = self.bytes.get(at as usize..end as usize)?;
        let mut address = self.addresses.range(at.saturating_sub(7)..end);
        let mut all = [0; 8];
        all[..found.len()].copy_from_slice(found);
        address.next().is_none().then(|| u64::from_le_bytes(all))
    }
}

impl Function {
    /// Where among the constants of the program an address is: the address of them all, and the bytes
    /// from there.
    pub fn among_constants(&self, address: Value) -> Option<(Value, u64)> {
        self.among_constants_by(address, |value| self.bits(value))
    }

    /// The same, with what else is known of values.
    pub fn among_constants_by(
        &self,
        mut address: Value,
        mut bits: impl FnMut(Value) -> Option<u64>,
    ) -> Option<(Value, u64)> {
        let mut distance = 0u64;
        loop {
            let (_, data) = self.source(address)?;
            match (&data.op, data.args.as_slice()) {
                (Op::Bin(Bin::Add), &[base, by]) => {
                    distance = distance.wrapping_add(bits(by)?);
                    address = base;
                }
                (Op::Pair, &[low, _]) => {
                    let (_, half) = self.source(low)?;
                    let of = Symbol::Constants;
                    let begin = Op::Input(Input::Address { of, high: false });
                    return (half.op == begin).then_some((address, distance));
                }
                _ => return None,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_not_known() {
        let constants = Constants {
            bytes: (1..=24).collect(),
            addresses: [8].into(),
        };
        assert_eq!(constants.bits(0, Type::I64), Some(0x0807_0605_0403_0201));
        assert_eq!(constants.bits(6, Type::I16), Some(0x0807));
        assert_eq!(constants.bits(22, Type::F16), Some(0x1817));
        assert_eq!(constants.bits(16, Type::I8), Some(17));
        for (at, ty) in [
            (7, Type::I16),
            (8, Type::I8),
            (15, Type::I8),
            (1, Type::I64),
            (15, Type::I16),
            (23, Type::I16),
            (24, Type::I8),
            (u64::MAX, Type::I8),
        ] {
            assert_eq!(constants.bits(at, ty), None, "{at} {ty}");
        }
    }
}
