//! EU and command-streamer families.

use core::fmt;

/// A hardware family: one EU instruction set and one set of packet layouts.
///
/// Ordered by age, so that tables can say "from Gen9 on".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Family {
    /// Broadwell (`bdw`).
    Gen8,
    /// Skylake and its successors (`skl`).
    Gen9,
    /// Ice Lake (`icl`).
    Gen11,
    /// Tiger Lake, Rocket Lake, Alder Lake, DG1 (`tgl`, `rkl`, `adl`, `dg1`).
    Gen12Lp,
    /// Alchemist and Meteor Lake (`dg2`, `mtl`).
    XeHpg,
    /// Ponte Vecchio (`pvc`).
    XeHpc,
    /// Lunar Lake and Battlemage (`lnl`, `bmg`).
    Xe2,
}

impl Family {
    /// Every family, oldest first.
    pub const ALL: [Family; 7] = [
        Family::Gen8,
        Family::Gen9,
        Family::Gen11,
        Family::Gen12Lp,
        Family::XeHpg,
        Family::XeHpc,
        Family::Xe2,
    ];

    /// The size of one general register in bytes: 64 from XeHPC on, 32 before.
    pub const fn grf_bytes(self) -> usize {
        match self {
            Family::XeHpc | Family::Xe2 => 64,
            _ => 32,
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Family::Gen8 => "Gen8",
            Family::Gen9 => "Gen9",
            Family::Gen11 => "Gen11",
            Family::Gen12Lp => "Gen12LP",
            Family::XeHpg => "XeHPG",
            Family::XeHpc => "XeHPC",
            Family::Xe2 => "Xe2",
        })
    }
}
