//! Addresses in a GPU's virtual address space.

use core::fmt;

/// A 48-bit address in a per-process GPU address space (PPGTT).
///
/// Stored without the sign extension; [`GpuAddress::canonical`] gives the form that the i915 and xe
/// uAPIs want (bit 47 replicated into 63:48).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct GpuAddress(u64);

impl GpuAddress {
    /// The number of bits of an address.
    pub const BITS: u32 = 48;
    const MASK: u64 = (1 << Self::BITS) - 1;

    /// The address that `raw` names, canonical or not: bits 63:48 are dropped.
    pub const fn new(raw: u64) -> Self {
        Self(raw & Self::MASK)
    }

    /// The 48-bit value.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The value with bit 47 replicated into bits 63:48.
    pub const fn canonical(self) -> u64 {
        (((self.0 << 16) as i64) >> 16) as u64
    }

    /// The address plus `bytes`, wrapping at 2^48 as the hardware does.
    pub const fn offset(self, bytes: u64) -> Self {
        Self::new(self.0.wrapping_add(bytes))
    }
}

impl fmt::Display for GpuAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#014x}", self.0)
    }
}

impl fmt::Debug for GpuAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::GpuAddress;

    #[test]
    fn canonical_form_replicates_bit_47() {
        assert_eq!(
            GpuAddress::new(0xffff_8001_0000_1000).get(),
            0x8001_0000_1000
        );
        assert_eq!(
            GpuAddress::new(0x8001_0000_1000).canonical(),
            0xffff_8001_0000_1000
        );
        assert_eq!(
            GpuAddress::new(0x7fff_0000_0000).canonical(),
            0x7fff_0000_0000
        );
    }
}
