//! Registers (MMIO) that batches write and read, and by which work is submitted: addresses and names.
//!
//! [`own`] are those that each engine has, [`device`] all others.

use core::fmt;

use devinfo::{Family, Span, span};

use crate::layout::Engine;

/// Declares constants and a table of rows: `CONSTANT = offset "NAME" * count, dwords on [families];`,
/// without a constant for what only has a name.
macro_rules! registers {
    ($table:ident: $(
        $($(#[$doc:meta])+ $constant:ident)? = $offset:literal $name:literal
            $(* $count:literal)? $(, $dwords:literal dwords)? $(on [$($span:tt)+])?;
    )*) => {
        $($($(#[$doc])+ pub const $constant: u32 = $offset;)?)*

        /// The names.
        pub(super) const $table: &[super::Row] = &[$(super::Row {
            offset: $offset,
            name: $name,
            count: registers!(@or $($count)?),
            dwords: registers!(@or $($dwords)?),
            families: registers!(@families $($($span)+)?),
        }),*];
    };
    (@or) => { 1 };
    (@or $number:literal) => { $number };
    (@families) => { devinfo::Span::ALL };
    (@families $($span:tt)+) => { devinfo::span!($($span)+) };
}
pub mod device;
pub mod own;

/// The end of registers in the first BAR: its second half is the global GTT.
pub const END: u32 = 0x80_0000;

/// The entries of the global GTT: 4 GiB of pages.
pub const GLOBAL_GTT_ENTRIES: u32 = 1 << 20;

/// The bytes of an engine's own block of registers.
pub const BLOCK: u32 = 0x800;

/// The engines, their abbreviations, and who has them where [`base`] says.
const ENGINES: [(Engine, &str, Span); 5] = [
    (Engine::Render, "RCS", span!(..)),
    (Engine::Compute, "CCS", span!(Gen12Lp..)),
    (Engine::Blitter, "BCS", span!(..)),
    (Engine::Video, "VCS", span!(Gen11..)),
    (Engine::VideoEnhance, "VECS", span!(Gen11..)),
];

/// Where the block of the first engine of a class begins; compute has one from Gen12LP on.
///
/// Source: TGL PRM vol 2c.
pub const fn base(engine: Engine) -> u32 {
    match engine {
        Engine::Render => 0x2000,
        Engine::Compute => 0x1_a000,
        Engine::Blitter => 0x2_2000,
        Engine::Video => 0x1c_0000,
        Engine::VideoEnhance => 0x1c_8000,
    }
}

/// Registers of one name, one behind the other.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Where the first one is.
    offset: u32,
    name: &'static str,
    /// How many there are.
    count: u32,
    /// The dwords of each.
    dwords: u32,
    /// Who has them.
    families: Span,
}

impl Row {
    const fn bytes(&self) -> u32 {
        4 * self.dwords * self.count
    }
}

/// The name of a register, as the manuals and the kernel drivers have it.
///
/// An engine's own registers have the engine's abbreviation before theirs. Where a batch counts from
/// the beginning of its engine's block, they have none.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    engine: Option<&'static str>,
    row: &'static Row,
    /// The dword, from the first of the row.
    dword: u32,
}

/// The register's name on a family, if it is known.
pub fn name(family: Family, register: u32) -> Option<Name> {
    let found = |rows: &'static [Row], engine, offset: u32| {
        let row = rows.iter().find(|row| {
            let inside = offset.checked_sub(row.offset);
            inside.is_some_and(|inside| inside < row.bytes()) && row.families.contains(family)
        })?;
        let dword = (offset - row.offset) / 4;
        Some(Name { engine, row, dword })
    };
    if let Some(name) = found(device::NAMES, None, register) {
        return Some(name);
    }
    if register < BLOCK {
        return found(own::NAMES, None, register);
    }
    let mut engines = ENGINES.iter().filter_map(|(engine, name, families)| {
        let offset = register.checked_sub(base(*engine))?;
        (offset < BLOCK && families.contains(family)).then_some((*name, offset))
    });
    let (engine, offset) = engines.next()?;
    found(own::NAMES, Some(engine), offset)
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Name { engine, row, dword } = *self;
        if let Some(engine) = engine {
            write!(f, "{engine}_")?;
        }
        f.write_str(row.name)?;
        if row.count > 1 {
            write!(f, "{}", dword / row.dwords)?;
        }
        match dword % row.dwords {
            0 => Ok(()),
            _ => f.write_str("_UDW"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn named(family: Family, register: u32) -> String {
        name(family, register).map_or_else(String::new, |name| name.to_string())
    }

    #[test]
    fn engines_elements_and_upper_halves_show() {
        assert_eq!(named(Family::Gen9, 0x2230), "RCS_EXECLIST_SUBMITPORT");
        assert_eq!(named(Family::Gen12Lp, 0x2_2550), "BCS_EXECLIST_CONTROL");
        assert_eq!(named(Family::Gen12Lp, 0x260c), "RCS_GPR1_UDW");
        assert_eq!(named(Family::Gen12Lp, 0x608), "GPR1");
        assert_eq!(named(Family::Gen12Lp, 0x4008), "GLOBAL_MOCS2");
        assert_eq!(named(Family::Gen9, 0x4008), "");
        assert_eq!(named(Family::Gen9, 0x4090), "GAM_ECOCHK");
        assert_eq!(named(Family::Gen12Lp, u32::MAX), "");
    }

    #[test]
    fn no_register_has_two_names() {
        for family in Family::ALL {
            for rows in [device::NAMES, own::NAMES] {
                let mut seen = BTreeMap::new();
                for row in rows.iter().filter(|row| row.families.contains(family)) {
                    assert!(row.offset.is_multiple_of(4), "{}", row.name);
                    for byte in (row.offset..row.offset + row.bytes()).step_by(4) {
                        let other = seen.insert(byte, row.name);
                        assert_eq!(other, None, "{family}: {byte:#x} is {}, too", row.name);
                    }
                }
            }
        }
    }
}
