//! Entries of page tables: of the global GTT, and of a context's four levels.
//!
//! Sources: BDW PRM vol 5; i915 `gen8_ppgtt.c`, `intel_gtt.h`.

use devinfo::GpuAddress;

/// The bytes of a page, and of a table.
pub const PAGE: u64 = 0x1000;
/// How many entries a table has.
pub const ENTRIES: usize = 512;
/// The levels of a context's tables; the pages are below level 0.
pub const LEVELS: u32 = 4;
/// The end of physical addresses.
pub const END: u64 = 1 << 47;

/// The page is there.
pub const PRESENT: u64 = 1;
/// The GPU may write it.
pub const WRITABLE: u64 = 1 << 1;
/// In the global GTT, the page is in local memory.
pub const GLOBAL_LOCAL: u64 = 1 << 1;
/// An entry of level 1 is a page of 2 MiB, one of level 2 a page of 1 GiB.
pub const LARGE: u64 = 1 << 7;
/// An entry of level 1 names a table with pages of 64 KiB (i915 `GEN12_PDE_64K`).
pub const TABLE_64K: u64 = 1 << 6;
/// The page is in local memory.
pub const LOCAL: u64 = 1 << 11;
/// The page's address.
pub const ADDRESS: u64 = END - PAGE;

/// The place of an address in the table of a level.
pub const fn index(address: GpuAddress, level: u32) -> usize {
    (address.get() >> (12 + 9 * level)) as usize % ENTRIES
}
