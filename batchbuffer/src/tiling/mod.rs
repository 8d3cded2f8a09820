//! How two- and three-dimensional surfaces lie in memory, and the codes that say so.
//!
//! A tiled surface is a grid of tiles in row-major order; inside a tile, the bits of the byte
//! offset are bits of x (in bytes), y and z. Sources: Tiger Lake PRM vol 5 "Tiling", ATS-M PRM
//! vol 5 "Tile4 Format" and "Tile64 Format", gmmlib's swizzle patterns.

mod arrangement;
mod codes;
mod kind;

pub use arrangement::{Arrangement, Pattern};
pub use codes::legacy_qpitch;
pub use kind::Tiling;
