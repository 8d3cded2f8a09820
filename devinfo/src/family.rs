//! The list of families, and spans of it.

use core::fmt;

/// Generates everything that must know every family from one list of families.
macro_rules! families {
    ($d:tt $($(#[$doc:meta])* $family:ident $name:literal,)*) => {
        /// A hardware family: one EU instruction set and one set of packet layouts.
        ///
        /// The features of a family are written in rows: one `match` without a wildcard in each
        /// crate that needs them, and [`Span`]s in tables. Logic must not depend on an order of
        /// families.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Family {
            $($(#[$doc])* $family,)*
        }

        impl Family {
            /// Every family, oldest first.
            pub const ALL: [Family; [$($name),*].len()] = [$(Family::$family),*];
        }

        impl fmt::Display for Family {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $(Family::$family => $name,)*
                })
            }
        }

        /// Evaluates an expression with a family's [index](crate::Family::index) as a constant, so
        /// that code can be generic over the family and is compiled once per family.
        ///
        /// ```
        /// use devinfo::{Family, for_family};
        ///
        /// fn grf_bits<const FAMILY: usize>() -> usize {
        ///     Family::ALL[FAMILY].grf_bytes() * 8
        /// }
        ///
        /// for family in Family::ALL {
        ///     let bits = for_family!(family, FAMILY => grf_bits::<FAMILY>());
        ///     assert_eq!(bits, family.grf_bytes() * 8);
        /// }
        /// ```
        #[macro_export]
        macro_rules! for_family {
            ($d of:expr, $d index:ident => $d body:expr) => {
                match $d of {
                    $($d crate::Family::$family => {
                        const $d index: usize = $d crate::Family::$family.index();
                        $d body
                    })*
                }
            };
        }
    };
}

families! { $
    /// Broadwell (`bdw`).
    Gen8 "Gen8",
    /// Skylake and its successors (`skl`).
    Gen9 "Gen9",
    /// Ice Lake (`icl`).
    Gen11 "Gen11",
    /// Tiger Lake, Rocket Lake, Alder Lake, DG1 (`tgl`, `rkl`, `adl`, `dg1`).
    Gen12Lp "Gen12LP",
    /// Alchemist and Meteor Lake (`dg2`, `mtl`).
    XeHpg "XeHPG",
    /// Ponte Vecchio (`pvc`).
    XeHpc "XeHPC",
    /// Lunar Lake and Battlemage (`lnl`, `bmg`).
    Xe2 "Xe2",
    /// Panther Lake (`ptl`).
    Xe3 "Xe3",
}

impl Family {
    /// How many families there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Its place in [`Family::ALL`], for tables with one element per family.
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Which front end starts threads.
    pub const fn walker(self) -> WalkerKind {
        match self {
            Family::Gen8 | Family::Gen9 | Family::Gen11 | Family::Gen12Lp => WalkerKind::Gpgpu,
            Family::XeHpg | Family::XeHpc | Family::Xe2 | Family::Xe3 => WalkerKind::Compute,
        }
    }

    /// The size of one general register in bytes.
    pub const fn grf_bytes(self) -> usize {
        match self {
            Family::Gen8 | Family::Gen9 | Family::Gen11 | Family::Gen12Lp | Family::XeHpg => 32,
            Family::XeHpc | Family::Xe2 | Family::Xe3 => 64,
        }
    }
}

/// How threads are started and what they are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalkerKind {
    /// MEDIA_* and GPGPU_WALKER: interface descriptors lie in the dynamic state heap, the walker
    /// loads the whole payload, and scratch is part of general state memory.
    Gpgpu,
    /// CFE_STATE and COMPUTE_WALKER: the descriptor is part of the packet, which can also carry a
    /// register of payload and generate local ids; kernels load the rest themselves. Scratch is a
    /// surface.
    Compute,
}

/// Consecutive families: those that a row of a table holds for.
///
/// Written with [`span!`](crate::span). The span of a feature that hardware still has is
/// open-ended: a new family then has it, and only what it lacks must be written.
///
/// ```
/// use devinfo::{Family, Span, span};
///
/// const COMPUTE_WALKER: Span = span!(XeHpg..);
/// const GPGPU_WALKER: Span = span!(..=Gen12Lp);
/// assert!(COMPUTE_WALKER.contains(Family::Xe2));
/// assert!(GPGPU_WALKER.contains(Family::Gen8) && !GPGPU_WALKER.contains(Family::XeHpg));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    first: Family,
    /// `None` up to the newest.
    last: Option<Family>,
}

impl Span {
    /// Every family.
    pub const ALL: Span = Span::from(Family::ALL[0]);

    /// `first` and all that came after it.
    pub const fn from(first: Family) -> Self {
        Self { first, last: None }
    }

    /// `first`, `last` and those between them.
    pub const fn closed(first: Family, last: Family) -> Self {
        assert!(first as usize <= last as usize, "the span is empty");
        Self {
            first,
            last: Some(last),
        }
    }

    /// One family.
    pub const fn only(family: Family) -> Self {
        Self::closed(family, family)
    }

    /// Whether `family` is one of them.
    pub const fn contains(self, family: Family) -> bool {
        let from = self.first as usize <= family as usize;
        match self.last {
            None => from,
            Some(last) => from && family as usize <= last as usize,
        }
    }

    /// The families of the span, oldest first.
    pub fn families(self) -> impl Iterator<Item = Family> {
        Family::ALL.into_iter().filter(move |&f| self.contains(f))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.last {
            None => write!(f, "{} and later", self.first),
            Some(last) if last == self.first => write!(f, "{last}"),
            Some(last) => write!(f, "{} to {last}", self.first),
        }
    }
}

/// A [`Span`], as Rust writes ranges: `span!(XeHpg..)`, `span!(Gen8..=Gen11)`, `span!(..=Gen12Lp)`,
/// `span!(Xe2)`, `span!(..)`.
#[macro_export]
macro_rules! span {
    (..) => {
        $crate::Span::ALL
    };
    (..= $last:ident) => {
        $crate::Span::closed($crate::Family::ALL[0], $crate::Family::$last)
    };
    ($first:ident ..) => {
        $crate::Span::from($crate::Family::$first)
    };
    ($first:ident ..= $last:ident) => {
        $crate::Span::closed($crate::Family::$first, $crate::Family::$last)
    };
    ($family:ident) => {
        $crate::Span::only($crate::Family::$family)
    };
}
