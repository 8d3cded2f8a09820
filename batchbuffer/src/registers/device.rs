//! Registers that are no engine's own, or that only one engine has.
//!
//! Source: genxml, and i915 `intel_gt_regs.h`, `i915_reg.h`.

registers! {
    NAMES:

    // The render engine's.
    = 0x2090 "3D_CHICKEN3" on [Gen11..=Gen12Lp];
    /// INSTPM.
    INSTPM = 0x20c0 "INSTPM" on [Gen8];
    = 0x20d8 "CS_DEBUG_MODE2" on [Gen9..];
    /// Who chooses the granularity of preemption (i915 `GEN7_FF_SLICE_CS_CHICKEN1`).
    FF_SLICE_CS_CHICKEN1 = 0x20e0 "FF_SLICE_CS_CHICKEN1" on [Gen9..];
    /// CS_DEBUG_MODE1.
    CS_DEBUG_MODE1 = 0x20ec "CS_DEBUG_MODE1" on [Gen11..];
    = 0x2300 "HS_INVOCATION_COUNT", 2 dwords;
    = 0x2308 "DS_INVOCATION_COUNT", 2 dwords;
    = 0x2310 "IA_VERTICES_COUNT", 2 dwords;
    = 0x2318 "IA_PRIMITIVES_COUNT", 2 dwords;
    = 0x2320 "VS_INVOCATION_COUNT", 2 dwords;
    = 0x2328 "GS_INVOCATION_COUNT", 2 dwords;
    = 0x2330 "GS_PRIMITIVES_COUNT", 2 dwords;
    = 0x2338 "CL_INVOCATION_COUNT", 2 dwords;
    = 0x2340 "CL_PRIMITIVES_COUNT", 2 dwords;
    = 0x2348 "PS_INVOCATION_COUNT", 2 dwords;
    /// CS_CHICKEN1: how finely compute can be preempted.
    CS_CHICKEN1 = 0x2580 "CS_CHICKEN1" on [Gen9..];
    = 0x26d8 "MESH_PRIMITIVE_COUNT", 2 dwords on [XeHpg..];
    = 0x26e0 "MESH_INVOCATION_COUNT", 2 dwords on [XeHpg..];
    = 0x26e8 "TASK_INVOCATION_COUNT", 2 dwords on [XeHpg..];

    // Memory access.
    /// Attributes of memory, by index, where all engines share them.
    GLOBAL_MOCS = 0x4000 "GLOBAL_MOCS" * 64 on [Gen12Lp..];
    /// i915 `GEN8_GAMW_ECO_DEV_RW_IA`.
    GAMW_ECO_DEV = 0x4080 "GAMW_ECO_DEV_RW_IA" on [Gen8..=Gen11];
    /// GAM_ECOCHK.
    GAM_ECOCHK = 0x4090 "GAM_ECOCHK" on [Gen8..=Gen9];
    /// What an access that failed was (i915 `GEN8_RING_FAULT_REG`).
    FAULT = 0x4094 "FAULT_REG" on [Gen8..=Gen9];
    = 0x40a0 "GFX_ARB_ERROR_RPT" on [Gen8..=Gen9];
    = 0x4200 "GFX_AUX_TABLE_BASE_ADDR", 2 dwords on [Gen12Lp..];
    = 0x4208 "GFX_CCS_AUX_INV" on [Gen12Lp..];
    = 0x4210 "VD0_AUX_TABLE_BASE_ADDR", 2 dwords on [Gen12Lp..];
    = 0x4218 "VD0_CCS_AUX_INV" on [Gen12Lp..];
    = 0x4240 "BCS_AUX_TABLE_BASE_ADDR", 2 dwords on [XeHpg..];
    = 0x4248 "BCS_CCS_AUX_INV" on [XeHpg..];
    = 0x42c0 "COMPCS0_AUX_TABLE_BASE_ADDR", 2 dwords on [Gen12Lp..];
    = 0x42c8 "COMPCS0_CCS_AUX_INV" on [Gen12Lp..];
    = 0x4400 "GFX_TRTT_CR" on [Gen12Lp..];
    = 0x4404 "GFX_TRTT_VA_RANGE" on [Gen12Lp..];
    = 0x4408 "GFX_TRTT_L3_BASE_LOW" on [Gen12Lp..];
    = 0x440c "GFX_TRTT_L3_BASE_HIGH" on [Gen12Lp..];
    = 0x4410 "GFX_TRTT_NULL" on [Gen12Lp..];
    = 0x4414 "GFX_TRTT_INVAL" on [Gen12Lp..];
    = 0x4480 "BLT_TRTT_CR" on [Gen12Lp..];
    = 0x4484 "BLT_TRTT_VA_RANGE" on [Gen12Lp..];
    = 0x4488 "BLT_TRTT_L3_BASE_LOW" on [Gen12Lp..];
    = 0x448c "BLT_TRTT_L3_BASE_HIGH" on [Gen12Lp..];
    = 0x4490 "BLT_TRTT_NULL" on [Gen12Lp..];
    = 0x4494 "BLT_TRTT_INVAL" on [Gen12Lp..];
    = 0x4580 "COMP_CTX0_TRTT_CR" on [Gen12Lp..];
    = 0x4584 "COMP_CTX0_TRTT_VA_RANGE" on [Gen12Lp..];
    = 0x4588 "COMP_CTX0_TRTT_L3_BASE_LOW" on [Gen12Lp..];
    = 0x458c "COMP_CTX0_TRTT_L3_BASE_HIGH" on [Gen12Lp..];
    = 0x4590 "COMP_CTX0_TRTT_NULL" on [Gen12Lp..];
    = 0x4594 "COMP_CTX0_TRTT_INVAL" on [Gen12Lp..];
    /// The attributes of pages: one byte for each index, or, on Gen11, one register (i915
    /// `GEN8_PRIVATE_PAT_LO`, `GEN10_PAT_INDEX`).
    PAGE_ATTRIBUTES = 0x40e0 "PRIVATE_PAT", 2 dwords on [Gen8..=Gen9];
    = 0x40e0 "PAT_INDEX" * 8 on [Gen11];
    /// The attributes of pages, one register for each index (i915 `GEN12_PAT_INDEX`).
    PAGE_ATTRIBUTES_GEN12 = 0x4800 "PAT_INDEX" * 8 on [Gen12Lp..=XeHpg];
    /// i915 `GAMT_CHKN_BIT_REG`.
    GAMT_CHICKEN = 0x4ab8 "GAMT_CHKN_BIT_REG" on [Gen8..=Gen11];

    // The 3D pipeline.
    = 0x5200 "SO_NUM_PRIMS_WRITTEN" * 4, 2 dwords;
    = 0x5240 "SO_PRIM_STORAGE_NEEDED" * 4, 2 dwords;
    = 0x5280 "SO_WRITE_OFFSET" * 4;
    = 0x6204 "CHICKEN_RASTER_1" on [XeHpg..];
    = 0x6208 "CHICKEN_RASTER_2" on [XeHpg..];
    = 0x6604 "FF_MODE2" on [Gen12Lp..];
    = 0x666c "INSTDONE_GEOM" on [XeHpg..];
    = 0x7000 "CACHE_MODE_0" on [Gen9..];
    = 0x7004 "CACHE_MODE_1";
    = 0x7008 "GT_MODE" on [Gen9..=Gen12Lp];
    = 0x7010 "COMMON_SLICE_CHICKEN1" on [Gen12Lp..];
    = 0x7018 "HIZ_CHICKEN" on [Gen12Lp..];
    /// L3CNTLREG, up to Gen11: how the L3 is divided.
    L3_CONTROL = 0x7034 "L3CNTLREG" on [Gen8..=Gen11];
    = 0x7100 "SC_INSTDONE";
    = 0x7104 "SC_INSTDONE_EXTRA" on [XeHpg..];
    = 0x7108 "SC_INSTDONE_EXTRA2" on [XeHpg..];
    /// HDC_CHICKEN0.
    HDC_CHICKEN0 = 0x7300 "HDC_CHICKEN0" on [Gen8..=Gen9];
    = 0x7300 "COMMON_SLICE_CHICKEN4" on [Gen11..];
    = 0x7304 "COMMON_SLICE_CHICKEN3" on [Gen11..];
    = 0x731c "SLICE_COMMON_ECO_CHICKEN1" on [Gen9..];

    // The device.
    = 0x91b8 "PERFCNT1", 2 dwords on [Gen8..=Gen11];
    = 0x91c0 "PERFCNT2", 2 dwords on [Gen8..=Gen11];
    /// Resets engines: each bit is a domain, and is clear when its reset is done (i915 `GEN6_GDRST`).
    RESET = 0x941c "GDRST";
    = 0xa01c "RPSTAT0" on [Gen9..];
    = 0xa01c "RPSTAT1" on [Gen8];
    /// Keeps the device awake; on Gen8 it has another name.
    FORCE_WAKE = 0xa188 "FORCEWAKE_GT" on [Gen9..];
    = 0xa188 "FORCEWAKE_MT" on [Gen8];
    /// Keeps the render engine awake.
    FORCE_WAKE_RENDER = 0xa278 "FORCEWAKE_RENDER" on [Gen9..];
    /// Makes writes to the global GTT visible to the GPU (i915 `GFX_FLSH_CNTL_GEN6`).
    GLOBAL_GTT_FLUSH = 0x10_1008 "GFX_FLSH_CNTL";

    // Caches.
    /// i915 `GEN8_GARBCNTL`.
    GARBCNTL = 0xb004 "GARBCNTL";
    /// Attributes of the L3: two indices in each register.
    L3_MOCS = 0xb020 "LNCFCMOCS" * 32 on [Gen9..];
    = 0xb0a4 "TCCNTLREG" on [Gen11];
    /// i915 `GEN8_L3SQCREG4`.
    L3_SUPER_QUEUE4 = 0xb118 "L3SQCREG4" on [Gen8..=Gen11];
    = 0xb134 "L3ALLOC" on [Gen12Lp..=XeHpg];
    = 0xb158 "L3SQCREG5" on [XeHpg..];
    /// Attributes of the last-level cache, by index, as the render engine sees them.
    RENDER_MOCS = 0xc800 "GFX_MOCS" * 64 on [Gen9..=Gen11];
    /// i915 `XEHP_GAMCNTRL_CTRL`.
    GAM_CONTROL = 0xcf54 "GAMCNTRL_CTRL" on [XeHpg..];
    = 0xcf68 "GAM_DONE" on [Gen12Lp..];

    // Execution units.
    = 0xe160 "SAMPLER_INSTDONE";
    = 0xe164 "ROW_INSTDONE";
    /// i915 `HALF_SLICE_CHICKEN2`.
    HALF_SLICE_CHICKEN2 = 0xe180 "HALF_SLICE_CHICKEN2" on [Gen8..=Gen9];
    /// SAMPLER_MODE.
    SAMPLER_MODE = 0xe18c "SAMPLER_MODE" on [Gen9..];
    = 0xe194 "HALF_SLICE_CHICKEN7" on [Gen11..];
    /// i915 `GEN9_ROW_CHICKEN4`.
    ROW_CHICKEN4 = 0xe48c "ROW_CHICKEN4" on [Gen9..];
    /// i915 `GEN8_ROW_CHICKEN`.
    ROW_CHICKEN = 0xe4f0 "ROW_CHICKEN";
    /// i915 `GEN8_ROW_CHICKEN2`.
    ROW_CHICKEN2 = 0xe4f4 "ROW_CHICKEN2";
    /// i915 `XEHP_HDC_CHICKEN0`.
    XEHP_HDC_CHICKEN0 = 0xe5f0 "XEHP_HDC_CHICKEN0" on [XeHpg..];
    /// i915 `ICL_HDC_MODE`.
    HDC_MODE = 0xe5f4 "HDC_MODE" on [Gen11];
}
