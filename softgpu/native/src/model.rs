//! What is translated.

use core::sync::atomic::AtomicU32;

use eu_lanes::{Modes, Request};

use crate::moves;
use crate::planes::Planes;

/// The significant bits of an SLM offset. Compilers set bit 28 of local pointers so that none is
/// null (IGC: `VALID_LOCAL_HIGH_BITS`); shared local memory ignores it.
pub const LOCAL_OFFSET: u64 = (1 << 28) - 1;

/// The bits of a message header's dword that hold a base: of scratch, and of stateless memory.
pub const SCRATCH_BASE: u32 = !0x3ff;

/// Which channels are enabled in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Channels {
    /// All of this mask, and none waits.
    All(u32),
    /// Any.
    Any,
}

/// What a translation depends on besides the blocks.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Where the accumulators, which come first, end.
    pub accumulators: u32,
    /// The offset of f0.0 in the register bytes; the flags are 16 bytes.
    pub flags: u32,
    /// The offset of cr0.0.
    pub control: u32,
    /// Those of sr0.0, msg0.0 and r0, with which threads begin.
    pub state: u32,
    /// See [`state`](Self::state).
    pub message: u32,
    /// See [`state`](Self::state).
    pub general: u32,
    /// That of n0.0.
    pub notification: u32,
    /// Whether somebody looks at general registers of threads that have ended: else what nothing reads before is not
    /// stored.
    pub observed: bool,
}

#[cfg(test)]
impl Layout {
    /// One for tests of code that is not run.
    pub(crate) const OF_TESTS: Self = Self {
        accumulators: 0,
        flags: 1024,
        control: 1040,
        state: 0,
        message: 0,
        general: 0,
        notification: 0,
        observed: true,
    };
}

/// The barrier of a group of threads.
#[derive(Debug)]
#[repr(C)]
pub struct Arrivals {
    /// How many threads must signal.
    pub threads: u32,
    /// How many have, since it last passed.
    pub arrived: AtomicU32,
    /// How often it has passed.
    pub generation: AtomicU32,
}

/// How host code has left a thread to go on with another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Left {
    /// It has not.
    Not,
    /// It waits at the barrier that is the op of the seat.
    Waits,
    /// It has ended with the op of the seat.
    Ended,
}

/// A thread that takes turns with others.
#[derive(Debug)]
#[repr(C)]
pub struct Seat {
    /// Its register bytes.
    pub regs: *mut u8,
    /// Where it goes on once the barrier has passed, or begins; null if host code is not to do that.
    pub resume: *const u8,
    /// The one whose turn comes after it.
    pub next: *mut Seat,
    /// How many ops it may still execute.
    pub left: u64,
    /// The ops executed, and the sum of their execution sizes.
    pub instructions: u64,
    /// See [`instructions`](Self::instructions).
    pub channels: u64,
    /// Its channels that execute; none waits.
    pub active: u32,
    /// The barrier's generation in which it has signalled.
    pub generation: u32,
    /// How host code has left it.
    pub was: Left,
    /// The number of the op there.
    pub op: u32,
}

/// How results of floats are rounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rounding {
    /// To nearest, ties to even.
    #[default]
    Nearest,
    /// Towards positive infinity.
    Up,
    /// Towards negative infinity.
    Down,
    /// Towards zero.
    Zero,
}

/// How flag bits make a channel's predicate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grouping {
    /// Its own bit.
    Own,
    /// Any bit of the aligned group of this many channels, in which all channels of the op are.
    Any(u8),
    /// All bits of such a group.
    All(u8),
}

/// Predication by a flag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicate {
    /// The flag's first bit in the flag bytes.
    pub flag_bit: u8,
    /// What does not hold enables.
    pub inverse: bool,
    /// Which bits count.
    pub grouping: Grouping,
}

/// Which channels an op serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Masking {
    /// The thread's channel that is the op's first.
    pub channel_offset: u8,
    /// Disabled channels too.
    pub no_mask: bool,
    /// A predicate.
    pub predicate: Option<Predicate>,
}

#[cfg(test)]
impl Masking {
    /// The channels that execute.
    pub const OF_TESTS: Self = Self {
        channel_offset: 0,
        no_mask: false,
        predicate: None,
    };
}

/// An operation on channels.
#[derive(Clone, Copy, Debug)]
pub struct VectorStep {
    /// The operation.
    pub request: Request,
    /// Its channels. For [`Operation::Select`](eu_lanes::Operation::Select) the predicate selects.
    pub masking: Masking,
    /// The first bit of the flag that takes the outcome of the request's condition, if one does; without
    /// a condition, that of the flag that all channels set.
    pub flag_bit: Option<u8>,
}

/// What the addresses of a message are relative to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// Shared local memory.
    Local,
    /// The window of this number, from its first byte on: a buffer.
    Buffer(u32),
    /// The same, if its start is the dword at `name` in the register bytes, which names the buffer.
    Named {
        /// The window's number.
        window: u32,
        /// See [`Space::Named`].
        name: u32,
    },
    /// Address 0; the window of this number has the usual ones.
    Flat(u32),
    /// The general state base; the window of this number has the usual ones.
    General(u32),
}

/// A load or store with an address for each channel.
#[derive(Clone, Copy, Debug)]
pub struct MemoryStep {
    /// Its channels.
    pub masking: Masking,
    /// How many.
    pub channels: u8,
    /// How many there is room for: 8, 16 or 32.
    pub lanes: u8,
    /// It stores.
    pub stores: bool,
    /// What addresses are relative to: those of [`Space::Flat`] are qwords, others dwords.
    pub space: Space,
    /// Where they are in the register bytes.
    pub addresses: u32,
    /// Added to each.
    pub offset: i32,
    /// Bytes of an element in memory.
    pub element: u8,
    /// Bytes of an element in a register: 4 or 8.
    pub slot: u8,
    /// Where the data are.
    pub data: u32,
    /// The elements of each channel, each in the bytes of a plane.
    pub planes: Planes,
    /// See [`planes`](Self::planes).
    pub plane_bytes: u32,
}

/// What an atomic operation makes of the old value and its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtomicOperation {
    /// Their sum.
    Add,
    /// Their difference.
    Subtract,
    /// One more.
    Increment,
    /// One less.
    Decrement,
    /// Bitwise and.
    And,
    /// Bitwise or.
    Or,
    /// Bitwise exclusive or.
    Xor,
    /// The larger one.
    SignedMax,
    /// The smaller one.
    SignedMin,
    /// The larger one.
    UnsignedMax,
    /// The smaller one.
    UnsignedMin,
    /// The operand.
    Exchange,
    /// A second operand, if the old value is the first.
    CompareExchange,
}

/// An atomic operation on a dword for each channel.
#[derive(Clone, Copy, Debug)]
pub struct AtomicStep {
    /// The accesses, as stores of dwords. The data are planes of operands.
    pub memory: MemoryStep,
    /// The operation.
    pub operation: AtomicOperation,
    /// Where the old values go.
    pub old: Option<u32>,
}

/// Where the address of a block comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// A qword.
    Qword,
    /// A dword that counts units of this many bytes: 1 or 16.
    Dword(u8),
    /// The bits [`SCRATCH_BASE`] of a dword, from the general state base on.
    General,
    /// A dword, from the general state base on.
    Offset,
    /// A dword that counts units of this many bytes, 1 or 16, from there on: the bits are those of
    /// the dword at `base` in the register bytes.
    Stateless {
        /// The unit.
        unit: u8,
        /// Where the dword with the bits is.
        base: u32,
    },
}

/// A load or store of consecutive bytes.
#[derive(Clone, Copy, Debug)]
pub struct BlockStep {
    /// Its channels.
    pub masking: Masking,
    /// How many.
    pub channels: u8,
    /// Nothing happens unless the first is enabled; otherwise, unless any is.
    pub first_only: bool,
    /// It stores.
    pub stores: bool,
    /// What the address is relative to.
    pub space: Space,
    /// Where the address is in the register bytes, and what it says.
    pub address: u32,
    /// See [`address`](Self::address).
    pub base: Base,
    /// Added to it.
    pub offset: i32,
    /// Where the data are.
    pub data: u32,
    /// How many bytes: a multiple of 4.
    pub bytes: u32,
}

/// Signals the group's barrier.
#[derive(Clone, Copy, Debug)]
pub struct SignalStep {
    /// Where the dword of the payload is that names it.
    pub at: u32,
    /// The bits of it that tell barriers apart.
    pub mask: u32,
    /// What each byte of these is for one thread: times the number of threads, it names the group's barrier.
    pub of_each: u32,
}

/// Answers a fence with zeros in registers, unless no channel is enabled.
#[derive(Clone, Copy, Debug)]
pub struct FenceStep {
    /// Its channels.
    pub masking: Masking,
    /// How many.
    pub channels: u8,
    /// Where.
    pub at: u32,
    /// How many bytes: a multiple of 32.
    pub bytes: u32,
    /// Whether it is of memory that threads of other groups see.
    pub shared: bool,
}

/// Which side of a move is where addresses say. Elements are dwords, but for blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Indirect {
    /// Each lane's own address has its element, which goes to its place from there on.
    Gather {
        /// Where the first goes.
        to: u32,
    },
    /// The elements go to consecutive places from one address on.
    Scatter {
        /// Where the first is.
        from: u32,
        /// It is that of all lanes.
        all: bool,
    },
    /// So many bytes from one address on, whatever the channels, go to a place from there on.
    Block {
        /// Where the first goes. There is room for a multiple of 32.
        to: u32,
        /// How many, at least one.
        bytes: u32,
    },
}

/// A move between general registers with addresses, which are words in registers.
#[derive(Clone, Copy, Debug)]
pub struct IndirectStep {
    /// Its channels.
    pub masking: Masking,
    /// How many.
    pub lanes: u8,
    /// Where the addresses are.
    pub addresses: u32,
    /// Added to each.
    pub offset: i32,
    /// Where address 0 is.
    pub general: u32,
    /// The bytes from there on that addresses reach.
    pub bytes: u32,
    /// Denormals become zeroes where the modes say so.
    pub flushes: bool,
    /// What is moved.
    pub way: Indirect,
}

/// An operation with operands whose addresses are in registers: they are moved.
#[derive(Clone, Debug)]
pub struct StagedStep {
    /// The moves before it.
    pub before: Vec<IndirectStep>,
    /// What is computed where these put its sources.
    pub vector: VectorStep,
    /// The move after it: then it has no other effect, and is computed for all channels.
    pub after: Option<IndirectStep>,
}

/// An op before the end of a block.
#[derive(Clone, Debug)]
pub enum Step {
    /// An operation that is translated if it can be, and otherwise called.
    Vector(Box<VectorStep>),
    /// Translated for the usual case, and otherwise called.
    Memory(MemoryStep),
    /// The same.
    Block(BlockStep),
    /// The same.
    Atomic(AtomicStep),
    /// Translated for the usual case, and otherwise called.
    Indirect(IndirectStep),
    /// The same.
    Staged(Box<StagedStep>),
    /// Translated.
    Fence(FenceStep),
    /// Translated, unless the payload names another barrier.
    Signal(SignalStep),
    /// Stores this to cr0.0, whose modes are those of the blocks that follow, rounding among them.
    Control(u32, Rounding),
    /// Executed by the caller.
    Call,
    /// Nothing to do.
    Nothing,
}

/// An op, by its address, and the block that begins there: that for the same channels.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The address.
    pub ip: u32,
    /// The block's number.
    pub block: Option<u32>,
}

/// Which of the channels that execute stop at a branch, to wait at an address until the thread gets there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stops {
    /// None: channels meet here.
    Nobody,
    /// Those that take it.
    Taken(u32),
    /// Those that do not take it.
    Rest(u32),
    /// If any takes it, those that do not: at the next op, while the thread goes with the others.
    Loop,
}

/// A structured branch. Unless it is a loop's, the thread goes on with the next op if a channel executes or
/// waits there, and otherwise looks for channels at the other one.
#[derive(Clone, Copy, Debug)]
pub struct Parting {
    /// Who stops.
    pub stops: Stops,
    /// The op behind the branch.
    pub next: Target,
    /// The op to which it may lead.
    pub other: Target,
}

/// Where a branch leads.
#[derive(Clone, Copy, Debug)]
pub enum Way {
    /// `jmpi`: a predicate of channel 0 chooses.
    Jump {
        /// If it does not hold.
        not_taken: Target,
        /// If it holds.
        taken: Target,
    },
    /// Each channel chooses.
    Channels(Parting),
    /// The thread passes the group's barrier, or another one goes on while it waits.
    Barrier {
        /// Behind it.
        next: Target,
    },
    /// The callback knows.
    Asked,
}

/// A branch.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// Its channels.
    pub masking: Masking,
    /// How many.
    pub lanes: u8,
    /// Where it leads.
    pub way: Way,
}

impl Space {
    /// Whether addresses are relative to the first byte of a window.
    pub(crate) const fn is_buffer(self) -> bool {
        matches!(self, Self::Buffer(_) | Self::Named { .. })
    }
}

/// How a block ends.
#[derive(Clone, Copy, Debug)]
pub enum End {
    /// In another block; `None` leaves.
    Next(Option<u32>),
    /// With a branch, which is the op after the steps.
    Branch(Branch),
    /// Leaves before the op after the steps.
    Leave,
    /// With an op that ends the thread, and has so many channels.
    Thread(u8),
}

/// Ops that execute from the first to the last.
#[derive(Clone, Debug)]
pub struct Block {
    /// The number of the first op.
    pub first: u32,
    /// The channels.
    pub enabled: Channels,
    /// The block of the same ops and modes for other channels: one for all of them has one for any, where
    /// the thread goes on if they part, and that one has it, where they are together again.
    pub twin: Option<u32>,
    /// The address of the first op, and that behind the last: a channel that waits between the two wakes
    /// there, which translations leave to the caller.
    pub ip: u32,
    /// See [`ip`](Self::ip).
    pub end_ip: u32,
    /// The floating-point modes in which it is entered.
    pub modes: Modes,
    /// See [`modes`](Self::modes).
    pub rounding: Rounding,
    /// One for each op, without a branch.
    pub steps: Vec<Step>,
    /// The sum of the ops' execution sizes, with the branch.
    pub channels: u32,
    /// Its end.
    pub end: End,
}

impl Block {
    /// Whether it rounds, or makes those that follow round, other than to nearest.
    pub(crate) fn rounds(&self) -> bool {
        let changes =
            |step: &Step| matches!(step, Step::Control(_, to) if *to != Rounding::Nearest);
        self.rounding != Rounding::Nearest || self.steps.last().is_some_and(changes)
    }

    /// The aligned 32 register bytes that its operations store alone, or in parts.
    pub(crate) fn halves(&self) -> impl Iterator<Item = u32> + '_ {
        // What is copied together is stored together, but for the end.
        let mut together = 0;
        let alone = (self.steps.iter().enumerate()).filter(move |(index, _)| {
            if together == 0 {
                together = moves::run(&self.steps[*index..]).map_or(0, |(copy, count)| {
                    let whole = copy.bytes.is_multiple_of(64);
                    if whole { count } else { count - 1 }
                });
            }
            let own = together == 0;
            together = together.saturating_sub(1);
            own
        });
        let bytes = alone.filter_map(|(_, step)| match step {
            Step::Vector(step) => {
                let request = &step.request;
                let size = u32::from(request.output.stride) * u32::from(request.lanes);
                Some((request.output.at?, size))
            }
            Step::Memory(step) if !step.stores => {
                Some((step.data, u32::from(step.slot) * u32::from(step.lanes)))
            }
            _ => None,
        });
        // One channel's are waited for however they are loaded.
        let parted = bytes.filter(|(_, size)| (16..64).contains(size));
        parted.flat_map(|(at, size)| (at / 32..(at + size).div_ceil(32)).map(|half| 32 * half))
    }

    /// Whether host code does nothing in it.
    pub fn is_left_at_once(&self) -> bool {
        self.steps.is_empty() && matches!(self.end, End::Leave | End::Thread(_))
    }
}
