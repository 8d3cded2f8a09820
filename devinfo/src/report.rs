//! What code that a compiler has added to a kernel tells the checks of the software GPU.
//!
//! A compiler knows of which array an access is, and its machine code does not show it. So in kernels that
//! run where rules are checked, the compiler's front adds comparisons. A channel whose access leaves its
//! array stores a name and then a report, of sixteen bytes each. Both go to a slot that the low bits of the
//! offset choose: of stores to one place compilers leave one channel's.

/// Where the slots begin: no driver puts anything there.
pub const ADDRESS: u64 = 0x7a5e_0000_0000;
/// How many slots there are, a power of two.
pub const SLOTS: u64 = 4096;
/// The bytes of a slot: a report, and a name, filled up with zeros.
pub const SLOT: u64 = 32;
/// Where in a slot the name is.
pub const NAME: u64 = 16;

/// In a report's last dword: the channel's access leaves its array. Others of the sub-group store, too.
pub const BROKEN: u32 = 1 << 31;
/// In a report's last dword: it writes.
pub const WRITES: u32 = 1 << 30;
/// In a report's last dword: the array is in shared local memory.
pub const LOCAL: u32 = 1 << 29;
/// In a report's last dword: the array is the work-item's own.
pub const PRIVATE: u32 = 1 << 28;
/// In a report's last dword: it says nothing of arrays. The offset is an address, which is no multiple of the
/// size.
pub const MISALIGNED: u32 = 1 << 27;
/// In a report's last dword: it says that the kernel comes from a language without lockstep. What channels
/// do is in order by what it tells by [`ORDERS`] alone.
pub const APART: u32 = 1 << 26;
/// With [`APART`]: the module moves vectors of three in ways that may store their fourth components, too.
pub const THREES: u32 = 1 << 0;
/// In a report's last dword: it says nothing of arrays. The offset names the channel whose value is read, and
/// the size says how: [`BY_NUMBER`] and so on.
pub const SHUFFLES: u32 = 1 << 25;
/// In a report's last dword: all channels of the sub-group should be here.
pub const TOGETHER: u32 = 1 << 24;
/// With [`TOGETHER`]: and all of its work-group.
pub const GROUP: u32 = 1 << 0;
/// The offset of a shuffle is a channel's number.
pub const BY_NUMBER: u32 = 0;
/// It is what differs from the channel's own number.
pub const BY_DIFFERENCE: u32 = 1;
/// It is added to the channel's own number, and the channels of a second value come after those of the first.
pub const DOWN: u32 = 2;
/// It is subtracted from the channel's own number, and the channels of a second value come before.
pub const UP: u32 = 3;
/// In a report's last dword: the bytes that are accessed, at most so many.
pub const BYTES: u32 = 0xffff;

/// In a report's last dword: the array is in global or constant memory. Where none of the kinds is said, the
/// pointer may be to any.
pub const GLOBAL: u32 = 1 << 23;

/// In a report's last dword: what is accessed is a block of the sub-group, each channel's part in turn.
pub const BLOCK: u32 = 1 << 22;

/// In a report's last dword: it says nothing of arrays. The offset is a coordinate of a texel that is read, the
/// size the image's in that direction, whose number is in place of the bytes.
pub const TEXEL: u32 = 1 << 21;

/// In a report's last dword: it says nothing of arrays. The offset and the size are an operand that must be
/// the same for all channels of the sub-group that are here.
pub const ALIKE: u32 = 1 << 20;
/// With [`ALIKE`]: how many numbers of 32 bits it is, or 0 for an address.
pub const NUMBERS: u32 = 0x3;
/// With [`ALIKE`]: it must be the same for all of the work-group.
pub const GROUPS: u32 = 1 << 2;
/// With [`GROUPS`]: which of the module's operands it is, modulo their number. All work-items tell one as often.
pub const OPERAND: u32 = 0xfff0;

/// In a report's last dword: it says nothing of arrays. Of the 32 bytes at the address that is the offset, those whose
/// bits the size has need no value: a structure is copied to them that has nothing there.
pub const GAPS: u32 = 1 << 17;

/// In a report's last dword: it says nothing of arrays. The offset is the local id of the work-item whose value a
/// broadcast of the work-group reads, the size the group's in that direction, whose number is in place of the bytes.
pub const ITEM: u32 = 1 << 18;

/// In a report's last dword: it says nothing of arrays. The offset is the index of a packet, the size how many its
/// reservation has.
pub const PACKET: u32 = 1 << 16;

/// In a report's last dword: it says nothing of arrays. A barrier, a fence or an atomic operation comes next:
/// the offset's low half has its memory semantics, the high half its scope, as SPIR-V numbers them. For an
/// operation that has no semantics of its own, they are all there is. The size has the semantics of an atomic
/// operation that exchanges nothing because it finds another value than it compares with.
pub const ORDERS: u32 = 1 << 19;
/// Of memory semantics (SPIR-V, 3.25): what comes later does not begin before it.
pub const ACQUIRE: u32 = 0x2;
/// What came earlier has ended before it.
pub const RELEASE: u32 = 0x4;
/// Both of these.
pub const BOTH: u32 = 0x8;
/// Both, and in one order for all.
pub const CONSISTENT: u32 = 0x10;
/// It is of shared local memory.
pub const LOCAL_MEMORY: u32 = 0x100;
/// It is of buffers.
pub const GLOBAL_MEMORY: u32 = 0x200;
/// It is of images.
pub const IMAGE_MEMORY: u32 = 0x800;
/// Of scopes (SPIR-V, 3.27): all devices.
pub const ALL_DEVICES: u32 = 0;
/// The device.
pub const DEVICE: u32 = 1;
/// The work-group. Sub-groups and work-items have greater numbers.
pub const WORK_GROUP: u32 = 2;
/// With [`ORDERS`]: it is a barrier, so what its channels do is in order. A fence or the signal of a barrier follows.
pub const JOINS: u32 = 1 << 0;
/// With [`ORDERS`]: it is an atomic operation.
pub const ATOMIC: u32 = 1 << 1;
/// With [`ATOMIC`]: it reads, and writes nothing.
pub const LOADS: u32 = 1 << 2;
/// With [`ATOMIC`]: it writes, and reads nothing.
pub const STORES: u32 = 1 << 6;
/// With [`ATOMIC`]: the program has chosen its scope.
pub const SCOPED: u32 = 1 << 3;
/// With [`ORDERS`]: it begins a copy of the work-group. The size has a bit for its event.
pub const COPIES: u32 = 1 << 4;
/// With [`ORDERS`]: it waits for copies of the work-group. The size has the bits of their events.
pub const AWAITS: u32 = 1 << 5;
/// With [`ATOMIC`]: code of plain accesses of shared local memory may do it, up to [`DONE`].
pub const EMULATED: u32 = 1 << 7;
/// With [`ORDERS`]: it says nothing of order. A block of shared local memory is read or written, up to [`DONE`].
pub const LOCAL_BLOCK: u32 = 1 << 8;
/// With [`ORDERS`]: it says nothing of order. What comes next is no part of the copy, the atomic operation or the
/// block that was told of last.
pub const DONE: u32 = 1 << 9;

/// A report, by its dwords: the offset in the array in the first two, then the array's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// The offset of the access from the beginning of the array, in bytes.
    pub offset: i64,
    /// The array's bytes.
    pub size: u32,
    /// The bits above.
    pub what: u32,
}

impl Report {
    /// That in four dwords.
    pub fn of([low, high, size, what]: [u32; 4]) -> Self {
        Self {
            offset: (u64::from(high) << 32 | u64::from(low)).cast_signed(),
            size,
            what,
        }
    }
}
