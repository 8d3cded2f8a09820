//! Where we and genxml differ, each with the reason.

use devinfo::{Family, Span, span};

/// A difference: the facts of a layout on some families that begin with a text.
#[derive(Debug)]
pub struct Exception {
    layout: &'static str,
    families: Span,
    fact: &'static str,
    /// Printed with a needless exception.
    #[allow(dead_code, reason = "read by Debug only")]
    reason: &'static str,
}

impl Exception {
    pub fn covers(&self, layout: &str, family: Family, fact: &str) -> bool {
        self.layout == layout && self.families.contains(family) && fact.starts_with(self.fact)
    }
}

/// `"LAYOUT" [span of families] "beginning of the fact": reason;`
macro_rules! exceptions {
    ($(#[$doc:meta])* $name:ident:
        $($layout:literal [$($span:tt)+] $fact:literal: $reason:expr;)*) => {
        $(#[$doc])*
        pub const $name: &[Exception] = &[$(Exception {
            layout: $layout,
            families: span!($($span)+),
            fact: $fact,
            reason: $reason,
        },)*];
    };
}

const OPEN: &str = "the packet has more than one length; we give the smallest";
const GREW: &str = "the files of Mesa 26.2 have one dword more, which its drivers write";
const ADDRESS: &str = "its 48-bit address, which genxml has too, reaches into a fourth dword";
const SIGN: &str = "a slip of genxml: tilings are not signed, and the next file has uint";
const SIMT: &str = "the codes are those of SIMD16 and SIMD32, which we name alike everywhere";

const LATER: &str =
    "in later files of Mesa only (`gen120.xml`), and used by its drivers of this year";

exceptions! {
    /// Facts of genxml that we do not declare.
    NOT_DECLARED:
    "3DSTATE_TE" [Gen12Lp..=XeHpc] "length 4 in 7:0": GREW;
    "COMPUTE_WALKER" [Xe2] "field 0:17:15 uint CFE SubOpcode Variant":
        "two of its bits are part of the header, and it is always zero";
    "COMPUTE_WALKER" [XeHpg..=Xe2] "value Partition Type":
        "the body names the same values PartitionX, PartitionY, PartitionZ";
    "COMPUTE_WALKER" [Xe2] "value Message SIMD": SIMT;
    "COMPUTE_WALKER" [Xe2] "value SIMD Size": SIMT;
    "COMPUTE_WALKER_BODY" [Xe2] "value Message SIMD": SIMT;
    "COMPUTE_WALKER_BODY" [Xe2] "value SIMD Size": SIMT;
    "EXECUTE_INDIRECT_DISPATCH" [Xe2] "value Message SIMD": SIMT;
    "EXECUTE_INDIRECT_DISPATCH" [Xe2] "value SIMD Size": SIMT;
    "MI_ATOMIC" [XeHpc] "field 1:47:2 address Memory Address": WIDE;
    "MI_FLUSH_DW" [XeHpc] "field 1:47:3 address Address": WIDE;
    "MI_STORE_DATA_IMM" [XeHpc] "field 1:47:2 address Address": WIDE;
    "PIPE_CONTROL" [XeHpc] "field 2:47:2 address Address": WIDE;
    "MI_CLFLUSH" [..] "length ? in 9:0": OPEN;
    "MI_CONDITIONAL_BATCH_BUFFER_END" [Gen8] "length 3 in 7:0": ADDRESS;
    "MI_FLUSH_DW" [..] "length 5 in 5:0": OPEN;
    "MI_MATH" [..] "length ? in": OPEN;
    "MI_SEMAPHORE_WAIT" [Gen8] "field 2:31:2 address Semaphore Address": SPLIT;
    "MI_SEMAPHORE_WAIT" [Gen8] "field 3:15:0 address Semaphore Address High": SPLIT;
    "STATE_COMPUTE_MODE" [XeHpc] "field 1:13:13 bool Disable L1": PVC;
    "STATE_COMPUTE_MODE" [XeHpc] "field 1:29:29 bool Disable L1": PVC;
    "XY_BLOCK_COPY_BLT" [Gen12Lp] "field 1:31:30 int": SIGN;
    "XY_FAST_COLOR_BLT" [Gen12Lp] "field 1:31:30 int": SIGN;
}

const PVC: &str = "genxml has no XeHPC; there the bits are the EU scheduling mode";
const WIDE: &str =
    "genxml has no XeHPC; there addresses have 57 bits, as in Intel's compute-runtime";
const SPLIT: &str = "one address, which genxml splits in two on this family";
const I915: &str = "genxml lacks it; from the i915 kernel driver's context images";
const IGT: &str = "genxml lacks it; from the SKL PRM vol 2a and igt-gpu-tools";
const PRM: &str = "genxml lacks it; from the BDW PRM vol 2a";
const NEO: &str = "genxml lacks it; from Intel's compute-runtime, which emits it";
const MEDIA: &str =
    "genxml lacks it; from Intel's media-driver (Gen12 on), and compute-runtime (XeHPG on)";
const BODY: &str = "genxml has it in COMPUTE_WALKER_BODY, which is the packet's body";

exceptions! {
    /// Facts that we declare and genxml does not have.
    NOT_IN_GENXML:
    "3DSTATE_TE" [Gen12Lp..=XeHpc] "length ? in 7:0": GREW;
    "3DSTATE_URB_ALLOC_DS" [Gen12Lp..=Xe2] "": LATER;
    "3DSTATE_URB_ALLOC_GS" [Gen12Lp..=Xe2] "": LATER;
    "3DSTATE_URB_ALLOC_HS" [Gen12Lp..=Xe2] "": LATER;
    "3DSTATE_URB_ALLOC_VS" [Gen12Lp..=Xe2] "": LATER;
    "COMPUTE_WALKER" [Xe2] "field 2:29:18 uint Partition Dispatch": BODY;
    "COMPUTE_WALKER" [Xe2] "field 4:0:0 uint Compute Dispatch All": BODY;
    "COMPUTE_WALKER" [Xe2] "field 4:6:5 uint Dispatch Walk Order": BODY;
    "COMPUTE_WALKER" [Xe2] "field 18:3:0 uint Walker ID": BODY;
    "COMPUTE_WALKER" [Xe2] "field 18:23:8 uint Over dispatch TG": BODY;
    "GPGPU_CSR_BASE_ADDRESS" [Gen11..=Gen12Lp] "": NEO;
    "MI_ATOMIC" [XeHpc] "field 1:63:2 address Memory Address": WIDE;
    "MI_FLUSH_DW" [XeHpc] "field 1:63:3 address Address": WIDE;
    "MI_STORE_DATA_IMM" [XeHpc] "field 1:63:2 address Address": WIDE;
    "PIPE_CONTROL" [XeHpc] "field 2:63:2 address Address": WIDE;
    "MI_CLFLUSH" [..] "length 3 in 9:0": OPEN;
    "MI_CONDITIONAL_BATCH_BUFFER_END" [Gen8] "length 4 in 7:0": ADDRESS;
    "MI_FLUSH_DW" [..] "length 4 in 5:0": OPEN;
    "MI_MATH" [..] "length 2 in": OPEN;
    "STATE_COMPUTE_MODE" [Gen12Lp] "": NEO;
    "XY_BLOCK_COPY_BLT" [Gen12Lp] "field 1:31:30 uint": SIGN;
    "XY_FAST_COLOR_BLT" [Gen12Lp] "field 1:31:30 uint": SIGN;
    "CFE_STATE" [XeHpg..=Xe2] "field 3:10:10 bool Large GRF Thread Adjust Disable": NEO;
    "CFE_STATE" [XeHpg..=Xe2] "field 3:11:11 bool Compute Overdispatch Disable": NEO;
    "CFE_STATE" [XeHpc] "field 3:12:12 bool Compute Dispatch All walker Enable": NEO;
    "COMPUTE_WALKER" [XeHpg..=Xe2] "field 1:31:8 uint Debug Object ID": NEO;
    "COMPUTE_WALKER" [XeHpg] "field 2:29:18 uint Partition Dispatch Parameter": NEO;
    "COMPUTE_WALKER" [XeHpc] "field 4:0:0 uint Compute Dispatch All walker Enable": NEO;
    "COMPUTE_WALKER_BODY" [XeHpg..=Xe2] "field 0:31:8 uint Debug Object ID": NEO;
    "COMPUTE_WALKER_BODY" [XeHpg] "field 1:29:18 uint Partition Dispatch Parameter": NEO;
    "COMPUTE_WALKER_BODY" [XeHpc] "field 3:0:0 uint Compute Dispatch All walker Enable": NEO;
    "EXECUTE_INDIRECT_DISPATCH" [XeHpg..=Xe2] "field 6:31:8 uint Debug Object ID": NEO;
    "EXECUTE_INDIRECT_DISPATCH" [XeHpg] "field 7:29:18 uint Partition Dispatch Parameter": NEO;
    "EXECUTE_INDIRECT_DISPATCH" [XeHpc] "field 9:0:0 uint Compute Dispatch All walker Enable": NEO;
    "INTERFACE_DESCRIPTOR_DATA" [Gen12Lp] "field 6:14:13 uint Over Dispatch Control": NEO;
    "MEDIA_VFE_STATE" [Gen12Lp] "field 3:6:6 bool Disable Slice 0 Subslice 2": NEO;
    "MI_ATOMIC" [XeHpg..=Xe2] "field 1:0:0 bool Workload Partition ID Offset Enable": NEO;
    "MI_BATCH_BUFFER_END" [XeHpc..=Xe2] "field 0:15:15 bool Predicate Enable": NEO;
    "MI_BATCH_BUFFER_START" [Gen12Lp..=Xe2] "field 0:19:19 bool Enable Command Cache": NEO;
    "MI_BATCH_BUFFER_START" [Gen12Lp..=XeHpc] "field 0:20:20 bool POSH Enable": NEO;
    "MI_BATCH_BUFFER_START" [Gen12Lp..=XeHpc] "field 0:21:21 bool POSH Start": NEO;
    "MI_BATCH_BUFFER_START" [XeHpc..=Xe2] "field 0:18:18 bool Indirect Address Enable": NEO;
    "MI_CONDITIONAL_BATCH_BUFFER_END" [Gen12Lp..=Xe2] "field 0:14:12 uint Compare Operation": MEDIA;
    "MI_CONDITIONAL_BATCH_BUFFER_END" [XeHpg..=Xe2] "field 0:15:15 bool Predicate Enable": NEO;
    "MI_CONDITIONAL_BATCH_BUFFER_END" [Gen12Lp..=Xe2] "field 0:18:18 bool End Current Batch Buffer Level":
        MEDIA;
    "MI_LOAD_REGISTER_IMM" [..] "field 0:12:12 bool Force Posted": I915;
    "MI_LOAD_REGISTER_IMM" [Gen12Lp..=Xe2] "field 0:17:17 bool MMIO Remap Enable": NEO;
    "MI_LOAD_REGISTER_MEM" [Gen12Lp..=Xe2] "field 0:17:17 bool MMIO Remap Enable": NEO;
    "MI_LOAD_REGISTER_MEM" [XeHpg..=Xe2] "field 0:16:16 bool Workload Partition ID Offset Enable":
        NEO;
    "MI_LOAD_REGISTER_REG" [Gen12Lp..=Xe2] "field 0:16:16 bool MMIO Remap Enable Source": NEO;
    "MI_LOAD_REGISTER_REG" [Gen12Lp..=Xe2] "field 0:17:17 bool MMIO Remap Enable Destination": NEO;
    "MI_SEMAPHORE_WAIT" [Gen8] "field 2:47:2 address Semaphore Address": SPLIT;
    "MI_SEMAPHORE_WAIT" [Gen12Lp..=XeHpg] "field 4:9:5 uint Wait Token Number": NEO;
    "MI_SEMAPHORE_WAIT" [XeHpg..=XeHpc] "field 0:17:17 bool Indirect Semaphore Data Dword": NEO;
    "MI_SEMAPHORE_WAIT" [XeHpg..=XeHpc] "field 0:18:18 bool Workload Partition ID Offset Enable":
        NEO;
    "MI_SEMAPHORE_WAIT" [XeHpc] "field 0:9:8 uint Semaphore Wait Context Switch Mode": NEO;
    "MI_SEMAPHORE_WAIT" [XeHpc] "field 4:9:2 uint Wait Token Number": NEO;
    "MI_SEMAPHORE_WAIT" [XeHpc] "field 4:31:22 uint Context Switch Wait Time": NEO;
    "MI_SET_PREDICATE" [XeHpg..=Xe2] "field 0:5:4 uint Predicate Enable WPARID": NEO;
    "MI_STORE_DATA_IMM" [XeHpg..=Xe2] "field 0:11:11 bool Workload Partition ID Offset Enable": NEO;
    "MI_STORE_REGISTER_MEM" [Gen12Lp..=Xe2] "field 0:17:17 bool MMIO Remap Enable": NEO;
    "MI_STORE_REGISTER_MEM" [XeHpg..=Xe2] "field 0:16:16 bool Workload Partition ID Offset Enable":
        NEO;
    "PIPELINE_SELECT" [Gen12Lp..=Xe2] "field 0:2:2 bool Render Slice Common Power Gate Enable": NEO;
    "PIPELINE_SELECT" [Gen12Lp..=Xe2] "field 0:3:3 bool Render Sampler Power Gate Enable": NEO;
    "PIPELINE_SELECT" [Gen12Lp..=XeHpc] "field 0:6:6 bool Media Sampler Power Clock Gate Disable":
        NEO;
    "PIPELINE_SELECT" [Gen12Lp] "field 0:7:7 bool Special Mode Enable": NEO;
    "RENDER_SURFACE_STATE" [XeHpg..=XeHpc] "field 5:15:14 uint Coherency Type": NEO;
    "STATE_BASE_ADDRESS" [XeHpg] "field 3:13:13 uint Enable Memory Compression For All Stateless Accesses":
        NEO;
    "STATE_BASE_ADDRESS" [XeHpc] "field 3:0:0 bool Coherency Setting Modify Enable": NEO;
    "STATE_BASE_ADDRESS" [XeHpc] "field 3:15:13 uint Enable Memory Compression For All Stateless Accesses":
        NEO;
    "STATE_COMPUTE_MODE" [XeHpc] "field 1:14:13 uint EU Thread Scheduling Mode Override": NEO;
    "STATE_COMPUTE_MODE" [XeHpc] "field 1:30:29 uint EU Thread Scheduling Mode Override Mask": NEO;
    "XY_BLOCK_COPY_BLT" [Xe2] "field 0:11:9 uint Number of Multisamples": NEO;
    "XY_BLOCK_COPY_BLT" [Xe2] "field 1:21:21 bool Destination Encrypt En": NEO;
    "XY_FAST_COLOR_BLT" [Gen12Lp] "field 1:27:21 uint Destination MOCS": NEO;
    // Whole packets.
    "MEM_COPY" [XeHpc..=Xe2] "": NEO;
    "MEM_SET" [XeHpc..=Xe2] "": NEO;
    "MI_MEM_FENCE" [XeHpc] "": NEO;
    "STATE_CONTEXT_DATA_BASE_ADDRESS" [Xe2] "": NEO;
    "STATE_PREFETCH" [XeHpc..=Xe2] "": NEO;
    "STATE_SYSTEM_MEM_FENCE_ADDRESS" [XeHpc..=Xe2] "": NEO;
    "XY_COLOR_BLT" [..=Gen12Lp] "": PRM;
    "XY_FAST_COPY_BLT" [Gen9..=Xe2] "": IGT;
    "XY_SRC_COPY_BLT" [..=Gen12Lp] "": PRM;
}
