//! Execution lists: how engines take contexts from registers, and what a context is in memory.
//!
//! A context image lies in the global GTT. Its first page is the context's own status page; the
//! registers of ring and page table follow, as MI_LOAD_REGISTER_IMM commands that the engine executes
//! when it takes the context. The context's descriptor goes to the engine's submission registers. The
//! engine tells of each context that it takes or leaves in the status buffer of its status page.
//!
//! Sources: BDW PRM vol 7, ICL and TGL PRM vol 2c; i915 `intel_lrc.c`, `intel_lrc_reg.h`,
//! `intel_lrc.h`, `intel_execlists_submission.c`.

mod family;
mod image;
mod status;

pub use family::{Execlists, FaultRegisters, ForceWake, Submission, execlists};
pub use image::{Context, descriptor, place};
pub use status::{Events, StatusBuffer, Switch};
