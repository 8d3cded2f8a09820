//! One table of Intel GPU platforms: PCI ids, topology, SIMD widths, SLM, GRF and limits.
//!
//! [`PLATFORMS`] is the table, one row per platform; [`by_name`], [`by_pci_id`] and
//! [`by_product_family`] find rows. This project verified none of it on hardware: a kernel driver's
//! description of a device has precedence.
//!
//! ```
//! let tgl = devinfo::by_name("tgl").ok_or("no such platform")?;
//! assert_eq!(tgl.title, "Tiger Lake");
//! assert_eq!(tgl.family, devinfo::Family::Gen12Lp);
//! assert_eq!(devinfo::by_pci_id(0x9a49).map(|platform| platform.name), Some("tgl"));
//! # Ok::<(), &str>(())
//! ```
#![no_std]

mod address;
mod family;
mod find;
mod platform;
pub mod report;
mod table;
pub mod thread;

pub use address::GpuAddress;
pub use family::{Family, Span, WalkerKind};
pub use find::{Target, TargetError, by_name, by_pci_id, by_product_family};
pub use platform::{Driver, Mocs, Platform, Revision, Sku, ZebinTarget};
pub use table::PLATFORMS;

/// The section of a zebin that says that this project's compiler made it, and not Intel's. Intel's runtime ignores notes
/// that it does not know (NEO `zebin_decoder.cpp`).
pub const COMPILER_NOTE: &str = ".note.eu-compiler";

#[cfg(test)]
mod tests;
