//! Addresses in a GPU's virtual address space.

use core::fmt;

/// An address in a per-process GPU address space (PPGTT), of 48 bits or, on Ponte Vecchio, 57.
///
/// Stored without the sign extension; [`GpuAddress::canonical`] gives the form that the i915 and xe
/// uAPIs want (the highest bit replicated into the bits above).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct GpuAddress(u64);

/// The bits of an address that a page table of four levels translates; one of five has
/// [`GpuAddress::BITS`].
const FOUR_LEVELS: u32 = 48;

impl GpuAddress {
    /// The most bits that an address of any platform has
    /// ([`Platform::address_bits`](crate::Platform::address_bits)).
    pub const BITS: u32 = 57;

    /// The address that `raw` names, canonical or not.
    ///
    /// A raw address of 57 bits keeps them, if it is canonical or has no bit above them. Of any other,
    /// and of one that is canonical in 48 bits, bits 63:48 are dropped: compilers leave tags in bits
    /// 63:61 of generic pointers. So the highest 128 TiB of 57 bits cannot be named.
    pub const fn new(raw: u64) -> Self {
        let above = raw >> (FOUR_LEVELS - 1);
        let wide = raw >> Self::BITS == 0 || sign_extend(raw, Self::BITS) == raw;
        let bits = match wide && above != u64::MAX >> (FOUR_LEVELS - 1) {
            true => Self::BITS,
            false => FOUR_LEVELS,
        };
        Self(raw & (u64::MAX >> (64 - bits)))
    }

    /// The value without sign extension.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The value with its highest bit, 47 or 56, replicated into the bits above. An address of 57 bits
    /// below 2^48 has no bit 56, and is canonical by its value alone.
    pub const fn canonical(self) -> u64 {
        match self.0 >> FOUR_LEVELS {
            0 => sign_extend(self.0, FOUR_LEVELS),
            _ => sign_extend(self.0, Self::BITS),
        }
    }

    /// The address plus `bytes`, as [`GpuAddress::new`] takes the sum.
    pub const fn offset(self, bytes: u64) -> Self {
        Self::new(self.0.wrapping_add(bytes))
    }
}

/// The value of the low `bits`, the highest of them replicated.
const fn sign_extend(value: u64, bits: u32) -> u64 {
    (((value << (64 - bits)) as i64) >> (64 - bits)) as u64
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

    #[test]
    fn an_address_of_57_bits_keeps_them() {
        for raw in [0x1_0000_0000_0000, 0xff_ffff_ffff_f000] {
            assert_eq!(GpuAddress::new(raw).get(), raw);
            assert_eq!(GpuAddress::new(raw).canonical(), raw);
        }
        // The upper half, canonical and not.
        for raw in [0xff00_0000_0000_1000, 0x100_0000_0000_1000] {
            assert_eq!(GpuAddress::new(raw).get(), 0x100_0000_0000_1000);
            assert_eq!(GpuAddress::new(raw).canonical(), 0xff00_0000_0000_1000);
        }
    }

    #[test]
    fn what_is_canonical_in_no_width_has_48_bits() {
        for tag in 1..7 {
            let raw = tag << 61 | 0x1234_5678_9000;
            assert_eq!(GpuAddress::new(raw).get(), 0x1234_5678_9000);
        }
    }

    #[test]
    fn a_stored_address_names_itself() {
        for bit in 0..57 {
            let address = GpuAddress::new(1 << bit);
            assert_eq!(GpuAddress::new(address.get()), address);
            assert_eq!(GpuAddress::new(address.canonical()), address);
        }
    }
}
