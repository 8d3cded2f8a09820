//! AUB: a simulator's file of what a driver wrote over the bus.
//!
//! Registers, page tables, pages and context images follow each other in the order in which they
//! were written, so that replaying them is running what was captured. Source: NEO,
//! `shared/source/aub_mem_dump/aub_services.h` (26.x) and files that 22.43 wrote.

mod packet;
mod record;
mod replay;
mod show;

pub use packet::{AubError, Packet, Packets, Space, number, platform};
pub use record::Recorder;
pub use replay::{Difference, Replay, ReplayError, replay};
pub use show::Submissions;
