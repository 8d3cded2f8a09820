//! EU code as x86-64 code.
//!
//! [`Code::new`] translates the blocks of a routine to host code for a set of the host's instructions
//! ([`HostIsa`]): AVX2 with FMA and F16C, or AVX-512, for which operations and messages of several
//! channels have forms of their own (`wide`), and the others the same. The caller keeps the registers, as
//! the bytes that [`eu_lanes`] works on. Loads and stores go through windows of bound memory that the
//! caller provides. For everything else host code calls back: for a step that it does not translate
//! ([`Step::Call`]), for addresses outside of windows, and for branches whose target it does not know. It
//! agrees with the routines of [`eu_lanes`] bit for bit, except for the payload of NaNs that are computed,
//! which is not specified.
//!
//! With AVX-512, results stay in registers of the host, and are stored where something needs them in memory (`owed`):
//! which is less often than they are computed (`live`).
//!
//! A block is translated for one set of floating-point modes, and either for all channels of the
//! kernel's width enabled ([`Channels::All`]), where results need no mask, or for any. A translation may have
//! both: then host code goes from one to the other where channels part and meet (`branch`), and otherwise it
//! calls back there.
//!
//! The assembler is `dynasmrt`: its encodings are made when this crate is built, so that translating
//! takes less than a microsecond an instruction, and it is small. Memory is written first and
//! executable afterwards, never both. Machines without [`HostIsa::Avx2`] have no translations.

#![allow(
    clippy::useless_conversion,
    reason = "`dynasm!` converts what names a register"
)]

#[cfg(target_arch = "x86_64")]
mod aside;
#[cfg(target_arch = "x86_64")]
mod atomic;
#[cfg(target_arch = "x86_64")]
mod barrier;
#[cfg(target_arch = "x86_64")]
mod bits;
#[cfg(target_arch = "x86_64")]
mod block;
#[cfg(target_arch = "x86_64")]
mod branch;
#[cfg(target_arch = "x86_64")]
mod carried;
#[cfg(target_arch = "x86_64")]
mod code;
#[cfg(target_arch = "x86_64")]
mod compute;
#[cfg(target_arch = "x86_64")]
mod conversions;
#[cfg(target_arch = "x86_64")]
mod copies;
#[cfg(target_arch = "x86_64")]
mod detours;
#[cfg(target_arch = "x86_64")]
mod elements;
#[cfg(target_arch = "x86_64")]
mod evex;
#[cfg(target_arch = "x86_64")]
mod flags;
#[cfg(target_arch = "x86_64")]
mod frame;
#[cfg(target_arch = "x86_64")]
mod indirect;
#[cfg(target_arch = "x86_64")]
mod known;
#[cfg(target_arch = "x86_64")]
mod live;
#[cfg(target_arch = "x86_64")]
mod load;
#[cfg(target_arch = "x86_64")]
mod masks;
#[cfg(target_arch = "x86_64")]
mod memory;
mod model;
mod moves;
#[cfg(target_arch = "x86_64")]
mod owed;
#[cfg(target_arch = "x86_64")]
mod plan;
mod planes;
#[cfg(target_arch = "x86_64")]
mod products;
#[cfg(target_arch = "x86_64")]
mod registers;
#[cfg(target_arch = "x86_64")]
mod scalar;
#[cfg(target_arch = "x86_64")]
mod seats;
#[cfg(target_arch = "x86_64")]
mod store;
#[cfg(target_arch = "x86_64")]
mod threads;
#[cfg(target_arch = "x86_64")]
mod translate;
#[cfg(target_arch = "x86_64")]
mod vector;
#[cfg(target_arch = "x86_64")]
mod wide;
#[cfg(target_arch = "x86_64")]
mod words;

#[cfg(target_arch = "x86_64")]
pub use code::{Code, Next};
pub use eu_lanes::HostIsa;
#[cfg(target_arch = "x86_64")]
pub use frame::{Callback, Frame, Window};
pub use model::{
    Arrivals, AtomicOperation, AtomicStep, Base, Block, BlockStep, Branch, Channels, End,
    FenceStep, Grouping, Indirect, IndirectStep, LOCAL_OFFSET, Layout, Left, Masking, MemoryStep,
    Parting, Predicate, Rounding, SCRATCH_BASE, Seat, SignalStep, Space, StagedStep, Step, Stops,
    Target, VectorStep, Way,
};
pub use planes::Planes;
#[cfg(target_arch = "x86_64")]
pub use threads::{Entrant, Threads};
