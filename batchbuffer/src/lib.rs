//! Command-stream packets and hardware states: declared once, encoded,
//! decoded and printed.
//!
//! A layout is a table: one field per line, in the manual's own names and bit numbers, each
//! position with the range of families that it holds for. From this table come
//!
//! * the encoder ([`Builder`], [`Sink`]), which checks that every value fits,
//! * the decoder ([`decode`], [`View`], [`Batch`]), which follows lengths as the command streamer
//!   does and reports wrong ones,
//! * the printer ([`mod@print`]).
//!
//! ```
//! use batchbuffer::packets::gpgpu_walker::{self, SimdSize};
//! use batchbuffer::{Engine, decode};
//! use devinfo::Family;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mut batch: Vec<u32> = Vec::new();
//! gpgpu_walker::packet(Family::Gen12Lp)
//!     .set(gpgpu_walker::SIMD_SIZE, SimdSize::SIMD16)
//!     .set(gpgpu_walker::THREAD_GROUP_ID_X_DIMENSION, 4)
//!     .emit(&mut batch)?;
//! let packet = decode(Family::Gen12Lp, Engine::Render, &batch)?;
//! assert_eq!(packet.get(gpgpu_walker::THREAD_GROUP_ID_X_DIMENSION), 4);
//! # Ok(())
//! # }
//! ```

#[macro_use]
mod declare;

mod batch;
mod bits;
mod builder;
mod decode;
pub mod dispatch;
mod error;
pub mod execlists;
mod family;
mod index;
mod layout;
pub mod packets;
pub mod paging;
pub mod print;
pub mod registers;
mod spot;
pub mod states;
pub mod surface;
pub mod tiling;
mod value;

pub use batch::{Batch, Step};
pub use builder::{Builder, Dwords, Sink};
pub use decode::{Decoded, LengthIssue, View, decode};
pub use error::{DecodeError, EncodeError};
pub use layout::{Engine, Engines, Field, Kind, Layout, Length, Repeat, Row};
pub use packets::PacketId;
pub use spot::Spot;
pub use value::{NamedValues, Value};
