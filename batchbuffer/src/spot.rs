//! Places of fields in words that were built, for copies that differ in a few values.

use crate::bits::{is_canonical, put_bits, raw};
use crate::error::EncodeError;
use crate::layout::{Field, Kind, Row};
use crate::value::Value;

/// Where a field lies in words that [`Builder`](crate::Builder)s have written: see
/// [`Builder::spot`](crate::Builder::spot).
///
/// What is worked out once is not worked out for each copy: a launch has a dozen of them.
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    field: &'static Field,
    row: &'static Row,
    /// Its first bit.
    start: usize,
    /// The lowest bits of a value, which are zero and not in the field.
    dropped: u8,
    /// How the field takes an address.
    address: Address,
    /// The field's bits, if they lie in two dwords.
    pair: Option<u64>,
}

/// How a field takes an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Address {
    /// In its canonical form.
    Canonical,
    /// Without the bits above.
    Plain,
}

impl Spot {
    pub(crate) fn new(field: &'static Field, row: &'static Row, start: usize) -> Self {
        let is_place = matches!(row.kind, Kind::Address | Kind::Offset | Kind::Register);
        Self {
            field,
            row,
            start,
            dropped: if is_place { row.lo } else { 0 },
            address: match is_place && is_canonical(row) {
                true => Address::Canonical,
                false => Address::Plain,
            },
            pair: (start % 32 + row.bits() as usize <= 64).then(|| row.mask() << (start % 32)),
        }
    }

    /// Sets the field in a copy of the words, with the checks of
    /// [`Builder::set`](crate::Builder::set).
    ///
    /// # Errors
    /// The value does not fit, or the field does not lie in `words`.
    #[inline]
    pub fn put(&self, words: &mut [u32], value: impl Into<Value>) -> Result<(), EncodeError> {
        let value = value.into();
        match self.put_usual(words, value) {
            true => Ok(()),
            false => self.put_any(words, value),
        }
    }

    /// Does so for most values and fields; otherwise nothing.
    #[inline]
    fn put_usual(&self, words: &mut [u32], value: Value) -> bool {
        let whole = match (value, self.address) {
            (Value::Address(address), Address::Canonical) => address.canonical(),
            (Value::Address(address), Address::Plain) => address.get(),
            (Value::Uint(value), _) if !matches!(self.row.kind, Kind::Address) => value,
            _ => return false,
        };
        let raw = whole >> self.dropped;
        let Some(mask) = self.pair else {
            return false;
        };
        if raw << self.dropped != whole || raw > self.row.mask() {
            return false;
        }
        let (first, shift) = (self.start / 32, self.start % 32);
        let bits = raw << shift;
        let put = |dword: &mut u32, half: u32| {
            *dword = *dword & !((mask >> half) as u32) | (bits >> half) as u32;
        };
        let last = if mask >> 32 == 0 { first } else { first + 1 };
        match words.get_mut(first..=last) {
            Some([low]) => put(low, 0),
            Some([low, high]) => {
                put(low, 0);
                put(high, 32);
            }
            _ => return false,
        }
        true
    }

    #[cold]
    fn put_any(&self, words: &mut [u32], value: Value) -> Result<(), EncodeError> {
        let value = raw(self.field, self.row, value)?;
        let bits = self.row.bits();
        if put_bits(words, self.start, bits, value) {
            return Ok(());
        }
        Err(EncodeError::BeyondEnd {
            layout: self.field.layout,
            bit: self.start + bits as usize - 1,
            dwords: words.len(),
        })
    }

    /// The dword that its first bit is in.
    pub fn dword(&self) -> usize {
        self.start / 32
    }
}

#[cfg(test)]
mod tests {
    use devinfo::{Family, GpuAddress};

    use super::*;
    use crate::packets::{compute_walker as walker, pipe_control};
    use crate::states::interface_descriptor_data as idd;

    #[test]
    fn a_copy_with_another_value_is_what_would_be_built_of_it() {
        let built =
            |address| pipe_control::packet(Family::Gen12Lp).set(pipe_control::ADDRESS, address);
        let (one, other) = (GpuAddress::new(0x1_2340), GpuAddress::new(0xffff_8765_4320));
        let mut words = vec![7];
        let spot = built(one).spot(pipe_control::ADDRESS, words.len()).unwrap();
        built(one).emit(&mut words).unwrap();
        spot.put(&mut words, other).unwrap();
        assert_eq!(words[0], 7);
        assert_eq!(words[1..], *built(other).finish().unwrap());
        assert!(spot.put(&mut words, 2u32).is_err(), "misaligned");
        assert!(spot.put(&mut words[..3], other).is_err(), "not there");
    }

    #[test]
    fn the_short_way_writes_what_the_long_one_does() {
        let family = Family::Gen12Lp;
        let walker = || crate::packets::gpgpu_walker::packet(family);
        let spots = [
            pipe_control::packet(family).spot(pipe_control::ADDRESS, 1),
            pipe_control::packet(family).spot(pipe_control::IMMEDIATE_DATA, 0),
            walker().spot(crate::packets::gpgpu_walker::INDIRECT_DATA_START_ADDRESS, 0),
            walker().spot(crate::packets::gpgpu_walker::SIMD_SIZE, 0),
            idd::state(family).spot(idd::BINDING_TABLE_POINTER, 2),
            idd::state(family).spot(idd::KERNEL_START_POINTER, 0),
        ];
        let mut taken = 0;
        for spot in spots {
            let spot = spot.unwrap();
            for bit in 0..64 {
                for number in [1u64 << bit, u64::MAX >> bit, u64::MAX << bit] {
                    for value in [Value::Uint(number), Value::Address(GpuAddress::new(number))] {
                        let (mut short, mut long) = ([0xa5a5_a5a5; 20], [0xa5a5_a5a5; 20]);
                        let put = spot.put_any(&mut long, value);
                        if spot.put_usual(&mut short, value) {
                            assert_eq!((put, short), (Ok(()), long), "{spot:?} {value}");
                            taken += 1;
                        } else {
                            assert_eq!(short, [0xa5a5_a5a5; 20], "nothing is written");
                        }
                    }
                }
            }
        }
        assert!(taken > 500, "{taken}");
    }

    #[test]
    fn a_field_of_a_nested_state_is_found() {
        let built = |table: u32| {
            let state = idd::state(Family::XeHpg).set(idd::BINDING_TABLE_POINTER, table);
            walker::packet(Family::XeHpg).set_state(walker::INTERFACE_DESCRIPTOR, state)
        };
        let spot = built(0).spot(idd::BINDING_TABLE_POINTER, 0).unwrap();
        let mut words = built(64).finish().unwrap();
        spot.put(&mut words, 0x1f20u32).unwrap();
        assert_eq!(words, built(0x1f20).finish().unwrap());
        assert!(built(0).spot(pipe_control::ADDRESS, 0).is_err());
    }
}
