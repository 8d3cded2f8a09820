//! Known-good command sequences: set up, dispatch, finish.
//!
//! A caller describes a dispatch without knowing which walker the platform
//! has; [`commands`] gives the sequences of a family. Packets come in the order in which Intel's
//! OpenCL runtime and igt-gpu-tools submit them.
//!
//! ```
//! use batchbuffer::dispatch::{Dispatch, FrontEnd, Setup, Tag, commands};
//! use devinfo::{Family, GpuAddress};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let commands = commands(Family::Gen12Lp);
//! let dispatch = Dispatch { threads_per_group: 4, groups: [8, 1, 1], ..Dispatch::default() };
//! let descriptor = commands.descriptor(&dispatch)?; // goes to the dynamic state heap
//! let mut batch = Vec::new();
//! let front_end = FrontEnd { max_threads: 768, ..FrontEnd::default() };
//! commands.preamble(&Setup { front_end, ..Setup::default() }, &mut batch)?;
//! commands.dispatch(&dispatch, &mut batch)?;
//! commands.finish(Some(Tag { address: GpuAddress::new(0x1000), value: 1 }), &mut batch)?;
//! # assert_eq!(descriptor.len(), 8);
//! # Ok(())
//! # }
//! ```

mod commands;
mod compute;
mod family;
mod limits;
mod media;
mod ring;
mod shared;
mod types;

pub use commands::Commands;
pub use family::commands;
pub use limits::{preferred_slm, registers, slm_bytes, slm_code, walk_order};
pub use ring::SLOT_DWORDS;
pub use types::{
    ComputeMode, Dispatch, DispatchError, DispatchSpots, FrontEnd, Heaps, LocalIds, Mocs, PostSync,
    Scratch, Setup, Simd, Slot, SlotSpots, StateSpots, Tag, TagSpots, ThreadScheduling,
};

pub use devinfo::WalkerKind;
