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

use Family::{Gen8, Gen9, Gen11, Gen12Lp, Xe2, XeHpc, XeHpg};

const EVERY: &[Family] = &Family::ALL;
const GEN12: &[Family] = &[Gen12Lp, XeHpg, XeHpc, Xe2];
const XE_HP: &[Family] = &[XeHpg, XeHpc, Xe2];
const OLD_BLITTER: &[Family] = &[Gen8, Gen9, Gen11, Gen12Lp];

const OPEN: &str = "the packet has more than one length; we give the smallest";
const ADDRESS: &str = "its 48-bit address, which genxml has too, reaches into a fourth dword";
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
    except(
        "MI_CONDITIONAL_BATCH_BUFFER_END",
        &[Gen8],
        "length 3 in 7:0",
        ADDRESS,
    ),
    except("MI_FLUSH_DW", EVERY, "length 5 in 5:0", OPEN),
    except("MI_MATH", EVERY, "length ? in", OPEN),
    except(
        "MI_SEMAPHORE_WAIT",
        &[Gen8],
        "field 2:31:2 address Semaphore Address",
        SPLIT,
    ),
    except(
        "MI_SEMAPHORE_WAIT",
        &[Gen8],
        "field 3:15:0 address Semaphore Address High",
        SPLIT,
    ),
    except(
        "STATE_COMPUTE_MODE",
        &[XeHpc],
        "field 1:13:13 bool Disable L1",
        PVC,
    ),
    except(
        "STATE_COMPUTE_MODE",
        &[XeHpc],
        "field 1:29:29 bool Disable L1",
        PVC,
    ),
    except("XY_BLOCK_COPY_BLT", &[Gen12Lp], "field 1:31:30 int", SIGN),
    except("XY_FAST_COLOR_BLT", &[Gen12Lp], "field 1:31:30 int", SIGN),
];

const PVC: &str = "genxml has no XeHPC; there the bits are the EU scheduling mode";
const SPLIT: &str = "one address, which genxml splits in two on this family";
const I915: &str = "genxml lacks it; from the i915 kernel driver's context images";
const IGT: &str = "genxml lacks it; from the SKL PRM vol 2a and igt-gpu-tools";
const PRM: &str = "genxml lacks it; from the BDW PRM vol 2a";
const NEO: &str = "genxml lacks it; from Intel's compute-runtime, which emits it";
const MEDIA: &str =
    "genxml lacks it; from Intel's media-driver (Gen12 on), and compute-runtime (XeHPG on)";
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
    except(
        "MI_CONDITIONAL_BATCH_BUFFER_END",
        &[Gen8],
        "length 4 in 7:0",
        ADDRESS,
    ),
    except("MI_FLUSH_DW", EVERY, "length 4 in 5:0", OPEN),
    except("MI_MATH", EVERY, "length 2 in", OPEN),
    except("STATE_COMPUTE_MODE", &[Gen12Lp], "", NEO),
    except("XY_BLOCK_COPY_BLT", &[Gen12Lp], "field 1:31:30 uint", SIGN),
    except("XY_FAST_COLOR_BLT", &[Gen12Lp], "field 1:31:30 uint", SIGN),
    except(
        "CFE_STATE",
        XE_HP,
        "field 3:10:10 bool Large GRF Thread Adjust Disable",
        NEO,
    ),
    except(
        "CFE_STATE",
        XE_HP,
        "field 3:11:11 bool Compute Overdispatch Disable",
        NEO,
    ),
    except(
        "CFE_STATE",
        &[XeHpc],
        "field 3:12:12 bool Compute Dispatch All walker Enable",
        NEO,
    ),
    except(
        "COMPUTE_WALKER",
        XE_HP,
        "field 1:31:8 uint Debug Object ID",
        NEO,
    ),
    except(
        "COMPUTE_WALKER",
        &[XeHpg],
        "field 2:29:18 uint Partition Dispatch Parameter",
        NEO,
    ),
    except(
        "COMPUTE_WALKER",
        &[XeHpc],
        "field 4:0:0 uint Compute Dispatch All walker Enable",
        NEO,
    ),
    except(
        "COMPUTE_WALKER_BODY",
        XE_HP,
        "field 0:31:8 uint Debug Object ID",
        NEO,
    ),
    except(
        "COMPUTE_WALKER_BODY",
        &[XeHpg],
        "field 1:29:18 uint Partition Dispatch Parameter",
        NEO,
    ),
    except(
        "COMPUTE_WALKER_BODY",
        &[XeHpc],
        "field 3:0:0 uint Compute Dispatch All walker Enable",
        NEO,
    ),
    except(
        "EXECUTE_INDIRECT_DISPATCH",
        XE_HP,
        "field 6:31:8 uint Debug Object ID",
        NEO,
    ),
    except(
        "EXECUTE_INDIRECT_DISPATCH",
        &[XeHpg],
        "field 7:29:18 uint Partition Dispatch Parameter",
        NEO,
    ),
    except(
        "EXECUTE_INDIRECT_DISPATCH",
        &[XeHpc],
        "field 9:0:0 uint Compute Dispatch All walker Enable",
        NEO,
    ),
    except(
        "INTERFACE_DESCRIPTOR_DATA",
        &[Gen12Lp],
        "field 6:14:13 uint Over Dispatch Control",
        NEO,
    ),
    except(
        "MEDIA_VFE_STATE",
        &[Gen12Lp],
        "field 3:6:6 bool Disable Slice 0 Subslice 2",
        NEO,
    ),
    except(
        "MI_ATOMIC",
        XE_HP,
        "field 1:0:0 bool Workload Partition ID Offset Enable",
        NEO,
    ),
    except(
        "MI_BATCH_BUFFER_END",
        &[XeHpc, Xe2],
        "field 0:15:15 bool Predicate Enable",
        NEO,
    ),
    except(
        "MI_BATCH_BUFFER_START",
        GEN12,
        "field 0:19:19 bool Enable Command Cache",
        NEO,
    ),
    except(
        "MI_BATCH_BUFFER_START",
        &[Gen12Lp, XeHpg, XeHpc],
        "field 0:20:20 bool POSH Enable",
        NEO,
    ),
    except(
        "MI_BATCH_BUFFER_START",
        &[Gen12Lp, XeHpg, XeHpc],
        "field 0:21:21 bool POSH Start",
        NEO,
    ),
    except(
        "MI_BATCH_BUFFER_START",
        &[XeHpc, Xe2],
        "field 0:18:18 bool Indirect Address Enable",
        NEO,
    ),
    except(
        "MI_CONDITIONAL_BATCH_BUFFER_END",
        GEN12,
        "field 0:14:12 uint Compare Operation",
        MEDIA,
    ),
    except(
        "MI_CONDITIONAL_BATCH_BUFFER_END",
        XE_HP,
        "field 0:15:15 bool Predicate Enable",
        NEO,
    ),
    except(
        "MI_CONDITIONAL_BATCH_BUFFER_END",
        GEN12,
        "field 0:18:18 bool End Current Batch Buffer Level",
        MEDIA,
    ),
    except(
        "MI_LOAD_REGISTER_IMM",
        EVERY,
        "field 0:12:12 bool Force Posted",
        I915,
    ),
    except(
        "MI_LOAD_REGISTER_IMM",
        GEN12,
        "field 0:17:17 bool MMIO Remap Enable",
        NEO,
    ),
    except(
        "MI_LOAD_REGISTER_MEM",
        GEN12,
        "field 0:17:17 bool MMIO Remap Enable",
        NEO,
    ),
    except(
        "MI_LOAD_REGISTER_MEM",
        XE_HP,
        "field 0:16:16 bool Workload Partition ID Offset Enable",
        NEO,
    ),
    except(
        "MI_LOAD_REGISTER_REG",
        GEN12,
        "field 0:16:16 bool MMIO Remap Enable Source",
        NEO,
    ),
    except(
        "MI_LOAD_REGISTER_REG",
        GEN12,
        "field 0:17:17 bool MMIO Remap Enable Destination",
        NEO,
    ),
    except(
        "MI_SEMAPHORE_WAIT",
        &[Gen8],
        "field 2:47:2 address Semaphore Address",
        SPLIT,
    ),
    except(
        "MI_SEMAPHORE_WAIT",
        &[Gen12Lp, XeHpg],
        "field 4:9:5 uint Wait Token Number",
        NEO,
    ),
    except(
        "MI_SEMAPHORE_WAIT",
        &[XeHpg, XeHpc],
        "field 0:17:17 bool Indirect Semaphore Data Dword",
        NEO,
    ),
    except(
        "MI_SEMAPHORE_WAIT",
        &[XeHpg, XeHpc],
        "field 0:18:18 bool Workload Partition ID Offset Enable",
        NEO,
    ),
    except(
        "MI_SEMAPHORE_WAIT",
        &[XeHpc],
        "field 0:9:8 uint Semaphore Wait Context Switch Mode",
        NEO,
    ),
    except(
        "MI_SEMAPHORE_WAIT",
        &[XeHpc],
        "field 4:9:2 uint Wait Token Number",
        NEO,
    ),
    except(
        "MI_SEMAPHORE_WAIT",
        &[XeHpc],
        "field 4:31:22 uint Context Switch Wait Time",
        NEO,
    ),
    except(
        "MI_SET_PREDICATE",
        XE_HP,
        "field 0:5:4 uint Predicate Enable WPARID",
        NEO,
    ),
    except(
        "MI_STORE_DATA_IMM",
        XE_HP,
        "field 0:11:11 bool Workload Partition ID Offset Enable",
        NEO,
    ),
    except(
        "MI_STORE_REGISTER_MEM",
        GEN12,
        "field 0:17:17 bool MMIO Remap Enable",
        NEO,
    ),
    except(
        "MI_STORE_REGISTER_MEM",
        XE_HP,
        "field 0:16:16 bool Workload Partition ID Offset Enable",
        NEO,
    ),
    except(
        "PIPELINE_SELECT",
        GEN12,
        "field 0:2:2 bool Render Slice Common Power Gate Enable",
        NEO,
    ),
    except(
        "PIPELINE_SELECT",
        GEN12,
        "field 0:3:3 bool Render Sampler Power Gate Enable",
        NEO,
    ),
    except(
        "PIPELINE_SELECT",
        &[Gen12Lp, XeHpg, XeHpc],
        "field 0:6:6 bool Media Sampler Power Clock Gate Disable",
        NEO,
    ),
    except(
        "PIPELINE_SELECT",
        &[Gen12Lp],
        "field 0:7:7 bool Special Mode Enable",
        NEO,
    ),
    except(
        "RENDER_SURFACE_STATE",
        &[XeHpg, XeHpc],
        "field 5:15:14 uint Coherency Type",
        NEO,
    ),
    except(
        "STATE_BASE_ADDRESS",
        &[XeHpg],
        "field 3:13:13 uint Enable Memory Compression For All Stateless Accesses",
        NEO,
    ),
    except(
        "STATE_BASE_ADDRESS",
        &[XeHpc],
        "field 3:0:0 bool Coherency Setting Modify Enable",
        NEO,
    ),
    except(
        "STATE_BASE_ADDRESS",
        &[XeHpc],
        "field 3:15:13 uint Enable Memory Compression For All Stateless Accesses",
        NEO,
    ),
    except(
        "STATE_COMPUTE_MODE",
        &[XeHpc],
        "field 1:14:13 uint EU Thread Scheduling Mode Override",
        NEO,
    ),
    except(
        "STATE_COMPUTE_MODE",
        &[XeHpc],
        "field 1:30:29 uint EU Thread Scheduling Mode Override Mask",
        NEO,
    ),
    except(
        "XY_BLOCK_COPY_BLT",
        &[Xe2],
        "field 0:11:9 uint Number of Multisamples",
        NEO,
    ),
    except(
        "XY_BLOCK_COPY_BLT",
        &[Xe2],
        "field 1:21:21 bool Destination Encrypt En",
        NEO,
    ),
    except(
        "XY_FAST_COLOR_BLT",
        &[Gen12Lp],
        "field 1:27:21 uint Destination MOCS",
        NEO,
    ),
    // Whole packets.
    except("MEM_COPY", &[XeHpc, Xe2], "", NEO),
    except("MEM_SET", &[XeHpc, Xe2], "", NEO),
    except("MI_MEM_FENCE", &[XeHpc], "", NEO),
    except("STATE_CONTEXT_DATA_BASE_ADDRESS", &[Xe2], "", NEO),
    except("STATE_PREFETCH", &[Xe2], "", NEO),
    except("STATE_SYSTEM_MEM_FENCE_ADDRESS", &[XeHpc, Xe2], "", NEO),
    except("XY_COLOR_BLT", OLD_BLITTER, "", PRM),
    except(
        "XY_FAST_COPY_BLT",
        &[Gen9, Gen11, Gen12Lp, XeHpg, XeHpc, Xe2],
        "",
        IGT,
    ),
    except("XY_SRC_COPY_BLT", OLD_BLITTER, "", PRM),
];
