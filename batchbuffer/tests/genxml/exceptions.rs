//! Where we and genxml differ, each with the reason.

use devinfo::Family;

/// A difference: the facts of a layout on some families that begin with a text.
#[derive(Debug)]
pub struct Exception {
    layout: &'static str,
    families: &'static [Family],
    fact: &'static str,
    /// Printed with a needless exception.
    #[allow(dead_code, reason = "read by Debug only")]
    reason: &'static str,
}

impl Exception {
    pub fn covers(&self, layout: &str, family: Family, fact: &str) -> bool {
        self.layout == layout && self.families.contains(&family) && fact.starts_with(self.fact)
    }
}

const fn except(
    layout: &'static str,
    families: &'static [Family],
    fact: &'static str,
    reason: &'static str,
) -> Exception {
    Exception {
        layout,
        families,
        fact,
        reason,
    }
}

use Family::{Gen11, Gen12Lp, Xe2, XeHpc, XeHpg};

const EVERY: &[Family] = &Family::ALL;
const XE_HP: &[Family] = &[XeHpg, XeHpc, Xe2];

const OPEN: &str = "the packet has more than one length; we give the smallest";
const SIGN: &str = "a slip of genxml: tilings are not signed, and the next file has uint";
const SIMT: &str = "the codes are those of SIMD16 and SIMD32, which we name alike everywhere";

/// Facts of genxml that we do not declare.
pub const NOT_DECLARED: &[Exception] = &[
    except(
        "COMPUTE_WALKER",
        &[Xe2],
        "field 0:17:15 uint CFE SubOpcode Variant",
        "two of its bits are part of the header, and it is always zero",
    ),
    except(
        "COMPUTE_WALKER",
        XE_HP,
        "value Partition Type",
        "the body names the same values PartitionX, PartitionY, PartitionZ",
    ),
    except("COMPUTE_WALKER", &[Xe2], "value Message SIMD", SIMT),
    except("COMPUTE_WALKER", &[Xe2], "value SIMD Size", SIMT),
    except("COMPUTE_WALKER_BODY", &[Xe2], "value Message SIMD", SIMT),
    except("COMPUTE_WALKER_BODY", &[Xe2], "value SIMD Size", SIMT),
    except(
        "EXECUTE_INDIRECT_DISPATCH",
        &[Xe2],
        "value Message SIMD",
        SIMT,
    ),
    except("EXECUTE_INDIRECT_DISPATCH", &[Xe2], "value SIMD Size", SIMT),
    except("MI_CLFLUSH", EVERY, "length ? in 9:0", OPEN),
    except("MI_FLUSH_DW", EVERY, "length 5 in 5:0", OPEN),
    except("MI_MATH", EVERY, "length ? in", OPEN),
    except("XY_BLOCK_COPY_BLT", &[Gen12Lp], "field 1:31:30 int", SIGN),
    except("XY_FAST_COLOR_BLT", &[Gen12Lp], "field 1:31:30 int", SIGN),
];

const NEO: &str = "genxml lacks it; from Intel's compute-runtime, which emits it";
const BODY: &str = "genxml has it in COMPUTE_WALKER_BODY, which is the packet's body";

/// Facts that we declare and genxml does not have.
pub const NOT_IN_GENXML: &[Exception] = &[
    except(
        "COMPUTE_WALKER",
        &[Xe2],
        "field 2:29:18 uint Partition Dispatch",
        BODY,
    ),
    except(
        "COMPUTE_WALKER",
        &[Xe2],
        "field 4:0:0 uint Compute Dispatch All",
        BODY,
    ),
    except(
        "COMPUTE_WALKER",
        &[Xe2],
        "field 4:6:5 uint Dispatch Walk Order",
        BODY,
    ),
    except(
        "COMPUTE_WALKER",
        &[Xe2],
        "field 18:3:0 uint Walker ID",
        BODY,
    ),
    except(
        "COMPUTE_WALKER",
        &[Xe2],
        "field 18:23:8 uint Over dispatch TG",
        BODY,
    ),
    except("GPGPU_CSR_BASE_ADDRESS", &[Gen11, Gen12Lp], "", NEO),
    except("MI_CLFLUSH", EVERY, "length 3 in 9:0", OPEN),
    except("MI_FLUSH_DW", EVERY, "length 4 in 5:0", OPEN),
    except("MI_MATH", EVERY, "length 2 in", OPEN),
    except("STATE_COMPUTE_MODE", &[Gen12Lp], "", NEO),
    except("XY_BLOCK_COPY_BLT", &[Gen12Lp], "field 1:31:30 uint", SIGN),
    except("XY_FAST_COLOR_BLT", &[Gen12Lp], "field 1:31:30 uint", SIGN),
];
