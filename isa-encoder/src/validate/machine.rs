//! The machines that rules are for.

use devinfo::{Family, PLATFORMS, Platform};

use crate::code::{FamilyTable, traits};

/// What the rules of a machine depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The family.
    pub family: Family,
    /// Double precision exists. If only some platforms of a family have it, the bare family allows
    /// it.
    pub fp64: bool,
    /// Systolic arrays exist, and with them `dpas`; for a bare family as in [`Machine::fp64`].
    pub systolic: bool,
    /// General registers of a thread; if `None`, any number that a thread can have.
    pub registers: Option<u16>,
    /// The small cores of Gen9 (Apollo Lake, Gemini Lake), with restrictions on 64-bit data.
    pub small_core: bool,
}

impl From<Family> for Machine {
    fn from(family: Family) -> Self {
        let platforms = PLATFORMS
            .iter()
            .filter(|platform| platform.family == family);
        Self {
            family,
            fp64: platforms.clone().any(|platform| platform.fp64),
            systolic: platforms.clone().any(|platform| platform.systolic),
            registers: None,
            small_core: false,
        }
    }
}

impl From<&Platform> for Machine {
    fn from(platform: &Platform) -> Self {
        Self {
            family: platform.family,
            fp64: platform.fp64,
            systolic: platform.systolic,
            registers: None,
            small_core: platform.small_core,
        }
    }
}

impl Machine {
    /// What its family has.
    pub(super) fn has(&self) -> &'static FamilyTable {
        traits(self.family)
    }

    /// The same with this many general registers per thread.
    pub fn with_registers(self, registers: u16) -> Self {
        Self {
            registers: Some(registers),
            ..self
        }
    }
}
