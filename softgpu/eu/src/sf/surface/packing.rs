//! Texels whose conversion is simple, all channels of a message at once.

use super::format::{LANES, UNORM_BYTES};

/// How such a texel lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sf) struct Packing {
    /// Bytes of a texel: 4, 8 or 16.
    pub bytes: u32,
    /// One, in register form.
    pub one: u32,
    pub(super) kind: Kind,
    /// The components that the format has.
    pub(super) components: u8,
}

/// What its components are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Bytes, at these bits.
    Bytes { at: [u8; 4], normalised: bool },
    /// Dwords, one behind the other.
    Dwords,
}

/// Adding it to a number from 0 to 2^51 leaves the nearest integer, the even one of two, in the low
/// bits.
const NEAREST: f64 = 6_755_399_441_055_744.0;

impl Packing {
    /// Whether `components` are all that there are.
    pub fn is_whole(&self, components: u8) -> bool {
        self.components & !components == 0
    }

    /// Whether channels are integers.
    pub fn is_integer(&self) -> bool {
        self.one == 1
    }

    fn has(&self, component: usize) -> bool {
        self.components >> component & 1 != 0
    }

    /// The components of the texels at the beginning of `bytes`; absent colours are 0, alpha 1.
    #[inline(always)]
    pub fn unpack<const N: usize>(&self, bytes: &[u8; 16 * LANES], texels: &mut [[u32; N]; 4]) {
        texels[3] = [self.one; N];
        let dwords = bytes.as_chunks::<4>().0;
        match self.kind {
            Kind::Bytes { at, normalised } => {
                for (component, values) in texels.iter_mut().enumerate() {
                    if !self.has(component) {
                        continue;
                    }
                    let shift = at[component] & 31;
                    for (value, dword) in values.iter_mut().zip(dwords) {
                        *value = u32::from_le_bytes(*dword) >> shift & 0xff;
                    }
                    if normalised {
                        for value in values {
                            *value = UNORM_BYTES[(*value & 0xff) as usize];
                        }
                    }
                }
            }
            Kind::Dwords => {
                let count = (self.bytes / 4) as usize;
                for (component, values) in texels.iter_mut().enumerate().take(count) {
                    for (value, texel) in values.iter_mut().zip(dwords.chunks(count)) {
                        *value = u32::from_le_bytes(texel[component]);
                    }
                }
            }
        }
    }

    /// The texels of components.
    #[inline(always)]
    pub fn pack<const N: usize>(&self, texels: &[[u32; N]; 4], bytes: &mut [u8; 16 * LANES]) {
        let dwords = bytes.as_chunks_mut::<4>().0;
        match self.kind {
            Kind::Bytes { at, normalised } => {
                let mut packed = [0; N];
                for (component, values) in texels.iter().enumerate() {
                    if !self.has(component) {
                        continue;
                    }
                    let shift = at[component] & 31;
                    for (texel, value) in packed.iter_mut().zip(values) {
                        let byte = if normalised {
                            unorm_byte(*value)
                        } else {
                            (*value).min(0xff)
                        };
                        *texel |= byte << shift;
                    }
                }
                for (dword, texel) in dwords.iter_mut().zip(packed) {
                    *dword = u32::to_le_bytes(texel);
                }
            }
            Kind::Dwords => {
                let count = (self.bytes / 4) as usize;
                for (component, values) in texels.iter().enumerate().take(count) {
                    for (value, texel) in values.iter().zip(dwords.chunks_mut(count)) {
                        texel[component] = value.to_le_bytes();
                    }
                }
            }
        }
    }
}

/// A normalised byte: the same as `format::store`.
#[inline(always)]
fn unorm_byte(value: u32) -> u32 {
    let number = f32::from_bits(value);
    let number = if number > 0.0 { number.min(1.0) } else { 0.0 };
    (f64::from(number) * 255.0 + NEAREST).to_bits() as u32 & 0xff
}
