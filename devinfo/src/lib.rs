//! One table of Intel GPU platforms: PCI ids, topology, SIMD widths, SLM, GRF and limits.
#![no_std]

mod address;
mod family;

pub use address::GpuAddress;
pub use family::Family;
