//! What the dispatcher is told.

use std::ops::Range;

use devinfo::{Family, GpuAddress};

use softgpu_eu::{Kernel, StateBases};

/// A walker with all that it refers to, resolved.
#[derive(Clone, Debug)]
pub struct Walker {
    /// Whose rules hold.
    pub family: Family,
    /// The base addresses in force.
    pub bases: StateBases,
    /// The kernel's entry point, in bytes from the instruction base (Kernel Start Pointer).
    pub kernel: u64,
    /// The SIMD width: 8, 16 or 32.
    pub simd: u8,
    /// Registers a thread: 128 or 256.
    pub grf_count: u16,
    /// The ids of the groups to run, in x, y, z ("Dimension" fields are exclusive ends).
    pub groups: [Range<u32>; 3],
    /// Threads a group in x, y, z (the walker's thread counters plus one). Before XeHPG; later
    /// families count in x only.
    pub threads: [u32; 3],
    /// Channels of the last thread of each row (Right Execution Mask, or Execution Mask).
    pub right_mask: u32,
    /// Channels of the threads of the last row (Bottom Execution Mask).
    pub bottom_mask: u32,
    /// The registers that a thread is given from memory.
    pub data: ThreadData,
    /// Local ids made by the dispatcher (XeHPG on).
    pub local_ids: Option<LocalIds>,
    /// Inline data of the walker (XeHPG on): one register.
    pub inline_data: Option<[u8; 64]>,
    /// Shared local memory of a group, in bytes.
    pub slm_bytes: u32,
    /// The binding table's offset from its base.
    pub binding_table: u32,
    /// The sampler states' offset from the dynamic state base.
    pub sampler_state: u32,
    /// Scratch memory.
    pub scratch: Scratch,
    /// How many EU threads the device has: the range of thread slots (FFTID).
    pub thread_slots: u32,
    /// cr0.0 at entry.
    pub cr0: u32,
}

/// Registers that threads are loaded with from memory: a cross-thread part that all share, and
/// behind it a part for each thread, in thread order.
///
/// In the register file the thread's own part comes first, at r1 (IGC's payload layout).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadData {
    /// Where the cross-thread part begins (indirect data, or the CURBE).
    pub address: GpuAddress,
    /// The cross-thread part in bytes.
    pub cross_thread_bytes: u32,
    /// Each thread's part in bytes.
    pub per_thread_bytes: u32,
    /// How many bytes there are at `address`: reads behind it give zero.
    pub bytes: u32,
    /// What r0.0 says of the place: the offset from its base (XeHPG on, where the kernel loads).
    pub offset: u32,
}

/// Local ids that the dispatcher makes, as 16-bit lanes, each id in registers of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LocalIds {
    /// Which of x, y, z are emitted.
    pub emit: [bool; 3],
    /// The group's size in work-items.
    pub size: [u32; 3],
    /// Dimensions from the fastest to the slowest.
    pub order: [u8; 3],
}

/// Per-thread scratch memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scratch {
    /// Before XeHPG the base's offset from the general state base, from XeHPG on the offset of
    /// the scratch surface state. A multiple of 1024 or 64.
    pub base: u32,
    /// Bytes a thread.
    pub per_thread: u32,
}

impl Walker {
    /// Its kernel, as findings name it.
    pub fn as_kernel(&self) -> Kernel {
        Kernel {
            family: self.family,
            base: self.bases.instruction,
            entry: self.kernel,
        }
    }

    /// Threads a group.
    pub fn threads_per_group(&self) -> u32 {
        self.threads
            .iter()
            .fold(1u32, |product, &count| product.saturating_mul(count))
    }

    /// How many groups there are.
    pub fn group_count(&self) -> u64 {
        let axis = |range: &Range<u32>| u64::from(range.end.saturating_sub(range.start));
        let [x, y, z] = &self.groups;
        axis(x).saturating_mul(axis(y)).saturating_mul(axis(z))
    }

    /// The ids of the group that is started as number `index`: x is fastest.
    pub fn group_at(&self, index: u64) -> [u32; 3] {
        let mut rest = index;
        [0, 1, 2].map(|axis| {
            let range = &self.groups[axis];
            let length = u64::from(range.end.saturating_sub(range.start)).max(1);
            let id = u64::from(range.start) + rest % length;
            rest /= length;
            // Below `range.end`, so it fits.
            id as u32
        })
    }

    /// The channels of thread `thread` of a group: those of its SIMD width that the execution
    /// masks leave.
    pub fn dispatch_mask(&self, thread: u32) -> u32 {
        let [width, height, _] = self.threads.map(|count| count.max(1));
        let mut mask = match self.simd {
            32.. => u32::MAX,
            simd => (1 << simd) - 1,
        };
        if thread % width == width - 1 {
            mask &= self.right_mask;
        }
        if thread / width % height == height - 1 {
            mask &= self.bottom_mask;
        }
        mask
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::dispatch) fn walker() -> Walker {
        Walker {
            family: Family::Gen12Lp,
            bases: StateBases::default(),
            kernel: 0,
            simd: 16,
            grf_count: 128,
            groups: [0..1, 0..1, 0..1],
            threads: [1, 1, 1],
            right_mask: u32::MAX,
            bottom_mask: u32::MAX,
            data: ThreadData::default(),
            local_ids: None,
            inline_data: None,
            slm_bytes: 0,
            binding_table: 0,
            sampler_state: 0,
            scratch: Scratch::default(),
            thread_slots: 64,
            cr0: 0,
        }
    }

    #[test]
    fn groups_are_numbered_x_first_from_their_starts() {
        let walker = Walker {
            groups: [2..4, 5..8, 1..2],
            ..walker()
        };
        assert_eq!(walker.group_count(), 6);
        let ids: Vec<_> = (0..6).map(|index| walker.group_at(index)).collect();
        assert_eq!(
            ids,
            [
                [2, 5, 1],
                [3, 5, 1],
                [2, 6, 1],
                [3, 6, 1],
                [2, 7, 1],
                [3, 7, 1]
            ]
        );
    }

    #[test]
    fn empty_and_reversed_ranges_have_no_groups() {
        #[expect(clippy::reversed_empty_ranges, reason = "what a hostile walker says")]
        let reversed = 9..4;
        let walker = Walker {
            groups: [0..3, reversed, 0..1],
            ..walker()
        };
        assert_eq!(walker.group_count(), 0);
    }

    #[test]
    fn masks_apply_to_the_last_thread_of_a_row_and_to_the_last_row() {
        let walker = Walker {
            threads: [3, 2, 1],
            right_mask: 0x00ff,
            bottom_mask: 0x0f0f,
            ..walker()
        };
        let masks: Vec<_> = (0..6).map(|thread| walker.dispatch_mask(thread)).collect();
        assert_eq!(masks, [0xffff, 0xffff, 0x00ff, 0x0f0f, 0x0f0f, 0x000f]);
    }
}
