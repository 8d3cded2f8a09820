//! Shared functions: what a send instruction reaches.
//!
//! [`execute`] decodes a message's descriptors with [`isa_encoder::message`] and performs it:
//! `hdc` are the data caches of the classic data port, `lsc` the load/store units of XeHPG and
//! later, `sampler` the texture sampler, `gateway` barriers and the end of a thread. They share
//! `payload` (registers), `place` (the memory that offsets refer to) and `surface` (surface states,
//! formats and tilings).
//!
//! Sources of message semantics: Skylake and Tiger Lake PRM, volume 7 "3D-Media-GPGPU", chapters
//! "Data Port" and "Sampling Engine"; IGC's vISA documentation for the load/store units.

mod atomic;
mod environment;
mod execute;
mod family;
mod gateway;
mod gather;
mod hdc;
#[cfg(target_arch = "x86_64")]
pub mod host;
mod lsc;
mod payload;
mod place;
mod plain;
mod rectangle;
mod sampler;
mod state_cache;
mod state_rules;
mod surface;
#[cfg(test)]
mod tests;
mod texels;
mod typed;

pub use atomic::apply as atomic;
pub use environment::GroupEnv;
pub use execute::{Effect, Message, decode, execute, perform};
pub(crate) use family::{caches, local_in_order};
pub use gateway::{NAME_AT, barrier_name, execute as gateway};
pub use plain::{Plain, Registers};
pub use state_cache::StateCache;
pub use texels::Texels;
