//! Cache control of load/store messages: the policies of both levels, and their codes.

use core::fmt;

use devinfo::{Family, Span, span};

use crate::message::layout::values;

values! {
    /// What one cache level does with an access.
    ///
    /// Sources: Mesa `brw_eu_defines.h` (`lsc_cache_load`, `lsc_cache_store`, `xe2_lsc_cache_load`,
    /// `xe2_lsc_cache_store`), IGA `MessageDecoderLSC.cpp`.
    #[derive(Default)]
    CachePolicy {
        /// As the surface state says or, without one, the memory object control state.
        #[default]
        State "df",
        /// The level is bypassed.
        Uncached "uc",
        /// The line is kept (loads).
        Cached "ca",
        /// The line is kept, and is evicted first.
        Streaming "st",
        /// The line is dropped after the read, its last use (loads).
        ReadInvalidate "ri",
        /// The next level sees the data at once, and the line is kept (stores).
        WriteThrough "wt",
        /// The next level sees the data when the line is evicted (stores and atomics).
        WriteBack "wb",
        /// The line is kept as read-only (loads, Xe2).
        Constant "cc",
    }
}

/// The policies of the first and the third level.
///
/// Only some pairs have a code, see [`CacheControl::code`]. Messages to shared local memory, which
/// is in no cache, also have the field: compilers fill it as for global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct CacheControl {
    /// The first level.
    pub l1: CachePolicy,
    /// The third level.
    pub l3: CachePolicy,
}

/// The 4-bit codes of loads, and of stores and atomics. Up to XeHPC the field holds the upper three
/// bits of the code.
const LOADS: &[(Span, u8, CachePolicy, CachePolicy)] = {
    use CachePolicy as P;
    &[
        (span!(..), 0x0, P::State, P::State),
        (span!(..), 0x2, P::Uncached, P::Uncached),
        (span!(..), 0x4, P::Uncached, P::Cached),
        (span!(Xe2..), 0x5, P::Uncached, P::Constant),
        (span!(..), 0x6, P::Cached, P::Uncached),
        (span!(..), 0x8, P::Cached, P::Cached),
        (span!(Xe2..), 0x9, P::Cached, P::Constant),
        (span!(..), 0xa, P::Streaming, P::Uncached),
        (span!(..), 0xc, P::Streaming, P::Cached),
        (span!(..=XeHpc), 0xe, P::ReadInvalidate, P::Cached),
        (span!(Xe2..), 0xe, P::ReadInvalidate, P::ReadInvalidate),
    ]
};
const STORES: &[(Span, u8, CachePolicy, CachePolicy)] = {
    use CachePolicy as P;
    &[
        (span!(..), 0x0, P::State, P::State),
        (span!(..), 0x2, P::Uncached, P::Uncached),
        (span!(..), 0x4, P::Uncached, P::WriteBack),
        (span!(..), 0x6, P::WriteThrough, P::Uncached),
        (span!(..), 0x8, P::WriteThrough, P::WriteBack),
        (span!(..), 0xa, P::Streaming, P::Uncached),
        (span!(..), 0xc, P::Streaming, P::WriteBack),
        (span!(..), 0xe, P::WriteBack, P::WriteBack),
    ]
};

/// The codes of loads (or of stores and atomics) of a family.
fn codes(
    family: Family,
    load: bool,
) -> impl Iterator<Item = &'static (Span, u8, CachePolicy, CachePolicy)> {
    let table = if load { LOADS } else { STORES };
    table.iter().filter(move |row| row.0.contains(family))
}

impl CacheControl {
    /// Both levels as the surface or memory object control state says.
    pub const DEFAULT: Self = Self {
        l1: CachePolicy::State,
        l3: CachePolicy::State,
    };

    /// The 4-bit code of this pair; `None` if `family` has none. `load` tells loads from stores and
    /// atomics.
    ///
    /// Loads: each of uncached, cached and streaming in the first level with uncached and cached
    /// in the third; read-invalidate with cached (with read-invalidate on Xe2); on Xe2 uncached
    /// and cached also with constant. Stores: uncached, write-through and streaming with uncached
    /// and write-back; write-back with write-back.
    pub fn code(self, family: Family, load: bool) -> Option<u8> {
        codes(family, load)
            .find(|(_, _, l1, l3)| *l1 == self.l1 && *l3 == self.l3)
            .map(|row| row.1)
    }

    /// The pair that a 4-bit code means. Bit 0 is ignored where no code has it.
    pub(super) fn from_code(family: Family, load: bool, code: u8) -> Self {
        let find = |code: u8| codes(family, load).find(|row| row.1 == code);
        match find(code).or_else(|| find(code & !1)) {
            Some((_, _, l1, l3)) => Self { l1: *l1, l3: *l3 },
            None => Self::DEFAULT,
        }
    }
}

impl fmt::Display for CacheControl {
    /// As IGA's suffix: `.ca.uc`; nothing for the default.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::DEFAULT {
            return Ok(());
        }
        write!(f, ".{}.{}", self.l1, self.l3)
    }
}
