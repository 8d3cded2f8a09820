//! A fake render node for unmodified programs, answered by the software GPU.

pub mod config;
