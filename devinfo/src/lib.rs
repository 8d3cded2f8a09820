//! One table of Intel GPU platforms: PCI ids, topology, SIMD widths, SLM, GRF and limits.
//!
//! [`PLATFORMS`] is the table, a row a platform; [`by_name`], [`by_pci_id`] and
//! [`by_product_family`] find rows. Nothing in it was verified on hardware by
//! this project: where a kernel driver describes a device, that has precedence.
#![no_std]

mod address;
mod family;
mod find;
mod platform;
mod table;
pub mod thread;

pub use address::GpuAddress;
pub use family::{Family, Span, WalkerKind};
pub use find::{Target, TargetError, by_name, by_pci_id, by_product_family};
pub use platform::{Driver, Mocs, Platform, Revision, Sku, ZebinTarget};
pub use table::PLATFORMS;

#[cfg(test)]
mod tests;
