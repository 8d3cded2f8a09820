//! Places of fields in words that were built, for copies that differ in a few values.

use crate::bits::{put_bits, raw};
use crate::error::EncodeError;
use crate::layout::{Field, Row};
use crate::value::Value;

/// Where a field lies in words that [`Builder`](crate::Builder)s have written: see
/// [`Builder::spot`](crate::Builder::spot).
#[derive(Clone, Copy, Debug)]
pub struct Spot {
    pub(crate) field: &'static Field,
    pub(crate) row: &'static Row,
    /// Its first bit.
    pub(crate) start: usize,
}

impl Spot {
    /// Sets the field in a copy of the words, with the checks of
    /// [`Builder::set`](crate::Builder::set).
    ///
    /// # Errors
    /// The value does not fit, or the field does not lie in `words`.
    pub fn put(&self, words: &mut [u32], value: impl Into<Value>) -> Result<(), EncodeError> {
        let value = raw(self.field, self.row, value.into())?;
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
