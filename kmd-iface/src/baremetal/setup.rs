//! What compute needs of registers that no command of a batch writes: caching, and workarounds for
//! errors of the hardware, one row each.
//!
//! Source of all rows: i915 `intel_workarounds.c`, `intel_mocs.c`, `intel_gt_regs.h`. Only what a
//! kernel can come across is here; what concerns pixels, vertices and displays is not.

use batchbuffer::registers::device::{
    CS_CHICKEN1, CS_DEBUG_MODE1, FF_SLICE_CS_CHICKEN1, GAM_CONTROL, GAM_ECOCHK, GAMT_CHICKEN,
    GAMW_ECO_DEV, GARBCNTL, GLOBAL_MOCS, HALF_SLICE_CHICKEN2, HDC_CHICKEN0, HDC_MODE, INSTPM,
    L3_MOCS, L3_SUPER_QUEUE4, RENDER_MOCS, ROW_CHICKEN, ROW_CHICKEN2, ROW_CHICKEN4, SAMPLER_MODE,
    XEHP_HDC_CHICKEN0,
};
use devinfo::{Family, Span, span};

use super::bus::Bus;
use crate::KmdResult;

/// A register that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Write {
    /// The name of the workaround, or of what it sets up.
    pub name: &'static str,
    /// The families that need it.
    pub families: Span,
    /// Who keeps the register.
    pub scope: Scope,
    /// Its offset.
    pub register: u32,
    /// What is written.
    pub change: Change,
}

/// Who keeps a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The device: it is written once.
    Device,
    /// A context of the render engine: each context writes it when it begins.
    Context,
}

/// How a register changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// These bits are set, the others keep their value.
    Set(u32),
    /// The upper half of the register says which bits of the lower half are written: of the bits in
    /// the first value, those in the second are set.
    Masked(u32, u32),
    /// It gets this value.
    Value(u32),
}

impl Change {
    /// What is written, for a register that says itself which bits are.
    pub(super) const fn dword(self) -> u32 {
        match self {
            Self::Set(bits) | Self::Value(bits) => bits,
            Self::Masked(mask, bits) => mask << 16 | bits,
        }
    }
}

/// All that is written for a device, in order.
#[derive(Clone, Copy, Debug)]
pub struct Setup;

impl Setup {
    /// The rows of a family.
    pub fn of(family: Family) -> impl Iterator<Item = &'static Write> {
        let needed = move |write: &&Write| write.families.contains(family);
        WRITES.iter().filter(needed)
    }
}

/// The rows of a family for one keeper.
pub(super) fn writes(family: Family, scope: Scope) -> impl Iterator<Item = &'static Write> {
    Setup::of(family).filter(move |write| write.scope == scope)
}

/// Writes what the device keeps.
pub(super) fn apply(bus: &dyn Bus, family: Family) -> KmdResult<()> {
    for Write {
        register, change, ..
    } in writes(family, Scope::Device)
    {
        let value = match change {
            Change::Set(bits) => bus.read(*register)? | bits,
            other => other.dword(),
        };
        bus.write(*register, value)?;
    }
    Ok(())
}

const fn device(name: &'static str, families: Span, register: u32, change: Change) -> Write {
    Write {
        name,
        families,
        scope: Scope::Device,
        register,
        change,
    }
}

const fn context(name: &'static str, families: Span, register: u32, mask: u32, bits: u32) -> Write {
    Write {
        name,
        families,
        scope: Scope::Context,
        register,
        change: Change::Masked(mask, bits),
    }
}

/// CS_CHICKEN1's preemption of compute.
const PREEMPTION: u32 = 0b110;
const AT_COMMANDS: u32 = 0b100;
const AT_GROUPS: u32 = 0b010;

#[rustfmt::skip]
const WRITES: &[Write] = &[
    // Caching: the indices that the platform table names, cached and uncached.
    device("MOCS 0: uncached", span!(Gen9), RENDER_MOCS, Change::Value(0x09)),
    device("MOCS 2: cached", span!(Gen9), RENDER_MOCS + 4 * 2, Change::Value(0x3b)),
    device("MOCS 2: cached", span!(Gen11), RENDER_MOCS + 4 * 2, Change::Value(0x37)),
    device("MOCS 3: uncached", span!(Gen11), RENDER_MOCS + 4 * 3, Change::Value(0x05)),
    device("MOCS 2: cached", span!(Gen12Lp), GLOBAL_MOCS + 4 * 2, Change::Value(0x37)),
    device("MOCS 3: uncached", span!(Gen12Lp), GLOBAL_MOCS + 4 * 3, Change::Value(0x05)),
    device("MOCS 0, 1: not in the L3, page tables'", span!(Gen9), L3_MOCS, Change::Value(0x0030_0010)),
    device("MOCS 2: in the L3, 3: not", span!(Gen9..=Gen12Lp), L3_MOCS + 4, Change::Value(0x0010_0030)),
    device("MOCS 0, 1: not in the L3", span!(XeHpg), L3_MOCS, Change::Value(0x00d0_0090)),
    device("MOCS 2: not in the L3, 3: in it", span!(XeHpg), L3_MOCS + 4, Change::Value(0x00b0_0050)),

    // Workarounds of the device.
    device("WaDisableKillLogic", span!(Gen9), GAM_ECOCHK, Change::Set(1 << 8)),
    device("WaDisableHDCInvalidation", span!(Gen9), GAM_ECOCHK, Change::Set(1 << 25)),
    device("WaEnableGapsTsvCreditFix", span!(Gen9), GARBCNTL, Change::Set(1 << 7)),
    device("Wa_1405543622", span!(Gen11), GARBCNTL, Change::Set(0x0fc0_0000)),
    device("Wa_1405733216", span!(Gen11), L3_SUPER_QUEUE4, Change::Set(1 << 6)),
    device("Wa_1406463099", span!(Gen11), GAMT_CHICKEN, Change::Set(1 << 31)),
    device("Wa_220166154", span!(Gen11), GAMW_ECO_DEV, Change::Set(1 << 7)),
    device("Wa_1509235366", span!(XeHpg), GAM_CONTROL, Change::Set(1 << 12 | 1 << 2)),
    device("preemption is a context's to choose", span!(Gen9..), FF_SLICE_CS_CHICKEN1, Change::Masked(1 << 14, 1 << 14)),
    device("Wa_22010271021", span!(Gen11..=XeHpg), CS_DEBUG_MODE1, Change::Masked(1 << 1, 1 << 1)),
    device("Wa_1606931601", span!(Gen12Lp), ROW_CHICKEN2, Change::Masked(1 << 14, 1 << 14)),
    device("Wa_1409804808", span!(Gen12Lp), ROW_CHICKEN2, Change::Masked(1 << 8, 1 << 8)),
    device("Wa_14010229206", span!(Gen12Lp), ROW_CHICKEN4, Change::Masked(1 << 9, 1 << 9)),
    device("Wa_1406941453", span!(Gen12Lp), SAMPLER_MODE, Change::Masked(1 << 15, 1 << 15)),
    device("Wa_1509727124", span!(XeHpg), SAMPLER_MODE, Change::Masked(1 << 9, 1 << 9)),
    device("Wa_22012856258", span!(XeHpg), ROW_CHICKEN2, Change::Masked(1 << 15, 1 << 15)),
    device("Wa_22010960976", span!(XeHpg), XEHP_HDC_CHICKEN0, Change::Masked(0x3800, 0)),
    device("Wa_14015150844", span!(XeHpg), XEHP_HDC_CHICKEN0, Change::Masked(1 << 3, 1 << 3)),

    // Workarounds that contexts keep.
    context("INSTPM_FORCE_ORDERING", span!(Gen8), INSTPM, 1 << 7, 1 << 7),
    context("WaDisablePartialInstShootdown", span!(Gen8..=Gen9), ROW_CHICKEN, 1 << 8, 1 << 8),
    context("WaDisableThreadStallDopClockGating", span!(Gen8), ROW_CHICKEN, 1 << 5, 1 << 5),
    context("WaClearFlowControlGpgpuContextSave", span!(Gen9), ROW_CHICKEN, 1 << 15, 1 << 15),
    context("WaDisableDopClockGating", span!(Gen8), ROW_CHICKEN2, 1, 1),
    context("WaHdcDisableFetchWhenMasked", span!(Gen8), HDC_CHICKEN0, 1 << 11, 1 << 11),
    context("WaForceEnableNonCoherent", span!(Gen8..=Gen9), HDC_CHICKEN0, 1 << 4, 1 << 4),
    context("WaForceContextSaveRestoreNonCoherent", span!(Gen8), HDC_CHICKEN0, 1 << 5, 1 << 5),
    context("WaForceContextSaveRestoreNonCoherent", span!(Gen9), HDC_CHICKEN0, 1 << 5 | 1 << 15, 1 << 5 | 1 << 15),
    context("WaForceEnableNonCoherent", span!(Gen11), HDC_MODE, 1 << 4, 1 << 4),
    context("WaDisableSTUnitPowerOptimization", span!(Gen9), HALF_SLICE_CHICKEN2, 1 << 13, 1 << 13),
    context("WaDisableGPGPUMidCmdPreemption", span!(Gen9), CS_CHICKEN1, PREEMPTION, AT_COMMANDS),
    context("WaDisableGPGPUMidThreadPreemption", span!(Gen11..=Gen12Lp), CS_CHICKEN1, PREEMPTION, AT_GROUPS),
    context("sampler messages without a header", span!(Gen11), SAMPLER_MODE, 1 << 5, 1 << 5),
    context("Wa_1406306137", span!(Gen11), ROW_CHICKEN4, 1 << 7, 1 << 7),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_family_has_a_setup_and_no_register_twice() {
        for family in Family::ALL {
            let mut seen = Vec::new();
            for write in Setup::of(family) {
                let bits = match write.change {
                    Change::Masked(mask, bits) => {
                        assert!(mask < 1 << 16 && bits & !mask == 0, "{write:?}");
                        mask
                    }
                    Change::Set(bits) => bits,
                    Change::Value(_) => u32::MAX,
                };
                assert!(write.register.is_multiple_of(4), "{write:?}");
                for &(register, other) in &seen {
                    assert!(register != write.register || other & bits == 0, "{write:?}");
                }
                seen.push((write.register, bits));
            }
            assert!(!seen.is_empty(), "{family}");
        }
    }
}
