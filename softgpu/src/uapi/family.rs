//! What the kernel drivers report for a family, one row each.

use batchbuffer::Engine;
use devinfo::Family;
use softgpu_memory::PAGE_BYTES;

/// What a family has, as far as the kernel drivers' answers show it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Traits {
    /// The engine classes that compute and copy, one engine each.
    pub engines: &'static [Engine],
    /// i915 takes privileged batches, of the display's master (`I915_EXEC_SECURE`).
    pub privileged_batches: bool,
    /// Pages can be read-only (Linux `gen8_ppgtt_create`).
    pub read_only_pages: bool,
    /// i915 also maps objects in system memory without an offset (`GEM_MMAP`).
    pub plain_mmap: bool,
    /// i915 lists the subslices that have geometry.
    pub geometry_query: bool,
    /// The page size of device memory (Linux, `XE_VRAM_FLAGS_NEED64K` and `HAS_64K_PAGES`).
    pub device_page: u64,
    /// Page faults can be recovered from.
    pub recoverable_faults: bool,
    /// Subslices are dual ones.
    pub dual_subslices: bool,
    /// EUs are 16 lanes wide.
    pub simd16_eus: bool,
}

/// The row of a family.
pub(super) const fn traits(family: Family) -> Traits {
    match family {
        Family::Gen8 | Family::Gen9 => GEN8,
        Family::Gen11 | Family::Gen12Lp => GEN11,
        Family::XeHpg => XE_HPG,
        Family::XeHpc => Traits {
            engines: &[Engine::Blitter, Engine::Compute],
            recoverable_faults: true,
            dual_subslices: false,
            simd16_eus: true,
            ..XE_HPG
        },
        Family::Xe2 | Family::Xe3 => XE2,
    }
}

const GEN8: Traits = Traits {
    engines: &[Engine::Render, Engine::Blitter],
    privileged_batches: true,
    read_only_pages: true,
    plain_mmap: true,
    geometry_query: false,
    device_page: PAGE_BYTES,
    recoverable_faults: false,
    dual_subslices: true,
    simd16_eus: false,
};

const GEN11: Traits = Traits {
    privileged_batches: false,
    read_only_pages: false,
    ..GEN8
};

const XE_HPG: Traits = Traits {
    engines: &[Engine::Render, Engine::Blitter, Engine::Compute],
    plain_mmap: false,
    geometry_query: true,
    device_page: 0x1_0000,
    ..GEN11
};

const XE2: Traits = Traits {
    read_only_pages: true,
    device_page: PAGE_BYTES,
    recoverable_faults: true,
    dual_subslices: false,
    simd16_eus: true,
    ..XE_HPG
};
