//! What a thread finds in its registers when it starts.
//!
//! Sources: BDW to TGL PRM vol 2d and 7, "Thread Payload"; the fields that IGC's code reads.

use core::ops::BitOr;

use crate::Family;

/// Bytes of a kernel's payload that kernels ask a COMPUTE_WALKER to carry itself (genxml, COMPUTE_WALKER,
/// "Inline Data": eight dwords).
pub const INLINE_DATA: u32 = 32;

/// A field of r0, the header of every thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderField {
    /// The dword of r0.
    pub dword: usize,
    /// Its bits there.
    pub mask: u32,
}

impl HeaderField {
    const fn new(dword: usize, high: u32, low: u32) -> Self {
        let mask = u32::MAX >> (31 - high) & u32::MAX << low;
        Self { dword, mask }
    }

    /// Sets the field to a number. An address or offset goes in by [`HeaderField::set_offset`].
    pub const fn set(self, header: &mut [u32; 8], value: u32) {
        self.set_offset(header, value << self.mask.trailing_zeros());
    }

    /// Sets the field to those bits of an address or offset that it has room for.
    pub const fn set_offset(self, header: &mut [u32; 8], value: u32) {
        let dword = &mut header[self.dword];
        *dword = *dword & !self.mask | value & self.mask;
    }
}

/// With a compute walker: the offset of the walker's data from the general state base.
pub const PAYLOAD: HeaderField = HeaderField::new(0, 31, 6);
/// The group's number in each dimension.
pub const GROUP: [HeaderField; 3] = [
    HeaderField::new(1, 31, 0),
    HeaderField::new(6, 31, 0),
    HeaderField::new(7, 31, 0),
];
/// With a compute walker: the thread's number in its group.
pub const THREAD_IN_GROUP: HeaderField = HeaderField::new(2, 7, 0);
/// With a compute walker: how many threads the group has.
pub const GROUP_THREADS: HeaderField = HeaderField::new(2, 31, 24);
/// The bits that name the group's barrier, which dword 2 of a barrier message's payload has, too; `None` where
/// that has counts of threads ([`GROUP_THREADS`]).
///
/// Sources: Mesa brw_fs_nir.cpp (`barrier_id_mask`), and what IGC's code keeps.
pub const fn barrier(family: Family) -> Option<HeaderField> {
    let mask = match family {
        Family::Gen8 => 0x0f00_0000,
        Family::Gen9 => 0x8f00_0000,
        Family::Gen11 | Family::Gen12Lp => 0x7f00_0000,
        Family::XeHpg | Family::XeHpc | Family::Xe2 | Family::Xe3 => return None,
    };
    Some(HeaderField { dword: 2, mask })
}
/// Scratch bytes of a thread: 1 KiB times a power of two.
pub const SCRATCH_SIZE: HeaderField = HeaderField::new(3, 3, 0);
/// The offset of the sampler states from the dynamic state base.
pub const SAMPLER_STATES: HeaderField = HeaderField::new(3, 31, 5);
/// The offset of the binding table from the surface state base.
pub const BINDING_TABLE: HeaderField = HeaderField::new(4, 31, 5);
/// The thread's slot (FFTID).
pub const SLOT: HeaderField = HeaderField::new(5, 9, 0);
/// The offset of the thread's scratch memory from the general state base; with a compute walker the
/// scratch surface.
pub const SCRATCH: HeaderField = HeaderField::new(5, 31, 10);

/// Where on the device a slot is, as a thread's registers show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Topology {
    /// sr0.0.
    pub state: u32,
    /// msg0.0, where there is one: the subslice.
    pub message: u32,
}

/// How slots are numbered: lowest the thread of the EU, then EU and subslice together.
struct Slots {
    /// Slots per EU.
    threads: u32,
    /// Where sr0.0 has the bits of the EU's number on the device, above the thread's number: the
    /// first bit, how many, and their position in sr0.0.
    units: &'static [(u32, u32, u32)],
    /// msg0.0 has the subslice: the EU's number from bit 3 on.
    message: bool,
}

/// Code reassembles the slot from the fields of sr0.0 and msg0.0 to find its private memory (IGC
/// `CShader::GetHWTID`; Mesa `brw_fs_nir.cpp`, `load_topology_id`).
const fn slots(family: Family) -> Slots {
    match family {
        Family::Gen8 | Family::Gen9 | Family::Gen11 | Family::Gen12Lp | Family::XeHpg => Slots {
            threads: 8,
            units: &[(0, 2, 4), (2, 7, 7)],
            message: false,
        },
        Family::XeHpc => Slots {
            threads: 8,
            units: &[(0, 2, 4), (2, 7, 8)],
            message: false,
        },
        Family::Xe2 => Slots {
            threads: 8,
            units: &[(0, 3, 4), (3, 2, 8), (5, 5, 11)],
            message: true,
        },
        Family::Xe3 => Slots {
            threads: 10,
            units: &[(0, 3, 4), (3, 4, 8), (7, 4, 14)],
            message: true,
        },
    }
}

/// A part of the slot: bits of sr0.0, and what they count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotPart {
    /// The first bit.
    pub from: u32,
    /// How many.
    pub bits: u32,
    /// Slots for each.
    pub slots: u32,
}

/// With a compute walker: where sr0.0 has the parts whose sum is the thread's slot.
pub fn slot_parts(family: Family) -> impl Iterator<Item = SlotPart> {
    let Slots { threads, units, .. } = slots(family);
    let thread = SlotPart {
        from: 0,
        bits: threads.next_power_of_two().trailing_zeros(),
        slots: 1,
    };
    let units = units.iter().map(move |&(bit, bits, from)| SlotPart {
        from,
        bits,
        slots: threads << bit,
    });
    core::iter::once(thread).chain(units)
}

impl Topology {
    /// The position of a slot.
    pub fn of(family: Family, slot: u32) -> Self {
        let slots = slots(family);
        let (thread, unit) = (slot % slots.threads, slot / slots.threads);
        let spread =
            |&(from, count, to): &(u32, u32, u32)| (unit >> from & ((1 << count) - 1)) << to;
        Self {
            state: slots.units.iter().map(spread).fold(thread, u32::bitor),
            message: if slots.message { unit >> 3 & 0xff } else { 0 },
        }
    }
}
